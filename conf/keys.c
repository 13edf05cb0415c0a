/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - all keys: where each stands, and in which place of a chain */
#include "conf/keys.h"

#include "base/jx.h"
#include "base/nearest.h"
#include "conf/bridge_port.h"
#include "conf/netconf_parts.h"
#include "conf/node.h"
#include "conf/selection.h"
#include "conf/settings.h"
#include "conf/socket_conf.h"
#include "conf/switch_conf.h"
#include "conf/userspace.h"
#include "conf/vdpa_conf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A row with a name alone: what it is is said where it is read. */
#define PLACED(key, at)	KEY_ROW(key, KEY_OTHER, at)

static const struct conf_key head_keys[] = {
	PLACED("cniVersion", ANYWHERE), PLACED("name", ANYWHERE), PLACED("type", ANYWHERE),
	PLACED("capabilities", ANYWHERE), PLACED("delegate", AT_META | AT_SOCKET),
	PLACED("delegates", AT_META | AT_SOCKET), PLACED("prevResult", ANYWHERE),
	PLACED("runtimeConfig", ANYWHERE), PLACED("args", ANYWHERE), KEY_END
};
static const struct conf_key annotations_key[] = {
	KEY_ROW(POD_ANNOTATIONS, KEY_OTHER, 0), KEY_END
};

/* Of a network's, the first that is in a wrong place is the one to tell. */
const struct key_section key_sections[] = {
	{ IN_NODE_FILE, "", node_settings_keys },
	{ IN_NODE_FILE, "", time_limit_keys },
	{ IN_NODE_FILE, "", node_root_key },
	{ IN_NODE_FILE, DEVINFOD_KEY, devinfod_keys },
	{ IN_NETWORK, "", head_keys },
	{ IN_NETWORK, "", network_log_keys },
	{ IN_NETWORK, "", time_limit_keys },
	{ IN_NETWORK, "", about_pod_keys },
	{ IN_NETWORK, "", device_id_keys },
	{ IN_NETWORK, "", device_keys },
	{ IN_NETWORK, "", vf_keys },
	{ IN_NETWORK, "", bridge_port_keys },
	{ IN_NETWORK, "trunk[]", trunk_keys },
	{ IN_NETWORK, "", infiniband_keys },
	{ IN_NETWORK, "", release_keys },
	{ IN_NETWORK, "", vdpa_key },
	{ IN_NETWORK, "vdpa", vdpa_keys },
	{ IN_NETWORK, "", interface_keys },
	{ IN_NETWORK, "ipam", ipam_keys },
	{ IN_NETWORK, "dns", dns_keys },
	{ IN_NETWORK, "", socket_kind_keys },
	{ IN_NETWORK, "vhostUser", vhost_user_keys },
	{ IN_NETWORK, "vhostUser", socket_keys },
	{ IN_NETWORK, "memif", memif_keys },
	{ IN_NETWORK, "memif", socket_keys },
	{ IN_NETWORK, "", switch_key },
	{ IN_NETWORK, "switch", switch_keys },
	{ IN_NETWORK, "", userspace_keys },
	{ IN_RUNTIME_CONFIG, "", runtime_keys },
	{ IN_RUNTIME_CONFIG, "", annotations_key },
	{ IN_ARGS_CNI, "", pod_keys },
};
const size_t key_sections_n = ARRAY_SIZE(key_sections);

const struct key_object key_objects[] = {
	{ "vdpa", MEMBERS_OURS_AT_ADD, true },
	{ "vhostUser", MEMBERS_OURS, true },
	{ "memif", MEMBERS_OURS, true },
	{ "switch", MEMBERS_OURS, true },
	{ "trunk[]", MEMBERS_OURS_AT_ADD, true },
	{ "ipam", MEMBERS_SHARED, true },	/* its plugin reads the type so */
	{ "dns", MEMBERS_SHARED, false },
};
const size_t key_objects_n = ARRAY_SIZE(key_objects);

/*
 * What earlier versions took in a network: requests in their records have it, and are read.  Of the
 * first the administrator has a key in the node's file, beside those that are its alone.
 */
static const struct former {
	const char *object, *member, *node_key, *instead;
} former_members[] = {
	{ "switch", "db", "ovsDb", NULL },
	{ "switch", "socketDir", "ovsSocketDir", NULL },
	{ "vhostUser", "switchDir", "switchDir", NULL },
	{ "memif", "switchDir", "switchDir", NULL },
	{ "vhostUser", "acl", NULL, "gid and dirMode" },
	{ "memif", "acl", NULL, "gid and dirMode" },
};

/* Is the section about the members of this object?  "trunk[2]" has those of "trunk[]". */
static bool is_about(const struct key_section *s, enum key_in in, const char *path)
{
	size_t len;

	if (s->in != in || *s->path != *path)	/* most are not */
		return false;
	len = strcspn(s->path, "[");
	return strcspn(path, "[") == len && strncmp(s->path, path, len) == 0 &&
	       !s->path[len] == !path[len];
}

const struct conf_key *key_find(enum key_in in, const char *name)
{
	for (size_t i = 0; i < key_sections_n; i++) {
		if (!is_about(&key_sections[i], in, ""))
			continue;
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++)
			if (strcmp(k->name, name) == 0)
				return k;
	}
	return NULL;
}

/* Not what says nothing: null, "", false, {}, [] and the row's own word for that. */
static bool says_something(const json_t *v, const char *idle)
{
	if (json_is_string(v))
		return json_string_length(v) > 0 && (!idle || strcmp(json_string_value(v), idle));
	if (json_is_object(v) || json_is_array(v))
		return json_object_size(v) + json_array_size(v) > 0;
	return json_is_number(v) || json_is_true(v);
}

json_t *keys_object(const json_t *doc, const char *path, size_t i, char name[KEY_NAME_MAX])
{
	size_t len = strcspn(path, "[");
	json_t *o = *path ? json_object_getn(doc, path, len) : (json_t *)(uintptr_t)doc;

	if (path[len])
		(void)snprintf(name, KEY_NAME_MAX, "%.*s[%zu]", (int)len, path, i);
	else
		(void)snprintf(name, KEY_NAME_MAX, "%s", path);
	return path[len] ? json_array_get(o, i) : i == 0 ? o : NULL;
}

const char *key_full_name(const struct key_section *s, const struct conf_key *k,
			  char ret[KEY_NAME_MAX])
{
	(void)snprintf(ret, KEY_NAME_MAX, "%s%s%s", s->path, *s->path ? "." : "", k->name);
	return ret;
}

/* -- the node's file -- */

/* Those of the node's file, or of an object in it. */
static int check_node_members(const json_t *o, const char *path, struct err *e)
{
	const char *names[KEYS_NAMES_MAX], *name;
	size_t n = keys_names(IN_NODE_FILE, path, names), i;
	char hint[NEAREST_HINT];
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, name, v) {
		for (i = 0; i < n && strcmp(names[i], name) != 0;)
			i++;
		if (i < n)
			continue;
		keys_hint(IN_NODE_FILE, path, name, hint);
		return err_set(e, ERR_NETCONF, 0, "unknown key '%s%s%.64s'%s", path,
			       *path ? "." : "", name, hint);
	}
	return 0;
}

int keys_check_node(const json_t *doc, struct err *e)
{
	if (check_node_members(doc, "", e) < 0)
		return -1;
	return check_node_members(json_object_get(doc, DEVINFOD_KEY), DEVINFOD_KEY, e);
}

/* -- a network configuration -- */

static int refuse_node_key(const char *path, const char *key, const char *instead, struct err *e)
{
	(void)err_set(e, ERR_NETCONF, 0, "%s%s%s: not in a network configuration", path,
		      *path ? "." : "", key);
	return err_detail(e, "set %s in the node's own file: it is the administrator's to say",
			  instead);
}

static bool means_something(const json_t *v)
{
	return v && !json_is_null(v) && !(json_is_string(v) && !json_string_length(v));
}

/* NULL: it is none of those. */
static const struct former *find_former(const char *object, const char *member)
{
	for (size_t i = 0; i < ARRAY_SIZE(former_members); i++)
		if (strcmp(former_members[i].object, object) == 0 &&
		    strcasecmp(former_members[i].member, member) == 0)
			return &former_members[i];
	return NULL;
}

/* The key of the node's file that it is said by instead; NULL: it is none of those. */
static const char *node_member(const char *object, const char *member)
{
	const struct former *f = find_former(object, member);

	return f ? f->node_key : NULL;
}

/* The same of a key at the top. */
static const char *node_key(const char *key)
{
	const char *names[KEYS_NAMES_MAX];
	size_t n = keys_names(IN_NODE_FILE, "", names);

	for (size_t i = 0; i < n; i++)
		if (strcasecmp(names[i], key) == 0)
			return key_find(IN_NETWORK, names[i]) ? NULL : names[i];
	return NULL;
}

static const char *node_says(const char *path, const char *key)
{
	return *path ? node_member(path, key) : node_key(key);
}

const char *keys_of_node(const char *path, const char *key, const json_t *v)
{
	return means_something(v) ? node_says(path, key) : NULL;
}

static int check_object(const json_t *o, const char *path, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, key, v) {
		const struct former *f = find_former(path, key);
		const char *node = keys_of_node(path, key, v);

		if (node)
			return refuse_node_key(path, key, node, e);
		if (!f || !means_something(v))
			continue;
		(void)err_set(e, ERR_NETCONF, 0, "%s.%s: unknown key", path, key);
		return err_detail(e, "use %s instead", f->instead);
	}
	return 0;
}

int keys_check_network(const json_t *doc, struct err *e)
{
	char path[KEY_NAME_MAX];
	const json_t *o;

	if (check_object(doc, "", e) < 0)
		return -1;
	for (const struct key_object *k = key_objects; k < key_objects + key_objects_n; k++)
		for (size_t i = 0; (o = keys_object(doc, k->path, i, path)); i++)
			if (k->members != MEMBERS_SHARED && check_object(o, path, e) < 0)
				return -1;
	return 0;
}

bool keys_misplaced(const json_t *doc, enum key_place place, char ret[KEY_NAME_MAX])
{
	for (size_t i = 0; i < key_sections_n; i++) {
		const struct key_section *s = &key_sections[i];
		const json_t *o = *s->path ? json_object_get(doc, s->path) : doc;

		for (const struct conf_key *k = s->keys; s->in == IN_NETWORK && k->name; k++)
			if (!(k->places & (unsigned int)place) &&
			    says_something(json_object_get(o, k->name), k->idle)) {
				(void)key_full_name(s, k, ret);
				return true;
			}
	}
	return false;
}

/* -- names in any case -- */

size_t keys_names(enum key_in in, const char *path, const char *names[KEYS_NAMES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < key_sections_n; i++) {
		if (!is_about(&key_sections[i], in, path))
			continue;
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++)
			if (n < KEYS_NAMES_MAX)
				names[n++] = k->name;
	}
	return n;
}

void keys_hint(enum key_in in, const char *path, const char *key, char ret[NEAREST_HINT])
{
	const char *names[KEYS_NAMES_MAX];

	nearest_hint(key, names, keys_names(in, path, names), ret);
}

bool keys_are_known(const char *path, const char *key)
{
	const char *names[KEYS_NAMES_MAX];
	size_t n = keys_names(IN_NETWORK, path, names);

	for (size_t i = 0; i < n; i++)
		if (strcasecmp(key, names[i]) == 0)
			return true;
	return node_says(path, key) || find_former(path, key);
}

static int check_members(const json_t *o, const char *path, struct err *e)
{
	char hint[NEAREST_HINT];
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, key, v)
		if (!keys_are_known(path, key)) {
			keys_hint(IN_NETWORK, path, key, hint);
			return err_set(e, ERR_NETCONF, 0, "%s.%.64s: unknown key%s", path, key,
				       hint);
		}
	return 0;
}

int keys_check_objects(const json_t *doc, enum key_members ours, struct err *e)
{
	char path[KEY_NAME_MAX];
	const json_t *o;

	for (const struct key_object *k = key_objects; k < key_objects + key_objects_n; k++)
		for (size_t i = 0; (o = keys_object(doc, k->path, i, path)); i++)
			if (k->members == ours && check_members(o, path, e) < 0)
				return -1;
	return 0;
}

void keys_fold(json_t *o, const char *path)
{
	const char *names[KEYS_NAMES_MAX];

	jx_fold_keys(o, names, keys_names(IN_NETWORK, path, names));
}

void keys_fold_objects(const json_t *doc)
{
	char path[KEY_NAME_MAX];
	json_t *o;

	for (const struct key_object *k = key_objects; k < key_objects + key_objects_n; k++)
		for (size_t i = 0; (o = keys_object(doc, k->path, i, path)); i++)
			if (k->any_case)
				keys_fold(o, path);
}

/* -- all values, for whoever wants to know all that is wrong -- */

/* What a table fills, whichever it is. */
union any_conf {
	struct netconf netconf;
	struct settings settings;
	struct netconf_wish wish;
};

static bool row_takes(const struct conf_key *k, const char *path, json_t *v)
{
	json_auto_t *o = json_pack("{s:O}", k->name, v);
	const struct conf_key row[] = { *k, KEY_END };
	union any_conf ignored;
	struct err e;

	memset(&ignored, 0, sizeof(ignored));
	return key_read(o, path, row, &ignored, &e) == 0;
}

bool keys_take(enum key_in in, const char *path, const char *key, json_t *v)
{
	for (size_t i = 0; i < key_sections_n; i++)
		for (const struct conf_key *k = key_sections[i].keys; k->name; k++)
			if (is_about(&key_sections[i], in, path) && k->type != KEY_OTHER &&
			    !k->secret && strcasecmp(k->name, key) == 0 && row_takes(k, path, v))
				return true;
	return false;
}

static unsigned int check_section(const struct key_section *s, json_t *o, const char *path,
				  keys_refused_fn *fn, void *arg)
{
	unsigned int refused = 0;
	union any_conf ignored;
	struct err e;

	for (const struct conf_key *k = s->keys; json_is_object(o) && k->name; k++) {
		const struct conf_key row[] = { *k, KEY_END };

		memset(&ignored, 0, sizeof(ignored));
		if (key_read(o, path, row, &ignored, &e) == 0)
			continue;
		fn(&e, arg);
		refused++;
	}
	return refused;
}

unsigned int keys_check_values(json_t *doc, keys_refused_fn *fn, void *arg)
{
	unsigned int refused = 0;
	char path[KEY_NAME_MAX];
	json_t *o;

	for (const struct key_section *s = key_sections; s < key_sections + key_sections_n; s++)
		for (size_t i = 0; s->in == IN_NETWORK &&
				   (o = keys_object(doc, s->path, i, path)); i++) {
			if (*path)
				keys_fold(o, path);
			refused += check_section(s, o, path, fn, arg);
		}
	return refused;
}
