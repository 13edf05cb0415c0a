/* SPDX-License-Identifier: Apache-2.0 */
/* restore.c - an attachment's device is given back as it was before */
#include "cni/attach/restore.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/aspect/hardware.h"
#include "cni/attach/aspects.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <string.h>

static void restoring_done(struct restoring *r)
{
	nl_done(&r->home);
}

/* Nothing is restored onto a device that has been given back, has gone, or was booted anew. */
int restore_check(const struct host *host, struct record *rec, struct err *e)
{
	struct err why;
	int r;

	if (rec->released || aspects_busy(host, rec, &why) == 0)
		return 0;
	r = owner_this_boot(host, rec, e);
	if (r <= 0)		/* of another boot it is not ours to look after */
		return r;
	*e = why;
	return err_wrap(e, "device %s", rec->device);
}

static int restore_all(struct restoring *r, struct err *e)
{
	return nl_open(NETNS_OWN, NETLINK_ROUTE, &r->home, e) < 0 ? -1 : aspects_restore(r, e);
}

/* Is there a device of the kernel's to restore?  1, 0, -1. */
static int is_there(const struct host *host, const struct record *rec, struct pci_device *ret,
		    struct err *e)
{
	int r = record_is_path(rec) ? 0 : owner_this_boot(host, rec, e);

	if (r <= 0)
		return r;
	r = hardware_find(host, rec, ret, e);
	if (r == 0)
		log_info("msg=\"device has vanished, nothing to restore\" device=%s", rec->device);
	return r;
}

int restore_device(const struct host *host, const struct journal *journal, struct record *rec,
		   struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	struct pci_device dev = { 0 };
	auto_with(restoring_done) struct restoring back = {
		.host = host, .journal = journal, .rec = rec, .dev = &dev,
	};
	int r;

	if (rec->released)
		return 0;
	r = is_there(host, rec, &dev, e);
	if (r < 0 || (r > 0 && restore_check(host, rec, e) < 0))
		return -1;
	if (r > 0) {
		if (restore_all(&back, &one) < 0)
			err_join(&all, &one);
		/* what the pod still has keeps the VLANs of its representor, as those of its PF */
		if (!back.in_use && aspects_restore_on_host(&back, &one) < 0)
			err_join(&all, &one);
	}
	/* when this fails the device counts as not given back: the switch still forwards for it */
	if (aspects_restore_lasting(&back, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}
