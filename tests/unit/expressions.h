/* SPDX-License-Identifier: Apache-2.0 */
/* expressions.h - rows of expressions of manager/cel, for one device with something of each kind */
#ifndef TESTS_UNIT_EXPRESSIONS_H
#define TESTS_UNIT_EXPRESSIONS_H

#include "base/mem.h"
#include "manager/cel/cel.h"
#include "tests/unit/tap.h"

/* want: 1 or 0; -1: it fails for the device, -2: it does not compile.  wrong: in the message. */
struct expression {
	const char *text;
	int want;
	const char *wrong;
};

static const char expression_attributes[] =
	"{\"s\":{\"string\":\"fish\"},\"i\":{\"int\":8},\"b\":{\"bool\":true},"
	"\"v\":{\"version\":\"1.2.3-rc.1\"},\"empty\":{\"string\":\"\"},"
	"\"greek\":{\"string\":\"αβγ\"},\"o.io/ints\":{\"ints\":[0,1,2]},"
	"\"o.io/strings\":{\"strings\":[\"red\",\"green\"]},"
	"\"o.io/vs\":{\"versions\":[\"1.0.0\"]}}";
static const char expression_capacity[] =
	"{\"m\":{\"value\":\"10Gi\"},\"o.io/x\":{\"value\":\"1.5Ki\"}}";

static int expression_answer(const char *text, struct err *e)
{
	json_auto_t *attributes = json_loads(expression_attributes, 0, NULL);
	json_auto_t *capacity = json_loads(expression_capacity, 0, NULL);
	const struct cel_device d = { .driver = "d.io", .attributes = attributes,
				      .capacity = capacity };
	auto_cel struct cel *c = cel_compile(text, e);

	return c ? cel_matches(c, &d, e) : -2;
}

static void expression_check(const struct expression *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct err e = { 0 };
		int have = expression_answer(rows[i].text, &e);
		bool is_told = have == rows[i].want &&
			       (have >= 0 || !rows[i].wrong || strstr(e.msg, rows[i].wrong));

		ok(is_told);
		if (!is_told)
			(void)printf("#  %s\n#  have %d %s, want %d %s\n", rows[i].text, have,
				     e.msg, rows[i].want, rows[i].wrong ? rows[i].wrong : "");
	}
}

#define EXPRESSIONS(rows) expression_check(rows, ARRAY_SIZE(rows))

#endif
