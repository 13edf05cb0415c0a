/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_netlink.c - a datagram of the kernel's, and what each parser makes of it */
#include "netlink/addr_find.h"
#include "netlink/bridge.h"
#include "netlink/devlink.h"
#include "netlink/genl.h"
#include "netlink/link.h"
#include "netlink/nl_rdma.h"
#include "netlink/nl_vdpa.h"
#include "netlink/nlerr.h"
#include "netlink/sriov.h"
#include "netlink/vf_stats.h"
#include "tests/fuzz/fuzz.h"

struct seen {
	const uint8_t *from, *to;	/* the datagram */
	unsigned int replies, parsed;
};

#define must_end(text) must(strnlen(text, sizeof(text)) < sizeof(text))

static bool parse_vf(const struct nlmsghdr *nlh, unsigned int vf)
{
	struct vf_lookup l = { .vf = vf };

	if (vf_parse(nlh, &l))
		must(!(l.state.have & ~(uint32_t)VF_ALL & ~(uint32_t)VF_GUIDS));
	return l.found;
}

static void count_vf(unsigned int vf, const struct vf_stats *s, void *arg)
{
	(void)vf;
	must(s->have >> VF_COUNTS == 0);
	*(unsigned int *)arg += s->have != 0;
}

static unsigned int parse_link(const struct nlmsghdr *nlh)
{
	static const uint32_t vfs[] = { 0, 1, UINT32_MAX };
	unsigned int n = 0;
	struct link l;

	if (link_parse(nlh, &l)) {
		must_end(l.name);
		must_end(l.alias);
		must_end(l.kind);
		must_end(l.parent_dev);
		must(l.addr_len <= LINK_ADDR_MAX && l.perm_len <= LINK_ADDR_MAX);
		must(l.alt.n <= ALTNAMES_MAX);
		for (unsigned int i = 0; i < l.alt.n; i++)
			must(*l.alt.name[i] && strlen(l.alt.name[i]) < ALTNAME_SIZE);
		n++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(vfs); i++)
		n += parse_vf(nlh, vfs[i]);
	vf_stats_parse(nlh, &(struct vf_stats_reader){ .fn = count_vf, .arg = &n });
	return n;
}

static unsigned int parse_bridge(const struct nlmsghdr *nlh)
{
	struct bridge_vlans vlans;
	struct bridge b;

	if (bridge_parse(nlh, &b))
		must_end(b.name);
	return bridge_parse_vlans(nlh, 7, &vlans);
}

static unsigned int parse_addresses(const struct nlmsghdr *nlh)
{
	struct ip_prefix prefix = { 0 };
	struct route route = { 0 };
	bool seen[2] = { false, false };
	struct addr_list addrs = { .ifindex = 7, .addrs = &prefix, .n = 1, .seen = &seen[0] };
	struct addr_list routes = { .ifindex = 7, .routes = &route, .n = 1, .seen = &seen[1] };
	struct err e = { 0 };

	must(prefix_parse("10.1.0.2/24", &prefix) && prefix_parse("10.2.0.0/16", &route.dst));
	must_agree(addr_see(nlh, &addrs, &e), &e);
	must_agree(route_see(nlh, &routes, &e), &e);
	return seen[0] + seen[1];
}

static unsigned int parse_others(const struct nlmsghdr *nlh)
{
	struct vdpa_mgmtdev mgmt = { .bus = "" };
	struct vdpa_net_config config;
	struct rdma_device rdma = { .name = "" };
	struct vdpa_dev dev = { .name = "" };
	struct devlink_port port;
	enum eswitch_mode eswitch;
	char version[16] = "";
	enum rdma_mode mode;
	uint16_t family;
	unsigned int n = 0;

	n += rdma_parse_mode(nlh, &mode) + rdma_parse_device(nlh, &rdma);
	n += genl_parse_family(nlh, &family);
	n += devlink_parse_eswitch(nlh, &eswitch) + devlink_parse_port(nlh, &port);
	n += devlink_parse_version(nlh, "fw.app.name", version, sizeof(version));
	n += vdpa_parse_mgmtdev(nlh, &mgmt) + vdpa_parse_device(nlh, &dev);
	n += vdpa_parse_config(nlh, &config);
	must_end(rdma.name);
	must_end(version);
	must_end(mgmt.bus);
	must_end(mgmt.dev);
	must_end(dev.name);
	must_end(dev.mgmt_dev);
	return n;
}

/* Each message lies within the datagram. */
static int take(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const uint8_t *at = (const void *)nlh;
	struct seen *s = arg;

	(void)e;
	must(at >= s->from && nlh->nlmsg_len >= sizeof(*nlh));
	must(nlh->nlmsg_len <= (size_t)(s->to - at));
	s->replies++;
	s->parsed += parse_link(nlh) + parse_bridge(nlh) + parse_addresses(nlh) + parse_others(nlh);
	return 0;
}

static void fuzz_one(const char *text, size_t len)
{
	auto_free uint8_t *copy = malloc(len + 1);	/* aligned; nothing behind it is ours */
	struct seen s = { .from = copy, .to = copy + len };
	struct nl_answer a = { .n = 1, .reply = take, .arg = &s };
	struct err e = { 0 };
	struct nlmsghdr h;

	must(copy);
	memcpy(copy, text, len);
	ASAN_POISON_MEMORY_REGION(copy + len, 1);
	if (len >= sizeof(h)) {		/* it is the answer to whatever it is one to */
		memcpy(&h, copy, sizeof(h));
		a.port = h.nlmsg_pid;
		a.first = h.nlmsg_seq;
	}
	(void)!nl_answer_feed(&a, copy, len, &e);
	must(a.failed == (e.code != ERR_OK) && (!a.failed || *e.msg));
	must(!a.failed || e.sys > 0);
	must(s.replies <= len / sizeof(h) && a.acked <= 1);
	if (s.parsed > 0)
		accepted();
	ASAN_UNPOISON_MEMORY_REGION(copy + len, 1);
}
