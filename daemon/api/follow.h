/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - objects of one kind as the API server has them, kept up to date
 *
 * A list is read, and then a watch goes on from its version.  A watch that is cut goes on where it
 * was; where the server does not know any more what has changed since (410), or has no such objects
 * at the time (404), the list is read anew.
 */
#ifndef DAEMON_API_FOLLOW_H
#define DAEMON_API_FOLLOW_H

#include "daemon/api/api.h"

#include <jansson.h>

enum {
	FOLLOW_PAGE = 250,		/* objects of one answer */
	FOLLOW_OBJECTS_MAX = 10000,
	FOLLOW_LIST_MS = 5 * 60 * 1000,	/* for all pages of a list */
	FOLLOW_LINE_MAX = 4 << 20,	/* bytes of one event: an object has at most 3 MB */
	FOLLOW_WATCH_S = 300,		/* up to twice as long a watch goes on */
};

struct follow;

/* Texts are constants, or outlive the follow. */
struct follow_what {
	const char *path;		/* "/api/v1/pods" */
	const char *selector;		/* "fieldSelector=..."; "" is none */
	bool metadata;			/* of each object, that is enough */
	/* What is to be known of an object, a new reference; NULL: it is of no interest. */
	json_t *(*keep)(const json_t *object, void *arg);
	/* Something has changed; it may be called very often. */
	void (*changed)(void *arg);
	/* The server has no such list, which is asked for again all the same; NULL: never mind. */
	void (*absent)(void *arg);
};

/* It begins by the loop.  NULL with ERR_IO. */
struct follow *follow_new(struct api *a, struct loop *l, const struct follow_what *what, void *arg,
			  struct err *e) must_check;
void follow_free(struct follow *f);

/*
 * What is known of the objects, by "NAMESPACE/NAME", or "NAME" of those without namespace;
 * borrowed, and not to be changed.  NULL: no list has been read yet.
 */
json_t *follow_objects(const struct follow *f);

/* What an object is called there, a new reference. */
json_t *follow_key(const json_t *object);

/*
 * Ask for one object, at its path, as after a conflict.  What is not learnt by it, the watch tells.
 * What was refused, and how long that said to wait, api_status() and so on still tell behind it.
 */
void follow_look_again(struct follow *f, const char *path, const char *key);
/* What an answer of the server has said meanwhile: an object is so, or is not there. */
void follow_note(struct follow *f, const json_t *object);
void follow_forget(struct follow *f, const char *key);

#endif
