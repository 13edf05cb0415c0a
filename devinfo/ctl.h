/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.h - the commands of devinfoctl
 *
 * A command gets the node, the options and its operands, writes its result to
 * stdout and returns the exit status.
 */
#ifndef DEVINFO_CTL_H
#define DEVINFO_CTL_H

#include "base/err.h"
#include "base/host.h"

enum ctl_status { CTL_OK = 0, CTL_FAILED = 1, CTL_USAGE = 2 };

struct ctl_options {
	/* NULL when not given */
	const char *resource;		/* of show and resolve */
	/* of resolve: the pod (NAMESPACE/NAME), what it asks for, and for which attachment */
	const char *pod, *uid;
	const char *claim, *request, *device;
	const char *network, *interface;	/* one is nothing without the other */
};

/* Operands are NULL-terminated; their number was checked against the table of ctl.c. */
enum ctl_status ctl_show(const struct host *host, const struct ctl_options *opt,
			 char *const *operands);
enum ctl_status ctl_list(const struct host *host, const struct ctl_options *opt,
			 char *const *operands);
enum ctl_status ctl_resolve(const struct host *host, const struct ctl_options *opt,
			    char *const *operands);
enum ctl_status ctl_validate(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);

/* "devinfoctl: message (details)" on stderr; returns CTL_FAILED. */
enum ctl_status ctl_error(const struct err *e);

/* "devinfoctl: message; see 'devinfoctl help'" on stderr; returns CTL_USAGE. */
enum ctl_status ctl_usage(const char *fmt, ...) printflike(1, 2);

#endif
