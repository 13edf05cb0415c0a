/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - when it is told that something has changed
 *
 * Theory of operation.  Who makes 64 VFs causes some hundred events, and looking at 512 VFs takes
 * many milliseconds.  So events are gathered for WATCH_GATHER_MS from the first one, never longer
 * however many more come: a device that goes is told in time.  After a look that took t
 * milliseconds the next one begins WATCH_DUTY times t later at the earliest.
 */
#include "daemon/watch/watch_part.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <unistd.h>

enum { SOCKETS = 2, MESSAGE_MAX = 32 * 1024 };

struct watch {
	void (*fn)(unsigned int what, void *arg);
	void *arg;
	unsigned int pending;		/* noted, and not told yet */
	int64_t not_before;		/* when the next look may begin */
	struct loop_timer *tell, *each;
	struct {
		int fd;
		bool (*counts)(const void *message, size_t len);
		struct loop_source *source;
	} sockets[SOCKETS];
	struct watch_dirs *dirs;
	struct loop_source *dirs_source;
};

static void on_tell(void *arg)
{
	struct watch *w = arg;
	unsigned int what = w->pending;

	w->pending = 0;
	loop_timer_set(w->each, WATCH_EACH_MS);
	w->fn(what, w->arg);
}

void watch_note(struct watch *w, unsigned int what)
{
	int64_t now = loop_now(), at = now + WATCH_GATHER_MS;

	w->pending |= what;
	if (what == 0 || loop_timer_is_set(w->tell))
		return;
	if (at < w->not_before)
		at = w->not_before;
	loop_timer_set(w->tell, (unsigned int)(at - now));
}

void watch_took(struct watch *w, unsigned int ms)
{
	w->not_before = loop_now() + (int64_t)WATCH_DUTY * ms;
}

static void on_each(void *arg)
{
	struct watch *w = arg;

	watch_note(w, WATCH_DEVICES);
}

/* -- where events come from -- */

static bool counts_link(const void *message, size_t len)
{
	return watch_is_hardware(message, len);
}

static bool counts_uevent(const void *message, size_t len)
{
	return watch_is_device(message, len);
}

/* All that are there; some that are of no interest must not keep the others from being told. */
static void on_message(short revents, void *arg)
{
	struct watch *w = arg;

	(void)revents;
	for (size_t i = 0; i < SOCKETS; i++) {
		_Alignas(struct nlmsghdr) char buf[MESSAGE_MAX];
		bool lost = false;
		size_t n;

		while ((n = watch_netlink_read(w->sockets[i].fd, buf, sizeof(buf), &lost)) > 0)
			if (w->sockets[i].counts(buf, n))
				watch_note(w, WATCH_DEVICES);
		if (lost)
			watch_note(w, WATCH_DEVICES);
	}
}

static void on_dirs(short revents, void *arg)
{
	struct watch *w = arg;

	(void)revents;
	watch_note(w, watch_dirs_read(w->dirs));
}

static int listen_to_kernel(struct watch *w, struct loop *l, struct err *e)
{
	static const struct {
		int protocol;
		unsigned int groups;
		bool (*counts)(const void *message, size_t len);
	} kernel[SOCKETS] = {
		{ NETLINK_ROUTE, RTMGRP_LINK, counts_link },
		{ NETLINK_KOBJECT_UEVENT, 1, counts_uevent },
	};

	for (size_t i = 0; i < SOCKETS; i++) {
		w->sockets[i].counts = kernel[i].counts;
		w->sockets[i].fd = watch_netlink_open(kernel[i].protocol, kernel[i].groups, e);
		if (w->sockets[i].fd < 0)
			return -1;
		w->sockets[i].source = loop_add(l, w->sockets[i].fd, POLLIN, on_message, w, e);
		if (!w->sockets[i].source)
			return -1;
	}
	return 0;
}

static int listen_to_all(struct watch *w, struct loop *l, const struct host *host,
			 const struct watch_places *places, struct err *e)
{
	w->tell = loop_timer_new(l, on_tell, w, e);
	w->each = loop_timer_new(l, on_each, w, e);
	if (!w->tell || !w->each)
		return -1;
	loop_timer_set(w->each, WATCH_EACH_MS);
	w->dirs = watch_dirs_new(host, places, e);
	if (!w->dirs)
		return -1;
	w->dirs_source = loop_add(l, watch_dirs_fd(w->dirs), POLLIN, on_dirs, w, e);
	return w->dirs_source ? listen_to_kernel(w, l, e) : -1;
}

struct watch *watch_new(struct loop *l, const struct host *host, const struct watch_places *places,
			void (*fn)(unsigned int what, void *arg), void *arg, struct err *e)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (!w) {
		(void)err_set(e, ERR_IO, 0, "out of memory");
		return NULL;
	}
	*w = (struct watch){ .fn = fn, .arg = arg };
	for (size_t i = 0; i < SOCKETS; i++)
		w->sockets[i].fd = -1;
	if (listen_to_all(w, l, host, places, e) == 0)
		return w;
	watch_free(w);
	return NULL;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	loop_timer_free(w->tell);
	loop_timer_free(w->each);
	loop_remove(w->dirs_source);
	watch_dirs_free(w->dirs);
	for (size_t i = 0; i < SOCKETS; i++) {
		loop_remove(w->sockets[i].source);
		if (w->sockets[i].fd >= 0)
			(void)close(w->sockets[i].fd);
	}
	free(w);
}
