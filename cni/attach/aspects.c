/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aspects.c - the table of aspects: their order, and why it is that
 *
 * A new aspect is one more row of each list that it has a part in: probe_order is also that of
 * choose, names, probe_info, hides_netdev and needs; apply_order that of connect, describe and
 * await; restore_order that of busy; settle_order that of before_return; lasting_order that of
 * forget and collect.  A member that is NULL has nothing to do.  A socket is all there is of its
 * attachment: no order matters to it.
 */
#include "cni/attach/aspects.h"

#include "base/mem.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev.h"
#include "cni/ovsport/ovsport.h"
#include "cni/rdma/rdma.h"
#include "cni/representor/representor.h"
#include "cni/socket/socket.h"
#include "cni/vdpa/vdpa.h"
#include "cni/vf/vf.h"

#include <stddef.h>
#include <string.h>

/*
 * Looking.  vDPA says which the network device is, and that says whether there is one for a program
 * in user space to take the place of; RDMA asks whether the driver will be away for a moment.
 */
static const struct aspect *const probe_order[] = {
	&vf_aspect, &vdpa_aspect, &socket_aspect, &netdev_aspect, &driver_aspect,
	&representor_aspect, &ovsport_aspect, &rdma_aspect,
};

/*
 * Changing.
 *
 * - RDMA, and the GUID, before all else: moving an RDMA device, and binding the driver anew for the
 *   GUID, make the network device anew.
 * - A VF's attributes before its driver, and before its network device moves: the pod must not
 *   have a device without its VLAN for a moment.
 * - vDPA before the network device, which it may make.
 * - The representor before the network device: it passes no frame ahead of its VLANs.  For the
 *   same reason it is a port of Open vSwitch before it is up.
 */
static const struct aspect *const apply_order[] = {
	&socket_aspect, &rdma_aspect, &vf_aspect, &vdpa_aspect, &driver_aspect,
	&ovsport_aspect, &representor_aspect, &netdev_aspect, &netdev_chained_aspect,
};

/* In the order that a reader of the differences wants. */
static const struct aspect *const check_order[] = {
	&netdev_aspect, &driver_aspect, &vdpa_aspect, &socket_aspect, &vf_aspect, &rdma_aspect,
	&representor_aspect, &ovsport_aspect,
};

/*
 * Giving back: RDMA first, for the network device may be built on it; the driver of before makes
 * the network device; a vDPA device that ends with the attachment takes its network device along.
 */
static const struct aspect *const restore_order[] = {
	&rdma_aspect, &driver_aspect, &vdpa_aspect, &netdev_aspect, &netdev_chained_aspect,
};

/*
 * What the PF grants goes last, when nobody in the pod can have the device any more: a VF keeps its
 * VLAN as long as somebody may.  RDMA's name waits until all else is back.
 */
static const struct aspect *const settle_order[] = {
	&vdpa_aspect, &driver_aspect, &vf_aspect, &rdma_aspect,
};

/* On the host, when nobody in the pod can have the device any more. */
static const struct aspect *const on_host_order[] = { &representor_aspect };

/* What outlives device and boot.  A representor is down by then, when its port has no VLANs. */
static const struct aspect *const lasting_order[] = { &socket_aspect, &ovsport_aspect };

/* What an ADD needs that may not be there; the kernel is asked before other programs are. */
static const struct aspect *const status_order[] = { &vdpa_aspect, &socket_aspect };

typedef int attachment_fn(struct attachment *a, struct err *e);
typedef int restoring_fn(struct restoring *r, struct err *e);

static bool is_for(const struct aspect *s, bool path, bool chained)
{
	return s->of & (path ? ASPECT_PATH : chained ? ASPECT_CHAINED : ASPECT_DEVICE);
}

/* Has the function no network device while it is attached as this record says? */
static bool hide_netdev(const struct record *rec)
{
	for (size_t i = 0; i < ARRAY_SIZE(probe_order); i++)
		if (probe_order[i]->hides_netdev && probe_order[i]->hides_netdev(rec))
			return true;
	return false;
}

void aspects_needs(const struct record *rec, struct aspect_needs *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(probe_order); i++)
		if (probe_order[i]->needs)
			probe_order[i]->needs(rec, ret);
}

/* The member of struct aspect at this offset, an attachment_fn, of those that this is for. */
static int walk(struct attachment *a, const struct aspect *const *order, size_t n, size_t member,
		struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		attachment_fn *fn;

		memcpy(&fn, (const char *)order[i] + member, sizeof(fn));
		if (fn && is_for(order[i], *a->dev.path, a->rec.chained) && fn(a, e) < 0)
			return -1;
		a->hides_netdev = hide_netdev(&a->rec);
	}
	return 0;
}

#define WALK(a, order, member, e) \
	walk(a, order, ARRAY_SIZE(order), offsetof(struct aspect, member), e)

int aspects_choose(const struct choosing *ch, enum choose_when when, struct choice *c,
		   char called[64], struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(probe_order); i++)
		if (probe_order[i]->choose)
			r = probe_order[i]->choose(ch, when, c, called, e);
	return r;
}

int aspects_names(const struct host *host, const struct choice *c, struct choice_names *ret,
		  struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(probe_order); i++)
		if (probe_order[i]->names && probe_order[i]->names(host, c, ret, e) < 0)
			return -1;
	return 0;
}

int aspects_probe(struct attachment *a, struct err *e)
{
	return WALK(a, probe_order, probe, e);
}

int aspects_probe_info(struct attachment *a, struct err *e)
{
	return WALK(a, probe_order, probe_info, e);
}

int aspects_apply(struct attachment *a, struct err *e)
{
	return WALK(a, apply_order, apply, e);
}

int aspects_connect(struct attachment *a, struct err *e)
{
	return WALK(a, apply_order, connect, e);
}

int aspects_describe(struct attachment *a, struct err *e)
{
	return WALK(a, apply_order, describe, e);
}

int aspects_await(struct attachment *a, struct err *e)
{
	return WALK(a, apply_order, await, e);
}

int aspects_check(struct check *c, struct err *e)
{
	c->hides_netdev = hide_netdev(c->rec);
	for (size_t i = 0; i < ARRAY_SIZE(check_order); i++)
		if (check_order[i]->check && check_order[i]->check(c, e) < 0)
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

/* The member of struct aspect at this offset, a restoring_fn; all errors are joined. */
static int walk_back(struct restoring *r, const struct aspect *s, size_t member, struct err *all)
{
	struct err one;
	restoring_fn *fn;

	memcpy(&fn, (const char *)s + member, sizeof(fn));
	if (!fn || !is_for(s, record_is_path(r->rec), r->rec->chained) || fn(r, &one) >= 0)
		return 0;
	err_join(all, &one);
	return -1;
}

#define WALK_BACK(r, s, member, all) walk_back(r, s, offsetof(struct aspect, member), all)

int aspects_restore(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK };

	r->before_return = before_return;
	for (size_t i = 0; i < ARRAY_SIZE(restore_order) && !r->blocked; i++)
		r->failed |= WALK_BACK(r, restore_order[i], restore, &all) < 0;
	for (size_t i = 0; i < ARRAY_SIZE(settle_order) && !r->in_use; i++)
		r->failed |= WALK_BACK(r, settle_order[i], settle, &all) < 0;
	return err_joined(&all, e);
}

int aspects_restore_on_host(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK };

	for (size_t i = 0; i < ARRAY_SIZE(on_host_order); i++)
		(void)WALK_BACK(r, on_host_order[i], restore_on_host, &all);
	return err_joined(&all, e);
}

int aspects_restore_lasting(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK };

	for (size_t i = 0; i < ARRAY_SIZE(lasting_order); i++)
		(void)WALK_BACK(r, lasting_order[i], restore_lasting, &all);
	return err_joined(&all, e);
}

/* -- of a network: only what lasts can be left of it -- */

int aspects_forget(const struct host *host, const struct netconf *nc, const struct owner *o,
		   struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	for (size_t i = 0; i < ARRAY_SIZE(lasting_order); i++)
		if (lasting_order[i]->forget && lasting_order[i]->forget(host, nc, o, &one) < 0)
			err_join(&all, &one);
	return err_joined(&all, e);
}

int aspects_collect(const struct host *host, const struct netconf *nc, aspect_keep_fn *keep,
		    const void *arg, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	for (size_t i = 0; i < ARRAY_SIZE(lasting_order); i++)
		if (lasting_order[i]->collect &&
		    lasting_order[i]->collect(host, nc, keep, arg, &one) < 0)
			err_join(&all, &one);
	return err_joined(&all, e);
}

int aspects_status(const struct host *host, const struct netconf *nc, const struct deadline *d,
		   struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(status_order); i++)
		if (status_order[i]->status && status_order[i]->status(host, nc, d, e) < 0)
			return -1;
	return 0;
}
