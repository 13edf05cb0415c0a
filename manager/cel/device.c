/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - the device as an expression sees it, and maps */
#include "manager/cel/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- attributes and capacities -- */

const json_t *cel_device_get(const struct cel_run *r, bool capacity, const char *domain,
			     const char *key)
{
	const json_t *all = capacity ? r->device->capacity : r->device->attributes;
	const char *name = key + strlen(domain) + 1;
	const json_t *v;

	if (strchr(domain, '/'))
		return NULL;
	v = json_object_get(all, key);
	if (!v && strcmp(domain, r->device->driver) == 0 && !strchr(name, '/'))
		v = json_object_get(all, name);
	return v;
}

static struct cel_value unsupported(struct cel_run *r)
{
	return cel_fault(r, "the attribute has no value of a type that is supported", NULL);
}

static struct cel_value read_string(struct cel_run *r, const json_t *v)
{
	if (!json_is_string(v))
		return unsupported(r);
	return (struct cel_value){ .type = CEL_STRING,
				   .size = (uint32_t)json_string_length(v),
				   .text = json_string_value(v) };
}

static struct cel_value read_int(struct cel_run *r, const json_t *v)
{
	return json_is_integer(v) ? cel_int(json_integer_value(v)) : unsupported(r);
}

static struct cel_value read_bool(struct cel_run *r, const json_t *v)
{
	return json_is_boolean(v) ? cel_bool(json_is_true(v)) : unsupported(r);
}

static struct cel_value read_version(struct cel_run *r, const json_t *v)
{
	struct semver version;

	if (!json_is_string(v))
		return unsupported(r);
	if (semver_parse(json_string_value(v), &version, &r->e) < 0)
		return cel_fault_e(r);
	return cel_version_value(r, &version);
}

static const struct reader {
	const char *key;
	struct cel_value (*read)(struct cel_run *r, const json_t *v);
	bool is_list;			/* newer: DRAListTypeAttributes */
} readers[] = {
	{ "string", read_string, false },   { "int", read_int, false },
	{ "bool", read_bool, false },	    { "version", read_version, false },
	{ "strings", read_string, true },   { "ints", read_int, true },
	{ "bools", read_bool, true },	    { "versions", read_version, true },
};

static struct cel_value read_list(struct cel_run *r, const struct reader *reader, const json_t *v)
{
	size_t n = json_array_size(v);
	struct cel_value *elements;

	if (!json_is_array(v))
		return unsupported(r);
	elements = cel_new(r, (n + 1) * sizeof(*elements));
	for (size_t i = 0; elements && i < n; i++) {
		elements[i] = reader->read(r, json_array_get(v, i));
		if (elements[i].type == CEL_ERROR)
			return elements[i];
	}
	if (!elements)
		return cel_failed(r);
	return (struct cel_value){ .type = CEL_LIST, .size = (uint32_t)n, .elements = elements };
}

/* {"string": "x"}: one key, which says the type. */
static struct cel_value read_attribute(struct cel_run *r, const json_t *v)
{
	/* jansson's iterators are not const; nothing is changed by one */
	void *one = json_object_iter((json_t *)(uintptr_t)v);
	const char *key = one ? json_object_iter_key(one) : "";

	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (strcmp(readers[i].key, key) == 0)
			return readers[i].is_list ?
				       read_list(r, &readers[i], json_object_iter_value(one)) :
				       readers[i].read(r, json_object_iter_value(one));
	return unsupported(r);
}

/* {"value": "10Gi"}; a quantity may be written as a number, too. */
static struct cel_value read_capacity(struct cel_run *r, const json_t *v)
{
	const json_t *value = json_object_get(v, "value");
	const char *text = json_string_value(value);
	struct quantity q;
	char real[32];

	if (json_is_real(value)) {
		(void)snprintf(real, sizeof(real), "%.15g", json_real_value(value));
		text = real;
	}
	if (json_is_integer(value))
		quantity_set(json_integer_value(value), &q);
	else if (!text)
		return cel_fault(r, "the capacity has no value", NULL);
	else if (quantity_parse(text, &q, &r->e) < 0)
		return cel_fault_e(r);
	return cel_quantity_value(r, &q);
}

struct cel_value cel_device_value(struct cel_run *r, bool capacity, const json_t *v)
{
	return capacity ? read_capacity(r, v) : read_attribute(r, v);
}

/* -- the device and its parts are maps -- */

struct cel_value cel_device_map(void)
{
	static const struct cel_map device = { .kind = CEL_MAP_DEVICE };

	return (struct cel_value){ .type = CEL_MAP, .map = &device };
}

static struct cel_value make_part(struct cel_run *r, enum cel_map_kind kind, bool capacity,
				  const char *domain)
{
	struct cel_map *m = cel_new(r, sizeof(*m));

	if (!m)
		return cel_failed(r);
	m->kind = kind;
	m->capacity = capacity;
	m->domain = domain;
	return (struct cel_value){ .type = CEL_MAP, .map = m };
}

bool cel_is_key(struct cel_value v)
{
	return v.type != CEL_VERSION && v.type != CEL_BYTES;
}

/* 1, 1u and 1.0 are three keys.  A list, a map, a quantity is the same as itself alone. */
static bool is_same_key(struct cel_value a, struct cel_value b)
{
	if (a.type != b.type)
		return false;
	return cel_is_ordered(a) ? cel_order(a, b) == 0 : a.map == b.map && a.size == b.size;
}

size_t cel_map_place(struct cel_run *r, const struct cel_map *m, struct cel_value key)
{
	size_t i = 0;

	while (i < m->count && cel_charge_value(r, &key) == 0 &&
	       !is_same_key(m->entries[i].key, key))
		i++;
	return r->fatal ? m->count : i;
}

/* The same whole number as a key of this type; an error: there is none. */
static struct cel_value whole_key(struct cel_value v, enum cel_type type)
{
	struct cel_value key = { .type = CEL_ERROR };

	if (v.type == CEL_DOUBLE && (isnan(v.real) || v.real < -0x1p63))
		return key;
	if (v.type == CEL_DOUBLE && v.real >= 0x1p64)
		return key;
	if (v.type != CEL_DOUBLE)
		key.natural = v.natural;
	else if (v.real < 0x1p63)
		key.integer = (int64_t)v.real;
	else
		key.natural = (uint64_t)v.real;
	key.type = type;
	return cel_order(key, v) == 0 ? key : (struct cel_value){ .type = CEL_ERROR };
}

/* A key that is not there as it is may be there as an int or uint; a double is only as itself. */
static size_t find_place(struct cel_run *r, const struct cel_map *m, struct cel_value key)
{
	static const enum cel_type whole[] = { CEL_INT, CEL_UINT };
	size_t at = cel_map_place(r, m, key);

	for (size_t i = 0; cel_is_number(key) && at == m->count && i < ARRAY_SIZE(whole); i++)
		if (whole[i] != key.type)
			at = cel_map_place(r, m, whole_key(key, whole[i]));
	return at;
}

static bool find_entry(struct cel_run *r, const struct cel_map *m, struct cel_value key,
		       struct cel_value *ret)
{
	size_t at = find_place(r, m, key);

	if (at == m->count)
		return false;
	*ret = m->entries[at].value;
	return true;
}

static bool find_field(struct cel_run *r, struct cel_value key, struct cel_value *ret)
{
	if (strcmp(key.text, "driver") == 0)
		*ret = cel_string(r->device->driver);
	else if (strcmp(key.text, "attributes") == 0)
		*ret = make_part(r, CEL_MAP_DOMAINS, false, NULL);
	else if (strcmp(key.text, "capacity") == 0)
		*ret = make_part(r, CEL_MAP_DOMAINS, true, NULL);
	else if (strcmp(key.text, "allowMultipleAllocations") == 0)
		*ret = cel_bool(r->device->allow_multiple);
	else
		return false;
	return true;
}

/* What no attribute is in: a key of another type has an empty map, as an unknown domain has. */
static const char no_domain[] = "/";

static const json_t *find_name(struct cel_run *r, const struct cel_map *m, struct cel_value name)
{
	size_t n = strlen(m->domain);
	char *key = cel_new(r, n + 1 + name.size + 1);

	if (!key)
		return NULL;
	memcpy(key, m->domain, n);
	key[n] = '/';
	memcpy(key + n + 1, name.text, name.size);
	return cel_device_get(r, m->capacity, m->domain, key);
}

bool cel_map_find(struct cel_run *r, const struct cel_map *m, struct cel_value key,
		  struct cel_value *ret)
{
	const json_t *v;

	if (m->kind == CEL_MAP_ENTRIES)
		return find_entry(r, m, key, ret);
	if (m->kind == CEL_MAP_DOMAINS) {
		*ret = make_part(r, CEL_MAP_NAMES, m->capacity,
				 key.type == CEL_STRING ? key.text : no_domain);
		return true;
	}
	if (key.type != CEL_STRING)
		return false;
	if (m->kind == CEL_MAP_DEVICE)
		return find_field(r, key, ret);
	v = find_name(r, m, key);
	if (v)
		*ret = cel_device_value(r, m->capacity, v);
	return v;
}

/* -- as entries -- */

/* The domain and the name in a key; a name without one has the driver's. */
static const char *split_key(struct cel_run *r, const char *key, struct cel_value *domain)
{
	const char *slash = strchr(key, '/');

	*domain = slash ? cel_copy(r, key, (size_t)(slash - key)) : cel_string(r->device->driver);
	return slash ? slash + 1 : key;
}

static bool has_key(struct cel_run *r, const struct cel_map *m, struct cel_value key)
{
	struct cel_value unused;

	return find_entry(r, m, key, &unused);
}

/* One attribute or capacity; of several with one domain, one entry. */
static void add_entry(struct cel_run *r, struct cel_map *to, struct cel_entry *at, const char *key,
		      const json_t *v)
{
	struct cel_value domain;
	const char *name = split_key(r, key, &domain);

	if (domain.type == CEL_ERROR)
		return;
	if (to->kind == CEL_MAP_NAMES) {
		if (strcmp(domain.text, to->domain) != 0 || has_key(r, to, cel_string(name)))
			return;
		at->key = cel_string(name);
		at->value = cel_device_value(r, to->capacity, v);
	} else {
		if (has_key(r, to, domain))
			return;
		at->key = domain;
		at->value = make_part(r, CEL_MAP_NAMES, to->capacity, domain.text);
	}
	to->count++;
}

static void list_device(struct cel_run *r, struct cel_map *to)
{
	static const char *const fields[] = { "driver", "attributes", "capacity",
					      "allowMultipleAllocations" };
	struct cel_entry *entries = cel_new(r, ARRAY_SIZE(fields) * sizeof(*entries));

	for (size_t i = 0; entries && i < ARRAY_SIZE(fields); i++) {
		entries[i].key = cel_string(fields[i]);
		to->count += find_field(r, entries[i].key, &entries[i].value);
	}
	to->entries = entries;
}

static void list_attributes(struct cel_run *r, struct cel_map *to)
{
	const json_t *all = to->capacity ? r->device->capacity : r->device->attributes, *v;
	struct cel_entry *entries = cel_new(r, (json_object_size(all) + 1) * sizeof(*entries));
	const char *key;

	to->entries = entries;
	if (!entries)
		return;
	json_object_foreach((json_t *)(uintptr_t)all, key, v) {
		if (r->fatal)
			return;
		add_entry(r, to, &entries[to->count], key, v);
	}
}

const struct cel_map *cel_map_list(struct cel_run *r, const struct cel_map *m)
{
	struct cel_map *ret;

	if (m->kind == CEL_MAP_ENTRIES)
		return m;
	ret = cel_new(r, sizeof(*ret));
	if (!ret)
		return NULL;
	*ret = *m;
	if (m->kind == CEL_MAP_DEVICE)
		list_device(r, ret);
	else
		list_attributes(r, ret);
	ret->kind = CEL_MAP_ENTRIES;
	return r->fatal ? NULL : ret;
}

bool cel_map_has(struct cel_run *r, const struct cel_map *m, struct cel_value key)
{
	const struct cel_map *all = m->kind == CEL_MAP_NAMES ? m : cel_map_list(r, m);
	struct cel_value unused;

	return all && cel_map_find(r, all, key, &unused);
}
