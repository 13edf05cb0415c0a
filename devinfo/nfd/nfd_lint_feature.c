/* SPDX-License-Identifier: Apache-2.0 */
/* nfd_lint_feature.c - is the spec of a NodeFeature one that rules can use? */
#include "devinfo/nfd/nfd_lint_part.h"

#include "base/jx.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int check_texts(const json_t *o, const char *path, struct err *e)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, name, v)
		if (!json_is_string(v))
			return err_set(e, ERR_NETCONF, 0, "%s.%.64s: expected a string, got %s%s",
				       path, name, jx_type_name(v),
				       json_is_object(v) ? "" : ": it needs quotes");
	return 0;
}

/* -- the elements of one feature -- */

static int check_flags(const json_t *set, const char *path, struct err *e)
{
	json_t *elements = NULL, *v;
	const char *name;

	if (jx_object(set, path, "elements", &elements, e) < 0)
		return -1;
	json_object_foreach(elements, name, v)
		if (!json_is_null(v) && (!json_is_object(v) || json_object_size(v) > 0))
			return err_set(e, ERR_NETCONF, 0, "%s.elements.%.64s: a flag has no value: "
				       "expected {}", path, name);
	return 0;
}

static int check_attributes(const json_t *set, const char *path, struct err *e)
{
	json_t *elements = NULL;

	return jx_object(set, path, "elements", &elements, e) < 0 ||
			       check_texts(elements, path, e) < 0 ?
		       -1 : 0;
}

static int check_instances(const json_t *set, const char *path, struct err *e)
{
	json_t *elements = NULL, *one;
	size_t i;

	if (jx_array(set, path, "elements", &elements, e) < 0)
		return -1;
	json_array_foreach(elements, i, one) {
		json_t *attributes = NULL;
		char at[200];
		int r;

		(void)snprintf(at, sizeof(at), "%.150s.elements[%zu]", path, i);
		if (!json_is_object(one))
			return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", at,
				       jx_type_name(one));
		r = jx_object(one, at, "attributes", &attributes, e);
		if (r <= 0)
			return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0,
						    "%s.attributes: missing", at);
		if (check_texts(attributes, at, e) < 0)
			return -1;
	}
	return 0;
}

/* -- features -- */

static const struct feature_type {
	const char *name;
	int (*check)(const json_t *set, const char *path, struct err *e);
} types[] = {
	{ "flags", check_flags },
	{ "attributes", check_attributes },
	{ "instances", check_instances },
};

/* A rule looks for the feature in lower case. */
static void warn_of_name(const struct nfd_lint *l, const char *name)
{
	const char *p = name;

	while (*p && !isupper((unsigned char)*p))
		p++;
	if (*p)
		nfd_lint_tell(l, false, "feature '%.64s': no rule finds it, for NFD looks in lower "
			      "case", name);
	else if (!strchr(name, '.'))
		nfd_lint_tell(l, false, "feature '%.64s': it is no DOMAIN.FEATURE, so templates "
			      "cannot use it", name);
}

static void lint_type(const struct nfd_lint *l, const struct feature_type *type,
		      const json_t *sets)
{
	const char *name;
	json_t *set;

	json_object_foreach((json_t *)(uintptr_t)sets, name, set) {
		char path[128];
		struct err e = { 0 };

		(void)snprintf(path, sizeof(path), "spec.features.%s.%.64s", type->name, name);
		warn_of_name(l, name);
		if (!json_is_object(set))
			(void)err_set(&e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
				      jx_type_name(set));
		if (e.code != ERR_OK || type->check(set, path, &e) < 0)
			nfd_lint_error(l, &e);
	}
}

static void lint_features(const struct nfd_lint *l, const json_t *features)
{
	static const char *const keys[] = { "flags", "attributes", "instances" };
	struct err e;

	if (jx_only_keys(features, "spec.features", keys, ARRAY_SIZE(keys), &e) < 0)
		nfd_lint_error(l, &e);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		json_t *sets = NULL;

		if (jx_object(features, "spec.features", types[i].name, &sets, &e) < 0)
			nfd_lint_error(l, &e);
		lint_type(l, &types[i], sets);
	}
}

void nfd_lint_feature_spec(const struct nfd_lint *l, const json_t *spec)
{
	static const char *const keys[] = { "features", "labels" };
	json_t *features = NULL, *labels = NULL;
	struct err e;

	if (!spec)
		return;
	if (jx_only_keys(spec, "spec", keys, ARRAY_SIZE(keys), &e) < 0 ||
	    jx_object(spec, "spec", "features", &features, &e) < 0 ||
	    jx_object(spec, "spec", "labels", &labels, &e) < 0)
		nfd_lint_error(l, &e);
	if (features)
		lint_features(l, features);
	nfd_lint_labels(l, labels);
}
