/* SPDX-License-Identifier: Apache-2.0 */
/* aspects.h - the table of aspects, and the walks over it (cni/aspect/aspect.h) */
#ifndef CNI_ATTACH_ASPECTS_H
#define CNI_ATTACH_ASPECTS_H

#include "cni/aspect/aspect.h"

/* -- ADD: of an interface that is ours, or of one that another plugin made (a->rec.chained) -- */

int aspects_probe(struct attachment *a, struct err *e) must_check;
int aspects_apply(struct attachment *a, struct err *e) must_check;
int aspects_describe(struct attachment *a, struct err *e) must_check;

/* -- CHECK: all differences go into the report; -1 is an error of looking -- */

int aspects_check(struct check *c, struct err *e) must_check;

/* -- DEL -- */

/* Has a program the device open?  ERR_TRY_AGAIN. */
int aspects_busy(const struct host *host, struct record *rec, struct err *e) must_check;

/* Restore and settle.  It goes on after an error, and reports all of them. */
int aspects_restore(struct restoring *r, struct err *e) must_check;

/* What is on the host, also of a chained interface's device. */
int aspects_restore_on_host(struct restoring *r, struct err *e) must_check;

/* Has the function no network device while it is attached as this record says? */
bool aspects_hide_netdev(const struct record *rec);

#endif
