/* SPDX-License-Identifier: Apache-2.0 */
/* test_reconcile.c - when contradictions are told; which these are tells tests/cli/devinfod.bats */
#include "daemon/reconcile/reconcile.h"

#include "tests/unit/logged.h"
#include "tests/unit/node.h"

#include <stdio.h>

/* Is it among the last lines?  All are more than logged() reads. */
static bool logged_last(const char *text)
{
	char log[1024];
	off_t size = lseek(STDERR_FILENO, 0, SEEK_END);
	ssize_t len = pread(STDERR_FILENO, log, sizeof(log) - 1, size > 1000 ? size - 1000 : 0);

	log[len < 0 ? 0 : len] = '\0';
	return strstr(log, text) != NULL;
}

int main(void)
{
	static const char gone[] = "check=given-gone object=\"0000:99:00.0\"";
	static struct inv_allocation given[200];
	struct inventory inv = { .allocations = given, .n_allocations = 1 };
	struct reconcile r = { .journal = false };
	struct fake_node n;

	node_open("igb", &n);
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		given[i] = (struct inv_allocation){ .pod_name = "p", .function = INV_NONE };
		(void)snprintf(given[i].id, sizeof(given[i].id), "0000:99:%02zx.%zu", i / 8, i % 8);
	}
	inv.node.kubelet_asked = true;
	(void)snprintf(inv.node.kubelet_error, sizeof(inv.node.kubelet_error), "it is silent");

	test("what kubelet contradicts is told when it has answered for the first time");
	keep_log();
	reconcile_tell(&r, &n.host, &inv);
	ok(r.journal && !r.kubelet && !logged("contradiction"));
	*inv.node.kubelet_error = '\0';
	reconcile_tell(&r, &n.host, &inv);
	ok(r.kubelet && logged(gone));
	test("and once");
	keep_log();
	reconcile_tell(&r, &n.host, &inv);
	ok(!logged("contradiction"));

	test("of very many the first hundred are told");
	inv.n_allocations = ARRAY_SIZE(given);
	r.kubelet = false;
	keep_log();
	reconcile_tell(&r, &n.host, &inv);
	ok(logged_last("not told here: see devinfoctl doctor\" number=100"));
	node_close(&n);
	return tap_end();
}
