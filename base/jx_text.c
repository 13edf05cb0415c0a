/* SPDX-License-Identifier: Apache-2.0 */
/* jx_text.c - JSON looked through where it stands, for what is too large for a tree */
#include "base/jx_text.h"

#include <string.h>

static bool is_one_of(char c, const char *list)
{
	return c && strchr(list, c);
}

static const char *skip_white(const char *p, const char *end)
{
	while (p < end && is_one_of(*p, " \t\r\n"))
		p++;
	return p;
}

const char *jx_string_end(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p == '"')
			return p + 1;
		if (*p == '\\')
			p++;
	}
	return NULL;
}

/* Behind the value at p: brackets are counted, not paired.  NULL when it does not end, or begin. */
static const char *value_end(const char *p, const char *end)
{
	const char *start = p;
	size_t depth = 0;

	if (p < end && !is_one_of(*p, "{[\"")) {
		while (p < end && *p && !is_one_of(*p, ",:{}[]\" \t\r\n"))
			p++;
		return p > start ? p : NULL;
	}
	while (p && p < end) {
		if (*p == '"') {
			p = jx_string_end(p, end);
		} else {
			depth += *p == '{' || *p == '[';
			depth -= *p == '}' || *p == ']';
			p++;
		}
		if (depth == 0)
			return p;
	}
	return NULL;
}

int jx_text_of(const char *text, size_t len, struct jx_text *ret)
{
	const char *end = text + len, *at = skip_white(text, end), *behind = value_end(at, end);

	if (!behind || skip_white(behind, end) != end)
		return -1;
	*ret = (struct jx_text){ at, (size_t)(behind - at) };
	return 0;
}

struct jx_walk jx_walk_of(struct jx_text v)
{
	return (struct jx_walk){
		.p = v.at + 1, .end = v.at + v.len - 1, .has_keys = *v.at == '{',
	};
}

/* Behind the key at p and its colon; NULL when they are none. */
static const char *take_key(const char *p, const char *end, struct jx_text *ret)
{
	const char *behind = p < end && *p == '"' ? jx_string_end(p, end) : NULL;

	if (!behind)
		return NULL;
	*ret = (struct jx_text){ p, (size_t)(behind - p) };
	p = skip_white(behind, end);
	return p < end && *p == ':' ? skip_white(p + 1, end) : NULL;
}

int jx_walk_next(struct jx_walk *w, struct jx_text *key, struct jx_text *value)
{
	const char *p = skip_white(w->p, w->end), *behind;

	if (p == w->end)
		return 0;
	if (w->begun && *p != ',')
		return -1;
	if (w->begun)
		p = skip_white(p + 1, w->end);
	if (w->has_keys)
		p = take_key(p, w->end, key);
	behind = p ? value_end(p, w->end) : NULL;
	if (!behind)
		return -1;
	*value = (struct jx_text){ p, (size_t)(behind - p) };
	w->p = behind;
	w->begun = true;
	return 1;
}

bool jx_text_is(struct jx_text v, const char *text)
{
	size_t n = strlen(text);

	return v.len == n + 2 && *v.at == '"' && memcmp(v.at + 1, text, n) == 0;
}

const char *jx_text_type(struct jx_text v)
{
	static const struct {
		char first;
		const char *name;
	} types[] = {
		{ '{', "an object" }, { '[', "a list" },    { '"', "a string" },
		{ 't', "a boolean" }, { 'f', "a boolean" }, { 'n', "null" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (*v.at == types[i].first)
			return types[i].name;
	return "a number";
}
