/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_find.c - which network device an attachment has, and where it is now */
#include "cni/netdev/netdev_part.h"

#include "base/deadline.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

#define NUMBERS_MAX	1000	/* interface numbers tried */
#define RETURN_MS	2000	/* how long a device may be on its way from a dead namespace */

bool netdev_has_mac(const struct link *link, const uint8_t *mac, size_t len)
{
	return link->addr_len == len && memcmp(link->addr, mac, len) == 0;
}

/* Whom a search is for, and where. */
struct identity {
	const struct record *rec;
	bool in_pod;
};

/* At home it may have the pod's number, which the kernel keeps when the pod's namespace dies. */
static bool same_number(const struct link *link, const struct identity *id)
{
	const struct record *rec = id->rec;

	if (id->in_pod)
		return link->ifindex ==
		       (rec->pod_ifindex ? rec->pod_ifindex : rec->netdev.ifindex);
	return link->ifindex == rec->netdev.ifindex ||
	       (*rec->netdev.parent && link->ifindex == rec->pod_ifindex);
}

/* As far as can be told: a kernel before 5.15 does not say. */
static bool same_parent(const struct link *link, const struct netdev_state *was)
{
	return strcmp(link->parent_dev, was->parent) == 0 &&
	       strcmp(link->parent_bus, was->bus) == 0;
}

static bool same_permanent(const struct link *link, const struct netdev_state *was)
{
	return link->perm_len == was->perm_len && memcmp(link->perm, was->perm, was->perm_len) == 0;
}

/* A VF's changes with the PF's choice; of others, one that has another is another. */
static bool same_function(const struct link *link, const struct record *rec)
{
	return (rec->is_pci && !record_netdev_is_virtio(rec)) || !link->perm_len ||
	       !rec->netdev.perm_len || same_permanent(link, &rec->netdev);
}

/* The one device that a search may accept at first sight. */
static bool is_ours(const struct link *link, const void *arg)
{
	const struct identity *id = arg;
	const struct netdev_state *was = &id->rec->netdev;

	if (!same_parent(link, was))
		return false;
	if (id->rec->unique_parent)
		return same_function(link, id->rec);
	if (*was->parent)
		return same_number(link, id) &&
		       (!record_netdev_is_virtio(id->rec) || same_function(link, id->rec));
	return same_number(link, id) && strcmp(link->kind, was->kind) == 0 &&
	       (netdev_has_mac(link, was->addr, was->addr_len) ||
		netdev_has_mac(link, id->rec->mac, MAC_LEN) || strcmp(link->name, was->name) == 0 ||
		strcmp(link->name, id->rec->owner.ifname) == 0);
}

static bool has_our_address(const struct link *link, const void *arg)
{
	const struct identity *id = arg;
	const struct netdev_state *was = &id->rec->netdev;
	bool perm = was->perm_len > 0 && same_permanent(link, was);

	return same_parent(link, was) &&
	       (perm || (was->addr_len > 0 && netdev_has_mac(link, was->addr, was->addr_len)));
}

bool netdev_is_ours_at_home(const struct link *link, const struct record *rec)
{
	const struct identity id = { .rec = rec };

	return is_ours(link, &id);
}

/* What is known by its number, at home perhaps by one of two, is asked for by that. */
static int find_numbered(struct nl *nl, const struct identity *id, struct link *ret, struct err *e)
{
	const struct record *rec = id->rec;
	const int numbers[] = { id->in_pod && rec->pod_ifindex ? rec->pod_ifindex :
								 rec->netdev.ifindex,
				!id->in_pod && *rec->netdev.parent ? rec->pod_ifindex : 0 };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && r == 0; i++) {
		if (numbers[i] > 0)
			r = link_get_by_index(nl, numbers[i], ret, e);
		if (r > 0)
			r = is_ours(ret, id);
	}
	return r;
}

/* By the name it should have there, else among all. */
static int find_by_parent(struct nl *nl, const struct identity *id, struct link *ret, struct err *e)
{
	const struct record *rec = id->rec;
	const char *name = id->in_pod ? rec->owner.ifname : rec->netdev.name;
	int r = link_get_by_name(nl, name, ret, e);

	return r < 0 || (r > 0 && is_ours(ret, id)) ? r : link_find(nl, is_ours, id, ret, e);
}

/*
 * One request nearly always, however many interfaces there are; a device that was given another
 * number is looked for among all, by its address, when no other port of its parent has the same.
 */
int netdev_find_in(struct nl *nl, const struct record *rec, bool in_pod, struct link *ret,
		   struct err *e)
{
	const struct identity id = { .rec = rec, .in_pod = in_pod };
	struct link link;
	int r = rec->unique_parent ? find_by_parent(nl, &id, &link, e) :
				     find_numbered(nl, &id, &link, e);

	if (r == 0 && !rec->unique_parent && *rec->netdev.parent && !record_netdev_is_virtio(rec)) {
		r = link_find(nl, has_our_address, &id, &link, e);
		if (r > 1)
			return 0;
	}
	if (r > 0)
		*ret = link;
	return r < 0 ? -1 : r > 0;
}

/*
 * A device without parent is looked for at home first: the pod may have another of that number. One
 * that was in the pod before us comes home only when there is hardware behind it.
 */
int netdev_find(struct nl *home, struct nl *pod, const struct record *rec, struct netdev_place *ret,
		struct err *e)
{
	bool pod_first = rec->chained || *rec->netdev.parent;
	bool at_home = !rec->chained || (*rec->netdev.parent && !*rec->netdev.kind);

	for (int i = 0; i < 2; i++) {
		bool in_pod = (i == 0) == pod_first;
		int r;

		if (in_pod ? !pod : !at_home)
			continue;
		r = netdev_find_in(in_pod ? pod : home, rec, in_pod, &ret->link, e);
		ret->in_pod = in_pod;
		if (r != 0)
			return r;
	}
	return 0;
}

/*
 * A kernel thread moves the devices of a dead namespace home a moment after its death.  Virtual
 * devices die with it, so only those with hardware behind them are waited for.  Whether it was
 * unplugged can be told of PCI functions and sub-functions only.
 */
int netdev_await(struct nl *home, struct nl *pod, const struct record *rec, bool must_be,
		 struct netdev_place *ret, struct err *e)
{
	bool may_return =
		must_be || record_netdev_is_virtio(rec) ||
		(!rec->is_pci && !rec->unique_parent && *rec->netdev.parent && !*rec->netdev.kind);
	struct deadline d = deadline_in(may_return ? RETURN_MS : 0);
	int r = netdev_find(home, pod, rec, ret, e);

	while (r == 0 && deadline_left_ms(&d) > 0) {
		deadline_sleep(&d, 20);
		r = netdev_find(home, pod, rec, ret, e);
	}
	if (r == 0 && must_be)
		return err_set(e, ERR_TRY_AGAIN, EBUSY,
			       "the network device of %s is in another namespace than the pod's",
			       rec->device);
	return r;
}

int netdev_free_number(struct nl *nl, int from, int *ret, struct err *e)
{
	struct link other;

	for (int number = from; number < from + NUMBERS_MAX; number++) {
		int r = link_get_by_index(nl, number, &other, e);

		if (r < 0)
			return -1;
		if (r == 0) {
			*ret = number;
			return 0;
		}
	}
	return err_set(e, ERR_BUSY, EBUSY, "no interface number from %d on is free", from);
}

bool netdev_has_macs(const struct link *link, const struct netdev_state *was)
{
	return netdev_has_mac(link, was->addr, was->addr_len) && same_permanent(link, was);
}
