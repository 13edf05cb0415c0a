/* SPDX-License-Identifier: Apache-2.0 */
/* lint.c - what is wrong with files: a line for each problem, or a row for each file */
#include "manager/ctl/lint.h"

#include "manager/ctl/ctl.h"
#include "manager/inventory/join_text.h"

#include <stdio.h>
#include <string.h>

/* Names of files may be no UTF-8, and neither what is quoted and cut. */
static json_t *value_of(const char *text)
{
	json_t *v = json_string(text);
	char buf[600];

	if (v)
		return v;
	join_text(buf, sizeof(buf), text);
	return json_string(buf);
}

void ctl_lint_add(struct ctl_lint *l, unsigned int line, enum severity severity, const char *text)
{
	if (!l->problems)
		l->problems = json_array();
	(void)json_array_append_new(l->problems,
				    json_pack("{s:o,s:i,s:s,s:o}", "file", value_of(l->file),
					      "line", (int)line, "level", severity_name(severity),
					      "text", value_of(text)));
	l->told[severity]++;
}

void ctl_lint_add_err(struct ctl_lint *l, const struct err *e)
{
	char text[sizeof(e->msg) + sizeof(e->details) + 4];
	size_t n = strlen(l->file);
	const char *msg = strncmp(e->msg, l->file, n) == 0 && strncmp(e->msg + n, ": ", 2) == 0 ?
				  e->msg + n + 2 : e->msg;

	(void)snprintf(text, sizeof(text), "%s%s%s%s", msg, *e->details ? " (" : "", e->details,
		       *e->details ? ")" : "");
	ctl_lint_add(l, 0, SEVERITY_ERROR, text);
}

static void put_problem(const struct ctl_lint *l, const json_t *p)
{
	json_int_t line = json_integer_value(json_object_get(p, "line"));
	char at[24] = "";

	if (line > 0)
		(void)snprintf(at, sizeof(at), ":%" JSON_INTEGER_FORMAT, line);
	ctl_put_line(stdout, "%s%s: %s%s%s: %s", json_string_value(json_object_get(p, "file")), at,
		     l->object ? l->object : "", l->object ? ": " : "",
		     json_string_value(json_object_get(p, "level")),
		     json_string_value(json_object_get(p, "text")));
}

void ctl_lint_put(const struct ctl_lint *l, const char *detail)
{
	unsigned int warnings = l->told[SEVERITY_WARNING];
	char also[40] = "";
	const json_t *p;
	size_t i;

	json_array_foreach(l->problems, i, p) {
		put_problem(l, p);
	}
	if (l->told[SEVERITY_ERROR] > 0)
		return;
	if (warnings > 0)
		(void)snprintf(also, sizeof(also), ", %u warning%s", warnings,
			       warnings == 1 ? "" : "s");
	ctl_put_line(stdout, "%s: %s%sok (%s%s)", l->file, l->object ? l->object : "",
		     l->object ? ": " : "", detail, also);
}

json_t *ctl_lint_row(const struct ctl_lint *l)
{
	json_t *row = json_pack("{s:o}", "file", value_of(l->file));

	if (l->object)
		(void)json_object_set_new(row, "object", value_of(l->object));
	(void)json_object_set_new(row, "kind", json_string(l->kind));
	(void)json_object_set_new(row, "ok", json_boolean(l->told[SEVERITY_ERROR] == 0));
	(void)json_object_set_new(row, "problems",
				  l->problems ? json_incref(l->problems) : json_array());
	return row;
}

void ctl_lint_done(struct ctl_lint *l)
{
	json_decref(l->problems);
	*l = (struct ctl_lint){ 0 };
}
