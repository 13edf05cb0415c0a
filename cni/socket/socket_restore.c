/* SPDX-License-Identifier: Apache-2.0 */
/* socket_restore.c - the socket of an attachment, its directory and its port are given back */
#include "cni/socket/socket.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/socket/socket_clear.h"
#include "cni/socket/socket_dir.h"
#include "cni/socket/socket_file.h"
#include "cni/socket/socket_keep.h"
#include "cni/socket/socket_plan.h"
#include "cni/socket/socket_sweep.h"
#include "cni/switch/switch.h"
#include "devinfo/journal/owner.h"

#include <string.h>

enum { SWEEP_MS = 100 };		/* for what others have left; our caller waits */

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

int socket_restore(const struct host *host, const struct journal *journal,
		   const struct record *rec, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	int left;

	if (detach(host, rec, &one) < 0)
		err_join(&all, &one);
	if (rec->socket.from_plugin || !socket_is_below_root(host, &rec->socket))
		return err_joined(&all, e);
	remove_stale(host, &rec->socket);
	left = socket_clear(host, journal, rec, &one);
	if (left < 0 || (left ? socket_keep_note(host, rec, &one) :
				socket_keep_forget(host, rec, &one)) < 0)
		err_join(&all, &one);
	socket_sweep(host, SOCKET_SWEEP_DEAD, SWEEP_MS);
	return err_joined(&all, e);
}
