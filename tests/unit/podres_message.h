/* SPDX-License-Identifier: Apache-2.0 */
/*
 * podres_message.h - messages of kubelet's PodResources API, made by hand for the tests
 *
 * Field by field, so that they can be as new, as old or as wrong as a test needs.
 */
#ifndef TESTS_UNIT_PODRES_MESSAGE_H
#define TESTS_UNIT_PODRES_MESSAGE_H

#include "tests/unit/grpc_server.h"

#include <stdarg.h>

#define GET "/v1.PodResourcesLister/Get"
#define LIST "/v1.PodResourcesLister/List"
#define ALLOCATABLE "/v1.PodResourcesLister/GetAllocatableResources"

/* A field with a length. */
static inline void put_field(struct wire *w, int number, const void *data, size_t len)
{
	unsigned char head[6] = { (unsigned char)(number << 3 | 2) };
	size_t n = 1;

	for (size_t rest = len; n == 1 || rest > 0; rest >>= 7)
		head[n++] = (unsigned char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
	put(w, head, n);
	put(w, data, len);
}

static inline void put_text(struct wire *w, int number, const char *text)
{
	put_field(w, number, text, strlen(text));
}

/* One ContainerDevices with these ids (up to NULL), and a topology that nobody reads. */
static inline void put_devices(struct wire *container, const char *resource, ...)
{
	auto_wire struct wire w = { 0 };
	va_list ap;

	put_text(&w, 1, resource);
	va_start(ap, resource);
	for (const char *id; (id = va_arg(ap, const char *));)
		put_text(&w, 2, id);
	va_end(ap);
	put_field(&w, 3, "\012\0", 2);
	put_field(container, 2, w.data, w.len);
}

/* A PodResources with up to two containers, as field 1 of an answer; newer fields are there too. */
static inline void put_pod(struct wire *answer, const char *name_space, const char *name,
			   const struct wire *first, const struct wire *second)
{
	auto_wire struct wire w = { 0 };

	put_text(&w, 1, name);
	put_text(&w, 2, name_space);
	if (first)
		put_field(&w, 3, first->data, first->len);
	if (second)
		put_field(&w, 3, second->data, second->len);
	put_field(&w, 4, "\001\002", 2);
	put_field(&w, 77, "newer", 5);
	put_field(answer, 1, w.data, w.len);
}

#endif
