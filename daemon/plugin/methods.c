/* SPDX-License-Identifier: Apache-2.0 */
/* methods.c - the methods of a device plugin, as kubelet calls them */
#include "daemon/plugin/plugin_part.h"

#include "base/mem.h"
#include "daemon/plugin/allocate.h"

#include <stdio.h>

#define SERVICE "/v1beta1.DevicePlugin/"

enum {
	MAX_REQUEST = 768 * 1024,	/* 16384 ids need 500 KiB; gRPC counts a MiB as a flood */
	MAX_CALLS = 32,			/* of one client at once */
};

static void answer(struct grpc_call *call, const struct message *m)
{
	if (grpc_call_send(call, m->data, m->len) == 0)
		grpc_call_end(call, GRPC_OK, NULL);
}

static void refuse(struct grpc_call *call, enum grpc_status status, const struct err *e)
{
	char text[sizeof(e->msg) + sizeof(e->details) + 2];

	(void)snprintf(text, sizeof(text), "%s%s%s", e->msg, *e->details ? ": " : "", e->details);
	grpc_call_end(call, status, text);
}

static void finish(struct grpc_call *call, enum grpc_status status, const struct message *m,
		   const struct err *e)
{
	if (status == GRPC_OK)
		answer(call, m);
	else
		refuse(call, status, e);
}

static void get_options(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	const struct resource *s = arg;
	struct plugin_abilities a = { .preferred = true,
				      .pre_start = s->plugin->opt.reset };
	auto_message struct message m = { .len = 0 };
	struct err e = { 0 };

	(void)msg;
	(void)len;
	finish(call, options_encode(&a, &m, &e) == 0 ? GRPC_OK : GRPC_RESOURCE_EXHAUSTED, &m, &e);
}

static void list_and_watch(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	(void)msg;
	(void)len;
	listing_begin(arg, call);
}

static void allocate(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	const struct resource *s = arg;
	struct access_world w = resource_world(s);
	auto_message struct message m = { .len = 0 };
	struct err e = { 0 };

	finish(call, allocate_answer(&w, msg, len, &m, &e), &m, &e);
}

static void get_preferred_allocation(struct grpc_call *call, const unsigned char *msg, size_t len,
				     void *arg)
{
	const struct resource *s = arg;
	struct access_world w = resource_world(s);
	auto_message struct message m = { .len = 0 };
	struct err e = { 0 };

	finish(call, allocate_prefer(&w, msg, len, &m, &e), &m, &e);
}

static void pre_start_container(struct grpc_call *call, const unsigned char *msg, size_t len,
				void *arg)
{
	prestart_begin(arg, call, msg, len);
}

static const struct grpc_method methods[] = {
	{ SERVICE "GetDevicePluginOptions", get_options },
	{ SERVICE "ListAndWatch", list_and_watch },
	{ SERVICE "Allocate", allocate },
	{ SERVICE "GetPreferredAllocation", get_preferred_allocation },
	{ SERVICE "PreStartContainer", pre_start_container },
};

void methods_of(struct resource *s, struct grpc_service *ret)
{
	*ret = (struct grpc_service){ .methods = methods, .n = ARRAY_SIZE(methods),
				      .max_request = MAX_REQUEST, .max_calls = MAX_CALLS,
				      .arg = s };
}
