/* SPDX-License-Identifier: Apache-2.0 */
/* look.h - the first part of an ADD: find out everything, change nothing */
#ifndef CNI_LOOK_H
#define CNI_LOOK_H

#include "base/err.h"
#include "cni/attach.h"

/*
 * Fill in what attach.h calls "found", and the record but for what is made later.  The attachment's
 * lock and the device's are held then.
 */
int look(struct attachment *a, struct err *e) must_check;

/*
 * A device that others could be taken for is told apart by its number, which therefore is settled
 * and recorded before the move: this one, or the next that is free in the container.
 */
int look_for_number(struct attachment *a, int from, struct err *e) must_check;

#endif
