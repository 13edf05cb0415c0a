/* SPDX-License-Identifier: Apache-2.0 */
/* attribute_table.h - the names of the attributes of devices, and the meaning of each */
#ifndef MANAGER_MATCH_ATTRIBUTE_TABLE_H
#define MANAGER_MATCH_ATTRIBUTE_TABLE_H

#include "base/err.h"

/* devinfoctl(8) prints the same table.  Ends with a name that is NULL. */
extern const struct attribute {
	const char *name, *about;
} attribute_table[];

/* Check a name: 0, or -1, ERR_NETCONF, with the name that was most likely meant. */
int attribute_check(const char *name, struct err *e) must_check;

#endif
