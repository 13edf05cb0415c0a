/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice_device.c - one device of the inventory as one of a ResourceSlice: name, attributes, taints
 *
 * Attributes of our own have the names that expressions go by (manager/match/attributes.c).  What
 * comes and goes with each pod (addresses, states of a link, holders) is not among them: it would
 * be another generation of the pool each time.
 */
#include "manager/dra/slice_device.h"

#include "base/mem.h"
#include "devinfo/taint/device_name.h"
#include "manager/dra/name.h"
#include "manager/inventory/health.h"
#include "manager/match/match.h"
#include "manager/match/related.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- names -- */

static void auxiliary_name(const struct inv_auxiliary *x, char ret[DEVICE_NAME_SIZE])
{
	if (x->has_sf && *x->pf_bdf)
		device_name_sub_function(x->pf_bdf, (unsigned int)x->sf, ret);
	else
		device_name_auxiliary(x->name, ret);
}

/* -- values -- */

/* At most what an attribute may have, no character in halves. */
static void put_text(json_t *attributes, const char *name, const char *text)
{
	size_t n = strlen(text);
	json_t *v;

	if (n > DRA_VALUE_MAX) {
		n = DRA_VALUE_MAX;
		while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
	}
	v = n > 0 ? json_stringn(text, n) : NULL;
	if (v)
		(void)json_object_set_new(attributes, name, json_pack("{s:o}", "string", v));
}

static void put_int(json_t *attributes, const char *name, json_int_t value)
{
	(void)json_object_set_new(attributes, name, json_pack("{s:I}", "int", value));
}

static bool is_letter(char c)
{
	return isalpha((unsigned char)c);
}

bool slice_device_version(const char *text, char ret[DRA_VALUE_MAX + 1])
{
	unsigned long part[3] = { 0 };
	char *rest = NULL;
	int n;

	for (int i = 0; i < 3 && isdigit((unsigned char)*text); i++) {
		part[i] = strtoul(text, &rest, 10);
		text = rest + (*rest == '.');
	}
	if (!rest || (part[0] == 0 && is_letter(*rest)))	/* "0x80000d4a" */
		return false;
	n = snprintf(ret, DRA_VALUE_MAX + 1, "%lu.%lu.%lu%.*s", part[0], part[1], part[2],
		     (int)strcspn(rest, " ("), rest);
	if (n > DRA_VALUE_MAX || !dra_name_is_version(ret))
		(void)snprintf(ret, DRA_VALUE_MAX + 1, "%lu.%lu.%lu", part[0], part[1], part[2]);
	return true;
}

static void put_version(json_t *attributes, const char *name, const char *text)
{
	char version[DRA_VALUE_MAX + 1];

	if (slice_device_version(text, version))
		(void)json_object_set_new(attributes, name,
					  json_pack("{s:s}", "version", version));
}

/* -- attributes -- */

/*
 * Of match_attributes(): of a list the first.  With those that are put elsewhere no device has more
 * than 31, and the API lets it have DRA_ATTRIBUTES_MAX.
 */
static const char *const own[] = {
	"bus", "vendor", "device", "vendor_name", "device_name", "driver", "is_vf", "vf_index",
	"pf", "pf_name", "total_vfs", "num_vfs", "eswitch", "iommu_group", "vhost_net", "health",
	"aux_type", "sf", "link", "link_type", "is_rdma", "rdma", "makes_vdpa", "vdpa",
	"vdpa_type",
};

static void put_value(json_t *attributes, const char *name, const json_t *v)
{
	if (json_is_array(v))
		v = json_array_get(v, 0);
	if (json_is_string(v))
		put_text(attributes, name, json_string_value(v));
	else if (json_is_integer(v))
		put_int(attributes, name, json_integer_value(v));
	else if (json_is_boolean(v))
		(void)json_object_set_new(attributes, name,
					  json_pack("{s:b}", "bool", json_is_true(v)));
}

/* Standard ones, of a function or what is on it.  The kernel's -1 is no NUMA node. */
static void put_place(json_t *attributes, const struct inv_function *f)
{
	put_text(attributes, "resource.kubernetes.io/pcieRoot", f->pcie_root);
	if (f->has_numa && f->numa_node >= 0)
		put_int(attributes, "resource.kubernetes.io/numaNode", f->numa_node);
}

/*
 * What the card is, as its PF says it: a VF in a pod cannot be asked, and the link of one that is
 * down has no speed.
 */
static void put_card(const struct inventory *inv, json_t *attributes,
		     const struct inv_function *f)
{
	const struct inv_function *pf = related_pf(inv, f);
	const struct inv_link *l = pf ? related_link(inv, pf->link) : NULL;

	if (!pf)
		return;
	put_text(attributes, "firmware", pf->firmware);
	put_version(attributes, "firmware_version", pf->firmware);
	put_text(attributes, "eswitch", pf->eswitch);
	if (l && l->speed > 0)
		put_int(attributes, "speed", l->speed);
	if (l)
		put_text(attributes, "link_type", l->type);
}

/* A network device that is in a pod is called as it was, and will be, here. */
static void put_home_name(const struct inventory *inv, json_t *attributes, int holder)
{
	const struct inv_attachment *a = related_attachment(inv, holder);

	if (a && *a->host_name && !json_object_get(attributes, "link"))
		put_text(attributes, "link", a->host_name);
}

/* A selector fails where an attribute is not there, so each device has all that are yes or no. */
static json_t *own_attributes(const json_t *row)
{
	static const char *const flags[] = { "is_vf", "is_rdma", "makes_vdpa", "vhost_net" };
	json_t *ret = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		put_value(ret, flags[i], json_false());
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		put_value(ret, own[i], json_object_get(row, own[i]));
	return ret;
}

/* What Multus gives to the plugin, and finds the network by. */
static int put_ids(const struct node_slices_wish *wish, json_t *attributes, const char *id,
		   int pool, struct err *e)
{
	char resource[320];

	put_text(attributes, "k8s.cni.cncf.io/deviceID", id);
	if (pool == INV_NONE)
		return 0;
	(void)pool_resource(wish->pools, (size_t)pool, resource);
	if (strlen(resource) > DRA_VALUE_MAX)
		return err_set(e, ERR_NETCONF, 0, "resource '%.128s': an attribute has at most %d "
			       "bytes", resource, DRA_VALUE_MAX);
	put_text(attributes, "k8s.cni.cncf.io/resourceName", resource);
	return 0;
}

/* -- taints -- */

/* What works less than it should is told by its attribute alone. */
static json_t *taints(const struct node_slices_wish *wish, const char *health)
{
	json_t *ret = json_array();
	char key[DRA_DRIVER_MAX + 16];

	(void)snprintf(key, sizeof(key), "%.63s/health", wish->driver);
	if (strcmp(health, health_name(HEALTH_FAILED)) == 0 ||
	    strcmp(health, health_name(HEALTH_CHANGED)) == 0)
		(void)json_array_append_new(ret, json_pack("{s:s,s:s,s:s}", "key", key, "value",
							   health, "effect", "NoSchedule"));
	return ret;
}

/* -- devices -- */

/* The reference to the attributes is taken. */
static json_t *make(const char *name, json_t *attributes, json_t *its_taints)
{
	json_t *ret = json_pack("{s:s,s:o}", "name", name, "attributes", attributes);

	if (json_array_size(its_taints) > 0)
		(void)json_object_set(ret, "taints", its_taints);
	json_decref(its_taints);
	return ret;
}

json_t *slice_device_function(const struct inventory *inv, const struct node_slices_wish *wish,
			      const struct inv_function *f, struct err *e)
{
	json_auto_t *row = match_attributes(inv, f), *attributes = own_attributes(row);
	int pool = wish->pools ? pools_find(wish->pools, inv, f, NULL) : INV_NONE;
	char name[DEVICE_NAME_SIZE];

	put_text(attributes, "resource.kubernetes.io/pciBusID", f->bdf);
	put_text(attributes, "pci_path", f->pci_path);
	put_place(attributes, f);
	put_card(inv, attributes, f);
	if (!f->is_vf)
		put_version(attributes, "driver_version", f->drivers_version);
	put_home_name(inv, attributes, f->holder);
	if (put_ids(wish, attributes, f->bdf, pool, e) < 0)
		return NULL;
	device_name_function(f->bdf, name);
	return make(name, steal_ptr(&attributes), taints(wish, f->health));
}

json_t *slice_device_auxiliary(const struct inventory *inv, const struct node_slices_wish *wish,
			       const struct inv_auxiliary *x, struct err *e)
{
	json_auto_t *row = match_attributes_of_auxiliary(inv, x);
	json_auto_t *attributes = own_attributes(row);
	const struct inv_function *f = related_function(inv, x->function);
	int pool = wish->pools ? pools_find(wish->pools, inv, NULL, x) : INV_NONE;
	char name[DEVICE_NAME_SIZE];

	if (f) {
		put_text(attributes, "pci_path", f->pci_path);
		put_place(attributes, f);
		put_card(inv, attributes, f);
	}
	put_home_name(inv, attributes, x->holder);
	if (put_ids(wish, attributes, x->name, pool, e) < 0)
		return NULL;
	auxiliary_name(x, name);
	return make(name, steal_ptr(&attributes), taints(wish, x->health));
}

json_t *slice_device_vdpa(const struct inventory *inv, const struct inv_vdpa *v)
{
	json_auto_t *row = match_attributes_of_vdpa(inv, v);
	json_t *attributes = own_attributes(row);
	char name[DEVICE_NAME_SIZE];

	put_text(attributes, "k8s.cni.cncf.io/deviceID", v->name);
	put_home_name(inv, attributes, v->holder);
	device_name_vdpa(v->name, name);
	return make(name, attributes, json_array());
}
