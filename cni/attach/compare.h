/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - is an attachment as its ADD left it?
 *
 * CHECK asks this, and who asks about a record without a call.  The record, the configuration and
 * the result are compared with what the kernel and the files show; nothing is changed, and other
 * plugins are not asked.  Where the result of the whole chain says something of the interface, it
 * goes before the configuration.
 */
#ifndef CNI_ATTACH_COMPARE_H
#define CNI_ATTACH_COMPARE_H

#include "base/err.h"
#include "cni/aspect/aspect.h"

#include <jansson.h>
#include <stdbool.h>

struct comparison {
	struct check c;			/* what aspects see; c.home and c.pod are opened here */
	const json_t *prev;		/* the result, form of 1.1.0; NULL: not known */
	bool is_foreign;		/* the record is what sriov-cni has written down */
};

/*
 * Tell what differs by k->c.all.  1; 0 when the namespace is another one, which is all that is told
 * then; -1 when something could not be looked at.
 */
int compare_attachment(struct comparison *k, struct err *e) must_check;

void comparison_done(struct comparison *k);

#endif
