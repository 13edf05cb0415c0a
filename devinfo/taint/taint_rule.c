/* SPDX-License-Identifier: Apache-2.0 */
/* taint_rule.c - a DeviceTaintRule: one taint of an administrator, and which devices have it */
#include "devinfo/taint/taint_rule.h"

#include "base/jx.h"
#include "base/name.h"
#include "devinfo/manifest/manifest_time.h"

#include <ctype.h>
#include <string.h>

enum { LABEL_MAX = 63 };

static const char *const effects[] = { "None", "NoSchedule", "NoExecute" };

enum taint_effect taint_effect_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++)
		if (strcmp(effects[i], text) == 0)
			return (enum taint_effect)i;
	return TAINT_NONE;
}

/* -- words of labels -- */

static bool is_word(const char *s, size_t len)
{
	if (len == 0 || len > LABEL_MAX || !isalnum((unsigned char)s[0]) ||
	    !isalnum((unsigned char)s[len - 1]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("-_.", s[i]))
			return false;
	return true;
}

/* [domain/]name */
static bool is_key(const char *s, size_t len)
{
	char domain[254] = "";
	const char *slash = memchr(s, '/', len);
	size_t n = slash ? (size_t)(slash - s) : 0;

	if (n >= sizeof(domain))
		return false;
	memcpy(domain, s, n);
	if (slash && !name_is_dns_subdomain(domain))
		return false;
	return slash ? is_word(slash + 1, len - n - 1) : is_word(s, len);
}

/* -- the rule -- */

bool taint_rule_is(const struct manifest *m)
{
	static const char group[] = "resource.k8s.io/";

	return strcmp(m->kind, "DeviceTaintRule") == 0 &&
	       strncmp(m->api_version, group, sizeof(group) - 1) == 0;
}

/* Since when; where that is not said, the API server puts in when the rule came. */
static int check_time(const json_t *taint, struct err *e)
{
	const char *added = NULL;
	int64_t ignored;
	int r = jx_string(taint, "spec.taint", "timeAdded", &added, e);

	if (r <= 0 || manifest_time(added, &ignored))
		return r < 0 ? -1 : 0;
	return err_set(e, ERR_NETCONF, 0, "spec.taint.timeAdded cannot be '%.64s': expected a time "
		       "as 2026-01-31T12:00:00Z", added);
}

static int read_taint(const json_t *spec, struct taint_rule *rule, struct err *e)
{
	static const char *const keys[] = { "key", "value", "effect", "timeAdded" };
	const char *effect = NULL;
	int r = jx_object(spec, "spec", "taint", &rule->taint, e);

	rule->value = "";
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "spec.taint is missing");
	if (jx_only_exact_keys(rule->taint, "spec.taint", keys, ARRAY_SIZE(keys), e) < 0 ||
	    jx_string(rule->taint, "spec.taint", "key", &rule->key, e) < 0 ||
	    jx_string(rule->taint, "spec.taint", "value", &rule->value, e) < 0 ||
	    jx_string(rule->taint, "spec.taint", "effect", &effect, e) < 0 ||
	    check_time(rule->taint, e) < 0)
		return -1;
	if (!rule->key || !is_key(rule->key, strlen(rule->key)))
		return err_set(e, ERR_NETCONF, 0, "spec.taint.key cannot be '%.64s': expected the "
			       "key of a label", rule->key ? rule->key : "");
	if (*rule->value && !is_word(rule->value, strlen(rule->value)))
		return err_set(e, ERR_NETCONF, 0, "spec.taint.value cannot be '%.64s': expected "
			       "the value of a label", rule->value);
	if (!effect || !*effect)
		return err_set(e, ERR_NETCONF, 0, "spec.taint.effect is missing: expected "
			       "NoSchedule, NoExecute or None");
	rule->effect = taint_effect_of(effect);
	return 0;
}

static int read_spec(const struct manifest *m, struct taint_rule *rule, struct err *e)
{
	static const char *const keys[] = { "deviceSelector", "taint" };
	json_t *spec = NULL;
	int r = jx_object(m->doc, "", "spec", &spec, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "spec is missing");
	if (json_object_get(json_object_get(m->doc, "metadata"), "namespace"))
		return err_set(e, ERR_NETCONF, 0, "metadata.namespace: a DeviceTaintRule is of the "
			       "whole cluster and has none");
	if (jx_only_exact_keys(spec, "spec", keys, ARRAY_SIZE(keys), e) < 0 ||
	    device_filter_read(spec, "spec", "deviceSelector", &rule->filter, e) < 0)
		return -1;
	return read_taint(spec, rule, e);
}

int taint_rule_read(const struct manifest *m, struct taint_rule *ret, struct err *e)
{
	struct taint_rule rule = { .source = m->source, .name = m->name };

	if (!name_is_dns_subdomain(m->name))
		return err_set(e, ERR_NETCONF, 0, "DeviceTaintRule of %s: metadata.name cannot be "
			       "'%.64s'", m->source, m->name);
	if (read_spec(m, &rule, e) < 0)
		return err_wrap(e, "DeviceTaintRule %.64s of %.64s", m->name, m->source);
	*ret = rule;
	return 0;
}

void taint_rule_blind(const struct manifest *m, struct taint_rule *ret)
{
	json_t *spec = m ? json_object_get(m->doc, "spec") : NULL;
	struct err ignored;

	*ret = (struct taint_rule){
		.source = m ? m->source : "", .name = m ? m->name : "", .key = "", .value = "",
		.effect = TAINT_NO_EXECUTE,
	};
	if (json_is_object(spec) && device_filter_read(spec, "spec", "deviceSelector", &ret->filter,
						       &ignored) == 0)
		return;
	ret->filter = (struct device_filter){ .is_given = true };
}

/* -- what is tolerated -- */

/* "KEY=VALUE:EFFECT"; a length of 0 where it says nothing. */
struct words {
	const char *value, *effect;	/* NULL: any */
	size_t key_len, value_len;
};

static struct words split(const char *text)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);
	const char *equal = memchr(text, '=', len);

	return (struct words){
		.value = equal ? equal + 1 : NULL,
		.effect = colon ? colon + 1 : NULL,
		.key_len = equal ? (size_t)(equal - text) : len,
		.value_len = equal ? len - (size_t)(equal - text) - 1 : 0,
	};
}

bool taint_is_tolerated(const struct taint_rule *rule, const char *toleration)
{
	struct words w = split(toleration);

	if (strlen(rule->key) != w.key_len || strncmp(rule->key, toleration, w.key_len) != 0)
		return false;
	if (w.value && (strlen(rule->value) != w.value_len ||
			strncmp(rule->value, w.value, w.value_len) != 0))
		return false;
	return !w.effect || taint_effect_of(w.effect) == rule->effect;
}
