/* SPDX-License-Identifier: Apache-2.0 */
/* aspects.h - the table of aspects, and the walks over it (cni/aspect/aspect.h) */
#ifndef CNI_ATTACH_ASPECTS_H
#define CNI_ATTACH_ASPECTS_H

#include "cni/aspect/aspect.h"

/* -- ADD: the device; see struct aspect -- */

int aspects_choose(const struct choosing *ch, enum choose_when when, struct choice *c,
		   char called[64], struct err *e) must_check;
int aspects_names(const struct host *host, const struct choice *c, struct choice_names *ret,
		  struct err *e) must_check;

/* -- ADD: of an interface that is ours, or of one that another plugin made (a->rec.chained) -- */

int aspects_probe(struct attachment *a, struct err *e) must_check;
int aspects_apply(struct attachment *a, struct err *e) must_check;
int aspects_probe_info(struct attachment *a, struct err *e) must_check;
int aspects_connect(struct attachment *a, struct err *e) must_check;
int aspects_describe(struct attachment *a, struct err *e) must_check;
int aspects_await(struct attachment *a, struct err *e) must_check;

/* -- CHECK: all differences are added to c->all; -1 when something could not be read -- */

int aspects_check(struct check *c, struct err *e) must_check;

/* What ADD, from its first change on, and DEL need for this record: added to *ret. */
void aspects_needs(const struct record *rec, struct aspect_needs *ret);

/* -- DEL -- */

/* ERR_TRY_AGAIN when a program has the device open. */
int aspects_busy(const struct host *host, struct record *rec, struct err *e) must_check;

/* Call restore, then settle, of each.  Continues after an error, and reports all of them. */
int aspects_restore(struct restoring *r, struct err *e) must_check;

/* Restore what is on the host, also of a chained interface's device. */
int aspects_restore_on_host(struct restoring *r, struct err *e) must_check;

/* Remove what outlives device and boot. */
int aspects_restore_lasting(struct restoring *r, struct err *e) must_check;

/* -- of a network, without a record; see struct aspect -- */

int aspects_forget(const struct host *host, const struct netconf *nc, const struct owner *o,
		   struct err *e) must_check;
int aspects_collect(const struct host *host, const struct netconf *nc, aspect_keep_fn *keep,
		    const void *arg, struct err *e) must_check;
int aspects_status(const struct host *host, const struct netconf *nc, const struct deadline *d,
		   struct err *e) must_check;

#endif
