/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - which devices does an expression mean?
 *
 * The room manager/match/ selects devices of an inventory: by expressions with the operators of
 * Node Feature Discovery's matchExpressions (this header), and by pools with the selectors of
 * sriov-network-device-plugin (pool.h).  It looks at nothing but the inventory.  What an expression
 * means is manager/expression/'s; selectors in CEL are manager/dra/'s, by manager/cel/.
 *
 * To be read in this order:
 *
 *	attribute_table.c	the names of the attributes that expressions go by
 *	attributes.c		the attributes of a device; related.c what belongs to it
 *	match.c			expressions are read from a text or from JSON, and met
 *	pool.c			a configuration of pools is read, and each device gets its pool
 *	pool_selector.c		one selector of a pool
 */
#ifndef MANAGER_MATCH_MATCH_H
#define MANAGER_MATCH_MATCH_H

#include "base/err.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * The attributes that expressions go by, new reference: an object of strings, numbers, booleans and
 * lists of strings, of a function with all that belongs to it (its network device, RDMA and vDPA
 * devices, PF, holder...).  `scan --json` prints the same objects; their names are in
 * attribute_table.h.
 */
json_t *match_attributes(const struct inventory *inv, const struct inv_function *f);
/* The same of a device of the auxiliary bus. */
json_t *match_attributes_of_auxiliary(const struct inventory *inv, const struct inv_auxiliary *x);
/* The same of a vDPA device that is on neither: a simulator's, or VDUSE's. */
json_t *match_attributes_of_vdpa(const struct inventory *inv, const struct inv_vdpa *v);

struct match;

/*
 * A list of expressions in one text, all of which a device must meet:
 *
 *	vendor In 15b3,8086; driver Exists; numa_node Lt 2; is_vf IsTrue
 *
 * or as JSON, as in a rule: {"vendor": {"op": "In", "value": ["15b3"]}}.  The operators and what
 * they do with types, absent attributes and numbers of values are NFD's.  NULL with ERR_NETCONF,
 * which names the place in the text.
 */
struct match *match_parse(const char *text, struct err *e) must_check;
/* Is each about an attribute that devices can have?  0, or -1 with what was probably meant. */
int match_check_names(const struct match *m, struct err *e) must_check;
/* 1 it meets all, 0, -1 (the value is of no type that an operator takes). */
int match_meets(const struct match *m, const json_t *attributes, struct err *e) must_check;
void match_free(struct match *m);

#define auto_match auto_with(match_free_at)
void match_free_at(struct match *const *m);

#endif
