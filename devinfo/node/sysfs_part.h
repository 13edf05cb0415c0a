/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs_part.h - what the files of sysfs.h have between them */
#ifndef DEVINFO_NODE_SYSFS_PART_H
#define DEVINFO_NODE_SYSFS_PART_H

#include "devinfo/node/sysfs.h"

#define PCI_DIR		"/sys/bus/pci/devices/"
#define AUXILIARY_DIR	"/sys/bus/auxiliary/devices/"

/* Take prefix and a decimal number of at most 9 digits; *s moves behind them only on success. */
bool sysfs_take_number(const char **s, const char *prefix, unsigned int *ret);
/* Cut the last component off a path and return it; the path becomes "" at the end. */
const char *sysfs_cut_last(char *path);

enum { ATTR_TEXT = SWITCH_ID_TEXT };	/* the longest of those that are read */

/* Read an attribute of a net device in a directory of net devices; "" when it has none. */
int sysfs_read_attr(const struct host *host, const char *dir, const char *name, const char *attr,
		    char ret[ATTR_TEXT], struct err *e) must_check;
int sysfs_read_index(const struct host *host, const char *dir, const char *name, int *ret,
		     struct err *e) must_check;

#endif
