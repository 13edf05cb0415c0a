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
 * CPU and memory are the plugin's with the children it waited for (wait4(2)).  This
 * program is small because the kernel counts the memory of the process that a
 * program was started from into the program's own peak.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000, PLUGINS_MAX = 8 };

extern char **environ;

struct series {
	long wall_us[ROUNDS_MAX], cpu_us[ROUNDS_MAX], rss_kib;
};

struct subject {
	const char *name, *plugin, *conf, *netns;
	struct series verb[2];
};

static const char *const verbs[] = { "ADD", "DEL" };
static struct subject subjects[PLUGINS_MAX];

static long us_between(const struct timespec *a, const struct timespec *b)
{
	return (b->tv_sec - a->tv_sec) * 1000000L + (b->tv_nsec - a->tv_nsec) / 1000;
}

static long cpu_us(const struct rusage *u)
{
	return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000L + u->ru_utime.tv_usec +
	       u->ru_stime.tv_usec;
}

static void run(const struct subject *s, int verb, int round, struct series *to)
{
	char *const argv[] = { (char *)(size_t)s->plugin, NULL };
	posix_spawn_file_actions_t actions;
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t pid;

	(void)setenv("CNI_COMMAND", verbs[verb], 1);
	(void)setenv("CNI_NETNS", s->netns, 1);
	(void)setenv("CNI_CONTAINERID", s->name, 1);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 0, s->conf, O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	errno = posix_spawn(&pid, s->plugin, &actions, NULL, argv, environ);
	if (errno || wait4(pid, &status, 0, &usage) < 0) {
		perror(s->plugin);
		exit(1);
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (status != 0) {
		(void)fprintf(stderr, "%s: %s failed\n", s->name, verbs[verb]);
		exit(1);
	}
	to->wall_us[round] = us_between(&start, &end);
	to->cpu_us[round] = cpu_us(&usage);
	if (usage.ru_maxrss > to->rss_kib)
		to->rss_kib = usage.ru_maxrss;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static long median(long *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
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
				     median(s->wall_us, rounds), median(s->cpu_us, rounds),
				     s->rss_kib);
		}
	return 0;
}
