/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_add.c - all networks of a pod: ADD
 *
 * The record first, then the default network, then the others, some at once; all or nothing.
 */
#include "cni/pod/pod_networks.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/probe.h"
#include "cni/call/process.h"
#include "cni/call/result.h"
#include "cni/call/status.h"
#include "cni/pod/pod_assign.h"
#include "cni/pod/pod_child.h"
#include "cni/pod/pod_plan.h"
#include "devinfo/journal/earlier.h"
#include "netlink/nl.h"

#include <errno.h>
#include <stdint.h>

enum { PARALLEL = 8 };	/* attachments at once; of most changes the kernel makes one at a time */

/* Attachments that run, and which they are. */
struct running {
	struct pod_child child[PARALLEL], *list[PARALLEL];
	struct pod_job job[PARALLEL];
	size_t which[PARALLEL], n;
	json_t **answers;
	bool *begun;
};

static int begin(struct pod_networks *p, struct running *run, size_t i, struct err *e)
{
	size_t slot = 0;

	while (run->child[slot].out >= 0)
		slot++;
	run->job[slot] = pod_networks_job(p, VERB_ADD, i);
	run->begun[i] = true;
	if (pod_attach_start(&run->job[slot], &run->child[slot], e) < 0) {
		pod_networks_wrap(&p->rec->list[i], e);
		return -1;
	}
	run->list[run->n] = &run->child[slot];
	run->which[run->n++] = i;
	return 0;
}

/* Take the answer of one that has ended. */
static int end(struct pod_networks *p, struct running *run, size_t at, struct err *e)
{
	size_t i = run->which[at];
	int r = pod_child_collect(run->list[at], &run->answers[i], e);

	run->n--;
	run->list[at] = run->list[run->n];
	run->which[at] = run->which[run->n];
	if (r == 0 && !json_is_object(run->answers[i]))
		r = err_set(e, ERR_DELEGATE, 0, "no result");
	if (r < 0)
		pod_networks_wrap(&p->rec->list[i], e);
	else
		p->rec->list[i].result = run->answers[i];
	return r;
}

/* They roll back; what they say of it is in the log. */
static void stop_all(struct pod_networks *p, struct running *run)
{
	struct err ignored;

	pod_child_stop(run->list, run->n);
	while (run->n > 0)
		(void)end(p, run, 0, &ignored);
}

static int await_one(struct pod_networks *p, struct running *run, struct err *e)
{
	const struct deadline d = { .at_ms = INT64_MAX };	/* that of the call is earlier */
	size_t at = pod_child_wait(run->list, run->n, &d);

	return at < run->n ? end(p, run, at, e) :
	       deadline_error(ERR_TRY_AGAIN, e, "%zu networks are not attached %s", run->n,
			      deadline_end());
}

/* An attachment that takes the pod's default route: none of the others may have one by then. */
static bool takes_route(const struct pod_networks *p, size_t i)
{
	return json_array_size(p->as[i].gateways) > 0;
}

/* Begin those that do, or do not, and wait for them; at most so many at once. */
static int attach_some(struct pod_networks *p, struct running *run, bool with_route,
		       size_t at_once, struct err *e)
{
	int r = 0;

	for (size_t i = 1; i < p->rec->n && r == 0; i++) {
		if (takes_route(p, i) != with_route)
			continue;
		while (run->n == at_once && r == 0)
			r = await_one(p, run, e);
		if (r == 0)
			r = begin(p, run, i, e);
	}
	while (run->n > 0 && r == 0)
		r = await_one(p, run, e);
	return r;
}

/* The default network alone, for others may lie upon it; then some at once. */
static int attach(struct pod_networks *p, json_t **answers, bool *begun, struct err *e)
{
	struct running run = { .answers = answers, .begun = begun };
	int r;

	for (size_t i = 0; i < PARALLEL; i++)
		run.child[i] = (struct pod_child)POD_CHILD_NONE;
	r = begin(p, &run, 0, e);
	if (r == 0)
		r = await_one(p, &run, e);
	if (r == 0)
		r = attach_some(p, &run, false, PARALLEL, e);
	if (r == 0)
		r = attach_some(p, &run, true, 1, e);
	stop_all(p, &run);
	return r;
}

static int stop_if_told(struct err *e)
{
	if (deadline_interrupted())
		return err_set(e, ERR_INTERRUPTED, EINTR, "ADD");
	return process_is_orphan() ? err_set(e, ERR_INTERRUPTED, ESRCH, "ADD: the caller has died")
				   : 0;
}

/* As Multus has them: in the order of the annotation, not as they ended.  Nothing needs it. */
static void order_statuses(const struct pod_networks *p)
{
	json_auto_t *names = json_array();
	struct err e;

	for (size_t i = 0; i < p->rec->n; i++)
		(void)json_array_append_new(names, json_string(p->rec->list[i].ifname));
	if (status_order(p->host, &p->journal, p->rec->owner.container_id, names, &e) < 0)
		log_warning("msg=\"network-status is in no order: %s\" details=\"%s\"", e.msg,
			    e.details);
}

static int attach_and_answer(struct pod_networks *p, json_t **answers, bool *begun, struct err *e)
{
	if (attach(p, answers, begun, e) < 0 ||
	    pod_record_write(p->host, &p->journal, p->rec, e) < 0 || stop_if_told(e) < 0)
		return -1;
	order_statuses(p);
	return result_print(answers[0], e);
}

/* Plugins get their results; what stays is recorded with these, for the DEL to come. */
static void undo(struct pod_networks *p, struct err *e)
{
	struct err why;

	deadline_undo();
	if (pod_networks_detach(p, &why) == 0)
		return;
	log_error("msg=\"undo incomplete, DEL will go on\" error=\"%s\"", why.msg);
	(void)err_wrap(&why, "undoing it");
	err_join(e, &why);
}

static int add(struct pod_networks *p, struct err *e)
{
	json_t *answers[POD_ATTACHMENTS_MAX] = { NULL };
	bool begun[POD_ATTACHMENTS_MAX] = { false };
	int r = attach_and_answer(p, answers, begun, e);

	p->begun = begun;
	if (r < 0)
		undo(p, e);
	else
		log_info("msg=\"attached to all networks\" networks=%u", (unsigned int)p->rec->n);
	for (size_t i = 0; i < POD_ATTACHMENTS_MAX; i++)
		json_decref(answers[i]);
	p->begun = NULL;
	return r;
}

/* Whose container it is, as the record of an attachment has it. */
static int take_namespace(const struct cni_call *call, struct pod_record *rec, struct err *e)
{
	struct pod_netns ns = { .fd = -1 };
	auto_nl struct nl nl = { 0 };
	auto_close int fd = -1;

	if (probe_open_netns(call, &ns, e) < 0)
		return -1;
	fd = ns.fd;
	if (nl_open(fd, NETLINK_ROUTE, &nl, e) < 0)
		return -1;
	rec->owner.netns_dev = ns.st.st_dev;
	rec->owner.netns_ino = ns.st.st_ino;
	rec->owner.netns_own = ns.is_own;
	rec->owner.netns_cookie = nl_netns_cookie(&nl);
	return 0;
}

static bool is_complete(const struct pod_record *r)
{
	size_t n = 0;

	while (n < r->n && r->list[n].result)
		n++;
	return n == r->n;
}

/* One that was killed, or of a container that is gone; one that lives and is complete stays. */
static int undo_unfinished(const struct pod_networks *p, const struct owner *o, struct err *e)
{
	auto_pod_record struct pod_record old = { .n = 0 };
	int r = pod_record_find(p->host, &p->journal, o, &old, e);
	struct pod_networks before = *p;		/* borrows the journal */
	int alive = r > 0 ? pod_record_is_alive(p->host, &old, e) : 0;

	if (r <= 0 || alive < 0)
		return r <= 0 ? r : -1;
	if (alive && is_complete(&old))
		return err_set(e, ERR_BUSY, EEXIST, "the networks of container %.64s are attached "
			       "already", o->container_id);
	log_warning("msg=\"undoing an earlier ADD of this pod's networks\"");
	before.rec = &old;
	before.lives = alive;
	before.asked = NULL;
	before.as = NULL;
	before.begun = NULL;
	return pod_networks_detach(&before, e) == 0 ? 0 : err_wrap(e, "undo the earlier ADD");
}

/* Before the first change of anything. */
static int record(struct pod_networks *p, struct err *e)
{
	struct err why;

	if (pod_record_write(p->host, &p->journal, p->rec, e) == 0)
		return 0;
	if (pod_record_remove(p->host, p->rec, &why) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", why.msg, why.details);
	return -1;
}

/* In which directories there may be records has to be known; and where this one is, from now on. */
static int note_directories(const struct pod_networks *p, struct err *e)
{
	struct err why;

	if (p->host->earlier && p->host->earlier->why.code != ERR_OK) {
		*e = p->host->earlier->why;
		return -1;
	}
	if (earlier_note(p->host, &why) < 0)	/* each ADD of an attachment says what that means */
		log_info("msg=\"%s\" details=\"%s\"", why.msg, why.details);
	return 0;
}

static int prepare(struct pod_networks *p, struct err *e)
{
	if (take_namespace(p->call->call, p->rec, e) < 0 ||
	    note_directories(p, e) < 0 ||
	    journal_open(p->host, JOURNAL_CREATE, &p->journal, e) < 0 ||
	    journal_boot_id_of(&p->journal, p->host, p->rec->boot_id, e) < 0 ||
	    pod_networks_lock(p, &p->rec->owner, e) < 0 ||
	    undo_unfinished(p, &p->rec->owner, e) < 0 ||
	    pod_assign(p->call, &p->journal, p->rec, p->asked, e) < 0)
		return -1;
	return record(p, e);
}

int pod_networks_add(const struct pod_call *c, struct err *e)
{
	auto_pod_plan struct pod_plan plan = { .texts = NULL };
	auto_pod_networks struct pod_networks p = POD_NETWORKS_OF(c);
	int r = 0;

	if (!pod_plan_is_asked(c->conf))
		return 0;
	r = netconf_check(c->conf, e) < 0 ? -1 : pod_plan_read(c, &plan, e);
	if (r <= 0)
		return r;
	p.rec = &plan.rec;
	p.asked = plan.asked;
	p.as = plan.as;
	return prepare(&p, e) < 0 || add(&p, e) < 0 ? -1 : 1;
}
