/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.c - reports on the wire
 *
 * protobuf-c refers to messages by lists of pointers, and wants writable what it only reads: texts
 * are lent to it.  A decoded report lends its texts from the unpacked message, which it keeps.
 */
#include "manager/report/report.h"

#include "base/mem.h"
#include "devinfo/grpc/arena.h"
#include "manager/report/report.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MEMORY = 4 * REPORT_MAX };	/* of a message, decoded */

typedef Devinfo__V1__Device device_message;
typedef Devinfo__V1__Change change_message;
typedef Devinfo__V1__WatchResponse response_message;

static int no_memory(struct err *e)
{
	return err_set(e, ERR_IO, ENOMEM, "a report of devices");
}

void report_message_done(struct report_message *m)
{
	free(m->data);
	*m = (struct report_message){ .len = 0 };
}

/* -- encoding -- */

static int pack(const ProtobufCMessage *m, struct report_message *ret, struct err *e)
{
	size_t len = protobuf_c_message_get_packed_size(m);
	unsigned char *data = malloc(len + 1);

	if (!data)
		return no_memory(e);
	*ret = (struct report_message){ data, protobuf_c_message_pack(m, data) };
	return 0;
}

static char *lent(const char *text)
{
	union {
		const char *in;
		char *out;
	} u = { .in = text };

	return u.out;
}

static void put_device(const struct report_device *d, device_message *m)
{
	devinfo__v1__device__init(m);
	m->resource = lent(d->resource);
	m->id = lent(d->id);
	m->healthy = d->healthy;
	m->reason = lent(d->reason);
	m->reason_names = d->reason_names;
	m->pod_namespace = lent(d->pod_namespace);
	m->pod_name = lent(d->pod_name);
	m->pod_uid = lent(d->pod_uid);
	m->container = lent(d->container);
	m->interface = lent(d->interface);
	m->network = lent(d->network);
	m->since_unix_ms = d->since_ms;
}

struct parts {				/* all owned */
	device_message *devices, **device_list;
	device_message *past_devices;
	change_message *past, **past_list;
	char **gone;
};

static void parts_done(struct parts *p)
{
	free(p->devices);
	free(p->device_list);
	free(p->past_devices);
	free(p->past);
	free(p->past_list);
	free(p->gone);
}

static int parts_room(const struct report *r, struct parts *p, struct err *e)
{
	p->devices = calloc(r->n_devices + 1, sizeof(*p->devices));
	p->device_list = calloc(r->n_devices + 1, sizeof(*p->device_list));
	p->past_devices = calloc(r->n_past + 1, sizeof(*p->past_devices));
	p->past = calloc(r->n_past + 1, sizeof(*p->past));
	p->past_list = calloc(r->n_past + 1, sizeof(*p->past_list));
	p->gone = calloc(r->n_gone + 1, sizeof(*p->gone));
	return p->devices && p->device_list && p->past_devices && p->past && p->past_list &&
	       p->gone ? 0 : no_memory(e);
}

static void put_past(const struct report *r, struct parts *p)
{
	for (size_t i = 0; i < r->n_past; i++) {
		put_device(&r->past[i].device, &p->past_devices[i]);
		devinfo__v1__change__init(&p->past[i]);
		p->past[i].at_unix_ms = r->past[i].at_ms;
		p->past[i].gone = r->past[i].gone;
		p->past[i].device = &p->past_devices[i];
		p->past_list[i] = &p->past[i];
	}
}

int report_encode(const struct report *r, struct report_message *ret, struct err *e)
{
	auto_with(parts_done) struct parts p = { .gone = NULL };
	response_message m = DEVINFO__V1__WATCH_RESPONSE__INIT;

	if (parts_room(r, &p, e) < 0)
		return -1;
	for (size_t i = 0; i < r->n_devices; i++) {
		put_device(&r->devices[i], &p.devices[i]);
		p.device_list[i] = &p.devices[i];
	}
	for (size_t i = 0; i < r->n_gone; i++)
		p.gone[i] = lent(r->gone[i]);
	put_past(r, &p);
	m.complete = r->complete;
	m.at_unix_ms = r->at_ms;
	m.n_devices = r->n_devices;
	m.devices = p.device_list;
	m.n_gone = r->n_gone;
	m.gone = p.gone;
	m.n_past = r->n_past;
	m.past = p.past_list;
	return pack(&m.base, ret, e);
}

int report_request_encode(bool past, struct report_message *ret, struct err *e)
{
	Devinfo__V1__WatchRequest m = DEVINFO__V1__WATCH_REQUEST__INIT;

	m.past = past;
	return pack(&m.base, ret, e);
}

/* -- decoding -- */

struct report_memory {
	struct arena arena;
	response_message *message;	/* owned, in the arena */
};

void report_done(struct report *r)
{
	if (r->memory) {
		devinfo__v1__watch_response__free_unpacked(r->memory->message,
							   &r->memory->arena.allocator);
		free(r->memory);
		free(r->devices);
		free(r->gone);
		free(r->past);
	}
	*r = (struct report){ .n_devices = 0 };
}

static int decode_error(const struct arena *a, size_t len, struct err *e)
{
	return err_set(e, ERR_DECODE, 0, a->exhausted ?
		       "the message of %zu bytes is too large when decoded" :
		       "the message does not decode (%zu bytes)", len);
}

static void get_device(const device_message *m, struct report_device *ret)
{
	*ret = (struct report_device){
		.resource = m->resource, .id = m->id, .healthy = m->healthy, .reason = m->reason,
		.reason_names = m->reason_names,
		.pod_namespace = m->pod_namespace, .pod_name = m->pod_name, .pod_uid = m->pod_uid,
		.container = m->container, .interface = m->interface, .network = m->network,
		.since_ms = m->since_unix_ms,
	};
}

/* A change without a device is none. */
static void get_past(const response_message *m, struct report *ret)
{
	for (size_t i = 0; i < m->n_past; i++) {
		const change_message *c = m->past[i];
		struct report_change *to = &ret->past[ret->n_past];

		if (!c->device)
			continue;
		to->at_ms = c->at_unix_ms;
		to->gone = c->gone;
		get_device(c->device, &to->device);
		ret->n_past++;
	}
}

static int get_response(const response_message *m, struct report *ret, struct err *e)
{
	ret->devices = calloc(m->n_devices + 1, sizeof(*ret->devices));
	ret->gone = calloc(m->n_gone + 1, sizeof(*ret->gone));
	ret->past = calloc(m->n_past + 1, sizeof(*ret->past));
	if (!ret->devices || !ret->gone || !ret->past)
		return no_memory(e);
	ret->complete = m->complete;
	ret->at_ms = m->at_unix_ms;
	for (; ret->n_devices < m->n_devices; ret->n_devices++)
		get_device(m->devices[ret->n_devices], &ret->devices[ret->n_devices]);
	for (; ret->n_gone < m->n_gone; ret->n_gone++)
		ret->gone[ret->n_gone] = m->gone[ret->n_gone];
	get_past(m, ret);
	return 0;
}

int report_decode(const unsigned char *data, size_t len, struct report *ret, struct err *e)
{
	auto_report struct report r = { .memory = calloc(1, sizeof(*r.memory)) };

	if (!r.memory)
		return no_memory(e);
	arena_init(&r.memory->arena, MAX_MEMORY);
	r.memory->message = devinfo__v1__watch_response__unpack(&r.memory->arena.allocator, len,
								data);
	if (!r.memory->message)
		return decode_error(&r.memory->arena, len, e);
	if (get_response(r.memory->message, &r, e) < 0)
		return -1;
	*ret = r;
	r = (struct report){ .n_devices = 0 };
	return 0;
}

int report_request_decode(const unsigned char *data, size_t len, bool *past, struct err *e)
{
	Devinfo__V1__WatchRequest *m;
	struct arena arena;

	arena_init(&arena, MAX_MEMORY);
	m = devinfo__v1__watch_request__unpack(&arena.allocator, len, data);
	if (!m)
		return decode_error(&arena, len, e);
	*past = m->past;
	devinfo__v1__watch_request__free_unpacked(m, &arena.allocator);
	return 0;
}
