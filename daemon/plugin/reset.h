/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reset.h - a function level reset of a device that no attachment has, without waiting for it
 *
 * The kernel takes 100 ms and more for it, and may take for ever: a child writes to /sys.  From the
 * look at who has the device until the child's end the device's lock is held, by which an ADD waits
 * and finds it reset, or busy.
 */
#ifndef DAEMON_PLUGIN_RESET_H
#define DAEMON_PLUGIN_RESET_H

#include "base/err.h"
#include "base/host.h"

#include <stdbool.h>

struct reset;

/*
 * Begin it: 1 with *ret; 0 where the device is not to be reset: an attachment has it, or is to get
 * it, it has a network device, a driver of the kernel or no function level reset.  -1: that cannot
 * be told, or the device is in use (ERR_TRY_AGAIN).
 */
int reset_begin(const struct host *host, const char *bdf, struct reset **ret,
		struct err *e) must_check;

/*
 * How is it?  1: done; 0: the child still runs; -1 with *e: it has failed.  RESET_MS after the
 * begin that is told as an error as well, while the child may still hang in the kernel.
 */
enum { RESET_MS = 2000 };
int reset_look(struct reset *r, struct err *e) must_check;

/* After -1: has the child gone?  Until then the device stays locked. */
bool reset_has_ended(struct reset *r);

void reset_free(struct reset *r);

#endif
