/* SPDX-License-Identifier: Apache-2.0 */
/* api_part.h - what the files of daemon/api/ share */
#ifndef DAEMON_API_PART_H
#define DAEMON_API_PART_H

#include "daemon/api/api_access.h"
#include "daemon/api/api.h"

#include <curl/curl.h>
#include <stdint.h>

struct api {
	const char *kubeconfig, *who;
	struct api_access access;
	int64_t read_at;		/* when the access was read */
	struct api_said {
		long status;		/* 0: nothing */
		unsigned int retry_after_ms;
	} said;				/* by the answer to the last request */
	CURL *easy;			/* of requests, one behind the other */
	CURLM *multi;			/* of streams */
	struct loop *loop;
	struct loop_timer *timer;	/* what multi waits for */
};

/* What a handle borrows; the lists are owned. */
struct api_lists {
	struct curl_slist *headers, *to;
	size_t came;			/* bytes of the answer's headers and trailers */
};

/* Prepare a handle for a path: whom it is to, and who asks. */
int api_set_up(struct api *a, CURL *c, const char *path, enum api_form form,
	       struct api_lists *lists, struct err *e) must_check;
void api_lists_done(struct api_lists *l);
#define auto_api_lists auto_with(api_lists_done)

/* Read the access again when it is old.  What cannot be read stays as it was. */
void api_refresh(struct api *a);
/* Read it now: true when it is another one. */
bool api_read_again(struct api *a);

/* Of an answer: how long to wait before the next request; 0: it does not say. */
unsigned int api_wait_of(CURL *c);
/* What an answer of this status says is wrong, by its body; of 0, libcurl's own words. */
int api_error(long status, const char *body, size_t len, struct err *e);
int api_transport_error(CURLcode code, const char *words, struct err *e);

/* stream.c: prepare the handle of streams. */
int api_streams_set_up(struct api *a, struct err *e) must_check;

#endif
