/* SPDX-License-Identifier: Apache-2.0 */
/* test_cdi_name.c - what the Container Device Interface calls a resource and its devices */
#include "daemon/plugin/cdi_name.h"

#include "tests/unit/tap.h"

int main(void)
{
	char kind[CDI_KIND_SIZE], name[CDI_NAME_SIZE], file[256], other[256], resource[320];

	test("a resource has a kind, and its devices their names");
	cdi_kind("intel.com/sriov_net", kind);
	eq(kind, "intel.com/net-sriov_net");
	cdi_device_name("intel.com/sriov_net", "0000:01:10.0", name);
	eq(name, "intel.com/net-sriov_net=0000:01:10.0");
	test("a vendor begins with a letter");
	cdi_kind("6wind.com/1", kind);
	eq(kind, "v6wind.com/net-1");
	test("a file is called after the kind");
	cdi_file_name("intel.com/sriov_net", file);
	eq(file, "devinfod-intel.com_net-sriov_net.json");
	test("of long names each has a file of its own, with the suffix");
	memset(resource, 'a', 251);
	resource[100] = '/';
	resource[251] = '\0';
	cdi_file_name(resource, file);
	resource[250] = 'b';
	cdi_file_name(resource, other);
	ok(strcmp(file, other) != 0);
	ok(strlen(file) < 255 && strcmp(file + strlen(file) - 5, ".json") == 0);
	begins(file, "devinfod-aaaa");
	return tap_end();
}
