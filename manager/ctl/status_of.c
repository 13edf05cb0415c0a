/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_of.c - devinfoctl status: what was a pod given?
 *
 * A row for each attachment of the pod, with the entry that the plugin wrote for its
 * network-status, and whether its container lives.  An entry without an attachment has a row, too.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "base/name.h"
#include "cni/call/status.h"
#include "cni/call/status_entry.h"
#include "manager/ctl/attachment.h"
#include "manager/ctl/table.h"
#include "manager/inventory/inventory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct ctl_column columns[] = {
	{ "INTERFACE", "interface", .wide = false },
	{ "NETWORK", "network", .wide = false },
	{ "DEVICE", "device", .wide = false },
	{ "TYPE", "type", .wide = false },
	{ "ADDRESSES", "ips", .wide = false },
	{ "MAC", "mac", .wide = false },
	{ "PUBLISHED", "published", .wide = false },
	{ "STATE", "state", .coloured = true },
	{ "CONTAINER", "container_id", .wide = false },
	{ "MTU", "mtu", .wide = true },
	{ "GATEWAY", "gateway", .wide = true },
	{ "POD", "pod", .wide = true },
	{ "NETNS", "netns", .wide = true },
	{ "FILE", "file", .wide = true },
};

enum { ID_MIN = 12 };	/* of a container's id, as other tools show it */

struct looking {
	const struct host *host;
	const struct ctl_options *opt;
	struct inventory inv;
	const char *asked;		/* NAMESPACE/NAME, UID or container id */
	json_t *containers;		/* by their ids */
	json_t *rows;
};

static bool is_asked(const struct inv_attachment *a, const char *asked)
{
	size_t len = strlen(a->pod_namespace);

	if (*a->pod_name && strncmp(asked, a->pod_namespace, len) == 0 && asked[len] == '/' &&
	    strcmp(asked + len + 1, a->pod_name) == 0)
		return true;
	if (*a->pod_uid && strcmp(asked, a->pod_uid) == 0)
		return true;
	len = strlen(asked);
	return strcmp(asked, a->container_id) == 0 ||
	       (len >= ID_MIN && strncmp(asked, a->container_id, len) == 0);
}

/* -- rows -- */

/* For people: what of the entry is worth a column.  A machine has the entry itself. */
static void flatten(json_t *row, const json_t *entry)
{
	static const char *const keys[] = { "ips", "mac", "mtu", "gateway" };
	json_t *type = json_object_get(json_object_get(entry, "device-info"), "type");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (json_object_get(entry, keys[i]))
			(void)json_object_set(row, keys[i], json_object_get(entry, keys[i]));
	if (type)
		(void)json_object_set(row, "type", type);
	(void)json_object_set_new(row, "published", json_boolean(entry));
}

/* The row's reference is taken. */
static int add_row(const struct looking *l, const struct owner *o, json_t *row, struct err *e)
{
	json_auto_t *entry = NULL;

	if (json_array_append_new(l->rows, row) < 0 || status_get(l->host, o, &entry, e) < 0)
		return -1;
	if (!ctl_is_json(l->opt))
		flatten(row, entry);
	else if (entry)
		(void)json_object_set(row, "network_status", entry);
	return 0;
}

static int add_attachment(const struct looking *l, const struct inv_attachment *a, struct err *e)
{
	const struct owner o = {
		.network = a->network, .container_id = a->container_id, .ifname = a->ifname,
	};

	return add_row(l, &o, ctl_attachment_row(l->opt, a), e);
}

static bool has_record(const struct inventory *inv, const struct owner *o)
{
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (strcmp(a->network, o->network) == 0 && strcmp(a->ifname, o->ifname) == 0 &&
		    strcmp(a->container_id, o->container_id) == 0)
			return true;
	}
	return false;
}

static int add_entry(const struct owner *o, void *arg, struct err *e)
{
	const struct looking *l = arg;
	struct inv_attachment a = { .state = "no record" };

	if (!*o->network || has_record(&l->inv, o))
		return 0;
	(void)snprintf(a.network, sizeof(a.network), "%s", o->network);
	(void)snprintf(a.container_id, sizeof(a.container_id), "%s", o->container_id);
	(void)snprintf(a.ifname, sizeof(a.ifname), "%s", o->ifname);
	return add_row(l, o, ctl_attachment_row(l->opt, &a), e);
}

/* -- which -- */

/* Of a pod that was started anew there may be several sandboxes; each is looked at once. */
static int add_entries(struct looking *l, const char *container, struct err *e)
{
	if (!name_is_cni_id(container) || json_object_get(l->containers, container))
		return 0;
	(void)json_object_set_new(l->containers, container, json_true());
	return status_each_of(l->host, container, add_entry, l, e) < 0 ? -1 : 0;
}

static int find(struct looking *l, struct err *e)
{
	for (size_t i = 0; i < l->inv.n_attachments; i++) {
		const struct inv_attachment *a = &l->inv.attachments[i];

		if (is_asked(a, l->asked) && add_attachment(l, a, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < l->inv.n_attachments; i++)
		if (is_asked(&l->inv.attachments[i], l->asked) &&
		    add_entries(l, l->inv.attachments[i].container_id, e) < 0)
			return -1;
	return add_entries(l, l->asked, e);
}

/* -- the annotation -- */

static int put_annotation(const struct looking *l, const char *container, struct err *e)
{
	json_auto_t *list = NULL;
	auto_free char *text = NULL;
	int r = status_all(l->host, container, &list, e);

	if (r <= 0)
		return r;
	text = status_annotation(list);
	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "compose the annotation");
	(void)puts(text);
	return 1;
}

/* Of each sandbox that the rows are of, in their order. */
static enum ctl_status answer_annotation(const struct looking *l)
{
	struct err e = { 0 };
	const char *container;
	bool has_some = false;
	json_t *unused;

	json_object_foreach(l->containers, container, unused) {
		int r = put_annotation(l, container, &e);

		if (r < 0)
			return ctl_error(&e);
		has_some = has_some || r > 0;
	}
	if (has_some)
		return CTL_OK;
	(void)err_set(&e, ERR_UNKNOWN_CONTAINER, 0, "network-status of '%.200s' has no entry",
		      l->asked);
	return ctl_error(&e);
}

static enum ctl_status answer(struct looking *l)
{
	struct err e = { 0 };

	if (inventory_read_attachments(l->host, &l->inv, &e) < 0 || find(l, &e) < 0)
		return ctl_error(&e);
	if (l->opt->annotation && json_array_size(l->rows) > 0)
		return answer_annotation(l);
	if (json_array_size(l->rows) > 0 || ctl_is_json(l->opt))
		ctl_put_rows(l->opt, columns, ARRAY_SIZE(columns), l->rows, "");
	if (json_array_size(l->rows) > 0)
		return CTL_OK;
	(void)err_set(&e, ERR_UNKNOWN_CONTAINER, 0, "nothing is attached to '%.200s': expected "
		      "NAMESPACE/NAME, UID or container id of a pod on this node", l->asked);
	return ctl_error(&e);
}

enum ctl_status ctl_status_of(const struct host *host, const struct ctl_options *opt,
			      char *const *operands)
{
	json_auto_t *rows = json_array(), *containers = json_object();
	struct looking l = {
		.host = host, .opt = opt, .asked = operands[0], .containers = containers,
		.rows = rows,
	};
	enum ctl_status status = answer(&l);

	inventory_done(&l.inv);
	return status;
}
