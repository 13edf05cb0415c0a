/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocate.h - what kubelet asks about devices of one resource, and the answers
 *
 * A pod that is refused here does not start, and its status shows the error: that names the device
 * and the reason, but nobody who has the device.
 */
#ifndef DAEMON_PLUGIN_ALLOCATE_H
#define DAEMON_PLUGIN_ALLOCATE_H

#include "daemon/plugin/access.h"
#include "daemon/plugin/messages.h"
#include "devinfo/grpc/status.h"

/*
 * Each answers the len bytes of a request: GRPC_OK with *ret filled, or another status with *e.
 *
 * allocate_answer(): Allocate, one answer for each container of the request, in order.  Refused are
 * ids that are unknown, not well, asked for twice, gone since the list was sent, or that another
 * attachment has.
 */
enum grpc_status allocate_answer(const struct access_world *w, const unsigned char *msg, size_t len,
				 struct message *ret, struct err *e) must_check;

/* GetPreferredAllocation */
enum grpc_status allocate_prefer(const struct access_world *w, const unsigned char *msg, size_t len,
				 struct message *ret, struct err *e) must_check;

/* Is this a device of the resource, and well?  *ret is its place in the offer then. */
enum grpc_status allocate_check(const struct access_world *w, const char *id,
				const struct offered **ret, struct err *e) must_check;

#endif
