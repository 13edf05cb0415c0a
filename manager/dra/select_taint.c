/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_taint.c - taints of devices, and what a request tolerates
 *
 * As taints of nodes: an effect or a key that a toleration does not name may be any, a value only
 * with the operator Exists.  Of effects that we do not know none keeps a device away.
 */
#include "manager/dra/select_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct toleration {
	const char *key, *value, *effect, *op;
};

static int read_toleration(const json_t *o, struct toleration *ret, struct err *e)
{
	static const char *const keys[] = {
		"key", "operator", "value", "effect", "tolerationSeconds",
	};

	json_int_t ignored = 0;

	*ret = (struct toleration){ "", "", "", "" };
	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(o));
	if (jx_only_exact_keys(o, "", keys, ARRAY_SIZE(keys), e) < 0 ||
	    jx_int(o, "", "tolerationSeconds", INT64_MIN, INT64_MAX, &ignored, e) < 0 ||
	    jx_string(o, "", "key", &ret->key, e) < 0 ||
	    jx_string(o, "", "operator", &ret->op, e) < 0 ||
	    jx_string(o, "", "value", &ret->value, e) < 0)
		return -1;
	return jx_string(o, "", "effect", &ret->effect, e) < 0 ? -1 : 0;
}

static bool is_one_of(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

static int check_toleration(const json_t *o, struct err *e)
{
	static const char *const ops[] = { "", "Exists", "Equal" };
	static const char *const effects[] = { "", "None", "NoSchedule", "NoExecute" };
	struct toleration t;

	if (read_toleration(o, &t, e) < 0)
		return -1;
	if (!is_one_of(t.op, ops, ARRAY_SIZE(ops)))
		return err_set(e, ERR_NETCONF, 0, "operator: '%.32s' is neither Exists nor Equal",
			       t.op);
	if (!is_one_of(t.effect, effects, ARRAY_SIZE(effects)))
		return err_set(e, ERR_NETCONF, 0, "effect: '%.32s' is none of NoSchedule, "
			       "NoExecute, None", t.effect);
	if (strcmp(t.op, "Exists") == 0 && *t.value)
		return err_set(e, ERR_NETCONF, 0, "value: not with the operator Exists");
	if (*t.key && !dra_name_is_key(t.key))
		return err_set(e, ERR_NETCONF, 0, "key: '%.64s': expected the key of a label",
			       t.key);
	if (!dra_name_is_value(t.value))
		return err_set(e, ERR_NETCONF, 0, "value: '%.64s': expected the value of a label",
			       t.value);
	return 0;
}

int tolerations_check(const json_t *tolerations, struct err *e)
{
	const json_t *o;
	size_t i;

	json_array_foreach(tolerations, i, o)
		if (check_toleration(o, e) < 0)
			return err_wrap(e, "tolerations[%zu]", i);
	return 0;
}

static const char *member_text(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* Of none at all (no key, operator or value) the document says that it matches all taints. */
static bool is_any_value(const struct toleration *t)
{
	return strcmp(t->op, "Exists") == 0 || (!*t->key && !*t->op && !*t->value);
}

static bool tolerates(const struct toleration *t, const json_t *taint)
{
	if (*t->effect && strcmp(t->effect, member_text(taint, "effect")) != 0)
		return false;
	if (*t->key && strcmp(t->key, member_text(taint, "key")) != 0)
		return false;
	return is_any_value(t) || strcmp(t->value, member_text(taint, "value")) == 0;
}

static bool is_against(const json_t *taint)
{
	const char *effect = member_text(taint, "effect");

	return strcmp(effect, "NoSchedule") == 0 || strcmp(effect, "NoExecute") == 0;
}

/* The toleration of a taint with the fewest tolerationSeconds, or NULL. */
static const json_t *toleration_of(const json_t *taint, const json_t *tolerations)
{
	const json_t *o, *found = NULL;
	json_int_t fewest = INT64_MAX;
	size_t i;

	json_array_foreach(tolerations, i, o) {
		const json_t *seconds = json_object_get(o, "tolerationSeconds");
		json_int_t n = json_is_integer(seconds) ? json_integer_value(seconds) : INT64_MAX;
		struct toleration t;
		struct err ignored;	/* they have been checked */

		if (read_toleration(o, &t, &ignored) < 0 || !tolerates(&t, taint) ||
		    (found && n >= fewest))
			continue;
		found = o;
		fewest = n;
	}
	return found;
}

const json_t *select_taint_against(const json_t *device, const json_t *tolerations)
{
	const json_t *taint;
	size_t i;

	json_array_foreach(json_object_get(device, "taints"), i, taint)
		if (is_against(taint) && !toleration_of(taint, tolerations))
			return taint;
	return NULL;
}

/* After tolerationSeconds, which begin when the taint was added, the pod is evicted. */
const char *select_taint_allowance(const json_t *device, const json_t *tolerations, char ret[400])
{
	const json_t *taint;
	char text[256];
	size_t i;

	*ret = '\0';
	json_array_foreach(json_object_get(device, "taints"), i, taint) {
		const json_t *o = is_against(taint) ? toleration_of(taint, tolerations) : NULL;
		const json_t *seconds = json_object_get(o, "tolerationSeconds");
		const char *added = member_text(taint, "timeAdded");
		char limit[96] = "";

		if (!o || *ret)
			continue;
		if (json_is_integer(seconds) &&
		    strcmp(member_text(taint, "effect"), "NoExecute") == 0)
			(void)snprintf(limit, sizeof(limit),
				       " for %" JSON_INTEGER_FORMAT " s%s%.40s",
				       json_integer_value(seconds), *added ? " from " : "", added);
		(void)snprintf(ret, 400, "taint %s is tolerated%s", select_taint_text(taint, text),
			       limit);
	}
	return ret;
}

const char *select_taint_text(const json_t *taint, char ret[256])
{
	const char *value = member_text(taint, "value");

	(void)snprintf(ret, 256, "%.100s%s%.64s:%.32s", member_text(taint, "key"),
		       *value ? "=" : "", value, member_text(taint, "effect"));
	return ret;
}
