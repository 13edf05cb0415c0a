/* SPDX-License-Identifier: Apache-2.0 */
/* field.h - check members of objects of resource.k8s.io; for limits.h */
#ifndef MANAGER_DRA_FIELD_H
#define MANAGER_DRA_FIELD_H

#include "base/err.h"
#include "manager/number/quantity.h"

#include <jansson.h>
#include <stdbool.h>

/* Check a required string of this form; `must` describes the form in the message. */
int dra_field_name(const json_t *o, const char *key, bool (*is)(const char *s), const char *must,
		   struct err *e) must_check;
/* The same for an optional one. */
int dra_field_may_name(const json_t *o, const char *key, bool (*is)(const char *s),
		       const char *must, struct err *e) must_check;
/* Check a list of at most max members, and each member; an absent one is empty. */
int dra_field_each(const json_t *o, const char *key, size_t max,
		   int (*check)(const json_t *v, struct err *e), struct err *e) must_check;
/*
 * Check an object: each name has this form, where one is given, and each value is checked; an
 * absent one is empty.
 */
int dra_field_map(const json_t *o, const char *key, size_t max, bool (*is)(const char *s),
		  const char *must, int (*check)(const json_t *v, struct err *e),
		  struct err *e) must_check;
/* Check that no two objects of a list have the same string in this member. */
int dra_field_unique(const json_t *o, const char *key, const char *name, struct err *e) must_check;
/*
 * Get a quantity: a text, which may have blanks around it, or a number.  null is 0, and so is
 * none at all.  ERR_NETCONF.
 */
int dra_field_quantity(const json_t *v, struct quantity *ret, struct err *e) must_check;

/* Check labels, annotations and owners, which a template of objects has, too. */
int dra_field_words(const json_t *metadata, struct err *e) must_check;
/* Check the metadata of a whole object. */
int dra_field_metadata(const json_t *doc, struct err *e) must_check;
/* The same, and get its spec. */
int dra_field_spec(const json_t *doc, json_t **ret, struct err *e) must_check;

#define DRA_MUST_LABEL "at most 63 of a-z, 0-9 and '-', not '-' first or last"
#define DRA_MUST_POOL "DNS names with '/' between them, at most 253 bytes"
#define DRA_MUST_DRIVER "a DNS name of at most 63 bytes"
#define DRA_MUST_ATTRIBUTE "a C identifier of at most 32 bytes, with or without a domain and '/'"
#define DRA_MUST_KEY "the key of a label"

#endif
