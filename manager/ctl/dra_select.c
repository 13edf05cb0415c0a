/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dra_select.c - devinfoctl dra select: which devices would a claim get here?
 *
 * The devices are those of --slices, else of ResourceSlices among the files, else this node's own
 * as `export resourceslice` prints them; what overrides say of them is laid over, those of the
 * node's directory, of --overrides and of the files.  What pods have is asked of kubelet, whoever
 * published the slices.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "manager/ctl/inventory.h"
#include "manager/ctl/overrides.h"
#include "manager/ctl/table.h"
#include "manager/ctl/trace.h"
#include "manager/dra/lint.h"
#include "manager/dra/name.h"
#include "manager/dra/kubernetes.h"
#include "manager/dra/node_view.h"
#include "manager/dra/select.h"
#include "manager/inventory/inventory.h"
#include "manager/inventory/join_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SELECT_MS = 30000 };

struct selecting {
	const struct host *host;
	const struct ctl_options *opt;
	struct manifests asked;		/* FILE... */
	struct node_view view;		/* the devices, with what is laid over them */
	struct dra_devices unruled;	/* the same without rules that schedulers do not see */
	struct kubernetes kubernetes;	/* whose scheduler is meant */
	struct inventory inv;
	char node[CTL_NODE_NAME];
	json_t *taken;			/* owned */
};

static void selecting_done(struct selecting *s)
{
	overrides_unseen_done(&s->unruled);
	node_view_done(&s->view);
	manifests_done(&s->asked);
	inventory_done(&s->inv);
	json_decref(s->taken);
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* A DeviceClass of another group is no class of devices. */
static void remove_namesakes(struct manifests *m)
{
	for (size_t i = 0; i < m->n;) {
		const struct manifest *one = &m->list[i];

		if (!dra_lint_is_namesake(one)) {
			i++;
			continue;
		}
		ctl_put_line(stderr, "devinfoctl: %s: the %s '%.253s' is passed over: it is of "
			     "%.253s, and not of resource.k8s.io", one->source, one->kind,
			     one->name, one->api_version);
		manifests_remove(m, i);
	}
}

static int read_slices(const char *path, struct manifests *to, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (ctl_read_file(path, MANIFEST_BYTES_MAX, &text, &len, e) < 0 ||
	    manifests_read(text, len, name_of(path), to, e) < 0)
		return -1;
	remove_namesakes(to);
	return 0;
}

/* A file may have overrides, too. */
static int read_file(struct selecting *s, const char *path, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (ctl_read_file(path, MANIFEST_BYTES_MAX, &text, &len, e) < 0 ||
	    manifests_read(text, len, name_of(path), &s->asked, e) < 0)
		return -1;
	remove_namesakes(&s->asked);
	return s->host->set.overrides ?
		       manifests_read(text, len, name_of(path), &s->view.o.from, e) : 0;
}

/* -- which devices -- */

static bool has_kind(const struct manifests *m, const char *kind)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->list[i].kind, kind) == 0)
			return true;
	return false;
}

/* The one node that slices of a file are of; they may be of all, or of several. */
static int name_node_of(struct selecting *s, const struct manifests *m, struct err *e)
{
	const char *found = NULL;

	if (s->opt->node_name)
		return ctl_node_name(s->host, s->opt, s->node, e);
	for (size_t i = 0; i < m->n; i++) {
		const char *name = json_string_value(json_object_get(
			json_object_get(m->list[i].doc, "spec"), "nodeName"));

		if (strcmp(m->list[i].kind, "ResourceSlice") != 0 || !name)
			continue;
		if (found && strcmp(found, name) != 0)
			return err_set(e, ERR_NETCONF, 0, "ResourceSlices of several nodes, %.64s "
				       "and %.64s: say which by --node-name", found, name);
		found = name;
	}
	(void)snprintf(s->node, sizeof(s->node), "%.253s", found ? found : "");
	return 0;
}

/* As the cluster sees this node's own. */
static int view_node(struct selecting *s, struct err *e)
{
	auto_pools struct pools pools = { .n = 0 };
	const struct node_slices_wish wish = {
		.driver = s->opt->driver ? s->opt->driver : NODE_SLICES_DRIVER,
		.node = s->node, .generation = 1, .pools = &pools, .host = s->host,
	};

	if (!dra_name_is_driver(wish.driver))
		return err_set(e, ERR_NETCONF, 0, "--driver cannot be '%.64s': expected a DNS name "
			       "of at most %d bytes", wish.driver, DRA_DRIVER_MAX);
	if (s->opt->pool && ctl_read_pools(s->opt->pool, &pools, e) < 0)
		return -1;
	return ctl_node_name(s->host, s->opt, s->node, e) < 0 ? -1 :
	       node_view_make(&s->inv, &wish, &s->view, e);
}

static int view_slices(struct selecting *s, const struct manifests *from, struct err *e)
{
	struct node_view *v = &s->view;

	if (name_node_of(s, from, e) < 0 || dra_devices_read(from, &v->devices, e) < 0 ||
	    overrides_compile(&v->o, e) < 0)
		return -1;
	return overrides_apply(&v->o, &v->devices, &v->changes, e);
}

static int read_devices(struct selecting *s, struct err *e)
{
	struct manifests *given = &s->view.slices;

	if (ctl_read_overrides(s->host, s->opt, &s->view.o, e) < 0)
		return -1;
	if (s->opt->slices)
		return read_slices(s->opt->slices, given, e) < 0 ? -1 :
		       view_slices(s, given, e);
	return has_kind(&s->asked, "ResourceSlice") ? view_slices(s, &s->asked, e) :
						      view_node(s, e);
}

/* Whose rules a scheduler may not see; 1, 0, -1. */
static int read_unruled(struct selecting *s, struct err *e)
{
	return overrides_unseen(&s->view.o, &s->view.devices, &s->view.changes,
				"resource.k8s.io/v1beta2", &s->unruled, e);
}

/* -- what is printed -- */

static const struct ctl_column columns[] = {
	{ .title = "RESULT", .key = "result", .coloured = true },
	{ .title = "CLAIM", .key = "claim" },
	{ .title = "REQUEST", .key = "request" },
	{ .title = "CLASS", .key = "class", .wide = true },
	{ .title = "DEVICE", .key = "device" },
	{ .title = "DRIVER", .key = "driver" },
	{ .title = "POOL", .key = "pool" },
	{ .title = "WHY", .key = "reason" },
};

static void add_row(json_t *rows, const char *result, const json_t *claim, const json_t *request,
		    const json_t *of)
{
	static const char *const keys[] = { "device", "driver", "pool", "reason" };
	json_t *row = json_pack("{s:s,s:O,s:O,s:O}", "result", result, "claim",
				json_object_get(claim, "claim"), "request",
				json_object_get(request, "request"), "class",
				json_object_get(request, "class"));

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (json_object_get(of, keys[i]))
			(void)json_object_set(row, keys[i], json_object_get(of, keys[i]));
	(void)json_array_append_new(rows, row);
}

/* What is taken; of a claim that cannot be satisfied, or with --why, also what is not. */
static void add_request(const struct ctl_options *opt, json_t *rows, const json_t *claim,
			const json_t *request)
{
	bool met = json_is_true(json_object_get(request, "met"));
	bool all = opt->why || !json_is_true(json_object_get(claim, "satisfied"));
	const json_t *device;
	size_t i;

	if (!met && all)
		add_row(rows, "not met", claim, request, request);
	json_array_foreach(json_object_get(request, "devices"), i, device) {
		bool taken = json_is_true(json_object_get(device, "taken"));

		if (taken || all)
			add_row(rows, taken ? "taken" : "left", claim, request, device);
	}
}

static json_t *rows_of(const struct ctl_options *opt, const json_t *answer)
{
	json_t *rows = json_array();
	const json_t *claim, *request;
	size_t i, k;

	json_array_foreach(json_object_get(answer, "claims"), i, claim) {
		json_array_foreach(json_object_get(claim, "requests"), k, request) {
			add_request(opt, rows, claim, request);
		}
	}
	return rows;
}

static void put_device_why(const json_t *request, const json_t *device)
{
	const json_t *selector;
	size_t i;

	if (json_array_size(json_object_get(device, "why")) == 0)
		return;
	ctl_put_line(stdout, "request %s: device %s of pool %s of driver %s",
		     json_string_value(json_object_get(request, "request")),
		     json_string_value(json_object_get(device, "device")),
		     json_string_value(json_object_get(device, "pool")),
		     json_string_value(json_object_get(device, "driver")));
	json_array_foreach(json_object_get(device, "why"), i, selector) {
		ctl_put_line(stdout, "  %s",
			     json_string_value(json_object_get(selector, "selector")));
		ctl_put_trace(stdout, json_object_get(selector, "trace"), 4);
	}
}

static void put_why(const json_t *answer)
{
	const json_t *claim, *request, *device;
	size_t i, k, j;

	json_array_foreach(json_object_get(answer, "claims"), i, claim) {
		json_array_foreach(json_object_get(claim, "requests"), k, request) {
			json_array_foreach(json_object_get(request, "devices"), j, device) {
				put_device_why(request, device);
			}
		}
	}
}

static void put_failures(FILE *to, const json_t *answer)
{
	const json_t *claim;
	size_t i;

	json_array_foreach(json_object_get(answer, "claims"), i, claim)
		if (!json_is_true(json_object_get(claim, "satisfied")))
			ctl_put_line(to, "claim %s of %s cannot be satisfied: %s",
				     json_string_value(json_object_get(claim, "claim")),
				     json_string_value(json_object_get(claim, "source")),
				     json_string_value(json_object_get(claim, "reason")));
}

static void put_notes(const json_t *answer)
{
	const json_t *note;
	size_t i;

	json_array_foreach(json_object_get(answer, "notes"), i, note) {
		ctl_put_line(stderr, "devinfoctl: %s", json_string_value(note));
	}
}

static void put_answer(const struct ctl_options *opt, const json_t *answer)
{
	json_auto_t *rows = rows_of(opt, answer);

	if (ctl_is_json(opt)) {
		ctl_put_json(answer);
		return;
	}
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, "no request was tried");
	if (opt->why && !ctl_is_name(opt))
		put_why(answer);
	put_failures(ctl_is_name(opt) ? stderr : stdout, answer);
	put_notes(answer);
}

static bool has_text(const json_t *list, const json_t *text)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (json_equal(v, text))
			return true;
	return false;
}

/* Names of files may be no UTF-8, and neither what is quoted and cut. */
static json_t *refusal_text(const struct manifest *m, const char *reason)
{
	char said[1500], text[1500];

	(void)snprintf(said, sizeof(said), "%.64s %.253s of %s: the API server refuses it: %s",
		       m->kind, m->name, m->source, reason);
	JOIN_TEXT(text, said);
	return json_string(text);
}

/*
 * They are used all the same: one may be of a newer version than is known here.  Rules are told of
 * where they are applied; an object that is given twice is told of once.
 */
static void note_refusals(const struct manifests *m, const json_t *answer)
{
	json_t *notes = json_object_get(answer, "notes"), *note;
	char reason[DRA_LINT_REASON];

	for (size_t i = 0; i < m->n; i++) {
		const struct manifest *one = &m->list[i];

		if (strcmp(one->kind, "DeviceTaintRule") == 0 || !dra_lint_refusal(m, i, reason))
			continue;
		note = refusal_text(one, reason);
		if (!has_text(notes, note))
			(void)json_array_append(notes, note);
		json_decref(note);
	}
}

/* -- the command -- */

enum ctl_status ctl_dra_select(const struct host *host, const struct ctl_options *opt,
			       char *const *operands)
{
	auto_with(selecting_done) struct selecting s = { .host = host, .opt = opt };
	struct select_question question = { .manifests = &s.asked, .devices = &s.view.devices };
	struct deadline until;
	json_auto_t *answer = NULL;
	struct err e = { 0 };
	int r;

	if (kubernetes_parse(opt->kubernetes, &s.kubernetes, &e) < 0)
		return ctl_usage("%s", e.msg);
	question.kubernetes = opt->kubernetes ? &s.kubernetes : NULL;
	for (; *operands; operands++)
		if (read_file(&s, *operands, &e) < 0)
			return ctl_wrong(&e);
	if (!has_kind(&s.asked, "ResourceClaim") && !has_kind(&s.asked, "ResourceClaimTemplate"))
		return ctl_usage("dra select has no ResourceClaim or ResourceClaimTemplate among "
				 "its files");
	if (ctl_inventory(host, opt, &s.inv, &e) < 0)
		return ctl_error(&e);
	if (read_devices(&s, &e) < 0)
		return ctl_wrong(&e);
	r = read_unruled(&s, &e);
	if (r < 0)
		return ctl_error(&e);
	question.unruled = r > 0 ? &s.unruled : NULL;
	ctl_tell_overrides(&s.view.o);
	s.taken = select_taken(&s.inv, &s.view.devices);
	question.node = s.node;
	question.taken = s.taken;
	question.why = opt->why;
	until = deadline_in(SELECT_MS);
	question.until = &until;
	r = select_devices(&question, &answer, &e);
	if (r < 0)
		return ctl_wrong(&e);
	note_refusals(&s.asked, answer);
	note_refusals(&s.view.slices, answer);
	put_answer(opt, answer);
	return r > 0 ? CTL_OK : CTL_FAILED;
}
