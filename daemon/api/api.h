/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api.h - requests to the API server of the cluster
 *
 * The room daemon/api/ speaks to an API server by libcurl: HTTP/1.1 over TLS, whose certificate is
 * always checked.  No redirect is followed, no proxy used but the kubeconfig's, and no program run.
 * It knows what all objects have in common (a name, a uid, a version, lists, watches), and not what
 * they say.
 *
 * To be read in this order:
 *
 *	api.c		what is kept; api_access.c whom requests are to and from, of a kubeconfig
 *			(kubeconfig.c) or as a pod has it; handle.c what they have in common
 *	request.c	one request, and its answer
 *	follow.c	objects as the server has them: a list, and a watch of what changes; by
 *			stream.c, an answer that does not end, lines.c its lines
 *	backoff.c	how long to wait before something is tried again
 *	static.c	what the static program does not ask libraries of the node for
 *
 * A request waits for its answer, API_REQUEST_MS at most; a SIGTERM that is blocked ends the wait.
 * Behind each the service manager is told that the program lives, however many belong together.
 * Only watches go on beside other work, by the loop.
 */
#ifndef DAEMON_API_H
#define DAEMON_API_H

#include "base/err.h"
#include "daemon/loop/loop.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	API_CONNECT_MS = 10 * 1000,
	API_REQUEST_MS = 30 * 1000,
	API_ACCESS_MS = 60 * 1000,	/* tokens and certificates are read again after it */
	API_REPLY_MAX = 8 << 20,	/* bytes of an answer */
	API_HEADERS_MAX = 1 << 20,	/* and of its headers and trailers */
	API_PATH_MAX = 2048,
};

struct api;

/*
 * kubeconfig is borrowed; NULL: as a pod has it.  `who` is a constant that requests name as their
 * sender.  NULL with ERR_NETCONF or ERR_IO.
 */
struct api *api_new(struct loop *l, const char *kubeconfig, const char *who,
		    struct err *e) must_check;
void api_free(struct api *a);

enum api_method { API_GET, API_POST, API_PUT, API_PATCH, API_DELETE };

/* What is answered of an object, or of each object of a list: all of it, or its metadata alone. */
enum api_form { API_WHOLE, API_METADATA, API_METADATA_LIST };

struct api_request {
	enum api_method method;
	const char *path;		/* "/api/v1/nodes/worker-1" */
	const json_t *body;		/* of API_PATCH a merge patch; NULL: none */
	enum api_form form;		/* a list in the form of one object is refused by 406 */
	bool aside;			/* api_status() and so on stay of the one before */
};

/*
 * Send it: 1 with the object of the answer, a new reference; 0: there is no such object (404); -1.
 * An answer of 401 makes credentials be read again, and the request be sent once more if they are
 * others.  ret may be NULL.
 */
int api_send(struct api *a, const struct api_request *r, json_t **ret, struct err *e) must_check;

/*
 * Of the last api_send() that was not aside: its status, 0 without an answer.  API_CONFLICT: an
 * object of the name is there already, or is not of the version that was looked at any more.
 */
enum { API_CONFLICT = 409 };
long api_status(const struct api *a);
/* And how long it said to wait before the next one; 0: it did not say. */
unsigned int api_retry_after_ms(const struct api *a);
/*
 * Was it about this object alone, so that others may be written?  False: the server, the way to it
 * or our right to ask is not well.
 */
bool api_is_of_object(long status);
/* Or may it have been?  Webhooks and policies answer so for one object, a server for all. */
bool api_may_be_of_object(long status);

/* Read the credentials again at the next request: these were refused. */
void api_forget_access(struct api *a);

/* Escape a text for a query, or for a part of a path; ret is "" where it does not fit. */
const char *api_escape(const char *text, char *ret, size_t size);

#endif
