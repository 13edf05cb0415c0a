/* SPDX-License-Identifier: Apache-2.0 */
/* pod.c - all networks of a pod, in one call: what goes by the record, and which verb does what */
#include "cni/pod/pod.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/pod/pod_networks.h"
#include "cni/pod/pod_plan.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/network/network_call.h"

#include <stdint.h>
#include <string.h>

static struct owner owner_of(const struct pod_call *c)
{
	return (struct owner){
		.network = c->conf->name, .container_id = c->call->container_id,
		.ifname = c->call->ifname, .netns = c->call->netns,
	};
}

/* Detach what is recorded: 1; 0 when nothing is, or it may live and only_dead; -1. */
static int detach_recorded(struct pod_networks *p, const struct owner *o, bool only_dead,
			   struct err *e)
{
	auto_pod_record struct pod_record rec = { .n = 0 };
	int alive, r = pod_networks_lock(p, o, e);

	if (r == 0)
		r = pod_record_find(p->host, &p->journal, o, &rec, e);
	if (r <= 0)
		return r;
	alive = pod_record_is_alive(p->host, &rec, e);
	if (only_dead && alive != 0)
		return alive < 0 ? -1 : 0;
	p->rec = &rec;
	p->lives = alive != 0;		/* for a DEL, which goes on when that cannot be told */
	r = pod_networks_detach(p, e) < 0 ? -1 : 1;
	p->rec = NULL;
	return r;
}

/* What is looked for in the stateDirs of before. */
struct elsewhere {
	const struct pod_call *call;
	bool is_there;
};

static int del_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct elsewhere *w = arg;
	struct pod_networks p = { .call = w->call, .host = there, .journal = *j };
	const struct owner o = owner_of(w->call);
	int r = pod_record_is_any(there) ? detach_recorded(&p, &o, false, e) : 0;

	w->is_there = r != 0;
	return r;
}

/* That one of them is out of sight the verb tells, where it has to look there itself. */
static int look_elsewhere(const struct pod_call *c, enum journal_mode mode, earlier_fn *fn,
			  struct err *e)
{
	struct elsewhere w = { .call = c };
	int r = earlier_each(c->host, mode, fn, &w, e);

	return r < 0 && !w.is_there ? 0 : r;
}

/* An engine may have stripped the configuration: podNetworks is not asked for. */
static int pod_del(const struct pod_call *c, struct err *e)
{
	auto_pod_networks struct pod_networks p = POD_NETWORKS_OF(c);
	const struct owner o = owner_of(c);
	int r = 0;

	if (pod_record_is_any(c->host))
		r = journal_open(c->host, JOURNAL_UPDATE, &p.journal, e);
	if (r > 0)
		r = detach_recorded(&p, &o, false, e);
	return r != 0 ? r : look_elsewhere(c, JOURNAL_UPDATE, del_there, e);
}

/* The runtime's own prevResult is that of its whole list. */
static int check_recorded(struct pod_networks *p, struct err *e)
{
	const struct deadline of_the_call = { .at_ms = INT64_MAX };
	struct err errors = { .code = ERR_OK }, one;
	json_auto_t *own = json_pack("[o]", network_call_own(p->call->conf->doc));

	for (size_t i = 0; i < p->rec->n; i++) {
		struct pod_job job = pod_networks_job(p, VERB_CHECK, i);
		json_auto_t *answer = NULL;

		if (!*job.of->definition) {
			p->rec->list[i].result = NULL;
			job.calls = own;
		}
		if (pod_networks_run(&job, &of_the_call, &answer, &one) == 0)
			continue;
		pod_networks_wrap(&p->rec->list[i], &one);
		err_join(&errors, &one);
	}
	return err_joined(&errors, e);
}

static int check_in(const struct pod_call *c, const struct host *host, struct journal *j,
		    struct err *e)
{
	auto_pod_record struct pod_record rec = { .n = 0 };
	struct pod_networks p = {
		.call = c, .host = host, .journal = *j, .rec = &rec, .lives = true,
	};
	const struct owner o = owner_of(c);
	int r = pod_record_find(host, j, &o, &rec, e);

	return r <= 0 ? r : check_recorded(&p, e) < 0 ? -1 : 1;
}

static int check_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct elsewhere *w = arg;
	int r = check_in(w->call, there, j, e);

	w->is_there = r != 0;
	return r;
}

static int pod_check(const struct pod_call *c, struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	int r = 0;

	if (pod_record_is_any(c->host))
		r = journal_open(c->host, JOURNAL_READ, &j, e);
	if (r > 0)
		r = check_in(c, c->host, &j, e);
	return r != 0 ? r : look_elsewhere(c, JOURNAL_READ, check_there, e);
}

/* -- GC -- */

struct gc {
	struct pod_networks *pod;
	const json_t *valid;		/* what the runtime lists */
	struct err all;
};

static bool is_listed(const struct gc *gc, const struct owner *o)
{
	const json_t *v;
	size_t i;

	json_array_foreach(gc->valid, i, v) {
		const char *id = json_string_value(json_object_get(v, "containerID"));

		if (id && strcmp(id, o->container_id) == 0)
			return true;
	}
	return false;
}

/* Judged without the lock first; with it again, for an ADD may have had it until now. */
static int collect(const struct pod_record *r, void *arg, struct err *e)
{
	struct gc *gc = arg;
	struct pod_networks *p = gc->pod;
	int alive, done;

	if (strcmp(r->owner.network, p->call->conf->name) != 0 || is_listed(gc, &r->owner))
		return 0;
	alive = pod_record_is_alive(p->host, r, e);
	done = alive > 0 ? 0 : alive < 0 ? -1 : detach_recorded(p, &r->owner, true, e);
	if (alive == 0)		/* a DEL of it need not wait for the others */
		pod_networks_unlock(p, &r->owner);
	if (done < 0)
		err_join(&gc->all, e);
	if (done == 0)
		log_warning("msg=\"the networks of a container that is not listed are kept, for "
			    "its namespace lives\" container=%s", r->owner.container_id);
	if (done > 0)
		log_info("msg=\"the networks of a dead container are released\" container=%s",
			 r->owner.container_id);
	return 0;
}

static int collect_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct gc *gc = arg;
	struct pod_networks p = { .call = gc->pod->call, .host = there, .journal = *j };
	struct gc of = { .pod = &p, .valid = gc->valid, .all = gc->all };
	int r = pod_record_each(there, collect, NULL, &of, e);

	gc->all = of.all;
	return r;
}

/* Without a list nothing is done, as for an attachment.  The verb itself follows. */
static int pod_gc(const struct pod_call *c, struct err *e)
{
	auto_pod_networks struct pod_networks p = POD_NETWORKS_OF(c);
	struct gc gc = { .pod = &p, .all = { .code = ERR_OK } };
	int r = 0;

	gc.valid = json_object_get(c->conf->doc, "cni.dev/valid-attachments");
	if (!gc.valid)
		gc.valid = json_object_get(c->conf->doc, "cni.dev/attachments");
	if (!json_is_array(gc.valid))
		return 0;
	if (pod_record_is_any(c->host))
		r = journal_open(c->host, JOURNAL_UPDATE, &p.journal, e);
	if (r > 0)
		r = pod_record_each(c->host, collect, NULL, &gc, e);
	if (r >= 0)
		r = earlier_each(c->host, JOURNAL_UPDATE, collect_there, &gc, e);
	return r < 0 ? -1 : err_joined(&gc.all, e);
}

static int pod_status(const struct pod_call *c, struct err *e)
{
	if (!pod_plan_is_asked(c->conf) || pod_plan_check_definitions(c->host, e) == 0)
		return 0;
	e->code = ERR_UNAVAILABLE;
	return -1;
}

int pod_verb(const struct pod_call *c, struct err *e)
{
	static int (*const verbs[VERBS])(const struct pod_call *c, struct err *e) = {
		[VERB_ADD] = pod_networks_add, [VERB_DEL] = pod_del, [VERB_CHECK] = pod_check,
		[VERB_GC] = pod_gc, [VERB_STATUS] = pod_status, [VERB_VERSION] = NULL,
	};

	return verbs[c->call->verb](c, e);
}
