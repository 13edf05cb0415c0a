/* SPDX-License-Identifier: Apache-2.0 */
/* test_quantity.c - Kubernetes' quantities: what is one, and how much it is */
#include "manager/number/quantity.h"

#include "tests/unit/tap.h"

static const struct {
	const char *text, *written;
} good[] = {
	{ "0", "0" },
	{ "00", "0" },
	{ "-0", "0" },
	{ "+5", "5" },
	{ "-5", "-5" },
	{ "1.5", "1.5" },
	{ ".5", "0.5" },
	{ "1.", "1" },
	{ "-.25", "-0.25" },
	{ "1n", "0.000000001" },
	{ "1u", "0.000001" },
	{ "1500m", "1.5" },
	{ "200k", "200000" },
	{ "1.5G", "1500000000" },
	{ "3M", "3000000" },
	{ "1T", "1000000000000" },
	{ "1P", "1000000000000000" },
	{ "1E", "1000000000000000000" },
	{ "1Ki", "1024" },
	{ "12Mi", "12582912" },
	{ "10Gi", "10737418240" },
	{ "1Ti", "1099511627776" },
	{ "1Pi", "1125899906842624" },
	{ "1Ei", "1152921504606846976" },
	{ "1.5Ki", "1536" },
	{ "0.1Ki", "102.4" },
	{ "1e3", "1000" },
	{ "1E3", "1000" },
	{ "1e-3", "0.001" },
	{ "1.5e+2", "150" },
	{ "5e0", "5" },
	/* up to a billionth, away from zero */
	{ "0.0000000001", "0.000000001" },
	{ "-0.0000000001", "-0.000000001" },
	{ "0.1n", "0.000000001" },
	{ "1.0000000001", "1.000000001" },
	{ "1e-99", "0.000000001" },
	{ "0e99", "0" },
	/* Kubernetes' cap of binary suffixes, and what has none */
	{ "8Ei", "9223372036854775807" },
	{ "-16Ei", "-9223372036854775807" },
	{ "10E", "10000000000000000000" },
	{ "99999999999999999999999999999", "99999999999999999999999999999" },
	{ "170141183460469231731687303715.884105727", "170141183460469231731687303715.884105727" },
	/* however large it is */
	{ "7510150284367775510Ti", "9223372036854775807" },
	{ "-999999999999999999999999999Ei", "-9223372036854775807" },
	{ "9999999999999999999999999999999999999999999Ki", "9223372036854775807" },
	/* without digits */
	{ "+", "0" }, { "-", "0" }, { ".", "0" }, { "Ki", "0" }, { "-Ti", "0" }, { ".n", "0" },
	{ "e10", "0" }, { "E", "0" }, { "+e-9", "0" },
	/* more digits than count, and any exponent */
	{ "1.00000000000000000000000000000000000000000001", "1.000000001" },
	{ "1.50000000000000000000000000000000000000000000Ei", "1729382256910270464" },
	{ "99999999999999999999999999999999999999999e-30", "100000000000" },
	{ "1e-1000", "0.000000001" }, { "0e1000", "0" }, { "5e4294967296", "5" },
};

static const struct {
	const char *text, *wrong;
} bad[] = {
	{ "", "expected a number" },	  { "Pi", "no digits" },
	{ "-.Ei", "no digits" },	  { "e-10", "no digits" },
	{ "Three", "the suffix" },	  { "--1", "expected a number" },
	{ "10Mo", "the suffix" },	  { "10Mm", "the suffix" },
	{ "200K", "the suffix" },	  { "1,3G", "the suffix" },
	{ "1.2.3", "the suffix" },	  { "1 Gi", "the suffix" },
	{ "1 ", "the suffix" },		  { " 1", "expected a number" },
	{ "1e", "the suffix" },		  { "1e+", "the suffix" },
	{ "1e3Ki", "the suffix" },	  { "1e99999999999999999999", "the suffix" },
	{ "1e1000", "too large" },	  { "+ 1", "expected a number" },
	{ "1gi", "the suffix" },	  { "0x10", "the suffix" },
	{ "1e30", "too large" },	  { "999999999999999999999E", "too large" },
	{ "170141183460469231731687303715.884105728", "too large" },
	{ "9999999999999999999999999999999999999999", "too large" },
	{ "9999999999999999999999999999999999999G", "too large" },
};

static const struct {
	const char *a, *b;
	int want;
} compared[] = {
	{ "200M", "0.2G", 0 }, { "50M", "50Mi", -1 },	  { "50Mi", "50M", 1 },
	{ "-1", "1", -1 },     { "1500m", "1.5", 0 },	  { "1n", "0", 1 },
	{ "-2Gi", "-1Gi", -1 }, { "1E", "1000P", 0 },
};

static struct quantity parse(const char *text)
{
	struct quantity q = { 0 };
	struct err e = { 0 };

	ok(quantity_parse(text, &q, &e) == 0);
	return q;
}

static void test_good(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct quantity q = parse(good[i].text), again;
		char text[QUANTITY_TEXT];

		quantity_write(&q, text);
		eq(text, good[i].written);
		again = parse(text);
		ok(quantity_compare(&q, &again) == 0);
	}
}

static void test_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct quantity q = { .nano = 7 };
		struct err e = { 0 };

		ok(quantity_parse(bad[i].text, &q, &e) == -1);
		ok(e.code == ERR_NETCONF && strstr(e.msg, bad[i].wrong) != NULL);
		ok(q.nano == 7);
	}
}

static void test_compared(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(compared); i++) {
		struct quantity a = parse(compared[i].a), b = parse(compared[i].b);

		ok(quantity_compare(&a, &b) == compared[i].want);
		ok(quantity_compare(&b, &a) == -compared[i].want);
	}
}

static void test_sums(void)
{
	struct quantity a = parse("50k"), b = parse("20"), c = parse("-1500m"), sum;
	struct quantity most = parse("170141183460469231731687303715.884105727");
	struct quantity least = parse("-170141183460469231731687303715.884105727");
	struct quantity one = parse("1n");
	char text[QUANTITY_TEXT];
	struct err e = { 0 };

	ok(quantity_add(&a, &b, &sum, &e) == 0);
	quantity_write(&sum, text);
	eq(text, "50020");
	ok(quantity_sub(&b, &c, &sum, &e) == 0);
	quantity_write(&sum, text);
	eq(text, "21.5");
	ok(quantity_add(&most, &one, &sum, &e) == -1 && strstr(e.msg, "too large"));
	ok(quantity_sub(&least, &one, &sum, &e) == -1 && e.code == ERR_NETCONF);
	ok(quantity_add(&most, &least, &sum, &e) == 0 && sum.nano == 0);
}

/* What Kubernetes' AsInt64() says, which asks how a quantity is kept. */
static void test_integers(void)
{
	static const struct {
		const char *text, *add;		/* add: or NULL */
		int is_integer;
	} rows[] = {
		{ "10Gi", NULL, 1 },		  { "1e3", NULL, 1 },
		{ "0", NULL, 1 },		  { "-999999999999999999", NULL, 1 },
		{ "00001000000000000000000", NULL, 0 }, { "0000100000000000000000", NULL, 1 },
		{ "9223372036854775807", NULL, 0 }, { "9e18", NULL, 1 },
		{ "1e19", NULL, 0 },		  { "0.5", NULL, 0 },
		{ "1.0", NULL, 0 },		  { "1000m", NULL, 0 },
		{ "1000000000n", NULL, 0 },	  { "1.5Ki", NULL, 0 },
		{ "1.Ki", NULL, 1 },		  { "99999999999Ki", NULL, 1 },
		{ "999999999999Ki", NULL, 0 },	  { "1Ei", NULL, 0 },
		{ "1", "1.5Ki", 0 },		  { "1.5Ki", "0", 0 },
		{ "1k", "1", 1 },		  { "1", "1k", 1 },
		{ "500m", "500m", 0 },		  { "1", "1000m", 0 },
		{ "1", "0m", 1 },		  { "0m", "1", 1 },
		{ "9e18", "9e18", 0 },		  { "9e18", "-9e18", 1 },
		{ "1e18", "1n", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct quantity q = parse(rows[i].text), b;
		struct err e = { 0 };
		int64_t whole = 0;

		if (rows[i].add) {
			b = parse(rows[i].add);
			ok(quantity_add(&q, &b, &q, &e) == 0);
		}
		ok(quantity_integer(&q, &whole) == rows[i].is_integer);
		if (quantity_integer(&q, &whole) != rows[i].is_integer)
			(void)printf("#  %s + %s\n", rows[i].text,
				     rows[i].add ? rows[i].add : "nothing");
	}
}

static void test_numbers(void)
{
	struct quantity q = parse("-999999999999999999"), half = parse("0.5");
	int64_t i = 0;

	ok(quantity_integer(&q, &i) == 1 && i == -999999999999999999);
	q = parse("9e18");
	ok(quantity_integer(&q, &i) == 1 && i == 9000000000000000000);
	ok(quantity_integer(&half, &i) == 0 && i == 9000000000000000000);
	quantity_set(INT64_MIN, &q);
	ok(quantity_integer(&q, &i) == 1 && i == INT64_MIN);
	quantity_set(-3, &q);
	ok(quantity_integer(&q, &i) == 1 && i == -3);
	q = parse("50.703k");
	ok(quantity_double(&q) == 50703.0);
	q = parse("-0.25");
	ok(quantity_double(&q) == -0.25);
}

static void written(const struct quantity *q, const char *want)
{
	char text[QUANTITY_TEXT];

	quantity_write(q, text);
	eq(text, want);
}

static void test_whole(void)
{
	static const struct {
		const char *text;
		int64_t whole;
	} rows[] = {
		{ "0", 0 },	{ "1n", 1 },   { "-1n", -1 },	{ "7", 7 },
		{ "1.5", 2 },	{ "-2", -2 },  { "-1.5", -2 },	{ "999999999n", 1 },
		{ "9223372036854775806.1", INT64_MAX },
	};
	struct quantity q = parse("170141183460469231731687303715.5");
	quantity_int most = quantity_whole(&q);
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		q = parse(rows[i].text);
		ok(quantity_whole(&q) == rows[i].whole);
	}
	ok(quantity_from_whole(-7, &q, &e) == 0);
	written(&q, "-7");
	ok(quantity_from_whole(most, &q, &e) == -1);
	eq(e.msg, "quantities: the result is too large");
	ok(quantity_from_whole(-most, &q, &e) == -1);
	written(&q, "-7");
	ok(quantity_from_whole(most - 1, &q, &e) == 0);
	written(&q, "170141183460469231731687303715");
	ok(quantity_parse("170141183460469231731687303715.884105727", &q, &e) == 0);
	ok(quantity_parse("170141183460469231731687303715.8841057279", &q, &e) == -1);
	eq(e.msg, "quantity '170141183460469231731687303715.8841057279': is too large");
}

int main(void)
{
	test("a quantity is what Kubernetes takes for one, rounded up to a billionth");
	test_good();
	test("what is no quantity, or too large, is refused and *ret untouched");
	test_bad();
	test("quantities are compared by what they are worth");
	test_compared();
	test("sums and differences are exact, or refused");
	test_sums();
	test("a quantity is an integer where Kubernetes keeps it as one");
	test_integers();
	test("an integer that is none leaves *ret untouched; others are the nearest double");
	test_numbers();
	test("a whole number is rounded away from zero, and may be more than a quantity holds");
	test_whole();
	return tap_end();
}
