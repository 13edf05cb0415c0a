/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network_selection.h - which networks a pod asks for, by its annotations
 *
 * The room devinfo/network/ reads what a pod says of its networks and what an administrator says
 * these are.  It looks at files alone, and changes nothing.
 *
 * k8s.v1.cni.cncf.io/networks (multi-network specification, section 4.1) is a list of names with
 * commas, or of objects in JSON; v1.multus-cni.io/default-network has the same form with a single
 * element, which replaces the default network.  Types and forms are as strict as Multus', or as the
 * specification where that is stricter.  Each error names the annotation, the element (the first
 * is [0]) and the key.  conf/selection.h is another reader, for an attachment that Multus has
 * chosen: it looks up one value, and leaves errors to Multus.
 */
#ifndef DEVINFO_NETWORK_SELECTION_H
#define DEVINFO_NETWORK_SELECTION_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define NETWORKS_ANNOTATION		"k8s.v1.cni.cncf.io/networks"
#define DEFAULT_NETWORK_ANNOTATION	"v1.multus-cni.io/default-network"

enum {
	NETWORKS_MAX = 64,		/* elements of an annotation */
	NETWORKS_BYTES_MAX = 256 << 10,	/* of its text, as Kubernetes has it for all annotations */
	NETWORK_MAC_TEXT = 60,		/* 20 bytes, and a NUL */
};

/* One attachment that is asked for.  What is not said is NULL or "".  All is borrowed. */
struct network_selection {
	const char *name, *namespace;	/* of its definition; always there */
	const char *interface;		/* as the pod has asked for it */
	char ifname[16];		/* what it gets: that, or net1, net2... by its place */
	char mac[NETWORK_MAC_TEXT];	/* 6 or 20 bytes, lower case with ':' */
	char guid[NETWORK_MAC_TEXT];	/* 8 bytes, the same */
	const json_t *ips;		/* addresses, with or without prefix length; never empty */
	const json_t *default_route;	/* gateways; may be empty */
	const json_t *port_mappings, *bandwidth, *cni_args;
	const char *device_id;
	bool is_default;		/* in place of the default network, with its interface */
};

/* The default network first, if one is asked for, then the others in their order. */
struct network_selections {
	struct network_selection *list;	/* owned */
	size_t n;
	json_t *elements;		/* owned; what the list borrows from */
};

/* The pod whose annotations are read. */
struct network_pod {
	const json_t *annotations;	/* an object, or NULL */
	const char *namespace;		/* where definitions are whose namespace is not said */
	const char *ifname;		/* of the default network: "eth0" */
};

/* Where the default network's definition is if its namespace is not said, as Multus has it. */
#define DEFAULT_NETWORK_NAMESPACE "kube-system"

/*
 * Read both annotations.  `warn` is called for each key that nobody knows: without effect, and most
 * likely a typing error.  A key with a dot is somebody else's.  0, or -1 with ERR_NETCONF.
 */
int network_selections_read(const struct network_pod *pod,
			    void (*warn)(const char *text, void *arg), void *arg,
			    struct network_selections *ret, struct err *e) must_check;

void network_selections_done(struct network_selections *s);

#define auto_network_selections auto_with(network_selections_done)

#endif
