/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - the keys of the node's file, and those of them that a network may say as well */
#include "conf/settings.h"

#include "base/name.h"
#include "conf/listen_address.h"
#include "conf/node.h"
#include "conf/socket_path.h"

#include <ctype.h>
#include <string.h>

/* As the variable CNI_PATH has it. */
static bool is_dirs(const char *text)
{
	for (const char *p = text;; p++) {
		if (*p != '/' || strlen(text) > 1024)
			return false;
		p += strcspn(p, ":");
		if (!*p)
			return true;
	}
}

/* dhcp asks for its lease through the interface. */
static bool is_independent(const char *type)
{
	return name_is_file(type) && strcmp(type, "dhcp") != 0;
}

/* Of a name, as fnmatch(3) has them. */
static bool is_pattern(const char *s)
{
	size_t len = strlen(s);

	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)s[i]))
			return false;
	return len > 0 && len <= 128;
}

/* The prefix is how Open vSwitch's own programs take it. */
static const char *ovs_path(const char *text)
{
	static const char prefix[] = "unix:";

	return strncmp(text, prefix, sizeof(prefix) - 1) ? text : text + sizeof(prefix) - 1;
}

static int check_ovs_db(const char *text, const char *name, struct err *e)
{
	return socket_path_check(ovs_path(text), name, e);
}

static bool take_ovs_db(const char *text, void *ret)
{
	*(const char **)ret = ovs_path(text);
	return true;
}

/* sriov-cni takes any string for its log, and no pod has to wait for a better one. */
static bool take_wanted_level(const char *text, void *ret)
{
	struct settings *set = ret;

	if (!log_level_from_name(text, &set->wanted_log_level))
		set->odd_log_level = text;
	return true;
}

/* What networks say nothing of is logged as the node's file says. */
static bool take_level(const char *text, void *ret)
{
	struct settings *set = ret;

	(void)take_wanted_level(text, ret);
	set->log_level = set->wanted_log_level;
	return true;
}

static bool take_log_file(const char *text, void *ret)
{
	struct settings *set = ret;

	*(key_is_path(text) ? &set->log_file : &set->odd_log_file) = text;
	return true;
}

#define TO(member)	KEY_AT(struct settings, member)
#define PATTERNS	.fits = is_pattern, .must = "a pattern of 1 to 128 bytes without blanks"

/* KEY, KEY=VALUE, KEY:EFFECT or KEY=VALUE:EFFECT, as devinfo/taint has it. */
static bool is_toleration(const char *s)
{
	const char *colon = strrchr(s, ':');
	size_t len = strcspn(s, ":");

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("-_./=", s[i]))
			return false;
	return len > 0 && len <= 400 && *s != '=' &&
	       (!colon || (s + len == colon && (strcmp(colon, ":NoSchedule") == 0 ||
						strcmp(colon, ":NoExecute") == 0)));
}

static const char *const device_choices[] = { "any", "kubelet", NULL };
const char *const pod_override_choices[] = { "mac", "mtu", "guid", "resourceName", NULL };

const struct conf_key node_settings_keys[] = {
	/* where things are on the node, and what may be run and given away there */
	{ "devinfoDir", KEY_PATH, 0, TO(devinfo_dir) },
	{ "stateDir", KEY_PATH, 0, TO(state_dir) },
	{ "runDir", KEY_PATH, 0, TO(run_dir) },
	{ "kubeletSocket", KEY_PATH, 0, TO(kubelet_socket) },
	{ "kubeletDir", KEY_PATH, 0, TO(kubelet_dir) },
	{ "sriovStateDir", KEY_PATH, 0, TO(sriov_state_dir) },
	{ "socketDir", KEY_PATH, 0, TO(socket_dir) },
	{ "switchDir", KEY_TEXT, 0, TO(switch_dir), .check = socket_path_check },
	{ "hostDirs", KEY_TEXTS, 0, TO(host_dirs), PATTERNS },
	{ "socketDirMaxBytes", KEY_INT, 0, TO(socket_dir_max_bytes),
	  .max = 1000000000000000 },
	{ "socketDirMaxInodes", KEY_INT, 0, TO(socket_dir_max_inodes), .max = 2000000 },
	{ "ovsDb", KEY_FORM, 0, TO(ovs_db), .check = check_ovs_db, .take = take_ovs_db },
	{ "ovsSocketDir", KEY_TEXT, 0, TO(ovs_socket_dir), .check = socket_path_check },
	{ "allowPlugins", KEY_TEXTS, 0, TO(allow_plugins), .fits = name_is_file,
	  .must = "the name of a plugin" },
	{ "ipamInParallel", KEY_TEXTS, 0, TO(ipam_in_parallel), .fits = is_independent,
	  .must = "the name of a plugin, and not dhcp, which needs the interface" },
	{ "switchPrograms", KEY_TEXTS, 0, TO(switch_programs), .fits = key_is_path,
	  .must = "an absolute path" },
	{ "cniPath", KEY_TEXT, 0, TO(cni_path), .fits = is_dirs,
	  .must = "absolute directories with ':' between them" },
	{ "logDir", KEY_PATH, 0, TO(log_dir) },

	/* which devices it gives away, and to which drivers */
	{ "devices", KEY_CHOICE, 0, TO(only_kubelets), .choices = device_choices },
	{ "allowDevices", KEY_TEXTS, 0, TO(allow_devices), PATTERNS },
	{ "denyDevices", KEY_TEXTS, 0, TO(deny_devices), PATTERNS },
	{ "allowAddressed", KEY_BOOL, 0, TO(allow_addressed), .by_default = "false" },
	{ "drivers", KEY_TEXTS, 0, TO(drivers), .fits = name_is_file,
	  .must = "the name of a driver" },

	/* what administrators say of devices */
	{ "nodeName", KEY_TEXT, 0, TO(node_name), .fits = name_is_dns_subdomain,
	  .must = "the name of a node" },
	{ "overrides", KEY_BOOL, 0, TO(overrides), .by_default = "true" },
	{ "overridesDir", KEY_PATH, 0, TO(overrides_dir) },
	{ "refuseTainted", KEY_BOOL, 0, TO(refuse_tainted), .by_default = "false" },
	{ "tolerate", KEY_TEXTS, 0, TO(tolerate), .fits = is_toleration,
	  .must = "KEY[=VALUE][:NoSchedule|:NoExecute]" },

	/* the networks that pods may name; the last two as Multus calls them */
	{ "networksDir", KEY_PATH, 0, TO(networks_dir) },
	{ "namespaceIsolation", KEY_BOOL, 0, TO(namespace_isolation), .by_default = "false" },
	{ "globalNamespaces", KEY_TEXTS, 0, TO(global_namespaces), .fits = name_is_dns_label,
	  .must = "a namespace" },

	{ "logFile", KEY_FORM, .take = take_log_file },
	{ "logLevel", KEY_FORM, .take = take_level },
	{ "podMayOverride", KEY_TEXTS, 0, TO(pod_may_override), .choices = pod_override_choices },
	KEY_ROW(DEVINFOD_KEY, KEY_OBJECT, 0),
	KEY_END
};

/* Of the daemon alone. */
const struct conf_key devinfod_keys[] = {
	{ "gcInterval", KEY_INT, 0, TO(gc_interval_s), .max = 86400 },
	{ "requireCarrier", KEY_BOOL, 0, TO(require_carrier), .by_default = "false" },
	{ "resetBeforeStart", KEY_BOOL, 0, TO(reset_before_start), .by_default = "false" },
	{ "metricsAddress", KEY_TEXT, 0, TO(metrics_address), .check = listen_address_check },
	{ "metricsFile", KEY_PATH, 0, TO(metrics_file) },
	KEY_END
};

const struct conf_key node_root_key[] = {
	{ "root", KEY_TEXT, 0, KEY_AT(struct node, root) }, KEY_END
};

const struct conf_key time_limit_keys[] = {
	{ "podResourcesTimeoutMs", KEY_INT, ANYWHERE, TO(podres_timeout_ms), .min = 1,
	  .max = 120000 },
	{ "lockTimeoutMs", KEY_INT, ANYWHERE, TO(lock_timeout_ms), .min = 1, .max = 120000 },
	{ "ipamTimeoutMs", KEY_INT, ANYWHERE, TO(ipam_timeout_ms), .min = 1, .max = 120000 },
	{ "addTimeoutMs", KEY_INT, ANYWHERE, TO(add_timeout_ms), .min = 1, .max = 240000 },
	{ "delTimeoutMs", KEY_INT, ANYWHERE, TO(del_timeout_ms), .min = 1, .max = 240000 },
	{ "gcTimeoutMs", KEY_INT, ANYWHERE, TO(gc_timeout_ms), .min = 1, .max = 240000 },
	KEY_END
};

/* Of a network the log is a wish: where its file is, who opens it has to see. */
const struct conf_key network_log_keys[] = {
	{ "logFile", KEY_TEXT, ANYWHERE, TO(wanted_log_file) },
	{ "logLevel", KEY_FORM, ANYWHERE, .take = take_wanted_level },
	KEY_END
};

int settings_take(const json_t *o, enum key_in in, struct settings *ret, struct err *e)
{
	const struct conf_key *own = in == IN_NODE_FILE ? node_settings_keys : network_log_keys;
	struct err later;		/* the first is the one to tell */
	const json_t *of_daemon = json_object_get(o, DEVINFOD_KEY);
	int r = key_read(o, "", own, ret, e);

	if (key_read(o, "", time_limit_keys, ret, r < 0 ? &later : e) < 0)
		r = -1;
	if (in == IN_NODE_FILE && json_is_object(of_daemon) &&
	    key_read(of_daemon, DEVINFOD_KEY, devinfod_keys, ret, r < 0 ? &later : e) < 0)
		r = -1;
	return r;
}
