/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jx_yaml.h - read a YAML document into the same tree as JSON
 *
 * For files that administrators write in either.  Plain scalars have the types that Kubernetes'
 * reader, sigs.k8s.io/yaml, gives them: those of YAML 1.2's core schema and, of 1.1, the words yes,
 * no, on and off, octal numbers as 0660, binary ones, and '_' in numbers.  A date is a text.
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
 * the bounds above are errors.  Keys are texts as they are written.  Returns a new reference.
 * `what` names the source in the message, code is the error's; of the text, the message shows at
 * most a duplicate key.
 */
json_t *jx_yaml_parse(const char *text, size_t len, enum err_code code, const char *what,
		      struct err *e) must_check;

/*
 * The same for a stream of any number of documents: returns a list of them, with null for an empty
 * one.  The limits apply to all together; an anchor is valid in its own document.
 */
json_t *jx_yaml_parse_all(const char *text, size_t len, enum err_code code, const char *what,
			  struct err *e) must_check;

#endif
