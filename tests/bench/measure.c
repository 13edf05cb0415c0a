/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - what an ADD and a DEL of several plugins cost, taken in turns
 *
 *	measure ROUNDS NAME PLUGIN CONF NETNS [NAME PLUGIN CONF NETNS]...
 *
 * Each round does one ADD and one DEL with each plugin, so that a busy moment of the
 * machine hits all of them.  Prints a line for each plugin and verb:
 *
 *	NAME VERB wall-p50-us cpu-p50-us peak-rss-KiB
 *
 * A file CONF.node beside a configuration is the node's file of its calls.
 */
#include "tests/bench/spawn.h"

#include <limits.h>

enum { PLUGINS_MAX = 8 };

struct subject {
	const char *name, *plugin, *conf, *netns;
	struct series verb[2];
};

static const char *const verbs[] = { "ADD", "DEL" };
static struct subject subjects[PLUGINS_MAX];

static void run(const struct subject *s, int verb, int round, struct series *to)
{
	char *const argv[] = { (char *)(size_t)s->plugin, NULL };
	char node[PATH_MAX];
	int status;

	(void)snprintf(node, sizeof(node), "%s.node", s->conf);
	if (access(node, R_OK) == 0)
		(void)setenv("DEVINFO_CONF", node, 1);
	(void)setenv("CNI_COMMAND", verbs[verb], 1);
	(void)setenv("CNI_NETNS", s->netns, 1);
	(void)setenv("CNI_CONTAINERID", s->name, 1);
	status = spawn_run(argv, s->conf, round, to);
	if (status != 0) {
		(void)fprintf(stderr, "%s: %s failed\n", s->name, verbs[verb]);
		exit(1);
	}
}

int main(int argc, char *argv[])
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = (argc - 2) / 4;

	if (rounds < 1 || rounds > ROUNDS_MAX || n < 1 || n > PLUGINS_MAX || argc != 2 + 4 * n) {
		(void)fprintf(stderr, "usage: measure ROUNDS NAME PLUGIN CONF NETNS...\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		char **a = argv + 2 + (size_t)i * 4;

		subjects[i].name = a[0];
		subjects[i].plugin = a[1];
		subjects[i].conf = a[2];
		subjects[i].netns = a[3];
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < n; i++)
			for (int verb = 0; verb < 2; verb++)
				run(&subjects[i], verb, round, &subjects[i].verb[verb]);
	for (int i = 0; i < n; i++)
		for (int verb = 0; verb < 2; verb++) {
			struct series *s = &subjects[i].verb[verb];

			(void)printf("%s %s %ld %ld %ld\n", subjects[i].name, verbs[verb],
				     percentile(s->wall_us, rounds, 50),
				     percentile(s->cpu_us, rounds, 50),
				     s->rss_kib);
		}
	return 0;
}
