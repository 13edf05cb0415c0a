/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - the keys of the node's file, and those of them that a network may say as well */
#include "conf/settings.h"

#include "base/jx.h"
#include "base/name.h"
#include "conf/socket_path.h"

#include <ctype.h>
#include <string.h>

/* What is read of a value, and where it goes. */
struct setting {
	const char *name;
	int (*take)(const json_t *o, const char *key, void *ret, struct err *e);
	size_t offset;
};

static bool is_path(const char *s)
{
	return *s == '/' && !strstr(s, "/../") && strlen(s) <= 1024;
}

/* An empty one is as good as absent. */
static int take_text(const json_t *o, const char *key, const char **ret, struct err *e)
{
	const char *v = NULL;

	if (jx_string(o, "", key, &v, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	*ret = v;
	return 1;
}

/* "/run/x/" is "/run/x" from here on, for paths are compared with those of records. */
static int take_path(const json_t *o, const char *key, void *ret, struct err *e)
{
	const char *path;
	int r = take_text(o, key, &path, e);
	size_t len;

	if (r <= 0)
		return r;
	if (!is_path(path))
		return err_set(e, ERR_NETCONF, 0, "%s: '%.64s' is no absolute path", key, path);
	for (len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		;
	(void)json_string_setn(json_object_get(o, key), path, len);
	*(const char **)ret = json_string_value(json_object_get(o, key));
	return 0;
}

/* In a socket's address, or the address itself. */
static int take_socket_path(const json_t *o, const char *key, void *ret, struct err *e)
{
	const char *path;
	int r = take_text(o, key, &path, e);

	if (r <= 0)
		return r;
	if (socket_path_check(path, key, e) < 0)
		return -1;
	*(const char **)ret = path;
	return 0;
}

/* The prefix is how Open vSwitch's own programs take it. */
static int take_ovs_db(const json_t *o, const char *key, void *ret, struct err *e)
{
	static const char prefix[] = "unix:";
	const char *path;
	int r = take_text(o, key, &path, e);

	if (r <= 0)
		return r;
	if (strncmp(path, prefix, sizeof(prefix) - 1) == 0)
		path += sizeof(prefix) - 1;
	if (socket_path_check(path, key, e) < 0)
		return -1;
	*(const char **)ret = path;
	return 0;
}

/* As the variable CNI_PATH has it: directories with colons between them. */
static int take_dirs(const json_t *o, const char *key, void *ret, struct err *e)
{
	const char *dirs;
	int r = take_text(o, key, &dirs, e);

	if (r <= 0)
		return r;
	for (const char *p = dirs;; p++) {
		if (*p != '/' || strlen(dirs) > 1024)
			return err_set(e, ERR_NETCONF, 0, "%s: '%.64s': expected absolute "
				       "directories with ':' between them", key, dirs);
		p += strcspn(p, ":");
		if (!*p)
			break;
	}
	*(const char **)ret = dirs;
	return 0;
}

static int take_ms(const json_t *o, const char *key, void *ret, struct err *e)
{
	json_int_t n = 0;
	int r = jx_int(o, "", key, 1, 120000, &n, e);

	if (r > 0)
		*(unsigned int *)ret = (unsigned int)n;
	return r < 0 ? -1 : 0;
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

static int take_list(const json_t *o, const char *key, bool (*is)(const char *s), const char *what,
		     const json_t **ret, struct err *e)
{
	json_t *list = NULL;
	const json_t *v;
	size_t i;

	if (jx_array(o, "", key, &list, e) < 0)
		return -1;
	json_array_foreach(list, i, v)
		if (!json_is_string(v) || !is(json_string_value(v)))
			return err_set(e, ERR_NETCONF, 0, "invalid %s[%zu] '%.64s': must be %s",
				       key, i, json_is_string(v) ? json_string_value(v) : "", what);
	if (list)
		*ret = list;
	return 0;
}

static int take_programs(const json_t *o, const char *key, void *ret, struct err *e)
{
	return take_list(o, key, is_path, "an absolute path", ret, e);
}

static int take_patterns(const json_t *o, const char *key, void *ret, struct err *e)
{
	return take_list(o, key, is_pattern, "a pattern of 1 to 128 characters without blanks", ret,
			 e);
}

static int take_drivers(const json_t *o, const char *key, void *ret, struct err *e)
{
	return take_list(o, key, name_is_file, "the name of a driver", ret, e);
}

static int take_devices(const json_t *o, const char *key, void *ret, struct err *e)
{
	const char *devices;
	int r = take_text(o, key, &devices, e);

	if (r <= 0)
		return r;
	if (strcmp(devices, "kubelet") != 0 && strcmp(devices, "any") != 0)
		return err_set(e, ERR_NETCONF, 0, "invalid %s '%.64s': must be \"any\" or "
			       "\"kubelet\"", key, devices);
	*(bool *)ret = strcmp(devices, "kubelet") == 0;
	return 0;
}

int settings_overrides(const json_t *o, const json_t **ret, struct err *e)
{
	json_t *list = NULL;
	const json_t *v;
	size_t i;

	if (jx_strings(o, "", "podMayOverride", &list, e) < 0)
		return -1;
	json_array_foreach(list, i, v)
		if (!key_is_shared_with_pod(json_string_value(v)))
			return err_set(e, ERR_NETCONF, 0, "podMayOverride[%zu]: '%.64s': expected "
				       "mac, mtu, guid or resourceName", i, json_string_value(v));
	if (list)
		*ret = list;
	return 0;
}

static int take_overrides(const json_t *o, const char *key, void *ret, struct err *e)
{
	(void)key;
	return settings_overrides(o, ret, e);
}

/* sriov-cni takes any string for its log, and no pod has to wait for a better one. */
static int take_wanted_level(const json_t *o, const char *key, void *ret, struct err *e)
{
	struct settings *set = ret;
	const char *level;
	int r = take_text(o, key, &level, e);

	if (r > 0 && !log_level_from_name(level, &set->wanted_log_level))
		set->odd_log_level = level;
	return r < 0 ? -1 : 0;
}

/* What networks say nothing of is logged as the node's file says. */
static int take_level(const json_t *o, const char *key, void *ret, struct err *e)
{
	struct settings *set = ret;
	int r = take_wanted_level(o, key, ret, e);

	set->log_level = set->wanted_log_level;
	return r;
}

static int take_log_file(const json_t *o, const char *key, void *ret, struct err *e)
{
	struct settings *set = ret;
	const char *file;
	int r = take_text(o, key, &file, e);

	if (r > 0 && is_path(file))
		set->log_file = file;
	else if (r > 0)
		set->odd_log_file = file;
	return r < 0 ? -1 : 0;
}

/* Where it is, who opens it has to see. */
static int take_wanted_log_file(const json_t *o, const char *key, void *ret, struct err *e)
{
	struct settings *set = ret;

	return take_text(o, key, &set->wanted_log_file, e) < 0 ? -1 : 0;
}

#define AT(member) offsetof(struct settings, member)

static const struct setting settings[] = {
	{ "devinfoDir", take_path, AT(devinfo_dir) },
	{ "stateDir", take_path, AT(state_dir) },
	{ "runDir", take_path, AT(run_dir) },
	{ "kubeletSocket", take_path, AT(kubelet_socket) },
	{ "kubeletDir", take_path, AT(kubelet_dir) },
	{ "sriovStateDir", take_path, AT(sriov_state_dir) },
	{ "socketDir", take_path, AT(socket_dir) },
	{ "switchDir", take_socket_path, AT(switch_dir) },
	{ "hostDirs", take_patterns, AT(host_dirs) },
	{ "ovsDb", take_ovs_db, AT(ovs_db) },
	{ "ovsSocketDir", take_socket_path, AT(ovs_socket_dir) },
	{ "switchPrograms", take_programs, AT(switch_programs) },
	{ "devices", take_devices, AT(only_kubelets) },
	{ "allowDevices", take_patterns, AT(allow_devices) },
	{ "denyDevices", take_patterns, AT(deny_devices) },
	{ "drivers", take_drivers, AT(drivers) },
	{ "cniPath", take_dirs, AT(cni_path) },
	{ "logDir", take_path, AT(log_dir) },
	{ "podMayOverride", take_overrides, AT(pod_may_override) },	/* a network's: netconf.c */
	{ "podResourcesTimeoutMs", take_ms, AT(podres_timeout_ms) },
	{ "lockTimeoutMs", take_ms, AT(lock_timeout_ms) },
	{ "ipamTimeoutMs", take_ms, AT(ipam_timeout_ms) },
	{ "logLevel", take_level, 0 },
	{ "logFile", take_log_file, 0 },
};

/* Of a network the log is a wish. */
static int take(const struct setting *s, const json_t *o, enum key_in in, struct settings *ret,
		struct err *e)
{
	if (in == IN_NETWORK && s->take == take_log_file)
		return take_wanted_log_file(o, s->name, ret, e);
	if (in == IN_NETWORK && s->take == take_level)
		return take_wanted_level(o, s->name, ret, e);
	return s->take(o, s->name, (char *)ret + s->offset, e);
}

int settings_take(const json_t *o, enum key_in in, struct settings *ret, struct err *e)
{
	struct err later = { .code = ERR_OK };	/* the first is the one to tell */
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (key_find(in, settings[i].name) &&
		    take(&settings[i], o, in, ret, r < 0 ? &later : e) < 0)
			r = -1;
	return r;
}
