/* SPDX-License-Identifier: Apache-2.0 */
/* override_condition.c - is an override about this device? */
#include "manager/dra/override_condition.h"

#include "base/jx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- expressions -- */

static void selectors_done(struct override_selectors *s)
{
	for (size_t i = 0; i < s->n; i++)
		cel_free(s->list[i].cel);
	free(s->list);
	*s = (struct override_selectors){ .list = NULL };
}

/* One of another kind than CEL's may say anything, and so is not taken for true. */
static int compile_one(const json_t *entry, struct override_selector *ret, struct err *e)
{
	json_t *cel = NULL;
	const char *text = NULL;
	int r = json_is_object(entry) ? jx_object(entry, "", "cel", &cel, e) : 0;

	if (r == 0 || (r > 0 && json_object_size(entry) != 1))
		return err_set(e, ERR_NETCONF, 0, "expected cel, and nothing else");
	if (r < 0)
		return -1;
	r = jx_string(cel, "cel", "expression", &text, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "cel.expression is missing");
	ret->text = text;
	ret->cel = cel_compile(text, e);
	return ret->cel ? 0 : err_wrap(e, "'%.80s'", text);
}

static int compile(const json_t *list, struct override_selectors *ret, struct err *e)
{
	const json_t *entry;
	size_t i;

	if (json_array_size(list) == 0)
		return 0;
	ret->list = calloc(json_array_size(list), sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_IO, ENOMEM, "expressions");
	json_array_foreach(list, i, entry)
		if (compile_one(entry, &ret->list[ret->n++], e) < 0)
			return err_wrap(e, "selectors[%zu]", i);
	return 0;
}

static int matches(const struct override_selectors *s, const struct dra_device *d, struct err *e)
{
	const struct cel_device seen = dra_device_for_cel(d);
	int r = 1;

	for (size_t i = 0; i < s->n && r > 0; i++) {
		r = cel_matches(s->list[i].cel, &seen, e);
		if (r < 0)
			(void)err_wrap(e, "'%.80s'", s->list[i].text);
	}
	return r;
}

/* -- classes -- */

static int read_class(const struct manifest *m, struct override_class *c, struct err *e)
{
	json_t *spec = NULL, *list = NULL;

	if (jx_object(m->doc, "", "spec", &spec, e) < 0 ||
	    jx_array(spec, "spec", "selectors", &list, e) < 0)
		return -1;
	return compile(list, &c->selectors, e);
}

static struct override_class *find_class(const struct override_classes *classes, const char *name)
{
	for (size_t i = 0; i < classes->n; i++)
		if (strcmp(classes->list[i].name, name) == 0)
			return &classes->list[i];
	return NULL;
}

/* The same one twice is one; of two that differ neither is meant. */
void override_class_read(const struct manifest *m, struct override_classes *to)
{
	struct override_class *c = find_class(to, m->name);
	const json_t *spec = json_object_get(m->doc, "spec");
	struct override_class one = { .name = m->name, .spec = spec };

	if (c) {
		if (!c->is_faulty && !json_equal(c->spec, spec)) {
			c->is_faulty = true;
			(void)err_set(&c->why, ERR_NETCONF, 0, "%s has another one of this name",
				      m->source);
		}
		return;
	}
	one.is_faulty = read_class(m, &one, &one.why) < 0;
	to->list[to->n++] = one;
}

static int bind_class(const struct override_classes *classes, struct override_condition *t,
		      struct err *e)
{
	const char *name = t->filter->device_class;

	t->class = name ? find_class(classes, name) : NULL;
	if (name && !t->class)
		return err_set(e, ERR_NETCONF, 0, "there is no DeviceClass %.64s", name);
	if (!t->class || !t->class->is_faulty)
		return 0;
	*e = t->class->why;
	return err_wrap(e, "DeviceClass %.64s", name);
}

/* Several overrides may go by one class: it is asked once for a device. */
static int is_of_class(struct override_class *c, const struct dra_device *d, struct err *e)
{
	if (c->asked != d->device) {
		c->asked = d->device;
		c->answer = matches(&c->selectors, d, &c->why);
	}
	if (c->answer >= 0)
		return c->answer;
	*e = c->why;
	return err_wrap(e, "DeviceClass %.64s", c->name);
}

/* -- both -- */

int override_condition_compile(const struct device_filter *filter,
			       const struct override_classes *classes,
			       struct override_condition *ret, struct err *e)
{
	*ret = (struct override_condition){ .filter = filter };
	if (bind_class(classes, ret, e) < 0)
		return -1;
	return compile(filter->selectors, &ret->selectors, e);
}

int override_condition_holds(const struct override_condition *t, const struct dra_device *d,
			     struct err *e)
{
	int r = t->class ? is_of_class(t->class, d, e) : 1;

	return r > 0 ? matches(&t->selectors, d, e) : r;
}

void override_condition_done(struct override_condition *t)
{
	selectors_done(&t->selectors);
}

void override_classes_forget(struct override_classes *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->list[i].asked = NULL;
}

void override_classes_done(struct override_classes *c)
{
	for (size_t i = 0; i < c->n; i++)
		selectors_done(&c->list[i].selectors);
	free(c->list);
	*c = (struct override_classes){ .list = NULL };
}
