/* SPDX-License-Identifier: Apache-2.0 */
/* test_allocation.c - what an allocation takes, leaves out, and in which order it has it */
#include "devinfo/kubelet/allocation.h"
#include "tests/unit/allocation.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdio.h>

#define VF "example.com/vf"

static struct allocation got;
static struct err err;

static void add(const char *resource, const char *id)
{
	ok(allocation_add_device(&got, resource, id, &err) == 0);
}

static const char *ids(void)
{
	return allocation_ids(&got, NULL);
}

static void test_compare(void)
{
	test("C-FND-10: "
	     "numbers within ids count as numbers, those of PCI addresses are of base 16");
	ok(device_id_compare("vf2", "vf10") < 0 && device_id_compare("vf10", "vf2") > 0);
	ok(device_id_compare("0000:03:0a.0", "0000:03:10.0") < 0);
	ok(device_id_compare("0000:03:10.0", "0000:03:1a.0") < 0);
	ok(device_id_compare("vf2", "vf2") == 0);

	test("PCI addresses come first, those of a longer domain after the others");
	ok(device_id_compare("0000:03:02.0", "0") < 0);
	ok(device_id_compare("0", "0000:03:02.0") > 0);
	ok(device_id_compare("ffff:03:02.0", "10000:03:02.0") < 0);
	ok(device_id_compare("10000:03:02.0", "ffff:03:02.0") > 0);
}

static void test_containers(void)
{
	test("each container is sorted on its own when it ends");
	add(VF, "b10");
	add(VF, "b9");
	allocation_end_container(&got);
	allocation_end_container(&got);		/* one without devices */
	add(VF, "a2");
	add("example.com/other", "a1");
	add(VF, "a1");
	allocation_end_container(&got);
	eq(ids(), "b9 b10 a1 a1 a2");

	test("one id of two resources is two devices, the resources sorted");
	eq(got.devices[2].resource, "example.com/other");
	eq(got.devices[3].resource, VF);

	test("what is there already, for another container or NUMA node, is not taken again");
	add(VF, "b9");
	add(VF, "a1");
	allocation_end_container(&got);
	eq(ids(), "b9 b10 a1 a1 a2");

	test("PCI addresses are in one order, however they are spelled");
	allocation_done(&got);
	add(VF, "pci:0000:af:02.1");
	add(VF, "vf1");
	add(VF, "0000:03:02.1");
	add(VF, "pci:0000:03:02.0");
	allocation_end_container(&got);
	eq(ids(), "pci:0000:03:02.0 0000:03:02.1 pci:0000:af:02.1 vf1");
	allocation_done(&got);
	add(VF, "a1");
	allocation_end_container(&got);

	test("a resource is known by its whole name");
	ok(allocation_has_resource(&got, VF) && !allocation_has_resource(&got, "example.com/v") &&
	   !allocation_has_resource(&got, ""));
	allocation_done(&got);
	ok(got.n_devices == 0 && !got.devices && !allocation_has_resource(&got, VF));
}

static void test_devices_left_out(void)
{
	static const char *const bad[][2] = {
		{ VF, "" }, { VF, "/x" }, { VF, "a b" }, { VF, ".." }, { VF, "a/../b" },
		{ VF, "a\n" }, { "", "v1" }, { "a/b/c", "v1" }, { "../a", "v1" }, { "a b", "v1" },
	};

	test("a device whose name, or whose resource's, is not usable is no error and not taken");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		add(bad[i][0], bad[i][1]);
	ok(got.n_devices == 0);
	add(VF, "pci/0000:03:02.1");
	eq(ids(), "pci/0000:03:02.1");
	allocation_done(&got);
}

static struct claimed_device claimed(char *driver, char *pool, char *device, char *share)
{
	static char name_space[] = "default", claim[] = "c1";

	return (struct claimed_device){
		.name_space = name_space, .claim = claim, .driver = driver, .pool = pool,
		.device = device, .share = share,
	};
}

static void add_claimed(const struct claimed_device *c, size_t want)
{
	ok(allocation_add_claimed(&got, c, &err) == 0);
	ok(got.n_claimed == want);
}

static void test_claimed(void)
{
	char none[] = "", driver[] = "nic.vendor.com", pool[] = "node1", device[] = "nic0",
	     other[] = "nic1", share[] = "s1", one[] = "v/c=1", two[] = "v/c=2", bad[] = "v/c";
	char *cdi[] = { bad, one };
	struct claimed_device c = claimed(driver, pool, device, none);

	test("a claimed device is taken once, with its own copy of all texts");
	add_claimed(&c, 1);
	add_claimed(&c, 1);
	ok(got.claimed[0].driver != driver);
	eq(got.claimed[0].driver, "nic.vendor.com");
	eq(got.claimed[0].pool, "node1");

	test("another device, share or claim is another one, other names of CDI are not");
	c = claimed(driver, pool, other, none);
	add_claimed(&c, 2);
	c = claimed(driver, pool, device, share);
	add_claimed(&c, 3);
	c = claimed(driver, pool, device, none);
	c.cdi = cdi;
	c.n_cdi = 2;
	add_claimed(&c, 3);
	c.claim = other;
	add_claimed(&c, 4);
	ok(got.claimed[3].n_cdi == 1);
	eq(got.claimed[3].cdi[0], "v/c=1");

	test("unless they are all that is told");
	c = claimed(none, none, none, none);
	c.cdi = cdi;
	c.n_cdi = 2;
	add_claimed(&c, 5);
	add_claimed(&c, 5);
	cdi[0] = two;
	add_claimed(&c, 6);

	test("a device of which only unusable names of CDI are told is nothing");
	cdi[0] = bad;
	c.n_cdi = 1;
	add_claimed(&c, 6);
	allocation_done(&got);
	ok(got.n_claimed == 0 && !got.claimed);
}

static void test_pools(void)
{
	static const char *const good[] = { "node1", "a.b-c/d.e", "n/1/2" };
	static const char *const bad[] = { "/node1", "node1/", "a//b", "a/../b", "a/.", "a b" };
	char driver[] = "nic.vendor.com", device[] = "nic0", none[] = "", pool[32];
	struct claimed_device c = claimed(driver, pool, device, none);
	size_t n = 0;

	test("a pool may be domains with slashes between, and no other form of path");
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		(void)snprintf(pool, sizeof(pool), "%s", good[i]);
		add_claimed(&c, ++n);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		(void)snprintf(pool, sizeof(pool), "%s", bad[i]);
		add_claimed(&c, n);
	}
	allocation_done(&got);
}

static void test_copy(void)
{
	auto_allocation struct allocation from = { .source = "PodResources Get" }, to = { 0 };
	char name_space[] = "apps", claim[] = "nic", driver[] = "d.example.com", pool[] = "a/b";
	char device[] = "vf0", share[] = "", cdi[] = "d.example.com/vf=0", *cdis[] = { cdi };
	const struct claimed_device c = { name_space, claim, driver, device, share, pool, cdis, 1 };

	test("a copy has all of it, in the order of the containers, and is its own");
	ok(allocation_add_device(&from, VF, "z1", &err) == 0);
	allocation_end_container(&from);
	ok(allocation_add_device(&from, VF, "a1", &err) == 0);
	allocation_end_container(&from);
	ok(allocation_add_claimed(&from, &c, &err) == 0);
	(void)snprintf(from.tried, sizeof(from.tried), "it was late");
	eqi(allocation_copy(&from, &to, &err), 0);
	allocation_done(&from);
	eq(allocation_ids(&to, NULL), "z1 a1");
	eq(to.source, "PodResources Get");
	eq(to.tried, "it was late");
	eqi(to.n_claimed, 1);
	eq(to.claimed[0].pool, "a/b");
	eq(to.claimed[0].cdi[0], "d.example.com/vf=0");
	allocation_end_container(&to);
	eq(allocation_ids(&to, NULL), "z1 a1");
}

int main(void)
{
	test_compare();
	test_containers();
	test_devices_left_out();
	test_claimed();
	test_pools();
	test_copy();
	return tap_end();
}
