/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cdi.h - read PCI addresses from specifications of the Container Device Interface
 *
 * The files are *.json and *.yaml of /etc/cdi and /var/run/cdi.
 */
#ifndef DEVINFO_KUBELET_CDI_H
#define DEVINFO_KUBELET_CDI_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"
#include "devinfo/kubelet/claim_info.h"

#include <stdbool.h>

#define CDI_MAX		(1024 * 1024)	/* bytes of a specification */
#define CDI_MAX_FILES	4096		/* looked at */

enum { CDI_TEXT_SIZE = 1024 };

/* A value from a specification; several: it has different ones, and text is the first. */
struct cdi_fact {
	char text[CDI_TEXT_SIZE];	/* "" none */
	bool several;
};

/* What a specification says about one of its devices. */
struct cdi_device {
	struct cdi_fact address;	/* lower-case PCI address in its environment */
	struct cdi_fact metadata;	/* path on the host of a DRA metadata file that it mounts */
};

/*
 * Find the PCI address in the environment of c's CDI devices: 1 with ret->id filled, 0 when there
 * is none or more than one; -1, ERR_TRY_AGAIN when it takes longer than *d and than half a second.
 */
int cdi_find(const struct host *h, const struct claimed_device *c, const struct deadline *d,
	     struct claim_info *ret, struct err *e) must_check;

/* Find the DRA metadata file that c's CDI devices mount: 1 with its path, 0 none or several, -1. */
int cdi_find_metadata(const struct host *h, const struct claimed_device *c,
		      const struct deadline *d, char ret[CDI_TEXT_SIZE],
		      char tried[CLAIM_TRIED_SIZE], struct err *e) must_check;

/*
 * Find the device "vendor.com/class=name" in the text of one specification, JSON or YAML by the
 * file name's suffix: 1 and *ret filled, 0 when it is absent, or the suffix is another one, -1 when
 * the specification is not valid.
 */
int cdi_parse(const char *file, const char *text, size_t len, const char *name,
	      struct cdi_device *ret, struct err *e) must_check;

#endif
