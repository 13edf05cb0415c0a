/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.h - the commands of devinfoctl
 *
 * The room manager/ctl/ is the program devinfoctl: main(), the commands, and its stdout, which only
 * this room writes.  It may use all of devinfo/ and the node's configuration.  Only gc and repair,
 * by the plugin's own undo, and publish, withdraw and export nfd, by their files, change the node.
 *
 * A command gets the node, the options and its operands, writes its result to stdout and returns
 * the exit status.
 *
 * To be read in this order:
 *
 *	main.c		main() and the table of commands; option.c reads options, help.c tells of
 *			them; ctl.c is what commands share
 *	say.c		texts for people; table.c rows for people and for machines
 *	inventory.c	the node as most commands look at it; pod.c, attachment.c, change.c,
 *			file.c and overrides.c are what several have in common, lint.c and trace.c
 *			how several answer
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
	/* of resolve: the pod (NAMESPACE/NAME), the request, and the attachment */
	const char *pod, *uid;
	const char *claim, *request, *device;
	const char *network, *interface;	/* both or none */
	/*
	 * of args, with interface (the entry of a list): the side, values in place of the file's,
	 * and values that it does not have
	 */
	const char *side, *path, *mac, *id, *secret_file, *index, *queues, *memory, *reconnect;
	const char *dry_run;		/* of gc and repair; has no value */
	const char *list;		/* of doctor; has no value */
	const char *json;		/* has no value; the same as --output=json */
	const char *output;		/* "table", "wide", "json" */
	const char *color;		/* "auto", "always", "never" */
	const char *match, *pool;	/* of scan and publish: an expression, a file of pools */
	const char *timeout;		/* ms to wait for kubelet */
	const char *why;		/* of what selects, labels or overrides; has no value */
	const char *raw, *remove;	/* of export nfd; have no value */
	const char *expires;		/* of export nfd: seconds that the file is valid */
	const char *api;		/* "v1", "v1beta2", "v1beta1" */
	const char *kubernetes;		/* the cluster's version: "1.34" */
	const char *driver, *node_name;	/* of ResourceSlices and NodeFeatures */
	const char *node_uid;		/* of the Node that owns the ResourceSlices */
	const char *slices, *features;	/* files: ResourceSlices, a NodeFeature, not the node's */
	const char *overrides;		/* a file or directory, beside the node's directory */
	const char *pod_file;		/* of networks: the pod's manifest */
	const char *annotation;		/* of status; has no value */
};

bool ctl_is_json(const struct ctl_options *opt);
/*
 * Return an address as lspci prints it, "01:10.0", with its domain, in ret; any other id unchanged.
 */
const char *ctl_device_id(const char *id, char ret[NAME_BDF_SIZE]);
/* Is only the name of each row printed? */
bool ctl_is_name(const struct ctl_options *opt);
bool ctl_is_wide(const struct ctl_options *opt);
/*
 * Return --timeout in ms, else the node's podResourcesTimeoutMs, or 1 when kubelet has no socket.
 */
unsigned int ctl_timeout_ms(const struct host *host, const struct ctl_options *opt);

/*
 * Call it before the node is changed: ignore SIGPIPE of programs that we run, let signals end each
 * wait, and write to the plugin's log.
 */
void ctl_act_as_plugin(const struct host *host);

/*
 * Operands are NULL-terminated; their number was checked against the table of main.c.  The host is
 * NULL for a command that reads no node.
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
enum ctl_status ctl_networks(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);
enum ctl_status ctl_explain(const struct host *host, const struct ctl_options *opt,
			    char *const *operands);
enum ctl_status ctl_drift(const struct host *host, const struct ctl_options *opt,
			  char *const *operands);
enum ctl_status ctl_watch(const struct host *host, const struct ctl_options *opt,
			  char *const *operands);
enum ctl_status ctl_events(const struct host *host, const struct ctl_options *opt,
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
enum ctl_status ctl_dra_lint(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);
enum ctl_status ctl_args(const struct host *host, const struct ctl_options *opt,
			 char *const *operands);

/*
 * Read a whole file named by the user, regular and no link, or standard input for "-": at most max
 * bytes.  *ret is NUL-terminated and the caller frees it.  0, or -1 also when it is absent.
 */
int ctl_read_file(const char *path, size_t max, char **ret, size_t *len, struct err *e) must_check;

/* Read the pools of such a file, a configuration of sriov-network-device-plugin. */
int ctl_read_pools(const char *path, struct pools *ret, struct err *e) must_check;
/* Tell on stderr what of a pool this node cannot answer, so that it selects less than it says. */
void ctl_warn_unanswered(const struct pools *p, size_t i, const struct inventory *inv);

/* Read the device-info of such a file. */
int ctl_read_device_info(const char *path, struct device_info *ret, struct err *e) must_check;

/*
 * The same for a file in a pod: a device-info file, or a network-status list with an entry of this
 * interface (NULL: the only one with a device).  The links that kubelet puts before a file of the
 * downward API are followed.
 */
int ctl_read_of_pod(const char *path, const char *interface, struct device_info *ret,
		    struct err *e) must_check;

/* -- say.c: of what others wrote, nothing reaches the terminal but printable ASCII, the rest is
 * \xNN -- */

void ctl_put_text(FILE *to, const char *text);

/* Print a line, with its newline. */
void ctl_put_line(FILE *to, const char *fmt, ...) printflike(2, 3);

/* "message (details)" of what is wrong with a file, and an end of line. */
void ctl_put_err(FILE *to, const struct err *e);

/* "devinfoctl: message (details)" on stderr; returns CTL_FAILED. */
enum ctl_status ctl_error(const struct err *e);
/* The same for an error in an operand or option, such as a file of pools; returns CTL_USAGE. */
enum ctl_status ctl_wrong(const struct err *e);

/* "devinfoctl: message; see 'devinfoctl help'" on stderr; returns CTL_USAGE. */
enum ctl_status ctl_usage(const char *fmt, ...) printflike(1, 2);

/*
 * Call these before and after waiting for another program: after a second "devinfoctl: waiting for
 * kubelet..." is printed on standard error, once.
 */
void ctl_await(const char *whom);
void ctl_await_end(void);

#endif
