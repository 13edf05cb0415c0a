/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_number.c - three texts, with a NUL between them: quantities and versions
 *
 * What was written is read as the same number.  Comparing is an order: a comes before b as b comes
 * behind a, and what comes before b comes before all that b comes before.
 */
#include "manager/number/quantity.h"
#include "manager/number/semver.h"

#include "base/mem.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

enum { TEXTS = 3 };

/* order[i][j]: how the one with number i compares with that with number j. */
static void must_be_an_order(int order[TEXTS][TEXTS], size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			must(order[i][j] >= -1 && order[i][j] <= 1);
			must(i != j || order[i][j] == 0);
			must(order[i][j] == -order[j][i]);
			for (size_t k = 0; k < n; k++) {
				if (order[i][j] > 0 || order[j][k] > 0)
					continue;
				must(order[i][k] <= 0);
				must(order[i][k] < 0 || (order[i][j] == 0 && order[j][k] == 0));
			}
		}
}

/* -- quantities -- */

static void write_quantity(const struct quantity *q)
{
	struct quantity again = { 0 };
	struct err e = { 0 };
	char text[QUANTITY_TEXT], twice[QUANTITY_TEXT];
	int64_t whole;

	memset(text, 'x', sizeof(text));
	quantity_write(q, text);
	must(memchr(text, '\0', sizeof(text)));
	must(quantity_parse(text, &again, &e) == 0 && quantity_compare(q, &again) == 0);
	quantity_write(&again, twice);
	must(strcmp(text, twice) == 0);
	if (quantity_integer(q, &whole) == 0)
		return;
	quantity_set(whole, &again);
	must(again.nano == q->nano && !strchr(text, '.'));
}

/* What was added is taken away again. */
static void add(const struct quantity *a, const struct quantity *b)
{
	struct quantity sum = { 0 }, again = { 0 };
	struct err e = { 0 };
	int r = quantity_add(a, b, &sum, &e);

	must_agree(r, &e);
	if (r == 0)
		must(quantity_sub(&sum, b, &again, &e) == 0 && quantity_compare(&again, a) == 0);
}

static void check_quantities(char *const texts[TEXTS])
{
	struct quantity q[TEXTS];
	int order[TEXTS][TEXTS];
	size_t n = 0;

	for (size_t i = 0; i < TEXTS; i++) {
		struct quantity one = { .nano = 7 };
		struct err e = { 0 };
		int r = quantity_parse(texts[i], &one, &e);

		must_agree(r, &e);
		must(r == 0 ? e.code == ERR_OK : e.code == ERR_NETCONF && one.nano == 7);
		if (r < 0)
			continue;
		accepted();
		write_quantity(&one);
		q[n++] = one;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			order[i][j] = quantity_compare(&q[i], &q[j]);
			must(order[i][j] >= 0 || quantity_double(&q[i]) <= quantity_double(&q[j]));
			add(&q[i], &q[j]);
		}
	must_be_an_order(order, n);
}

/* -- versions -- */

/* One that is a version stays it, where it is made one. */
static void normalize(const char *text, const struct semver *of)
{
	char normal[SEMVER_MAX];
	struct err e = { 0 };
	struct semver again;
	int r;

	memset(normal, 'x', sizeof(normal));
	r = semver_normalize(text, normal, &e);
	must_agree(r, &e);
	must(r == 0 ? !!memchr(normal, '\0', sizeof(normal)) : e.code == ERR_NETCONF);
	if (!of)
		return;
	must(r == 0 || strlen(text) > SEMVER_MAX - sizeof(".0.0"));
	must(r < 0 || (semver_parse(normal, &again, &e) == 0 && semver_compare(of, &again) == 0));
}

/* What begins with a version has it by itself, and a strict one is one. */
static void read_lenient(const char *text, const struct semver *of)
{
	struct semver v = { .pre = "" }, again = { .pre = "" };
	size_t n = semver_read_lenient(text, &v);
	auto_free char *alone = strndup(text, n);

	must(n <= strlen(text));
	must(!of || (n == strlen(text) && semver_compare(of, &v) == 0));
	must(semver_read_lenient(alone, &again) == n);
	must(n == 0 || semver_compare(&again, &v) == 0);
}

static void check_versions(char *const texts[TEXTS])
{
	struct semver v[TEXTS];
	int order[TEXTS][TEXTS];
	size_t n = 0;

	for (size_t i = 0; i < TEXTS; i++) {
		struct err e = { 0 };
		int r = semver_parse(texts[i], &v[n], &e);

		must_agree(r, &e);
		must(r == 0 ? e.code == ERR_OK : e.code == ERR_NETCONF);
		normalize(texts[i], r == 0 ? &v[n] : NULL);
		read_lenient(texts[i], r == 0 ? &v[n] : NULL);
		if (r == 0)
			accepted();
		n += r == 0;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			order[i][j] = semver_compare(&v[i], &v[j]);
	must_be_an_order(order, n);
}

static void fuzz_one(const char *text, size_t len)
{
	char *texts[TEXTS];

	for (size_t i = 0; i < TEXTS; i++) {
		size_t n;

		texts[i] = strndup(text, len);
		n = strlen(texts[i]) + (strlen(texts[i]) < len);
		text += n;
		len -= n;
	}
	check_quantities(texts);
	check_versions(texts);
	for (size_t i = 0; i < TEXTS; i++)
		free(texts[i]);
}
