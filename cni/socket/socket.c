/* SPDX-License-Identifier: Apache-2.0 */
/* socket.c - an attachment whose device is a unix socket: ADD */
#include "cni/socket/socket.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/socket/socket_dir.h"
#include "cni/socket/socket_file.h"
#include "cni/socket/socket_link.h"
#include "cni/socket/socket_plan.h"
#include "cni/switch/switch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { POLL_MIN_MS = 5, POLL_MAX_MS = 50 };

void socket_switch_port(const struct host *host, const struct netconf *nc, const struct record *rec,
			struct switch_port *ret)
{
	static const uint8_t none[MAC_LEN];

	*ret = (struct switch_port){
		.host = host,
		.owner = &rec->owner,
		.state = &rec->socket,
		.container_path = rec->socket.container,
		.switch_path = rec->socket.in_switch,
		.vlan = -1,
		.mtu = -1,
		.mac = memcmp(rec->mac, none, MAC_LEN) ? rec->mac : NULL,
	};
	if (!nc)
		return;
	ret->conf = &nc->socket.sw;
	ret->memif_mode = nc->socket.memif_mode;
	ret->id = nc->socket.id;
	ret->vlan = nc->vlan;
	ret->trunk = idset_empty(&nc->port.trunk) ? NULL : &nc->port.trunk;
	ret->mtu = nc->mtu;
}

/* -- what is wanted -- */

static void set_side(const struct socket_conf *c, struct socket_state *s, struct device_info *info)
{
	s->memif = c->kind == SOCKET_MEMIF;
	s->app_listens = c->side == SOCKET_APP_LISTENS;
	*info = (struct device_info){ .kind = s->memif ? DEVICE_MEMIF : DEVICE_VHOST_USER };
	(void)snprintf(info->version, sizeof(info->version), "%s", DEVICE_INFO_VERSION);
	if (s->memif) {
		(void)snprintf(info->memif.role, sizeof(info->memif.role), "%s",
			       s->app_listens ? "master" : "slave");
		(void)snprintf(info->memif.mode, sizeof(info->memif.mode), "%s", c->memif_mode);
	} else {
		(void)snprintf(info->vhost_user.mode, sizeof(info->vhost_user.mode), "%s",
			       s->app_listens ? "server" : "client");
	}
}

static int probe_own(struct attachment *a, struct err *e)
{
	const struct socket_conf *c = &a->conf->socket;
	struct socket_state *s = &a->rec.socket;
	struct socket_paths p;

	if (c->side == SOCKET_SIDE_UNSET)
		return err_set(e, ERR_NETCONF, 0, "%s: missing, and the device plugin has no file "
			       "about '%.64s' to say it", c->side_key, a->dev.id);
	if (socket_make_paths(a->call, a->conf, c, &a->host->set, &p, e) < 0)
		return -1;
	memcpy(s->path, p.host, sizeof(s->path));
	memcpy(s->container, p.container, sizeof(s->container));
	memcpy(s->in_switch, p.in_switch, sizeof(s->in_switch));
	memcpy(s->dir, p.dir, sizeof(s->dir));
	memcpy(s->root, p.root, sizeof(s->root));
	memcpy(s->link, p.link, sizeof(s->link));
	s->secret = c->secret;
	set_side(c, s, &a->info);
	socket_set_info_path(&a->info, s->container);
	if (socket_dir_plan(a->host, &a->journal, c, &a->rec, e) < 0)
		return -1;
	return socket_dir_check_bound(a->host, s, e);
}

/* -- what is there -- */

/* Somebody makes it whom we do not know, be it before us. */
static bool is_made_by_others(const struct attachment *a)
{
	const struct socket_state *s = &a->rec.socket;
	struct socket_slot slot;

	return (s->from_plugin && !socket_is_slot(a, &slot)) ||
	       (!s->app_listens && !*s->switch_kind);
}

static int in_the_way(const struct attachment *a, enum socket_found found, struct err *e)
{
	const struct socket_state *s = &a->rec.socket;

	if (found == SOCKET_NO_SOCKET)
		return err_set(e, ERR_BUSY, EEXIST, "'%s' is there, and is not a socket", s->path);
	if (found == SOCKET_OTHER_TYPE || (found == SOCKET_ACCEPTS && !is_made_by_others(a)))
		return err_set(e, ERR_BUSY, EADDRINUSE, "somebody listens at '%s' already",
			       s->path);
	return 0;
}

/* What was left by a dead one goes away, when it is to. */
static int probe_path(const struct attachment *a, bool clean, struct err *e)
{
	const struct socket_state *s = &a->rec.socket;
	const char *name = socket_state_name(s);
	enum socket_found found = SOCKET_ABSENT;
	auto_close int dir = -1;
	int r = socket_dir_open(a->host, s, &dir, e);

	if (r <= 0)
		return r;
	if (socket_file_probe(dir, name, s->memif, &found, e) < 0)
		return err_wrap(e, "in directory '%s/%s'", s->root, s->dir);
	if (in_the_way(a, found, e) < 0)
		return -1;
	if (!clean || found != SOCKET_STALE || is_made_by_others(a))
		return 0;
	log_info("msg=\"removing a stale socket\" path=%s", s->path);
	return socket_file_remove(dir, name, e) < 0 ? -1 : 0;
}

/* Not after the record is written: nothing could be taken back either while it is down. */
static int probe_switch(const struct attachment *a, struct err *e)
{
	const struct switch_conf *sw = &a->conf->socket.sw;
	struct deadline d = deadline_in(sw->timeout_ms);

	return sw->kind == SWITCH_NONE ? 0 : switch_probe(a->host, sw, &d, e);
}

int socket_probe(struct attachment *a, struct err *e)
{
	if ((a->dev.path_from_plugin ? socket_probe_from_plugin(a, e) : probe_own(a, e)) < 0)
		return -1;
	a->has_info = true;
	a->rec.device_info_file = a->info_name;
	if (device_info_validate(&a->info, "the attachment's device-info", e) < 0 ||
	    switch_plan(a->host, &a->conf->socket.sw, &a->rec.owner, &a->rec.socket, e) < 0 ||
	    probe_switch(a, e) < 0)
		return -1;
	return probe_path(a, false, e);
}

/* -- making it -- */

static int write_secret(const struct attachment *a, struct err *e)
{
	const struct socket_conf *c = &a->conf->socket;
	const struct socket_state *s = &a->rec.socket;
	auto_close int dir = -1;
	int r = s->secret ? socket_dir_open(a->host, s, &dir, e) : 1;

	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENOENT, "directory '%s/%s' has just gone", s->root,
			       s->dir);
	if (r < 0 || !s->secret)
		return r < 0 ? -1 : 0;
	return socket_file_write_secret(dir, socket_state_name(s), c->secret,
					c->has_uid ? c->uid : (uid_t)-1,
					c->has_gid ? c->gid : (gid_t)-1, e);
}

int socket_make(struct attachment *a, struct err *e)
{
	struct socket_slot slot;

	if (a->rec.socket.from_plugin)
		return socket_prepare_slot(a, e) < 0 ||
		       (socket_is_slot(a, &slot) && probe_path(a, true, e) < 0) ? -1 : 0;
	if (socket_dir_make(a->host, &a->journal, &a->conf->socket, &a->rec, e) < 0 ||
	    socket_link_make(a->host, &a->journal, &a->rec, e) < 0 ||
	    probe_path(a, true, e) < 0)
		return -1;
	return write_secret(a, e);
}

/* -- the other side -- */

/* The directory of the socket that the switch makes. */
static int open_made_by(const struct attachment *a, int *ret, struct err *e)
{
	struct socket_state made = { .from_plugin = true };

	memcpy(made.path, a->rec.socket.linked, sizeof(made.path));
	return socket_dir_open(a->host, &made, ret, e);
}

/* 1, 0 not there yet, -1. */
static int try_link(const struct attachment *a, struct err *e)
{
	const struct socket_state *s = &a->rec.socket;
	auto_close int from = -1, dir = -1;
	int r = open_made_by(a, &from, e);

	if (r > 0)
		r = socket_dir_open(a->host, s, &dir, e);
	if (r <= 0)
		return r;
	return socket_file_link(from, strrchr(s->linked, '/') + 1, dir, socket_state_name(s), e);
}

/* For what tells nobody when it is there; each pause is longer than the last. */
struct wait {
	struct deadline end;
	unsigned int ms;
};

static struct wait wait_begin(const struct attachment *a)
{
	return (struct wait){ deadline_in(a->conf->socket.wait_ms), POLL_MIN_MS };
}

/* 0 after a pause, -1 when the time is over. */
static int wait_more(struct wait *w)
{
	if (deadline_left_ms(&w->end) == 0)
		return -1;
	deadline_sleep(&w->end, w->ms);
	w->ms = w->ms * 2 < POLL_MAX_MS ? w->ms * 2 : POLL_MAX_MS;
	return 0;
}

/* Each pod sees its own socket alone, not the directory of all of the switch's. */
static int link_it(struct attachment *a, const struct switch_port *p, struct err *e)
{
	struct wait wait = wait_begin(a);
	struct socket_state *s = &a->rec.socket;
	int r;

	if (s->app_listens || s->from_plugin || strcmp(s->switch_kind, "ovs") != 0)
		return 0;
	if (switch_socket(p, s->linked, e) < 0)
		return -1;
	if (!*s->linked)
		return 0;
	if (journal_write(&a->journal, &a->rec, e) < 0)
		return -1;
	while ((r = try_link(a, e)) == 0)
		if (wait_more(&wait) < 0)
			return deadline_error(ERR_TRY_AGAIN, e, "the switch has made no socket "
					      "'%s'", s->linked);
	return r < 0 ? err_wrap(e, "socket of the switch") : 0;
}

int socket_attach(struct attachment *a, struct err *e)
{
	struct switch_port p;
	uint32_t mtu = 0;

	if (a->conf->socket.sw.kind == SWITCH_NONE)
		return 0;
	socket_switch_port(a->host, a->conf, &a->rec, &p);
	if (a->info.kind == DEVICE_MEMIF)	/* the device plugin may have said it */
		p.memif_mode = a->info.memif.mode;
	p.told_mtu = &mtu;
	if (switch_attach(&p, e) < 0)
		return -1;
	if (mtu)
		a->known_mtu = mtu;
	return link_it(a, &p, e);
}

/* -- waiting for it -- */

static const char *describe(enum socket_found found)
{
	switch (found) {
	case SOCKET_ABSENT:
		return "is not there";
	case SOCKET_STALE:
		return "is there, but nobody listens";
	case SOCKET_ACCEPTS:
		return "accepts";
	case SOCKET_OTHER_TYPE:
		return "is one for another kind of connection";
	case SOCKET_NO_SOCKET:
		break;
	}
	return "is not a socket";
}

static int await_accept(const struct attachment *a, int dir, struct err *e)
{
	struct wait wait = wait_begin(a);
	const struct socket_state *s = &a->rec.socket;
	enum socket_found found;

	do {
		if (socket_file_probe(dir, socket_state_name(s), s->memif, &found, e) < 0)
			return -1;
		if (found == SOCKET_ACCEPTS)
			return 0;
	} while (wait_more(&wait) == 0);
	return deadline_error(ERR_TRY_AGAIN, e, "socket '%s' %s", s->path, describe(found));
}

/* A link has to be one to what the switch has made now. */
static int own(const struct attachment *a, int dir, struct err *e)
{
	const struct socket_conf *c = &a->conf->socket;
	const struct socket_state *s = &a->rec.socket;
	auto_close int from = -1;
	struct stat made = { 0 };

	if (*s->linked) {
		int r = open_made_by(a, &from, e);

		if (r > 0)
			r = socket_file_stat(from, strrchr(s->linked, '/') + 1, &made, e);
		if (r <= 0)
			return r < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, ENOENT, "the switch's socket "
						    "'%s' has just gone", s->linked);
	}
	return socket_file_own(dir, socket_state_name(s), *s->linked ? &made : NULL,
			       c->has_uid ? c->uid : (uid_t)-1, c->has_gid ? c->gid : (gid_t)-1,
			       c->socket_mode, e);
}

int socket_await(struct attachment *a, struct err *e)
{
	const struct socket_state *s = &a->rec.socket;
	struct socket_slot slot;
	auto_close int dir = -1;
	int r;

	if (s->app_listens)
		return 0;
	r = socket_dir_open(a->host, s, &dir, e);
	if (r == 0 && s->from_plugin) {	/* a path of the container's alone */
		log_info("msg=\"not awaited: no such directory on the host\" path=%s", s->path);
		return 0;
	}
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENOENT, "directory '%s/%s' has gone", s->root,
			       s->dir);
	if (r < 0 || await_accept(a, dir, e) < 0)
		return -1;
	if (s->from_plugin && (a->conf->socket.kind == SOCKET_NONE || !socket_is_slot(a, &slot)))
		return 0;
	return own(a, dir, e);
}

/* -- CHECK -- */

int socket_probe_text(const struct host *host, const struct socket_state *s, char ret[64],
		      struct err *e)
{
	enum socket_found found = SOCKET_ABSENT;
	auto_close int dir = -1;
	int r = socket_dir_open(host, s, &dir, e);

	*ret = '\0';
	if (r == 0 && s->from_plugin)
		return 0;
	if (r > 0)
		r = socket_file_probe(dir, socket_state_name(s), s->memif, &found, e);
	if (r < 0)
		return -1;
	if (s->app_listens ? found == SOCKET_NO_SOCKET : found != SOCKET_ACCEPTS)
		(void)snprintf(ret, 64, "%s", describe(found));
	return 0;
}
