/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - devinfoctl explain: the whole way of a pod's devices, and where it ends
 *
 * What the network asked for, what kubelet gave, which device was chosen, and what became of it.
 * Where the pod has a device that nobody has attached, that is told as well: it is what a pod that
 * does not start looks like from here.
 */
#include "manager/ctl/explain.h"

#include "base/mem.h"
#include "devinfo/journal/earlier.h"
#include "manager/ctl/pod.h"
#include "manager/ctl/table.h"

#include <stdio.h>
#include <string.h>

/* -- an attachment -- */

static void explain_known(struct explaining *x, const struct inv_attachment *a)
{
	static void (*const stages[])(struct explained *t) = {
		explain_request, explain_allocation, explain_choice, explain_record,
		explain_device, explain_interface, explain_file, explain_status,
	};
	const struct owner owner = { .network = a->network, .container_id = a->container_id,
				     .ifname = a->ifname, .netns = a->netns };
	auto_record struct record rec = { 0 };
	struct explained t = { .x = x, .a = a };
	struct err ignored;		/* the stage of the record says it by the attachment */

	if (x->journal->dir >= 0 && journal_find(x->journal, &owner, &rec, &ignored) > 0)
		t.rec = &rec;
	for (size_t i = 0; i < ARRAY_SIZE(stages); i++)
		stages[i](&t);
	json_decref(t.request);
}

struct elsewhere {
	struct explaining *x;
	const struct inv_attachment *a;
};

static int explain_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct elsewhere *w = arg;
	struct explaining of = *w->x;

	(void)e;
	if (strcmp(there->set.state_dir, w->a->state_dir) != 0)
		return 0;
	of.host = there;
	of.journal = j;
	explain_known(&of, w->a);
	w->x->is_bad = of.is_bad;
	return 1;
}

/* One of an earlier stateDir by the journal and the directories there. */
static void explain_attachment(struct explaining *x, const struct inv_attachment *a)
{
	struct elsewhere w = { x, a };
	struct err ignored;		/* as above */

	if (!*a->state_dir ||
	    earlier_each(x->host, JOURNAL_READ, explain_there, &w, &ignored) <= 0)
		explain_known(x, a);
}

/* -- the pod -- */

static void explain_pod(struct explaining *x)
{
	const struct inventory *inv = x->inv;
	bool known = false;

	for (size_t i = 0; i < inv->n_attachments; i++)
		if (explain_is_attached(x, &inv->attachments[i])) {
			known = true;
			explain_attachment(x, &inv->attachments[i]);
		}
	explain_rest(x);
	known |= explain_given(x) || x->has_rest;
	if (!known)
		explain_strays(x);
	if (*inv->node.kubelet_error && (known || x->is_bad))
		explain_stage(x, "", "kubelet", STAGE_UNKNOWN, "", "what kubelet gave is not "
			      "known: %s", inv->node.kubelet_error);
	if (!known)
		explain_stage(x, "", "pod", STAGE_MISSING, "look whether the pod runs on this node "
			      "and how its name is spelled", "no attachment is of pod %s/%s, and "
			      "%s%s", x->pod.name_space, x->pod.name,
			      *inv->node.kubelet_error ? "what kubelet gave is not known: " :
							 "kubelet has given it no device",
			      inv->node.kubelet_error);
}

static void print_it(const struct explaining *x, const struct ctl_options *opt)
{
	static const struct ctl_column columns[] = {
		{ "INTERFACE", "interface", .wide = false },
		{ "STAGE", "stage", .wide = false },
		{ "STATE", "state", .coloured = true },
		{ "WHAT", "what", .wide = false },
	};

	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), x->stages, "nothing is to be done");
	if (ctl_is_name(opt))
		return;
	if (json_array_size(x->advice) > 0)
		(void)puts("\nwhat to do:");
	for (size_t i = 0; i < json_array_size(x->advice); i++)
		ctl_put_line(stdout, "- %s", json_string_value(json_array_get(x->advice, i)));
}

static void put_object(struct explaining *x, const char *pod)
{
	json_auto_t *o = json_pack("{s:s, s:s, s:O, s:O}", "pod", pod, "state",
				   x->is_bad ? "wrong" : "ok", "stages", x->stages, "advice",
				   x->advice);

	ctl_put_json(o);
}

/* What there is of the node, for one pod. */
static int look_at_pod(const struct host *host, const struct ctl_options *opt,
		       struct inventory *inv, struct journal *j, struct err *e)
{
	int r;

	if (inventory_read(host, inv, e) < 0 || inventory_join(host, inv, e) < 0)
		return -1;
	ctl_await("kubelet");
	r = inventory_ask_kubelet(host, ctl_timeout_ms(host, opt), inv, e);
	ctl_await_end();
	return r < 0 ? -1 : journal_open(host, JOURNAL_READ, j, e);
}

enum ctl_status ctl_explain(const struct host *host, const struct ctl_options *opt,
			    char *const *operands)
{
	auto_journal struct journal journal = { .dir = -1, .lock = -1 };
	auto_inventory struct inventory inv = { 0 };
	json_auto_t *stages = json_array(), *advice = json_array();
	struct explaining x = { .host = host, .inv = &inv, .journal = &journal,
				.stages = stages, .advice = advice };
	struct err e = { 0 };
	char text[520];

	if (!ctl_split_pod(*operands, text, sizeof(text), &x.pod))
		return ctl_usage("a pod cannot be '%s': expected NAMESPACE/NAME", *operands);
	if (look_at_pod(host, opt, &inv, &journal, &e) < 0)
		return ctl_error(&e);
	journal.read_only = true;
	explain_pod(&x);
	explain_sort(&x);
	if (ctl_is_json(opt))
		put_object(&x, *operands);
	else
		print_it(&x, opt);
	return x.is_bad ? CTL_FAILED : CTL_OK;
}
