/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_tell.c - what is said when a pod has no such device: what it has, and what to do */
#include "devinfo/journal/resolve_part.h"

#include "base/name.h"
#include "devinfo/kubelet/checkpoint.h"

#include <stdio.h>
#include <string.h>

#define HAS_MAX 560	/* bytes of what a pod has instead; the longest single one fits */

bool wish_wants_claim(const struct wish *w)
{
	return w->claim || w->request;
}

/* One more of the names; false, with nothing added, when there is no room for all of it. */
static bool add_name(char names[HAS_MAX], const char *what, const char *link, const char *of)
{
	size_t used = strlen(names);
	int n = snprintf(names + used, HAS_MAX - used, "%s%s%s%s", used ? ", " : "", what, link,
			 of);

	if (n >= 0 && (size_t)n < HAS_MAX - used)
		return true;
	names[used] = '\0';
	return false;
}

static bool add_nth(char names[HAS_MAX], const struct allocation *a, size_t i)
{
	const struct claimed_device *d;

	if (i < a->n_devices)
		return add_name(names, a->devices[i].resource, " ", a->devices[i].id);
	d = &a->claimed[i - a->n_devices];
	return add_name(names, *d->device ? d->device : "a device", " of claim ", d->claim);
}

/* What the pod has instead: "it has example.com/other v0, example.com/other v1, d0 of claim c". */
static int tell_what_it_has(const struct allocation *a, struct err *e)
{
	size_t all = a->n_devices + a->n_claimed, told = 0;
	char names[HAS_MAX] = "";

	while (told < all && add_nth(names, a, told))
		told++;
	if (all == 0)
		return err_detail(e, "it has no device at all");
	if (told < all)
		return err_detail(e, "it has %s and %zu more", names, all - told);
	return err_detail(e, "it has %s", names);
}

int resolve_tell_pod(const struct host *host, const struct pod *pod, struct err *e)
{
	auto_allocation struct allocation found = { 0 };
	struct err why;

	if (!pod->uid || !*pod->uid)
		return err_detail(e, "what pod %.63s/%.128s has is not known, nor is its UID",
				  pod->name_space, pod->name);
	if (checkpoint_read(host, pod->uid, &found, &why) <= 0)
		return err_detail(e, "what pod %.63s/%.128s has is not known: %.200s",
				  pod->name_space, pod->name, why.msg);
	(void)err_detail(e, "pod %.63s/%.128s, by kubelet's checkpoint", pod->name_space,
			 pod->name);
	return tell_what_it_has(&found, e);
}

/* Goes before what is as long as the pod has devices, so that it is never what is cut off. */
void resolve_tell_source(const struct candidates *c, struct err *e)
{
	(void)err_detail(e, "from %s%s%s", c->from.source, *c->from.tried ? ", for " : "",
			 c->from.tried);
	if (*c->tried)
		(void)err_detail(e, "%s", c->tried);
}

/* Nobody has named one, and no claim of the pod's shows which is meant: say how to name one. */
static int unnamed(const struct pod *pod, const struct candidates *c, struct err *e)
{
	const struct allocation *a = &c->from;

	(void)err_set(e, ERR_DEVICE, 0, "no device is named, and pod %.64s/%.64s has no claim with "
		      "a network device", pod->name_space, pod->name);
	if (a->n_devices > 0)
		(void)err_detail(e, "name one, in the network's configuration: resourceName, such "
				 "as %.128s, or deviceID or device", a->devices[0].resource);
	else
		(void)err_detail(e, "let the pod request one, in resources.limits or by a claim, "
				 "and name it in the network's configuration: resourceName or "
				 "claim; or name one of the host: deviceID or device");
	resolve_tell_source(c, e);
	return tell_what_it_has(a, e);
}

/* A network that is a cluster's default one refuses every pod without a device otherwise. */
static void tell_optional(const struct wish *w, struct err *e)
{
	if (w->could_be_optional)
		(void)err_detail(e, "a network that pods without a device share as well, as a "
				 "cluster's default network, says deviceOptional: true");
}

int resolve_none(const struct pod *pod, const struct candidates *c, struct err *e)
{
	const struct wish *w = &c->wish;
	const char *ns = pod->name_space, *name = pod->name;
	char hint[NAME_BDF_HINT];

	if (!w->device_id && !wish_wants_claim(w) && !w->resource)
		return unnamed(pod, c, e);
	if (w->device_id)
		err_set(e, ERR_DEVICE, 0, "pod %.64s/%.64s has no device %.64s%s%.64s%s", ns, name,
			w->device_id, w->resource ? " of resource " : "",
			w->resource ? w->resource : "", name_bdf_hint(w->device_id, hint));
	else if (wish_wants_claim(w))
		err_set(e, ERR_DEVICE, 0, "pod %.64s/%.64s has no network device of claim %.64s, "
			"request %.64s", ns, name, w->claim ? w->claim : "(any)",
			w->request ? w->request : "(any)");
	else
		err_set(e, ERR_DEVICE, 0,
			"pod %.64s/%.64s has no device of resource %.64s: is it in "
			"resources.limits?", ns, name, w->resource);
	tell_optional(w, e);
	resolve_tell_source(c, e);
	return tell_what_it_has(&c->from, e);
}
