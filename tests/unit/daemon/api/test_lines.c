/* SPDX-License-Identifier: Apache-2.0 */
/* test_lines.c - lines of a stream, however it is cut into pieces */
#include "daemon/api/lines.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

/* All lines so far, each with a '|' behind it; a line "stop" ends the feeding. */
static char seen[256];

static int on_line(char *line, size_t len, void *arg, struct err *e)
{
	(void)arg;
	ok(strlen(line) == len);
	(void)strcat(strcat(seen, line), "|");
	return strcmp(line, "stop") == 0 ? err_set(e, ERR_DECODE, 0, "stopped") : 0;
}

static int feed(struct lines *l, const char *text, size_t piece)
{
	struct err e = { 0 };
	size_t len = strlen(text);
	int r = 0;

	*seen = '\0';
	for (size_t at = 0; at < len && r == 0; at += piece)
		r = lines_feed(l, text + at, len - at < piece ? len - at : piece, on_line, NULL,
			       &e);
	return r < 0 && e.code == ERR_OK ? 1 : r;
}

int main(void)
{
	static const char *const text = "{\"a\":1}\n\n{\"b\":2}\r\nhalf";

	for (size_t piece = 1; piece <= strlen(text); piece++) {
		auto_lines struct lines l = { .max = 16 };

		test("the same lines come of any pieces, without empty ones and ends");
		eqi(feed(&l, text, piece), 0);
		eq(seen, "{\"a\":1}|{\"b\":2}|");
		test("one that was cut goes on with the next piece");
		eqi(feed(&l, "way\n", piece), 0);
		eq(seen, "halfway|");
	}
	for (size_t piece = 1; piece < 20; piece++) {
		auto_lines struct lines l = { .max = 4 };

		test("a line of the limit is one, and of one byte more an error");
		eqi(feed(&l, "1234\n", piece), 0);
		eq(seen, "1234|");
		eqi(feed(&l, "12345\n", piece), -1);
	}
	{
		auto_lines struct lines l = { .max = 16 };

		test("who is told a line can end it, and what comes behind is not told");
		eqi(feed(&l, "a\nstop\nb\n", 9), -1);
		eq(seen, "a|stop|");
	}
	return tap_end();
}
