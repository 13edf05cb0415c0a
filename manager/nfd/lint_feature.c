/* SPDX-License-Identifier: Apache-2.0 */
/* lint_feature.c - is the spec of a NodeFeature one that rules can use? */
#include "manager/nfd/lint_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/nfd/feature_set.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

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

static bool is_absent(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return !v || json_is_null(v);
}

static void lint_type(const struct nfd_lint *l, size_t type, const json_t *set)
{
	const char *name;
	json_t *feature;

	json_object_foreach((json_t *)(uintptr_t)set, name, feature) {
		struct err e = { 0 };

		warn_of_name(l, name);
		if (feature_check(type, name, feature, &e) == 0 && is_absent(feature, "elements"))
			(void)err_set(&e, ERR_NETCONF, 0, "%s: %.64s: elements: missing",
				      feature_types[type], name);
		if (e.code != ERR_OK) {
			(void)err_wrap(&e, "spec.features");
			nfd_lint_error(l, &e);
		}
	}
}

static void lint_features(const struct nfd_lint *l, const json_t *features)
{
	struct err e;

	if (jx_only_exact_keys(features, "spec.features", feature_types, FEATURE_TYPES, &e) < 0)
		nfd_lint_error(l, &e);
	for (size_t i = 0; i < FEATURE_TYPES; i++) {
		json_t *set = NULL;

		if (jx_object(features, "spec.features", feature_types[i], &set, &e) < 0)
			nfd_lint_error(l, &e);
		lint_type(l, i, set);
	}
}

void nfd_lint_feature_spec(const struct nfd_lint *l, const json_t *spec)
{
	static const char *const keys[] = { "features", "labels" };
	json_t *features = NULL, *labels = NULL;
	struct err e;

	if (!spec)
		return;
	if (jx_only_exact_keys(spec, "spec", keys, ARRAY_SIZE(keys), &e) < 0)
		nfd_lint_error(l, &e);
	if (jx_object(spec, "spec", "features", &features, &e) < 0 ||
	    jx_object(spec, "spec", "labels", &labels, &e) < 0)
		nfd_lint_error(l, &e);
	if (features)
		lint_features(l, features);
	nfd_lint_labels(l, labels);
}
