/* SPDX-License-Identifier: Apache-2.0 */
/* test_switch_conf.c - the key switch: what it means, and what is refused */
#include "tests/unit/socket_conf.h"

#define VHOST "\"vhostUser\":{\"mode\":\"server\"},"

static void ovs(void)
{
	struct netconf nc = { 0 };
	const struct switch_conf *sw = &nc.socket.sw;

	test("Open vSwitch: only the bridge has to be said");
	good(VHOST "\"switch\":{\"type\":\"ovs\",\"bridge\":\"br-dpdk\"}", &nc);
	ok(sw->kind == SWITCH_OVS && sw->timeout_ms == 5000);
	eq(sw->bridge, "br-dpdk");
	netconf_done(&nc);

	test("in any case of letters");
	good(VHOST "\"Switch\":{\"Type\":\"ovs\",\"Bridge\":\"b\",\"timeoutms\":60000}", &nc);
	ok(sw->timeout_ms == 60000);
	eq(sw->bridge, "b");
	netconf_done(&nc);
}

static void exec(void)
{
	struct netconf nc = { 0 };
	const struct switch_conf *sw = &nc.socket.sw;

	test("a program: only its path has to be said");
	good("\"memif\":{\"role\":\"slave\"},\"switch\":{\"type\":\"exec\",\"path\":\"/opt/p\"}",
	     &nc);
	ok(sw->kind == SWITCH_EXEC && sw->timeout_ms == 10000 && !sw->config);
	eq(sw->path, "/opt/p");
	netconf_done(&nc);

	test("a program is told whatever its config is");
	good(VHOST "\"switch\":{\"type\":\"exec\",\"path\":\"/opt/p\",\"timeoutMs\":1,"
		   "\"config\":[7]}", &nc);
	ok(sw->timeout_ms == 1 && json_array_size(sw->config) == 1);
	netconf_done(&nc);
	good(VHOST "\"switch\":{\"type\":\"exec\",\"path\":\"/opt/p\",\"config\":null}", &nc);
	ok(!sw->config);
	netconf_done(&nc);
}

static void bad(void)
{
#define OVS(members) VHOST "\"switch\":{\"type\":\"ovs\",\"bridge\":\"b\"," members "}"
#define EXEC(members) VHOST "\"switch\":{\"type\":\"exec\"," members "}"
	static const struct refusal cases[] = {
		{ VHOST "\"switch\":\"ovs\"", "switch: want an object, have a string" },
		{ VHOST "\"switch\":{}", "switch.type: '' is neither ovs nor exec" },
		{ VHOST "\"switch\":{\"type\":\"vpp\"}",
		  "switch.type: 'vpp' is neither ovs nor exec" },
		{ VHOST "\"switch\":{\"type\":\"ovs\"}", "switch.bridge: missing" },
		{ VHOST "\"switch\":{\"type\":\"ovs\",\"bridge\":\"a b\"}",
		  "switch.bridge: 'a b' cannot be a bridge's name" },
		{ OVS("\"path\":\"/x\""), "switch.path: not with type ovs" },
		{ OVS("\"config\":{}"), "switch.config: not with type ovs" },
		{ OVS("\"datapath\":\"netdev\""), "switch.datapath: unknown key" },
		{ OVS("\"timeoutMs\":0"), "switch.timeoutMs: 0 is not in 1..60000" },
		{ EXEC("\"timeoutMs\":60001,\"path\":\"/x\""),
		  "switch.timeoutMs: 60001 is not in 1..60000" },
		{ EXEC("\"config\":{}"), "switch.path: missing" },
		{ EXEC("\"path\":\"p\""), "switch.path: 'p' is no absolute path of a program" },
		{ EXEC("\"path\":\"/a/../b\""),
		  "switch.path: '/a/../b' is no absolute path of a program" },
		{ EXEC("\"path\":\"/a/\""), "switch.path: '/a/' is no absolute path of a program" },
		{ EXEC("\"path\":\"/x\",\"bridge\":\"b\""), "switch.bridge: not with type exec" },
		{ EXEC("\"path\":\"/x\",\"args\":[]"), "switch.args: unknown key" },
	};

	test("a switch that is none, or says what its type has not, is refused with key and value");
	refuse(cases, ARRAY_SIZE(cases));
}

int main(void)
{
	ovs();
	exec();
	bad();
	return tap_end();
}
