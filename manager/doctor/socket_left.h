/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_left.h - directories of sockets below socketDir that no attachment has
 *
 * We made the directories that are named like a pod or a container.  Without a record, or a note of
 * what a DEL had to keep, none of our calls removes them: earlier versions kept what was in use
 * without a note, and records get lost.  Directories with other names may be an administrator's.
 */
#ifndef MANAGER_DOCTOR_SOCKET_LEFT_H
#define MANAGER_DOCTOR_SOCKET_LEFT_H

#include "base/err.h"
#include "base/host.h"
#include "manager/doctor/leak.h"

#include <jansson.h>
#include <stdbool.h>

enum { SOCKET_ROOT_MAX = 256 };

struct socket_left {
	const struct host *host;
	char root[SOCKET_ROOT_MAX];	/* socketDir, without a '/' at its end */
	json_t *used, *containers;	/* owned: names; what lease_ask_caches() tells */
	bool unknown;			/* a record cannot be read: any directory may be its */
};

/*
 * Collect attachments' directories and the state of containers; release *ret with
 * socket_left_done().
 */
int socket_left_look(const struct host *host, const struct inventory *inv, struct journal *j,
		     struct socket_left *ret, struct err *e) must_check;
void socket_left_done(struct socket_left *s);
#define auto_socket_left auto_with(socket_left_done)

/*
 * Is this directory unused by the journal; is its pod or container alive (enum leak_life)?  A pod
 * is dead when kubelet has no directory of it any more, a container by libcni's results.
 */
bool socket_left_is_nobodys(const struct socket_left *s, const char *name);
int socket_left_life(const struct socket_left *s, const char *name, struct err *e) must_check;

/* Check again, and remove it with its content: 1; 0 when it is in use; -1. */
int socket_left_remove(const struct host *host, struct journal *j, const char *name,
		       struct err *e) must_check;

#endif
