/* SPDX-License-Identifier: Apache-2.0 */
/*
 * override_apply.c - overrides are laid over the devices of slices
 *
 * Rules are asked in the order in which they win, so of each key the first that says something of
 * it is the one.  What a rule says of driver and pool is decided once for a slice, those that name
 * a device are found by its name, and expressions are asked only for devices whose names fit.
 */
#include "manager/dra/overrides.h"

#include "base/mem.h"
#include "manager/inventory/read.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Who was first to say something of a key, of the device that is at work. */
struct decided {
	size_t device;			/* 1 and up; another one: nobody so far */
	size_t change;			/* its place in the device's list */
};

struct merge {
	struct overrides *o;
	/* owned; those that can be about devices of the slice, and by name those of one device */
	const struct override_rule **of_slice, **named;
	size_t n_of_slice, n_named;
	struct decided *decided;	/* owned; by the id of a key */
	struct dra_device *d;
	json_t *published;		/* the device as it was; borrowed from the slice */
	const json_t *was[2];		/* its attributes and capacity; NULL: none */
	json_t *own[2];			/* the same in its copy; NULL: nothing is changed of them */
	size_t number;			/* of the device, from 1 */
	struct override_of_device *to;
	struct err *e;
};

static void merge_done(struct merge *m)
{
	free(m->of_slice);
	free(m->named);
	free(m->decided);
}

/* -- the device's own copy -- */

static json_t *own_device(struct merge *m)
{
	if (m->d->device == m->published) {
		json_decref(m->d->device);	/* the slice has it, too */
		m->d->device = json_copy(m->published);
	}
	return m->d->device;
}

static const char *const maps[] = { "attributes", "capacity" };

static json_t *own_map(struct merge *m, bool is_capacity)
{
	const json_t *was = m->was[is_capacity];

	if (!m->own[is_capacity]) {
		m->own[is_capacity] = was ? json_copy((json_t *)(uintptr_t)was) : json_object();
		(void)json_object_set_new(own_device(m), maps[is_capacity], m->own[is_capacity]);
	}
	return m->own[is_capacity];
}

static json_t *own_taints(struct merge *m)
{
	json_t *was = json_object_get(m->published, "taints");
	json_t *own = json_object_get(own_device(m), "taints");

	if (own && own != was)
		return own;
	own = was ? json_copy(was) : json_array();
	(void)json_object_set_new(own_device(m), "taints", own);
	return own;
}

static int add_change(struct merge *m, const struct override_change *one)
{
	struct override_change *c = inv_add(&m->to->list, &m->to->n, sizeof(*c), m->e);

	if (!c)
		return err_wrap(m->e, "overrides of %s", m->d->name);
	*c = *one;
	return 0;
}

/* -- attributes and capacities -- */

/*
 * How the device has it: a driver's own name may stand without its domain, and is then replaced
 * under that name.
 */
static const char *name_in(const json_t *map, const char *driver, const char *name,
			   const json_t **value)
{
	size_t len = strlen(driver);

	if (strncmp(name, driver, len) == 0 && name[len] == '/') {
		*value = json_object_get(map, name + len + 1);
		if (*value)
			return name + len + 1;
	}
	*value = json_object_get(map, name);
	return name;
}

/* "int", "string"...; a list of values is another type than one. */
static const char *type_of(const json_t *value)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)value, key, v)
		return key;
	return "";
}

static void tell_type(struct merge *m, const struct override_change *c, const char *key)
{
	const char *before = type_of(c->before), *after = type_of(c->after);

	if (c->what == OVERRIDE_ATTRIBUTE && c->before && c->after && strcmp(before, after) != 0)
		override_tell(m->o, false, c->by, key, m->d,
			      "%s becomes a value of type %s, was %s: what selects by it may fail",
			      key, after, before);
}

static void set_value(struct merge *m, const struct override_change *c, const struct patch_value *v)
{
	json_t *map;

	if (!c->before && !c->after)
		return;
	map = own_map(m, v->is_capacity);
	if (c->name != v->name)		/* both spellings would be two entries */
		(void)json_object_del(map, v->name);
	if (c->after)
		(void)json_object_set(map, c->name, v->value);
	else
		(void)json_object_del(map, c->name);
}

/* Somebody with more weight has said something of this key. */
static void lose(struct merge *m, const struct patch *p, const struct patch_value *v)
{
	struct override_change *c = &m->to->list[m->decided[v->id].change];
	const json_t *wanted = v->what == PATCH_SETS ? v->value : NULL;

	if (c->n_beaten++ == 0)
		c->beaten = p;
	if (patch_is_tied(c->by->patch, p) && wanted != c->after && !json_equal(wanted, c->after))
		override_tell(m->o, false, c->by, v->name, m->d,
			      "%s is also set by %.64s of %.64s, with the same priority and age: "
			      "the first by name wins", v->name, p->name, p->source);
}

static int lay_value(struct merge *m, const struct override_rule *rule, const struct patch_value *v)
{
	struct override_change c = {
		.what = v->is_capacity ? OVERRIDE_CAPACITY : OVERRIDE_ATTRIBUTE, .by = rule,
		.after = v->what == PATCH_SETS ? v->value : NULL,
	};

	if (v->what == PATCH_UNKNOWN)
		return 0;
	if (m->decided[v->id].device == m->number) {
		lose(m, rule->patch, v);
		return 0;
	}
	m->decided[v->id] = (struct decided){ m->number, m->to->n };
	c.name = name_in(m->was[v->is_capacity], m->d->slice->driver, v->name, &c.before);
	tell_type(m, &c, v->name);
	set_value(m, &c, v);
	return add_change(m, &c);
}

/* -- rules -- */

static int lay_taint(struct merge *m, const struct override_rule *rule)
{
	json_t *taint = rule->taint->taint;

	(void)json_array_append(own_taints(m), taint);
	return add_change(m, &(struct override_change){ .what = OVERRIDE_TAINT, .by = rule,
							.name = rule->taint->key, .after = taint });
}

static int lay_rule(struct merge *m, const struct override_rule *rule)
{
	if (rule->taint)
		return lay_taint(m, rule);
	for (size_t i = 0; i < rule->patch->n; i++)
		if (lay_value(m, rule, &rule->patch->values[i]) < 0)
			return -1;
	return 0;
}

/* An expression that fails does so for this device and this rule alone. */
static int ask(struct merge *m, const struct override_rule *rule,
	       const struct dra_device *published)
{
	struct err why;
	int r;

	r = override_condition_holds(&rule->condition, published, &why);
	if (r < 0)
		override_tell(m->o, true, rule, NULL, published, "not applied, an expression "
			      "fails: %s%s%.140s", why.msg, *why.details ? ": " : "", why.details);
	return r > 0;
}

static void warn_of_many(struct merge *m)
{
	size_t n = json_object_size(json_object_get(m->d->device, "attributes")) +
		   json_object_size(json_object_get(m->d->device, "capacity"));

	if (n > PATCH_VALUES_MAX && m->d->device != m->published)
		override_tell(m->o, false, NULL, "many", m->d, "with overrides it has %zu "
			      "attributes and capacities, more than %d: they are kept", n,
			      PATCH_VALUES_MAX);
}

/* The place of the first rule that names this device, or a later one. */
static size_t find_named(const struct merge *m, const char *device)
{
	size_t low = 0, high = m->n_named;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(m->named[middle]->condition.filter->device, device) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* All rules are in one array, in their order: so is the one that comes first in it. */
static const struct override_rule *next_rule(const struct merge *m, size_t *i, size_t *named)
{
	const struct override_rule *a = *i < m->n_of_slice ? m->of_slice[*i] : NULL;
	const struct override_rule *b = *named < m->n_named ? m->named[*named] : NULL;

	if (b && !device_filter_has_device(b->condition.filter, m->d->name))
		b = NULL;
	if (b && (!a || b < a)) {
		(*named)++;
		return b;
	}
	*i += a != NULL;
	return a;
}

static int lay_device(struct merge *m)
{
	size_t i = 0, named = find_named(m, m->d->name);
	const struct dra_device published = *m->d;
	const struct override_rule *rule;

	m->published = m->d->device;
	for (int k = 0; k < 2; k++) {
		m->was[k] = json_object_get(m->published, maps[k]);
		m->own[k] = NULL;
	}
	while ((rule = next_rule(m, &i, &named)))
		if (ask(m, rule, &published) && lay_rule(m, rule) < 0)
			return -1;
	warn_of_many(m);
	return 0;
}

static int by_device(const void *a, const void *b)
{
	const struct override_rule *const *x = a, *const *y = b;
	int r = strcmp((*x)->condition.filter->device, (*y)->condition.filter->device);

	return r ? r : *x < *y ? -1 : *x > *y;
}

static void choose_rules(struct merge *m, const struct dra_slice *s)
{
	m->n_of_slice = m->n_named = 0;
	for (size_t i = 0; i < m->o->n_rules; i++) {
		const struct override_rule *rule = &m->o->rules[i];

		if (!device_filter_has_pool(rule->condition.filter, s->driver, s->pool))
			continue;
		if (rule->condition.filter->device)
			m->named[m->n_named++] = rule;
		else
			m->of_slice[m->n_of_slice++] = rule;
	}
	qsort(m->named, m->n_named, sizeof(*m->named), by_device);
}

static int begin(struct merge *m, size_t devices, struct override_changes *ret)
{
	m->of_slice = calloc(m->o->n_rules + 1, sizeof(struct override_rule *));
	m->named = calloc(m->o->n_rules + 1, sizeof(struct override_rule *));
	m->decided = calloc(m->o->n_keys + 1, sizeof(*m->decided));
	ret->devices = calloc(devices + 1, sizeof(*ret->devices));
	ret->n = ret->devices ? devices : 0;
	override_classes_forget(&m->o->classes);
	return m->of_slice && m->named && m->decided && ret->devices ?
		       0 : err_set(m->e, ERR_IO, ENOMEM, "overrides");
}

int overrides_apply(struct overrides *o, struct dra_devices *d, struct override_changes *ret,
		    struct err *e)
{
	auto_override_changes struct override_changes changes = { .devices = NULL };
	auto_with(merge_done) struct merge m = { .o = o, .e = e };
	const struct dra_slice *slice = NULL;

	if (begin(&m, d->n, &changes) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++) {
		m.d = &d->list[i];
		m.number = i + 1;
		m.to = &changes.devices[i];
		if (m.d->slice != slice)
			choose_rules(&m, m.d->slice);
		slice = m.d->slice;
		if (lay_device(&m) < 0)
			return -1;
	}
	*ret = changes;
	changes = (struct override_changes){ .devices = NULL };
	return 0;
}

void override_changes_done(struct override_changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->devices[i].list);
	free(c->devices);
	*c = (struct override_changes){ .devices = NULL };
}
