/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_part.h - a resource, its socket and its registration, for the room's own */
#ifndef DAEMON_PLUGIN_PLUGIN_PART_H
#define DAEMON_PLUGIN_PLUGIN_PART_H

#include "base/deadline.h"
#include "daemon/plugin/access.h"
#include "daemon/plugin/cdi_file.h"
#include "daemon/plugin/dp_file.h"
#include "daemon/plugin/messages.h"
#include "daemon/plugin/plugin.h"
#include "daemon/plugin/prestart.h"
#include "daemon/plugin/slot_dir.h"
#include "daemon/serve/serve.h"
#include "devinfo/grpc/client.h"
#include "devinfo/grpc/server.h"

/* A call of ListAndWatch, which lasts. */
struct watcher {
	struct grpc_call *call;
	struct watcher *next;
};

/* See registration.c. */
struct registration {
	struct loop_timer *timer;	/* the next try, or the end of the request's time */
	struct grpc_request *request;	/* under way; NULL: none */
	struct loop_source *source;	/* of that */
	struct file_id with;		/* the kubelet that it is, or was, sent to */
	unsigned int wait_ms;		/* before the last try; 0: there was none */
	bool done;			/* that kubelet has accepted it */
	bool lost;			/* and then stopped listening */
};

struct resource {
	struct plugin *plugin;
	char name[OFFER_RESOURCE];
	char socket[96];		/* in kubelet's directory */
	const struct offer *offer;	/* borrowed */
	struct message list;		/* the offer, as kubelet is told */
	struct watcher *watchers;	/* owned, as is each */
	void (*lost)(struct resource *s);	/* the last of them has ended */
	struct grpc_service service;
	struct serve *serve;		/* owned */
	struct registration registration;
	bool ending;			/* nothing is told any more */
};

struct plugin {
	struct loop *loop;
	const struct host *host;
	struct plugin_options opt;
	char dir[256];			/* kubelet's, of device plugins */
	const struct pools *pools;	/* borrowed; NULL: nothing has been offered */
	const struct inventory *inv;
	const struct offers *offers;
	struct resource **list;		/* owned, as is each */
	size_t n;
	struct dp_files files;
	struct cdi_told cdi_told;
	struct prestarts prestarts;
	struct slot_dirs slots;
};

/* What requests about the resource are answered from. */
static inline struct access_world resource_world(const struct resource *s)
{
	struct plugin *p = s->plugin;

	return (struct access_world){ .host = p->host, .pools = p->pools, .inv = p->inv,
				      .offer = s->offer, .use_cdi = p->opt.use_cdi,
				      .slots = &p->slots };
}

/* -- server.c -- */

/* Make the name of a resource's socket, for a directory with a path of so many bytes. */
void server_name(const char *resource, size_t dir_len, char ret[96]);

/* Make the server of a resource that has its names.  Nobody can connect before serve_open(). */
int server_new(struct resource *s, struct err *e) must_check;

/* -- methods.c -- */

/* The service of a resource: the API's methods. */
void methods_of(struct resource *s, struct grpc_service *ret);

/* -- listing.c -- */

/* A call of ListAndWatch has come. */
void listing_begin(struct resource *s, struct grpc_call *call);
/* The list is another one now: tell all who listen. */
void listing_tell(struct resource *s);

/* -- registration.c -- */

int registration_new(struct resource *s, struct err *e) must_check;
/* Tell kubelet of the resource, now and until it has accepted. */
void registration_begin(struct resource *s);
/* Begin again if this is another kubelet, or the resource's socket has vanished. */
void registration_check(struct resource *s);
/* Nobody listens any more: kubelet has given the resource up, or ended. */
void registration_lost(struct resource *s);
void registration_end(struct resource *s);

#endif
