/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_nfd.c - devinfoctl nfd: files of Node Feature Discovery, checked and evaluated */
#include "devinfo/ctl/ctl_nfd.h"

#include "base/mem.h"

#include <string.h>

static const struct nfd_task {
	const char *name;
	enum ctl_status (*run)(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
} tasks[] = {
	{ "eval", ctl_nfd_eval },
	{ "lint", ctl_nfd_lint },
};

enum ctl_status ctl_nfd(const struct host *host, const struct ctl_options *opt,
			char *const *operands)
{
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		if (strcmp(tasks[i].name, *operands) == 0)
			return tasks[i].run(host, opt, operands + 1);
	return ctl_usage("nfd cannot %s", *operands);
}
