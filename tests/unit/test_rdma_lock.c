/* SPDX-License-Identifier: Apache-2.0 */
/* test_rdma_lock.c - moves and rebinds of RDMA devices are one at a time on a node */
#include "cni/rdma.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct fake_node n;

/* Another process, which has the lock for a while, and says so by a file at its very end. */
static int hold(int tell)
{
	const struct timespec while_ = { .tv_nsec = 200000000 };
	auto_journal struct journal j = { 0 };
	struct err e;

	if (journal_open(&n.host, JOURNAL_CREATE, &j, &e) != 1 || rdma_lock(&j, &e) < 0 ||
	    write(tell, "", 1) != 1)
		return 1;
	(void)nanosleep(&while_, NULL);
	node_sh(&n, "touch done");
	rdma_unlock(&j);
	return 0;
}

int main(void)
{
	auto_journal struct journal j = { 0 };
	int told[2], status = -1;
	struct err e = { 0 };
	char byte;
	pid_t pid;

	test("the journal of an empty node");
	node_open(NULL, &n);
	ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == 1 && pipe(told) == 0);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(hold(told[1]));

	test("while one VF's driver is bound anew the next one waits");
	ok(pid > 0 && read(told[0], &byte, 1) == 1);
	ok(rdma_lock(&j, &e) == 0);
	ok(node_holds(&n, "-e done"));
	rdma_unlock(&j);
	ok(waitpid(pid, &status, 0) == pid && status == 0);
	node_close(&n);
	return tap_end();
}
