/* SPDX-License-Identifier: Apache-2.0 */
/* socket_aspect.c - a socket: compared with what was made */
#include "cni/socket/socket.h"

static int check(struct check *c, struct err *e)
{
	return socket_check(c->host, c->conf, c->rec, check_tell, c, e);
}

/* There is no device to probe and to move: ADD and DEL are in socket.c and socket_restore.c. */
const struct aspect socket_aspect = { .name = "socket", .check = check };
