/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feature_file.c - the feature files of NFD's local source, as its worker reads them
 *
 * What a line gives is kept apart until the whole file was read: a later line of a file may take an
 * earlier one back, but not one of another file.
 */
#include "manager/nfd/feature_file.h"

#include "base/blank.h"
#include "base/mem.h"
#include "devinfo/manifest/manifest_time.h"
#include "manager/nfd/name.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIRECTIVE "# +"

struct feature_reading {
	unsigned int line;
	time_t now, expiry;		/* what expires before now is not taken */
	bool skip_label, skip_feature;	/* of the next feature */
	unsigned int skip_line;		/* where that was said */
	json_t *labels, *features;	/* of this file */
	feature_file_say *say;
	void *arg;
};

static void tell_line(const struct feature_reading *r, bool is_error, const char *fmt, ...)
	printflike(3, 4);

static void tell_line(const struct feature_reading *r, bool is_error, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->say(r->line, is_error, text, r->arg);
}

/* -- directives -- */

static void read_expiry(struct feature_reading *r, char *value)
{
	int64_t expiry;

	value = blank_trim(value);
	if (!manifest_time(value, &expiry)) {
		tell_line(r, true, "expiry-time '%.64s' is no time such as 2026-07-29T11:22:33Z, "
			  "what was said before stays", value);
		return;
	}
	r->expiry = expiry;
	if (expiry < r->now)
		tell_line(r, false, "expiry-time %.64s is past: lines are ignored until the next "
			  "expiry-time", value);
}

/* The line begins with DIRECTIVE. */
static void read_directive(struct feature_reading *r, char *line)
{
	char *key = line + strlen(DIRECTIVE), *value = strchr(key, '=');

	if (value)
		*value++ = '\0';
	if (strcmp(key, "no-label") == 0)
		r->skip_label = true;
	else if (strcmp(key, "no-feature") == 0)
		r->skip_feature = true;
	else if (strcmp(key, "expiry-time") == 0 && value)
		read_expiry(r, value);
	else if (strcmp(key, "expiry-time") == 0)
		tell_line(r, true, "expected '# +expiry-time=TIME'");
	else
		tell_line(r, true, "unknown directive '%.64s': expected expiry-time, no-feature or "
			  "no-label", key);
	if (strncmp(key, "no-", 3) == 0)
		r->skip_line = r->line;
}

static void read_comment(struct feature_reading *r, char *line)
{
	const char *text = line + 1 + strspn(line + 1, " \t");

	if (strncmp(line, DIRECTIVE, strlen(DIRECTIVE)) == 0)
		read_directive(r, line);
	else if (text[0] == '+' && text[1] >= 'a' && text[1] <= 'z')
		tell_line(r, false, "this line is a comment: a directive begins with '# +'");
}

/* -- features -- */

static void put_value(const struct feature_reading *r, json_t *to, const char *what,
		      const char *name, const char *value)
{
	const char *before = json_string_value(json_object_get(to, name));

	if (before && strcmp(before, value) != 0)
		tell_line(r, false, "%s '%.64s' was '%.64s' in an earlier line", what, name,
			  before);
	(void)json_object_set_new(to, name, json_string(value));
}

/*
 * It replaces an earlier one before nfd-worker looks at it.  Of the namespace nfd-master decides,
 * by its configuration: without one it refuses.
 */
static void read_label(const struct feature_reading *r, const char *name, const char *value)
{
	char full[NFD_NAME_MAX + 1];
	struct err e = { 0 };

	nfd_name_full(name, full);
	if (r->skip_label) {
		(void)json_object_del(r->labels, name);
		return;
	}
	if (*name && nfd_check_label(full, value, &e) < 0)
		tell_line(r, true, "%s", e.msg);
	else if (*name && !strchr(name, '/'))
		tell_line(r, false, "label '%.63s' has no prefix: NFD will no longer add "
			  NFD_LABEL_NS "/ one day", name);
	put_value(r, r->labels, "label", name, value);
}

static void read_feature(struct feature_reading *r, char *line)
{
	char *value = strchr(line, '=');

	if (value)
		*value++ = '\0';
	if (!*line)
		tell_line(r, true, "there is no name before '='");
	if (r->skip_feature)
		(void)json_object_del(r->features, line);
	else
		put_value(r, r->features, "feature", line, value ? value : "true");
	read_label(r, line, value ? value : "true");
	r->skip_label = r->skip_feature = false;
}

static bool is_text(const char *line, size_t len)
{
	json_auto_t *s = json_stringn(line, len);

	return s && !memchr(line, '\0', len);
}

/* Without the end of line; it is changed.  A directive is for the next line that holds. */
static void read_line(struct feature_reading *r, char *line, size_t len)
{
	if (!is_text(line, len)) {
		tell_line(r, true, "it is no text in UTF-8");
		return;
	}
	line = blank_trim(line);
	if (*line == '#')
		read_comment(r, line);
	else if (*line && r->expiry >= r->now)
		read_feature(r, line);
}

/* What is of this file goes to that of earlier ones. */
static void merge(const struct feature_reading *r, const char *what, json_t *from, json_t *to)
{
	const char *name;
	json_t *value;

	json_object_foreach(from, name, value) {
		const json_t *before = json_object_get(to, name);

		if (before && !json_equal(before, value))
			tell_line(r, false, "%s '%.64s' becomes '%.64s', an earlier file has "
				  "'%.64s'", what, name, json_string_value(value),
				  json_string_value(before));
		(void)json_object_set(to, name, value);
	}
}

int feature_file_read(const char *text, size_t len, time_t now, json_t *labels, json_t *features,
		      feature_file_say *say, void *arg, struct err *e)
{
	json_auto_t *own_labels = json_object(), *own_features = json_object();
	auto_free char *copy = NULL;
	struct feature_reading r = { .now = now, .expiry = now, .labels = own_labels,
				     .features = own_features, .say = say, .arg = arg };

	if (len > FEATURE_FILE_MAX)
		return err_set(e, ERR_NETCONF, 0, "%zu bytes: NFD ignores a feature file of more "
			       "than %d", len, FEATURE_FILE_MAX);
	copy = malloc(len + 1);
	if (!copy)
		return err_set(e, ERR_IO, 0, "no memory for a feature file");
	memcpy(copy, text, len);
	copy[len] = '\0';
	for (char *p = copy, *end; p <= copy + len; p = end + 1) {
		end = memchr(p, '\n', (size_t)(copy + len - p));
		end = end ? end : copy + len;
		*end = '\0';
		r.line++;
		read_line(&r, p, (size_t)(end - p));
	}
	r.line = r.skip_line;
	if (r.skip_label || r.skip_feature)
		tell_line(&r, false, "there is no feature behind this directive");
	r.line = 0;
	merge(&r, "label", own_labels, labels);
	merge(&r, "feature", own_features, features);
	return 0;
}

json_t *feature_file_labels(const json_t *labels)
{
	json_t *ret = json_object(), *value;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)labels, name, value) {
		char full[NFD_NAME_MAX + 1];
		struct err ignored;

		nfd_name_full(name, full);
		if (nfd_check_label_form(full, json_string_value(value), &ignored) == 0)
			(void)json_object_set(ret, name, value);
	}
	return ret;
}
