/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_summary.c - the devices of a node in a few names with values
 *
 * Numbers are counted as numbers and become texts at the end.  A part of a name or a value that is
 * somebody else's, as a driver's, becomes what a label may have; two that are equal then are
 * counted together.
 */
#include "manager/nfd/node_summary.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/node/sysfs.h"
#include "manager/inventory/health.h"
#include "manager/match/related.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_MAX = 63, SUMMARY_NAME_MAX = LABEL_MAX - (int)sizeof(NODE_SUMMARY_PREFIX) + 1 };

/* -- names and values -- */

static bool is_end(char c)
{
	return isalnum((unsigned char)c);
}

/* What a label may have: letters, digits, "-_." between them; all else becomes one '_'. */
static void clean(const char *text, char *ret, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++)
		if (is_end(*text) || (n > 0 && strchr("-_.", *text)))
			ret[n++] = *text;
		else if (n > 0 && ret[n - 1] != '_')
			ret[n++] = '_';
	while (n > 0 && !is_end(ret[n - 1]))
		n--;
	ret[n] = '\0';
}

/* A name that is too long keeps its head, and gets its hash for a tail. */
static void name_make(char ret[LABEL_MAX + 1], const char *group, const char *of, const char *what)
{
	char full[512], part[INV_LIST + 128];
	int n;

	clean(of, part, sizeof(part));
	n = snprintf(full, sizeof(full), "%s%s%s", group, *part ? part : "none", what);
	if (n <= SUMMARY_NAME_MAX)
		memcpy(ret, full, (size_t)n + 1);
	else
		(void)snprintf(ret, LABEL_MAX + 1, "%.*s-%08" PRIx32, SUMMARY_NAME_MAX - 9, full,
			       (uint32_t)name_hash(0, full));
}

static void count(json_t *o, const char *name, int n)
{
	json_int_t was = json_integer_value(json_object_get(o, name));

	(void)json_object_set_new(o, name, json_integer(was + n));
}

static void count_some(json_t *o, const char *name, int n)
{
	if (n > 0)
		count(o, name, n);
}

static void count_of(json_t *o, const char *group, const char *of, int n)
{
	char name[LABEL_MAX + 1];

	name_make(name, group, of, "");
	count(o, name, n);
}

static void put_flag(json_t *o, const char *name, bool value)
{
	if (value)
		(void)json_object_set_new(o, name, json_string("true"));
}

static void put_text(json_t *o, const char *name, const char *text)
{
	char value[LABEL_MAX + 1];

	clean(text, value, sizeof(value));
	if (*value)
		(void)json_object_set_new(o, name, json_string(value));
}

/* Of several devices one value; no version is called so. */
static void put_common(json_t *o, const char *group, const char *of, const char *what,
		       const char *text)
{
	char name[LABEL_MAX + 1], value[LABEL_MAX + 1];
	const char *was;

	clean(text, value, sizeof(value));
	if (!*value)
		return;
	name_make(name, group, of, what);
	was = json_string_value(json_object_get(o, name));
	(void)json_object_set_new(o, name,
				  json_string(!was || strcmp(was, value) == 0 ? value : "several"));
}

/* -- what the node has -- */

static void put_health(json_t *o, const struct inventory *inv)
{
	static const enum inv_health order[] = {
		HEALTH_VANISHED, HEALTH_FAILED, HEALTH_CHANGED, HEALTH_DEGRADED, HEALTH_OK,
	};
	json_auto_t *of = json_object();

	for (size_t i = 0; i < inv->n_functions; i++)
		count(of, inv->functions[i].health, 1);
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		if (inv->auxiliaries[i].has_sf)
			count(of, inv->auxiliaries[i].health, 1);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (!json_object_get(o, "health") && json_object_get(of, health_name(order[i])))
			put_text(o, "health", health_name(order[i]));
	for (size_t i = 0; order[i] != HEALTH_OK; i++) {
		const char *name = health_name(order[i]);

		if (json_object_get(of, name))
			count_of(o, "health.", name,
				 (int)json_integer_value(json_object_get(of, name)));
	}
}

static void put_node(json_t *o, const struct inv_node *n)
{
	put_text(o, "rdma.mode", n->rdma_mode);
	put_flag(o, "iommu", n->iommu);
	put_flag(o, "vhost-net", n->vhost_net);
	put_flag(o, "vhost-vdpa", n->vhost_vdpa);
	put_flag(o, "vduse", n->vduse);
}

static void put_sriov(json_t *o, const struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];

		if (f->total_vfs > 0) {
			count(o, "sriov.pfs", 1);
			count(o, "sriov.totalvfs", f->total_vfs);
			count_some(o, "sriov.vfs", f->num_vfs);
		}
		if (f->is_vf && driver_is_userspace(f->driver))
			count(o, "sriov.vfs.userspace", 1);
		if (*f->eswitch)
			count_of(o, "eswitch.", f->eswitch, 1);
	}
}

static void put_kinds(json_t *o, const struct inventory *inv)
{
	int representors = 0, subfunctions = 0;

	for (size_t i = 0; i < inv->n_links; i++)
		representors += inv->links[i].represents != INV_NONE ||
				inv->links[i].represents_auxiliary != INV_NONE;
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		subfunctions += inv->auxiliaries[i].has_sf;
	count_some(o, "representors", representors);
	count_some(o, "subfunctions", subfunctions);
	count_some(o, "rdma.devices", (int)inv->n_rdmas);
	count_some(o, "vdpa.devices", (int)inv->n_vdpas);
	count_some(o, "vdpa.mgmtdevs", (int)inv->n_mgmtdevs);
	for (size_t i = 0; i < inv->n_vdpas; i++)
		count_of(o, "vdpa.driver.", inv->vdpas[i].driver, 1);
}

/* A function that has vanished, or is bound to nothing, has no driver. */
static void put_drivers(json_t *o, const struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_functions; i++)
		if (*inv->functions[i].driver)
			count_of(o, "driver.", inv->functions[i].driver, 1);
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];

		if (!*f->driver)
			continue;
		put_common(o, "driver.", f->driver, ".version", f->drivers_version);
		put_common(o, "firmware.", f->driver, "", f->firmware);
	}
}

static void count_pool(json_t *o, const struct pools *pools, int pool)
{
	char resource[320];

	if (pool != INV_NONE)
		count_of(o, "pool.", pool_resource(pools, (size_t)pool, resource), 1);
}

static void put_pools(json_t *o, const struct inventory *inv, const struct pools *pools)
{
	char resource[320];

	for (size_t i = 0; i < pools->n; i++)
		count_of(o, "pool.", pool_resource(pools, i, resource),
			 (int)pool_slots(pools, i));
	for (size_t i = 0; i < inv->n_functions; i++)
		count_pool(o, pools, pools_find(pools, inv, &inv->functions[i], NULL));
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		count_pool(o, pools, pools_find(pools, inv, NULL, &inv->auxiliaries[i]));
}

static void put_mgmtdevs(json_t *o, const struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_mgmtdevs; i++)
		count_of(o, "vdpa.mgmtdev.", inv->mgmtdevs[i].name, 0);
	for (size_t i = 0; i < inv->n_vdpas; i++)
		if (*inv->vdpas[i].mgmtdev)
			count_of(o, "vdpa.mgmtdev.", inv->vdpas[i].mgmtdev, 1);
}

static void numbers_to_texts(json_t *o)
{
	const char *name;
	json_t *v;

	json_object_foreach(o, name, v)
		if (json_is_integer(v))
			(void)json_object_set_new(o, name, json_sprintf("%" JSON_INTEGER_FORMAT,
									json_integer_value(v)));
}

json_t *node_summary(const struct inventory *inv, const struct pools *pools)
{
	json_t *o = json_object();

	put_health(o, inv);
	put_node(o, &inv->node);
	put_sriov(o, inv);
	put_kinds(o, inv);
	put_drivers(o, inv);
	if (pools)
		put_pools(o, inv, pools);
	put_mgmtdevs(o, inv);
	numbers_to_texts(o);
	return o;
}
