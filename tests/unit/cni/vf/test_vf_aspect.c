/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vf_aspect.c - what ADD looks at and sets of a VF, what CHECK compares, and its own address
 *
 * The PF, the VF's driver and the journal are played (see WRAP in GNUmakefile).  How an attribute
 * is given back is test_vf_restore.c's, and when, test_restore.c's.
 */
#include "cni/netdev/netdev.h"
#include "cni/vf/vf.h"
#include "devinfo/node/eswitch.h"
#include "tests/unit/tap.h"

#include <errno.h>

static const uint8_t wanted[MAC_LEN] = { 2, 8 }, first[MAC_LEN] = { 2, 9 };
static const uint8_t other[MAC_LEN] = { 2, 7 };

static struct {
	struct vf_state vf;		/* as the PF has it */
	int found, sys;			/* what reading it comes to, with this errno */
	int pf_ifindex;			/* of the function that is looked for by its address */
	uint32_t refuses;
	int settles, restores;		/* what netdev_...() say */
	bool unwritable;
	uint32_t recorded;		/* vf_set as written */
	char asked[256];
} play;
static struct err err;

static void note(const char *what, uint32_t which)
{
	size_t used = strlen(play.asked);

	(void)snprintf(play.asked + used, sizeof(play.asked) - used, which ? "%s %x " : "%s ", what,
		       which);
}

int __wrap_vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret,
		  struct err *e);
int __wrap_vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret,
		  struct err *e)
{
	(void)nl;
	note("get", 0);
	if (play.found < 0 || pf_ifindex != 7 || vf != 3)
		return err_set(e, ERR_NETLINK, play.sys, "played");
	*ret = play.vf;
	return play.found;
}

int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e);
int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e)
{
	note("set", want->have);
	nl->refused = want->have & play.refuses;
	if (nl->refused || pf_ifindex != 7 || vf != 3)
		return err_set(e, ERR_NETLINK, EPERM, "refused");
	if (want->have & VF_MAC)
		memcpy(play.vf.mac, want->mac, sizeof(play.vf.mac));
	if (want->have & VF_VLAN)
		play.vf.vlan = want->vlan;
	if (want->have & VF_TRUST)
		play.vf.trust = want->trust;
	return 0;
}

int __wrap_eswitch_pci(const struct host *host, const char *bdf, struct pci_device *ret,
		       struct err *e);
int __wrap_eswitch_pci(const struct host *host, const char *bdf, struct pci_device *ret,
		       struct err *e)
{
	(void)host, (void)bdf;
	*ret = (struct pci_device){ .is_vf = true, .vf_index = 3, .pf_ifindex = play.pf_ifindex };
	return play.sys ? err_set(e, ERR_IO, play.sys, "unread") : 1;
}

int __wrap_netdev_settle_mac(struct nl *home, const struct record *rec, struct err *e);
int __wrap_netdev_settle_mac(struct nl *home, const struct record *rec, struct err *e)
{
	(void)home, (void)rec;
	note("settle", 0);
	return play.settles < 0 ? err_set(e, ERR_NETLINK, EIO, "unsettled") : play.settles;
}

int __wrap_netdev_restore_mac(struct nl *home, const struct record *rec, struct err *e);
int __wrap_netdev_restore_mac(struct nl *home, const struct record *rec, struct err *e)
{
	(void)home, (void)rec;
	note("mac", 0);
	return play.restores < 0 ? err_set(e, ERR_NETLINK, EIO, "no mac") : 0;
}

int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e);
int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e)
{
	(void)j;
	play.recorded = r->vf_set;
	note("record", 0);
	return play.unwritable ? err_set(e, ERR_IO, ENOSPC, "full") : 0;
}

/* A PF that tells all of VF 3, whose address and trust are those of before. */
static void play_anew(void)
{
	memset(&play, 0, sizeof(play));
	err = (struct err){ 0 };
	play.found = 1;
	play.pf_ifindex = 7;
	play.vf.spoofchk = true;
	play.vf.have = VF_ALL;
	memcpy(play.vf.mac, first, MAC_LEN);
}

static const struct netconf nothing = {
	.vlan = -1, .min_tx_rate = -1, .max_tx_rate = -1,
}, vlan = {
	.vlan = 5, .min_tx_rate = -1, .max_tx_rate = -1,
};

static struct cni_call call = { .ifname = "net1", .container_id = "c" };
static struct attachment a;

/* Of VF 3, or whatever dev says it is. */
static int probed(const struct netconf *conf, const struct pci_device *dev)
{
	static const struct pci_device vf3 = {
		.is_vf = true, .vf_index = 3, .pf_ifindex = 7, .bdf = "0000:01:10.3",
		.pf_bdf = "0000:01:00.0", .pf_netdev = "ens1f0",
	};
	bool chained = a.rec.chained, mac_set = a.rec.mac_set, has_mac = a.has_mac;

	memset(&a, 0, sizeof(a));
	a.rec.chained = chained;
	a.rec.mac_set = mac_set;
	a.has_mac = has_mac;
	a.conf = conf;
	a.call = &call;
	a.dev.pci = dev ? *dev : vf3;
	memcpy(a.mac, wanted, MAC_LEN);
	*play.asked = '\0';
	err = (struct err){ 0 };
	return vf_aspect.probe(&a, &err);
}

static void test_probe(void)
{
	static const struct pci_device pf = { .bdf = "0000:01:00.0" };
	static const struct pci_device alone = {
		.is_vf = true, .bdf = "0000:01:10.3", .pf_bdf = "0000:01:00.0"
	};

	play_anew();
	test("what is no VF is refused what only a VF has, and may have an address");
	ok(probed(&vlan, &pf) == -1 && err.code == ERR_NETCONF && strstr(err.msg, "net1 is not an "
										  ""));
	a.has_mac = true;
	ok(probed(&nothing, &pf) == 0 && a.rec.vf_set == 0);
	eq(play.asked, "");
	test("a VF is looked at also when nothing is to be set, and what is to be is recorded");
	a.has_mac = false;
	ok(probed(&nothing, NULL) == 0 && a.rec.vf.have == VF_ALL && a.rec.vf_set == 0);
	eq(play.asked, "get ");
	a.has_mac = true;
	ok(probed(&vlan, NULL) == 0 && a.rec.vf_set == (VF_MAC | VF_VLAN));
	test("a PF that is not here, or tells nothing, is in the way of what is to be set only");
	ok(probed(&vlan, &alone) == -1 && err.sys == ENODEV);
	play.found = 0;
	ok(probed(&vlan, NULL) == -1 && strstr(err.msg, "lists no VF 3"));
	play.found = -1;
	play.sys = EMSGSIZE;
	ok(probed(&vlan, NULL) == -1 && err.sys == EMSGSIZE);
	a.has_mac = false;
	ok(probed(&nothing, NULL) == 0);
	play.sys = ENOBUFS;
	ok(probed(&nothing, NULL) == 0);
	play.sys = EIO;
	ok(probed(&nothing, NULL) == -1 && err.sys == EIO);
	play.found = 0;
	ok(probed(&nothing, NULL) == 0 && probed(&nothing, &alone) == 0);
}

static void test_probe_chained(void)
{
	play_anew();
	test("of another plugin's VF only what is set is remembered");
	a.rec.chained = true;
	a.has_mac = false;
	ok(probed(&nothing, NULL) == 0);
	eq(play.asked, "");
	ok(probed(&vlan, NULL) == 0 && a.rec.vf_set == VF_VLAN);
	test("and its trust, when it gets an address");
	a.rec.mac_set = true;
	ok(probed(&vlan, NULL) == 0 && a.rec.vf_set == (VF_VLAN | VF_TRUST));
	play.vf.have = VF_VLAN;
	ok(probed(&vlan, NULL) == 0 && a.rec.vf_set == VF_VLAN);
	a.rec.chained = false;
	play.vf.have = VF_ALL;
	ok(probed(&vlan, NULL) == 0 && a.rec.vf_set == VF_VLAN);
	a.rec.mac_set = false;
}

static void test_apply(void)
{
	play_anew();
	test("what is wanted is set, and looked at only when the driver took it one by one");
	ok(probed(&vlan, NULL) == 0 && vf_aspect.apply(&a, &err) == 0);
	eq(play.asked, "get set 2 ");
	play.refuses = VF_VLAN;
	ok(vf_aspect.apply(&a, &err) == -1);
	eq(err.msg, "configure 0000:01:10.3 on PF ens1f0: refused");
	test("nothing is set where nothing is wanted, or nothing recorded");
	a.rec.vf_set = 0;
	*play.asked = '\0';
	ok(vf_aspect.apply(&a, &err) == 0 && probed(&nothing, NULL) == 0);
	a.rec.vf_set = VF_VLAN;
	ok(vf_aspect.apply(&a, &err) == 0);
	eq(play.asked, "get ");
}

static const char *checked(const struct netconf *conf, uint32_t vf_set)
{
	static struct err all;
	struct record rec = { .device = "0000:01:10.3", .vf_set = vf_set };
	struct check c = {
		.conf = conf, .rec = &rec, .mac = wanted, .call = &call, .made_by = "ADD",
	};

	*play.asked = '\0';
	err = (struct err){ 0 };
	if (vf_aspect.check(&c, &err) < 0)
		return "an error";
	all = c.all;
	return all.code == ERR_OK ? "" : all.details;
}

static void test_check(void)
{
	play_anew();
	test("CHECK compares what the ADD has set, and asks nobody when that is nothing");
	eq(checked(&vlan, 0), "");
	eq(play.asked, "");
	play.vf.vlan = 5;
	eq(checked(&vlan, VF_VLAN), "");
	eq(play.asked, "get ");
	play.vf.vlan = 6;
	contains(checked(&vlan, VF_VLAN), "vlan of VF 3");
	contains(checked(&vlan, VF_MAC), "mac of VF 3");
	test("a VF that is not there is a difference");
	play.pf_ifindex = 0;
	contains(checked(&vlan, VF_VLAN), "not to be found");
	play.pf_ifindex = 7;
	play.found = 0;
	contains(checked(&vlan, VF_VLAN), "not to be found");
	test("one that cannot be looked at is an error, and no difference");
	play.found = -1;
	eq(checked(&vlan, VF_VLAN), "an error");
	eq(err.msg, "vf: 0000:01:10.3: played");
	play.sys = EIO;
	eq(checked(&vlan, VF_VLAN), "an error");
}

/* A VF whose address was `first`, on its PF, too. */
static struct record record_of(uint32_t vf_set)
{
	struct record rec = {
		.device = "0000:01:10.3", .netdev = { .name = "v0", .perm_len = MAC_LEN },
		.vf = { .have = VF_ALL }, .vf_set = vf_set,
	};

	memcpy(rec.vf.mac, first, MAC_LEN);
	memcpy(rec.netdev.perm, first, MAC_LEN);
	play_anew();
	return rec;
}

static int settled(struct record *rec)
{
	static const struct pci_device dev = { .is_vf = true, .vf_index = 3, .pf_ifindex = 7 };
	static const struct journal journal;
	struct nl home = { 0 };

	*play.asked = '\0';
	err = (struct err){ 0 };
	return vf_settle_mac(&home, &journal, rec, &dev, &err);
}

static void test_recall(void)
{
	struct record rec = record_of(0);

	test("the VF is asked for the address that the PF has, and for no other");
	play.settles = 1;
	ok(settled(&rec) == 0);
	eq(play.asked, "settle ");
	test("unless its permanent one was another: the PF has that while it is reset");
	memcpy(rec.netdev.perm, other, MAC_LEN);
	ok(settled(&rec) == 0 && memcmp(play.vf.mac, first, MAC_LEN) == 0);
	eq(play.asked, "set 1 settle get set 1 get ");
	test("what cannot be given back then is the error");
	play.found = -1;
	play.settles = -1;
	ok(settled(&rec) == -1 && strstr(err.msg, "played"));
	play.found = 1;
	ok(settled(&rec) == -1);
	eq(err.msg, "unsettled");
	test("an address that is none, or that the PF does not take, is not the PF's for a moment");
	play.settles = 1;
	memset(rec.netdev.perm, 0, MAC_LEN);
	ok(settled(&rec) == 0);
	eq(play.asked, "settle ");
	memcpy(rec.netdev.perm, other, MAC_LEN);
	rec.netdev.perm_len = 20;
	ok(settled(&rec) == 0);
	eq(play.asked, "settle ");
	rec.netdev.perm_len = MAC_LEN;
	memset(rec.vf.mac, 0, MAC_LEN);
	ok(settled(&rec) == 0);
	eq(play.asked, "settle ");
	memcpy(rec.vf.mac, first, MAC_LEN);
	rec.vf.have = VF_VLAN;
	ok(settled(&rec) == 0);
	eq(play.asked, "settle ");
	rec.vf.have = VF_ALL;
	play.refuses = VF_MAC;
	ok(settled(&rec) == 0);
	eq(play.asked, "set 1 settle ");
}

static void test_force(void)
{
	struct record rec = record_of(VF_MAC);

	test("a VF that insists on its address is trusted for a moment, of which the record tells");
	ok(settled(&rec) == 0 && play.recorded == (VF_MAC | VF_TRUST) && !play.vf.trust);
	eq(play.asked, "settle record set 20 mac get set 20 get ");
	test("which is written once");
	ok(settled(&rec) == 0);
	eq(play.asked, "settle set 20 mac get set 20 get ");
	test("an address that it does not take even then is the error; it is trusted no more");
	play.restores = -1;
	ok(settled(&rec) == -1 && !play.vf.trust);
	eq(err.msg, "no mac");
	test("one that is to be clean is cleaned again");
	play.restores = 0;
	rec.known_clean = true;
	ok(settled(&rec) == 0);
	eq(play.asked, "settle set 20 mac get set 20 get get get set 1 ");
	test("what cannot be written, set or taken back is an error");
	play.refuses = VF_TRUST;
	ok(settled(&rec) == -1);
	eq(err.msg, "refused");
	rec = record_of(VF_MAC);
	play.unwritable = true;
	ok(settled(&rec) == -1);
	eq(play.asked, "settle record ");
	rec = record_of(VF_MAC);
	play.found = -1;
	ok(settled(&rec) == -1 && strstr(err.msg, "played"));
	rec = record_of(VF_MAC);
	rec.vf.have &= ~(uint32_t)VF_TRUST;
	ok(settled(&rec) == -1);
	eq(err.msg, "v0 does not take its address back");
}

int main(void)
{
	test_probe();
	test_probe_chained();
	test_apply();
	test_check();
	test_recall();
	test_force();
	return tap_end();
}
