/* SPDX-License-Identifier: Apache-2.0 */
/* whereabouts.h - find the network namespace that has the network device of a PCI function */
#ifndef MANAGER_DOCTOR_WHEREABOUTS_H
#define MANAGER_DOCTOR_WHEREABOUTS_H

#include "base/host.h"

#include <stddef.h>

/*
 * Describe it: "net1 of network namespace /run/netns/b", "eth5 of the host"; "" when it is not
 * found within a few seconds in ours, those in /run/netns and those of processes, or the node is a
 * recorded one.
 */
void whereabouts_find(const struct host *host, const char *bdf, char *ret, size_t size);

#endif
