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

static void representor(void)
{
	struct netconf nc = { 0 };
	const struct switch_conf *sw = &nc.socket.sw;

	test("without a socket the switch is the representor's, and no bridge need be named");
	good("\"switch\":{\"type\":\"ovs\"}", &nc);
	ok(sw->kind == SWITCH_OVS && sw->netdev && !sw->bridge && sw->timeout_ms == 5000);
	ok(nc.socket.kind == SOCKET_NONE && nc.position == POSITION_OWNER);
	netconf_done(&nc);

	test("vlan and trunk are its port's then, not the VF's, nor a bridge's of the kernel");
	good("\"switch\":{\"type\":\"ovs\",\"bridge\":\"br-int\"},\"vlan\":7,"
	     "\"trunk\":[{\"id\":9}]", &nc);
	eq(sw->bridge, "br-int");
	ok(netconf_has_port(&nc) && !nc.port.present && nc.vlan == 7 &&
	   idset_has(&nc.port.trunk, 9));
	netconf_done(&nc);
	good("\"trunk\":[{\"id\":9}]", &nc);
	ok(netconf_has_port(&nc) && nc.port.present);
	netconf_done(&nc);
	good("\"vlan\":7", &nc);
	ok(!netconf_has_port(&nc));
	netconf_done(&nc);
	good(VHOST "\"switch\":{\"type\":\"ovs\",\"bridge\":\"b\"}", &nc);
	ok(!netconf_has_port(&nc) && !sw->netdev);
	netconf_done(&nc);

	test("also behind other plugins, and around them");
	good("\"switch\":{\"type\":\"ovs\"},\"prevResult\":{}", &nc);
	ok(nc.position == POSITION_CHAINED && sw->netdev);
	netconf_done(&nc);
	good("\"switch\":{\"type\":\"ovs\"},\"delegate\":{\"type\":\"x\"}", &nc);
	ok(nc.position == POSITION_META && sw->netdev);
	netconf_done(&nc);
}

static void bad(void)
{
#define OVS(members) VHOST "\"switch\":{\"type\":\"ovs\",\"bridge\":\"b\"," members "}"
#define EXEC(members) VHOST "\"switch\":{\"type\":\"exec\"," members "}"
#define REP "\"switch\":{\"type\":\"ovs\""
	static const struct refusal cases[] = {
		{ VHOST "\"switch\":\"ovs\"", "switch: expected an object, got a string" },
		{ VHOST "\"switch\":{}", "switch.type: missing: must be ovs or exec" },
		{ VHOST "\"switch\":{\"type\":\"vpp\"}",
		  "invalid switch.type 'vpp': must be ovs or exec" },
		{ VHOST "\"switch\":{\"type\":\"ovs\"}", "switch.bridge: missing" },
		{ VHOST "\"switch\":{\"type\":\"ovs\",\"bridge\":\"a b\"}",
		  "invalid switch.bridge 'a b': must be the name of a bridge" },
		{ OVS("\"path\":\"/x\""), "switch.path: not with type ovs" },
		{ OVS("\"config\":{}"), "switch.config: not with type ovs" },
		{ OVS("\"datapath\":\"netdev\""), "switch.datapath: unknown key" },
		{ OVS("\"timeoutMs\":0"),
		  "switch.timeoutMs: expected an integer of 1 to 60000, got 0" },
		{ EXEC("\"timeoutMs\":60001,\"path\":\"/x\""),
		  "switch.timeoutMs: expected an integer of 1 to 60000, got 60001" },
		{ EXEC("\"config\":{}"), "switch.path: missing" },
		{ EXEC("\"path\":\"p\""),
		  "invalid switch.path 'p': must be an absolute path of a program" },
		{ EXEC("\"path\":\"/a/../b\""),
		  "invalid switch.path '/a/../b': must be an absolute path of a program" },
		{ EXEC("\"path\":\"/a/\""),
		  "invalid switch.path '/a/': must be an absolute path of a program" },
		{ EXEC("\"path\":\"/x\",\"bridge\":\"b\""), "switch.bridge: not with type exec" },
		{ EXEC("\"path\":\"/x\",\"args\":[]"), "switch.args: unknown key" },
		{ "\"switch\":{\"type\":\"exec\",\"path\":\"/x\"}",
		  "switch.type exec: needs vhostUser or memif, be it empty" },
		{ REP "},\"bridge\":\"br0\"",
		  "bridge: not together with switch, whose bridge is switch.bridge" },
		{ REP "},\"vlan\":7,\"vlanQoS\":1", "vlanQoS: 1: the port of a bridge has none" },
		{ REP "},\"vlan\":7,\"vlanProto\":\"802.1ad\"",
		  "vlanProto: 802.1ad: on a bridge it is the bridge's own" },
		{ REP ",\"path\":\"/x\"}", "switch.path: not with type ovs" },
		{ REP ",\"bridge\":\"a/b\"}",
		  "invalid switch.bridge 'a/b': must be the name of a bridge" },
	};

	test("a switch that is none, or says what its type has not, is refused with key and value");
	refuse(cases, ARRAY_SIZE(cases));
}

int main(void)
{
	ovs();
	exec();
	representor();
	bad();
	return tap_end();
}
