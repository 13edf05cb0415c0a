/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jx_yaml.c - a YAML document as the tree that the same in JSON would be
 *
 * libyaml tells events; a function for each kind of node takes those of its own and leaves the last
 * of them at hand.  An alias is a copy of what its anchor named, so that no part of the tree is in
 * two places, and its size counts: that bounds what a few lines can unfold to.
 */
#include "base/jx_yaml.h"

#include "base/jx.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

/* -- the type of a plain text -- */

static const struct {
	const char *text;
	json_t *(*make)(void);
} words[] = {
	{ "", json_null },	{ "~", json_null },	{ "null", json_null },
	{ "true", json_true },	{ "yes", json_true },	{ "on", json_true },
	{ "y", json_true },	{ "false", json_false }, { "no", json_false },
	{ "off", json_false },	{ "n", json_false },
};

/* "true", "True" and "TRUE", but not "tRUE". */
static bool is_word(const char *s, const char *word)
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char lower[] = "abcdefghijklmnopqrstuvwxyz";

	if (strcasecmp(s, word) != 0)
		return false;
	return !*s || !s[1 + strcspn(s + 1, upper)] || !s[strcspn(s, lower)];
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* The base of a number without its sign, and where its digits begin. */
static int base_of(const char **s)
{
	static const struct {
		char letter;
		int base;
	} prefixes[] = { { 'x', 16 }, { 'o', 8 }, { 'b', 2 } };

	if (**s != '0' || !(*s)[1])
		return 10;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (((*s)[1] | 0x20) == prefixes[i].letter) {
			*s += 2;
			return prefixes[i].base;
		}
	(*s)++;
	return 8;
}

/* NULL when it is no integer, or none of 64 bits. */
static json_t *integer_of(const char *s)
{
	bool negative = *s == '-';
	json_int_t n = 0;
	int base;

	s += *s == '-' || *s == '+';
	base = base_of(&s);
	if (!*s)
		return NULL;
	for (; *s; s++) {
		int digit = digit_of(*s);

		if (digit >= base || __builtin_mul_overflow(n, base, &n) ||
		    __builtin_sub_overflow(n, digit, &n))
			return NULL;
	}
	if (!negative && n == INT64_MIN)
		return NULL;
	return json_integer(negative ? n : -n);
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_real(const char *s)
{
	static const char digits[] = "0123456789";
	size_t whole, part = 0;

	s += *s == '-' || *s == '+';
	whole = strspn(s, digits);
	s += whole;
	if (*s == '.') {
		part = strspn(s + 1, digits);
		s += 1 + part;
	}
	if (whole + part == 0)
		return false;
	if (*s != 'e' && *s != 'E')
		return !*s;
	s++;
	s += *s == '-' || *s == '+';
	return *s && !s[strspn(s, digits)];
}

static json_t *number_of(const char *s)
{
	char plain[64];
	size_t n = 0;
	json_t *v;

	if (strlen(s) >= sizeof(plain) || !strchr("0123456789+-.", *s))
		return NULL;
	for (; *s; s++)
		if (*s != '_')
			plain[n++] = *s;
	plain[n] = '\0';
	v = integer_of(plain);
	if (!v && is_real(plain) && isfinite(strtod(plain, NULL)))
		v = json_real(strtod(plain, NULL));
	return v;
}

/* NULL when it is a text. */
static json_t *plain_of(const char *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is_word(s, words[i].text))
			return words[i].make();
	return number_of(s);
}

/* What JSON has no form for. */
static bool is_endless(const char *s)
{
	s += *s == '-' || *s == '+';
	return is_word(s, ".inf") || strcasecmp(s, ".nan") == 0;
}

/* -- nodes -- */

struct size {
	size_t values, bytes;		/* keys and values; of texts and keys */
};

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;		/* the one at hand */
	json_t *anchors;		/* what they name */
	size_t values, depth;
	struct size aliased;
	enum err_code code;
	const char *what;
	struct err *e;
};

static void reader_done(struct reader *r)
{
	yaml_event_delete(&r->event);
	yaml_parser_delete(&r->parser);
	json_decref(r->anchors);
}

/* Refuse what is at hand. */
static json_t *refuse_yaml(const struct reader *r, const char *why)
{
	(void)err_set(r->e, r->code, 0, "%s: %s", r->what, why);
	(void)err_detail(r->e, "line %zu", r->event.start_mark.line + 1);
	return NULL;
}

static int next(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;

	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->parser, &r->event))
		return 0;
	(void)err_set(r->e, r->code, 0, "%s: not valid YAML", r->what);
	return err_detail(r->e, "line %zu, column %zu: %s", p->problem_mark.line + 1,
			  p->problem_mark.column + 1, p->problem ? p->problem : "out of memory");
}

static json_t *read_node(struct reader *r);

/* The text of a scalar, of which JSON is to have all. */
static const char *text_at_hand(const struct reader *r)
{
	const char *s = (const char *)r->event.data.scalar.value;

	if (strlen(s) == r->event.data.scalar.length)
		return s;
	(void)refuse_yaml(r, "a NUL in a text");
	return NULL;
}

static json_t *read_scalar(struct reader *r)
{
	const char *tag = (const char *)r->event.data.scalar.tag, *s = text_at_hand(r);
	json_t *v = NULL;

	if (!s)
		return NULL;
	if (tag && strcmp(tag, YAML_STR_TAG) != 0 && strcmp(tag, "!") != 0)
		return refuse_yaml(r, "a tag that is not read");
	if (!tag && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		if (is_endless(s))
			return refuse_yaml(r, "a number without end");
		v = plain_of(s);
	}
	if (!v)
		v = json_string(s);
	return v ? v : refuse_yaml(r, "a text that is not UTF-8");
}

/* How many lists and objects are in each other; adds what all keys and values are. */
static size_t measure(json_t *v, struct size *n)
{
	size_t deepest = 0, i, depth;
	const char *key;
	json_t *member;

	n->values++;
	n->bytes += json_string_length(v);
	json_array_foreach(v, i, member) {
		depth = measure(member, n);
		deepest = depth > deepest ? depth : deepest;
	}
	json_object_foreach(v, key, member) {
		n->values++;
		n->bytes += strlen(key);
		depth = measure(member, n);
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest + (json_is_array(v) || json_is_object(v));
}

static json_t *read_alias(struct reader *r)
{
	json_t *v = json_object_get(r->anchors, (const char *)r->event.data.alias.anchor);
	size_t depth;

	if (!v)
		return refuse_yaml(r, "an alias of nothing before it");
	depth = measure(v, &r->aliased);
	if (r->aliased.values > JX_YAML_ALIASED || r->aliased.bytes > JX_YAML_ALIASED_BYTES)
		return refuse_yaml(r, "aliases repeat too much");
	if (r->depth + depth > JX_YAML_DEPTH)
		return refuse_yaml(r, "nests too deep");
	return json_deep_copy(v);
}

/* What follows its beginning, which is at hand. */
static json_t *read_list(struct reader *r)
{
	json_auto_t *list = json_array();
	json_t *v;

	while (next(r) == 0) {
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return steal_ptr(&list);
		v = read_node(r);
		if (!v)
			return NULL;
		(void)json_array_append_new(list, v);
	}
	return NULL;
}

/* The key at hand, owned; NULL when it cannot be one of this object. */
static char *read_key(const struct reader *r, const json_t *o)
{
	const char *s;
	char *ret;

	if (r->event.type != YAML_SCALAR_EVENT) {
		(void)refuse_yaml(r, "a key that is no text");
		return NULL;
	}
	s = text_at_hand(r);
	if (!s)
		return NULL;
	if (strcmp(s, "<<") == 0 && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		(void)refuse_yaml(r, "a merge key, which is not read");
		return NULL;
	}
	if (json_object_get(o, s)) {
		(void)err_set(r->e, r->code, 0, "%s: duplicate key \"%s\"", r->what, s);
		(void)err_detail(r->e, "line %zu", r->event.start_mark.line + 1);
		return NULL;
	}
	ret = strdup(s);
	if (!ret)
		(void)refuse_yaml(r, "out of memory");
	return ret;
}

static json_t *read_object(struct reader *r)
{
	json_auto_t *o = json_object();
	json_t *v;

	while (next(r) == 0) {
		auto_free char *key = NULL;

		if (r->event.type == YAML_MAPPING_END_EVENT)
			return steal_ptr(&o);
		key = read_key(r, o);
		v = key && next(r) == 0 ? read_node(r) : NULL;
		if (!v)
			return NULL;
		r->values++;
		if (json_object_set_new(o, key, v) < 0)
			return refuse_yaml(r, "a key that is not UTF-8");
	}
	return NULL;
}

static json_t *read_collection(struct reader *r, const char *tag, const char *allowed,
			       json_t *(*read)(struct reader *))
{
	json_t *v;

	if (tag && strcmp(tag, allowed) != 0)
		return refuse_yaml(r, "a tag that is not read");
	if (r->depth == JX_YAML_DEPTH)
		return refuse_yaml(r, "nests too deep");
	r->depth++;
	v = read(r);
	r->depth--;
	return v;
}

static json_t *read_kind(struct reader *r)
{
	const yaml_event_t *at = &r->event;

	switch (at->type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(r);
	case YAML_SEQUENCE_START_EVENT:
		return read_collection(r, (const char *)at->data.sequence_start.tag, YAML_SEQ_TAG,
				       read_list);
	case YAML_MAPPING_START_EVENT:
		return read_collection(r, (const char *)at->data.mapping_start.tag, YAML_MAP_TAG,
				       read_object);
	default:
		return read_alias(r);
	}
}

/* The event goes with the next one, so its anchor is kept. */
static const char *anchor_of(const yaml_event_t *at)
{
	switch (at->type) {
	case YAML_SCALAR_EVENT:
		return (const char *)at->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return (const char *)at->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return (const char *)at->data.mapping_start.anchor;
	default:
		return NULL;
	}
}

static json_t *read_node(struct reader *r)
{
	const char *name = anchor_of(&r->event);
	auto_free char *anchor = name ? strdup(name) : NULL;
	json_t *v;

	if (++r->values > JX_VALUES_MAX)
		return refuse_yaml(r, "too many keys and values");
	v = read_kind(r);
	if (v && anchor)
		(void)json_object_set(r->anchors, anchor, v);
	return v;
}

/* -- documents -- */

/* The document whose beginning is at hand; leaves what follows it there. */
static json_t *read_document(struct reader *r)
{
	json_auto_t *v = NULL;

	(void)json_object_clear(r->anchors);
	if (next(r) < 0)
		return NULL;
	v = read_node(r);
	if (!v)
		return NULL;
	if (!json_is_object(v) && !json_is_array(v) && !json_is_null(v))
		return refuse_yaml(r, "neither an object nor a list");
	return next(r) < 0 || next(r) < 0 ? NULL : steal_ptr(&v);	/* its end, and that */
}

/* The one document of a stream, whose beginning is at hand. */
static json_t *read_one(struct reader *r)
{
	json_auto_t *v = NULL;

	if (next(r) < 0)
		return NULL;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return refuse_yaml(r, "no document");
	v = read_document(r);
	if (!v)
		return NULL;
	if (r->event.type != YAML_STREAM_END_EVENT)
		return refuse_yaml(r, "more than one document");
	return json_is_null(v) ? refuse_yaml(r, "neither an object nor a list") : steal_ptr(&v);
}

static json_t *read_all(struct reader *r)
{
	json_auto_t *list = json_array();
	json_t *v;

	if (next(r) < 0)
		return NULL;
	while (r->event.type != YAML_STREAM_END_EVENT) {
		v = read_document(r);
		if (!v)
			return NULL;
		(void)json_array_append_new(list, v);
	}
	return steal_ptr(&list);
}

/*
 * libyaml looks at each of them for each: it takes a minute for a MiB of them.  Its lines end with
 * three characters of Unicode, too.
 */
static bool has_own_tags(const char *text, size_t len)
{
	static const char directive[] = "%TAG";
	const char *p = text;

	while ((p = memmem(p, len - (size_t)(p - text), directive, strlen(directive)))) {
		if (p == text || p[-1] == '\n' || p[-1] == '\r' || p[-1] & 0x80)
			return true;
		p++;
	}
	return false;
}

static json_t *parse(const char *text, size_t len, enum err_code code, const char *what,
		     json_t *(*read)(struct reader *), struct err *e)
{
	auto_with(reader_done) struct reader r = { .code = code, .what = what, .e = e };

	if (!yaml_parser_initialize(&r.parser)) {
		(void)err_set(e, code, 0, "%s: out of memory", what);
		return NULL;
	}
	r.anchors = json_object();
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	if (has_own_tags(text, len))
		return refuse_yaml(&r, "tags of its own, which are not read");
	return next(&r) < 0 ? NULL : read(&r);
}

json_t *jx_yaml_parse(const char *text, size_t len, enum err_code code, const char *what,
		      struct err *e)
{
	return parse(text, len, code, what, read_one, e);
}

json_t *jx_yaml_parse_all(const char *text, size_t len, enum err_code code, const char *what,
			  struct err *e)
{
	return parse(text, len, code, what, read_all, e);
}
