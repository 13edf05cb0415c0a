/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vf_restore.c - a VF's attributes set, given back and cleaned: what is sent to the PF
 *
 * The PF is played (see WRAP in GNUmakefile).  It notes what it is asked, may refuse attributes, or
 * accept and not set them, as drivers do.
 */
#include "base/mem.h"
#include "cni/vf/vf.h"
#include "tests/unit/tap.h"

#include <errno.h>

static const struct pci_device dev = {
	.vf_index = 3, .pf_ifindex = 7, .pf_netdev = "ens1f0", .pf_bdf = "0000:01:00.0"
};
static const struct vf_state as_found = {
	.have = VF_ALL, .mac = { 2, 0, 0, 0, 0, 1 }, .vlan = 5, .qos = 1, .proto = VF_PROTO_8021Q,
	.max_tx_rate = 100, .spoofchk = true,
};

static struct {
	struct vf_state vf;
	bool absent;
	uint32_t refuses;		/* the whole request, when it has one of these */
	uint32_t ignores;
	bool keeps_address;		/* takes another one, but none it does not take */
	bool broken;			/* the connection, not the request */
	int one_by_one;			/* what vf_set() says of a success */
	int reads, read_fails;		/* which reading, from 1 on */
	char asked[256];		/* "get", and "set" with the attributes in hex, in order */
} pf;

int __wrap_vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret,
		  struct err *e);
int __wrap_vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret,
		  struct err *e)
{
	(void)nl;
	strcat(pf.asked, "get ");
	if (pf_ifindex != 7 || vf != 3)
		return err_set(e, ERR_DEVICE, 0, "another VF");
	if (++pf.reads == pf.read_fails)
		return err_set(e, ERR_NETLINK, EMSGSIZE, "the table is too long");
	if (pf.absent)
		return 0;
	*ret = pf.vf;
	return 1;
}

static void take(const struct vf_state *want, uint32_t which)
{
	if (which & VF_MAC)
		memcpy(pf.vf.mac, want->mac, sizeof(pf.vf.mac));
	if (which & VF_VLAN) {
		pf.vf.vlan = want->vlan;
		pf.vf.qos = want->qos;
		pf.vf.proto = want->proto;
	}
	if (which & VF_RATE) {
		pf.vf.min_tx_rate = want->min_tx_rate;
		pf.vf.max_tx_rate = want->max_tx_rate;
	}
	if (which & VF_SPOOFCHK)
		pf.vf.spoofchk = want->spoofchk;
	if (which & VF_TRUST)
		pf.vf.trust = want->trust;
	if (which & VF_LINK_STATE)
		pf.vf.link_state = want->link_state;
}

int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e);
int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e)
{
	size_t used = strlen(pf.asked);

	(void)snprintf(pf.asked + used, sizeof(pf.asked) - used, "set %x ", want->have);
	if (pf_ifindex != 7 || vf != 3)
		return err_set(e, ERR_DEVICE, 0, "another VF");
	nl->refused = !pf.broken;
	if (pf.broken || want->have & pf.refuses ||
	    (pf.keeps_address && want->have & VF_MAC && !*want->mac))
		return err_set(e, ERR_NETLINK, EPERM, "the driver refused");
	take(want, want->have & ~pf.ignores);
	return pf.one_by_one;
}

/* The PF with the VF as it was found, but for some attributes. */
static struct nl play(uint32_t changed)
{
	static const struct vf_state others = {
		.mac = { 2, 0, 0, 0, 0, 9 }, .vlan = 9, .proto = VF_PROTO_8021AD,
		.max_tx_rate = 1, .trust = true, .link_state = VF_LINK_DISABLE,
	};

	memset(&pf, 0, sizeof(pf));
	pf.vf = as_found;
	take(&others, changed);
	return (struct nl){ 0 };
}

static bool is_as_found(void)
{
	return vf_diff(&pf.vf, &as_found) == 0;
}

static void test_apply(void)
{
	struct nl nl = play(0);
	struct vf_state want = { .have = VF_VLAN | VF_TRUST, .vlan = 100, .trust = true };
	struct err e = { 0 };

	test("what a driver takes together is not read again");
	ok(vf_apply(&nl, &dev, &want, &e) == 0 && pf.vf.vlan == 100 && pf.vf.trust);
	eq(pf.asked, "set 22 ");
	test("what it takes one by one only is read");
	nl = play(0);
	pf.one_by_one = 1;
	ok(vf_apply(&nl, &dev, &want, &e) == 0);
	eq(pf.asked, "set 22 get ");
	test("an attribute that it took and did not set is named");
	nl = play(0);
	pf.one_by_one = 1;
	pf.ignores = VF_TRUST;
	ok(vf_apply(&nl, &dev, &want, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "the driver accepted but did not set: trust");
	test("a refusal is an error, and so is a VF that cannot be read, or that has gone");
	nl = play(0);
	pf.refuses = VF_VLAN;
	ok(vf_apply(&nl, &dev, &want, &e) == -1);
	eq(e.msg, "the driver refused");
	nl = play(0);
	pf.one_by_one = pf.read_fails = 1;
	ok(vf_apply(&nl, &dev, &want, &e) == -1);
	eq(e.msg, "the table is too long");
	nl = play(0);
	pf.one_by_one = 1;
	pf.absent = true;
	ok(vf_apply(&nl, &dev, &want, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "the PF lists no such VF");
}

static void test_restore(void)
{
	struct nl nl = play(0);
	struct err e = { 0 };

	test("a VF that is as it was is read, and nothing is sent");
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, 0, &e) == 0);
	eq(pf.asked, "get ");
	test("only what differs is sent, and read once more");
	nl = play(VF_VLAN | VF_TRUST);
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, 0, &e) == 0 && is_as_found());
	eq(pf.asked, "get set 22 get ");
	test("what is not in the mask stays");
	nl = play(VF_VLAN | VF_TRUST);
	ok(vf_restore(&nl, &dev, &as_found, VF_VLAN, 0, &e) == 0 && pf.vf.trust);
	ok(vf_diff(&pf.vf, &as_found) == VF_TRUST);
	test("what is sure to differ is sent first, and one reading is the proof");
	nl = play(VF_VLAN | VF_RATE);
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, VF_VLAN | VF_RATE, &e) == 0 && is_as_found());
	eq(pf.asked, "set 6 get ");
	test("but nothing beyond the mask, or that was not known before");
	nl = play(0);
	ok(vf_restore(&nl, &dev, &as_found, VF_MAC, VF_ALL | VF_GUIDS, &e) == 0);
	eq(pf.asked, "set 1 get ");
	nl = play(0);
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL | VF_GUIDS, VF_ALL | VF_GUIDS, &e) == 0);
	eq(pf.asked, "set 3f get ");
}

static void test_restore_fails(void)
{
	struct nl nl = play(VF_VLAN | VF_TRUST);
	struct err e = { 0 };

	test("of those that are sure, a refusal counts for what differs after it");
	pf.refuses = VF_MAC;
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, VF_MAC | VF_VLAN, &e) == 0 && is_as_found());
	eq(pf.asked, "set 3 get set 22 get ");
	test("a connection that is broken is given up");
	nl = play(VF_VLAN);
	pf.broken = true;
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, VF_VLAN, &e) == -1);
	eq(pf.asked, "set 2 ");
	test("what the driver refuses, or takes and does not set, is an error");
	nl = play(VF_VLAN);
	pf.refuses = VF_VLAN;
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, 0, &e) == -1);
	eq(e.msg, "restore VF 3 of ens1f0: the driver refused");
	nl = play(VF_SPOOFCHK | VF_RATE);
	pf.ignores = VF_RATE;
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, 0, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "restore VF 3 of ens1f0: the driver accepted but did not set: rate");
	test("a VF that cannot be read is an error, before anything is sent and after");
	nl = play(VF_VLAN);
	pf.read_fails = 1;
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, 0, &e) == -1);
	eq(pf.asked, "get ");
	nl = play(VF_VLAN);
	pf.read_fails = 2;
	ok(vf_restore(&nl, &dev, &as_found, VF_ALL, 0, &e) == -1);
	eq(e.msg, "restore VF 3 of ens1f0: the table is too long");
}

static void test_clean(void)
{
	static const uint8_t none[VF_MAC_MAX], other[MAC_LEN] = { 2, 0, 0, 0, 0, 9 };
	struct nl nl = play(VF_VLAN | VF_RATE | VF_TRUST | VF_LINK_STATE | VF_SPOOFCHK);
	struct vf_state before = as_found;
	struct err e = { 0 };

	test("a clean VF has no VLAN, limit, trust, state or address, and is checked for spoofing");
	ok(vf_clean(&nl, &dev, &as_found, &e) == 0);
	ok(pf.vf.vlan == 0 && pf.vf.qos == 0 && pf.vf.max_tx_rate == 0 && !pf.vf.trust);
	ok(pf.vf.spoofchk && pf.vf.link_state == VF_LINK_AUTO);
	ok(memcmp(pf.vf.mac, none, sizeof(none)) == 0);
	test("one that is clean is read, and nothing is sent");
	*pf.asked = '\0';
	ok(vf_clean(&nl, &dev, &as_found, &e) == 0);
	eq(pf.asked, "get get ");
	test("a driver that takes no address away gives it that of before");
	nl = play(VF_MAC);
	pf.keeps_address = true;
	ok(vf_clean(&nl, &dev, &as_found, &e) == 0);
	ok(memcmp(pf.vf.mac, as_found.mac, sizeof(none)) == 0);
	*pf.asked = '\0';
	ok(vf_clean(&nl, &dev, &as_found, &e) == 0);
	eq(pf.asked, "get get set 1 ");
	pf.refuses = VF_MAC;
	memcpy(pf.vf.mac, other, sizeof(other));
	ok(vf_clean(&nl, &dev, &as_found, &e) == -1);
	eq(e.msg, "clean VF 3 of ens1f0: the driver refused");
	test("what the driver did not report before is left as it is");
	nl = play(VF_TRUST | VF_MAC);
	before.have = VF_VLAN;
	ok(vf_clean(&nl, &dev, &before, &e) == 0 && pf.vf.vlan == 0 && pf.vf.trust);
	ok(memcmp(pf.vf.mac, other, MAC_LEN) == 0);
	test("what is not clean afterwards is an error");
	nl = play(0);
	pf.ignores = VF_VLAN;
	ok(vf_clean(&nl, &dev, &as_found, &e) == -1);
	eq(e.msg, "clean VF 3 of ens1f0: the driver accepted but did not set: vlan");
	nl = play(0);
	pf.read_fails = 3;	/* that for the address */
	ok(vf_clean(&nl, &dev, &as_found, &e) == -1);
	eq(e.msg, "clean VF 3 of ens1f0: the table is too long");
}

int main(void)
{
	test_apply();
	test_restore();
	test_restore_fails();
	test_clean();
	return tap_end();
}
