/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_netdev.c - which interface is the attachment's, and what is done to it here and there
 *
 * The links of the container and of the host are played (see WRAP in GNUmakefile).
 */
#include "base/mem.h"
#include "cni/netdev/netdev.h"
#include "netlink/link_stack.h"
#include "tests/unit/logged.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <net/if.h>
#include <sys/mman.h>
#include <unistd.h>

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
static int unreadable;	/* numbers are looked up in vain, with this errno */
static int dumps;	/* all interfaces were looked at so many times */
static int names;	/* alternative names and modes are refused with this errno */
static int given_again;	/* so many of those that are taken off the pod gives once more */
static int stays;	/* the next move is refused with this errno */
static int stacked;	/* so many are on the device in the pod */
static int undeletable;	/* ... and are not deleted, with this errno */

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
	if (unreadable)
		return err_set(e, ERR_NETLINK, unreadable, "played reading");
	hidden = nl == &home && late-- > 0;	/* or here */
	for (size_t i = 0; i < count && !hidden; i++)
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
	dumps++;
	for (size_t i = 0; i < count && !hidden; i++)
		if (links[i].ns == nl && match(&links[i].link, arg) && found++ == 0)
			*ret = links[i].link;
	return found;
}

int __wrap_link_set(struct nl *nl, int ifindex, const struct link_change *c, struct err *e);
int __wrap_link_set(struct nl *nl, int ifindex, const struct link_change *c, struct err *e)
{
	size_t used = strlen(changes);

	(void)snprintf(changes + used, sizeof(changes) - used, "%s%d:%s%s%s%s%s%s",
		       used ? " " : "", ifindex, c->mac ? "mac" : "", c->mtu ? "mtu" : "",
		       c->name ? c->name : "", c->alias ? "alias" : "", c->txqlen ? "txqlen" : "",
		       !(c->mask & IFF_UP) ? "" : c->flags & IFF_UP ? "up" : "down");
	if (c->settings)
		(void)snprintf(changes + strlen(changes), 32, "group%ugso%u", c->settings->group,
			       c->settings->gso_max_size);
	if (c->mask & IFF_NOARP)
		(void)strcat(changes, c->flags & IFF_NOARP ? "noarp" : "arp");
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

int __wrap_link_find_stacked(struct nl *nl, int ifindex, int nsid, struct link_stacked *ret,
			     struct err *e);
int __wrap_link_find_stacked(struct nl *nl, int ifindex, int nsid, struct link_stacked *ret,
			     struct err *e)
{
	(void)e;
	*ret = (struct link_stacked){ .ifindex = { ifindex + 1 }, .names = "mv0" };
	if (nl == &pod && nsid == LINK_STACKED_HERE)
		ret->n = stacked < LINK_STACKED_MAX ? (unsigned int)stacked : LINK_STACKED_MAX;
	return (int)ret->n;
}

int __wrap_link_delete_stacked(struct nl *nl, const struct link_stacked *s, struct err *e);
int __wrap_link_delete_stacked(struct nl *nl, const struct link_stacked *s, struct err *e)
{
	size_t used = strlen(changes);

	(void)nl;
	if (undeletable)
		return err_set(e, ERR_NETLINK, undeletable, "played deletion");
	if (used + 32 < sizeof(changes))
		(void)snprintf(changes + used, 32, "%sdelete %u", used ? " " : "", s->n);
	stacked -= stacked < 1000 ? (int)s->n : 0;	/* 1000: there are always more */
	return 0;
}

static int change(const struct nl *nl, int ifindex, const char *what, const char *name, int no,
		  struct err *e)
{
	size_t used = strlen(changes);

	(void)snprintf(changes + used, sizeof(changes) - used, "%s%s%d:%s%s", used ? " " : "",
		       nl == &pod ? "pod " : "", ifindex, what, name);
	return no ? err_set(e, ERR_NETLINK, no, "played %s", what) : 0;
}

int __wrap_altnames_add(struct nl *nl, int ifindex, const struct altnames *a, struct err *e);
int __wrap_altnames_add(struct nl *nl, int ifindex, const struct altnames *a, struct err *e)
{
	return a->n == 0 ? 0 : change(nl, ifindex, "+", a->name[0], names, e);
}

int __wrap_altnames_remove(struct nl *nl, int ifindex, const struct altnames *a, struct err *e);
int __wrap_altnames_remove(struct nl *nl, int ifindex, const struct altnames *a, struct err *e)
{
	struct altnames left;

	if (change(nl, ifindex, "-", a->name[0], names, e) < 0)
		return -1;
	altnames_without(&links[0].link.alt, a, &left);
	if (given_again > 0 && given_again--)
		return 0;
	links[0].link.alt = left;
	return 0;
}

int __wrap_ipoib_set(struct nl *nl, int ifindex, const struct ipoib *want, struct err *e);
int __wrap_ipoib_set(struct nl *nl, int ifindex, const struct ipoib *want, struct err *e)
{
	return change(nl, ifindex, "mode", want->mode == 1 ? "1" : "0", names, e);
}

int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e);
int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e)
{
	(void)j;
	return change(&home, r->netdev.ifindex, "record", "", 0, e);
}

/* A move that is not refused brings the first link home. */
int __wrap_link_move(struct nl *nl, int ifindex, const struct link_target *to, struct err *e);
int __wrap_link_move(struct nl *nl, int ifindex, const struct link_target *to, struct err *e)
{
	int no = stays;

	stays = 0;
	if (change(nl, ifindex, ">", to->name, no, e) < 0)
		return -1;
	links[0].ns = &home;
	links[0].link.ifindex = to->ifindex;
	(void)snprintf(links[0].link.name, sizeof(links[0].link.name), "%s", to->name);
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
	times = unreadable = names = given_again = stays = stacked = undeletable = 0;
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
	test("no search for it looks at all interfaces, of which a host has many");
	count = dumps = 0;
	ok(found(&rec) == 0 && dumps == 0);
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

static int configured(const struct record *rec, const uint8_t *mac, const char *mac_key, int mtu)
{
	const struct netconf nc = { .mtu = mtu };
	struct attachment a = { .conf = &nc, .has_mac = true };
	struct netdev_wish w;

	memcpy(a.mac, mac, MAC_LEN);
	netdev_wish_of(&a, &w);
	return netdev_configure(&home, rec, &w, mac_key, &err);
}

static void test_configure(void)
{
	static const uint8_t mac[MAC_LEN] = { 2, 8 };
	struct record rec = record_of("");

	put(&home, "v0", 10, "");
	test("what it has already is not set");
	rec.netdev.mtu = 1500;
	ok(configured(&rec, rec.netdev.addr, "mac", 1500) == 0);
	eq(changes, "");
	ok(configured(&rec, mac, "mac", 9000) == 0);
	eq(changes, "10:mac 10:mtu");
	test("an address that is refused is asked for again after the device was up once");
	*changes = '\0';
	sys = EADDRNOTAVAIL;
	times = 1;
	ok(configured(&rec, mac, "mac", 0) == 0);
	eq(changes, "10:mac 10:up 10:down 10:mac");
	test("unless it has it then");
	*changes = '\0';
	times = 1;
	takes_when_up = true;
	ok(configured(&rec, mac, "mac", 0) == 0);
	eq(changes, "10:mac 10:up 10:down");
	test("a device that cannot be up has the first refusal");
	times = 2;
	ok(configured(&rec, mac, "args.cni.mac", 0) == -1 &&
	   err.sys == EADDRNOTAVAIL);
	eq(err.msg, "set args.cni.mac 02:08:00:00:00:00 on v0: played");
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

static struct altnames two_names(const char *a, const char *b)
{
	struct altnames ret = { .n = b ? 2 : 1 };

	(void)snprintf(ret.name[0], ALTNAME_SIZE, "%s", a);
	(void)snprintf(ret.name[1], ALTNAME_SIZE, "%s", b ? b : "");
	return ret;
}

static void test_drop_names(void)
{
	struct record rec = record_of("");
	struct link *l = put(&home, "v0", 10, "");

	rec.netdev.alt = l->alt = two_names("one", "two");
	test("the alternative name that is asked for is taken off, and no other");
	ok(netdev_drop_altname(&home, &rec.netdev, "other", &err) == 0);
	ok(netdev_drop_altname(&home, &rec.netdev, "two", &err) == 0);
	eq(changes, "10:-two");
	test("or all that are left, once");
	ok(netdev_drop_altnames(&home, &rec.netdev, &err) == 1);
	eq(changes, "10:-two 10:-one");
	ok(netdev_drop_altnames(&home, &rec.netdev, &err) == 0);
	test("names that the kernel keeps are an error, and so is a device that cannot be read");
	l->alt = rec.netdev.alt;
	names = EPERM;
	ok(netdev_drop_altname(&home, &rec.netdev, "one", &err) == -1 && err.sys == EPERM);
	err.sys = 0;
	ok(netdev_drop_altnames(&home, &rec.netdev, &err) == -1 && err.sys == EPERM);
	unreadable = ENOBUFS;
	ok(netdev_drop_altnames(&home, &rec.netdev, &err) == -1 && err.sys == ENOBUFS);
}

static int fetched(struct record *rec)
{
	struct netdev_place p = { .link = links[0].link, .in_pod = true };

	*changes = '\0';
	err = (struct err){ 0 };
	return netdev_fetch(&home, &pod, NULL, rec, &p, &err);
}

static void test_fetch(void)
{
	struct record rec = record_of("");
	struct link *l = put(&pod, "net1", 10, "");

	test("it comes home under its name and number, without the names that the pod gave it");
	l->alt = two_names("pods", NULL);
	given_again = 1;
	ok(fetched(&rec) == 0 && l->ifindex == 10);
	eq(changes, "pod 10:-pods pod 10:-pods pod 10:>v0");
	test("names that cannot be taken off are an error, and so is a device that has gone");
	links[0].ns = &pod;
	l->alt = two_names("pods", NULL);
	names = EPERM;
	ok(fetched(&rec) == -1 && err.sys == EPERM);
	eq(err.msg, "bring v0 home from the pod: played -");
	names = 0;
	given_again = 1;
	unreadable = ENOBUFS;
	ok(fetched(&rec) == -1 && err.sys == ENOBUFS);
	unreadable = 0;
	given_again = 1;
	links[0].ns = NULL;
	ok(fetched(&rec) == -1 && err.sys == ENODEV);
	test("names without end are given up");
	links[0].ns = &pod;
	given_again = 1000;
	ok(fetched(&rec) == -1 && err.sys == EBUSY);
}

static void test_fetch_stacked(void)
{
	struct record rec = record_of("");

	(void)put(&pod, "net1", 10, "");
	test("what the pod has stacked on it is deleted there before it leaves");
	stacked = 2;
	ok(fetched(&rec) == 0);
	eq(changes, "delete 2 pod 10:>v0");
	test("as many as there are, some at a time");
	links[0].ns = &pod;
	stacked = LINK_STACKED_MAX + 1;
	ok(fetched(&rec) == 0);
	eq(changes, "delete 64 delete 1 pod 10:>v0");
	test("while that fails, or has no end, the device stays where it is");
	links[0].ns = &pod;
	stacked = 1;
	undeletable = EPERM;
	ok(fetched(&rec) == -1 && err.sys == EPERM && links[0].ns == &pod);
	eq(err.msg, "bring v0 home from the pod: played deletion");
	undeletable = 0;
	stacked = 1000;
	ok(fetched(&rec) == -1 && err.code == ERR_TRY_AGAIN && links[0].ns == &pod);
}

static void test_fetch_with_care(void)
{
	struct record rec = record_of("");
	struct link *l = put(&pod, "net1", 10, "");

	test("where its name is another's it comes home as dev<N>, with a number of its own");
	put(&home, "v0", 10, "")->addr[1] = 1;
	(void)snprintf(links[1].link.kind, sizeof(links[1].link.kind), "dummy");
	stays = EEXIST;
	ok(fetched(&rec) == 0);
	eq(changes, "pod 10:>v0 11:record pod 10:>dev10");
	ok(rec.netdev.ifindex == 11 && l->ifindex == 11);
	test("its own name is not barred by itself: half of the move was done");
	links[0].ns = &pod;
	l->ifindex = 11;
	count = 1;
	stays = EBUSY;
	ok(fetched(&rec) == 0);
	eq(changes, "pod 11:>v0 pod 11:>v0");
	test("it stays when no number can be looked for, and when it is refused twice");
	links[0].ns = &pod;
	stays = EBUSY;
	unreadable = ENOBUFS;
	ok(fetched(&rec) == -1 && err.sys == ENOBUFS && links[0].ns == &pod);
	unreadable = 0;
	stays = EPERM;
	ok(fetched(&rec) == -1 && err.sys == EPERM);
	eq(changes, "pod 11:>v0");
}

static int settled(const struct record *rec, bool *mac_refused)
{
	struct link now = links[0].link;

	*changes = '\0';
	err = (struct err){ 0 };
	keep_log();
	return netdev_settle(&home, rec, &now, mac_refused, &err);
}

static void test_settle(void)
{
	struct record rec = record_of("");
	struct link *l = put(&home, "v0", 10, "");
	bool refused_mac = true;

	test("what is as it was is left alone");
	ok(settled(&rec, &refused_mac) == 0 && !refused_mac);
	eq(changes, "");
	test("what differs is restored: the address first, then all else but the names at once");
	l->addr[1] = 8;
	(void)snprintf(l->name, sizeof(l->name), "net1");
	l->flags = IFF_UP;
	(void)snprintf(l->alias, sizeof(l->alias), "pods");
	l->txqlen = 7;
	rec.netdev.mtu = 1500;
	rec.netdev.alt = two_names("mine", NULL);
	l->alt = two_names("pods", NULL);
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mac 10:-pods 10:down 10:mtuv0aliastxqlendown 10:+mine");
	test("one that was up before is up again when it is renamed");
	rec.netdev.flags = IFF_UP;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mac 10:down 10:mtuv0aliastxqlenup 10:+mine");
	rec.netdev.flags = 0;
	test("an interface that is down is renamed as it is");
	l->flags = 0;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mac 10:mtuv0aliastxqlen 10:+mine");
	test("an address that is refused is told when all else is back");
	sys = EPERM;
	times = 1;
	ok(settled(&rec, &refused_mac) == -1 && refused_mac);
	eq(err.msg, "restore the mac of v0: played");
	eq(changes, "10:mac 10:mtuv0aliastxqlen 10:+mine");
	test("a name that is another's by now is left to it, and the pod's does not stay");
	sys = EEXIST;
	l->addr[1] = 9;
	times = 1;
	ok(settled(&rec, &refused_mac) == 0 && !refused_mac);
	eq(changes, "10:mtuv0aliastxqlen 10:mtudev10aliastxqlen 10:+mine");
	ok(logged("before=v0 now=dev10"));
	test("where that name is another's, too, it keeps the one it has");
	times = 2;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mtuv0aliastxqlen 10:mtudev10aliastxqlen 10:mtualiastxqlen 10:+mine");
	ok(logged("before=v0 now=net1"));
	test("of two errors the address's is not the one");
	l->addr[1] = 8;
	times = 2;
	sys = EPERM;
	ok(settled(&rec, &refused_mac) == -1 && !refused_mac);
	eq(err.msg, "restore v0: played");
	test("alternative names that are another's by now are told");
	l->alt.n = 0;
	names = EEXIST;
	ok(settled(&rec, &refused_mac) == 0 && logged("interface=net1 name=mine"));
	test("others that are refused are an error");
	names = EPERM;
	ok(settled(&rec, &refused_mac) == -1);
	eq(err.msg, "restore v0: played +");
	l->alt = two_names("pods", NULL);
	ok(settled(&rec, &refused_mac) == -1 && err.sys == EPERM);
	eq(changes, "10:mac 10:-pods");
}

static void test_settle_settings(void)
{
	struct record rec = record_of("");
	struct link *l = put(&home, "v0", 10, "");
	bool refused_mac;

	test("flags, group and sizes that differ are restored in the one request");
	rec.netdev.settings = (struct netdev_settings){
		.have = true, .flags = IFF_MULTICAST, .link = { .group = 5, .gso_max_size = 9 },
	};
	l->flags = IFF_MULTICAST;
	l->settings = rec.netdev.settings.link;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "");
	l->flags = IFF_NOARP;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:arp");
	l->flags = IFF_MULTICAST;
	l->settings.gso_max_size = 8;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:group5gso9");
	test("sizes that are refused by now are told, and keep nothing else");
	sys = EINVAL;
	times = 1;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:group5gso9 10:group5gso0");
	ok(logged("not restored: played\" interface=v0"));
	times = 2;
	ok(settled(&rec, &refused_mac) == -1);
	eq(err.msg, "restore v0: played");
	ok(!logged("not restored"));
	test("but not what has nothing to do with them");
	(void)snprintf(l->name, sizeof(l->name), "net1");
	sys = EEXIST;
	times = 1;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:v0group5gso9 10:dev10group5gso9");
	(void)snprintf(l->name, sizeof(l->name), "v0");
	test("but for a record that does not have them");
	rec.netdev.settings.have = false;
	l->flags = IFF_NOARP;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "");
}

static void test_ipoib(void)
{
	struct record rec = record_of("");
	struct link *l = put(&home, "ib0", 10, "");
	bool refused_mac;

	(void)snprintf(rec.netdev.name, sizeof(rec.netdev.name), "ib0");
	l->addr_len = rec.netdev.addr_len = 20;
	l->mtu = rec.netdev.mtu = 2044;
	l->ipoib = rec.netdev.ipoib = (struct ipoib){ .have = true, .mode = 1, .umcast = 1 };
	test("an IPoIB interface that is as it was is left alone, and one whose mode nobody told");
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "");
	l->ipoib.mode = 0;
	rec.netdev.ipoib.have = false;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "");
	test("its mode and its MTU are restored in that order");
	rec.netdev.ipoib.have = true;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mode1 10:mtu");
	l->ipoib.mode = 1;
	l->ipoib.umcast = 0;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mode1 10:mtu");
	l->ipoib = (struct ipoib){ .have = false, .mode = 1, .umcast = 1 };
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mode1 10:mtu");
	l->ipoib.have = true;
	l->mtu = 1500;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mtu");
	test("an MTU that nobody told is none to restore");
	rec.netdev.mtu = 0;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "");
	test("what is refused is the only warning, and keeps nothing else");
	rec.netdev.mtu = 2044;
	l->ipoib.mode = 0;
	names = EINVAL;
	sys = EINVAL;
	times = 1;
	ok(settled(&rec, &refused_mac) == 0);
	eq(changes, "10:mode1 10:mtu");
	ok(logged("not restored: played mode") && logged("not restored: played\""));
}

static int settled_mac(const struct record *rec)
{
	*changes = '\0';
	err = (struct err){ 0 };
	return netdev_settle_mac(&home, rec, &err);
}

static void test_settle_mac(void)
{
	static const uint8_t was[MAC_LEN] = { 2, 9 };
	struct record rec = record_of("0000:01:10.0");
	struct link *l = put(&home, "v0", 10, "0000:01:10.0");

	rec.unique_parent = rec.is_pci = true;
	test("a VF that has both its addresses is left alone, and one that is not here");
	ok(settled_mac(&rec) == 1);
	count = 0;
	ok(settled_mac(&rec) == 1);
	eq(changes, "");
	test("one that has not is up and down once, and asked again");
	count = 1;
	l->addr[1] = 8;
	ok(settled_mac(&rec) == 0);
	eq(changes, "10:up 10:down");
	memcpy(refused, was, MAC_LEN);
	takes_when_up = true;
	ok(settled_mac(&rec) == 1);
	test("also for its permanent address alone, but it is never taken down where it was up");
	l->perm_len = MAC_LEN;
	l->flags = IFF_UP;
	ok(settled_mac(&rec) == 1);
	eq(changes, "");
	l->addr[1] = 8;
	ok(settled_mac(&rec) == 0);
	eq(changes, "");
	l->flags = 0;
	l->addr[1] = 9;
	ok(settled_mac(&rec) == 1);
	eq(changes, "10:up 10:down");
	test("one that cannot be set up, or read then, is an error");
	sys = EIO;
	times = 1;
	ok(settled_mac(&rec) == -1 && err.sys == EIO);
	unreadable = ENOBUFS;
	ok(settled_mac(&rec) == -1 && err.sys == ENOBUFS);
	test("an address that is no Ethernet one is not the PF's to give");
	rec.netdev.addr_len = 20;
	ok(settled_mac(&rec) == 1);
	eq(changes, "");
}

static void test_in_place(void)
{
	struct record rec = record_of("");
	struct link *l = put(&pod, "net1", 10, "");

	rec.chained = true;
	rec.netdev.mtu = 1500;
	l->addr[1] = 8;
	rec.mac[0] = 2;
	rec.mac[1] = 8;
	test("in the pod only what we have set is restored, and only where it differs");
	ok(netdev_restore_in_place(&home, &pod, &rec, &err) == 1);
	eq(changes, "");
	rec.mac_set = true;
	ok(netdev_restore_in_place(&home, &pod, &rec, &err) == 1);
	rec.mtu_set = true;
	ok(netdev_restore_in_place(&home, &pod, &rec, &err) == 1);
	rec.mac_set = false;
	ok(netdev_restore_in_place(&home, &pod, &rec, &err) == 1);
	eq(changes, "10:mac 10:macmtu 10:mtu");
	l->mtu = 1500;
	ok(netdev_restore_in_place(&home, &pod, &rec, &err) == 1);
	eq(changes, "10:mac 10:macmtu 10:mtu");
	test("what is refused is an error, and what has gone is none");
	rec.mac_set = true;
	sys = EPERM;
	times = 1;
	ok(netdev_restore_in_place(&home, &pod, &rec, &err) == -1);
	eq(err.msg, "restore v0: played");
	count = 0;
	ok(netdev_restore_in_place(&home, &pod, &rec, &err) == 0);
}

int main(void)
{
	test_virtual();
	test_parent();
	test_await();
	test_configure();
	test_not_ready();
	test_drop_names();
	test_fetch();
	test_fetch_stacked();
	test_fetch_with_care();
	test_settle();
	test_settle_settings();
	test_ipoib();
	test_settle_mac();
	test_in_place();
	return tap_end();
}
