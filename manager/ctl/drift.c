/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.c - devinfoctl drift: are all attachments as their ADD left them?
 *
 * What CHECK does for one, for all of the journal; see manager/inventory/drift.h.
 */
#include "manager/ctl/attachment.h"

#include "base/mem.h"
#include "manager/ctl/table.h"
#include "manager/inventory/drift.h"

static const struct ctl_column columns[] = {
	{ "DEVICE", "device", .wide = false },
	{ "POD", "pod", .wide = false },
	{ "CONTAINER", "container_id", .wide = true },
	{ "NETWORK", "network", .wide = false },
	{ "INTERFACE", "interface", .wide = false },
	{ "STATE", "drift", .coloured = true },
	{ "WHAT", "what", .wide = false },
};

static json_t *row_of(const struct ctl_options *opt, const struct inv_attachment *a,
		      const struct drift *d)
{
	json_t *row = ctl_attachment_row(opt, a);

	(void)json_object_set_new(row, "drift", json_string(drift_state_name(d->state)));
	(void)json_object_set_new(row, "what", json_string(d->what));
	return row;
}

static void say_step(size_t done)
{
	ctl_progress("comparing attachments", done);
}

enum ctl_status ctl_drift(const struct host *host, const struct ctl_options *opt,
			  char *const *operands)
{
	auto_inventory struct inventory inv = { 0 };
	json_auto_t *rows = json_array();
	enum ctl_status ret = CTL_OK;
	struct err e = { 0 };
	int r = inventory_read_attachments(host, &inv, &e);

	(void)operands;
	if (r >= 0)
		r = drift_look_at_all(host, &inv, say_step, &e);
	ctl_progress_end();
	if (r < 0)
		return ctl_error(&e);
	for (size_t i = 0; i < inv.n_attachments; i++) {
		struct drift d;

		drift_of(&inv.attachments[i], &d);
		(void)json_array_append_new(rows, row_of(opt, &inv.attachments[i], &d));
		if (d.state == DRIFT_FOUND || d.state == DRIFT_UNKNOWN)
			ret = CTL_FAILED;
	}
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, "no attachments");
	return ret;
}
