/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feature_set.h - features in the form of features.h: looked up, checked, put together
 */
#ifndef MANAGER_NFD_FEATURE_SET_H
#define MANAGER_NFD_FEATURE_SET_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The elements of a feature of that type ("flags", "attributes", "instances"); NULL: none. */
json_t *feature_elements(const json_t *features, const char *type, const char *name);

enum { FEATURE_TYPES = 3 };
extern const char *const feature_types[FEATURE_TYPES];

/* Is there a feature of that name, of any type, if only without elements? */
bool feature_is_known(const json_t *features, const char *name);

/* The names in a set, sorted; borrowed from it. */
struct feature_names {
	const char **list;		/* owned */
	size_t n;
};

struct feature_names feature_names_of(const json_t *set);
void feature_names_done(struct feature_names *names);

/* An object of strings, as labels and attributes are: 1, 0 absent, -1 with ERR_NETCONF. */
int feature_texts(const json_t *o, const char *key, json_t **ret, struct err *e) must_check;
/* Has a feature the form of feature_types[type]?  -1 with ERR_NETCONF and its name. */
int feature_check(size_t type, const char *name, const json_t *feature,
		  struct err *e) must_check;

/*
 * Add others' features, as nfd-master joins the NodeFeatures of a node: elements of the same name
 * are replaced, instances added.  -1 with ERR_NETCONF and the key when they do not have that form;
 * then nothing was added.
 */
int feature_set_merge(json_t *features, const json_t *others, struct err *e) must_check;

/* Set attributes, an object of strings, of one feature; it is there afterwards, if only empty. */
void feature_set_put(json_t *features, const char *name, const json_t *attributes);

#endif
