/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - named formats of Kubernetes: format.dns1123Label().validate("x") */
#ifndef MANAGER_CEL_FORMAT_H
#define MANAGER_CEL_FORMAT_H

#include "manager/cel/run.h"

struct cel_format {
	const char *name;
	/* Writes what is wrong with the text, up to two messages, and returns how many. */
	unsigned (*validate)(struct cel_run *r, const char *text, const char *wrong[2]);
};

/* Finds a format by its name; NULL: there is none. */
const struct cel_format *cel_format_find(const char *name);

#endif
