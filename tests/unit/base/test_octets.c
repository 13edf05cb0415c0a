/* SPDX-License-Identifier: Apache-2.0 */
/* test_octets.c - bytes as hexadecimal digits, and what is none of them */
#include "base/octets.h"
#include "tests/unit/tap.h"

int main(void)
{
	static const char *const bad[] = { "", "0", "00f", "00ff0", "00ff00", "0g", "00 f",
					   "0x12", "+1-1", "00:ff" };
	const unsigned char bytes[] = { 0x00, 0xff, 0x1a };
	unsigned char back[3] = { 7, 7, 7 };
	char text[10];

	test("two digits each, with a separator between or without");
	octets_format(bytes, 3, '\0', text);
	eq(text, "00ff1a");
	octets_format(bytes, 3, ':', text);
	eq(text, "00:ff:1a");
	octets_format(bytes, 0, ':', text);
	eq(text, "");
	test("they are read in either case");
	ok(octets_parse("00:Ff:1A", ':', back, 3) && memcmp(back, bytes, 3) == 0);
	ok(octets_parse("00ff", '\0', back, 2) && octets_parse("", '\0', back, 0));
	test("nothing else is, and leaves what was there");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(!octets_parse(bad[i], '\0', back, 2));
	ok(!octets_parse("00ff1a", ':', back, 3) && !octets_parse("00:ff:1a:", ':', back, 3));
	ok(memcmp(back, bytes, 3) == 0);
	return tap_end();
}
