/* SPDX-License-Identifier: Apache-2.0 */
/* lex.c - the tokens of a template: text, and what is between {{ and }} */
#include "manager/template/part.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BLANKS	" \t\r\n"

int template_wrong(const struct template_lexer *l, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(l->e, ERR_NETCONF, 0, "line %u: %s", l->line, text);
}

const char *template_token_name(const struct template_token *token, char ret[48])
{
	static const char *const names[] = {
		[TOKEN_END] = "the end of the template", [TOKEN_TEXT] = "text",
		[TOKEN_LEFT] = "{{", [TOKEN_RIGHT] = "}}", [TOKEN_DECLARE] = ":=",
		[TOKEN_ASSIGN] = "=", [TOKEN_PIPE] = "|", [TOKEN_COMMA] = ",",
		[TOKEN_OPEN] = "(", [TOKEN_CLOSE] = ")", [TOKEN_DOT] = ".",
		/* which are told as they are written */
		[TOKEN_WORD] = NULL, [TOKEN_FIELD] = NULL, [TOKEN_VARIABLE] = NULL,
		[TOKEN_NUMBER] = NULL, [TOKEN_STRING] = NULL, [TOKEN_RAW_STRING] = NULL,
	};
	const char *before = token->kind == TOKEN_FIELD ? "." :
			     token->kind == TOKEN_VARIABLE ? "$" : "";

	if (token->kind < ARRAY_SIZE(names) && names[token->kind])
		return names[token->kind];
	(void)snprintf(ret, 48, "%s%.*s", before, token->len > 40 ? 40 : (int)token->len,
		       token->at);
	return ret;
}

/* Move to there. */
static void pass(struct template_lexer *l, const char *to)
{
	for (; l->p < to; l->p++)
		l->lines += *l->p == '\n';
}

/* 1 */
static int give(struct template_lexer *l, enum template_token_kind kind, size_t len)
{
	l->token = (struct template_token){ .kind = kind, .at = l->p, .len = len };
	l->line = l->lines;
	pass(l, l->p + len);
	return 1;
}

static bool is_blank(char c)
{
	return c && strchr(BLANKS, c);
}

/* Behind "{{" or before "}}" there may be a '-' with a blank between it and the rest. */
static bool has_left_trim(const char *p)
{
	return p[2] == '-' && is_blank(p[3]);
}

static size_t right_length(const struct template_lexer *l, const char *p)
{
	if (strncmp(p, "}}", 2) == 0)
		return 2;
	return l->token.is_spaced && strncmp(p, "-}}", 3) == 0 ? 3 : 0;
}

/* -- text -- */

/* Behind a comment comes the end of the action. */
static int pass_comment(struct template_lexer *l, const char *at)
{
	const char *end = strstr(at + 2, "*/");

	l->line = l->lines;
	if (!end)
		return template_wrong(l, "the comment has no end");
	end += 2;
	l->trims = is_blank(*end) && strncmp(end + 1, "-}}", 3) == 0;
	if (!l->trims && strncmp(end, "}}", 2) != 0)
		return template_wrong(l, "expected }} right behind the comment");
	pass(l, end + (l->trims ? 4 : 2));
	return 0;
}

/* Behind the "{{" at left: a comment begins right there, or behind a '-' and one blank. */
static const char *comment_at(const char *left)
{
	const char *p = left + (has_left_trim(left) ? 4 : 2);

	return strncmp(p, "/*", 2) == 0 ? p : NULL;
}

/* 1: a token; 0: there was a comment. */
static int next_text(struct template_lexer *l)
{
	const char *left, *end;

	if (l->trims)
		pass(l, l->p + strspn(l->p, BLANKS));
	l->trims = false;
	left = strstr(l->p, "{{");
	end = left ? left : l->p + strlen(l->p);
	if (left && has_left_trim(left))
		while (end > l->p && is_blank(end[-1]))
			end--;
	if (end > l->p)
		return give(l, TOKEN_TEXT, (size_t)(end - l->p));
	if (!left)
		return give(l, TOKEN_END, 0);
	pass(l, left);
	if (comment_at(left))
		return pass_comment(l, comment_at(left));
	l->in_action = true;
	return give(l, TOKEN_LEFT, has_left_trim(left) ? 3 : 2);
}

/* -- in an action -- */

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (is_name_byte(p[n]))
		n++;
	return n;
}

static int bad_character(const struct template_lexer *l, char c)
{
	if (c >= ' ' && c < 0x7f)
		return template_wrong(l, "unexpected character '%c'", c);
	return template_wrong(l, "unexpected character \\x%02x", (unsigned char)c);
}

/* A word, or a name behind its '.' or '$', of which the token has what follows. */
static int next_name(struct template_lexer *l, enum template_token_kind kind)
{
	size_t skip = kind == TOKEN_WORD ? 0 : 1, len = name_length(l->p + skip);
	char c = l->p[skip + len];

	pass(l, l->p + skip);
	(void)give(l, kind, len);
	if (c && !strchr(BLANKS ".,|:)(", c) && strncmp(l->p, "}}", 2) != 0)
		return bad_character(l, c);
	return 1;
}

/* In hexadecimal digits "e" is one, and "p" begins the exponent. */
static bool is_exponent(const char *number, size_t at)
{
	size_t sign = *number == '+' || *number == '-';
	bool is_hex = number[sign] == '0' && (number[sign + 1] | 0x20) == 'x';

	return (number[at] | 0x20) == (is_hex ? 'p' : 'e');
}

static int next_number(struct template_lexer *l)
{
	size_t n = l->p[0] == '+' || l->p[0] == '-';

	for (; is_name_byte(l->p[n]) || l->p[n] == '.' ||
	       ((l->p[n] == '+' || l->p[n] == '-') && n > 0 && is_exponent(l->p, n - 1)); n++)
		;
	return give(l, TOKEN_NUMBER, n);
}

/* With its quotes. */
static int next_string(struct template_lexer *l)
{
	char quote = *l->p;
	const char *p = l->p + 1;

	l->line = l->lines;
	for (; *p != quote; p++) {
		if (quote == '"' && p[0] == '\\' && p[1] && p[1] != '\n')
			p++;
		else if (!*p || (quote == '"' && *p == '\n'))
			return template_wrong(l, "the string has no end");
	}
	return give(l, quote == '`' ? TOKEN_RAW_STRING : TOKEN_STRING, (size_t)(p + 1 - l->p));
}

static bool begins_number(const char *p)
{
	if (*p == '+' || *p == '-' || *p == '.')
		p++;
	if (*p == '.')
		p++;
	return *p >= '0' && *p <= '9';
}

static int next_sign(struct template_lexer *l)
{
	static const struct {
		const char *text;
		enum template_token_kind kind;
	} signs[] = {
		{ ":=", TOKEN_DECLARE }, { "=", TOKEN_ASSIGN }, { "|", TOKEN_PIPE },
		{ ",", TOKEN_COMMA }, { "(", TOKEN_OPEN }, { ")", TOKEN_CLOSE }, { ".", TOKEN_DOT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strncmp(l->p, signs[i].text, strlen(signs[i].text)) == 0)
			return give(l, signs[i].kind, strlen(signs[i].text));
	l->line = l->lines;
	if (*l->p == '\'')
		return template_wrong(l, "character constants are not supported");
	return bad_character(l, *l->p);
}

static int next_in_action(struct template_lexer *l)
{
	size_t right = right_length(l, l->p);

	if (!*l->p)
		return template_wrong(l, "the action has no }}");
	if (right > 0) {
		l->trims = right == 3;
		l->in_action = false;
		return give(l, TOKEN_RIGHT, right);
	}
	if (begins_number(l->p))
		return next_number(l);
	if (*l->p == '"' || *l->p == '`')
		return next_string(l);
	if (*l->p == '$')
		return next_name(l, TOKEN_VARIABLE);
	if (*l->p == '.' && is_name_byte(l->p[1]))
		return next_name(l, TOKEN_FIELD);
	return is_name_byte(*l->p) ? next_name(l, TOKEN_WORD) : next_sign(l);
}

int template_next(struct template_lexer *l)
{
	size_t blanks = l->in_action ? strspn(l->p, BLANKS) : 0;
	int rc;

	pass(l, l->p + blanks);
	l->token.is_spaced = blanks > 0;
	do
		rc = l->in_action ? next_in_action(l) : next_text(l);
	while (rc == 0);
	l->token.is_spaced = blanks > 0;
	return rc < 0 ? -1 : 0;
}
