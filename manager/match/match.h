/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - select devices by expressions
 *
 * The room manager/match/ selects devices of an inventory: by expressions with the operators of
 * Node Feature Discovery's matchExpressions (this header), and by pools with the selectors of
 * sriov-network-device-plugin (pool.h).  It uses only the inventory.  manager/expression/ evaluates
 * the operators; selectors in CEL are in manager/dra/, by manager/cel/.
 *
 * To be read in this order:
 *
 *	attribute_table.c	the names of the attributes that expressions go by
 *	attributes.c		the attributes of a device; related.c what belongs to it
 *	match.c			expressions are read from a text or from JSON, and met
 *	pool.c			a configuration of pools is read
 *	pool_selector.c		one selector of a pool
 *	pool_slot.c		a pool of sockets
 *	pool_find.c		each device gets its pool
 */
#ifndef MANAGER_MATCH_MATCH_H
#define MANAGER_MATCH_MATCH_H

#include "base/err.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * Return the attributes of a function for expressions, a new reference: an object of strings,
 * numbers, booleans and lists of strings, with those of all that belongs to it (its network device,
 * RDMA and vDPA devices, PF, holder...).  `scan --json` prints the same objects; their names are in
 * attribute_table.h.
 */
json_t *match_attributes(const struct inventory *inv, const struct inv_function *f);
/* The same for a device of the auxiliary bus. */
json_t *match_attributes_of_auxiliary(const struct inventory *inv, const struct inv_auxiliary *x);
/* The same for a socket that a pool offers: who has it, by its id. */
json_t *match_attributes_of_socket(const struct inventory *inv, const char *id, const char *kind);
/* The same for a vDPA device that is on neither: a simulator's, or VDUSE's. */
json_t *match_attributes_of_vdpa(const struct inventory *inv, const struct inv_vdpa *v);

struct match;

/*
 * Parse a list of expressions, all of which a device must match:
 *
 *	vendor In 15b3,8086; driver Exists; numa_node Lt 2; is_vf IsTrue
 *
 * or as JSON, as in a rule: {"vendor": {"op": "In", "value": ["15b3"]}}.  The operators and what
 * they do with types, absent attributes and numbers of values are NFD's.  NULL with ERR_NETCONF,
 * which names the place in the text.
 */
struct match *match_parse(const char *text, struct err *e) must_check;
/*
 * Check that each expression names an attribute that devices can have: 0, or -1 with the nearest.
 */
int match_check_names(const struct match *m, struct err *e) must_check;
/* Is one of them about the attribute of this name? */
bool match_has_name(const struct match *m, const char *name);
/* Does a device match all?  1, 0, -1 when an operator does not accept the type of a value. */
int match_meets(const struct match *m, const json_t *attributes, struct err *e) must_check;
void match_free(struct match *m);

#define auto_match auto_with(match_free_at)
void match_free_at(struct match *const *m);

#endif
