/* SPDX-License-Identifier: Apache-2.0 */
/* socket_conf.c - the keys vhostUser, memif and switch: the device is a unix socket */
#include "conf/socket_conf.h"

#include "base/jx.h"
#include "conf/keys.h"
#include "conf/socket_path.h"
#include "conf/switch_conf.h"
#include "conf/userspace.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	WAIT_DEFAULT_MS = 5000, WAIT_MAX_MS = 60000,
	DIR_MODE = 02770, SOCKET_MODE = 0660,
	LABEL_MAX = 255,		/* bytes */
};

/* -- sides -- */

static int parse_side(const json_t *o, struct socket_conf *c, struct err *e)
{
	static const struct {
		const char *app, *host;
	} keys[] = {
		[SOCKET_VHOST_USER] = { "mode", "hostMode" },
		[SOCKET_MEMIF] = { "role", "hostRole" },
	};
	const char *path = socket_kind_key(c->kind);
	struct socket_said app = { path, keys[c->kind].app, NULL };
	struct socket_said host = { path, keys[c->kind].host, NULL };

	if (jx_string(o, path, app.key, &app.text, e) < 0 ||
	    jx_string(o, path, host.key, &host.text, e) < 0)
		return -1;
	return socket_side_parse(c->kind, &app, &host, &c->side, e);
}

/* -- memif -- */

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

static int parse_memif(const json_t *o, struct socket_conf *c, struct err *e)
{
	struct socket_said mode = { "memif", "mode", NULL };
	json_int_t id = 0;

	if (jx_string(o, "memif", "mode", &mode.text, e) < 0 ||
	    socket_memif_mode_parse(&mode, &c->memif_mode, e) < 0 ||
	    jx_int(o, "memif", "id", 0, UINT32_MAX, &id, e) < 0 ||
	    jx_string(o, "memif", "secret", &c->secret, e) < 0)
		return -1;
	c->id = (uint32_t)id;
	if (c->secret && !*c->secret)
		c->secret = NULL;
	if (c->secret && !socket_is_secret(c->secret))
		return err_set(e, ERR_NETCONF, 0,
			       "memif.secret: want 1 to %d printable bytes without blank, '=' and "
			       "','",
			       SOCKET_SECRET_MAX);
	return 0;
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

char *socket_conf_hide_secret(const char *text, struct err *e)
{
	json_auto_t *doc = jx_parse(text, strlen(text), ERR_DECODE, "network configuration", e);
	const char *key, *inner;
	json_t *v;
	size_t len;

	if (!doc)
		return NULL;
	json_object_foreach(doc, key, v)
		while (strcasecmp(key, "memif") == 0 && find_member(v, "secret", &inner))
			(void)json_object_del(v, inner);
	return jx_dump(doc, &len);
}

/* -- what both kinds have -- */

static int parse_templates(const json_t *o, const char *path, struct socket_conf *c, struct err *e)
{
	const struct {
		const char *key;
		const char **ret;
	} templates[] = {
		{ "hostDir", &c->host_dir },
		{ "containerDir", &c->container_dir },
		{ "socket", &c->name },
	};

	for (size_t i = 0; i < ARRAY_SIZE(templates); i++) {
		const char *v = NULL;

		if (jx_string(o, path, templates[i].key, &v, e) < 0)
			return -1;
		if (!v || !*v)
			continue;
		if (socket_template_check(v, templates[i].key, e) < 0)
			return err_wrap(e, "%s", path);
		*templates[i].ret = v;
	}
	return 0;
}

/* Not -1, which chown(2) takes for none. */
static int parse_owner(const json_t *o, const char *path, struct socket_conf *c, struct err *e)
{
	json_int_t uid = 0, gid = 0;
	int u = jx_int(o, path, "uid", 0, UINT32_MAX - 1, &uid, e);
	int g = u < 0 ? -1 : jx_int(o, path, "gid", 0, UINT32_MAX - 1, &gid, e);

	if (g < 0)
		return -1;
	c->has_uid = u > 0;
	c->has_gid = g > 0;
	c->uid = (uid_t)uid;
	c->gid = (gid_t)gid;
	return 0;
}

/* Octal text of 3 to 5 digits, for JSON has no octal numbers: 1 found, 0, -1. */
static int take_mode(const json_t *o, const char *path, const char *key, mode_t max, mode_t *ret,
		     struct err *e)
{
	const char *v = NULL;
	size_t len;

	if (jx_string(o, path, key, &v, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	len = strlen(v);
	if (strspn(v, "01234567") != len || len < 3 || len > 5 || strtoul(v, NULL, 8) > max)
		return err_set(e, ERR_NETCONF, 0,
			       "%s.%s: '%.32s': want permissions in octal, up to 0%o", path, key, v,
			       max);
	*ret = (mode_t)strtoul(v, NULL, 8);
	return 1;
}

static int parse_modes(const json_t *o, const char *path, struct socket_conf *c, struct err *e)
{
	int r = take_mode(o, path, "dirMode", 03777, &c->dir_mode, e);

	c->has_dir_mode = r > 0;
	return r < 0 || take_mode(o, path, "socketMode", 0777, &c->socket_mode, e) < 0 ? -1 : 0;
}

/* user:role:type:level, the level being free to have ':' and ','. */
static bool is_label(const char *s)
{
	size_t len = strlen(s);

	if (len > LABEL_MAX)
		return false;
	for (int i = 0; i < 3; i++) {
		size_t part = strcspn(s, ":");

		if (part == 0 || !s[part])
			return false;
		s += part + 1;
	}
	return *s;
}

static bool is_printable(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s > '~')
			return false;
	return true;
}

static int parse_label(const json_t *o, const char *path, struct socket_conf *c, struct err *e)
{
	if (jx_string(o, path, "selinuxLabel", &c->selinux_label, e) < 0)
		return -1;
	if (c->selinux_label && !*c->selinux_label)
		c->selinux_label = NULL;
	if (c->selinux_label && (!is_printable(c->selinux_label) || !is_label(c->selinux_label)))
		return err_set(e, ERR_NETCONF, 0,
			       "%s.selinuxLabel: '%.64s': want user:role:type:level", path,
			       c->selinux_label);
	return 0;
}

static int parse_common(const json_t *o, const char *path, struct socket_conf *c, struct err *e)
{
	json_int_t ms = WAIT_DEFAULT_MS;

	if (parse_templates(o, path, c, e) < 0 || parse_owner(o, path, c, e) < 0 ||
	    parse_modes(o, path, c, e) < 0 || parse_label(o, path, c, e) < 0 ||
	    jx_int(o, path, "waitMs", 1, WAIT_MAX_MS, &ms, e) < 0)
		return -1;
	c->wait_ms = (unsigned int)ms;
	return 0;
}

/* -- the whole -- */

static int parse_kind(json_t *o, enum socket_kind kind, struct socket_conf *c, struct err *e)
{
	const char *path = socket_kind_key(kind);

	c->kind = kind;
	keys_fold(o, path);
	if (keys_check_members(o, path, e) < 0 || parse_side(o, c, e) < 0 ||
	    (kind == SOCKET_MEMIF && parse_memif(o, c, e) < 0))
		return -1;
	return parse_common(o, path, c, e);
}

/* In our words, or userspace-cni's, but not in both. */
static int parse_words(const json_t *doc, struct socket_conf *c, struct err *e)
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
		return err_set(e, ERR_NETCONF, 0, "memif: Open vSwitch has no ports for it");
	return 0;
}

int socket_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e)
{
	struct socket_conf c = {
		.dir_mode = DIR_MODE, .socket_mode = SOCKET_MODE, .wait_ms = WAIT_DEFAULT_MS,
		.vlan = -1,
	};

	if (parse_words(doc, &c, e) < 0 || parse_switch(doc, &c, e) < 0)
		return -1;
	if (c.kind == SOCKET_MEMIF && c.side && !c.memif_mode)
		c.memif_mode = "ethernet";
	*ret = c;
	return 0;
}
