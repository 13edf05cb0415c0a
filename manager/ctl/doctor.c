/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c - devinfoctl doctor: what is wrong on this node, and what to do about it? */
#include "manager/ctl/table.h"

#include "base/fs.h"
#include "base/mem.h"
#include "manager/doctor/checks.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct ctl_column columns[] = {
	{ "SEVERITY", "severity", .coloured = true },
	{ "CHECK", "check", .wide = false },
	{ "OBJECT", "object", .wide = false },
	{ "WHAT", "what", .below = "    " },
	{ "ADVICE", "advice", .below = "    -> " },
};

static const struct ctl_column list_columns[] = {
	{ "CHECK", "check", .wide = false },
	{ "WHAT IS LOOKED FOR", "about", .wide = false },
};

static enum ctl_status list_checks(const struct ctl_options *opt)
{
	json_auto_t *rows = json_array();
	const struct check *c;

	for (size_t i = 0; (c = check_at(i)) != NULL; i++)
		(void)json_array_append_new(rows, json_pack("{ssss}", "check", c->name, "about",
							    c->about));
	ctl_put_rows(opt, list_columns, ARRAY_SIZE(list_columns), rows, "no checks");
	return CTL_OK;
}

static json_t *finding_row(const struct finding *f)
{
	return json_pack("{ssssssssss}", "severity", severity_name(f->severity), "check", f->check,
			 "object", f->object, "what", f->what, "advice", f->advice);
}

/* -- what was not looked at -- */

/* For machines a row like a finding's. */
static void add_skipped(const struct findings *f, json_t *rows)
{
	for (size_t i = 0; i < f->n_skipped; i++)
		(void)json_array_append_new(rows, json_pack("{ssssssssss}", "severity", "skipped",
							    "check", f->skipped[i].check, "object",
							    "", "what", f->skipped[i].why,
							    "advice", ""));
}

static bool is_first_of_reason(const struct findings *f, size_t i)
{
	size_t before = 0;

	while (before < i && strcmp(f->skipped[before].why, f->skipped[i].why) != 0)
		before++;
	return before == i;
}

/* Of each reason the checks. */
static void put_skipped(const struct findings *f)
{
	if (f->n_skipped > 0)
		(void)puts("not looked at:");
	for (size_t i = 0; i < f->n_skipped; i++) {
		if (!is_first_of_reason(f, i))
			continue;
		(void)fputs("  ", stdout);
		for (size_t k = i; k < f->n_skipped; k++)
			if (strcmp(f->skipped[k].why, f->skipped[i].why) == 0)
				(void)printf("%s%s", k == i ? "" : ", ", f->skipped[k].check);
		(void)fputs(": ", stdout);
		ctl_put_line(stdout, "%s", f->skipped[i].why);
	}
}

/* "; no Kubernetes on this node: there is no /var/lib/kubelet", or nothing. */
static int tell_kubernetes(const struct host *host, char *ret, size_t size, struct err *e)
{
	int r = fs_exists(host->root, e, "%s", host->set.kubelet_dir);

	*ret = '\0';
	if (r == 0)	/* Podman and others have CNI configurations as well */
		(void)snprintf(ret, size, "; no Kubernetes on this node: there is no %s",
			       host->set.kubelet_dir);
	return r < 0 ? -1 : 0;
}

static enum ctl_status put_findings(const struct ctl_options *opt, const struct findings *f,
				    const char *kubernetes)
{
	json_auto_t *rows = json_array();
	bool bad = false;

	for (size_t i = 0; i < f->n; i++) {
		(void)json_array_append_new(rows, finding_row(&f->list[i]));
		bad |= f->list[i].severity != SEVERITY_INFO;
	}
	if (ctl_is_json(opt))
		add_skipped(f, rows);
	if (f->n == 0 && !ctl_is_json(opt))
		ctl_put_line(ctl_is_name(opt) ? stderr : stdout, "%shealthy (%zu checks%s)",
			     ctl_is_name(opt) ? "devinfoctl: " : "", f->checks, kubernetes);
	else
		ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, "");
	if (!ctl_is_json(opt) && !ctl_is_name(opt))
		put_skipped(f);
	return bad ? CTL_FAILED : CTL_OK;
}

static int look_at_node(const struct host *host, const struct ctl_options *opt,
			struct findings *ret, struct err *e)
{
	auto_inventory struct inventory inv = { .n_functions = 0 };
	int r;

	ctl_await("kubelet and plugins");
	r = findings_make(host, ctl_timeout_ms(host, opt), &inv, ret, e);
	ctl_await_end();
	return r;
}

enum ctl_status ctl_doctor(const struct host *host, const struct ctl_options *opt,
			   char *const *operands)
{
	auto_findings struct findings f = { .n = 0 };
	struct err e = { 0 };
	char kubernetes[512];

	(void)operands;
	if (opt->list)
		return list_checks(opt);
	(void)signal(SIGPIPE, SIG_IGN);		/* plugins may not hear us out */
	if (look_at_node(host, opt, &f, &e) < 0 ||
	    tell_kubernetes(host, kubernetes, sizeof(kubernetes), &e) < 0)
		return ctl_error(&e);
	(void)signal(SIGPIPE, SIG_DFL);
	return put_findings(opt, &f, kubernetes);
}
