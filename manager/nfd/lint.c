/* SPDX-License-Identifier: Apache-2.0 */
/* lint.c - what a file for Node Feature Discovery is, and what is wrong with an object in it */
#include "manager/nfd/lint_part.h"

#include "base/jx.h"
#include "base/name.h"
#include "manager/nfd/master.h"
#include "manager/nfd/node_feature.h"
#include "manager/nfd/worker.h"

#include <string.h>

/* -- what a file is -- */

static bool begins(const char *text, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* A line of YAML or JSON: a feature has no blank or bracket, and no ':' before its '='. */
static bool is_manifest_line(const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *equals = memchr(line, '=', len);

	if (*line == '{' || *line == '[' || *line == '%' || *line == '-')
		return true;
	return colon && (!equals || colon < equals) &&
	       (colon + 1 == line + len || strchr(" \t\r", colon[1]));
}

enum nfd_file nfd_file_kind(const char *path, const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	if (begins(path, strlen(path), "source.d/") || strstr(path, "/source.d/") ||
	    begins(text, len, "#!") || begins(text, len, "\x7f" "ELF"))
		return NFD_FILE_HOOK;
	while (p < end) {
		const char *line_end = memchr(p, '\n', (size_t)(end - p));

		line_end = line_end ? line_end : end;
		while (p < line_end && strchr(" \t\r", *p))
			p++;
		if (p < line_end && *p != '#')
			return is_manifest_line(p, (size_t)(line_end - p)) ? NFD_FILE_MANIFESTS :
									     NFD_FILE_FEATURES;
		p = line_end + 1;
	}
	return NFD_FILE_FEATURES;
}

/* -- objects -- */

static const json_t *spec_of(const struct nfd_lint *l, const json_t *doc)
{
	json_t *spec = NULL;
	struct err e;
	int r = jx_object(doc, "", "spec", &spec, &e);

	if (r < 0)
		nfd_lint_error(l, &e);
	else if (r == 0)
		nfd_lint_tell(l, true, "spec: missing");
	return spec;
}

static void lint_node_feature(struct nfd_lint *l, const json_t *doc)
{
	const json_t *labels = json_object_get(json_object_get(doc, "metadata"), "labels");
	const char *node = json_string_value(json_object_get(labels, NFD_NODE_LABEL));

	if (!node || !*node)
		nfd_lint_tell(l, true, "metadata.labels: " NFD_NODE_LABEL " is missing: the API "
			      "server takes the object, NFD passes over it, for it is of no node");
	nfd_lint_feature_spec(l, spec_of(l, doc));
}

static void lint_rule_object(struct nfd_lint *l, const json_t *doc)
{
	const json_t *spec = spec_of(l, doc);
	json_t *rules = NULL;
	struct err e;

	if (spec && jx_array(spec, "spec", "rules", &rules, &e) < 0)
		nfd_lint_error(l, &e);
	else if (spec && !rules)
		nfd_lint_tell(l, true, "spec.rules: missing");
	nfd_lint_rules(l, rules, false);
}

static void hear_worker(const char *text, void *arg)
{
	nfd_lint_tell(arg, true, "%s", text);
}

static void lint_worker(struct nfd_lint *l, const struct manifest *m)
{
	const json_t *rules = NULL;
	struct err e = { 0 };

	if (nfd_worker_rules(m, &rules, hear_worker, l, &e) < 0)
		nfd_lint_error(l, &e);
	nfd_lint_rules(l, rules, true);
}

static void hear_master(const char *text, void *arg)
{
	nfd_lint_tell(arg, false, "%s", text);
}

static void lint_master(struct nfd_lint *l, const struct manifest *m)
{
	struct nfd_master unused;
	struct err e = { 0 };

	if (nfd_master_read(m, &unused, hear_master, l, &e) < 0)
		nfd_lint_error(l, &e);
}

/* As the API server has names of objects that others define. */
static void lint_name(const struct nfd_lint *l, const struct manifest *m)
{
	const json_t *metadata = json_object_get(m->doc, "metadata");

	if (!*m->name && !json_object_get(metadata, "generateName"))
		nfd_lint_tell(l, true, "metadata.name: missing");
	else if (*m->name && !name_is_dns_subdomain(m->name))
		nfd_lint_tell(l, true, "metadata.name: '%.64s' is no DNS subdomain: expected lower "
			      "case letters, digits, '-' and '.', a letter or digit first and last",
			      m->name);
}

static void lint_object(struct nfd_lint *l, const struct manifest *m)
{
	static const struct {
		const char *kind;
		void (*lint)(struct nfd_lint *l, const json_t *doc);
	} kinds[] = {
		{ "NodeFeature", lint_node_feature },
		{ "NodeFeatureRule", lint_rule_object },
	};

	if (strcmp(m->api_version, NFD_API_VERSION) != 0)
		nfd_lint_tell(l, true, "apiVersion '%.64s': expected " NFD_API_VERSION,
			      m->api_version);
	else
		lint_name(l, m);
	l->is_object = true;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(m->kind, kinds[i].kind) == 0) {
			kinds[i].lint(l, m->doc);
			return;
		}
	nfd_lint_tell(l, true, "kind '%.64s': expected NodeFeatureRule or NodeFeature", m->kind);
}

void nfd_lint_manifest(const struct manifest *m, nfd_lint_say *say, void *arg)
{
	struct nfd_lint l = { .say = say, .arg = arg };

	if (json_is_array(m->doc))
		nfd_lint_rules(&l, m->doc, true);
	else if (nfd_worker_is(m))
		lint_worker(&l, m);
	else if (nfd_master_is(m))
		lint_master(&l, m);
	else
		lint_object(&l, m);
}
