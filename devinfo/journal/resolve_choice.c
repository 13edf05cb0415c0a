/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_choice.c - which of the devices that an attachment may have does it get? */
#include "devinfo/journal/resolve_part.h"

#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct holder {
	const struct host *host;
	const struct owner *who;
	const char *id;
	struct record *ret;
};

static int take_if_live(struct record *rec, void *arg, struct err *e)
{
	const struct holder *h = arg;
	int r;

	if (h->who && owner_equal(h->who, &rec->owner))
		return 0;
	r = owner_is_alive(h->host, rec, e);
	if (r > 0) {
		*h->ret = *rec;
		*rec = (struct record){ 0 };
	}
	return r;
}

/* By the journal of an earlier stateDir. */
static int look_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct holder *h = arg;

	return device_ref_each(there, j, h->id, take_if_live, arg, e);
}

int resolve_holder(const struct host *host, struct journal *j, const struct owner *who,
		   const char *id, struct record *ret, struct err *e)
{
	struct holder h = { host, who, id, ret };
	/* dir -1: nothing was attached ever */
	int r = j->dir < 0 ? 0 : device_ref_each(host, j, id, take_if_live, &h, e);

	return r == 0 ? earlier_each(host, JOURNAL_READ, look_there, &h, e) : r;
}

struct takers {
	const struct host *host;
	struct journal *j;
	const struct owner *who;
};

static int is_taken(const char *id, void *arg, struct err *e)
{
	const struct takers *t = arg;
	auto_record struct record rec = { 0 };

	return resolve_holder(t->host, t->j, t->who, id, &rec, e);
}

static void say_all_taken(const struct pod *pod, const struct candidates *c, struct err *e)
{
	const char *ns = pod->name_space, *name = pod->name;

	if (c->wish.device_id)
		err_set(e, ERR_DEVICE, 0, "device %.64s of pod %.64s/%.64s is attached already",
			c->wish.device_id, ns, name);
	else if (c->list[0].of_claim)
		err_set(e, ERR_DEVICE, 0,
			"pod %.64s/%.64s has %zu network device(s) of claim %.64s and all are "
			"attached already: request %zu in the claim", ns, name, c->n,
			c->list[0].label, c->n + 1);
	else
		err_set(e, ERR_DEVICE, 0,
			"pod %.64s/%.64s has %zu device(s) of %.64s and all are attached already: "
			"request %zu in resources.limits", ns, name, c->n, c->list[0].label,
			c->n + 1);
}

/* A container is told of itself alone. */
static void say_holder(const struct owner *who, const char *id, const struct owner *o,
		       struct err *e)
{
	static int (*const say[])(struct err *e, const char *fmt, ...) = {
		err_private, err_detail,
	};
	bool own = who && strcmp(who->container_id, o->container_id) == 0;

	(void)say[own](e, "%s has %s (network %.64s, container %.64s)", o->ifname, id, o->network,
		       o->container_id);
}

/* Who has which, and what to do. */
static int all_taken(const struct takers *t, const struct pod *pod, const struct candidates *c,
		     struct err *e)
{
	struct err ignored;

	say_all_taken(pod, c, e);
	resolve_tell_source(c, e);
	for (size_t i = 0; i < c->n; i++) {
		auto_record struct record rec = { 0 };

		if (resolve_holder(t->host, t->j, t->who, c->list[i].id, &rec, &ignored) > 0)
			say_holder(t->who, c->list[i].id, &rec.owner, e);
	}
	return -1;
}

static int choose(struct takers *t, const struct ledger_ask *ask, const struct candidates *c,
		  struct resolved *ret, struct err *e)
{
	struct ledger_choice choice = { 0 };
	int r = t->j->read_only ? ledger_peek(t->host, ask, &choice, e) :
				  ledger_assign(t->host, t->j, ask, &choice, e);

	if (r == 0)
		return all_taken(t, ask->pod, c, e);
	if (r < 0)
		return -1;
	ret->one = &c->list[choice.index];
	ret->why = choice.why;
	memcpy(ret->lost, choice.lost, sizeof(ret->lost));
	return 0;
}

int resolve_choose(const struct host *host, struct journal *j, const struct pod *pod,
		   const struct owner *who, const struct candidates *c, struct resolved *ret,
		   struct err *e)
{
	struct takers t = { host, j, who };
	const char **ids = calloc(c->n, sizeof(*ids));
	const struct ledger_ask ask = {
		.pod = pod,
		.who = who,
		.resource = c->wish.resource,
		.insists = c->wish.device_id,
		.ids = ids,
		.n = c->n,
		.taken = is_taken,
		.arg = &t,
	};
	int r;

	if (!ids)
		return err_set(e, ERR_PODRES, ENOMEM, "devices of pod %s", pod->name);
	for (size_t i = 0; i < c->n; i++)
		ids[i] = c->list[i].id;
	r = choose(&t, &ask, c, ret, e);
	free(ids);
	return r;
}
