/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.c - have one of the kernel's answers over netlink be lost, late or doubled (LD_PRELOAD)
 *
 *	ANSWER_LOST=N		the N-th is thrown away
 *	ANSWER_LATE=N		... is there only when its reader has given up waiting
 *	ANSWER_TWICE=N		... comes once more, before the next one on its socket
 *	ANSWER_COUNT=FILE	when the program ends by exit(), their number is written there
 *
 * An answer is a datagram that ends one: an ACK, a reply, the end of a dump.  When another one
 * follows the one that is lost, its reader gets ENOBUFS first, as the kernel has it; all that
 * follow a late one are late.  Who waits in ppoll(2) for what does not come has waited at once: its
 * monotonic clock goes on by as much.
 */
#include "count.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { NS = 1000000000 };

static long lost, late, twice, answers;
static struct timespec ahead;		/* of the monotonic clock */

/* What is in vain waited for, or comes later. */
static struct {
	ino_t socket;			/* 0: nothing */
	int waiting, told;		/* told: of the loss */
	ssize_t len;			/* 0: it is lost */
	struct sockaddr_nl from;
	char bytes[1024 * 1024];
} held;

static void report(void)
{
	count_tell(answers);
}

static long number(const char *name)
{
	const char *n = getenv(name);

	return n ? atol(n) : 0;
}

/* Children are none of our business. */
__attribute__((constructor)) static void set_up(void)
{
	const char *count_file = getenv("ANSWER_COUNT");

	lost = number("ANSWER_LOST");
	late = number("ANSWER_LATE");
	twice = number("ANSWER_TWICE");
	if (count_file)
		count_open(count_file);
	if (count_file && atexit(report) != 0)
		abort();
	(void)unsetenv("LD_PRELOAD");
}

/* 0: no netlink socket */
static ino_t socket_of(int fd)
{
	int domain = 0;
	socklen_t len = sizeof(domain);
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 || domain != AF_NETLINK ||
	    fstat(fd, &st) < 0)
		return 0;
	return st.st_ino;
}

static int ends_an_answer(const void *buf, ssize_t len)
{
	const struct nlmsghdr *h = buf;
	ssize_t left = len;
	int ends = 1;

	for (; left >= (ssize_t)sizeof(*h) && h->nlmsg_len >= sizeof(*h);
	     left -= NLMSG_ALIGN(h->nlmsg_len),
	     h = (const void *)((const char *)h + NLMSG_ALIGN(h->nlmsg_len)))
		ends = !(h->nlmsg_flags & NLM_F_MULTI) || h->nlmsg_type == NLMSG_DONE ||
		       h->nlmsg_type == NLMSG_ERROR;
	return ends;
}

static void hold(ino_t socket, const struct msghdr *msg, ssize_t len, int waiting)
{
	held.socket = socket;
	held.waiting = waiting;
	held.len = len > (ssize_t)sizeof(held.bytes) ? (ssize_t)sizeof(held.bytes) : len;
	memcpy(held.bytes, msg->msg_iov[0].iov_base, (size_t)held.len);
	if (msg->msg_namelen == sizeof(held.from))
		memcpy(&held.from, msg->msg_name, sizeof(held.from));
}

static ssize_t hand_over(struct msghdr *msg)
{
	if ((size_t)held.len > msg->msg_iov[0].iov_len)
		held.len = (ssize_t)msg->msg_iov[0].iov_len;
	memcpy(msg->msg_iov[0].iov_base, held.bytes, (size_t)held.len);
	if (msg->msg_name)
		memcpy(msg->msg_name, &held.from, sizeof(held.from));
	msg->msg_namelen = sizeof(held.from);
	msg->msg_flags = 0;
	held.socket = 0;
	return held.len;
}

static int ready(int fd)
{
	static int (*real)(struct pollfd *, nfds_t, int);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "poll");
	return real(&p, 1, 0) > 0;
}

/* What the reader of this socket gets in place of what is there: -1 with errno; 0: nothing else. */
static int instead(int fd, ino_t socket)
{
	if (!socket || socket != held.socket)
		return 0;
	if (held.waiting && held.len) {
		errno = EAGAIN;
		return -1;
	}
	if (held.waiting && !held.told && ready(fd)) {
		held.told = 1;
		held.waiting = 0;
		errno = ENOBUFS;
		return -1;
	}
	return 0;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	static ssize_t (*real)(int, struct msghdr *, int);
	ino_t socket = socket_of(fd);
	ssize_t len;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "recvmsg");
	if (instead(fd, socket) < 0)
		return -1;
	if (socket && socket == held.socket && !held.waiting && held.len)
		return hand_over(msg);
	len = real(fd, msg, flags);
	if (!socket || len <= 0 || !ends_an_answer(msg->msg_iov[0].iov_base, len))
		return len;
	answers++;
	if (answers == twice)
		hold(socket, msg, len, 0);
	if (answers != lost && answers != late)
		return len;
	hold(socket, msg, answers == late ? len : 0, 1);
	errno = EAGAIN;
	return -1;
}

static int waits_in_vain(const struct pollfd *fds, nfds_t n)
{
	if (!held.waiting)
		return 0;
	for (nfds_t i = 0; i < n; i++)
		if (socket_of(fds[i].fd) == held.socket)
			return 1;
	return 0;
}

static void add(struct timespec *t, const struct timespec *more)
{
	t->tv_sec += more->tv_sec + (t->tv_nsec + more->tv_nsec) / NS;
	t->tv_nsec = (t->tv_nsec + more->tv_nsec) % NS;
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	static int (*real)(struct pollfd *, nfds_t, int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "poll");
	return timeout == 0 && held.len && waits_in_vain(fds, n) ? 0 : real(fds, n, timeout);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	static int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	int r;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ppoll");
	if (!timeout || !waits_in_vain(fds, n))
		return real(fds, n, timeout, mask);
	r = held.len ? 0 : real(fds, n, &(struct timespec){ 0 }, mask);
	if (r != 0)
		return r;
	add(&ahead, timeout);
	add(&ahead, &(struct timespec){ .tv_nsec = 1000000 });
	held.waiting = 0;
	return 0;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *ret)
{
	static int (*real)(clockid_t, struct timespec *);
	int r;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	r = real(clock, ret);
	if (r == 0 && clock == CLOCK_MONOTONIC)
		add(ret, &ahead);
	return r;
}
