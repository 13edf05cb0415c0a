/* SPDX-License-Identifier: Apache-2.0 */
/*
 * podman.c - where podman looks for CNI plugins and networks
 *
 * Of TOML as much is read as three keys of one table need: texts in quotes, one or a list of them.
 */
#include "manager/doctor/podman.h"

#include "base/fs.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { CONF_MAX = 1 << 20 };

#define BACKEND_FILE "/var/lib/containers/storage/defaultNetworkBackend"

/* Behind the '=' of a key of the table [network]; NULL: it does not say. */
static const char *find_value(const char *text, const char *key)
{
	bool in_table = false;
	size_t len = strlen(key);

	for (const char *p = text; *p; p += *p == '\n') {
		p += strspn(p, " \t");
		if (*p == '[')
			in_table = strncmp(p, "[network]", strlen("[network]")) == 0;
		if (in_table && strncmp(p, key, len) == 0 &&
		    p[len + strspn(p + len, " \t")] == '=')
			return p + len + strspn(p + len, " \t") + 1;
		p += strcspn(p, "\n");
	}
	return NULL;
}

/* One text, or those of a list with ':' between them; what is none of it is left alone. */
static void take_texts(const char *value, char *ret, size_t size)
{
	char all[1024] = "";
	size_t used = 0;
	bool is_list;

	value += strspn(value, " \t");
	is_list = *value == '[';
	for (value += is_list; *value && *value != ']'; value++) {
		size_t len = *value == '"' || *value == '\'' ? strcspn(value + 1, "\"'\n") : 0;

		if (*value == '#')
			value += strcspn(value, "\n") - 1;
		if (len > 0 && used + len + 2 < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%.*s",
						 used ? ":" : "", (int)len, value + 1);
		value += len > 0 ? len + 1 : 0;
		if (!is_list)
			break;
	}
	if (used > 0 && used < size)
		(void)snprintf(ret, size, "%s", all);
}

static void read_conf(const struct host *host, const char *dir_name, struct podman *ret,
		      char backend[64])
{
	const struct {
		const char *key;
		char *to;
		size_t size;
	} keys[] = {
		{ "cni_plugin_dirs", ret->plugin_dirs, sizeof(ret->plugin_dirs) },
		{ "network_config_dir", ret->network_dir, sizeof(ret->network_dir) },
		{ "network_backend", backend, 64 },
	};
	auto_close int dir = -1;
	auto_free char *text = NULL;
	struct err ignored;
	size_t len;

	if (fs_find_dir(host->root, dir_name, &dir, &ignored) <= 0 ||
	    fs_read_file(dir, "containers.conf", CONF_MAX, &text, &len, &ignored) <= 0)
		return;
	ret->has_cni = true;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = find_value(text, keys[i].key);

		if (value)
			take_texts(value, keys[i].to, keys[i].size);
	}
}

void podman_find(const struct host *host, struct podman *ret)
{
	char backend[64] = "", noted[64] = "";
	struct err ignored;

	*ret = (struct podman){
		.plugin_dirs = "/usr/local/libexec/cni:/usr/libexec/cni:/usr/local/lib/cni:"
			       "/usr/lib/cni:/opt/cni/bin",
	};
	read_conf(host, "/usr/share/containers", ret, backend);
	read_conf(host, "/etc/containers", ret, backend);
	if (fs_read_line(host->root, noted, sizeof(noted), &ignored, BACKEND_FILE) > 0)
		ret->has_cni = true;
	if (strcmp(*backend ? backend : noted, "netavark") == 0)
		ret->has_cni = false;
}
