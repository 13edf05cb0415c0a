/* SPDX-License-Identifier: Apache-2.0 */
/* test_bridge_port.c - the keys bridge and trunk: what they mean, and what is refused */
#include "cni/vf/vf.h"
#include "conf/netconf.h"
#include "tests/unit/tap.h"

static int conf(const char *members, struct netconf *ret, struct err *e)
{
	char text[4096];

	(void)snprintf(text, sizeof(text),
		       "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"device\":\"v\"%s%s}",
		       *members ? "," : "", members);
	if (netconf_parse(text, strlen(text), ret, e) < 0)
		return -1;
	if (netconf_attachment(ret, e) == 0)
		return 0;
	netconf_done(ret);
	return -1;
}

/* "br0 br1", of a configuration that is fine. */
static const char *bridges(const char *members)
{
	static char text[BRIDGES_MAX * 17];
	struct netconf nc = { 0 };
	struct err e = { 0 };

	*text = '\0';
	ok(conf(members, &nc, &e) == 0);
	for (unsigned int i = 0; i < nc.port.bridges; i++) {
		if (i)
			(void)strcat(text, " ");
		(void)strcat(text, nc.port.bridge[i]);
	}
	netconf_done(&nc);
	return text;
}

static void names(void)
{
	test("without bridge and trunk nothing is wanted of a representor");
	eq(bridges(""), "");
	eq(bridges("\"bridge\":\"\",\"trunk\":[]"), "");
	eq(bridges("\"bridge\":null,\"trunk\":null"), "");
	eq(bridges("\"bridge\":[]"), "");
	test("a bridge is one name, names with commas, or a list");
	eq(bridges("\"bridge\":\"cni0\""), "cni0");
	eq(bridges("\"bridge\":\"br1,br2\""), "br1 br2");
	eq(bridges("\"bridge\":\" br1 , br2 \""), "br1 br2");
	eq(bridges("\"bridge\":[\"br1\",\"br2\"]"), "br1 br2");
	eq(bridges("\"Bridge\":\"br1\""), "br1");
	eq(bridges("\"bridge\":\"123456789012345\""), "123456789012345");
}

/* The runs of VLANs in a trunk. */
static const char *trunk(const char *list)
{
	static char text[256];
	struct netconf nc = { 0 };
	struct err e = { 0 };
	unsigned int first = 0, last = 0;
	char members[1024];

	*text = '\0';
	(void)snprintf(members, sizeof(members), "\"trunk\":%s", list);
	ok(conf(members, &nc, &e) == 0 && nc.port.present);
	for (; idset_run(&nc.port.trunk, &first, &last); first = last + 1)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u-%u ", first,
			       last);
	netconf_done(&nc);
	return text;
}

static void trunks(void)
{
	test("a trunk is ids and ranges, in any order and more than once");
	eq(trunk("[{\"id\":42}]"), "42-42 ");
	eq(trunk("[{\"id\":42},{\"minID\":100,\"maxID\":105},{\"id\":198,\"minID\":200,"
		 "\"maxID\":210}]"), "42-42 100-105 198-198 200-210 ");
	eq(trunk("[{\"minID\":1,\"maxID\":4094},{\"id\":7}]"), "1-4094 ");
	eq(trunk("[{\"minID\":9,\"maxID\":9},{\"id\":8}]"), "8-9 ");
	test("its keys are taken whatever their case");
	eq(trunk("[{\"ID\":3},{\"minid\":5,\"MAXID\":6}]"), "3-3 5-6 ");
}

static void bad(void)
{
	static const struct {
		const char *members, *msg;
	} cases[] = {
		{ "\"bridge\":7", "bridge: expected a string, got an integer" },
		{ "\"bridge\":[7]", NULL },
		{ "\"bridge\":\"a/b\"", "invalid bridge 'a/b': must be the name of a bridge" },
		{ "\"bridge\":\"1234567890123456\"", NULL },
		{ "\"bridge\":\"br1,\"", "invalid bridge '': must be the name of a bridge" },
		{ "\"bridge\":\"br1 br2\"",
		  "invalid bridge 'br1 br2': must be names with commas between them" },
		{ "\"bridge\":\"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q\"",
		  "bridge: expected at most 16 names" },
		{ "\"trunk\":{}", "trunk: expected a list, got an object" },
		{ "\"trunk\":[7]", "trunk[0]: expected an object, got an integer" },
		{ "\"trunk\":[{\"id\":1},{}]", "trunk[1]: neither id nor minID and maxID" },
		{ "\"trunk\":[{\"id\":0}]",
		  "trunk[0].id: expected an integer of 1 to 4094, got 0" },
		{ "\"trunk\":[{\"id\":4095}]",
		  "trunk[0].id: expected an integer of 1 to 4094, got 4095" },
		{ "\"trunk\":[{\"id\":\"5\"}]", "trunk[0].id: expected an integer, got a string" },
		{ "\"trunk\":[{\"minID\":5}]", "trunk[0]: minID and maxID belong together" },
		{ "\"trunk\":[{\"maxID\":5}]", "trunk[0]: minID and maxID belong together" },
		{ "\"trunk\":[{\"minID\":6,\"maxID\":5}]", "trunk[0]: minID 6 is above maxID 5" },
		{ "\"bridge\":\"br0\",\"vlan\":5,\"vlanQoS\":1",
		  "vlanQoS: 1: the port of a bridge has none" },
		{ "\"setUplinkVlan\":true,\"vlan\":5",
		  "setUplinkVlan: the VLANs of the uplink are not set here" },
		{ "\"bridge\":\"br0\",\"setUplinkVlan\":\"yes\"", NULL },
		{ "\"trunk\":[{\"id\":1}],\"vlan\":5,\"vlanProto\":\"802.1ad\"",
		  "vlanProto: 802.1ad: on a bridge it is the bridge's own" },
	};
	struct netconf nc = { 0 };
	struct err e = { 0 };

	test("what is no bridge or no trunk is refused, with key and value");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ok(conf(cases[i].members, &nc, &e) == -1 && e.code == ERR_NETCONF);
		if (cases[i].msg)
			eq(e.msg, cases[i].msg);
	}
}

static void vlans(void)
{
	struct netconf nc = { 0 };
	struct vf_state want;
	struct err e = { 0 };

	test("with a bridge or a trunk the VLAN is none of the VF's attributes");
	ok(conf("\"vlan\":5,\"trust\":\"on\"", &nc, &e) == 0);
	vf_want(&nc, NULL, &want);
	ok(want.have == (VF_VLAN | VF_TRUST) && want.vlan == 5);
	netconf_done(&nc);
	ok(conf("\"vlan\":5,\"trust\":\"on\",\"bridge\":\"br0\"", &nc, &e) == 0 && nc.vlan == 5);
	vf_want(&nc, NULL, &want);
	ok(want.have == VF_TRUST);
	netconf_done(&nc);
	ok(conf("\"vlan\":5,\"trunk\":[{\"id\":6}]", &nc, &e) == 0);
	vf_want(&nc, NULL, &want);
	ok(want.have == 0);
	netconf_done(&nc);
}

int main(void)
{
	names();
	trunks();
	bad();
	vlans();
	return tap_end();
}
