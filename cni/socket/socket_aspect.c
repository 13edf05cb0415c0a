/* SPDX-License-Identifier: Apache-2.0 */
/* socket_aspect.c - a socket: found out, made, connected, compared, removed */
#include "cni/socket/socket.h"

#include "base/fs.h"
#include "base/log.h"
#include "cni/socket/socket_dir.h"
#include "cni/socket/socket_sweep.h"
#include "cni/switch/switch.h"
#include "devinfo/node/socket_mount.h"

enum { GC_SWEEP_MS = 1000 };

/* -- ADD -- */

static int probe(struct attachment *a, struct err *e)
{
	a->info_by_aspect = true;
	a->info_awaited = true;		/* by the application, and by what is run for the switch */
	a->request_needed = a->conf->socket.sw.kind == SWITCH_EXEC;
	a->known_mtu = a->conf->mtu > 0 ? (uint32_t)a->conf->mtu : 0;
	return socket_probe(a, e);
}

/* -- CHECK -- */

/* The program of a switch may fail for the very difference that was found: both are told. */
static int check_socket(struct check *c, struct err *e)
{
	if (socket_check(c->host, c->conf_unknown ? NULL : c->conf, c->rec, check_tell, c, e) == 0)
		return 0;
	if (c->all.code == ERR_OK)
		return -1;
	err_join(&c->all, e);
	return 0;
}

/* -- DEL, GC -- */

static int restore(struct restoring *r, struct err *e)
{
	return *r->rec->socket.path ? socket_restore(r->host, r->journal, r->rec, e) : 0;
}

/* A port is found by whose it is, in a database that outlives records. */
static int forget(const struct host *host, const struct netconf *nc, const struct owner *o,
		  struct err *e)
{
	return switch_forget(host, &nc->socket.sw, o, e);
}

static int collect(const struct host *host, const struct netconf *nc, aspect_keep_fn *keep,
		   const void *arg, struct err *e)
{
	socket_sweep(host, SOCKET_SWEEP_ALL, GC_SWEEP_MS);	/* of all networks */
	socket_dir_remove_left(host);
	return switch_gc(host, &nc->socket.sw, nc->name, keep, arg, e);
}

/* -- STATUS: the directory of sockets, and who is at their other end -- */

static int status(const struct host *host, const struct netconf *nc, const struct deadline *d,
		  struct err *e)
{
	const struct socket_conf *c = &nc->socket;
	char weak[512];

	if (c->kind && socket_mount_is_weak(host, weak))
		log_warning("msg=\"%s\"", weak);
	if (c->kind && fs_check_writable(host->root, host->set.socket_dir, e) < 0)
		return -1;
	return c->sw.kind ? switch_probe(host, &c->sw, d, e) : 0;
}

/* The program of its switch. */
static void needs(const struct record *rec, struct aspect_needs *ret)
{
	ret->programs |= *rec->socket.exec;
}

const struct aspect socket_aspect = {
	.of = ASPECT_PATH, .choose = socket_choose, .probe = probe, .apply = socket_make,
	.connect = socket_attach, .await = socket_await, .check = check_socket,
	.restore_lasting = restore, .forget = forget, .collect = collect, .status = status,
	.needs = needs,
};
