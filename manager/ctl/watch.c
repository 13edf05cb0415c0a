/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - devinfoctl watch: what becomes of the devices?
 *
 * devinfod's list, a line each, and then a line for each change, as it tells them.
 */
#include "manager/ctl/ctl.h"

#include "base/deadline.h"
#include "manager/ctl/change.h"
#include "manager/ctl/table.h"

#include <stdio.h>
#include <string.h>

enum {
	CONNECT_MS = 5 * 1000,
	WAIT_MS = 60 * 1000,		/* each; there is another after it */
};

/* Columns grow with what has been seen; the last one is as long as it is. */
static struct {
	const char *title, *key;
	size_t width;
} columns[] = {
	{ "TIME", "at", 0 },	   { "CHANGE", "change", sizeof("changed") - 1 },
	{ "RESOURCE", "resource", 0 }, { "DEVICE", "device", 0 },
	{ "HEALTH", "health", sizeof("unhealthy") - 1 }, { "POD", "pod", 0 },
	{ "INTERFACE", "interface", 0 }, { "WHY", "why", 0 },
};

static const char *text_of(const json_t *row, size_t column)
{
	const char *text = json_string_value(json_object_get(row, columns[column].key));

	return text ? text : "-";
}

static void measure(const json_t *row)
{
	for (size_t i = 0; i + 1 < ARRAY_SIZE(columns); i++) {
		size_t has = strlen(row ? text_of(row, i) : columns[i].title);

		columns[i].width = has > columns[i].width ? has : columns[i].width;
	}
}

static void put_line(const json_t *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const char *text = row ? text_of(row, i) : columns[i].title;
		size_t has = strlen(text);

		ctl_put_text(stdout, text);
		if (i + 1 < ARRAY_SIZE(columns))
			(void)printf("%*s", (int)(columns[i].width - has + 2), "");
	}
	(void)putchar('\n');
}

/* -- a report -- */

static void add(json_t *rows, const struct report *r, const char *change)
{
	for (size_t i = 0; i < r->n_devices; i++) {
		const struct report_device *d = &r->devices[i];

		(void)json_array_append_new(rows, ctl_change_row(change, r->complete ?
								 d->since_ms : r->at_ms, d));
	}
}

/* "RESOURCE/DEVICE": a device has no '/' in its id. */
static void add_gone(json_t *rows, int64_t at_ms, const char *name)
{
	const char *slash = strrchr(name, '/');
	char resource[512];
	struct report_device d = {
		.resource = resource, .id = slash ? slash + 1 : name, .reason = "",
		.pod_namespace = "", .pod_name = "", .pod_uid = "", .container = "",
		.interface = "", .network = "",
	};

	(void)snprintf(resource, sizeof(resource), "%.*s", slash ? (int)(slash - name) : 0, name);
	(void)json_array_append_new(rows, ctl_change_row("gone", at_ms, &d));
}

static void put_report(const struct ctl_options *opt, const struct report *r, bool is_first)
{
	json_auto_t *rows = json_array();
	const json_t *row;
	size_t i;

	add(rows, r, r->complete ? "listed" : "changed");
	for (i = 0; i < r->n_gone; i++)
		add_gone(rows, r->at_ms, r->gone[i]);
	if (r->complete && !is_first)
		(void)fputs("devinfoctl: changes were missed, so this is the list again\n", stderr);
	measure(NULL);
	json_array_foreach(rows, i, row) {
		measure(row);
	}
	if (is_first && !ctl_is_json(opt))
		put_line(NULL);
	json_array_foreach(rows, i, row) {
		if (ctl_is_json(opt))
			ctl_put_json(row);
		else
			put_line(row);
	}
	(void)fflush(stdout);
}

/* Until a signal, or the daemon's end. */
static int follow(struct report_client *c, const struct ctl_options *opt, struct err *e)
{
	bool is_first = true;

	while (!deadline_interrupted()) {
		auto_report struct report r = { .n_devices = 0 };
		struct deadline d = deadline_in(WAIT_MS);
		int rc = report_next(c, &d, &r, e);

		if (rc < 0)
			return -1;
		if (rc == 0)
			continue;
		put_report(opt, &r, is_first);
		is_first = false;
	}
	return 0;
}

enum ctl_status ctl_watch(const struct host *host, const struct ctl_options *opt,
			  char *const *operands)
{
	struct deadline d = deadline_in(CONNECT_MS);
	struct report_client *c;
	struct err e = { 0 };
	int r;

	(void)operands;
	deadline_catch_signals();
	c = report_connect(host, false, &d, &e);
	if (!c)
		return ctl_error(&e);
	r = follow(c, opt, &e);
	report_free(c);
	return r < 0 ? ctl_error(&e) : CTL_OK;
}
