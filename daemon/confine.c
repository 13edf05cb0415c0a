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
#include "daemon/process/privilege.h"

#include <linux/capability.h>

/*
 * Not to override the permissions of files (CAP_DAC_OVERRIDE): the directories that it writes to
 * are root's own.
 */
#define USED \
	(CAPABILITY(CAP_SYS_ADMIN) |		/* to look into the namespaces of pods */ \
	 CAPABILITY(CAP_NET_ADMIN) |		/* modes of switches, room for messages */ \
	 CAPABILITY(CAP_SYS_PTRACE) |		/* namespaces of who has more capabilities */ \
	 CAPABILITY(CAP_DAC_READ_SEARCH))	/* files and directories of others */

int confine(struct err *e)
{
	return privilege_give_up(USED, e);	/* also of core files: they would tell of pods */
}
