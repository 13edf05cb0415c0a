/* SPDX-License-Identifier: Apache-2.0 */
/* test_kubernetes.c - the version of a cluster is read, and it is known what it has */
#include "manager/dra/kubernetes.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

static void good(const char *text, int minor, int patch)
{
	struct kubernetes k = { 0 };
	struct err e = { 0 };

	eqi(kubernetes_parse(text, &k, &e), 0);
	eqi(k.minor, minor);
	eqi(k.patch, patch);
}

static void bad(const char *text)
{
	struct kubernetes k = { .minor = 7 };
	struct err e = { 0 };

	eqi(kubernetes_parse(text, &k, &e), -1);
	eqi(k.minor, 7);
	contains(e.msg, "expected 1.32 or later");
}

int main(void)
{
	static const struct kubernetes none = { 0 }, old = { 34, KUBERNETES_PATCH_ANY },
				       bare = { 36, KUBERNETES_PATCH_ANY }, two = { 36, 2 };

	test("a version is read as people and kubectl write it");
	good("1.34", 34, KUBERNETES_PATCH_ANY);
	good("v1.36.2", 36, 2);
	good("v1.34.1+k3s1", 34, 1);
	good("v1.33.4-gke.1172000", 33, 4);
	good("1.140.0", 140, 0);
	good(NULL, 0, 0);
	test("what is no version, or too old, is refused");
	static const char *const wrong[] = {
		"", "1", "1.", "34", "2.1", "v", "1.31", "1.31.9", "1.34.", "1.34+a", "1.34 ",
		"1.34.1 ", "1.x", "vv1.34", "1.9999", "-1.34",
	};
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		bad(wrong[i]);
	test("versions are in order; none is later than all");
	ok(kubernetes_is_before(&old, 36, 0));
	ok(!kubernetes_is_before(&bare, 36, 0));
	ok(kubernetes_is_before(&bare, 36, 3));
	ok(kubernetes_is_before(&two, 36, 3));
	ok(!kubernetes_is_before(&two, 36, 2));
	ok(!kubernetes_is_before(&two, 35, 9));
	ok(!kubernetes_is_before(&none, 99, 0));
	test("what a cluster has by default goes by its version; of none it is all");
	ok(!kubernetes_has(&old, KUBERNETES_PARTITIONS));
	ok(!kubernetes_has(&old, KUBERNETES_TAINTS));
	for (int i = 0; i < KUBERNETES_FEATURES; i++)
		ok(kubernetes_has(&none, (enum kubernetes_feature)i));
	ok(kubernetes_has(&two, KUBERNETES_PARTITIONS));
	ok(!kubernetes_has(&two, KUBERNETES_TAINT_RULES));
	ok(!kubernetes_has(&two, KUBERNETES_LISTS));
	test("a feature has the name of its gate");
	eq(kubernetes_gate(KUBERNETES_TAINTS), "DRADeviceTaints");
	return tap_end();
}
