/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch.c - the other end of an attachment's socket: a port of Open vSwitch, or a program's work
 *
 * What was planned is in the record, so that DEL needs nothing else: state->switch_kind decides.
 */
#include "cni/switch/switch.h"

#include "cni/switch/ovs_port.h"
#include "cni/switch/ovs_row.h"
#include "cni/switch/switch_exec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KIND_OVS	"ovs"
#define KIND_EXEC	"exec"

static enum switch_kind kind_of(const struct socket_state *s)
{
	if (strcmp(s->switch_kind, KIND_OVS) == 0)
		return SWITCH_OVS;
	return strcmp(s->switch_kind, KIND_EXEC) == 0 ? SWITCH_EXEC : SWITCH_NONE;
}

/* Into the record, whose room is bounded. */
static int keep_name(char *to, size_t size, const char *name, const char *what, struct err *e)
{
	if (snprintf(to, size, "%s", name) < (int)size)
		return 0;
	return err_set(e, ERR_NETCONF, ENAMETOOLONG, "%s: expected at most %zu bytes, got %zu",
		       what, size - 1, strlen(name));
}

static int plan_ovs(const struct host *host, const struct owner *owner, struct socket_state *state,
		    struct err *e)
{
	if (state->memif)
		return err_set(e, ERR_NETCONF, 0,
			       "switch.type is 'ovs': Open vSwitch has no memif, want vhostUser");
	if (keep_name(state->db, sizeof(state->db), host->set.ovs_db, "ovsDb", e) < 0)
		return -1;
	owner_made_name(owner, state->port);
	(void)snprintf(state->switch_kind, sizeof(state->switch_kind), KIND_OVS);
	return 0;
}

int switch_plan(const struct host *host, const struct switch_conf *conf, const struct owner *owner,
		struct socket_state *state, struct err *e)
{
	if (conf->kind == SWITCH_OVS)
		return plan_ovs(host, owner, state, e);
	if (conf->kind == SWITCH_NONE)
		return 0;
	if (keep_name(state->exec, sizeof(state->exec), conf->path, "switch.path", e) < 0)
		return -1;
	(void)snprintf(state->switch_kind, sizeof(state->switch_kind), KIND_EXEC);
	return 0;
}

/* The port of a socket.  An application that connects does so where Open vSwitch likes. */
static struct ovs_port ovs_of(const struct switch_port *p)
{
	const struct socket_state *s = p->state;

	return (struct ovs_port){
		.host = p->host,
		.owner = p->owner,
		.conf = p->conf,
		.db = s->db,
		.name = s->port,
		.rebooted = p->rebooted,
		.bridge = p->conf ? p->conf->bridge : NULL,
		.type = s->app_listens ? "dpdkvhostuserclient" : "dpdkvhostuser",
		.path = s->app_listens ? p->switch_path : NULL,
		.of_key = OVS_KEY_SOCKET,
		.of = s->path,
		.vlan = p->vlan,
		.trunk = p->trunk,
		.mtu = p->mtu,
		.mac = p->mac,
		.told_mtu = p->told_mtu,
	};
}

int switch_socket(const struct switch_port *p, char ret[108], struct err *e)
{
	if (kind_of(p->state) == SWITCH_OVS)
		return ovs_port_socket(p, ret, e);
	ret[0] = '\0';
	return 0;
}

int switch_attach(const struct switch_port *p, struct err *e)
{
	const struct ovs_port port = ovs_of(p);

	switch (kind_of(p->state)) {
	case SWITCH_OVS:
		return ovs_port_attach(&port, e);
	case SWITCH_EXEC:
		return switch_exec(p, "add", e);
	default:
		return 0;
	}
}

int switch_detach(const struct switch_port *p, struct err *e)
{
	const struct ovs_port port = ovs_of(p);

	switch (kind_of(p->state)) {
	case SWITCH_OVS:
		return ovs_port_detach(&port, e);
	case SWITCH_EXEC:
		return switch_exec(p, "del", e);
	default:
		return 0;
	}
}

int switch_forget(const struct host *host, const struct switch_conf *conf,
		  const struct owner *owner, struct err *e)
{
	struct socket_state state = { 0 };
	const struct switch_port p = {
		.host = host, .owner = owner, .conf = conf, .state = &state,
	};

	if (conf->kind != SWITCH_OVS)
		return 0;
	return switch_plan(host, conf, owner, &state, e) < 0 ? -1 : switch_detach(&p, e);
}

int switch_check(const struct switch_port *p, switch_differs_fn *fn, void *arg, struct err *e)
{
	const struct ovs_port port = ovs_of(p);

	switch (kind_of(p->state)) {
	case SWITCH_OVS:
		return ovs_port_check(&port, fn, arg, e);
	case SWITCH_EXEC:
		return switch_exec(p, "check", e);
	default:
		return 0;
	}
}

int switch_probe(const struct host *host, const struct switch_conf *conf, const struct deadline *d,
		 struct err *e)
{
	switch (conf->kind) {
	case SWITCH_OVS:
		return ovs_probe(host, conf, d, e);
	case SWITCH_EXEC:
		return switch_exec_check(host, conf->path, e);
	default:
		return 0;
	}
}

int switch_gc(const struct host *host, const struct switch_conf *conf, const char *network,
	      switch_keep_fn *keep, const void *arg, struct err *e)
{
	return conf->kind == SWITCH_OVS ? ovs_gc(host, conf, network, keep, arg, e) : 0;
}
