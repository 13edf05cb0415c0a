/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - one error, carried by value
 *
 * A failing function fills the caller's struct err and returns -1 (or NULL).  Nothing is allocated,
 * so an error can be overwritten, ignored or dropped without leaking, and reporting an
 * out-of-memory error cannot itself fail. code, msg and details are the three members of a CNI
 * error result, which the pod's user may read.  What names another pod's containers, networks and
 * paths goes to the log alone (private).
 *
 *	return err_set(e, ERR_IO, errno, "open '%s'", path);	the leaf
 *	return err_wrap(e, "driver of %s", bdf);		its caller
 *
 * Absence is never an error of the function that looks: such a function returns
 * 1 found, 0 absent, -1 error.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/attr.h"

/* CNI spec 1.1.0, "Error": 1-99 are reserved, 100 and above are ours. */
enum err_code {
	ERR_OK = 0,
	ERR_VERSION = 1,		/* incompatible cniVersion, or a verb that version lacks */
	ERR_UNSUPPORTED_FIELD = 2,
	ERR_UNKNOWN_CONTAINER = 3,
	ERR_ENV = 4,			/* CNI_* variables */
	ERR_IO = 5,
	ERR_DECODE = 6,			/* stdin is no JSON object */
	ERR_NETCONF = 7,		/* a configuration value */
	ERR_NETNS = 8,			/* CNI_NETNS; known to the Go library only */
	ERR_TRY_AGAIN = 11,
	ERR_UNAVAILABLE = 50,
	ERR_LIMITED = 51,
	ERR_PERMISSION = 100,
	ERR_DRIFT = 101,		/* CHECK found a difference */
	ERR_DEVICE = 102,		/* the device is missing or not usable */
	ERR_BUSY = 103,			/* the name or device is taken */
	ERR_NETLINK = 104,		/* the kernel refused a request */
	ERR_PODRES = 105,		/* PodResources gave no answer */
	ERR_DEVINFO = 106,		/* a device-info file is not valid */
	ERR_DELEGATE = 107,		/* an executed plugin broke the protocol */
	ERR_INTERRUPTED = 108,		/* SIGTERM or SIGINT */
};

struct err {
	enum err_code code;
	int sys;		/* errno behind it, 0 if none */
	char msg[256];
	char details[1024];
	char private[512];	/* for the log alone */
};

/* Fill *e; details become strerror(sys) when sys is not 0.  Always returns -1. */
int err_set(struct err *e, enum err_code code, int sys, const char *fmt, ...) printflike(4, 5);

/* Prefix the message with what was being done ("fmt: old message").  Always returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) printflike(2, 3);

/*
 * Collect errors of work that goes on after an error: *all keeps the first, and the details and
 * private text of the others are appended to its own.
 */
void err_join(struct err *all, const struct err *e);
/* Return -1 with *e when an error was joined, else 0; *all begins with code ERR_OK. */
int err_joined(const struct err *all, struct err *e);

/* Append "; text" (or "text" when there are none yet) to the details.  Always returns -1. */
int err_detail(struct err *e, const char *fmt, ...) printflike(2, 3);

/* The same for the private text, which only the log shows.  Always returns -1. */
int err_private(struct err *e, const char *fmt, ...) printflike(2, 3);

/*
 * Move message and details so far to the private text; this is the message now.  Always returns -1.
 */
int err_hide(struct err *e, const char *fmt, ...) printflike(2, 3);

#endif
