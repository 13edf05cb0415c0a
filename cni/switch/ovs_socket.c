/* SPDX-License-Identifier: Apache-2.0 */
/* ovs_socket.c - where Open vSwitch makes the socket of an application that connects */
#include "cni/switch/ovs_port.h"

#include "cni/switch/ovs_row.h"
#include "cni/switch/ovsdb_op.h"
#include "conf/socket_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/*
 * Append a path's components, without those that lead nowhere: Open vSwitch puts its directory
 * together as it is told, "sub/" and "/sub" and "./sub", and the record wants a proper path.
 */
static int add_components(char ret[PATH_MAX], const char *path, struct err *e)
{
	size_t used = strlen(ret), len;

	for (const char *s = path; *s; s += len + (s[len] == '/')) {
		len = strcspn(s, "/");
		if (len == 0 || (len == 1 && *s == '.'))
			continue;
		if (used + 1 + len >= PATH_MAX)
			return err_set(e, ERR_NETCONF, ENAMETOOLONG,
				       "the directory of Open vSwitch's sockets");
		ret[used] = '/';
		memcpy(ret + used + 1, s, len);
		used += 1 + len;
		ret[used] = '\0';
	}
	return 0;
}

/* Below its run directory, which is the one of its database's socket unless we are told. */
static int socket_dir(const struct switch_port *p, const json_t *row, char ret[PATH_MAX],
		      struct err *e)
{
	const char *sub = ovsdb_map_get(row, "other_config", "vhost-sock-dir");
	const char *told = p->host->set.ovs_socket_dir;
	char run[sizeof(p->state->db)];

	*ret = '\0';
	if (told)
		return add_components(ret, told, e);
	if (sub && strstr(sub, ".."))
		return err_set(e, ERR_NETCONF, 0,
			       "vhost-sock-dir of Open vSwitch is '%.100s': expected a directory "
			       "below "
			       "its own",
			       sub);
	memcpy(run, p->state->db, sizeof(run));
	if (strrchr(run, '/'))
		*strrchr(run, '/') = '\0';
	return add_components(ret, run, e) < 0 ? -1 : add_components(ret, sub ? sub : "", e);
}

int ovs_port_socket(const struct switch_port *p, char ret[108], struct err *e)
{
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = ovs_time(p->conf);
	json_auto_t *results = NULL;
	char dir[PATH_MAX];
	int n;

	ret[0] = '\0';
	if (p->state->app_listens)
		return 0;
	if (ovsdb_open(p->host->root, p->state->db, &d, &db, e) < 0 ||
	    op_run(&db,
		   json_pack("[o]", op_select("Open_vSwitch", json_array(),
					      json_pack("[s]", "other_config"))),
		   &d, &results, e) < 0 ||
	    socket_dir(p, json_array_get(ovsdb_rows(results, 0), 0), dir, e) < 0)
		return -1;
	n = snprintf(ret, 108, "%s/%s", dir, p->state->port);
	if (n >= 108)
		return err_set(e, ERR_NETCONF, ENAMETOOLONG,
			       "the socket of Open vSwitch: its path has %d bytes, over 107", n);
	return socket_path_check(ret, "socket of Open vSwitch", e);
}
