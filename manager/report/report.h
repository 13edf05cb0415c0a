/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - what devinfod tells of the node's devices, for who follows it
 *
 * The room manager/report/ has both ends of the daemon's socket in common: the messages of service
 * devinfo.v1.Node (report.proto), and the client.  The server is daemon/report/.  Here is no
 * loop: who follows the daemon waits as he likes, with a poll loop of his own or in report_next().
 *
 *	c = report_connect(host, false, &d, &e)
 *	wait until report_fd(c) is ready for report_events(c), then until it is not 1
 *		report_next(c, &now, &r, &e): 1, r is the complete list, or what has changed;
 *			report_done(&r).  -1: the daemon has ended; report_free(c), connect later
 *
 * To be read in this order: report.proto, messages.c, client.c.
 */
#ifndef MANAGER_REPORT_REPORT_H
#define MANAGER_REPORT_REPORT_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_SOCKET	"devinfod.sock"		/* in runDir */
#define REPORT_METHOD	"/devinfo.v1.Node/Watch"

enum { REPORT_MAX = 8 * 1024 * 1024 };		/* bytes of a message */

/* A device as a resource; what each member means is in report.proto.  No text is NULL. */
struct report_device {
	const char *resource, *id;
	bool healthy;
	const char *reason;
	bool reason_names;
	const char *pod_namespace, *pod_name, *pod_uid, *container, *interface, *network;
	int64_t since_ms;
};

struct report_change {
	int64_t at_ms;
	bool gone;
	struct report_device device;
};

/* One message.  Of a decoded one all texts live until report_done(). */
struct report {
	bool complete;
	int64_t at_ms;
	struct report_device *devices;
	const char **gone;
	struct report_change *past;
	size_t n_devices, n_gone, n_past;
	struct report_memory *memory;	/* owned, with the lists, of a decoded one */
};

/* -- the messages -- */

struct report_message {
	unsigned char *data;		/* owned */
	size_t len;
};

/* 0; -1 when there is no memory. */
int report_encode(const struct report *r, struct report_message *ret, struct err *e) must_check;
void report_message_done(struct report_message *m);
#define auto_report_message auto_with(report_message_done)

/* 0, or -1 with ERR_DECODE: *ret is left alone. */
int report_decode(const unsigned char *data, size_t len, struct report *ret,
		  struct err *e) must_check;
void report_done(struct report *r);
#define auto_report auto_with(report_done)

/* What a client asks for: does it want the last changes, too? */
int report_request_encode(bool past, struct report_message *ret, struct err *e) must_check;
int report_request_decode(const unsigned char *data, size_t len, bool *past,
			  struct err *e) must_check;

/* -- the client -- */

struct report_client;

/*
 * Connect to the daemon of this node, and ask; past: its last changes come with the first message.
 * NULL with *e: ERR_UNAVAILABLE where none runs, and where root alone may ask (e->sys EACCES);
 * ERR_INTERRUPTED.
 */
struct report_client *report_connect(const struct host *host, bool past, const struct deadline *d,
				     struct err *e) must_check;
int report_fd(const struct report_client *c);
short report_events(const struct report_client *c);	/* POLLIN, and POLLOUT at times */

/*
 * Get the next message, waiting for it until *d (deadline_in(0): not at all).  1: *ret is the
 * caller's.  0: none has come, or a signal ends each wait (deadline_interrupted()).  -1: it is
 * over, ERR_UNAVAILABLE: the daemon has ended, or it refuses us; ERR_DECODE: it speaks nonsense.
 */
int report_next(struct report_client *c, const struct deadline *d, struct report *ret,
		struct err *e) must_check;

/* NULL is fine. */
void report_free(struct report_client *c);

#endif
