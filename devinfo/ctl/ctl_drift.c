/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_drift.c - devinfoctl drift: are all attachments as their ADD left them?
 *
 * What CHECK does for one, for all of the journal; see devinfo/inventory/drift.h.
 */
#include "devinfo/ctl/ctl_table.h"

#include "base/mem.h"
#include "devinfo/inventory/drift.h"

static const struct ctl_column columns[] = {
	{ "DEVICE", "device", .wide = false },
	{ "POD", "pod", .wide = false },
	{ "CONTAINER", "container", .wide = true },
	{ "NETWORK", "network", .wide = false },
	{ "INTERFACE", "interface", .wide = false },
	{ "STATE", "state", .coloured = true },
	{ "WHAT", "what", .wide = false },
};

static json_t *pod_of(const struct inv_attachment *a)
{
	return *a->pod_name ? json_sprintf("%s/%s", a->pod_namespace, a->pod_name) :
			      json_string("");
}

static json_t *row_of(const struct inv_attachment *a, const struct drift *d)
{
	return json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s}", "device", a->device,
			 "pod", pod_of(a), "container", a->container_id, "network", a->network,
			 "interface", a->ifname, "state", drift_state_name(d->state),
			 "what", d->what, "file", a->file);
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
		(void)json_array_append_new(rows, row_of(&inv.attachments[i], &d));
		if (d.state == DRIFT_FOUND || d.state == DRIFT_UNKNOWN)
			ret = CTL_FAILED;
	}
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, "no attachments");
	return ret;
}
