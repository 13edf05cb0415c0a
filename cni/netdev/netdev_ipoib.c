/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_ipoib.c - give an IPoIB interface back what it has of its own, and its MTU */
#include "cni/netdev/netdev_ipoib.h"

#include "base/log.h"

static void tell_failure(const struct netdev_state *was, const struct err *e)
{
	log_warning("msg=\"not restored: %s\" interface=%s details=\"%s\"", e->msg, was->name,
		    e->details);
}

static bool has_mode(const struct ipoib *now, const struct ipoib *was)
{
	return !was->have || (now->have && now->mode == was->mode && now->umcast == was->umcast);
}

void ipoib_restore(struct nl *home, const struct netdev_state *was, const struct link *now)
{
	struct link_change c = { .mtu = was->mtu };
	bool changed = false;
	struct err e;

	if (now->addr_len != IPOIB_ADDR_LEN)
		return;
	if (!has_mode(&now->ipoib, &was->ipoib)) {
		changed = true;	/* another mode has another MTU */
		if (ipoib_set(home, now->ifindex, &was->ipoib, &e) < 0)
			tell_failure(was, &e);
	}
	if (was->mtu && (changed || now->mtu != was->mtu) &&
	    link_set(home, now->ifindex, &c, &e) < 0)
		tell_failure(was, &e);
}
