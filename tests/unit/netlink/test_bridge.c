/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bridge.c - VLANs of bridge ports: sets, messages, and a port's state in a record
 *
 * What we compose is compared with what iproute2's bridge sent, what we parse is what a kernel
 * 6.12 answered it, with the attributes in between left out.  No kernel and no root.
 */
#include "devinfo/journal/record.h"
#include "netlink/bridge.h"
#include "tests/unit/hex.h"
#include "tests/unit/tap.h"

#include <libmnl/libmnl.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

/* bridge vlan add dev eth3 vid 100 pvid untagged; add vid 200-210; del vid 1; show */
static const char add_pvid[] = "2c0000001300050079ed016b000000000700000005000000000000000000000"
			       "00c001a000800020006006400";
static const char add_range[] = "340000001300050079ed016b00000000070000000500000000000000000000"
				"0014001a00080002000800c800080002001000d200";
static const char del_one[] = "2c000000110005007aed016b00000000070000000500000000000000000000000"
			      "c001a000800020000000100";
static const char show[] = "28000000120001037aed016b000000000700000000000000000000000000000008001"
			   "d0002000000";
static const char answer[] =
	"a8000000100002007aed016bfb00000007000100050000000200000000000000090003006574683300000000"
	"08000a000700000008000400dc0500000500100002000000"
	"64001a000800020006006400"
	"08000200" "0000c800" "08000200" "0000c900" "08000200" "0000ca00" "08000200" "0000cb00"
	"08000200" "0000cc00" "08000200" "0000cd00" "08000200" "0000ce00" "08000200" "0000cf00"
	"08000200" "0000d000" "08000200" "0000d100" "08000200" "0000d200";

static struct bridge_vlans vlans(unsigned int pvid, unsigned int first, unsigned int last)
{
	struct bridge_vlans v = { .pvid = (uint16_t)pvid };

	if (pvid) {
		idset_add(&v.all, pvid);
		idset_add(&v.untagged, pvid);
	}
	for (; first && first <= last; first++)
		idset_add(&v.all, first);
	return v;
}

static void sets(void)
{
	struct idset s = { { 0 } };
	unsigned int first = 0, last = 0;

	test("an empty set has no run");
	ok(idset_empty(&s) && !idset_run(&s, &first, &last) && first == 0);
	test("numbers from 0 to 4095 are in it or not, others never");
	idset_add(&s, 0);
	idset_add(&s, 4095);
	idset_add(&s, 4096);
	ok(idset_has(&s, 0) && idset_has(&s, 4095) && !idset_has(&s, 4096) && !idset_has(&s, 1));
	test("its runs are found in order");
	idset_add(&s, 1);
	idset_add(&s, 4094);
	idset_remove(&s, 4096);
	ok(idset_run(&s, &first, &last) && first == 0 && last == 1);
	first = 2;
	ok(idset_run(&s, &first, &last) && first == 4094 && last == 4095);
	first = 4096;
	ok(!idset_run(&s, &first, &last));
	idset_remove(&s, 0);
	ok(!idset_has(&s, 0) && idset_has(&s, 1));
}

/* As iproute2's, but that it leaves the flag of nested attributes out. */
static bool same_vlans(struct nl_req *r, const char *hex)
{
	struct nlattr *spec = mnl_nlmsg_get_payload_offset(&r->h, sizeof(struct ifinfomsg));

	spec->nla_type &= (uint16_t)~NLA_F_NESTED;
	return same_request(r, hex);
}

static void composing(void)
{
	static const uint32_t master[] = { 7, 0 };
	struct bridge_run run[2] = { { 100, 100, BRIDGE_VLAN_INFO_PVID |
				       BRIDGE_VLAN_INFO_UNTAGGED }, { 200, 210, 0 } };
	struct bridge_run most[BRIDGE_RUNS_MAX];
	struct nl_req r;

	test("a VLAN is set, and removed, as iproute2 does it");
	bridge_compose_vlans(&r, RTM_SETLINK, 5, run, 1);
	ok(same_vlans(&r, add_pvid));
	bridge_compose_vlans(&r, RTM_DELLINK, 5, &(struct bridge_run){ 1, 1, 0 }, 1);
	ok(same_vlans(&r, del_one));
	test("so is a range");
	bridge_compose_vlans(&r, RTM_SETLINK, 5, run + 1, 1);
	ok(same_vlans(&r, add_range));
	test("as many ranges as a message may have fit into one");
	for (unsigned int i = 0; i < BRIDGE_RUNS_MAX; i++)
		most[i] = run[1];
	bridge_compose_vlans(&r, RTM_SETLINK, 5, most, BRIDGE_RUNS_MAX);
	ok(!r.full);
	test("VLANs are asked for as iproute2 does, but compressed");
	bridge_compose_get_vlans(&r);
	ok(r.buf[r.h.nlmsg_len - 4] == RTEXT_FILTER_BRVLAN_COMPRESSED);
	r.buf[r.h.nlmsg_len - 4] = RTEXT_FILTER_BRVLAN;
	ok(same_request(&r, show));
	test("a master is an interface number, and none is 0");
	for (int i = 0; i < 2; i++) {
		const struct nlattr *tb[IFLA_MASTER + 1];

		bridge_compose_master(&r, 5, (int)master[i]);
		nl_attrs(r.buf + 32, r.h.nlmsg_len - 32, tb, IFLA_MASTER);
		ok(r.h.nlmsg_type == RTM_SETLINK && r.h.nlmsg_len == 40);
		ok(tb[IFLA_MASTER] && mnl_attr_get_u32(tb[IFLA_MASTER]) == master[i]);
	}
}

static void parsing(void)
{
	struct message m = message_of(answer);
	struct bridge_vlans have = { .pvid = 9 }, want = vlans(100, 200, 210);
	char text[BRIDGE_VLANS_TEXT];

	test("the VLANs of a port are read with their flags");
	ok(bridge_parse_vlans(&m.h, 5, &have) && bridge_vlans_equal(&have, &want));
	eq(bridge_vlans_format(&have, text), "100 pvid untagged, 200-210");
	test("another port's are not");
	have.pvid = 9;
	ok(!bridge_parse_vlans(&m.h, 6, &have) && have.pvid == 9);
	m.h.nlmsg_type = RTM_DELLINK;
	ok(!bridge_parse_vlans(&m.h, 5, &have));
	m = message_of(answer);
	m.buf[16] = AF_UNSPEC;
	ok(!bridge_parse_vlans(&m.h, 5, &have));

	test("a message cut at any byte is refused");
	m = message_of(answer);
	for (uint32_t len = 16; len < 168; len++) {
		m.h.nlmsg_len = len;
		ok(!bridge_parse_vlans(&m.h, 5, &have));
	}
}

/* An answer with such VLAN_INFO, and perhaps the flags of another switch. */
static struct bridge_vlans read_infos(const struct bridge_vlan_info *info, size_t n,
				      uint16_t flags, bool *found)
{
	struct bridge_vlans v = { .pvid = 0 };
	struct ifinfomsg *ifi;
	struct nlattr *spec;
	struct nl_req r;

	ifi = nl_req_init(&r, RTM_NEWLINK, 0, sizeof(*ifi));
	ifi->ifi_family = AF_BRIDGE;
	ifi->ifi_index = 5;
	spec = nl_nest(&r, IFLA_AF_SPEC);
	if (flags)
		nl_put(&r, IFLA_BRIDGE_FLAGS, &flags, sizeof(flags));
	for (size_t i = 0; i < n; i++)
		nl_put(&r, IFLA_BRIDGE_VLAN_INFO, &info[i], sizeof(info[i]));
	nl_nest_end(&r, spec);
	*found = bridge_parse_vlans(&r.h, 5, &v);
	return v;
}

static void ranges(void)
{
	enum { U = BRIDGE_VLAN_INFO_UNTAGGED, B = BRIDGE_VLAN_INFO_RANGE_BEGIN,
	       E = BRIDGE_VLAN_INFO_RANGE_END, P = BRIDGE_VLAN_INFO_PVID };
	const struct bridge_vlan_info good[] = { { 0, 7 }, { U | B, 10 }, { U | E, 12 },
						 { B, 4000 }, { E, 4094 } };
	const struct bridge_vlan_info bad[] = { { E, 5 }, { B, 100 }, { B, 200 }, { E, 150 },
						{ B, 60000 }, { E, 65535 }, { P | U, 65535 } };
	struct bridge_vlans v;
	char text[BRIDGE_VLANS_TEXT];
	bool found;

	test("compressed ranges are read");
	v = read_infos(good, ARRAY_SIZE(good), 0, &found);
	ok(found);
	eq(bridge_vlans_format(&v, text), "7, 10-12 untagged, 4000-4094");
	test("ranges without begin or end, backwards, and beyond any VLAN do no harm");
	v = read_infos(bad, ARRAY_SIZE(bad), 0, &found);
	ok(found);
	eq(bridge_vlans_format(&v, text), "5");
	test("what the card's own switch says of the port is not the bridge's");
	(void)read_infos(good, 1, BRIDGE_FLAGS_SELF, &found);
	ok(!found);
	(void)read_infos(good, 1, BRIDGE_FLAGS_MASTER, &found);
	ok(found);
}

static void texts(void)
{
	struct bridge_vlans v = vlans(0, 0, 0);
	char text[BRIDGE_VLANS_TEXT];

	test("no VLANs have a text");
	eq(bridge_vlans_format(&v, text), "none");
	test("neighbours with other flags are told apart");
	v = vlans(2, 1, 3);
	eq(bridge_vlans_format(&v, text), "1, 2 pvid untagged, 3");
	test("many are cut off, and say so");
	for (unsigned int id = 1001; id < 4000; id += 2)
		idset_add(&v.all, id);
	(void)bridge_vlans_format(&v, text);
	ok(strlen(text) < sizeof(text) && strlen(text) > 60);
	eq(text + strlen(text) - 5, ", ...");
	test("sets are equal when VLANs, tags and PVID are");
	v = vlans(2, 1, 3);
	ok(bridge_vlans_equal(&v, &v));
	for (int i = 0; i < 3; i++) {
		struct bridge_vlans other = vlans(2, 1, i == 0 ? 4 : 3);

		if (i == 1)
			idset_add(&other.untagged, 1);
		if (i == 2)
			other.pvid = 0;
		ok(!bridge_vlans_equal(&v, &other));
	}
}

static void put_bridge(struct nl_req *r, const char *kind, uint8_t filtering)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_NEWLINK, 0, sizeof(*ifi));
	struct nlattr *info, *data;

	ifi->ifi_index = 7;
	nl_put(r, IFLA_IFNAME, "br0", 4);
	info = nl_nest(r, IFLA_LINKINFO);
	nl_put(r, IFLA_INFO_KIND, kind, strlen(kind) + 1);
	data = nl_nest(r, IFLA_INFO_DATA);
	nl_put(r, IFLA_BR_VLAN_FILTERING, &filtering, 1);
	nl_nest_end(r, data);
	nl_nest_end(r, info);
}

static void bridges(void)
{
	struct bridge b = { 0 };
	struct nl_req r;

	test("a bridge is known, and whether it filters VLANs");
	put_bridge(&r, "bridge", 1);
	ok(bridge_parse(&r.h, &b) && b.is_bridge && b.vlan_filtering && b.ifindex == 7);
	eq(b.name, "br0");
	put_bridge(&r, "bridge", 0);
	ok(bridge_parse(&r.h, &b) && b.is_bridge && !b.vlan_filtering);
	test("another kind of interface is none, whatever its data mean");
	put_bridge(&r, "bond", 1);
	ok(bridge_parse(&r.h, &b) && !b.is_bridge && !b.vlan_filtering);
	test("a message cut at any byte is read as far as it goes or refused");
	put_bridge(&r, "bridge", 1);
	for (uint32_t len = r.h.nlmsg_len - 1; len >= 16; len--) {
		r.h.nlmsg_len = len;
		ok(!bridge_parse(&r.h, &b) || !b.vlan_filtering);
	}
}

/* -- in a record -- */

static bool kept(const struct port_state *s, struct port_state *back)
{
	json_auto_t *o = field_write(&port_state_fields, s, json_object());
	struct err e;

	*back = (struct port_state){ .present = false };
	return o && field_read(&port_state_fields, o, "representor", back, &e) == 0;
}

static void records(void)
{
	struct port_state s = {
		.present = true, .name = "eth3", .ifindex = 5, .master = 7, .mtu = 1500,
		.up = true, .vlans = vlans(1, 4000, 4095), .bridge = 8, .vlans_set = true,
		.mtu_set = true, .up_set = true, .master_name = "br1", .bridge_name = "br0",
	}, back;

	test("all of a representor's state comes back from a record");
	ok(kept(&s, &back));
	ok(back.ifindex == 5 && back.master == 7 && back.mtu == 1500 && back.up);
	ok(bridge_vlans_equal(&back.vlans, &s.vlans));
	ok(back.bridge == 8 && back.vlans_set && back.mtu_set && back.up_set);
	eq(back.name, "eth3");
	eq(back.master_name, "br1");
	eq(back.bridge_name, "br0");
	for (unsigned int id = 2; id < 4000; id += 2)
		idset_add(&s.vlans.all, id);
	ok(kept(&s, &back) && bridge_vlans_equal(&back.vlans, &s.vlans));
}

static void of_attachments(void)
{
	auto_record struct record r = { 0 };
	struct record w = {
		.owner = { .network = "n", .container_id = "c", .ifname = "net1", .netns = "/n" },
		.boot_id = "b",
		.device = "mlx5_core.sf.1000",
		.sf_numbered = true,
		.sf_number = 4000000000,
		.devinfo_dir = "/d",
		.run_dir = "/r",
		.port = { .present = true, .name = "eth3", .ifindex = 5, .bridge = 8 },
	};
	struct err e;

	test("an attachment's record has it, under the name of an auxiliary device as well");
	r.doc = record_to_json(&w);
	ok(r.doc && record_from_json(&r, &e) == 0);
	ok(r.port.present && r.port.ifindex == 5 && r.port.bridge == 8);
	eq(r.device, "mlx5_core.sf.1000");
	ok(r.sf_numbered && r.sf_number == 4000000000);
	test("and a record without one has none");
	w.port.present = w.sf_numbered = false;
	record_done(&r);
	r.doc = record_to_json(&w);
	ok(r.doc && record_from_json(&r, &e) == 0 && !r.port.present && !r.sf_numbered);
	test("one that cannot be right makes the record unreadable");
	(void)json_object_set_new(r.doc, "representor", json_pack("{s:s}", "name", "eth3"));
	ok(record_from_json(&r, &e) == -1);
}

static void damaged_records(void)
{
	static const char *const bad[] = {
		"{}", "{\"name\":\"eth3\"}", "{\"name\":\"a/b\",\"ifindex\":5}",
		"{\"name\":\"eth3\",\"ifindex\":0}", "{\"name\":\"eth3\",\"ifindex\":-1}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"vlans\":[5,4]}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"vlans\":[1,4096]}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"vlans\":[-1,4]}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"untagged\":[1,4,3,9]}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"vlans\":{}}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"pvid\":4096}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"mtu\":\"x\"}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"masterName\":\"a/b\"}",
		"{\"name\":\"eth3\",\"ifindex\":5,\"bridgeName\":\"longer than a name\"}",
	};
	struct err e;

	test("a damaged state is refused, and the member named");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json_auto_t *o = json_loads(bad[i], 0, NULL);
		struct port_state s = { .present = false };

		ok(o && field_read(&port_state_fields, o, "representor", &s, &e) == -1);
		ok(e.code == ERR_DECODE && strncmp(e.msg, "representor.", 12) == 0);
	}
}

int main(void)
{
	sets();
	composing();
	parsing();
	ranges();
	texts();
	bridges();
	records();
	of_attachments();
	damaged_records();
	return tap_end();
}
