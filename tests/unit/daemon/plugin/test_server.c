/* SPDX-License-Identifier: Apache-2.0 */
/* test_server.c - the socket of a resource: its name, and what is done where it cannot be made */
#include "daemon/plugin/plugin_part.h"

#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>

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

static void test_open(void)
{
	struct fake_node node;
	struct plugin p = { .dir = "/plugins" };
	struct resource s = { .plugin = &p, .fd = -1, .socket = "devinfo-a.sock" };
	struct err e = { 0 };

	node_open(NULL, &node);
	p.host = &node.host;
	p.loop = loop_new(&e);
	test("without a directory there is no server, which is no error");
	eqi(server_open(&s, &e), 0);
	test("what is in the way and cannot be removed is one");
	node_sh(&node, "mkdir -p plugins/devinfo-a.sock");
	eqi(server_open(&s, &e), -1);
	eq(e.msg, "remove 'devinfo-a.sock'");
	ok(s.fd < 0 && !server_is_there(&s));
	test("a file is removed, and the server is there as long as its socket");
	node_sh(&node, "rmdir plugins/devinfo-a.sock && touch plugins/devinfo-a.sock");
	eqi(server_open(&s, &e), 1);
	ok(server_is_there(&s));
	ok(node_holds(&node, "$(stat -c %a plugins/devinfo-a.sock) = 600"));
	eqi(server_open(&s, &e), 1);
	test("another's socket is not removed at the end");
	node_sh(&node, "rm plugins/devinfo-a.sock && touch plugins/devinfo-a.sock");
	ok(!server_is_there(&s));
	server_close(&s);
	ok(node_holds(&node, "-e plugins/devinfo-a.sock"));
	loop_free(p.loop);
	node_close(&node);
}

int main(void)
{
	test_names();
	test_open();
	return tap_end();
}
