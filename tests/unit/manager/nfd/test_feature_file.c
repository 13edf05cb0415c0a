/* SPDX-License-Identifier: Apache-2.0 */
/* test_feature_file.c - what NFD takes from feature files, and what is said of the rest */
#include "base/mem.h"
#include "manager/nfd/feature_file.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

#define NOW	1800000000		/* 2027-01-15T08:00:00Z */

static char said[4096];
static unsigned int errors;

static void say(unsigned int line, bool is_error, const char *text, void *arg)
{
	(void)arg;
	errors += is_error;
	(void)snprintf(said + strlen(said), sizeof(said) - strlen(said), "%u: %s: %s\n", line,
		       is_error ? "error" : "warning", text);
}

static int read_to(const char *text, size_t len, json_t *labels, json_t *features)
{
	struct err e = { 0 };
	int rc = feature_file_read(text, len, NOW, labels, features, say, NULL, &e);

	ok((rc == 0) == (e.code == ERR_OK));
	return rc;
}

/* Objects in JSON with sorted keys are what the file gives. */
static void check_objects(const json_t *labels, const json_t *features, const char *want_labels,
			  const char *want_features)
{
	auto_free char *l = json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
	auto_free char *f = json_dumps(features, JSON_COMPACT | JSON_SORT_KEYS);

	eq(l, want_labels);
	if (want_features)
		eq(f, want_features);
}

static void gives(const char *text, const char *labels, const char *features)
{
	json_auto_t *l = json_object(), *f = json_object();

	*said = '\0';
	errors = 0;
	ok(read_to(text, strlen(text), l, f) == 0);
	check_objects(l, f, labels, features);
}

static void lines(void)
{
	test("N14, N16, N17: the guide's example: a name alone is \"true\", a prefix is kept");
	gives("my-feature.1\nmy-feature.2=myvalue\nmy.namespace/my-feature.3=456\n",
	      "{\"my-feature.1\":\"true\",\"my-feature.2\":\"myvalue\","
	      "\"my.namespace/my-feature.3\":\"456\"}",
	      "{\"my-feature.1\":\"true\",\"my-feature.2\":\"myvalue\","
	      "\"my.namespace/my-feature.3\":\"456\"}");
	ok(errors == 0);
	test("N04: a name without a prefix is warned of");
	contains(said, "1: warning: label 'my-feature.1' has no prefix");
	ok(!strstr(said, "3: "));

	test("N18: comments and empty lines are passed over, blanks around a line as well");
	gives("# comment\n\n   \t\n  a.b/c=d \r\n#a.b/e=f\n  # a.b/g\na.b/h", "{\"a.b/c\":\"d\","
	      "\"a.b/h\":\"true\"}", "{\"a.b/c\":\"d\",\"a.b/h\":\"true\"}");
	eq(said, "");
	gives("", "{}", "{}");
	gives("\n", "{}", "{}");

	test("N16: a value may have '=' and be empty, as a raw feature");
	gives("# +no-label\na=b=c\n# +no-label\nd=\n# +no-label\ne f = g", "{}",
	      "{\"a\":\"b=c\",\"d\":\"\",\"e f \":\" g\"}");
	eq(said, "");

	test("the last of two lines of one name counts, and the other is told");
	gives("a.b/c=1\na.b/c=2\na.b/c=2", "{\"a.b/c\":\"2\"}", "{\"a.b/c\":\"2\"}");
	contains(said, "2: warning: label 'a.b/c' was '1'");
	ok(!strstr(said, "3: "));

	test("N74: lines are taken whatever a node may have, and what NFD drops of them is told");
	gives("a.b/eth0@if2=x\na.b/c=no value\n=z\n\xff\xfe=1\n",
	      "{\"\":\"z\",\"a.b/c\":\"no value\",\"a.b/eth0@if2\":\"x\"}",
	      "{\"\":\"z\",\"a.b/c\":\"no value\",\"a.b/eth0@if2\":\"x\"}");
	contains(said, "1: error: label 'a.b/eth0@if2': expected a name");
	contains(said, "2: error: label 'a.b/c': value 'no value'");
	contains(said, "3: error: there is no name before '='");
	contains(said, "4: error: it is no text in UTF-8");
	ok(errors == 4);

	test("N34, N74: of a label's namespace nfd-master decides: it is taken, and told");
	gives("kubernetes.io/x=y\n", "{\"kubernetes.io/x\":\"y\"}", "{\"kubernetes.io/x\":\"y\"}");
	contains(said, "1: error: label 'kubernetes.io/x': of the namespace");
	ok(errors == 1);
}

static void expiry(void)
{
	test("N20, N21, N22: the guide's four lines: an expiry time holds until the next one");
	gives("# +expiry-time=2012-07-28T11:22:33Z\nvendor.io/feature1=1\n\n"
	      "# +expiry-time=2080-07-28T11:22:33Z\nvendor.io/feature2=2\n\n"
	      "# +expiry-time=2070-07-28T11:22:33Z\nvendor.io/feature3=3\n\n"
	      "# +expiry-time=2002-07-28T11:22:33Z\nvendor.io/feature4=4\n",
	      "{\"vendor.io/feature2\":\"2\",\"vendor.io/feature3\":\"3\"}",
	      "{\"vendor.io/feature2\":\"2\",\"vendor.io/feature3\":\"3\"}");
	contains(said, "1: warning: expiry-time 2012-07-28T11:22:33Z is past");
	contains(said, "10: warning: expiry-time 2002");
	test("N22: it stands anywhere, and lines before it are not meant");
	gives("a.b/c\n# +expiry-time=2012-07-28T11:22:33Z\na.b/d\n", "{\"a.b/c\":\"true\"}", NULL);

	test("N20: an hour may have one digit, minutes have two");
	gives("# +expiry-time=2012-07-28T1:22:33Z\na.b/c\n", "{}", "{}");
	ok(errors == 0);
	gives("# +expiry-time=2012-07-28T01:2:33Z\na.b/c\n", "{\"a.b/c\":\"true\"}", NULL);
	ok(errors == 1);

	test("N23: after a malformed expiry the one before it stays, and it is an error");
	gives("# +expiry-time=2012-07-28T11:22:33Z\n# +expiry-time=tomorrow\na.b/c\n", "{}", "{}");
	ok(errors == 1 && strstr(said, "2: error: expiry-time 'tomorrow' is no time"));
	gives("# +expiry-time=tomorrow\na.b/c\n", "{\"a.b/c\":\"true\"}", NULL);
	ok(errors == 1);
	gives("# +expiry-time\na.b/c\n", "{\"a.b/c\":\"true\"}", NULL);
	ok(errors == 1 && strstr(said, "1: error: expected '# +expiry-time=TIME'"));
}

static void times(void)
{
	static const struct {
		const char *text;
		int kept;		/* -1: it is no time */
	} cases[] = {
		{ "2027-01-15T08:00:00Z", 1 },		{ "2027-01-15T07:59:59Z", 0 },
		{ "2027-01-15T08:00:00.5Z", 1 },	{ "2027-01-15T10:00:00+02:00", 1 },
		{ "2027-01-15T09:59:59+02:00", 0 },	{ "2027-01-15T03:00:00-05:00", 1 },
		{ " 2027-01-15T08:00:00Z ", 1 },	{ "9999-12-31T23:59:59Z", 1 },
		{ "0000-01-01T00:00:00Z", 0 },		{ "2028-02-29T00:00:00Z", 1 },
		{ "2027-02-29T00:00:00Z", -1 },		{ "2027-13-01T00:00:00Z", -1 },
		{ "2027-01-15T24:00:00Z", -1 },		{ "2027-01-15T08:60:00Z", -1 },
		{ "2027-01-15T08:00:60Z", -1 },		{ "2027-01-15T08:00:00", -1 },
		{ "2027-01-15 08:00:00Z", -1 },		{ "2027-01-15T08:00:00z", -1 },
		{ "2027-01-15T08:00:00.Z", -1 },	{ "2027-01-15T08:00:00+2:00", -1 },
		{ "2027-01-16T08:00:00+24:00", 1 },	{ "2027-1-15T08:00:00Z", -1 },
		{ "2027-01-15T08:00:00Zx", -1 },	{ "2027-00-15T08:00:00Z", -1 },
		{ "2027-01-16T07:59:59+24:00", 0 },	{ "2027-01-16T09:00:00+24:60", 1 },
		{ "2027-01-15T08:00:00+25:00", -1 },	{ "2027-01-15T08:00:00+24:61", -1 },
		{ "1800000000", -1 },			{ "", -1 },
	};

	test("N20: times are those of RFC 3339, as Go reads them");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_auto_t *l = json_object(), *f = json_object();
		char text[128];

		(void)snprintf(text, sizeof(text), "# +expiry-time=%s\na.b/c\n", cases[i].text);
		errors = 0;
		*said = '\0';
		ok(read_to(text, strlen(text), l, f) == 0);
		ok(errors == (cases[i].kept < 0));
		ok(json_object_size(l) == (cases[i].kept != 0));
		if (errors != (cases[i].kept < 0) || json_object_size(l) != (cases[i].kept != 0))
			(void)printf("#  %s: %s\n", cases[i].text, said);
	}
}

static void directives(void)
{
	test("N24: the newer guide's example of no-feature and no-label");
	gives("# +no-feature\nvendor.io/label-only=value\n\nvendor.io/my-feature=value\n\n"
	      "vendor.io/foo=bar\n\n# +no-label\nfoo=baz\n",
	      "{\"vendor.io/foo\":\"bar\",\"vendor.io/label-only\":\"value\","
	      "\"vendor.io/my-feature\":\"value\"}",
	      "{\"foo\":\"baz\",\"vendor.io/foo\":\"bar\",\"vendor.io/my-feature\":\"value\"}");
	test("N24: both hold for one line, comments between do not matter");
	gives("# +no-label\n# +no-feature\n# comment\n\na.b/c=1\na.b/d=2\n",
	      "{\"a.b/d\":\"2\"}", "{\"a.b/d\":\"2\"}");
	test("N24: what is left out is taken back, where an earlier line had it");
	gives("a.b/c=1\n# +no-label\na.b/c=2\n", "{}", "{\"a.b/c\":\"2\"}");
	gives("a.b/c=1\n# +no-feature\na.b/c=2\n", "{\"a.b/c\":\"2\"}", "{}");
	test("N24: a line that has expired does not use a directive up");
	gives("# +expiry-time=2012-07-28T11:22:33Z\n# +no-label\na.b/c\n"
	      "# +expiry-time=2080-07-28T11:22:33Z\na.b/d\na.b/e\n",
	      "{\"a.b/e\":\"true\"}", "{\"a.b/d\":\"true\",\"a.b/e\":\"true\"}");
	test("N24: a directive without a line behind it is warned of");
	gives("a.b/c\n# +no-label\n# the end\n", "{\"a.b/c\":\"true\"}", "{\"a.b/c\":\"true\"}");
	eq(said, "2: warning: there is no feature behind this directive\n");

	test("N20, N24: a directive begins with exactly '# +', and an unknown one is an error");
	gives("#+no-label\n#  +no-label\na.b/c\n", "{\"a.b/c\":\"true\"}", "{\"a.b/c\":\"true\"}");
	ok(errors == 0 && strstr(said, "1: warning: this line is a comment: a directive begins "
				       "with '# +'"));
	contains(said, "2: warning: this line is a comment");
	gives("# + no-label\n# +no-labels\n# +=\n# 1 + 1\na.b/c\n", "{\"a.b/c\":\"true\"}", NULL);
	ok(errors == 3);
	ok(strstr(said, "2: error: unknown directive 'no-labels': expected expiry-time, no-feature "
			"or no-label"));
	ok(!strstr(said, "4: "));
}

static void files(void)
{
	json_auto_t *l = json_object(), *f = json_object();
	auto_free char *text = malloc(FEATURE_FILE_MAX + 1);
	static const char later[] = "a.b/c=2\n# +no-label\na.b/d=1\n";

	*said = '\0';
	test("N25: a later file overrides, is told, and takes nothing of an earlier one back");
	ok(read_to("a.b/c=1\na.b/d=1\na.b/e=3", 23, l, f) == 0);
	ok(read_to(later, strlen(later), l, f) == 0);
	check_objects(l, f, "{\"a.b/c\":\"2\",\"a.b/d\":\"1\",\"a.b/e\":\"3\"}",
		      "{\"a.b/c\":\"2\",\"a.b/d\":\"1\",\"a.b/e\":\"3\"}");
	eq(said, "0: warning: label 'a.b/c' becomes '2', an earlier file has '1'\n"
		 "0: warning: feature 'a.b/c' becomes '2', an earlier file has '1'\n");

	test("N19: of a file of more than 64 kB nothing is taken");
	memset(text, '\n', FEATURE_FILE_MAX + 1);
	memcpy(text, "a.b/x\n", 6);
	ok(read_to(text, FEATURE_FILE_MAX + 1, l, f) == -1);
	ok(!json_object_get(l, "a.b/x"));
	ok(read_to(text, FEATURE_FILE_MAX, l, f) == 0);
	ok(json_object_get(l, "a.b/x"));

	test("a line with a NUL is an error");
	*said = '\0';
	ok(read_to("a.b/y\0z\n\0\na.b/z", 15, l, f) == 0);
	ok(strstr(said, "1: error: it is no text") && strstr(said, "2: error: it is no text"));
	ok(!json_object_get(l, "a.b/y") && json_object_get(l, "a.b/z"));
}

static void labels(void)
{
	static const char text[] = "a.b/c=1\na.b/d=2\n=x\n\u200bu=1\na.b/c=no value\n";
	json_auto_t *l = json_object(), *f = json_object(), *kept = NULL;
	auto_free char *json = NULL;

	*said = '\0';
	test("N74: labels are what a node may have, and what is none takes an earlier one away");
	ok(read_to(text, strlen(text), l, f) == 0);
	eqi(json_object_size(l), 4);
	kept = feature_file_labels(l);
	json = json_dumps(kept, JSON_COMPACT);
	eq(json, "{\"a.b/d\":\"2\"}");
	contains(said, "5: error: label 'a.b/c': value 'no value'");
	contains(said, "5: warning: label 'a.b/c' was '1' in an earlier line");
}

static void blanks(void)
{
	test("N18: blanks are those of Unicode, also around an expiry time");
	gives("\u00a0a.b/c=1\u2003\n\xc2\x85" "a.b/d\u3000\n\u2003\n"
	      "# +expiry-time=\u00a02012-07-28T11:22:33Z\na.b/e\n",
	      "{\"a.b/c\":\"1\",\"a.b/d\":\"true\"}", NULL);
	ok(errors == 0);
}

int main(void)
{
	labels();
	blanks();
	lines();
	expiry();
	times();
	directives();
	files();
	return tap_end();
}
