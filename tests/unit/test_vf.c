/* SPDX-License-Identifier: Apache-2.0 */
/* test_vf.c - what a configuration wants of a VF, and how a difference is told */
#include "base/mem.h"
#include "cni/vf/vf.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

static const struct pci_device dev = { .vf_index = 3, .pf_netdev = "ens1f0" };

static void add_line(const char *text, void *arg)
{
	char *all = arg;

	(void)snprintf(all + strlen(all), 2048 - strlen(all), "%s\n", text);
}

static const char *told(const struct vf_state *want, const struct vf_state *now)
{
	static char all[2048];

	*all = '\0';
	vf_tell_differences(&dev, want, now, add_line, all);
	return all;
}

static void test_telling(void)
{
	struct vf_state want = { .have = VF_ALL, .vlan = 100, .proto = VF_PROTO_8021Q }, now = want;

	test("what is as wanted is not told");
	eq(told(&want, &now), "");
	test("a difference is told in the kernel's terms");
	now.vlan = 0;
	eq(told(&want, &now), "vlan of VF 3 of ens1f0: want 100, have 0\n");
	test("each attribute has its own line, and its own parts");
	now = (struct vf_state){
		.have = VF_ALL, .mac = { 2, 0, 0, 0, 0, 1 }, .vlan = 100, .qos = 3,
		.proto = VF_PROTO_8021AD, .min_tx_rate = 1, .max_tx_rate = UINT32_MAX,
		.spoofchk = true, .trust = true, .link_state = VF_LINK_DISABLE,
	};
	eq(told(&want, &now),
	   "mac of VF 3 of ens1f0: want 00:00:00:00:00:00, have 02:00:00:00:00:01\n"
	   "vlan qos of VF 3 of ens1f0: want 0, have 3\n"
	   "vlan proto of VF 3 of ens1f0: want 802.1q, have 802.1ad\n"
	   "min_tx_rate of VF 3 of ens1f0: want 0, have 1\n"
	   "max_tx_rate of VF 3 of ens1f0: want 0, have 4294967295\n"
	   "spoofchk of VF 3 of ens1f0: want off, have on\n"
	   "link state of VF 3 of ens1f0: want auto, have disable\n"
	   "trust of VF 3 of ens1f0: want off, have on\n");
	test("what nobody asked for, or the driver does not say, is no difference");
	want.have = VF_TRUST;
	eq(told(&want, &now), "trust of VF 3 of ens1f0: want off, have on\n");
	now.have = VF_ALL & ~(uint32_t)VF_TRUST;
	eq(told(&want, &now), "");
	test("values that have no name are told as they are");
	want = (struct vf_state){ .have = VF_ALL, .vlan = 5, .proto = 0x9100, .link_state = 9 };
	now = (struct vf_state){ .have = VF_ALL, .vlan = 5 };
	eq(told(&want, &now), "vlan proto of VF 3 of ens1f0: want 0x9100, have 802.1q\n"
			      "link state of VF 3 of ens1f0: want unknown, have auto\n");
}

static void test_wanting(void)
{
	struct netconf nc = {
		.vlan = -1, .vlan_qos = -1, .min_tx_rate = -1, .max_tx_rate = -1, .mtu = -1
	};
	struct vf_state v;

	test("unset is untouched");
	vf_want(&nc, NULL, &v);
	ok(v.have == 0);
	test("zero, off and auto are values");
	nc.vlan = 0;
	nc.max_tx_rate = 0;
	nc.spoofchk = nc.trust = ONOFF_OFF;
	nc.link_state = LINK_POLICY_AUTO;
	vf_want(&nc, NULL, &v);
	ok(v.have == (VF_ALL & ~(uint32_t)VF_MAC));
	ok(v.vlan == 0 && v.max_tx_rate == 0 && !v.spoofchk && !v.trust);
}

/* There is no PF: nothing is sent, and the DEL is to come again. */
static void test_without_pf(void)
{
	const struct pci_device lost = { .vf_index = 3, .pf_bdf = "0000:01:00.0" };
	struct vf_state before = { .have = VF_ALL };
	struct nl nl = { 0 };
	struct err e = { 0 };

	test("without the PF's network device nothing can be restored, which may change");
	ok(vf_restore(&nl, &lost, &before, VF_ALL, VF_ALL, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "PF 0000:01:00.0 of VF 3 has no network device here");
	ok(vf_clean(&nl, &lost, &before, &e) == -1 && e.code == ERR_TRY_AGAIN);
}

int main(void)
{
	test_telling();
	test_wanting();
	test_without_pf();
	return tap_end();
}
