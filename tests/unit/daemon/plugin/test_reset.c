/* SPDX-License-Identifier: Apache-2.0 */
/* test_reset.c - which devices of a recorded node are reset, and how that ends */
#include "daemon/plugin/reset.h"

#include "devinfo/journal/journal.h"
#include "tests/unit/offered.h"

#define DEVICE "sys/bus/pci/devices/0000:01:10.6/"
#define HELD "sys/bus/pci/devices/0000:01:10.4/"
#define LEDGER "var/lib/cni/devinfo/"

static struct offered_node n;

static int begin(const char *bdf, struct reset **r, struct err *e)
{
	*e = (struct err){ 0 };
	*r = NULL;
	return reset_begin(&n.node.host, bdf, r, e);
}

/* 1, 0 not to be reset, -1: as reset_begin() and then reset_look(). */
static int reset(const char *bdf, struct err *e)
{
	struct reset *r;
	int result = begin(bdf, &r, e);

	if (result <= 0)
		return result;
	result = 0;
	for (int i = 0; i < 1000 && result == 0; i++) {
		(void)usleep(5000);
		result = reset_look(r, e);
	}
	reset_free(r);
	return result;
}

/* Of vfio-pci, without a network device, and not reset. */
static void prepare(void)
{
	node_sh(&n.node, "for d in " DEVICE " " HELD "; do rm -rf $d/net $d/reset; "
			 "echo flr >$d/reset_method; echo 0 >$d/reset; "
			 "ln -sfn ../../../../bus/pci/drivers/vfio-pci $d/driver; done");
}

static void test_which(void)
{
	struct err e;

	prepare();
	test("a device that nobody has is reset");
	eqi(reset("0000:01:10.6", &e), 1);
	ok(node_holds(&n.node, "$(cat " DEVICE "reset) = 1"));

	test("one that a live attachment has is not");
	eqi(reset("0000:01:10.4", &e), 0);
	ok(node_holds(&n.node, "$(cat " HELD "reset) = 0"));

	test("nor one with a network device");
	prepare();
	node_sh(&n.node, "mkdir -p " DEVICE "net/eth9");
	eqi(reset("0000:01:10.6", &e), 0);
	test("nor one that the kernel drives");
	prepare();
	node_sh(&n.node, "ln -sfn ../../../../bus/pci/drivers/igbvf " DEVICE "driver");
	eqi(reset("0000:01:10.6", &e), 0);
	test("nor one that cannot be reset alone");
	prepare();
	node_sh(&n.node, "echo bus >" DEVICE "reset_method");
	eqi(reset("0000:01:10.6", &e), 0);
	ok(node_holds(&n.node, "$(cat " DEVICE "reset) = 0"));
	test("one without a driver is");
	prepare();
	node_sh(&n.node, "rm " DEVICE "driver");
	eqi(reset("0000:01:10.6", &e), 1);
}

static void test_promised(void)
{
	struct err e;

	test("one that the ledger has promised to an attachment is not");
	prepare();
	node_sh(&n.node, "grep -rl 0000:01:10.0 " LEDGER "pods | head -n 1 | "
			 "xargs sed -i 's/0000:01:10.0/0000:01:10.6/g'");
	eqi(reset("0000:01:10.6", &e), 0);
	ok(node_holds(&n.node, "$(cat " DEVICE "reset) = 0"));
	node_sh(&n.node, "rm -r " LEDGER "pods");
	eqi(reset("0000:01:10.6", &e), 1);
}

static void test_locked(void)
{
	struct journal j;
	struct deadline d = deadline_in(1000);
	struct reset *r;
	struct err e = { 0 };

	test("while an ADD has the device's lock it is busy");
	prepare();
	if (!ok(journal_open(&n.node.host, JOURNAL_UPDATE, &j, &e) > 0 &&
		journal_lock_device(&j, "0000:01:10.6", &d, &e) == 0))
		return;
	eqi(begin("0000:01:10.6", &r, &e), -1);
	eqi(e.code, ERR_TRY_AGAIN);
	begins(e.msg, "reset of device 0000:01:10.6: ");
	journal_unlock_device(&j, "0000:01:10.6");

	test("and while it is reset no ADD has it");
	if (ok(begin("0000:01:10.6", &r, &e) == 1)) {
		d = deadline_in(1);
		eqi(journal_lock_device(&j, "0000:01:10.6", &d, &e), -1);
		reset_free(r);
		d = deadline_in(1000);
		eqi(journal_lock_device(&j, "0000:01:10.6", &d, &e), 0);
	}
	journal_done(&j);
}

static void test_failing(void)
{
	struct reset *r;
	struct err e;
	int result = 0;

	test("a reset that fails says why");
	prepare();
	node_sh(&n.node, "rm " DEVICE "reset");
	eqi(reset("0000:01:10.6", &e), -1);
	contains(e.msg, "/reset");

	test("one that hangs is told after its time, and not waited for");
	node_sh(&n.node, "mkfifo " DEVICE "reset");
	if (!ok(begin("0000:01:10.6", &r, &e) == 1))
		return;
	for (int i = 0; i < 1000 && result == 0; i++) {
		(void)usleep(5000);
		result = reset_look(r, &e);
	}
	eqi(result, -1);
	eq(e.msg, "it takes more than 2000 ms");
	for (int i = 0; i < 1000 && !reset_has_ended(r); i++)
		(void)usleep(5000);
	ok(reset_has_ended(r));		/* this one could be killed */
	reset_free(r);
}

int main(void)
{
	offered_open("fleet/igb-pods", NULL, "{'resourceList': []}", &n);
	test_which();
	test_locked();
	test_failing();
	test_promised();
	offered_close(&n);
	return tap_end();
}
