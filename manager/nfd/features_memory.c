/* SPDX-License-Identifier: Apache-2.0 */
/* features_memory.c - NFD's features of memory that matter to devices: NUMA nodes, huge pages */
#include "manager/nfd/features_part.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HUGE_DIR "/sys/kernel/mm/hugepages"

static int count_one(const char *name, void *arg, struct err *e)
{
	(void)e;
	*(unsigned int *)arg += name_is_numbered(name, "node");
	return 0;
}

static void put_numa(const struct host *host, json_t *features)
{
	unsigned int n = 0;
	struct err ignored;
	char text[16];

	(void)!fs_each(host->root, "/sys/bus/node/devices", count_one, &n, &ignored);
	if (n == 0)
		return;
	(void)snprintf(text, sizeof(text), "%u", n);
	features_put(features, "memory.numa", "is_numa", n > 1 ? "true" : "false");
	features_put(features, "memory.numa", "node_count", text);
}

/* -- huge pages -- */

static bool is_size(const char *name)
{
	static const char prefix[] = "hugepages-";
	size_t digits;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	digits = strspn(name + sizeof(prefix) - 1, "0123456789");
	return digits > 0 && digits < 10 &&
	       strcmp(name + sizeof(prefix) - 1 + digits, "kB") == 0;
}

/* 2048 kB is hugepages-2Mi, as a pod asks for it. */
static void put_size(const struct host *host, const char *dir, json_t *features)
{
	static const char *const units[] = { "Ki", "Mi", "Gi" };
	unsigned long size = strtoul(strchr(dir, '-') + 1, NULL, 10);
	char name[64], pages[24];
	struct err ignored;
	size_t unit = 0;

	if (fs_read_line(host->root, pages, sizeof(pages), &ignored, HUGE_DIR "/%s/nr_hugepages",
			 dir) <= 0)
		return;
	for (; size > 0 && size % 1024 == 0 && unit + 1 < ARRAY_SIZE(units); unit++)
		size /= 1024;
	(void)snprintf(name, sizeof(name), "hugepages-%lu%s", size, units[unit]);
	features_put(features, "memory.hugepages", name, pages);
	if (strtoul(pages, NULL, 10) > 0)
		features_put(features, "memory.hugepages", "enabled", "true");
}

void features_of_memory(const struct host *host, json_t *features)
{
	auto_features_names struct features_names names = { .n = 0 };

	put_numa(host, features);
	features_put(features, "memory.hugepages", "enabled", "false");
	features_list(host, HUGE_DIR, is_size, &names);
	for (size_t i = 0; i < names.n; i++)
		put_size(host, names.list[i], features);
}
