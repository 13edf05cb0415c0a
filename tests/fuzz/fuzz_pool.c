/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_pool.c - pools of sriov-network-device-plugin, and what of a small node they select */
#include "base/name.h"
#include "manager/match/pool.h"
#include "tests/fuzz/fuzz.h"

static struct inv_function functions[] = {
	{ .bdf = "0000:01:00.0", .class = "020000", .vendor = "15b3", .device = "1017", .pf = -1,
	  .link = 0, .rdma = 0, .vdpa = -1, .has_acpi_index = true, .acpi_index = 101 },
	{ .bdf = "0000:01:00.1", .class = "020000", .vendor = "15b3", .device = "1018", .pf = 0,
	  .is_vf = true, .vf_index = 3, .pf_bdf = "0000:01:00.0", .driver = "mlx5_core",
	  .link = 1, .rdma = -1, .vdpa = 0 },
	{ .bdf = "0000:02:00.0", .class = "120000", .pf = -1, .link = -1, .rdma = -1, .vdpa = -1 },
};
static struct inv_link links[] = {
	{ .name = "eth0", .type = "ether" }, { .name = "eth1", .type = "ether" },
};
static struct inv_auxiliary sfs[] = {
	{ .name = "mlx5_core.sf.4", .type = "sf", .pf_bdf = "0000:01:00.0", .has_sf = true,
	  .sf = 88, .function = 0, .link = -1 },
};
static struct inv_rdma rdmas[] = {
	{ .name = "mlx5_0", .parent = "0000:01:00.0", .pkey = "0xffff", .next = -1 },
};
static struct inv_vdpa vdpas[] = {
	{ .name = "v0", .driver = "vhost_vdpa", .bdf = "0000:01:00.1", .next = -1 },
};
static const struct inventory node = {
	.functions = functions, .n_functions = 3, .links = links, .n_links = 2,
	.auxiliaries = sfs, .n_auxiliaries = 1, .rdmas = rdmas, .n_rdmas = 1, .vdpas = vdpas,
	.n_vdpas = 1,
};

static void select_all(const struct pools *p)
{
	for (size_t i = 0; i < node.n_functions; i++) {
		int pool = pools_find(p, &node, &functions[i], NULL);

		must(pool == INV_NONE || (size_t)pool < p->n);
		must(pool == INV_NONE || pool_type(p, (size_t)pool) != POOL_AUX_NET_DEVICE);
	}
	must(pools_find(p, &node, NULL, &sfs[0]) < (int)p->n);
}

static void ask_of(const struct pools *p, size_t i)
{
	json_auto_t *info = pool_info(p, i, "0000:01:00.1");
	const char *key;
	json_t *v;

	json_object_foreach(info, key, v)
		must(json_is_string(v));
	(void)pool_wants(p, i, &node, &functions[0]);
	(void)pool_wants_auxiliary(p, i, &node, &sfs[0]);
	(void)pool_unanswered(p, i, &node);
	(void)pool_excludes_topology(p, i);
}

static void fuzz_one(const char *text, size_t len)
{
	auto_pools struct pools p = { .n = 0 };
	struct err e = { 0 };
	char resource[320];
	int rc = pools_parse(text, len, &p, &e);

	must_agree(rc, &e);
	if (rc < 0) {
		must(e.code == ERR_NETCONF && !p.doc && !p.list && p.n == 0);
		return;
	}

	accepted();
	for (size_t i = 0; i < p.n; i++) {
		must(name_is_resource(pool_resource(&p, i, resource)));
		must(pool_type(&p, i) < POOL_TYPES);
		ask_of(&p, i);
	}
	select_all(&p);
}
