/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.h - the commands of devinfoctl
 *
 * The room manager/ctl/ is the program devinfoctl: main(), the commands, and its stdout, which only
 * this room writes.  It may look at all of devinfo/ and at the node's configuration.  It changes
 * nothing on the node, but for gc and repair, which have the plugin's own undo do it, and the files
 * of publish, withdraw and export nfd.
 *
 * A command gets the node, the options and its operands, writes its result to stdout and returns
 * the exit status.
 *
 * To be read in this order:
 *
 *	main.c		main() and the table of commands; option.c reads options, help.c tells of
 *			them; ctl.c is what commands share
 *	say.c		texts for people; table.c rows for people and for machines
 *	inventory.c	the node as most commands look at it; pod.c, attachment.c, file.c and
 *			overrides.c are what several have in common, lint.c and trace.c how several
 *			answer
 *	scan.c ...	one file for each command, of its name; export_*.c for those of export,
 *			explain_*.c for the parts of explain, status_of.c for status
 */
#ifndef MANAGER_CTL_CTL_H
#define MANAGER_CTL_CTL_H

#include "base/err.h"
#include "base/host.h"
#include "base/name.h"
#include "devinfo/format/device_info.h"
#include "manager/match/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum ctl_status { CTL_OK = 0, CTL_FAILED = 1, CTL_USAGE = 2 };

struct ctl_options {
	/* NULL when not given */
	const char *resource;		/* of show and resolve */
	/* of resolve: the pod (NAMESPACE/NAME), what it asks for, and for which attachment */
	const char *pod, *uid;
	const char *claim, *request, *device;
	const char *network, *interface;	/* one is nothing without the other */
	/*
	 * of args, with interface: which one of a list, which end, in place of what the file says,
	 * and what it does not say
	 */
	const char *side, *path, *mac, *id, *secret_file, *index, *queues, *memory, *reconnect;
	const char *dry_run;		/* of gc and repair; has no value */
	const char *list;		/* of doctor; has no value */
	const char *json;		/* has no value; the same as --output=json */
	const char *output;		/* "table", "wide", "json" */
	const char *color;		/* "auto", "always", "never" */
	const char *match, *pool;	/* of scan and publish: an expression, a file of pools */
	const char *timeout;		/* ms that kubelet is waited for */
	const char *why;		/* of what selects, labels or overrides; has no value */
	const char *raw, *remove;	/* of export nfd; have no value */
	const char *expires;		/* of export nfd: seconds that the file holds */
	const char *api;		/* "v1", "v1beta2", "v1beta1" */
	const char *driver, *node_name;	/* of ResourceSlices and NodeFeatures */
	const char *node_uid;		/* of the Node that owns the ResourceSlices */
	const char *slices, *features;	/* files: ResourceSlices, a NodeFeature, not the node's */
	const char *overrides;		/* a file or directory, beside the node's directory */
};

bool ctl_is_json(const struct ctl_options *opt);
/* An address as lspci prints it, "01:10.0", with its domain, in ret; any other id as it is. */
const char *ctl_device_id(const char *id, char ret[NAME_BDF_SIZE]);
/* Of each row its name alone. */
bool ctl_is_name(const struct ctl_options *opt);
bool ctl_is_wide(const struct ctl_options *opt);
/* --timeout; else the node's podResourcesTimeoutMs, but 1 where kubelet has no socket. */
unsigned int ctl_timeout_ms(const struct host *host, const struct ctl_options *opt);

/*
 * Before something on the node is changed: a program that we run may not hear us out, a signal ends
 * each wait, and the plugin's log hears of it.
 */
void ctl_act_as_plugin(const struct host *host);

/*
 * Operands are NULL-terminated; their number was checked against the table of main.c.  The host is
 * NULL for a command that looks at no node.
 */
enum ctl_status ctl_show(const struct host *host, const struct ctl_options *opt,
			 char *const *operands);
enum ctl_status ctl_scan(const struct host *host, const struct ctl_options *opt,
			 char *const *operands);
enum ctl_status ctl_list(const struct host *host, const struct ctl_options *opt,
			 char *const *operands);
enum ctl_status ctl_status_of(const struct host *host, const struct ctl_options *opt,
			      char *const *operands);
enum ctl_status ctl_resolve(const struct host *host, const struct ctl_options *opt,
			    char *const *operands);
enum ctl_status ctl_validate(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);
enum ctl_status ctl_validate_conf(const struct host *host, const struct ctl_options *opt,
				  char *const *operands);
enum ctl_status ctl_explain(const struct host *host, const struct ctl_options *opt,
			    char *const *operands);
enum ctl_status ctl_drift(const struct host *host, const struct ctl_options *opt,
			  char *const *operands);
enum ctl_status ctl_doctor(const struct host *host, const struct ctl_options *opt,
			   char *const *operands);
enum ctl_status ctl_record(const struct host *host, const struct ctl_options *opt,
			   char *const *operands);
enum ctl_status ctl_gc(const struct host *host, const struct ctl_options *opt,
		       char *const *operands);
enum ctl_status ctl_repair(const struct host *host, const struct ctl_options *opt,
			   char *const *operands);
enum ctl_status ctl_publish(const struct host *host, const struct ctl_options *opt,
			    char *const *operands);
enum ctl_status ctl_withdraw(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);
enum ctl_status ctl_export_nfd(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
enum ctl_status ctl_export_nodefeature(const struct host *host, const struct ctl_options *opt,
				       char *const *operands);
enum ctl_status ctl_export_resourceslice(const struct host *host, const struct ctl_options *opt,
					 char *const *operands);
enum ctl_status ctl_export_deviceclass(const struct host *host, const struct ctl_options *opt,
				       char *const *operands);
enum ctl_status ctl_export_claim_status(const struct host *host, const struct ctl_options *opt,
					char *const *operands);
enum ctl_status ctl_nfd_lint(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);
enum ctl_status ctl_nfd_eval(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);
enum ctl_status ctl_dra_select(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
enum ctl_status ctl_args(const struct host *host, const struct ctl_options *opt,
			 char *const *operands);

/*
 * The whole of a file of the caller's: no link, regular, at most max bytes; or, of "-", of standard
 * input.  Owned by the caller and NUL-terminated.  0 or -1, for absence is an error here.
 */
int ctl_read_file(const char *path, size_t max, char **ret, size_t *len, struct err *e) must_check;

/* The pools in one, a configuration of sriov-network-device-plugin. */
int ctl_read_pools(const char *path, struct pools *ret, struct err *e) must_check;

/* The device-info in one. */
int ctl_read_device_info(const char *path, struct device_info *ret, struct err *e) must_check;

/*
 * The same of a file as a pod has it: a device-info file, or a network-status list with an entry of
 * this interface (NULL: there is but one with a device).  The links that kubelet puts before a file
 * of the downward API are followed.
 */
int ctl_read_of_pod(const char *path, const char *interface, struct device_info *ret,
		    struct err *e) must_check;

/* -- say.c: of what others wrote, nothing reaches the terminal but printable ASCII, the rest is
 * \xNN -- */

void ctl_put_text(FILE *to, const char *text);

/* A whole line, and its end. */
void ctl_put_line(FILE *to, const char *fmt, ...) printflike(2, 3);

/* "message (details)" of what is wrong with a file, and an end of line. */
void ctl_put_err(FILE *to, const struct err *e);

/* "devinfoctl: message (details)" on stderr; returns CTL_FAILED. */
enum ctl_status ctl_error(const struct err *e);
/* The same of what the question itself names, such as a file of pools; returns CTL_USAGE. */
enum ctl_status ctl_wrong(const struct err *e);

/* "devinfoctl: message; see 'devinfoctl help'" on stderr; returns CTL_USAGE. */
enum ctl_status ctl_usage(const char *fmt, ...) printflike(1, 2);

/*
 * Between these two somebody else is waited for: after a second that is said on standard error,
 * once: "devinfoctl: waiting for kubelet...".
 */
void ctl_await(const char *whom);
void ctl_await_end(void);

#endif
