/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scene.h - a small node for the tests of daemon/offer: a PF with four VFs, one function alone, and
 * a PF with two sub-functions
 */
#ifndef TESTS_UNIT_DAEMON_OFFER_SCENE_H
#define TESTS_UNIT_DAEMON_OFFER_SCENE_H

#include "daemon/offer/offer.h"

#include "base/mem.h"
#include "manager/inventory/read.h"
#include "tests/unit/node.h"

#include <stdio.h>
#include <string.h>

struct scene {
	struct inv_function functions[7];
	struct inv_link links[8];
	struct inv_vf vfs[4];
	struct inv_auxiliary auxiliaries[2];
	struct inv_rdma rdmas[1];
	struct inv_vdpa vdpas[1];
	struct inv_attachment attachments[3];
	struct inv_allocation allocations[4];
	struct inventory inv;
	struct host host;
	struct offer_policy policy;
	struct pools pools;
	struct offers before, now;
};

#define SCENE_VF(n, drv, ...)								\
	{ .bdf = "0000:03:02." #n, .class = "020000", .vendor = "8086", .device = "154c",	\
	  .driver = drv, .is_vf = true, .vf_index = (n), .pf_bdf = "0000:03:00.0",		\
	  .health = "ok", __VA_ARGS__ }
#define SCENE_LINK(n, index, on)							\
	{ .name = n, .ifindex = (index), .parent_bus = "pci", .parent = on, .type = "ether",	\
	  .up = true, .carrier = true }

static const struct inv_function scene_functions[] = {
	{ .bdf = "0000:03:00.0", .class = "020000", .vendor = "8086", .device = "1572",
	  .driver = "i40e", .total_vfs = 8, .num_vfs = 4, .health = "ok", .eswitch = "legacy" },
	SCENE_VF(0, "iavf", .has_numa = true, .numa_node = 1),
	SCENE_VF(1, "iavf", .has_numa = true, .numa_node = 1),
	SCENE_VF(2, "vfio-pci", .has_numa = true, .numa_node = 1),
	SCENE_VF(3, "vfio-pci", .has_numa = true, .numa_node = -1),
	{ .bdf = "0000:04:00.0", .class = "020000", .vendor = "15b3", .device = "101d",
	  .driver = "mlx5_core", .total_vfs = 8, .num_vfs = 1, .health = "ok",
	  .has_numa = true },
	{ .bdf = "0000:05:00.0", .class = "020000", .vendor = "8086", .device = "1521",
	  .driver = "igb", .health = "ok" },
};

static const struct inv_link scene_links[] = {
	SCENE_LINK("eth0", 2, "0000:03:00.0"), SCENE_LINK("eth0v0", 3, "0000:03:02.0"),
	SCENE_LINK("eth0v1", 4, "0000:03:02.1"), SCENE_LINK("eth1", 5, "0000:04:00.0"),
	SCENE_LINK("eth1s10", 6, "mlx5_core.sf.10"), SCENE_LINK("eth1s4", 7, "mlx5_core.sf.4"),
	SCENE_LINK("eth5", 8, "0000:05:00.0"),
};

static const struct inv_vf scene_vfs[] = {
	{ .pf = "eth0", .index = 0, .link_state = "auto" },
	{ .pf = "eth0", .index = 1, .link_state = "auto" },
	{ .pf = "eth0", .index = 2, .link_state = "auto" },
	{ .pf = "eth0", .index = 3, .link_state = "auto" },
};

static const struct inv_auxiliary scene_auxiliaries[] = {
	{ .name = "mlx5_core.sf.4", .type = "sf", .driver = "mlx5_core.sf",
	  .pf_bdf = "0000:04:00.0", .has_sf = true, .sf = 88, .health = "ok" },
	{ .name = "mlx5_core.sf.10", .type = "sf", .driver = "mlx5_core.sf",
	  .pf_bdf = "0000:04:00.0", .has_sf = true, .sf = 89, .health = "ok" },
};

/* Texts of JSON have ' for ". */
static inline void scene_parse(const char *text, struct pools *ret)
{
	auto_free char *json = strdup(text);
	struct err e = { 0 };

	for (char *p = json; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (pools_parse(json, strlen(json), ret, &e) < 0)
		bail_out(e.msg);
}

static inline void scene_open(const char *pools, struct scene *s)
{
	struct err e = { 0 };

	*s = (struct scene){ .policy.host = &s->host };
	memcpy(s->functions, scene_functions, sizeof(scene_functions));
	memcpy(s->links, scene_links, sizeof(scene_links));
	memcpy(s->vfs, scene_vfs, sizeof(scene_vfs));
	memcpy(s->auxiliaries, scene_auxiliaries, sizeof(scene_auxiliaries));
	s->rdmas[0] = (struct inv_rdma){ .name = "irdma0", .parent = "0000:03:02.1" };
	s->vdpas[0] = (struct inv_vdpa){ .name = "vdpa0", .driver = "vhost_vdpa",
					 .bdf = "0000:03:02.2" };
	s->inv = (struct inventory){
		.functions = s->functions, .n_functions = ARRAY_SIZE(scene_functions),
		.links = s->links, .n_links = ARRAY_SIZE(scene_links),
		.vfs = s->vfs, .n_vfs = ARRAY_SIZE(scene_vfs),
		.auxiliaries = s->auxiliaries, .n_auxiliaries = ARRAY_SIZE(scene_auxiliaries),
		.rdmas = s->rdmas, .n_rdmas = 1, .vdpas = s->vdpas, .n_vdpas = 1,
		.attachments = s->attachments, .allocations = s->allocations,
	};
	if (places_set(&s->inv, &e) < 0)
		bail_out(e.msg);
	scene_parse(pools, &s->pools);
}

/* Attachment i, of pod ns/pI, has a device, which is at a place of functions or in none. */
static inline void scene_attach(struct scene *s, size_t i, const char *device, int function)
{
	struct inv_attachment *a = &s->attachments[i];

	*a = (struct inv_attachment){ .network = "lab", .ifname = "net1", .state = "live",
				      .kind = "netdev", .pod_namespace = "ns",
				      .function = function };
	(void)snprintf(a->container_id, sizeof(a->container_id), "c%zu", i);
	(void)snprintf(a->pod_name, sizeof(a->pod_name), "p%zu", i);
	(void)snprintf(a->device, sizeof(a->device), "%s", device);
	if (function != INV_NONE)
		s->functions[function].holder = (int)i;
	s->inv.n_attachments = i >= s->inv.n_attachments ? i + 1 : s->inv.n_attachments;
}

static inline void scene_state(struct scene *s, size_t i, const char *state)
{
	(void)snprintf(s->attachments[i].state, sizeof(s->attachments[i].state), "%s", state);
}

/* kubelet has given a device to pod ns/gI. */
static inline void scene_give(struct scene *s, size_t i, const char *resource, const char *id,
			      int function)
{
	struct inv_allocation *a = &s->allocations[i];

	*a = (struct inv_allocation){ .pod_namespace = "ns", .container = "c",
				      .function = function };
	(void)snprintf(a->pod_name, sizeof(a->pod_name), "g%zu", i);
	(void)snprintf(a->resource, sizeof(a->resource), "%s", resource);
	(void)snprintf(a->id, sizeof(a->id), "%s", id);
	s->inv.n_allocations = i >= s->inv.n_allocations ? i + 1 : s->inv.n_allocations;
}

/* The node does not have it any more, and nobody asks for it. */
static inline void scene_remove(struct scene *s, size_t function)
{
	struct err e = { 0 };

	memmove(&s->functions[function], &s->functions[function + 1],
		(s->inv.n_functions - function - 1) * sizeof(s->functions[0]));
	s->inv.n_functions--;
	if (places_set(&s->inv, &e) < 0)
		bail_out(e.msg);
}

/* The node does not have it any more, and a record or kubelet does. */
static inline void scene_vanish(struct scene *s, size_t function)
{
	struct inv_function *f = &s->functions[function];
	struct inv_function gone = {
		.vanished = true, .health = "vanished", .holder = f->holder,
		.link = INV_NONE, .representor = INV_NONE, .rdma = INV_NONE, .vdpa = INV_NONE,
		.auxiliary = INV_NONE, .vf = INV_NONE, .pf = INV_NONE,
	};

	memcpy(gone.bdf, f->bdf, sizeof(gone.bdf));
	*f = gone;
}

static inline void scene_forget(struct scene *s)
{
	offers_done(&s->now);
}

/* "eth: 03:02.0@1+! ...": node, held, not healthy; PCI addresses without their domain. */
static inline const char *scene_text(const struct offers *o, char ret[2048])
{
	size_t n = 0;

	*ret = '\0';
	for (size_t i = 0; i < o->n; i++) {
		n += (size_t)snprintf(ret + n, 2048 - n, "%s%s:", n ? " " : "",
				      strchr(o->list[i].resource, '/') + 1);
		for (size_t k = 0; k < o->list[i].n; k++) {
			const struct offered *d = &o->list[i].list[k];
			bool is_pci = strncmp(d->id, "0000:", 5) == 0;
			char numa[16] = "";

			if (d->has_numa)
				(void)snprintf(numa, sizeof(numa), "@%d", d->numa);
			n += (size_t)snprintf(ret + n, 2048 - n, " %s%s%s%s",
					      d->id + (is_pci ? 5 : 0), numa, d->held ? "+" : "",
					      d->healthy ? "" : "!");
		}
	}
	return ret;
}

/* Make the offers; those of the last time were before. */
static inline const char *scene_make(struct scene *s)
{
	static char text[2048];
	struct err e = { 0 };

	offers_done(&s->before);
	s->before = s->now;
	s->now = (struct offers){ .n = 0 };
	if (offers_make(&s->pools, &s->inv, s->before.n ? &s->before : NULL, &s->policy, &s->now,
			&e) < 0)
		bail_out(e.msg);
	return scene_text(&s->now, text);
}

static inline const struct offered *scene_of(const struct scene *s, const char *id)
{
	const struct offered *d = NULL;

	for (size_t i = 0; i < s->now.n && !d; i++)
		d = offer_find(&s->now.list[i], id);
	return d;
}

static inline void scene_close(struct scene *s)
{
	offers_done(&s->before);
	offers_done(&s->now);
	pools_done(&s->pools);
}

#endif
