/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_export.c - devinfoctl export: what the cluster is told of this node, by kubectl or NFD */
#include "devinfo/ctl/ctl_export.h"

#include "base/mem.h"

#include <stddef.h>
#include <string.h>

static const struct export_kind {
	const char *name;
	enum ctl_status (*run)(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
	const char *takes;		/* options, of those below; NULL: any */
} kinds[] = {
	{ "nfd", ctl_export_nfd, " raw remove expires pool " },
	{ "nodefeature", ctl_export_nodefeature, " raw node-name pool " },
	{ "resourceslice", ctl_export_resourceslice, " pool api driver node-name timeout " },
	{ "deviceclass", ctl_export_deviceclass, " pool api driver " },
	{ "claim-status", ctl_export_claim_status, " api timeout " },
	{ NULL, NULL, NULL },
};

static const struct export_option {
	const char *word;		/* in `takes` */
	size_t offset;			/* in struct ctl_options */
} export_options[] = {
	{ " raw ", offsetof(struct ctl_options, raw) },
	{ " remove ", offsetof(struct ctl_options, remove) },
	{ " expires ", offsetof(struct ctl_options, expires) },
	{ " pool ", offsetof(struct ctl_options, pool) },
	{ " api ", offsetof(struct ctl_options, api) },
	{ " driver ", offsetof(struct ctl_options, driver) },
	{ " node-name ", offsetof(struct ctl_options, node_name) },
	{ " slices ", offsetof(struct ctl_options, slices) },
	{ " overrides ", offsetof(struct ctl_options, overrides) },
	{ " timeout ", offsetof(struct ctl_options, timeout) },
};

static const char *value_of(const struct ctl_options *opt, const struct export_option *o)
{
	return *(const char *const *)(const void *)((const char *)opt + o->offset);
}

/* The first option that is given and is not for this kind; NULL. */
static const struct export_option *find_strange(const struct export_kind *k,
						const struct ctl_options *opt)
{
	for (size_t i = 0; k->takes && i < ARRAY_SIZE(export_options); i++)
		if (value_of(opt, &export_options[i]) && !strstr(k->takes, export_options[i].word))
			return &export_options[i];
	return NULL;
}

static enum ctl_status run_kind(const struct export_kind *k, const struct host *host,
				const struct ctl_options *opt, char *const *operands)
{
	const struct export_option *o = find_strange(k, opt);

	if (o)
		return ctl_usage("--%.*s is not for export %s", (int)strlen(o->word) - 2,
				 o->word + 1, k->name);
	return k->run(host, opt, operands);
}

enum ctl_status ctl_export(const struct host *host, const struct ctl_options *opt,
			   char *const *operands)
{
	for (const struct export_kind *k = kinds; k->name; k++)
		if (strcmp(k->name, *operands) == 0)
			return run_kind(k, host, opt, operands + 1);
	return ctl_usage("export cannot make '%s'", *operands);
}
