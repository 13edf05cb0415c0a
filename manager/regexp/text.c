/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - the text of a pattern: its characters and escapes, and what is written for PCRE2 */
#include "manager/regexp/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int regexp_refuse(const struct regexp_text *t, const char *what)
{
	return err_set(t->e, ERR_NETCONF, 0, "regular expression '%.96s', character %td: %s",
		       t->pattern, t->p - t->pattern + 1, what);
}

/* -- what is written -- */

static bool make_room(struct regexp_text *t, size_t more)
{
	size_t room = 2 * (t->len + more) + 64;
	char *out;

	if (t->no_memory || t->len + more < t->room)
		return !t->no_memory;
	out = realloc(t->out, room);
	t->no_memory = !out;
	if (!out)
		return false;
	t->out = out;
	t->room = room;
	return true;
}

void regexp_put(struct regexp_text *t, const char *text)
{
	size_t n = strlen(text);

	if (!make_room(t, n))
		return;
	memcpy(t->out + t->len, text, n + 1);
	t->len += n;
}

void regexp_put_rune(struct regexp_text *t, unsigned long c)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "\\x{%lx}", c);
	regexp_put(t, text);
}

void regexp_begin_atom(struct regexp_text *t)
{
	if (t->folds != t->flags.fold)
		regexp_put(t, t->flags.fold ? "(?i)" : "(?-i)");
	t->folds = t->flags.fold;
	t->atom = t->len;
	t->has_atom = true;
	t->is_assertion = t->is_repeated = false;
	t->repeats = 1;
}

void regexp_insert(struct regexp_text *t, size_t at, const char *text)
{
	size_t n = strlen(text);

	if (!make_room(t, n))
		return;
	memmove(t->out + at + n, t->out + at, t->len - at + 1);
	memcpy(t->out + at, text, n);
	t->len += n;
}

/* -- characters -- */

unsigned long regexp_rune(const char **p)
{
	static const unsigned char lengths[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3,
						 4 };
	unsigned char first = (unsigned char)*(*p)++;
	unsigned int more = lengths[first >> 4] - 1U;
	unsigned long c = more ? first & (0x3fUL >> more) : first;

	for (; more > 0; more--)
		c = c << 6 | ((unsigned char)*(*p)++ & 0x3f);
	return c;
}

/* How many bytes the character has; 0: it is none, for overlong ones and surrogates are not. */
static size_t rune_length(const char *s)
{
	static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)*s;
	size_t n = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 :
		   first < 0xf8 ? 4 : 0;
	unsigned long c;

	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	if (n < 2)
		return n;
	c = regexp_rune(&s);
	return c < least[n] || c > RUNE_MAX || (c >= 0xd800 && c <= 0xdfff) ? 0 : n;
}

size_t regexp_utf8_length(const char *text)
{
	const char *p = text;

	for (size_t n; *p; p += n) {
		n = rune_length(p);
		if (n == 0)
			break;
	}
	return (size_t)(p - text);
}

static int digit_of(char c, int base)
{
	int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		    c >= 'A' && c <= 'F' ? c - 'A' + 10 : base;

	return value < base ? value : -1;
}

/* "41" or "{3b1}" behind "\x"; NULL: it is none, else what is behind it. */
static const char *read_hex(const char *s, unsigned long *ret)
{
	bool braces = *s == '{';
	int n = 0;

	s += braces;
	for (*ret = 0; digit_of(*s, 16) >= 0 && (braces || n < 2) && *ret <= RUNE_MAX; s++, n++)
		*ret = *ret * 16 + (unsigned long)digit_of(*s, 16);
	if (braces)
		return n > 0 && *s == '}' && *ret <= RUNE_MAX ? s + 1 : NULL;
	return n == 2 ? s : NULL;
}

/* "\0", "\012", but "\1" alone would be a back reference. */
static const char *read_octal(const char *s, unsigned long *ret)
{
	const char *start = s;

	if (*s != '0' && digit_of(s[1], 8) < 0)
		return NULL;
	for (*ret = 0; s < start + 3 && digit_of(*s, 8) >= 0; s++)
		*ret = *ret * 8 + (unsigned long)digit_of(*s, 8);
	return s;
}

int regexp_escape(struct regexp_text *t, unsigned long *ret)
{
	static const char names[] = "afnrtv", means[] = "\a\f\n\r\t\v";
	const char *p = t->p + 1, *end = NULL;
	const char *name = *p ? strchr(names, *p) : NULL;

	if (!*p)
		return regexp_refuse(t, "a backslash at the end");
	if (name) {
		*ret = (unsigned char)means[name - names];
		end = p + 1;
	} else if (*p == 'x') {
		end = read_hex(p + 1, ret);
	} else if (*p >= '0' && *p <= '9') {
		end = *p < '8' ? read_octal(p, ret) : NULL;
		if (!end)
			return regexp_refuse(t, "back references are not supported");
	} else if ((unsigned char)*p < 0x80 && !((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z')) {
		*ret = (unsigned char)*p;
		end = p + 1;
	}
	if (!end)
		return regexp_refuse(t, "an escape that is not supported");
	t->p = end;
	return 0;
}
