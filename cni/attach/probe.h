/* SPDX-License-Identifier: Apache-2.0 */
/* probe.h - the first part of an ADD: find out everything, change nothing */
#ifndef CNI_ATTACH_PROBE_H
#define CNI_ATTACH_PROBE_H

#include "base/err.h"
#include "cni/attach/attach.h"

#include <stdbool.h>
#include <sys/stat.h>

/* The container's namespace, and what was found out about it. */
struct pod_netns {
	int fd;				/* the caller's to close */
	struct stat st;
	bool is_own;			/* the plugin's, which the engine has allowed */
};

/* Open it: it must be a namespace, and not the plugin's own unless that is allowed. */
int probe_open_netns(const struct cni_call *call, struct pod_netns *ret, struct err *e) must_check;

/*
 * Get the requested MAC: 1, with its key, for messages, in *ret_key; 0 none, -1 when it is no
 * unicast address.
 */
int probe_wanted_mac(const struct netconf *nc, const struct cni_call *call, uint8_t ret[MAC_LEN],
		     const char **ret_key, struct err *e) must_check;

/* The first step of every ADD: read the MAC, open namespace and journal, and lock the names. */
int probe_context(struct attachment *a, struct err *e) must_check;

/* Choose a device by the configuration and make it ours, under its lock. */
int probe_device(struct attachment *a, struct err *e) must_check;

/* Make the device in a->dev ours, under its lock; a live attachment's is ERR_TRY_AGAIN. */
int probe_claim(struct attachment *a, struct err *e) must_check;

/*
 * The last step: attributes of a function affect all its vDPA devices, so no other attachment may
 * have one of them.  ERR_TRY_AGAIN when a live one has.
 */
int probe_alone(struct attachment *a, struct err *e) must_check;

/* Set the device in the record; it is part of the record's file name. */
int probe_name_device(struct attachment *a, struct err *e);

/* Read the device-info from a file, completed from sysfs when the device is a PCI function. */
int probe_info(struct attachment *a, struct err *e) must_check;

/*
 * Read it again after plugins that may have written it: the attachment's own file is preferred now.
 */
int probe_info_again(struct attachment *a, struct err *e) must_check;

#endif
