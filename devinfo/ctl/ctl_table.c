/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_table.c - rows as a table for people, or as JSON for machines */
#include "devinfo/ctl/ctl_table.h"

#include "base/jx.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* -- cells -- */

/* Written to a stream of memory first, for its width has to be known. */
static void put_value(FILE *to, const json_t *v)
{
	const json_t *one;
	size_t i;

	if (json_is_string(v) && json_string_length(v) > 0)
		ctl_put_text(to, json_string_value(v));
	else if (json_is_integer(v))
		(void)fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_true(v))
		(void)fputs("yes", to);
	else if (json_is_array(v) && json_array_size(v) > 0)
		json_array_foreach(v, i, one) {
			(void)fputs(i ? "," : "", to);
			put_value(to, one);
		}
	else
		(void)fputc('-', to);
}

static bool is_plain(const char *text)
{
	const char *s = text;

	while (*s >= ' ' && *s <= '~')
		s++;
	return s > text && !*s;
}

/* Owned by the caller.  Most are plain texts. */
static char *cell(const json_t *row, const struct ctl_column *c)
{
	const json_t *v = json_object_get(row, c->key);
	const char *plain = json_string_value(v);
	char *text = NULL;
	size_t len;
	FILE *to;

	if (plain && is_plain(plain))
		return strdup(plain);
	to = open_memstream(&text, &len);
	if (!to)
		return NULL;
	put_value(to, v);
	return fclose(to) == 0 ? text : NULL;
}

/* -- colours -- */

static const struct {
	const char *word, *code;
} colours[] = {
	{ "ok", "32" },	     { "live", "32" },     { "healthy", "32" },	 { "degraded", "33" },
	{ "warning", "33" }, { "changed", "33" },  { "released", "33" }, { "earlier boot", "33" },
	{ "failed", "31" },  { "vanished", "31" }, { "error", "31" },	 { "dead", "31" },
	{ "damaged", "31" }, { "as made", "32" },  { "drifted", "31" },	 { "cannot tell", "33" },
	{ "missing", "31" }, { "wrong", "31" },	   { "unknown", "33" },	 { "taken", "32" },
	{ "not met", "31" },
};

static const char *colour_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(colours); i++)
		if (strcmp(word, colours[i].word) == 0)
			return colours[i].code;
	return NULL;
}

bool ctl_has_colour(const struct ctl_options *opt)
{
	if (opt->color)
		return strcmp(opt->color, "always") == 0 ||
		       (strcmp(opt->color, "auto") == 0 && isatty(STDOUT_FILENO));
	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

/* -- tables -- */

/* In the row itself. */
static bool is_shown(const struct ctl_options *opt, const struct ctl_column *c)
{
	return ctl_is_wide(opt) || (!c->wide && !c->below);
}

enum { COLUMNS_MAX = 32 };

static void measure(const struct ctl_column *columns, size_t n, const json_t *rows,
		    size_t width[COLUMNS_MAX])
{
	const json_t *row;
	size_t i;

	for (size_t c = 0; c < n; c++)
		width[c] = strlen(columns[c].title);
	json_array_foreach(rows, i, row)
		for (size_t c = 0; c < n; c++) {
			auto_free char *text = cell(row, &columns[c]);

			if (text && strlen(text) > width[c])
				width[c] = strlen(text);
		}
}

static void put_cell(const char *text, size_t width, bool is_last, const char *colour)
{
	int pad = is_last ? 0 : (int)(width - strlen(text) + 2);

	if (colour)
		(void)printf("\033[%sm%s\033[0m%*s", colour, text, pad, "");
	else
		(void)printf("%s%*s", text, pad, "");
}

/* Lines that would be as wide as the widest text of all are nothing for a terminal. */
static void put_below(const struct ctl_options *opt, const struct ctl_column *columns, size_t n,
		      const json_t *row)
{
	for (size_t c = 0; c < n; c++) {
		auto_free char *text = is_shown(opt, &columns[c]) || !columns[c].below ?
					       NULL : cell(row, &columns[c]);

		if (text && strcmp(text, "-") != 0)
			(void)printf("%s%s\n", columns[c].below, text);
	}
}

static void put_table(const struct ctl_options *opt, const struct ctl_column *columns, size_t n,
		      const json_t *rows)
{
	bool has_colour = ctl_has_colour(opt);
	size_t width[COLUMNS_MAX] = { 0 }, i, last = 0;
	const json_t *row;

	measure(columns, n, rows, width);
	for (size_t c = 0; c < n; c++)
		last = is_shown(opt, &columns[c]) ? c : last;
	for (size_t c = 0; c <= last; c++)
		if (is_shown(opt, &columns[c]))
			put_cell(columns[c].title, width[c], c == last, NULL);
	(void)putchar('\n');
	json_array_foreach(rows, i, row) {
		for (size_t c = 0; c <= last; c++) {
			auto_free char *text = cell(row, &columns[c]);
			bool is_coloured = has_colour && columns[c].coloured;

			if (text && is_shown(opt, &columns[c]))
				put_cell(text, width[c], c == last,
					 is_coloured ? colour_of(text) : NULL);
		}
		(void)putchar('\n');
		put_below(opt, columns, n, row);
	}
}

/* jansson escapes what is below ' ' and beyond ASCII, and leaves the DEL between them. */
static int put_json_part(const char *text, size_t n, void *unused)
{
	(void)unused;
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\x7f')
			(void)fputs("\\u007f", stdout);
		else
			(void)putchar(text[i]);
	return 0;
}

/* Of others' texts a terminal may take some characters beyond ASCII for commands: as \u009b. */
void ctl_put_json(const json_t *o)
{
	(void)json_dump_callback(o, put_json_part, NULL,
				 JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	(void)putchar('\n');		/* main looks whether that went well */
}

void ctl_put_rows(const struct ctl_options *opt, const struct ctl_column *columns, size_t n,
		  const json_t *rows, const char *none)
{
	if (ctl_is_json(opt))
		ctl_put_json(rows);
	else if (json_array_size(rows) == 0)
		(void)puts(none);
	else
		put_table(opt, columns, n, rows);
}

/* -- progress -- */

static bool progress_shown;

void ctl_progress(const char *what, size_t done)
{
	static struct timespec began, last;
	struct timespec now;

	if (!isatty(STDERR_FILENO) || clock_gettime(CLOCK_MONOTONIC, &now) < 0)
		return;
	if (began.tv_sec == 0)
		began = now;
	if (now.tv_sec - began.tv_sec < 1 || now.tv_sec == last.tv_sec)
		return;
	last = now;
	progress_shown = true;
	(void)fprintf(stderr, "\rdevinfoctl: %s... %zu\033[K", what, done);
}

void ctl_progress_end(void)
{
	if (progress_shown)
		(void)fputs("\r\033[K", stderr);
	progress_shown = false;
}
