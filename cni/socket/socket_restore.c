/* SPDX-License-Identifier: Apache-2.0 */
/* socket_restore.c - the socket of an attachment, its directory and its port are given back */
#include "cni/socket/socket.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/socket/socket_dir.h"
#include "cni/socket/socket_file.h"
#include "cni/socket/socket_link.h"
#include "cni/socket/socket_plan.h"
#include "cni/switch/switch.h"
#include "conf/socket_path.h"
#include "devinfo/journal/owner.h"

#include <string.h>

/* A program is told what it was told by the ADD; of a switch of ours the record knows enough. */
static int detach(const struct host *host, const struct record *rec, struct err *e)
{
	auto_netconf struct netconf nc = { 0 };
	struct owner owner = rec->owner;
	struct switch_port p;
	bool known = false;
	struct err why;

	if (!*rec->socket.switch_kind)
		return 0;
	if (owner_netns(host, rec, &owner.netns, e) < 0)
		return -1;
	if (rec->request) {
		known = netconf_parse(rec->request, strlen(rec->request), &nc, &why) == 0;
		if (!known || netconf_recall_switch(&nc, &why) < 0)
			log_warning("msg=\"the request in the record\" error=\"%s\"", why.msg);
	}
	socket_switch_port(host, known ? &nc : NULL, rec, &p);
	p.owner = &owner;
	p.rebooted = owner_this_boot(host, rec, &why) == 0;
	return switch_detach(&p, e);
}

/* An application that still listens in a container that lives keeps its socket. */
static int keeps(const struct host *host, const struct record *rec, enum socket_found found,
		 struct err *e)
{
	const struct socket_state *s = &rec->socket;

	if (found == SOCKET_NO_SOCKET)
		return 1;
	if (found != SOCKET_ACCEPTS && found != SOCKET_OTHER_TYPE)
		return 0;
	if (!s->app_listens)		/* in a directory of others, made by whom we do not know */
		return !*s->switch_kind && !s->made;
	return owner_is_alive(host, rec, e);
}

static int remove_socket(const struct host *host, const struct record *rec, int dir, struct err *e)
{
	const struct socket_state *s = &rec->socket;
	enum socket_found found;
	int r;

	if (socket_file_probe(dir, socket_state_name(s), s->memif, &found, e) < 0)
		return -1;
	if (found == SOCKET_ABSENT)
		return 0;
	r = keeps(host, rec, found, e);
	if (r > 0)
		log_warning("msg=\"%s\" path=%s", found == SOCKET_NO_SOCKET ?
			    "no socket any more: left to its directory" :
			    "somebody still listens: kept", s->path);
	if (r != 0)
		return r < 0 ? -1 : 0;
	return socket_file_remove(dir, socket_state_name(s), e) < 0 ? -1 : 0;
}

static int remove_secret(const struct socket_state *s, int dir, struct err *e)
{
	int r = s->secret ? socket_file_remove_secret(dir, socket_state_name(s), e) : 0;

	if (r > 0)
		log_warning("msg=\"no file any more: left to its directory\" path=%s"
			    SOCKET_SECRET_END, s->path);
	return r < 0 ? -1 : 0;
}

/* What the pod's user has put in the way is for its directory's end, if that is ours to end. */
static int unless_theirs(int r, const struct socket_state *s, const struct err *e)
{
	if (r >= 0 || !socket_file_is_theirs(e))
		return r;
	log_warning("msg=\"kept\" path=%s error=\"%s\" details=\"%s\"", s->path, e->msg,
		    e->details);
	return 0;
}

static int remove_files(const struct host *host, const struct record *rec, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	const struct socket_state *s = &rec->socket;
	auto_close int dir = -1;
	int r = socket_dir_open(host, s, &dir, e);

	if (r <= 0)
		return unless_theirs(r, s, e);
	if (unless_theirs(remove_socket(host, rec, dir, &one), s, &one) < 0)
		err_join(&all, &one);
	if (unless_theirs(remove_secret(s, dir, &one), s, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

/* A switch that was killed has left its own name of the socket. */
static void remove_stale(const struct host *host, const struct socket_state *s)
{
	struct socket_state made = { .from_plugin = true };
	enum socket_found found = SOCKET_ABSENT;
	auto_close int dir = -1;
	struct err e;

	if (!*s->linked)
		return;
	memcpy(made.path, s->linked, sizeof(made.path));
	if (socket_dir_open(host, &made, &dir, &e) > 0 &&
	    socket_file_probe(dir, socket_state_name(&made), s->memif, &found, &e) == 0 &&
	    found == SOCKET_STALE && socket_file_remove(dir, socket_state_name(&made), &e) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", e.msg, e.details);
}

/* Below another directory nothing is removed, nor its owner changed, whatever a record says. */
static bool is_below_root(const struct host *host, const struct socket_state *s)
{
	const char *root = host->set.socket_dir;
	size_t len = strlen(root);

	if (strncmp(s->root, root, len) == 0 && (!s->root[len] || s->root[len] == '/'))
		return true;
	log_warning("msg=\"the socket of a record is not below socketDir: left alone\" path=%s "
		    "socketDir=%s", s->path, root);
	return false;
}

int socket_restore(const struct host *host, const struct journal *journal,
		   const struct record *rec, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	if (detach(host, rec, &one) < 0)
		err_join(&all, &one);
	if (rec->socket.from_plugin || !is_below_root(host, &rec->socket))
		return err_joined(&all, e);
	remove_stale(host, &rec->socket);
	if (remove_files(host, rec, &one) < 0)
		err_join(&all, &one);
	if (socket_dir_release(host, journal, rec, &one) < 0)
		err_join(&all, &one);
	if (socket_link_release(host, journal, rec, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}
