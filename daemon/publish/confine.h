/* SPDX-License-Identifier: Apache-2.0 */
/* confine.h - the program gives up for good what nothing of it needs */
#ifndef DAEMON_PUBLISH_CONFINE_H
#define DAEMON_PUBLISH_CONFINE_H

#include "base/err.h"

#include <stdbool.h>

/*
 * At the start, before what others have written is read.  Devices are looked at: the modes of
 * switches are told to who has CAP_NET_ADMIN alone.  See daemon/process/privilege.h.
 */
int publish_confine(bool devices, struct err *e) must_check;

#endif
