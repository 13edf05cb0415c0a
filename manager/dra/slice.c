/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice.c - ResourceSlices are read, of any version of resource.k8s.io
 *
 * v1 and v1beta2 are the same but for their name.  v1beta1 and v1alpha3 have what a device is one
 * level deeper, in `basic`, and a capacity of v1alpha3 is a bare quantity.  A device of v1 is never
 * copied: what the list has is the very object of the document.
 */
#include "manager/dra/slice.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/name.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_KEY = DRA_DRIVER_MAX + DRA_POOL_MAX + 2 };

/* -- versions -- */

static const struct version {
	const char *name;
	bool basic;			/* a device is in `basic` */
} versions[] = {
	{ "resource.k8s.io/v1", false },
	{ "resource.k8s.io/v1beta2", false },
	{ "resource.k8s.io/v1beta1", true },
	{ "resource.k8s.io/v1alpha3", true },
};

static const struct version *version_of(const json_t *doc, struct err *e)
{
	const char *name = "";

	if (jx_string(doc, "", "apiVersion", &name, e) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (strcmp(name, versions[i].name) == 0)
			return &versions[i];
	(void)err_set(e, ERR_NETCONF, 0, "apiVersion: '%.64s' is none of a ResourceSlice: "
		      "resource.k8s.io/v1, v1beta2, v1beta1, v1alpha3", name);
	return NULL;
}

/* {"memory": "8Gi"} and {"memory": {"value": "8Gi"}} are the same. */
static json_t *capacity_v1(json_t *capacity)
{
	json_t *ret = json_object();
	const char *name;
	json_t *v;

	json_object_foreach(capacity, name, v)
		if (json_is_object(v))
			(void)json_object_set(ret, name, v);
		else
			(void)json_object_set_new(ret, name, json_pack("{s:O}", "value", v));
	return ret;
}

/* A new object: the device's other members, and those of its `basic`. */
static json_t *device_v1(json_t *device)
{
	json_t *basic = json_object_get(device, "basic"), *ret = json_copy(device), *capacity;

	if (!json_is_object(basic))
		return ret;
	(void)json_object_del(ret, "basic");
	(void)json_object_update_missing(ret, basic);
	capacity = json_object_get(ret, "capacity");
	if (json_is_object(capacity))
		(void)json_object_set_new(ret, "capacity", capacity_v1(capacity));
	return ret;
}

/* There these are no pointers: what is empty is absent. */
static void drop_empty(json_t *spec)
{
	const char *node = json_string_value(json_object_get(spec, "nodeName"));

	if (node && !*node)
		(void)json_object_del(spec, "nodeName");
	if (json_is_false(json_object_get(spec, "allNodes")))
		(void)json_object_del(spec, "allNodes");
}

static json_t *spec_v1(json_t *spec)
{
	json_t *ret = json_copy(spec), *devices = json_object_get(spec, "devices"), *list, *d;
	size_t i;

	drop_empty(ret);
	if (!json_is_array(devices))
		return ret;
	list = json_array();
	json_array_foreach(devices, i, d)
		(void)json_array_append_new(list, json_is_object(d) ? device_v1(d) :
								      json_incref(d));
	(void)json_object_set_new(ret, "devices", list);
	return ret;
}

/* -- what has to be there for anything to be made of it -- */

static int check_device(const json_t *d, size_t i, struct err *e)
{
	json_t *ignored = NULL;
	const char *name = "";

	if (!json_is_object(d))
		return err_set(e, ERR_NETCONF, 0, "spec.devices[%zu]: expected an object, got %s",
			       i, jx_type_name(d));
	if (jx_string(d, "", "name", &name, e) < 0)
		return err_wrap(e, "spec.devices[%zu]", i);
	if (!name_is_dns_label(name))
		return err_set(e, ERR_NETCONF, 0, "spec.devices[%zu].name: '%.64s' is no DNS label",
			       i, name);
	if (jx_object(d, "", "attributes", &ignored, e) < 0 ||
	    jx_object(d, "", "capacity", &ignored, e) < 0 ||
	    jx_array(d, "", "taints", &ignored, e) < 0 ||
	    jx_array(d, "", "consumesCounters", &ignored, e) < 0)
		return err_wrap(e, "spec.devices[%zu] (%s)", i, name);
	return 0;
}

static int check_devices(const json_t *spec, struct err *e)
{
	json_t *devices = NULL, *counters = NULL;
	const json_t *d;
	size_t i;

	if (jx_array(spec, "spec", "devices", &devices, e) < 0 ||
	    jx_array(spec, "spec", "sharedCounters", &counters, e) < 0)
		return -1;
	json_array_foreach(devices, i, d)
		if (check_device(d, i, e) < 0)
			return -1;
	return 0;
}

static int check_pool(const json_t *spec, struct err *e)
{
	json_t *pool = NULL;
	const char *name = "";
	json_int_t n = 0;
	int r = jx_object(spec, "spec", "pool", &pool, e);

	if (r == 0)
		return err_set(e, ERR_NETCONF, 0, "spec.pool: missing");
	if (r < 0 || jx_string(pool, "spec.pool", "name", &name, e) < 0 ||
	    jx_int(pool, "spec.pool", "generation", 0, INT64_MAX, &n, e) < 0)
		return -1;
	r = jx_int(pool, "spec.pool", "resourceSliceCount", 1, INT64_MAX, &n, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0,
					    "spec.pool.resourceSliceCount: missing");
	return dra_name_is_pool(name) ? 0 :
	       err_set(e, ERR_NETCONF, 0, "spec.pool.name: '%.64s': expected DNS subdomains with "
		       "'/' between, at most %d bytes", name, DRA_POOL_MAX);
}

/* Exactly one of these says which nodes have the devices. */
static int check_nodes(const json_t *spec, struct err *e)
{
	static const char *const keys[] = {
		"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection",
	};
	const char *name = "";
	unsigned int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *v = json_object_get(spec, keys[i]);

		n += v && !json_is_null(v) && !json_is_false(v);
	}
	if (n != 1)
		return err_set(e, ERR_NETCONF, 0, "spec: %s of nodeName, nodeSelector, allNodes "
			       "and perDeviceNodeSelection is set, expected one",
			       n == 0 ? "none" : "more than one");
	return jx_string(spec, "spec", "nodeName", &name, e) < 0 ? -1 : 0;
}

static int check_slice(const json_t *doc, struct err *e)
{
	json_t *spec = NULL, *metadata = NULL;
	const char *driver = "", *name = "";
	int r = jx_object(doc, "", "spec", &spec, e);

	if (r == 0)
		return err_set(e, ERR_NETCONF, 0, "spec: missing");
	if (r < 0 || jx_object(doc, "", "metadata", &metadata, e) < 0 ||
	    jx_string(metadata, "metadata", "name", &name, e) < 0 ||
	    jx_string(spec, "spec", "driver", &driver, e) < 0)
		return -1;
	if (!dra_name_is_driver(driver))
		return err_set(e, ERR_NETCONF, 0, "spec.driver: '%.64s' is no DNS subdomain of at "
			       "most %d bytes", driver, DRA_DRIVER_MAX);
	if (check_pool(spec, e) < 0 || check_nodes(spec, e) < 0)
		return -1;
	return check_devices(spec, e);
}

json_t *dra_slice_convert(const json_t *doc, struct err *e)
{
	const struct version *v = version_of(doc, e);
	json_t *spec = json_object_get(doc, "spec"), *metadata = json_object_get(doc, "metadata");
	json_t *ret;

	if (!v)
		return NULL;
	ret = json_pack("{s:s,s:s}", "apiVersion", versions[0].name, "kind", "ResourceSlice");
	if (metadata)
		(void)json_object_set(ret, "metadata", metadata);
	if (spec)
		(void)json_object_set_new(ret, "spec", v->basic && json_is_object(spec) ?
					  spec_v1(spec) : json_incref(spec));
	return ret;
}

json_t *dra_slice_normalise(const json_t *doc, const char *source, struct err *e)
{
	json_auto_t *ret = dra_slice_convert(doc, e);

	if (!ret || check_slice(ret, e) < 0) {
		(void)err_wrap(e, "%s: ResourceSlice", source);
		return NULL;
	}
	return steal_ptr(&ret);
}

/* -- all of them -- */

static const char *text_at(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static void fill(struct dra_slice *s, const char *source, json_t *doc)
{
	const json_t *spec = json_object_get(doc, "spec"), *pool = json_object_get(spec, "pool");

	s->doc = doc;
	s->source = source;
	s->name = text_at(json_object_get(doc, "metadata"), "name");
	s->driver = text_at(spec, "driver");
	s->pool = text_at(pool, "name");
	s->generation = json_integer_value(json_object_get(pool, "generation"));
}

static int read_slices(const struct manifests *m, struct dra_devices *ret, struct err *e)
{
	ret->slices = calloc(m->n + 1, sizeof(*ret->slices));
	if (!ret->slices)
		return err_set(e, ERR_IO, ENOMEM, "ResourceSlices");
	for (size_t i = 0; i < m->n; i++) {
		json_t *doc;

		if (strcmp(m->list[i].kind, "ResourceSlice") != 0)
			continue;
		doc = dra_slice_normalise(m->list[i].doc, m->list[i].source, e);
		if (!doc)
			return -1;
		fill(&ret->slices[ret->n_slices++], m->list[i].source, doc);
	}
	return 0;
}

/* A pool is its driver's and its name; a driver has no '/'. */
static const char *pool_key(const struct dra_slice *s, char ret[POOL_KEY])
{
	(void)snprintf(ret, POOL_KEY, "%s/%s", s->driver, s->pool);
	return ret;
}

static void drop_obsolete(struct dra_devices *d)
{
	json_auto_t *newest = json_object();
	char key[POOL_KEY];
	size_t n = 0;

	for (size_t i = 0; i < d->n_slices; i++) {
		const json_t *g = json_object_get(newest, pool_key(&d->slices[i], key));

		if (!g || json_integer_value(g) < d->slices[i].generation)
			(void)json_object_set_new(newest, key,
						  json_integer(d->slices[i].generation));
	}
	for (size_t i = 0; i < d->n_slices; i++) {
		const json_t *g = json_object_get(newest, pool_key(&d->slices[i], key));

		if (json_integer_value(g) > d->slices[i].generation)
			json_decref(d->slices[i].doc);
		else
			d->slices[n++] = d->slices[i];
	}
	d->n_slices = n;
}

static json_t *devices_of(const struct dra_slice *s)
{
	return json_object_get(json_object_get(s->doc, "spec"), "devices");
}

static int list_devices(struct dra_devices *d, struct err *e)
{
	size_t n = 0, i;
	json_t *device;

	for (i = 0; i < d->n_slices; i++)
		n += json_array_size(devices_of(&d->slices[i]));
	d->list = calloc(n + 1, sizeof(*d->list));
	if (!d->list)
		return err_set(e, ERR_IO, ENOMEM, "devices of ResourceSlices");
	for (size_t k = 0; k < d->n_slices; k++)
		json_array_foreach(devices_of(&d->slices[k]), i, device) {
			d->list[d->n++] = (struct dra_device){
				.slice = &d->slices[k], .name = text_at(device, "name"),
				.published = device, .device = json_incref(device),
			};
		}
	return 0;
}

int dra_devices_read(const struct manifests *m, struct dra_devices *ret, struct err *e)
{
	auto_dra_devices struct dra_devices d = { .slices = NULL };

	if (read_slices(m, &d, e) < 0)
		return -1;
	drop_obsolete(&d);
	if (list_devices(&d, e) < 0)
		return -1;
	*ret = d;
	d = (struct dra_devices){ .slices = NULL };
	return 0;
}

void dra_devices_done(struct dra_devices *d)
{
	for (size_t i = 0; i < d->n; i++)
		json_decref(d->list[i].device);
	for (size_t i = 0; i < d->n_slices; i++)
		json_decref(d->slices[i].doc);
	free(d->list);
	free(d->slices);
	*d = (struct dra_devices){ .slices = NULL };
}

struct cel_device dra_device_for_cel(const struct dra_device *d)
{
	return (struct cel_device){
		.driver = d->slice->driver,
		.attributes = json_object_get(d->device, "attributes"),
		.capacity = json_object_get(d->device, "capacity"),
		.allow_multiple = json_is_true(json_object_get(d->device,
							       "allowMultipleAllocations")),
	};
}
