/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.c - the daemon gives up for good what nothing of it needs
 *
 * Theory of operation.  It runs for months and reads what others wrote: kubelet's requests, the
 * files of a node.  Who gets hold of it by a fault of ours finds few capabilities, none to change
 * files or programs of others, and executes nothing: a service manager sets the same limits
 * (install/devinfod.service), a container may not have one.
 *
 * Landlock is not for it: that hides /proc/PID of others, and with it the network namespaces by
 * which attachments are known to live.  Where it may write, the service manager says.
 */
#include "daemon/confine.h"

#include "base/capability.h"
#include "base/log.h"
#include "base/seccomp.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/*
 * Not to override the permissions of files (CAP_DAC_OVERRIDE): the directories that it writes to
 * are root's own.
 */
#define USED \
	(CAPABILITY(CAP_SYS_ADMIN) |		/* to look into the namespaces of pods */ \
	 CAPABILITY(CAP_NET_ADMIN) |		/* modes of switches, room for messages */ \
	 CAPABILITY(CAP_SYS_PTRACE) |		/* namespaces of who has more capabilities */ \
	 CAPABILITY(CAP_DAC_READ_SEARCH))	/* files and directories of others */

static void tell(const struct err *e)
{
	log_warning("msg=\"not confined: %s\" details=\"%s\"", e->msg, e->details);
}

void confine(void)
{
	const struct rlimit none = { 0, 0 };
	struct err e;

	/* what it knows of pods is not to be found in a file */
	if (setrlimit(RLIMIT_CORE, &none) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    capability_keep(USED, USED) < 0) {
		(void)err_set(&e, ERR_PERMISSION, errno, "give up privileges");
		tell(&e);
	}
	if (seccomp_refuse(false, &e) < 0)
		tell(&e);
}
