/* SPDX-License-Identifier: Apache-2.0 */
/* infiniband_netdev.c - the IPoIB interface, found again where it was made anew */
#include "cni/rdma/infiniband_netdev.h"

#include "base/deadline.h"
#include "base/mem.h"
#include "cni/netdev/netdev.h"
#include "cni/netdev/netdev_ipoib.h"

#include <errno.h>

enum { NETDEV_MS = 5000 };	/* for an interface to be made anew */

static int wait_for_netdev(struct attachment *a, struct netdev_place *ret, struct err *e)
{
	struct deadline d = deadline_in(NETDEV_MS);
	int r = netdev_find(&a->home, &a->pod, &a->rec, ret, e);

	while (r == 0 && deadline_left_ms(&d) > 0) {
		deadline_sleep(&d, 20);
		r = netdev_find(&a->home, &a->pod, &a->rec, ret, e);
	}
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV,
			       "the network device of %s was not made anew", a->dev.key);
	return r < 0 ? -1 : 0;
}

/*
 * Linux 6.17 makes it where the RDMA device is; then it is taken home, to be moved as any other.
 * Its names, that of before and the kernel's choice, may be others' there.
 */
static int take_home(struct attachment *a, struct netdev_place *p, struct err *e)
{
	auto_close int home = netns_open_own(e);
	struct link_target to = { .nsfd = home, .name = "dev%d" };
	int r;

	if (home < 0 || link_move(&a->pod, p->link.ifindex, &to, e) < 0)
		return -1;
	r = netdev_find(&a->home, NULL, &a->rec, p, e);
	return r == 0  ? err_set(e, ERR_DEVICE, ENODEV, "%s did not come home", a->rec.netdev.name)
	       : r < 0 ? -1
		       : 0;
}

/* The number is the new one's; name, MTU and the rest stay those of before, for DEL. */
int infiniband_find_netdev(struct attachment *a, struct err *e)
{
	struct netdev_place p = { .in_pod = false };

	if (!a->recreated)
		return 0;
	if (wait_for_netdev(a, &p, e) < 0 || (p.in_pod && take_home(a, &p, e) < 0))
		return -1;
	a->rec.netdev.ifindex = p.link.ifindex;
	if (journal_write(&a->journal, &a->rec, e) < 0)
		return -1;
	ipoib_restore(&a->home, &a->rec.netdev, &p.link);
	return 0;
}
