/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_group.c - which devices may share a counter set: compatibility groups (KEP-5963)
 *
 * Devices that consume one counter set may be ways of using one hardware that exclude each other.
 * Where a device names groups of a set, there is one that all who have devices of the set name,
 * too; one without groups shares it with such as have none.
 */
#include "manager/dra/select_part.h"

#include "base/mem.h"

#include <string.h>

static const json_t *groups_of(const json_t *entry)
{
	return json_object_get(entry, "compatibilityGroups");
}

static const char *set_of(const json_t *entry)
{
	const char *set = json_string_value(json_object_get(entry, "counterSet"));

	return set ? set : "";
}

/* For each of the device's entries about this set: its groups, an empty list where it has none. */
static void add_members(const struct dra_device *d, const char *set, json_t *to)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(d->device, "consumesCounters"), i, entry) {
		const json_t *groups = groups_of(entry);

		if (strcmp(set_of(entry), set) == 0)
			(void)json_array_append_new(to, json_is_array(groups) ?
						    json_deep_copy(groups) : json_array());
	}
}

void groups_take(struct select_pool *pool, const struct dra_device *d)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(d->device, "consumesCounters"), i, entry) {
		const char *set = set_of(entry);

		if (!json_object_get(pool->groups, set))
			(void)json_object_set_new(pool->groups, set, json_array());
		add_members(d, set, json_object_get(pool->groups, set));
	}
}

/* Of all who have devices of the set, and of this run; new reference. */
static json_t *members_of(const struct select_search *s, const struct select_pool *pool,
			  const char *set)
{
	json_t *had = json_object_get(pool->groups, set);
	json_t *ret = had ? json_copy(had) : json_array();

	for (size_t i = 0; i < s->claims->n; i++) {
		const struct select_claim *claim = &s->claims->list[i];

		for (size_t k = 0; k < claim->n_results; k++) {
			const struct select_candidate *c =
				&s->candidates->list[claim->results[k].candidate];

			if (c->pool == pool)
				add_members(c->device, set, ret);
		}
	}
	return ret;
}

static bool names(const json_t *groups, const json_t *group)
{
	const json_t *one;
	size_t i;

	json_array_foreach(groups, i, one)
		if (json_equal(one, group))
			return true;
	return false;
}

static bool is_everybodys(const json_t *group, const json_t *members)
{
	const json_t *groups;
	size_t i;

	json_array_foreach(members, i, groups)
		if (!names(groups, group))
			return false;
	return true;
}

static bool may_join(const json_t *groups, const json_t *members)
{
	const json_t *one;
	size_t i;

	json_array_foreach(groups, i, one)
		if (is_everybodys(one, members))
			return true;
	if (json_array_size(groups) > 0)
		return false;
	json_array_foreach(members, i, one)
		if (json_array_size(one) > 0)
			return false;
	return true;
}

const json_t *groups_against(const struct select_search *s, size_t candidate)
{
	const struct select_candidate *c = &s->candidates->list[candidate];
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(c->device->device, "consumesCounters"), i, entry) {
		json_auto_t *members = c->pool->is_grouped ?
				       members_of(s, c->pool, set_of(entry)) : NULL;

		if (!may_join(groups_of(entry), members))
			return entry;
	}
	return NULL;
}

bool groups_named(const json_t *device)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(device, "consumesCounters"), i, entry)
		if (json_array_size(groups_of(entry)) > 0)
			return true;
	return false;
}
