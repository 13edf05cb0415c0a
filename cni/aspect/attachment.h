/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attachment.h - one attachment during its ADD: the request, what was found, what was made
 *
 * The room cni/aspect/ has what all aspects of an attachment use: this struct and the chosen
 * device.  An aspect includes no other one, and nothing of cni/attach/, which calls them in their
 * order.
 */
#ifndef CNI_ASPECT_ATTACHMENT_H
#define CNI_ASPECT_ATTACHMENT_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/choice.h"
#include "cni/call/call.h"
#include "cni/plugins/ipam.h"
#include "conf/netconf.h"
#include "devinfo/format/device_info.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/eswitch.h"
#include "devinfo/node/vdpa_device.h"
#include "netlink/link.h"
#include "netlink/nl_vdpa.h"

struct attachment {
	/* from the caller, borrowed */
	const struct host *host;
	const struct cni_call *call;
	const struct netconf *conf;
	const char *request;		/* the bytes of stdin */

	/* found */
	struct journal journal;
	int sriov_lock;			/* sriov-cni's of the device, -1 none */
	const char *held_in;		/* of a device that a live one has: the earlier stateDir
					   with its record, borrowed; NULL: the node's own */
	int netns;			/* the pod's, -1 when not open */
	int icmp6;			/* a socket in it, -1 without IPv6 */
	struct nl home, pod;
	struct choice dev;
	struct function function;	/* of its switch; pf_bdf "": it has none */
	struct representor rep;		/* of the function; ifindex 0: there is none */
	bool rep_looked;		/* function and rep are known, see representor.h */
	struct netdev_state before;	/* copied into the record */
	uint8_t mac[MAC_LEN];		/* wanted, when has_mac */
	const char *mac_key;		/* its key: "mac", "args.cni.mac"... */
	bool has_mac;
	struct device_info info;
	bool has_info;
	char info_name[256];		/* in cni/ */
	char *old_info;			/* owned: the file's content before */
	size_t old_info_len;
	struct vf_state vf_want;
	struct vdpa_device vdpa;	/* when rec.vdpa names one */
	struct vdpa_net_config vdpa_config;
	struct record rec;		/* borrows from call, conf and this struct */
	bool recreated;			/* its RDMA device's changes make the netdev anew */
	bool has_no_device;		/* the pod has none, and need not have one */
	bool hides_netdev;		/* for a driver in user space: no network device then */
	bool info_by_aspect;		/* an aspect fills the device-info, not sysfs */
	bool info_awaited;		/* others read it before the ADD ends */
	bool request_needed;		/* by DEL: the record keeps it */
	bool netdev_known;		/* an aspect has set netdev_ifindex, which is ... */
	int netdev_ifindex;		/* ... its network device; 0: none yet */

	/* made */
	char *recorded_request;		/* owned: the request without secrets */
	bool recorded, ipam_asked, ipam_refused, chain_asked, info_touched;
	struct ipam_run *ipam_run;	/* owned; NULL: it has not begun, or has been collected */
	struct ipam_result ipam;
	struct link link;		/* in the pod; ifindex 0: there is none */
	/* of a device that has no network device here, if an aspect knows them */
	uint32_t known_mtu;		/* bytes; 0: not known */
	uint8_t known_mac[MAC_LEN];	/* all zero: not known */
	json_t *result;			/* owned; form of 1.1.0 */
	json_t *answer;			/* owned; the same in the requested version */
};

/* Is there a network interface to be configured and moved? */
static inline bool attachment_has_netdev(const struct attachment *a)
{
	return a->rec.netdev.present && !a->hides_netdev;
}

#endif
