/* SPDX-License-Identifier: Apache-2.0 */
/* test_names.c - vendors and devices by a PCI ID list */
#include "manager/inventory/read.h"

#include "tests/unit/tap.h"

#include <string.h>

static const char list[] =
	"# a list\n"
	"\n"
	"8086  Intel Corporation\n"
	"\t1520  I350 Virtual Function\n"
	"# a remark\n"
	"\t1521  I350 Gigabit\tConnection\n"
	"\t\t8086 1572  A subsystem\n"
	"\t\t15b3 0001  Another\n"
	"\t15FF Capitals\n"
	"15b3  Mellanox Technologies\n"
	"\t1018  ConnectX-5\n"
	"15b30  No ID\n"
	"1af4  The last one, whose line has no end";

static struct inv_function f;

static void find(const char *in, const char *vendor, const char *device)
{
	memset(&f, 0, sizeof(f));
	names_find(in, vendor, device, &f);
}

static void test_found(void)
{
	test("a device is named, and its vendor");
	find(list, "8086", "1520");
	eq(f.vendor_name, "Intel Corporation");
	eq(f.device_name, "I350 Virtual Function");
	find(list, "8086", "1521");
	eq(f.device_name, "I350 Gigabit\tConnection");
	find(list, "8086", "15ff");
	eq(f.device_name, "Capitals");
	find(list, "15b3", "1018");
	eq(f.vendor_name, "Mellanox Technologies");
	eq(f.device_name, "ConnectX-5");
}

static void test_absent(void)
{
	test("a device that the list does not have of this vendor has no name");
	find(list, "8086", "1018");
	eq(f.vendor_name, "Intel Corporation");
	eq(f.device_name, "");
	find(list, "8086", "1572");
	eq(f.device_name, "");
	find(list, "1af4", "1000");
	eq(f.vendor_name, "The last one, whose line has no end");
	eq(f.device_name, "");
	test("nor has one of another vendor, or without an ID");
	find(list, "ffff", "1520");
	eq(f.vendor_name, "");
	eq(f.device_name, "");
	find(list, "", "");
	eq(f.vendor_name, "");
	find("", "8086", "1520");
	eq(f.vendor_name, "");
	test("nothing is read behind the end of a list that ends within an ID");
	find("8086  Intel\n\t15\0\0 beyond", "8086", "15");
	eq(f.vendor_name, "Intel");
	eq(f.device_name, "");
}

static void test_long(void)
{
	char text[1100], name[501];

	test("a name that is too long is cut");
	memset(name, 'x', 500);
	name[500] = '\0';
	(void)snprintf(text, sizeof(text), "8086  %s\n\t1520  %s\n", name, name);
	find(text, "8086", "1520");
	eqi(strlen(f.vendor_name), sizeof(f.vendor_name) - 1);
	eqi(strlen(f.device_name), sizeof(f.device_name) - 1);
}

int main(void)
{
	test_found();
	test_absent();
	test_long();
	return tap_end();
}
