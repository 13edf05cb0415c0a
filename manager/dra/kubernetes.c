/* SPDX-License-Identifier: Apache-2.0 */
/* kubernetes.c - the version of a cluster, and what clusters of it do with devices */
#include "manager/dra/kubernetes.h"

#include "base/mem.h"

#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { IN_NO_VERSION = INT_MAX };	/* not by default up to KUBERNETES_MINOR_KNOWN */

/* By pkg/features/kube_features.go: since when a gate is on by default. */
static const struct {
	const char *gate;
	int minor;
} features[] = {
	[KUBERNETES_PARTITIONS] = { "DRAPartitionableDevices", 36 },
	[KUBERNETES_TAINTS] = { "DRADeviceTaints", 36 },
	[KUBERNETES_TAINT_RULES] = { "DRADeviceTaintRules", 37 },
	[KUBERNETES_EXTENDED_RESOURCES] = { "DRAExtendedResource", 36 },
	[KUBERNETES_ADMIN_ACCESS] = { "DRAAdminAccess", 34 },
	[KUBERNETES_ALTERNATIVES] = { "DRAPrioritizedList", 34 },
	[KUBERNETES_CONSUMPTION] = { "DRAConsumableCapacity", 36 },
	[KUBERNETES_BINDING] = { "DRADeviceBindingConditions", 36 },
	[KUBERNETES_LISTS] = { "DRAListTypeAttributes", IN_NO_VERSION },
	[KUBERNETES_NODE_RESOURCES] = { "DRANodeAllocatableResources", IN_NO_VERSION },
	[KUBERNETES_CLAIM_STATUS] = { "DRAResourceClaimDeviceStatus", 33 },
};
static_assert(ARRAY_SIZE(features) == KUBERNETES_FEATURES, "a feature has no row");

/* Up to three digits; NULL: there is no number, or it is longer. */
static const char *read_number(const char *s, int *ret)
{
	size_t n = strspn(s, "0123456789");
	int value = 0;

	if (n == 0 || n > 3)
		return NULL;
	for (size_t i = 0; i < n; i++)
		value = 10 * value + (s[i] - '0');
	*ret = value;
	return s + n;
}

static bool read_version(const char *s, struct kubernetes *ret)
{
	int major = 0;

	s = read_number(s + (*s == 'v'), &major);
	if (!s || major != 1 || *s != '.')
		return false;
	s = read_number(s + 1, &ret->minor);
	ret->patch = KUBERNETES_PATCH_ANY;
	if (s && *s == '.')
		s = read_number(s + 1, &ret->patch);
	/* what a distribution has behind it */
	return s && (!*s || (ret->patch >= 0 && (*s == '+' || *s == '-')));
}

int kubernetes_parse(const char *text, struct kubernetes *ret, struct err *e)
{
	struct kubernetes k = { 0 };

	if (text && (!read_version(text, &k) || k.minor < KUBERNETES_MINOR_MIN))
		return err_set(e, ERR_NETCONF, 0, "--kubernetes cannot be '%.64s': expected 1.%d "
			       "or later, as 1.34 or v1.36.2", text, KUBERNETES_MINOR_MIN);
	*ret = k;
	return 0;
}

bool kubernetes_is_before(const struct kubernetes *k, int minor, int patch)
{
	if (k->minor == 0 || k->minor != minor)
		return k->minor != 0 && k->minor < minor;
	return (k->patch < 0 ? 0 : k->patch) < patch;
}

bool kubernetes_has(const struct kubernetes *k, enum kubernetes_feature feature)
{
	return !kubernetes_is_before(k, features[feature].minor, 0);
}

const char *kubernetes_gate(enum kubernetes_feature feature)
{
	return features[feature].gate;
}
