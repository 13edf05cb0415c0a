/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jx_yaml.h - a YAML document as the tree that the same in JSON would be
 *
 * For files that others may write in either.  Plain texts have the types that Kubernetes' reader,
 * sigs.k8s.io/yaml, gives them: those of YAML 1.2's core schema and, of 1.1, the words yes, no, on
 * and off, octal numbers as 0660, binary ones, and '_' in numbers.  A date is a text.
 */
#ifndef BASE_JX_YAML_H
#define BASE_JX_YAML_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

enum {
	JX_YAML_DEPTH = 100,		/* lists and objects in each other */
	JX_YAML_ALIASED = 10000,	/* keys and values that aliases may repeat, all together */
	JX_YAML_ALIASED_BYTES = 1 << 20,	/* of their texts */
};

/*
 * Parse one document, an object or a list, of len bytes of UTF-8.  Duplicate keys, a second
 * document, tags other than !!str, !!seq and !!map, merge keys ("<<"), what JSON has no form for
 * (infinity, a key that is no text), more than JX_VALUES_MAX keys and values, and what goes beyond
 * the bounds above are errors.  Keys are texts as they are written.  New reference.  `what` names
 * the source in the message, code is the error's; of the text, only a duplicate key is told.
 */
json_t *jx_yaml_parse(const char *text, size_t len, enum err_code code, const char *what,
		      struct err *e) must_check;

/*
 * The same of a stream of any number of documents: a list of them, in which an empty one is null.
 * The bounds are of all together; an anchor is its document's.
 */
json_t *jx_yaml_parse_all(const char *text, size_t len, enum err_code code, const char *what,
			  struct err *e) must_check;

#endif
