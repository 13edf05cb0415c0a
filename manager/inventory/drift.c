/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.c - CHECK of a record, without a call
 *
 * The configuration is the one that the runtime would give to CHECK; else that of the ADD, which a
 * record has where plugins are to be run for its DEL; else none: then the values that were set on a
 * VF, a socket or a port are not known, and it is said that they were not compared.
 */
#include "manager/inventory/drift.h"

#include "base/jx.h"
#include "base/mem.h"
#include "cni/attach/compare.h"
#include "cni/attach/release.h"
#include "cni/call/convert.h"
#include "cni/call/status.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"
#include "manager/inventory/facts.h"
#include "manager/inventory/join_text.h"
#include "manager/inventory/runtime_cache.h"

#include <linux/if.h>
#include <stdio.h>
#include <string.h>

struct looking {
	struct comparison with;
	const struct host *host;
	const struct record *rec;
	struct netconf conf;
	struct cni_call call;
	json_t *prev, *entry;		/* owned */
};

static void looking_done(struct looking *l)
{
	comparison_done(&l->with);
	netconf_done(&l->conf);
	json_decref(l->prev);
	json_decref(l->entry);
}

/* -- what it is compared with -- */

static int take_conf(struct looking *l, const char *text, size_t len, struct err *e)
{
	if (netconf_parse(text, len, &l->conf, e) < 0 || netconf_check(&l->conf, e) < 0 ||
	    netconf_find_names(&l->conf, l->host->root, e) < 0)
		return err_wrap(e, "its configuration");
	return 0;
}

static bool is_called_devinfo(const json_t *request)
{
	const char *type = json_string_value(json_object_get(request, "type"));

	return type && strcmp(type, "devinfo") == 0;
}

/* 1, 0 the runtime remembers nothing, -1 */
static int take_cached(struct looking *l, struct err *e)
{
	auto_free char *text = NULL;
	json_auto_t *request = NULL;
	char file[512];
	size_t len = 0;
	int r = runtime_cache_request(l->host, &l->rec->owner, &request, file, e);

	if (r <= 0)
		return r;
	text = jx_dump(request, &len);
	if (take_conf(l, text, len, e) == 0 &&
	    (!l->conf.prev_result || result_read_prev(&l->conf, &l->prev, e) == 0))
		return 1;
	if (is_called_devinfo(request))
		return err_wrap(e, "'%.200s'", file);
	netconf_done(&l->conf);		/* of a plugin that has run ours, most likely */
	l->conf = (struct netconf){ .doc = NULL };
	return 0;
}

static int take_recorded(struct looking *l, struct err *e)
{
	static const char nothing[] = "{\"cniVersion\": \"1.1.0\", \"name\": \"unknown\"}";
	const struct record *rec = l->rec;

	if (rec->request)
		return take_conf(l, rec->request, strlen(rec->request), e);
	l->with.c.conf_unknown = true;
	return netconf_parse(nothing, strlen(nothing), &l->conf, e);
}

/* Without the result of the chain, what network-status says of the interface. */
static int take_said(struct looking *l, struct err *e)
{
	struct host host = release_host(l->host, l->rec);
	int r = take_cached(l, e);

	if (r == 0)
		r = take_recorded(l, e);
	if (r < 0)
		return -1;
	l->with.prev = l->prev;
	l->with.c.interface = result_interface(l->prev, l->rec->owner.ifname);
	if (l->prev)
		return 0;
	r = status_get(&host, &l->rec->owner, &l->entry, e);
	l->with.c.interface = l->entry;
	return r < 0 ? -1 : 0;
}

/* -- looking -- */

static void begin(struct looking *l, const struct host *host, const struct record *rec)
{
	static const uint8_t none[MAC_LEN];
	const struct owner *o = &rec->owner;

	l->host = host;
	l->rec = rec;
	l->call = (struct cni_call){
		.verb = VERB_CHECK, .container_id = o->container_id, .netns = o->netns,
		.ifname = o->ifname, .netns_override = o->netns_own, .path = "",
	};
	l->with.c = (struct check){
		.host = host, .call = &l->call, .conf = &l->conf, .rec = rec, .made_by = "ADD",
		.mac = memcmp(rec->mac, none, MAC_LEN) != 0 ? rec->mac : NULL,
	};
}

/* Why it cannot be told: to the administrator all of it. */
static void say_error(struct drift *ret, const struct err *e)
{
	ret->state = DRIFT_UNKNOWN;
	(void)snprintf(ret->what, sizeof(ret->what), "%s%s%.400s%s%.300s", e->msg,
		       *e->details ? ": " : "", e->details, *e->private ? "; " : "", e->private);
}

static void say_differences(struct drift *ret, const struct check *c, const struct err *e)
{
	ret->state = DRIFT_FOUND;
	ret->device_away = c->device_away;
	(void)snprintf(ret->what, sizeof(ret->what), "%s", e->details);
}

static void tell_unseen(struct drift *ret)
{
	size_t used = strlen(ret->what);

	(void)snprintf(ret->what + used, sizeof(ret->what) - used, "%snot compared: what only the "
		       "configuration says, for neither runtime nor record has it",
		       used ? "; " : "");
}

static void compare_it(const struct host *host, const struct record *rec, struct drift *ret)
{
	auto_with(looking_done) struct looking l = { .host = NULL };
	struct err e = { 0 };

	begin(&l, host, rec);
	if (take_said(&l, &e) < 0 || compare_attachment(&l.with, &e) < 0)
		say_error(ret, &e);
	else if (err_joined(&l.with.c.all, &e) < 0)
		say_differences(ret, &l.with.c, &e);
	ret->carrier = l.with.c.netdev.flags & IFF_LOWER_UP;
	if (l.with.c.conf_unknown && ret->state != DRIFT_UNKNOWN)
		tell_unseen(ret);
}

/* What a pod calls its devices are any bytes, and what is told of them becomes JSON. */
static void make_text(char what[INV_DRIFT])
{
	char text[INV_DRIFT];

	join_text(text, sizeof(text), what);
	memcpy(what, text, sizeof(text));
}

/* -- the attachment -- */

static void tell_state(struct drift *ret, enum drift_state state, const char *what)
{
	ret->state = state;
	(void)snprintf(ret->what, sizeof(ret->what), "%s", what);
}

static const char at_work[] = "a call is at work on it";

/* Is there something to compare, and nobody changing it?  What there is to say else is said. */
static bool is_at_rest(const struct host *host, const struct journal *j, const struct record *rec,
		       struct drift *ret)
{
	struct err e = { 0 };
	int alive = owner_is_alive(host, rec, &e), busy = 0;

	if (alive > 0)
		busy = journal_attachment_busy(j, &rec->owner, &e);
	if (alive < 0 || busy < 0)
		say_error(ret, &e);
	else if (alive == 0)
		tell_state(ret, DRIFT_DEAD, "its container has gone");
	else if (rec->released)
		tell_state(ret, DRIFT_DEAD, "its device has been given back");
	else if (busy)
		tell_state(ret, DRIFT_UNKNOWN, at_work);
	else
		return true;
	return false;
}

/* While it was compared its DEL may have begun, or come to its end. */
static void look_again(const struct host *host, struct journal *j, const struct record *rec,
		       struct drift *ret)
{
	auto_record struct record now = { 0 };
	struct drift then = { .state = DRIFT_NONE };
	struct err e = { 0 };

	if (!is_at_rest(host, j, rec, &then))
		*ret = then;
	else if (journal_find(j, &rec->owner, &now, &e) == 0)
		*ret = (struct drift){ .state = DRIFT_DEAD, .what = "its DEL has come meanwhile" };
}

void drift_look(const struct host *host, struct journal *j, const struct record *rec,
		struct drift *ret)
{
	*ret = (struct drift){ .state = DRIFT_NONE };
	if (is_at_rest(host, j, rec, ret)) {
		compare_it(host, rec, ret);
		if (ret->state != DRIFT_NONE)
			look_again(host, j, rec, ret);
	}
	make_text(ret->what);
}

/* -- all of them -- */

static const char *const names[] = {
	[DRIFT_NONE] = "as made", [DRIFT_FOUND] = "drifted", [DRIFT_DEAD] = "dead",
	[DRIFT_UNKNOWN] = "cannot tell",
};

const char *drift_state_name(enum drift_state s)
{
	return names[s];
}

struct walk {
	const struct host *host;
	struct journal *journal;
	struct inventory *inv;
	json_t *places;			/* of attachments, by file */
	void (*step)(size_t done);
	size_t done;
};

/* In the form of struct inv_attachment: "drifted: mtu: ...". */
static int look_at(const struct record *rec, void *arg, struct err *e)
{
	struct walk *w = arg;
	char file[256], text[INV_DRIFT + 32];
	struct drift d;
	int at;

	(void)e;
	journal_file_name(rec, file);
	at = join_place(w->places, file);
	if (at == INV_NONE)		/* made this very moment */
		return 0;
	drift_look(w->host, w->journal, rec, &d);
	(void)snprintf(text, sizeof(text), "%s%s%s", names[d.state], *d.what ? ": " : "", d.what);
	JOIN_TEXT(w->inv->attachments[at].drift, text);
	w->inv->attachments[at].device_away = d.device_away;
	w->inv->attachments[at].carrier = d.carrier;
	w->done++;
	if (w->step)
		w->step(w->done);
	return 0;
}

static int look_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct walk *w = arg, of = *w;
	int r;

	of.host = there;
	of.journal = j;
	r = journal_each(j, look_at, &of, e);
	w->done = of.done;
	return r;
}

int drift_look_at_all(const struct host *host, struct inventory *inv, void (*step)(size_t done),
		      struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	json_auto_t *places = JOIN_MAP(inv->attachments, inv->n_attachments,
				       struct inv_attachment, file);
	struct walk w = { .host = host, .journal = &j, .inv = inv, .places = places, .step = step };
	int r = facts_is_live(host, e);

	if (r <= 0)
		return r;
	r = journal_open(host, JOURNAL_READ, &j, e);
	if (r > 0)
		r = journal_each(&j, look_at, &w, e);
	return r == 0 ? earlier_each(host, JOURNAL_READ, look_there, &w, e) : r;
}

static void drift_parse(const char *text, struct drift *ret)
{
	size_t len = strcspn(text, ":");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && strncmp(text, names[i], len) == 0)
			ret->state = (enum drift_state)i;
	if (text[len])
		(void)snprintf(ret->what, sizeof(ret->what), "%s",
			       text + len + 1 + strspn(text + len + 1, " "));
}

void drift_of(const struct inv_attachment *a, struct drift *ret)
{
	*ret = (struct drift){ .state = DRIFT_UNKNOWN, .device_away = a->device_away };
	if (*a->drift)
		drift_parse(a->drift, ret);
	else if (strcmp(a->state, "dead") == 0 || strcmp(a->state, "earlier boot") == 0)
		tell_state(ret, DRIFT_DEAD, "its container has gone");
	else if (strcmp(a->state, "released") == 0)
		tell_state(ret, DRIFT_DEAD, "its device has been given back");
	else
		tell_state(ret, DRIFT_UNKNOWN, *a->why ? a->why : "nobody has looked");
	ret->is_busy = strcmp(ret->what, at_work) == 0;
}
