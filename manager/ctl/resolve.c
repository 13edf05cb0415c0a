/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.c - devinfoctl resolve: which device would the plugin choose, and why?
 *
 * Walks the plugin's own way, from kubelet to the ledger, without writing or locking
 * anything.  The answer is that of this moment.
 */
#include "manager/ctl/pod.h"

#include "base/mem.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/resolve.h"
#include "devinfo/journal/resolve_taint.h"
#include "manager/ctl/table.h"

#include <stdio.h>
#include <string.h>

struct question {
	const struct host *host;
	struct journal *journal;
	const struct pod *pod;
	struct owner who;		/* network "" and interface "": a new attachment */
	struct taint_rules taints;	/* owned; of the node's administrator */
};

static void question_done(struct question *q)
{
	taint_rules_done(&q->taints);
}

static bool is_new(const struct question *q)
{
	return !*q->who.network;
}

/* The plugin's node may have attached nothing so far. */
static int open_journal(const struct host *host, struct journal *j, struct err *e)
{
	int r = journal_open(host, JOURNAL_READ, j, e);

	j->read_only = true;
	return r;
}

/* -- a row of each device -- */

static void set_text(json_t *row, const char *key, const char *text)
{
	(void)json_object_set_new(row, key, json_string(text));
}

/* What a device is that is not here any more: its record was there. */
static const char *kind_of_record(const struct record *rec)
{
	if (rec->is_pci)
		return "PCI address";
	if (*rec->vdpa.name)
		return "vDPA device";
	if (strcmp(rec->netdev.bus, "auxiliary") == 0)
		return "auxiliary device";
	return rec->netdev.present ? "network device" : "path on the host";
}

/* word: "attached", or "given" before and free now. */
static void tell_owner(json_t *row, const char *word, const struct owner *o)
{
	bool given = strcmp(word, "given") == 0;

	set_text(row, "state", word);
	(void)json_object_set_new(row, "about", given ?
		json_sprintf("free, was given to %s of network %s", o->ifname, o->network) :
		json_sprintf("attached to %s of container %s, network %s", o->ifname,
			     o->container_id, o->network));
	(void)json_object_set_new(row, "owner", json_pack("{s:s, s:s, s:s}", "network", o->network,
							  "interface", o->ifname, "container_id",
							  o->container_id));
}

/* Who has it, or was given it. */
static int add_state(const struct question *q, const char *resource, const char *id, json_t *row,
		     bool is_here, struct err *e)
{
	auto_record struct record rec = { 0 };
	struct ledger_entry given;
	int r = resolve_holder(q->host, q->journal, NULL, id, &rec, e);

	if (r > 0 && !is_here)
		set_text(row, "kind", kind_of_record(&rec));
	if (r > 0)
		tell_owner(row, "attached", &rec.owner);
	if (r != 0)
		return r;
	r = ledger_find(q->host, q->pod, resource, id, &given, e);
	set_text(row, "state", "free");
	set_text(row, "about", "free");
	if (r > 0)
		tell_owner(row, "given", &(struct owner){ .network = given.network,
							  .ifname = given.ifname,
							  .container_id = given.container_id });
	return r < 0 ? -1 : 0;
}

/* What is attached already stays so, whatever is said of its device now. */
static int add_taint(const struct question *q, const struct candidate *one, json_t *row,
		     struct err *e)
{
	const char *state = json_string_value(json_object_get(row, "state"));
	const struct taint_rule *rule = NULL;
	char taint[TAINT_TEXT_SIZE];
	int r = candidate_taint(&q->taints, q->host, one, &rule, e);

	if (r <= 0)
		return r;
	taint_text(rule, taint);
	set_text(row, "taint", taint);
	set_text(row, "tainted_by", rule->name);
	if (strcmp(state, "attached") == 0)
		return 0;
	set_text(row, "state", "tainted");
	(void)json_object_set_new(row, "about",
				  *rule->doubt ?
				  json_sprintf("may be tainted: %s", rule->doubt) :
				  json_sprintf("tainted %s by %s%s", taint, rule->name,
					       q->host->set.refuse_tainted ? "" :
					       ", which an ADD takes no notice of"));
	return 0;
}

static int add_row(const struct question *q, const struct candidates *c,
		   const struct candidate *one, json_t *rows, struct err *e)
{
	struct device_ref ref = { 0 };
	json_t *row = json_object();
	int r = device_ref_find(q->host, one->id, &ref, e);

	(void)json_array_append_new(rows, row);
	if (r < 0)
		return -1;
	set_text(row, "device", one->id);
	set_text(row, "resource", one->label);
	set_text(row, "kind", device_ref_kind_name(ref.kind));
	set_text(row, "source", one->source);
	(void)json_object_set_new(row, "chosen", json_false());
	return add_state(q, c->wish.resource, one->id, row, r > 0, e) < 0 ||
	       add_taint(q, one, row, e) < 0 ? -1 : 0;
}

/* -- and the choice -- */

static void mark_choice(const struct resolved *chosen, const json_t *rows)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const char *id = json_string_value(json_object_get(row, "device"));

		if (!id || strcmp(id, chosen->one->id) != 0)	/* NULL: it was not UTF-8 */
			continue;
		(void)json_object_set_new(row, "chosen", json_true());
		set_text(row, "why", chosen->why);
	}
}

static void print_choice(const struct question *q, const struct candidates *c,
			 const struct resolved *chosen)
{
	(void)putchar('\n');
	ctl_put_line(stdout, "choice for %s: %s (%s)", is_new(q) ? "a new attachment" :
		     q->who.ifname, chosen->one->id, chosen->why);
	ctl_put_line(stdout, "from %s%s%s", chosen->one->source, *c->from.tried ? "; before it, " :
		     "", c->from.tried);
	if (*c->tried)
		ctl_put_line(stdout, "%s", c->tried);
}

/* The rows are printed also when there is nothing to choose. */
static int answer(const struct question *q, const struct ctl_options *opt,
		  struct candidates *c, struct err *e)
{
	static const struct ctl_column columns[] = {
		{ "DEVICE", "device", .wide = false },
		{ "RESOURCE OR CLAIM", "resource", .wide = false },
		{ "IS A", "kind", .wide = false },
		{ "SOURCE", "source", .wide = true },
		{ "STATE", "about", .wide = false },
	};
	json_auto_t *rows = json_array();
	struct resolved chosen;
	int r;

	for (size_t i = 0; i < c->n; i++)
		if (add_row(q, c, &c->list[i], rows, e) < 0)
			return -1;
	r = candidates_drop_tainted(&q->taints, q->host, c, e);
	if (r >= 0)
		r = resolve_choose(q->host, q->journal, q->pod, &q->who, c, &chosen, e);
	if (r >= 0)
		mark_choice(&chosen, rows);
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, "no device");
	if (r >= 0 && !ctl_is_json(opt) && !ctl_is_name(opt))
		print_choice(q, c, &chosen);
	return r < 0 ? -1 : 0;
}

/* -- the question -- */

static enum ctl_status check_question(const struct ctl_options *opt, const char *pod,
				      char *const *operands)
{
	if (opt->pod && *operands)
		return ctl_usage("resolve needs one pod, not --pod %s and %s", opt->pod, *operands);
	if (!pod)
		return ctl_usage("a pod is needed by resolve, NAMESPACE/NAME");
	if (!opt->network != !opt->interface)	/* the ledger goes by both */
		return ctl_usage("--network and --interface are needed together");
	return CTL_OK;
}

static void tell_taint(const struct err *why, void *arg)
{
	(void)arg;
	(void)ctl_error(why);
}

enum ctl_status ctl_resolve(const struct host *host, const struct ctl_options *opt,
			    char *const *operands)
{
	const struct deadline d = deadline_in(ctl_timeout_ms(host, opt));
	char bdf[NAME_BDF_SIZE];
	const struct wish wish = {
		.resource = opt->resource,
		.claim = opt->claim,
		.request = opt->request,
		.device_id = opt->device ? ctl_device_id(opt->device, bdf) : NULL,
	};
	const char *name = opt->pod ? opt->pod : *operands;
	auto_journal struct journal journal = { .dir = -1, .lock = -1 };
	auto_candidates struct candidates c = { 0 };
	struct pod pod = { .uid = opt->uid };
	auto_with(question_done) struct question q = { .host = host, .journal = &journal,
						       .pod = &pod };
	struct err e = { 0 };
	char text[520];
	int r;

	if (check_question(opt, name, operands) != CTL_OK)
		return CTL_USAGE;
	if (!ctl_split_pod(name, text, sizeof(text), &pod))
		return ctl_usage("a pod cannot be '%s': expected NAMESPACE/NAME", name);
	q.who = (struct owner){
		.network = opt->network ? opt->network : "",
		.ifname = opt->interface ? opt->interface : "",
		.container_id = "",
	};
	ctl_await("kubelet");
	r = resolve_candidates(host, &pod, &wish, &d, &c, &e);
	ctl_await_end();
	if (r < 0 || open_journal(host, &journal, &e) < 0 ||
	    taint_rules_read(host, tell_taint, NULL, &q.taints, &e) < 0 ||
	    answer(&q, opt, &c, &e) < 0)
		return ctl_error(&e);
	return CTL_OK;
}
