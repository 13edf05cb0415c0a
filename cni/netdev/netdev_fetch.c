/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_fetch.c - a network device comes home from the pod, without what the pod put on it */
#include "cni/netdev/netdev_part.h"

#include "base/deadline.h"
#include "base/log.h"
#include "base/mem.h"
#include "netlink/link_stack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STACK_MS	5000	/* for all of them; what is left is for the next DEL */
#define STACK_ROUNDS	128	/* of some interfaces each, which the pod has stacked on it */
#define ALTNAMES_ROUNDS	64	/* readings, while names that the pod has given are removed */

/* A name nobody else has at home: the one of before, or dev<ifindex> until that is free again. */
static int free_name(struct nl *home, const struct record *rec, const struct link *link,
		     char ret[16], struct err *e)
{
	struct link other;
	int r = link_get_by_name(home, rec->netdev.name, &other, e);

	if (r < 0)
		return -1;
	if (r == 0 || netdev_is_ours_at_home(&other, rec))
		memcpy(ret, rec->netdev.name, 16);
	else
		(void)snprintf(ret, 16, "dev%d", link->ifindex);
	return 0;
}

/*
 * The number it had may have another owner by now.  It is what most devices are recognised by, so a
 * new one goes into the record before the move.
 */
static int settle_number(struct nl *home, const struct journal *journal, struct record *rec,
			 struct err *e)
{
	int number = 0;

	if (netdev_free_number(home, rec->netdev.ifindex, &number, e) < 0)
		return -1;
	if (number == rec->netdev.ifindex)
		return 0;
	rec->netdev.ifindex = number;
	return journal_write(journal, rec, e);
}

/* Those that the pod has given it: they would bar its way home, or its name there. */
static int strip_but(struct nl *nl, const struct altnames *kept, struct link *link, struct err *e)
{
	for (int round = 0; round < ALTNAMES_ROUNDS; round++) {
		struct altnames foreign;
		int r;

		altnames_without(&link->alt, kept, &foreign);
		if (foreign.n == 0)
			return 0;
		if (altnames_remove(nl, link->ifindex, &foreign, e) < 0)
			return -1;
		r = link_get_by_index(nl, link->ifindex, link, e);
		if (r <= 0)
			return r < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, ENODEV, "%s has just gone",
						    link->name);
	}
	return err_set(e, ERR_TRY_AGAIN, EBUSY, "%s has still more alternative names", link->name);
}

int netdev_strip_altnames(struct nl *nl, const struct netdev_state *was, struct link *link,
			  struct err *e)
{
	return was->alt.more ? 0 : strip_but(nl, &was->alt, link, e);
}

/* The name or the number has another owner at home by now, or half of the move was done. */
static int move_home_with_care(struct nl *home, struct nl *pod, int ns,
			       const struct journal *journal, struct record *rec,
			       struct link *link, struct err *e)
{
	static const struct altnames none;
	struct netdev_place p = { .in_pod = false };
	char name[16];
	struct link_target to = { .nsfd = ns, .name = name };
	int r = netdev_find(home, pod, rec, &p, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_DEVICE, ENODEV, "%s went away",
					    rec->netdev.name);
	*link = p.link;
	if (!p.in_pod)
		return 0;
	/* alternative names that it had before may be another's at home, too: they are recorded */
	if (strip_but(pod, &none, link, e) < 0 || free_name(home, rec, link, name, e) < 0 ||
	    settle_number(home, journal, rec, e) < 0)
		return -1;
	to.ifindex = rec->netdev.ifindex;
	if (link_move(pod, link->ifindex, &to, e) < 0)
		return -1;
	r = link_get_by_name(home, name, link, e);
	return r != 0 ? (r < 0 ? -1 : 0)
		      : err_set(e, ERR_DEVICE, ENODEV, "%s did not come home", rec->netdev.name);
}

/*
 * On success *link is the device at home.  Nearly always name and number of before are free there,
 * and the kernel says when they are not.
 */
static int move_home(struct nl *home, struct nl *pod, const struct journal *journal,
		     struct record *rec, struct link *link, struct err *e)
{
	auto_close int ns = netns_open_own(e);
	struct link_target to = { .nsfd = ns, .name = rec->netdev.name,
				  .ifindex = rec->netdev.ifindex };
	int r;

	if (ns < 0 || netdev_strip_altnames(pod, &rec->netdev, link, e) < 0)
		return -1;
	if (link_move(pod, link->ifindex, &to, e) < 0)
		return e->sys == EEXIST || e->sys == EBUSY ?
			       move_home_with_care(home, pod, ns, journal, rec, link, e) :
			       -1;
	r = link_get_by_name(home, to.name, link, e);
	return r != 0 ? (r < 0 ? -1 : 0)
		      : err_set(e, ERR_DEVICE, ENODEV, "%s did not come home", rec->netdev.name);
}

/* They would stay in the pod, which could go on sending and answering through the device. */
static int delete_stacked(struct nl *pod, const struct link *link, int nsid, struct err *e)
{
	const struct deadline d = deadline_in(STACK_MS);
	struct link_stacked s;

	for (int round = 0; round < STACK_ROUNDS; round++) {
		int n = link_find_stacked(pod, link->ifindex, nsid, &s, e);

		if (n <= 0)
			return n;
		if (round > 0 && deadline_left_ms(&d) == 0)
			break;
		log_info("msg=\"deleting what the pod has stacked on the device\" interface=%s "
			 "stacked=%s", link->name, s.names);
		if (link_delete_stacked(pod, &s, e) < 0)
			return -1;
		/* what has come since is for delete_late(): a pod must not keep us here */
		if (nsid == LINK_STACKED_HERE && n < LINK_STACKED_MAX)
			return 0;
	}
	return err_set(e, ERR_TRY_AGAIN, EBUSY, "%s has still more interfaces stacked on it",
		       link->name);
}

/* What a pod that lives has stacked on it since: now that it is at home there can come no more. */
static int delete_late(struct nl *pod, const struct link *link, struct err *e)
{
	auto_close int ns = -1;
	struct link_stacked s;
	int id = -1, n = link_find_stacked(pod, link->ifindex, LINK_STACKED_FAR, &s, e);

	if (n <= 0)
		return n;
	ns = netns_open_own(e);
	if (ns < 0 || link_nsid(pod, ns, &id, e) < 0)
		return -1;
	return id < 0 ? 0 : delete_stacked(pod, link, id, e);
}

int netdev_fetch(struct nl *home, struct nl *pod, const struct journal *journal, struct record *rec,
		 struct netdev_place *place, struct err *e)
{
	if (place->in_pod && (delete_stacked(pod, &place->link, LINK_STACKED_HERE, e) < 0 ||
			      move_home(home, pod, journal, rec, &place->link, e) < 0))
		return err_wrap(e, "bring %s home from the pod", rec->netdev.name);
	place->in_pod = false;
	if (pod->open && delete_late(pod, &place->link, e) < 0)
		return err_wrap(e, "free %s of what the pod has on it", rec->netdev.name);
	return 0;
}
