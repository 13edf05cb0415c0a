/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netconf.h - the plugin's configuration from stdin
 *
 * Read in two steps, because DEL must work with a configuration that an engine
 * has stripped or spoilt: netconf_parse() takes what every verb needs (name,
 * version, directories), netconf_check() and netconf_attachment() the rest.
 * Keys and meaning are sriov-cni's, bridge and trunk accelerated-bridge-cni's; ours are
 * resourceName, claim, request, deviceOptional, device, mtu, driver, releasePolicy,
 * resetOnRelease, vdpa, vhostUser, memif, switch, delegate, delegates and podMayOverride.
 * conf/keys.c has all of them, devinfo.conf(5) is the reference for administrators.
 *
 * All strings are borrowed from the document in `doc`.
 */
#ifndef CONF_NETCONF_H
#define CONF_NETCONF_H

#include "base/err.h"
#include "base/host.h"
#include "conf/bridge_port.h"
#include "conf/socket_conf.h"
#include "conf/vdpa_conf.h"
#include "conf/version.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETCONF_MAX	(16 * 1024 * 1024)	/* bytes of stdin we read */

enum onoff { ONOFF_UNSET, ONOFF_OFF, ONOFF_ON };
enum link_policy { LINK_POLICY_UNSET, LINK_POLICY_AUTO, LINK_POLICY_ENABLE, LINK_POLICY_DISABLE };

/*
 * Our place in the chain: of an attachment whose interface is ours; behind the plugin that made it;
 * or around plugins that make it and that we run ourselves.
 */
enum position { POSITION_OWNER, POSITION_CHAINED, POSITION_META };

#define DELEGATES_MAX	16

/* What the runtime passes on, or the pod says, of what networks have keys for; NULL, 0, -1: not. */
struct netconf_wish {
	const char *device_id, *resource, *mac, *device_info_file;
	int64_t mtu;
	uint64_t guid;
	const json_t *dns;
};

struct netconf {
	json_t *doc;			/* owned */
	enum cni_version version;
	const char *name;
	enum position position;
	const json_t *prev_result;	/* as it came, NULL when absent */
	const json_t *runtime;		/* runtimeConfig, NULL when absent */

	/*
	 * What the pod says, args.cni, but for what the network says and does not let it override;
	 * overruled: such a key, which an ADD is refused for.
	 */
	json_t *args;			/* owned */
	struct netconf_wish by_runtime, by_pod;	/* what is set below follows these */
	const char *overruled;		/* a constant; NULL: none */
	const json_t *may_override, *node_may_override;	/* podMayOverride; NULL: none */
	json_t *selection;		/* owned, see selection.h; NULL when absent */
	json_t *delegates;		/* owned list of DELEGATES_MAX at most, NULL: none */

	/* which device; NULL when absent */
	const char *device_id;		/* runtimeConfig.deviceID, deviceID or pciBusID */
	bool id_is_runtime; /* only runtimeConfig has it: a pod's author may have said so */
	const char *device;		/* a net device of the host, as host-device's */
	const char *resource;		/* resourceName: ask kubelet */
	const char *claim, *request;	/* of Dynamic Resource Allocation: ask kubelet */
	bool device_optional;		/* a pod without a device of these is passed on */
	const char *pinned;		/* args.cni.deviceID: this one of the pod's, NULL: any */

	/* what is set on it; -1 or NULL or *_UNSET: untouched */
	int vlan;			/* 0..4094, 0 is no VLAN */
	int vlan_qos;			/* 0..7 */
	uint16_t vlan_proto;		/* 0x8100 or 0x88a8 */
	const char *mac;		/* unchecked text; runtimeConfig's wins over mac's */
	const char *mac_key;		/* where: "mac", "runtimeConfig.mac" or "args.cni.mac" */
	enum onoff spoofchk, trust;
	enum link_policy link_state;
	int64_t min_tx_rate, max_tx_rate;	/* Mbit/s, 0 is no limit */
	int64_t mtu;			/* bytes */
	int64_t txqlen;			/* packets, where txqlen_said: 0 is a value */
	bool txqlen_said;
	struct bridge_port_conf port;	/* of the representor, see netconf_has_port() */

	/* InfiniBand and RDMA, as ib-sriov-cni's */
	uint64_t guid;			/* of node and port, see guid.h; 0: untouched */
	enum onoff rdma_isolation;	/* on: a must; unset: as the RDMA subsystem is set up */

	const char *driver;		/* for user space; NULL: the one it has */

	struct vdpa_conf vdpa;		/* it is, or becomes, a vDPA device */

	/*
	 * Or a socket: vlan and port.trunk are the switch port's then, port.present is false, and
	 * the position is the owner's, delegates notwithstanding.  Without one, socket.sw is the
	 * switch of the representor.
	 */
	struct socket_conf socket;

	/* and how it is given back; ours only where the interface is */
	bool known_clean;		/* a VF's attributes: defaults, not what was before */
	bool reset_on_release;

	const char *ipam_type;		/* NULL: no IPAM */
	json_t *dns;			/* owned, NULL when absent */
	const char *device_info_file;	/* runtimeConfig.CNIDeviceInfoFile */
};

/*
 * Parse the document, its name and version.  Codes 6, 7 and 1 as the CNI specification says.  On an
 * error ret->version alone is set: to what was asked for, else to our newest.
 */
int netconf_parse(const char *text, size_t len, struct netconf *ret, struct err *e) must_check;

/*
 * The settings of this configuration, over those of the node's file in *ret, whose own keys are
 * refused here.  On an error those that are right have been taken.
 */
int netconf_settings(struct netconf *nc, struct settings *ret, struct err *e) must_check;

/* All that is there, strictly checked; no device needs to be named (CHECK, GC, STATUS). */
int netconf_check(struct netconf *nc, struct err *e) must_check;

/* The same, and everything that an ADD needs. */
int netconf_attachment(struct netconf *nc, struct err *e) must_check;

/* What names in it mean on the node below root, for ADD and CHECK: a group.  ERR_NETCONF. */
int netconf_find_names(struct netconf *nc, int root, struct err *e) must_check;

/*
 * After netconf_parse(), instead of netconf_check(): what the plugins of an earlier ADD are run by.
 * All else that it said is not judged again, for it may be refused by now, or not be known.
 */
int netconf_delegates(struct netconf *nc, struct err *e) must_check;

/* The same of a socket's switch: the port's values and nc->socket.  -1: some could not be read. */
int netconf_recall_switch(struct netconf *nc, struct err *e) must_check;

/* After netconf_check(): a port of a bridge is made of the representor, and vlan is that port's. */
bool netconf_has_port(const struct netconf *nc) must_check;

/* After netconf_check(): the network does not say this key, or lets the pod override it. */
bool netconf_pod_may_say(const struct netconf *nc, const char *key);

/* Does the network itself, or its vdpa, say this text of a key, in whichever letters? */
bool netconf_says(const struct netconf *nc, const char *key, const char *text);

/*
 * Where nobody else is asked what an id means: a PCI address without its domain is none that
 * anything on a node has.  ERR_NETCONF.
 */
int netconf_check_id(const struct netconf *nc, struct err *e) must_check;

/* Does it name the device, or what to make it of?  Else kubelet is asked, or a plugin before us. */
#define NETCONF_DEVICE_KEYS \
	"deviceID, device, resourceName, claim, vdpa.mgmtdev, vhostUser, memif or delegates"
bool netconf_names_device(const struct netconf *nc);

/*
 * The configuration's text without its secret and the pod's annotations, for a file that outlives
 * the call: 1 and *ret, which the caller frees; 0 when it has neither; -1.
 */
int netconf_hide_secrets(const struct netconf *nc, const char *text, char **ret, struct err *e)
	must_check;

void netconf_done(struct netconf *nc);

#define auto_netconf auto_with(netconf_done)

#endif
