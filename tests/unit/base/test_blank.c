/* SPDX-License-Identifier: Apache-2.0 */
/* test_blank.c - blanks are those of Unicode, and are cut off both ends of a text */
#include "base/blank.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

static void trims(const char *text, const char *want)
{
	char copy[64];

	(void)snprintf(copy, sizeof(copy), "%s", text);
	eq(blank_trim(copy), want);
}

int main(void)
{
	test("blanks of any length are cut off both ends, and stay inside");
	trims("", "");
	trims(" \t\n\v\f\r", "");
	trims(" a b ", "a b");
	trims("\xc2\x85\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000x\u3000y\u2003\r",
	      "x\u3000y");
	test("what Unicode does not call white space stays, and so does half a character");
	trims("\u200bx\ufeff", "\u200bx\ufeff");
	trims("\x85x\xa0", "\x85x\xa0");
	trims("\xc2", "\xc2");
	trims("\xe2\x80", "\xe2\x80");
	test("the length of a blank is that of its UTF-8");
	eqi(blank_length(""), 0);
	eqi(blank_length("x"), 0);
	eqi(blank_length("\tx"), 1);
	eqi(blank_length("\u00a0x"), 2);
	eqi(blank_length("\u2003x"), 3);
	return tap_end();
}
