/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_export.c - devinfoctl export: what the cluster is told of this node, for kubectl or for NFD */
#include "devinfo/ctl/ctl_export.h"

#include "base/mem.h"

#include <string.h>

static const struct export_kind {
	const char *name;
	enum ctl_status (*run)(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
} kinds[] = {
	{ "nfd", ctl_export_nfd },
	{ "nodefeature", ctl_export_nodefeature },
	{ NULL, NULL },
};

enum ctl_status ctl_export(const struct host *host, const struct ctl_options *opt,
			   char *const *operands)
{
	for (const struct export_kind *k = kinds; k->name; k++)
		if (strcmp(k->name, *operands) == 0)
			return k->run(host, opt, operands + 1);
	return ctl_usage("export cannot make '%s'", *operands);
}
