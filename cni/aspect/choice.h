/* SPDX-License-Identifier: Apache-2.0 */
/* choice.h - the device that was chosen for an attachment, and what a choice is made from */
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

struct choice {
	char id[256]; /* as kubelet calls it, and the device plugin's device-info file */
	/* how we call it: PCI address, name of auxiliary or network device, key of a socket; "" */
	char key[SOCKET_KEY_SIZE];
	char part[64];	/* of several on key the one that was named, a vDPA device; "": all */
	char path[108];	/* of a socket on the host, key is made of it; "": it is none */
	bool path_from_plugin;		/* and it is the device plugin's */
	bool is_pci;
	bool vouched;			/* kubelet said that it is the pod's */
	struct pci_device pci;		/* when is_pci; read by choose_read() */
	struct net_device net;		/* when not */
	struct sub_function sf;		/* and this as well, when it is an auxiliary device's */
	const char *source;		/* for the log */
};

/* The PCI function of this address, which is of the right form; spelled in lower case. */
void choice_set_pci(struct choice *c, const char *bdf);

/* What its lock is called: a device that this node does not know has but its id. */
const char *choice_lock_name(const struct choice *c);

/* All the names that a device goes by, as the node's file may have them. */
enum { CHOICE_NAMES_MAX = 10 + ALTNAMES_MAX };
struct choice_names {
	char name[CHOICE_NAMES_MAX][ALTNAME_SIZE];
	size_t n;
};

/* Add one, unless it is empty. */
void choice_add_name(struct choice_names *names, const char *name);

/* What is asked of an aspect that may know the device. */
enum choose_when {
	CHOOSE_GIVEN,			/* c->id was given: before the node is asked for it */
	CHOOSE_UNKNOWN,			/* and the node does not know it */
	CHOOSE_CONFIGURED,		/* no id: a section of the configuration says which */
};

/* All that a choice is made from. */
struct choosing {
	const struct host *host;
	const struct cni_call *call;
	const struct netconf *conf;
	struct journal *journal;
	const struct owner *owner;	/* who chooses */
	bool unique_parent; /* only a device that is the only one: see choose_device() */
	struct candidates of_pod;	/* owned; asked for once */
	bool none;			/* the pod has no device, and need not have one */
};

#endif
