/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl.h - one netlink connection: requests, dumps and batches
 *
 *	struct nl_req r;
 *	struct ifinfomsg *ifi = nl_req_init(&r, RTM_SETLINK, 0, sizeof(*ifi));
 *	nl_put_u32(&r, IFLA_MTU, 1500);
 *	return nl_request(nl, &r, NULL, NULL, e);
 *
 * Composing and sending are separate functions, so that tests can check the bytes.  Each request,
 * and each batch, is exactly one sendto(2).  Errors contain the kernel's own text (nlerr.h).  A
 * callback for replies (nl_reply_fn) must not send on any connection, because the buffer of replies
 * is shared.
 */
#ifndef NETLINK_NL_H
#define NETLINK_NL_H

#include "base/err.h"
#include "netlink/netns.h"
#include "netlink/nl_attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NL_REQ_MAX = 1024,		/* bytes of one request */
	NL_BATCH_MAX = 64,		/* requests of one batch: all ACKs fit a socket's buffer */
	NL_BATCH_BYTES = 16 * 1024,
	NL_TIMEOUT_MS = 10 * 1000,
};

/* -- composing -- */

struct nl_req {
	bool full;			/* something did not fit; such a request is never sent */
	union {
		struct nlmsghdr h;
		uint8_t buf[NL_REQ_MAX];
	};
};

/* Begin a request; returns the family's header (extra bytes, zeroed) to fill in. */
void *nl_req_init(struct nl_req *r, uint16_t type, uint16_t flags, size_t extra);
void nl_put(struct nl_req *r, uint16_t type, const void *data, size_t len);
void nl_put_u32(struct nl_req *r, uint16_t type, uint32_t value);
/* Open a nested attribute (NLA_F_NESTED set); NULL when full, which nl_nest_end() accepts. */
struct nlattr *nl_nest(struct nl_req *r, uint16_t type);
void nl_nest_end(struct nl_req *r, struct nlattr *nest);

/* -- sending -- */

struct nl {
	bool open;
	int fd;
	uint32_t seq;			/* of the last request */
	unsigned int port;
	bool refused;			/* the kernel itself refused the last request */
	bool has_room;			/* it is set up for long answers, see nl_make_room() */
};

/* Connect to a netlink family (NETLINK_ROUTE...) inside a namespace, or NETNS_OWN. */
int nl_open(int nsfd, int bus, struct nl *ret, struct err *e) must_check;
void nl_done(struct nl *nl);

/*
 * Get the cookie of the connection's namespace, which, unlike an inode number, is not used again in
 * this boot; 0 when the kernel (before 5.14) has none.
 */
uint64_t nl_netns_cookie(const struct nl *nl) must_check;

#define auto_nl auto_with(nl_done)

/* Called with each message that answers a request; 0, or -1 with *e filled. */
typedef int nl_reply_fn(const struct nlmsghdr *nlh, void *arg, struct err *e);

/* Send one request, pass its replies to fn (may be NULL), await the ACK. */
int nl_request(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg, struct err *e)
	must_check;

/*
 * Send a question that the kernel answers by one message, such as RTM_GETLINK of one link: no ACK
 * follows the answer.  Returns as nl_request().
 */
int nl_request_one(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg, struct err *e)
	must_check;

/*
 * Set a connection up for answers that are longer than a link's: a PF with all its VFs.  Dumps and
 * batches do so themselves; most calls send neither.
 */
void nl_make_room(struct nl *nl);

/*
 * Send a dump request and pass all of its messages to fn.  A dump that the kernel marks as
 * inconsistent is repeated, five times at most; fn is called with NULL at the start of each, to
 * forget the one before.
 */
int nl_request_dump(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg, struct err *e)
	must_check;

struct nl_batch {
	unsigned int n;
	size_t len;
	_Alignas(struct nlmsghdr) uint8_t buf[NL_BATCH_BYTES];
};

/* Append a copy; false when the batch has no room left: send it and begin a new one. */
bool nl_batch_add(struct nl_batch *b, const struct nl_req *r) must_check;

/*
 * Called for each refused request of a batch with the error; fn returns 0 to accept the refusal, or
 * -1 to keep it (wrapped with the object's name) as an error of the batch.
 */
typedef int nl_refused_fn(unsigned int index, void *arg, struct err *e);

/*
 * Send a batch in one message and read every ACK.  The kernel goes on after a refused request;
 * *e is the first refusal that fn (may be NULL) keeps.
 */
int nl_batch_send(struct nl *nl, struct nl_batch *b, nl_refused_fn *fn, void *arg, struct err *e)
	must_check;

/* -- the answer to one send, apart from the socket so that it is tested without a kernel -- */

struct nl_answer {
	unsigned int port;
	uint32_t first;			/* sequence number of the first request */
	unsigned int n;			/* requests sent, NL_BATCH_MAX at most */
	nl_reply_fn *reply;
	nl_refused_fn *refused;
	void *arg;
	bool one;			/* a reply is the final answer */

	uint64_t acked;			/* bit i: request first + i has its final answer */
	bool interrupted;		/* NLM_F_DUMP_INTR was seen */
	bool failed;			/* *e is filled; reading goes on to the end */
};

/* Take one datagram; true when nothing more will come. */
bool nl_answer_feed(struct nl_answer *a, const void *buf, size_t len, struct err *e) must_check;

#endif
