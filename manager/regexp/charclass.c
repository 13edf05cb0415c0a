/* SPDX-License-Identifier: Apache-2.0 */
/*
 * charclass.c - classes of characters: "[a-z\d]", "[[:alpha:]]", "\pL"
 *
 * Those that Perl and POSIX have are of ASCII in Go, and with (?i) of what is the same letter in
 * another case, too: \w has the long s and the Kelvin sign then, and \W has not.  PCRE2 sees it
 * otherwise, so it is told ranges.
 */
#include "manager/regexp/part.h"

#include <stdio.h>
#include <string.h>

enum {
	LONG_S = 0x17f,		/* a letter beyond ASCII that is 's' in another case */
	KELVIN = 0x212a,	/* and 'k' */
};

/* Pairs of ends. */
static const struct named {
	const char *name, *ranges;
} named[] = {
	{ "alnum", "09AZaz" }, { "alpha", "AZaz" }, { "ascii", "\x01\x7f" }, { "blank", "\t\t  " },
	{ "cntrl", "\x01\x1f\x7f\x7f" }, { "digit", "09" }, { "graph", "!~" }, { "lower", "az" },
	{ "print", " ~" }, { "punct", "!/:@[`{~" }, { "space", "\t\r  " }, { "upper", "AZ" },
	{ "word", "09AZ__az" }, { "xdigit", "09AFaf" },
};

static const struct perl {
	char name, negated;
	const char *ranges;
} perl[] = {
	{ 'd', 'D', "09" }, { 's', 'S', "\t\n\f\r  " }, { 'w', 'W', "09AZ__az" },
};

static void put_range(struct regexp_text *t, unsigned long lo, unsigned long hi)
{
	regexp_put_rune(t, lo);
	if (lo == hi)
		return;
	regexp_put(t, "-");
	regexp_put_rune(t, hi);
}

/* -- of ASCII -- */

static bool has(const char *ranges, int c)
{
	for (; *ranges; ranges += 2)
		if (c >= ranges[0] && c <= ranges[1])
			return true;
	return false;
}

/* c is in the class; with (?i) its other case may be. */
static bool holds(const struct regexp_text *t, const char *ranges, int c)
{
	/* no text has a NUL; those that begin with \x01 are meant to have it */
	if (c == 0)
		return *ranges == '\x01';
	if (has(ranges, c))
		return true;
	return t->flags.fold && ((c >= 'A' && c <= 'Z' && has(ranges, c + 'a' - 'A')) ||
				 (c >= 'a' && c <= 'z' && has(ranges, c - 'a' + 'A')));
}

/* All beyond ASCII, but for the two letters that another case makes members. */
static void put_beyond(struct regexp_text *t, const char *ranges)
{
	unsigned long from = 0x80;

	if (t->flags.fold && holds(t, ranges, 's')) {
		put_range(t, from, LONG_S - 1);
		from = LONG_S + 1;
	}
	if (t->flags.fold && holds(t, ranges, 'k')) {
		put_range(t, from, KELVIN - 1);
		from = KELVIN + 1;
	}
	put_range(t, from, RUNE_MAX);
}

static void put_set(struct regexp_text *t, const char *ranges, bool negated)
{
	unsigned long from = 0;

	for (unsigned long c = 0; c <= 0x80; c++) {
		bool is_in = c < 0x80 && holds(t, ranges, (int)c) != negated;

		if (!is_in && c > from)
			put_range(t, from, c - 1);
		if (!is_in)
			from = c + 1;
	}
	if (negated)
		put_beyond(t, ranges);
}

/* p is at "[:", end at the ":]" behind it. */
static int read_named(struct regexp_text *t, const char *end)
{
	bool negated = t->p[2] == '^';
	const char *name = t->p + 2 + negated;

	for (size_t i = 0; name <= end && i < ARRAY_SIZE(named); i++)
		if (strlen(named[i].name) == (size_t)(end - name) &&
		    strncmp(named[i].name, name, (size_t)(end - name)) == 0) {
			put_set(t, named[i].ranges, negated);
			t->p = end + 2;
			return 1;
		}
	return regexp_refuse(t, "a class that is not supported: expected [:alpha:] or the like");
}

/* -- of Unicode -- */

/* What (?i) adds to a property. */
static const struct folded {
	const char *name, *more;
} folded[] = {
	{ "L", "\\x{345}" },
	{ "Lt", "\\x{1c4}\\x{1c6}\\x{1c7}\\x{1c9}\\x{1ca}\\x{1cc}\\x{1f1}\\x{1f3}"
		"\\x{1f80}-\\x{1f87}\\x{1f90}-\\x{1f97}\\x{1fa0}-\\x{1fa7}\\x{1fb3}\\x{1fc3}"
		"\\x{1ff3}" },
	{ "M", "\\x{399}\\x{3b9}\\x{1fbe}" }, { "Mn", "\\x{399}\\x{3b9}\\x{1fbe}" },
	{ "Common", "\\x{39c}\\x{3bc}" }, { "Greek", "\\x{b5}\\x{345}" },
	{ "Inherited", "\\x{399}\\x{3b9}\\x{1fbe}" },
};

/* All between the ranges, or these. */
static void put_folded(struct regexp_text *t, const unsigned int *ends, size_t n, bool negated)
{
	unsigned long from = 0;

	for (size_t i = 0; i < n; i += 2) {
		if (!negated)
			put_range(t, ends[i], ends[i + 1]);
		else if (ends[i] > from)
			put_range(t, from, ends[i] - 1);
		from = ends[i + 1] + 1UL;
	}
	if (negated)
		put_range(t, from, RUNE_MAX);
}

/* Brackets have no "but not these".  The same once more adds nothing. */
static void put_apart(struct regexp_text *t, const char *property, const char *but)
{
	char text[sizeof(t->apart)];
	size_t n = strlen(t->apart);

	(void)snprintf(text, sizeof(text), "|(?![%s])%s", but, property);
	if (!strstr(t->apart, text))
		(void)snprintf(t->apart + n, sizeof(t->apart) - n, "%s", text);
}

static void put_property(struct regexp_text *t, const char *name, size_t len, bool negated)
{
	const char *more = NULL;
	size_t n = 0;
	const unsigned int *ends = t->flags.fold ? regexp_folded(name, len, &n) : NULL;
	char text[64];

	if (ends) {
		put_folded(t, ends, n, negated);
		return;
	}
	(void)snprintf(text, sizeof(text), "\\%c{%s%.*s}", negated ? 'P' : 'p',
		       regexp_is_category(name, len) ? "" : "sc:", (int)len, name);
	for (size_t i = 0; t->flags.fold && i < ARRAY_SIZE(folded); i++)
		if (strlen(folded[i].name) == len && strncmp(folded[i].name, name, len) == 0)
			more = folded[i].more;
	if (more && negated)
		put_apart(t, text, more);
	else
		regexp_put(t, text);
	regexp_put(t, more && !negated ? more : "");
}

/* p is at "\p" or "\P": "\pL", "\p{Lu}" or "\p{^Greek}". */
static int read_property(struct regexp_text *t)
{
	bool negated = t->p[1] == 'P', is_long = t->p[2] == '{';
	const char *name = t->p + 2 + is_long, *end = is_long ? strchr(name, '}') : name + !!*name;

	if (is_long && *name == '^') {
		negated = !negated;
		name++;
	}
	if (!end || !regexp_is_property(name, (size_t)(end - name)))
		return regexp_refuse(t, "a property that is not supported: expected a general "
					"category or a script");
	put_property(t, name, (size_t)(end - name), negated);
	t->p = end + is_long;
	return 1;
}

static int read_perl(struct regexp_text *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(perl); i++)
		if (t->p[1] == perl[i].name || t->p[1] == perl[i].negated) {
			put_set(t, perl[i].ranges, t->p[1] == perl[i].negated);
			t->p += 2;
			return 1;
		}
	return 0;
}

static bool is_class_escape(char c)
{
	return c && strchr("pPdDsSwW", c);
}

/* Brackets that hold nothing are none to PCRE2. */
static void begin_class(struct regexp_text *t)
{
	regexp_begin_atom(t);
	t->apart[0] = '\0';
	regexp_put(t, "[");
}

static void end_class(struct regexp_text *t, bool negated)
{
	bool is_empty = t->len == t->atom + 1;

	if (is_empty)
		put_range(t, 0, RUNE_MAX);
	if (is_empty != (negated && !t->apart[0]))
		regexp_insert(t, t->atom + 1, "^");
	regexp_put(t, "]");
	if (!t->apart[0])
		return;
	regexp_insert(t, t->atom, negated ? "(?:(?!" : "(?:");
	regexp_put(t, t->apart);
	regexp_put(t, negated ? ")[\\x{0}-\\x{10ffff}])" : ")");
}

int regexp_class_escape(struct regexp_text *t, bool in_class)
{
	int rc;

	if (t->p[0] != '\\' || !is_class_escape(t->p[1]))
		return 0;
	if (!in_class)
		begin_class(t);
	rc = t->p[1] == 'p' || t->p[1] == 'P' ? read_property(t) : read_perl(t);
	if (!in_class)
		end_class(t, false);
	return rc;
}

/* -- in brackets -- */

/* One that has no end is told where it begins. */
static int read_member(struct regexp_text *t, const char *start, unsigned long *ret)
{
	if (!*t->p) {
		t->p = start;
		return regexp_refuse(t, "the class has no end: ']' is missing");
	}
	if (*t->p == '\\')
		return regexp_escape(t, ret);
	*ret = regexp_rune(&t->p);
	return 0;
}

static bool is_surrogate(unsigned long c)
{
	return c >= 0xd800 && c <= 0xdfff;
}

/* No text has surrogates, and PCRE2 takes none for an end. */
static void put_member(struct regexp_text *t, unsigned long lo, unsigned long hi)
{
	if (is_surrogate(lo))
		lo = 0xe000;
	if (is_surrogate(hi))
		hi = 0xd7ff;
	if (lo <= hi)
		put_range(t, lo, hi);
}

/* "a" or "a-z" */
static int read_range(struct regexp_text *t, const char *start)
{
	const char *from = t->p;
	unsigned long lo = 0, hi;

	if (read_member(t, start, &lo) < 0)
		return -1;
	hi = lo;
	if (t->p[0] == '-' && t->p[1] && t->p[1] != ']') {
		t->p++;
		if (read_member(t, start, &hi) < 0)
			return -1;
	}
	if (hi < lo) {
		t->p = from;
		return regexp_refuse(t, "a range whose end is before its beginning");
	}
	put_member(t, lo, hi);
	return 0;
}

static int read_item(struct regexp_text *t, const char *start)
{
	const char *end = t->p[0] == '[' && t->p[1] == ':' ? strstr(t->p + 2, ":]") : NULL;
	int rc = end ? read_named(t, end) : regexp_class_escape(t, true);

	return rc == 0 ? read_range(t, start) : rc;
}

int regexp_class(struct regexp_text *t)
{
	const char *start = t->p++;
	bool negated = *t->p == '^';

	begin_class(t);
	t->p += negated;
	do
		if (read_item(t, start) < 0)
			return -1;
	while (*t->p != ']');
	t->p++;
	end_class(t, negated);
	return 0;
}
