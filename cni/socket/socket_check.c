/* SPDX-License-Identifier: Apache-2.0 */
/* socket_check.c - is the socket of an attachment still as ADD left it? */
#include "cni/socket/socket.h"

#include "base/mem.h"
#include "cni/socket/socket_dir.h"
#include "cni/socket/socket_file.h"
#include "cni/socket/socket_link.h"
#include "cni/socket/socket_plan.h"
#include "cni/switch/switch.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <stdio.h>

struct comparison {
	const struct host *host;
	const struct netconf *conf;	/* NULL: not known */
	const struct record *rec;
	socket_differs_fn *fn;
	void *arg;
};

/* Is it there, and, where it is known what was asked for, as that? */
static int look_at_dir(const struct comparison *c, char ret[256], struct err *e)
{
	const struct socket_state *s = &c->rec->socket;
	auto_close int fd = -1;
	int r;

	*ret = '\0';
	if (c->conf)
		return socket_dir_check(c->host, &c->conf->socket, s, ret, e);
	r = socket_dir_open(c->host, s, &fd, e);
	if (r == 0)
		return err_set(e, ERR_DRIFT, ENOENT, "directory '%s/%s'", s->root, s->dir);
	return r < 0 ? -1 : 0;
}

static int compare_dir(const struct comparison *c, struct err *e)
{
	const struct socket_state *s = &c->rec->socket;
	char text[256];

	if (s->from_plugin)
		return 0;
	if (socket_link_check(c->host, s, text, e) < 0)
		return -1;
	if (*text)
		c->fn(c->arg, text);
	if (look_at_dir(c, text, e) < 0) {
		if (e->code != ERR_DRIFT)
			return -1;
		(void)snprintf(text, sizeof(text), "%.200s is gone", e->msg);
	}
	if (*text)
		c->fn(c->arg, text);
	return 0;
}

static int compare_socket(const struct comparison *c, struct err *e)
{
	const struct socket_state *s = &c->rec->socket;
	char have[64], text[256];

	if (socket_probe_text(c->host, s, have, e) < 0)
		return -1;
	if (*have) {
		(void)snprintf(text, sizeof(text), "socket '%s' %s", s->path, have);
		c->fn(c->arg, text);
	}
	return 0;
}

static int compare_files(const struct comparison *c, struct err *e)
{
	const struct socket_state *s = &c->rec->socket;
	auto_close int dir = -1;
	char text[256];
	int r = s->from_plugin ? 0 : socket_dir_open(c->host, s, &dir, e);

	if (r <= 0)
		return r;
	if (socket_file_check(dir, socket_state_name(s), &c->conf->socket, s, text, e) < 0)
		return -1;
	if (*text)
		c->fn(c->arg, text);
	return 0;
}

int socket_check(const struct host *host, const struct netconf *conf, const struct record *rec,
		 socket_differs_fn *fn, void *arg, struct err *e)
{
	const struct comparison c = { host, conf, rec, fn, arg };
	struct owner owner = rec->owner;
	struct switch_port p;

	if (!*rec->socket.path)
		return 0;
	if (compare_dir(&c, e) < 0 || compare_socket(&c, e) < 0 ||
	    (conf && compare_files(&c, e) < 0))
		return -1;
	if (!conf || !*rec->socket.switch_kind)
		return 0;
	if (owner_netns(host, rec, &owner.netns, e) < 0)
		return -1;
	socket_switch_port(host, conf, rec, &p);
	p.owner = &owner;
	return switch_check(&p, fn, arg, e);
}
