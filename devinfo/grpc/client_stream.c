/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_stream.c - a stream of answers, which are taken one by one
 *
 * Nothing is read while there is a whole answer to take.  So a server that says more than we want
 * to hear waits, and what is kept is one answer and the bytes of one read at most.  Answers that
 * have come before something goes wrong are taken first.
 */
#include "devinfo/grpc/client_part.h"

#include "base/mem.h"

#include <errno.h>

static int answer_fault(enum incoming_fault fault, const struct incoming *in, struct err *e)
{
	if (fault == INCOMING_COMPRESSED)
		return err_set(e, ERR_PODRES, EPROTO, "the answer is compressed");
	if (fault == INCOMING_TOO_LARGE)
		return err_set(e, ERR_PODRES, EMSGSIZE, "the answer has %zu bytes, more than %zu",
			       in->expected, in->max);
	return err_set(e, ERR_PODRES, ENOMEM, "an answer of %zu bytes", in->expected);
}

/* Take the first answer out of what is unread: 1, 0 when it is not whole, -1. */
static int take_answer(struct grpc_request *r, struct grpc_reply *ret, struct err *e)
{
	auto_with(incoming_done) struct incoming in = { .max = r->in.max };
	enum incoming_fault fault = unread_take(&r->unread, &in);

	if (fault != INCOMING_OK)
		return answer_fault(fault, &in, e);
	if (!incoming_is_whole(&in))
		return 0;
	r->said = r->in.received = 0;	/* as if it had begun: only a flood is too much */
	*ret = (struct grpc_reply){ .grpc_status = GRPC_OK, .len = in.expected };
	ret->body = steal_ptr(&in.body);
	return 1;
}

static int stream_end(const struct grpc_request *r, struct err *e)
{
	if (r->http_status != 200)
		return err_set(e, ERR_PODRES, EPROTO, "HTTP status %d instead of 200",
			       r->http_status);
	if (r->unread.len > 0)
		return err_set(e, ERR_PODRES, EPROTO, "the stream ended inside an answer");
	if (r->grpc_status == GRPC_OK)
		return err_set(e, ERR_PODRES, 0, "the server has ended the stream");
	return err_set(e, ERR_PODRES, 0, "the server has ended the stream with gRPC status %d: %s",
		       r->grpc_status, r->grpc_message);
}

/* What went wrong in this step, or in one whose answers have been taken since. */
static int request_fault(const struct grpc_request *r, struct err *e)
{
	if (r->fault.code == ERR_OK)
		return 0;
	*e = r->fault;
	return -1;
}

static int stream_step(struct grpc_request *r, struct grpc_reply *ret, struct err *e)
{
	int rc = take_answer(r, ret, e);

	if (rc != 0)
		return rc;
	if (r->ended)
		return stream_end(r, e);
	if (r->fault.code == ERR_OK &&
	    (request_read(r, e) < 0 || (!r->ended && request_write(r, e) < 0)))
		r->fault = *e;
	rc = take_answer(r, ret, e);
	if (rc != 0)
		return rc;
	return r->ended ? stream_end(r, e) : request_fault(r, e);
}

int grpc_request_next(struct grpc_request *r, struct grpc_reply *ret, struct err *e)
{
	int rc = stream_step(r, ret, e);

	return rc < 0 ? err_wrap(e, "%s", r->method) : rc;
}
