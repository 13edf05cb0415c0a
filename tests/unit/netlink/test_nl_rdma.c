/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_nl_rdma.c - the bytes of NETLINK_RDMA and of GUIDs, sent and received; no kernel and no
 * root
 *
 * Written out byte by byte after rdma/rdma_netlink.h, linux/if_link.h and what iproute2's "rdma"
 * and "ip" send: no library that decodes them is at hand.
 *
 * With arguments (tests/lab/rdma.bats): a Soft-RoCE device, the mode that the kernel is in, and a
 * namespace in which that device is not; then the kernel is asked, and nothing else is tested.
 */
#include "base/guid.h"
#include "base/mem.h"
#include "netlink/link.h"
#include "netlink/nl_rdma.h"
#include "netlink/sriov.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <rdma/rdma_netlink.h>

/* -- helpers -- */

struct expected {
	size_t len;
	uint8_t bytes[256];
};

static void add(struct expected *x, const void *data, size_t len)
{
	memcpy(x->bytes + x->len, data, len);
	x->len += len;
}

static void add16(struct expected *x, uint16_t n)
{
	add(x, &n, sizeof(n));
}

static void add32(struct expected *x, uint32_t n)
{
	add(x, &n, sizeof(n));
}

/* Length, type, flags, sequence number and port of a request that was not sent. */
static void add_header(struct expected *x, uint32_t len, uint16_t type)
{
	add32(x, len);
	add16(x, type);
	add16(x, 1);		/* NLM_F_REQUEST */
	add32(x, 0);
	add32(x, 0);
}

static bool is(const struct nl_req *r, const struct expected *x)
{
	return !r->full && r->h.nlmsg_len == x->len && memcmp(r->buf, x->bytes, x->len) == 0;
}

/* -- what we send -- */

static void composing(void)
{
	char name[RDMA_NAME_MAX + 1];
	struct expected mode = { 0 }, list = { 0 }, move = { 0 }, ren = { 0 };
	struct nl_req r;

	test("the question for the mode is a bare header");
	add_header(&mode, 16, 5 << 10 | 6);
	rdma_compose_mode(&r);
	ok(is(&r, &mode));

	test("so is that for the devices");
	add_header(&list, 16, 5 << 10 | 1);
	rdma_compose_list(&r);
	ok(is(&r, &list));

	test("a move has the device's index and the namespace's descriptor");
	add_header(&move, 32, 5 << 10 | 2);
	add16(&move, 8);
	add16(&move, 1);	/* RDMA_NLDEV_ATTR_DEV_INDEX */
	add32(&move, 0x01020304);
	add16(&move, 8);
	add16(&move, 68);	/* RDMA_NLDEV_NET_NS_FD */
	add32(&move, 42);
	rdma_compose_move(&r, 0x01020304, 42);
	ok(is(&r, &move));

	test("a new name goes with its end, padded to four bytes");
	add_header(&ren, 36, 5 << 10 | 2);
	add16(&ren, 8);
	add16(&ren, 1);
	add32(&ren, 7);
	add16(&ren, 4 + 7);
	add16(&ren, 2);		/* RDMA_NLDEV_ATTR_DEV_NAME */
	add(&ren, "mlx5_2\0", 8);
	ok(rdma_compose_rename(&r, 7, "mlx5_2") && is(&r, &ren));

	test("a name that the kernel would cut is not sent");
	memset(name, 'x', sizeof(name));
	name[RDMA_NAME_MAX] = '\0';
	ok(!rdma_compose_rename(&r, 7, name) && !rdma_compose_rename(&r, 7, ""));
	name[RDMA_NAME_MAX - 1] = '\0';
	ok(rdma_compose_rename(&r, 7, name));
}

/* -- what we receive -- */

static void modes(void)
{
	enum rdma_mode mode = RDMA_SHARED;
	uint32_t full;
	struct nl_req r;

	test("the mode is one byte: 0 is exclusive, 1 is shared");
	(void)nl_req_init(&r, 5 << 10 | 6, 0, 0);
	nl_put(&r, 66, "\0", 1);	/* RDMA_NLDEV_SYS_ATTR_NETNS_MODE */
	nl_put(&r, 84, "\1", 1);	/* one that came later: copy on fork */
	ok(rdma_parse_mode(&r.h, &mode) && mode == RDMA_EXCLUSIVE);
	(void)nl_req_init(&r, 5 << 10 | 6, 0, 0);
	nl_put(&r, 66, "\1", 1);
	ok(rdma_parse_mode(&r.h, &mode) && mode == RDMA_SHARED);
	test("an answer that is cut short, of another kind or without it says nothing");
	mode = RDMA_EXCLUSIVE;
	full = r.h.nlmsg_len;
	for (r.h.nlmsg_len = NLMSG_HDRLEN; r.h.nlmsg_len < full - 3; r.h.nlmsg_len++)
		ok(!rdma_parse_mode(&r.h, &mode));
	r.h.nlmsg_len = full;
	r.h.nlmsg_type = 5 << 10 | 1;
	ok(!rdma_parse_mode(&r.h, &mode));
	(void)nl_req_init(&r, 5 << 10 | 6, 0, 0);
	nl_put(&r, 66, "", 0);
	ok(!rdma_parse_mode(&r.h, &mode) && mode == RDMA_EXCLUSIVE);
}

/* As fill_dev_info() in the kernel builds it, with what comes before and after. */
static void put_device(struct nl_req *r, uint32_t index, const char *name)
{
	(void)nl_req_init(r, 5 << 10 | 1, NLM_F_MULTI, 0);
	nl_put_u32(r, 1, index);
	nl_put(r, 2, name, strlen(name) + 1);
	nl_put_u32(r, 3, 1);				/* ports */
	nl_put(r, 4, "\0\0\0\0\0\0\0\0", 8);		/* capabilities */
	nl_put(r, 5, "20.35.1012", 11);			/* firmware */
	nl_put(r, 6, "\1\2\3\4\5\6\7\10", 8);		/* node GUID */
	nl_put(r, 67, "roce", 5);			/* protocol */
}

static void devices(void)
{
	struct rdma_device dev = { .index = 99, .name = "old" };
	char name[RDMA_NAME_MAX + 1];
	uint32_t full;
	struct nl_req r;

	test("a device has an index and a name, and much that is skipped");
	put_device(&r, 3, "rocep3s0f0v1");
	ok(rdma_parse_device(&r.h, &dev) && dev.index == 3);
	eq(dev.name, "rocep3s0f0v1");

	test("cut at any byte it is read as far as it goes, or refused");
	full = r.h.nlmsg_len;
	for (r.h.nlmsg_len = NLMSG_HDRLEN; r.h.nlmsg_len < full; r.h.nlmsg_len++)
		ok(rdma_parse_device(&r.h, &dev) ==
		   (r.h.nlmsg_len >= NLMSG_HDRLEN + 8 + 4 + sizeof("rocep3s0f0v1")));
	test("a name that is too long, and a message of another kind, are refused");
	memset(name, 'x', sizeof(name));
	name[RDMA_NAME_MAX] = '\0';
	put_device(&r, 4, name);
	ok(!rdma_parse_device(&r.h, &dev) && dev.index == 3);
	put_device(&r, 4, "mlx5_0");
	r.h.nlmsg_type = 5 << 10 | 5;
	ok(!rdma_parse_device(&r.h, &dev) && dev.index == 3);
	test("an index of another size is none");
	(void)nl_req_init(&r, 5 << 10 | 1, 0, 0);
	nl_put(&r, 1, "\1\0", 2);
	nl_put(&r, 2, "mlx5_0", 7);
	ok(!rdma_parse_device(&r.h, &dev));
}

/* -- GUIDs -- */

static void guid_text(void)
{
	static const char *const bad[] = {
		"", "00:11:22:33:44:55:66", "00:11:22:33:44:55:66:7", "00:11:22:33:44:55:66:77:",
		"00-11-22-33-44-55-66-77", "00:11:22:33:44:55:66:7g", " 0:11:22:33:44:55:66:77",
		"0011223344556677", "0:011:22:33:44:55:66:77",
	};
	static const uint8_t octets[] = { 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0xaf };
	uint64_t guid = 1;
	char text[GUID_TEXT];

	test("a GUID is eight pairs of hex digits in either case, the highest first");
	ok(guid_parse("00:11:22:33:44:55:66:aF", &guid) && guid == 0x00112233445566af);
	eq(guid_format(guid, text), "00:11:22:33:44:55:66:af");
	ok(guid_from_octets(octets) == guid);
	eq(guid_format(GUID_UNASSIGNED, text), "ff:ff:ff:ff:ff:ff:ff:ff");
	test("anything else is refused and leaves the result alone");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(!guid_parse(bad[i], &guid));
	ok(guid == 0x00112233445566af);
	test("all zero and all ones are not for a port");
	ok(guid_is_valid(guid) && guid_is_valid(1));
	ok(!guid_is_valid(GUID_NONE) && !guid_is_valid(GUID_UNASSIGNED));
}

static void setting_guids(void)
{
	static const struct {
		enum vf_attr attr;
		uint16_t type;
	} each[] = { { VF_NODE_GUID, 10 }, { VF_PORT_GUID, 11 } };
	const uint64_t guid = 0x00112233445566af;
	struct nl_req r;

	test("a GUID is a request of its own, a 64-bit number behind the VF's and a hole");
	for (size_t i = 0; i < ARRAY_SIZE(each); i++) {
		struct expected x = { 0 };

		add_header(&x, 16 + 16 + 8 + 20, RTM_SETLINK);
		add32(&x, 0);			/* struct ifinfomsg */
		add32(&x, 5);
		add32(&x, 0);
		add32(&x, 0);
		add16(&x, 4 + 4 + 20);
		add16(&x, 22 | NLA_F_NESTED);	/* IFLA_VFINFO_LIST */
		add16(&x, 4 + 20);
		add16(&x, 1 | NLA_F_NESTED);	/* IFLA_VF_INFO */
		add16(&x, 20);
		add16(&x, each[i].type);
		add32(&x, 3);
		add32(&x, 0);
		add(&x, &guid, sizeof(guid));
		vf_compose_guid(&r, 5, 3, each[i].attr, guid);
		ok(is(&r, &x));
	}
}

/* A PF with one VF whose attributes are these, as rtnl_fill_vfinfo() orders them. */
static void put_pf(struct nl_req *r, const uint64_t *node, const uint64_t *port)
{
	struct ifla_vf_mac mac = { .vf = 3 };
	struct ifla_vf_guid guid;
	struct nlattr *list, *info;

	memset(&guid, 0, sizeof(guid));
	guid.vf = 3;
	(void)nl_req_init(r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	nl_put(r, IFLA_IFNAME, "ib0", 4);
	nl_put_u32(r, IFLA_NUM_VF, 1);
	list = nl_nest(r, IFLA_VFINFO_LIST);
	info = nl_nest(r, IFLA_VF_INFO);
	nl_put(r, IFLA_VF_MAC, &mac, sizeof(mac));
	if (node) {
		guid.guid = *node;
		nl_put(r, 10, &guid, sizeof(guid));
	}
	if (port) {
		guid.guid = *port;
		nl_put(r, 11, &guid, sizeof(guid));
	}
	nl_nest_end(r, info);
	nl_nest_end(r, list);
}

static void reading_guids(void)
{
	const uint64_t node = 0x0102030405060708, port = 0, other = 9;
	char text[VF_ATTR_TEXT];
	struct vf_lookup l = { .vf = 3 };
	struct vf_state v, w;
	struct nl_req r;

	test("GUIDs that the kernel reports are read, zero among them");
	put_pf(&r, &node, &port);
	ok(vf_parse(&r.h, &l) && (l.state.have & VF_GUIDS) == VF_GUIDS);
	v = l.state;
	ok(v.node_guid == node && v.port_guid == 0);
	eq(vf_attr_format(&v, VF_NODE_GUID, text), "node guid 01:02:03:04:05:06:07:08");
	eq(vf_attr_format(&v, VF_PORT_GUID, text), "port guid 00:00:00:00:00:00:00:00");
	test("a kernel that does not report them says nothing of them");
	put_pf(&r, NULL, NULL);
	ok(vf_parse(&r.h, &l) && !(l.state.have & VF_GUIDS));
	w = l.state;
	ok(vf_diff(&v, &w) == 0);
	test("a GUID that differs is a difference");
	put_pf(&r, &node, &other);
	ok(vf_parse(&r.h, &l) && vf_diff(&v, &l.state) == VF_PORT_GUID);
	put_pf(&r, &other, &port);
	ok(vf_parse(&r.h, &l) && vf_diff(&v, &l.state) == VF_NODE_GUID);
}

/* What is written above by number is what the header calls so. */
/* -- IPoIB -- */

static void ipoib(void)
{
	struct ipoib want = { .have = true, .mode = IPOIB_MODE_CONNECTED, .umcast = 1 };
	struct expected x = { 0 };
	struct link link = { .name = "" };
	struct nl_req r;

	test("mode and umcast go in a RTM_NEWLINK that makes no interface, behind the kind");
	add_header(&x, 32 + 36, RTM_NEWLINK);
	add32(&x, 0);			/* family, type */
	add32(&x, 9);			/* interface */
	add32(&x, 0);
	add32(&x, 0);
	add16(&x, 36);
	add16(&x, NLA_F_NESTED | IFLA_LINKINFO);
	add16(&x, 10);
	add16(&x, IFLA_INFO_KIND);
	add(&x, "ipoib\0\0", 8);
	add16(&x, 20);
	add16(&x, NLA_F_NESTED | IFLA_INFO_DATA);
	for (uint16_t attr = IFLA_IPOIB_MODE; attr <= IFLA_IPOIB_UMCAST; attr++) {
		add16(&x, 6);
		add16(&x, attr);
		add16(&x, 1);
		add16(&x, 0);
	}
	ipoib_compose(&r, 9, &want);
	ok(is(&r, &x));

	test("and are read from what the kernel tells of an interface of that kind");
	nl_put(&r, IFLA_IFNAME, "ib0", 4);
	ok(link_parse(&r.h, &link));
	eq(link.kind, "ipoib");
	ok(link.ipoib.have && link.ipoib.mode == 1 && link.ipoib.umcast == 1);
	test("of another kind the numbers mean something else");
	memcpy(r.buf + 40, "other", 5);
	ok(link_parse(&r.h, &link) && !link.ipoib.have);
	test("without all of them nothing is known");
	ipoib_parse(NULL, &link.ipoib);
	ok(!link.ipoib.have);
}

static void numbers(void)
{
	test("the kernel's header has the numbers of this test");
	ok(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET) == (5 << 10 | 1));
	ok(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SET) == (5 << 10 | 2));
	ok(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET) == (5 << 10 | 6));
	ok(RDMA_NLDEV_ATTR_DEV_INDEX == 1 && RDMA_NLDEV_ATTR_DEV_NAME == 2);
	ok(RDMA_NLDEV_SYS_ATTR_NETNS_MODE == 66 && RDMA_NLDEV_NET_NS_FD == 68);
	ok(IFLA_VF_IB_NODE_GUID == 10 && IFLA_VF_IB_PORT_GUID == 11 && IFLA_VFINFO_LIST == 22);
}

/* -- the kernel -- */

static void kernel(const char *name, bool exclusive, const char *other)
{
	auto_nl struct nl nl = { 0 }, there = { 0 };
	struct rdma_device dev = { 0 }, again = { 0 };
	enum rdma_mode mode = exclusive ? RDMA_SHARED : RDMA_EXCLUSIVE;
	auto_close int fd = -1;
	struct err e;

	test("the kernel tells its mode");
	ok(netns_open(other, &fd, &e) == 1 && rdma_open(NETNS_OWN, &nl, &e) == 1 &&
	   rdma_open(fd, &there, &e) == 1);
	ok(rdma_mode_get(&nl, &mode, &e) == 0 &&
	   mode == (exclusive ? RDMA_EXCLUSIVE : RDMA_SHARED));
	test("a device is found by its name and its index, and another is not");
	ok(rdma_find_name(&nl, name, &dev, &e) == 1);
	ok(rdma_find_index(&nl, dev.index, &again, &e) == 1);
	eq(again.name, name);
	ok(rdma_find_name(&nl, "nosuch", &again, &e) == 0);
	ok(rdma_find_index(&nl, dev.index + 1, &again, &e) == 0);
	test("elsewhere it is seen in shared mode only");
	ok(rdma_find_name(&there, name, &again, &e) == !exclusive);
	test("it can be renamed and keeps its index");
	ok(rdma_rename(&nl, dev.index, "other0", &e) == 0);
	ok(rdma_find_name(&nl, "other0", &again, &e) == 1 && again.index == dev.index);
	ok(rdma_rename(&nl, dev.index, name, &e) == 0);
	test("a driver that cannot move it says so");
	ok(rdma_move(&nl, NETNS_OWN, dev.index, fd, &e) == -1 && e.sys == EOPNOTSUPP);
	ok(rdma_find_name(&nl, name, &again, &e) == 1);
}

int main(int argc, char **argv)
{
	if (argc == 4) {
		kernel(argv[1], strcmp(argv[2], "exclusive") == 0, argv[3]);
		return tap_end();
	}
	numbers();
	composing();
	modes();
	devices();
	guid_text();
	setting_guids();
	reading_guids();
	ipoib();
	return tap_end();
}
