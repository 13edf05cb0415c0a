/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_netdev.c - which interface is the attachment's, and a driver that is not ready for it
 *
 * The links of the container and of the host are played (see WRAP in GNUmakefile).
 */
#include "base/mem.h"
#include "cni/netdev/netdev.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <net/if.h>

static struct nl home = { .port = 1 }, pod = { .port = 2 };
static struct err err;

/* -- the kernel -- */

static struct played_link {
	const struct nl *ns;
	struct link link;
} links[4];
static size_t count;
static int late;	/* searches at home before anything is found */
static bool hidden;
static int sys, times;	/* the next changes are refused with this errno */
static bool takes_when_up;	/* the address that was refused, when it is up once */
static uint8_t refused[MAC_LEN];
static char changes[256];

int __wrap_link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e);
int __wrap_link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e)
{
	(void)e;
	hidden = nl == &home && late-- > 0;	/* each search begins here */
	for (size_t i = 0; i < count && !hidden; i++)
		if (links[i].ns == nl && strcmp(links[i].link.name, name) == 0) {
			*ret = links[i].link;
			return 1;
		}
	return 0;
}

int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e);
int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < count; i++)
		if (links[i].ns == nl && links[i].link.ifindex == ifindex) {
			*ret = links[i].link;
			return 1;
		}
	return 0;
}

int __wrap_link_find(struct nl *nl, link_match_fn *match, const void *arg, struct link *ret,
		     struct err *e);
int __wrap_link_find(struct nl *nl, link_match_fn *match, const void *arg, struct link *ret,
		     struct err *e)
{
	int found = 0;

	(void)e;
	for (size_t i = 0; i < count && !hidden; i++)
		if (links[i].ns == nl && match(&links[i].link, arg) && found++ == 0)
			*ret = links[i].link;
	return found;
}

int __wrap_link_set(struct nl *nl, int ifindex, const struct link_change *c, struct err *e);
int __wrap_link_set(struct nl *nl, int ifindex, const struct link_change *c, struct err *e)
{
	size_t used = strlen(changes);

	(void)snprintf(changes + used, sizeof(changes) - used, "%s%d:%s%s%s", used ? " " : "",
		       ifindex, c->mac ? "mac" : "", c->mtu ? "mtu" : "",
		       !(c->mask & IFF_UP) ? "" : c->flags & IFF_UP ? "up" : "down");
	nl->refused = times > 0;
	if (times > 0 && times--) {
		if (c->mac)
			memcpy(refused, c->mac, MAC_LEN);
		return err_set(e, ERR_NETLINK, sys, "played");
	}
	if (takes_when_up && c->flags & IFF_UP)
		memcpy(links[0].link.addr, refused, MAC_LEN);
	return 0;
}

static struct link *put(const struct nl *ns, const char *name, int ifindex, const char *parent)
{
	struct link *l = &links[count].link;

	links[count++].ns = ns;
	*l = (struct link){ .ifindex = ifindex, .addr_len = MAC_LEN, .addr = { 2, 9 } };
	(void)snprintf(l->name, sizeof(l->name), "%s", name);
	(void)snprintf(l->parent_dev, sizeof(l->parent_dev), "%s", parent);
	return l;
}

/* The record of net1, which was v0, number 10, of this parent; there are no links yet. */
static struct record record_of(const char *parent)
{
	struct record rec = {
		.device = "v0", .owner = { .container_id = "c", .ifname = "net1" },
		.netdev = { .present = true, .name = "v0", .ifindex = 10, .addr_len = MAC_LEN,
			    .addr = { 2, 9 } },
	};

	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), "%s", parent);
	memset(links, 0, sizeof(links));
	count = 0;
	times = 0;
	takes_when_up = false;
	*changes = '\0';
	err = (struct err){ 0 };
	return rec;
}

/* The number of what is found, 0; negative in the pod. */
static int found(const struct record *rec)
{
	struct netdev_place p = { .in_pod = false };
	int r = netdev_find(&home, &pod, rec, &p, &err);

	return r <= 0 ? r : p.in_pod ? -p.link.ifindex : p.link.ifindex;
}

static void test_virtual(void)
{
	struct record rec = record_of("");
	struct link *l = put(&pod, "net1", 10, "");

	test("a device without parent is known by number and address, in the pod");
	ok(found(&rec) == -10);
	test("or by number and one of its names");
	l->addr[1] = 8;
	ok(found(&rec) == -10);
	(void)snprintf(l->name, sizeof(l->name), "v0");
	ok(found(&rec) == -10);
	(void)snprintf(l->name, sizeof(l->name), "other");
	ok(found(&rec) == 0);
	test("or by the address that it was to get");
	rec.mac[0] = 2;
	rec.mac[1] = 8;
	ok(found(&rec) == -10);
	test("but not when its kind is another, or its number");
	(void)snprintf(l->kind, sizeof(l->kind), "veth");
	ok(found(&rec) == 0);
	*l->kind = '\0';
	l->ifindex = 11;
	ok(found(&rec) == 0);
	rec.pod_ifindex = 11;
	ok(found(&rec) == -11);
	test("the pod's is not it while it is at home");
	put(&home, "v0", 10, "");
	ok(found(&rec) == 10);
	test("at home the pod's number is no sign of it");
	links[1].link.ifindex = 11;
	ok(found(&rec) == -11);
}

static void test_parent(void)
{
	struct record rec = record_of("0000:01:10.0");
	struct link *l = put(&pod, "renamed", 12, "0000:01:10.0");

	test("the only device of its parent is known by that, whatever its name and number");
	rec.unique_parent = true;
	ok(found(&rec) == -12);
	(void)snprintf(l->parent_dev, sizeof(l->parent_dev), "0000:01:10.1");
	ok(found(&rec) == 0);
	test("of several it is the number, at home also that of the pod");
	rec = record_of("0000:01:10.0");
	rec.pod_ifindex = 11;
	l = put(&home, "a", 11, "0000:01:10.0");
	l->addr[1] = 7;
	ok(found(&rec) == 11);
	l->ifindex = 13;
	ok(found(&rec) == 0);
	test("or the address, when no other has the same");
	l->addr[1] = 9;
	ok(found(&rec) == 13);
	put(&home, "b", 14, "0000:01:10.0");
	ok(found(&rec) == 0);
	test("a device that was in the pod before us is at home only with hardware behind it");
	rec = record_of("");
	rec.chained = true;
	put(&home, "v0", 10, "");
	ok(found(&rec) == 0);
	rec = record_of("mlx5_core.sf.5");
	rec.chained = true;
	put(&home, "v0", 10, "mlx5_core.sf.5");
	ok(found(&rec) == 10);
}

static int await(const struct record *rec, bool must_be)
{
	struct netdev_place p = { .in_pod = false };

	late = 1;
	return netdev_await(&home, NULL, rec, must_be, &p, &err);
}

static void test_await(void)
{
	struct record rec = record_of("");

	test("a virtual device dies with its namespace: it is not waited for");
	put(&home, "v0", 10, "");
	ok(await(&rec, false) == 0 && late == 0);
	test("one that must be somewhere is");
	ok(await(&rec, true) == 1);
	test("and a vDPA device's");
	rec.vdpa.name[0] = 'v';
	ok(await(&rec, false) == 1);
	test("and one with hardware behind it that is no PCI function");
	rec = record_of("mlx5_core.sf.5");
	put(&home, "v0", 10, "mlx5_core.sf.5");
	rec.unique_parent = true;
	ok(await(&rec, false) == 0);
	rec.unique_parent = false;
	ok(await(&rec, false) == 1);
	(void)snprintf(rec.netdev.kind, sizeof(rec.netdev.kind), "ipoib");
	ok(await(&rec, false) == 0);
}

static void test_configure(void)
{
	static const uint8_t mac[MAC_LEN] = { 2, 8 };
	struct record rec = record_of("");

	put(&home, "v0", 10, "");
	test("what it has already is not set");
	rec.netdev.mtu = 1500;
	ok(netdev_configure(&home, &rec.netdev, rec.netdev.addr, 1500, &err) == 0);
	eq(changes, "");
	ok(netdev_configure(&home, &rec.netdev, mac, 9000, &err) == 0);
	eq(changes, "10:mac 10:mtu");
	test("an address that is refused is asked for again after the device was up once");
	*changes = '\0';
	sys = EADDRNOTAVAIL;
	times = 1;
	ok(netdev_configure(&home, &rec.netdev, mac, 0, &err) == 0);
	eq(changes, "10:mac 10:up 10:down 10:mac");
	test("unless it has it then");
	*changes = '\0';
	times = 1;
	takes_when_up = true;
	ok(netdev_configure(&home, &rec.netdev, mac, 0, &err) == 0);
	eq(changes, "10:mac 10:up 10:down");
	test("a device that cannot be up has the first refusal");
	times = 2;
	ok(netdev_configure(&home, &rec.netdev, mac, 0, &err) == -1 && err.sys == EADDRNOTAVAIL);
	eq(err.msg, "set mac 02:08:00:00:00:00 on v0: played");
}

static void test_not_ready(void)
{
	struct record rec = record_of("");

	put(&pod, "net1", 10, "");
	test("a VF that is in reset is set up when it is ready");
	err.sys = sys = EBUSY;
	times = 1;
	ok(netdev_up_in_pod(&home, &pod, &rec, "net1", &err) == 1);
	eq(changes, "10:up 10:up");
	test("another error is not one to wait for");
	err.sys = EAGAIN;
	sys = EPERM;
	times = 1;
	ok(netdev_up_in_pod(&home, &pod, &rec, "net1", &err) == -1 && err.sys == EPERM);
	ok(netdev_up_in_pod(&home, &pod, &rec, "net1", &err) == 0);
	test("nor is a device that has another name there");
	err.sys = EBUSY;
	ok(netdev_up_in_pod(&home, &pod, &rec, "net2", &err) == 0);
}

int main(void)
{
	test_virtual();
	test_parent();
	test_await();
	test_configure();
	test_not_ready();
	return tap_end();
}
