/* SPDX-License-Identifier: Apache-2.0 */
/* socket_from_plugin.c - a socket that a device plugin has given */
#include "cni/socket/socket.h"

#include "base/mem.h"
#include "cni/socket/socket_dir.h"
#include "cni/socket/socket_plan.h"
#include "devinfo/journal/device_ref.h"

#include <stdio.h>
#include <string.h>

/* What the configuration says as well has to be the same. */
static int agree(const struct attachment *a, struct err *e)
{
	const struct socket_conf *c = &a->conf->socket;
	const struct socket_state *s = &a->rec.socket;

	if (c->kind == SOCKET_NONE && (a->conf->vlan >= 0 || netconf_has_port(a->conf) ||
				       a->conf->driver || a->conf->vdpa.present))
		return err_set(e, ERR_NETCONF, 0, "'%.64s' is a socket: vlan and trunk need a "
			       "switch and vhostUser or memif; bridge, driver and vdpa are not for "
			       "it", a->dev.id);
	if (c->kind != SOCKET_NONE && (c->kind == SOCKET_MEMIF) != s->memif)
		return err_set(e, ERR_NETCONF, 0, "%s: the device plugin says that '%.64s' is of "
			       "type %s", c->key, a->dev.id, device_kind_name(a->info.kind));
	if (c->side != SOCKET_SIDE_UNSET && (c->side == SOCKET_APP_LISTENS) != s->app_listens)
		return err_set(e, ERR_NETCONF, 0, "%s: the device plugin says that it is '%s'",
			       c->side_key,
			       s->memif ? a->info.memif.role : a->info.vhost_user.mode);
	if (s->memif && c->memif_mode && strcmp(c->memif_mode, a->info.memif.mode) != 0)
		return err_set(e, ERR_NETCONF, 0, "%s: the device plugin says '%s'", c->mode_key,
			       a->info.memif.mode);
	if (c->sw.kind == SWITCH_OVS && !s->app_listens)
		return err_set(e, ERR_NETCONF, 0, "switch.type is 'ovs': the device plugin says "
			       "that the application connects to '%s', and Open vSwitch listens at "
			       "no socket but one of its own: expected one of mode server",
			       s->path);
	if (c->secret)
		return err_set(e, ERR_NETCONF, 0, "memif.secret: the socket and its directory are "
			       "the device plugin's");
	return 0;
}

/* Where the pod mounts it elsewhere, the configuration says so; of the switch, the node's file. */
static int set_views(const struct attachment *a, struct socket_state *s, struct err *e)
{
	struct socket_conf c = a->conf->socket;
	struct socket_paths p = { .container = "" };

	c.host_dir = "{containerID}";
	c.name = socket_state_name(s);
	if (c.container_dir && socket_make_paths(a->call, a->conf, &c, &a->host->set, &p, e) < 0)
		return -1;
	memcpy(s->container, c.container_dir ? p.container : s->path, sizeof(s->container));
	return socket_path_in_switch(&a->host->set, s->path, s->in_switch, e);
}

int socket_probe_from_plugin(struct attachment *a, struct err *e)
{
	struct socket_state *s = &a->rec.socket;
	const struct device_info *info = &a->info;
	int r = socket_read_given(a->host, a->conf, a->dev.id, true, &a->info, e);

	if (r < 0)
		return -1;
	if (r == 0 || !socket_given_path(info) ||
	    strcmp(socket_given_path(info), a->dev.path) != 0)
		return err_set(e, ERR_TRY_AGAIN, 0, "the device plugin's file about '%.64s' has "
			       "just changed", a->dev.id);
	s->from_plugin = true;
	s->memif = info->kind == DEVICE_MEMIF;
	s->app_listens = strcmp(s->memif ? info->memif.role : info->vhost_user.mode,
				s->memif ? "master" : "server") == 0;
	memcpy(s->path, a->dev.path, sizeof(s->path));
	if (agree(a, e) < 0 || set_views(a, s, e) < 0)
		return -1;
	socket_set_info_path(&a->info, s->container);
	return 0;
}

/* -- one of devinfod's -- */

bool socket_is_slot(const struct attachment *a, struct socket_slot *ret)
{
	return a->rec.socket.from_plugin &&
	       socket_slot_find(&a->host->set, a->rec.socket.path, a->conf->resource,
				device_id_plain(a->dev.id), ret);
}

/* What the pods with this socket have left there counts, where the administrator has bounded it. */
static int check_slot_bound(const struct host *host, const struct socket_slot *slot, struct err *e)
{
	struct socket_state s = { .made = 1 };
	const char *name = strrchr(slot->mount, '/') + 1;

	(void)snprintf(s.root, sizeof(s.root), "%.*s", (int)(name - 1 - slot->mount), slot->mount);
	(void)snprintf(s.dir, sizeof(s.dir), "%s", name);
	return socket_dir_check_bound(host, &s, e);
}

int socket_prepare_slot(const struct attachment *a, struct err *e)
{
	const struct socket_conf *c = &a->conf->socket;
	struct socket_state s = { .made = 1 };
	struct socket_slot slot;
	auto_close int root = -1;
	int r;

	if (!socket_is_slot(a, &slot))
		return 0;
	if (check_slot_bound(a->host, &slot, e) < 0)
		return -1;
	if (c->kind == SOCKET_NONE)
		return 0;
	memcpy(s.root, slot.root, sizeof(s.root));
	memcpy(s.dir, slot.dir, sizeof(s.dir));
	r = socket_dir_open_root(a->host, &s, &root, e);
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, 0, "there is no directory '%s'", slot.mount);
	return r < 0 || socket_dir_set_settings(root, c, &s, e) < 0 ? -1 : 0;
}
