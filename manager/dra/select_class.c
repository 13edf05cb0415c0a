/* SPDX-License-Identifier: Apache-2.0 */
/* select_class.c - DeviceClasses, and the selectors of classes and requests */
#include "manager/dra/select_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/field.h"
#include "manager/dra/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of another kind than `cel` must not count as true: it is one that we do not know. */
static int read_selector(const json_t *entry, struct cel **ret, struct err *e)
{
	static const char *const kinds[] = { "cel" }, *const keys[] = { "expression" };
	json_t *cel = NULL;
	const char *text = NULL;
	int r;

	if (!json_is_object(entry))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			       jx_type_name(entry));
	if (jx_only_exact_keys(entry, "", kinds, ARRAY_SIZE(kinds), e) < 0)
		return -1;
	r = jx_object(entry, "", "cel", &cel, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "cel: missing");
	if (jx_only_exact_keys(cel, "cel", keys, ARRAY_SIZE(keys), e) < 0)
		return -1;
	r = jx_string(cel, "cel", "expression", &text, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "cel.expression: missing");
	*ret = cel_compile(text, e);
	return *ret ? 0 : err_wrap(e, "cel.expression");
}

int selectors_read(const json_t *list, struct selectors *ret, struct err *e)
{
	const json_t *entry;
	size_t i;

	if (json_array_size(list) > SELECT_SELECTORS_MAX)
		return err_set(e, ERR_NETCONF, 0, "selectors: %zu of them, %d are allowed",
			       json_array_size(list), SELECT_SELECTORS_MAX);
	json_array_foreach(list, i, entry) {
		if (read_selector(entry, &ret->list[i], e) < 0)
			return err_wrap(e, "selectors[%zu]", i);
		ret->n++;
	}
	return 0;
}

void selectors_done(struct selectors *s)
{
	for (size_t i = 0; i < s->n; i++)
		cel_free(s->list[i]);
	s->n = 0;
}

/* -- classes -- */

static int read_class(const struct manifest *m, struct select_class *ret, struct err *e)
{
	json_t *spec = NULL, *list = NULL;

	if (!name_is_dns_subdomain(m->name))
		return err_set(e, ERR_NETCONF, 0, "metadata.name: '%.64s' is no DNS subdomain",
			       m->name);
	if (strncmp(m->api_version, "resource.k8s.io/", 16) != 0)
		return err_set(e, ERR_NETCONF, 0, "apiVersion: '%.64s' is none of a DeviceClass",
			       m->api_version);
	if (jx_object(m->doc, "", "spec", &spec, e) < 0 ||
	    jx_array(spec, "spec", "selectors", &list, e) < 0)
		return -1;
	ret->spec = spec;
	return selectors_read(list, &ret->selectors, e) < 0 ||
			       dra_field_each(spec, "config", DRA_CONFIG_MAX, dra_config_check,
					      e) < 0 ? err_wrap(e, "spec") : 0;
}

/* One that is wrong is so for who asks for it. */
int select_classes_read(const struct manifests *m, struct select_classes *ret, struct err *e)
{
	ret->n = 0;
	ret->list = calloc(m->n + 1, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_IO, ENOMEM, "DeviceClasses");
	for (size_t i = 0; i < m->n; i++) {
		struct select_class *c = &ret->list[ret->n];
		struct err why = { 0 };

		if (strcmp(m->list[i].kind, "DeviceClass") != 0)
			continue;
		if (select_class(ret, m->list[i].name))
			return err_set(e, ERR_NETCONF, 0, "%s: a second DeviceClass '%.64s'",
				       m->list[i].source, m->list[i].name);
		c->name = m->list[i].name;
		ret->n++;
		if (read_class(&m->list[i], c, &why) < 0)
			(void)snprintf(c->fault, sizeof(c->fault), "%s%s%.250s", why.msg,
				       *why.details ? ": " : "", why.details);
	}
	return 0;
}

void select_classes_done(struct select_classes *c)
{
	for (size_t i = 0; i < c->n; i++)
		selectors_done(&c->list[i].selectors);
	free(c->list);
	*c = (struct select_classes){ .list = NULL };
}

const struct select_class *select_class(const struct select_classes *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->list[i].name, name) == 0)
			return &c->list[i];
	return NULL;
}
