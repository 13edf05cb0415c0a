/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aspects.c - the table of aspects: their order, and why it is that
 *
 * A new aspect is one more row of each list that it has a part in.
 */
#include "cni/attach/aspects.h"

#include "base/mem.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev.h"
#include "cni/rdma/rdma.h"
#include "cni/representor/representor.h"
#include "cni/socket/socket.h"
#include "cni/vdpa/vdpa.h"
#include "cni/vf/vf.h"

#include <errno.h>

/*
 * Looking.  vDPA says which the network device is, and that says whether there is one for a program
 * in user space to take the place of; RDMA asks whether the driver will be away for a moment.
 */
static const struct aspect *const probe_order[] = {
	&vf_aspect, &vdpa_aspect, &netdev_aspect, &driver_aspect, &representor_aspect,
	&rdma_aspect,
};

/*
 * Changing.
 *
 * - RDMA, and the GUID, before all else: moving an RDMA device, and binding the driver anew for the
 *   GUID, make the network device anew.
 * - A VF's attributes before its driver, and before its network device moves: the pod must not
 *   have a device without its VLAN for a moment.
 * - vDPA before the network device, which it may make.
 * - The representor before the network device: it passes no frame ahead of its VLANs.
 */
static const struct aspect *const apply_order[] = {
	&rdma_aspect, &vf_aspect, &vdpa_aspect, &driver_aspect, &representor_aspect,
	&netdev_aspect,
};

/* In the order that a reader of the differences wants. */
static const struct aspect *const check_order[] = {
	&netdev_aspect, &driver_aspect, &vdpa_aspect, &socket_aspect, &vf_aspect, &rdma_aspect,
	&representor_aspect,
};

/*
 * Giving back: RDMA first, for the network device may be built on it; the driver of before makes
 * the network device; a vDPA device that ends with the attachment takes its network device along.
 */
static const struct aspect *const restore_order[] = {
	&rdma_aspect, &driver_aspect, &vdpa_aspect, &netdev_aspect,
};

/*
 * What the PF grants goes last, when nobody in the pod can have the device any more: a VF keeps its
 * VLAN as long as somebody may.  RDMA's name waits until all else is back.
 */
static const struct aspect *const settle_order[] = {
	&vdpa_aspect, &driver_aspect, &vf_aspect, &rdma_aspect,
};

/* On the host, whatever becomes of the device. */
static const struct aspect *const on_host_order[] = { &representor_aspect };

static bool is_for(const struct aspect *s, const struct attachment *a)
{
	return !a->rec.chained || s->chained;
}

int aspects_probe(struct attachment *a, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(probe_order); i++) {
		if (is_for(probe_order[i], a) && probe_order[i]->probe(a, e) < 0)
			return -1;
		a->hides_netdev = aspects_hide_netdev(&a->rec);
	}
	return 0;
}

int aspects_apply(struct attachment *a, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(apply_order); i++)
		if (is_for(apply_order[i], a) && apply_order[i]->apply(a, e) < 0)
			return -1;
	return 0;
}

int aspects_describe(struct attachment *a, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(apply_order); i++)
		if (apply_order[i]->describe && is_for(apply_order[i], a) &&
		    apply_order[i]->describe(a, e) < 0)
			return -1;
	return 0;
}

int aspects_check(struct check *c, struct err *e)
{
	c->hides_netdev = aspects_hide_netdev(c->rec);
	for (size_t i = 0; i < ARRAY_SIZE(check_order); i++)
		if (check_order[i]->check(c, e) < 0)
			return -1;
	return 0;
}

int aspects_busy(const struct host *host, struct record *rec, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(restore_order); i++)
		if (restore_order[i]->busy && restore_order[i]->busy(host, rec, e) < 0)
			return -1;
	return 0;
}

static void before_return(struct restoring *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(settle_order); i++)
		if (settle_order[i]->before_return)
			settle_order[i]->before_return(r);
}

int aspects_restore(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	r->before_return = before_return;
	for (size_t i = 0; i < ARRAY_SIZE(restore_order) && !r->blocked; i++)
		if (restore_order[i]->restore(r, &one) < 0)
			err_join(&all, &one);
	for (size_t i = 0; i < ARRAY_SIZE(settle_order) && !r->in_use; i++) {
		r->failed = all.code != ERR_OK;
		if (settle_order[i]->settle(r, &one) < 0)
			err_join(&all, &one);
	}
	return err_joined(&all, e);
}

int aspects_restore_on_host(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	for (size_t i = 0; i < ARRAY_SIZE(on_host_order); i++)
		if (on_host_order[i]->restore_on_host(r, &one) < 0)
			err_join(&all, &one);
	return err_joined(&all, e);
}

bool aspects_hide_netdev(const struct record *rec)
{
	for (size_t i = 0; i < ARRAY_SIZE(probe_order); i++)
		if (probe_order[i]->hides_netdev && probe_order[i]->hides_netdev(rec))
			return true;
	return false;
}
