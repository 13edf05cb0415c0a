/* SPDX-License-Identifier: Apache-2.0 */
/* pod_networks.c - the networks of a container while a call is about all of them */
#include "cni/pod/pod_networks.h"

#include "cni/pod/pod_child.h"

void pod_networks_wrap(const struct pod_attachment *a, struct err *e)
{
	(void)err_wrap(e, *a->definition ? "interface %s, network %.190s" : "interface %s%s",
		       a->ifname, a->definition);
}

struct pod_job pod_networks_job(const struct pod_networks *p, enum verb verb, size_t i)
{
	const json_t *asked = verb == VERB_ADD ? json_array_get(p->asked, i) : NULL;
	struct pod_job job = {
		.call = p->call, .verb = verb, .of = &p->rec->list[i],
		.calls = asked ? asked : p->rec->list[i].calls,
		.as.definition = p->rec->list[i].definition,
		.container = &p->rec->owner, .lives = p->lives,
	};

	if (verb == VERB_ADD && p->as)
		job.as = p->as[i];
	return job;
}

int pod_networks_run(const struct pod_job *job, const struct deadline *d, json_t **ret,
		     struct err *e)
{
	struct pod_child child = POD_CHILD_NONE;

	return pod_attach_start(job, &child, e) < 0 ?
		       -1 : pod_child_await(&child, d, ret, e);
}

int pod_networks_lock(const struct pod_networks *p, const struct owner *o, struct err *e)
{
	const struct deadline d = deadline_in(p->call->host->set.lock_timeout_ms);

	return pod_record_lock(&p->journal, o, &d, e);
}

void pod_networks_unlock(const struct pod_networks *p, const struct owner *o)
{
	pod_record_unlock(&p->journal, o);
}

static int detach_one(const struct pod_networks *p, size_t i, struct err *e)
{
	const struct deadline d = deadline_share(NULL, p->call->host->set.del_timeout_ms,
						 i > 0 ? 2 : 1);
	struct pod_job job = pod_networks_job(p, VERB_DEL, i);
	json_auto_t *answer = NULL;

	if (p->begun && !p->begun[i])
		return 0;
	if (deadline_left_ms(&d) == 0)
		(void)deadline_error(ERR_TRY_AGAIN, e, "it was not detached %s", deadline_end());
	else if (pod_networks_run(&job, &d, &answer, e) == 0)
		return 0;
	pod_networks_wrap(&p->rec->list[i], e);
	return -1;
}

/* With their results, and in their order. */
static void keep_only(struct pod_record *r, const bool *left)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (left[i])
			r->list[n++] = r->list[i];
	r->n = n;
}

int pod_networks_detach(struct pod_networks *p, struct err *e)
{
	struct err errors = { .code = ERR_OK }, one = { .code = ERR_OK };
	bool left[POD_ATTACHMENTS_MAX] = { false };

	for (size_t i = p->rec->n; i-- > 0;) {
		left[i] = detach_one(p, i, &one) < 0;
		if (left[i])
			err_join(&errors, &one);
	}
	if (errors.code == ERR_OK)
		return pod_record_remove(p->host, p->rec, e);
	keep_only(p->rec, left);
	if (pod_record_write(p->host, &p->journal, p->rec, &one) < 0)
		err_join(&errors, &one);
	return err_joined(&errors, e);
}

void pod_networks_done(struct pod_networks *p)
{
	journal_done(&p->journal);
}
