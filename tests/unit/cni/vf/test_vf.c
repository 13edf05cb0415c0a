/* SPDX-License-Identifier: Apache-2.0 */
/* test_vf.c - what a configuration wants of a VF, how it is cleaned, how a difference is told */
#include "base/mem.h"
#include "cni/vf/vf.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdlib.h>

static const struct pci_device dev = { .vf_index = 3, .pf_netdev = "ens1f0" };

/* -- a PF of our own -- */

static struct {
	struct vf_state vf;
	bool keeps_mac, keeps_other_mac;	/* it refuses to take it away, or to give another */
	int macs;				/* how often it was asked for one */
} pf;

int __wrap_vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret,
		  struct err *e);
int __wrap_vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret,
		  struct err *e)
{
	(void)nl;
	(void)pf_ifindex;
	(void)vf;
	(void)e;
	*ret = pf.vf;
	return 1;
}

static bool refuses(const struct vf_state *want)
{
	static const uint8_t none[VF_MAC_MAX];

	return memcmp(want->mac, none, sizeof(none)) == 0 ? pf.keeps_mac : pf.keeps_other_mac;
}

/* As the kernel does one by one: all but what is refused. */
int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e);
int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e)
{
	struct vf_state then = *want;

	(void)pf_ifindex;
	then.have = pf.vf.have;
	nl->refused = want->have & VF_MAC && refuses(want);
	pf.macs += (want->have & VF_MAC) != 0;
	if (nl->refused || !(want->have & VF_MAC))
		memcpy(then.mac, pf.vf.mac, sizeof(then.mac));
	if (want->have & ~(uint32_t)VF_MAC)
		pf.vf = then;
	else
		memcpy(pf.vf.mac, then.mac, sizeof(then.mac));
	return nl->refused ? err_set(e, ERR_NETLINK, EINVAL, "vf %u: mac: the kernel refused", vf)
			   : 0;
}

static const char *told(const struct vf_state *want, const struct vf_state *now)
{
	static const struct cni_call call = { .container_id = "c", .ifname = "net1" };
	static struct check c;

	c = (struct check){ .call = &call, .made_by = "ADD" };
	vf_compare(&c, &dev, want, now);
	return c.all.details;
}

static void test_telling(void)
{
	struct vf_state want = { .have = VF_ALL, .vlan = 100, .proto = VF_PROTO_8021Q }, now = want;

	test("what is as wanted is not told");
	eq(told(&want, &now), "");
	test("a difference is told in the kernel's terms");
	now.vlan = 0;
	eq(told(&want, &now), "vlan of VF 3 of ens1f0: expected 100, got 0");
	test("C-ISS-20: each attribute has its own line, and its own parts");
	now = (struct vf_state){
		.have = VF_ALL, .mac = { 2, 0, 0, 0, 0, 1 }, .vlan = 100, .qos = 3,
		.proto = VF_PROTO_8021AD, .min_tx_rate = 1, .max_tx_rate = UINT32_MAX,
		.spoofchk = true, .trust = true, .link_state = VF_LINK_DISABLE,
	};
	eq(told(&want, &now),
	   "mac of VF 3 of ens1f0: expected 00:00:00:00:00:00, got 02:00:00:00:00:01; "
	   "vlan qos of VF 3 of ens1f0: expected 0, got 3; "
	   "vlan proto of VF 3 of ens1f0: expected 802.1q, got 802.1ad; "
	   "min_tx_rate of VF 3 of ens1f0: expected 0, got 1; "
	   "max_tx_rate of VF 3 of ens1f0: expected 0, got 4294967295; "
	   "spoofchk of VF 3 of ens1f0: expected off, got on; "
	   "link state of VF 3 of ens1f0: expected auto, got disable; "
	   "trust of VF 3 of ens1f0: expected off, got on");
	test("what nobody asked for, or the driver does not say, is no difference");
	want.have = VF_TRUST;
	eq(told(&want, &now), "trust of VF 3 of ens1f0: expected off, got on");
	now.have = VF_ALL & ~(uint32_t)VF_TRUST;
	eq(told(&want, &now), "");
	test("values that have no name are told as they are");
	want = (struct vf_state){ .have = VF_ALL, .vlan = 5, .proto = 0x9100, .link_state = 9 };
	now = (struct vf_state){ .have = VF_ALL, .vlan = 5 };
	eq(told(&want, &now), "vlan proto of VF 3 of ens1f0: expected 0x9100, got 802.1q; "
			      "link state of VF 3 of ens1f0: expected unknown, got auto");
}

static void test_wanting(void)
{
	struct netconf nc = {
		.vlan = -1, .vlan_qos = -1, .min_tx_rate = -1, .max_tx_rate = -1, .mtu = -1
	};
	static const uint8_t mac[MAC_LEN] = { 2, 0, 0, 0, 0, 1 };
	struct vf_state v;

	test("C-ISS-15: unset is untouched");
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
	test("each value that is set is asked for");
	nc.vlan = 100;
	nc.vlan_qos = 3;
	nc.vlan_proto = VF_PROTO_8021AD;
	nc.min_tx_rate = 1;
	nc.max_tx_rate = 1;
	nc.spoofchk = nc.trust = ONOFF_ON;
	nc.link_state = LINK_POLICY_DISABLE;
	nc.guid = 17;
	vf_want(&nc, mac, &v);
	ok(v.have == (VF_ALL | VF_GUIDS) && memcmp(v.mac, mac, sizeof(mac)) == 0);
	ok(v.vlan == 100 && v.qos == 3 && v.proto == VF_PROTO_8021AD);
	ok(v.min_tx_rate == 1 && v.max_tx_rate == 1 && v.spoofchk && v.trust);
	ok(v.link_state == VF_LINK_DISABLE && v.node_guid == 17 && v.port_guid == 17);
	test("one rate asks for both, and what is not said of them is no limit");
	nc.max_tx_rate = -1;
	nc.link_state = LINK_POLICY_ENABLE;
	vf_want(&nc, mac, &v);
	ok(v.have & VF_RATE && v.min_tx_rate == 1 && v.max_tx_rate == 0);
	ok(v.link_state == VF_LINK_ENABLE);
	test("with a representor the VLAN is that one's");
	nc.port.present = true;
	vf_want(&nc, mac, &v);
	ok(!(v.have & VF_VLAN));
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

static const struct vf_state clean = { .have = VF_ALL, .spoofchk = true };

/* Clean a VF whose last address is .2 when it was that of `before` at first. */
static int cleaned(uint8_t before, uint8_t now, struct err *e)
{
	const struct pci_device pci = { .vf_index = 3, .pf_netdev = "ens1f0", .pf_ifindex = 7 };
	struct vf_state original = { .have = VF_ALL, .mac = { 2, 0, 0, 0, 0, before }, .vlan = 55 };
	struct nl nl = { 0 };

	if (!before)
		memset(original.mac, 0, sizeof(original.mac));
	pf.vf = (struct vf_state){
		.have = VF_ALL, .mac = { 2, 0, 0, 0, 0, now }, .vlan = 100, .qos = 3,
		.max_tx_rate = 500, .trust = true, .link_state = VF_LINK_ENABLE,
	};
	pf.macs = 0;
	return vf_clean(&nl, &pci, &original, e);
}

static bool all_clean_but_mac(void)
{
	return vf_diff(&clean, &pf.vf) == VF_MAC;
}

/* releasePolicy known-clean: no address is the cleanest, and what many drivers refuse. */
static void test_cleaning(void)
{
	struct err e = { 0 };

	test("a clean VF has nothing set, and no address");
	ok(cleaned(1, 2, &e) == 0 && vf_diff(&clean, &pf.vf) == 0 && pf.macs == 1);
	test("where the driver does not take the address away, it is that of before");
	pf.keeps_mac = true;
	ok(cleaned(1, 2, &e) == 0 && all_clean_but_mac() && pf.vf.mac[5] == 1);
	test("which needs no second request where it is that already");
	ok(cleaned(1, 1, &e) == 0 && all_clean_but_mac() && pf.vf.mac[5] == 1 && pf.macs == 1);
	test("an address that stays, and is not that of before, is an error; all else is clean");
	pf.keeps_other_mac = true;
	ok(cleaned(1, 2, &e) == -1 && all_clean_but_mac() && pf.vf.mac[5] == 2);
	eq(e.msg, "clean VF 3 of ens1f0: vf 3: mac: the kernel refused");
	pf.keeps_other_mac = false;
	ok(cleaned(0, 2, &e) == -1 && all_clean_but_mac() && pf.vf.mac[5] == 2);
}

int main(void)
{
	test_telling();
	test_wanting();
	test_without_pf();
	test_cleaning();
	return tap_end();
}
