/* SPDX-License-Identifier: Apache-2.0 */
/* userspace.c - userspace-cni's words for a socket attachment */
#include "conf/userspace.h"

#include "conf/socket_path.h"
#include "conf/switch_conf.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_BRIDGE "br0"		/* userspace-cni's own */

/* -- the keys -- */

/* One of both sides, as far as it is read. */
struct side {
	const char *name;		/* "host" or "container" */
	enum socket_kind kind;
	const json_t *vhost, *memif;
	enum socket_side side;		/* this one's */
	const char *mode;		/* of memif */
	const char *file;
};

static int check_file(const char *text, const char *name, struct err *e)
{
	if (strchr(text, '/'))
		return err_set(e, ERR_NETCONF, 0,
			       "invalid %s '%.107s': must be a name without directories", name,
			       text);
	return socket_template_check(text, name, e);
}

#define TO(member)	KEY_AT(struct side, member)

static const char *const iftype_choices[] = {
	[SOCKET_NONE] = "", [SOCKET_VHOST_USER] = "vhostuser", [SOCKET_MEMIF] = "memif", NULL,
};

static const struct conf_key side_keys[] = {
	{ "iftype", KEY_CHOICE, 0, TO(kind), .choices = iftype_choices },
	{ "vhost", KEY_OBJECT, 0, TO(vhost) },
	{ "memif", KEY_OBJECT, 0, TO(memif) },
	KEY_END
};

static const struct conf_key side_vhost_keys[] = {
	{ "mode", KEY_CHOICE, 0, TO(side), .choices = socket_vhost_user_sides },
	{ "socketfile", KEY_TEXT, 0, TO(file), .check = check_file },
	KEY_END
};

static const struct conf_key side_memif_keys[] = {
	{ "role", KEY_CHOICE, 0, TO(side), .choices = socket_memif_sides },
	{ "mode", KEY_TEXT, 0, TO(mode), .choices = socket_memif_modes },
	{ "socketfile", KEY_TEXT, 0, TO(file), .check = check_file },
	KEY_END
};

/* What a group may be called, so that no line of a file or a number is taken for one. */
static bool is_group(const char *s)
{
	return strlen(s) <= 32 && !strpbrk(s, ": \t\n,");
}

static const struct conf_key host_vhost_keys[] = {
	{ "group", KEY_TEXT, 0, KEY_AT(struct socket_conf, group), .fits = is_group,
	  .must = "the name of a group, or its number" },
	KEY_END
};

/* A number is the same on each node. */
static int parse_group(struct socket_conf *c, struct err *e)
{
	const char *text = c->group;

	if (!text || strspn(text, "0123456789") != strlen(text))
		return 0;
	c->group = NULL;
	c->has_gid = key_take_id(&text, &c->gid) && !*text;
	return c->has_gid ? 0 : err_set(e, ERR_NETCONF, 0, "host.vhost.group: expected a number of "
					"0 to 4294967294, got %.32s", text);
}

struct engine {
	const char *name;
	const json_t *bridge;
};

static const struct conf_key engine_keys[] = {
	{ "engine", KEY_TEXT, 0, KEY_AT(struct engine, name) },
	{ "bridge", KEY_OBJECT, 0, KEY_AT(struct engine, bridge) },
	KEY_END
};

struct bridge {
	const char *name;
	int vlan;
};

static const struct conf_key bridge_keys[] = {
	{ "bridgeName", KEY_TEXT, 0, KEY_AT(struct bridge, name) },
	{ "vlanId", KEY_INT, 0, KEY_AT(struct bridge, vlan), .max = 4094 },
	KEY_END
};

struct dirs {
	const char *shared, *mapped;
};

/* Another plugin's keys may be called so, too: each is read where a side says that it is not. */
const struct conf_key userspace_keys[] = {
	KEY_ROW("host", KEY_OTHER, ANYWHERE), KEY_ROW("container", KEY_OTHER, ANYWHERE),
	KEY_ROW("sharedDir", KEY_OTHER, ANYWHERE), KEY_ROW("mappedDir", KEY_OTHER, ANYWHERE),
	KEY_END
};

static const struct conf_key dirs_keys[] = {
	{ "sharedDir", KEY_TEXT, 0, KEY_AT(struct dirs, shared), .check = socket_template_check },
	{ "mappedDir", KEY_TEXT, 0, KEY_AT(struct dirs, mapped), .check = socket_template_check },
	KEY_END
};

/* -- both sides -- */

static bool is_side(const json_t *o)
{
	static const char *const signs[] = { "engine", "iftype", "vhost", "memif" };

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (json_object_get(o, signs[i]))
			return true;
	return false;
}

static int parse_side(const json_t *o, struct side *s, struct err *e)
{
	if (!is_side(o))
		return 0;
	if (key_read(o, s->name, side_keys, s, e) < 0)
		return -1;
	if (s->vhost && s->memif && !s->kind)
		return err_set(e, ERR_NETCONF, 0, "%s.vhost and %s.memif exclude each other",
			       s->name, s->name);
	if (!s->kind)
		s->kind = s->vhost ? SOCKET_VHOST_USER : s->memif ? SOCKET_MEMIF : SOCKET_NONE;
	return 1;
}

static int choose_kind(const struct side *app, const struct side *host, struct socket_conf *c,
		       struct err *e)
{
	if (app->kind && host->kind && app->kind != host->kind)
		return err_set(e, ERR_NETCONF, 0,
			       "container is of iftype %s and host of iftype %s: must be the same",
			       iftype_choices[app->kind], iftype_choices[host->kind]);
	c->kind = app->kind ? app->kind : host->kind;
	if (!c->kind)
		return err_set(e, ERR_NETCONF, 0,
			       "host.iftype: missing: expected vhostuser or memif");
	return 0;
}

/* What is in its object of the kind that it is. */
static int parse_object(struct side *s, enum socket_kind kind, struct err *e)
{
	bool memif = kind == SOCKET_MEMIF;
	char path[32];

	(void)snprintf(path, sizeof(path), "%s.%s", s->name, memif ? "memif" : "vhost");
	return key_read(memif ? s->memif : s->vhost, path,
			memif ? side_memif_keys : side_vhost_keys, s, e);
}

/* Of a text that both sides may say. */
static int agree(const char *app, const char *host, const char *key, const char **ret,
		 struct err *e)
{
	if (app && host && strcmp(app, host) != 0)
		return err_set(e, ERR_NETCONF, 0, "container.%s '%.107s' and host.%s '%.107s' "
			       "contradict each other", key, app, key, host);
	*ret = app ? app : host;
	return 0;
}

/* For messages: [of the container][of memif] */
static const char *const file_keys[2][2] = {
	{ "host.vhost.socketfile", "host.memif.socketfile" },
	{ "container.vhost.socketfile", "container.memif.socketfile" },
};
static const char *const side_names[2][2] = {
	{ "host.vhost.mode", "host.memif.role" },
	{ "container.vhost.mode", "container.memif.role" },
};

/* What the socket is called there, where nobody says it. */
static const char *default_name(enum socket_kind kind)
{
	return kind == SOCKET_MEMIF ? "memif-{shortID}-{ifname}.sock" : "{shortID}-{ifname}";
}

/* Both sides see one directory, so that its socket has one name. */
static int parse_sides(struct side *app, struct side *host, struct socket_conf *c, struct err *e)
{
	bool memif = c->kind == SOCKET_MEMIF;

	if (parse_object(app, c->kind, e) < 0 || parse_object(host, c->kind, e) < 0 ||
	    (!memif && (key_read(host->vhost, "host.vhost", host_vhost_keys, c, e) < 0 ||
			parse_group(c, e) < 0)))
		return -1;
	c->side = app->side;
	c->else_side = memif ? SOCKET_APP_LISTENS : SOCKET_APP_CONNECTS;
	c->name_key = file_keys[app->file != NULL][memif];
	c->side_key = side_names[app->side != SOCKET_SIDE_UNSET][memif];
	c->mode_key = app->mode ? "container.memif.mode" : "host.memif.mode";
	if (agree(app->mode, host->mode, "memif.mode", &c->memif_mode, e) < 0 ||
	    agree(app->file, host->file, memif ? "memif.socketfile" : "vhost.socketfile", &c->name,
		  e) < 0)
		return -1;
	return socket_side_agree(c->kind, &c->side,
				 side_names[true][memif], host->side, side_names[false][memif], e);
}

/* -- the switch -- */

static int parse_bridge(const json_t *o, struct socket_conf *c, struct err *e)
{
	struct bridge b = { .name = DEFAULT_BRIDGE };

	if (key_read(o, "host.bridge", bridge_keys, &b, e) < 0)
		return -1;
	c->vlan = b.vlan > 0 ? b.vlan : -1;	/* its 0 is not said */
	return switch_conf_bridge(b.name, "host.bridge.bridgeName", &c->sw, e);
}

/* VPP's API changes with each of its releases: whoever has the right one is to be run. */
static int parse_engine(const json_t *doc, const json_t *o, struct socket_conf *c, struct err *e)
{
	struct engine engine = { 0 };

	if (key_read(o, "host", engine_keys, &engine, e) < 0)
		return -1;
	if (!engine.name)
		return 0;
	if (strcmp(engine.name, "ovs-dpdk") == 0)
		return parse_bridge(engine.bridge, c, e);
	if (json_is_object(json_object_get(doc, "switch")) ||
	    json_is_object(json_object_get(doc, "delegate")) ||
	    json_array_size(json_object_get(doc, "delegates")) > 0)
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "host.engine: '%.32s' is not configured here: expected a switch of type "
		       "exec, or a delegate, that does it",
		       engine.name);
}

/*
 * As userspace-cni: in the shared one a directory for each container, called by the first bytes of
 * its id.  Who has a template there says it all.
 */
static int parse_dirs(const json_t *doc, struct socket_conf *c, struct err *e)
{
	struct dirs dirs = { 0 };

	if (key_read(doc, "", dirs_keys, &dirs, e) < 0)
		return -1;
	c->host_dir_key = "sharedDir";
	c->container_dir_key = "mappedDir";
	if (!c->name)
		c->name = default_name(c->kind);
	if (dirs.shared)
		*(strchr(dirs.shared, '{') ? &c->host_dir : &c->host_base) = dirs.shared;
	c->container_dir = dirs.mapped;
	return 0;
}

int userspace_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e)
{
	const json_t *host_o = json_object_get(doc, "host");
	struct side host = { .name = "host" }, app = { .name = "container" };
	struct socket_conf c = *ret;
	int h = parse_side(host_o, &host, e);
	int a = h < 0 ? -1 : parse_side(json_object_get(doc, "container"), &app, e);

	if (a < 0 || (!h && !a))
		return a;
	if (choose_kind(&app, &host, &c, e) < 0 || parse_sides(&app, &host, &c, e) < 0 ||
	    parse_engine(doc, host_o, &c, e) < 0 || parse_dirs(doc, &c, e) < 0)
		return -1;
	c.key = h ? "host" : "container";
	*ret = c;
	return 1;
}
