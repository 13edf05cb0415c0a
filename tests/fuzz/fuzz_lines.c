/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_lines.c - a stream in pieces: the same lines as in one, whatever is cut where */
#include "daemon/api/lines.h"
#include "tests/fuzz/fuzz.h"

enum { LIMIT = 64 };

struct seen {
	size_t n;
	uint64_t sum;			/* of the lines, in their order */
};

static int on_line(char *line, size_t len, void *arg, struct err *e)
{
	struct seen *s = arg;

	must(len > 0 && len <= LIMIT && line[len] == '\0' && !memchr(line, '\n', len));
	s->n++;
	for (size_t i = 0; i <= len; i++)
		s->sum = s->sum * 31 + (unsigned char)line[i];
	return *line == '!' ? err_set(e, ERR_DECODE, 0, "refused") : 0;
}

/* Up to the first error. */
static int feed(const char *text, size_t len, size_t piece, struct seen *s)
{
	auto_lines struct lines l = { .max = LIMIT };
	struct err e = { 0 };
	int r = 0;

	for (size_t at = 0; at < len && r == 0; at += piece)
		r = lines_feed(&l, text + at, len - at < piece ? len - at : piece, on_line, s, &e);
	must_agree(r, &e);
	must(l.len <= LIMIT);
	return r;
}

/* The first byte says how long the pieces are. */
static void fuzz_one(const char *text, size_t len)
{
	struct seen whole = { 0 }, cut = { 0 };
	size_t piece = len > 0 ? (unsigned char)*text % 7 + 1 : 1;

	must(feed(text, len, len, &whole) == feed(text, len, piece, &cut));
	must(whole.n == cut.n && whole.sum == cut.sum);
	if (whole.n > 0)
		accepted();
}
