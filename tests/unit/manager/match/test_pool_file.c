/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pool_file.c - the device-plugin file of a pool's device, on a recorded node
 *
 * What `devinfoctl publish` does with it is in tests/cli/publish.bats.
 */
#include "manager/match/pool_file.h"

#include "devinfo/format/store.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

static const char config[] = "{\"resourceList\": [{\"resourceName\": \"vf\", \"selectors\": {}}]}";

struct scene {
	struct fake_node node;
	struct pools pools;
	struct inventory inv;
	const struct inv_function *f;
};

static void scene_open(struct scene *s)
{
	struct err e = { 0 };

	node_open("igb", &s->node);
	if (pools_parse(config, sizeof(config) - 1, &s->pools, &e) < 0 ||
	    inventory_read(&s->node.host, &s->inv, &e) < 0)
		bail_out(e.msg);
	s->f = &s->inv.functions[inventory_function(&s->inv, "0000:01:10.0")];
}

/* Write a file for it. */
static void write_file(const struct scene *s, const struct pool_file *one, const char *text)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };

	if (device_info_from_text(text, strlen(text), "test", &di, &e) < 0 ||
	    store_write_dp(&s->node.host, one->file, &di, &e) < 0)
		bail_out(e.msg);
}

/* Read the file and say what it says, as the result of pool_file_compare(); -1: it is not ours. */
static int says(const struct scene *s, const char *text, struct err *e)
{
	auto_with(pool_file_done) struct pool_file one = { .pool = 0 }, again = { .pool = 0 };
	auto_device_info struct device_info di = { 0 };

	if (pool_file_read(&s->node.host, &s->pools, 0, s->f, &one, e) < 0)
		return -2;
	write_file(s, &one, text);
	if (pool_file_read(&s->node.host, &s->pools, 0, s->f, &again, e) < 0 || !again.is_there ||
	    pool_file_make(&s->node.host, &s->pools, &s->inv, &again, &di, e) < 0)
		return -2;
	return pool_file_check(&again, e) < 0 ? -1 : (int)pool_file_compare(&again, &di, e);
}

int main(void)
{
	struct scene s = { .f = NULL };
	struct err e = { 0 };

	scene_open(&s);
	{
		auto_with(pool_file_done) struct pool_file one = { .pool = 0 };
		auto_device_info struct device_info di = { 0 };

		test("a file that is not there is none, and has a name");
		ok(pool_file_read(&s.node.host, &s.pools, 0, s.f, &one, &e) == 0);
		ok(!one.is_there);
		eq(one.resource, "intel.com/vf");
		eq(one.file, "intel.com-vf-0000:01:10.0-device.json");

		test("what it should say is what the kernel shows");
		ok(pool_file_make(&s.node.host, &s.pools, &s.inv, &one, &di, &e) == 0);
		eq(di.pci.pci_address, "0000:01:10.0");
		eq(di.pci.pf_pci_address, "0000:01:00.0");
	}
	test("a file that says less, the same, or something else");
	eqi(says(&s, "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":"
		     "\"0000:01:10.0\"}}", &e), POOL_FILE_LESS);
	eqi(says(&s, "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":"
		     "\"0000:01:10.0\",\"pf-pci-address\":\"0000:01:00.0\"}}", &e), POOL_FILE_SAME);
	eqi(says(&s, "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":"
		     "\"0000:01:10.0\",\"pf-pci-address\":\"0000:09:00.0\"}}", &e),
	    POOL_FILE_OTHER);
	contains(e.msg, "pf-pci-address");
	eqi(says(&s, "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":"
		     "\"0000:01:10.2\"}}", &e), -1);
	contains(e.msg, "its file is about 0000:01:10.2");
	pools_done(&s.pools);
	inventory_done(&s.inv);
	node_close(&s.node);
	return tap_end();
}
