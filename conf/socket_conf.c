/* SPDX-License-Identifier: Apache-2.0 */
/* socket_conf.c - the keys vhostUser, memif and switch: the device is a unix socket */
#include "conf/socket_conf.h"

#include "base/fs.h"
#include "base/jx.h"
#include "conf/socket_path.h"
#include "conf/switch_conf.h"
#include "conf/userspace.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LABEL_MAX = 255 };		/* bytes */

/* -- memif's secret -- */

/* Consumers take it as one value of a list; the value itself is never in a message. */
bool socket_is_secret(const char *s)
{
	if (!*s || strlen(s) > SOCKET_SECRET_MAX)
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || *s == '=' || *s == ',')
			return false;
	return true;
}

/* Each member of that name, however it is written; NULL: none. */
static json_t *find_member(json_t *o, const char *name, const char **key)
{
	json_t *v;

	json_object_foreach(o, *key, v)
		if (strcasecmp(*key, name) == 0)
			return v;
	return NULL;
}

void socket_conf_hide_secret(json_t *doc)
{
	const char *key, *inner;
	json_t *v;

	json_object_foreach(doc, key, v)
		while (strcasecmp(key, "memif") == 0 && find_member(v, "secret", &inner))
			(void)json_object_del(v, inner);
}

/* -- the keys -- */

static bool is_printable(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s > '~')
			return false;
	return true;
}

/* user:role:type:level, the level being free to have ':' and ','. */
static bool is_label(const char *s)
{
	size_t len = strlen(s);

	if (len > LABEL_MAX || !is_printable(s))
		return false;
	for (int i = 0; i < 3; i++) {
		size_t part = strcspn(s, ":");

		if (part == 0 || !s[part])
			return false;
		s += part + 1;
	}
	return *s;
}

#define TO(member)	KEY_AT(struct socket_conf, member)
#define SAID(member)	KEY_SAID(struct socket_conf, member)

const struct conf_key socket_kind_keys[] = {
	KEY_ROW("vhostUser", KEY_OBJECT, AT_SOCKET), KEY_ROW("memif", KEY_OBJECT, AT_SOCKET),
	KEY_END
};

const struct conf_key vhost_user_keys[] = {
	{ "mode", KEY_CHOICE, AT_SOCKET, TO(side), .choices = socket_vhost_user_sides },
	{ "hostMode", KEY_CHOICE, AT_SOCKET, TO(host_side), .choices = socket_vhost_user_sides },
	KEY_END
};

const struct conf_key memif_keys[] = {
	{ "role", KEY_CHOICE, AT_SOCKET, TO(side), .choices = socket_memif_sides },
	{ "hostRole", KEY_CHOICE, AT_SOCKET, TO(host_side), .choices = socket_memif_sides },
	{ "mode", KEY_TEXT, AT_SOCKET, TO(memif_mode), .choices = socket_memif_modes },
	{ "id", KEY_INT, AT_SOCKET, TO(id), .max = UINT32_MAX, .by_default = "0" },
	{ "secret", KEY_TEXT, AT_SOCKET, TO(secret), .fits = socket_is_secret, .secret = true,
	  .must = "1 to 24 printable bytes without blank, '=' and ','" },
	KEY_END
};

/* What both kinds have.  Not -1, which chown(2) takes for none. */
const struct conf_key socket_keys[] = {
	{ "hostDir", KEY_TEXT, AT_SOCKET, TO(host_dir), .check = socket_template_check },
	{ "containerDir", KEY_TEXT, AT_SOCKET, TO(container_dir), .check = socket_template_check },
	{ "socket", KEY_TEXT, AT_SOCKET, TO(name), .check = socket_template_check },
	{ "uid", KEY_INT, AT_SOCKET, TO(uid), SAID(has_uid), .max = UINT32_MAX - 1 },
	{ "gid", KEY_INT, AT_SOCKET, TO(gid), SAID(has_gid), .max = UINT32_MAX - 1 },
	{ "dirMode", KEY_MODE, AT_SOCKET, TO(dir_mode), SAID(has_dir_mode), .max = 03777,
	  .by_default = "02770" },
	{ "socketMode", KEY_MODE, AT_SOCKET, TO(socket_mode), .max = 0777, .by_default = "0660" },
	{ "selinuxLabel", KEY_TEXT, AT_SOCKET, TO(selinux_label), .fits = is_label,
	  .must = "user:role:type:level" },
	{ "waitMs", KEY_INT, AT_SOCKET, TO(wait_ms), .min = 1, .max = 60000, .by_default = "5000" },
	KEY_END
};

/* -- the whole -- */

static int parse_kind(const json_t *o, enum socket_kind kind, struct socket_conf *c, struct err *e)
{
	bool memif = kind == SOCKET_MEMIF;

	c->kind = kind;
	c->key = socket_kind_key(kind);
	c->side_key = memif ? "memif.role" : "vhostUser.mode";
	c->mode_key = "memif.mode";
	if (key_read(o, socket_kind_key(kind), memif ? memif_keys : vhost_user_keys, c, e) < 0 ||
	    key_read(o, socket_kind_key(kind), socket_keys, c, e) < 0)
		return -1;
	return socket_side_agree(kind, &c->side, c->side_key, c->host_side,
				 memif ? "memif.hostRole" : "vhostUser.hostMode", e);
}

/* In our words, or userspace-cni's, but not in both. */
static int parse_sections(const json_t *doc, struct socket_conf *c, struct err *e)
{
	json_t *vhost_user = NULL, *memif = NULL;
	int r;

	if (jx_object(doc, "", "vhostUser", &vhost_user, e) < 0 ||
	    jx_object(doc, "", "memif", &memif, e) < 0)
		return -1;
	if (vhost_user && memif)
		return err_set(e, ERR_NETCONF, 0, "vhostUser and memif exclude each other");
	r = userspace_conf_parse(doc, c, e);
	if (r < 0 || (!vhost_user && !memif))
		return r;
	if (r > 0)
		return err_set(e, ERR_NETCONF, 0,
			       "%s and userspace-cni's host and container exclude each other",
			       vhost_user ? "vhostUser" : "memif");
	return vhost_user ? parse_kind(vhost_user, SOCKET_VHOST_USER, c, e) :
			    parse_kind(memif, SOCKET_MEMIF, c, e);
}

static int parse_switch(const json_t *doc, struct socket_conf *c, struct err *e)
{
	struct switch_conf sw;
	int r = switch_conf_parse(doc, &sw, e);

	if (r < 0)
		return -1;
	if (r > 0 && c->sw.kind)
		return err_set(e, ERR_NETCONF, 0, "switch and host.engine exclude each other");
	if (r > 0)
		c->sw = sw;
	c->sw.netdev = c->sw.kind == SWITCH_OVS && !c->kind;
	if (c->sw.kind == SWITCH_EXEC && !c->kind)
		return err_set(e, ERR_NETCONF, 0,
			       "switch.type exec: needs vhostUser or memif, be it empty");
	if (c->sw.kind == SWITCH_OVS && c->kind && !c->sw.bridge)
		return err_set(e, ERR_NETCONF, 0, "switch.bridge: missing");
	if (c->sw.kind == SWITCH_OVS && c->kind == SOCKET_MEMIF)
		return err_set(e, ERR_NETCONF, 0, "%s: Open vSwitch has no ports for memif",
			       c->key);
	return 0;
}

void socket_conf_default(struct socket_conf *c)
{
	if (!c->side)
		c->side = c->else_side;
	if (c->kind == SOCKET_MEMIF && c->side && !c->memif_mode)
		c->memif_mode = "ethernet";
}

/* Of the node's own file, without the services that a name could be asked of: they may hang. */
int socket_conf_find_group(struct socket_conf *c, int root, struct err *e)
{
	const struct group *g = NULL;
	FILE *f;
	int fd;

	if (!c->group)
		return 0;
	fd = fs_open(root, "/etc/group", O_RDONLY, 0);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (fd >= 0 && !f)
		(void)close(fd);
	while (f && (g = fgetgrent(f)) && strcmp(g->gr_name, c->group) != 0)
		;
	c->has_gid = g != NULL;
	c->gid = g ? g->gr_gid : 0;
	if (f)
		(void)fclose(f);
	return c->has_gid ? 0 : err_set(e, ERR_NETCONF, 0, "invalid host.vhost.group '%.64s': must "
					"be a group of the node's /etc/group, or a number",
					c->group);
}

int socket_conf_recall(const json_t *doc, struct socket_conf *ret, struct err *e)
{
	struct err later;	/* the first is the one to tell */
	int r;

	*ret = (struct socket_conf){ .vlan = -1 };
	r = key_read(NULL, "", socket_keys, ret, e);	/* the defaults */
	if (r == 0)
		r = parse_sections(doc, ret, e);
	if (parse_switch(doc, ret, r < 0 ? &later : e) < 0)
		r = -1;
	if (ret->side)
		socket_conf_default(ret);
	return r < 0 ? -1 : 0;
}

int socket_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e)
{
	struct socket_conf c;

	if (socket_conf_recall(doc, &c, e) < 0)
		return -1;
	*ret = c;
	return 0;
}
