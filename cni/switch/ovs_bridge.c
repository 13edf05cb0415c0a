/* SPDX-License-Identifier: Apache-2.0 */
/* ovs_bridge.c - which bridge of Open vSwitch has a network device of the host's? */
#include "cni/switch/ovs_port.h"

#include "base/name.h"
#include "cni/switch/ovs_row.h"
#include "cni/switch/ovsdb_op.h"

#include <stdio.h>

/* A column of the first row that matches, a new reference: 1, 0 when none does, -1. */
static int look_up(struct ovsdb *db, const char *table, json_t *where, const char *column,
		   const struct deadline *d, json_t **ret, struct err *e)
{
	json_auto_t *results = NULL;
	json_t *value;

	if (op_run(db, json_pack("[o]", op_select(table, where, json_pack("[s]", column))), d,
		   &results, e) < 0)
		return -1;
	value = json_object_get(json_array_get(ovsdb_rows(results, 0), 0), column);
	*ret = json_incref(value);
	return value != NULL;
}

static json_t *having(const char *column, const json_t *uuid)
{
	return json_pack("[[s, s, O]]", column, "includes", uuid);
}

/* The name of the bridge of the port of an interface: of a bond's as well, a port of several. */
static int bridge_of(struct ovsdb *db, const char *netdev, const struct deadline *d, json_t **ret,
		     struct err *e)
{
	json_auto_t *iface = NULL, *port = NULL;
	int r = look_up(db, "Interface", op_named(netdev), "_uuid", d, &iface, e);

	if (r > 0)
		r = look_up(db, "Port", having("interfaces", iface), "_uuid", d, &port, e);
	return r > 0 ? look_up(db, "Bridge", having("ports", port), "name", d, ret, e) : r;
}

int ovs_bridge_find(const struct host *host, const struct switch_conf *conf,
		    const char *const netdevs[], size_t n, char ret[16], struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = ovs_time(conf);
	json_auto_t *name = NULL;
	size_t i = 0;
	int r = 0;

	if (ovsdb_open(host->root, host->set.ovs_db, &d, &db, e) < 0)
		return -1;
	for (; i < n && r == 0; i++)
		r = bridge_of(&db, netdevs[i], &d, &name, e);
	if (r <= 0)
		return r;
	if (!json_is_string(name) || !name_is_ifname(json_string_value(name)))
		return err_set(e, ERR_DEVICE, 0, "the bridge of Open vSwitch that has %s: its name "
			       "cannot be an interface's", netdevs[i - 1]);
	(void)snprintf(ret, 16, "%s", json_string_value(name));
	return 1;
}
