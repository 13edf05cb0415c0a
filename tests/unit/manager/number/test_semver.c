/* SPDX-License-Identifier: Apache-2.0 */
/* test_semver.c - versions: the examples of semver.org, and what semver(text, true) makes */
#include "manager/number/semver.h"

#include "tests/unit/tap.h"

static const char *const good[] = {
	"0.0.4", "1.2.3", "10.20.30", "1.1.2-prerelease+meta", "1.1.2+meta", "1.0.0-alpha",
	"1.0.0-alpha.beta", "1.0.0-alpha.1", "1.0.0-alpha0.valid", "1.0.0-rc.1+build.1",
	"1.2.3-beta", "1.0.0-0A.is.legal", "1.0.0+0.build.1-rc.10000aaa-kk-0.1", "1.0.0--",
	"18446744073709551615.0.0", "1.0.0-18446744073709551615", "1.0.0+01",
};

static const char *const bad[] = {
	"", "1", "1.2", "1.2.3.4", "v1.2.3", " 1.2.3", "1.2.3 ", "01.1.1", "1.01.1", "1.1.01",
	"1.2.3-", "1.2.3+", "1.2.3-01", "1.2.3-a..b", "1.2.3-a_b", "1.2.3+a+b", "1.2.3+a..b",
	"-1.0.0", "1.-2.3", "+1.2.3", "18446744073709551616.0.0", "1.0.0-18446744073709551616",
	"..", "1.2.", ".2.3", "a.b.c", "1.2.3-\xc3\xa4",
};

/* Each comes before the next: semver.org, item 11. */
static const char *const ordered[] = {
	"0.9.9", "1.0.0-0", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1",
	"1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
	"1.0.1", "1.10.0", "2.0.0", "10.0.0",
};

static const struct {
	const char *text, *want;	/* NULL: refused, if not there then by the parser */
} normalized[] = {
	{ "v1.0.0", "1.0.0" },	     { "1.0", "1.0.0" },
	{ "1", "1.0.0" },	     { "v1", "1.0.0" },
	{ "01.01.01", "1.1.1" },     { "00.000.0", "0.0.0" },
	{ "1.02", "1.2.0" },	     { "1.2.03-rc.1", "1.2.3-rc.1" },
	{ "1.2.0-rc.1", "1.2.0-rc.1" }, { "1.2.00-rc", "1.2.0-rc" },
	{ "v01.2.3+a.b", "1.2.3+a.b" }, { "1.0-rc", NULL },
	{ "1+x", NULL },	     { "vv1", NULL },
	{ "", NULL },		     { " 1", NULL },
	{ "1.2.3.4", NULL },	     { "1..2", NULL },
};

static void test_order(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ordered); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ordered); j++) {
			struct semver a = { 0 }, b = { 0 };
			struct err e = { 0 };

			ok(semver_parse(ordered[i], &a, &e) == 0 &&
			   semver_parse(ordered[j], &b, &e) == 0);
			ok(semver_compare(&a, &b) == (i > j) - (i < j));
		}
}

static void test_build(void)
{
	struct semver a = { 0 }, b = { 0 };
	struct err e = { 0 };

	ok(semver_parse("1.0.0-a.b+1", &a, &e) == 0);
	ok(semver_parse("1.0.0-a.b+2.3", &b, &e) == 0);
	ok(semver_compare(&a, &b) == 0);
	ok(a.part[0] == 1 && a.pre_length == 3);
	eq(a.text, "1.0.0-a.b+1");
}

static void test_normalized(void)
{
	char longest[SEMVER_MAX + 1] = "", text[SEMVER_MAX];
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(normalized); i++) {
		struct semver v;
		int r = semver_normalize(normalized[i].text, text, &e);

		if (normalized[i].want) {
			ok(r == 0);
			eq(text, normalized[i].want);
		} else {
			ok(r < 0 || semver_parse(text, &v, &e) < 0);
		}
	}
	memset(longest, '1', SEMVER_MAX);
	ok(semver_normalize(longest, text, &e) == -1 && strstr(e.msg, "too long"));
}

static void test_lenient(void)
{
	static const struct {
		const char *text;
		size_t length;
		uint64_t part[3];
		const char *pre;
	} rows[] = {
		{ "1", 1, { 1, 0, 0 }, "" },
		{ "v6.1", 4, { 6, 1, 0 }, "" },
		{ "007.08.09", 9, { 7, 8, 9 }, "" },
		{ "1.2.3-rc.1+b.01", 15, { 1, 2, 3 }, "rc.1" },
		{ "1-x", 3, { 1, 0, 0 }, "x" },
		{ "1.2+x", 5, { 1, 2, 0 }, "" },
		{ "1.2.3-99999999999999999999", 26, { 1, 2, 3 }, "99999999999999999999" },
		{ "1.2.3.4", 5, { 1, 2, 3 }, "" },
		{ "1.", 1, { 1, 0, 0 }, "" },
		{ "1.x", 1, { 1, 0, 0 }, "" },
		{ "0x10", 1, { 0, 0, 0 }, "" },
		{ "1.2.3-01", 5, { 1, 2, 3 }, "" },
		{ "1.2.3-a..b", 5, { 1, 2, 3 }, "" },
		{ "1.2.3-+x", 5, { 1, 2, 3 }, "" },
		{ "1.2.3+", 5, { 1, 2, 3 }, "" },
		{ "5.14.0-427.el9_4", 14, { 5, 14, 0 }, "427.el9" },
		{ "1.18446744073709551616", 1, { 1, 0, 0 }, "" },
		{ "18446744073709551616", 0, { 0 }, "" },
		{ "", 0, { 0 }, "" },
		{ "v", 0, { 0 }, "" },
		{ "vv1", 0, { 0 }, "" },
		{ "V1", 0, { 0 }, "" },
		{ "+5", 0, { 0 }, "" },
		{ "-5", 0, { 0 }, "" },
		{ " 1", 0, { 0 }, "" },
		{ ".1", 0, { 0 }, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct semver v = { .pre = "" };

		test(rows[i].text);
		eqi(semver_read_lenient(rows[i].text, &v), rows[i].length);
		ok(memcmp(v.part, rows[i].part, sizeof(v.part)) == 0);
		ok(v.pre_length == strlen(rows[i].pre) &&
		   memcmp(v.pre, rows[i].pre, v.pre_length) == 0);
	}
}

int main(void)
{
	test("versions of semver.org are read");
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct semver v;
		struct err e = { 0 };

		ok(semver_parse(good[i], &v, &e) == 0);
	}
	test("others are refused, and what is expected");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct semver v = { .text = "untouched" };
		struct err e = { 0 };

		ok(semver_parse(bad[i], &v, &e) == -1);
		ok(e.code == ERR_NETCONF && strstr(e.msg, "MAJOR.MINOR.PATCH"));
		eq(v.text, "untouched");
	}
	test("versions have semver.org's order");
	test_order();
	test("what is behind '+' does not count");
	test_build();
	test("a 'v', leading zeros and missing parts are normalised");
	test_normalized();
	test_lenient();
	return tap_end();
}
