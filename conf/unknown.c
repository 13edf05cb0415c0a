/* SPDX-License-Identifier: Apache-2.0 */
/* unknown.c - keys of a network configuration that nobody knows: typing errors, mostly */
#include "conf/unknown.h"

#include "base/attr.h"
#include "conf/keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* CNI's own, of a list, and of a configuration beside those that we read. */
static const char *const list_names[] = {
	"cniVersion", "cniVersions", "name", "disableCheck", "disableGC", "loadOnlyInlinedPlugins",
	"plugins",
};
static const char *const cni_names[] = { "disableCheck", "disableGC", "ipMasq", "plugins" };

/* What sriov-cni and ib-sriov-cni take or write, and is ignored here: near to nothing. */
static const char *const ignored_names[] = {
	"Master", "VFID", "OrigVfState", "DPDKMode", "HostIFNames", "HostIFGUID", "ContIFNames",
};

/*
 * What other plugins, or earlier versions of sriov-cni, have a key for and we another one, or none:
 * the end of a message.
 */
static const struct other_name {
	const char *key, *hint;
} other_names[] = {
	{ "macAddress", ", use mac instead" },
	{ "master", ", use deviceID, device or resourceName instead" },
	{ "if0", ", use deviceID, device or resourceName instead" },
	{ "if0name", ", leave it out: the runtime names the interface" },
	{ "l2enable", ", leave ipam out instead" },
	{ "dpdk", ", use driver instead" },
	{ "vlanId", ", use vlan instead" },
	{ "hwaddr", ", use device or deviceID instead" },
	{ "kernelpath", ", use device or deviceID instead" },
	{ "socket_file", ", set ovsDb in the node's own file instead" },
	{ "promisc", ", use the plugin tuning behind this one instead" },
	{ "allmulti", ", use the plugin tuning behind this one instead" },
	{ "sysctl", ", use the plugin tuning behind this one instead" },
};

/* Of CNI's CONVENTIONS.md, beside those that we read of runtimeConfig. */
static const char *const capability_names[] = {
	"portMappings", "ipRanges", "bandwidth", "ips", "aliases", "cgroupPath",
};

enum { NAMES_MAX = KEYS_NAMES_MAX + 8 };

struct names {
	const char *name[NAMES_MAX];
	size_t n;
};

static void add_names(struct names *all, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n && all->n < NAMES_MAX; i++)
		all->name[all->n++] = names[i];
}

static bool has_name(const char *const *names, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], key) == 0)
			return true;
	return false;
}

static bool has_name_in_any_case(const char *const *names, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(names[i], key) == 0)
			return true;
	return false;
}

/* NULL: it is none of those. */
static const char *other_hint(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_names); i++)
		if (strcasecmp(other_names[i].key, key) == 0)
			return other_names[i].hint;
	return NULL;
}

/* Comments, extensions and names with a domain: whoever has them knows what for. */
static bool is_foreign(const char *key)
{
	return !isalpha((unsigned char)*key) || strncasecmp(key, "x-", 2) == 0 ||
	       strpbrk(key, "./") != NULL;
}

/* Read in this case alone, and missing, but for the name that keys_fold() has given the value. */
static bool is_in_wrong_case(const json_t *conf, const char *key, const json_t *v)
{
	static const char *const exact[] = { "cniVersion", "name" };
	const json_t *have;

	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		if (strcasecmp(exact[i], key) == 0 && strcmp(exact[i], key) != 0) {
			have = json_object_get(conf, exact[i]);
			return !have || have == v;
		}
	return false;
}

static bool is_known_at_top(const json_t *conf, const char *key, const json_t *v)
{
	return (keys_are_known("", key) && !is_in_wrong_case(conf, key, v)) || is_foreign(key) ||
	       has_name_in_any_case(cni_names, ARRAY_SIZE(cni_names), key) ||
	       has_name(ignored_names, ARRAY_SIZE(ignored_names), key) ||
	       (!other_hint(key) &&
		has_name_in_any_case(ignored_names, ARRAY_SIZE(ignored_names), key));
}

static void hint_at_top(const char *key, const struct names *near, char ret[NEAREST_HINT])
{
	const char *other = other_hint(key);

	if (other)
		(void)snprintf(ret, NEAREST_HINT, "%s", other);
	else
		nearest_hint(key, near->name, near->n, ret);
}

static bool walk_top(json_t *conf, const struct unknown_visitor *to)
{
	struct names near = { .n = keys_names(IN_NETWORK, "", near.name) };
	const char *key;
	json_t *v;
	void *next;

	add_names(&near, cni_names, ARRAY_SIZE(cni_names));
	json_object_foreach_safe(conf, next, key, v) {
		struct unknown_key u = { .object = conf, .path = "", .key = key };

		u.instead = keys_of_node("", key, v);
		u.kind = u.instead ? UNKNOWN_OF_NODE : UNKNOWN_IGNORED;
		if (!u.instead && is_known_at_top(conf, key, v))
			continue;
		if (!u.instead)
			hint_at_top(key, &near, u.hint);
		if (!to->found(&u, to->arg))
			return false;
	}
	return true;
}

/* An object whose members are all ours; no object is looked at elsewhere. */
static bool walk_own(json_t *o, const char *path, const struct unknown_visitor *to)
{
	const char *key;
	json_t *v;
	void *next;

	json_object_foreach_safe(o, next, key, v) {
		struct unknown_key u = { .object = o, .path = path, .key = key };

		u.instead = keys_of_node(path, key, v);
		u.kind = u.instead ? UNKNOWN_OF_NODE : UNKNOWN_REFUSED;
		if (!u.instead && keys_are_known(path, key))
			continue;
		if (!u.instead)
			keys_hint(IN_NETWORK, path, key, u.hint);
		if (!to->found(&u, to->arg))
			return false;
	}
	return true;
}

/* One that others have a part in, whose members have one spelling; perhaps most of it is theirs. */
static bool walk_shared(json_t *o, const char *path, const struct names *known, bool most,
			const struct unknown_visitor *to)
{
	const char *key;
	json_t *v;
	void *next;

	json_object_foreach_safe(o, next, key, v) {
		struct unknown_key u = { .object = o, .path = path, .key = key };

		if (has_name(known->name, known->n, key) || is_foreign(key))
			continue;
		nearest_hint(key, known->name, known->n, u.hint);
		if (most && !*u.hint)
			continue;
		if (!to->found(&u, to->arg))
			return false;
	}
	return true;
}

static bool walk_all_own(const json_t *conf, const struct unknown_visitor *to)
{
	char path[KEY_NAME_MAX];
	json_t *o;

	for (const struct key_object *k = key_objects; k < key_objects + key_objects_n; k++)
		for (size_t i = 0; (o = keys_object(conf, k->path, i, path)); i++)
			if (k->members != MEMBERS_SHARED && !walk_own(o, path, to))
				return false;
	return true;
}

void unknown_keys(json_t *conf, const struct unknown_visitor *to)
{
	struct names capabilities = { .n = 0 }, dns = { .n = 0 }, pod = { .n = 0 };

	if (!walk_top(conf, to) || !walk_all_own(conf, to))
		return;
	dns.n = keys_names(IN_NETWORK, "dns", dns.name);
	pod.n = keys_names(IN_ARGS_CNI, "", pod.name);
	capabilities.n = keys_names(IN_RUNTIME_CONFIG, "", capabilities.name);
	add_names(&capabilities, capability_names, ARRAY_SIZE(capability_names));
	if (!walk_shared(json_object_get(conf, "dns"), "dns", &dns, false, to) ||
	    !walk_shared(json_object_get(conf, "capabilities"), "capabilities", &capabilities,
			 false, to) ||
	    !walk_shared(json_object_get(conf, "runtimeConfig"), "runtimeConfig", &capabilities,
			 true, to))
		return;
	(void)walk_shared(json_object_get(json_object_get(conf, "args"), "cni"), "args.cni", &pod,
			  true, to);
}

void unknown_list_keys(json_t *list, const struct unknown_visitor *to)
{
	const char *key;
	json_t *v;
	void *next;

	json_object_foreach_safe(list, next, key, v) {
		struct unknown_key u = { .object = list, .path = "", .key = key };

		if (has_name(list_names, ARRAY_SIZE(list_names), key) || is_foreign(key))
			continue;
		u.kind = keys_are_known("", key) ? UNKNOWN_OF_PLUGIN : UNKNOWN_IGNORED;
		nearest_hint(key, list_names, ARRAY_SIZE(list_names), u.hint);
		if (*u.hint)
			u.kind = UNKNOWN_IGNORED;
		if (!to->found(&u, to->arg))
			return;
	}
}

void unknown_text(const struct unknown_key *u, char ret[256])
{
	static const char *const says[] = {
		[UNKNOWN_IGNORED] = "unknown key", [UNKNOWN_REFUSED] = "unknown key",
		[UNKNOWN_OF_NODE] = ("not in a network configuration, set this in the node's own "
				     "file: "),
		[UNKNOWN_OF_PLUGIN] = "without effect here, set it in an object of plugins",
	};

	(void)snprintf(ret, 256, "%s%s%.64s: %s%s%s", u->path, *u->path ? "." : "", u->key,
		       says[u->kind], u->hint, u->instead ? u->instead : "");
}
