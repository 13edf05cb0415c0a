/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - an attachment's record as JSON, and back */
#include "devinfo/journal/record.h"

#include "base/guid.h"
#include "base/jx.h"
#include "base/name.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void hex_encode(const uint8_t *bytes, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	ret[2 * n] = '\0';
}

static int hex_decode(const char *s, uint8_t *ret, size_t max, uint8_t *len)
{
	size_t n = strlen(s) / 2;

	if (strlen(s) % 2 || n > max)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (sscanf(s + 2 * i, "%2hhx", &ret[i]) != 1)
			return -1;
	*len = (uint8_t)n;
	return 0;
}

/* Set a member unless an earlier one has failed; a value that could not be made is a failure. */
static void put(json_t **o, const char *key, json_t *value)
{
	if (*o && json_object_set_new(*o, key, value) < 0) {
		json_decref(*o);
		*o = NULL;
	} else if (!*o) {
		json_decref(value);
	}
}

static void put_hex(json_t **o, const char *key, const void *bytes, size_t n)
{
	char text[2 * 256 + 1];

	hex_encode(bytes, n, text);
	put(o, key, json_string(text));
}

static json_t *altnames_to_json(const struct altnames *a)
{
	json_t *list = json_array();
	char text[2 * ALTNAME_SIZE + 1];

	for (unsigned int i = 0; i < a->n; i++) {
		hex_encode((const uint8_t *)a->name[i], strlen(a->name[i]), text);
		(void)json_array_append_new(list, json_string(text));
	}
	return list;
}

static json_t *netdev_to_json(const struct netdev_state *s)
{
	json_t *o = json_object();

	put(&o, "name", json_string(s->name));
	put(&o, "ifindex", json_integer(s->ifindex));
	put(&o, "bus", json_string(s->bus));
	put(&o, "parent", json_string(s->parent));
	put(&o, "kind", json_string(s->kind));
	put_hex(&o, "addr", s->addr, s->addr_len);
	put_hex(&o, "perm", s->perm, s->perm_len);
	put(&o, "mtu", json_integer(s->mtu));
	put(&o, "txqlen", json_integer(s->txqlen));
	put(&o, "flags", json_integer(s->flags));
	put_hex(&o, "alias", s->alias, strlen(s->alias));
	if (s->alt.n > 0)
		put(&o, "altnames", altnames_to_json(&s->alt));
	if (s->alt.more)
		put(&o, "moreAltnames", json_true());
	if (s->ipoib.have) {
		put(&o, "ipoibMode", json_integer(s->ipoib.mode));
		put(&o, "ipoibUmcast", json_integer(s->ipoib.umcast));
	}
	return o;
}

static json_t *vf_to_json(const struct vf_state *s)
{
	json_t *o = json_object();

	put(&o, "have", json_integer(s->have));
	put_hex(&o, "mac", s->mac, sizeof(s->mac));
	put(&o, "vlan", json_integer(s->vlan));
	put(&o, "qos", json_integer(s->qos));
	put(&o, "proto", json_integer(s->proto));
	put(&o, "minTxRate", json_integer(s->min_tx_rate));
	put(&o, "maxTxRate", json_integer(s->max_tx_rate));
	put(&o, "spoofchk", json_boolean(s->spoofchk));
	put(&o, "trust", json_boolean(s->trust));
	put(&o, "linkState", json_integer(s->link_state));
	if (s->have & VF_GUIDS) {
		char guid[GUID_TEXT];

		put(&o, "nodeGUID", json_string(guid_format(s->node_guid, guid)));
		put(&o, "portGUID", json_string(guid_format(s->port_guid, guid)));
	}
	return o;
}

static json_t *rdma_to_json(const struct rdma_state *s)
{
	json_t *o = json_object();

	put(&o, "name", json_string(s->name));
	put(&o, "index", json_integer(s->index));
	put(&o, "isolated", json_boolean(s->isolated));
	return o;
}

static void put_owner(json_t **o, const struct owner *owner)
{
	put(o, "network", json_string(owner->network));
	put(o, "containerID", json_string(owner->container_id));
	put(o, "ifname", json_string(owner->ifname));
	put(o, "netns", json_string(owner->netns));
	put(o, "netnsDev", json_integer((json_int_t)owner->netns_dev));
	put(o, "netnsIno", json_integer((json_int_t)owner->netns_ino));
	if (owner->netns_own)
		put(o, "netnsOwn", json_true());
	put(o, "netnsCookie", json_integer((json_int_t)owner->netns_cookie));
}

static void put_chained(json_t **o, const struct record *r)
{
	put(o, "inPlace", json_true());
	put(o, "macSet", json_boolean(r->mac_set));
	put(o, "mtuSet", json_boolean(r->mtu_set));
}

static void put_chain(json_t **o, const struct record *r)
{
	put(o, "delegatesLeft", json_integer(r->delegates_left));
	put(o, "delegatesAdded", json_integer(r->delegates_added));
	if (r->chain_result)
		put(o, "chainResult", json_deep_copy(r->chain_result));
}

static void put_release(json_t **o, const struct record *r)
{
	if (r->known_clean)
		put(o, "knownClean", json_true());
	if (r->reset)
		put(o, "reset", json_true());
	if (*r->driver.bound || *r->driver.before) {
		put(o, "driver", json_string(r->driver.bound));
		put(o, "driverBefore", json_string(r->driver.before));
		put(o, "driverOverride", json_string(r->driver.override));
	}
}

json_t *record_to_json(const struct record *r)
{
	json_t *o = json_object();

	put(&o, "version", json_integer(JOURNAL_VERSION));
	put_owner(&o, &r->owner);
	put(&o, "bootID", json_string(r->boot_id));
	put(&o, "device", json_string(r->device));
	if (r->device_id)
		put(&o, "deviceID", json_string(r->device_id));
	put(&o, "pci", json_boolean(r->is_pci));
	put(&o, "sole", json_boolean(r->unique_parent));
	if (r->sf_numbered)
		put(&o, "sfnum", json_integer(r->sf_number));
	put(&o, "released", json_boolean(r->released));
	put(&o, "vfSet", json_integer(r->vf_set));
	put(&o, "podIfindex", json_integer(r->pod_ifindex));
	put_hex(&o, "mac", r->mac, sizeof(r->mac));
	put(&o, "devinfoDir", json_string(r->devinfo_dir));
	put(&o, "runDir", json_string(r->run_dir));
	if (r->netdev.present)
		put(&o, "netdev", netdev_to_json(&r->netdev));
	if (r->vf.have)
		put(&o, "vf", vf_to_json(&r->vf));
	if (*r->rdma.name)
		put(&o, "rdma", rdma_to_json(&r->rdma));
	if (r->port.present)
		put(&o, "representor", port_state_to_json(&r->port));
	if (*r->vdpa.name)
		put(&o, "vdpa", vdpa_state_to_json(&r->vdpa));
	if (r->device_info_file)
		put(&o, "deviceInfoFile", json_string(r->device_info_file));
	if (r->ipam_type)
		put(&o, "ipamType", json_string(r->ipam_type));
	if (r->lease_of)
		put(&o, "leaseOf", json_string(r->lease_of));
	if (r->request)
		put(&o, "request", json_string(r->request));
	put_release(&o, r);
	if (r->chained)
		put_chained(&o, r);
	if (r->chained || r->delegates_left)
		put_chain(&o, r);
	if (o && socket_state_put(o, &r->socket) < 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* A string of at most size - 1 bytes, copied; an absent one leaves ret. */
static int copy_string(const json_t *o, const char *path, const char *key, char *ret, size_t size,
		       struct err *e)
{
	const char *v = NULL;
	int r = jx_string(o, path, key, &v, e);

	if (r <= 0)
		return r;
	if (strlen(v) >= size)
		return err_set(e, ERR_DECODE, 0, "%s.%s: too long", path, key);
	memcpy(ret, v, strlen(v) + 1);
	return 1;
}

static int altnames_from_json(const json_t *o, struct altnames *ret, struct err *e)
{
	json_t *list = NULL;
	const json_t *v;
	uint8_t len = 0;
	size_t i;

	if (jx_strings(o, "netdev", "altnames", &list, e) < 0 ||
	    jx_bool(o, "netdev", "moreAltnames", &ret->more, e) < 0)
		return -1;
	if (json_array_size(list) > ALTNAMES_MAX)
		return err_set(e, ERR_DECODE, 0, "netdev.altnames: too many");
	json_array_foreach(list, i, v)
		if (hex_decode(json_string_value(v), (uint8_t *)ret->name[i], ALTNAME_SIZE - 1,
			       &len) < 0 || !*ret->name[i])
			return err_set(e, ERR_DECODE, 0, "netdev.altnames: bad name");
	ret->n = (unsigned int)json_array_size(list);
	return 0;
}

static int ipoib_from_json(const json_t *o, struct ipoib *ret, struct err *e)
{
	json_int_t mode = 0, umcast = 0;
	int r = jx_int(o, "netdev", "ipoibMode", 0, UINT16_MAX, &mode, e);

	if (r < 0 || jx_int(o, "netdev", "ipoibUmcast", 0, UINT16_MAX, &umcast, e) < 0)
		return -1;
	*ret = (struct ipoib){ .have = r > 0, .mode = (uint16_t)mode, .umcast = (uint16_t)umcast };
	return 0;
}

static int netdev_from_json(const json_t *o, struct netdev_state *ret, struct err *e)
{
	char addr[2 * sizeof(ret->addr) + 1] = "", perm[2 * sizeof(ret->perm) + 1] = "";
	char alias[2 * sizeof(ret->alias)] = "";
	json_int_t ifindex = 0, mtu = 0, txqlen = 0, flags = 0;
	uint8_t alias_len = 0;

	if (copy_string(o, "netdev", "name", ret->name, sizeof(ret->name), e) < 0 ||
	    copy_string(o, "netdev", "bus", ret->bus, sizeof(ret->bus), e) < 0 ||
	    copy_string(o, "netdev", "parent", ret->parent, sizeof(ret->parent), e) < 0 ||
	    copy_string(o, "netdev", "kind", ret->kind, sizeof(ret->kind), e) < 0 ||
	    copy_string(o, "netdev", "addr", addr, sizeof(addr), e) < 0 ||
	    copy_string(o, "netdev", "perm", perm, sizeof(perm), e) < 0 ||
	    copy_string(o, "netdev", "alias", alias, sizeof(alias), e) < 0 ||
	    jx_int(o, "netdev", "ifindex", 1, INT_MAX, &ifindex, e) < 0 ||
	    jx_int(o, "netdev", "mtu", 0, UINT32_MAX, &mtu, e) < 0 ||
	    jx_int(o, "netdev", "txqlen", 0, UINT32_MAX, &txqlen, e) < 0 ||
	    jx_int(o, "netdev", "flags", 0, INT_MAX, &flags, e) < 0 ||
	    altnames_from_json(o, &ret->alt, e) < 0 || ipoib_from_json(o, &ret->ipoib, e) < 0)
		return -1;
	if (!name_is_ifname(ret->name) || ifindex == 0 ||
	    hex_decode(addr, ret->addr, sizeof(ret->addr), &ret->addr_len) < 0 ||
	    hex_decode(perm, ret->perm, sizeof(ret->perm), &ret->perm_len) < 0 ||
	    hex_decode(alias, (uint8_t *)ret->alias, sizeof(ret->alias) - 1, &alias_len) < 0)
		return err_set(e, ERR_DECODE, 0, "netdev: bad name, ifindex or address");
	ret->ifindex = (int)ifindex;
	ret->mtu = (uint32_t)mtu;
	ret->txqlen = (uint32_t)txqlen;
	ret->flags = (unsigned int)flags;
	ret->present = true;
	return 0;
}

static int vf_from_json(const json_t *o, struct vf_state *ret, struct err *e)
{
	json_int_t have = 0, vlan = 0, qos = 0, proto = 0, min = 0, max = 0, link = 0;
	const char *mac = "", *node = NULL, *port = NULL;
	uint8_t len = 0;

	if (jx_int(o, "vf", "have", 0, UINT32_MAX, &have, e) < 0 ||
	    jx_string(o, "vf", "mac", &mac, e) < 0 ||
	    jx_int(o, "vf", "vlan", 0, 4095, &vlan, e) < 0 ||
	    jx_int(o, "vf", "qos", 0, 7, &qos, e) < 0 ||
	    jx_int(o, "vf", "proto", 0, 65535, &proto, e) < 0 ||
	    jx_int(o, "vf", "minTxRate", 0, UINT32_MAX, &min, e) < 0 ||
	    jx_int(o, "vf", "maxTxRate", 0, UINT32_MAX, &max, e) < 0 ||
	    jx_int(o, "vf", "linkState", 0, 255, &link, e) < 0 ||
	    jx_bool(o, "vf", "spoofchk", &ret->spoofchk, e) < 0 ||
	    jx_bool(o, "vf", "trust", &ret->trust, e) < 0 ||
	    jx_string(o, "vf", "nodeGUID", &node, e) < 0 ||
	    jx_string(o, "vf", "portGUID", &port, e) < 0)
		return -1;
	if ((node && !guid_parse(node, &ret->node_guid)) ||
	    (port && !guid_parse(port, &ret->port_guid)))
		return err_set(e, ERR_DECODE, 0, "vf: bad GUID");
	if (hex_decode(mac, ret->mac, sizeof(ret->mac), &len) < 0)
		return err_set(e, ERR_DECODE, 0, "vf: bad address");
	ret->have = (uint32_t)have;
	ret->vlan = (uint16_t)vlan;
	ret->qos = (uint8_t)qos;
	ret->proto = (uint16_t)proto;
	ret->min_tx_rate = (uint32_t)min;
	ret->max_tx_rate = (uint32_t)max;
	ret->link_state = (uint8_t)link;
	return 0;
}

static int rdma_from_json(struct record *r, struct err *e)
{
	json_int_t index = 0;
	json_t *o = NULL;

	if (jx_object(r->doc, "", "rdma", &o, e) < 0 ||
	    copy_string(o, "rdma", "name", r->rdma.name, sizeof(r->rdma.name), e) < 0 ||
	    jx_int(o, "rdma", "index", 0, UINT32_MAX, &index, e) < 0 ||
	    jx_bool(o, "rdma", "isolated", &r->rdma.isolated, e) < 0)
		return -1;
	if (o && !name_is_file(r->rdma.name))
		return err_set(e, ERR_DECODE, 0, "bad rdma.name");
	r->rdma.index = (uint32_t)index;
	return 0;
}

/* A string that must be there. */
static int need(const json_t *o, const char *key, const char **ret, struct err *e)
{
	int r = jx_string(o, "", key, ret, e);

	return r == 0 ? err_set(e, ERR_DECODE, 0, "'%s' is missing", key) : r < 0 ? -1 : 0;
}

static int owner_from_json(const json_t *o, struct owner *ret, struct err *e)
{
	json_int_t dev = 0, ino = 0, cookie = 0;

	if (need(o, "network", &ret->network, e) < 0 ||
	    need(o, "containerID", &ret->container_id, e) < 0 ||
	    need(o, "ifname", &ret->ifname, e) < 0 || need(o, "netns", &ret->netns, e) < 0 ||
	    jx_int(o, "", "netnsDev", INT64_MIN, INT64_MAX, &dev, e) < 0 ||
	    jx_int(o, "", "netnsIno", INT64_MIN, INT64_MAX, &ino, e) < 0 ||
	    jx_bool(o, "", "netnsOwn", &ret->netns_own, e) < 0 ||
	    jx_int(o, "", "netnsCookie", INT64_MIN, INT64_MAX, &cookie, e) < 0)
		return -1;
	if (!name_is_cni_id(ret->network) || !name_is_cni_id(ret->container_id) ||
	    !name_is_ifname(ret->ifname))
		return err_set(e, ERR_DECODE, 0, "the owner's names are not valid");
	ret->netns_dev = (uint64_t)dev;
	ret->netns_ino = (uint64_t)ino;
	ret->netns_cookie = (uint64_t)cookie;
	return 0;
}

static int files_from_json(struct record *r, struct err *e)
{
	if (need(r->doc, "devinfoDir", &r->devinfo_dir, e) < 0 ||
	    need(r->doc, "runDir", &r->run_dir, e) < 0 ||
	    jx_string(r->doc, "", "deviceInfoFile", &r->device_info_file, e) < 0 ||
	    jx_string(r->doc, "", "ipamType", &r->ipam_type, e) < 0 ||
	    jx_string(r->doc, "", "leaseOf", &r->lease_of, e) < 0 ||
	    jx_string(r->doc, "", "request", &r->request, e) < 0)
		return -1;
	if ((r->device_info_file && !name_is_file(r->device_info_file)) ||
	    ((r->ipam_type || r->delegates_left) && !r->request))
		return err_set(e, ERR_DECODE, 0, "bad deviceInfoFile or no request");
	return 0;
}

static int chained_from_json(struct record *r, struct err *e)
{
	json_int_t left = 0, added = 0;
	json_t *result = NULL;

	if (jx_bool(r->doc, "", "inPlace", &r->chained, e) < 0 ||
	    jx_bool(r->doc, "", "macSet", &r->mac_set, e) < 0 ||
	    jx_bool(r->doc, "", "mtuSet", &r->mtu_set, e) < 0 ||
	    jx_int(r->doc, "", "delegatesLeft", 0, UINT32_MAX, &left, e) < 0 ||
	    jx_int(r->doc, "", "delegatesAdded", 0, UINT32_MAX, &added, e) < 0 ||
	    jx_string(r->doc, "", "deviceID", &r->device_id, e) < 0 ||
	    jx_object(r->doc, "", "chainResult", &result, e) < 0)
		return -1;
	r->delegates_left = (uint32_t)left;
	r->delegates_added = (uint32_t)added;
	r->chain_result = result;
	return 0;
}

/* Drivers' names become parts of paths. */
static int release_from_json(struct record *r, struct err *e)
{
	struct driver_state *d = &r->driver;

	if (jx_bool(r->doc, "", "knownClean", &r->known_clean, e) < 0 ||
	    jx_bool(r->doc, "", "reset", &r->reset, e) < 0 ||
	    copy_string(r->doc, "", "driver", d->bound, sizeof(d->bound), e) < 0 ||
	    copy_string(r->doc, "", "driverBefore", d->before, sizeof(d->before), e) < 0 ||
	    copy_string(r->doc, "", "driverOverride", d->override, sizeof(d->override), e) < 0)
		return -1;
	if ((*d->bound && !name_is_file(d->bound)) || (*d->before && !name_is_file(d->before)) ||
	    (*d->override && !name_is_file(d->override)))
		return err_set(e, ERR_DECODE, 0, "bad driver");
	return 0;
}

static int sf_from_json(struct record *r, struct err *e)
{
	json_int_t number = 0;
	int found = jx_int(r->doc, "", "sfnum", 0, UINT32_MAX, &number, e);

	r->sf_numbered = found > 0;
	r->sf_number = (unsigned int)number;
	return found < 0 ? -1 : 0;
}

static bool is_device(const struct record *r, const char *device)
{
	if (!*device)
		return r->chained;
	return r->is_pci ? name_is_bdf(device) : name_is_file(device);
}

int record_from_json(struct record *r, struct err *e)
{
	const char *boot = NULL, *device = NULL, *mac = "";
	json_t *netdev = NULL, *vf = NULL, *port = NULL, *vdpa = NULL;
	json_int_t vf_set = 0, pod_ifindex = 0;
	uint8_t len = 0;

	if (owner_from_json(r->doc, &r->owner, e) < 0 || need(r->doc, "bootID", &boot, e) < 0 ||
	    need(r->doc, "device", &device, e) < 0 ||
	    jx_string(r->doc, "", "mac", &mac, e) < 0 ||
	    jx_bool(r->doc, "", "pci", &r->is_pci, e) < 0 ||
	    jx_bool(r->doc, "", "sole", &r->unique_parent, e) < 0 || sf_from_json(r, e) < 0 ||
	    jx_bool(r->doc, "", "released", &r->released, e) < 0 ||
	    jx_int(r->doc, "", "vfSet", 0, UINT32_MAX, &vf_set, e) < 0 ||
	    jx_int(r->doc, "", "podIfindex", 0, INT_MAX, &pod_ifindex, e) < 0 ||
	    jx_object(r->doc, "", "netdev", &netdev, e) < 0 ||
	    jx_object(r->doc, "", "vf", &vf, e) < 0 ||
	    (netdev && netdev_from_json(netdev, &r->netdev, e) < 0) ||
	    (vf && vf_from_json(vf, &r->vf, e) < 0) || rdma_from_json(r, e) < 0 ||
	    jx_object(r->doc, "", "representor", &port, e) < 0 ||
	    (port && port_state_from_json(port, &r->port, e) < 0) ||
	    jx_object(r->doc, "", "vdpa", &vdpa, e) < 0 ||
	    (vdpa && vdpa_state_from_json(vdpa, &r->vdpa, e) < 0) || chained_from_json(r, e) < 0 ||
	    release_from_json(r, e) < 0 || files_from_json(r, e) < 0 ||
	    socket_state_get(r->doc, &r->socket, e) < 0)
		return -1;
	if (strlen(boot) >= sizeof(r->boot_id) || strlen(device) >= sizeof(r->device) ||
	    !is_device(r, device) || hex_decode(mac, r->mac, sizeof(r->mac), &len) < 0)
		return err_set(e, ERR_DECODE, 0, "bad bootID, device or mac");
	memcpy(r->boot_id, boot, strlen(boot) + 1);
	memcpy(r->device, device, strlen(device) + 1);
	r->vf_set = (uint32_t)vf_set;
	r->pod_ifindex = (int)pod_ifindex;
	return 0;
}

bool owner_in_netns(const struct owner *o, uint64_t dev, uint64_t ino, uint64_t cookie)
{
	return dev == o->netns_dev && ino == o->netns_ino &&
	       (!cookie || !o->netns_cookie || cookie == o->netns_cookie);
}

void owner_made_name(const struct owner *o, char ret[16])
{
	uint64_t h = name_hash(0, o->container_id);

	h = name_hash(name_hash(h, "/"), o->ifname);
	(void)snprintf(ret, 16, "dv%012" PRIx64, h & 0xffffffffffff);
}

bool record_netdev_is_virtio(const struct record *rec)
{
	return *rec->vdpa.name;
}

bool record_is_path(const struct record *rec)
{
	return *rec->socket.path;
}

bool record_is_auxiliary(const struct record *rec)
{
	return !rec->is_pci && !*rec->vdpa.name && *rec->netdev.parent &&
	       (rec->unique_parent || strcmp(rec->netdev.bus, "auxiliary") == 0);
}

const char *record_device_name(const struct record *r)
{
	return *r->socket.path ? r->socket.path : r->device;
}

bool record_leaves_function(const struct record *rec)
{
	return *rec->vdpa.name && !rec->vdpa.created && !rec->vf_set && !*rec->rdma.name &&
	       !rec->port.present && !*rec->driver.bound && !*rec->driver.before && !rec->reset;
}

void record_done(struct record *r)
{
	json_decref(r->doc);
	*r = (struct record){ 0 };
}
