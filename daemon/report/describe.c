/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - a device on offer as a report has it */
#include "daemon/report/told.h"

#include <stdlib.h>
#include <string.h>

/* The texts of a report's device, which are compared and copied one by one. */
static const size_t texts[] = {
	offsetof(struct report_device, resource),
	offsetof(struct report_device, id),
	offsetof(struct report_device, reason),
	offsetof(struct report_device, pod_namespace),
	offsetof(struct report_device, pod_name),
	offsetof(struct report_device, pod_uid),
	offsetof(struct report_device, container),
	offsetof(struct report_device, interface),
	offsetof(struct report_device, network),
};

static const char **text_of(struct report_device *d, size_t i)
{
	return (const char **)((char *)d + texts[i]);
}

static const char *text_in(const struct report_device *d, size_t i)
{
	return *(const char *const *)((const char *)d + texts[i]);
}

bool told_equal(const struct report_device *a, const struct report_device *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strcmp(text_in(a, i), text_in(b, i)) != 0)
			return false;
	return a->healthy == b->healthy;
}

struct report_device *told_copy(const struct report_device *d)
{
	size_t len = sizeof(*d);
	struct report_device *copy;
	char *at;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		len += strlen(text_in(d, i)) + 1;
	copy = malloc(len);
	if (!copy)
		return NULL;
	*copy = *d;
	at = (char *)(copy + 1);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		*text_of(copy, i) = at;
		at = stpcpy(at, text_in(d, i)) + 1;
	}
	return copy;
}

/* The attachment's pod is the truth; kubelet's answer has the pod before there is one. */
static void put_holder(const struct inv_attachment *a, const struct inv_allocation *g,
		       struct report_device *d)
{
	if (a) {
		d->pod_namespace = a->pod_namespace;
		d->pod_name = a->pod_name;
		d->pod_uid = a->pod_uid;
		d->interface = a->ifname;
		d->network = a->network;
	}
	if (g && !*d->pod_name) {
		d->pod_namespace = g->pod_namespace;
		d->pod_name = g->pod_name;
	}
	if (g && strcmp(d->pod_name, g->pod_name) == 0 &&
	    strcmp(d->pod_namespace, g->pod_namespace) == 0)
		d->container = g->container;
}

/* kubelet gave it, and does not answer now: its pod is the one that it was. */
static void keep_holder(const struct report_device *was, struct report_device *d)
{
	d->pod_namespace = was->pod_namespace;
	d->pod_name = was->pod_name;
	d->container = was->container;
}

struct report_device told_describe(const struct inventory *inv, const char *resource,
				   const struct offered *o, const struct report_device *was)
{
	struct report_device d = {
		.resource = resource, .id = o->id, .healthy = o->healthy, .reason = o->reason,
		.reason_names = o->names,
		.pod_namespace = "", .pod_name = "", .pod_uid = "", .container = "",
		.interface = "", .network = "",
	};
	const struct inv_attachment *a = o->attachment == INV_NONE ?
						 NULL : &inv->attachments[o->attachment];
	const struct inv_allocation *g = o->allocation == INV_NONE ?
						 NULL : &inv->allocations[o->allocation];

	put_holder(a, g, &d);
	if (o->given && !a && !g && was)
		keep_holder(was, &d);
	return d;
}
