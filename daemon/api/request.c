/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - one request to the API server, and its answer */
#include "daemon/api/api_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "daemon/loop/notify.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *type;	/* of the body */
} methods[] = {
	[API_GET] = { "GET", NULL },
	[API_POST] = { "POST", "Content-Type: application/json" },
	[API_PUT] = { "PUT", "Content-Type: application/json" },
	[API_PATCH] = { "PATCH", "Content-Type: application/merge-patch+json" },
	[API_DELETE] = { "DELETE", "Content-Type: application/json" },
};

struct answer {
	char *body;			/* owned */
	size_t len;
	bool too_large;
	char words[CURL_ERROR_SIZE];	/* of libcurl, when it fails */
};

static void answer_done(struct answer *a)
{
	free(a->body);
	a->body = NULL;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;
	size_t more = size * n;
	char *body;

	if (more > API_REPLY_MAX - a->len) {
		a->too_large = true;
		return 0;
	}
	body = realloc(a->body, a->len + more + 1);
	if (!body)
		return 0;
	memcpy(body + a->len, bytes, more);
	a->body = body;
	a->len += more;
	body[a->len] = '\0';
	return more;
}

/* libcurl asks at least once a second.  The loop has blocked the signals, and reads them later. */
static int on_progress(void *arg, curl_off_t to, curl_off_t come, curl_off_t send, curl_off_t sent)
{
	sigset_t pending;

	(void)arg, (void)to, (void)come, (void)send, (void)sent;
	return sigpending(&pending) == 0 && (sigismember(&pending, SIGTERM) == 1 ||
					     sigismember(&pending, SIGINT) == 1);
}

static CURLcode set_answer(CURL *c, struct answer *a)
{
	CURLcode r = curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);

	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_WRITEDATA, a);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_ERRORBUFFER, a->words);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)API_REQUEST_MS);
	return r;
}

static int set_body(CURL *c, enum api_method method, const char *text, size_t len,
		    struct api_lists *lists, struct err *e)
{
	struct curl_slist *typed = curl_slist_append(lists->headers, methods[method].type), *all;

	if (!typed)
		return err_set(e, ERR_IO, ENOMEM, "headers");
	lists->headers = typed;
	all = curl_slist_append(typed, "Expect:");
	if (!all)
		return err_set(e, ERR_IO, ENOMEM, "headers");
	lists->headers = all;
	return curl_easy_setopt(c, CURLOPT_HTTPHEADER, all) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_POSTFIELDS, text) == CURLE_OK ? 0 :
		       err_set(e, ERR_IO, ENOMEM, "set up a request");
}

static int set_up(struct api *a, const struct api_request *r, const char *text, size_t len,
		  struct api_lists *lists, struct answer *answer, struct err *e)
{
	curl_easy_reset(a->easy);
	if (api_set_up(a, a->easy, r->path, r->form, lists, e) < 0)
		return -1;
	if (text && set_body(a->easy, r->method, text, len, lists, e) < 0)
		return -1;
	return curl_easy_setopt(a->easy, CURLOPT_CUSTOMREQUEST, methods[r->method].name) ==
		       CURLE_OK && set_answer(a->easy, answer) == CURLE_OK ? 0 :
		       err_set(e, ERR_IO, ENOMEM, "set up a request");
}

/* One time: 0 when there is an answer, whatever it says. */
static int exchange(struct api *a, const struct api_request *r, const char *text, size_t len,
		    struct answer *answer, struct err *e)
{
	auto_api_lists struct api_lists lists = { .headers = NULL };
	CURLcode code;

	a->said = (struct api_said){ .status = 0 };
	if (set_up(a, r, text, len, &lists, answer, e) < 0)
		return -1;
	code = curl_easy_perform(a->easy);
	notify_alive();			/* many of them may be one piece of work */
	/* nothing of this call is looked at by the handle from now on */
	(void)curl_easy_setopt(a->easy, CURLOPT_HTTPHEADER, NULL);
	(void)curl_easy_setopt(a->easy, CURLOPT_HEADERFUNCTION, NULL);
	(void)curl_easy_setopt(a->easy, CURLOPT_HEADERDATA, NULL);
	(void)curl_easy_setopt(a->easy, CURLOPT_CONNECT_TO, NULL);
	(void)curl_easy_setopt(a->easy, CURLOPT_ERRORBUFFER, NULL);
	if (answer->too_large)
		return err_set(e, ERR_DECODE, EFBIG, "the answer has more than %d bytes",
			       API_REPLY_MAX);
	if (code != CURLE_OK)
		return api_transport_error(code, answer->words, e);
	(void)curl_easy_getinfo(a->easy, CURLINFO_RESPONSE_CODE, &a->said.status);
	a->said.retry_after_ms = api_wait_of(a->easy);
	return 0;
}

/* With other credentials once more, where the first are refused. */
static int exchange_by_right(struct api *a, const struct api_request *r, const char *text,
			     size_t len, struct answer *answer, struct err *e)
{
	int result = exchange(a, r, text, len, answer, e);

	if (!(result == 0 && a->said.status == 401) && !(result < 0 && a->said.status == 0))
		return result;
	if ((result < 0 && e->code == ERR_INTERRUPTED) || !api_read_again(a))
		return result;
	answer_done(answer);
	*answer = (struct answer){ .body = NULL };
	return exchange(a, r, text, len, answer, e);
}

static int judge(const struct api *a, const struct answer *answer, json_t **ret, struct err *e)
{
	json_t *doc;

	if (a->said.status == 404)
		return 0;
	if (a->said.status < 200 || a->said.status >= 300)
		return api_error(a->said.status, answer->body, answer->len, e);
	if (!ret)
		return 1;
	doc = jx_parse(answer->body ? answer->body : "", answer->len, ERR_DECODE, "the answer", e);
	if (!json_is_object(doc)) {
		json_decref(doc);
		return doc ? err_set(e, ERR_DECODE, 0, "the answer is no object") : -1;
	}
	*ret = doc;
	return 1;
}

int api_send(struct api *a, const struct api_request *r, json_t **ret, struct err *e)
{
	auto_with(answer_done) struct answer answer = { .body = NULL };
	auto_free char *text = r->body ? json_dumps(r->body, JSON_COMPACT) : NULL;
	const struct api_said before = a->said;
	int result = exchange_by_right(a, r, text, text ? strlen(text) : 0, &answer, e);

	if (result == 0)
		result = judge(a, &answer, ret, e);
	if (r->aside)
		a->said = before;
	return result < 0 ? err_wrap(e, "%s %.100s", methods[r->method].name, r->path) : result;
}
