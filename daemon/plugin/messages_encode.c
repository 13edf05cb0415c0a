/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages_encode.c - what kubelet gets from a device plugin
 *
 * The structs of protobuf-c refer to each other by lists of pointers.  Each struct here is an
 * element with all that it refers to, so a message takes two lists: elements, and pointers to them.
 */
#include "daemon/plugin/messages.h"

#include "base/mem.h"
#include "daemon/plugin/deviceplugin.pb-c.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION "v1beta1"

void message_done(struct message *m)
{
	free(m->data);
	*m = (struct message){ .len = 0 };
}

static int no_memory(struct err *e)
{
	return err_set(e, ERR_IO, ENOMEM, "a message for kubelet");
}

static int pack(const ProtobufCMessage *m, struct message *ret, struct err *e)
{
	size_t len = protobuf_c_message_get_packed_size(m);
	unsigned char *data = malloc(len + 1);

	if (!data)
		return no_memory(e);
	*ret = (struct message){ data, protobuf_c_message_pack(m, data) };
	return 0;
}

/* -- options, Register -- */

static V1beta1__DevicePluginOptions options_of(const struct plugin_abilities *a)
{
	V1beta1__DevicePluginOptions o = V1BETA1__DEVICE_PLUGIN_OPTIONS__INIT;

	o.pre_start_required = a->pre_start;
	o.get_preferred_allocation_available = a->preferred;
	return o;
}

int options_encode(const struct plugin_abilities *a, struct message *ret, struct err *e)
{
	V1beta1__DevicePluginOptions o = options_of(a);

	return pack(&o.base, ret, e);
}

int register_request_encode(const char *endpoint, const char *resource,
			    const struct plugin_abilities *a, struct message *ret, struct err *e)
{
	V1beta1__DevicePluginOptions o = options_of(a);
	V1beta1__RegisterRequest r;
	char version[] = API_VERSION;
	auto_free char *own_endpoint = strdup(endpoint), *own_resource = strdup(resource);

	if (!own_endpoint || !own_resource)
		return no_memory(e);
	v1beta1__register_request__init(&r);
	r.version = version;
	r.endpoint = own_endpoint;
	r.resource_name = own_resource;
	r.options = &o;
	return pack(&r.base, ret, e);
}

/* -- ListAndWatch -- */

struct list_part {
	V1beta1__Device device;
	V1beta1__TopologyInfo topology;
	V1beta1__NUMANode node, *nodes[1];
};

static void fill_part(struct offered *d, struct list_part *p)
{
	static char healthy[] = "Healthy", unhealthy[] = "Unhealthy";

	v1beta1__device__init(&p->device);
	p->device.id = d->id;
	p->device.health = d->healthy ? healthy : unhealthy;
	if (!d->has_numa || d->numa < 0)
		return;
	v1beta1__numanode__init(&p->node);
	p->node.id = d->numa;
	p->nodes[0] = &p->node;
	v1beta1__topology_info__init(&p->topology);
	p->topology.n_nodes = 1;
	p->topology.nodes = p->nodes;
	p->device.topology = &p->topology;
}

int list_encode(const struct offer *o, struct message *ret, struct err *e)
{
	auto_free struct list_part *parts = calloc(o->n + 1, sizeof(*parts));
	auto_free V1beta1__Device **list = calloc(o->n + 1, sizeof(*list));
	V1beta1__ListAndWatchResponse m = V1BETA1__LIST_AND_WATCH_RESPONSE__INIT;

	if (!parts || !list)
		return no_memory(e);
	for (size_t i = 0; i < o->n; i++) {
		fill_part(&o->list[i], &parts[i]);
		list[i] = &parts[i].device;
	}
	m.n_devices = o->n;
	m.devices = list;
	return pack(&m.base, ret, e);
}

/* -- Allocate -- */

struct container_part {
	V1beta1__ContainerAllocateResponse m;
	V1beta1__DeviceSpec *nodes, **node_list;	/* owned, as is each below */
	V1beta1__Mount *mounts, **mount_list;
	V1beta1__CDIDevice *cdi, **cdi_list;
	V1beta1__ContainerAllocateResponse__EnvsEntry env[2], *env_list[2];
};

static void container_part_done(struct container_part *p)
{
	free(p->nodes);
	free(p->node_list);
	free(p->mounts);
	free(p->mount_list);
	free(p->cdi);
	free(p->cdi_list);
}

static int container_part_room(const struct access *a, struct container_part *ret, struct err *e)
{
	ret->nodes = calloc(a->n_nodes + 1, sizeof(*ret->nodes));
	ret->node_list = calloc(a->n_nodes + 1, sizeof(*ret->node_list));
	ret->mounts = calloc(a->n_mounts + 1, sizeof(*ret->mounts));
	ret->mount_list = calloc(a->n_mounts + 1, sizeof(*ret->mount_list));
	ret->cdi = calloc(a->n_cdi + 1, sizeof(*ret->cdi));
	ret->cdi_list = calloc(a->n_cdi + 1, sizeof(*ret->cdi_list));
	return ret->nodes && ret->node_list && ret->mounts && ret->mount_list && ret->cdi &&
	       ret->cdi_list ? 0 : no_memory(e);
}

static void fill_environment(struct access *a, struct container_part *p)
{
	p->m.envs = p->env_list;
	for (size_t i = 0; i < ARRAY_SIZE(a->env) && *a->env[i].name; i++) {
		v1beta1__container_allocate_response__envs_entry__init(&p->env[i]);
		p->env[i].key = a->env[i].name;
		p->env[i].value = a->env[i].value;
		p->env_list[p->m.n_envs++] = &p->env[i];
	}
}

static void fill_mounts(struct access *a, struct container_part *p)
{
	for (size_t i = 0; i < a->n_mounts; i++) {
		v1beta1__mount__init(&p->mounts[i]);
		p->mounts[i].host_path = a->mounts[i].path;
		p->mounts[i].container_path = a->mounts[i].path;
		p->mount_list[i] = &p->mounts[i];
	}
	p->m.n_mounts = a->n_mounts;
	p->m.mounts = p->mount_list;
}

static void fill_container(struct access *a, struct container_part *p)
{
	v1beta1__container_allocate_response__init(&p->m);
	fill_environment(a, p);
	for (size_t i = 0; i < a->n_nodes; i++) {
		v1beta1__device_spec__init(&p->nodes[i]);
		p->nodes[i].host_path = a->nodes[i].host;
		p->nodes[i].container_path = a->nodes[i].container;
		p->nodes[i].permissions = a->nodes[i].permissions;
		p->node_list[i] = &p->nodes[i];
	}
	p->m.n_devices = a->n_nodes;
	p->m.devices = p->node_list;
	fill_mounts(a, p);
	for (size_t i = 0; i < a->n_cdi; i++) {
		v1beta1__cdidevice__init(&p->cdi[i]);
		p->cdi[i].name = a->cdi[i];
		p->cdi_list[i] = &p->cdi[i];
	}
	p->m.n_cdi_devices = a->n_cdi;
	p->m.cdi_devices = p->cdi_list;
}

struct allocation_parts {
	struct container_part *list;			/* owned */
	V1beta1__ContainerAllocateResponse **pointers;	/* owned */
	size_t n;
};

static void allocation_parts_done(struct allocation_parts *p)
{
	for (size_t i = 0; p->list && i < p->n; i++)
		container_part_done(&p->list[i]);
	free(p->list);
	free(p->pointers);
}

int allocate_response_encode(struct access *list, size_t n, struct message *ret, struct err *e)
{
	auto_with(allocation_parts_done) struct allocation_parts p = {
		.list = calloc(n + 1, sizeof(*p.list)),
		.pointers = calloc(n + 1, sizeof(*p.pointers)), .n = n,
	};
	V1beta1__AllocateResponse m = V1BETA1__ALLOCATE_RESPONSE__INIT;

	if (!p.list || !p.pointers)
		return no_memory(e);
	for (size_t i = 0; i < n; i++) {
		if (container_part_room(&list[i], &p.list[i], e) < 0)
			return -1;
		fill_container(&list[i], &p.list[i]);
		p.pointers[i] = &p.list[i].m;
	}
	m.n_container_responses = n;
	m.container_responses = p.pointers;
	return pack(&m.base, ret, e);
}

/* -- GetPreferredAllocation -- */

struct preferred_part {
	V1beta1__ContainerPreferredAllocationResponse m;
	char **ids;			/* owned */
};

struct preferred_parts {
	struct preferred_part *list;	/* owned */
	V1beta1__ContainerPreferredAllocationResponse **pointers;	/* owned */
	size_t n;
};

static void preferred_parts_done(struct preferred_parts *p)
{
	for (size_t i = 0; p->list && i < p->n; i++)
		free(p->list[i].ids);
	free(p->list);
	free(p->pointers);
}

static int fill_preferred(const struct id_list *from, struct preferred_part *p, struct err *e)
{
	p->ids = calloc(from->n + 1, sizeof(*p->ids));
	if (!p->ids)
		return no_memory(e);
	for (size_t i = 0; i < from->n; i++)
		p->ids[i] = from->id[i];
	v1beta1__container_preferred_allocation_response__init(&p->m);
	p->m.n_deviceids = from->n;
	p->m.deviceids = p->ids;
	return 0;
}

int preferred_response_encode(const struct id_list *list, size_t n, struct message *ret,
			      struct err *e)
{
	auto_with(preferred_parts_done) struct preferred_parts p = {
		.list = calloc(n + 1, sizeof(*p.list)),
		.pointers = calloc(n + 1, sizeof(*p.pointers)), .n = n,
	};
	V1beta1__PreferredAllocationResponse m = V1BETA1__PREFERRED_ALLOCATION_RESPONSE__INIT;

	if (!p.list || !p.pointers)
		return no_memory(e);
	for (size_t i = 0; i < n; i++) {
		if (fill_preferred(&list[i], &p.list[i], e) < 0)
			return -1;
		p.pointers[i] = &p.list[i].m;
	}
	m.n_container_responses = n;
	m.container_responses = p.pointers;
	return pack(&m.base, ret, e);
}
