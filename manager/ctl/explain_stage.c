/* SPDX-License-Identifier: Apache-2.0 */
/* explain_stage.c - the rows of an explanation, and whose an attachment or device is */
#include "manager/ctl/explain.h"

#include "base/mem.h"
#include "base/name.h"
#include "manager/inventory/join.h"
#include "manager/inventory/join_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- rows -- */

static const char *const state_names[] = {
	[STAGE_OK] = "ok", [STAGE_MISSING] = "missing", [STAGE_WRONG] = "wrong",
	[STAGE_UNKNOWN] = "unknown",
};

static bool has_text(const json_t *list, const char *text)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (strcmp(json_string_value(one), text) == 0)
			return true;
	return false;
}

void explain_stage(struct explaining *x, const char *interface, const char *stage,
		   enum stage_state state, const char *advice, const char *fmt, ...)
{
	char text[1024], what[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	join_text(what, sizeof(what), text);	/* what was cut off may be no UTF-8 */
	x->is_bad |= state == STAGE_MISSING || state == STAGE_WRONG;
	(void)json_array_append_new(x->stages, json_pack("{s:s, s:s, s:s, s:s}", "interface",
							 interface, "stage", stage, "state",
							 state_names[state], "what", what));
	if (*advice && !has_text(x->advice, advice))
		(void)json_array_append_new(x->advice, json_string(advice));
}

struct row {
	json_t *stage;
	size_t place;
};

static const char *interface_of(const json_t *stage)
{
	return json_string_value(json_object_get(stage, "interface"));
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const char *p = interface_of(x->stage), *q = interface_of(y->stage);
	int r = !*p - !*q;

	r = r ? r : device_id_compare(p, q);
	return r ? r : x->place < y->place ? -1 : 1;
}

void explain_sort(struct explaining *x)
{
	size_t n = json_array_size(x->stages);
	auto_free struct row *rows = calloc(n + 1, sizeof(*rows));

	if (!rows)
		return;		/* what is told stays true */
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct row){ json_incref(json_array_get(x->stages, i)), i };
	qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++)
		(void)json_array_set_new(x->stages, i, rows[i].stage);
}

bool explain_has_row(const struct explaining *x, const char *interface, const char *stage)
{
	const json_t *one;
	size_t i;

	json_array_foreach(x->stages, i, one)
		if (strcmp(interface_of(one), interface) == 0 &&
		    strcmp(json_string_value(json_object_get(one, "stage")), stage) == 0)
			return true;
	return false;
}

/* -- what is the pod's -- */

bool explain_is_given(const struct explaining *x, const struct inv_allocation *g)
{
	return strcmp(g->pod_name, x->pod.name) == 0 &&
	       strcmp(g->pod_namespace, x->pod.name_space) == 0;
}

bool explain_is_attached(const struct explaining *x, const struct inv_attachment *a)
{
	return strcmp(a->pod_name, x->pod.name) == 0 &&
	       strcmp(a->pod_namespace, x->pod.name_space) == 0;
}

bool explain_is_claimed(const struct inv_allocation *g)
{
	return strncmp(g->resource, "claim ", 6) == 0;
}

bool explain_has_device(const struct inv_attachment *a, const char *id)
{
	return join_has_device(a, id);
}
