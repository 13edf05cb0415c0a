/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.h - what holds for every allocation, whoever told it */
#ifndef TESTS_FUZZ_ALLOCATION_H
#define TESTS_FUZZ_ALLOCATION_H

#include "base/name.h"
#include "devinfo/kubelet/allocation.h"
#include "tests/fuzz/fuzz.h"

static inline bool file_or_empty(const char *s)
{
	return !*s || name_is_file(s);
}

static inline void must_be_claimed(const struct claimed_device *c)
{
	must(name_is_file(c->name_space) && name_is_file(c->claim));
	must(file_or_empty(c->driver) && file_or_empty(c->device) && file_or_empty(c->share));
	must(c->n_cdi <= ALLOCATION_MAX_CDI);
	must(*c->device || c->n_cdi > 0);
	for (const char *p = c->pool; *p; p++)
		must(*p == '/' || *p == '-' || *p == '.' || (*p >= '0' && *p <= '9') ||
		     (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'));
	for (size_t i = 0; i < c->n_cdi; i++)
		must(strchr(c->cdi[i], '/') && strchr(c->cdi[i], '=') && strlen(c->cdi[i]) < 256);
}

/* Texts are fit for a path, and no device is there twice. */
static inline void must_be_allocation(const struct allocation *a)
{
	must(a->n_devices <= ALLOCATION_MAX_DEVICES && a->n_claimed <= ALLOCATION_MAX_CLAIMED);
	for (size_t i = 0; i < a->n_devices; i++) {
		const struct plugin_device *d = &a->devices[i];

		must(name_is_resource(d->resource) && name_is_device_id(d->id));
		for (size_t k = 0; k < i && k < 32; k++)
			must(strcmp(d->id, a->devices[k].id) != 0 ||
			     strcmp(d->resource, a->devices[k].resource) != 0);
	}
	for (size_t i = 0; i < a->n_claimed; i++)
		must_be_claimed(&a->claimed[i]);
}

#endif
