/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.c - the program gives up for good what nothing of it needs
 *
 * Theory of operation.  It is the one program of ours that speaks to a network, and has a library
 * for TLS in it.  It reads the journal, which is root's, and may do nothing else that other users
 * may not: no namespace of a pod is entered, so whether a container lives it does not know.  No
 * program is executed.
 */
#include "daemon/publish/confine.h"

#include "base/capability.h"
#include "base/log.h"
#include "daemon/process/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>

int publish_confine(bool devices, struct err *e)
{
	const uint64_t used = CAPABILITY(CAP_DAC_READ_SEARCH) |
			      (devices ? CAPABILITY(CAP_NET_ADMIN) : 0);

	/* tokens are not to be found in a file, nor to be read by who is root in a container */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		log_warning("msg=\"not confined: others may trace this process\" details=\"%s\"",
			    strerror(errno));
	return privilege_give_up(used, e);
}
