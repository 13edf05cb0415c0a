/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_each.c - all choices of the ledger, of all pods */
#include "base/mem.h"
#include "devinfo/journal/ledger_file.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>

#define PODS "var/lib/cni/devinfo/pods"

static int seen, stop_after, fail_after;

static int see(const struct entry *n, void *arg, struct err *e)
{
	(void)arg;
	seen++;
	ok(*n->device && *n->network && *n->ifname && *n->container_id);
	if (seen == fail_after)
		return err_set(e, ERR_IO, EIO, "it");
	return seen == stop_after ? 7 : 0;
}

static int walk(const struct fake_node *n)
{
	struct err e = { 0 };

	seen = 0;
	return ledger_each_entry(&n->host, see, NULL, &e);
}

int main(void)
{
	struct fake_node n;

	node_open(NULL, &n);
	test("without a directory there is none");
	eqi(walk(&n), 0);
	eqi(seen, 0);
	node_sh(&n, "mkdir -m 700 -p " PODS " && umask 077 && "
		    "for pod in p1 p2; do sed \"s/\\\"p1\\\"/\\\"$pod\\\"/\" "
		    "\"$OLDPWD\"/tests/node/before/ledger.json "
		    ">" PODS "/default_$pod@e6dce3c9e04b6828.json; done && "
		    "echo torn >" PODS "/default_p3@0123456789abcdef.json && "
		    "echo {} >" PODS "/other");
	test("each entry of each file that can be read");
	eqi(walk(&n), 0);
	eqi(seen, 4);
	test("until the callback has enough, or fails");
	stop_after = 3;
	eqi(walk(&n), 7);
	eqi(seen, 3);
	fail_after = 2;
	eqi(walk(&n), -1);
	eqi(seen, 2);
	node_close(&n);
	return tap_end();
}
