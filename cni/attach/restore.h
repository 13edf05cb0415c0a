/* SPDX-License-Identifier: Apache-2.0 */
/*
 * restore.h - restore an attachment's device to its state before the ADD
 *
 * It works after any step of an ADD, and any number of times: the state in the record is compared
 * with the kernel's, and differences are restored.
 */
#ifndef CNI_ATTACH_RESTORE_H
#define CNI_ATTACH_RESTORE_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

/*
 * Check that no program in user space has the device: else ERR_TRY_AGAIN, and nothing of the
 * attachment is undone, because that program still uses its addresses and VLAN.
 */
int restore_check(const struct host *host, struct record *rec, struct err *e) must_check;

/*
 * Restore all aspects; continues after an error, and reports all of them.  For a device that was
 * released already, is gone, or whose record is of an earlier boot, only what outlives both is
 * removed.  The caller holds the device's lock.
 */
int restore_device(const struct host *host, const struct journal *journal, struct record *rec,
		   struct err *e) must_check;

#endif
