/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aspect.h - one thing that an attachment does to a device, from probe to restore
 *
 * An attachment sets attributes of a VF on its PF, binds a driver, moves an RDMA device, moves a
 * network device, and so on.  Each is an aspect: all its code is in one folder, and each verb walks
 * over the table of aspects (cni/attach/aspects.c, which also explains their order).
 *
 *	ADD	probe each, write the record, apply each, connect and describe each, publish
 *	CHECK	check each
 *	DEL	busy? of each; restore each, then settle each; then what is on the host, and what
 *		outlives the boot; remove the record
 *
 * Roll-back, GC and the clean-up after a dead owner do what DEL does.  An aspect whose members of
 * the configuration or of the record are empty does nothing and returns 0.  A result of one aspect
 * that another one needs is a member of struct attachment, restoring or check, named after neither
 * of them.
 */
#ifndef CNI_ASPECT_ASPECT_H
#define CNI_ASPECT_ASPECT_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/attachment.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/sysfs.h"
#include "netlink/link.h"

#include <stdbool.h>
#include <stdint.h>

/* The state of restoring a device, with results of aspects for those after them. */
struct restoring {
	const struct host *host;
	const struct journal *journal;
	struct record *rec;
	struct pci_device *dev;		/* the function as it is now, if the device is one */
	struct nl home;

	bool blocked;			/* a step failed that the next ones need */
	bool in_use;			/* the pod, or a program of it, may still have the device */
	bool has_no_netdev;		/* there is none to look for */
	bool netdev_known;		/* an aspect has set netdev_must_be: it must be ... */
	bool netdev_must_be;		/* ... in some namespace; else see hardware.h */
	bool netdev_found, netdev_back;	/* somewhere; and at home as it was, but for its MAC */
	bool mac_refused;		/* all but the MAC was restored */
	struct link netdev;		/* its present state, when it was found */
	uint32_t vf_differs;		/* attributes of the VF that certainly differ from before */
	bool failed;			/* a step has failed so far */

	/* Called before the device leaves the pod or its driver. */
	void (*before_return)(struct restoring *r);
};

/* The input of a CHECK, and the differences that it has found. */
struct check {
	const struct host *host;
	const struct cni_call *call;
	const struct netconf *conf;
	const struct record *rec;
	bool conf_unknown;		/* conf is empty: its values are not compared */
	const json_t *interface;	/* ours in prevResult; NULL: absent */
	const uint8_t *mac;		/* the one asked for; NULL: none */
	const char *made_by;		/* the verb that set it up: "ADD" */
	bool hides_netdev;		/* see below */
	struct nl home, pod;
	struct link netdev;		/* as it is in the pod; ifindex 0: not found */
	struct err all;			/* the differences so far */
	bool device_away;		/* one difference is that the pod lacks the device */
};

/* Note a difference from the state after the ADD: "mtu: expected 1500, got 9000". */
void check_differs(struct check *c, const char *fmt, ...) printflike(2, 3);

/* The same when the pod does not have its device, or cannot use it. */
void check_away(struct check *c, const char *fmt, ...) printflike(2, 3);

/* check_differs() as a callback; check is a struct check. */
void check_tell(void *check, const char *text);

/* Is this attachment to be kept? */
typedef bool aspect_keep_fn(const char *container_id, const char *ifname, const void *arg);

/* What the device of an attachment is. */
enum aspect_of {
	ASPECT_DEVICE = 1,		/* a kernel device, which becomes the pod's */
	ASPECT_CHAINED = 2,		/* a device whose interface another plugin made */
	ASPECT_PATH = 4,		/* a path on the host: a socket */
};

/* What a child of an aspect has for a moment, and this process else gives up (confine.h). */
struct aspect_needs {
	uint64_t capabilities;		/* CAPABILITY(CAP_...) of each that it raises */
	bool mounts;			/* it mounts, in a namespace of its own */
	bool programs;			/* it runs one: nothing is given up */
};

/*
 * A function that is NULL has nothing to do.  check, busy, before_return, hides_netdev and
 * needs are called for every record and read it; the others only for the attachments in `of`.
 */
struct aspect {
	unsigned int of;		/* enum aspect_of */

	/* -- ADD: choose the device.  1: *c is set; 0: this aspect does not know it; -1 -- */
	/* called: set to the node's name of c->id, which is then looked up again. */
	int (*choose)(const struct choosing *ch, enum choose_when when, struct choice *c,
		      char called[64], struct err *e);
	/* Add the device's names, which the node's file may match by patterns. */
	int (*names)(const struct host *host, const struct choice *c, struct choice_names *ret,
		     struct err *e);

	/* -- ADD; a failure of apply, connect and await is undone by restore -- */
	int (*probe)(struct attachment *a, struct err *e);	/* refuse; change nothing */
	/*
	 * Fill in what is known of the device-info before any change, if a->info_by_aspect is set.
	 */
	int (*probe_info)(struct attachment *a, struct err *e);
	int (*apply)(struct attachment *a, struct err *e);
	int (*connect)(struct attachment *a, struct err *e);	/* to a reader of the device-info */
	int (*describe)(struct attachment *a, struct err *e);	/* device-info, once all is set */
	int (*await)(struct attachment *a, struct err *e);	/* wait for others; the last step */

	/* -- CHECK -- */
	int (*check)(struct check *c, struct err *e);

	/* -- DEL -- */
	/*
	 * Returns ERR_TRY_AGAIN while a program has the device open; called before anything is
	 * undone.
	 */
	int (*busy)(const struct host *host, struct record *rec, struct err *e);
	/*
	 * Restore what the pod could change, while the device is still in it; errors are ignored.
	 */
	void (*before_return)(struct restoring *r);
	/* Bring the device back to the host and restore it. */
	int (*restore)(struct restoring *r, struct err *e);
	/*
	 * Restore what needs all devices back on the host.  Not called while the device is in use.
	 */
	int (*settle)(struct restoring *r, struct err *e);
	/* Restore what is on the host, even after an error; r->home may be closed. */
	int (*restore_on_host)(struct restoring *r, struct err *e);
	/* Remove what outlives device and boot: files, rows of a database.  r has no device. */
	int (*restore_lasting)(struct restoring *r, struct err *e);

	/* -- of a network, without a record -- */
	/* DEL: remove what is found by its owner alone; errors are only logged. */
	int (*forget)(const struct host *host, const struct netconf *nc, const struct owner *o,
		      struct err *e);
	/* GC: remove what owners of this network have left, for which keep() is false. */
	int (*collect)(const struct host *host, const struct netconf *nc, aspect_keep_fn *keep,
		       const void *arg, struct err *e);
	/* STATUS: return 0 when it could serve an ADD, else -1. */
	int (*status)(const struct host *host, const struct netconf *nc, const struct deadline *d,
		      struct err *e);

	/* Does the function have no network device while it is attached?  Read by all aspects. */
	bool (*hides_netdev)(const struct record *rec);
	/* Add what is needed to change or restore the device of this record. */
	void (*needs)(const struct record *rec, struct aspect_needs *ret);
};

#endif
