/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attributes.c - what is known of a device, as one flat object for expressions and for people
 *
 * Names stay as they are once they were released, for rules are written with them.  What is not
 * known, or not there, has no attribute, so that Exists can ask for it; of what is yes or no, the
 * no is there too.  devinfoctl(8) lists the names.
 */
#include "base/name.h"
#include "manager/match/match.h"
#include "manager/match/related.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A firmware may call its version what is no UTF-8: then its bytes beyond ASCII become '?'. */
static json_t *words_write(const struct field *f, const void *at)
{
	char text[INV_LIST];
	json_t *v = json_stringn(at, strnlen(at, f->size));

	if (v)
		return v;
	(void)snprintf(text, sizeof(text), "%.*s", (int)f->size, (const char *)at);
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return json_string(text);
}

static const struct field_type words = { words_write, NULL };

/* An attribute is there when it is not empty, or 0; always; when `has` says so. */
#define WORDS(s, attribute, member) \
	{ .name = (attribute), .type = &words, FIELD_AT(s, member), .optional = true }
#define NUMBER(s, attribute, member) \
	{ .name = (attribute), FIELD(s, member), .optional = true }
#define YES_OR_NO(s, attribute, member)	{ .name = (attribute), FIELD(s, member) }
#define KNOWN(s, attribute, member, has) \
	{ .name = (attribute), FIELD(s, member), .flag = offsetof(s, has) }

/* -- of a function -- */

static bool has_vfs(const void *s)
{
	return ((const struct inv_function *)s)->total_vfs > 0;
}

static bool has_index(const void *s)
{
	const struct inv_function *f = s;

	return f->is_vf && f->vf_index != INV_NONE;
}

#define F struct inv_function
static const struct field hardware_field[] = {
	WORDS(F, "vendor", vendor),
	WORDS(F, "device", device),
	WORDS(F, "subsystem_vendor", subsystem_vendor),
	WORDS(F, "subsystem_device", subsystem_device),
	WORDS(F, "class", class),
	WORDS(F, "vendor_name", vendor_name),
	WORDS(F, "device_name", device_name),
	WORDS(F, "driver_version", drivers_version),
	WORDS(F, "firmware", firmware),
	WORDS(F, "pcie_root", pcie_root),
	KNOWN(F, "numa_node", numa_node, has_numa),
	KNOWN(F, "acpi_index", acpi_index, has_acpi_index),
};

static const struct field function_field[] = {
	WORDS(F, "driver", driver),
	WORDS(F, "driver_override", driver_override),
	WORDS(F, "iommu_group", iommu_group),
	YES_OR_NO(F, "is_vf", is_vf),
	{ .name = "vf_index", FIELD(F, vf_index), .when = has_index },
	WORDS(F, "pf", pf_bdf),
	{ .name = "total_vfs", FIELD(F, total_vfs), .when = has_vfs },
	{ .name = "num_vfs", FIELD(F, num_vfs), .when = has_vfs },
	WORDS(F, "eswitch", eswitch),
	YES_OR_NO(F, "vhost_net", vhost_net),
	KNOWN(F, "aer_correctable", aer_correctable, has_aer),
	KNOWN(F, "aer_nonfatal", aer_nonfatal, has_aer),
	KNOWN(F, "aer_fatal", aer_fatal, has_aer),
	WORDS(F, "health", health),
	WORDS(F, "health_reason", health_reason),
};
#undef F

/* -- of what belongs to it -- */

static const struct field auxiliary_field[] = {
	WORDS(struct inv_auxiliary, "driver", driver),
	WORDS(struct inv_auxiliary, "aux_type", type),
	WORDS(struct inv_auxiliary, "pf", pf_bdf),
	KNOWN(struct inv_auxiliary, "sf", sf, has_sf),
	WORDS(struct inv_auxiliary, "health", health),
	WORDS(struct inv_auxiliary, "health_reason", health_reason),
};

#define L struct inv_link
static const struct field link_field[] = {
	WORDS(L, "link", name),
	WORDS(L, "link_type", type),
	WORDS(L, "mac", address),
	NUMBER(L, "mtu", mtu),
	YES_OR_NO(L, "is_up", up),
	YES_OR_NO(L, "carrier", carrier),
	WORDS(L, "operstate", operstate),
	NUMBER(L, "speed", speed),
	WORDS(L, "master", master),
	YES_OR_NO(L, "default_route", default_route),
};
#undef L

#define V struct inv_vf
static const struct field vf_field[] = {
	WORDS(V, "admin_mac", mac),
	NUMBER(V, "vlan", vlan),
	NUMBER(V, "qos", qos),
	WORDS(V, "link_state", link_state),
	YES_OR_NO(V, "spoofchk", spoofchk),
	YES_OR_NO(V, "trust", trust),
	NUMBER(V, "min_tx_rate", min_tx_rate),
	NUMBER(V, "max_tx_rate", max_tx_rate),
};
#undef V

static const struct field holder_field[] = {
	WORDS(struct inv_attachment, "network", network),
	WORDS(struct inv_attachment, "interface", ifname),
	WORDS(struct inv_attachment, "attachment_state", state),
};

static const struct fields hardware_fields = FIELDS(hardware_field, NULL);
static const struct fields function_fields = FIELDS(function_field, NULL);
static const struct fields auxiliary_fields = FIELDS(auxiliary_field, NULL);
static const struct fields link_fields = FIELDS(link_field, NULL);
static const struct fields vf_fields = FIELDS(vf_field, NULL);
static const struct fields holder_fields = FIELDS(holder_field, NULL);

/* -- lists and what is computed -- */

static void add(json_t *o, const struct fields *t, const void *s)
{
	if (s)
		(void)json_object_update_new(o, field_write(t, s, json_object()));
}

static void add_text(json_t *o, const char *name, const char *text)
{
	if (*text)
		(void)json_object_set_new(o, name, json_string(text));
}

static void add_flag(json_t *o, const char *name, bool value)
{
	(void)json_object_set_new(o, name, json_boolean(value));
}

/* Each value once; the reference is taken.  An attribute that would be empty is none. */
static void add_list(json_t *o, const char *name, json_t *list)
{
	if (json_array_size(list) > 0)
		(void)json_object_set(o, name, list);
	json_decref(list);
}

static void list_add(json_t *list, const char *text)
{
	if (!*text)
		return;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(json_string_value(json_array_get(list, i)), text) == 0)
			return;
	(void)json_array_append_new(list, json_string(text));
}

static void add_link(json_t *o, const struct inv_link *l)
{
	json_t *names = json_array(), *ips = json_array();

	add(o, &link_fields, l);
	for (size_t i = 0; l && i < l->n_altnames; i++)
		list_add(names, l->altnames[i]);
	for (size_t i = 0; l && i < l->n_ips; i++)
		list_add(ips, l->ips[i]);
	add_list(o, "altnames", names);
	add_list(o, "ips", ips);
}

static void add_rdma(const struct inventory *inv, json_t *o, const struct inv_function *f,
		     const char *id)
{
	json_t *names = json_array();

	for (int i = f ? f->rdma : INV_NONE; i != INV_NONE; i = inv->rdmas[i].next)
		if (related_rdma_is_on(&inv->rdmas[i], id))
			list_add(names, inv->rdmas[i].name);
	add_flag(o, "is_rdma", json_array_size(names) > 0);
	add_list(o, "rdma", names);
}

/* "vhost" of vhost_vdpa, as sriov-network-device-plugin has it. */
static void list_add_type(json_t *list, const char *driver)
{
	if (strcmp(driver, "vhost_vdpa") == 0)
		list_add(list, "vhost");
	if (strcmp(driver, "virtio_vdpa") == 0)
		list_add(list, "virtio");
}

static void add_vdpa(const struct inventory *inv, json_t *o, const struct inv_function *f,
		     const char *id)
{
	json_t *names = json_array(), *types = json_array();
	bool makes = false;

	for (int i = f ? f->vdpa : INV_NONE; i != INV_NONE; i = inv->vdpas[i].next)
		if (related_vdpa_is_on(&inv->vdpas[i], id)) {
			list_add(names, inv->vdpas[i].name);
			list_add_type(types, inv->vdpas[i].driver);
		}
	for (size_t i = 0; i < inv->n_mgmtdevs; i++)
		makes = makes || related_mgmtdev_is_on(&inv->mgmtdevs[i], id);
	add_flag(o, "makes_vdpa", makes);
	add_list(o, "vdpa", names);
	add_list(o, "vdpa_type", types);
}

/* NAMESPACE/NAME. */
static void pod_name(const char *namespace, const char *name, char ret[INV_LIST + 64 + 2])
{
	(void)snprintf(ret, INV_LIST + 64 + 2, "%s%s%s", namespace, *namespace ? "/" : "", name);
}

static void add_holder(const struct inventory *inv, json_t *o, int holder)
{
	const struct inv_attachment *a = related_attachment(inv, holder);
	char pod[INV_LIST + 64 + 2] = "";

	add_flag(o, "is_held", a);
	if (a)
		pod_name(a->pod_namespace, a->pod_name, pod);
	add_text(o, "pod", pod);
	add(o, &holder_fields, a);
}

/* An id may spell an address in several ways; its place tells most of them apart at once. */
static bool is_of(const struct inv_allocation *a, const char *id, int place)
{
	return place == INV_NONE ? strcmp(a->id, id) == 0 :
				   a->function == place && name_ids_equal(a->id, id);
}

/* By kubelet: the resources that it is one of, and the pods that it was given to. */
static void add_allocations(const struct inventory *inv, json_t *o, const char *id, int place)
{
	json_t *resources = json_array(), *pods = json_array();
	char pod[INV_LIST + 64 + 2];

	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];

		if (!is_of(a, id, place))
			continue;
		list_add(resources, a->resource);
		pod_name(a->pod_namespace, a->pod_name, pod);
		list_add(pods, pod);
	}
	add_list(o, "resource", resources);
	add_list(o, "allocated_to", pods);
}

/*
 * What both kinds of devices have.  f is the function, or the one that the auxiliary device is on;
 * place is a function's, else INV_NONE.
 */
static void add_parts(const struct inventory *inv, json_t *o, const struct inv_function *f,
		      const char *id, int place, int holder)
{
	add_rdma(inv, o, f, id);
	add_vdpa(inv, o, f, id);
	add_holder(inv, o, holder);
	add_allocations(inv, o, id, place);
}

static json_t *begin(const char *id, const char *bus)
{
	json_t *o = json_object();

	add_text(o, "id", id);
	add_text(o, "bus", bus);
	return o;
}

/* The PF, which may be missing, as its functions have it; and a representor. */
static void add_ports(const struct inventory *inv, json_t *o, const struct inv_function *pf,
		      int representor)
{
	const struct inv_link *uplink = pf ? related_link(inv, pf->link) : NULL;
	const struct inv_link *rep = related_link(inv, representor);

	add_text(o, "pf_name", uplink ? uplink->name : "");
	add_text(o, "representor", rep ? rep->name : "");
}

json_t *match_attributes(const struct inventory *inv, const struct inv_function *f)
{
	json_t *o = begin(f->bdf, "pci");

	add(o, &hardware_fields, f);
	add(o, &function_fields, f);
	add_link(o, related_link(inv, f->link));
	add_ports(inv, o, related_pf(inv, f), f->representor);
	add(o, &vf_fields, related_vf(inv, f->vf));
	add_parts(inv, o, f, f->bdf, (int)(f - inv->functions), f->holder);
	return o;
}

json_t *match_attributes_of_auxiliary(const struct inventory *inv, const struct inv_auxiliary *x)
{
	const struct inv_function *f = related_function(inv, x->function);
	json_t *o = begin(x->name, "auxiliary");

	add(o, &hardware_fields, f);
	add(o, &auxiliary_fields, x);
	add_link(o, related_link(inv, x->link));
	add_ports(inv, o, f ? related_pf(inv, f) : NULL, x->representor);
	add_parts(inv, o, f, x->name, INV_NONE, x->holder);
	return o;
}

static int find_by_id(const struct inventory *inv, const char *id)
{
	for (size_t i = 0; i < inv->n_attachments; i++)
		if (inv->attachments[i].from_plugin &&
		    strcmp(inv->attachments[i].device_id, id) == 0)
			return (int)i;
	return INV_NONE;
}

json_t *match_attributes_of_socket(const struct inventory *inv, const char *id, const char *kind)
{
	json_t *o = begin(id, kind);

	add_holder(inv, o, find_by_id(inv, id));
	add_allocations(inv, o, id, INV_NONE);
	return o;
}

json_t *match_attributes_of_vdpa(const struct inventory *inv, const struct inv_vdpa *v)
{
	json_t *o = begin(v->name, "vdpa"), *names = json_array(), *types = json_array();

	list_add(names, v->name);
	list_add_type(types, v->driver);
	add_text(o, "driver", v->driver);
	add_text(o, "mac", v->mac);	/* its network device's wins */
	add_link(o, related_link(inv, v->link));
	add_list(o, "vdpa", names);
	add_list(o, "vdpa_type", types);
	add_holder(inv, o, v->holder);
	add_allocations(inv, o, v->name, INV_NONE);
	return o;
}
