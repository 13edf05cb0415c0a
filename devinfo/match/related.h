/* SPDX-License-Identifier: Apache-2.0 */
/* related.h - what of an inventory belongs to a function, or to an auxiliary device */
#ifndef DEVINFO_MATCH_RELATED_H
#define DEVINFO_MATCH_RELATED_H

#include "devinfo/inventory/inventory.h"

#include <stdbool.h>

/* Each NULL when there is none.  Of several the first of the list. */

/* The function of a PF for a VF, itself for any other. */
const struct inv_function *related_pf(const struct inventory *inv, const struct inv_function *f);
/* The function that an auxiliary device is on. */
const struct inv_function *related_function(const struct inventory *inv,
					    const struct inv_auxiliary *x);

/* Its own network device, which is no representor and no sub-function's. */
const struct inv_link *related_link(const struct inventory *inv, const struct inv_function *f);
const struct inv_link *related_link_of_auxiliary(const struct inventory *inv,
						 const struct inv_auxiliary *x);

/* The network device that is its port of the switch. */
const struct inv_link *related_representor(const struct inventory *inv,
					   const struct inv_function *f);
const struct inv_link *related_representor_of_auxiliary(const struct inventory *inv,
							const struct inv_auxiliary *x);

/* The attachment at this place. */
const struct inv_attachment *related_holder(const struct inventory *inv, int place);

/* A VF as its PF shows it. */
const struct inv_vf *related_vf(const struct inventory *inv, const struct inv_function *f);

/* Is an RDMA, a vDPA, a management device a part of this one? */
bool related_has_rdma(const struct inv_rdma *r, const char *id);
bool related_has_vdpa(const struct inv_vdpa *v, const char *id);
bool related_has_mgmtdev(const struct inv_mgmtdev *m, const char *id);

#endif
