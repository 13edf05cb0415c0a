/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_function.c - functions of strings
 *
 * Places in a string are counted in characters.  The bytes of operands have been charged for
 * (cel_function_call); what takes more charges for it here.
 */
#include "manager/cel/function.h"

#include "base/blank.h"

#include <string.h>

enum {
	PRODUCT_A_STEP = 40,	/* bytes times bytes of the pattern */
};

static const char out_of_range[] = "a place that the string does not have";

/* -- characters -- */

/* The first byte of the next character. */
static const char *next(const char *s)
{
	s++;
	while (((unsigned char)*s & 0xc0) == 0x80)
		s++;
	return s;
}

static int64_t length(const char *s, const char *end)
{
	int64_t n = 0;

	for (; s < end; s = next(s))
		n++;
	return n;
}

static const char *end_of(const struct cel_value *v)
{
	return v->text + v->size;
}

/* NULL: it has no such place.  The end is one. */
static const char *place(const struct cel_value *v, int64_t at)
{
	const char *s = v->text;

	if (at < 0 || at > (int64_t)v->size)
		return NULL;
	while (at > 0 && s < end_of(v)) {
		s = next(s);
		at--;
	}
	return at == 0 ? s : NULL;
}

/* -- questions -- */

static struct cel_value string_size(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(length(v->text, end_of(v)));
}

static const char *find(const char *from, const struct cel_value *in, const struct cel_value *what)
{
	return memmem(from, (size_t)(end_of(in) - from), what->text, what->size);
}

static struct cel_value string_contains(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(find(v[0].text, &v[0], &v[1]));
}

static struct cel_value starts_with(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(v[0].size >= v[1].size && memcmp(v[0].text, v[1].text, v[1].size) == 0);
}

static struct cel_value ends_with(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(v[0].size >= v[1].size &&
			memcmp(end_of(&v[0]) - v[1].size, v[1].text, v[1].size) == 0);
}

/* -- parts -- */

static struct cel_value char_at(struct cel_run *r, const struct cel_value *v)
{
	const char *s = place(&v[0], v[1].integer);

	if (!s)
		return cel_fault(r, out_of_range, NULL);
	return cel_copy(r, s, s < end_of(v) ? (size_t)(next(s) - s) : 0);
}

static struct cel_value substring(struct cel_run *r, const struct cel_value *v, const char *end)
{
	const char *begin = place(&v[0], v[1].integer);

	if (!begin || !end || begin > end)
		return cel_fault(r, out_of_range, NULL);
	return cel_copy(r, begin, (size_t)(end - begin));
}

static struct cel_value substring_from(struct cel_run *r, const struct cel_value *v)
{
	return substring(r, v, end_of(v));
}

static struct cel_value substring_range(struct cel_run *r, const struct cel_value *v)
{
	return substring(r, v, place(&v[0], v[2].integer));
}

/* Nothing is found where the place is, or at the end. */
static struct cel_value nothing_from(const struct cel_value *v, int64_t from)
{
	int64_t n = length(v->text, end_of(v));

	return cel_int(from < n ? from : n);
}

static struct cel_value index_from(struct cel_run *r, const struct cel_value *v, int64_t from)
{
	const char *at = place(&v[0], from), *s;

	if (from < 0)
		return cel_fault(r, out_of_range, NULL);
	if (v[1].size == 0)
		return nothing_from(v, from);
	s = at ? find(at, &v[0], &v[1]) : NULL;
	return cel_int(s ? length(v->text, s) : -1);
}

static struct cel_value index_of(struct cel_run *r, const struct cel_value *v)
{
	return index_from(r, v, 0);
}

static struct cel_value index_of_from(struct cel_run *r, const struct cel_value *v)
{
	return index_from(r, v, v[2].integer);
}

static struct cel_value last_index(struct cel_run *r, const struct cel_value *v, const char *from)
{
	size_t at;

	if (cel_charge(r, 1 + (uint64_t)v[0].size * v[1].size / PRODUCT_A_STEP) < 0)
		return cel_failed(r);
	for (at = (size_t)(from - v->text) + 1; at > 0; at--)
		if (v[0].size - (at - 1) >= v[1].size &&
		    memcmp(v->text + at - 1, v[1].text, v[1].size) == 0)
			return cel_int(length(v->text, v->text + at - 1));
	return cel_int(-1);
}

static struct cel_value last_index_of(struct cel_run *r, const struct cel_value *v)
{
	return last_index(r, v, end_of(v));
}

static struct cel_value last_index_of_from(struct cel_run *r, const struct cel_value *v)
{
	const char *from = place(&v[0], v[2].integer);

	if (v[2].integer < 0)
		return cel_fault(r, out_of_range, NULL);
	if (v[1].size == 0)
		return nothing_from(v, v[2].integer);
	/* the end is no place to look from */
	return !from || from == end_of(v) ? cel_int(-1) : last_index(r, v, from);
}

/* -- others made from it -- */

static struct cel_value change_case(struct cel_run *r, const struct cel_value *v, char first,
				    int difference)
{
	char *copy = cel_new_text(r, v->size);

	if (!copy)
		return cel_failed(r);
	for (uint32_t i = 0; i < v->size; i++)
		copy[i] = (char)(v->text[i] >= first && v->text[i] < first + 26 ?
					 v->text[i] + difference :
					 v->text[i]);
	return (struct cel_value){ .type = CEL_STRING, .size = v->size, .text = copy };
}

static struct cel_value lower_ascii(struct cel_run *r, const struct cel_value *v)
{
	return change_case(r, v, 'A', 'a' - 'A');
}

static struct cel_value upper_ascii(struct cel_run *r, const struct cel_value *v)
{
	return change_case(r, v, 'a', 'A' - 'a');
}

static struct cel_value trim(struct cel_run *r, const struct cel_value *v)
{
	const char *begin = v->text, *end;

	while (blank_length(begin) > 0)
		begin += blank_length(begin);
	end = begin;
	for (const char *s = begin; s < end_of(v); s = next(s))
		if (blank_length(s) == 0)
			end = next(s);
	return cel_copy(r, begin, (size_t)(end - begin));
}

/* How many of what there are in v, up to max; of the empty string, one before each character. */
static int64_t count(struct cel_run *r, const struct cel_value *v, const struct cel_value *what,
		     int64_t max)
{
	const char *s = v->text;
	int64_t n = 0;

	if (what->size == 0) {
		n = length(v->text, end_of(v)) + 1;
		return max >= 0 && n > max ? max : n;
	}
	for (; max < 0 || n < max; n++) {
		s = memmem(s, (size_t)(end_of(v) - s), what->text, what->size);
		if (!s || cel_charge(r, 1) < 0)
			break;
		s += what->size;
	}
	return n;
}

static char *put(char *to, const char *text, size_t size)
{
	memcpy(to, text, size);
	return to + size;
}

/* v[2] for each v[1] in v[0], n of them; to has the room. */
static void put_replaced(const struct cel_value *v, int64_t n, char *to)
{
	const char *s = v->text;

	for (; n > 0; n--) {
		const char *at = memmem(s, (size_t)(end_of(v) - s), v[1].text, v[1].size);

		to = put(to, s, (size_t)(at - s));
		to = put(to, v[2].text, v[2].size);
		s = at + v[1].size;
		if (v[1].size == 0 && s < end_of(v)) {
			to = put(to, s, (size_t)(next(s) - s));
			s = next(s);
		}
	}
	(void)put(to, s, (size_t)(end_of(v) - s));
}

static struct cel_value replace_some(struct cel_run *r, const struct cel_value *v, int64_t max)
{
	int64_t n, size;
	char *text;

	n = count(r, &v[0], &v[1], max);
	size = v[0].size + n * ((int64_t)v[2].size - v[1].size);
	text = r->fatal ? NULL : cel_new_text(r, (size_t)size);
	if (!text)
		return cel_failed(r);
	put_replaced(v, n, text);
	return (struct cel_value){ .type = CEL_STRING, .size = (uint32_t)size, .text = text };
}

static struct cel_value replace(struct cel_run *r, const struct cel_value *v)
{
	return replace_some(r, v, -1);
}

static struct cel_value replace_n(struct cel_run *r, const struct cel_value *v)
{
	return replace_some(r, v, v[3].integer);
}

/* Where the part that begins at s ends; of the empty separator, behind one character. */
static const char *part_end(const struct cel_value *v, const char *s)
{
	const char *at;

	if (v[1].size == 0)
		return next(s);
	at = memmem(s, (size_t)(end_of(v) - s), v[1].text, v[1].size);
	return at ? at : end_of(v);
}

static struct cel_value split_some(struct cel_run *r, const struct cel_value *v, int64_t max)
{
	/* the empty separator has a place before each character: the first one does not separate */
	int64_t n = count(r, &v[0], &v[1], max > 0 ? max - (v[1].size != 0) : max) +
		    (v[1].size != 0);
	const char *s = v->text;
	struct cel_value *parts;

	if (v[1].size == 0 && n > length(v->text, end_of(v)))
		n = length(v->text, end_of(v));
	if (max == 0)
		n = 0;
	parts = cel_new(r, ((size_t)n + 1) * sizeof(*parts));
	for (int64_t i = 0; parts && i < n; i++) {
		const char *end = i == n - 1 ? end_of(v) : part_end(v, s);

		parts[i] = cel_copy(r, s, (size_t)(end - s));
		s = end + v[1].size;
	}
	if (r->fatal)
		return cel_failed(r);
	return (struct cel_value){ .type = CEL_LIST, .size = (uint32_t)n, .elements = parts };
}

static struct cel_value split(struct cel_run *r, const struct cel_value *v)
{
	return split_some(r, v, -1);
}

static struct cel_value split_n(struct cel_run *r, const struct cel_value *v)
{
	return split_some(r, v, v[2].integer);
}

static struct cel_value concatenate(struct cel_run *r, const struct cel_value *v)
{
	char *text = cel_new_text(r, (size_t)v[0].size + v[1].size);

	if (!text)
		return cel_failed(r);
	(void)put(put(text, v[0].text, v[0].size), v[1].text, v[1].size);
	return (struct cel_value){ .type = CEL_STRING, .size = v[0].size + v[1].size,
				   .text = text };
}

const struct cel_function cel_string_functions[] = {
	{ "+", CEL_OPERATOR, "ss", "s", concatenate, false },
	{ "size", CEL_BOTH, "s", "i", string_size, false },
	{ "contains", CEL_METHOD, "ss", "b", string_contains, false },
	{ "startsWith", CEL_METHOD, "ss", "b", starts_with, false },
	{ "endsWith", CEL_METHOD, "ss", "b", ends_with, false },
	{ "charAt", CEL_METHOD, "si", "s", char_at, false },
	{ "substring", CEL_METHOD, "si", "s", substring_from, false },
	{ "substring", CEL_METHOD, "sii", "s", substring_range, false },
	{ "indexOf", CEL_METHOD, "ss", "i", index_of, false },
	{ "indexOf", CEL_METHOD, "ssi", "i", index_of_from, false },
	{ "lastIndexOf", CEL_METHOD, "ss", "i", last_index_of, false },
	{ "lastIndexOf", CEL_METHOD, "ssi", "i", last_index_of_from, false },
	{ "lowerAscii", CEL_METHOD, "s", "s", lower_ascii, false },
	{ "upperAscii", CEL_METHOD, "s", "s", upper_ascii, false },
	{ "trim", CEL_METHOD, "s", "s", trim, false },
	{ "replace", CEL_METHOD, "sss", "s", replace, false },
	{ "replace", CEL_METHOD, "sssi", "s", replace_n, false },
	{ "split", CEL_METHOD, "ss", "ls", split, false },
	{ "split", CEL_METHOD, "ssi", "ls", split_n, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
