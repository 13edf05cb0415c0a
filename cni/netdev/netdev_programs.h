/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netdev_programs.h - BPF programs on a network device, which go with it from one pod to the next
 *
 * Which ones a device has is in no record: one that is given away has none, and none of the host's
 * is ever put back, for it would run on what another pod sends.  Why: NOTES.md.
 */
#ifndef CNI_NETDEV_PROGRAMS_H
#define CNI_NETDEV_PROGRAMS_H

#include "netlink/link.h"

/* ERR_DEVICE when a device of the host's has a program of XDP or TCX. */
int netdev_programs_refuse(const struct link *link, struct err *e) must_check;

/* Take all of them off a device at home; each is logged. */
int netdev_programs_remove(struct nl *home, const struct link *link, struct err *e) must_check;

#endif
