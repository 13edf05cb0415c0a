/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovsdb_fake.h - a database server that says what a test wants, right or wrong
 *
 * A child that listens on the unix socket FAKE_DB and serves one connection after the other.  For
 * each request it says the next of its answers; at their end it hangs.
 */
#ifndef TESTS_UNIT_OVSDB_FAKE_H
#define TESTS_UNIT_OVSDB_FAKE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAKE_DB "ovsdb.fake.sock"

/* Answers that are none. */
#define FAKE_CLOSE	"\1"	/* hang up */
#define FAKE_FLOOD	"\2"	/* notifications without end */
#define FAKE_HUGE	"\3"	/* a message without end */

struct fake {
	pid_t pid;
	int listener;
};

/* A whole request: nothing of ours has a bracket in a string.  It is appended to a file. */
static bool fake_read_request(int fd)
{
	FILE *log = fopen("ovsdb.fake.log", "ae");
	int depth = 0;
	char c;

	do {
		if (read(fd, &c, 1) != 1)
			return fclose(log), false;
		(void)fputc(c, log);
		depth += c == '{';
		depth -= c == '}';
	} while (depth > 0 || c != '}');
	(void)fputc('\n', log);
	return fclose(log), true;
}

static bool fake_write(int fd, const char *text, size_t len)
{
	return send(fd, text, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* Whether the connection goes on. */
static bool fake_say(int fd, const char *answer, bool torn)
{
	static const char update[] = "{\"method\":\"update\",\"params\":[],\"id\":null}";
	static char part[4096];

	if (strcmp(answer, FAKE_CLOSE) == 0)
		return false;
	if (strcmp(answer, FAKE_FLOOD) == 0) {
		while (fake_write(fd, update, sizeof(update) - 1))
			;
		return false;
	}
	if (strcmp(answer, FAKE_HUGE) == 0) {
		memset(part, 'x', sizeof(part));
		(void)fake_write(fd, "{\"a\":\"", 6);
		while (fake_write(fd, part, sizeof(part)))
			;
		return false;
	}
	for (size_t i = 0; torn && answer[i]; i++) {
		if (!fake_write(fd, answer + i, 1))
			return false;
		if (i % 16 == 0)
			(void)usleep(100);
	}
	return torn || fake_write(fd, answer, strlen(answer));
}

static void fake_serve(int listener, const char *const *answers, bool torn)
{
	while (*answers) {
		int fd = accept(listener, NULL, NULL);
		bool more = fd >= 0;

		while (more && *answers && fake_read_request(fd))
			more = fake_say(fd, *answers++, torn);
		if (more && !*answers)
			(void)pause();
		(void)close(fd);
	}
	(void)pause();
	_exit(1);
}

/* answers end with NULL; torn: each byte of them in a packet of its own. */
static struct fake fake_begin(const char *const *answers, bool torn)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = FAKE_DB };
	struct fake f = { .listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };

	(void)unlink(FAKE_DB);
	(void)unlink("ovsdb.fake.log");
	if (bind(f.listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(f.listener, 4) < 0)
		exit(1);
	(void)fflush(stdout);
	f.pid = fork();
	if (f.pid == 0)
		fake_serve(f.listener, answers, torn);
	return f;
}

static void fake_end(struct fake *f)
{
	(void)kill(f->pid, SIGKILL);
	(void)waitpid(f->pid, NULL, 0);
	(void)close(f->listener);
}

#endif
