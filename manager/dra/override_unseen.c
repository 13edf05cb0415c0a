/* SPDX-License-Identifier: Apache-2.0 */
/* override_unseen.c - devices without what DeviceTaintRules of a version of the API add */
#include "manager/dra/overrides.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_version(const struct manifest *m, const char *api_version)
{
	return taint_rule_is(m) && strcmp(m->api_version, api_version) == 0;
}

static bool is_unseen(const struct overrides *o, const struct override_change *c,
		      const char *api_version)
{
	for (size_t i = 0; c->what == OVERRIDE_TAINT && i < o->from.n; i++) {
		const struct manifest *m = &o->from.list[i];

		if (is_of_version(m, api_version) && strcmp(m->name, c->by->taint->name) == 0 &&
		    strcmp(m->source, c->by->taint->source) == 0)
			return true;
	}
	return false;
}

static void remove_taint(json_t *taints, const json_t *taint)
{
	const json_t *one;
	size_t i;

	json_array_foreach(taints, i, one)
		if (one == taint) {
			(void)json_array_remove(taints, i);
			return;
		}
}

/* A new reference: the device itself, or a copy with other taints. */
static json_t *device_without(const struct overrides *o, const struct dra_device *d,
			      const struct override_of_device *changes, const char *api_version)
{
	json_t *ret = json_incref(d->device), *taints = NULL;

	for (size_t i = 0; i < changes->n; i++) {
		if (!is_unseen(o, &changes->list[i], api_version))
			continue;
		if (!taints) {
			json_decref(ret);
			ret = json_copy(d->device);
			taints = json_copy(json_object_get(d->device, "taints"));
			(void)json_object_set_new(ret, "taints", taints);
		}
		remove_taint(taints, changes->list[i].after);
	}
	return ret;
}

int overrides_unseen(const struct overrides *o, const struct dra_devices *d,
		     const struct override_changes *changes, const char *api_version,
		     struct dra_devices *ret, struct err *e)
{
	size_t n = 0;

	while (n < o->from.n && !is_of_version(&o->from.list[n], api_version))
		n++;
	if (n == o->from.n || changes->n < d->n)
		return 0;
	*ret = (struct dra_devices){ .slices = d->slices, .n_slices = d->n_slices };
	ret->list = calloc(d->n + 1, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_IO, ENOMEM, "devices");
	for (; ret->n < d->n; ret->n++) {
		ret->list[ret->n] = d->list[ret->n];
		ret->list[ret->n].device = device_without(o, &d->list[ret->n],
							  &changes->devices[ret->n], api_version);
	}
	return 1;
}

void overrides_unseen_done(struct dra_devices *d)
{
	for (size_t i = 0; i < d->n; i++)
		json_decref(d->list[i].device);
	free(d->list);
	*d = (struct dra_devices){ .slices = NULL };
}
