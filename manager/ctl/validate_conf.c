/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate_conf.c - devinfoctl validate-conf: would the plugin take these configurations?
 *
 * Objects of Kubernetes come as kubectl takes and prints them: in JSON or YAML, several in a file,
 * or in a List.  What a runtime or the plugin reads itself is one document of JSON.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "devinfo/manifest/manifest.h"
#include "manager/ctl/lint.h"
#include "manager/ctl/table.h"
#include "manager/doctor/conf_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEFINITION "NetworkAttachmentDefinition"

struct validating {
	bool is_quiet;
	json_t *rows;
	unsigned int errors;
};

static void hear(const char *text, enum severity severity, void *arg)
{
	ctl_lint_add(arg, 0, severity, text);
}

/* "default/net"; NULL: it has no name. */
static const char *name_object(const struct manifest *m, char ret[320])
{
	json_t *metadata = json_object_get(m->doc, "metadata");
	const char *space = json_string_value(json_object_get(metadata, "namespace"));

	(void)snprintf(ret, 320, "%.63s%s%.253s", space ? space : "", space ? "/" : "", m->name);
	return *m->name ? ret : NULL;
}

/* Beside definitions a file may have any objects; one with a typing error in its kind is ours. */
static bool is_passed_over(const struct manifest *m, size_t n)
{
	return n > 1 && *m->kind && strcmp(m->kind, DEFINITION) != 0 &&
	       nearest_edits(m->kind, DEFINITION) > NEAREST_EDITS;
}

static void put(struct validating *v, const struct ctl_lint *l, const struct conf_report *r)
{
	char detail[128];
	json_t *row;

	v->errors += l->told[SEVERITY_ERROR];
	if (r->plugins > 0)
		(void)snprintf(detail, sizeof(detail), "%s, %u of %u plugins checked", l->kind,
			       r->checked, r->plugins);
	else
		(void)snprintf(detail, sizeof(detail), "%s", l->kind);
	if (!v->is_quiet)
		ctl_lint_put(l, detail);
	row = ctl_lint_row(l);
	(void)json_object_set_new(row, "plugins", json_integer((json_int_t)r->plugins));
	(void)json_object_set_new(row, "checked", json_integer((json_int_t)r->checked));
	(void)json_array_append_new(v->rows, row);
}

/* The one document of a file that is none of Kubernetes' is read by other programs. */
static void check_alone(struct ctl_lint *l, size_t n, bool is_json)
{
	if (n > 1)
		hear("a configuration with others in its file: a runtime reads one document",
		     SEVERITY_ERROR, l);
	else if (!is_json)
		hear("not JSON: of YAML, only objects of Kubernetes are read", SEVERITY_ERROR, l);
}

static void check_object(struct validating *v, const struct manifest *m, size_t n, bool is_json)
{
	auto_ctl_lint struct ctl_lint l = { .file = m->source, .kind = "object" };
	struct conf_report r = { .tell = hear, .arg = &l };
	char name[320];

	if (is_passed_over(m, n))
		return;
	if (conf_is_definition(m->doc))
		l.object = name_object(m, name);
	else
		check_alone(&l, n, is_json);
	l.kind = conf_check(&r, m->doc);
	put(v, &l, &r);
}

static void check_file_alone(struct validating *v, const char *file, const struct err *e)
{
	auto_ctl_lint struct ctl_lint l = { .file = file, .kind = "file" };

	ctl_lint_add_err(&l, e);
	put(v, &l, &(struct conf_report){ .plugins = 0 });
}

static bool begins_as_json(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '{';
}

static int check_objects(struct validating *v, const char *file, const char *text, size_t len,
			 struct err *e)
{
	auto_manifests struct manifests m = { 0 };
	size_t before = json_array_size(v->rows);

	if (manifests_read(text, len, file, &m, e) < 0)
		return -1;
	for (size_t i = 0; i < m.n; i++)
		check_object(v, &m.list[i], m.n, begins_as_json(text));
	return json_array_size(v->rows) > before ?
		       0 : err_set(e, ERR_DECODE, 0, "expected a configuration or a " DEFINITION
				   ", got none among %zu objects", m.n);
}

static void check_file(struct validating *v, const char *file)
{
	auto_free char *text = NULL;
	size_t len = 0;
	struct err e;

	if (ctl_read_file(file, MANIFEST_BYTES_MAX, &text, &len, &e) < 0 ||
	    check_objects(v, file, text, len, &e) < 0)
		check_file_alone(v, file, &e);
}

enum ctl_status ctl_validate_conf(const struct host *host, const struct ctl_options *opt,
				  char *const *operands)
{
	json_auto_t *rows = json_array();
	struct validating v = { .is_quiet = ctl_is_json(opt), .rows = rows };

	(void)host;
	for (; *operands; operands++)
		check_file(&v, *operands);
	if (ctl_is_json(opt))
		ctl_put_json(rows);
	return v.errors > 0 ? CTL_FAILED : CTL_OK;
}
