/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency.c - how long several commands take from start to end, taken in turns
 *
 *	latency ROUNDS NAME COMMAND [NAME COMMAND]...
 *
 * COMMAND is words with blanks between.  Each round runs every command once, so that a busy moment
 * of the machine hits all of them.  Prints a line for each:
 *
 *	NAME wall-p50-us wall-p99-us cpu-p50-us peak-rss-KiB page-faults-p50
 *
 * The faults are the start's, too: those of the child before it is the program.
 */
#include "tests/bench/spawn.h"

#include <string.h>

enum { COMMANDS_MAX = 8, WORDS_MAX = 16 };

struct command {
	const char *name;
	char *argv[WORDS_MAX + 1];
	struct series series;
};

static struct command commands[COMMANDS_MAX];

static void split(char *text, struct command *ret)
{
	char *save = NULL;
	int n = 0;

	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (n < WORDS_MAX)
			ret->argv[n++] = word;
}

static void run(struct command *c, int round)
{
	int status = spawn_run(c->argv, "/dev/null", round, &c->series);

	if (status != 0) {
		(void)fprintf(stderr, "%s failed: status %d\n", c->name, status);
		exit(1);
	}
}

int main(int argc, char *argv[])
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = (argc - 2) / 2;

	if (rounds < 1 || rounds > ROUNDS_MAX || n < 1 || n > COMMANDS_MAX || argc != 2 + 2 * n) {
		(void)fprintf(stderr, "usage: latency ROUNDS NAME COMMAND...\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		commands[i].name = argv[2 + 2 * i];
		split(argv[3 + 2 * i], &commands[i]);
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < n; i++)
			run(&commands[i], round);
	for (int i = 0; i < n; i++) {
		struct series *s = &commands[i].series;

		(void)printf("%s %ld %ld %ld %ld %ld\n", commands[i].name,
			     percentile(s->wall_us, rounds, 50), percentile(s->wall_us, rounds, 99),
			     percentile(s->cpu_us, rounds, 50), s->rss_kib,
			     percentile(s->faults, rounds, 50));
	}
	return 0;
}
