/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - why an expression came out as it did, for people */
#include "manager/ctl/trace.h"

#include "base/mem.h"
#include "manager/ctl/ctl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

/* In one line; owned by the caller. */
static char *on_a_line(const char *term)
{
	char *ret = calloc(strlen(term) + 1, 1), *to = ret;

	for (; ret && *term; term++) {
		bool blank = *term == ' ' || *term == '\t' || *term == '\n';

		if (!blank || (to > ret && to[-1] != ' '))
			*to++ = blank ? ' ' : *term;
	}
	return ret;
}

void ctl_put_trace(FILE *to, const json_t *trace, unsigned int indent)
{
	const char *text = json_string_value(json_object_get(trace, "term"));
	auto_free char *term = on_a_line(text ? text : "");
	const char *error = json_string_value(json_object_get(trace, "error"));
	auto_free char *value = json_dumps(json_object_get(trace, "value"), JSON_ENCODE_ANY);
	const json_t *part;
	size_t i;

	if (indent > 2 * DEPTH_MAX)
		return;
	ctl_put_line(to, "%*s%s%s  %s", (int)indent, "", error ? "error: " : "",
		     error ? error : value ? value : "-", term ? term : "");
	json_array_foreach(json_object_get(trace, "terms"), i, part) {
		ctl_put_trace(to, part, indent + 2);
	}
}
