/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_resolve.c - devinfoctl resolve: which device would the plugin choose, and why?
 *
 * Walks the plugin's own way, from kubelet to the ledger, without writing or locking
 * anything.  The answer is that of this moment.
 */
#include "devinfo/ctl/ctl.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/resolve.h"

#include <stdio.h>
#include <string.h>

struct question {
	const struct host *host;
	struct journal *journal;
	const struct pod *pod;
	struct owner who;		/* network "" and interface "": a new attachment */
};

static bool is_new(const struct question *q)
{
	return !*q->who.network;
}

/* "ns/name" into its parts, which are cut out of buf. */
static bool split_pod(const char *text, char *buf, size_t size, struct pod *ret)
{
	char *slash;

	if (strlen(text) >= size)
		return false;
	memcpy(buf, text, strlen(text) + 1);
	slash = strchr(buf, '/');
	if (!slash)
		return false;
	*slash = '\0';
	ret->name_space = buf;
	ret->name = slash + 1;
	return name_is_dns_label(ret->name_space) && name_is_dns_subdomain(ret->name);
}

/* The plugin's node may have attached nothing so far. */
static int open_journal(const struct host *host, struct journal *j, struct err *e)
{
	int r = journal_open(host, JOURNAL_READ, j, e);

	j->read_only = true;
	return r;
}

static int print_holder(const struct question *q, const char *resource, const char *id,
			struct err *e)
{
	auto_record struct record rec = { 0 };
	struct ledger_entry given;
	int r = resolve_holder(q->host, q->journal, NULL, id, &rec, e);

	if (r > 0)
		(void)printf("attached to %s of container %s, network %s\n", rec.owner.ifname,
			     rec.owner.container_id, rec.owner.network);
	if (r != 0)
		return r;
	r = ledger_find(q->host, q->pod, resource, id, &given, e);
	if (r < 0)
		return -1;
	if (r > 0)
		(void)printf("free, was given to %s of network %s\n", given.ifname, given.network);
	else
		(void)puts("free");
	return 0;
}

static int print_kind(const struct question *q, const char *id, struct err *e)
{
	struct device_ref ref = { 0 };
	int r = device_ref_find(q->host, id, &ref, e);

	if (r < 0)
		return -1;
	(void)printf("%-24s", device_ref_kind_name(ref.kind));
	return 0;
}

static int print_candidates(const struct question *q, const struct candidates *c, struct err *e)
{
	(void)printf("%-24s %-32s %-24s%s\n", "DEVICE", "RESOURCE OR CLAIM", "IS A", "STATE");
	for (size_t i = 0; i < c->n; i++) {
		(void)printf("%-24s %-32s ", c->list[i].id, c->list[i].label);
		if (print_kind(q, c->list[i].id, e) < 0 ||
		    print_holder(q, c->wish.resource, c->list[i].id, e) < 0)
			return -1;
	}
	return 0;
}

static int print_choice(const struct question *q, const struct candidates *c, struct err *e)
{
	struct resolved chosen;

	if (resolve_choose(q->host, q->journal, q->pod, &q->who, c, &chosen, e) < 0)
		return -1;
	(void)printf("\nchoice for %s: %s (%s)\nfrom %s%s%s\n",
		     is_new(q) ? "a new attachment" : q->who.ifname, chosen.one->id, chosen.why,
		     chosen.one->source, *c->from.tried ? "; before it, " : "", c->from.tried);
	if (*c->tried)
		(void)printf("%s\n", c->tried);
	return 0;
}

static enum ctl_status check(const struct ctl_options *opt)
{
	if (!opt->pod)
		return ctl_usage("--pod NAMESPACE/NAME is needed by resolve");
	if (!opt->network != !opt->interface)	/* the ledger goes by both */
		return ctl_usage("--network and --interface are needed together");
	return CTL_OK;
}

enum ctl_status ctl_resolve(const struct host *host, const struct ctl_options *opt,
			    char *const *operands)
{
	const struct deadline d = deadline_in(host->set.podres_timeout_ms);
	const struct wish wish = {
		.resource = opt->resource,
		.claim = opt->claim,
		.request = opt->request,
		.device_id = opt->device,
	};
	auto_journal struct journal journal = { .dir = -1, .lock = -1 };
	auto_candidates struct candidates c = { 0 };
	struct pod pod = { .uid = opt->uid };
	struct question q = { .host = host, .journal = &journal, .pod = &pod };
	struct err e = { 0 };
	char text[520];

	(void)operands;
	if (check(opt) != CTL_OK)
		return CTL_USAGE;
	if (!split_pod(opt->pod, text, sizeof(text), &pod))
		return ctl_usage("--pod cannot be '%s': expected NAMESPACE/NAME", opt->pod);
	q.who = (struct owner){
		.network = opt->network ? opt->network : "",
		.ifname = opt->interface ? opt->interface : "",
		.container_id = "",
	};
	if (resolve_candidates(host, &pod, &wish, &d, &c, &e) < 0 ||
	    open_journal(host, &journal, &e) < 0 || print_candidates(&q, &c, &e) < 0 ||
	    print_choice(&q, &c, &e) < 0)
		return ctl_error(&e);
	return CTL_OK;
}
