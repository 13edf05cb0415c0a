/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - which device is this attachment's?
 *
 * runtimeConfig.deviceID, else the configuration's, else what kubelet's PodResources
 * says was allocated to this pod for resourceName.
 */
#ifndef CNI_CHOOSE_H
#define CNI_CHOOSE_H

#include "base/err.h"
#include "base/host.h"
#include "cni/call.h"
#include "conf/netconf.h"
#include "devinfo/journal.h"
#include "devinfo/sysfs.h"

struct choice {
	char id[256]; /* as the device plugin calls it, for its device-info file */
	char key[64]; /* how we call it: a PCI address or a network device's name */
	bool is_pci;
	struct pci_device pci;		/* when is_pci; read by choose_read() */
	struct net_device net;		/* when not */
	const char *source;		/* for the log */
};

/* The PCI function of this address, which is of the right form; spelled in lower case. */
void choice_set_pci(struct choice *c, const char *bdf);

/* Looks only: the device is not locked, and may be another's by the time it is. */
int choose_device(const struct host *host, const struct cni_call *call, const struct netconf *nc,
		  struct journal *journal, struct choice *ret, struct err *e) must_check;

/*
 * Read what sysfs says about a choice: under the device's lock, for what was true before it was
 * held may be wrong by then.
 */
int choose_read(const struct host *host, struct choice *c, struct err *e) must_check;

/* The device is the live attachment's of this record: ERR_TRY_AGAIN, naming it.  Returns -1. */
int choose_busy(const struct record *rec, struct err *e);

#endif
