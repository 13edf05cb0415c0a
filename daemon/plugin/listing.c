/* SPDX-License-Identifier: Apache-2.0 */
/* listing.c - ListAndWatch: who listens gets each new list of a resource's devices */
#include "daemon/plugin/plugin_part.h"

#include "base/log.h"

#include <stdlib.h>

/* Take the one of this call out of the list. */
static struct watcher *take(struct resource *s, const struct grpc_call *call)
{
	for (struct watcher **p = &s->watchers; *p; p = &(*p)->next) {
		struct watcher *w = *p;

		if (w->call == call) {
			*p = w->next;
			return w;
		}
	}
	return NULL;
}

/* kubelet has one such call of each resource: with the last its interest has ended. */
static void closed(struct grpc_call *call, void *arg)
{
	struct resource *s = arg;

	free(take(s, call));
	if (!s->watchers && !s->ending)
		s->lost(s);
}

/* 0; -1: there was no memory, and the call has ended. */
static int tell(const struct resource *s, const struct watcher *w)
{
	return grpc_call_send(w->call, s->list.data, s->list.len);
}

static struct watcher *add(struct resource *s, struct grpc_call *call)
{
	struct watcher *w = malloc(sizeof(*w));

	if (w) {
		*w = (struct watcher){ .call = call, .next = s->watchers };
		s->watchers = w;
	}
	return w;
}

void listing_begin(struct resource *s, struct grpc_call *call)
{
	const struct watcher *w = add(s, call);

	if (!w) {
		grpc_call_end(call, GRPC_RESOURCE_EXHAUSTED, "out of memory");
	} else if (tell(s, w) < 0) {
		free(take(s, call));
	} else {
		grpc_call_on_closed(call, closed, s);
		log_info("resource=%s devices=%u msg=\"kubelet listens\"", s->name,
			 (unsigned int)s->offer->n);
	}
}

void listing_tell(struct resource *s)
{
	for (struct watcher *w = s->watchers, *next; w; w = next) {
		next = w->next;
		if (tell(s, w) < 0)
			free(take(s, w->call));
	}
	serve_wait(s->serve);
	if (!s->watchers && s->registration.done && !s->ending)
		s->lost(s);
}
