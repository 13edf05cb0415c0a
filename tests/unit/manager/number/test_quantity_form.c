/* SPDX-License-Identifier: Apache-2.0 */
/* test_quantity_form.c - how Kubernetes writes a quantity again */
#include "manager/number/quantity_form.h"

#include "tests/unit/tap.h"

/* By tests of apimachinery's pkg/api/resource, and by what Kubernetes 1.36.2 wrote. */
static const struct {
	const char *text, *canonical;
} rows[] = {
	{ "0", "0" },
	{ "-0Gi", "0" },
	{ "1024", "1024" },
	{ "1000", "1k" },
	{ "1500m", "1500m" },
	{ "0.5", "500m" },
	{ "1.5", "1500m" },
	{ "-250000u", "-250m" },
	{ "1000n", "1u" },
	{ "1000000000000000000000", "1000E" },
	{ "170141183460469231731687303715", "170141183460469231731687303715" },
	{ "2048Mi", "2Gi" },
	{ "1536Mi", "1536Mi" },
	{ "1Ki", "1Ki" },
	{ "0.5Ki", "512" },
	{ "-2048Ki", "-2Mi" },
	{ "1.3Ki", "1331200m" },
	{ "1Ei", "1Ei" },
	{ "1e3", "1e3" },
	{ "1500e3", "1500e3" },
	{ "1E4", "10e3" },
	{ "5e0", "5" },
	{ "5e-1", "500e-3" },
	{ "1E", "1E" },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct quantity q = { 0 };
		struct err e = { 0 };
		char text[QUANTITY_TEXT];

		test("a quantity is written with the largest suffix that leaves no fraction");
		ok(quantity_parse(rows[i].text, &q, &e) == 0);
		quantity_write_form(&q, quantity_form_of(rows[i].text), text);
		eq(text, rows[i].canonical);
	}
}

/* By Kubernetes 1.36.2. */
static const struct {
	const char *text, *again;
} read_rows[] = {
	{ "+52P", "+52P" }, { "1005075.700G", "1005075.700G" }, { "7897E3", "7897E3" },
	{ "0.5", "500m" }, { "2.5", "2500m" }, { ".333E3", "333" }, { "1024Ki", "1Mi" },
	{ "28e10", "280e9" }, { "12387.38T", "12387380G" }, { "1581k", "1581k" },
	{ "+0n", "0" }, { "1000000000n", "1" }, { "2000m", "2" }, { "+98Ki", "+98Ki" },
};

static void test_again(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(read_rows); i++) {
		char text[QUANTITY_TEXT];

		test("a quantity that has been read is written as it was, if it is kept as it was");
		quantity_write_again(read_rows[i].text, text);
		eq(text, read_rows[i].again);
	}
}

int main(void)
{
	struct quantity q = { 0 };
	char text[QUANTITY_TEXT];

	test_rows();
	test_again();
	test("a decimal one may be written as a binary one: the scheduler does that of steps");
	quantity_set(10000000000, &q);
	quantity_write_form(&q, QUANTITY_BINARY, text);
	eq(text, "9765625Ki");
	return tap_end();
}
