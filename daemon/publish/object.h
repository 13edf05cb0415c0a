/* SPDX-License-Identifier: Apache-2.0 */
/* object.h - objects of the API server that are ours alone are made as we want them */
#ifndef DAEMON_PUBLISH_OBJECT_H
#define DAEMON_PUBLISH_OBJECT_H

#include "base/err.h"
#include "daemon/api/backoff.h"
#include "daemon/api/follow.h"
#include "daemon/publish/node.h"
#include "daemon/publish/publish.h"

#include <jansson.h>

enum { OBJECTS_QUIET_MS = 10 * 60 * 1000 };	/* without a repair, the next one is at once */

struct objects {
	const struct publishing *publishing;	/* borrowed, as the next two */
	const char *path;			/* of the collection */
	struct follow *follow;			/* all objects of it are ours */
	json_t *sent;				/* owned; by name {"want", "version"} */
	char uid[NODE_UID_SIZE];		/* of the Node, their owner; "": not known */
	size_t n;				/* of them there were when all was as wanted */
	char wanted[17];			/* hash of what was wanted last; "": nothing */
	struct backoff repairs;
	int64_t repaired_at, not_before;
};

/* Learn the uid of the Node.  With one that is made anew they go: so when one is missing. */
int objects_learn_owner(struct objects *o, struct err *e) must_check;

/*
 * Make, change and remove objects until the server has those of the list `wanted`, and no other:
 * each by one request, that of a change with the version that was looked at.  An object whose spec,
 * labels and owners are as wanted is not written; other labels and owners stay.  Nor is one of
 * which the server has kept less than was sent, until one of both has changed.
 *
 * What somebody else has changed is repaired, each time later: *wait_ms then is when; 0: all is as
 * wanted.  0, or -1: try again.
 */
int objects_converge(struct objects *o, const json_t *wanted, unsigned int *wait_ms,
		     struct err *e) must_check;
void objects_done(struct objects *o);

/* The name of an object. */
const char *object_name(const json_t *object);

#endif
