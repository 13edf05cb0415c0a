/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding.h - the problems of a node, each with a remedy
 *
 * The room manager/doctor/ judges an inventory and the node's files.  It prints nothing.  It
 * changes nothing, except for repair.h, which applies safe remedies by the plugin's own undo.
 *
 * To be read in this order:
 *
 *	checks.c	the checks of all groups are run, and what they find is put in order
 *	finding.c	what all checks share: this header
 *	node_checks.c	the table of the checks of kernel, kubelet, directories, configurations and
 *			plugins, which are in node_*.c; net_d.c and podman.c find configurations,
 *			conf_check.c asks what an ADD would say to one, whereabouts.c where a
 *			device is
 *	leak_checks.c	the table of the checks for what somebody has left, which are in leak_*.c;
 *			leak.c is what they have in common, lease.c and socket_left.c read what is
 *			left, dead.c releases it
 *	repair.c	the remedies, repair_vf.c that of a VF
 */
#ifndef MANAGER_DOCTOR_FINDING_H
#define MANAGER_DOCTOR_FINDING_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <stdbool.h>
#include <stddef.h>

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };

/* What repair does; a new remedy also needs a row in repair.c. */
enum remedy {
	REMEDY_BY_HAND,			/* nothing; the advice says what to do by hand */
	REMEDY_RELEASE,			/* release a dead attachment: object is the record's file */
	REMEDY_REMOVE_DP,		/* remove a device plugin's file whose device is gone */
	REMEDY_REMOVE_STATUS,		/* remove a network-status file without attachment */
	REMEDY_REMOVE_LEDGER,		/* a pod's ledger file without attachments */
	REMEDY_REMOVE_LINK,		/* a short link of ours that leads nowhere */
	REMEDY_REMOVE_KEPT,		/* files that a DEL had to keep, of a dead container */
	REMEDY_REMOVE_SOCKET_DIR,	/* a directory of sockets of a pod that is gone */
	REMEDY_TIDY_INDEX,		/* entries of the index without record */
	REMEDY_RESTORE_VF,		/* set the attributes of a free VF to the defaults */
	REMEDY_REMOVE_PORT,		/* a port of Open vSwitch of ours without attachment */
	REMEDY_RELEASE_LEASE,		/* a lease of host-local whose container is dead */
	REMEDY_MODE,			/* take write permission on our files from others */
};

struct finding {
	const char *check;		/* "record-dead": a constant, the name of the check */
	enum severity severity;
	enum remedy remedy;
	char object[512];		/* its object: a file, an address... */
	char what[512];			/* one sentence: what is wrong */
	char advice[512];		/* one sentence: what to do */
};

/* A check, or a part of one, that was not done, and why. */
struct skipped_check {
	const char *check;		/* a constant */
	char why[256];
};

struct findings {
	struct finding *list;		/* owned; errors first, then by check and object */
	size_t n;
	size_t checks;			/* number done, with or without findings */
	const char *at_work;		/* the running check; a constant */
	size_t of_check;		/* number of its findings */
	struct skipped_check *skipped;	/* owned; in the order of the tables */
	size_t n_skipped;
};

void findings_done(struct findings *f);
#define auto_findings auto_with(findings_done)

/*
 * Append a finding; called by checks.  Texts that are too long are cut.  A check has at most
 * FINDINGS_MAX findings: more is an error.
 */
enum { FINDINGS_MAX = 4096 };
int finding_add(struct findings *f, const struct finding *one, struct err *e) must_check;

/* What findings of one kind have in common. */
struct finding_kind {
	const char *check;
	enum severity severity;
	enum remedy remedy;
	const char *advice;
};
/* Append a finding of this kind; `what`, as of printf(3), says what is wrong. */
int finding_tell(struct findings *ret, const struct finding_kind *kind, const char *object,
		 struct err *e, const char *what, ...) must_check printflike(5, 6);

/*
 * Note that the running check cannot look, or has nothing to look at: returns 1, for the check to
 * return, or -1.  So a report of "healthy" lists what was not checked.
 */
int finding_skip(struct findings *ret, struct err *e, const char *why, ...) must_check
	printflike(3, 4);

/*
 * A check appends its findings and returns 0; the result of finding_skip() when it does not apply
 * to the node, so that it does not count as done; or -1 on an error of the check itself, which
 * becomes a finding, too ("check-failed").
 */
typedef int check_fn(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e);

const char *severity_name(enum severity s);

#endif
