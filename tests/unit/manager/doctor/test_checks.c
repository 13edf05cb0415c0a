/* SPDX-License-Identifier: Apache-2.0 */
/* test_checks.c - the tables of checks are sound */
#include "manager/doctor/checks.h"

#include "tests/unit/tap.h"

static void the_tables(void)
{
	test("each check has a name of its own, words and a function");
	for (size_t i = 0; check_at(i); i++) {
		const struct check *c = check_at(i);

		ok(*c->about && c->run);
		for (size_t k = 0; k < i; k++)
			if (strcmp(c->name, check_at(k)->name) == 0)
				eq(c->name, "a name of its own");
	}
}

int main(void)
{
	the_tables();
	return tap_end();
}
