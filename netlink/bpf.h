/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf.h - BPF programs on an interface that netlink does not tell of, or take off
 *
 * TCX (Linux 6.6) attaches programs to an interface itself, where those of tc(8) hang on a queueing
 * discipline, which ends with a move to another namespace.  And what a BPF link holds is only taken
 * off by that link.  These are calls of bpf(2), which go by our process's own namespace.
 */
#ifndef NETLINK_BPF_H
#define NETLINK_BPF_H

#include "base/err.h"

#include <stdint.h>

/*
 * The TCX programs of an interface: how many, and the number of the first in *id; 0 where there are
 * none, as on an older kernel; -1.
 */
int bpf_find_tcx(int ifindex, uint32_t *id, struct err *e) must_check;

/* Take all of them off: how many that were, -1. */
int bpf_detach_tcx(int ifindex, struct err *e) must_check;

/*
 * End the BPF link that holds the XDP program of this number on an interface.  Links tell the
 * interface by its number alone, which another namespace may have as well: ERR_BUSY when there are
 * several of that program, for nobody can say which it is.  1, 0 when there is no such link, -1.
 */
int bpf_detach_xdp_link(int ifindex, uint32_t id, struct err *e) must_check;

#endif
