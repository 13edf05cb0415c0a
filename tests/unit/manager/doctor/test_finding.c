/* SPDX-License-Identifier: Apache-2.0 */
/* test_finding.c - findings are kept whole and in order */
#include "manager/doctor/finding.h"

#include "tests/unit/tap.h"

#include <stdlib.h>

static void a_list_grows_and_keeps_all(void)
{
	auto_findings struct findings f = { 0 };
	struct finding one = { .check = "x" };
	struct err e;
	size_t bad = 0;

	test("as many findings as there are, in the order they came");
	for (int i = 0; i < 100; i++) {
		(void)snprintf(one.object, sizeof(one.object), "%d", i);
		ok(finding_add(&f, &one, &e) == 0);
	}
	ok(f.n == 100);
	for (int i = 0; i < 100; i++)
		bad += atoi(f.list[i].object) != i;
	ok(bad == 0);
	test("but no more of one check than a person can look at, for files of others make them");
	while (f.n < FINDINGS_MAX && finding_add(&f, &one, &e) == 0)
		;
	ok(f.n == FINDINGS_MAX);
	ok(finding_add(&f, &one, &e) == -1 && f.n == FINDINGS_MAX);
	eq(e.msg, "over 4096 are wrong: mend these before");
}

static void what_is_skipped(void)
{
	auto_findings struct findings f = { 0 };
	struct err e;

	test("a check that is skipped is kept with its reason, as plain text");
	f.at_work = "drift";
	ok(finding_skip(&f, &e, "there is no %s", "/x\033[2J") == 1);
	f.at_work = "multus";
	ok(finding_skip(&f, &e, "nothing") == 1);
	ok(f.n_skipped == 2 && f.n == 0);
	eq(f.skipped[0].check, "drift");
	eq(f.skipped[0].why, "there is no /x?[2J");
	eq(f.skipped[1].check, "multus");
}

static void severities(void)
{
	test("a severity has a word");
	eq(severity_name(SEVERITY_INFO), "info");
	eq(severity_name(SEVERITY_WARNING), "warning");
	eq(severity_name(SEVERITY_ERROR), "error");
}

int main(void)
{
	a_list_grows_and_keeps_all();
	what_is_skipped();
	severities();
	return tap_end();
}
