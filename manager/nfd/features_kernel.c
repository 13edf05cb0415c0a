/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features_kernel.c - NFD's features of the kernel: version, configuration, modules, SELinux, KVM
 *
 * All is read below the root.  The configuration is looked for where NFD does, but for
 * /proc/config.gz, which would take a decompressor.
 */
#include "manager/nfd/features_part.h"

#include "base/fs.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CONFIG_MAX = 4 << 20, MODULES_MAX = 1 << 20 };

/* -- lines of a text -- */

typedef void line_fn(char *line, json_t *features);

/* Each line, which may be changed. */
static void each_line(char *text, line_fn *fn, json_t *features)
{
	char *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line)
			fn(line, features);
}

/* -- version -- */

/* What a label may be: NFD makes the version one before it is taken apart. */
static void clean_version(const char *release, char *ret, size_t size)
{
	char text[128];
	size_t n;

	(void)snprintf(text, sizeof(text), "%s", release);
	for (char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
			*p = '_';
	for (n = strlen(text); n > 0 && strchr("-_.", text[n - 1]); n--)
		text[n - 1] = '\0';
	(void)snprintf(ret, size, "%s", text + strspn(text, "-_."));
}

/* A number, behind a point but for the first; none is an empty text. */
static const char *take_number(const char *at, bool is_first, char ret[16])
{
	const char *from = is_first ? at : at + (*at == '.');
	size_t n = *at == '.' || is_first ? strspn(from, "0123456789") : 0;

	*ret = '\0';
	if (n == 0 || n >= 16)
		return at;
	(void)snprintf(ret, 16, "%.*s", (int)n, from);
	return from + n;
}

/* 6.1.0-13-amd64; of one that goes on otherwise, as 6.12.48+deb13 does, NFD knows no number. */
static void put_version(const char *release, json_t *features)
{
	char full[128], major[16], minor[16], revision[16];
	const char *end;

	clean_version(release, full, sizeof(full));
	if (!*full)
		return;
	features_put(features, "kernel.version", "full", full);
	end = take_number(full, true, major);
	end = take_number(end, false, minor);
	end = take_number(end, false, revision);
	if (!*major || (*end && *end != '-'))
		return;
	features_put(features, "kernel.version", "major", major);
	features_put(features, "kernel.version", "minor", minor);
	features_put(features, "kernel.version", "revision", revision);
}

/* -- configuration -- */

static char *read_config(const struct host *host, const char *release)
{
	static const char *const versioned[][2] = {
		{ "/usr/src/linux-", "/.config" }, { "/usr/lib/modules/", "/config" },
		{ "/lib/modules/", "/config" }, { "/usr/lib/ostree-boot/config-", "" },
		{ "/usr/lib/kernel/config-", "" }, { "/usr/src/linux-headers-", "/.config" },
		{ "/lib/modules/", "/build/.config" }, { "/boot/config-", "" },
	};
	char *text = NULL;

	for (size_t i = 0; !text && i < ARRAY_SIZE(versioned); i++)
		text = features_read(host, CONFIG_MAX, "%s%s%s", versioned[i][0], release,
				     versioned[i][1]);
	return text;
}

/* CONFIG_NAME=VALUE, which may be quoted. */
static void put_option(char *line, json_t *features)
{
	static const char prefix[] = "CONFIG_";
	char *value = strchr(line, '=');
	size_t n;

	if (strncmp(line, prefix, sizeof(prefix) - 1) != 0 || !value)
		return;
	*value++ = '\0';
	value += strspn(value, "\"");
	for (n = strlen(value); n > 0 && value[n - 1] == '"'; n--)
		value[n - 1] = '\0';
	features_put(features, "kernel.config", line + sizeof(prefix) - 1, value);
}

/* -- modules -- */

static void put_loaded(char *line, json_t *features)
{
	line[strcspn(line, " \t")] = '\0';
	features_put_flag(features, "kernel.loadedmodule", line);
}

/* kernel/drivers/net/veth.ko; with those that are loaded they are what is enabled. */
static void put_built_in(char *line, json_t *features)
{
	char *name = strrchr(line, '/'), *end = strrchr(line, '.');

	name = name ? name + 1 : line;
	if (!end || end < name || strcmp(end, ".ko") != 0)
		return;
	*end = '\0';
	features_put_flag(features, "kernel.enabledmodule", name);
}

static void put_modules(const struct host *host, const char *release, json_t *features)
{
	auto_free char *loaded = features_read(host, MODULES_MAX, "/proc/modules");
	auto_free char *built_in = features_read(host, MODULES_MAX,
						 "/lib/modules/%s/modules.builtin", release);

	if (loaded) {
		(void)features_flags(features, "kernel.loadedmodule");
		each_line(loaded, put_loaded, features);
	}
	if (!built_in)
		return;
	(void)json_object_update(features_flags(features, "kernel.enabledmodule"),
				 features_flags(features, "kernel.loadedmodule"));
	each_line(built_in, put_built_in, features);
}

/* -- what is there or not -- */

static void put_switches(const struct host *host, json_t *features)
{
	char enforce[8] = "";
	struct err ignored;

	if (fs_exists(host->root, &ignored, "/sys/fs") > 0) {
		(void)!fs_read_line(host->root, enforce, sizeof(enforce), &ignored,
				    "/sys/fs/selinux/enforce");
		features_put(features, "kernel.selinux", "enabled",
			     *enforce == '1' ? "true" : "false");
	}
	features_put(features, "kernel.kvm", "enabled",
		     fs_exists(host->root, &ignored, "/sys/devices/virtual/misc/kvm") > 0 ?
			     "true" : "false");
}

void features_of_kernel(const struct host *host, const struct inventory *inv, json_t *features)
{
	const char *release = inv->node.kernel;
	bool is_file = *release && !strchr(release, '/') && *release != '.';
	auto_free char *config = is_file ? read_config(host, release) : NULL;

	put_version(release, features);
	if (config)
		each_line(config, put_option, features);
	put_modules(host, is_file ? release : "-", features);
	put_switches(host, features);
}
