/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_representor.c - what is set on a representor, and put back
 *
 * The kernel's links and bridges are played (see WRAP in GNUmakefile), what sysfs shows is a
 * made-up tree's: eth3 is the representor of VF 0 of PF 0000:03:00.0, eth2 that of its SF 0.
 */
#include "base/mem.h"
#include "cni/attach/choose.h"
#include "cni/representor/representor.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <net/if.h>

#define PF "0000:03:00.0"
#define VF "0000:03:00.2"
#define SF "mlx5_core.sf.4"
#define NET "sys/class/net/"

enum { BR0 = 70, BR1, OVS, REP_SF = 12, REP, LINKS_MAX = 8 };

static struct fake_node n;

/* -- the kernel -- */

static struct played {
	struct link link;
	struct bridge_vlans vlans;
} kernel[LINKS_MAX];
static unsigned int devlink_sockets, vlan_changes;
static int master_error;

/* One without a number when there is none. */
static struct played *at(int ifindex)
{
	size_t i = 0;

	while (i < LINKS_MAX - 1 && kernel[i].link.ifindex != ifindex)
		i++;
	return &kernel[i];
}

int __wrap_nl_open(int nsfd, int bus, struct nl *ret, struct err *e);
int __wrap_nl_open(int nsfd, int bus, struct nl *ret, struct err *e)
{
	(void)nsfd;
	(void)bus;
	(void)e;
	*ret = (struct nl){ .fd = 0 };
	return 0;
}

int __wrap_devlink_open(struct devlink *ret, struct err *e);
int __wrap_devlink_open(struct devlink *ret, struct err *e)
{
	(void)ret;
	(void)e;
	devlink_sockets++;
	return 0;
}

int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e);
int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e)
{
	const struct played *p = at(ifindex);

	(void)nl;
	(void)e;
	*ret = p->link;
	return ret->ifindex != 0;
}

int __wrap_link_set(struct nl *nl, int ifindex, const struct link_change *c, struct err *e);
int __wrap_link_set(struct nl *nl, int ifindex, const struct link_change *c, struct err *e)
{
	struct link *link = &at(ifindex)->link;

	(void)nl;
	(void)e;
	if (c->mtu)
		link->mtu = c->mtu;
	link->flags = (link->flags & ~c->mask) | (c->flags & c->mask);
	return 0;
}

int __wrap_bridge_get(struct nl *nl, const char *name, struct bridge *ret, struct err *e);
int __wrap_bridge_get(struct nl *nl, const char *name, struct bridge *ret, struct err *e)
{
	(void)nl;
	(void)e;
	*ret = (struct bridge){ .is_bridge = true, .vlan_filtering = true };
	for (size_t i = 0; i < LINKS_MAX; i++)
		if (strcmp(kernel[i].link.name, name) == 0)
			ret->ifindex = kernel[i].link.ifindex;
	(void)snprintf(ret->name, sizeof(ret->name), "%s", name);
	return ret->ifindex != 0;
}

int __wrap_bridge_set_master(struct nl *nl, int ifindex, int bridge, struct err *e);
int __wrap_bridge_set_master(struct nl *nl, int ifindex, int bridge, struct err *e)
{
	struct played *p = at(ifindex);

	(void)nl;
	if (master_error)
		return err_set(e, ERR_NETLINK, master_error, "no");
	p->link.master = bridge;
	p->vlans = (struct bridge_vlans){ .pvid = bridge ? 1 : 0 };
	if (bridge) {
		idset_add(&p->vlans.all, 1);
		idset_add(&p->vlans.untagged, 1);
	}
	return 0;
}

int __wrap_bridge_vlans_get(struct nl *nl, int ifindex, struct bridge_vlans *ret, struct err *e);
int __wrap_bridge_vlans_get(struct nl *nl, int ifindex, struct bridge_vlans *ret, struct err *e)
{
	(void)nl;
	(void)e;
	*ret = at(ifindex)->vlans;
	return 1;
}

int __wrap_bridge_vlans_set(struct nl *nl, int ifindex, const struct bridge_vlans *now,
			    const struct bridge_vlans *want, struct err *e);
int __wrap_bridge_vlans_set(struct nl *nl, int ifindex, const struct bridge_vlans *now,
			    const struct bridge_vlans *want, struct err *e)
{
	(void)nl;
	(void)e;
	ok(bridge_vlans_equal(now, &at(ifindex)->vlans));
	at(ifindex)->vlans = *want;
	vlan_changes++;
	return 0;
}

static void put_link(size_t i, int ifindex, const char *name, const char *kind, int master)
{
	struct link *l = &kernel[i].link;

	*l = (struct link){ .ifindex = ifindex, .master = master, .mtu = 1500, .flags = IFF_UP };
	(void)snprintf(l->name, sizeof(l->name), "%s", name);
	(void)snprintf(l->kind, sizeof(l->kind), "%s", kind);
}

/* Both representors up, ports of a master (0: of none) with VLANs 100 and 200 to 210. */
static void boot(int master)
{
	memset(kernel, 0, sizeof(kernel));
	put_link(0, 2, "ens1f0np0", "", 0);
	put_link(1, REP, "eth3", "", master);
	put_link(2, REP_SF, "eth2", "", master);
	put_link(3, BR0, "br0", "bridge", 0);
	put_link(4, BR1, "br1", "bridge", 0);
	put_link(5, OVS, "ovs-system", "openvswitch", 0);
	for (size_t i = 1; master && i < 3; i++) {
		kernel[i].vlans.pvid = 100;
		idset_add(&kernel[i].vlans.all, 100);
		idset_add(&kernel[i].vlans.untagged, 100);
		for (unsigned int id = 200; id <= 210; id++)
			idset_add(&kernel[i].vlans.all, id);
	}
	devlink_sockets = vlan_changes = 0;
	master_error = 0;
}

/* "br0 1500 up: 100 pvid untagged" */
static const char *state(int ifindex)
{
	const struct played *p = at(ifindex), *master = at(p->link.master);
	static char text[128];
	char vlans[BRIDGE_VLANS_TEXT];

	(void)snprintf(text, sizeof(text), "%s %u %s: %s",
		       p->link.master ? master->link.name : "-", p->link.mtu,
		       p->link.flags & IFF_UP ? "up" : "down",
		       bridge_vlans_format(&p->vlans, vlans));
	return text;
}

static void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", n.dir, command) < 0 || system(full) != 0)
		exit(1);
}

/* -- an attachment -- */

static struct netconf conf;
static struct cni_call call = { .ifname = "net1" };
static struct err err;

static struct attachment attachment(bool is_pci)
{
	struct attachment a = { .host = &n.host, .call = &call, .conf = &conf };

	a.dev.is_pci = a.rec.is_pci = is_pci;
	(void)snprintf(a.dev.key, sizeof(a.dev.key), "%s", is_pci ? VF : SF);
	memcpy(a.rec.device, a.dev.key, sizeof(a.rec.device));
	ok(choose_read(&n.host, &a.dev, &err) == 0);
	return a;
}

static void configure(int64_t mtu, const char *bridge, int vlan)
{
	conf = (struct netconf){ .mtu = mtu, .vlan = vlan };
	if (bridge) {
		conf.port.present = true;
		conf.port.bridges = 1;
		(void)snprintf(conf.port.bridge[0], sizeof(conf.port.bridge[0]), "%s", bridge);
	}
	err = (struct err){ 0 };
}

static int attach(struct attachment *a)
{
	return representor_probe(a, &err) < 0 ? -1 : representor_configure(a, &err);
}

static int restore(struct attachment *a)
{
	struct pci_device dev = { 0 };

	err = (struct err){ 0 };
	if (a->rec.is_pci)
		ok(eswitch_pci(&n.host, VF, &dev, &err) == 1);
	return representor_restore(&n.host, &a->rec, &dev, &err);
}

/* -- tests -- */

static void round_trips(void)
{
	struct attachment a;

	test("with mtu alone a representor that is a port keeps its bridge and VLANs");
	boot(BR1);
	configure(1400, NULL, -1);
	a = attachment(true);
	ok(attach(&a) == 0);
	eq(state(REP), "br1 1400 up: 100 pvid untagged, 200-210");
	ok(restore(&a) == 0);
	eq(state(REP), "br1 1500 up: 100 pvid untagged, 200-210");
	ok(vlan_changes == 0);

	test("a port goes to another bridge and comes back with its VLANs");
	configure(0, "br0", 7);
	a = attachment(true);
	ok(attach(&a) == 0);
	eq(state(REP), "br0 1500 up: 7 pvid untagged");
	ok(restore(&a) == 0);
	eq(state(REP), "br1 1500 up: 100 pvid untagged, 200-210");

	test("and on its own bridge gets its VLANs back");
	configure(0, "br1", 7);
	a = attachment(true);
	ok(attach(&a) == 0);
	eq(state(REP), "br1 1500 up: 7 pvid untagged");
	ok(restore(&a) == 0);
	eq(state(REP), "br1 1500 up: 100 pvid untagged, 200-210");

	test("the representor of a sub-function as well");
	boot(0);
	at(REP_SF)->link.flags = 0;
	configure(1400, "br0", 7);
	a = attachment(false);
	ok(attach(&a) == 0);
	eq(state(REP_SF), "br0 1400 up: 7 pvid untagged");
	ok(restore(&a) == 0);
	eq(state(REP_SF), "- 1500 down: none");
}

static void masters(void)
{
	struct attachment a;

	test("a representor that is a port of no bridge is refused, with both names");
	boot(OVS);
	configure(0, "br0", 7);
	a = attachment(true);
	ok(representor_probe(&a, &err) == -1 && err.code == ERR_DEVICE);
	ok(strstr(err.msg, "eth3 is a port of ovs-system") && strstr(err.msg, "openvswitch"));
	test("unless only its MTU is to be set");
	configure(1400, NULL, -1);
	a = attachment(true);
	ok(attach(&a) == 0 && restore(&a) == 0);
	eq(state(REP), "ovs-system 1500 up: 100 pvid untagged, 200-210");

	test("for a port of Open vSwitch it is set up, with its MTU, be it one already");
	for (int master = 0; master <= OVS; master += OVS) {
		boot(master);
		at(REP)->link.flags = 0;
		configure(1400, NULL, 7);
		conf.socket.sw.netdev = true;
		a = attachment(true);
		ok(attach(&a) == 0 && vlan_changes == 0);
		ok(at(REP)->link.master == master && at(REP)->link.flags & IFF_UP);
		ok(at(REP)->link.mtu == 1400);
		ok(restore(&a) == 0 && at(REP)->link.master == master);
		ok(!(at(REP)->link.flags & IFF_UP) && at(REP)->link.mtu == 1500);
	}

	test("a bridge that takes no port is told by its name");
	boot(0);
	configure(0, "br0", 7);
	a = attachment(true);
	master_error = EBUSY;
	ok(attach(&a) == -1 && strstr(err.msg, "eth3") && strstr(err.msg, "br0"));

	test("a bridge that went meanwhile gets no port back, nor does the next one of its number");
	boot(BR1);
	configure(0, "br0", 7);
	a = attachment(true);
	ok(attach(&a) == 0);
	(void)snprintf(at(BR1)->link.name, sizeof(at(BR1)->link.name), "br9");
	ok(restore(&a) == 0);
	eq(state(REP), "- 1500 up: none");
	ok(a.rec.port.master == BR1);
	eq(a.rec.port.master_name, "br1");
}

static void is_it_ours(bool is_pci)
{
	int rep = is_pci ? REP : REP_SF;
	struct attachment a;

	boot(0);
	configure(1400, NULL, -1);
	a = attachment(is_pci);
	ok(attach(&a) == 0);
	sh("mv " NET "ens1f0np0 " NET "../away && mv sys/devices/pci0000:00/0000:00:02.0/" PF
	   "/net/ens1f0np0 sys/away");
	test("while the uplink is out of sight nothing is said of a representor: later");
	ok(restore(&a) == -1 && err.code == ERR_TRY_AGAIN && strstr(err.msg, PF));
	ok(at(rep)->link.mtu == 1400);
	test("what is no representor at all has but its number");
	sh("mv " NET "eth3/phys_switch_id sys/id3 && mv " NET "eth2/phys_switch_id sys/id2");
	ok(restore(&a) == 0 && at(rep)->link.mtu == 1400);
	sh("mv sys/id3 " NET "eth3/phys_switch_id && mv sys/id2 " NET "eth2/phys_switch_id");
	sh("mv " NET "../away " NET "ens1f0np0 && mv sys/away sys/devices/pci0000:00/0000:00:02.0/"
	   PF "/net/ens1f0np0");
	test("nor has what is another's representor now");
	sh("echo pf0vf99 >" NET "eth3/phys_port_name && echo pf0sf99 >" NET "eth2/phys_port_name");
	ok(restore(&a) == 0 && at(rep)->link.mtu == 1400);
	sh("echo pf0vf0 >" NET "eth3/phys_port_name && echo pf0sf0 >" NET "eth2/phys_port_name");
	test("when both are there it is restored");
	ok(restore(&a) == 0 && at(rep)->link.mtu == 1500);
	test("one that has gone needs nothing");
	at(rep)->link.ifindex = 99;
	ok(restore(&a) == 0);
}

static void checking(void)
{
	struct attachment a;

	boot(0);
	configure(1400, "br0", 7);
	a = attachment(true);
	ok(attach(&a) == 0);
	struct check c = { .host = &n.host, .call = &call, .conf = &conf, .rec = &a.rec,
			   .made_by = "ADD" };
	test("CHECK finds nothing to say of what is as it was set");
	ok(representor_check(&c, &err) == 0);
	ok(c.all.code == ERR_OK);
	test("a VF whose PF was taken away is a difference, no failure");
	sh("mv sys/bus/pci/devices/" PF " sys/pf");
	ok(representor_check(&c, &err) == 0);
	eq(c.all.details, "representor: eth3 is not that of 0000:03:00.2 any more");
	sh("mv sys/pf sys/bus/pci/devices/" PF);
}

static void looking_once(void)
{
	struct attachment a;

	test("an ADD looks for the representor once");
	boot(0);
	configure(1400, "br0", 7);
	a = attachment(true);
	ok(attach(&a) == 0);
	ok(representor_find(&a, &err) == 1 && a.rep.ifindex == REP);
	ok(devlink_sockets == 1);
	test("also when there is none");
	a = attachment(true);
	sh("echo pf0vf99 >" NET "eth3/phys_port_name && echo pf1vf99 >" NET "eth4/phys_port_name");
	ok(representor_find(&a, &err) == 0 && representor_find(&a, &err) == 0);
	ok(devlink_sockets == 2);
	test("and then says what is missing");
	ok(representor_probe(&a, &err) == -1 && strstr(err.msg, "VF 0 of PF " PF));
	sh("echo pf0vf0 >" NET "eth3/phys_port_name && echo pf1vf0 >" NET "eth4/phys_port_name");
	test("a device that is not known yet is looked for again");
	a = attachment(true);
	a.dev.is_pci = false;
	a.dev.key[0] = '\0';
	ok(representor_find(&a, &err) == 0);
	a.dev.is_pci = true;
	ok(representor_find(&a, &err) == 1 && a.rep.ifindex == REP);
}

int main(void)
{
	node_open("mlx5", &n);
	round_trips();
	masters();
	is_it_ours(true);
	is_it_ours(false);
	checking();
	looking_once();
	node_close(&n);
	return tap_end();
}
