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

/* *left: how many ids the rest of the request may have. */
static int copy_ids(const ProtobufCBinaryData *from, size_t n, size_t *left, struct id_list *ret,
		    struct err *e)
{
	if (n > *left)
		return err_set(e, ERR_DECODE, 0, "the request has more than %d ids",
			       MESSAGE_MAX_IDS);
	*left -= n;
	ret->id = calloc(n + 1, sizeof(*ret->id));
	if (!ret->id)
		return err_set(e, ERR_IO, ENOMEM, "ids of devices");
	for (; ret->n < n; ret->n++)
		if (copy_id(&from[ret->n], ret->id[ret->n], e) < 0)
			return -1;
	return 0;
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
	for (size_t i = 0; i < r->n; i++)
		id_list_done(&r->list[i]);
	free(r->list);
	*r = (struct allocate_request){ .n = 0 };
}

static int fill_allocate(const V1beta1__AllocateRequest *m, struct allocate_request *r,
			 struct err *e)
{
	size_t left = MESSAGE_MAX_IDS;

	if (check_containers(m->n_container_requests, e) < 0)
		return -1;
	r->list = calloc(m->n_container_requests + 1, sizeof(*r->list));
	if (!r->list)
		return err_set(e, ERR_IO, ENOMEM, "containers");
	for (size_t i = 0; i < m->n_container_requests; i++) {
		const V1beta1__ContainerAllocateRequest *c = m->container_requests[i];

		r->n++;		/* what it has is freed, too, when the next does not fit */
		if (copy_ids(c->devices_ids, c->n_devices_ids, &left, &r->list[i], e) < 0)
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
	for (size_t i = 0; i < r->n; i++) {
		id_list_done(&r->list[i].available);
		id_list_done(&r->list[i].must_include);
	}
	free(r->list);
	*r = (struct preferred_request){ .n = 0 };
}

static int take_container(const V1beta1__ContainerPreferredAllocationRequest *c, size_t *left,
			  struct preferred_container *ret, struct err *e)
{
	if (c->allocation_size < 0)
		return err_set(e, ERR_DECODE, 0, "%d devices are wanted", (int)c->allocation_size);
	ret->size = (size_t)c->allocation_size;
	if (copy_ids(c->available_deviceids, c->n_available_deviceids, left, &ret->available,
		     e) < 0)
		return -1;
	return copy_ids(c->must_include_deviceids, c->n_must_include_deviceids, left,
			&ret->must_include, e);
}

static int fill_preferred(const V1beta1__PreferredAllocationRequest *m,
			  struct preferred_request *r, struct err *e)
{
	size_t left = MESSAGE_MAX_IDS;

	if (check_containers(m->n_container_requests, e) < 0)
		return -1;
	r->list = calloc(m->n_container_requests + 1, sizeof(*r->list));
	if (!r->list)
		return err_set(e, ERR_IO, ENOMEM, "containers");
	for (size_t i = 0; i < m->n_container_requests; i++) {
		r->n++;		/* what it has is freed, too, when the next does not fit */
		if (take_container(m->container_requests[i], &left, &r->list[i], e) < 0)
			return -1;
	}
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
	auto_with(id_list_done) struct id_list ids = { .n = 0 };
	V1beta1__PreStartContainerRequest *m;
	size_t left = MESSAGE_MAX_IDS;
	struct arena arena;
	int r;

	m = unpack(&v1beta1__pre_start_container_request__descriptor, &arena, msg, len, e);
	if (!m)
		return -1;
	r = copy_ids(m->devices_ids, m->n_devices_ids, &left, &ids, e);
	v1beta1__pre_start_container_request__free_unpacked(m, &arena.allocator);
	if (r < 0)
		return -1;
	*ret = ids;
	ids = (struct id_list){ .n = 0 };
	return 0;
}
