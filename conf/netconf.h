/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netconf.h - the plugin's configuration from stdin
 *
 * Read in two steps, because DEL must work with a configuration that an engine has stripped or
 * damaged: netconf_parse() takes what every verb needs (name, version, directories),
 * netconf_check() and netconf_attachment() the rest.  Keys and meaning are sriov-cni's, bridge and
 * trunk accelerated-bridge-cni's; ours are resourceName, claim, request, deviceOptional, device,
 * mtu, driver, releasePolicy, resetOnRelease, vdpa, vhostUser, memif, switch, delegate, delegates
 * and podMayOverride.  conf/keys.c lists all of them, devinfo.conf(5) is the reference for
 * administrators.
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

#define NETCONF_MAX	(16 * 1024 * 1024)	/* bytes of stdin that we read */

enum onoff { ONOFF_UNSET, ONOFF_OFF, ONOFF_ON };
enum link_policy { LINK_POLICY_UNSET, LINK_POLICY_AUTO, LINK_POLICY_ENABLE, LINK_POLICY_DISABLE };

/*
 * Our place in the chain: we make the interface ourselves; run after the plugin that made it; or
 * run the plugins that make it (delegates).
 */
enum position { POSITION_OWNER, POSITION_CHAINED, POSITION_META };

#define DELEGATES_MAX	16

/* Values from the runtime or the pod for keys that networks have as well; NULL, 0, -1: absent. */
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
	 * args.cni, which the pod's author sets, without keys that the network sets and does not
	 * let the pod override.  overruled: one of these; an ADD is refused for it.
	 */
	json_t *args;			/* owned */
	struct netconf_wish by_runtime, by_pod;	/* already merged into the members below */
	const char *overruled;		/* a constant; NULL: none */
	bool pod_networks;		/* all networks of the pod are attached, see cni/pod */
	const json_t *may_override, *node_may_override;	/* podMayOverride; NULL: none */
	json_t *selection;		/* owned, see selection.h; NULL when absent */
	json_t *delegates;		/* owned list of DELEGATES_MAX at most, NULL: none */

	/* which device; NULL when absent */
	const char *device_id;		/* runtimeConfig.deviceID, deviceID or pciBusID */
	bool id_is_runtime; /* only runtimeConfig has it: the pod's author may have chosen it */
	const char *device;		/* a net device of the host, as host-device's */
	const char *resource;		/* resourceName; kubelet says which device */
	const char *claim, *request;	/* Dynamic Resource Allocation; the same */
	bool device_optional;		/* no error when the pod has no such device */
	const char *pinned;		/* args.cni.deviceID, one of the pod's; NULL: any */

	/* what is set on it; -1 or NULL or *_UNSET: untouched */
	int vlan;			/* 0..4094, 0 is no VLAN */
	int vlan_qos;			/* 0..7 */
	uint16_t vlan_proto;		/* 0x8100 or 0x88a8 */
	const char *mac;		/* unchecked text; runtimeConfig's wins over mac's */
	const char *mac_key;		/* its key: "mac", "runtimeConfig.mac" or "args.cni.mac" */
	enum onoff spoofchk, trust;
	enum link_policy link_state;
	int64_t min_tx_rate, max_tx_rate;	/* Mbit/s, 0 is no limit */
	int64_t mtu;			/* bytes */
	int64_t txqlen;			/* packets, where txqlen_said: 0 is a value */
	bool txqlen_said;
	struct bridge_port_conf port;	/* of the representor, see netconf_has_port() */

	/* InfiniBand and RDMA, as ib-sriov-cni's */
	uint64_t guid;			/* of node and port, see guid.h; 0: untouched */
	enum onoff rdma_isolation;	/* on: required; unset: as the RDMA subsystem is set up */

	const char *driver;		/* for user space; NULL: not changed */

	struct vdpa_conf vdpa;		/* the device is, or becomes, a vDPA device */

	/*
	 * The device is a socket: then vlan and port.trunk are the switch port's, port.present is
	 * false, and the position is POSITION_OWNER, even with delegates.  Without a socket,
	 * socket.sw is the switch of the representor.
	 */
	struct socket_conf socket;

	/* the release; only for an interface of ours */
	bool known_clean;		/* a VF gets default attributes, not those of before */
	bool reset_on_release;

	const char *ipam_type;		/* NULL: no IPAM */
	json_t *dns;			/* owned, NULL when absent */
	const char *device_info_file;	/* runtimeConfig.CNIDeviceInfoFile */
};

/*
 * Parse the document, its name and version.  Errors are ERR_DECODE, ERR_NETCONF and ERR_VERSION
 * (CNI specification, "Error").  On an error only ret->version is set: to the requested version,
 * else to our newest.
 */
int netconf_parse(const char *text, size_t len, struct netconf *ret, struct err *e) must_check;

/*
 * Read the settings of this configuration into *ret, over those of the node's file; keys that only
 * the node's file may have are refused.  On an error the valid ones are in *ret.
 */
int netconf_settings(struct netconf *nc, struct settings *ret, struct err *e) must_check;

/* Check strictly all keys that are present; no device needs to be named (CHECK, GC, STATUS). */
int netconf_check(struct netconf *nc, struct err *e) must_check;

/* The same, and everything that an ADD needs. */
int netconf_attachment(struct netconf *nc, struct err *e) must_check;

/* Look up names in it (a group) on the node below root, for ADD and CHECK.  ERR_NETCONF. */
int netconf_find_names(struct netconf *nc, int root, struct err *e) must_check;

/*
 * After netconf_parse(), instead of netconf_check(): read what is needed to run the plugins of an
 * earlier ADD.  Nothing else is checked, because this version may refuse or not know it.
 */
int netconf_delegates(struct netconf *nc, struct err *e) must_check;

/*
 * The same for a socket's switch: reads the port's values and nc->socket. -1: some are not valid.
 */
int netconf_recall_switch(struct netconf *nc, struct err *e) must_check;

/*
 * After netconf_check(): does the representor become a port of a bridge, so that vlan is that
 * port's?
 */
bool netconf_has_port(const struct netconf *nc) must_check;

/*
 * After netconf_check(): may the pod set this key, because the network does not, or allows it by
 * podMayOverride?
 */
bool netconf_pod_may_say(const struct netconf *nc, const char *key);

/* Does the network itself, or its vdpa, set a key to this text, in any case of letters? */
bool netconf_says(const struct netconf *nc, const char *key, const char *text);

/*
 * For a call that does not ask kubelet for the device: refuse an id that is a PCI address without
 * its domain, which no device has.  ERR_NETCONF.
 */
int netconf_check_id(const struct netconf *nc, struct err *e) must_check;

/* Does it name the device, or what to make it of?  Else kubelet, or a plugin before us, decides. */
#define NETCONF_DEVICE_KEYS \
	"deviceID, device, resourceName, claim, vdpa.mgmtdev, vhostUser, memif or delegates"
bool netconf_names_device(const struct netconf *nc);

/*
 * Remove the secret and the pod's annotations from the configuration's text, for a file that
 * outlives the call: 1 and *ret, which the caller frees; 0 when it has neither; -1.
 */
int netconf_hide_secrets(const struct netconf *nc, const char *text, char **ret, struct err *e)
	must_check;

void netconf_done(struct netconf *nc);

#define auto_netconf auto_with(netconf_done)

#endif
