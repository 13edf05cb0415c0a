/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.c - the driver of a PCI function: another one, and back; a reset
 *
 * Theory of operation.  driver_override makes the kernel's matching answer with one driver
 * only, whatever the ids say.  So: override, unbind, probe, look.  On the way back the
 * former driver is named the same way, for by ids another one might come first; only then
 * is the former override written.  A reset takes the driver away for the moment.
 *
 * An unbinding waits until no program has the function open, with the device's lock held, which all
 * of these files but the link "driver" wait for: a child reads and writes them, until a time.
 */
#include "cni/driver/driver_part.h"

#include "base/bounded_file.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/name.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DRIVER_DIR	"/sys/bus/pci/drivers/"
#define PROBE		"/sys/bus/pci/drivers_probe"
#define PROBE_MS	1000	/* how long a driver may take to show */
#define WRITE_MS	10000	/* to let go of a function or to take it; some load firmware */
#define NOIOMMU		"/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"

/* -- attributes -- */

static int write_attr(const struct host *host, const char *bdf, const char *attr, const char *text,
		      struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), PCI_DIR "%s/%s", bdf, attr);
	return bounded_write(host->root, path, text, WRITE_MS, e);
}

/* 1, 0 when it is not there, -1. */
static int read_attr(const struct host *host, const char *bdf, const char *attr, char *ret,
		     size_t size, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), PCI_DIR "%s/%s", bdf, attr);
	return bounded_read_line(host->root, path, ret, size, DRIVER_READ_MS, e);
}

/* 0 when the function or its attribute is not there. */
static int read_override(const struct host *host, const char *bdf, char ret[64], struct err *e)
{
	int r = read_attr(host, bdf, "driver_override", ret, 64, e);

	if (r > 0 && strcmp(ret, "(null)") == 0)
		*ret = '\0';
	return r;
}

/* What has to come back, and so has to be a name that a record may have. */
static int note_override(const struct host *host, const char *bdf, struct driver_state *ret,
			 struct err *e)
{
	int r = read_override(host, bdf, ret->override, e);

	if (r > 0 && *ret->override && !name_is_file(ret->override))
		return err_set(e, ERR_DEVICE, EILSEQ, "the driver_override of %s is not a name",
			       bdf);
	return r;
}

/* An empty line is how the kernel is told "none". */
static int write_override(const struct host *host, const char *bdf, const char *driver,
			  struct err *e)
{
	return write_attr(host, bdf, "driver_override", *driver ? driver : "\n", e);
}

/* -- another driver -- */

static int check_iommu(const struct host *host, const struct pci_device *dev, struct err *e)
{
	char mode[8] = "";

	if (*dev->iommu_group)
		return driver_check_group(host, dev, e);
	if (fs_read_line(host->root, mode, sizeof(mode), e, NOIOMMU) < 0)
		return -1;
	return *mode == 'Y' ? 0 : err_set(e, ERR_DEVICE, 0,
					  "%s has no IOMMU group: is the IOMMU switched on?",
					  dev->bdf);
}

/* Its VFs would go with its driver. */
static int check_no_vfs(const struct host *host, const char *bdf, struct err *e)
{
	char vfs[16] = "";

	if (read_attr(host, bdf, "sriov_numvfs", vfs, sizeof(vfs), e) < 0)
		return -1;
	return !*vfs || strcmp(vfs, "0") == 0 ?
		       0 : err_set(e, ERR_BUSY, EBUSY, "%s has %s VFs", bdf, vfs);
}

static int look_at_driver(const struct host *host, const struct pci_device *dev, const char *driver,
			  struct driver_state *ret, struct err *e)
{
	struct driver_state s = { .bound = "" };
	int r = fs_exists(host->root, e, DRIVER_DIR "%s", driver);

	if (r == 0)
		return err_set(e, ERR_DEVICE, ENOENT, "it is not loaded");
	if (r < 0 || check_no_vfs(host, dev->bdf, e) < 0 ||
	    (driver_is_vfio(driver) && check_iommu(host, dev, e) < 0))
		return -1;
	r = note_override(host, dev->bdf, &s, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_DEVICE, ENOENT, "%s has no driver_override",
					    dev->bdf);
	(void)snprintf(s.bound, sizeof(s.bound), "%s", driver);
	(void)snprintf(s.before, sizeof(s.before), "%s", dev->driver);
	*ret = s;
	return 0;
}

int driver_check(const char *driver, struct err *e)
{
	if (driver_is_userspace(driver) && name_is_file(driver) &&
	    strlen(driver) < sizeof(((struct driver_state *)NULL)->bound))
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "driver: '%.64s' is none for user space (vfio-pci, a variant of it, "
		       "uio_pci_generic, igb_uio)", driver);
}

int driver_probe(const struct host *host, const struct pci_device *dev, const char *driver,
		struct driver_state *ret, struct err *e)
{
	if (driver_check(driver, e) < 0)
		return -1;
	if (strcmp(dev->driver, driver) == 0)
		return 0;
	return look_at_driver(host, dev, driver, ret, e) < 0 ? err_wrap(e, "driver %s", driver) : 0;
}

/* The kernel has probed when it has taken the request, unless a thread probes this driver. */
static int await_driver(const struct host *host, const char *bdf, const char *driver, struct err *e)
{
	struct deadline d = deadline_in(PROBE_MS);
	char now[64];

	for (;;) {
		if (driver_now(host, bdf, now, e) < 0)
			return -1;
		if (strcmp(now, driver) == 0)
			return 0;
		if (deadline_left_ms(&d) == 0)
			return err_set(e, ERR_DEVICE, ENODEV, "the driver did not %s it",
				       *driver ? "take" : "give up");
		deadline_sleep(&d, 10);
	}
}

/* From whatever has it to this one, "" for none; nothing to do when it is that already. */
static int rebind(const struct host *host, const char *bdf, const char *driver, struct err *e)
{
	char now[64];

	if (driver_now(host, bdf, now, e) < 0)
		return -1;
	if (strcmp(now, driver) == 0)
		return 0;
	if (*now && (write_attr(host, bdf, "driver/unbind", bdf, e) < 0 ||
		     await_driver(host, bdf, "", e) < 0))
		return -1;
	if (!*driver)
		return 0;
	if (write_override(host, bdf, driver, e) < 0 ||
	    bounded_write(host->root, PROBE, bdf, WRITE_MS, e) < 0)
		return -1;
	return await_driver(host, bdf, driver, e);
}

int driver_bind(const struct host *host, const char *bdf, const struct driver_state *state,
		struct err *e)
{
	return rebind(host, bdf, state->bound, e) < 0 ?
		       err_wrap(e, "bind %s to %s", bdf, state->bound) : 0;
}

/* -- back -- */

static int put_override(const struct host *host, const char *bdf, const char *driver,
			struct err *e)
{
	char now[64] = "";

	if (read_override(host, bdf, now, e) < 0)
		return -1;
	return strcmp(now, driver) == 0 ? 0 : write_override(host, bdf, driver, e);
}

int driver_unbind(const struct host *host, const char *bdf, struct err *e)
{
	return rebind(host, bdf, "", e) < 0 ? err_wrap(e, "unbind %s", bdf) : 0;
}

/* The driver to give it back to: none, when that was unloaded meanwhile.  1, 0, -1. */
static int is_loaded(const struct host *host, const char *bdf, const char *driver, struct err *e)
{
	int r = *driver ? fs_exists(host->root, e, DRIVER_DIR "%s", driver) : 0;

	if (r == 0 && *driver)
		log_warning("msg=\"the driver of before is not loaded any more\" device=%s "
			    "driver=%s",
			    bdf, driver);
	return r;
}

static int give_back(const struct host *host, const char *bdf, const char *now,
		     const struct driver_state *state, struct err *e)
{
	int loaded = is_loaded(host, bdf, state->before, e);

	if (loaded < 0 ||
	    (driver_may_be_open(now) && strcmp(now, state->before) != 0 &&
	     driver_check_unused(host, bdf, e) < 0))
		return -1;
	if (rebind(host, bdf, loaded ? state->before : "", e) < 0)
		return -1;
	return put_override(host, bdf, state->override, e);
}

int driver_restore(const struct host *host, const char *bdf, const struct driver_state *state,
		   struct err *e)
{
	char now[64];

	if (driver_now(host, bdf, now, e) < 0)
		return -1;
	if (!*state->bound && *now && strcmp(now, state->before) != 0) {
		log_info("msg=\"another driver has it by now, and keeps it\" device=%s driver=%s",
			 bdf, now);
		return 0;
	}
	if (give_back(host, bdf, now, state, e) < 0)
		return err_wrap(e, "give %s back to %s", bdf,
				*state->before ? state->before : "no driver");
	return 0;
}

/* -- reset -- */

int driver_can_reset(const struct host *host, const char *bdf, struct err *e)
{
	char methods[128] = "";
	int r = fs_read_line(host->root, methods, sizeof(methods), e, PCI_DIR "%s/reset_method",
			     bdf);

	if (r == 0)	/* before 5.15 the methods were not told, and of a VF there was no other */
		r = fs_exists(host->root, e, PCI_DIR "%s/reset", bdf);
	else if (r > 0)
		r = strstr(methods, "flr") != NULL;
	return r > 0 && check_no_vfs(host, bdf, e) < 0 ? -1 : r;
}

int driver_note(const struct host *host, const struct pci_device *dev, struct driver_state *ret,
		struct err *e)
{
	struct driver_state s = { .bound = "" };

	if (!*dev->driver || driver_is_userspace(dev->driver))
		return 0;
	if (note_override(host, dev->bdf, &s, e) < 0)
		return -1;
	(void)snprintf(s.before, sizeof(s.before), "%s", dev->driver);
	*ret = s;
	return 0;
}

/*
 * Never under a driver of the kernel: some are not prepared for it (igbvf waits for ever when its
 * interface is down).  One for user space does nothing by itself.
 */
int driver_reset(const struct host *host, const char *bdf, const struct driver_state *state,
		 struct err *e)
{
	struct err second;
	char now[64];
	int r = driver_can_reset(host, bdf, e);

	if (r == 0)
		return err_set(e, ERR_DEVICE, ENOTSUP, "%s has no function level reset", bdf);
	if (r < 0 || driver_now(host, bdf, now, e) < 0 ||
	    (driver_may_be_open(now) ? driver_check_unused(host, bdf, e) :
					rebind(host, bdf, "", e)) < 0)
		return err_wrap(e, "reset %s", bdf);
	r = write_attr(host, bdf, "reset", "1", e);
	if (r < 0)
		(void)err_wrap(e, "reset %s", bdf);
	if (*state->before && driver_restore(host, bdf, state, &second) < 0) {
		if (r == 0)
			*e = second;
		r = -1;
	}
	return r;
}
