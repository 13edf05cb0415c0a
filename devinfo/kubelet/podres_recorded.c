/* SPDX-License-Identifier: Apache-2.0 */
/*
 * podres_recorded.c - what kubelet said of a pod when its node was recorded
 *
 * The facts have what it gave to all pods, not which pods there were: one that is not among them
 * has no device.
 */
#include "devinfo/kubelet/podres_part.h"

#include <stdint.h>
#include <string.h>

#define CLAIM "claim "	/* before NAMESPACE/NAME, in place of a resource */

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* Its id is what the driver's name for it stood for. */
static int add_claimed(const json_t *o, const char *claim, struct allocation *ret, struct err *e)
{
	size_t n = strcspn(claim, "/");
	char name_space[NAME_MAX_LEN + 1];
	struct claimed_device c = {
		.name_space = name_space,
		.claim = (char *)(uintptr_t)(claim + n + (claim[n] == '/')),
		.driver = (char *)(uintptr_t)text(o, "driver"),
		.pool = (char *)(uintptr_t)text(o, "pool"),
		.device = (char *)(uintptr_t)text(o, "claim_device"),
		.share = (char *)(uintptr_t)"",
	};

	if (n >= sizeof(name_space))
		return 0;
	memcpy(name_space, claim, n);
	name_space[n] = '\0';
	if (!*c.device)
		c.device = (char *)(uintptr_t)text(o, "id");
	return allocation_add_claimed(ret, &c, e);
}

static int add_one(const json_t *o, struct allocation *ret, struct err *e)
{
	const char *resource = text(o, "resource");

	if (strncmp(resource, CLAIM, strlen(CLAIM)) == 0)
		return add_claimed(o, resource + strlen(CLAIM), ret, e);
	return allocation_add_device(ret, resource, text(o, "id"), e);
}

static bool is_of(const json_t *o, const struct pod *pod)
{
	return strcmp(text(o, "pod_namespace"), pod->name_space) == 0 &&
	       strcmp(text(o, "pod_name"), pod->name) == 0;
}

/* Why there is no list; NULL: there is one. */
static const char *why_none(const json_t *facts)
{
	const char *wrong = text(json_object_get(facts, "node"), "kubelet_error");

	if (*wrong)
		return wrong;
	return json_object_get(facts, "allocations") ?
		       NULL : "kubelet was not asked when the node was recorded";
}

enum podres_answer podres_recorded(const json_t *facts, enum podres_method m,
				   const struct pod *pod, struct allocation *ret, struct err *e)
{
	auto_allocation struct allocation found = { .source = podres_name(m) };
	const char *wrong = why_none(facts);
	const json_t *o;
	size_t i;

	if (wrong) {
		(void)err_set(e, ERR_PODRES, 0, "%.250s", wrong);
		return PODRES_FAILED;
	}
	json_array_foreach(json_object_get(facts, "allocations"), i, o)
		if (is_of(o, pod) && add_one(o, &found, e) < 0)
			return PODRES_FAILED;
	allocation_end_container(&found);
	*ret = found;
	found = (struct allocation){ 0 };
	return PODRES_FOUND;
}
