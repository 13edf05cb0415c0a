/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.h - what kubelet sends a device plugin, and what it gets back, on the wire
 *
 * What comes is hostile until proven otherwise: the server bounds its size, the memory that it
 * decodes to is bounded here, and each id is checked before anything looks at it.  Errors are
 * ERR_DECODE and say what was wrong.
 */
#ifndef DAEMON_PLUGIN_MESSAGES_H
#define DAEMON_PLUGIN_MESSAGES_H

#include "base/err.h"
#include "daemon/offer/offer.h"
#include "daemon/plugin/access.h"

#include <stddef.h>

#define MESSAGE_ID_SIZE 64	/* kubelet's limit by its documentation, and a NUL */

enum {
	MESSAGE_MAX_IDS = 16384,	/* of one request, duplicates counted */
	MESSAGE_MAX_CONTAINERS = 1024,
};

/* -- requests -- */

struct id_list {
	char (*id)[MESSAGE_ID_SIZE];	/* name_is_device_id() */
	size_t n;
};

/* Allocate: the devices of each container. */
struct allocate_request {
	char (*ids)[MESSAGE_ID_SIZE];	/* owned: all of them */
	struct id_list *list;		/* owned; its ids are in that */
	size_t n;
};

/* GetPreferredAllocation. */
struct preferred_container {
	struct id_list available, must_include;
	size_t size;			/* how many are wanted */
};

struct preferred_request {
	char (*ids)[MESSAGE_ID_SIZE];	/* owned, as above */
	struct preferred_container *list;	/* owned */
	size_t n;
};

int allocate_request_decode(const unsigned char *msg, size_t len, struct allocate_request *ret,
			    struct err *e) must_check;
void allocate_request_done(struct allocate_request *r);
int preferred_request_decode(const unsigned char *msg, size_t len, struct preferred_request *ret,
			     struct err *e) must_check;
void preferred_request_done(struct preferred_request *r);
/* PreStartContainer: the devices of one container, which the list owns. */
int prestart_request_decode(const unsigned char *msg, size_t len, struct id_list *ret,
			    struct err *e) must_check;
void id_list_done(struct id_list *l);

/* -- answers; -1 (ERR_IO) when there is no memory -- */

struct message {
	unsigned char *data;		/* owned */
	size_t len;
};
void message_done(struct message *m);
#define auto_message auto_with(message_done)

/*
 * What kubelet is told of the plugin: may it ask which devices to prefer, and has it to call before
 * each start of a container?
 */
struct plugin_abilities {
	bool preferred, pre_start;
};
int options_encode(const struct plugin_abilities *a, struct message *ret, struct err *e) must_check;
/* ListAndWatch: all devices of a resource. */
int list_encode(const struct offer *o, struct message *ret, struct err *e) must_check;
/* Allocate: what each container gets. */
int allocate_response_encode(struct access *list, size_t n, struct message *ret,
			     struct err *e) must_check;
/* GetPreferredAllocation: the ids for each container. */
int preferred_response_encode(const struct id_list *list, size_t n, struct message *ret,
			      struct err *e) must_check;
/* Register, where we are the client; endpoint is the socket's name. */
int register_request_encode(const char *endpoint, const char *resource,
			    const struct plugin_abilities *a, struct message *ret,
			    struct err *e) must_check;

#endif
