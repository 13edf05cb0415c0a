/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - what an ADD and a DEL of several interfaces cost, by one call or by many
 *
 *	steps ROUNDS NAME FILE [NAME FILE]...
 *
 * FILE has a line for each call:
 *
 *	now|then PLUGIN CONFIGURATION NETNS CONTAINER IFNAME DEVICE
 *
 * "then": when all before have ended; "now": at once with the one before.  DEVICE is for bare_move.
 * An ADD goes by the lines; a DEL by the lines from the last to the first, one after another, as
 * runtimes do.  Each round does one ADD and one DEL with each file, so that a busy moment of the
 * machine hits all of them.  Prints a line for each file and verb:
 *
 *	NAME VERB wall-p50-us cpu-p50-us own-cpu-p50-us
 *
 * CPU is that of all calls with their children, own CPU that of the called programs without them:
 * /proc/PID/schedstat, in which a process that nobody has waited for yet still is.
 */
#include "tests/bench/spawn.h"

#include <string.h>

enum { FILES_MAX = 8, STEPS_MAX = 64, ROUNDS = 1000 };

struct step {
	char when[8], plugin[256], conf[256], netns[64], container[64], ifname[16], device[16];
};

struct subject {
	const char *name;
	struct step steps[STEPS_MAX];
	int n;
	struct {
		long wall[ROUNDS], cpu[ROUNDS], own[ROUNDS];
	} verb[2];
};

static const char *const verbs[] = { "ADD", "DEL" };
static struct subject subjects[FILES_MAX];

static void take_file(const char *path, struct subject *ret)
{
	FILE *f = fopen(path, "re");
	struct step *s = ret->steps;

	while (f && ret->n < STEPS_MAX &&
	       fscanf(f, "%7s %255s %255s %63s %63s %15s %15s", s->when, s->plugin, s->conf,
		      s->netns, s->container, s->ifname, s->device) == 7) {
		ret->n++;
		s++;
	}
	if (!f || !feof(f) || ret->n == 0) {
		(void)fprintf(stderr, "%s: no steps\n", path);
		exit(1);
	}
	(void)fclose(f);
}

static pid_t start(const struct step *s, const char *verb)
{
	extern char **environ;
	char *const argv[] = { (char *)(size_t)s->plugin, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

	(void)setenv("CNI_COMMAND", verb, 1);
	(void)setenv("CNI_NETNS", s->netns, 1);
	(void)setenv("CNI_CONTAINERID", s->container, 1);
	(void)setenv("CNI_IFNAME", s->ifname, 1);
	(void)setenv("BENCH_DEVICE", s->device, 1);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 0, s->conf, O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	errno = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	if (errno) {
		perror(argv[0]);
		exit(1);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/* Of a process that has ended. */
static long own_us(pid_t pid)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%llu", &ns) != 1) {
		perror(path);
		exit(1);
	}
	(void)fclose(f);
	return (long)(ns / 1000);
}

/* Until all that run have ended. */
static void wait_all(const struct subject *s, int verb, int round, int *running)
{
	struct rusage usage;
	siginfo_t info;
	int status;

	for (; *running > 0; (*running)--) {
		if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) < 0)
			exit(1);
		subjects[s - subjects].verb[verb].own[round] += own_us(info.si_pid);
		if (wait4(info.si_pid, &status, 0, &usage) < 0 || status != 0) {
			(void)fprintf(stderr, "%s: %s failed\n", s->name, verbs[verb]);
			exit(1);
		}
		subjects[s - subjects].verb[verb].cpu[round] += cpu_us(&usage);
	}
}

static void run(struct subject *s, int verb, int round)
{
	struct timespec begin, end;
	int running = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < s->n; i++) {
		const struct step *step = &s->steps[verb ? s->n - 1 - i : i];

		if (verb || strcmp(step->when, "then") == 0)
			wait_all(s, verb, round, &running);
		(void)start(step, verbs[verb]);
		running++;
	}
	wait_all(s, verb, round, &running);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	s->verb[verb].wall[round] = us_between(&begin, &end);
}

int main(int argc, char *argv[])
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = (argc - 2) / 2;

	if (argc != 2 + 2 * n || n < 1 || n > FILES_MAX || rounds < 1 || rounds > ROUNDS) {
		(void)fprintf(stderr, "usage: steps ROUNDS NAME FILE...\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		subjects[i].name = argv[2 + 2 * i];
		take_file(argv[3 + 2 * i], &subjects[i]);
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < n; i++)
			for (int v = 0; v < 2; v++)
				run(&subjects[i], v, round);
	for (int i = 0; i < n; i++)
		for (int v = 0; v < 2; v++)
			(void)printf("%s %s %ld %ld %ld\n", subjects[i].name, verbs[v],
				     percentile(subjects[i].verb[v].wall, rounds, 50),
				     percentile(subjects[i].verb[v].cpu, rounds, 50),
				     percentile(subjects[i].verb[v].own, rounds, 50));
	return 0;
}
