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

struct choice {
	char id[256]; /* as kubelet calls it, and the device plugin's device-info file */
	/* how we call it: PCI address, name of auxiliary or network device, key of a socket; "" */
	char key[SOCKET_KEY_SIZE];
	char vdpa[64]; /* a vDPA device that was named; key is then what it is on */
	char socket[108];	/* path on the host, key is made of it; "": it is none */
	bool socket_given;		/* and the device plugin's */
	bool is_pci;
	bool vouched;	/* kubelet said it, or the kernel shows it behind the pod's interface */
	struct pci_device pci;		/* when is_pci; read by choose_read() */
	struct net_device net;		/* when not */
	struct sub_function sf;		/* and this as well, when it is an auxiliary device's */
	const char *source;		/* for the log */
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
};

#endif
