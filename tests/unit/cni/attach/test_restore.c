/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_restore.c - the order in which a device is given back, and what an error on the way changes
 *
 * All that restore.c calls is played (see WRAP in GNUmakefile): it notes that it was asked, and
 * fails when it is told to.
 */
#include "cni/aspect/hardware.h"
#include "cni/attach/restore.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev.h"
#include "cni/rdma/infiniband.h"
#include "cni/representor/representor.h"
#include "cni/socket/socket.h"
#include "cni/switch/ovs_port.h"
#include "cni/vdpa/vdpa.h"
#include "cni/vf/vf.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/eswitch.h"
#include "tests/unit/logged.h"
#include "tests/unit/tap.h"

#include <errno.h>

static struct {
	const char *fails, *absent;	/* see played.h */
	enum err_code code;
	bool in_pod, has_macs, mac_refused, mac_settles;
	char driver[64];
	uint32_t mask, sure, given;	/* of vf_restore(), and of the first vf_set() */
	char asked[512];
} play;

#include "tests/unit/played.h"

PLAY(vf_clean, 0, struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
     struct err *e)
PLAY(netdev_restore_mac, 0, struct nl *home, const struct record *rec, struct err *e)
PLAY(netdev_settle_mac, play.mac_settles, struct nl *home, const struct record *rec, struct err *e)
PLAY(netdev_restore_in_place, 0, struct nl *home, struct nl *pod, const struct record *rec,
     struct err *e)
PLAY(hardware_has_netdev, 1, const struct host *host, const struct record *rec,
     const struct pci_device *dev, struct err *e)
PLAY(driver_reset, 0, const struct host *host, const char *bdf, const struct driver_state *state,
     struct err *e)
PLAY(driver_restore, 0, const struct host *host, const char *bdf, const struct driver_state *state,
     struct err *e)
PLAY(driver_check_free, 0, const struct host *host, const char *bdf, struct err *e)
PLAY(owner_open, 1, const struct record *rec, struct nl *ret, struct err *e)
PLAY(owner_this_boot, 1, const struct host *host, const struct record *rec, struct err *e)
PLAY(vdpa_restore, 0, const struct host *host, struct record *rec, struct err *e)
PLAY(vdpa_check_free, 0, const struct host *host, struct record *rec, struct err *e)
PLAY(nl_open, 0, int nsfd, int bus, struct nl *ret, struct err *e)
PLAY(infiniband_restore, 0, const struct host *host, const struct journal *journal,
     struct record *rec, const struct pci_device *dev, struct err *e)
PLAY(infiniband_settle, 0, const struct host *host, const struct journal *journal,
     struct record *rec, struct err *e)
PLAY(representor_restore, 0, const struct host *host, const struct record *rec,
     const struct pci_device *dev, struct err *e)
PLAY(ovs_port_detach, 0, const struct ovs_port *p, struct err *e)
PLAY(socket_restore, 0, const struct host *host, const struct journal *journal,
     const struct record *rec, struct err *e)
PLAY(journal_write, 0, const struct journal *j, const struct record *r, struct err *e)

int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e);
int __wrap_vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		  struct err *e)
{
	if (!play.given)
		play.given = want->have;
	return played("vf_set", 0, e);
}

int __wrap_vf_restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
		      uint32_t mask, uint32_t sure, struct err *e);
int __wrap_vf_restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
		      uint32_t mask, uint32_t sure, struct err *e)
{
	play.mask = mask;
	play.sure = sure;
	return played("vf_restore", 0, e);
}

bool __wrap_netdev_has_macs(const struct link *link, const struct netdev_state *was);
bool __wrap_netdev_has_macs(const struct link *link, const struct netdev_state *was)
{
	return play.has_macs;
}

int __wrap_netdev_await(struct nl *home, struct nl *pod, const struct record *rec, bool must_be,
			struct netdev_place *ret, struct err *e);
int __wrap_netdev_await(struct nl *home, struct nl *pod, const struct record *rec, bool must_be,
			struct netdev_place *ret, struct err *e)
{
	ret->in_pod = play.in_pod;
	return played("netdev_await", 1, e);
}

int __wrap_netdev_fetch(struct nl *home, struct nl *pod, const struct journal *journal,
			struct record *rec, struct netdev_place *place, struct err *e);
int __wrap_netdev_fetch(struct nl *home, struct nl *pod, const struct journal *journal,
			struct record *rec, struct netdev_place *place, struct err *e)
{
	int r = played("netdev_fetch", 0, e);

	place->in_pod = r < 0;
	return r;
}

int __wrap_netdev_settle(struct nl *home, const struct record *rec, struct link *now,
			 bool *mac_refused, struct err *e);
int __wrap_netdev_settle(struct nl *home, const struct record *rec, struct link *now,
			 bool *mac_refused, struct err *e)
{
	*mac_refused = play.mac_refused;
	return played("netdev_settle", 0, e);
}

/* Of the device after its driver was given back, and before. */
static int show(const char *what, struct pci_device *ret, struct err *e)
{
	*ret = (struct pci_device){ .vf_index = 3, .pf_ifindex = 7 };
	memcpy(ret->driver, play.driver, sizeof(play.driver));
	return played(what, 1, e);
}

int __wrap_eswitch_pci(const struct host *host, const char *bdf, struct pci_device *ret,
		       struct err *e);
int __wrap_eswitch_pci(const struct host *host, const char *bdf, struct pci_device *ret,
		       struct err *e)
{
	return show("eswitch_pci", ret, e);
}

int __wrap_hardware_find(const struct host *host, const struct record *rec,
			 struct pci_device *ret, struct err *e);
int __wrap_hardware_find(const struct host *host, const struct record *rec,
			 struct pci_device *ret, struct err *e)
{
	return show("hardware_find", ret, e);
}

/* A VF that is in the pod, with address and VLAN that this attachment has set. */
static struct record vf_record(void)
{
	memset(&play, 0, sizeof(play));
	play.fails = play.absent = "";
	play.code = ERR_DEVICE;
	play.in_pod = play.has_macs = true;
	return (struct record){
		.device = "0000:01:10.3", .is_pci = true, .unique_parent = true,
		.netdev = { .present = true, .name = "v0" },
		.vf = { .have = VF_ALL & ~(uint32_t)VF_TRUST }, .vf_set = VF_MAC | VF_VLAN,
	};
}

static const struct host host;
static const struct journal journal;
static struct err e;

static int restore(struct record *rec)
{
	e = (struct err){ 0 };
	keep_log();
	return restore_device(&host, &journal, rec, &e);
}

static bool asked(const char *what)
{
	return strstr(play.asked, what) != NULL;
}

#define CHECKED	"owner_this_boot hardware_find driver_check_free vdpa_check_free "

static void test_order(void)
{
	struct record rec = vf_record();

	test("RDMA device, network device, vDPA device, VF, RDMA device again, representor");
	ok(restore(&rec) == 0);
	eq(play.asked, CHECKED "nl_open infiniband_restore owner_open hardware_has_netdev "
	   "netdev_await vf_set netdev_fetch netdev_settle vdpa_restore vf_restore "
	   "infiniband_settle representor_restore");
	test("the address goes back before the move; what else was set is sure to differ");
	ok(play.given == VF_MAC && play.mask == (VF_MAC | VF_VLAN) && play.sure == VF_VLAN);
	test("the VF's address is looked at also when nothing was set");
	rec = vf_record();
	rec.vf_set = 0;
	ok(restore(&rec) == 0 && play.given == 0 && play.mask == VF_MAC && play.sure == 0);
	test("a VF that is to be clean is cleaned");
	rec = vf_record();
	rec.known_clean = true;
	ok(restore(&rec) == 0 && asked("vf_clean") && !asked("vf_restore"));
	test("a reset comes after the move home, and its network device is awaited");
	rec = vf_record();
	rec.reset = true;
	ok(restore(&rec) == 0);
	ok(asked("netdev_fetch driver_reset hardware_has_netdev netdev_await netdev_settle"));
	test("also without a network device, which the log tells of hardware");
	rec = vf_record();
	rec.reset = true;
	play.absent = " netdev_await ";
	ok(restore(&rec) == 0 && !asked("netdev_fetch") && asked("vdpa_restore driver_reset vf_"));
	ok(!logged("network device"));
	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), "0000:01:10.3");
	ok(restore(&rec) == 0 && logged("driver=none before=v0"));
	(void)snprintf(rec.netdev.kind, sizeof(rec.netdev.kind), "veth");
	ok(restore(&rec) == 0 && !logged("network device"));
}

static void test_nothing(void)
{
	struct record rec = vf_record();

	test("nothing is done to a device of another boot, given back already, or gone");
	play.absent = " owner_this_boot ";
	ok(restore(&rec) == 0);
	eq(play.asked, "owner_this_boot");
	rec = vf_record();
	rec.released = true;
	*play.asked = '\0';
	ok(restore(&rec) == 0);
	eq(play.asked, "");
	rec = vf_record();
	play.absent = " hardware_find ";
	ok(restore(&rec) == 0);
	eq(play.asked, "owner_this_boot hardware_find");
	test("but a port in a database outlives device and boot, until it was given back");
	for (int i = 0; i < 3; i++) {
		rec = vf_record();
		(void)snprintf(rec.ovs.port, sizeof(rec.ovs.port), "eth3");
		play.absent = i == 0 ? " owner_this_boot " : i == 1 ? " hardware_find " : "";
		rec.released = i == 2;
		ok(restore(&rec) == 0);
		ok(asked("ovs_port_detach") == (i < 2) && !asked("representor"));
	}
	test("of a device that is there it goes last, whatever else fails");
	rec = vf_record();
	(void)snprintf(rec.ovs.port, sizeof(rec.ovs.port), "eth3");
	play.fails = " representor_restore  netdev_settle ";
	ok(restore(&rec) == -1 && asked("representor_restore owner_this_boot ovs_port_detach"));
	test("nothing is done to one that a program has");
	rec = vf_record();
	(void)snprintf(rec.ovs.port, sizeof(rec.ovs.port), "eth3");
	play.fails = " driver_check_free ";
	ok(restore(&rec) == -1);
	eq(e.msg, "device 0000:01:10.3: driver_check_free");
	ok(!asked("infiniband") && !asked("representor") && !asked("ovs_port_detach"));
	rec = vf_record();
	play.fails = " vdpa_check_free ";
	ok(restore(&rec) == -1 && !asked("infiniband"));
	test("but what a program has since another boot, or after the release, is its own");
	rec = vf_record();
	play.fails = " driver_check_free ";
	play.absent = " owner_this_boot ";
	ok(restore_check(&host, &rec, &e) == 0);
	rec.released = true;
	*play.asked = '\0';
	ok(restore_check(&host, &rec, &e) == 0);
	eq(play.asked, "");
	test("a socket's files may outlive a boot");
	rec = vf_record();
	(void)snprintf(rec.socket.path, sizeof(rec.socket.path), "/run/s");
	ok(restore(&rec) == 0);
	eq(play.asked, "socket_restore");
	rec.released = true;
	*play.asked = '\0';
	ok(restore(&rec) == 0);
	eq(play.asked, "");
}

/* Which step fails, and whether the PF's side is restored all the same. */
static const struct {
	const char *fails;
	bool vf_restored;
} steps[] = {
	{ "infiniband_restore", true },
	{ "owner_open", false },
	{ "hardware_has_netdev", false },
	{ "netdev_await", false },
	{ "netdev_fetch", false },
	{ "netdev_settle", true },
	{ "vdpa_restore", false },
	{ "vf_restore", true },
	{ "infiniband_settle", true },
	{ "representor_restore", true },
};

static void test_failures(void)
{
	struct record rec;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		char fails[64];

		rec = vf_record();
		(void)snprintf(fails, sizeof(fails), " %s ", steps[i].fails);
		play.fails = fails;
		test("a step that fails is the error, and all others that may be done are");
		ok(restore(&rec) == -1);
		eq(e.msg, steps[i].fails);
		ok(asked("nl_open infiniband_restore"));
		test("what the pod may be using keeps its VLAN");
		ok(asked("vf_restore") == steps[i].vf_restored);
		ok(asked("representor_restore") == steps[i].vf_restored);
		test("RDMA's name waits until all else is back");
		ok(asked("infiniband_settle") == (i >= 8));
	}
	test("several errors are all told");
	rec = vf_record();
	play.fails = " infiniband_restore  netdev_settle  vf_restore  representor_restore ";
	ok(restore(&rec) == -1);
	eq(e.msg, "infiniband_restore");
	ok(strstr(e.details, "netdev_settle") && strstr(e.details, "vf_restore"));
	contains(e.details, "representor_restore");
	test("a reset that fails is told, and the rest is done");
	rec = vf_record();
	rec.reset = true;
	play.fails = " driver_reset ";
	ok(restore(&rec) == -1 && asked("netdev_settle") && asked("vf_restore"));
	eq(e.msg, "driver_reset");
	rec.netdev.present = false;
	*play.asked = '\0';
	ok(restore(&rec) == -1 && asked("vf_restore"));
}

static void test_driver(void)
{
	struct record rec = vf_record();

	test("its driver comes back before its network device, and its address before that");
	(void)snprintf(rec.driver.bound, sizeof(rec.driver.bound), "vfio-pci");
	(void)snprintf(rec.driver.before, sizeof(rec.driver.before), "igbvf");
	(void)snprintf(play.driver, sizeof(play.driver), "vfio-pci");
	play.in_pod = false;
	ok(restore(&rec) == 0 && !logged("driver"));
	ok(asked("nl_open infiniband_restore vf_set driver_restore eswitch_pci owner_open"));
	ok(play.sure == VF_VLAN);
	test("one that a program has keeps its VLAN");
	play.fails = " driver_restore ";
	play.code = ERR_TRY_AGAIN;
	*play.asked = '\0';
	ok(restore(&rec) == -1 && !asked("vf_restore"));
	play.code = ERR_DEVICE;
	(void)snprintf(play.driver, sizeof(play.driver), "vfio-pci");
	*play.asked = '\0';
	ok(restore(&rec) == -1 && !asked("vf_restore"));
	test("one that has no driver at all does not");
	*play.driver = *play.asked = '\0';
	ok(restore(&rec) == -1 && asked("vf_restore") && !asked("netdev_await"));
	test("that somebody has taken its driver, which was the kernel's or not, is told");
	ok(logged("had=vfio-pci driver=none"));
	play.fails = "";
	*rec.driver.bound = '\0';
	ok(restore(&rec) == 0 && logged("had=igbvf driver=none"));
	(void)snprintf(play.driver, sizeof(play.driver), "uio");
	ok(restore(&rec) == 0 && logged("had=igbvf driver=uio"));
	test("but not when it has the one of before already");
	(void)snprintf(rec.driver.bound, sizeof(rec.driver.bound), "vfio-pci");
	(void)snprintf(play.driver, sizeof(play.driver), "igbvf");
	ok(restore(&rec) == 0 && !logged("driver"));
	test("one that goes meanwhile is an error that may change");
	play.fails = "";
	play.absent = " eswitch_pci ";
	ok(restore(&rec) == -1 && e.code == ERR_TRY_AGAIN);
}

static void test_mac(void)
{
	struct record rec = vf_record();

	test("an address that the VF insists on is asked for again when the PF is as before");
	play.has_macs = false;
	play.mac_settles = true;
	ok(restore(&rec) == 0 && asked("vf_restore netdev_settle_mac infiniband_settle"));
	test("that it was refused before is no error then");
	rec = vf_record();
	play.has_macs = false;
	play.mac_settles = play.mac_refused = true;
	play.fails = " netdev_settle ";
	ok(restore(&rec) == 0);
	test("one that does not take it at all, and cannot be trusted, is an error");
	rec = vf_record();
	play.has_macs = false;
	ok(restore(&rec) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "v0 does not take its address back");
	test("else it is trusted for that moment, which the record tells first");
	rec.vf.have |= VF_TRUST;
	*play.asked = '\0';
	ok(restore(&rec) == 0 && rec.vf_set & VF_TRUST);
	ok(asked("netdev_settle_mac journal_write vf_set netdev_restore_mac vf_restore"));
	ok(play.mask == (VF_TRUST | VF_MAC) && play.sure == 0);
	test("and not when that cannot be written");
	rec.vf_set = VF_MAC;
	play.fails = " journal_write ";
	*play.asked = '\0';
	ok(restore(&rec) == -1 && !asked("netdev_restore_mac"));
	eq(e.msg, "journal_write");
}

static void test_chained(void)
{
	struct record rec = vf_record();

	test("a device that stays in the container is restored there");
	rec.chained = rec.mac_set = true;
	play.mac_settles = true;
	ok(restore(&rec) == 0);
	eq(play.asked, CHECKED "nl_open owner_open netdev_restore_in_place vf_restore "
	   "netdev_settle_mac representor_restore");
	ok(play.mask == rec.vf_set && play.sure == 0);
	test("when nothing was set there, nothing is");
	rec.mac_set = false;
	rec.vf_set = 0;
	*play.asked = '\0';
	ok(restore(&rec) == 0 && !asked("owner_open") && asked("representor_restore"));
	test("an error there does not keep the PF's side");
	rec.mac_set = true;
	rec.vf_set = VF_MAC;
	play.fails = " netdev_restore_in_place ";
	*play.asked = '\0';
	ok(restore(&rec) == -1 && asked("vf_restore"));
	eq(e.msg, "netdev_restore_in_place");
	test("nor does one of the PF's side keep anything, and each error is told once");
	play.fails = " vf_restore ";
	*play.asked = '\0';
	ok(restore(&rec) == -1 && asked("vf_restore netdev_settle_mac representor_restore"));
	eq(e.msg, "vf_restore");
	eq(e.details, "");
	test("nor is an address that it has not taken at home left untold");
	play.fails = " netdev_settle_mac ";
	ok(restore(&rec) == -1);
	eq(e.msg, "netdev_settle_mac");
	test("one that has gone is not trusted");
	play.fails = "";
	rec.vf.have |= VF_TRUST;
	rec.vf_set |= VF_TRUST;
	*play.asked = '\0';
	ok(restore(&rec) == 0 && !asked("vf_set"));
	test("a trusted one that refuses its address is trusted once more, and asked again");
	play.fails = " netdev_restore_in_place ";
	*play.asked = '\0';
	ok(restore(&rec) == -1);
	ok(asked("netdev_restore_in_place vf_set netdev_restore_in_place vf_restore"));
}

int main(void)
{
	test_order();
	test_nothing();
	test_failures();
	test_driver();
	test_mac();
	test_chained();
	return tap_end();
}
