/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - GET /metrics, by libmicrohttpd
 *
 * Theory of operation.  The library has no thread here: its epoll descriptor is ready when it has
 * something to do, and it says when it wants to look at its clock.  A connection whose samples are
 * still being collected is suspended.  Its own time limit begins anew with each byte, so who sends
 * or reads one now and then would stay for ever: a connection is shut down when its life is over,
 * and that the library notices.
 */
#include "daemon/metrics/http.h"

#include "base/mem.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { BLOCK = 4096 };			/* of an answer */

struct client {				/* a connection; zeros: free */
	struct MHD_Connection *connection;
	int fd;
	int64_t ends_ms;
	bool began, waits, answered;
	struct exposition *x;		/* owned */
};

struct http {
	struct http_source source;
	struct MHD_Daemon *daemon;
	struct loop_source *ready;
	struct loop_timer *timer;
	struct client clients[HTTP_CONNECTIONS_MAX];
	bool ended;			/* a connection, in this run of the library */
};

enum form http_form(const char *accept)
{
	return accept && strcasestr(accept, "application/openmetrics-text") ? FORM_OPENMETRICS :
									    FORM_PROMETHEUS;
}

/* -- when the library is to run -- */

static void end_lives(struct http *h, int64_t now)
{
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		if (h->clients[i].connection && h->clients[i].ends_ms <= now)
			(void)shutdown(h->clients[i].fd, SHUT_RDWR);
}

/* 0: no connection is there, and nothing to wait for. */
static unsigned int ms_left(const struct http *h, int64_t now)
{
	MHD_UNSIGNED_LONG_LONG ms = HTTP_LIFE_MS;
	bool waits = MHD_get_timeout(h->daemon, &ms) == MHD_YES;
	int64_t least = waits && ms < HTTP_LIFE_MS ? (int64_t)ms : HTTP_LIFE_MS;

	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		if (h->clients[i].connection) {
			waits = true;
			if (h->clients[i].ends_ms - now < least)
				least = h->clients[i].ends_ms - now;
		}
	return !waits ? 0 : least > 0 ? (unsigned int)least : 1;
}

static void run(struct http *h)
{
	int64_t now = loop_now();

	end_lives(h, now);
	h->ended = false;
	(void)MHD_run(h->daemon);
	/* it listens again, after as many as there may be, only when it is run once more */
	loop_timer_set(h->timer, h->ended ? 1 : ms_left(h, now));
}

static void on_ready(short revents, void *arg)
{
	(void)revents;
	run(arg);
}

static void on_timer(void *arg)
{
	run(arg);
}

/* NULL: there are as many as there may be, or, of a connection that is known, none. */
static struct client *client_of(struct http *h, const struct MHD_Connection *connection)
{
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		if (h->clients[i].connection == connection)
			return &h->clients[i];
	return NULL;
}

static void client_begin(struct http *h, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *c = client_of(h, NULL);

	if (c && info)
		*c = (struct client){
			.connection = connection, .fd = info->connect_fd,
			.ends_ms = loop_now() + HTTP_LIFE_MS,
		};
}

static void client_end(struct http *h, struct client *c)
{
	h->ended = true;
	if (!c)
		return;
	exposition_release(c->x);
	*c = (struct client){ .connection = NULL };
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **ignored,
			  enum MHD_ConnectionNotificationCode what)
{
	(void)ignored;
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		client_begin(arg, connection);
	if (what == MHD_CONNECTION_NOTIFY_CLOSED)
		client_end(arg, client_of(arg, connection));
}

/* -- answers -- */

struct answer {
	struct exposition *x;		/* owned */
	struct exposition_reader reader;
};

static ssize_t read_answer(void *arg, uint64_t pos, char *buf, size_t max)
{
	struct answer *a = arg;
	size_t n = exposition_read(a->x, &a->reader, buf, max);

	(void)pos;
	return n > 0 ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static void free_answer(void *arg)
{
	struct answer *a = arg;

	exposition_release(a->x);
	free(a);
}

/* A response with that type is sent, and let go of: each connection gets one. */
static enum MHD_Result answer_with(struct client *c, unsigned int status, const char *type,
				   struct MHD_Response *response)
{
	enum MHD_Result r = MHD_NO;

	if (response &&
	    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES &&
	    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES &&
	    (status != MHD_HTTP_METHOD_NOT_ALLOWED ||
	     MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET") == MHD_YES))
		r = MHD_queue_response(c->connection, status, response);
	if (response)
		MHD_destroy_response(response);
	return r;
}

static enum MHD_Result refuse(struct client *c, unsigned int status)
{
	static char not_found[] = "Only /metrics is here.\n";
	static char not_allowed[] = "Only GET is allowed.\n";
	static char unavailable[] = "There is no memory for it now.\n";
	char *text = status == MHD_HTTP_NOT_FOUND ? not_found :
		     status == MHD_HTTP_METHOD_NOT_ALLOWED ? not_allowed : unavailable;

	return answer_with(c, status, "text/plain; charset=utf-8",
			   MHD_create_response_from_buffer(strlen(text), text,
							   MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result tell(struct client *c)
{
	static const char *const types[] = {
		[FORM_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[FORM_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
	};
	struct answer *a = c->x ? calloc(1, sizeof(*a)) : NULL;
	struct MHD_Response *response;
	enum form form;

	if (!a)
		return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE);
	form = http_form(MHD_lookup_connection_value(c->connection, MHD_HEADER_KIND,
						     MHD_HTTP_HEADER_ACCEPT));
	a->reader.form = form;
	a->x = steal_ptr(&c->x);
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_answer, a,
						     free_answer);
	if (!response)
		free_answer(a);
	return answer_with(c, MHD_HTTP_OK, types[form], response);
}

/* Called at the head of a request, then for its body, and at last to be answered. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *body,
				  size_t *body_len, void **request)
{
	struct http *h = arg;
	struct client *c = client_of(h, connection);
	bool began = c && c->began;

	(void)version, (void)body, (void)request;
	if (!c)
		return MHD_NO;
	c->began = true;
	if (strcmp(url, "/metrics") != 0)
		return refuse(c, MHD_HTTP_NOT_FOUND);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED);
	if (!began || *body_len > 0) {
		*body_len = 0;
		return MHD_YES;
	}
	if (!c->answered)
		c->x = h->source.ask(h->source.arg);
	if (c->answered || c->x)
		return tell(c);
	c->waits = true;
	MHD_suspend_connection(connection);
	return MHD_YES;
}

static void resume(struct client *c, struct exposition *x)
{
	c->waits = false;
	c->answered = true;
	c->x = x ? exposition_share(x) : NULL;
	MHD_resume_connection(c->connection);
}

void http_answer(struct http *h, struct exposition *x)
{
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		if (h->clients[i].waits)
			resume(&h->clients[i], x);
	run(h);
}

/* -- start and end -- */

static struct MHD_Daemon *start(struct http *h, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request,
				h, MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned int)HTTP_CONNECTIONS_MAX,
				MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned int)HTTP_ADDRESS_MAX,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_IDLE_S,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_MEMORY,
				MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
}

struct http *http_new(struct loop *l, int fd, const struct http_source *source, struct err *e)
{
	const union MHD_DaemonInfo *info;
	auto_close int own = fd;
	struct http *h = calloc(1, sizeof(*h));

	if (h) {
		h->source = *source;
		h->timer = loop_timer_new(l, on_timer, h, e);
		h->daemon = h->timer ? start(h, fd) : NULL;
	}
	if (!h || !h->daemon) {
		(void)err_set(e, ERR_IO, errno, "serve metrics");
		http_free(h);
		return NULL;
	}
	(void)steal_fd(&own);		/* it closes it */
	info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	h->ready = info ? loop_add(l, info->epoll_fd, POLLIN, on_ready, h, e) : NULL;
	if (h->ready)
		return h;
	http_free(h);
	return NULL;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	loop_remove(h->ready);
	loop_timer_free(h->timer);
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		if (h->clients[i].waits)
			resume(&h->clients[i], NULL);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	free(h);
}
