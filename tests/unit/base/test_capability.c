/* SPDX-License-Identifier: Apache-2.0 */
/* test_capability.c - capabilities are given up for good, or come back while they are permitted */
#include "base/capability.h"

#include "tests/unit/tap.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t have(const char *set)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	uint64_t ret = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, set, strlen(set)) == 0)
			ret = strtoull(line + strlen(set) + 1, NULL, 16);
	if (f)
		(void)fclose(f);
	return ret;
}

/* Has a program that is executed now just these? */
static int run_with(uint64_t permitted)
{
	char want[32];
	pid_t pid = fork();
	int status;

	(void)snprintf(want, sizeof(want), "%016llx", (unsigned long long)permitted);
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c",
		      "test $(sed -n 's/^CapPrm:.//p' /proc/self/status) = $0", want, NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

int main(void)
{
	const uint64_t first = have("CapPrm"), admin = CAPABILITY(CAP_NET_ADMIN) & first;
	const uint64_t low = CAPABILITY(CAP_CHOWN) & first;
	const uint64_t high = CAPABILITY(CAP_AUDIT_READ) & first;

	test("what is not effective stays permitted, and comes back");
	ok(capability_keep(admin | high, UINT64_MAX) == 0);
	eqi(have("CapEff"), admin | high);
	eqi(have("CapPrm"), first);
	ok(!low || capability_raise(CAP_CHOWN) == 0);
	eqi(have("CapEff"), admin | high | low);

	test("what is not permitted is lost, in either half of the set");
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ok(capability_keep(UINT64_MAX, admin) == 0);
	eqi(have("CapEff"), admin);
	eqi(have("CapPrm"), admin);
	ok(capability_raise(CAP_CHOWN) < 0 && errno == EPERM);
	ok(capability_raise(CAP_AUDIT_READ) < 0 && errno == EPERM);
	eqi(have("CapInh"), 0);

	test("a program that is executed then has no more");
	eqi(run_with(admin), 0);
	return tap_end();
}
