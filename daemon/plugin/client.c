/* SPDX-License-Identifier: Apache-2.0 */
/* client.c - what is waited for on the connection of a client */
#include "daemon/plugin/plugin_part.h"

void client_wait(const struct client *c)
{
	loop_change(c->source, grpc_connection_events(c->connection));
}
