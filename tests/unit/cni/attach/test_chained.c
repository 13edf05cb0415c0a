/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_chained.c - the sub-function behind an interface that another plugin has made
 *
 * The links of the container and of the host are played (see WRAP in GNUmakefile), what sysfs shows
 * is a made-up tree's: mlx5_core.sf.5 (sfnum 99) has its network device in a container.
 */
#include "base/mem.h"
#include "cni/attach/choose.h"
#include "cni/attach/chained.h"
#include "cni/attach/probe.h"
#include "cni/netdev/netdev.h"
#include "devinfo/journal/device_ref.h"
#include "netlink/default_route.h"
#include "netlink/link_use.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#define SF5 "mlx5_core.sf.5"

static struct fake_node n;
static struct err err;

/* -- the kernel -- */

static struct link links[4];	/* of the one namespace that is looked at */
static size_t count;

int __wrap_link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e);
int __wrap_link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e)
{
	(void)nl;
	(void)e;
	for (size_t i = 0; i < count; i++)
		if (strcmp(links[i].name, name) == 0) {
			*ret = links[i];
			return 1;
		}
	return 0;
}

int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e);
int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e)
{
	(void)nl;
	(void)e;
	for (size_t i = 0; i < count; i++)
		if (links[i].ifindex == ifindex) {
			*ret = links[i];
			return 1;
		}
	return 0;
}

/* The node has no default route. */
int __wrap_default_routes_get(struct nl *nl, struct default_routes *ret, struct err *e);
int __wrap_default_routes_get(struct nl *nl, struct default_routes *ret, struct err *e)
{
	(void)nl;
	(void)e;
	*ret = (struct default_routes){ 0 };
	return 0;
}

/* And no address on an interface. */
int __wrap_link_use_find(struct nl *nl, const int *ifindex, size_t of, struct link_use *ret,
			 struct err *e);
int __wrap_link_use_find(struct nl *nl, const int *ifindex, size_t of, struct link_use *ret,
			 struct err *e)
{
	(void)nl;
	(void)ifindex;
	(void)of;
	(void)ret;
	(void)e;
	return 0;
}

int __wrap_link_find(struct nl *nl, link_match_fn *match, const void *arg, struct link *ret,
		     struct err *e);
int __wrap_link_find(struct nl *nl, link_match_fn *match, const void *arg, struct link *ret,
		     struct err *e)
{
	int found = 0;

	(void)nl;
	(void)e;
	for (size_t i = 0; i < count; i++)
		if (match(&links[i], arg) && found++ == 0)
			*ret = links[i];
	return found;
}

static struct link *put_link(const char *name, const char *bus, const char *parent)
{
	struct link *l = &links[count++];

	*l = (struct link){ .ifindex = 10 + (int)count, .mtu = 1500, .addr_len = MAC_LEN,
			    .perm_len = MAC_LEN, .addr = { 2, 9 }, .perm = { 2, 9 } };
	(void)snprintf(l->name, sizeof(l->name), "%s", name);
	(void)snprintf(l->parent_bus, sizeof(l->parent_bus), "%s", bus);
	(void)snprintf(l->parent_dev, sizeof(l->parent_dev), "%s", parent);
	return l;
}

static void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", n.dir, command) < 0 || system(full) != 0)
		exit(1);
}

/* -- an attachment -- */

static const struct cni_call call = { .ifname = "net1", .container_id = "c" };

static void conf_of(const char *member, struct netconf *ret)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "{\"cniVersion\":\"1.0.0\",\"name\":\"n\"%s%s}",
		       *member ? "," : "", member);
	err = (struct err){ 0 };
	ok(netconf_parse(text, strlen(text), ret, &err) == 0 && netconf_check(ret, &err) == 0);
}

/* What chained_probe() makes of it: 0, -1. */
static int look_in_place(struct attachment *a, const struct netconf *conf)
{
	*a = (struct attachment){
		.host = &n.host, .call = &call, .conf = conf, .netns = -1, .sriov_lock = -1,
		.icmp6 = -1, .journal = { .dir = -1, .lock = -1 },
	};
	a->rec = (struct record){
		.owner = { .network = "n", .container_id = "c", .ifname = "net1",
			   .netns = "/run/netns/c" },
		.chained = true, .boot_id = "b", .devinfo_dir = "/d", .run_dir = "/r",
	};
	if (journal_open(&n.host, JOURNAL_CREATE, &a->journal, &err) < 0 ||
	    chained_named_device(a, &err) < 0 || chained_probe(a, &err) < 0)
		return -1;
	return probe_name_device(a, &err);
}

static void found_by_parent(void)
{
	auto_netconf struct netconf conf = { 0 };
	struct attachment a;

	test("behind another plugin the sub-function is the device, and known by its number");
	count = 0;
	(void)put_link("net1", "auxiliary", SF5);
	conf_of("", &conf);
	ok(look_in_place(&a, &conf) == 0);
	eq(a.rec.device, SF5);
	eq(a.dev.id, SF5);
	ok(!a.rec.is_pci && a.rec.unique_parent && a.rec.sf_numbered && a.rec.sf_number == 99);
	eq(a.dev.sf.pf_bdf, "0000:65:00.0");
	journal_done(&a.journal);
	test("with a sibling in the container it is not the only one");
	(void)put_link("net2", "auxiliary", SF5);
	ok(look_in_place(&a, &conf) == 0 && !a.rec.unique_parent);
	eq(a.rec.device, SF5);
	journal_done(&a.journal);
	test("nor with one at home");
	count = 1;
	sh("mkdir -p sys/bus/auxiliary/devices/" SF5 "/net/eth8");
	sh("echo 8 >sys/bus/auxiliary/devices/" SF5 "/net/eth8/ifindex");
	ok(look_in_place(&a, &conf) == 0 && !a.rec.unique_parent);
	journal_done(&a.journal);
	sh("rm -r sys/bus/auxiliary/devices/" SF5 "/net");
	test("one that sysfs does not show has but its id");
	count = 0;
	(void)put_link("net1", "auxiliary", "mlx5_core.sf.77");
	ok(look_in_place(&a, &conf) == 0 && !a.rec.unique_parent);
	eq(a.rec.device, "");
	eq(a.dev.id, "mlx5_core.sf.77");
	journal_done(&a.journal);
}

static int take_owner(struct record *rec, void *arg, struct err *e)
{
	(void)e;
	(void)snprintf(arg, 64, "%s", rec->owner.container_id);
	return 1;
}

static void named(void)
{
	auto_netconf struct netconf opaque = { 0 }, right = { 0 }, wrong = { 0 };
	struct attachment a;
	char owner[64] = "";

	count = 0;
	(void)put_link("net1", "auxiliary", SF5);
	test("an id that only others know stays the id, and the record is the sub-function's");
	conf_of("\"deviceID\":\"sf-99\"", &opaque);
	ok(look_in_place(&a, &opaque) == 0);
	eq(a.rec.device, SF5);
	eq(a.dev.id, "sf-99");
	a.rec.device_id = a.dev.id;
	ok(journal_write(&a.journal, &a.rec, &err) == 0);
	ok(device_ref_each(&n.host, &a.journal, SF5, take_owner, owner, &err) == 1);
	eq(owner, "c");
	ok(journal_remove(&a.journal, &a.rec, &err) == 0);
	journal_done(&a.journal);

	test("its own name is right in either spelling");
	conf_of("\"deviceID\":\"auxiliary/" SF5 "\"", &right);
	ok(look_in_place(&a, &right) == 0);
	eq(a.rec.device, SF5);
	journal_done(&a.journal);
	test("that of another sub-function is wrong, and is named");
	conf_of("\"deviceID\":\"mlx5_core.sf.4\"", &wrong);
	ok(look_in_place(&a, &wrong) == -1 && err.code == ERR_DEVICE);
	contains(err.msg, "that of " SF5 ", not of mlx5_core.sf.4");
	journal_done(&a.journal);
}

/* -- which device is it? -- */

static const char *id_of(const char *member)
{
	auto_netconf struct netconf conf = { 0 };
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	static struct choice c;
	struct choosing ch = { .host = &n.host, .call = &call, .conf = &conf, .journal = &j };

	c = (struct choice){ 0 };
	conf_of(member, &conf);
	ok(journal_open(&n.host, JOURNAL_CREATE, &j, &err) == 1);
	ok(choose_device(&ch, &c, &err) == 0);
	return c.id;
}

static void ids(void)
{
	test("a sub-function has its device plugin's id, by whatever name it was asked for");
	eq(id_of("\"deviceID\":\"mlx5_core.sf.4\""), "mlx5_core.sf.4");
	eq(id_of("\"deviceID\":\"auxiliary/mlx5_core.sf.4\""), "mlx5_core.sf.4");
	eq(id_of("\"deviceID\":\"ens1f0s88\""), "mlx5_core.sf.4");
	eq(id_of("\"device\":\"ens1f0s88\""), "mlx5_core.sf.4");
	test("as a function has");
	eq(id_of("\"device\":\"ens1f0np0\""), "0000:65:00.0");
	test("a vDPA device keeps its own");
	eq(id_of("\"deviceID\":\"vdpa1\""), "vdpa1");
}

static const char *rdma_by(const char *id)
{
	auto_netconf struct netconf conf = { 0 };
	static struct attachment a;
	static char name[256];

	conf_of("\"resourceName\":\"example.com/sf\"", &conf);
	a = (struct attachment){ .host = &n.host, .call = &call, .conf = &conf };
	a.rec.owner = (struct owner){ .network = "n", .container_id = "c", .ifname = "net1" };
	a.rec.chained = true;
	(void)snprintf(a.dev.id, sizeof(a.dev.id), "%s", id);
	ok(probe_info(&a, &err) == 0);
	(void)snprintf(name, sizeof(name), "%s", a.has_info ? a.info.pci.rdma_device : "none");
	device_info_done(&a.info);
	return name;
}

static void files_of_device_plugins(void)
{
	test("the device plugin's file is found under the id, and under its plain form");
	sh("mkdir -p var/run/k8s.cni.cncf.io/devinfo/dp && "
	   "echo '{\"type\":\"pci\",\"version\":\"1.1.0\","
	   "\"pci\":{\"pci-address\":\"0000:65:00.0\",\"rdma-device\":\"mlx5_9\"}}' "
	   ">var/run/k8s.cni.cncf.io/devinfo/dp/example.com-sf-mlx5_core.sf.4-device.json");
	eq(rdma_by("mlx5_core.sf.4"), "mlx5_9");
	eq(rdma_by("auxiliary/mlx5_core.sf.4"), "mlx5_9");
	eq(rdma_by("mlx5_core.sf.5"), "none");
}

/* -- is it the one that was moved? -- */

static int found(const struct record *rec)
{
	struct netdev_place p = { .in_pod = false };
	struct nl home = { .fd = 0 };

	return netdev_find(&home, NULL, rec, &p, &err);
}

static void recognising(void)
{
	struct record rec = { .unique_parent = true,
			      .netdev = { .perm_len = MAC_LEN, .perm = { 2, 9 } } };
	struct link *l;

	(void)snprintf(rec.netdev.name, sizeof(rec.netdev.name), "ens1f0s99");
	(void)snprintf(rec.netdev.bus, sizeof(rec.netdev.bus), "auxiliary");
	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), SF5);
	count = 0;
	l = put_link("foo", "auxiliary", SF5);
	test("the network device of a sub-function is known by its parent and permanent address");
	ok(found(&rec) == 1);
	l->perm[1] = 8;
	ok(found(&rec) == 0);
	test("under its own name as well");
	(void)snprintf(l->name, sizeof(l->name), "ens1f0s99");
	ok(found(&rec) == 0);
	test("where there is none by its parent alone");
	l->perm_len = 0;
	ok(found(&rec) == 1);
	test("the permanent address of a VF changes with the PF's choice");
	l->perm_len = MAC_LEN;
	rec.is_pci = true;
	ok(found(&rec) == 1);
}

static void recognising_virtio(void)
{
	struct record rec = { .is_pci = true, .unique_parent = true, .vdpa = { .name = "vp0" },
			      .netdev = { .perm_len = MAC_LEN, .perm = { 2, 9 } } };
	struct link *l;

	(void)snprintf(rec.netdev.bus, sizeof(rec.netdev.bus), "virtio");
	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), "virtio5");
	count = 0;
	l = put_link("foo", "virtio", "virtio5");
	test("that of a vDPA device keeps its permanent address, be it on a function or not");
	ok(found(&rec) == 1);
	l->perm[1] = 8;
	ok(found(&rec) == 0);
	test("where its parent may be another's, its number has to agree as well");
	l->perm[1] = 9;
	rec.unique_parent = false;
	rec.netdev.ifindex = l->ifindex + 1;
	ok(found(&rec) == 0);
	rec.netdev.ifindex = l->ifindex;
	ok(found(&rec) == 1);
	l->perm[1] = 8;
	ok(found(&rec) == 0);
}

int main(void)
{
	node_open("subfunction", &n);
	found_by_parent();
	named();
	ids();
	files_of_device_plugins();
	recognising();
	recognising_virtio();
	node_close(&n);
	return tap_end();
}
