/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regexp.c - regular expressions of RE2's syntax, run by PCRE2
 *
 * A pattern is looked through before PCRE2 sees it: of escapes and groups those that both know, and
 * mean the same by, are let through.  Left out are a few that RE2 has: \v and \C, and \1 to \7 for
 * octal numbers.
 */
#include "manager/regexp/regexp.h"

#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	REPEAT_MAX = 1000,		/* RE2's: a{1000} */
	NEST_MAX = 100,			/* groups in groups */
	HEAP_KIB_MAX = 2048,
};

struct regexp {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

/*
 * -- the names of classes that RE2 has --
 *
 * PCRE2 takes more of them ("\p{Alphabetic}", "\p{Xan}", "[[:<:]]"), and those of RE2 in any case
 * and with blanks.
 */

/* General categories, and scripts as Unicode 15 names them. */
static const char *const properties[] = {
	"Any", "C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me",
	"Mn", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc",
	"Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
	"Adlam", "Ahom", "Anatolian_Hieroglyphs", "Arabic", "Armenian", "Avestan", "Balinese",
	"Bamum", "Bassa_Vah", "Batak", "Bengali", "Bhaiksuki", "Bopomofo", "Brahmi", "Braille",
	"Buginese", "Buhid", "Canadian_Aboriginal", "Carian", "Caucasian_Albanian", "Chakma",
	"Cham", "Cherokee", "Chorasmian", "Common", "Coptic", "Cuneiform", "Cypriot",
	"Cypro_Minoan", "Cyrillic", "Deseret", "Devanagari", "Dives_Akuru", "Dogra", "Duployan",
	"Egyptian_Hieroglyphs", "Elbasan", "Elymaic", "Ethiopic", "Georgian", "Glagolitic",
	"Gothic", "Grantha", "Greek", "Gujarati", "Gunjala_Gondi", "Gurmukhi", "Han", "Hangul",
	"Hanifi_Rohingya", "Hanunoo", "Hatran", "Hebrew", "Hiragana", "Imperial_Aramaic",
	"Inherited", "Inscriptional_Pahlavi", "Inscriptional_Parthian", "Javanese", "Kaithi",
	"Kannada", "Katakana", "Kawi", "Kayah_Li", "Kharoshthi", "Khitan_Small_Script", "Khmer",
	"Khojki", "Khudawadi", "Lao", "Latin", "Lepcha", "Limbu", "Linear_A", "Linear_B", "Lisu",
	"Lycian", "Lydian", "Mahajani", "Makasar", "Malayalam", "Mandaic", "Manichaean",
	"Marchen", "Masaram_Gondi", "Medefaidrin", "Meetei_Mayek", "Mende_Kikakui",
	"Meroitic_Cursive", "Meroitic_Hieroglyphs", "Miao", "Modi", "Mongolian", "Mro", "Multani",
	"Myanmar", "Nabataean", "Nag_Mundari", "Nandinagari", "New_Tai_Lue", "Newa", "Nko",
	"Nushu", "Nyiakeng_Puachue_Hmong", "Ogham", "Ol_Chiki", "Old_Hungarian", "Old_Italic",
	"Old_North_Arabian", "Old_Permic", "Old_Persian", "Old_Sogdian", "Old_South_Arabian",
	"Old_Turkic", "Old_Uyghur", "Oriya", "Osage", "Osmanya", "Pahawh_Hmong", "Palmyrene",
	"Pau_Cin_Hau", "Phags_Pa", "Phoenician", "Psalter_Pahlavi", "Rejang", "Runic",
	"Samaritan", "Saurashtra", "Sharada", "Shavian", "Siddham", "SignWriting", "Sinhala",
	"Sogdian", "Sora_Sompeng", "Soyombo", "Sundanese", "Syloti_Nagri", "Syriac", "Tagalog",
	"Tagbanwa", "Tai_Le", "Tai_Tham", "Tai_Viet", "Takri", "Tamil", "Tangsa", "Tangut",
	"Telugu", "Thaana", "Thai", "Tibetan", "Tifinagh", "Tirhuta", "Toto", "Ugaritic", "Vai",
	"Vithkuqi", "Wancho", "Warang_Citi", "Yezidi", "Yi", "Zanabazar_Square",
};

static const char *const classes[] = {
	"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
	"space", "upper", "word", "xdigit",
};

static bool is_among(const char *const *list, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == len && strncmp(list[i], name, len) == 0)
			return true;
	return false;
}

static bool is_property_name(const char *name, size_t len)
{
	return is_among(properties, ARRAY_SIZE(properties), name, len);
}

static bool is_class_name(const char *name, size_t len)
{
	return is_among(classes, ARRAY_SIZE(classes), name, len);
}

/* -- what RE2 does not have -- */

struct scan {
	const char *pattern, *p;
	struct err *e;
};

static int refuse_syntax(const struct scan *s, const char *what)
{
	return err_set(s->e, ERR_NETCONF, 0, "regular expression '%.96s', character %td: %s",
		       s->pattern, s->p - s->pattern + 1, what);
}

/* "\x41" or "\x{3b1}"; PCRE2 would take fewer digits, too. */
static bool is_hex(const char *s)
{
	const char *digits = "0123456789abcdefABCDEF";

	if (*s != '{')
		return strspn(s, digits) >= 2;
	return strspn(s + 1, digits) > 0 && s[1 + strspn(s + 1, digits)] == '}';
}

/* s is behind "\\p": "L", "{Lu}" or "{^Greek}". */
static bool is_property(const char *s)
{
	const char *end;

	if (*s != '{')
		return is_property_name(s, 1);
	s += s[1] == '^' ? 2 : 1;
	end = strchr(s, '}');
	return end && is_property_name(s, (size_t)(end - s));
}

/* p is at the backslash. */
static int scan_escape(struct scan *s, bool in_class)
{
	char c = s->p[1];

	if (!c)
		return refuse_syntax(s, "a backslash at the end");
	if ((unsigned char)c >= 0x80)
		return refuse_syntax(s, "an escape that is not supported");
	if ((c == 'p' || c == 'P') && !is_property(s->p + 2))
		return refuse_syntax(s, "a property that is not supported: expected a general "
				     "category or a script");
	if (c >= '1' && c <= '9')
		return refuse_syntax(s, "back references are not supported");
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		if (!strchr(in_class ? "aftnrdDsSwWpPx" : "aftnrdDsSwWpPxAbBzQ", c) ||
		    (c == 'x' && !is_hex(s->p + 2)))
			return refuse_syntax(s, "an escape that is not supported");
	s->p += 2;
	if (c != 'Q' || in_class)
		return 0;
	s->p = strstr(s->p, "\\E") ? strstr(s->p, "\\E") + 2 : s->p + strlen(s->p);
	return 0;
}

/* p is at "[:", end at the ":]" behind it. */
static int scan_named_class(struct scan *s, const char *end)
{
	const char *name = s->p + 2 + (s->p[2] == '^');

	if (name > end || !is_class_name(name, (size_t)(end - name)))
		return refuse_syntax(s, "a class that is not supported: expected [:alpha:] or "
				     "the like");
	s->p = end + 2;
	return 0;
}

/* p is at the bracket; one that comes first is no end. */
static int scan_class(struct scan *s)
{
	s->p += s->p[1] == '^' ? 2 : 1;
	s->p += *s->p == ']';
	while (*s->p && *s->p != ']') {
		const char *end = s->p[0] == '[' && s->p[1] == ':' ? strstr(s->p + 2, ":]") : NULL;

		if (!end && *s->p != '\\')
			s->p++;
		else if ((end ? scan_named_class(s, end) : scan_escape(s, true)) < 0)
			return -1;
	}
	s->p += *s->p == ']';
	return 0;
}

/* "i", "i-s", "-s": at most one '-', with a flag behind it.  *ret is where they end. */
static bool are_flags(const char *s, const char **ret)
{
	size_t on = strspn(s, "imsU"), off = s[on] == '-' ? strspn(s + on + 1, "imsU") : 0;

	*ret = s + on + (s[on] == '-') + off;
	return s[on] != '-' || off > 0;
}

/* "<name>", where PCRE2 would take letters of any language. */
static bool is_name(const char *s)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_";
	size_t len = *s == '<' ? strspn(s + 1, allowed) : 0;

	return len > 0 && s[len + 1] == '>';
}

/* p is at "(?": flags, a group without a number, or one with a name. */
static int scan_group(struct scan *s)
{
	const char *p = s->p + 2, *end;
	bool flags = are_flags(p, &end);

	if (p[0] == 'P' && p[1] == '<')
		p++;
	if (is_name(p))
		s->p = p + 1;
	else if (flags && (*end == ':' || (end > p && *end == ')')))
		s->p = end;
	else
		return refuse_syntax(s, "a group that is not supported: lookaround, atomic, "
				     "conditional and recursive ones are not");
	return 0;
}

/* The length of "{2}", "{2,}" or "{2,5}"; 0: it is text.  RE2 has a limit. */
static int scan_braces(struct scan *s, size_t *ret)
{
	size_t first = strspn(s->p + 1, "0123456789"), len = 1 + first, second = 0;

	if (first > 0 && s->p[len] == ',') {
		second = strspn(s->p + len + 1, "0123456789");
		len += 1 + second;
	}
	*ret = first > 0 && s->p[len] == '}' ? len + 1 : 0;
	if (*ret && (first > 4 || second > 4 || atoi(s->p + 1) > REPEAT_MAX ||
		     (second > 0 && atoi(s->p + 2 + first) > REPEAT_MAX)))
		return refuse_syntax(s, "more than 1000 repetitions");
	return 0;
}

/* Behind what may be a quantifier there may be a '?', and no other one. */
static int scan_quantifier(struct scan *s, size_t len)
{
	s->p += len;
	s->p += *s->p == '?';
	if (*s->p == '+')
		return refuse_syntax(s, "possessive quantifiers are not supported");
	return 0;
}

static int scan_one(struct scan *s)
{
	size_t braces = 0;

	if (*s->p == '\\')
		return scan_escape(s, false);
	if (*s->p == '[')
		return scan_class(s);
	if (s->p[0] == '(' && s->p[1] == '*')
		return refuse_syntax(s, "nothing to repeat");
	if (s->p[0] == '(' && s->p[1] == '?')
		return scan_group(s);
	if (*s->p == '{' && scan_braces(s, &braces) < 0)
		return -1;
	if (braces || strchr("*+?", *s->p))
		return scan_quantifier(s, braces ? braces : 1);
	s->p++;
	return 0;
}

static int check_syntax(const char *pattern, struct err *e)
{
	struct scan s = { .pattern = pattern, .p = pattern, .e = e };

	if (strlen(pattern) > REGEXP_MAX)
		return err_set(e, ERR_NETCONF, 0,
			       "regular expression '%.64s...': has %zu characters, at most %d are "
			       "allowed",
			       pattern, strlen(pattern), REGEXP_MAX);
	while (*s.p)
		if (scan_one(&s) < 0)
			return -1;
	return 0;
}

/* -- PCRE2 -- */

/*
 * '$' is the end, as in RE2, and not also before a newline there; with (?m) '^' is also behind the
 * last newline.  10.42 takes what can match after \p{^L}+ for what cannot, so it may not optimise
 * by that.
 */
static int compile(const char *pattern, struct regexp *ret, struct err *e)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	unsigned char words[128];
	size_t at = 0;
	int code = PCRE2_ERROR_NOMEMORY;

	if (c) {
		(void)pcre2_set_newline(c, PCRE2_NEWLINE_LF);
		(void)pcre2_set_parens_nest_limit(c, NEST_MAX);
		ret->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
					  PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX |
						  PCRE2_NO_AUTO_POSSESS | PCRE2_UTF |
						  PCRE2_MATCH_INVALID_UTF |
						  PCRE2_NEVER_BACKSLASH_C,
					  &code, &at, c);
		pcre2_compile_context_free(c);
	}
	if (ret->code)
		return 0;
	(void)pcre2_get_error_message(code, words, sizeof(words));
	return err_set(e, ERR_NETCONF, 0, "regular expression '%.96s', character %zu: %s", pattern,
		       at + 1, (const char *)words);
}

struct regexp *regexp_parse(const char *pattern, struct err *e)
{
	struct regexp *re;

	if (check_syntax(pattern, e) < 0)
		return NULL;
	re = calloc(1, sizeof(*re));
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

int regexp_is_in(const struct regexp *re, const char *text, struct err *e)
{
	return regexp_is_in_steps(re, text, REGEXP_STEPS, e);
}

int regexp_is_in_steps(const struct regexp *re, const char *text, unsigned steps,
		       struct err *e)
{
	unsigned char words[128];
	int r;

	(void)pcre2_set_match_limit(re->limits, steps);
	r = pcre2_match(re->code, (PCRE2_SPTR)text, strlen(text), 0, 0, re->data, re->limits);

	/* 0: it matched, and had more groups than there is room for */
	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return r >= 0;
	(void)pcre2_get_error_message(r, words, sizeof(words));
	return err_set(e, ERR_NETCONF, 0, "regular expression on '%.96s': %s", text,
		       (const char *)words);
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
