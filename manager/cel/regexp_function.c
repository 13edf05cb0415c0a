/* SPDX-License-Identifier: Apache-2.0 */
/* regexp_function.c - functions of regular expressions */
#include "manager/cel/function.h"

#include "manager/regexp/regexp.h"

#include <string.h>

enum {
	PRODUCT_A_STEP = 40,	/* bytes times bytes of the pattern */
	FEW_STEPS = 2000,	/* of PCRE2, which are enough for most */
	FEW_COST = 100,
	MANY_COST = 20000,	/* of REGEXP_STEPS */
};

/*
 * PCRE2 does not tell how many steps it took, so it is first given a few.  What it gives up is more
 * than an error: the next try would take as long.
 */
static struct cel_value is_match(struct cel_run *r, const struct regexp *re, const char *text)
{
	int found = regexp_is_in_steps(re, text, FEW_STEPS, &r->e);

	if (found < 0) {
		if (cel_charge(r, MANY_COST) < 0)
			return cel_failed(r);
		found = regexp_is_in(re, text, &r->e);
	}
	if (found < 0)
		cel_abort(r, "the regular expression takes too long");
	return found < 0 ? cel_failed(r) : cel_bool(found);
}

static struct cel_value matches(struct cel_run *r, const struct cel_value *v)
{
	struct regexp *re = r->node ? r->node->regexp : NULL;
	struct cel_value ret;

	if (cel_charge(r, FEW_COST + (uint64_t)v[0].size * v[1].size / PRODUCT_A_STEP) < 0)
		return cel_failed(r);
	if (re)
		return is_match(r, re, v[0].text);
	re = regexp_parse(v[1].text, &r->e);
	if (!re)
		return cel_fault_e(r);
	ret = is_match(r, re, v[0].text);
	regexp_free(re);
	return ret;
}

/* -- find(), findAll() -- */

/* A pattern that is written was read once (check_call.c); *made is one that is not, or NULL. */
static const struct regexp *pattern_of(struct cel_run *r, const struct cel_value *v,
				       struct regexp **made)
{
	*made = r->node->regexp ? NULL : regexp_parse(v[1].text, &r->e);
	return *made ? *made : r->node->regexp;
}

/* 1: there is a match from that byte on; 0; -1: *error says why not. */
static int find_from(struct cel_run *r, const struct regexp *re, const struct cel_value *v,
		     size_t from, size_t range[2], struct cel_value *error)
{
	uint64_t left = v[0].size - from;
	int found;

	*error = cel_failed(r);
	if (cel_charge(r, FEW_COST + left * v[1].size / PRODUCT_A_STEP) < 0)
		return -1;
	found = regexp_find(re, v[0].text, from, range, &r->e);
	if (found < 0)
		cel_abort(r, "the regular expression takes too long");
	*error = cel_failed(r);
	return found;
}

static struct cel_value find_first(struct cel_run *r, const struct regexp *re,
				   const struct cel_value *v)
{
	struct cel_value error;
	size_t range[2];
	int found = find_from(r, re, v, 0, range, &error);

	if (found <= 0)
		return found < 0 ? error : cel_string("");
	return cel_copy(r, v[0].text + range[0], range[1] - range[0]);
}

static struct cel_value find(struct cel_run *r, const struct cel_value *v)
{
	struct regexp *made;
	const struct regexp *re = pattern_of(r, v, &made);
	struct cel_value ret = re ? find_first(r, re, v) : cel_fault_e(r);

	regexp_free(made);
	return ret;
}

/* The byte behind the character. */
static size_t next(const struct cel_value *text, size_t at)
{
	at++;
	while (at < text->size && ((unsigned char)text->text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* Matches one behind the other, up to max of them; an empty one that touches another is none. */
static struct cel_value collect(struct cel_run *r, const struct regexp *re,
				const struct cel_value *v, int64_t max)
{
	struct cel_value *found = cel_new(r, ((size_t)v[0].size + 2) * sizeof(*found)), error;
	size_t at = 0, range[2] = { 0, 0 }, before = SIZE_MAX;
	uint32_t n = 0;
	int is_found = found ? 1 : -1;

	error = cel_failed(r);
	while (is_found > 0 && at <= v[0].size && (max < 0 || n < max)) {
		is_found = find_from(r, re, v, at, range, &error);
		if (is_found <= 0)
			break;
		if (range[1] != at || range[0] != before) {
			found[n] = cel_copy(r, v[0].text + range[0], range[1] - range[0]);
			if (found[n++].type == CEL_ERROR)
				return cel_failed(r);
		}
		at = range[1] == at ? next(&v[0], at) : range[1];
		before = range[1];
	}
	return is_found < 0 ? error :
			      (struct cel_value){ .type = CEL_LIST, .size = n, .elements = found };
}

static struct cel_value find_some(struct cel_run *r, const struct cel_value *v, int64_t max)
{
	struct regexp *made;
	const struct regexp *re = pattern_of(r, v, &made);
	struct cel_value ret = re ? collect(r, re, v, max) : cel_fault_e(r);

	regexp_free(made);
	return ret;
}

static struct cel_value find_all(struct cel_run *r, const struct cel_value *v)
{
	return find_some(r, v, -1);
}

static struct cel_value find_all_n(struct cel_run *r, const struct cel_value *v)
{
	return find_some(r, v, v[2].integer);
}

const struct cel_function cel_regexp_functions[] = {
	{ "matches", CEL_BOTH, "ss", "b", matches, false },
	{ "find", CEL_METHOD, "ss", "s", find, false },
	{ "findAll", CEL_METHOD, "ss", "ls", find_all, false },
	{ "findAll", CEL_METHOD, "ssi", "ls", find_all_n, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
