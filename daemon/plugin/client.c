/* SPDX-License-Identifier: Apache-2.0 */
/* client.c - what a client is answered from, and what is waited for on its connection */
#include "daemon/plugin/plugin_part.h"

struct access_world resource_world(const struct resource *s)
{
	struct plugin *p = s->plugin;

	return (struct access_world){ .host = p->host, .pools = p->pools, .inv = p->inv,
				      .offer = s->offer, .use_cdi = p->opt.use_cdi,
				      .slots = &p->slots };
}

void client_wait(const struct client *c)
{
	loop_change(c->source, grpc_connection_events(c->connection));
}
