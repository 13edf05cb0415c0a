/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - when it is told that something has changed
 *
 * Theory of operation.  Who makes 64 VFs causes some hundred events, and looking at 512 VFs takes
 * many milliseconds.  So events are gathered for WATCH_GATHER_MS from the first one, never longer
 * however many more come: a device that goes is told in time.  A look that took t milliseconds is
 * paid for by WATCH_DUTY times t without one.  What was not used is saved, WATCH_SAVED_MS at most:
 * VFs that go one after the other, each slowly, are told in time as well.
 */
#include "daemon/watch/watch_part.h"

#include "base/fs.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGE_MAX = 32 * 1024, MESSAGES_AT_ONCE = 256 };

/* What the kernel is listened to about. */
enum { LINKS, UEVENTS, PORTS, RDMA, SOCKETS };

enum { UEVENTS_OF_KERNEL = 1 };		/* 2 are udev's */
enum { RDMA_NOTIFICATIONS = 4 };	/* RDMA_NL_GROUP_NOTIFY of Linux 6.12 */

static bool is_any(const void *message, size_t len)
{
	(void)message;
	return len > 0;
}

static bool (*const counts[SOCKETS])(const void *message, size_t len) = {
	[LINKS] = watch_is_hardware,
	[UEVENTS] = watch_is_device,
	[PORTS] = watch_is_port,
	[RDMA] = is_any,
};

struct channel {
	struct watch *watch;
	int fd;				/* -1: the kernel has none */
	bool (*counts)(const void *message, size_t len);
	struct loop_source *source;
};

struct watch {
	void (*fn)(unsigned int what, void *arg);
	void *arg;
	unsigned int pending;		/* noted, and not told yet */
	int64_t paid_at;		/* when all looks are; see WATCH_SAVED_MS */
	struct loop_timer *tell, *each;
	unsigned int each_ms;		/* from a look to the next without an event */
	struct channel channels[SOCKETS];
	struct watch_dirs *dirs;
	struct loop_source *dirs_source;
};

static void on_tell(void *arg)
{
	struct watch *w = arg;
	unsigned int what = w->pending;

	w->pending = 0;
	loop_timer_set(w->each, w->each_ms);
	w->fn(what, w->arg);
}

void watch_note(struct watch *w, unsigned int what)
{
	int64_t now = loop_now(), at = now + WATCH_GATHER_MS;
	int64_t allowed = w->paid_at - WATCH_SAVED_MS;

	w->pending |= what;
	if (what == 0 || loop_timer_is_set(w->tell))
		return;
	if (at < allowed)
		at = allowed;
	loop_timer_set(w->tell, (unsigned int)(at - now));
}

void watch_took(struct watch *w, unsigned int ms)
{
	int64_t now = loop_now();

	w->paid_at = (w->paid_at > now ? w->paid_at : now) + (int64_t)WATCH_DUTY * ms;
	w->each_ms = ms >= WATCH_EACH_MAX_MS / WATCH_EACH_DUTY ? WATCH_EACH_MAX_MS :
		     ms > WATCH_EACH_MS / WATCH_EACH_DUTY ? WATCH_EACH_DUTY * ms : WATCH_EACH_MS;
	loop_timer_set(w->each, w->each_ms);
}

static void on_each(void *arg)
{
	struct watch *w = arg;

	watch_note(w, WATCH_DEVICES | watch_dirs_set_again(w->dirs));
}

/* -- where events come from -- */

/* Those of no interest must not keep the loop from others: the rest has its turn later. */
static void on_message(short revents, void *arg)
{
	const struct channel *c = arg;
	_Alignas(struct nlmsghdr) char buf[MESSAGE_MAX];
	bool lost = false, matters = false;
	ssize_t n = 0;

	(void)revents;
	for (int i = 0; i < MESSAGES_AT_ONCE && n >= 0; i++) {
		n = watch_netlink_read(c->fd, buf, sizeof(buf), &lost);
		if (n > 0)
			matters |= c->counts(buf, (size_t)n);
	}
	if (matters || lost)
		watch_note(c->watch, WATCH_DEVICES);
}

static void on_dirs(short revents, void *arg)
{
	struct watch *w = arg;

	(void)revents;
	watch_note(w, watch_dirs_read(w->dirs));
}

static int listen_to(struct watch *w, struct loop *l, int channel, int protocol,
		     unsigned int group, struct err *e)
{
	struct channel *c = &w->channels[channel];

	c->fd = watch_netlink_open(protocol, group, e);
	if (c->fd < 0)
		return -1;
	c->watch = w;
	c->counts = counts[channel];
	c->source = loop_add(l, c->fd, POLLIN, on_message, c, e);
	if (c->source)
		return 0;
	(void)close(c->fd);		/* what nobody reads would only fill */
	c->fd = -1;
	return -1;
}

/*
 * A node without ports or RDMA can do without their messages.  To ask a kernel for RDMA loads
 * modules: what has RDMA devices has these.
 */
static int listen_to_kernel(struct watch *w, struct loop *l, const struct host *host,
			    struct err *e)
{
	unsigned int ports = watch_port_group();
	struct err ignored;

	if (ports != 0)
		(void)listen_to(w, l, PORTS, NETLINK_GENERIC, ports, &ignored);
	if (fs_exists(host->root, &ignored, "/sys/class/infiniband") > 0)
		(void)listen_to(w, l, RDMA, NETLINK_RDMA, RDMA_NOTIFICATIONS, &ignored);
	return listen_to(w, l, LINKS, NETLINK_ROUTE, RTNLGRP_LINK, e) < 0 ||
	       listen_to(w, l, UEVENTS, NETLINK_KOBJECT_UEVENT, UEVENTS_OF_KERNEL, e) < 0 ? -1 : 0;
}

static int listen_to_all(struct watch *w, struct loop *l, const struct host *host,
			 const struct watch_places *places, struct err *e)
{
	w->tell = loop_timer_new(l, on_tell, w, e);
	w->each = loop_timer_new(l, on_each, w, e);
	if (!w->tell || !w->each)
		return -1;
	w->each_ms = WATCH_EACH_MS;
	loop_timer_set(w->each, w->each_ms);
	w->dirs = watch_dirs_new(host, places, e);
	if (!w->dirs)
		return -1;
	w->dirs_source = loop_add(l, watch_dirs_fd(w->dirs), POLLIN, on_dirs, w, e);
	return w->dirs_source ? listen_to_kernel(w, l, host, e) : -1;
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
		w->channels[i].fd = -1;
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
		loop_remove(w->channels[i].source);
		if (w->channels[i].fd >= 0)
			(void)close(w->channels[i].fd);
	}
	free(w);
}
