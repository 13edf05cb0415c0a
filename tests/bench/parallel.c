/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel.c - what an ADD and a DEL cost when several of them are started at once
 *
 *	parallel ROUNDS WIDTH NETNS DEVICES NAME PLUGIN CONF [NAME PLUGIN CONF]...
 *
 * Slot i of WIDTH has the namespace NETNS<i>, the configuration CONF<i>.json and the i'th word of
 * DEVICES in BENCH_DEVICE.  Each round starts all ADDs of one plugin at once, waits for them, then
 *all its DELs; then comes the next plugin, so that a busy moment of the machine hits all of them.
 * Prints a line for each plugin and verb:
 *
 *	NAME VERB wall-p50-us-of-one wall-p50-us-of-all
 */
#include "tests/bench/spawn.h"

#include <string.h>

enum { PLUGINS_MAX = 8, WIDTH_MAX = 64 };

struct subject {
	const char *name, *plugin, *conf;
	struct {
		long one[ROUNDS_MAX], all[ROUNDS_MAX];
	} verb[2];
};

static const char *const verbs[] = { "ADD", "DEL" };
static struct subject subjects[PLUGINS_MAX];
static char devices[WIDTH_MAX][16];

static pid_t start(const struct subject *s, int verb, const char *netns, int slot)
{
	extern char **environ;
	char *const argv[] = { (char *)(size_t)s->plugin, NULL };
	char file[512], text[512];
	posix_spawn_file_actions_t actions;
	pid_t pid;

	(void)setenv("CNI_COMMAND", verbs[verb], 1);
	(void)snprintf(text, sizeof(text), "%s%d", netns, slot);
	(void)setenv("CNI_NETNS", text, 1);
	(void)snprintf(text, sizeof(text), "%s-%d", s->name, slot);
	(void)setenv("CNI_CONTAINERID", text, 1);
	(void)setenv("BENCH_DEVICE", devices[slot], 1);
	(void)snprintf(file, sizeof(file), "%s%d.json", s->conf, slot);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 0, file, O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	errno = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	if (errno) {
		perror(argv[0]);
		exit(1);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/* All slots of one verb; how long each took from its own start goes to one[]. */
static long run(const struct subject *s, int verb, const char *netns, int width, long *one)
{
	struct timespec begin[WIDTH_MAX], end = { 0 };
	pid_t pids[WIDTH_MAX], pid;
	int status, failed = 0;

	for (int i = 0; i < width; i++) {
		(void)clock_gettime(CLOCK_MONOTONIC, &begin[i]);
		pids[i] = start(s, verb, netns, i);
	}
	for (int left = width; left > 0; left--) {
		pid = wait(&status);
		(void)clock_gettime(CLOCK_MONOTONIC, &end);
		for (int i = 0; i < width; i++)
			if (pids[i] == pid)
				one[i] = us_between(&begin[i], &end);
		failed += status != 0;
	}
	if (failed) {
		(void)fprintf(stderr, "%s: %d of %d %ss failed\n", s->name, failed, width,
			      verbs[verb]);
		exit(1);
	}
	return us_between(&begin[0], &end);
}

static int take_devices(char *words)
{
	char *save = NULL;
	int n = 0;

	for (char *w = strtok_r(words, " ", &save); w && n < WIDTH_MAX;
	     w = strtok_r(NULL, " ", &save))
		(void)snprintf(devices[n++], sizeof(devices[0]), "%s", w);
	return n;
}

int main(int argc, char *argv[])
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, width = argc > 2 ? atoi(argv[2]) : 0;
	int n = (argc - 5) / 3;

	if (argc < 8 || argc != 5 + 3 * n || n > PLUGINS_MAX || width < 1 || width > WIDTH_MAX ||
	    rounds < 1 || rounds * width > ROUNDS_MAX || take_devices(argv[4]) < width) {
		(void)fprintf(stderr,
			      "usage: parallel ROUNDS WIDTH NETNS DEVICES NAME PLUGIN CONF...\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		subjects[i].name = argv[5 + 3 * i];
		subjects[i].plugin = argv[6 + 3 * i];
		subjects[i].conf = argv[7 + 3 * i];
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < n; i++)
			for (int v = 0; v < 2; v++)
				subjects[i].verb[v].all[round] =
					run(&subjects[i], v, argv[3], width,
					    &subjects[i].verb[v].one[round * width]);
	for (int i = 0; i < n; i++)
		for (int v = 0; v < 2; v++)
			(void)printf("%s %s %ld %ld\n", subjects[i].name, verbs[v],
				     percentile(subjects[i].verb[v].one, rounds * width, 50),
				     percentile(subjects[i].verb[v].all, rounds, 50));
	return 0;
}
