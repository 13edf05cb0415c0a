/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma.h - move the RDMA device of an attachment to the pod, and back
 *
 * The room cni/rdma/ is an aspect: RDMA devices (here) and GUIDs (infiniband.h).  It changes the
 * namespace and name of RDMA devices, and on the PF the GUIDs of a VF, for which it has cni/driver/
 * take the driver away and give it back.  It writes the record when a device has become a new one.
 *
 * A function's RDMA device is what sysfs has below its infiniband/ directory.  In the
 * exclusive mode of the RDMA subsystem a pod can use it only when it is in the pod's
 * namespace; then it goes there before the network device does, for the kernel makes the
 * interfaces that it has built on an RDMA device (IPoIB) anew when that moves.
 *
 * In the pod it is recognised by the kernel's index, which a move and a new name leave as
 * it is; at home by the function that it belongs to.  When the pod's namespace dies the
 * kernel moves it home by itself.
 *
 * A device that is made anew gets the lowest free name, and its nodes (uverbs0...) the lowest
 * free number, so that two that move or are bound at once could swap theirs, of which device
 * plugins have told containers already.  So moves, and a driver's rebinding for a GUID with
 * the new name after it, are done one at a time on a node.  That is all that the lock is good
 * for: when a lower number has become free meanwhile, the nodes have that afterwards.
 */
#ifndef CNI_RDMA_H
#define CNI_RDMA_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/aspect.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/sysfs.h"
#include "netlink/nl_rdma.h"

/* -- ADD -- */

/*
 * Find the device to move, and check that it may (rdmaIsolation).  Fills a->rec.rdma, also when it
 * stays but its driver will make it anew (a->rec.driver).
 */
int rdma_probe(struct attachment *a, struct err *e) must_check;

/*
 * Move it, if that was found, and then find the network device that may have been made anew.  If
 * the move is not required, a driver that does not support it is no error.
 */
int rdma_move_in(struct attachment *a, struct err *e) must_check;

/* -- DEL, roll-back, clean-up -- */

/* Bring it home from the pod's namespace (-1: gone). */
int rdma_bring_home(const struct host *host, const struct journal *journal,
		    const struct record *rec, int netns, struct err *e) must_check;

/*
 * Wait until the function has its RDMA device at home, which is on its way from a dead namespace or
 * is being made by the driver: 1; 0 when none comes, at once where none can; -1.
 */
int rdma_await(const struct host *host, const struct record *rec, struct rdma_device *ret,
	       struct err *e) must_check;

/*
 * Restore its name of before, at home, and store its index.  1; 0 when it is not there; -1, with
 * EEXIST when the name is another's by now (the index is noted).  The caller holds rdma_lock().
 */
int rdma_settle(const struct host *host, struct record *rec, struct err *e) must_check;

/* -- CHECK -- */

/* Is it in this namespace?  1, 0, -1. */
int rdma_find_in(int netns, const struct record *rec, struct rdma_device *ret,
		 struct err *e) must_check;

/* -- one at a time -- */

/* Lock RDMA changes on the node; waits for settings.lock_timeout_ms at most. */
int rdma_lock(const struct host *host, const struct journal *journal, struct err *e) must_check;
void rdma_unlock(const struct journal *journal);

extern const struct aspect rdma_aspect;

#endif
