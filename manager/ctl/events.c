/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - devinfoctl events: what has become of devices lately?
 *
 * devinfod remembers the last changes, and tells them with its list.
 */
#include "manager/ctl/ctl.h"

#include "base/deadline.h"
#include "manager/ctl/change.h"
#include "manager/ctl/table.h"

#include <errno.h>

enum { ANSWER_MS = 10 * 1000 };

static const struct ctl_column columns[] = {
	{ "TIME", "at", .wide = false },
	{ "CHANGE", "change", .coloured = true },
	{ "RESOURCE", "resource", .wide = false },
	{ "DEVICE", "device", .wide = false },
	{ "HEALTH", "health", .coloured = true },
	{ "POD", "pod", .wide = false },
	{ "INTERFACE", "interface", .wide = false },
	{ "WHY", "why", .wide = false },
	{ "CONTAINER", "container", .wide = true },
	{ "NETWORK", "network", .wide = true },
};

static void put_past(const struct ctl_options *opt, const struct report *r)
{
	json_auto_t *rows = json_array();

	for (size_t i = 0; i < r->n_past; i++) {
		const struct report_change *c = &r->past[i];

		(void)json_array_append_new(rows, ctl_change_row(c->gone ? "gone" : "changed",
								 c->at_ms, &c->device));
	}
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows,
		     "no changes since devinfod has started");
}

enum ctl_status ctl_events(const struct host *host, const struct ctl_options *opt,
			   char *const *operands)
{
	struct deadline d = deadline_in(ANSWER_MS);
	auto_report struct report r = { .n_devices = 0 };
	struct report_client *c;
	struct err e = { 0 };
	int rc;

	(void)operands;
	c = report_connect(host, true, &d, &e);
	if (!c)
		return ctl_error(&e);
	ctl_await("devinfod");
	rc = report_next(c, &d, &r, &e);
	ctl_await_end();
	report_free(c);
	if (rc == 0)
		(void)err_set(&e, ERR_UNAVAILABLE, ETIMEDOUT, "devinfod does not answer");
	if (rc <= 0)
		return ctl_error(&e);
	put_past(opt, &r);
	return CTL_OK;
}
