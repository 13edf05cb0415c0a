/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_quantity_upstream.c - what Kubernetes made of 1,500 texts: each is that quantity here
 *
 * tests/upstream/quantity.tsv has a text as JSON, and either "C", it is refused, or "T", how it is
 * written, its decimal digits, whether asInt64 gives a number, and that number.
 */
#include "manager/number/quantity.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

#include <jansson.h>

enum { ROWS = 1500, COLUMNS = 6 };

struct row {
	char *column[COLUMNS];		/* borrowed from the line */
	size_t n;
};

static void split(char *line, struct row *row)
{
	line[strcspn(line, "\n")] = '\0';
	for (row->n = 0; line && row->n < COLUMNS; row->n++)
		row->column[row->n] = strsep(&line, "\t");
}

/* "1.500" is 1.5: zeros behind the point do not count. */
static void trim(char *digits)
{
	size_t len = strlen(digits);

	if (!strchr(digits, '.'))
		return;
	while (digits[len - 1] == '0')
		len--;
	len -= digits[len - 1] == '.';
	digits[len] = '\0';
	if (strcmp(digits, "-0") == 0)
		memmove(digits, "0", 2);
}

/* The only difference that is known: 128 bits hold no more (NOTES.md). */
static bool is_beyond(const struct row *row)
{
	const char *digits = row->column[3] + (row->column[3][0] == '-');
	size_t whole = strcspn(digits, ".");

	return whole > 30 || (whole == 30 && strcmp(digits, "170141183460469231731687303715") > 0);
}

static void test_row(const struct row *row, unsigned int *beyond)
{
	json_auto_t *text = json_loads(row->column[0], JSON_DECODE_ANY, NULL);
	bool want = strcmp(row->column[1], "T") == 0, have;
	char said[QUANTITY_TEXT] = "";
	struct quantity q = { 0 };
	struct err e = { 0 };
	int64_t integer = 0;

	have = quantity_parse(json_string_value(text), &q, &e) == 0;
	if (!have && want && is_beyond(row)) {
		++*beyond;
		return;
	}
	if (have != want)
		(void)printf("#  %s: have %d, want %d (%s)\n", row->column[0], have, want, e.msg);
	ok(have == want);
	if (!have || !want)
		return;
	quantity_write(&q, said);
	trim(row->column[3]);
	if (strcmp(said, row->column[3]) != 0)
		(void)printf("#  %s: have %s, want %s\n", row->column[0], said, row->column[3]);
	eq(said, row->column[3]);
	want = strcmp(row->column[4], "true") == 0;
	if ((quantity_integer(&q, &integer) == 1) != want)
		(void)printf("#  %s: an integer?\n", row->column[0]);
	ok((quantity_integer(&q, &integer) == 1) == want);
	if (want)
		eqi(integer, strtoll(row->column[5], NULL, 10));
}

int main(void)
{
	FILE *f = fopen("tests/upstream/quantity.tsv", "re");
	auto_free char *line = NULL;
	unsigned int n = 0, beyond = 0;
	size_t room = 0;
	struct row row;

	test("each text is the quantity that Kubernetes makes of it");
	while (f && getline(&line, &room, f) > 0) {
		split(line, &row);
		test_row(&row, &beyond);
		n++;
	}
	eqi(n, ROWS);
	test("of those 31 are refused, for they are 1.7e29 or more");
	eqi(beyond, 31);
	if (f)
		(void)fclose(f);
	return tap_end();
}
