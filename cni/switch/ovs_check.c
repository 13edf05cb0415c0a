/* SPDX-License-Identifier: Apache-2.0 */
/* ovs_check.c - is an attachment's port of Open vSwitch as it was made, and whose is it? */
#include "cni/switch/ovs_port.h"

#include "base/log.h"
#include "cni/switch/ovs_row.h"
#include "cni/switch/ovsdb_op.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- CHECK -- */

struct differ {
	switch_differs_fn *fn;
	void *arg;
	const char *port;
};

static void printflike(2, 3) tell_difference(const struct differ *to, const char *fmt, ...)
{
	char text[512], line[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)snprintf(line, sizeof(line), "port %s of Open vSwitch: %s", to->port, text);
	to->fn(to->arg, line);
}

static void compare_text(const struct differ *to, const char *what, const char *want,
			 const char *have)
{
	if (strcmp(want ? want : "", have ? have : "") != 0)
		tell_difference(to, "%s: expected '%.200s', got '%.200s'", what, want ? want : "",
				have ? have : "");
}

static const char *number(json_int_t n, char ret[24])
{
	(void)snprintf(ret, 24, "%lld", (long long)n);
	return n < 0 ? "none" : ret;
}

/* What is not to be set must not be, either; 0 and below in want, -1 in have. */
static void compare_number(const struct differ *to, const char *what, json_int_t want,
			   json_int_t have)
{
	char texts[2][24];

	if (want <= 0)
		want = -1;
	if (want != have)
		tell_difference(to, "%s: expected %s, got %s", what, number(want, texts[0]),
				number(have, texts[1]));
}

/* It says one, or 0, only when the application has connected. */
static void compare_mtu(const struct differ *to, json_int_t want, const json_t *iface)
{
	json_int_t have = ovsdb_int(iface, "mtu", 0);

	compare_number(to, "mtu_request", want, ovsdb_int(iface, "mtu_request", -1));
	if (want > 0 && have > 0)
		compare_number(to, "mtu", want, have);
}

static void compare_trunks(const struct differ *to, const struct ovs_port *p, const json_t *port)
{
	json_auto_t *have = ovsdb_set(port, "trunks"), *want = switch_trunk_ids(p->trunk);
	const json_t *id;
	size_t i, common = 0;

	json_array_foreach(have, i, id) {
		common += p->trunk && idset_has(p->trunk, (unsigned int)json_integer_value(id));
	}
	if (common != json_array_size(want) || json_array_size(have) != json_array_size(want))
		tell_difference(to, "trunks: expected %zu VLANs, got %zu of them and %zu in all",
				json_array_size(want), common, json_array_size(have));
}

static void compare(const struct differ *to, const struct ovs_port *p, const json_t *port,
		    const json_t *iface)
{
	compare_text(to, "type", p->type, ovsdb_string(iface, "type"));
	compare_text(to, "vhost-server-path", p->path,
		     ovsdb_map_get(iface, "options", "vhost-server-path"));
	compare_mtu(to, p->mtu, iface);
	compare_text(to, "error", NULL, ovsdb_string(iface, "error"));
	compare_number(to, "tag", p->vlan, ovsdb_int(port, "tag", -1));
	compare_text(to, "vlan_mode", ovs_vlan_mode(p), ovsdb_string(port, "vlan_mode"));
	compare_trunks(to, p, port);
}

static bool is_on_bridge(const json_t *bridge, const json_t *port)
{
	json_auto_t *all = ovsdb_set(bridge, "ports");
	const json_t *uuid = json_object_get(port, "_uuid"), *one;
	size_t i;

	json_array_foreach(all, i, one) {
		if (json_equal(one, uuid))
			return true;
	}
	return false;
}

static int check_port(const struct ovs_port *p, const struct differ *to, struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = ovs_time(p->conf);
	json_auto_t *results = NULL;
	const json_t *port, *iface;
	json_t *where = ovs_owned_by(p->owner);

	(void)json_array_append_new(where, json_pack("[s, s, s]", "name", "==", p->name));
	json_t *ops = json_pack(
		"[o, o, o]",
		op_select("Bridge", op_named(p->bridge), json_pack("[s]", "ports")),
		op_select("Port", where,
			  json_pack("[s, s, s, s]", "_uuid", "tag", "trunks", "vlan_mode")),
		op_select("Interface", op_named(p->name),
			  json_pack("[s, s, s, s, s]", "type", "options", "mtu_request", "mtu",
				    "error")));

	if (ovsdb_open(p->host->root, p->db, &d, &db, e) < 0) {
		json_decref(ops);
		return -1;
	}
	if (op_run(&db, ops, &d, &results, e) < 0)
		return -1;
	port = json_array_get(ovsdb_rows(results, 1), 0);
	iface = json_array_get(ovsdb_rows(results, 2), 0);
	if (!port || !iface || !is_on_bridge(json_array_get(ovsdb_rows(results, 0), 0), port))
		tell_difference(to, "expected it on bridge %s, got none", p->bridge);
	else
		compare(to, p, port, iface);
	return 0;
}

int ovs_port_check(const struct ovs_port *p, switch_differs_fn *fn, void *arg, struct err *e)
{
	const struct differ to = { fn, arg, p->name };

	if (p->conf->kind == SWITCH_OVS)
		return check_port(p, &to, e);
	tell_difference(&to, "ADD has made it, and the configuration has no switch of type ovs");
	return 0;
}

/* -- STATUS, GC -- */

int ovs_probe(const struct host *host, const struct switch_conf *conf, const struct deadline *d,
	      struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	json_auto_t *results = NULL;

	if (ovsdb_open(host->root, host->set.ovs_db, d, &db, e) < 0 ||
	    op_run(&db,
		   json_pack("[o]", op_select("Bridge",
					      op_named(conf->bridge ? conf->bridge : ""),
					      json_pack("[s]", "datapath_type"))),
		   d, &results, e) < 0)
		return -1;
	return !conf->bridge ? 0 : ovs_check_bridge(json_array_get(ovsdb_rows(results, 0), 0),
						    conf->bridge, conf->netdev, e);
}

/* The uuids of those ports that nobody keeps, a new reference. */
static json_t *unkept(const json_t *rows, switch_keep_fn *keep, const void *arg)
{
	json_t *uuids = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const char *id = ovsdb_map_get(row, "external_ids", OVS_KEY_CONTAINER);
		const char *ifname = ovsdb_map_get(row, "external_ids", OVS_KEY_IFNAME);

		if (id && ifname && !keep(id, ifname, arg))
			(void)json_array_append(uuids, json_object_get(row, "_uuid"));
	}
	return uuids;
}

/*
 * The ports of this node, those of a network alone (NULL: of any): 1 with one result in *ret, a new
 * reference, and the database open; 0 where there is no Open vSwitch, so that there is no port; -1.
 */
static int find_ports(const struct host *host, const char *network, const struct deadline *d,
		      struct ovsdb *db, json_t **ret, struct err *e)
{
	char node[OVS_NODE_TEXT];
	json_t *ids;

	if (ovsdb_open(host->root, host->set.ovs_db, d, db, e) < 0)
		return e->sys == ENOENT ? 0 : -1;
	ovs_node(host, node);
	ids = json_pack("[[s, s]]", OVS_KEY_NODE, node);
	if (network)
		(void)json_array_append_new(ids, json_pack("[s, s]", OVS_KEY_NETWORK, network));
	return op_run(db,
		      json_pack("[o]",
				op_select("Port",
					  json_pack("[[s, s, [s, o]]]", "external_ids", "includes",
						    "map", ids),
					  json_pack("[s, s, s]", "_uuid", "name", "external_ids"))),
		      d, ret, e) < 0 ? -1 : 1;
}

int ovs_port_each(const struct host *host, ovs_port_fn *fn, void *arg, struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = ovs_time(NULL);
	json_auto_t *results = NULL;
	const json_t *row;
	size_t i;
	int r = find_ports(host, NULL, &d, &db, &results, e);

	json_array_foreach(ovsdb_rows(results, 0), i, row) {
		const struct owner o = {
			.network = ovsdb_map_get(row, "external_ids", OVS_KEY_NETWORK),
			.container_id = ovsdb_map_get(row, "external_ids", OVS_KEY_CONTAINER),
			.ifname = ovsdb_map_get(row, "external_ids", OVS_KEY_IFNAME),
		};
		const char *name = ovsdb_string(row, "name");

		if (!name || !o.network || !o.container_id || !o.ifname)
			continue;
		r = fn(name, &o, arg, e);
		if (r != 0)
			return r;
	}
	return r < 0 ? -1 : 0;
}

int ovs_gc(const struct host *host, const struct switch_conf *conf, const char *network,
	   switch_keep_fn *keep, const void *arg, struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = ovs_time(conf);
	json_auto_t *results = NULL, *uuids = NULL;
	json_int_t cfg;
	int r = find_ports(host, network, &d, &db, &results, e);

	if (r <= 0)	/* nothing there, nothing to remove */
		return r;
	uuids = unkept(ovsdb_rows(results, 0), keep, arg);
	if (json_array_size(uuids) == 0)
		return 0;
	log_info("msg=\"ports of Open vSwitch that nobody keeps\" network=%s ports=%u", network,
		 (unsigned int)json_array_size(uuids));
	return ovs_take_out(&db, json_incref(uuids), &d, &cfg, e);
}
