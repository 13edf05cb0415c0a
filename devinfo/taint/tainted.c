/* SPDX-License-Identifier: Apache-2.0 */
/* tainted.c - the DeviceTaintRules of the node's directory, and which devices of it have a taint */
#include "devinfo/taint/tainted.h"

#include "devinfo/taint/device_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the rules -- */

struct reading {
	struct taint_rules *to;
	void (*bad)(const struct err *why, void *arg);
	void *arg;
};

static void read_rule(const struct reading *r, const struct manifest *m)
{
	struct taint_rule rule;
	struct err why;

	if (taint_rule_read(m, &rule, &why) < 0) {
		r->bad(&why, r->arg);
		return;
	}
	if (!rule.filter.is_given || rule.effect == TAINT_NONE)
		return;
	if (device_filter_is_by_name(&rule.filter)) {
		r->to->list[r->to->n++] = rule;
		return;
	}
	(void)err_set(&why, ERR_NETCONF, 0, "DeviceTaintRule %.64s of %.64s selects by a class or "
		      "an expression: not looked at for an attachment", rule.name, rule.source);
	r->bad(&why, r->arg);
}

/* Only for rules with a pool; without a name these are about no device here, which is told. */
static void read_node(const struct host *host, const struct reading *r)
{
	struct err why;

	for (size_t i = 0; i < r->to->n; i++)
		if (r->to->list[i].filter.pool) {
			if (host_node_name(host, r->to->node, &why) < 0)
				r->bad(&why, r->arg);
			return;
		}
}

int taint_rules_read(const struct host *host, void (*bad)(const struct err *why, void *arg),
		     void *arg, struct taint_rules *ret, struct err *e)
{
	const struct reading r = { ret, bad, arg };

	*ret = (struct taint_rules){ .list = NULL };
	if (!host->set.overrides)
		return 0;
	if (manifests_read_dir(host->root, host->set.overrides_dir, &ret->from, bad, arg, e) < 0)
		return -1;
	ret->list = calloc(ret->from.n + 1, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_IO, ENOMEM, "DeviceTaintRules");
	for (size_t i = 0; i < ret->from.n; i++)
		if (taint_rule_is(&ret->from.list[i]))
			read_rule(&r, &ret->from.list[i]);
	read_node(host, &r);
	return 0;
}

void taint_rules_done(struct taint_rules *r)
{
	free(r->list);
	manifests_done(&r->from);
	*r = (struct taint_rules){ .list = NULL };
}

/* -- devices -- */

static bool is_about(const struct taint_rule *rule, const struct taint_subject *d)
{
	return device_filter_has_pool(&rule->filter, d->driver, d->pool) &&
	       device_filter_has_device(&rule->filter, d->device);
}

static bool is_tolerated(const struct taint_rule *rule, const json_t *tolerate)
{
	const json_t *v;
	size_t i;

	json_array_foreach(tolerate, i, v)
		if (taint_is_tolerated(rule, json_string_value(v)))
			return true;
	return false;
}

const struct taint_rule *taint_rules_find(const struct taint_rules *rules, const struct host *host,
					  const struct taint_subject *d)
{
	for (size_t i = 0; i < rules->n; i++)
		if (is_about(&rules->list[i], d) &&
		    !is_tolerated(&rules->list[i], host->set.tolerate))
			return &rules->list[i];
	return NULL;
}

const struct taint_rule *taint_rules_find_here(const struct taint_rules *rules,
					       const struct host *host, const char *device)
{
	return taint_rules_find(rules, host,
				&(struct taint_subject){ DEVICE_NAME_DRIVER, rules->node, device });
}

void taint_text(const struct taint_rule *rule, char ret[TAINT_TEXT_SIZE])
{
	(void)snprintf(ret, TAINT_TEXT_SIZE, "%s%s%s:%s", rule->key, *rule->value ? "=" : "",
		       rule->value, rule->effect == TAINT_NO_EXECUTE ? "NoExecute" : "NoSchedule");
}

int taint_refuse(const struct taint_rule *rule, const char *device, struct err *e)
{
	char taint[TAINT_TEXT_SIZE];

	taint_text(rule, taint);
	(void)err_set(e, ERR_DEVICE, 0, "device %.64s is not allowed: it is tainted %.128s", device,
		      taint);
	return err_private(e, "by DeviceTaintRule %.64s of %.64s", rule->name, rule->source);
}
