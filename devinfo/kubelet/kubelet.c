/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubelet.c - what has kubelet given to this pod?  The sources in their order, and patience
 *
 * Get is asked first, then List; one that this kubelet does not offer is never asked again.  Any
 * other trouble is one of a few kinds (table below), and the kind says how long it is worth to ask
 * again, and when the checkpoint is looked at instead:
 *
 *   busy		its rate limit, starting, or gone in mid-call: until the deadline
 *   refused		nobody listens: until the deadline, as a restart takes its time
 *   absent		no socket: a moment, it is made anew when kubelet starts
 *   pod unknown	a moment, for kubelet may not have got so far
 *   ambiguous		two pods of this name, one of which has terminated, or an answer that
 *			tells another pod's devices, see is_of_uid(): a moment
 *   the others		another question would get the same answer, or there is no time for one
 *
 * The checkpoint goes by UID and tells no claims.  It is believed if it has something of what the
 * caller looks for: that it has not may only mean that it is old, or that a claim is meant.  Where
 * it cannot help, as with claims, an absent kubelet is waited for like one that refuses.
 */
#include "devinfo/kubelet/kubelet.h"

#include "base/log.h"
#include "devinfo/kubelet/checkpoint.h"
#include "devinfo/kubelet/podres.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum {
	PAUSE_FIRST_MS = 10,	/* what kubelet's limiter takes to let one more question in */
	PAUSE_LAST_MS = 80,
	SOURCE_CHECKPOINT = PODRES_LIST + 1,
	N_SOURCES,
};

enum trouble {
	TROUBLE_BUSY,
	TROUBLE_REFUSED,
	TROUBLE_ABSENT,
	TROUBLE_POD_UNKNOWN,
	TROUBLE_AMBIGUOUS,
	TROUBLE_SILENT,		/* no answer until the deadline */
	TROUBLE_NOT_OFFERED,
	TROUBLE_BROKEN,
};

static const struct kind {
	unsigned int patience_ms;	/* in all, from when it is first met */
	bool checkpoint_first;		/* before kubelet is asked again */
	bool checkpoint_last;		/* before we give up */
	enum err_code code;		/* of giving up */
} kinds[] = {
	[TROUBLE_BUSY] = { UINT_MAX, false, true, ERR_TRY_AGAIN },
	[TROUBLE_REFUSED] = { UINT_MAX, true, true, ERR_TRY_AGAIN },
	[TROUBLE_ABSENT] = { 1000, true, true, ERR_PODRES },
	[TROUBLE_POD_UNKNOWN] = { 500, false, true, ERR_PODRES },
	[TROUBLE_AMBIGUOUS] = { 1000, true, true, ERR_TRY_AGAIN },
	[TROUBLE_SILENT] = { 0, false, true, ERR_TRY_AGAIN },
	[TROUBLE_NOT_OFFERED] = { 0, false, true, ERR_PODRES },
	[TROUBLE_BROKEN] = { 0, false, true, ERR_PODRES },
};
static_assert(ARRAY_SIZE(kinds) == TROUBLE_BROKEN + 1, "a kind of trouble without a line");

struct search {
	const struct host *host;
	const struct pod *pod;
	const char *resource;			/* NULL: anything */
	const struct deadline *deadline;
	enum podres_method method;		/* the first that may be offered */
	bool met[ARRAY_SIZE(kinds)];
	struct deadline limit[ARRAY_SIZE(kinds)];	/* of kinds that were met */
	unsigned int pause_ms;
	bool checkpoint_seen;
	unsigned int asked[N_SOURCES];
	char why[N_SOURCES][256];		/* the last time, no answer; "" unless asked */
	struct err last;			/* of PodResources, and of which kind it is */
	enum trouble last_kind;
};

/* -- what went wrong, and where -- */

static enum trouble trouble_of(const struct search *s, enum podres_answer answer,
			       const struct err *why)
{
	switch (answer) {
	case PODRES_AGAIN:
		return TROUBLE_BUSY;
	case PODRES_NO_POD:
		return TROUBLE_POD_UNKNOWN;
	case PODRES_AMBIGUOUS:
		return TROUBLE_AMBIGUOUS;
	case PODRES_NOT_OFFERED:
		return TROUBLE_NOT_OFFERED;
	default:
		break;
	}
	switch (why->sys) {
	case ECONNRESET:
	case EPIPE:
		return TROUBLE_BUSY;
	case ECONNREFUSED:
		return TROUBLE_REFUSED;
	case ENOENT:
		return s->resource && !*s->resource ? TROUBLE_REFUSED : TROUBLE_ABSENT;
	case ETIMEDOUT:
		return TROUBLE_SILENT;
	default:
		return TROUBLE_BROKEN;
	}
}

/* A status of kubelet's is quoted in the details, which are only half of what else happened. */
static void note_why(struct search *s, unsigned int source, const struct err *why)
{
	bool whole = why->sys || source == SOURCE_CHECKPOINT;

	if (whole && *why->details)
		(void)snprintf(s->why[source], sizeof(s->why[source]), "%.180s: %.70s", why->msg,
			       why->details);
	else
		(void)snprintf(s->why[source], sizeof(s->why[source]), "%.250s",
			       *why->details ? why->details : why->msg);
	log_debug("msg=\"no answer\" source=\"%s\" why=\"%s\"",
		  source == SOURCE_CHECKPOINT ? "checkpoint" : podres_name(source), s->why[source]);
}

static void note_trouble(struct search *s, enum trouble t, const struct err *why)
{
	unsigned int source = s->method;

	s->asked[source]++;
	if (!s->met[t])
		s->limit[t] = deadline_earlier(s->deadline, deadline_in(kinds[t].patience_ms));
	s->met[t] = true;
	/* the last call got what time was left: why the others failed says more */
	if (t == TROUBLE_SILENT && *s->why[source])
		return;
	note_why(s, source, why);
	s->last = *why;
	s->last_kind = t;
	if (why->sys)
		err_wrap(&s->last, "%s for pod %.63s/%.64s", podres_name(s->method),
			 s->pod->name_space, s->pod->name);
}

/* "PodResources Get: ... (asked 3 times); ..." of the sources before this one. */
static void reasons(const struct search *s, unsigned int before, char *ret, size_t size)
{
	size_t used = 0;

	*ret = '\0';
	for (unsigned int i = 0; i < before && used < size; i++) {
		if (!*s->why[i])
			continue;
		used += (size_t)snprintf(ret + used, size - used, "%s%s%s%s", used ? "; " : "",
					 i == SOURCE_CHECKPOINT ? "" : podres_name(i),
					 i == SOURCE_CHECKPOINT ? "" : ": ", s->why[i]);
		if (s->asked[i] > 1 && used < size)
			used += (size_t)snprintf(ret + used, size - used, " (asked %u times)",
						 s->asked[i]);
	}
}

/* -- the checkpoint -- */

static bool has_device(const struct allocation *a, const struct plugin_device *d)
{
	for (size_t i = 0; i < a->n_devices; i++)
		if (strcmp(a->devices[i].id, d->id) == 0 &&
		    strcmp(a->devices[i].resource, d->resource) == 0)
			return true;
	return false;
}

/*
 * PodResources goes by names, and one may have been another pod's a moment ago: a StatefulSet's.
 * kubelet notes what it gives to a pod before it starts it: where its checkpoint knows the UID,
 * each device that it tells is under that.  There may be more, those of init containers.
 */
static bool is_of_uid(const struct search *s, const struct allocation *a, struct err *why)
{
	auto_allocation struct allocation its = { 0 };
	const char *uid = s->pod->uid;
	struct err ignored;

	if (a->n_devices == 0 || !uid || !*uid ||
	    checkpoint_read(s->host, uid, &its, &ignored) <= 0)
		return true;
	for (size_t i = 0; i < a->n_devices; i++)
		if (!has_device(&its, &a->devices[i])) {
			(void)err_set(why, ERR_TRY_AGAIN, 0, "kubelet tells of another pod %s/%s: "
				      "the one of UID %.64s was not given %.64s %.64s",
				      s->pod->name_space, s->pod->name, uid,
				      a->devices[i].resource, a->devices[i].id);
			return false;
		}
	return true;
}

static bool has_some(const struct allocation *a, const char *resource)
{
	return resource ? allocation_has_resource(a, resource) : a->n_devices > 0;
}

/* What is found goes out by *ret. */
static bool ask_checkpoint(struct search *s, struct allocation *ret)
{
	auto_allocation struct allocation found = { 0 };
	const char *uid = s->pod->uid;
	struct err why;
	int r = 0;

	s->checkpoint_seen = true;
	if (uid && *uid)
		r = checkpoint_read(s->host, uid, &found, &why);
	else
		(void)err_set(&why, ERR_PODRES, 0, "kubelet's checkpoint is not read, as "
			      "the pod's UID is not known");
	if (r > 0 && has_some(&found, s->resource)) {
		reasons(s, SOURCE_CHECKPOINT, found.tried, sizeof(found.tried));
		*ret = found;
		found = (struct allocation){ 0 };
		return true;
	}
	if (r > 0)
		(void)err_set(&why, ERR_PODRES, 0, "kubelet's checkpoint has no device %s%.128s "
			      "for pod %.64s", s->resource && *s->resource ? "of " : "",
			      s->resource ? s->resource : "", uid);
	note_why(s, SOURCE_CHECKPOINT, &why);
	return false;
}

/* -- patience -- */

/* Between half of it and two and a half times as much: those who were refused together part. */
static unsigned int jitter(unsigned int ms)
{
	unsigned int random = 0;	/* which it stays early at boot */

	(void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
	return ms / 2 + random % (2 * ms);
}

/* false when this kind of trouble has lasted too long, or the deadline has passed. */
static bool wait_a_little(struct search *s, enum trouble t)
{
	if (deadline_left_ms(&s->limit[t]) == 0)
		return false;
	deadline_sleep(&s->limit[t], jitter(s->pause_ms));
	if (s->pause_ms < PAUSE_LAST_MS)
		s->pause_ms *= 2;
	return deadline_left_ms(s->deadline) > 0;
}

static int give_up(struct search *s, enum trouble t, struct allocation *ret, struct err *e)
{
	if (deadline_interrupted())
		return deadline_error(ERR_PODRES, e, "wait for kubelet to tell about pod "
				      "%.63s/%.128s", s->pod->name_space, s->pod->name);
	if (kinds[t].checkpoint_last && ask_checkpoint(s, ret))
		return 1;
	*e = s->last;
	e->code = kinds[s->last_kind].code;
	reasons(s, N_SOURCES, e->details, sizeof(e->details));
	return -1;
}

/* 1 found, 0 to be asked again, -1. */
static int overcome(struct search *s, enum trouble t, struct allocation *ret, struct err *e)
{
	if (t == TROUBLE_NOT_OFFERED && s->method == PODRES_GET) {
		s->method = PODRES_LIST;
		return 0;
	}
	if (kinds[t].checkpoint_first && !s->checkpoint_seen && ask_checkpoint(s, ret))
		return 1;
	return wait_a_little(s, t) ? 0 : give_up(s, t, ret, e);
}

static int search(const struct host *h, const struct pod *pod, const char *resource,
		  const struct deadline *d, struct allocation *ret, struct err *e)
{
	struct search s = {
		.host = h, .pod = pod, .resource = resource, .deadline = d,
		.method = PODRES_GET, .pause_ms = PAUSE_FIRST_MS,
	};

	for (;;) {
		auto_allocation struct allocation found = { 0 };
		struct err why;
		enum podres_answer answer = podres_ask(h, s.method, pod, d, &found, &why);
		enum trouble t;
		int r;

		if (answer == PODRES_FOUND && !is_of_uid(&s, &found, &why))
			answer = PODRES_AMBIGUOUS;
		if (answer == PODRES_FOUND) {
			reasons(&s, s.method, found.tried, sizeof(found.tried));
			*ret = found;
			found = (struct allocation){ 0 };
			return 1;
		}
		if (why.code == ERR_INTERRUPTED) {
			*e = why;
			return -1;
		}
		t = trouble_of(&s, answer, &why);
		note_trouble(&s, t, &why);
		r = overcome(&s, t, ret, e);
		if (r != 0)
			return r;
	}
}

/* -- asked once -- */

static struct {
	bool on;
	char *name_space, *name;	/* of the pod it is about; NULL: nothing is known yet */
	struct allocation of_pod;
} known;

void kubelet_ask_once(void)
{
	known.on = true;
}

static bool is_known(const struct pod *pod)
{
	return known.name && strcmp(known.name, pod->name) == 0 &&
	       strcmp(known.name_space, pod->name_space) == 0;
}

/* Not the checkpoint's word: that is only taken while kubelet does not answer. */
static void remember(const struct pod *pod, const struct allocation *a)
{
	struct err ignored;

	if (!known.on || known.name ||
	    (strcmp(a->source, podres_name(PODRES_GET)) != 0 &&
	     strcmp(a->source, podres_name(PODRES_LIST)) != 0))
		return;
	if (allocation_copy(a, &known.of_pod, &ignored) < 0) {
		allocation_done(&known.of_pod);
		return;
	}
	known.name_space = strdup(pod->name_space);
	known.name = known.name_space ? strdup(pod->name) : NULL;
}

int kubelet_allocation(const struct host *h, const struct pod *pod, const char *resource,
		       const struct deadline *d, struct allocation *ret, struct err *e)
{
	int r;

	if (is_known(pod)) {
		r = allocation_copy(&known.of_pod, ret, e);
		return r < 0 ? -1 : 1;
	}
	r = search(h, pod, resource, d, ret, e);
	if (r > 0)
		remember(pod, ret);
	return r;
}
