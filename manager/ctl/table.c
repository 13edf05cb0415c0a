/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - rows as a table for people, or as JSON for machines */
#include "manager/ctl/table.h"

#include "base/jx.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
	{ "gone", "33" },    { "unhealthy", "31" },
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

enum { COLUMNS_MAX = 32, CUT_MIN = 16 /* characters that a cut text has */ };

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

/* Of standard output when it is a terminal, and nothing else was asked for; 0: any width fits. */
static size_t terminal_width(const struct ctl_options *opt)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { .ws_col = 0 };

	if (!isatty(STDOUT_FILENO) || ctl_is_wide(opt))
		return 0;
	if (columns && strtoul(columns, NULL, 10) > 0)
		return strtoul(columns, NULL, 10);
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static size_t table_width(size_t n, const size_t width[COLUMNS_MAX])
{
	size_t all = 0;

	for (size_t c = 0; c < n; c++)
		all += width[c] > 0 ? width[c] + (all ? 2 : 0) : 0;
	return all;
}

/* The widest column that may be cut: not what a row is about, the first; 0: there is none. */
static size_t widest(size_t n, const size_t width[COLUMNS_MAX])
{
	size_t ret = 0;

	for (size_t c = 1; c < n; c++)
		if (width[c] > CUT_MIN && (!ret || width[c] > width[ret]))
			ret = c;
	return ret;
}

/* The last column that is not about the row's state: it is left out; 0: there is none. */
static size_t last_plain(const struct ctl_column *columns, size_t n,
			 const size_t width[COLUMNS_MAX])
{
	size_t c = n - 1;

	while (c > 0 && (columns[c].coloured || width[c] == 0))
		c--;
	return c;
}

/* Long texts are cut, then columns at the end are left out, which --output=wide has. */
static void fit_terminal(const struct ctl_options *opt, const struct ctl_column *columns, size_t n,
			 size_t width[COLUMNS_MAX])
{
	size_t has = terminal_width(opt), c;

	for (c = 0; c < n; c++)
		if (!is_shown(opt, &columns[c]))
			width[c] = 0;
	while (has > 0 && table_width(n, width) > has && (c = widest(n, width)) > 0)
		width[c]--;
	while (has > 0 && table_width(n, width) > has && (c = last_plain(columns, n, width)) > 0)
		width[c] = 0;
}

/* "nvidia.com/cx.." */
static void cut(char *text, size_t width)
{
	if (strlen(text) > width)
		memcpy(text + width - 2, "..", sizeof(".."));
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
	fit_terminal(opt, columns, n, width);
	for (size_t c = 0; c < n; c++)
		last = width[c] > 0 ? c : last;
	for (size_t c = 0; c <= last; c++)
		if (width[c] > 0)
			put_cell(columns[c].title, width[c], c == last, NULL);
	(void)putchar('\n');
	json_array_foreach(rows, i, row) {
		for (size_t c = 0; c <= last; c++) {
			auto_free char *text = cell(row, &columns[c]);
			bool is_coloured = has_colour && columns[c].coloured;
			const char *colour = text && is_coloured ? colour_of(text) : NULL;

			if (!text || width[c] == 0)
				continue;
			cut(text, width[c]);
			put_cell(text, width[c], c == last, colour);
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

/* For a shell's loop: of no rows no line there.  A state is no name, nor is what is not known. */
static void put_names(const struct ctl_column *columns, size_t n, const json_t *rows,
		      const char *none)
{
	const json_t *row;
	size_t i, name = 0;

	while (name + 1 < n && columns[name].coloured)
		name++;
	json_array_foreach(rows, i, row) {
		auto_free char *text = cell(row, &columns[name]);

		if (text && strcmp(text, "-") != 0)
			(void)puts(text);
	}
	if (json_array_size(rows) == 0)
		ctl_put_line(stderr, "devinfoctl: %s", none);
}

void ctl_put_rows(const struct ctl_options *opt, const struct ctl_column *columns, size_t n,
		  const json_t *rows, const char *none)
{
	if (ctl_is_json(opt))
		ctl_put_json(rows);
	else if (ctl_is_name(opt))
		put_names(columns, n, rows, none);
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
