/* SPDX-License-Identifier: Apache-2.0 */
/* overrides.h - what administrators say of devices: --overrides, and --why of scan and show */
#ifndef MANAGER_CTL_OVERRIDES_H
#define MANAGER_CTL_OVERRIDES_H

#include "manager/ctl/ctl.h"
#include "manager/dra/overrides.h"
#include "manager/inventory/inventory.h"

#include <stdbool.h>

/*
 * The manifests of the node's directory and of --overrides, a file, a directory or "-", into
 * ret->from; nothing of either when the node's file turns overrides off.
 */
int ctl_read_overrides(const struct host *host, const struct ctl_options *opt,
		       struct overrides *ret, struct err *e) must_check;

/* What is wrong with them, a line each on standard error. */
void ctl_tell_overrides(const struct overrides *o);

/* --overrides and --node-name matter to --why alone: CTL_USAGE where they would be ignored. */
enum ctl_status ctl_check_why(const struct ctl_options *opt, const char *command);

/*
 * A row for each attribute, capacity and taint of the devices that has_device() wants, by the id
 * that scan has: its value, where it is from, and what it replaces.  Where there is no row
 * `none` is printed.
 */
enum ctl_status ctl_put_origins(const struct host *host, const struct ctl_options *opt,
				const struct inventory *inv,
				bool (*has_device)(const char *id, const void *arg),
				const void *arg, const char *none);

#endif
