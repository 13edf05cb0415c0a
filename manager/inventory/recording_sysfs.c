/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording_sysfs.c - the part of /sys that is about network devices and PCI functions
 *
 * A device is a link in a directory of its bus or class, and the directory behind it; of that, a
 * table says which attributes and links are written.
 */
#include "manager/inventory/recording_part.h"

#include "base/fs.h"
#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct attribute {
	const char *name;
	enum form form;			/* FORM_NONE: it is a link */
} attributes[] = {
	/* of functions */
	{ "vendor", FORM_TEXT }, { "device", FORM_TEXT }, { "subsystem_vendor", FORM_TEXT },
	{ "subsystem_device", FORM_TEXT }, { "class", FORM_TEXT }, { "numa_node", FORM_TEXT },
	{ "acpi_index", FORM_TEXT }, { "sriov_numvfs", FORM_TEXT },
	{ "sriov_totalvfs", FORM_TEXT }, { "driver_override", FORM_TEXT },
	{ "aer_dev_correctable", FORM_TEXT }, { "aer_dev_nonfatal", FORM_TEXT },
	{ "aer_dev_fatal", FORM_TEXT },
	{ "driver", FORM_NONE }, { "physfn", FORM_NONE },
	{ "subsystem", FORM_NONE },
	/* of network devices */
	{ "ifindex", FORM_TEXT }, { "address", FORM_TEXT }, { "mtu", FORM_TEXT },
	{ "flags", FORM_TEXT }, { "type", FORM_TEXT }, { "carrier", FORM_TEXT },
	{ "operstate", FORM_TEXT }, { "speed", FORM_TEXT }, { "phys_port_name", FORM_TEXT },
	{ "phys_switch_id", FORM_HEX },
	{ "master", FORM_NONE },
	/* of auxiliary and RDMA devices */
	{ "sfnum", FORM_TEXT }, { "node_guid", FORM_HEX },
};

struct device {
	struct recording *r;
	bool is_behind;			/* a network device; nothing is behind it */
	char path[PATH_MAX];		/* of its directory */
};

/*
 * The path of a link's target; relative ones begin in the directory where the link is.  Those of
 * the kernel have "../" at the beginning alone: of others the archive would lead out of itself.
 */
static bool resolve(const char *link, const char *target, char ret[PATH_MAX])
{
	size_t len = (size_t)(strrchr(link, '/') - link);

	if (*target == '/')
		return !strstr(target, "/.") && snprintf(ret, PATH_MAX, "%s", target) < PATH_MAX;
	for (; strncmp(target, "../", 3) == 0; target += 3)
		while (len > 0 && link[--len] != '/')
			;
	return *target != '.' && !strstr(target, "/.") &&
	       snprintf(ret, PATH_MAX, "%.*s/%s", (int)len, link, target) < PATH_MAX;
}

static void put_device(struct recording *r, const char *link, bool is_behind);

/* An IOMMU group is shared by functions, so it is written once. */
static void put_group(struct recording *r, const char *link)
{
	char target[PATH_MAX], path[PATH_MAX];

	if (recording_link(r, link, target) && resolve(link, target, path) &&
	    strlen(path) + strlen("/type") < sizeof(path))
		recording_file(r, strcat(path, "/type"), FORM_TEXT);
}

static void put_attribute(const struct device *d, const char *path, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (strcmp(attributes[i].name, name) != 0)
			continue;
		if (attributes[i].form != FORM_NONE)
			recording_file(d->r, path, attributes[i].form);
		else
			(void)recording_link(d->r, path, NULL);
	}
}

static bool begins_in(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static int put_member(const char *name, void *arg, struct err *e)
{
	const struct device *d = arg;
	char path[PATH_MAX + 16];

	(void)e;
	if (snprintf(path, PATH_MAX, "%s/%s", d->path, name) >= PATH_MAX)
		return 0;
	if (begins_in(name, "virtfn") || begins_in(name, "upper_")) {
		(void)recording_link(d->r, path, NULL);
	} else if (strcmp(name, "net") == 0) {
		(void)recording_bare_dir(d->r, path);
	} else if (begins_in(name, "virtio")) {
		(void)recording_bare_dir(d->r, path);
		(void)recording_bare_dir(d->r, strcat(path, "/net"));
	} else if (begins_in(name, "vhost-vdpa-")) {
		(void)strcat(path, "/dev");
		recording_file(d->r, path, FORM_NUMBERS);
	} else if (strcmp(name, "iommu_group") == 0) {
		put_group(d->r, path);
	} else if (strcmp(name, "device") == 0 && recording_link(d->r, path, NULL)) {
		if (!d->is_behind)
			put_device(d->r, path, true);
	} else {
		put_attribute(d, path, name);
	}
	return 0;
}

/* Of a device that was written before, nothing but the link is new. */
static void put_device(struct recording *r, const char *link, bool is_behind)
{
	struct device d = { .r = r, .is_behind = is_behind };
	char target[PATH_MAX];
	struct err ignored;

	if (fs_readlink(r->host->root, target, sizeof(target), &ignored, "%s", link) <= 0 ||
	    !resolve(link, target, d.path))
		return;
	(void)recording_link(r, link, NULL);
	if (!recording_bare_dir(r, d.path))
		return;
	(void)!fs_each(r->host->root, d.path, put_member, &d, &ignored);
}

static void put_named(struct recording *r, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s", dir, name) < (int)sizeof(path))
		put_device(r, path, false);
}

/* Not only those of the inventory: rules ask for others, too. */
static int put_pci(const char *name, void *arg, struct err *e)
{
	(void)e;
	put_named(arg, "/sys/bus/pci/devices/", name);
	return 0;
}

void recording_sysfs(struct recording *r, const struct inventory *inv)
{
	struct err ignored;

	(void)!fs_each(r->host->root, "/sys/bus/pci/devices", put_pci, r, &ignored);
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		put_named(r, "/sys/bus/auxiliary/devices/", inv->auxiliaries[i].name);
	for (size_t i = 0; i < inv->n_vdpas; i++)
		put_named(r, "/sys/bus/vdpa/devices/", inv->vdpas[i].name);
	for (size_t i = 0; i < inv->n_rdmas; i++)
		put_named(r, "/sys/class/infiniband/", inv->rdmas[i].name);
	for (size_t i = 0; i < inv->n_links; i++)
		put_named(r, "/sys/class/net/", inv->links[i].name);
}
