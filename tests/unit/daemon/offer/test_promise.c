/* SPDX-License-Identifier: Apache-2.0 */
/* test_promise.c - what the ledger of a node has promised */
#include "daemon/offer/offer.h"

#include "base/jx.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#define PODS "var/lib/cni/devinfo/pods"

static const struct offer_promise *find(const struct offer_promises *p, const char *id)
{
	static const struct offer_promise none;

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->list[i].id, id) == 0)
			return &p->list[i];
	return &none;
}

int main(void)
{
	auto_offer_promises struct offer_promises p = { .n = 0 };
	const struct offer_promise *one;
	struct err e = { 0 };
	struct fake_node n;

	jx_init(NULL);
	node_open(NULL, &n);
	test("a node without a ledger has promised nothing");
	ok(offer_promises_read(&n.host, &p, &e) == 0);
	eqi(p.n, 0);
	node_sh(&n, "mkdir -m 700 -p " PODS " && umask 077 && "
		    "sed 's,\"w0\",\"auxiliary/mlx5_core.sf.4\",' "
		    "\"$OLDPWD\"/tests/node/before/ledger.json "
		    ">" PODS "/default_p1@e6dce3c9e04b6828.json");
	test("each choice with its resource and its attachment");
	ok(offer_promises_read(&n.host, &p, &e) == 0);
	eqi(p.n, 2);
	one = find(&p, "v0");
	eq(one->resource, "example.com/vf");
	eq(one->network, "default");
	eq(one->container_id, "c1");
	eq(one->ifname, "eth0");
	eq(find(&p, "mlx5_core.sf.4")->ifname, "net1");
	test("a device whose name is too long for any of ours is left out");
	offer_promises_done(&p);
	node_sh(&n, "sed -i \"s,\\\"v0\\\",\\\"$(printf '%070d' 0)\\\",\" "
		    PODS "/default_p1@e6dce3c9e04b6828.json");
	ok(offer_promises_read(&n.host, &p, &e) == 0);
	eqi(p.n, 1);
	node_close(&n);
	return tap_end();
}
