/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_taint.c - which of a pod's devices are kept from it by a taint of the administrator's? */
#include "devinfo/journal/resolve_taint.h"

#include "base/log.h"
#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/node/sysfs.h"
#include "devinfo/node/vdpa_device.h"
#include "devinfo/taint/device_name.h"

#include <string.h>

static const struct taint_rule *find_claimed(const struct taint_rules *rules,
					     const struct host *host,
					     const struct claimed_device *d)
{
	return !d || !*d->driver ? NULL :
	       taint_rules_find(rules, host, &(struct taint_subject){ d->driver, d->pool,
								      d->device });
}

/* By the function that it is, or is on. */
static const struct taint_rule *find_function(const struct taint_rules *rules,
					      const struct host *host, const char *bdf)
{
	char name[DEVICE_NAME_SIZE];

	if (!name_is_bdf(bdf))
		return NULL;
	device_name_function(bdf, name);
	return taint_rules_find_here(rules, host, name);
}

static int find_auxiliary(const struct taint_rules *rules, const struct host *host,
			  const char *auxiliary, const struct taint_rule **ret, struct err *e)
{
	char name[DEVICE_NAME_SIZE];
	struct sub_function sf;
	int r = sysfs_sub_function(host, auxiliary, &sf, e);

	if (r <= 0)
		return r;
	if (sf.numbered)
		device_name_sub_function(sf.pf_bdf, sf.number, name);
	else
		device_name_auxiliary(auxiliary, name);
	*ret = taint_rules_find_here(rules, host, name);
	return 0;
}

struct on_device {
	const struct taint_rules *rules;
	const struct host *host;
	const char *key;
	const struct taint_rule *rule;
};

static int find_vdpa_on(const struct vdpa_device *dev, void *arg, struct err *e)
{
	struct on_device *on = arg;
	char name[DEVICE_NAME_SIZE];

	(void)e;
	if (strcmp(dev->bdf, on->key) != 0 && strcmp(dev->auxiliary, on->key) != 0)
		return 0;
	device_name_vdpa(dev->name, name);
	on->rule = taint_rules_find_here(on->rules, on->host, name);
	return on->rule != NULL;
}

int taint_find_on(const struct taint_rules *rules, const struct host *host, const char *key,
		  const struct taint_rule **ret, struct err *e)
{
	struct on_device on = { rules, host, key, NULL };

	if (rules->n > 0 && *key && vdpa_device_each(host, find_vdpa_on, &on, e) < 0)
		return -1;
	*ret = on.rule;
	return 0;
}

/* By what it is or is on; then by the vDPA devices that go with it. */
static int find_by_ref(const struct taint_rules *rules, const struct host *host,
		       const struct device_ref *ref, const struct taint_rule **ret, struct err *e)
{
	/* a sub-function without a network device has no key */
	const char *key = ref->kind == DEVICE_REF_AUXILIARY ? ref->name : ref->key;
	char name[DEVICE_NAME_SIZE];

	*ret = find_function(rules, host, key);
	if (!*ret && *key && !name_is_bdf(key) && find_auxiliary(rules, host, key, ret, e) < 0)
		return -1;
	if (*ret)
		return 0;
	if (!ref->is_part)
		return taint_find_on(rules, host, key, ret, e);
	device_name_vdpa(ref->name, name);
	*ret = taint_rules_find_here(rules, host, name);
	return 0;
}

int candidate_taint(const struct taint_rules *rules, const struct host *host,
		    const struct candidate *one, const struct taint_rule **ret, struct err *e)
{
	const struct taint_rule *rule = find_claimed(rules, host, one->claimed);
	struct device_ref ref;
	int r = rule || rules->n == 0 ? 0 : device_ref_find(host, one->id, &ref, e);

	if (r < 0 || (r > 0 && find_by_ref(rules, host, &ref, &rule, e) < 0))
		return -1;
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
