/* SPDX-License-Identifier: Apache-2.0 */
/* format_function.c - named formats, and "%s".format([x]) */
#include "manager/cel/device.h"
#include "manager/cel/format.h"
#include "manager/cel/format_text.h"
#include "manager/cel/function.h"

#include <string.h>

static struct cel_value named(struct cel_run *r, const struct cel_value *v)
{
	const struct cel_value found = { .type = CEL_FORMAT, .format = cel_format_find(v->text) };

	return cel_optional(r, found.format ? &found : NULL);
}

/* format.NAME() */
static struct cel_value constant(struct cel_run *r, const struct cel_value *v)
{
	const char *name = r->node->name + strlen("format.");

	(void)v;
	return (struct cel_value){ .type = CEL_FORMAT, .format = cel_format_find(name) };
}

static struct cel_value validate(struct cel_run *r, const struct cel_value *v)
{
	const char *wrong[2];
	unsigned n = v[0].format->validate(r, v[1].text, wrong);
	struct cel_value *messages = cel_new(r, (n + 1) * sizeof(*messages)), list;

	if (!messages)
		return cel_failed(r);
	for (unsigned i = 0; i < n; i++)
		messages[i] = cel_string(wrong[i]);
	list = (struct cel_value){ .type = CEL_LIST, .size = n, .elements = messages };
	return cel_optional(r, n > 0 ? &list : NULL);
}

#define CONSTANT(name) { "format." name, CEL_FUNCTION, "", "F", constant, false }

const struct cel_function cel_format_functions[] = {
	{ "format.named", CEL_FUNCTION, "s", "oF", named, false },
	{ "validate", CEL_METHOD, "Fs", "ols", validate, false },
	CONSTANT("dns1123Label"),
	CONSTANT("dns1123Subdomain"),
	CONSTANT("dns1035Label"),
	CONSTANT("qualifiedName"),
	CONSTANT("dns1123LabelPrefix"),
	CONSTANT("dns1123SubdomainPrefix"),
	CONSTANT("dns1035LabelPrefix"),
	CONSTANT("labelValue"),
	CONSTANT("uri"),
	CONSTANT("uuid"),
	CONSTANT("byte"),
	CONSTANT("date"),
	CONSTANT("datetime"),
	{ "format", CEL_METHOD, "sl.", "s", cel_format_text, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
