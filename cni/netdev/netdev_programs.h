/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netdev_programs.h - BPF programs on a network device, which would move with it from one pod to
 * the next
 *
 * No record has them: a device with programs is refused, and a program of the host is never
 * attached again, as it would run on another pod's packets.  NOTES.md explains this.
 */
#ifndef CNI_NETDEV_PROGRAMS_H
#define CNI_NETDEV_PROGRAMS_H

#include "netlink/link.h"

/* Refuse a device of the host with an XDP or TCX program: ERR_DEVICE. */
int netdev_programs_refuse(const struct link *link, struct err *e) must_check;

/* Detach all of them from a device at home; each is logged. */
int netdev_programs_remove(struct nl *home, const struct link *link, struct err *e) must_check;

#endif
