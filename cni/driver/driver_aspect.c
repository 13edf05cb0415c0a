/* SPDX-License-Identifier: Apache-2.0 */
/* driver_aspect.c - another driver for a function, or a reset: probed, bound, and given back */
#include "cni/driver/driver.h"

#include "base/capability.h"
#include "base/log.h"
#include "devinfo/node/eswitch.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>

/* -- ADD -- */

/* A driver for user space, and the nodes by which programs reach it. */
static int probe_driver(struct attachment *a, struct err *e)
{
	const struct pci_device *pci = &a->dev.pci;

	if (a->conf->driver && !a->dev.is_pci)
		return err_set(e, ERR_NETCONF, 0, "driver: %s is not a PCI function", a->dev.key);
	if (a->conf->driver &&
	    driver_probe(a->host, pci, a->conf->driver, &a->rec.driver, e) < 0)
		return -1;
	if (*a->rec.driver.bound &&
	    driver_check_allowed(a->host, pci, a->rec.driver.bound, e) < 0)
		return -1;
	if (*a->rec.driver.bound)	/* its RDMA devices go with the driver that it has now */
		*a->dev.pci.rdma = '\0';
	if (*a->rec.driver.bound || a->rec.netdev.present || a->netdev_known)
		return 0;
	return driver_check_nodes(a->host, pci, e);
}

/* How the device is to be given back, for DEL goes by the record alone. */
static int probe_reset(struct attachment *a, struct err *e)
{
	const struct netconf *nc = a->conf;
	int r;

	a->rec.known_clean = nc->known_clean;
	/* known-clean: where it can be, and others have nothing on the function */
	if (!nc->reset_on_release && (!nc->known_clean || a->netdev_known))
		return 0;
	r = a->dev.is_pci ? driver_can_reset(a->host, a->dev.key, e) : 0;
	a->rec.reset = r > 0;
	if (r <= 0 && !nc->reset_on_release)
		return 0;
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_DEVICE, ENOTSUP,
					    "resetOnRelease: %s has no function level reset",
					    a->dev.key);
	return *a->rec.driver.bound ? 0 :
				      driver_note(a->host, &a->dev.pci, &a->rec.driver, e);
}

static int probe(struct attachment *a, struct err *e)
{
	return probe_driver(a, e) < 0 ? -1 : probe_reset(a, e);
}

static int apply(struct attachment *a, struct err *e)
{
	struct pci_device now = a->dev.pci;

	if (!*a->rec.driver.bound)
		return 0;
	if (driver_bind(a->host, a->dev.key, &a->rec.driver, e) < 0 ||
	    eswitch_pci(a->host, a->dev.key, &now, e) < 0)
		return -1;
	return driver_check_nodes(a->host, &now, e);
}

/* -- CHECK -- */

static int check_driver(struct check *c, struct err *e)
{
	const char *want = c->rec->driver.bound;
	struct pci_device dev = { 0 };

	if (*want && sysfs_pci(c->host, c->rec->device, &dev, e) < 0)
		return -1;
	if (*want && strcmp(dev.driver, want) != 0)
		check_away(c, "driver of %s: expected %s, got %s", c->rec->device, want,
			   *dev.driver ? dev.driver : "none");
	return 0;
}

/* -- DEL -- */

static int busy(const struct host *host, struct record *rec, struct err *e)
{
	return rec->is_pci ? driver_check_free(host, rec->device, e) : 0;
}

/* Its driver was not given back: a program has it still, or that cannot be told. */
static bool may_be_used(const struct restoring *r, const struct err *why)
{
	return why->code == ERR_TRY_AGAIN || why->code == ERR_INTERRUPTED ||
	       (*r->dev->driver && strcmp(r->dev->driver, r->rec->driver.bound) == 0);
}

/* Not ours to undo, but for an administrator to know: all else is restored as if it were not. */
static void warn_of_driver(const struct restoring *r)
{
	const struct driver_state *was = &r->rec->driver;
	const char *now = r->dev->driver, *had = *was->bound ? was->bound : was->before;

	if (strcmp(now, had) != 0 && strcmp(now, was->before) != 0)
		log_warning("msg=\"it has not the driver any more that it had in the container\" "
			    "device=%s had=%s driver=%s", r->rec->device, had,
			    *now ? now : "none");
}

/* Its own driver again, without which there is no network device to restore. */
static int restore(struct restoring *r, struct err *e)
{
	const struct driver_state *was = &r->rec->driver;
	const char *bdf = r->rec->device;
	struct err ignored;
	int done;

	if (!*was->bound && !*was->before)
		return 0;
	warn_of_driver(r);
	if (*was->bound)
		r->before_return(r);
	done = driver_restore(r->host, bdf, was, e);
	if (eswitch_pci(r->host, bdf, r->dev, &ignored) <= 0) {
		r->blocked = true;
		return done < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, ENODEV, "%s has just gone", bdf);
	}
	r->blocked = done < 0;
	r->in_use = done < 0 && may_be_used(r, e);
	return done;
}

/* What its former user left running ends here, unless that was done on the way home. */
static int settle(struct restoring *r, struct err *e)
{
	if (!r->rec->reset || r->netdev_found)
		return 0;
	return driver_reset(r->host, r->rec->device, &r->rec->driver, e);
}

static bool hides_netdev(const struct record *rec)
{
	return *rec->driver.bound;
}

/* To see whether its group is in use (driver_use.c). */
static void needs(const struct record *rec, struct aspect_needs *ret)
{
	if (rec->is_pci)
		ret->capabilities |= CAPABILITY(CAP_SYS_RAWIO);
}

const struct aspect driver_aspect = {
	.of = ASPECT_DEVICE, .probe = probe, .apply = apply,
	.check = check_driver, .busy = busy, .restore = restore, .settle = settle,
	.hides_netdev = hides_netdev, .needs = needs,
};
