/* SPDX-License-Identifier: Apache-2.0 */
/* userspace.c - userspace-cni's words for a socket attachment */
#include "conf/userspace.h"

#include "base/jx.h"
#include "conf/socket_path.h"
#include "conf/switch_conf.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BRIDGE "br0"		/* userspace-cni's own */

/* One of both sides, as far as it is read. */
struct side {
	const char *path;
	enum socket_kind kind;
	json_t *vhost, *memif;
};

/* Another plugin's key may be called so, too. */
static bool is_side(const json_t *o)
{
	static const char *const signs[] = { "engine", "iftype", "vhost", "memif" };

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (json_object_get(o, signs[i]))
			return true;
	return false;
}

static int parse_iftype(const json_t *o, struct side *s, struct err *e)
{
	const char *v = NULL;

	if (jx_string(o, s->path, "iftype", &v, e) < 0)
		return -1;
	if (v && strcmp(v, "vhostuser") == 0)
		s->kind = SOCKET_VHOST_USER;
	else if (v && strcmp(v, "memif") == 0)
		s->kind = SOCKET_MEMIF;
	else if (v && *v)
		return err_set(e, ERR_NETCONF, 0,
			       "%s.iftype: '%.32s' is neither vhostuser nor memif", s->path, v);
	return 0;
}

static int parse_one(const json_t *o, struct side *s, struct err *e)
{
	if (!is_side(o))
		return 0;
	if (parse_iftype(o, s, e) < 0 || jx_object(o, s->path, "vhost", &s->vhost, e) < 0 ||
	    jx_object(o, s->path, "memif", &s->memif, e) < 0)
		return -1;
	if (s->vhost && s->memif && !s->kind)
		return err_set(e, ERR_NETCONF, 0, "%s.vhost and %s.memif exclude each other",
			       s->path, s->path);
	if (!s->kind)
		s->kind = s->vhost ? SOCKET_VHOST_USER : s->memif ? SOCKET_MEMIF : SOCKET_NONE;
	return 1;
}

static int parse_kind(const struct side *app, const struct side *host, struct socket_conf *c,
		      struct err *e)
{
	if (app->kind && host->kind && app->kind != host->kind)
		return err_set(e, ERR_NETCONF, 0,
			       "container and host contradict each other: %s and %s",
			       socket_kind_key(app->kind), socket_kind_key(host->kind));
	c->kind = app->kind ? app->kind : host->kind;
	if (!c->kind)
		return err_set(e, ERR_NETCONF, 0,
			       "host.iftype: missing: want vhostuser or memif");
	return 0;
}

static int parse_vhost(const struct side *app, const struct side *host, struct socket_conf *c,
		       struct err *e)
{
	struct socket_said a = { "container.vhost", "mode", NULL };
	struct socket_said h = { "host.vhost", "mode", NULL };
	const char *group = NULL;
	unsigned long long gid;

	if (jx_string(app->vhost, a.path, a.key, &a.text, e) < 0 ||
	    jx_string(host->vhost, h.path, h.key, &h.text, e) < 0 ||
	    socket_side_parse(SOCKET_VHOST_USER, &a, &h, &c->side, e) < 0 ||
	    jx_string(host->vhost, h.path, "group", &group, e) < 0)
		return -1;
	if (!group || !*group)
		return 0;
	gid = strtoull(group, NULL, 10);
	if (strspn(group, "0123456789") != strlen(group))
		return err_set(e, ERR_NETCONF, 0,
			       "host.vhost.group: '%.32s': want the group's number, for names "
			       "are each node's own: 'getent group %.32s' there tells it",
			       group, group);
	if (gid >= UINT32_MAX)
		return err_set(e, ERR_NETCONF, 0, "host.vhost.group: '%.32s': is no group's number",
			       group);
	c->has_gid = true;
	c->gid = (gid_t)gid;
	return 0;
}

static int parse_memif(const struct side *app, const struct side *host, struct socket_conf *c,
		       struct err *e)
{
	struct socket_said a = { "container.memif", "role", NULL };
	struct socket_said h = { "host.memif", "role", NULL };
	struct socket_said am = { "container.memif", "mode", NULL };
	struct socket_said hm = { "host.memif", "mode", NULL };
	const char *mode = NULL;

	if (jx_string(app->memif, a.path, a.key, &a.text, e) < 0 ||
	    jx_string(host->memif, h.path, h.key, &h.text, e) < 0 ||
	    socket_side_parse(SOCKET_MEMIF, &a, &h, &c->side, e) < 0 ||
	    jx_string(app->memif, am.path, am.key, &am.text, e) < 0 ||
	    jx_string(host->memif, hm.path, hm.key, &hm.text, e) < 0 ||
	    socket_memif_mode_parse(&hm, &c->memif_mode, e) < 0 ||
	    socket_memif_mode_parse(&am, &mode, e) < 0)
		return -1;
	if (mode && c->memif_mode && strcmp(mode, c->memif_mode) != 0)
		return err_set(e, ERR_NETCONF, 0,
			       "container.memif.mode '%s' and host.memif.mode '%s' contradict each "
			       "other",
			       mode, c->memif_mode);
	if (mode)
		c->memif_mode = mode;
	return 0;
}

static int parse_bridge(const json_t *o, struct socket_conf *c, struct err *e)
{
	const char *name = NULL;
	json_t *bridge = NULL;
	json_int_t vlan = -1;

	if (jx_object(o, "host", "bridge", &bridge, e) < 0 ||
	    jx_string(bridge, "host.bridge", "bridgeName", &name, e) < 0 ||
	    jx_int(bridge, "host.bridge", "vlanId", 0, 4094, &vlan, e) < 0)
		return -1;
	c->vlan = vlan > 0 ? (int)vlan : -1;	/* its 0 is not said */
	return switch_conf_bridge(name && *name ? name : DEFAULT_BRIDGE, "host.bridge.bridgeName",
				  &c->sw, e);
}

/* VPP's API changes with each of its releases: whoever has the right one is to be run. */
static int parse_engine(const json_t *doc, const json_t *o, struct socket_conf *c, struct err *e)
{
	const char *engine = NULL;

	if (jx_string(o, "host", "engine", &engine, e) < 0)
		return -1;
	if (!engine || !*engine)
		return 0;
	if (strcmp(engine, "ovs-dpdk") == 0)
		return parse_bridge(o, c, e);
	if (json_is_object(json_object_get(doc, "switch")) ||
	    json_is_object(json_object_get(doc, "delegate")) ||
	    json_array_size(json_object_get(doc, "delegates")) > 0)
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "host.engine: '%.32s' is not configured here: want a switch of type exec, "
		       "or a delegate, that does it",
		       engine);
}

/*
 * userspace-cni made a directory for each container in the shared one, called by the first bytes of
 * its id; here it is the whole id, which is one container's alone.  Who has a template there says
 * it all.
 */
static int parse_dirs(const json_t *doc, struct socket_conf *c, struct err *e)
{
	const char *shared = NULL, *mapped = NULL;

	if (jx_string(doc, "", "sharedDir", &shared, e) < 0 ||
	    jx_string(doc, "", "mappedDir", &mapped, e) < 0)
		return -1;
	if (shared && *shared) {
		if (socket_template_check(shared, "sharedDir", e) < 0)
			return -1;
		*(strchr(shared, '{') ? &c->host_dir : &c->host_base) = shared;
	}
	if (mapped && *mapped) {
		if (socket_template_check(mapped, "mappedDir", e) < 0)
			return -1;
		c->container_dir = mapped;
	}
	return 0;
}

static int take_file(const json_t *o, struct socket_said *said, struct err *e)
{
	char key[64];

	if (jx_string(o, said->path, said->key, &said->text, e) < 0)
		return -1;
	if (!said->text || !*said->text) {
		said->text = NULL;
		return 0;
	}
	(void)snprintf(key, sizeof(key), "%s.%s", said->path, said->key);
	if (strchr(said->text, '/'))
		return err_set(e, ERR_NETCONF, 0,
			       "%s: '%.107s': want the name alone, without directories", key,
			       said->text);
	return socket_template_check(said->text, key, e);
}

/* Both sides see one directory, so that its socket has one name. */
static int parse_file(const struct side *app, const struct side *host, struct socket_conf *c,
		      struct err *e)
{
	struct socket_said a = { "container.vhost", "socketfile", NULL };
	struct socket_said h = { "host.vhost", "socketfile", NULL };
	bool memif = c->kind == SOCKET_MEMIF;

	if (memif) {
		a.path = "container.memif";
		h.path = "host.memif";
	}
	if (take_file(memif ? app->memif : app->vhost, &a, e) < 0 ||
	    take_file(memif ? host->memif : host->vhost, &h, e) < 0)
		return -1;
	if (a.text && h.text && strcmp(a.text, h.text) != 0)
		return err_set(e, ERR_NETCONF, 0,
			       "%s.%s '%.107s' and %s.%s '%.107s' contradict each other", a.path,
			       a.key, a.text, h.path, h.key, h.text);
	c->name = a.text ? a.text : h.text;
	return 0;
}

int userspace_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e)
{
	const json_t *host_o = json_object_get(doc, "host");
	struct side host = { .path = "host" }, app = { .path = "container" };
	struct socket_conf c = *ret;
	int h = parse_one(host_o, &host, e);
	int a = h < 0 ? -1 : parse_one(json_object_get(doc, "container"), &app, e);

	if (a < 0 || (!h && !a))
		return a;
	if (parse_kind(&app, &host, &c, e) < 0 ||
	    (c.kind == SOCKET_MEMIF ? parse_memif(&app, &host, &c, e) :
				      parse_vhost(&app, &host, &c, e)) < 0 ||
	    parse_engine(doc, host_o, &c, e) < 0 || parse_dirs(doc, &c, e) < 0 ||
	    parse_file(&app, &host, &c, e) < 0)
		return -1;
	*ret = c;
	return 1;
}
