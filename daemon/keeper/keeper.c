/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c - the keeper's process is made, asked when it is time, and its answers are logged */
#include "daemon/keeper/keeper.h"

#include "base/child.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "daemon/keeper/keeper_part.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PROGRAM	"devinfoctl"

enum { LAST_MS = 100 };			/* for the end of a process whose socket has ended */

struct keeper {
	struct child child;
	int fd;				/* -1: it has ended */
	struct loop_source *source;
	struct loop_timer *timer;	/* until it is asked again; NULL: not begun */
	unsigned int interval_s;
	int64_t due;			/* the end of the interval */
	unsigned int soon_ms;		/* from a look that finds a dead one to the next run */
	bool running;
	size_t dead;			/* so many records of these the last look found */
	uint64_t told;			/* a hash of the last answer that was logged */
};

/* -- the process -- */

/*
 * Beside our own file.  In a container that has changed its root the path of that file may name
 * another one, beside which there may be anything.
 */
static int find_program(char ret[PATH_MAX], struct err *e)
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - sizeof(PROGRAM) - 1);
	struct stat own, named;
	char *slash;

	if (n < 0)
		return err_set(e, ERR_IO, errno, "read the link /proc/self/exe");
	ret[n] = '\0';
	if (stat("/proc/self/exe", &own) < 0 || stat(ret, &named) < 0 ||
	    own.st_dev != named.st_dev || own.st_ino != named.st_ino)
		return err_set(e, ERR_IO, 0, "as in a container, no " PROGRAM " is beside "
			       "devinfod: '%s' is another program, or none", ret);
	slash = strrchr(ret, '/');
	if (!slash)
		return err_set(e, ERR_IO, 0, "/proc/self/exe is no path");
	memcpy(slash + 1, PROGRAM, sizeof(PROGRAM));
	return 0;
}

struct keeper *keeper_new(struct err *e)
{
	struct keeper k = { .child = CHILD_NONE, .fd = -1, .soon_ms = KEEPER_SOON_MS }, *ret;
	char program[PATH_MAX];
	int fd[2], is;

	if (find_program(program, e) < 0)
		return NULL;
	ret = malloc(sizeof(*ret));
	is = ret ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) : -1;
	if (is == 0) {
		is = child_fork(&k.child);
		if (is == 0) {
			(void)close(fd[0]);
			keeper_serve(fd[1], program);
		}
		(void)close(fd[1]);
		if (is < 0)
			(void)close(fd[0]);
		k.fd = fd[0];
	}
	if (is < 0) {
		(void)err_set(e, ERR_IO, errno, "start the process that releases");
		free(ret);
		return NULL;
	}
	*ret = k;
	return ret;
}

/* -- when it is asked -- */

static void ask_in_time(struct keeper *k)
{
	int64_t ms = k->due - loop_now();

	if (k->dead > 0 && k->soon_ms < ms)
		ms = k->soon_ms;
	loop_timer_set(k->timer, ms > 0 ? (unsigned int)ms : 1);
}

/* It has ended, or does not do as it should: nothing is released any more. */
static void lose(struct keeper *k)
{
	log_error("msg=\"the process that releases what the dead have left has ended: nothing is "
		  "released before devinfod starts anew\"");
	loop_remove(k->source);
	k->source = NULL;
	mem_close_fd(&k->fd);
	k->fd = -1;
	(void)child_kill(&k->child, SIGKILL, LAST_MS);
	loop_timer_set(k->timer, 0);
}

static void ask(struct keeper *k)
{
	const char order = KEEPER_ORDER;

	if (send(k->fd, &order, sizeof(order), MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(order)) {
		lose(k);
		return;
	}
	k->running = true;
	k->soon_ms = k->soon_ms < KEEPER_LATE_MS / 2 ? k->soon_ms * 2 : KEEPER_LATE_MS;
}

static void on_time(void *arg)
{
	ask(arg);
}

static bool is_dead(const struct inv_attachment *a)
{
	return strcmp(a->state, "dead") == 0 || strcmp(a->state, "earlier boot") == 0;
}

/* One more than before has not been tried yet. */
void keeper_take(struct keeper *k, const struct inventory *inv)
{
	size_t before = k ? k->dead : 0;

	if (!k || k->fd < 0)
		return;
	k->dead = 0;
	for (size_t i = 0; i < inv->n_attachments; i++)
		k->dead += is_dead(&inv->attachments[i]);
	if (k->dead == 0 || k->dead > before)
		k->soon_ms = KEEPER_SOON_MS;
	if (k->dead != before && k->timer && !k->running)
		ask_in_time(k);
}

/* -- its answers -- */

/* One line of the log for each line. */
static void log_text(enum log_level level, const char *text)
{
	char line[512];

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		(void)snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		log_line(level, "msg=\"devinfoctl gc\" said=\"%s\"", line);
	}
}

static void log_failure(const struct keeper_answer *a)
{
	if (a->late)
		log_warning("msg=\"devinfoctl gc was ended: it took too long\"");
	else if (a->status < 0)
		log_warning("msg=\"devinfoctl gc was not started\"");
	else if (WIFSIGNALED(a->status))
		log_warning("msg=\"devinfoctl gc died\" signal=%d", WTERMSIG(a->status));
	else
		log_warning("msg=\"devinfoctl gc failed: not all of the dead is released\" "
			    "status=%d", WEXITSTATUS(a->status));
}

/* What is the same as last time is not told again, and that there was nothing never. */
static void log_answer(struct keeper *k, const struct keeper_answer *a)
{
	bool well = a->status == 0 && !a->late;
	uint64_t hash = name_hash((uint64_t)a->status, a->text);

	if (well && strcmp(a->text, "nothing to release\n") == 0) {
		k->told = 0;
		return;
	}
	if (hash == k->told)
		return;
	k->told = hash;
	if (!well)
		log_failure(a);
	log_text(well ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, a->text);
}

static void on_answer(short revents, void *arg)
{
	const size_t least = offsetof(struct keeper_answer, text);
	struct keeper *k = arg;
	struct keeper_answer a;
	ssize_t n = recv(k->fd, &a, sizeof(a), MSG_DONTWAIT);

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < (ssize_t)least || n >= (ssize_t)sizeof(a) || !k->running) {
		lose(k);
		return;
	}
	a.text[n - (ssize_t)least] = '\0';
	k->running = false;
	log_answer(k, &a);
	k->due = loop_now() + (int64_t)k->interval_s * 1000;
	ask_in_time(k);
}

/* -- its life -- */

int keeper_begin(struct keeper *k, struct loop *l, unsigned int interval_s, struct err *e)
{
	k->interval_s = interval_s;
	k->timer = loop_timer_new(l, on_time, k, e);
	if (!k->timer)
		return -1;
	k->source = loop_add(l, k->fd, POLLIN, on_answer, k, e);
	if (!k->source)
		return -1;
	ask(k);
	return 0;
}

void keeper_free(struct keeper *k)
{
	if (!k)
		return;
	loop_remove(k->source);
	loop_timer_free(k->timer);
	mem_close_fd(&k->fd);
	child_done(&k->child);
	free(k);
}
