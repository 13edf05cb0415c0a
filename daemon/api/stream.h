/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - a GET whose answer does not end soon: a watch */
#ifndef DAEMON_API_STREAM_H
#define DAEMON_API_STREAM_H

#include "daemon/api/api.h"

#include <stddef.h>

struct stream;

struct stream_calls {
	/* Some bytes of the answer; false: no more are wanted. */
	bool (*bytes)(const char *bytes, size_t n, void *arg);
	/*
	 * It has ended: with this status (0: none), and how long to wait before the next one.  why
	 * tells what was wrong; NULL: it came to its end.  The stream may be freed.
	 */
	void (*end)(long status, unsigned int wait_ms, const struct err *why, void *arg);
};

/* The loop calls.  It ends after max_ms at the latest.  NULL with an error. */
struct stream *stream_open(struct api *a, const char *path, enum api_form form,
			   unsigned int max_ms, const struct stream_calls *calls, void *arg,
			   struct err *e) must_check;
/* Not from within bytes().  NULL is fine. */
void stream_free(struct stream *s);

#endif
