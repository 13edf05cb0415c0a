/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - follow what devinfod tells
 *
 * The daemon is root's, and is believed; what it says is bounded all the same.
 */
#include "manager/report/report.h"

#include "base/mem.h"
#include "base/unix_socket.h"
#include "devinfo/grpc/client.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct report_client {
	struct grpc_request *call;	/* owned */
};

/* Absence is what people meet, so it says all that they need; else the reason is the error's. */
static int connect_error(const char *path, struct err *e)
{
	if (e->code == ERR_INTERRUPTED)
		return -1;
	if (e->sys == ENOENT || e->sys == ECONNREFUSED)
		return err_set(e, ERR_UNAVAILABLE, 0, "devinfod does not run here: nobody listens "
			       "at '%s'; start it, as with 'systemctl start devinfod'", path);
	e->code = ERR_UNAVAILABLE;
	return err_wrap(e, "devinfod's socket '%s'", path);
}

struct report_client *report_connect(const struct host *host, bool past, const struct deadline *d,
				     struct err *e)
{
	auto_report_message struct report_message ask = { .len = 0 };
	auto_free struct report_client *c = calloc(1, sizeof(*c));
	char path[PATH_MAX];
	int fd;

	if (!c || report_request_encode(past, &ask, e) < 0) {
		(void)err_set(e, ERR_IO, ENOMEM, "a client of devinfod");
		return NULL;
	}
	(void)snprintf(path, sizeof(path), "%s/" REPORT_SOCKET, host->set.run_dir);
	fd = unix_socket_connect(host->root, path, SOCK_STREAM, d, ERR_UNAVAILABLE, e);
	if (fd >= 0)
		c->call = grpc_request_new(fd, REPORT_METHOD, ask.data, ask.len, REPORT_MAX, NULL,
					   e);
	if (!c->call) {
		(void)connect_error(path, e);
		return NULL;
	}
	return steal_ptr(&c);
}

int report_fd(const struct report_client *c)
{
	return grpc_request_fd(c->call);
}

short report_events(const struct report_client *c)
{
	return grpc_request_events(c->call);
}

static int decode(const struct grpc_reply *reply, struct report *ret, struct err *e)
{
	return report_decode(reply->body, reply->len, ret, e) < 0 ?
		       err_wrap(e, "devinfod's report") : 1;
}

int report_next(struct report_client *c, const struct deadline *d, struct report *ret,
		struct err *e)
{
	for (;;) {
		struct pollfd p = { .fd = report_fd(c), .events = report_events(c) };
		auto_grpc_reply struct grpc_reply reply = { .len = 0 };
		int rc = grpc_request_next(c->call, &reply, e);

		if (rc > 0)
			return decode(&reply, ret, e);
		if (rc < 0) {
			e->code = ERR_UNAVAILABLE;
			return err_wrap(e, "devinfod has gone, or breaks off");
		}
		if (!deadline_poll(d, &p, 1))
			return 0;
	}
}

void report_free(struct report_client *c)
{
	if (!c)
		return;
	grpc_request_free(c->call);
	free(c);
}
