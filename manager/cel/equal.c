/* SPDX-License-Identifier: Apache-2.0 */
/* equal.c - when two values are equal */
#include "manager/cel/address.h"
#include "manager/cel/device.h"
#include "manager/cel/url.h"

#include <string.h>

static bool lists_equal(struct cel_run *r, struct cel_value a, struct cel_value b)
{
	if (a.size != b.size)
		return false;
	for (uint32_t i = 0; i < a.size && !r->fatal; i++)
		if (!cel_equal(r, a.elements[i], b.elements[i]))
			return false;
	return true;
}

static bool maps_equal(struct cel_run *r, const struct cel_map *a, const struct cel_map *b)
{
	const struct cel_map *x = cel_map_list(r, a), *y = cel_map_list(r, b);
	struct cel_value other;

	if (!x || !y || x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count && !r->fatal; i++)
		if (!cel_map_find(r, y, x->entries[i].key, &other) ||
		    !cel_equal(r, x->entries[i].value, other))
			return false;
	return true;
}

bool cel_equal(struct cel_run *r, struct cel_value a, struct cel_value b)
{
	if (cel_is_number(a) && cel_is_number(b))
		return cel_order(a, b) == 0;
	if (a.type != b.type || cel_charge_value(r, &a) < 0)
		return false;
	switch (a.type) {
	case CEL_STRING:
		return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
	case CEL_LIST:
		return lists_equal(r, a, b);
	case CEL_MAP:
		return maps_equal(r, a.map, b.map);
	case CEL_VERSION:
		return semver_compare(a.version, b.version) == 0;
	case CEL_QUANTITY:
		return quantity_compare(a.quantity, b.quantity) == 0;
	case CEL_OPTIONAL:
		return a.held && b.held ? cel_equal(r, *a.held, *b.held) : a.held == b.held;
	case CEL_IP:
	case CEL_CIDR:
		return cel_address_same(a.address, b.address);
	case CEL_URL:
		return cel_url_same(a.url, b.url);
	case CEL_FORMAT:
		return a.format == b.format;
	case CEL_NULL:
		return true;
	default:
		return cel_order(a, b) == 0;
	}
}
