/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netns.h - open a network namespace, or run one small function inside it
 *
 * A socket keeps the namespace it was created in.  So nothing has to live in the container's
 * namespace: a child enters, opens one descriptor for us and ends at once.
 */
#ifndef NETLINK_NETNS_H
#define NETLINK_NETNS_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/stat.h>

#define NETNS_OWN	(-1)	/* as nsfd: stay where we are */

/*
 * Open the network namespace behind a path (CNI_NETNS, /proc/PID/ns/net).  Returns 1 and a
 * descriptor the caller closes, 0 when the path is empty or nothing is there, -1 (ERR_NETNS) for
 * anything else: a plain file, a directory, a FIFO (never waits), a namespace of another kind.
 */
int netns_open(const char *path, int *ret_fd, struct err *e) must_check;

/* A descriptor of the namespace we are in, the caller closes it; -1 on error. */
int netns_open_own(struct err *e) must_check;

/* Is this the namespace we are in?  No when it cannot be told. */
bool netns_is_own(int fd) must_check;
/* The same of one that fstat(2) was asked about already. */
bool netns_is_own_by(const struct stat *st) must_check;

/*
 * Run fn inside a namespace, which this process itself never enters.  fn opens one descriptor and
 * does nothing else (or sends the one request that only counts from inside, rdma_move()); its
 * result is returned.  It runs in a child that has our memory and descriptors, on a stack of
 * 256 KiB.  Of these there is one, so fn enters no other namespace: ERR_NETNS.
 */
typedef int netns_fn(void *arg, struct err *e);
int netns_do(int nsfd, netns_fn *fn, void *arg, struct err *e) must_check;

#endif
