/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.c - devinfoctl repair: carry out what doctor says to do, where that is safe
 *
 * One line for each finding: what was done about it, or why nothing was.  A recorded node can only
 * be asked what would be done.
 */
#include "manager/ctl/ctl.h"

#include "base/deadline.h"
#include "base/log.h"
#include "base/mem.h"
#include "manager/ctl/table.h"
#include "manager/doctor/checks.h"
#include "manager/doctor/repair.h"
#include "manager/inventory/inventory.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* What became of a finding. */
struct outcome {
	const char *result;	/* "repaired", "would repair", "gone", "failed", "by hand" */
	char why[2048];
	bool is_left;
};

static const struct ctl_column columns[] = {
	{ .title = "RESULT", .key = "result", .coloured = true },
	{ .title = "CHECK", .key = "check" },
	{ .title = "OBJECT", .key = "object" },
	{ .title = "WHAT", .key = "what", .below = "    " },
	{ .title = "WHY", .key = "why", .below = "    -> " },
};

static void carry_out(const struct host *host, const struct finding *f, struct outcome *ret)
{
	struct err e = { 0 };
	int r = repair_carry_out(host, f, &e);

	ret->result = r > 0 ? "repaired" : r == 0 ? "gone" : "failed";
	ret->is_left = r < 0;
	if (r < 0)
		(void)snprintf(ret->why, sizeof(ret->why), "%s%s%s%s%s", e.msg,
			       *e.details ? ": " : "", e.details, *e.private ? "; " : "",
			       e.private);
	else
		(void)snprintf(ret->why, sizeof(ret->why), "%s", r > 0 ? f->advice :
			       "it was so a moment ago, and is not any more");
	if (r > 0)
		log_info("msg=\"repaired by devinfoctl\" check=%s object=%s", f->check, f->object);
}

static void judge(const struct host *host, const struct finding *f, bool only_look,
		  struct outcome *ret)
{
	if (repair_can(f) && !only_look) {
		carry_out(host, f, ret);
		return;
	}
	ret->result = repair_can(f) ? "would repair" : "by hand";
	ret->is_left = f->severity > SEVERITY_INFO;
	(void)snprintf(ret->why, sizeof(ret->why), "%s", f->advice);
}

/* True when something is left to do. */
static bool repair_one(const struct host *host, const struct finding *f, bool only_look,
		       json_t *rows)
{
	struct outcome o = { .result = "" };
	json_t *row;

	judge(host, f, only_look, &o);
	row = json_pack("{s:s, s:s, s:s, s:s, s:s}", "result", o.result, "check", f->check,
			"severity", severity_name(f->severity), "object", f->object, "what",
			f->what);
	(void)json_object_set_new(row, "why", json_string(o.why));	/* absent: no UTF-8 */
	(void)json_array_append_new(rows, row);
	return o.is_left;
}

enum ctl_status ctl_repair(const struct host *host, const struct ctl_options *opt,
			   char *const *operands)
{
	auto_inventory struct inventory inv = { 0 };
	auto_findings struct findings found = { 0 };
	json_auto_t *rows = json_array();
	bool is_left = false;
	struct err e = { 0 };
	int r;

	(void)operands;
	(void)signal(SIGPIPE, SIG_IGN);		/* what is run may not hear us out */
	ctl_await("kubelet and plugins");
	r = findings_make(host, ctl_timeout_ms(host, opt), &inv, &found, &e);
	ctl_await_end();
	if (r < 0)
		return ctl_error(&e);
	if (inv.node.is_recorded && !opt->dry_run)
		return ctl_usage("a recorded node is not repaired, but for --dry-run");
	if (!opt->dry_run)
		ctl_act_as_plugin(host);
	for (size_t i = 0; i < found.n && !deadline_interrupted(); i++) {
		ctl_progress("repairing", i);
		is_left |= repair_one(host, &found.list[i], opt->dry_run, rows);
	}
	ctl_progress_end();
	(void)signal(SIGPIPE, SIG_DFL);
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, "nothing to repair");
	return is_left || deadline_interrupted() ? CTL_FAILED : CTL_OK;
}
