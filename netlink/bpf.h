/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf.h - BPF programs on an interface that netlink neither lists nor detaches
 *
 * TCX (Linux 6.6) attaches programs to the interface itself, and they survive a move to another
 * namespace; those of tc(8) belong to a queueing discipline, which a move removes.  A program that
 * a BPF link holds is detached by that link alone.  These are calls of bpf(2), which look in our
 * process's own namespace.
 */
#ifndef NETLINK_BPF_H
#define NETLINK_BPF_H

#include "base/err.h"

#include <stdint.h>

/*
 * Count the TCX programs of an interface, with the number of the first in *id; 0 when there are
 * none, as on an older kernel; -1.
 */
int bpf_find_tcx(int ifindex, uint32_t *id, struct err *e) must_check;

/* Detach all of them; returns how many these were, -1. */
int bpf_detach_tcx(int ifindex, struct err *e) must_check;

/*
 * End the BPF link that holds the XDP program of this number on an interface.  A link gives the
 * interface's index alone, which another namespace may have as well: ERR_BUSY when several links of
 * that program match.  1, 0 when there is no such link, -1.
 */
int bpf_detach_xdp_link(int ifindex, uint32_t id, struct err *e) must_check;

#endif
