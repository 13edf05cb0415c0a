/* SPDX-License-Identifier: Apache-2.0 */
/* test_host.c - the node as a folder */
#include "base/err.h"
#include "base/host.h"
#include "base/log.h"
#include "tests/unit/tap.h"

#include <errno.h>

static void hosts(void)
{
	struct host h;
	struct err e;

	test("a host has the node's root and the default settings");
	ok(host_open(NULL, &h, &e) == 0 && h.root >= 0);
	eq(h.set.state_dir, "/var/lib/cni/devinfo");
	ok(h.set.log_level == LOG_LEVEL_WARNING && !h.set.log_file);
	host_done(&h);
	ok(h.root == -1);
	host_done(&h);

	test("a root that is not there, or is no directory, is an error that names it");
	ok(host_open("/nowhere/at/all", &h, &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "open root '/nowhere/at/all'");
	ok(host_open("/dev/null", &h, &e) == -1 && e.sys == ENOTDIR);
}

int main(void)
{
	hosts();
	return tap_end();
}
