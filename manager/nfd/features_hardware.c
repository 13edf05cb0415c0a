/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features_hardware.c - NFD's features of network devices and PCI functions
 *
 * Network devices are the inventory's.  Of PCI functions that has only those of the network, and
 * NFD's rules ask for accelerators, too: so these few attributes are read here, as NFD does.
 */
#include "manager/nfd/features_part.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/match/related.h"

#include <stdio.h>
#include <string.h>

#define PCI_DIR "/sys/bus/pci/devices"

enum { PCI_CLASS_DIGITS = 4 };

static void set_number(json_t *attributes, const char *name, int value)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", value);
	features_set(attributes, name, text);
}

/* -- network -- */

/* A device is behind the one, and the other is virtual: a bridge, a bond, an end of a veth pair. */
static void put_link(const struct inventory *inv, const struct inv_link *l, json_t *features)
{
	const struct inv_function *f = related_function(inv, l->function);
	json_t *attributes = json_object();

	features_set(attributes, "name", l->name);
	if (*l->operstate)
		features_set(attributes, "operstate", l->operstate);
	if (l->speed > 0)
		set_number(attributes, "speed", l->speed);
	if (l->mtu > 0)
		set_number(attributes, "mtu", l->mtu);
	if (f && f->total_vfs > 0) {
		set_number(attributes, "sriov_totalvfs", f->total_vfs);
		set_number(attributes, "sriov_numvfs", f->num_vfs);
	}
	features_put_instance(features, *l->parent ? "network.device" : "network.virtual",
			      attributes);
}

void features_of_network(const struct inventory *inv, json_t *features)
{
	(void)features_instances(features, "network.device");
	(void)features_instances(features, "network.virtual");
	for (size_t i = 0; i < inv->n_links; i++)
		put_link(inv, &inv->links[i], features);
}

/* -- PCI -- */

/* Without "0x"; of the class the first digits, for the last two are the programming interface. */
static bool read_attribute(const struct host *host, const char *bdf, const char *name,
			   json_t *attributes)
{
	char text[64], *value = text;
	struct err ignored;

	if (fs_read_line(host->root, text, sizeof(text), &ignored, PCI_DIR "/%s/%s", bdf,
			 name) <= 0)
		return false;
	if (strncmp(value, "0x", 2) == 0)
		value += 2;
	if (strcmp(name, "class") == 0 && strlen(value) > PCI_CLASS_DIGITS)
		value[PCI_CLASS_DIGITS] = '\0';
	features_set(attributes, name, value);
	return true;
}

/* One of which NFD could not read one of the first is none for it. */
static void put_function(const struct host *host, const char *bdf, json_t *features)
{
	static const char *const needed[] = {
		"class", "vendor", "device", "subsystem_vendor", "subsystem_device",
	};
	static const char *const others[] = {
		"sriov_totalvfs", "iommu_group/type", "iommu/intel-iommu/version",
	};
	json_auto_t *attributes = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!read_attribute(host, bdf, needed[i], attributes))
			return;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		(void)read_attribute(host, bdf, others[i], attributes);
	features_put_instance(features, "pci.device", steal_ptr(&attributes));
}

void features_of_pci(const struct host *host, json_t *features)
{
	auto_features_names struct features_names names = { .n = 0 };

	(void)features_instances(features, "pci.device");
	features_list(host, PCI_DIR, name_is_bdf, &names);
	for (size_t i = 0; i < names.n; i++)
		put_function(host, names.list[i], features);
}
