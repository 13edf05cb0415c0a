/* SPDX-License-Identifier: Apache-2.0 */
/* taint_policy.c - a device that the administrator has tainted is not given away */
#include "cni/attach/taint_policy.h"

#include "base/log.h"
#include "devinfo/journal/resolve_taint.h"

/* A warning of each: who tainted a device would else not know that it had no effect. */
static void warn(const struct err *why, void *arg)
{
	(void)arg;
	log_warning("msg=\"a taint has no effect\" why=\"%s\" details=\"%s\"", why->msg,
		    why->details);
}

static void say_nothing(const struct err *why, void *arg)
{
	(void)why;
	(void)arg;
}

int taint_policy_choose(const struct host *host, struct candidates *c, struct err *e)
{
	auto_taint_rules struct taint_rules rules = { .list = NULL };

	if (!host->set.refuse_tainted || c->n == 0)
		return 0;
	if (taint_rules_read(host, say_nothing, NULL, &rules, e) < 0)
		return -1;
	return candidates_drop_tainted(&rules, host, c, e);
}

static const struct taint_rule *find(const struct taint_rules *rules, const struct host *host,
				     const struct choice_names *names)
{
	const struct taint_rule *rule = NULL;

	for (size_t i = 0; i < names->n && !rule; i++)
		rule = taint_rules_find_here(rules, host, names->name[i]);
	return rule;
}

int taint_policy_check(const struct host *host, const struct choice_names *names, struct err *e)
{
	auto_taint_rules struct taint_rules rules = { .list = NULL };
	const struct taint_rule *rule;

	if (!host->set.refuse_tainted)
		return 0;
	if (taint_rules_read(host, warn, NULL, &rules, e) < 0)
		return -1;
	rule = find(&rules, host, names);
	return rule ? taint_refuse(rule, names->name[0], e) : 0;
}
