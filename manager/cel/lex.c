/* SPDX-License-Identifier: Apache-2.0 */
/* lex.c - the words of an expression: names, numbers, strings with their escapes, operators */
#include "manager/cel/lex.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns are characters, as an editor counts them. */
static void find_line(const char *text, uint32_t at, unsigned *line, unsigned *column)
{
	*line = 1;
	*column = 1;
	for (uint32_t i = 0; i < at && text[i]; i++) {
		if (text[i] == '\n') {
			++*line;
			*column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			++*column;
		}
	}
}

void cel_position(const char *text, uint32_t at, struct err *e)
{
	unsigned line, column;

	find_line(text, at, &line, &column);
	(void)err_detail(e, "line %u, column %u", line, column);
}

int cel_refuse(const char *text, uint32_t at, struct err *e, const char *fmt, ...)
{
	char words[192];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	(void)err_set(e, ERR_NETCONF, 0, "expression: %s", words);
	cel_position(text, at, e);
	return -1;
}

static int refuse_memory(struct cel_lexer *l)
{
	return err_set(l->e, ERR_IO, ENOMEM, "expression");
}

static void skip_blanks(struct cel_lexer *l)
{
	for (;;) {
		l->at += (uint32_t)strspn(l->text + l->at, " \t\r\n\f");
		if (strncmp(l->text + l->at, "//", 2) != 0)
			return;
		l->at += (uint32_t)strcspn(l->text + l->at, "\n");
	}
}

/* -- names and numbers -- */

static int lex_name(struct cel_lexer *l, struct cel_token *t)
{
	size_t n = 0;
	char *name;

	while (isalnum((unsigned char)l->text[l->at + n]) || l->text[l->at + n] == '_')
		n++;
	name = cel_arena_new(l->arena, n + 1);
	if (!name)
		return refuse_memory(l);
	memcpy(name, l->text + l->at, n);
	t->word = strcmp(name, "in") == 0 ? CEL_WORD_IN : CEL_WORD_NAME;
	t->value = cel_string(name);
	l->at += (uint32_t)n;
	return 0;
}

static const struct {
	const char *name;
	struct cel_value value;
} constants[] = {
	{ "true", { .type = CEL_BOOL, .truth = true } },
	{ "false", { .type = CEL_BOOL, .truth = false } },
	{ "null", { .type = CEL_NULL } },
};

const struct cel_value *cel_lex_constant(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (strcmp(constants[i].name, name) == 0)
			return &constants[i].value;
	return NULL;
}

bool cel_lex_is_reserved(const char *name)
{
	static const char *const reserved[] = {
		"as", "break", "const", "continue", "else", "for", "function", "if", "import",
		"let", "loop", "package", "namespace", "return", "var", "void", "while",
	};

	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	return false;
}

/* How many bytes "1.5", ".5", "1e9" have; 0: it is an integer. */
static size_t double_length(const char *s)
{
	size_t n = strspn(s, "0123456789"), fraction, exponent;

	fraction = s[n] == '.' ? strspn(s + n + 1, "0123456789") : 0;
	if (fraction > 0)
		n += 1 + fraction;
	if (n == 0 || (s[n] != 'e' && s[n] != 'E'))
		return fraction > 0 ? n : 0;
	exponent = n + 1 + (s[n + 1] == '-' || s[n + 1] == '+');
	if (!isdigit((unsigned char)s[exponent]))
		return fraction > 0 ? n : 0;
	return exponent + strspn(s + exponent, "0123456789");
}

static int lex_integer(struct cel_lexer *l, struct cel_token *t)
{
	const char *s = l->text + l->at;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2]);
	char *end;

	errno = 0;
	t->value.natural = strtoull(s, &end, hex ? 16 : 10);
	t->value.type = *end == 'u' || *end == 'U' ? CEL_UINT : CEL_INT;
	if (errno || (t->value.type == CEL_INT && t->value.natural > (uint64_t)INT64_MAX + 1))
		return cel_refuse(l->text, t->begin, l->e, "the number does not fit into 64 bits");
	l->at += (uint32_t)(end - s) + (t->value.type == CEL_UINT);
	return 0;
}

static int lex_number(struct cel_lexer *l, struct cel_token *t)
{
	size_t n = double_length(l->text + l->at);

	t->word = CEL_WORD_LITERAL;
	if (n > 0) {
		t->value = cel_double(strtod(l->text + l->at, NULL));
		if (isinf(t->value.real))
			return cel_refuse(l->text, t->begin, l->e,
					  "the number does not fit into 64 bits");
		l->at += (uint32_t)n;
	} else if (lex_integer(l, t) < 0) {
		return -1;
	}
	if (isalnum((unsigned char)l->text[l->at]) || l->text[l->at] == '_')
		return cel_refuse(l->text, t->begin, l->e, "a number with a letter behind it");
	return 0;
}

/* -- strings -- */

struct quoted {
	struct cel_lexer *l;
	const char *s;		/* what is read next */
	char *to;
	char quote;
	bool raw, triple, is_bytes;
};

static int refuse_string(const struct quoted *q, const char *what)
{
	return cel_refuse(q->l->text, (uint32_t)(q->s - q->l->text), q->l->e, "%s", what);
}

static void put_utf8(char **to, uint32_t c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	*(*to)++ = (char)(more == 0 ? c : (0xf0U << (3 - more) & 0xff) | c >> 6 * more);
	while (more-- > 0)
		*(*to)++ = (char)(0x80 | (c >> 6 * more & 0x3f));
}

/* Of a string a character, of bytes one byte; false: there is none with that number. */
static bool put_by_number(struct quoted *q, unsigned long c, size_t digits)
{
	if (q->is_bytes && (digits > 3 || c > 0xff))
		return false;
	if (q->is_bytes)
		*q->to++ = (char)c;
	else if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return false;
	else
		put_utf8(&q->to, (uint32_t)c);
	return true;
}

/* A character by its number, n digits from s on. */
static int put_number(struct quoted *q, const char *s, size_t n, int base)
{
	char digits[9] = "";
	unsigned long c;

	memcpy(digits, s, strnlen(s, n));
	if (strspn(digits, base == 8 ? "01234567" : "0123456789abcdefABCDEF") != n)
		return refuse_string(q, "an escape with too few digits");
	c = strtoul(digits, NULL, base);
	if (!put_by_number(q, c, n))
		return refuse_string(q, q->is_bytes ? "an escape that is no byte" :
						     "an escape that is no character of a string");
	q->s = s + n;
	return 0;
}

/* q->s is at the backslash. */
static int put_escape(struct quoted *q)
{
	static const char from[] = "abfnrtv\\?\"'`", to[] = "\a\b\f\n\r\t\v\\?\"'`";
	static const struct {
		char letter;
		size_t digits;
	} numbers[] = { { 'x', 2 }, { 'X', 2 }, { 'u', 4 }, { 'U', 8 } };
	char c = q->s[1];

	if (c && strchr(from, c)) {
		*q->to++ = to[strchr(from, c) - from];
		q->s += 2;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (c == numbers[i].letter)
			return put_number(q, q->s + 2, numbers[i].digits, 16);
	if (c >= '0' && c <= '3')
		return put_number(q, q->s + 1, 3, 8);
	return refuse_string(q, "an escape that CEL does not have");
}

static bool is_end(const struct quoted *q)
{
	return q->s[0] == q->quote &&
	       (!q->triple || (q->s[1] == q->quote && q->s[2] == q->quote));
}

static int put_all(struct quoted *q)
{
	while (!is_end(q)) {
		if (!*q->s || (!q->triple && (*q->s == '\n' || *q->s == '\r')))
			return refuse_string(q, "a string without its end");
		if (*q->s != '\\' || q->raw)
			*q->to++ = *q->s++;
		else if (put_escape(q) < 0)
			return -1;
	}
	q->s += q->triple ? 3 : 1;
	return 0;
}

/* As it is written, which is never less than what it stands for. */
static size_t quoted_length(struct quoted q)
{
	const char *from = q.s;

	while (*q.s && !is_end(&q))
		q.s += *q.s == '\\' && !q.raw && q.s[1] ? 2 : 1;
	return (size_t)(q.s - from);
}

/* prefix: its r and b. */
static int lex_string(struct cel_lexer *l, struct cel_token *t, size_t prefix)
{
	struct quoted q = { .l = l, .s = l->text + l->at + prefix };
	char *text;

	for (size_t i = 0; i < prefix; i++) {
		q.raw = q.raw || tolower((unsigned char)l->text[l->at + i]) == 'r';
		q.is_bytes = q.is_bytes || tolower((unsigned char)l->text[l->at + i]) == 'b';
	}

	q.quote = *q.s;
	q.triple = q.s[1] == q.quote && q.s[2] == q.quote;
	q.s += q.triple ? 3 : 1;
	text = cel_arena_new(l->arena, quoted_length(q) + 1);
	if (!text)
		return refuse_memory(l);
	q.to = text;
	if (put_all(&q) < 0)
		return -1;
	t->word = CEL_WORD_LITERAL;
	t->value = (struct cel_value){ .type = q.is_bytes ? CEL_BYTES : CEL_STRING,
				       .size = (uint32_t)(q.to - text), .text = text };
	l->at = (uint32_t)(q.s - l->text);
	return 0;
}

/* -- the rest -- */

static const struct {
	const char *text;
	enum cel_word word;
} operators[] = {
	{ "&&", CEL_WORD_AND },	       { "||", CEL_WORD_OR },
	{ "==", CEL_WORD_EQUAL },      { "!=", CEL_WORD_UNEQUAL },
	{ "<=", CEL_WORD_LESS_EQUAL }, { ">=", CEL_WORD_GREATER_EQUAL },
};

static int lex_operator(struct cel_lexer *l, struct cel_token *t)
{
	const char *s = l->text + l->at;

	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (strncmp(s, operators[i].text, 2) == 0) {
			t->word = operators[i].word;
			l->at += 2;
			return 0;
		}
	if (*s && !strchr("<>!+-*/%?:.,()[]{}", *s))
		return cel_refuse(l->text, l->at, l->e, "a character that CEL does not have");
	t->word = (unsigned char)*s;
	l->at += *s != '\0';
	return 0;
}

/* r"", b"" and both, the b first; a name may begin with the same letters. */
static size_t prefix_length(const char *s)
{
	size_t n = (*s == 'b' || *s == 'B');

	n += s[n] == 'r' || s[n] == 'R';
	return s[n] == '"' || s[n] == '\'' ? n : 0;
}

static int lex_one(struct cel_lexer *l, struct cel_token *t)
{
	const char *s = l->text + l->at;
	size_t prefix = prefix_length(s);

	if (prefix || *s == '"' || *s == '\'')
		return lex_string(l, t, prefix);
	if (isalpha((unsigned char)*s) || *s == '_')
		return lex_name(l, t);
	if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1])))
		return lex_number(l, t);
	return lex_operator(l, t);
}

int cel_lex(struct cel_lexer *l, struct cel_token *ret)
{
	struct cel_token t = { 0 };

	skip_blanks(l);
	t.begin = l->at;
	if (lex_one(l, &t) < 0)
		return -1;
	t.end = l->at;
	*ret = t;
	return 0;
}
