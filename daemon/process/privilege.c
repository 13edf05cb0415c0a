/* SPDX-License-Identifier: Apache-2.0 */
/* privilege.c - what a program of the node gives up for good at its start */
#include "daemon/process/privilege.h"

#include "base/capability.h"
#include "base/log.h"
#include "base/seccomp.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void tell(const struct err *e)
{
	log_warning("msg=\"not confined: %s\" details=\"%s\"", e->msg, e->details);
}

int privilege_give_up(uint64_t kept, struct err *e)
{
	const struct rlimit none = { 0, 0 };
	struct err why;

	if (setrlimit(RLIMIT_CORE, &none) < 0) {
		(void)err_set(&why, ERR_PERMISSION, errno, "write no core file");
		tell(&why);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		(void)err_set(&why, ERR_PERMISSION, errno, "get no privileges by a program");
		tell(&why);
	}
	/* before the capabilities: where the one above has failed it takes CAP_SYS_ADMIN */
	if (seccomp_refuse(SECCOMP_DAEMON, &why) < 0)
		tell(&why);
	return capability_keep(kept, kept) < 0 ? err_set(e, ERR_PERMISSION, errno,
							 "give up capabilities") : 0;
}
