/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - a gRPC service on a unix socket, for clients of root */
#include "daemon/serve/serve.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { BACKLOG = 16 };

struct client {
	struct serve *serve;
	struct grpc_connection *connection;	/* owned */
	struct loop_source *source;
	struct client *next;
};

struct serve {
	struct loop *loop;
	struct serve_options opt;
	int fd;				/* listens; -1: not yet */
	struct loop_source *source;	/* of that */
	struct file_id bound;		/* the socket's file */
	struct client *clients;		/* owned, as is each */
	unsigned int n_clients;
	bool turns_away;		/* since it said so nobody was let in */
};

/* -- files -- */

bool file_id_equal(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->made.tv_sec == b->made.tv_sec &&
	       a->made.tv_nsec == b->made.tv_nsec;
}

struct file_id file_id_in(int dir, const char *name)
{
	struct stat st;

	if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISSOCK(st.st_mode))
		return (struct file_id){ .ino = 0 };
	return (struct file_id){ .dev = st.st_dev, .ino = st.st_ino, .made = st.st_mtim };
}

static int open_dir(int root, const char *dir)
{
	return fs_open(root, dir, O_PATH | O_DIRECTORY, 0);
}

struct file_id serve_file_id(int root, const char *dir, const char *name)
{
	auto_close int at = open_dir(root, dir);

	return file_id_in(at, name);
}

bool serve_is_there(const struct serve *s)
{
	struct file_id now;

	if (s->fd < 0)
		return false;
	loop_change(s->source, POLLIN);	/* it waits for nobody after a failed accept() */
	now = serve_file_id(s->opt.root, s->opt.dir, s->opt.name);
	return file_id_equal(&now, &s->bound);
}

/* -- clients -- */

static void client_wait(const struct client *c)
{
	loop_change(c->source, grpc_connection_events(c->connection));
}

void serve_wait(struct serve *s)
{
	for (const struct client *c = s->clients; c; c = c->next)
		client_wait(c);
}

static void client_free(struct client *c)
{
	struct client **p = &c->serve->clients;

	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	c->serve->n_clients--;
	loop_remove(c->source);
	grpc_connection_free(c->connection);
	free(c);
}

static void client_ready(short revents, void *arg)
{
	struct client *c = arg;
	struct err e = { 0 };

	if (grpc_connection_go_on(c->connection, revents, &e) == 0) {
		client_wait(c);
		return;
	}
	if (e.code)
		log_warning("socket=%s msg=\"connection closed\" why=%s details=%s",
			    c->serve->opt.name, e.msg, e.details);
	client_free(c);
}

/* fd is taken. */
static int client_new(struct serve *s, int fd, struct err *e)
{
	auto_close int own = fd;
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return err_set(e, ERR_IO, ENOMEM, "a client");
	c->serve = s;
	c->connection = grpc_connection_new(steal_fd(&own), s->opt.service, e);
	if (c->connection)
		c->source = loop_add(s->loop, grpc_connection_fd(c->connection),
				     grpc_connection_events(c->connection), client_ready, c, e);
	if (!c->source) {
		grpc_connection_free(c->connection);
		free(c);
		return -1;
	}
	c->next = s->clients;
	s->clients = c;
	s->n_clients++;
	s->turns_away = false;
	return 0;
}

/* Said once, not for each of thousands. */
static void turn_away(struct serve *s, const struct err *e)
{
	if (!s->turns_away)
		log_warning("socket=%s msg=\"nobody is let in\" why=%s details=%s", s->opt.name,
			    e->msg, e->details);
	s->turns_away = true;
}

/* Without a descriptor for a client the socket stays ready: it is not waited for, for a while. */
static void accept_client(short revents, void *arg)
{
	struct serve *s = arg;
	struct err e = { 0 };
	int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
		return;
	if (fd < 0) {
		(void)err_set(&e, ERR_IO, errno, "accept");
		loop_change(s->source, 0);
	} else if (s->n_clients >= s->opt.max_clients) {
		(void)err_set(&e, ERR_IO, 0, "more than %u connections", s->opt.max_clients);
		mem_close_fd(&fd);
	} else if (client_new(s, fd, &e) == 0) {
		return;
	}
	turn_away(s, &e);
}

/* -- the socket -- */

/* Whoever sees it by its name can connect: it is made under another one, and listens by then. */
static int bind_in(int dir, const char *name, struct err *e)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char temp[80];

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "socket");
	(void)snprintf(temp, sizeof(temp), "%.75s.new", name);
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%s", dir, temp);
	if (unlinkat(dir, temp, 0) < 0 && errno != ENOENT)
		return err_set(e, ERR_IO, errno, "remove '%s'", temp);
	/* the file gets the mode of the socket */
	if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return err_set(e, ERR_IO, errno, "bind '%s'", name);
	if (listen(fd, BACKLOG) < 0)
		return err_set(e, ERR_IO, errno, "listen on '%s'", name);
	if (renameat(dir, temp, dir, name) < 0) {
		(void)err_set(e, ERR_IO, errno, "replace '%s'", name);
		(void)unlinkat(dir, temp, 0);	/* harmless when it stays */
		return -1;
	}
	return steal_fd(&fd);
}

static void stop_listening(struct serve *s)
{
	loop_remove(s->source);
	s->source = NULL;
	mem_close_fd(&s->fd);
	s->fd = -1;
	s->bound = (struct file_id){ .ino = 0 };
}

int serve_open(struct serve *s, struct err *e)
{
	auto_close int dir = -1;

	if (serve_is_there(s))
		return 1;
	if (s->fd >= 0)
		stop_listening(s);
	dir = open_dir(s->opt.root, s->opt.dir);
	if (dir < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open '%s'", s->opt.dir);
	s->fd = bind_in(dir, s->opt.name, e);
	if (s->fd < 0)
		return -1;
	s->bound = file_id_in(dir, s->opt.name);
	s->source = loop_add(s->loop, s->fd, POLLIN, accept_client, s, e);
	if (s->source)
		return 1;
	stop_listening(s);
	return -1;
}

struct serve *serve_new(struct loop *l, const struct serve_options *o, struct err *e)
{
	struct serve *s = calloc(1, sizeof(*s));

	if (!s) {
		(void)err_set(e, ERR_IO, ENOMEM, "a server");
		return NULL;
	}
	s->loop = l;
	s->opt = *o;
	s->fd = -1;
	return s;
}

void serve_free(struct serve *s)
{
	auto_close int dir = -1;

	if (!s)
		return;
	while (s->clients)
		client_free(s->clients);
	dir = open_dir(s->opt.root, s->opt.dir);
	if (serve_is_there(s))
		(void)unlinkat(dir, s->opt.name, 0);	/* who starts next removes what is left */
	if (s->fd >= 0)
		stop_listening(s);
	free(s);
}
