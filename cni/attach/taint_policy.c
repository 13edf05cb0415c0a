/* SPDX-License-Identifier: Apache-2.0 */
/* taint_policy.c - a device that the administrator has tainted is not given away */
#include "cni/attach/taint_policy.h"

#include "base/log.h"
#include "devinfo/journal/resolve_taint.h"
#include "devinfo/taint/device_name.h"

/* A warning of each, for devices are refused that it could be about. */
static void warn(const struct err *why, void *arg)
{
	(void)arg;
	log_warning("msg=\"a taint cannot be judged\" why=\"%s\" details=\"%s\"", why->msg,
		    why->details);
}

static void say_nothing(const struct err *why, void *arg)
{
	(void)why;
	(void)arg;
}

/* Of one device there is no choice; of a claim's only here it is known what the claim calls it. */
static bool has_choice(const struct candidates *c)
{
	return c->n > 1 || (c->n == 1 && c->list[0].of_claim);
}

int taint_policy_choose(const struct host *host, struct candidates *c, struct err *e)
{
	auto_taint_rules struct taint_rules rules = { .list = NULL };

	if (!host->set.refuse_tainted || !has_choice(c))
		return 0;
	if (taint_rules_read(host, say_nothing, NULL, &rules, e) < 0)
		return -1;
	return candidates_drop_tainted(&rules, host, c, e);
}

/* The function that it is or is on, the sub-function, the vDPA device. */
static const struct taint_rule *find(const struct taint_rules *rules, const struct host *host,
				     const struct choice *c)
{
	const char *function = c->is_pci ? c->key : *c->sf.name ? "" : c->net.bdf;
	char names[3][DEVICE_NAME_SIZE] = { "" };
	const struct taint_rule *rule = NULL;

	device_name_function(function, names[0]);
	if (*c->sf.name && c->sf.numbered)
		device_name_sub_function(c->sf.pf_bdf, c->sf.number, names[1]);
	else if (*c->sf.name)
		device_name_auxiliary(c->sf.name, names[1]);
	if (*c->part)
		device_name_vdpa(c->part, names[2]);
	for (size_t i = 0; i < ARRAY_SIZE(names) && !rule; i++)
		rule = *names[i] ? taint_rules_find_here(rules, host, names[i]) : NULL;
	return rule;
}

int taint_policy_check(const struct host *host, const struct choice *c, struct err *e)
{
	auto_taint_rules struct taint_rules rules = { .list = NULL };
	const struct taint_rule *rule;

	if (!host->set.refuse_tainted)
		return 0;
	if (taint_rules_read(host, warn, NULL, &rules, e) < 0)
		return -1;
	rule = find(&rules, host, c);
	if (!rule && !*c->part && taint_find_on(&rules, host, c->key, &rule, e) < 0)
		return -1;
	return rule ? taint_refuse(rule, *c->part ? c->part : c->key, e) : 0;
}
