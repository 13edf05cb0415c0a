/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jx.h - typed JSON getters that name the full key path in the error
 *
 * jansson 2.14 says "Expected string, got integer" without the key; these say
 * "runtimeConfig.deviceID: expected a string, got an integer".  `path` is how the
 * object is called in messages ("" for the top).  A JSON null counts as absent.
 * Each returns 1 found, 0 absent (*ret unchanged), -1 error with code ERR_NETCONF.
 */
#ifndef BASE_JX_H
#define BASE_JX_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

int jx_string(const json_t *o, const char *path, const char *key, const char **ret, struct err *e)
	must_check;
/* Get an integer, min <= value <= max; a real without fraction counts as one. */
int jx_int(const json_t *o, const char *path, const char *key, json_int_t min, json_int_t max,
	   json_int_t *ret, struct err *e) must_check;
int jx_bool(const json_t *o, const char *path, const char *key, bool *ret,
	    struct err *e) must_check;
int jx_object(const json_t *o, const char *path, const char *key, json_t **ret, struct err *e)
	must_check;
int jx_array(const json_t *o, const char *path, const char *key, json_t **ret, struct err *e)
	must_check;

/* Get an array of strings; another element is an error. */
int jx_strings(const json_t *o, const char *path, const char *key, json_t **ret, struct err *e)
	must_check;

/*
 * Check that o has no other keys than these, in any case of letters: 0, or -1 with the first other
 * key and the nearest allowed one.
 */
int jx_only_keys(const json_t *o, const char *path, const char *const *keys, size_t n,
		 struct err *e) must_check;
/* The same, case-sensitive, as for Kubernetes' own objects. */
int jx_only_exact_keys(const json_t *o, const char *path, const char *const *keys, size_t n,
		       struct err *e) must_check;

/*
 * Go decodes keys without regard to case, so what works there has to work here: each of these keys
 * that is absent is added with the value of the member that differs only in case.
 */
void jx_fold_keys(json_t *o, const char *const *keys, size_t n);

#define JX_VALUES_MAX	1000000	/* keys and values of a document; 250 MB and a second at most */

/*
 * Parse one document of len bytes.  Duplicate keys, trailing bytes, more than JX_VALUES_MAX keys
 * and values, and nesting beyond jansson's 2048 are errors; integers beyond 64 bits are taken as
 * reals.  Returns a new reference.  `what` names the source in the message, code is the error's; of
 * the text, the message shows at most a duplicate key.
 */
json_t *jx_parse(const char *text, size_t len, enum err_code code, const char *what, struct err *e)
	must_check;

/* The same for a value of any type, such as one found with jx_text.h. */
json_t *jx_parse_value(const char *text, size_t len, enum err_code code, const char *what,
		       struct err *e) must_check;

/*
 * Parse the document of a stream that begins at *pos, and move *pos behind it: 1 with a new
 * reference in *ret; 0 when nothing but white space is left; -1.  Limits and errors are those of
 * jx_parse(), but more may follow; lines and columns in messages count from *pos.  The caller
 * limits the number of documents.
 */
int jx_parse_next(const char *text, size_t len, size_t *pos, enum err_code code, const char *what,
		  json_t **ret, struct err *e) must_check;

/* Return a member's text; "" where it is absent or no string. */
const char *jx_get_text(const json_t *o, const char *key);

/* Set a member, unless the text is NULL or empty. */
void jx_put_text(json_t *o, const char *key, const char *text);

/*
 * Format as compact text, keys in order of insertion, with a newline at the end; the caller frees
 * it.
 */
char *jx_dump(const json_t *v, size_t *len) must_check;

/* "a string", "an integer" ... for messages. */
const char *jx_type_name(const json_t *v);

/*
 * jansson 2.14 can report success after a failed allocation and drop a byte.  So its allocators
 * must not return NULL: on failure they call `last_words` (which may be NULL) and _exit(1).
 * Also seeds the hash of objects.
 */
void jx_init(void (*last_words)(void));

#endif
