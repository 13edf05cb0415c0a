/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl.c - one netlink connection: requests, dumps and batches
 *
 * Three things can reach the socket that are not our answer, and all are
 * skipped: the late answer of a request that was given up, a datagram of another
 * process (whoever has CAP_NET_ADMIN in the pod's namespace may send us one), and
 * messages with another port.  The kernel answers rtnetlink before sendto returns,
 * so the wait is for families that do not; it is bounded all the same.
 */
#include "netlink/nl.h"

#include "base/deadline.h"
#include "base/mem.h"
#include "netlink/nlerr.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE	71	/* linux/socket.h of 5.14 */
#endif

#ifndef NETLINK_GET_STRICT_CHK
#define NETLINK_GET_STRICT_CHK 12
#endif

enum { DUMP_TRIES = 5 };

/*
 * The largest reply is a PF with its VFs, 196 bytes each: here are 2,600.  Only the pages a reply
 * reaches are ever touched.  The socket has room for it as the kernel counts, which is in powers of
 * two, and for the ACK behind it: in that of before there was none for the ACK from 1,300 VFs on.
 */
static _Alignas(struct nlmsghdr) uint8_t reply_buf[512 * 1024];
static const int receive_room = 2 * sizeof(reply_buf);

/* -- composing -- */

/* The next len bytes and their padding, zeroed; NULL when they do not fit. */
static void *append(struct nl_req *r, size_t len)
{
	uint8_t *at = r->buf + r->h.nlmsg_len;

	if (r->full || len > sizeof(r->buf) || sizeof(r->buf) - r->h.nlmsg_len < NLA_ALIGN(len)) {
		r->full = true;
		return NULL;
	}
	r->h.nlmsg_len += (uint32_t)NLA_ALIGN(len);
	return memset(at, 0, NLA_ALIGN(len));
}

void *nl_req_init(struct nl_req *r, uint16_t type, uint16_t flags, size_t extra)
{
	r->full = false;
	r->h = (struct nlmsghdr){
		.nlmsg_len = sizeof(r->h),
		.nlmsg_type = type,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
	};
	return append(r, extra);
}

static struct nlattr *put_attr(struct nl_req *r, uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = append(r, sizeof(*a) + len);

	if (!a)
		return NULL;
	*a = (struct nlattr){ .nla_len = (uint16_t)(sizeof(*a) + len), .nla_type = type };
	if (len > 0)
		memcpy(a + 1, data, len);
	return a;
}

void nl_put(struct nl_req *r, uint16_t type, const void *data, size_t len)
{
	(void)put_attr(r, type, data, len);
}

void nl_put_u32(struct nl_req *r, uint16_t type, uint32_t value)
{
	nl_put(r, type, &value, sizeof(value));
}

struct nlattr *nl_nest(struct nl_req *r, uint16_t type)
{
	return put_attr(r, NLA_F_NESTED | type, NULL, 0);
}

void nl_nest_end(struct nl_req *r, struct nlattr *nest)
{
	if (nest)
		nest->nla_len = (uint16_t)(r->buf + r->h.nlmsg_len - (uint8_t *)nest);
}

/* -- the connection -- */

struct opening {
	int bus;
	int fd;
};

static int open_socket(void *arg, struct err *e)
{
	struct opening *o = arg;

	o->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, o->bus);
	return o->fd >= 0 ? 0 : err_set(e, ERR_NETLINK, errno, "open a netlink socket");
}

/* The kernel chooses the port. */
static int bind_socket(struct nl *nl)
{
	struct sockaddr_nl at = { .nl_family = AF_NETLINK };
	socklen_t len = sizeof(at);

	if (bind(nl->fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    getsockname(nl->fd, (struct sockaddr *)&at, &len) < 0)
		return -1;
	nl->port = at.nl_pid;
	return 0;
}

int nl_open(int nsfd, int bus, struct nl *ret, struct err *e)
{
	struct opening o = { .bus = bus };
	int on = 1;

	if (netns_do(nsfd, open_socket, &o, e) < 0)
		return -1;

	auto_nl struct nl nl = { .open = true, .fd = o.fd };
	/* Refused by old kernels, which then say and check less: no reason to give up. */
	(void)setsockopt(nl.fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)setsockopt(nl.fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	if (bind_socket(&nl) < 0)
		return err_set(e, ERR_NETLINK, errno, "bind a netlink socket");
	*ret = nl;
	nl.open = false;
	return 0;
}

uint64_t nl_netns_cookie(const struct nl *nl)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (getsockopt(nl->fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		return 0;
	return cookie;
}

void nl_done(struct nl *nl)
{
	if (nl->open)
		(void)close(nl->fd);	/* nothing is written back at close */
	*nl = (struct nl){ 0 };
}

/* -- answers -- */

static void fail(struct nl_answer *a, const struct err *why, struct err *e)
{
	if (!a->failed)
		*e = *why;
	a->failed = true;
}

/* The final answer to request i. */
static void take_final(struct nl_answer *a, unsigned int i, const struct nlmsghdr *nlh,
		       struct err *e)
{
	struct err why;

	if (a->acked & (UINT64_C(1) << i))
		return;
	a->acked |= UINT64_C(1) << i;
	if (nlerr_get(nlh, &why) == 0)
		return;
	if (!a->refused || a->refused(i, a->arg, &why) < 0)
		fail(a, &why, e);
}

static void take_reply(struct nl_answer *a, unsigned int i, const struct nlmsghdr *nlh,
		       struct err *e)
{
	struct err why;

	if (a->reply && !a->failed && a->reply(nlh, a->arg, &why) < 0)
		fail(a, &why, e);
	if (a->one)
		a->acked |= UINT64_C(1) << i;
}

static void take_message(struct nl_answer *a, const struct nlmsghdr *nlh, struct err *e)
{
	uint32_t i = nlh->nlmsg_seq - a->first;

	if (nlh->nlmsg_pid != a->port || i >= a->n)
		return;
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		a->interrupted = true;
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
		take_final(a, i, nlh, e);
	else if (nlh->nlmsg_type >= NLMSG_MIN_TYPE)
		take_reply(a, i, nlh, e);
}

bool nl_answer_feed(struct nl_answer *a, const void *buf, size_t len, struct err *e)
{
	struct nl_rest rest = { .at = buf, .len = len };
	const struct nlmsghdr *nlh;

	while ((nlh = nl_next_message(&rest)))
		take_message(a, nlh, e);
	return a->acked == UINT64_MAX >> (64 - a->n);
}

/* One datagram of the kernel: its length, 0 for one to be skipped, -1 with errno. */
static ssize_t receive(int fd)
{
	struct sockaddr_nl from;
	struct iovec iov = { .iov_base = reply_buf, .iov_len = sizeof(reply_buf) };
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1
	};
	ssize_t len = recvmsg(fd, &msg, MSG_DONTWAIT);

	if (len >= 0 && (msg.msg_namelen != sizeof(from) || from.nl_pid != 0))
		return 0;
	if (len >= 0 && (msg.msg_flags & MSG_TRUNC)) {
		errno = EMSGSIZE;
		return -1;
	}
	return len;
}

static int read_answer(int fd, struct nl_answer *a, struct err *e)
{
	struct deadline d = deadline_in(NL_TIMEOUT_MS);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool complete = false;

	while (!complete) {
		ssize_t len = receive(fd);

		if (len > 0) {
			complete = nl_answer_feed(a, reply_buf, (size_t)len, e);
			continue;
		}
		if (len < 0 && errno != EAGAIN && errno != EINTR)
			return err_set(e, ERR_NETLINK, errno, "read the kernel's answer");
		if (deadline_left_ms(&d) == 0 || !deadline_poll(&d, &p, 1))
			return deadline_error(ERR_NETLINK, e, "wait for the kernel's answer");
	}
	return 0;
}

/* Send n requests that are numbered from a->first and read all there is to their answer. */
static int exchange(struct nl *nl, const void *buf, size_t len, struct nl_answer *a, struct err *e)
{
	static const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	nl->refused = false;
	a->port = nl->port;
	if (sendto(nl->fd, buf, len, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return err_set(e, errno == EPERM ? ERR_PERMISSION : ERR_NETLINK, errno,
			       "send a netlink request");
	if (read_answer(nl->fd, a, e) < 0)
		return -1;
	nl->refused = a->failed;
	return a->failed ? -1 : 0;
}

static int too_long(struct nl *nl, struct err *e)
{
	nl->refused = false;
	return err_set(e, ERR_NETLINK, EMSGSIZE, "a netlink request is longer than %d bytes",
		       (int)NL_REQ_MAX);
}

int nl_request(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg, struct err *e)
{
	struct nl_answer a = { .first = ++nl->seq, .n = 1, .reply = fn, .arg = arg };

	if (r->full)
		return too_long(nl, e);
	r->h.nlmsg_flags |= NLM_F_ACK;
	r->h.nlmsg_seq = a.first;
	return exchange(nl, r->buf, r->h.nlmsg_len, &a, e);
}

/*
 * Strict checking is for dumps: it makes the kernel refuse a part that it would leave out.  A
 * kernel before 4.20 has none.
 */
void nl_make_room(struct nl *nl)
{
	int on = 1;

	if (nl->has_room)
		return;
	(void)setsockopt(nl->fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_room, sizeof(receive_room));
	(void)setsockopt(nl->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	nl->has_room = true;
}

int nl_request_one(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg, struct err *e)
{
	struct nl_answer a = { .first = ++nl->seq, .n = 1, .reply = fn, .arg = arg, .one = true };

	if (r->full)
		return too_long(nl, e);
	r->h.nlmsg_seq = a.first;
	return exchange(nl, r->buf, r->h.nlmsg_len, &a, e);
}

int nl_request_dump(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg, struct err *e)
{
	if (r->full)
		return too_long(nl, e);
	nl_make_room(nl);
	r->h.nlmsg_flags |= NLM_F_DUMP;
	for (int i = 0; i < DUMP_TRIES; i++) {
		struct nl_answer a = { .first = ++nl->seq, .n = 1, .reply = fn, .arg = arg };

		if (fn(NULL, arg, e) < 0)
			return -1;
		r->h.nlmsg_seq = a.first;
		if (exchange(nl, r->buf, r->h.nlmsg_len, &a, e) < 0)
			return -1;
		if (!a.interrupted)
			return 0;
	}
	return err_set(e, ERR_TRY_AGAIN, EINTR,
		       "the kernel's list changed while it was read, %d times", (int)DUMP_TRIES);
}

bool nl_batch_add(struct nl_batch *b, const struct nl_req *r)
{
	size_t len = NLA_ALIGN(r->h.nlmsg_len);

	if (r->full || b->n == NL_BATCH_MAX || sizeof(b->buf) - b->len < len)
		return false;
	memcpy(b->buf + b->len, r->buf, len);
	b->len += len;
	b->n++;
	return true;
}

int nl_batch_send(struct nl *nl, struct nl_batch *b, nl_refused_fn *fn, void *arg, struct err *e)
{
	struct nl_answer a = { .first = nl->seq + 1, .n = b->n, .refused = fn, .arg = arg };
	uint8_t *p = b->buf;

	if (b->n == 0)		/* the caller's request did not fit: it would wait for ever */
		return too_long(nl, e);
	nl_make_room(nl);
	for (unsigned int i = 0; i < b->n; i++) {
		struct nlmsghdr *h = (struct nlmsghdr *)(void *)p;

		h->nlmsg_flags |= NLM_F_ACK;
		h->nlmsg_seq = ++nl->seq;
		p += NLA_ALIGN(h->nlmsg_len);
	}
	return exchange(nl, b->buf, b->len, &a, e);
}
