/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regexp.c - regular expressions of Go's syntax, run by PCRE2
 *
 * PCRE2 backtracks, so its steps are bounded.  What needs more is matched once more by its other
 * algorithm, which follows all ways at a time, as Go does.
 */
#include "manager/regexp/part.h"
#include "manager/regexp/regexp.h"

#include "base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	HEAP_KIB_MAX = 2048,
	WORKSPACE = 32768,		/* of the other algorithm: 5,000 ways at a time */
	WORK_A_STEP = 50,		/* of bytes of the pattern at bytes of the text */
};

struct regexp {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

static int refuse(const char *pattern, int code, struct err *e)
{
	unsigned char words[128];

	(void)pcre2_get_error_message(code, words, sizeof(words));
	return err_set(e, ERR_NETCONF, 0, "regular expression '%.96s': %s", pattern,
		       (const char *)words);
}

/*
 * '$' is written with (?m) alone, where '^' is also behind the last newline; '.' is with (?s).
 * 10.42 takes what can match after \p{^L}+ for what cannot, so it may not optimise by that.
 */
static int compile(const char *pattern, struct regexp *ret, struct err *e)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	auto_free char *text = regexp_translate(pattern, e);
	size_t at = 0;
	int code = PCRE2_ERROR_NOMEMORY;

	if (c && text) {
		(void)pcre2_set_newline(c, PCRE2_NEWLINE_LF);
		(void)pcre2_set_parens_nest_limit(c, 2 * NEST_MAX);
		ret->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
					  PCRE2_DOTALL | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX |
						  PCRE2_NO_AUTO_POSSESS | PCRE2_UTF |
						  PCRE2_NEVER_BACKSLASH_C,
					  &code, &at, c);
	}
	pcre2_compile_context_free(c);
	if (!text)
		return -1;
	return ret->code ? 0 : refuse(pattern, code, e);
}

struct regexp *regexp_parse(const char *pattern, struct err *e)
{
	struct regexp *re = calloc(1, sizeof(*re));

	if (re && compile(pattern, re, e) < 0) {
		regexp_free(re);
		return NULL;
	}
	if (re) {
		re->data = pcre2_match_data_create(1, NULL);
		re->limits = pcre2_match_context_create(NULL);
	}
	if (!re || !re->data || !re->limits) {
		regexp_free(re);
		(void)err_set(e, ERR_IO, ENOMEM, "regular expression '%.96s'", pattern);
		return NULL;
	}
	(void)pcre2_set_heap_limit(re->limits, HEAP_KIB_MAX);
	return re;
}

/* -- matching -- */

/* It begins at each byte of the text, goes on to the end, and follows all of the pattern. */
static bool is_bounded(const struct regexp *re, size_t len, unsigned steps)
{
	size_t size = 0;
	uint64_t most = (uint64_t)steps * WORK_A_STEP;

	(void)pcre2_pattern_info(re->code, PCRE2_INFO_SIZE, &size);
	return size <= most && (len + 1) <= most / (size + 1) / (len + 1);
}

/* All ways at a time. */
static int match_broadly(const struct regexp *re, const char *text, size_t len)
{
	auto_free int *workspace = malloc(WORKSPACE * sizeof(*workspace));

	return workspace ? pcre2_dfa_match(re->code, (PCRE2_SPTR)text, len, 0,
					   PCRE2_DFA_SHORTEST | PCRE2_NO_UTF_CHECK, re->data,
					   re->limits, workspace, WORKSPACE) :
			   PCRE2_ERROR_NOMEMORY;
}

/* 0: it matched, and had more groups than there is room for. */
static int give(int r, const char *text, struct err *e)
{
	unsigned char words[128];

	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return r >= 0;
	(void)pcre2_get_error_message(r, words, sizeof(words));
	return err_set(e, ERR_NETCONF, 0, "regular expression on '%.96s': %s", text,
		       (const char *)words);
}

static int match(const struct regexp *re, const char *text, unsigned steps, struct err *e)
{
	size_t len = strlen(text);
	int r;

	(void)pcre2_set_match_limit(re->limits, steps);
	r = pcre2_match(re->code, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK, re->data,
			re->limits);
	if ((r == PCRE2_ERROR_MATCHLIMIT || r == PCRE2_ERROR_HEAPLIMIT) &&
	    is_bounded(re, len, steps))
		r = match_broadly(re, text, len);
	return give(r, text, e);
}

/* A copy in which each byte that is no UTF-8 is U+FFFD, as in Go. */
static char *made_valid(const char *text)
{
	static const char instead[] = "\xef\xbf\xbd";
	char *copy = malloc(3 * strlen(text) + 1), *to = copy;

	while (copy && *text) {
		size_t n = regexp_utf8_length(text);

		memcpy(to, text, n);
		to += n;
		text += n;
		if (!*text)
			break;
		memcpy(to, instead, 3);
		to += 3;
		text++;
	}
	if (copy)
		*to = '\0';
	return copy;
}

int regexp_is_in(const struct regexp *re, const char *text, struct err *e)
{
	return regexp_is_in_steps(re, text, REGEXP_STEPS, e);
}

int regexp_is_in_steps(const struct regexp *re, const char *text, unsigned steps,
		       struct err *e)
{
	auto_free char *valid = NULL;

	if (!text[regexp_utf8_length(text)])
		return match(re, text, steps, e);
	valid = made_valid(text);
	if (!valid)
		return err_set(e, ERR_IO, ENOMEM, "regular expression on '%.96s'", text);
	return match(re, valid, steps, e);
}

int regexp_find(const struct regexp *re, const char *text, size_t from, size_t range[2],
		struct err *e)
{
	int r;

	(void)pcre2_set_match_limit(re->limits, REGEXP_STEPS);
	r = give(pcre2_match(re->code, (PCRE2_SPTR)text, strlen(text), from, PCRE2_NO_UTF_CHECK,
			     re->data, re->limits), text, e);
	if (r > 0) {
		range[0] = pcre2_get_ovector_pointer(re->data)[0];
		range[1] = pcre2_get_ovector_pointer(re->data)[1];
	}
	return r;
}

void regexp_free(struct regexp *re)
{
	if (!re)
		return;
	pcre2_match_context_free(re->limits);
	pcre2_match_data_free(re->data);
	pcre2_code_free(re->code);
	free(re);
}
