/* SPDX-License-Identifier: Apache-2.0 */
/* features_system.c - NFD's features of the system: its name, release and machine */
#include "manager/nfd/features_part.h"

#include "base/fs.h"
#include "base/mem.h"
#include "manager/nfd/features.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { RELEASE_MAX = 65536 };

/* -- the node's name -- */

/* That none can be told, or a wrong one, is no error here. */
int nfd_node_name(const struct host *host, char ret[NFD_NODE_NAME_MAX + 1], struct err *e)
{
	static_assert(NFD_NODE_NAME_MAX + 1 == NODE_NAME_SIZE, "one name");
	if (host_node_name(host, ret, e) == 0)
		return 1;
	return e->code == ERR_NETCONF ? 0 : -1;
}

void nfd_features_set_name(json_t *features, const char *name)
{
	features_put(features, "system.name", "nodename", name);
}

/* -- os-release -- */

/* NFD takes quotes of either kind off both ends, and leaves a backslash. */
static char *unquote(char *value)
{
	size_t n;

	value += strspn(value, "\"'");
	for (n = strlen(value); n > 0 && strchr("\"'", value[n - 1]); n--)
		value[n - 1] = '\0';
	return value;
}

static void put_release_line(char *line, json_t *features)
{
	char *value = strchr(line, '=');

	if (!value || value == line || !value[1])
		return;
	*value++ = '\0';
	for (const char *p = line; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return;
	features_put(features, "system.osrelease", line, unquote(value));
}

/* 12, 24.04: major and minor are there as numbers. */
static void put_release_version(json_t *features)
{
	const json_t *set = features_attributes(features, "system.osrelease");
	const char *version = json_string_value(json_object_get(set, "VERSION_ID"));
	size_t major = version ? strspn(version, "0123456789") : 0, minor = 0;
	char text[64];

	if (major == 0 || major >= sizeof(text))
		return;
	if (version[major] == '.')
		minor = strspn(version + major + 1, "0123456789");
	if ((version[major] && version[major] != '.') || minor >= sizeof(text) ||
	    (minor > 0 && version[major + 1 + minor] && version[major + 1 + minor] != '.'))
		return;
	(void)snprintf(text, sizeof(text), "%.*s", (int)major, version);
	features_put(features, "system.osrelease", "VERSION_ID.major", text);
	if (minor == 0)
		return;
	(void)snprintf(text, sizeof(text), "%.*s", (int)minor, version + major + 1);
	features_put(features, "system.osrelease", "VERSION_ID.minor", text);
}

static void put_release(const struct host *host, json_t *features)
{
	auto_free char *text = features_read(host, RELEASE_MAX, "/etc/os-release");
	char *rest = text, *line;

	if (!text)
		return;
	while (rest && (line = strsep(&rest, "\n")))
		put_release_line(line, features);
	put_release_version(features);
}

/* -- the machine -- */

static void put_machine(const struct host *host, json_t *features)
{
	static const char *const names[] = { "sys_vendor", "product_name" };
	char text[128];
	struct err ignored;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (fs_read_line(host->root, text, sizeof(text), &ignored,
				 "/sys/devices/virtual/dmi/id/%s", names[i]) > 0)
			features_put(features, "system.dmiid", names[i], text);
}

void features_of_system(const struct host *host, json_t *features)
{
	char name[NFD_NODE_NAME_MAX + 1];
	struct err ignored;

	if (nfd_node_name(host, name, &ignored) > 0)
		nfd_features_set_name(features, name);
	put_release(host, features);
	put_machine(host, features);
}
