/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the socket of a resource, and who connects to it
 *
 * It is for kubelet alone, mode 0600, so that only root can connect, and it is bound by way of a
 * descriptor of the directory: kubelet's path to it is what must fit into 107 bytes.
 */
#include "daemon/plugin/plugin_part.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum {
	PATH_LIMIT = 107,		/* of a socket's path */
	BACKLOG = 16,
	CLIENTS_MAX = 16,		/* kubelet is one, and two while it registers anew */
};

/* -- names and files -- */

/* "a_b/c" and "a/b_c" must not be one. */
void server_name(const char *resource, size_t dir_len, char ret[96])
{
	size_t prefix = strcspn(resource, "/");
	char text[OFFER_RESOURCE + 16];
	int len = snprintf(text, sizeof(text), "devinfo-%s.sock", resource);

	if ((size_t)len + dir_len + 1 > PATH_LIMIT || len > 80 ||
	    memchr(resource, '_', prefix)) {
		(void)snprintf(ret, 96, "devinfo-%016llx.sock",
			       (unsigned long long)name_hash(0, resource));
		return;
	}
	(void)snprintf(ret, 96, "%.95s", text);
	for (char *p = ret; *p; p++)
		*p = *p == '/' ? '_' : *p;
}

bool file_id_equal(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->made.tv_sec == b->made.tv_sec &&
	       a->made.tv_nsec == b->made.tv_nsec;
}

static struct file_id id_in(int dir, const char *name)
{
	struct stat st;

	if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISSOCK(st.st_mode))
		return (struct file_id){ .ino = 0 };
	return (struct file_id){ .dev = st.st_dev, .ino = st.st_ino, .made = st.st_mtim };
}

struct file_id server_file_id(const struct plugin *p, const char *name)
{
	auto_close int dir = fs_open(p->host->root, p->dir, O_PATH | O_DIRECTORY, 0);

	return id_in(dir, name);
}

bool server_is_there(const struct resource *s)
{
	struct file_id now;

	if (s->fd < 0)
		return false;
	loop_change(s->source, POLLIN);	/* it waits for nobody after a failed accept() */
	now = server_file_id(s->plugin, s->socket);
	return file_id_equal(&now, &s->bound);
}

/* -- clients -- */

static void client_free(struct client *c)
{
	struct client **p = &c->resource->clients;

	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	c->resource->n_clients--;
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
		log_warning("resource=%s msg=\"connection closed\" why=%s details=%s",
			    c->resource->name, e.msg, e.details);
	client_free(c);
}

/* fd is taken. */
static int client_new(struct resource *s, int fd, struct err *e)
{
	auto_close int own = fd;
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return err_set(e, ERR_IO, ENOMEM, "a client");
	c->resource = s;
	methods_of(c, &c->service);
	c->connection = grpc_connection_new(steal_fd(&own), &c->service, e);
	if (c->connection)
		c->source = loop_add(s->plugin->loop, grpc_connection_fd(c->connection),
				     grpc_connection_events(c->connection), client_ready, c, e);
	if (!c->source) {
		grpc_connection_free(c->connection);
		free(c);
		return -1;
	}
	c->next = s->clients;
	s->clients = c;
	s->n_clients++;
	return 0;
}

/* Without a descriptor for a client the socket stays ready: it is not waited for, for a while. */
static void accept_client(short revents, void *arg)
{
	struct resource *s = arg;
	struct err e = { 0 };
	int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
		return;
	if (fd < 0) {
		(void)err_set(&e, ERR_IO, errno, "accept");
		loop_change(s->source, 0);
	} else if (s->n_clients >= CLIENTS_MAX) {
		(void)err_set(&e, ERR_IO, 0, "more than %d connections", CLIENTS_MAX);
		mem_close_fd(&fd);
	} else if (client_new(s, fd, &e) == 0) {
		return;
	}
	log_warning("resource=%s msg=\"nobody is let in\" why=%s details=%s", s->name, e.msg,
		    e.details);
}

/* -- the socket -- */

static int bind_in(int dir, const char *name, struct err *e)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "socket");
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%.80s", dir,
		       name);
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		return err_set(e, ERR_IO, errno, "remove '%s'", name);
	/* the file gets the mode of the socket */
	if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return err_set(e, ERR_IO, errno, "bind '%s'", name);
	if (listen(fd, BACKLOG) < 0)
		return err_set(e, ERR_IO, errno, "listen on '%s'", name);
	return steal_fd(&fd);
}

static void stop_listening(struct resource *s)
{
	loop_remove(s->source);
	s->source = NULL;
	mem_close_fd(&s->fd);
	s->fd = -1;
	s->bound = (struct file_id){ .ino = 0 };
}

/* Who is connected stays so. */
int server_open(struct resource *s, struct err *e)
{
	auto_close int dir = -1;

	if (server_is_there(s))
		return 1;
	if (s->fd >= 0)
		stop_listening(s);
	dir = fs_open(s->plugin->host->root, s->plugin->dir, O_PATH | O_DIRECTORY, 0);
	if (dir < 0)
		return errno == ENOENT ? 0 :
		       err_set(e, ERR_IO, errno, "open '%s'", s->plugin->dir);
	s->fd = bind_in(dir, s->socket, e);
	if (s->fd < 0)
		return -1;
	s->bound = id_in(dir, s->socket);
	s->source = loop_add(s->plugin->loop, s->fd, POLLIN, accept_client, s, e);
	if (s->source)
		return 1;
	mem_close_fd(&s->fd);
	s->fd = -1;
	return -1;
}

void server_close(struct resource *s)
{
	auto_close int dir = fs_open(s->plugin->host->root, s->plugin->dir, O_PATH | O_DIRECTORY,
				     0);

	while (s->clients)
		client_free(s->clients);
	if (s->fd < 0)
		return;
	if (server_is_there(s))
		(void)unlinkat(dir, s->socket, 0);	/* kubelet removes what is left */
	stop_listening(s);
}
