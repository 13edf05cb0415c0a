/* SPDX-License-Identifier: Apache-2.0 */
/* field.c - a struct as a JSON object and back, by one table of its members */
#include "base/field.h"

#include "base/guid.h"
#include "base/mac.h"
#include "base/mem.h"
#include "base/octets.h"

#include <endian.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* -- strings -- */

static const char *check_string(const struct field *f, const json_t *v)
{
	if (!json_is_string(v))
		return "must be a string";
	return f->fits && !f->fits(json_string_value(v)) ? "not valid" : NULL;
}

static json_t *text_write(const struct field *f, const void *at)
{
	return json_stringn(at, strnlen(at, f->size));
}

static const char *text_read(const struct field *f, const json_t *v, void *at)
{
	const char *wrong = check_string(f, v);

	if (!wrong && json_string_length(v) >= f->size)
		return "too long";
	if (!wrong)
		memcpy(at, json_string_value(v), json_string_length(v) + 1);
	return wrong;
}

const struct field_type field_text = { text_write, text_read };

static json_t *string_write(const struct field *f, const void *at)
{
	const char *s = *(const char *const *)at;

	(void)f;
	return s ? json_string(s) : json_null();
}

static const char *string_read(const struct field *f, const json_t *v, void *at)
{
	const char *wrong = check_string(f, v);

	if (!wrong)
		*(const char **)at = json_string_value(v);
	return wrong;
}

const struct field_type field_string = { string_write, string_read };

/* -- numbers -- */

static json_t *bool_write(const struct field *f, const void *at)
{
	(void)f;
	return json_boolean(*(const bool *)at);
}

static const char *bool_read(const struct field *f, const json_t *v, void *at)
{
	(void)f;
	*(bool *)at = json_is_true(v);
	return json_is_boolean(v) ? NULL : "must be a boolean";
}

const struct field_type field_bool = { bool_write, bool_read };

/* Of a number, those that a smaller one has. */
static char *low_bytes(uint64_t *n, size_t size)
{
	return (char *)n + (BYTE_ORDER == BIG_ENDIAN ? sizeof(*n) - size : 0);
}

/* JSON's integers have a sign: the upper half of 64 bits is written as negative. */
static json_t *int_write(const struct field *f, const void *at)
{
	uint64_t n = 0;

	memcpy(low_bytes(&n, f->size), at, f->size);
	return json_integer((json_int_t)n);
}

static json_int_t max_of(const struct field *f)
{
	if (f->max || f->type == &field_int)
		return f->max ? f->max : INT_MAX;
	return f->size < sizeof(uint64_t) ? (INT64_C(1) << 8 * f->size) - 1 : INT64_MAX;
}

static const char *int_read(const struct field *f, const json_t *v, void *at)
{
	json_int_t n = json_integer_value(v);
	uint64_t bits = (uint64_t)n;

	if (!json_is_integer(v))
		return "must be an integer";
	if ((n < f->min && f->size < sizeof(bits)) || n > max_of(f))
		return "out of range";
	memcpy(at, low_bytes(&bits, f->size), f->size);
	return NULL;
}

const struct field_type field_int = { int_write, int_read };
const struct field_type field_uint = { int_write, int_read };

/* -- bytes -- */

static json_t *write_hex(const void *bytes, size_t n)
{
	char text[2 * FIELD_BYTES_MAX + 1];

	if (n > FIELD_BYTES_MAX)
		return NULL;
	octets_format(bytes, n, '\0', text);
	return json_string(text);
}

static const char *read_hex(const json_t *v, size_t max, void *ret)
{
	size_t n = json_string_length(v) / 2;

	if (n > max)
		return "too long";
	return json_is_string(v) && octets_parse(json_string_value(v), '\0', ret, n) ?
		       NULL : "must be pairs of hexadecimal digits";
}

/* The length is in the same struct: `offset` before `at` is its beginning. */
static json_t *bytes_write(const struct field *f, const void *at)
{
	const uint8_t *p = at;

	return write_hex(p, f->len ? *(p - f->offset + f->len) : f->size);
}

static const char *bytes_read(const struct field *f, const json_t *v, void *at)
{
	const char *wrong = read_hex(v, f->size, at);
	uint8_t *p = at;

	if (!wrong && !f->len && json_string_length(v) != 2 * f->size)
		return "must have all its bytes";
	if (!wrong && f->len)
		*(p - f->offset + f->len) = (uint8_t)(json_string_length(v) / 2);
	return wrong;
}

const struct field_type field_bytes = { bytes_write, bytes_read };

static json_t *raw_text_write(const struct field *f, const void *at)
{
	return write_hex(at, strnlen(at, f->size));
}

static const char *raw_text_read(const struct field *f, const json_t *v, void *at)
{
	return read_hex(v, f->size - 1, at);
}

const struct field_type field_raw_text = { raw_text_write, raw_text_read };

static json_t *mac_write(const struct field *f, const void *at)
{
	char text[MAC_TEXT];

	(void)f;
	return json_string(mac_format(at, text));
}

static const char *mac_read(const struct field *f, const json_t *v, void *at)
{
	(void)f;
	return json_is_string(v) && mac_parse(json_string_value(v), at) ? NULL :
									  "must be a MAC address";
}

const struct field_type field_mac = { mac_write, mac_read };

static json_t *guid_write(const struct field *f, const void *at)
{
	char text[GUID_TEXT];

	(void)f;
	return json_string(guid_format(*(const uint64_t *)at, text));
}

static const char *guid_read(const struct field *f, const json_t *v, void *at)
{
	(void)f;
	return json_is_string(v) && guid_parse(json_string_value(v), at) ? NULL : "must be a GUID";
}

const struct field_type field_guid = { guid_write, guid_read };

/* -- lists, sets and objects -- */

/* As with bytes, where their number is. */
static size_t *count_of(const struct field *f, const void *at)
{
	return (size_t *)((uintptr_t)at - f->offset + f->len);
}

static json_t *texts_write(const struct field *f, const void *at)
{
	const char *text = *(const char *const *)at;
	json_t *list = json_array();

	for (size_t i = 0; i < *count_of(f, at); i++, text += f->each)
		if (json_array_append_new(list, json_stringn(text, strnlen(text, f->each))) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static const char *texts_read(const struct field *f, const json_t *v, void *at)
{
	struct field one = { .fits = f->fits, .size = f->each };
	auto_free char *list = NULL;
	const char *wrong = NULL;
	size_t n = json_array_size(v);

	if (!json_is_array(v))
		return "must be a list of strings";
	if (n > f->size / f->each)
		return "has too many of them";
	list = calloc(n + 1, f->each);
	if (!list)
		return "there is no memory for it";
	for (size_t i = 0; !wrong && i < n; i++)
		wrong = text_read(&one, json_array_get(v, i), list + i * f->each);
	if (wrong)
		return wrong;
	free(*(char **)at);
	*(char **)at = steal_ptr(&list);
	*count_of(f, at) = n;
	return NULL;
}

const struct field_type field_texts = { texts_write, texts_read };

static json_t *idset_write(const struct field *f, const void *at)
{
	unsigned int first = 0, last = 0;
	json_t *list = json_array();

	(void)f;
	for (; idset_run(at, &first, &last); first = last + 1) {
		(void)json_array_append_new(list, json_integer(first));
		(void)json_array_append_new(list, json_integer(last));
	}
	return list;
}

/* Runs that ascend: then there are few enough of them. */
static const char *idset_read(const struct field *f, const json_t *v, void *at)
{
	json_int_t before = -1;

	(void)f;
	if (!json_is_array(v) || json_array_size(v) % 2)
		return "must be a list of runs";
	for (size_t i = 0; i < json_array_size(v); i += 2) {
		const json_t *from = json_array_get(v, i), *to = json_array_get(v, i + 1);
		json_int_t first = json_integer_value(from), last = json_integer_value(to);

		if (!json_is_integer(from) || !json_is_integer(to) || first <= before ||
		    last < first || last >= IDSET_IDS)
			return "must be runs that ascend";
		for (before = last; first <= last; first++)
			idset_add(at, (unsigned int)first);
	}
	return NULL;
}

const struct field_type field_idset = { idset_write, idset_read };

static json_t *object_write(const struct field *f, const void *at)
{
	const json_t *o = *(const json_t *const *)at;

	(void)f;
	return o ? json_deep_copy(o) : json_null();
}

static const char *object_read(const struct field *f, const json_t *v, void *at)
{
	(void)f;
	*(const json_t **)at = v;
	return json_is_object(v) ? NULL : "must be an object";
}

const struct field_type field_object = { object_write, object_read };

/* -- all of them -- */

static json_t *write_value(const struct field *f, const void *at)
{
	return f->part ? field_write(f->part, at, json_object()) : f->type->write(f, at);
}

/* A part says by its first member whether it is there, a string by not being NULL. */
static bool is_empty(const struct field *f, const json_t *v)
{
	if (f->part)
		return is_empty(f->part->field, json_object_get(v, f->part->field->name));
	return json_is_null(v) || json_is_false(v) ||
	       (json_is_integer(v) && json_integer_value(v) == 0) ||
	       (json_is_string(v) && json_string_length(v) == 0 && f->type != &field_string) ||
	       (json_is_array(v) && json_array_size(v) == 0);
}

/* New reference; json_null() when it is not to be there, NULL when it cannot be said. */
static json_t *write_one(const struct field *f, const void *s)
{
	json_t *v = NULL;

	if ((f->when && !f->when(s)) || (f->flag && !((const bool *)s)[f->flag]))
		return json_null();
	v = write_value(f, (const char *)s + f->offset);
	if (!f->optional)
		return json_is_null(v) ? NULL : v;
	if (!v || !is_empty(f, v))
		return v;
	json_decref(v);
	return json_null();
}

json_t *field_write(const struct fields *t, const void *s, json_t *o)
{
	for (const struct field *f = t->field; f < t->field + t->n; f++) {
		json_t *v = write_one(f, s);

		if (json_is_null(v) || json_object_set_new(o, f->name, v) == 0)
			continue;
		json_decref(o);
		return NULL;
	}
	return o;
}

/* The member's name is made when one is needed: most members are as they should be. */
static int read_error(const char *path, const char *name, const char *wrong, struct err *e)
{
	return err_set(e, ERR_DECODE, 0, "%s%s%s: %s", path, *path ? "." : "", name, wrong);
}

static int read_part(const struct field *f, const json_t *v, const char *path, void *at,
		     struct err *e)
{
	char own[128];

	(void)snprintf(own, sizeof(own), "%s%s%s", path, *path ? "." : "", f->name);
	return field_read(f->part, v, own, at, e);
}

/* `path` is that of the struct. */
static int read_one(const struct field *f, const json_t *v, const char *path, void *s,
		    struct err *e)
{
	void *at = (char *)s + f->offset;
	const char *wrong = NULL;

	if (!v || json_is_null(v))
		return f->required ? read_error(path, f->name, "missing", e) : 0;
	if (f->flag)
		((bool *)s)[f->flag] = true;
	if (f->part)
		return read_part(f, v, path, at, e);
	wrong = f->type->read(f, v, at);
	return wrong ? read_error(path, f->name, wrong, e) : 0;
}

int field_read(const struct fields *t, const json_t *o, const char *path, void *s, struct err *e)
{
	const char *wrong;

	if (!json_is_object(o))
		return err_set(e, ERR_DECODE, 0, "%s: must be an object", path);
	for (const struct field *f = t->field; f < t->field + t->n; f++)
		if (read_one(f, json_object_get(o, f->name), path, s, e) < 0)
			return -1;
	wrong = t->wrong ? t->wrong(s) : NULL;
	return wrong ? err_set(e, ERR_DECODE, 0, "%s%s%s", path, *path ? ": " : "", wrong) : 0;
}
