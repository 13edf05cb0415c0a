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
	const struct host *host;
	struct taint_rules *to;
	void (*bad)(const struct err *why, void *arg);
	void *arg;
	bool failed;			/* no memory */
};

/* Places for twice as many, in time. */
static void add(struct reading *r, const struct taint_rule *rule)
{
	struct taint_rules *to = r->to;

	if ((to->n & (to->n - 1)) == 0) {
		struct taint_rule *list = reallocarray(to->list, to->n ? 2 * to->n : 1,
						       sizeof(*list));

		if (!list) {
			r->failed = true;
			return;
		}
		to->list = list;
	}
	to->list[to->n++] = *rule;
}

/* What it may be about is refused where tainted devices are; else it is told, and nothing more. */
static void doubt(struct reading *r, struct taint_rule *rule, const struct err *why)
{
	r->bad(why, r->arg);
	if (!r->host->set.refuse_tainted || !rule->filter.is_given)
		return;
	(void)snprintf(rule->doubt, sizeof(rule->doubt), "%.180s%s%.64s", why->msg,
		       *why->details ? ": " : "", why->details);
	add(r, rule);
}

static void bad_file(const struct err *why, void *arg)
{
	struct taint_rule any;

	taint_rule_blind(NULL, &any);
	doubt(arg, &any, why);
}

static void read_rule(struct reading *r, const struct manifest *m)
{
	struct taint_rule rule;
	struct err why;

	if (taint_rule_read(m, &rule, &why) < 0) {
		taint_rule_blind(m, &rule);
		doubt(r, &rule, &why);
		return;
	}
	if (!rule.filter.is_given || rule.effect == TAINT_NONE)
		return;
	if (device_filter_is_by_name(&rule.filter)) {
		add(r, &rule);
		return;
	}
	(void)err_set(&why, ERR_NETCONF, 0, "DeviceTaintRule %.64s of %.64s selects by a class or "
		      "an expression: not looked at for an attachment", rule.name, rule.source);
	doubt(r, &rule, &why);
}

/* Only for rules with a pool; without a name these may be about any pool. */
static void read_node(struct reading *r)
{
	struct taint_rules *to = r->to;
	bool told = false;
	struct err why;

	for (size_t i = 0; i < to->n; i++) {
		if (!to->list[i].filter.pool || *to->node)
			continue;
		if (!told && host_node_name(r->host, to->node, &why) == 0)
			return;
		if (!told)
			r->bad(&why, r->arg);
		told = true;
		(void)snprintf(to->list[i].doubt, sizeof(to->list[i].doubt), "%.180s", why.msg);
	}
}

int taint_rules_read(const struct host *host, void (*bad)(const struct err *why, void *arg),
		     void *arg, struct taint_rules *ret, struct err *e)
{
	struct reading r = { host, ret, bad, arg, false };

	*ret = (struct taint_rules){ .list = NULL };
	if (!host->set.overrides)
		return 0;
	if (manifests_read_dir(host->root, host->set.overrides_dir, &ret->from, bad_file, &r, e) <
	    0)
		return -1;
	for (size_t i = 0; i < ret->from.n; i++)
		if (taint_rule_is(&ret->from.list[i]))
			read_rule(&r, &ret->from.list[i]);
	if (r.failed)
		return err_set(e, ERR_IO, ENOMEM, "DeviceTaintRules");
	read_node(&r);
	return 0;
}

void taint_rules_done(struct taint_rules *r)
{
	free(r->list);
	manifests_done(&r->from);
	*r = (struct taint_rules){ .list = NULL };
}

/* -- devices -- */

/* A pool that is not known may be that of a rule, where tainted devices are refused. */
static bool is_about(const struct taint_rule *rule, const struct host *host,
		     const struct taint_subject *d)
{
	const char *pool = !*d->pool && rule->filter.pool && host->set.refuse_tainted ?
				   rule->filter.pool : d->pool;

	return device_filter_has_pool(&rule->filter, d->driver, pool) &&
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
		if (is_about(&rules->list[i], host, d) &&
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
	if (!*rule->key)
		(void)snprintf(ret, TAINT_TEXT_SIZE, "unknown");
	else
		(void)snprintf(ret, TAINT_TEXT_SIZE, "%s%s%s:%s", rule->key,
			       *rule->value ? "=" : "", rule->value,
			       rule->effect == TAINT_NO_EXECUTE ? "NoExecute" : "NoSchedule");
}

int taint_refuse(const struct taint_rule *rule, const char *device, struct err *e)
{
	char taint[TAINT_TEXT_SIZE];

	if (*rule->doubt) {
		(void)err_set(e, ERR_DEVICE, 0, "device %.64s is not allowed: whether it is "
			      "tainted cannot be told, and the node's file says refuseTainted; "
			      "'devinfoctl doctor' names the DeviceTaintRule to correct", device);
		return err_private(e, "%s", rule->doubt);
	}
	taint_text(rule, taint);
	(void)err_set(e, ERR_DEVICE, 0, "device %.64s is not allowed: it is tainted %.128s", device,
		      taint);
	return err_private(e, "by DeviceTaintRule %.64s of %.64s", rule->name, rule->source);
}
