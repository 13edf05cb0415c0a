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
#include "base/seccomp.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void tell(const struct err *e)
{
	log_warning("msg=\"not confined: %s\" details=\"%s\"", e->msg, e->details);
}

void publish_confine(bool devices)
{
	const uint64_t used = CAPABILITY(CAP_DAC_READ_SEARCH) |
			      (devices ? CAPABILITY(CAP_NET_ADMIN) : 0);
	const struct rlimit none = { 0, 0 };
	struct err e;

	/* tokens are not to be found in a file */
	if (setrlimit(RLIMIT_CORE, &none) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || capability_keep(used, used) < 0) {
		(void)err_set(&e, ERR_PERMISSION, errno, "give up privileges");
		tell(&e);
	}
	if (seccomp_refuse(false, &e) < 0)
		tell(&e);
}
