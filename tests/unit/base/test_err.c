/* SPDX-License-Identifier: Apache-2.0 */
/* test_err.c - what an error says, and where it is from */
#include "base/err.h"
#include "tests/unit/tap.h"

#include <errno.h>

static void errors(void)
{
	char text[600];
	struct err e, other;

	test("an error carries code, errno, message and the errno's words");
	ok(err_set(&e, ERR_IO, ENOENT, "open '%s'", "/x") == -1);
	ok(e.code == ERR_IO && e.sys == ENOENT);
	eq(e.msg, "open '/x'");
	eq(e.details, "No such file or directory");

	test("an error without errno has no details");
	(void)err_set(&e, ERR_NETCONF, 0, "vlan: 5000");
	eq(e.details, "");

	test("wrapping puts what was done before the message and keeps the rest");
	(void)err_set(&e, ERR_DEVICE, ENODEV, "inner");
	ok(err_wrap(&e, "outer %d", 1) == -1);
	eq(e.msg, "outer 1: inner");
	ok(e.code == ERR_DEVICE && e.sys == ENODEV);

	test("details are appended with a semicolon, and stand alone when they are the first");
	(void)err_set(&e, ERR_IO, 0, "m");
	ok(err_detail(&e, "one") == -1);
	eq(e.details, "one");
	(void)err_detail(&e, "two");
	eq(e.details, "one; two");

	test("what is for the log alone is in no other text, and stays when wrapped or joined");
	(void)err_set(&e, ERR_IO, 0, "m");
	ok(err_private(&e, "of %s", "one") == -1);
	ok(err_private(&e, "of two") == -1);
	(void)err_wrap(&e, "outer");
	eq(e.msg, "outer: m");
	eq(e.details, "");
	eq(e.private, "of one; of two");
	other = e;
	err_join(&other, &e);
	eq(other.private, "of one; of two; of one; of two");
	eq(other.details, "and outer: m");

	test("a whole error is hidden: its code and the kernel's words stay");
	(void)err_set(&e, ERR_IO, ENOENT, "open 'x'");
	(void)err_private(&e, "of one");
	ok(err_hide(&e, "look at %d", 7) == -1);
	ok(e.code == ERR_IO && e.sys == ENOENT);
	eq(e.msg, "look at 7");
	eq(e.details, "No such file or directory");
	eq(e.private, "open 'x': No such file or directory; of one");

	test("an error may be set from its own text");
	(void)err_set(&e, ERR_IO, 0, "inner");
	(void)err_set(&e, ERR_DEVICE, 0, "again: %s", e.msg);
	eq(e.msg, "again: inner");

	test("texts that are too long are cut, never overrun");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)err_set(&e, ERR_IO, 0, "%s", text);
	ok(strlen(e.msg) == sizeof(e.msg) - 1);
	(void)err_wrap(&e, "%s", text);
	ok(strlen(e.msg) == sizeof(e.msg) - 1);
	(void)err_wrap(&e, "head");
	ok(strncmp(e.msg, "head: xxx", 9) == 0 && strlen(e.msg) == sizeof(e.msg) - 1);
	for (int i = 0; i < 3; i++)
		(void)err_detail(&e, "%s", text);
	ok(strlen(e.details) == sizeof(e.details) - 1);
	(void)err_hide(&e, "%s", text);
	ok(strlen(e.msg) == sizeof(e.msg) - 1 && strlen(e.private) == sizeof(e.private) - 1);
}

int main(void)
{
	errors();
	return tap_end();
}
