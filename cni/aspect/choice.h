/* SPDX-License-Identifier: Apache-2.0 */
/* choice.h - the device that was chosen for an attachment, and the input of the choice */
#ifndef CNI_ASPECT_CHOICE_H
#define CNI_ASPECT_CHOICE_H

#include "base/err.h"
#include "base/host.h"
#include "cni/call/call.h"
#include "conf/netconf.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/resolve.h"
#include "devinfo/node/sysfs.h"
#include "netlink/altname.h"
#include "netlink/link.h"

struct choice {
	char id[256]; /* as in kubelet and in the name of the device plugin's file */
	/* our name: PCI address, name of auxiliary or network device, key of a socket; "" */
	char key[SOCKET_KEY_SIZE];
	char part[64];	/* the vDPA device that was named, of several on key; "": all */
	char path[108];	/* of a socket on the host, which key is made of; "": no socket */
	bool path_from_plugin;		/* the device plugin made it */
	bool is_pci;
	bool is_netdev;			/* key is the name of a network device alone */
	bool vouched;			/* kubelet reports it as the pod's */
	struct pci_device pci;		/* when is_pci; read by choose_read() */
	struct net_device net;		/* when not */
	struct link link;		/* of is_netdev: as it is at home, read under the lock */
	struct sub_function sf;		/* also set, when it is an auxiliary device's */
	const char *source;		/* for the log */
};

/* Set the PCI function of this address, which is valid, in lower case. */
void choice_set_pci(struct choice *c, const char *bdf);

/* Return the name of its lock: key, or the id of a device that this node does not know. */
const char *choice_lock_name(const struct choice *c);

/* All names of a device that the node's file may match. */
enum { CHOICE_NAMES_MAX = 10 + ALTNAMES_MAX };
struct choice_names {
	char name[CHOICE_NAMES_MAX][ALTNAME_SIZE];
	size_t n;
};

/* Add one, unless it is empty. */
void choice_add_name(struct choice_names *names, const char *name);

/* The stages at which aspects are asked for the device. */
enum choose_when {
	CHOOSE_GIVEN,			/* c->id was given, before it is looked up */
	CHOOSE_UNKNOWN,			/* c->id was looked up and not found */
	CHOOSE_CONFIGURED,		/* no id: from a key of the configuration */
};

/* The input of a choice. */
struct choosing {
	const struct host *host;
	const struct cni_call *call;
	const struct netconf *conf;
	struct journal *journal;
	const struct owner *owner;	/* who chooses */
	bool unique_parent; /* the device's parent may have no other: see choose_device() */
	struct candidates of_pod;	/* owned; kubelet is asked once */
	bool none;			/* the pod has no device, and need not have one */
};

#endif
