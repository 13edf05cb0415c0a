/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - which members the objects of resource.k8s.io have, of which type
 *
 * As the API server of Kubernetes 1.36 decodes them: a member that it does not know, or one of
 * another type, is refused.  What the values may be is in limits.h.
 */
#ifndef MANAGER_DRA_SCHEMA_H
#define MANAGER_DRA_SCHEMA_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum schema_form {
	SCHEMA_TEXT,
	SCHEMA_INT,
	SCHEMA_BOOL,
	SCHEMA_QUANTITY,
	SCHEMA_TIME,
	SCHEMA_ANY,			/* nobody looks into it */
	SCHEMA_OBJECT,			/* of `type` */
	SCHEMA_FORMS,
};

enum schema_many { SCHEMA_ONE, SCHEMA_LIST, SCHEMA_MAP };

struct schema_type;

struct schema_member {
	const char *key;
	enum schema_form form;
	enum schema_many many;
	const struct schema_type *type;	/* of an object */
};

struct schema_type {
	const struct schema_member *members;
	size_t n;
};

struct schema_kind {
	const char *version, *kind;	/* "v1", "ResourceSlice" */
	bool is_namespaced;
	const struct schema_type *type;	/* of the whole object */
};

/* The kinds of all versions: schema_table.c. */
extern const struct schema_kind schema_kinds[];
extern const size_t schema_n_kinds;

/*
 * Find the kind of an apiVersion, which is of the group resource.k8s.io.  NULL with ERR_NETCONF:
 * that version does not have it, or is none.
 */
const struct schema_kind *schema_find(const char *api_version, const char *kind, struct err *e);
/* Is it a kind of the group, in any version? */
bool schema_has_kind(const char *kind);

/* `text` is one problem, with its place. */
typedef void schema_say(const char *text, void *arg);

/* Report what is not as the schema has it, and return how much that is. */
size_t schema_check(const struct schema_kind *kind, json_t *doc, schema_say *say, void *arg);

#endif
