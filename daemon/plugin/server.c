/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the socket of a resource
 *
 * kubelet's path to it is what must fit into 107 bytes.
 */
#include "daemon/plugin/plugin_part.h"

#include "base/name.h"

#include <stdio.h>
#include <string.h>

enum {
	PATH_LIMIT = 107,		/* of a socket's path */
	CLIENTS_MAX = 16,		/* kubelet is one, and two while it registers anew */
};

/* "a_b/c" and "a/b_c" must not be one. */
void server_name(const char *resource, size_t dir_len, char ret[96])
{
	size_t prefix = strcspn(resource, "/");
	char text[OFFER_RESOURCE + 16];
	int len = snprintf(text, sizeof(text), "devinfo-%s.sock", resource);

	if ((size_t)len + dir_len + 1 > PATH_LIMIT || len > 80 ||
	    memchr(resource, '_', prefix)) {
		(void)snprintf(ret, 96, "devinfo-%016llx.sock",
			       (unsigned long long)name_hash(0, resource));
		return;
	}
	(void)snprintf(ret, 96, "%.95s", text);
	for (char *p = ret; *p; p++)
		*p = *p == '/' ? '_' : *p;
}

int server_new(struct resource *s, struct err *e)
{
	const struct plugin *p = s->plugin;

	methods_of(s, &s->service);
	s->serve = serve_new(p->loop, &(struct serve_options){
		.service = &s->service, .root = p->host->root, .dir = p->dir, .name = s->socket,
		.max_clients = CLIENTS_MAX,
	}, e);
	return s->serve ? 0 : -1;
}
