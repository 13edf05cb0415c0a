/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - what a recorded tree says in place of the sockets of a node */
#include "manager/inventory/facts.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum { FACTS_BYTES_MAX = 16 << 20 };

int facts_read(const struct host *host, json_t **ret, struct err *e)
{
	auto_close int dir = fs_open(host->root, "/", O_PATH | O_DIRECTORY, 0);
	auto_free char *text = NULL;
	json_t *facts;
	size_t len = 0;
	int r;

	if (host->facts) {
		*ret = json_incref(host->facts);
		return 1;
	}
	if (dir < 0)
		return err_set(e, ERR_IO, errno, "open the root");
	r = fs_read_file(dir, &INVENTORY_FACTS[1], FACTS_BYTES_MAX, &text, &len, e);
	if (r <= 0)
		return r;
	facts = jx_parse(text, len, ERR_DECODE, INVENTORY_FACTS, e);
	if (!facts)
		return -1;
	*ret = facts;
	return 1;
}

int facts_is_live(const struct host *host, struct err *e)
{
	struct stat ours, root;
	int r;

	if (fstat(host->root, &ours) < 0 || stat("/", &root) < 0)
		return err_set(e, ERR_IO, errno, "stat the root");
	if (ours.st_dev != root.st_dev || ours.st_ino != root.st_ino)
		return 0;
	r = fs_exists(host->root, e, "%s", INVENTORY_FACTS);
	return r < 0 ? -1 : !r;
}

/* -- the lists of devices -- */

/* What sysfs does not say of those that it has. */
static const char *const of_functions[] = {
	"bdf", "drivers_version", "firmware", "ddp", "eswitch", NULL,
};
static const char *const of_links[] = {
	"name", "altnames", "kind", "ips", "default_route", "driver", "drivers_version", "firmware",
	NULL,
};
static const char *const of_vdpas[] = { "name", "mgmtdev", "mac", "mtu", "max_vqp", NULL };

static const char *const of_rdmas[] = { "name", "pkey", NULL };	/* of a deep directory */

static const struct facts_list devices[] = {
	{ FACTS_LIST(functions, inv_function_fields), inventory_function, "bdf", of_functions },
	{ FACTS_LIST(links, inv_link_fields), inventory_link, "name", of_links },
	{ FACTS_LIST(vdpas, inv_vdpa_fields), inventory_vdpa, "name", of_vdpas },
	{ FACTS_LIST(rdmas, inv_rdma_fields), inventory_rdma, "name", of_rdmas },
	{ FACTS_LIST(vfs, inv_vf_fields), .find = NULL },
	{ FACTS_LIST(mgmtdevs, inv_mgmtdev_fields), .find = NULL },
};

static const struct facts_list joined[] = {
	{ FACTS_LIST(attachments, inv_attachment_fields), .find = NULL },
	{ FACTS_LIST(allocations, inv_allocation_fields), .find = NULL },
};

/* -- reading -- */

static void **list_of(const struct facts_list *l, struct inventory *inv)
{
	return (void **)(void *)((char *)inv + l->list);
}

static size_t *count_of(const struct facts_list *l, struct inventory *inv)
{
	return (size_t *)(void *)((char *)inv + l->n);
}

static int read_over(const struct facts_list *l, const json_t *o, void *at, struct err *e)
{
	return at ? field_read(l->fields, o, l->what, at, e) : -1;
}

/* What is new comes last, for the search goes by the order of the list. */
int facts_fill(const json_t *facts, const struct facts_list *l, struct inventory *inv,
	       struct err *e)
{
	const json_t *all = json_object_get(facts, l->what), *o;
	json_auto_t *rest = json_array();
	size_t i;

	if (all && !json_is_array(all))
		return err_set(e, ERR_DECODE, 0, "%s: must be a list", l->what);
	json_array_foreach(all, i, o) {
		const char *name = l->find ? json_string_value(json_object_get(o, l->key)) : NULL;
		int place = name ? l->find(inv, name) : INV_NONE;
		char *first = *list_of(l, inv);

		if (place == INV_NONE)
			(void)json_array_append(rest, (json_t *)(uintptr_t)o);
		else if (read_over(l, o, first + (size_t)place * l->size, e) < 0)
			return -1;
	}
	json_array_foreach(rest, i, o)
		if (read_over(l, o, inv_add(list_of(l, inv), count_of(l, inv), l->size, e), e) < 0)
			return -1;
	return 0;
}

int facts_read_devices(const json_t *facts, struct inventory *inv, struct err *e)
{
	const json_t *node = json_object_get(facts, "node");

	if (node && field_read(&inv_node_fields, node, "node", &inv->node, e) < 0)
		return err_wrap(e, INVENTORY_FACTS);
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (facts_fill(facts, &devices[i], inv, e) < 0)
			return err_wrap(e, INVENTORY_FACTS);
	return 0;
}

/* -- writing -- */

/* New reference. */
static json_t *only(json_t *o, const char *const *members)
{
	json_t *ret = json_object();

	for (; *members; members++)
		if (json_object_get(o, *members))
			(void)json_object_set(ret, *members, json_object_get(o, *members));
	json_decref(o);
	return ret;
}

/*
 * Write one list into an object.  Of its elements those are left out that say no more than their
 * name, or are no UTF-8, as a pod can call a network device, which outlives it.
 */
static void facts_add(json_t *facts, const struct facts_list *l, const struct inventory *inv)
{
	const char *at = *(const char *const *)(const void *)((const char *)inv + l->list);
	size_t n = *(const size_t *)(const void *)((const char *)inv + l->n);
	json_auto_t *list = json_array();

	for (size_t i = 0; i < n; i++, at += l->size) {
		json_auto_t *o = field_write(l->fields, at, json_object());

		if (o && l->members)
			o = only(o, l->members);
		if (json_object_size(o) > 1)
			(void)json_array_append(list, o);
	}
	if (json_array_size(list) > 0)
		(void)json_object_set(facts, l->what, list);
}

json_t *inventory_facts(const struct inventory *inv, struct err *e)
{
	json_auto_t *facts = json_object();
	json_t *node = field_write(&inv_node_fields, &inv->node, json_object());

	if (!node || json_object_set_new(facts, "node", node) < 0) {
		(void)err_set(e, ERR_IO, 0, "node: no UTF-8");
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		facts_add(facts, &devices[i], inv);
	for (size_t i = 0; i < ARRAY_SIZE(joined); i++)
		facts_add(facts, &joined[i], inv);
	return steal_ptr(&facts);
}
