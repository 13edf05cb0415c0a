/* SPDX-License-Identifier: Apache-2.0 */
/* allocate.c - what kubelet asks about devices of one resource, and the answers */
#include "daemon/plugin/allocate.h"

#include "base/log.h"
#include "base/mem.h"
#include "daemon/loop/loop.h"
#include "daemon/offer/prefer.h"
#include "daemon/plugin/cdi_file.h"
#include "daemon/plugin/holder.h"
#include "daemon/plugin/slot_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- one device -- */

static enum grpc_status refuse(enum grpc_status status, const struct access_world *w,
			       const char *id, const char *why, struct err *e)
{
	(void)err_set(e, ERR_DEVICE, 0, "device %s of %.128s %s", id, w->offer->resource, why);
	return status;
}

/*
 * kubelet allocates before anything of the pod is attached: whoever has a device is another, and
 * may have got it since the last look.
 */
static enum grpc_status check_holder(const struct access_world *w, const struct offered *d,
				     struct err *e)
{
	int r = holder_lives(w->host, d->id, e);

	if (r > 0)
		return refuse(GRPC_FAILED_PRECONDITION, w, d->id, "is in use by another pod", e);
	return r < 0 ? GRPC_UNAVAILABLE : GRPC_OK;
}

/*
 * The reason may name a pod: that is for the log alone.  Where it does not, who asks is told, also
 * about a device that is held: before a container's start by the very pod that asks.
 */
static enum grpc_status check_health(const struct access_world *w, const struct offered *d,
				     struct err *e)
{
	char why[OFFER_REASON + 32];

	if (d->healthy)
		return GRPC_OK;
	(void)snprintf(why, sizeof(why), "cannot be used: %s",
		       d->names ? "the reason names a pod, and is in the log of devinfod" :
				  d->reason);
	(void)refuse(GRPC_FAILED_PRECONDITION, w, d->id, why, e);
	(void)err_private(e, "%s", d->reason);
	return GRPC_FAILED_PRECONDITION;
}

/* Find a device, which *d refers to then. */
static enum grpc_status find(const struct access_world *w, const char *id,
			     const struct offered **d, struct err *e)
{
	*d = offer_find(w->offer, id);
	if (!*d)
		return refuse(GRPC_NOT_FOUND, w, id, "is not known", e);
	return GRPC_OK;
}

/* -- Allocate -- */

/* The places of a container's devices in the offer, and which of them were taken. */
struct picked {
	size_t *places;			/* owned */
	bool *taken;			/* owned */
	size_t n;
};

static void picked_done(struct picked *p)
{
	free(p->places);
	free(p->taken);
}

static enum grpc_status pick(const struct access_world *w, const char *id, struct picked *p,
			     struct err *e)
{
	const struct offered *d;
	enum grpc_status status = find(w, id, &d, e);
	size_t place;

	if (status != GRPC_OK)
		return status;
	place = (size_t)(d - w->offer->list);
	if (p->taken[place])
		return refuse(GRPC_INVALID_ARGUMENT, w, id, "is asked for twice", e);
	status = check_holder(w, d, e);
	if (status == GRPC_OK)
		status = check_health(w, d, e);
	if (status != GRPC_OK)
		return status;
	p->taken[place] = true;
	p->places[p->n++] = place;
	return GRPC_OK;
}

static int make_directories(const struct access_world *w, const struct picked *p, struct err *e)
{
	for (size_t i = 0; w->slots && i < p->n; i++) {
		const struct offered *d = &w->offer->list[p->places[i]];

		if (d->socket &&
		    slot_dirs_make(w->slots, w->host, w->offer->resource, d->id,
				   loop_now(), e) < 0)
			return -1;
	}
	return 0;
}

static enum grpc_status allocate_container(const struct access_world *w, const struct id_list *ids,
					   struct access *ret, struct err *e)
{
	auto_with(picked_done) struct picked p = {
		.places = calloc(ids->n + 1, sizeof(*p.places)),
		.taken = calloc(w->offer->n + 1, sizeof(*p.taken)),
	};

	if (!p.places || !p.taken) {
		(void)err_set(e, ERR_IO, ENOMEM, "an allocation");
		return GRPC_RESOURCE_EXHAUSTED;
	}
	for (size_t i = 0; i < ids->n; i++) {
		enum grpc_status status = pick(w, ids->id[i], &p, e);

		if (status != GRPC_OK)
			return status;
	}
	if (access_make(w, p.places, p.n, ret, e) == 0 && cdi_file_ensure(w, ret, e) == 0 &&
	    make_directories(w, &p, e) == 0)
		return GRPC_OK;
	return e->code == ERR_DEVICE ? GRPC_NOT_FOUND : GRPC_INTERNAL;
}

struct containers {
	struct access *list;		/* owned */
	size_t n;
};

static void containers_done(struct containers *c)
{
	for (size_t i = 0; c->list && i < c->n; i++)
		access_done(&c->list[i]);
	free(c->list);
}

static enum grpc_status allocate_all(const struct access_world *w,
				     const struct allocate_request *r, struct message *ret,
				     struct err *e)
{
	auto_with(containers_done) struct containers c = {
		.list = calloc(r->n + 1, sizeof(*c.list)), .n = r->n,
	};

	if (!c.list) {
		(void)err_set(e, ERR_IO, ENOMEM, "an allocation");
		return GRPC_RESOURCE_EXHAUSTED;
	}
	for (size_t i = 0; i < r->n; i++) {
		enum grpc_status status = allocate_container(w, &r->list[i], &c.list[i], e);

		if (status != GRPC_OK)
			return status;
	}
	if (allocate_response_encode(c.list, c.n, ret, e) < 0)
		return GRPC_RESOURCE_EXHAUSTED;
	for (size_t i = 0; i < c.n; i++)
		log_info("resource=%s devices=%s msg=allocated", w->offer->resource,
			 c.list[i].env[0].value);
	return GRPC_OK;
}

enum grpc_status allocate_answer(const struct access_world *w, const unsigned char *msg, size_t len,
				 struct message *ret, struct err *e)
{
	auto_with(allocate_request_done) struct allocate_request r = { .n = 0 };
	enum grpc_status status = GRPC_INVALID_ARGUMENT;

	if (allocate_request_decode(msg, len, &r, e) == 0)
		status = allocate_all(w, &r, ret, e);
	if (status != GRPC_OK)
		log_warning("resource=%s msg=\"allocation refused\" why=%s details=%s private=%s",
			    w->offer->resource, e->msg, e->details, e->private);
	return status;
}

/* -- GetPreferredAllocation -- */

struct texts {
	const char **list;		/* owned, the texts are borrowed */
	size_t n;
};

static void texts_done(struct texts *t)
{
	free(t->list);
}

static struct texts texts_of(const struct id_list *ids)
{
	struct texts t = { .list = calloc(ids->n + 1, sizeof(*t.list)) };

	for (; t.list && t.n < ids->n; t.n++)
		t.list[t.n] = ids->id[t.n];
	return t;
}

/* At most as many as there are: ret has room for both lists. */
static int prefer_container(const struct access_world *w, const struct preferred_container *c,
			    struct id_list *ret, struct err *e)
{
	auto_with(texts_done) struct texts available = texts_of(&c->available);
	auto_with(texts_done) struct texts must = texts_of(&c->must_include);
	size_t most = c->available.n + c->must_include.n;
	auto_with(texts_done) struct texts chosen = {
		.list = calloc(most + 1, sizeof(*chosen.list)),
	};

	ret->id = calloc(most + 1, sizeof(*ret->id));
	if (!available.list || !must.list || !chosen.list || !ret->id)
		return err_set(e, ERR_IO, ENOMEM, "a preference");
	chosen.n = offer_prefer(w->offer, w->inv,
				&(struct prefer_ids){ available.list, available.n },
				&(struct prefer_ids){ must.list, must.n },
				c->size < most ? c->size : most, chosen.list);
	for (; ret->n < chosen.n; ret->n++)
		(void)snprintf(ret->id[ret->n], sizeof(ret->id[0]), "%s", chosen.list[ret->n]);
	return 0;
}

struct preferences {
	struct id_list *list;		/* owned */
	size_t n;
};

static void preferences_done(struct preferences *p)
{
	for (size_t i = 0; p->list && i < p->n; i++)
		id_list_done(&p->list[i]);
	free(p->list);
}

static int prefer_all(const struct access_world *w, const struct preferred_request *r,
		      struct message *ret, struct err *e)
{
	auto_with(preferences_done) struct preferences p = {
		.list = calloc(r->n + 1, sizeof(*p.list)), .n = r->n,
	};

	if (!p.list)
		return err_set(e, ERR_IO, ENOMEM, "preferences");
	for (size_t i = 0; i < r->n; i++)
		if (prefer_container(w, &r->list[i], &p.list[i], e) < 0)
			return -1;
	return preferred_response_encode(p.list, p.n, ret, e);
}

enum grpc_status allocate_prefer(const struct access_world *w, const unsigned char *msg, size_t len,
				 struct message *ret, struct err *e)
{
	auto_with(preferred_request_done) struct preferred_request r = { .n = 0 };

	if (preferred_request_decode(msg, len, &r, e) < 0)
		return GRPC_INVALID_ARGUMENT;
	return prefer_all(w, &r, ret, e) < 0 ? GRPC_RESOURCE_EXHAUSTED : GRPC_OK;
}

/* -- for who is asked about one device -- */

enum grpc_status allocate_check(const struct access_world *w, const char *id,
				const struct offered **ret, struct err *e)
{
	enum grpc_status status = find(w, id, ret, e);

	return status == GRPC_OK ? check_health(w, *ret, e) : status;
}
