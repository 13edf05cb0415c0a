/* SPDX-License-Identifier: Apache-2.0 */
/*
 * override_apply.c - overrides are laid over the devices of slices
 *
 * Rules are asked in the order in which they win, so of each key the first that says something of
 * it is the one.  What a rule says of driver and pool is decided once for a slice, and its
 * expressions are asked only for devices whose names fit.
 */
#include "devinfo/dra/overrides.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Who was first to say something of a key, of the device that is at work. */
struct decided {
	size_t device;			/* 1 and up; another one: nobody so far */
	size_t change;			/* its place in the device's list */
};

struct merge {
	struct overrides *o;
	const struct override_rule **of_slice;	/* owned; those that can be about its devices */
	size_t n;
	struct decided *decided;	/* owned; by the id of a key */
	struct dra_device *d;
	json_t *published;		/* the device as it was; borrowed from the slice */
	size_t number;			/* of the device, from 1 */
	struct override_of_device *to;
	struct err *e;
};

static void merge_done(struct merge *m)
{
	free(m->of_slice);
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

/* The map or list of this key, in the copy. */
static json_t *own_member(struct merge *m, const char *key, json_t *(*make)(void))
{
	json_t *device = own_device(m), *published = json_object_get(m->published, key);
	json_t *member = json_object_get(device, key);

	if (member && member != published)
		return member;
	member = published ? json_copy(published) : make();
	(void)json_object_set_new(device, key, member);
	return member;
}

static int add_change(struct merge *m, const struct override_change *one)
{
	struct override_of_device *to = m->to;
	struct override_change *more;

	if (to->n == to->room) {
		size_t room = to->room ? 2 * to->room : 8;

		more = reallocarray(to->list, room, sizeof(*more));
		if (!more)
			return err_set(m->e, ERR_IO, ENOMEM, "overrides of %s", m->d->name);
		to->list = more;
		to->room = room;
	}
	to->list[to->n++] = *one;
	return 0;
}

/* -- attributes and capacities -- */

/*
 * How the device has it: a driver's own name may stand without its domain, and is then replaced
 * under that name.
 */
static const char *name_in(const json_t *map, const char *driver, const char *name)
{
	size_t len = strlen(driver);

	if (strncmp(name, driver, len) == 0 && name[len] == '/' &&
	    json_object_get(map, name + len + 1))
		return name + len + 1;
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
	map = own_member(m, v->is_capacity ? "capacity" : "attributes", json_object);
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
			      "%s is said by %.64s of %.64s as well, of the same priority and age: "
			      "the first by name wins", v->name, p->name, p->source);
}

static int lay_value(struct merge *m, const struct override_rule *rule, const struct patch_value *v)
{
	const json_t *map = json_object_get(m->published, v->is_capacity ? "capacity" :
									   "attributes");
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
	c.name = name_in(map, m->d->slice->driver, v->name);
	c.before = json_object_get(map, c.name);
	tell_type(m, &c, v->name);
	set_value(m, &c, v);
	return add_change(m, &c);
}

/* -- rules -- */

static int lay_taint(struct merge *m, const struct override_rule *rule)
{
	json_t *taint = rule->taint->taint;

	(void)json_array_append(own_member(m, "taints", json_array), taint);
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

	if (!device_filter_has_device(rule->test.filter, published->name))
		return 0;
	r = override_test_holds(&rule->test, published, &why);
	if (r < 0)
		override_tell(m->o, true, rule, NULL, published, "not applied, an expression "
			      "fails: %s%s%.140s", why.msg, *why.details ? ": " : "", why.details);
	return r > 0;
}

static void warn_of_many(struct merge *m)
{
	size_t n = json_object_size(json_object_get(m->d->device, "attributes")) +
		   json_object_size(json_object_get(m->d->device, "capacity"));

	if (n > DRA_VALUES_MAX && m->d->device != m->published)
		override_tell(m->o, false, NULL, "many", m->d, "with overrides it has %zu "
			      "attributes and capacities, more than %d: they are kept", n,
			      DRA_VALUES_MAX);
}

static int lay_device(struct merge *m)
{
	const struct dra_device published = *m->d;

	m->published = m->d->device;
	for (size_t i = 0; i < m->n; i++)
		if (ask(m, m->of_slice[i], &published) && lay_rule(m, m->of_slice[i]) < 0)
			return -1;
	warn_of_many(m);
	return 0;
}

static void choose_rules(struct merge *m, const struct dra_slice *s)
{
	m->n = 0;
	for (size_t i = 0; i < m->o->n_rules; i++)
		if (device_filter_has_pool(m->o->rules[i].test.filter, s->driver, s->pool))
			m->of_slice[m->n++] = &m->o->rules[i];
}

static int begin(struct merge *m, size_t devices, struct override_changes *ret)
{
	m->of_slice = calloc(m->o->n_rules + 1, sizeof(struct override_rule *));
	m->decided = calloc(m->o->n_keys + 1, sizeof(*m->decided));
	ret->devices = calloc(devices + 1, sizeof(*ret->devices));
	ret->n = ret->devices ? devices : 0;
	override_classes_forget(&m->o->classes);
	return m->of_slice && m->decided && ret->devices ?
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
