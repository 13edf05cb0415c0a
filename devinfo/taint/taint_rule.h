/* SPDX-License-Identifier: Apache-2.0 */
/* taint_rule.h - a DeviceTaintRule: one taint of an administrator, and which devices have it */
#ifndef DEVINFO_TAINT_RULE_H
#define DEVINFO_TAINT_RULE_H

#include "base/err.h"
#include "devinfo/manifest/manifest.h"
#include "devinfo/taint/device_filter.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* An effect that is not known is none, as the API says of its clients. */
enum taint_effect { TAINT_NONE, TAINT_NO_SCHEDULE, TAINT_NO_EXECUTE };

/* All texts are borrowed from the manifest. */
struct taint_rule {
	const char *source, *name;
	struct device_filter filter;	/* not given: no device; empty: all */
	json_t *taint;			/* as it is in a device: key, value, effect, timeAdded */
	const char *key, *value;	/* value "" for none */
	enum taint_effect effect;
	char doubt[256];		/* why it cannot be told who has it; "": it can */
};

/* Is this manifest a rule, of any version of resource.k8s.io? */
bool taint_rule_is(const struct manifest *m);

/* Read a rule.  -1 with ERR_NETCONF, which names the object and the member. */
int taint_rule_read(const struct manifest *m, struct taint_rule *ret, struct err *e) must_check;

/*
 * Fill in what a rule that cannot be read may be: any taint, on the devices of its deviceSelector;
 * on all devices where that cannot be read either, or where there is no manifest (NULL).
 */
void taint_rule_blind(const struct manifest *m, struct taint_rule *ret);

enum taint_effect taint_effect_of(const char *text);

/*
 * Does this word tolerate the taint?  It is written as kubectl has a taint: KEY, KEY=VALUE,
 * KEY:EFFECT or KEY=VALUE:EFFECT.  What it does not say may be anything.
 */
bool taint_is_tolerated(const struct taint_rule *rule, const char *toleration);

#endif
