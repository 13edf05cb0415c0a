/* SPDX-License-Identifier: Apache-2.0 */
/* messages_decode.c - what is in a request of kubelet's to a device plugin */
#include "daemon/plugin/messages.h"

#include "base/mem.h"
#include "base/name.h"
#include "daemon/plugin/deviceplugin.pb-c.h"
#include "devinfo/grpc/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MEMORY = 4 * 1024 * 1024 };	/* of one request, decoded */

/* -- lists of ids -- */

void id_list_done(struct id_list *l)
{
	free(l->id);
	*l = (struct id_list){ .n = 0 };
}

static int copy_id(const ProtobufCBinaryData *from, char ret[MESSAGE_ID_SIZE], struct err *e)
{
	char text[MESSAGE_ID_SIZE] = "";

	if (from->len > 0 && from->len < MESSAGE_ID_SIZE)
		memcpy(text, from->data, from->len);
	if (strlen(text) != from->len || !name_is_device_id(text))
		return err_set(e, ERR_DECODE, 0, "an id of %zu bytes is none of a device",
			       from->len);
	memcpy(ret, text, MESSAGE_ID_SIZE);
	return 0;
}

/* Copy a list of ids to *next, which is moved behind them. */
static int take_ids(const ProtobufCBinaryData *from, size_t n, char (**next)[MESSAGE_ID_SIZE],
		    struct id_list *ret, struct err *e)
{
	*ret = (struct id_list){ *next, n };
	for (size_t i = 0; i < n; i++)
		if (copy_id(&from[i], ret->id[i], e) < 0)
			return -1;
	*next += n;
	return 0;
}

/* Room for all ids of a request, which the caller frees; NULL. */
static char (*make_room(size_t n, struct err *e))[MESSAGE_ID_SIZE]
{
	char (*room)[MESSAGE_ID_SIZE] = NULL;

	if (n > MESSAGE_MAX_IDS) {
		(void)err_set(e, ERR_DECODE, 0, "the request has more than %d ids",
			      MESSAGE_MAX_IDS);
		return NULL;
	}
	room = calloc(n + 1, sizeof(*room));
	if (!room)
		(void)err_set(e, ERR_IO, ENOMEM, "ids of devices");
	return room;
}

/* -- a message -- */

static void *unpack(const ProtobufCMessageDescriptor *d, struct arena *a, const unsigned char *msg,
		    size_t len, struct err *e)
{
	ProtobufCMessage *m;

	arena_init(a, MAX_MEMORY);
	m = protobuf_c_message_unpack(d, &a->allocator, len, msg);
	if (!m)
		(void)err_set(e, ERR_DECODE, 0, a->exhausted ?
			      "the request of %zu bytes is too large when decoded" :
			      "the request does not decode (%zu bytes)", len);
	return m;
}

static int check_containers(size_t n, struct err *e)
{
	if (n <= MESSAGE_MAX_CONTAINERS)
		return 0;
	return err_set(e, ERR_DECODE, 0, "the request has more than %d containers",
		       MESSAGE_MAX_CONTAINERS);
}

/* -- Allocate -- */

void allocate_request_done(struct allocate_request *r)
{
	free(r->ids);
	free(r->list);
	*r = (struct allocate_request){ .n = 0 };
}

static int fill_allocate(const V1beta1__AllocateRequest *m, struct allocate_request *r,
			 struct err *e)
{
	char (*next)[MESSAGE_ID_SIZE];
	size_t total = 0;

	if (check_containers(m->n_container_requests, e) < 0)
		return -1;
	for (size_t i = 0; i < m->n_container_requests; i++)
		total += m->container_requests[i]->n_devices_ids;
	r->ids = make_room(total, e);
	if (!r->ids)
		return -1;
	r->list = calloc(m->n_container_requests + 1, sizeof(*r->list));
	if (!r->list)
		return err_set(e, ERR_IO, ENOMEM, "containers");
	next = r->ids;
	for (; r->n < m->n_container_requests; r->n++) {
		const V1beta1__ContainerAllocateRequest *c = m->container_requests[r->n];

		if (take_ids(c->devices_ids, c->n_devices_ids, &next, &r->list[r->n], e) < 0)
			return -1;
	}
	return 0;
}

int allocate_request_decode(const unsigned char *msg, size_t len, struct allocate_request *ret,
			    struct err *e)
{
	auto_with(allocate_request_done) struct allocate_request request = { .n = 0 };
	V1beta1__AllocateRequest *m;
	struct arena arena;
	int r;

	m = unpack(&v1beta1__allocate_request__descriptor, &arena, msg, len, e);
	if (!m)
		return -1;
	r = fill_allocate(m, &request, e);
	v1beta1__allocate_request__free_unpacked(m, &arena.allocator);
	if (r < 0)
		return -1;
	*ret = request;
	request = (struct allocate_request){ .n = 0 };
	return 0;
}

/* -- GetPreferredAllocation -- */

void preferred_request_done(struct preferred_request *r)
{
	free(r->ids);
	free(r->list);
	*r = (struct preferred_request){ .n = 0 };
}

static int take_container(const V1beta1__ContainerPreferredAllocationRequest *c,
			  char (**next)[MESSAGE_ID_SIZE], struct preferred_container *ret,
			  struct err *e)
{
	if (c->allocation_size < 0)
		return err_set(e, ERR_DECODE, 0, "%d devices are wanted", (int)c->allocation_size);
	ret->size = (size_t)c->allocation_size;
	if (take_ids(c->available_deviceids, c->n_available_deviceids, next, &ret->available,
		     e) < 0)
		return -1;
	return take_ids(c->must_include_deviceids, c->n_must_include_deviceids, next,
			&ret->must_include, e);
}

static size_t count_ids(const V1beta1__PreferredAllocationRequest *m)
{
	size_t total = 0;

	for (size_t i = 0; i < m->n_container_requests; i++)
		total += m->container_requests[i]->n_available_deviceids +
			 m->container_requests[i]->n_must_include_deviceids;
	return total;
}

static int fill_preferred(const V1beta1__PreferredAllocationRequest *m,
			  struct preferred_request *r, struct err *e)
{
	char (*next)[MESSAGE_ID_SIZE];

	if (check_containers(m->n_container_requests, e) < 0)
		return -1;
	r->ids = make_room(count_ids(m), e);
	if (!r->ids)
		return -1;
	r->list = calloc(m->n_container_requests + 1, sizeof(*r->list));
	if (!r->list)
		return err_set(e, ERR_IO, ENOMEM, "containers");
	next = r->ids;
	for (; r->n < m->n_container_requests; r->n++)
		if (take_container(m->container_requests[r->n], &next, &r->list[r->n], e) < 0)
			return -1;
	return 0;
}

int preferred_request_decode(const unsigned char *msg, size_t len, struct preferred_request *ret,
			     struct err *e)
{
	auto_with(preferred_request_done) struct preferred_request request = { .n = 0 };
	V1beta1__PreferredAllocationRequest *m;
	struct arena arena;
	int r;

	m = unpack(&v1beta1__preferred_allocation_request__descriptor, &arena, msg, len, e);
	if (!m)
		return -1;
	r = fill_preferred(m, &request, e);
	v1beta1__preferred_allocation_request__free_unpacked(m, &arena.allocator);
	if (r < 0)
		return -1;
	*ret = request;
	request = (struct preferred_request){ .n = 0 };
	return 0;
}

/* -- PreStartContainer -- */

int prestart_request_decode(const unsigned char *msg, size_t len, struct id_list *ret,
			    struct err *e)
{
	V1beta1__PreStartContainerRequest *m;
	auto_free char (*ids)[MESSAGE_ID_SIZE] = NULL;
	char (*next)[MESSAGE_ID_SIZE];
	struct id_list list = { .n = 0 };
	struct arena arena;
	int r = -1;

	m = unpack(&v1beta1__pre_start_container_request__descriptor, &arena, msg, len, e);
	if (!m)
		return -1;
	ids = next = make_room(m->n_devices_ids, e);
	if (ids)
		r = take_ids(m->devices_ids, m->n_devices_ids, &next, &list, e);
	v1beta1__pre_start_container_request__free_unpacked(m, &arena.allocator);
	if (r < 0)
		return -1;
	*ret = (struct id_list){ steal_ptr(&ids), list.n };
	return 0;
}
