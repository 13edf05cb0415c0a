/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.h - what one run of a program costs, for programs that compare several
 *
 * CPU and memory are the program's with the children it waited for (wait4(2)).  Who uses this has
 * to be small: the kernel counts the memory of the process that a program was started
 * from into the program's own peak.
 */
#ifndef TESTS_BENCH_SPAWN_H
#define TESTS_BENCH_SPAWN_H

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 10000 };

/* The runs of one program. */
struct series {
	long wall_us[ROUNDS_MAX], cpu_us[ROUNDS_MAX], faults[ROUNDS_MAX], rss_kib;
};

static inline long us_between(const struct timespec *a, const struct timespec *b)
{
	return (b->tv_sec - a->tv_sec) * 1000000L + (b->tv_nsec - a->tv_nsec) / 1000;
}

static inline long cpu_us(const struct rusage *u)
{
	return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000L + u->ru_utime.tv_usec +
	       u->ru_stime.tv_usec;
}

/* Run argv with this file as its input, as the round'th of the series; its exit status. */
static inline int spawn_run(char *const argv[], const char *input, int round, struct series *to)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t pid;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	errno = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	if (errno || wait4(pid, &status, 0, &usage) < 0) {
		perror(argv[0]);
		exit(1);
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	(void)posix_spawn_file_actions_destroy(&actions);
	to->wall_us[round] = us_between(&start, &end);
	to->cpu_us[round] = cpu_us(&usage);
	to->faults[round] = usage.ru_minflt;
	if (usage.ru_maxrss > to->rss_kib)
		to->rss_kib = usage.ru_maxrss;
	return status;
}

static inline int long_compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* The percent'th of n values, which are sorted by it: 50 is the median. */
static inline long percentile(long *v, int n, int percent)
{
	int at = n * percent / 100;

	qsort(v, (size_t)n, sizeof(*v), long_compare);
	return v[at < n ? at : n - 1];
}

#endif
