/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovs_port.c - an attachment's port of Open vSwitch, through its database
 *
 * Theory of operation.  ovs-vswitchd does what its database says, and says there what came of it.
 * A port is made in one transaction whose "wait" operations guard what was looked at before: the
 * bridge is there, and nobody has the name or the path.  It carries the attachment's container id
 * and interface name in external_ids, and by those it is found again: a name may be anybody's.  The
 * database outlives ovs-vswitchd, and boots.
 *
 * Whoever changes the database adds one to next_cfg; when cur_cfg has come as far, ovs-vswitchd has
 * taken the change up and the column "error" of the interface tells whether it went well.  The
 * server waits for that, in a transaction of its own.
 *
 * Nothing is rolled back here: ADD undoes itself by detach, from the record.
 */
#include "cni/switch/ovs_port.h"

#include "base/fs.h"
#include "base/log.h"
#include "cni/switch/ovs_row.h"
#include "cni/switch/ovsdb_op.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	GONE_MS = 2000,		/* until ovs-vswitchd has let go of a port */
	TRIES = 3,		/* when others change the database meanwhile */
};

/*
 * Until ovs-vswitchd has done what was asked: 1 with the interface's row in *ret, a new reference
 * (NULL when it has none), 0 when it has not within *d, -1.  The server's own wait ends before
 * ours, so that it can say so.
 */
static int await_switch(struct ovsdb *db, json_int_t cfg, const char *port,
			const struct deadline *d, json_t **ret, struct err *e)
{
	json_auto_t *results = NULL;
	int left = deadline_left_ms(d), done;

	done = ovsdb_transact(db,
			      json_pack("[{s:s, s:s, s:i, s:s, s:[s], s:[[s, s, I]], s:[]}, o]",
					"op", "wait", "table", "Open_vSwitch", "timeout",
					left - left / 8, "until", "!=", "columns", "cur_cfg",
					"where", "cur_cfg", ">=", cfg, "rows",
					op_select("Interface", op_named(port),
						  json_pack("[s, s, s]", "error", "ofport",
							    "mtu"))),
			      d, &results, e);
	if (done == 1)
		*ret = json_incref(json_array_get(ovsdb_rows(results, 1), 0));
	return done;
}

/* -- removal -- */

/*
 * Take ports out, an array of uuids that is taken over.  Without ovs-vswitchd, they have left the
 * database, and will leave the switch when it runs.
 */
static int remove_ports(struct ovsdb *db, const struct ovs_port *p, json_t *uuids,
			const struct deadline *d, struct err *e)
{
	struct deadline gone = deadline_earlier(d, deadline_in(GONE_MS));
	json_auto_t *iface = NULL;
	struct err why;		/* is told by the warning well enough */
	json_int_t cfg;

	if (ovs_take_out(db, uuids, d, &cfg, e) < 0)
		return -1;
	if (await_switch(db, cfg, p->name, &gone, &iface, &why) != 1)
		log_warning("msg=\"ovs-vswitchd has not confirmed that the port is gone\" port=%s",
			    p->name);
	return 0;
}

static bool contains(const json_t *array, const json_t *value)
{
	const json_t *one;
	size_t i;

	json_array_foreach(array, i, one) {
		if (json_equal(one, value))
			return true;
	}
	return false;
}

/* Add the uuids of rows, each once: a set that says one twice is refused. */
static void add_uuids(json_t *uuids, const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		json_t *uuid = json_object_get(row, "_uuid");

		if (uuid && !contains(uuids, uuid))
			(void)json_array_append(uuids, uuid);
	}
}

static int remove_owned(struct ovsdb *db, const struct ovs_port *p, const struct deadline *d,
			struct err *e)
{
	json_auto_t *found = NULL, *uuids = json_array();

	if (op_run(db,
		   json_pack("[o]",
			     op_select("Port", ovs_owned_by(p->owner), json_pack("[s]", "_uuid"))),
		   d, &found, e) < 0)
		return -1;
	add_uuids(uuids, ovsdb_rows(found, 0));
	return json_array_size(uuids) == 0 ? 0 : remove_ports(db, p, json_incref(uuids), d, e);
}

/*
 * ovsdb-server takes its socket away when it ends and makes it when it begins; the directory stays
 * in between, and the port, whose database is on a disk, does too.  Without the directory Open
 * vSwitch was removed, or has not been started in this boot; systemd-tmpfiles(8) may make it before
 * that, so of a port of an earlier boot it says nothing.
 */
static bool is_between(const struct host *host, const char *db)
{
	const char *slash = strrchr(db, '/');
	struct err ignored;

	return slash && fs_exists(host->root, &ignored, "%.*s/", (int)(slash - db), db) != 0;
}

int ovs_port_detach(const struct ovs_port *p, struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = ovs_time(p->conf);

	if (ovsdb_open(p->host->root, p->db, &d, &db, e) < 0) {
		if (e->sys != ENOENT || (!p->rebooted && is_between(p->host, p->db)))
			return -1;
		log_warning("msg=\"Open vSwitch is not there to remove a port from\" db=%s port=%s",
			    p->db, p->name);
		return 0;
	}
	if (remove_owned(&db, p, &d, e) < 0)
		return err_wrap(e, "remove port %s of Open vSwitch", p->name);
	return 0;
}

/* -- ADD -- */

enum { LOOK_BRIDGE, LOOK_OWNED, LOOK_LEFT, LOOK_PATH, LOOK_PORT, LOOK_IFACE };

static int look_up_port(struct ovsdb *db, const struct ovs_port *p, const struct deadline *d,
			json_t **ret, struct err *e)
{
	const char *port = p->name;

	return op_run(
		db,
		json_pack("[o, o, o, o, o, o]",
			  op_select("Bridge", op_named(p->bridge),
				    json_pack("[s]", "datapath_type")),
			  op_select("Port", ovs_owned_by(p->owner), json_pack("[s]", "_uuid")),
			  op_select("Port", ovs_of_same(p), json_pack("[s]", "_uuid")),
			  op_select("Interface", ovs_at_path(p),
				    json_pack("[s, s]", "name", "external_ids")),
			  op_select("Port", op_named(port), json_pack("[s]", "external_ids")),
			  op_select("Interface", op_named(port), json_pack("[s]", "_uuid"))),
		d, ret, e);
}

static int tell_whose(const json_t *row, const struct ovs_port *p, struct err *e)
{
	const char *id = ovsdb_map_get(row, "external_ids", OVS_KEY_CONTAINER);
	const char *node = ovsdb_map_get(row, "external_ids", OVS_KEY_NODE);
	char here[OVS_NODE_TEXT];

	ovs_node(p->host, here);
	if (!id)
		return err_detail(e, "it is none of ours");
	(void)err_detail(e, "it is of another attachment%s",
			 node && strcmp(node, here) != 0 ? ", of another node or stateDir" : "");
	return err_private(e, "of container %.128s", id);
}

/*
 * Of two interfaces with one path the switch connects with both, and neither is of use: nobody else
 * may have ours.  gone: the ports that are taken out before.  Where the application connects, the
 * socket has the port's name, and there is no path.
 */
static int check_path(const json_t *looks, const struct ovs_port *p, const json_t *gone,
		      struct err *e)
{
	const json_t *row;
	size_t i;

	if (!p->path)
		return 0;
	json_array_foreach(ovsdb_rows(looks, LOOK_PATH), i, row) {
		const char *name = ovsdb_string(row, "name");

		if (json_array_size(gone) > 0 && ovs_is_replaced(row, p))
			continue;
		(void)err_set(e, ERR_BUSY, EADDRINUSE,
			      "another interface of Open vSwitch has the path '%s' already",
			      p->path);
		(void)err_private(e, "interface '%.64s'", name ? name : "");
		return tell_whose(row, p, e);
	}
	return 0;
}

/* Whose port has our name, or whose interface: of a bond, it has another port's name. */
static int check_name(const json_t *looks, const struct ovs_port *p, struct err *e)
{
	const json_t *row = json_array_get(ovsdb_rows(looks, LOOK_PORT), 0);

	if (!row && json_array_size(ovsdb_rows(looks, LOOK_IFACE)) == 0)
		return 0;
	(void)err_set(e, ERR_BUSY, EEXIST, "Open vSwitch has a port or interface '%s' already",
		      p->name);
	return tell_whose(row, p, e);
}

/*
 * The ports that have to go first: what an earlier ADD of the attachment has left, and what other
 * attachments have that are no more.  A port of this node that names our socket is such a one, for
 * the socket's lock and record are ours.  A new reference.
 */
static json_t *replaced(const json_t *looks)
{
	json_t *uuids = json_array();

	add_uuids(uuids, ovsdb_rows(looks, LOOK_OWNED));
	add_uuids(uuids, ovsdb_rows(looks, LOOK_LEFT));
	return uuids;
}

/* Give its place to a port that may be made; -1 tells why it must not be. */
static int make_way(struct ovsdb *db, const json_t *looks, const struct ovs_port *p,
		    const struct deadline *d, struct err *e)
{
	json_auto_t *uuids = replaced(looks);

	if (ovs_check_bridge(json_array_get(ovsdb_rows(looks, LOOK_BRIDGE), 0), p->bridge,
			     !*p->type, e) < 0 ||
	    check_path(looks, p, uuids, e) < 0)
		return -1;
	if (json_array_size(uuids) == 0)
		return check_name(looks, p, e);
	log_info("msg=\"removing ports of Open vSwitch that were left behind\" of=%s ports=%u",
		 p->of, (unsigned int)json_array_size(uuids));
	return remove_ports(db, p, json_incref(uuids), d, e);
}

static json_t *add_ops(const struct ovs_port *p)
{
	const char *bridge = p->bridge, *port = p->name;
	json_t *ops = json_pack(
		"[o, o, o]",
		op_guard("Bridge",
			 json_pack("[[s, s, s], [s, s, s]]", "name", "==", bridge, "datapath_type",
				   *p->type ? "==" : "!=", "netdev"),
			 json_pack("[{s:s}]", "name", bridge)),
		op_guard("Port", op_named(port), json_array()),
		op_guard("Interface", op_named(port), json_array()));

	if (p->path)
		(void)json_array_append_new(ops,
					    op_guard("Interface", ovs_at_path(p), json_array()));
	(void)json_array_append_new(ops, op_insert("Interface", "iface", ovs_interface_row(p)));
	(void)json_array_append_new(ops, op_insert("Port", "port", ovs_port_row(p)));
	(void)json_array_append_new(
		ops, op_mutate("Bridge", op_named(bridge),
			       json_pack("[s, s, [s, s]]", "ports", "insert", "named-uuid",
					 "port")));
	op_add_bump(ops);
	return ops;
}

/* Put it into the database: the number to wait for in *cfg. */
static int add_port(struct ovsdb *db, const struct ovs_port *p, const struct deadline *d,
		    json_int_t *cfg, struct err *e)
{
	for (int i = 0; i < TRIES; i++) {
		json_auto_t *looks = NULL, *results = NULL;
		int done;

		if (look_up_port(db, p, d, &looks, e) < 0 || make_way(db, looks, p, d, e) < 0)
			return -1;
		done = ovsdb_transact(db, add_ops(p), d, &results, e);
		if (done < 0)
			return -1;
		if (done == 1) {
			*cfg = op_bumped(results);
			return 0;
		}
	}
	return err_set(e, ERR_TRY_AGAIN, EAGAIN, "others change Open vSwitch at the same time");
}

/* Without DPDK, its words are about sockets and drivers. */
static void hint_dpdk(struct ovsdb *db, const struct deadline *d, struct err *e)
{
	json_auto_t *results = NULL;
	struct err ignored;

	if (op_run(db,
		   json_pack("[o]", op_select("Open_vSwitch", json_array(),
					      json_pack("[s]", "dpdk_initialized"))),
		   d, &results, &ignored) == 0 &&
	    json_is_false(
		    json_object_get(json_array_get(ovsdb_rows(results, 0), 0), "dpdk_initialized")))
		(void)err_detail(e, "DPDK is not initialised in it (dpdk_initialized is false)");
}

static int judge_interface(struct ovsdb *db, const struct ovs_port *p, const json_t *iface,
			   const struct deadline *d, struct err *e)
{
	const char *words = ovsdb_string(iface, "error");

	if (!iface)
		return err_set(e, ERR_BUSY, 0, "another removed it again");
	if (!words && ovsdb_int(iface, "ofport", -1) > 0)
		return 0;
	(void)err_set(e, ERR_DEVICE, 0, "Open vSwitch cannot make it");
	(void)err_detail(e, "%.300s", words ? words : "it has not got a number");
	if (*p->type)
		hint_dpdk(db, d, e);
	return -1;
}

static int attach(struct ovsdb *db, const struct ovs_port *p, const struct deadline *d,
		  struct err *e)
{
	json_auto_t *iface = NULL;
	json_int_t cfg = 0;
	int done;

	if (add_port(db, p, d, &cfg, e) < 0)
		return -1;
	done = await_switch(db, cfg, p->name, d, &iface, e);
	if (done < 0)
		return -1;
	if (done == 0)
		return deadline_error(ERR_TRY_AGAIN, e, "ovs-vswitchd has not made it %s: does it "
				      "run?", deadline_end());
	if (judge_interface(db, p, iface, d, e) < 0)
		return -1;
	if (p->told_mtu)
		*p->told_mtu = (uint32_t)ovsdb_int(iface, "mtu", 0);
	return 0;
}

int ovs_port_attach(const struct ovs_port *p, struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = ovs_time(p->conf);

	if (ovsdb_open(p->host->root, p->db, &d, &db, e) == 0 && attach(&db, p, &d, e) == 0)
		return 0;
	return err_wrap(e, "port %s of bridge %s", p->name, p->bridge);
}
