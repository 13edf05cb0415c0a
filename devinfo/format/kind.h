/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind.h - the four types of section 3, each with a table of its map's members
 *
 * Each type is a map of strings, some of them required, each with a check of its value;
 * device_info.c handles them all by walking the table.  kind_pci.c and the like hold only what is
 * specific to a type, kinds.c lists them, and kind.c has what several of them share.
 */
#ifndef DEVINFO_FORMAT_KIND_H
#define DEVINFO_FORMAT_KIND_H

#include "devinfo/format/device_info.h"

#include <stdbool.h>
#include <stddef.h>

/* One member of a type's map, in the order of the specification. */
struct kind_field {
	const char *key;
	bool required;
	bool since_1_1;			/* came with version 1.1.0 */
	bool repairable;		/* a wrong value is replaced by sysfs's */
	size_t offset, size;		/* of the fixed-size string in struct device_info */
	void (*canonise)(char *value);	/* convert to the form we emit; or NULL */
	bool (*fits)(const char *value);
	const char *want;		/* what fits, for messages: "want %s" */
};

struct kind {
	const char *name;		/* value of "type" and key of the map */
	const struct kind_field *fields;
	size_t count;
	/* Returns why a producer may have written a wrong value, for the details; may be NULL. */
	const char *(*hint)(const struct device_info *di);
};

extern const struct kind kind_pci, kind_vdpa, kind_vhost_user, kind_memif;

/* Indexed by enum device_kind. */
extern const struct kind *const kinds[];

#define KIND_FIELD(member, name) \
	.key = (name), .offset = offsetof(struct device_info, member), \
	.size = sizeof(((struct device_info *)NULL)->member)

/* Values that several types share; each KIND_x is the rest of a field's initialiser. */
#define KIND_BDF \
	.canonise = kind_lower, .fits = kind_is_bdf, .want = "a PCI address dddd:bb:dd.f"
#define KIND_PATH \
	.fits = kind_is_path, .want = "an absolute path without '..'"
#define KIND_NETDEV \
	.fits = kind_is_netdev, .want = "a network interface name"

void kind_lower(char *value);
bool kind_is_bdf(const char *value);
bool kind_is_path(const char *value);
bool kind_is_netdev(const char *value);

/* The value is one of count strings. */
bool kind_is_one_of(const char *value, const char *const *list, size_t count);

#endif
