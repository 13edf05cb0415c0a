/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - all that is read: who may say it, where it stands, and in which place of a chain */
#include "conf/keys.h"

#include "base/jx.h"
#include "base/nearest.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define DEVICE_PLACES	(AT_OWNER | AT_CHAINED | AT_META)
#define INTERFACE_PLACES (AT_OWNER | AT_SOCKET)

#define NODE(key)	  { IN_NODE_FILE, VOICE_NODE, key, 0, NULL }
#define NETWORK(key, at)  { IN_NETWORK, VOICE_NETWORK, key, at, NULL }
#define BOTH(key)	  NODE(key), NETWORK(key, ANYWHERE)
#define RUNTIME(in, key)  { in, VOICE_RUNTIME, key, 0, NULL }
#define POD(in, key)	  { in, VOICE_POD, key, 0, NULL }
#define OPTION(key)	  { IN_OPTIONS, VOICE_NODE, key, 0, NULL }

/* What vhostUser and memif have in common. */
#define SOCKET_MEMBERS(o)                                                                    \
	NETWORK(o ".hostDir", AT_SOCKET), NETWORK(o ".containerDir", AT_SOCKET),             \
	NETWORK(o ".socket", AT_SOCKET), NETWORK(o ".uid", AT_SOCKET),                       \
	NETWORK(o ".gid", AT_SOCKET), NETWORK(o ".dirMode", AT_SOCKET),                      \
	NETWORK(o ".socketMode", AT_SOCKET), NETWORK(o ".selinuxLabel", AT_SOCKET),          \
	NETWORK(o ".waitMs", AT_SOCKET)

const struct key key_table[] = {
	/* where things are on the node, and what may be run and given away there */
	NODE("devinfoDir"), NODE("stateDir"), NODE("runDir"), NODE("kubeletSocket"),
	NODE("kubeletDir"), NODE("sriovStateDir"), NODE("socketDir"), NODE("switchDir"),
	NODE("hostDirs"), NODE("ovsDb"), NODE("ovsSocketDir"), NODE("switchPrograms"),
	NODE("cniPath"), NODE("logDir"), NODE("root"),

	/* which devices it gives away, and to which drivers */
	NODE("devices"), NODE("allowDevices"), NODE("denyDevices"), NODE("drivers"),

	BOTH("logFile"), BOTH("logLevel"), BOTH("podResourcesTimeoutMs"), BOTH("lockTimeoutMs"),
	BOTH("ipamTimeoutMs"), BOTH("podMayOverride"),

	NETWORK("cniVersion", ANYWHERE), NETWORK("name", ANYWHERE), NETWORK("type", ANYWHERE),
	NETWORK("capabilities", ANYWHERE),
	{ IN_NETWORK, VOICE_RUNTIME, "prevResult", ANYWHERE, NULL },
	{ IN_NETWORK, VOICE_RUNTIME, "runtimeConfig", ANYWHERE, NULL },
	{ IN_NETWORK, VOICE_POD, "args", ANYWHERE, NULL }, NETWORK("delegate", AT_META | AT_SOCKET),
	NETWORK("delegates", AT_META | AT_SOCKET),

	/* which device */
	NETWORK("deviceID", ANYWHERE), NETWORK("pciBusID", ANYWHERE), NETWORK("device", AT_OWNER),
	NETWORK("resourceName", ANYWHERE), NETWORK("claim", ANYWHERE), NETWORK("request", ANYWHERE),

	/* the function, its representor, its RDMA device */
	NETWORK("vlan", ANYWHERE), NETWORK("vlanQoS", DEVICE_PLACES),
	NETWORK("vlanProto", DEVICE_PLACES), NETWORK("spoofchk", DEVICE_PLACES),
	NETWORK("trust", DEVICE_PLACES), NETWORK("link_state", DEVICE_PLACES),
	NETWORK("min_tx_rate", DEVICE_PLACES), NETWORK("max_tx_rate", DEVICE_PLACES),
	NETWORK("bridge", DEVICE_PLACES), NETWORK("trunk", ANYWHERE),
	NETWORK("trunk[].id", ANYWHERE), NETWORK("trunk[].minID", ANYWHERE),
	NETWORK("trunk[].maxID", ANYWHERE),
	NETWORK("setUplinkVlan", DEVICE_PLACES), NETWORK("guid", AT_OWNER),
	NETWORK("pkey", DEVICE_PLACES), NETWORK("rdmaIsolation", AT_OWNER),
	NETWORK("ibKubernetesEnabled", DEVICE_PLACES), NETWORK("driver", AT_OWNER),
	{ IN_NETWORK, VOICE_NETWORK, "releasePolicy", AT_OWNER, "restore" },
	NETWORK("resetOnRelease", AT_OWNER),

	NETWORK("vdpa", AT_OWNER), NETWORK("vdpa.driver", AT_OWNER),
	NETWORK("vdpa.switchDriver", AT_OWNER), NETWORK("vdpa.mgmtdev", AT_OWNER),
	NETWORK("vdpa.create", AT_OWNER), NETWORK("vdpa.mac", AT_OWNER),
	NETWORK("vdpa.mtu", AT_OWNER), NETWORK("vdpa.maxVqp", AT_OWNER),
	NETWORK("vdpa.features", AT_OWNER), NETWORK("vdpa.nodeOwner", AT_OWNER),
	NETWORK("vdpa.nodeMode", AT_OWNER),

	/* the interface */
	NETWORK("mac", ANYWHERE), NETWORK("mtu", ANYWHERE), NETWORK("ipam", ANYWHERE),
	NETWORK("ipam.type", INTERFACE_PLACES), NETWORK("dns", ANYWHERE),

	/* the socket, and the switch that its other end, or a representor, is a port of */
	NETWORK("vhostUser", AT_SOCKET), NETWORK("vhostUser.mode", AT_SOCKET),
	NETWORK("vhostUser.hostMode", AT_SOCKET), SOCKET_MEMBERS("vhostUser"),
	NETWORK("memif", AT_SOCKET), NETWORK("memif.role", AT_SOCKET),
	NETWORK("memif.hostRole", AT_SOCKET), NETWORK("memif.mode", AT_SOCKET),
	NETWORK("memif.id", AT_SOCKET), NETWORK("memif.secret", AT_SOCKET),
	SOCKET_MEMBERS("memif"),
	NETWORK("switch", ANYWHERE), NETWORK("switch.type", ANYWHERE),
	NETWORK("switch.bridge", ANYWHERE), NETWORK("switch.path", AT_SOCKET),
	NETWORK("switch.config", AT_SOCKET), NETWORK("switch.timeoutMs", ANYWHERE),

	/* the same in the words of userspace-cni; other plugins' keys may be called so, too */
	NETWORK("host", ANYWHERE), NETWORK("container", ANYWHERE),
	NETWORK("sharedDir", ANYWHERE), NETWORK("mappedDir", ANYWHERE),

	RUNTIME(IN_RUNTIME_CONFIG, "deviceID"), RUNTIME(IN_RUNTIME_CONFIG, "CNIDeviceInfoFile"),
	RUNTIME(IN_RUNTIME_CONFIG, "mac"), RUNTIME(IN_RUNTIME_CONFIG, "infinibandGUID"),
	RUNTIME(IN_RUNTIME_CONFIG, "dns"),
	POD(IN_RUNTIME_CONFIG, "io.kubernetes.cri.pod-annotations"),

	POD(IN_ARGS_CNI, "deviceID"), POD(IN_ARGS_CNI, "resourceName"), POD(IN_ARGS_CNI, "mac"),
	POD(IN_ARGS_CNI, "mtu"), POD(IN_ARGS_CNI, "guid"),
	POD(IN_ARGS_CNI, "mellanox.infiniband.app"),

	RUNTIME(IN_CNI_ARGS, "K8S_POD_NAMESPACE"), RUNTIME(IN_CNI_ARGS, "K8S_POD_NAME"),
	RUNTIME(IN_CNI_ARGS, "K8S_POD_UID"), POD(IN_CNI_ARGS, "MAC"), POD(IN_CNI_ARGS, "deviceID"),

	RUNTIME(IN_ENVIRONMENT, "CNI_COMMAND"), RUNTIME(IN_ENVIRONMENT, "CNI_CONTAINERID"),
	RUNTIME(IN_ENVIRONMENT, "CNI_NETNS"), RUNTIME(IN_ENVIRONMENT, "CNI_IFNAME"),
	RUNTIME(IN_ENVIRONMENT, "CNI_ARGS"), RUNTIME(IN_ENVIRONMENT, "CNI_PATH"),
	RUNTIME(IN_ENVIRONMENT, "CNI_NETNS_OVERRIDE"), RUNTIME(IN_ENVIRONMENT, "DEVINFO_CONF"),
	RUNTIME(IN_ENVIRONMENT, "DEVINFO_DEPTH"),

	OPTION("resource"), OPTION("pod"), OPTION("uid"), OPTION("claim"), OPTION("request"),
	OPTION("device"), OPTION("network"), OPTION("interface"), OPTION("side"), OPTION("path"),
	OPTION("mac"), OPTION("id"), OPTION("secret-file"), OPTION("index"), OPTION("memory"),
	OPTION("reconnect"), OPTION("root"), OPTION("devinfo-dir"), OPTION("state-dir"),

	{ IN_FILES, VOICE_NODE, "/etc/cni/net.d/devinfo.d/devinfo.json", 0, NULL },
	{ IN_FILES, VOICE_NODE, "<devinfoDir>/dp/*", 0, NULL },
	{ IN_FILES, VOICE_RUNTIME, "<devinfoDir>/cni/*", 0, NULL },
	{ IN_FILES, VOICE_NODE, "<stateDir>/*", 0, NULL },
	{ IN_FILES, VOICE_NODE, "<runDir>/status/*", 0, NULL },
	{ IN_FILES, VOICE_NODE, "<kubeletSocket>", 0, NULL },
	{ IN_FILES, VOICE_NODE, "<kubeletDir>/device-plugins/*", 0, NULL },
	{ IN_FILES, VOICE_NODE, "<kubeletDir>/plugins/*/dra-device-metadata/*", 0, NULL },
	{ IN_FILES, VOICE_NODE, "/etc/cdi/*, /var/run/cdi/*", 0, NULL },
	{ IN_FILES, VOICE_NODE, "<sriovStateDir>/*", 0, NULL },
	{ IN_FILES, VOICE_POD, "<socketDir>/*", 0, NULL },
};
const size_t key_table_n = ARRAY_SIZE(key_table);

static const char *const in_names[] = {
	"node's file", "network", "runtimeConfig", "args.cni", "CNI_ARGS", "environment",
	"devinfoctl", "file",
};
static_assert(ARRAY_SIZE(in_names) == KEY_INS, "a name for each");

static const char *const voice_names[] = { "node", "network", "pod", "runtime" };
static_assert(ARRAY_SIZE(voice_names) == KEY_VOICES, "a name for each");

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

const struct key *key_find(enum key_in in, const char *name)
{
	for (size_t i = 0; i < key_table_n; i++)
		if (key_table[i].in == in && strcmp(key_table[i].name, name) == 0)
			return &key_table[i];
	return NULL;
}

bool key_is_shared_with_pod(const char *name)
{
	return key_find(IN_ARGS_CNI, name) && key_find(IN_NETWORK, name) &&
	       strcmp(name, "deviceID") != 0;
}

const char *key_in_name(enum key_in in)
{
	return in_names[in];
}

const char *key_voice_name(enum key_voice voice)
{
	return voice_names[voice];
}

void key_places_text(unsigned int places, char ret[48])
{
	static const char *const names[] = { "owner", "chained", "meta", "socket" };

	(void)snprintf(ret, 48, "%s", places == ANYWHERE ? "anywhere" : "");
	for (size_t i = 0; i < ARRAY_SIZE(names) && places != ANYWHERE; i++)
		if (places >> i & 1)
			(void)snprintf(ret + strlen(ret), 48 - strlen(ret), "%s%s",
				       *ret ? ", " : "", names[i]);
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

/* Where a member's name begins in "switch.db"; the whole of a name without a dot. */
static const char *member_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* The elements of a list, "trunk[2]", have one list of members, "trunk[].id". */
static bool is_member_of(const char *name, const char *path)
{
	size_t len = strcspn(path, "[");

	if (!len)
		return !strchr(name, '.');
	return strncmp(name, path, len) == 0 &&
	       strncmp(name + len, "[].", path[len] ? 3 : 0) == 0 &&
	       name[len + (path[len] ? 2 : 0)] == '.';
}

/* -- the node's file -- */

int keys_check_node(const json_t *doc, struct err *e)
{
	char hint[NEAREST_HINT];
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)doc, name, v)
		if (!key_find(IN_NODE_FILE, name)) {
			keys_hint(IN_NODE_FILE, "", name, hint);
			return err_set(e, ERR_NETCONF, 0, "unknown key '%.64s'%s", name, hint);
		}
	return 0;
}

/* -- a network configuration -- */

static int refuse(const char *path, const char *key, const char *instead, struct err *e)
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
	for (size_t i = 0; i < key_table_n; i++)
		if (key_table[i].in == IN_NODE_FILE && strcasecmp(key_table[i].name, key) == 0)
			return key_find(IN_NETWORK, key_table[i].name) ? NULL : key_table[i].name;
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
			return refuse(path, key, node, e);
		if (!f || !means_something(v))
			continue;
		(void)err_set(e, ERR_NETCONF, 0, "%s.%s: unknown key", path, key);
		return err_detail(e, "use %s instead", f->instead);
	}
	return 0;
}

int keys_check_network(const json_t *doc, struct err *e)
{
	static const char *const objects[] = { "vhostUser", "memif", "switch" };

	if (check_object(doc, "", e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		if (check_object(json_object_get(doc, objects[i]), objects[i], e) < 0)
			return -1;
	return 0;
}

static const json_t *value_of(const json_t *doc, const char *name)
{
	char object[32];
	const char *dot = strchr(name, '.');

	if (!dot)
		return json_object_get(doc, name);
	(void)snprintf(object, sizeof(object), "%.*s", (int)(dot - name), name);
	return json_object_get(json_object_get(doc, object), dot + 1);
}

const struct key *keys_misplaced(const json_t *doc, enum key_place place)
{
	for (size_t i = 0; i < key_table_n; i++)
		if (key_table[i].in == IN_NETWORK && !(key_table[i].places & (unsigned int)place) &&
		    says_something(value_of(doc, key_table[i].name), key_table[i].idle))
			return &key_table[i];
	return NULL;
}

/* -- names in any case -- */

size_t keys_names(enum key_in in, const char *path, const char *names[KEYS_NAMES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < key_table_n && n < KEYS_NAMES_MAX; i++)
		if (key_table[i].in == in && is_member_of(key_table[i].name, path))
			names[n++] = *path ? member_of(key_table[i].name) : key_table[i].name;
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

int keys_check_members(const json_t *o, const char *path, struct err *e)
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

void keys_fold(json_t *o, const char *path)
{
	const char *names[KEYS_NAMES_MAX];

	jx_fold_keys(o, names, keys_names(IN_NETWORK, path, names));
}
