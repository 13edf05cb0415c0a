/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_taint.c - which of a pod's devices are kept from it by a taint of the administrator's? */
#include "devinfo/journal/resolve_taint.h"

#include "base/log.h"
#include "devinfo/journal/device_ref.h"

#include <string.h>

static const struct taint_rule *find_claimed(const struct taint_rules *rules,
					     const struct host *host,
					     const struct claimed_device *d)
{
	return !d || !*d->driver ? NULL :
	       taint_rules_find(rules, host, &(struct taint_subject){ d->driver, d->pool,
								      d->device });
}

int candidate_taint(const struct taint_rules *rules, const struct host *host,
		    const struct candidate *one, const struct taint_rule **ret, struct err *e)
{
	const struct taint_rule *rule = find_claimed(rules, host, one->claimed);
	struct device_ref ref = { .kind = DEVICE_REF_NONE };
	int r = rule || rules->n == 0 ? 0 : device_ref_find(host, one->id, &ref, e);

	if (r < 0)
		return -1;
	if (!rule)
		rule = taint_rules_find_here(rules, host, device_id_plain(one->id));
	if (!rule && *ref.name)
		rule = taint_rules_find_here(rules, host, ref.name);
	if (!rule && *ref.key)
		rule = taint_rules_find_here(rules, host, ref.key);
	*ret = rule;
	return rule != NULL;
}

int candidates_drop_tainted(const struct taint_rules *rules, const struct host *host,
			    struct candidates *c, struct err *e)
{
	const struct taint_rule *rule, *last = NULL;
	struct candidate first = { .claimed = NULL };
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		int r = candidate_taint(rules, host, &c->list[i], &rule, e);

		if (r < 0)
			return -1;
		if (r == 0) {
			c->list[n++] = c->list[i];
			continue;
		}
		log_info("msg=\"a device of the pod is tainted\" id=%s rule=%s", c->list[i].id,
			 rule->name);
		first = last ? first : c->list[i];
		last = last ? last : rule;
	}
	if (last && n == 0)
		return taint_refuse(last, first.id, e);
	c->n = n;
	return 0;
}
