/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features_device.c - features of our own: the devices of the inventory
 *
 * A rule may ask each attribute that expressions go by, but for those that change with every pod:
 * features are written into the cluster.
 */
#include "manager/nfd/features_part.h"

#include "base/mem.h"
#include "manager/match/match.h"
#include "manager/nfd/node_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VIRTIO_NET = 1, VIRTIO_BLOCK = 2, LIST_TEXT = 4096 };

/* -- attributes as texts -- */

/*
 * Who has it, its addresses, its counters; why it is not well has these in its words.  Names for
 * people are of the machine that looks, by its list.
 */
static const char *const not_features[] = {
	"vendor_name", "device_name", "is_held", "pod", "network", "interface", "attachment_state",
	"allocated_to", "mac", "admin_mac", "ips", "aer_correctable", "aer_nonfatal", "aer_fatal",
	"health_reason",
};

/* "a,b", as far as it fits. */
static json_t *list_as_text(json_t *list)
{
	char text[LIST_TEXT] = "";
	size_t n = 0, i;
	json_t *one;

	json_array_foreach(list, i, one) {
		const char *s = json_string_value(one);

		if (s && n + strlen(s) + 2 < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "," : "", s);
	}
	return json_string(text);
}

static json_t *as_text(json_t *v)
{
	if (json_is_array(v))
		return list_as_text(v);
	if (json_is_integer(v))
		return json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
	if (json_is_boolean(v))
		return json_string(json_is_true(v) ? "true" : "false");
	return json_is_string(v) ? json_copy(v) : NULL;
}

/* Takes the reference of the attributes. */
static void put_device(json_t *features, const char *set, json_t *attributes,
		       const struct pools *pools, int pool)
{
	json_t *texts = json_object(), *v;
	char resource[320];
	const char *name;

	for (size_t i = 0; i < ARRAY_SIZE(not_features); i++)
		(void)json_object_del(attributes, not_features[i]);
	json_object_foreach(attributes, name, v)
		(void)json_object_set_new(texts, name, as_text(v));
	if (pools && pool != INV_NONE)
		features_set(texts, "pool", pool_resource(pools, (size_t)pool, resource));
	json_decref(attributes);
	features_put_instance(features, set, texts);
}

static void put_functions(const struct inventory *inv, const struct pools *pools,
			  json_t *features)
{
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];
		int pool = pools ? pools_find(pools, inv, f, NULL) : INV_NONE;

		put_device(features, "devinfo.function", match_attributes(inv, f), pools, pool);
	}
}

/* Sub-functions; others of the auxiliary bus are parts of a function. */
static void put_auxiliaries(const struct inventory *inv, const struct pools *pools,
			    json_t *features)
{
	for (size_t i = 0; i < inv->n_auxiliaries; i++) {
		const struct inv_auxiliary *x = &inv->auxiliaries[i];
		int pool = pools ? pools_find(pools, inv, NULL, x) : INV_NONE;

		if (x->has_sf || pool != INV_NONE)
			put_device(features, "devinfo.auxiliary",
				   match_attributes_of_auxiliary(inv, x), pools, pool);
	}
}

/* -- vDPA -- */

static void set_some(json_t *attributes, const char *name, const char *value)
{
	if (*value)
		features_set(attributes, name, value);
}

static void put_vdpa(const struct inv_vdpa *v, json_t *features)
{
	json_t *attributes = json_object();
	char text[16];

	features_set(attributes, "name", v->name);
	set_some(attributes, "driver", v->driver);
	set_some(attributes, "mgmtdev", v->mgmtdev);
	set_some(attributes, "function", v->bdf);
	set_some(attributes, "auxiliary", v->auxiliary);
	(void)snprintf(text, sizeof(text), "%d", v->max_vqp);
	if (v->max_vqp > 0)
		features_set(attributes, "max_vqp", text);
	features_put_instance(features, "devinfo.vdpa", attributes);
}

static void put_mgmtdev(const struct inventory *inv, const struct inv_mgmtdev *m,
			json_t *features)
{
	json_t *attributes = json_object();

	features_set(attributes, "name", m->name);
	if (m->function != INV_NONE)
		features_set(attributes, "function", inv->functions[m->function].bdf);
	features_set(attributes, "net", m->classes >> VIRTIO_NET & 1 ? "true" : "false");
	features_set(attributes, "block", m->classes >> VIRTIO_BLOCK & 1 ? "true" : "false");
	features_put_instance(features, "devinfo.mgmtdev", attributes);
}

void features_of_devices(const struct inventory *inv, const struct pools *pools,
			 json_t *features)
{
	static const char *const sets[] = {
		"devinfo.function", "devinfo.auxiliary", "devinfo.vdpa", "devinfo.mgmtdev",
	};
	json_auto_t *summary = node_summary(inv, pools);

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		(void)features_instances(features, sets[i]);
	(void)json_object_update(features_attributes(features, "devinfo.node"), summary);
	put_functions(inv, pools, features);
	put_auxiliaries(inv, pools, features);
	for (size_t i = 0; i < inv->n_vdpas; i++)
		put_vdpa(&inv->vdpas[i], features);
	for (size_t i = 0; i < inv->n_mgmtdevs; i++)
		put_mgmtdev(inv, &inv->mgmtdevs[i], features);
}
