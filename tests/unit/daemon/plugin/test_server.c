/* SPDX-License-Identifier: Apache-2.0 */
/* test_server.c - the name of a resource's socket */
#include "daemon/plugin/plugin_part.h"

#include "tests/unit/tap.h"

enum { DIR_LEN = 31 };			/* "/var/lib/kubelet/device-plugins" */

static const char *name_of(const char *resource, size_t dir_len)
{
	static char name[96];

	server_name(resource, dir_len, name);
	return name;
}

static void test_names(void)
{
	char resource[OFFER_RESOURCE], other[96];

	test("a socket is called after its resource");
	eq(name_of("intel.com/sriov_net-1", DIR_LEN), "devinfo-intel.com_sriov_net-1.sock");
	test("two resources have two names");
	(void)snprintf(other, sizeof(other), "%s", name_of("a_b/c", DIR_LEN));
	ok(strcmp(other, name_of("a/b_c", DIR_LEN)) != 0);

	test("a name that does not fit into a path is short, and another one for each resource");
	(void)snprintf(resource, sizeof(resource), "example.com/%060d", 1);
	(void)snprintf(other, sizeof(other), "%s", name_of(resource, DIR_LEN));
	(void)snprintf(resource, sizeof(resource), "example.com/%060d", 2);
	ok(strcmp(other, name_of(resource, DIR_LEN)) != 0);
	eqi(strlen(other), strlen("devinfo-0123456789abcdef.sock"));
	begins(other, "devinfo-");
	test("it depends on the directory what fits");
	eq(name_of("intel.com/sriov", 107 - 28 - 1), "devinfo-intel.com_sriov.sock");
	ok(strcmp(name_of("intel.com/sriov", 107 - 28), "devinfo-intel.com_sriov.sock") != 0);
}

int main(void)
{
	test_names();
	return tap_end();
}
