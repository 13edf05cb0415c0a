/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aspect.h - one thing that an attachment does to a device, from probe to restore
 *
 * An attachment sets attributes of a VF on its PF, binds a driver, moves an RDMA device, moves a
 * network device, and so on.  Each is an aspect: all that is known about it is in one folder, and
 * the life of an attachment is a walk over the table of them (cni/attach/aspects.c, which also says
 * why they stand in this order).
 *
 *	ADD	probe each, write the record, apply each, connect and describe each, publish
 *	CHECK	check each
 *	DEL	busy? of each; restore each, then settle each; then what is on the host, and what
 *		outlives the boot; remove the record
 *
 * Roll-back, GC and the clean-up after a dead owner do what DEL does.  An aspect whose part of the
 * configuration or of the record is empty does nothing, and says so by 0.  What one aspect finds
 * out for another is a fact: a member of struct attachment, restoring or check that is not called
 * after either of them.
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

/* A device on its way back to what it was; what aspects find out, for those after them. */
struct restoring {
	const struct host *host;
	const struct journal *journal;
	struct record *rec;
	struct pci_device *dev;		/* the function as it is now, if the device is one */
	struct nl home;

	bool blocked;			/* what comes next needs what has just failed */
	bool in_use;			/* the pod, or a program of it, may still have the device */
	bool has_no_netdev;		/* there is none to look for */
	bool netdev_known;		/* an aspect has said whether it must be somewhere ... */
	bool netdev_must_be;		/* ... and it must; else hardware.h says it */
	bool netdev_found, netdev_back;	/* somewhere; and at home as it was, but for its MAC */
	bool mac_refused;		/* that is all that is wrong with it */
	struct link netdev;		/* when it was found: as it is now */
	uint32_t vf_differs;		/* attributes of the VF that surely differ from before */
	bool failed;			/* something has, so far */

	/* Call it before the device leaves the pod or its driver. */
	void (*before_return)(struct restoring *r);
};

/* What a CHECK compares, and what it has found to differ. */
struct check {
	const struct host *host;
	const struct cni_call *call;
	const struct netconf *conf;
	const struct record *rec;
	bool conf_unknown;		/* conf is empty: what only it says is not compared */
	const json_t *interface;	/* ours in prevResult; NULL: it is not there */
	const uint8_t *mac;		/* the one asked for; NULL: none */
	const char *made_by;		/* who left it as it was: "ADD" */
	bool hides_netdev;		/* see below */
	struct nl home, pod;
	struct link netdev;		/* as it is in the pod; ifindex 0: not found */
	struct err all;			/* what differs, so far */
	bool device_away;		/* one of the differences: the pod does not have it */
};

/* Something is not as the ADD left it: "mtu: expected 1500, got 9000". */
void check_differs(struct check *c, const char *fmt, ...) printflike(2, 3);

/* The same when the pod does not have its device, or not as one that it can use. */
void check_away(struct check *c, const char *fmt, ...) printflike(2, 3);

/* The same as check_differs for those who tell by a callback; check is a struct check. */
void check_tell(void *check, const char *text);

/* Is this attachment to be kept? */
typedef bool aspect_keep_fn(const char *container_id, const char *ifname, const void *arg);

/* What the device of an attachment is. */
enum aspect_of {
	ASPECT_DEVICE = 1,		/* one of the kernel's, which becomes the pod's */
	ASPECT_CHAINED = 2,		/* one whose interface another plugin has made */
	ASPECT_PATH = 4,		/* a path on the host: a socket */
};

/*
 * A member that is NULL has nothing to do.  check, busy, before_return and hides_netdev are asked
 * of any record, and go by what is in it; the others of the attachments that `of` names.
 */
struct aspect {
	unsigned int of;		/* enum aspect_of */

	/* -- ADD, whose device is it?  1: it is *c now; 0: not this aspect's to say; -1 -- */
	/* *called: the name that this node has for c->id, instead; it is then looked for again. */
	int (*choose)(const struct choosing *ch, enum choose_when when, struct choice *c,
		      char called[64], struct err *e);
	/* Add the names that it goes by, for the patterns of the node's file. */
	int (*names)(const struct host *host, const struct choice *c, struct choice_names *ret,
		     struct err *e);

	/* -- ADD; a failure of apply, connect and await is undone by restore -- */
	int (*probe)(struct attachment *a, struct err *e);	/* refuse; change nothing */
	/* Before any change: what there is of the device-info, where a->info_by_aspect is set. */
	int (*probe_info)(struct attachment *a, struct err *e);
	int (*apply)(struct attachment *a, struct err *e);
	int (*connect)(struct attachment *a, struct err *e);	/* to what reads the device-info */
	int (*describe)(struct attachment *a, struct err *e);	/* device-info, once all is set */
	int (*await)(struct attachment *a, struct err *e);	/* what others make: last */

	/* -- CHECK -- */
	int (*check)(struct check *c, struct err *e);

	/* -- DEL -- */
	/* ERR_TRY_AGAIN while a program has the device open; asked before anything is undone. */
	int (*busy)(const struct host *host, struct record *rec, struct err *e);
	/* What the pod could still change is given back while it is there, best effort. */
	void (*before_return)(struct restoring *r);
	/* Back to the host, as it was. */
	int (*restore)(struct restoring *r, struct err *e);
	/* When all is back: what has to wait for that.  Not while the device is in use. */
	int (*settle)(struct restoring *r, struct err *e);
	/* What is on the host, be there an error or not; r->home may be closed. */
	int (*restore_on_host)(struct restoring *r, struct err *e);
	/* What outlives device and boot: files, rows of a database.  r has no device. */
	int (*restore_lasting)(struct restoring *r, struct err *e);

	/* -- of a network, without a record -- */
	/* DEL: what is found by its owner alone; what it says is only logged. */
	int (*forget)(const struct host *host, const struct netconf *nc, const struct owner *o,
		      struct err *e);
	/* GC: what owners of this network whom nobody keeps have left. */
	int (*collect)(const struct host *host, const struct netconf *nc, aspect_keep_fn *keep,
		       const void *arg, struct err *e);
	/* STATUS: could it serve an ADD? */
	int (*status)(const struct host *host, const struct netconf *nc, const struct deadline *d,
		      struct err *e);

	/* While it is attached, the function has no network device: a fact for all. */
	bool (*hides_netdev)(const struct record *rec);
};

#endif
