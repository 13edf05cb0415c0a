/* SPDX-License-Identifier: Apache-2.0 */
/* jx.c - typed JSON getters that name the full key path in the error */
#include "base/jx.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
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

static int wrong_type(const json_t *v, const char *path, const char *key, const char *want,
		      struct err *e)
{
	return err_set(e, ERR_NETCONF, 0, "%s%s%s: want %s, have %s", path, *path ? "." : "", key,
		       want, jx_type_name(v));
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

int jx_int(const json_t *o, const char *path, const char *key, json_int_t min, json_int_t max,
	   json_int_t *ret, struct err *e)
{
	const json_t *v = member(o, key);
	json_int_t n;

	if (!v)
		return 0;
	if (json_is_real(v) && json_real_value(v) > -9e15 && json_real_value(v) < 9e15 &&
	    (double)(json_int_t)json_real_value(v) == json_real_value(v))
		n = (json_int_t)json_real_value(v);	/* 1e3, or what went through Go's float64 */
	else if (json_is_integer(v))
		n = json_integer_value(v);
	else
		return wrong_type(v, path, key, "an integer", e);
	if (n < min || n > max)
		return err_set(e, ERR_NETCONF, 0, "%s%s%s: %" JSON_INTEGER_FORMAT
			       " is not in %" JSON_INTEGER_FORMAT "..%" JSON_INTEGER_FORMAT,
			       path, *path ? "." : "", key, n, min, max);
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

json_t *jx_parse(const char *text, size_t len, enum err_code code, const char *what, struct err *e)
{
	json_error_t je;
	json_t *v = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);

	/* a number we do not look at must not fail the call; jx_int takes whole reals as integers
	 */
	if (!v && json_error_code(&je) == json_error_numeric_overflow)
		v = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &je);
	if (v)
		return v;
	(void)err_set(e, code, 0, "%s: not valid JSON", what);
	(void)err_detail(e, "line %d, column %d: %s", je.line, je.column, je.text);
	return NULL;
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
