/* SPDX-License-Identifier: Apache-2.0 */
/*
 * translate.c - a pattern of Go's, written for PCRE2
 *
 * It is read as Go's regexp/syntax reads it, and what that refuses is refused.  What is written is
 * plain: groups without numbers, classes of ranges, no flag but (?i), whose state is written where
 * it changes before a character.  A quantifier behind what PCRE2 takes none for (an assertion,
 * another quantifier that a flag is between) repeats a group around it.
 */
#include "manager/regexp/part.h"
#include "manager/regexp/regexp.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what is repeated -- */

/* Around what a quantifier repeats. */
static void wrap_atom(struct regexp_text *t)
{
	regexp_insert(t, t->atom, "(?:");
	regexp_put(t, ")");
}

static void keep_repeats(struct regexp_text *t)
{
	struct regexp_group *group = &t->group[t->nest];

	if (t->has_atom && t->repeats > group->repeats)
		group->repeats = t->repeats;
}

static void put_literal(struct regexp_text *t, unsigned long c)
{
	char text[2] = { (char)c };

	regexp_begin_atom(t);
	if (c >= 0xd800 && c <= 0xdfff)		/* which no text has */
		regexp_put(t, "[^\\x{0}-\\x{10ffff}]");
	else if (c < 0x80 && isalnum((int)c))
		regexp_put(t, text);
	else
		regexp_put_rune(t, c);
}

/* Behind "\Q": all up to "\E", or to the end. */
static int read_quoted(struct regexp_text *t)
{
	const char *end;

	t->p += 2;
	end = strstr(t->p, "\\E");
	end = end ? end : t->p + strlen(t->p);
	while (t->p < end) {
		keep_repeats(t);
		put_literal(t, regexp_rune(&t->p));
	}
	t->p += *end ? 2 : 0;
	return 0;
}

static void put_assertion(struct regexp_text *t, const char *text)
{
	regexp_begin_atom(t);
	regexp_put(t, text);
	t->is_assertion = true;
}

static int read_escape(struct regexp_text *t)
{
	static const char *const assertions[] = { "\\A", "\\b", "\\B", "\\z" };
	unsigned long c;
	int rc;

	if (t->p[1] == 'Q')
		return read_quoted(t);
	for (size_t i = 0; i < ARRAY_SIZE(assertions); i++)
		if (t->p[1] == assertions[i][1]) {
			put_assertion(t, assertions[i]);
			t->p += 2;
			return 0;
		}
	rc = regexp_class_escape(t, false);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (regexp_escape(t, &c) < 0)
		return -1;
	put_literal(t, c);
	return 0;
}

/* -- groups -- */

static int open_group(struct regexp_text *t, struct regexp_flags inside)
{
	struct regexp_group *group;

	if (t->nest == NEST_MAX)
		return regexp_refuse(t, "more than 400 groups in each other");
	regexp_begin_atom(t);
	group = &t->group[++t->nest];
	*group = (struct regexp_group){ .before = t->flags, .folds = t->folds, .start = t->atom,
					.repeats = 1 };
	t->flags = inside;
	t->has_atom = false;
	regexp_put(t, "(?:");
	return 0;
}

static int close_group(struct regexp_text *t)
{
	const struct regexp_group *group = &t->group[t->nest];

	if (t->nest == 0)
		return regexp_refuse(t, "unmatched closing parenthesis");
	t->p++;
	regexp_put(t, ")");
	t->flags = group->before;
	t->folds = group->folds;
	t->atom = group->start;
	t->has_atom = true;
	t->is_assertion = t->is_repeated = false;
	t->repeats = group->repeats;
	t->nest--;
	return 0;
}

static bool set_flag(struct regexp_flags *flags, char c, bool on)
{
	switch (c) {
	case 'i':
		flags->fold = on;
		return true;
	case 'm':
		flags->multiline = on;
		return true;
	case 's':
		flags->dot_all = on;
		return true;
	case 'U':
		flags->lazy = on;
		return true;
	default:
		return false;
	}
}

/* "i", "i-s", "-s": at most one '-', with a flag behind it; and then ':' or ')'. */
static const char *read_flags(const char *p, struct regexp_flags *flags)
{
	bool on = true, any = true;

	for (; *p != ':' && *p != ')'; p++) {
		if (*p == '-' && on)
			on = any = false;
		else if (set_flag(flags, *p, on))
			any = true;
		else
			return NULL;
	}
	return any ? p : NULL;
}

/* "<name>" */
static size_t name_length(const char *s)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_";
	size_t len = *s == '<' ? strspn(s + 1, allowed) : 0;

	return len > 0 && s[len + 1] == '>' ? len + 2 : 0;
}

/* p is at "(?": a group with a name, or flags, of a group or from here on. */
static int read_perl_group(struct regexp_text *t)
{
	struct regexp_flags flags = t->flags;
	const char *p = t->p + 2, *end = read_flags(p, &flags);
	size_t name = name_length(*p == 'P' ? p + 1 : p);

	if (name > 0) {
		t->p = p + (*p == 'P') + name;
		return open_group(t, t->flags);
	}
	if (!end)
		return regexp_refuse(t, "a group that is not supported: lookaround, atomic, "
					"conditional and recursive ones are not");
	t->p = end + 1;
	if (*end == ':')
		return open_group(t, flags);
	t->flags = flags;
	return 0;
}

static int read_group(struct regexp_text *t)
{
	if (t->p[1] == '?')
		return read_perl_group(t);
	t->p++;
	return open_group(t, t->flags);
}

static int read_bar(struct regexp_text *t)
{
	t->p++;
	t->has_atom = false;
	regexp_put(t, "|");
	return 0;
}

/* -- quantifiers -- */

/* At most four digits count; NULL: it is none, for which a zero is in front, too. */
static const char *read_count(const char *s, int *ret)
{
	size_t n = strspn(s, "0123456789");

	if (n == 0 || (n > 1 && *s == '0'))
		return NULL;
	*ret = n > 4 ? REPEAT_MAX + 1 : atoi(s);
	return s + n;
}

/* "{2}", "{2,}" (max is -1) or "{2,5}": what is behind it.  NULL: it is text. */
static const char *read_braces(const char *s, int *min, int *max)
{
	s = read_count(s + 1, min);
	if (!s)
		return NULL;
	*max = *min;
	if (*s == ',') {
		*max = -1;
		s++;
		if (*s != '}')
			s = read_count(s, max);
	}
	return s && *s == '}' ? s + 1 : NULL;
}

/* What it makes of the product of those in it: what is repeated 0 times at most does not count. */
static int count_repeats(const struct regexp_text *t, int min, int max)
{
	if (max == 0)
		return 1;
	max = max < 0 ? min : max;
	return max > 1 ? max * t->repeats : t->repeats;
}

/* PCRE2 10.42 looks for `.*` in what is repeated no times, and then begins at lines alone. */
static void drop_atom(struct regexp_text *t)
{
	t->len = t->atom;
	regexp_put(t, "(?:)");
}

/* p is at a quantifier of that length; there may be a '?' behind it, and no other one. */
static int put_quantifier(struct regexp_text *t, const char *end, bool is_none, bool behind_one)
{
	char text[16];

	if (behind_one)
		return regexp_refuse(t, "a quantifier behind another one; possessive ones are not "
					"supported");
	if (!t->has_atom)
		return regexp_refuse(t, "nothing to repeat");
	if (is_none)
		drop_atom(t);
	else if (t->is_assertion || t->is_repeated)
		wrap_atom(t);
	(void)snprintf(text, sizeof(text), "%.*s%s", (int)(end - t->p), t->p,
		       t->flags.lazy != (*end == '?') ? "?" : "");
	regexp_put(t, is_none ? "" : text);
	t->is_repeated = true;
	t->p = end + (*end == '?');
	return 0;
}

/* 1; 0: it is text. */
static int read_quantifier(struct regexp_text *t, bool behind_one)
{
	int min = 0, max = -1;
	const char *end = *t->p == '{' ? read_braces(t->p, &min, &max) : t->p + 1;

	if (!end)
		return 0;
	if (min > REPEAT_MAX || max > REPEAT_MAX || (max >= 0 && min > max && *t->p == '{'))
		return regexp_refuse(t, "more than 1000 repetitions, or more at least than at "
					"most");
	if (*t->p == '{' && t->has_atom) {
		int repeats = count_repeats(t, min, max);

		if (repeats > REPEAT_MAX && (min > 1 || max > 1))
			return regexp_refuse(t, "more than 1000 repetitions of repetitions");
		t->repeats = repeats;
	}
	return put_quantifier(t, end, max == 0, behind_one) < 0 ? -1 : 1;
}

/* -- all -- */

static int read_dot(struct regexp_text *t)
{
	t->p++;
	regexp_begin_atom(t);
	regexp_put(t, t->flags.dot_all ? "." : "\\N");
	return 0;
}

static int read_anchor(struct regexp_text *t)
{
	bool is_start = *t->p++ == '^';

	if (t->flags.multiline)
		put_assertion(t, is_start ? "^" : "$");
	else
		put_assertion(t, is_start ? "\\A" : "\\z");
	return 0;
}

static int read_literal(struct regexp_text *t)
{
	put_literal(t, regexp_rune(&t->p));
	return 0;
}

static int read_one(struct regexp_text *t)
{
	static const struct {
		char c;
		int (*read)(struct regexp_text *t);
	} readers[] = {
		{ '\\', read_escape }, { '[', regexp_class }, { '(', read_group },
		{ '|', read_bar }, { ')', close_group }, { '.', read_dot },
		{ '^', read_anchor }, { '$', read_anchor },
	};

	keep_repeats(t);
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (*t->p == readers[i].c)
			return readers[i].read(t);
	return read_literal(t);
}

static int read_all(struct regexp_text *t)
{
	bool behind_one = false;

	while (*t->p) {
		int rc = strchr("*+?{", *t->p) ? read_quantifier(t, behind_one) : 0;

		behind_one = rc > 0;
		if (rc < 0 || (rc == 0 && read_one(t) < 0))
			return -1;
	}
	return t->nest == 0 ? 0 : regexp_refuse(t, "a group has no end: ')' is missing");
}

static int check(struct regexp_text *t)
{
	size_t len = strlen(t->pattern), good;

	if (len > REGEXP_MAX)
		return err_set(t->e, ERR_NETCONF, 0,
			       "regular expression '%.64s...': has %zu characters, at most %d are "
			       "allowed",
			       t->pattern, len, REGEXP_MAX);
	good = regexp_utf8_length(t->pattern);
	t->p += good;
	if (good < len)
		return regexp_refuse(t, "it is not UTF-8");
	t->p = t->pattern;
	return 0;
}

char *regexp_translate(const char *pattern, struct err *e)
{
	auto_free struct regexp_text *t = calloc(1, sizeof(*t));
	auto_free char *out = NULL;
	int rc;

	if (t) {
		t->pattern = t->p = pattern;
		t->e = e;
		t->group[0].repeats = 1;
		regexp_put(t, "");
		rc = check(t) < 0 ? -1 : read_all(t);
		out = t->out;
		if (rc < 0)
			return NULL;
	}
	if (!t || t->no_memory) {
		(void)err_set(e, ERR_IO, ENOMEM, "regular expression '%.96s'", pattern);
		return NULL;
	}
	return steal_ptr(&out);
}
