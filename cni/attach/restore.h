/* SPDX-License-Identifier: Apache-2.0 */
/*
 * restore.h - an attachment's device is given back as it was before
 *
 * From any step of an ADD, and any number of times: what the record says was before is compared
 * with what the kernel shows, and what differs is restored.
 */
#ifndef CNI_ATTACH_RESTORE_H
#define CNI_ATTACH_RESTORE_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

/*
 * ERR_TRY_AGAIN while a program in user space has the device: then nothing of the attachment is
 * undone, for its addresses and VLAN are that program's.
 */
int restore_check(const struct host *host, struct record *rec, struct err *e) must_check;

/*
 * All aspects.  It goes on after an error, and reports all of them.  Nothing is done to a device
 * that has been given back already, that has gone, or whose record is of an earlier boot, but for
 * what outlives both.  The caller holds the device's lock.
 */
int restore_device(const struct host *host, const struct journal *journal, struct record *rec,
		   struct err *e) must_check;

#endif
