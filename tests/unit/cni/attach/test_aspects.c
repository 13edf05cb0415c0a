/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_aspects.c - what one aspect's state means for another at CHECK
 *
 * The walks of a DEL are test_restore.c's.
 */
#include "cni/attach/aspects.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

static void test_check(void)
{
	struct fake_node n;
	const struct cni_call call = { .ifname = "net1", .container_id = "c" };
	const struct netconf conf = { .vlan = -1, .min_tx_rate = -1, .max_tx_rate = -1 };
	struct record rec = {
		.device = "0000:01:10.3", .is_pci = true,
		.netdev = { .present = true, .name = "v0" },
		.driver = { .bound = "vfio-pci", .before = "igbvf" },
	};
	struct check c = { .call = &call, .conf = &conf, .rec = &rec, .made_by = "ADD" };
	struct err e = { 0 };

	test("of a function that a program drives no interface is looked for");
	node_open(NULL, &n);
	c.host = &n.host;
	ok(aspects_check(&c, &e) == 0 && c.hides_netdev);
	ok(strstr(c.all.details, "interface:") == NULL);
	contains(c.all.details, "driver of 0000:01:10.3");
	node_close(&n);
}

int main(void)
{
	test_check();
	return tap_end();
}
