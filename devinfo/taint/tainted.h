/* SPDX-License-Identifier: Apache-2.0 */
/* tainted.h - the DeviceTaintRules of the node's directory, and which devices of it have a taint */
#ifndef DEVINFO_TAINT_TAINTED_H
#define DEVINFO_TAINT_TAINTED_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/manifest/manifest.h"
#include "devinfo/taint/taint_rule.h"

#include <stdbool.h>
#include <stddef.h>

struct taint_rules {
	struct manifests from;		/* owned; the rules borrow from it */
	struct taint_rule *list;	/* owned; those that may be about a device here */
	size_t n;
	char node[NODE_NAME_SIZE];	/* "": not known, or not needed */
};

/* The names that one device has in slices, this node's or others'. */
struct taint_subject {
	const char *driver, *pool, *device;
};

/*
 * Read all rules, unless the gate is closed.  A rule that is wrong, or cannot be decided by names
 * alone, goes to `bad`, and keeps no other from being applied.  Where the node's file says
 * refuseTainted, it is in the list as well, with its doubt: it is about each device that its names
 * do not exclude.
 */
int taint_rules_read(const struct host *host, void (*bad)(const struct err *why, void *arg),
		     void *arg, struct taint_rules *ret, struct err *e) must_check;

/*
 * Return the first rule that keeps attachments from this device: its effect is NoSchedule or
 * NoExecute, and the node's file does not tolerate it.  NULL: there is none.
 */
const struct taint_rule *taint_rules_find(const struct taint_rules *rules, const struct host *host,
					  const struct taint_subject *d);
/* Return the same of a device of this node, as its own slices call it (device_name.h). */
const struct taint_rule *taint_rules_find_here(const struct taint_rules *rules,
					       const struct host *host, const char *device);

/* Format it as "key=value:NoExecute"; one that cannot be read is "unknown". */
enum { TAINT_TEXT_SIZE = 416 };
void taint_text(const struct taint_rule *rule, char ret[TAINT_TEXT_SIZE]);

/*
 * Refuse a device that is, or may be, tainted: ERR_DEVICE; the rule's name and file are for the
 * log.  Returns -1.
 */
int taint_refuse(const struct taint_rule *rule, const char *device, struct err *e);

void taint_rules_done(struct taint_rules *r);

#define auto_taint_rules auto_with(taint_rules_done)

#endif
