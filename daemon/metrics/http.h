/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - GET /metrics
 *
 * libmicrohttpd speaks HTTP, without threads: its own epoll descriptor is one of the loop's.  What
 * a client may cost is bounded: so many connections, so many of one address, so much memory each,
 * and so much time in all, whether it is slow to ask or to read.
 */
#ifndef DAEMON_METRICS_HTTP_H
#define DAEMON_METRICS_HTTP_H

#include "base/err.h"
#include "daemon/loop/loop.h"
#include "daemon/metrics/exposition.h"

enum {
	HTTP_CONNECTIONS_MAX = 16, HTTP_ADDRESS_MAX = 8,	/* the latter of one IP address */
	HTTP_IDLE_S = 10,
	HTTP_LIFE_MS = 30 * 1000,	/* of a connection, which gets one answer */
	HTTP_MEMORY = 16 * 1024,	/* of a connection */
};

struct http;

struct http_source {
	/*
	 * Returns samples, whose new owner the caller is; NULL: they are being collected, and
	 * http_answer() is called then.
	 */
	struct exposition *(*ask)(void *arg);
	void *arg;
};

/* Serve at a descriptor that listens, which is taken, also on an error.  NULL: ERR_IO. */
struct http *http_new(struct loop *l, int fd, const struct http_source *source,
		      struct err *e) must_check;
/* Answer all who wait for samples; NULL: there are none, and they are told to come again. */
void http_answer(struct http *h, struct exposition *x);
/* NULL is fine. */
void http_free(struct http *h);

/* "Accept" says that OpenMetrics is understood; NULL: the client says nothing. */
enum form http_form(const char *accept) must_check;

#endif
