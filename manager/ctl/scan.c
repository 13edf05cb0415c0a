/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - devinfoctl scan: which devices does this node have, and how are they?
 *
 * A row for all that a pod can be given: PCI functions, sub-functions, and vDPA devices that are on
 * neither (of a simulator or VDUSE).  A row is the object that expressions go by, with the pool
 * that the device is in; the cells of the table that are made of several attributes are added for
 * it alone.
 */
#include "manager/ctl/overrides.h"
#include "manager/ctl/table.h"

#include "base/mem.h"
#include "manager/ctl/inventory.h"
#include "manager/inventory/inventory.h"
#include "manager/match/match.h"
#include "manager/match/pool.h"

#include <stdio.h>
#include <string.h>

struct scan {
	const struct ctl_options *opt;
	struct inventory inv;
	struct match *match;		/* owned; NULL: all devices */
	struct pools pools;
	json_t *rows;			/* owned */
};

static void scan_done(struct scan *s)
{
	inventory_done(&s->inv);
	match_free(s->match);
	pools_done(&s->pools);
	json_decref(s->rows);
}

/* -- cells of the table -- */

static const struct ctl_column columns[] = {
	{ "DEVICE", "id", .wide = false },
	{ "VENDOR", "vendor_name", .wide = true },
	{ "NAME", "device_name", .wide = true },
	{ "DRIVER", "driver", .wide = false },
	{ "PF", "_pf", .wide = false },
	{ "VF", "vf_index", .wide = false },
	{ "NUMA", "numa_node", .wide = false },
	{ "IOMMU", "iommu_group", .wide = true },
	{ "NETDEV", "link", .wide = false },
	{ "LINK", "_link", .wide = false },
	{ "SWITCH", "_switch", .wide = false },
	{ "RDMA", "rdma", .wide = false },
	{ "VDPA", "vdpa", .wide = false },
	{ "HEALTH", "health", .coloured = true },
	{ "REASON", "health_reason", .wide = true },
	{ "HOLDER", "_holder", .wide = false },
	{ "POOL", "pool", .wide = false },	/* the last: only with --pool */
};

static const char *text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

/* "25G", "100M", "down", "no carrier"; "up" where the speed is not known; or nothing is. */
static void put_link(json_t *row)
{
	json_int_t speed = json_integer_value(json_object_get(row, "speed"));
	char text[32] = "up";

	if (!json_object_get(row, "operstate"))
		return;
	if (!json_is_true(json_object_get(row, "is_up")))
		(void)snprintf(text, sizeof(text), "down");
	else if (!json_is_true(json_object_get(row, "carrier")))
		(void)snprintf(text, sizeof(text), "no carrier");
	else if (speed > 0 && speed % 1000 == 0)
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT "G", speed / 1000);
	else if (speed > 0)
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT "M", speed);
	(void)json_object_set_new(row, "_link", json_string(text));
}

/* The first pod that kubelet has given it to; no attachment has it. */
static void put_allocation(json_t *row)
{
	const json_t *pod = json_array_get(json_object_get(row, "allocated_to"), 0);

	if (pod)
		(void)json_object_set_new(row, "_holder",
					  json_sprintf("%s (allocated)", json_string_value(pod)));
}

/*
 * The pod; of an attachment whose pod is not known, its network and interface; of one that is not
 * live, its state.
 */
static void put_holder(json_t *row)
{
	const char *pod = text_of(row, "pod"), *state = text_of(row, "attachment_state");
	const char *interface = *pod ? "" : text_of(row, "interface");
	bool is_live = !*state || strcmp(state, "live") == 0;

	if (!json_is_true(json_object_get(row, "is_held"))) {
		put_allocation(row);
		return;
	}
	(void)json_object_set_new(
		row, "_holder",
		json_sprintf("%s%s%s%s%s%s", *pod ? pod : text_of(row, "network"),
			     *interface ? "/" : "", interface, is_live ? "" : " (",
			     is_live ? "" : state, is_live ? "" : ")"));
}

static void put_cells(json_t *row)
{
	const char *mode = text_of(row, "eswitch");

	if (strcmp(text_of(row, "pf_name"), text_of(row, "link")) != 0)	/* a PF's is its own */
		(void)json_object_set_new(row, "_pf", json_string(text_of(row, "pf_name")));
	put_link(row);
	put_holder(row);
	(void)json_object_set_new(row, "_switch",
				  json_string(*mode ? mode : text_of(row, "representor")));
}

/* -- rows -- */

static void put_pool(const struct scan *s, json_t *row, int pool)
{
	char name[320];

	if (pool != INV_NONE)
		(void)json_object_set_new(
			row, "pool", json_string(pool_resource(&s->pools, (size_t)pool, name)));
}

/* Takes the reference; pool is a place, or INV_NONE.  -1 is the expression's fault. */
static int add_row(struct scan *s, json_t *row, int pool, struct err *e)
{
	int r = 1;

	put_pool(s, row, pool);
	if (s->match)
		r = match_meets(s->match, row, e);
	if (r > 0 && !ctl_is_json(s->opt))
		put_cells(row);
	if (r > 0)
		(void)json_array_append(s->rows, row);
	if (r < 0)
		(void)err_wrap(e, "%s", text_of(row, "id"));
	json_decref(row);
	return r < 0 ? -1 : 0;
}

static int add_functions(struct scan *s, struct err *e)
{
	const struct inventory *inv = &s->inv;

	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];
		int pool = pools_find(&s->pools, inv, f, NULL);

		if (add_row(s, match_attributes(inv, f), pool, e) < 0)
			return -1;
	}
	return 0;
}

/* Sub-functions; others of the auxiliary bus are parts of a function, unless a pool has them. */
static int add_auxiliaries(struct scan *s, struct err *e)
{
	const struct inventory *inv = &s->inv;

	for (size_t i = 0; i < inv->n_auxiliaries; i++) {
		const struct inv_auxiliary *x = &inv->auxiliaries[i];
		int pool = pools_find(&s->pools, inv, NULL, x);

		if ((x->has_sf || pool != INV_NONE) &&
		    add_row(s, match_attributes_of_auxiliary(inv, x), pool, e) < 0)
			return -1;
	}
	return 0;
}

static int add_vdpas(struct scan *s, struct err *e)
{
	const struct inventory *inv = &s->inv;

	for (size_t i = 0; i < inv->n_vdpas; i++) {
		const struct inv_vdpa *v = &inv->vdpas[i];

		if (v->function == INV_NONE &&
		    add_row(s, match_attributes_of_vdpa(inv, v), INV_NONE, e) < 0)
			return -1;
	}
	return 0;
}

/* What pools offer that is no device of the node's. */
static int add_sockets(struct scan *s, struct err *e)
{
	char id[POOL_SLOT_ID];

	for (size_t i = 0; i < s->pools.n; i++) {
		const char *kind = device_kind_name(pool_type(&s->pools, i) == POOL_MEMIF ?
							    DEVICE_MEMIF : DEVICE_VHOST_USER);

		for (size_t k = 0; k < pool_slots(&s->pools, i); k++)
			if (add_row(s, match_attributes_of_socket(
					       &s->inv, pool_slot_id(&s->pools, i, k, id), kind),
				    (int)i, e) < 0)
				return -1;
	}
	return 0;
}

static int read_match(struct scan *s, struct err *e)
{
	s->match = match_parse(s->opt->match, e);
	return s->match ? match_check_names(s->match, e) : -1;
}

static enum ctl_status wrong_match(struct err *e)
{
	(void)err_wrap(e, "--match");
	return ctl_wrong(e);
}

/* -- where the values of the same devices are from -- */

static bool has_row(const char *id, const void *arg)
{
	const json_t *rows = arg, *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (strcmp(text_of(row, "id"), id) == 0)
			return true;
	return false;
}

enum ctl_status ctl_scan(const struct host *host, const struct ctl_options *opt,
			 char *const *operands)
{
	auto_with(scan_done) struct scan s = { .opt = opt, .rows = json_array() };
	struct err e = { 0 };

	(void)operands;
	if (ctl_check_why(opt, "scan") != CTL_OK)
		return CTL_USAGE;
	if (opt->pool && ctl_read_pools(opt->pool, &s.pools, &e) < 0)
		return ctl_wrong(&e);
	if (opt->match && read_match(&s, &e) < 0)
		return wrong_match(&e);
	if (ctl_inventory(host, opt, &s.inv, &e) < 0)
		return ctl_error(&e);
	for (size_t i = 0; i < s.pools.n; i++)
		ctl_warn_unanswered(&s.pools, i, &s.inv);
	if (add_functions(&s, &e) < 0 || add_auxiliaries(&s, &e) < 0 || add_vdpas(&s, &e) < 0 ||
	    add_sockets(&s, &e) < 0)
		return wrong_match(&e);
	if (opt->why)
		return ctl_put_origins(host, opt, &s.inv, has_row, s.rows,
				       "no device of a ResourceSlice");
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns) - !opt->pool, s.rows,
		     opt->match ? "no device meets the expression" : "no network devices");
	return CTL_OK;
}
