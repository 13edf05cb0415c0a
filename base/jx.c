/* SPDX-License-Identifier: Apache-2.0 */
/* jx.c - typed JSON getters that name the full key path in the error */
#include "base/jx.h"

#include "base/jx_text.h"
#include "base/nearest.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

static void (*die_words)(void);

const char *jx_type_name(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a boolean";
	default:
		return "null";
	}
}

static int wrong_type(const json_t *v, const char *path, const char *key, const char *expected,
		      struct err *e)
{
	return err_set(e, ERR_NETCONF, 0, "%s%s%s: expected %s, got %s", path,
		       *path ? "." : "", key, expected, jx_type_name(v));
}

/* The member unless it is absent or null. */
static json_t *member(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_null(v) ? NULL : v;
}

int jx_string(const json_t *o, const char *path, const char *key, const char **ret, struct err *e)
{
	const json_t *v = member(o, key);

	if (!v)
		return 0;
	if (!json_is_string(v))
		return wrong_type(v, path, key, "a string", e);
	*ret = json_string_value(v);
	return 1;
}

/* A real without fraction that json_int_t can hold. */
static bool is_whole(const json_t *v)
{
	double d = json_real_value(v);

	return json_is_real(v) && d > -9.2e18 && d < 9.2e18 && (double)(json_int_t)d == d;
}

int jx_int(const json_t *o, const char *path, const char *key, json_int_t min, json_int_t max,
	   json_int_t *ret, struct err *e)
{
	const json_t *v = member(o, key);
	json_int_t n;

	if (!v)
		return 0;
	if (is_whole(v))
		n = (json_int_t)json_real_value(v);	/* 1e3, or what went through Go's float64 */
	else if (json_is_integer(v))
		n = json_integer_value(v);
	else
		return wrong_type(v, path, key, "an integer", e);
	if (n < min || n > max)
		return err_set(e, ERR_NETCONF, 0, "%s%s%s: expected an integer of %"
			       JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT ", got %"
			       JSON_INTEGER_FORMAT, path, *path ? "." : "", key, min, max, n);
	*ret = n;
	return 1;
}

int jx_bool(const json_t *o, const char *path, const char *key, bool *ret, struct err *e)
{
	const json_t *v = member(o, key);

	if (!v)
		return 0;
	if (!json_is_boolean(v))
		return wrong_type(v, path, key, "a boolean", e);
	*ret = json_is_true(v);
	return 1;
}

int jx_object(const json_t *o, const char *path, const char *key, json_t **ret, struct err *e)
{
	json_t *v = member(o, key);

	if (!v)
		return 0;
	if (!json_is_object(v))
		return wrong_type(v, path, key, "an object", e);
	*ret = v;
	return 1;
}

int jx_array(const json_t *o, const char *path, const char *key, json_t **ret, struct err *e)
{
	json_t *v = member(o, key);

	if (!v)
		return 0;
	if (!json_is_array(v))
		return wrong_type(v, path, key, "a list", e);
	*ret = v;
	return 1;
}

int jx_strings(const json_t *o, const char *path, const char *key, json_t **ret, struct err *e)
{
	char item[128];
	json_t *list = NULL;
	const json_t *v;
	size_t i;
	int r = jx_array(o, path, key, &list, e);

	if (r <= 0)
		return r;
	json_array_foreach(list, i, v)
		if (!json_is_string(v)) {
			(void)snprintf(item, sizeof(item), "%s[%zu]", key, i);
			return wrong_type(v, path, item, "a string", e);
		}
	*ret = list;
	return 1;
}

static int only_keys(const json_t *o, const char *path, const char *const *keys, size_t n,
		     int (*compare)(const char *a, const char *b), struct err *e)
{
	char hint[NEAREST_HINT];
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, key, v) {
		size_t i = 0;

		while (i < n && compare(key, keys[i]) != 0)
			i++;
		if (i < n)
			continue;
		nearest_hint(key, keys, n, hint);
		return err_set(e, ERR_NETCONF, 0, "%s%sunknown key '%.64s'%s", path,
			       *path ? ": " : "", key, hint);
	}
	return 0;
}

int jx_only_keys(const json_t *o, const char *path, const char *const *keys, size_t n,
		 struct err *e)
{
	return only_keys(o, path, keys, n, strcasecmp, e);
}

int jx_only_exact_keys(const json_t *o, const char *path, const char *const *keys, size_t n,
		       struct err *e)
{
	return only_keys(o, path, keys, n, strcmp, e);
}

void jx_fold_keys(json_t *o, const char *const *keys, size_t n)
{
	const char *key;
	json_t *v;

	for (size_t i = 0; i < n; i++) {
		json_t *other = NULL;

		if (json_object_get(o, keys[i]))
			continue;
		json_object_foreach(o, key, v)
			if (strcasecmp(key, keys[i]) == 0)
				other = v;
		if (other)
			(void)json_object_set(o, keys[i], other);
	}
}

/*
 * Keys and values of the first document: itself, and what is behind each comma, each colon and each
 * bracket that is not closed at once.
 */
static size_t count_values(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	size_t n = 1, depth = 0;
	bool opened = false;

	while (p && p < end) {		/* what does not end is the parser's to refuse */
		if (opened && !strchr(" \t\r\n", *p)) {
			n += *p != ']' && *p != '}';
			opened = false;
		}
		n += *p == ',' || *p == ':';
		if (*p == '[' || *p == '{') {
			opened = true;
			depth++;
		} else if ((*p == ']' || *p == '}') && (depth == 0 || --depth == 0)) {
			break;
		}
		p = *p == '"' ? jx_string_end(p, end) : p + 1;
	}
	return n;
}

/* JSON_DECODE_INT_AS_REAL made reals of all integers: back, for no Go program takes 1.0 for one. */
static json_t *whole(json_t *v)
{
	const char *key;
	json_t *member;
	json_int_t n;
	size_t i;

	if (is_whole(v)) {
		n = (json_int_t)json_real_value(v);
		json_decref(v);
		return json_integer(n);
	}
	json_array_foreach(v, i, member)
		(void)json_array_set_new(v, i, whole(json_incref(member)));
	json_object_foreach(v, key, member)
		(void)json_object_set_new(v, key, whole(json_incref(member)));
	return v;
}

/* jansson's words without the text they are about: that may be a password. */
static void explain(const char *text, enum err_code code, const char *what, const json_error_t *je,
		    struct err *e)
{
	const char *near = strstr(je->text, " near '");
	int key = je->position - 1;	/* of its closing quote */

	(void)err_set(e, code, 0, "%s: not valid JSON", what);
	if (json_error_code(je) == json_error_duplicate_key && key > 0) {
		for (key--; key > 0 && (text[key] != '"' || text[key - 1] == '\\'); key--)
			;
		(void)err_set(e, code, 0, "%s: duplicate key %.*s", what, je->position - key,
			      text + key);
	}
	(void)err_detail(e, "line %d, column %d: %.*s", je->line, je->column,
			 near ? (int)(near - je->text) : (int)sizeof(je->text), je->text);
}

static json_t *load(const char *text, size_t len, size_t flags, enum err_code code,
		    const char *what, size_t *used, struct err *e)
{
	json_error_t je;
	json_t *v;

	if (count_values(text, len) > JX_VALUES_MAX) {
		(void)err_set(e, code, 0, "%s: over %d keys and values", what, JX_VALUES_MAX);
		return NULL;
	}
	flags |= JSON_REJECT_DUPLICATES;
	v = json_loadb(text, len, flags, &je);
	/* a number we do not look at must not fail the call */
	if (!v && json_error_code(&je) == json_error_numeric_overflow)
		v = whole(json_loadb(text, len, flags | JSON_DECODE_INT_AS_REAL, &je));
	if (!v)
		explain(text, code, what, &je, e);
	*used = v ? (size_t)je.position : 0;
	return v;
}

json_t *jx_parse(const char *text, size_t len, enum err_code code, const char *what, struct err *e)
{
	size_t used;

	return load(text, len, 0, code, what, &used, e);
}

json_t *jx_parse_value(const char *text, size_t len, enum err_code code, const char *what,
		       struct err *e)
{
	size_t used;

	return load(text, len, JSON_DECODE_ANY, code, what, &used, e);
}

int jx_parse_next(const char *text, size_t len, size_t *pos, enum err_code code, const char *what,
		  json_t **ret, struct err *e)
{
	size_t at = *pos, used;
	json_t *v;

	while (at < len && memchr(" \t\r\n", text[at], 4))
		at++;
	if (at == len)
		return 0;
	v = load(text + at, len - at, JSON_DISABLE_EOF_CHECK, code, what, &used, e);
	if (!v)
		return -1;
	*pos = at + used;
	*ret = v;
	return 1;
}

const char *jx_get_text(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

void jx_put_text(json_t *o, const char *key, const char *text)
{
	if (text && *text)
		(void)json_object_set_new(o, key, json_string(text));
}

char *jx_dump(const json_t *v, size_t *len)
{
	size_t n = json_dumpb(v, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
	char *text = malloc(n + 2);

	if (!text && die_words)
		die_words();
	if (!text)
		_exit(1);
	(void)json_dumpb(v, text, n, JSON_COMPACT | JSON_ENCODE_ANY);
	text[n] = '\n';
	text[n + 1] = '\0';
	*len = n + 1;
	return text;
}

static void *malloc_or_die(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p) {
		if (die_words)
			die_words();
		_exit(1);
	}
	return p;
}

void jx_init(void (*last_words)(void))
{
	size_t seed = 0;

	die_words = last_words;
	json_set_alloc_funcs(malloc_or_die, free);
	(void)!getrandom(&seed, sizeof(seed), GRND_NONBLOCK);
	json_object_seed(seed);		/* 0: jansson finds one itself */
}
