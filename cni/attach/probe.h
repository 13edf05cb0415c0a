/* SPDX-License-Identifier: Apache-2.0 */
/* probe.h - the first part of an ADD: find out everything, change nothing */
#ifndef CNI_ATTACH_PROBE_H
#define CNI_ATTACH_PROBE_H

#include "base/err.h"
#include "cni/attach/attach.h"

#include <sys/stat.h>

/*
 * The container's namespace, which must be one, and not the plugin's own unless that is allowed;
 * the caller closes it.
 */
int probe_open_netns(const struct cni_call *call, int *ret_fd, struct stat *st, struct err *e)
	must_check;

/*
 * The MAC that is asked for: 1, and *ret_key which key says it, for messages; 0 none, -1 when it is
 * no unicast address.
 */
int probe_wanted_mac(const struct netconf *nc, const struct cni_call *call, uint8_t ret[MAC_LEN],
		     const char **ret_key, struct err *e) must_check;

/* What comes first everywhere: the wanted MAC, the namespace, the journal, the names, locked. */
int probe_context(struct attachment *a, struct err *e) must_check;

/* Choose a device by the configuration and make it ours, under its lock. */
int probe_device(struct attachment *a, struct err *e) must_check;

/* Make the device in a->dev ours, under its lock; a live attachment's is ERR_TRY_AGAIN. */
int probe_claim(struct attachment *a, struct err *e) must_check;

/*
 * At the end of all looking: what is to be set on a function is set on all parts of it, so
 * that others may have none.  ERR_TRY_AGAIN when a live attachment has one.
 */
int probe_alone(struct attachment *a, struct err *e) must_check;

/* Put the device into the record, whose name it is a part of. */
int probe_name_device(struct attachment *a, struct err *e);

/* The device-info: of a device-info file, completed from sysfs when the device is a PCI function.
 */
int probe_info(struct attachment *a, struct err *e) must_check;

/* Its device-info after others may have written it: the attachment's own file goes first now. */
int probe_info_again(struct attachment *a, struct err *e) must_check;

#endif
