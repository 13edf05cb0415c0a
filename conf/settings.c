/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - the keys that the node's file and a configuration have in common, and the node's */
#include "conf/settings.h"

#include "base/jx.h"

#include <string.h>

struct path_key {
	const char *name;
	size_t offset;
};

static const struct path_key path_keys[] = {
	{ "devinfoDir", offsetof(struct settings, devinfo_dir) },
	{ "stateDir", offsetof(struct settings, state_dir) },
	{ "runDir", offsetof(struct settings, run_dir) },
	{ "kubeletSocket", offsetof(struct settings, kubelet_socket) },
	{ "kubeletDir", offsetof(struct settings, kubelet_dir) },
	{ "sriovStateDir", offsetof(struct settings, sriov_state_dir) },
};

static const struct path_key socket_dir_key = {
	"socketDir", offsetof(struct settings, socket_dir)
};

static const char *const node_keys[] = { "socketDir", "switchPrograms" };

static const char *const log_keys[] = { "logFile", "logLevel" };

static const struct path_key ms_keys[] = {
	{ "podResourcesTimeoutMs", offsetof(struct settings, podres_timeout_ms) },
	{ "lockTimeoutMs", offsetof(struct settings, lock_timeout_ms) },
	{ "ipamTimeoutMs", offsetof(struct settings, ipam_timeout_ms) },
};

static bool is_path(const char *s)
{
	return *s == '/' && !strstr(s, "/../") && strlen(s) <= 1024;
}

static int take_path(const json_t *o, const struct path_key *k, struct settings *ret, struct err *e)
{
	const char *path = NULL;
	int r = jx_string(o, "", k->name, &path, e);

	if (r <= 0 || !*path)
		return r < 0 ? -1 : 0;
	if (!is_path(path))
		return err_set(e, ERR_NETCONF, 0, "%s: '%.64s' is no absolute path", k->name, path);
	memcpy((char *)ret + k->offset, &path, sizeof(path));
	return 0;
}

static int take_ms(const json_t *o, const struct path_key *k, struct settings *ret, struct err *e)
{
	json_int_t n;
	unsigned int ms;
	int r = jx_int(o, "", k->name, 1, 120000, &n, e);

	if (r <= 0)
		return r;
	ms = (unsigned int)n;
	memcpy((char *)ret + k->offset, &ms, sizeof(ms));
	return 0;
}

/* sriov-cni takes any string for its log, and no pod has to wait for a better one. */
static int take_log(const json_t *o, struct settings *ret, struct err *e)
{
	const char *file = NULL, *level = NULL;

	if (jx_string(o, "", "logFile", &file, e) < 0 ||
	    jx_string(o, "", "logLevel", &level, e) < 0)
		return -1;
	if (file && is_path(file))
		ret->log_file = file;
	else if (file && *file)
		ret->odd_log_file = file;
	if (level && *level && !log_level_from_name(level, &ret->log_level))
		ret->odd_log_level = level;
	return 0;
}

static int take_programs(const json_t *o, struct settings *ret, struct err *e)
{
	json_t *list = NULL;
	const json_t *v;
	size_t i;

	if (jx_array(o, "", "switchPrograms", &list, e) < 0)
		return -1;
	json_array_foreach(list, i, v)
		if (!json_is_string(v) || !is_path(json_string_value(v)))
			return err_set(e, ERR_NETCONF, 0, "switchPrograms[%zu]: '%.64s' is no "
				       "absolute path", i,
				       json_is_string(v) ? json_string_value(v) : "");
	ret->switch_programs = list;
	return 0;
}

int settings_take_node(const json_t *o, struct settings *ret, struct err *e)
{
	struct err later;	/* the first is the one to tell */
	int r = take_path(o, &socket_dir_key, ret, e);

	return take_programs(o, ret, r < 0 ? &later : e) < 0 || r < 0 ? -1 : 0;
}

int settings_refuse_node(const json_t *o, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(node_keys); i++) {
		const json_t *v = json_object_get(o, node_keys[i]);

		if (!v || json_is_null(v) || (json_is_string(v) && !json_string_length(v)))
			continue;
		(void)err_set(e, ERR_NETCONF, 0, "%s: not in a network configuration",
			      node_keys[i]);
		return err_detail(e, "want it in the node's own file, and nowhere else");
	}
	return 0;
}

int settings_from_json(const json_t *o, struct settings *ret, struct err *e)
{
	struct err later;	/* the first is the one to tell */
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(path_keys); i++)
		if (take_path(o, &path_keys[i], ret, r < 0 ? &later : e) < 0)
			r = -1;
	for (size_t i = 0; i < ARRAY_SIZE(ms_keys); i++)
		if (take_ms(o, &ms_keys[i], ret, r < 0 ? &later : e) < 0)
			r = -1;
	if (take_log(o, ret, r < 0 ? &later : e) < 0)
		r = -1;
	return r;
}

int settings_knows(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(path_keys); i++)
		if (strcmp(key, path_keys[i].name) == 0)
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(ms_keys); i++)
		if (strcmp(key, ms_keys[i].name) == 0)
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(log_keys); i++)
		if (strcmp(key, log_keys[i]) == 0)
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(node_keys); i++)
		if (strcmp(key, node_keys[i]) == 0)
			return 1;
	return 0;
}
