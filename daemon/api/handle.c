/* SPDX-License-Identifier: Apache-2.0 */
/* handle.c - what all requests to the API server have in common */
#include "daemon/api/api_part.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- whom it is to, and who asks -- */

bool api_read_again(struct api *a)
{
	auto_api_access struct api_access now = { .server = NULL };
	struct api_access was;
	struct err e;

	a->read_at = loop_now();
	if (api_access_read(a->kubeconfig, &now, &e) < 0) {
		log_warning("msg=\"the credentials are not read again: %s\" details=\"%s\"", e.msg,
			    e.details);
		return false;
	}
	if (api_access_equal(&now, &a->access))
		return false;
	was = a->access;
	a->access = now;
	now = was;
	return true;
}

void api_refresh(struct api *a)
{
	if (loop_now() - a->read_at >= API_ACCESS_MS)
		(void)api_read_again(a);
}

static int add_header(struct curl_slist **headers, const char *text, struct err *e)
{
	struct curl_slist *longer = curl_slist_append(*headers, text);

	if (!longer)
		return err_set(e, ERR_IO, ENOMEM, "headers");
	*headers = longer;
	return 0;
}

static int add_token(const struct api *a, struct curl_slist **headers, struct err *e)
{
	char *text = NULL;
	int r;

	if (!a->access.token)
		return 0;
	if (asprintf(&text, "Authorization: Bearer %s", a->access.token) < 0)
		return err_set(e, ERR_IO, ENOMEM, "headers");
	r = add_header(headers, text, e);
	explicit_bzero(text, strlen(text));
	free(text);
	return r;
}

/* What the caller of libcurl gave stays his own: it is copied, for the access may be read again. */
static CURLcode set_blob(CURL *c, CURLoption option, char *pem)
{
	struct curl_blob blob = {
		.data = pem, .len = pem ? strlen(pem) : 0, .flags = CURL_BLOB_COPY,
	};

	return curl_easy_setopt(c, option, pem ? &blob : NULL);
}

/* Whom this machine trusts: libcurl knows where its own distribution has that, if any. */
static const char *find_trusted(void)
{
	static const char *const places[] = {
		"/etc/ssl/certs/ca-certificates.crt",			/* Debian, Talos */
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",	/* Fedora, RHEL */
		"/etc/ssl/ca-bundle.pem",				/* SUSE */
		"/etc/ssl/cert.pem",					/* Alpine */
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (access(places[i], R_OK) == 0)
			return places[i];
	return NULL;
}

/* The certificates are those of the access alone where it names some: nobody else's count. */
static CURLcode set_tls(const struct api *a, CURL *c)
{
	const char *trusted = a->access.ca ? NULL : find_trusted();
	CURLcode r = set_blob(c, CURLOPT_CAINFO_BLOB, a->access.ca);

	if (r == CURLE_OK && trusted)
		r = curl_easy_setopt(c, CURLOPT_CAINFO, trusted);
	if (r == CURLE_OK && (a->access.ca || trusted))
		r = curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
	if (r == CURLE_OK)
		r = set_blob(c, CURLOPT_SSLCERT_BLOB, a->access.cert);
	if (r == CURLE_OK)
		r = set_blob(c, CURLOPT_SSLKEY_BLOB, a->access.key);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	return r;
}

/* An empty proxy is none: also what the environment names is not asked. */
static CURLcode set_way(const struct api *a, CURL *c)
{
	CURLcode r = curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "https");

	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_PROXY, a->access.proxy ? a->access.proxy : "");
	if (r == CURLE_OK && a->access.proxy)
		r = curl_easy_setopt(c, CURLOPT_NOPROXY, "");
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)API_CONNECT_MS);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_TCP_KEEPIDLE, 30L);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_TCP_KEEPINTVL, 10L);
	if (r == CURLE_OK)
		r = curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	if (r == CURLE_OK)	/* a name server that is silent does not hold up the end */
		r = curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
	return r;
}

/*
 * A name that the certificate is for in place of the host's: the connection goes to the host, and
 * the URL has the name, for by that libcurl checks.
 */
static int set_place(const struct api *a, CURL *c, const char *path, struct curl_slist **to,
		     struct err *e)
{
	const char *server = a->access.server, *name = a->access.server_name;
	const char *host = server + sizeof("https://") - 1;
	size_t len = strcspn(host, "/");
	const char *colon = memchr(host, ':', len);
	char url[API_PATH_MAX + 512], connect[600];
	int n;

	if (*host == '[')
		colon = strchr(host, ']') ? strchr(host, ']') + 1 : NULL;
	if (colon && (*colon != ':' || colon >= host + len))
		colon = NULL;
	if (!name) {
		n = snprintf(url, sizeof(url), "%s%s", server, path);
	} else {
		n = snprintf(url, sizeof(url), "https://%s%s%s", name, colon ? colon : host + len,
			     path);
		(void)snprintf(connect, sizeof(connect), "::%.*s:%.*s",
			       (int)(colon ? colon - host : (int)len), host,
			       colon ? (int)(host + len - colon - 1) : 0, colon ? colon + 1 : "");
		*to = curl_slist_append(NULL, connect);
	}
	if (n < 0 || (size_t)n >= sizeof(url))
		return err_set(e, ERR_NETCONF, 0, "the address '%.128s...' is too long", server);
	return curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_CONNECT_TO, *to) == CURLE_OK ? 0 :
		       err_set(e, ERR_IO, ENOMEM, "set up a request");
}

static const char *const accepts[] = {
	[API_WHOLE] = "Accept: application/json",
	[API_METADATA] = "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
	[API_METADATA_LIST] =
		"Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
};

static int set_headers(const struct api *a, enum api_form form, struct curl_slist **headers,
		       struct err *e)
{
	char agent[64];

	(void)snprintf(agent, sizeof(agent), "User-Agent: %.48s", a->who);
	return add_header(headers, agent, e) < 0 ||
	       add_header(headers, accepts[form], e) < 0 ||
	       add_token(a, headers, e) < 0 ? -1 : 0;
}

/* libcurl bounds headers, but not what comes behind the body. */
static size_t count_header(char *text, size_t one, size_t n, void *arg)
{
	struct api_lists *l = arg;

	(void)text;
	l->came += one * n;
	return l->came <= API_HEADERS_MAX ? one * n : 0;
}

int api_set_up(struct api *a, CURL *c, const char *path, enum api_form form,
	       struct api_lists *lists, struct err *e)
{
	api_refresh(a);
	if (set_place(a, c, path, &lists->to, e) < 0 ||
	    set_headers(a, form, &lists->headers, e) < 0)
		return -1;
	return set_tls(a, c) == CURLE_OK && set_way(a, c) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, count_header) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_HEADERDATA, lists) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_HTTPHEADER, lists->headers) == CURLE_OK ? 0 :
		       err_set(e, ERR_IO, ENOMEM, "set up a request");
}

void api_lists_done(struct api_lists *l)
{
	for (struct curl_slist *h = l->headers; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(l->headers);
	curl_slist_free_all(l->to);
	*l = (struct api_lists){ .headers = NULL };
}

/* -- what an answer says -- */

/* libcurl takes dates, too: they are then far more than the limit, which counts. */
unsigned int api_wait_of(CURL *c)
{
	curl_off_t seconds = 0;

	if (curl_easy_getinfo(c, CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK || seconds <= 0)
		return 0;
	return seconds > 3600 ? 3600 * 1000 : (unsigned int)seconds * 1000;
}

/* The words of a Status, where the body is one; they are the server's, so bounded. */
int api_error(long status, const char *body, size_t len, struct err *e)
{
	struct err ignored;
	json_auto_t *doc = len > 0 ? jx_parse(body, len, ERR_DECODE, "", &ignored) : NULL;
	const char *words = json_string_value(json_object_get(doc, "message"));
	enum err_code code = status == 401 || status == 403 ? ERR_PERMISSION :
			     status == 429 || status >= 500 ? ERR_TRY_AGAIN : ERR_IO;

	(void)err_set(e, code, 0, "the API server answers %ld", status);
	return words ? err_detail(e, "%.400s", words) : -1;
}

int api_transport_error(CURLcode code, const char *words, struct err *e)
{
	const char *what = code == CURLE_PEER_FAILED_VERIFICATION ?
		"the API server is not whom the certificate authority vouches for" :
		code == CURLE_OPERATION_TIMEDOUT ? "the API server does not answer in time" :
		code == CURLE_ABORTED_BY_CALLBACK ? "a signal came first" :
		"the API server is not reached";

	(void)err_set(e, code == CURLE_ABORTED_BY_CALLBACK ? ERR_INTERRUPTED : ERR_TRY_AGAIN, 0,
		      "%s", what);
	return err_detail(e, "%.300s", words && *words ? words : curl_easy_strerror(code));
}

const char *api_escape(const char *text, char *ret, size_t size)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t n = 0;

	for (; *text && n + 4 <= size; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		    strchr("-._~", c)) {
			ret[n++] = (char)c;
			continue;
		}
		ret[n++] = '%';
		ret[n++] = hex[c >> 4];
		ret[n++] = hex[c & 15];
	}
	ret[*text ? 0 : n] = '\0';
	return ret;
}
