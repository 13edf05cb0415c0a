/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registration.c - kubelet is told of a resource
 *
 * One try is: serve; look whether kubelet's socket is there; connect; Register, in steps.  What
 * fails is tried again after 100 ms, twice as long each time, 10 s at most, with jitter, for a node
 * has many resources and kubelet starts once for all.  Where there is no kubelet nothing is tried:
 * who watches the directory calls registration_check().
 *
 * kubelet forgets a plugin when it starts, and when it cannot reach it.  The first is seen by its
 * socket, which is another file then, or by ours, which it removes; the second by nobody listening
 * any more.
 */
#include "daemon/plugin/plugin_part.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/unix_socket.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>

#define METHOD "/v1beta1.Registration/Register"
#define KUBELET_SOCKET "kubelet.sock"

enum {
	WAIT_MS = 100,
	WAIT_MAX_MS = 10 * 1000,
	CONNECT_MS = 50,		/* only a full backlog makes it wait */
	REGISTER_MS = 15 * 1000,	/* kubelet itself waits up to 10 s for the plugin */
	LISTEN_MS = 5 * 1000,		/* from its answer until it listens */
	REPLY_MAX = 4096,		/* it is empty */
};

/* -- tries -- */

static void stop(struct registration *r)
{
	loop_timer_set(r->timer, 0);
	loop_remove(r->source);
	r->source = NULL;
	grpc_request_free(r->request);
	r->request = NULL;
}

/* Up to a quarter less. */
static unsigned int jitter(unsigned int ms)
{
	unsigned int random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return ms;
	return ms - random % (ms / 4 + 1);
}

static void try_later(struct registration *r)
{
	stop(r);
	r->wait_ms = r->wait_ms == 0 ? WAIT_MS : r->wait_ms * 2;
	if (r->wait_ms > WAIT_MAX_MS)
		r->wait_ms = WAIT_MAX_MS;
	loop_timer_set(r->timer, r->wait_ms == WAIT_MS ? WAIT_MS : jitter(r->wait_ms));
}

static void failed(struct resource *s, const struct err *e)
{
	log_warning("resource=%s msg=\"not registered\" why=%s details=%s", s->name, e->msg,
		    e->details);
	try_later(&s->registration);
}

/* -- the request -- */

static struct file_id kubelet_id(const struct plugin *p)
{
	return serve_file_id(p->host->root, p->dir, KUBELET_SOCKET);
}

static void take_reply(struct resource *s, const struct grpc_reply *reply)
{
	struct registration *r = &s->registration;
	struct err e = { 0 };

	if (reply->grpc_status != GRPC_OK) {
		(void)err_set(&e, ERR_IO, 0, "kubelet refuses it (%d): %.200s",
			      reply->grpc_status, reply->grpc_message);
		failed(s, &e);
		return;
	}
	stop(r);
	r->done = true;
	r->wait_ms = 0;
	log_info("resource=%s endpoint=%s msg=registered", s->name, s->socket);
	r->lost = !s->watchers;		/* it may have come and gone already, or never come */
	if (r->lost)
		loop_timer_set(r->timer, LISTEN_MS);
}

static void go_on(struct resource *s)
{
	struct registration *r = &s->registration;
	auto_grpc_reply struct grpc_reply reply = { .len = 0 };
	struct err e = { 0 };
	int done = grpc_request_go_on(r->request, &reply, &e);

	if (done < 0)
		failed(s, &e);
	else if (done > 0)
		take_reply(s, &reply);
	else
		loop_change(r->source, grpc_request_events(r->request));
}

static void request_ready(short revents, void *arg)
{
	(void)revents;
	go_on(arg);
}

/* fd is taken. */
static int send_request(struct resource *s, int fd, struct err *e)
{
	struct plugin_abilities a = { .preferred = true, .pre_start = s->plugin->opt.reset };
	struct deadline d = deadline_in(REGISTER_MS);
	struct registration *r = &s->registration;
	auto_message struct message m = { .len = 0 };
	auto_close int own = fd;

	if (register_request_encode(s->socket, s->name, &a, &m, e) < 0)
		return -1;
	r->request = grpc_request_new(steal_fd(&own), METHOD, m.data, m.len, REPLY_MAX, &d, e);
	if (!r->request)
		return -1;
	r->source = loop_add(s->plugin->loop, grpc_request_fd(r->request),
			     grpc_request_events(r->request), request_ready, s, e);
	if (!r->source)
		return -1;
	loop_timer_set(r->timer, REGISTER_MS + 1);
	return 0;
}

/* 1: the request is under way; 0: there is no kubelet; -1. */
static int try(struct resource *s, struct err *e)
{
	struct deadline d = deadline_in(CONNECT_MS);
	char path[sizeof(s->plugin->dir) + sizeof(KUBELET_SOCKET) + 1];
	int fd, opened = serve_open(s->serve, e);

	if (opened <= 0)
		return opened;
	s->registration.with = kubelet_id(s->plugin);
	if (s->registration.with.ino == 0)
		return 0;
	(void)snprintf(path, sizeof(path), "%s/" KUBELET_SOCKET, s->plugin->dir);
	fd = unix_socket_connect(s->plugin->host->root, path, SOCK_STREAM, &d, ERR_IO, e);
	return fd < 0 || send_request(s, fd, e) < 0 ? -1 : 1;
}

static void try_now(struct resource *s)
{
	struct err e = { 0 };
	int r;

	stop(&s->registration);
	r = try(s, &e);
	if (r < 0)
		failed(s, &e);
	else if (r == 0)
		log_info("resource=%s msg=\"kubelet is away\"", s->name);
}

/* The time of a request is over, or it is time for the next try; kubelet may listen again. */
static void timer(void *arg)
{
	struct resource *s = arg;
	struct registration *r = &s->registration;

	if (r->request)
		go_on(s);
	else if (r->lost && s->watchers)	/* it listens by now */
		*r = (struct registration){ .timer = r->timer, .with = r->with, .done = true };
	else
		try_now(s);
}

/* -- from outside -- */

int registration_new(struct resource *s, struct err *e)
{
	s->registration.timer = loop_timer_new(s->plugin->loop, timer, s, e);
	return s->registration.timer ? 0 : -1;
}

void registration_begin(struct resource *s)
{
	struct registration *r = &s->registration;

	r->done = r->lost = false;
	r->wait_ms = 0;
	try_now(s);
}

void registration_check(struct resource *s)
{
	struct file_id kubelet = kubelet_id(s->plugin);

	if (!serve_is_there(s->serve) || !file_id_equal(&kubelet, &s->registration.with))
		registration_begin(s);
}

void registration_lost(struct resource *s)
{
	struct registration *r = &s->registration;

	if (!r->done)
		return;
	log_info("resource=%s msg=\"kubelet does not listen any more\"", s->name);
	r->done = false;
	r->lost = true;
	r->wait_ms = 0;
	try_later(r);
}

void registration_end(struct resource *s)
{
	if (!s->registration.timer)
		return;
	stop(&s->registration);
	loop_timer_free(s->registration.timer);
	s->registration.timer = NULL;
}
