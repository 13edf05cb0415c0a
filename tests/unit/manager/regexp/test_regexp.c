/* SPDX-License-Identifier: Apache-2.0 */
/* test_regexp.c - regular expressions: what RE2 has, what it refuses, and the bounds */
#include "manager/regexp/regexp.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

/* What Go has, and what only others have. */
static const struct {
	const char *pattern, *text;
	int want;
} patterns[] = {
	{ "b+", "abbc", 1 }, { "^b", "ab", 0 }, { "a.c", "a\nc", 0 }, { "(?s)a.c", "a\nc", 1 },
	{ "a$", "a\n", 0 }, { "(?m)a$", "a\nb", 1 }, { "\\Aab\\z", "ab", 1 },
	{ "(?i)intel", "INTEL", 1 }, { "(?i:I)ntel", "intel", 1 }, { "(?P<x>a)(?<y>b)", "ab", 1 },
	{ "(?:ab){2}", "abab", 1 }, { "a{2,}", "aa", 1 }, { "a{1,2}?b", "aab", 1 },
	{ "a{,2}", "a{,2}", 1 }, { "x{y", "x{y", 1 }, { "[[:alpha:]]+\\d", "ab1", 1 },
	{ "[]a]", "]", 1 }, { "[^]a]", "]", 0 }, { "[\\]\\-]", "-", 1 }, { "[a\\d]", "7", 1 },
	{ "\\Qa+(?=\\E", "a+(?=", 1 }, { "\\Qa(?=", "a(?=", 1 }, { "\\p{Greek}", "\xce\xb1", 1 },
	{ "^.$", "\xce\xb1", 1 }, { "\\x{3b1}", "\xce\xb1", 1 }, { "\\x41\\.", "A.", 1 },
	{ "^a", "\xff\xff", 0 }, { "a{1000}", "a", 0 }, { "\\w\\W\\s\\S\\b", "a- x", 1 },
	{ "[[:^digit:]]", "5", 0 }, { "a|b|", "", 1 }, { "[(?=]", "=", 1 }, { "a??b", "b", 1 },
	{ "[+]+", "++", 1 }, { "\\++", "++", 1 },

	{ "(?m)\n^", "a\n", 1 }, { "\\p{^L}+\\PN", "__", 1 }, { "[\\x2b-\\x{2d}]", ",", 1 },
	{ "\\x4", "x", -2 }, { "\\xg", "x", -2 }, { "\\x{}", "x", -2 }, { "\\x{4", "x", -2 },
	{ "a\\E", "a", -2 }, { "[\\x4]", "x", -2 }, { "\\Qa\\E\\E", "a", -2 },

	{ "(a)\\1", "aa", -2 }, { "(?=a)", "a", -2 }, { "(?!a)", "a", -2 }, { "(?<=a)", "a", -2 },
	{ "(?<!a)b", "b", -2 }, { "(?>a)", "a", -2 }, { "(?P=x)", "a", -2 }, { "(?P>x)", "a", -2 },
	{ "(?<n>a)\\k<n>", "aa", -2 }, { "\\g1", "a", -2 }, { "a*+", "a", -2 }, { "a++", "a", -2 },
	{ "a?+", "a", -2 }, { "a{2}+", "aa", -2 }, { "(?R)", "a", -2 }, { "(?1)", "a", -2 },
	{ "(?|a|b)", "a", -2 }, { "(?(1)a)", "a", -2 }, { "(?#x)", "a", -2 }, { "(?C1)", "a", -2 },
	{ "(*UTF)a", "a", -2 }, { "(*ANYCRLF)a", "a", -2 }, { "a\\K", "a", -2 }, { "\\R", "a", -2 },
	{ "\\X", "a", -2 }, { "\\C", "a", -2 }, { "\\h", " ", -2 }, { "\\Z", "a", -2 },
	{ "\\G", "a", -2 }, { "\\c[", "a", -2 }, { "\\o{12}", "a", -2 }, { "\\N", "a", -2 },
	{ "[\\b]", "a", -2 }, { "(?x)a b", "ab", -2 }, { "(?J)a", "a", -2 }, { "(?)a", "a", 1 },
	{ "a{1001}", "a", -2 }, { "a{1,99999}", "a", -2 }, { "[a", "a", -2 }, { "a)", "a", -2 },
	{ "*a", "a", -2 }, { "a**", "a", -2 }, { "a\\", "a", -2 }, { "(", "a", -2 },
	{ "[", "a", -2 }, { "(?", "a", -2 }, { "(?<", "a", -2 },
	{ "(((a{1000}){1000}){1000})", "a", -2 },

	/* what Go has and PCRE2 has not, or takes for something else */
	{ "^\\s$", "\v", 0 }, { "^\\S$", "\v", 1 }, { "^[\\s]$", "\v", 0 },
	{ "^[^\\S]$", "\v", 0 }, { "^[[:space:]]$", "\v", 1 },
	{ "^\\v\\0{0}\\101\\07$", "\vA\a", 1 },
	{ "\\_\\-\\/", "_-/", 1 }, { "^[\\w-a]+$", "_-a", 1 }, { "^[:alpha:]+$", "pal", 1 },
	{ "a{2}{3}", "a", -2 }, { "(?:a{20}){50}", "a", 0 }, { "(?:a{20}){51}", "a", -2 },
	{ "(?:(?:a{20}){2}|b{30}){25}", "a", 0 }, { "(?:(?:a{20}){2}|b{30}){26}", "a", -2 },
	{ "(|.*){0}\\+", "z+", 1 }, { "((b|(.*)){0,0}?)\\+", "z+", 1 },
	{ "^(?i)a(?i:b){0}c(?-i:d){0}e\\b{0}$", "ACE", 1 }, { "^a{0}b{0}?c$", "c", 1 },
	{ "^(?:(?i:a){0}b)$", "B", 0 }, { "^(?:a{0}){2}$", "", 1 },
	{ "(?:a{1000}){0}", "", 1 }, { "(?:a{0,1000})*b", "aab", 1 },
	{ "(?:a{501}){1,2}", "a", -2 },
	{ "^a{01}$", "a{01}", 1 }, { "a{2,1}", "a", -2 },
	{ "\\b*a", "a", 1 }, { "^*a", "ba", 1 }, { "\\A{2}a$?", "a", 1 }, { "(?m)a$+", "a\nb", 1 },
	{ "(?:\\b)+a", "ba", 0 }, { "a\\B?b", "ab", 1 }, { "*", "", -2 }, { "(*)", "", -2 },
	{ "a(?i)*b", "aaB", 1 }, { "^a*(?i)*$", "AA", 0 }, { "(?i)*", "a", -2 },
	{ "a\\Q\\E+", "aa", 1 },
	{ "(?:a(?i))b", "aB", 0 }, { "a(?i:b)c", "aBC", 0 }, { "a(?i)b|c", "C", 1 },
	{ "^(?i:[\\W\\d])$", "\xc5\xbf", 0 }, { "^(?i)\\w$", "\xc5\xbf", 1 },
	{ "^(?i)\\W$", "\xe2\x84\xaa", 0 }, { "^(?i)[[:^alpha:]]$", "\xe2\x84\xaa", 0 },
	{ "^(?i)[[:upper:]]$", "a", 1 }, { "^(?i)[[:^lower:]]$", "A", 0 },
	{ "^\\W$", "\xc5\xbf", 1 },
	{ "^(?i)\\p{Lu}$", "a", 1 }, { "^(?i)\\p{Lu}$", "\xe1\xbd\x92", 0 },
	{ "^(?i)\\P{Lu}$", "a", 0 }, { "^(?i)[^\\P{Greek}\\d]$", "\xc2\xb5", 1 },
	{ "^(?i)\\P{Greek}$", "\xc2\xb5", 0 }, { "^(?i)[\xc2\xb5\\P{Greek}]$", "\xc2\xb5", 1 },
	{ "^\\p{Greek}$", "\xcd\xb4", 0 }, { "[\\x{d800}]", "a", 0 }, { "^[^\\x{d800}]$", "a", 1 },
	{ "^.$", "\xff", 1 }, { "^\\x{fffd}{2}$", "\xe2\x82", 1 }, { "\xff", "a", -2 },
	{ "(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", 0 },

	/* classes and flags that PCRE2 alone has, or writes in more ways */
	{ "^\\p{Lu}\\pL[\\p{Nd}\\P{Han}]$", "Aa1", 1 }, { "^\\P{^Greek}$", "\xce\xb1", 1 },
	{ "[[:word:][:^alpha:]]", "a", 1 }, { "\\p{Any}", "a", 1 }, { "(?i-s:A)", "a", 1 },
	{ "(?-s)a(?U)a", "aa", 1 }, { "(?P<a_1>a)", "a", 1 }, { "[[:]]", ":]", 1 },
	{ "\\p{Xan}", "a", -2 }, { "\\p{Alphabetic}", "a", -2 }, { "\\p{greek}", "a", -2 },
	{ "\\p{L&}", "a", -2 }, { "\\p{sc:Greek}", "a", -2 }, { "\\p{ Lu}", "A", -2 },
	{ "\\p{^^Lu}", "A", -2 }, { "\\p{}", "A", -2 }, { "\\p{Lu", "A", -2 }, { "\\p", "p", -2 },
	{ "\\PA", "A", -2 }, { "[\\p{Emoji}]", "1", -2 }, { "\\p{Grek}", "a", -2 },
	{ "[[:<:]]a", "a", -2 }, { "[[:Alpha:]]", "a", -2 }, { "[[:^^alpha:]]", "a", -2 },
	{ "[[::]]", ":", -2 }, { "(?-)a", "a", -2 }, { "(?-:a)", "a", -2 }, { "(?i-:a)", "a", -2 },
	{ "(?i-s-m:a)", "a", -2 }, { "(?<\xc3\xa9>a)", "a", -2 }, { "\\\xc3\xa9", "\xc3\xa9", -2 },
};

/* 1, 0, -1: the answer; -2: not even read. */
static int answer(const char *pattern, const char *text, struct err *e)
{
	struct regexp *re = regexp_parse(pattern, e);
	int r = re ? regexp_is_in(re, text, e) : -2;

	regexp_free(re);
	return r;
}

static void test_patterns(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct err e = { 0 };
		int have = answer(patterns[i].pattern, patterns[i].text, &e);

		test(patterns[i].pattern);
		ok(have == patterns[i].want);
		if (have != patterns[i].want)
			(void)printf("#  have %d, want %d (%s)\n", have, patterns[i].want, e.msg);
		ok((have < 0) == (e.code == ERR_NETCONF));
	}
}

static void test_bounds(void)
{
	struct regexp *re;
	char pattern[REGEXP_MAX + 2], text[4001];
	struct err e = { 0 };

	test("a pattern that would take for ever is an error, soon");
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 2] = '!';
	text[sizeof(text) - 1] = '\0';
	ok(answer("(a+)+$", text, &e) == -1);
	ok(strstr(e.msg, "limit") != NULL);

	test("a pattern has at most 10240 characters, and 400 groups in each other");
	memset(pattern, 'a', sizeof(pattern));
	pattern[REGEXP_MAX + 1] = '\0';
	ok(answer(pattern, "a", &e) == -2);
	pattern[REGEXP_MAX] = '\0';
	ok(answer(pattern, "a", &e) == 0);
	memset(pattern, '(', 401);
	memset(pattern + 401, ')', 401);
	pattern[802] = '\0';
	ok(answer(pattern, "a", &e) == -2);
	pattern[801] = '\0';
	ok(answer(pattern + 1, "a", &e) == 1);

	test("who allows fewer steps is told sooner, and the next match has its own");
	e = (struct err){ 0 };
	re = regexp_parse("(a|b)*[cd]", &e);
	ok(re && regexp_is_in_steps(re, "ababababababababe", 20, &e) == -1);
	ok(e.code == ERR_NETCONF && strstr(e.msg, "regular expression on 'ababababababababe': "));
	e = (struct err){ 0 };
	ok(re && regexp_is_in(re, "ababababababababe", &e) == 0 && e.code == ERR_OK);
	ok(re && regexp_is_in_steps(re, "ababababababababc", 200, &e) == 1);
	regexp_free(re);
}

int main(void)
{
	test_patterns();
	test_bounds();
	return tap_end();
}
