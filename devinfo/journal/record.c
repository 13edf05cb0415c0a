/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - an attachment's record as JSON, and back
 *
 * The names on disk are those that were there first, for the version before must read what this one
 * writes, and the other way round: "inPlace" is `chained`, "sole" is `unique_parent`.
 */
#include "devinfo/journal/record.h"

#include "base/name.h"
#include "base/octets.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is_name_or_none(const char *name)
{
	return !*name || name_is_file(name);
}

/* -- a network device -- */

/* They need not be UTF-8. */
static json_t *altnames_write(const struct field *f, const void *at)
{
	const struct altnames *a = at;
	char text[2 * ALTNAME_SIZE + 1];
	json_t *list = json_array();

	(void)f;
	for (unsigned int i = 0; i < a->n; i++) {
		octets_format(a->name[i], strlen(a->name[i]), '\0', text);
		(void)json_array_append_new(list, json_string(text));
	}
	return list;
}

static const char *altnames_read(const struct field *f, const json_t *v, void *at)
{
	struct altnames *a = at;

	(void)f;
	if (!json_is_array(v) || json_array_size(v) > ALTNAMES_MAX)
		return "must be a list of few names";
	for (a->n = 0; a->n < json_array_size(v); a->n++) {
		const json_t *name = json_array_get(v, a->n);
		size_t len = json_string_length(name) / 2;

		if (!json_is_string(name) || len >= ALTNAME_SIZE ||
		    !octets_parse(json_string_value(name), '\0', a->name[a->n], len) ||
		    !*a->name[a->n])
			return "not valid";
	}
	return NULL;
}

static const struct field_type altnames = { altnames_write, altnames_read };

/* What is written to /sys again. */
static bool is_number_or_none(const char *text)
{
	return text[strspn(text, "0123456789")] == '\0';
}

#define SETTING(member)	FIELD(struct netdev_settings, member)
#define SETTING_OFFSET(member) offsetof(struct netdev_settings, member)
#define ETHTOOL(member)	SETTING(ethtool.member), .len = SETTING_OFFSET(ethtool.member##_len), \
			.optional = true
#define NAPI(member)	SETTING(napi.member), .optional = true, .fits = is_number_or_none

static const struct field settings[] = {
	{ "flags", SETTING(flags), .max = INT_MAX },
	{ "group", SETTING(link.group) },
	{ "linkMode", SETTING(link.mode) },
	{ "gsoMaxSize", SETTING(link.gso_max_size) },
	{ "gsoMaxSegs", SETTING(link.gso_max_segs) },
	{ "groMaxSize", SETTING(link.gro_max_size) },
	{ "gsoIPv4MaxSize", SETTING(link.gso_ipv4_max_size) },
	{ "groIPv4MaxSize", SETTING(link.gro_ipv4_max_size) },
	{ "threaded", NAPI(threaded) },
	{ "groFlushTimeout", NAPI(gro_flush_timeout) },
	{ "deferHardIRQs", NAPI(napi_defer_hard_irqs) },
	{ "features", SETTING(ethtool.features), .flag = SETTING_OFFSET(ethtool.has_features) },
	{ "channels", ETHTOOL(channels) },
	{ "ring", ETHTOOL(ring) },
	{ "coalesce", ETHTOOL(coalesce) },
	{ "rules", SETTING(ethtool.rules), .flag = SETTING_OFFSET(ethtool.has_rules) },
};
static const struct fields settings_fields = FIELDS(settings, NULL);

#define NETDEV(member)	FIELD(struct netdev_state, member)
#define NETDEV_AT(member) FIELD_AT(struct netdev_state, member)
#define NETDEV_OFFSET(member) offsetof(struct netdev_state, member)

static const struct field netdev[] = {
	{ "name", NETDEV(name), .required = true, .fits = name_is_ifname },
	{ "ifindex", NETDEV(ifindex), .required = true, .min = 1 },
	{ "bus", NETDEV(bus) },
	{ "parent", NETDEV(parent) },
	{ "kind", NETDEV(kind) },
	{ "addr", NETDEV(addr), .len = NETDEV_OFFSET(addr_len) },
	{ "perm", NETDEV(perm), .len = NETDEV_OFFSET(perm_len) },
	{ "mtu", NETDEV(mtu) },
	{ "txqlen", NETDEV(txqlen) },
	{ "flags", NETDEV(flags), .max = INT_MAX },
	{ "alias", .type = &field_raw_text, NETDEV_AT(alias) },
	{ "altnames", .type = &altnames, NETDEV_AT(alt), .optional = true },
	{ "moreAltnames", NETDEV(alt.more), .optional = true },
	{ "ipoibMode", NETDEV(ipoib.mode), .flag = NETDEV_OFFSET(ipoib.have) },
	{ "ipoibUmcast", NETDEV(ipoib.umcast), .flag = NETDEV_OFFSET(ipoib.have) },
	{ "settings", NETDEV_AT(settings), .part = &settings_fields,
	  .flag = NETDEV_OFFSET(settings.have) },
};
static const struct fields netdev_fields = FIELDS(netdev, NULL);

/* -- a VF and its RDMA device -- */

static bool has_guids(const void *s)
{
	return ((const struct vf_state *)s)->have & VF_GUIDS;
}

#define VF(member)	FIELD(struct vf_state, member)
#define VF_GUID(member)	.type = &field_guid, FIELD_AT(struct vf_state, member), .when = has_guids

static const struct field vf[] = {
	{ "have", VF(have) },
	{ "mac", VF(mac) },
	{ "vlan", VF(vlan), .max = 4095 },
	{ "qos", VF(qos), .max = 7 },
	{ "proto", VF(proto) },
	{ "minTxRate", VF(min_tx_rate) },
	{ "maxTxRate", VF(max_tx_rate) },
	{ "spoofchk", VF(spoofchk) },
	{ "trust", VF(trust) },
	{ "linkState", VF(link_state) },
	{ "nodeGUID", VF_GUID(node_guid) },
	{ "portGUID", VF_GUID(port_guid) },
};
static const struct fields vf_fields = FIELDS(vf, NULL);

#define RDMA(member)	FIELD(struct rdma_state, member)

static const struct field rdma[] = {
	{ "name", RDMA(name), .required = true, .fits = name_is_file },
	{ "index", RDMA(index) },
	{ "isolated", RDMA(isolated) },
};
static const struct fields rdma_fields = FIELDS(rdma, NULL);

/* -- a representor: VLANs are all of them, and those without a tag -- */

static bool is_ifname_or_none(const char *name)
{
	return !*name || name_is_ifname(name);
}

#define PORT(member)	FIELD(struct port_state, member)

static const struct field port[] = {
	{ "name", PORT(name), .required = true, .fits = name_is_ifname },
	{ "ifindex", PORT(ifindex), .required = true, .min = 1 },
	{ "master", PORT(master) },
	{ "masterName", PORT(master_name), .fits = is_ifname_or_none },
	{ "mtu", PORT(mtu) },
	{ "up", PORT(up) },
	{ "vlans", PORT(vlans.all) },
	{ "untagged", PORT(vlans.untagged) },
	{ "pvid", PORT(vlans.pvid), .max = IDSET_IDS - 1 },
	{ "bridge", PORT(bridge) },
	{ "bridgeName", PORT(bridge_name), .fits = is_ifname_or_none },
	{ "vlansSet", PORT(vlans_set) },
	{ "mtuSet", PORT(mtu_set) },
	{ "upSet", PORT(up_set) },
};

const struct fields port_state_fields = FIELDS(port, NULL);

/* -- a port of Open vSwitch -- */

static bool is_absolute(const char *path)
{
	return *path == '/';
}

#define OVS(member)	FIELD(struct ovs_state, member)

static const struct field ovs[] = {
	{ "port", OVS(port), .required = true, .fits = name_is_ifname },
	{ "bridge", OVS(bridge), .required = true, .fits = name_is_ifname },
	{ "db", OVS(db), .required = true, .fits = is_absolute },
	{ "timeoutMs", OVS(timeout_ms), .required = true, .min = 1 },
};

const struct fields ovs_state_fields = FIELDS(ovs, NULL);

/* -- its pod -- */

enum { POD_UID_MAX = 63 };

static bool is_uid(const char *text)
{
	return name_is_cni_id(text) && strlen(text) <= POD_UID_MAX;
}

#define POD(member)	FIELD(struct pod, member)

static const struct field pod[] = {
	{ "namespace", POD(name_space), .required = true, .fits = name_is_dns_label },
	{ "name", POD(name), .required = true, .fits = name_is_dns_subdomain },
	{ "uid", POD(uid), .optional = true, .fits = is_uid },
};
static const struct fields pod_fields = FIELDS(pod, NULL);

void record_note_pod(struct record *r, const struct pod *p)
{
	if (!p->name_space || !name_is_dns_label(p->name_space) || !p->name ||
	    !name_is_dns_subdomain(p->name))
		return;
	r->pod = *p;
	if (p->uid && !is_uid(p->uid))
		r->pod.uid = NULL;
}

/* -- all of it -- */

static bool is_chained(const void *s)
{
	return ((const struct record *)s)->chained;
}

static bool has_chain(const void *s)
{
	return is_chained(s) || ((const struct record *)s)->delegates_left;
}

static bool has_driver(const void *s)
{
	const struct driver_state *d = &((const struct record *)s)->driver;

	return *d->bound || *d->before;
}

static bool has_pod(const void *s)
{
	return ((const struct record *)s)->pod.name;
}

static bool is_device(const struct record *r)
{
	if (!*r->device)
		return r->chained;
	return r->is_pci ? name_is_bdf(r->device) : name_is_file(r->device);
}

static const char *wrong(const void *s)
{
	const struct record *r = s;

	if (!is_device(r))
		return "device: not valid";
	return (r->ipam_type || r->delegates_left) && !r->request ? "request: missing" : NULL;
}

#define OF(member)	FIELD(struct record, member)
#define OFFSET(member)	offsetof(struct record, member)
#define MARK(member, name, written) { name, OF(member), written },
#define PART(member, table) \
	FIELD_AT(struct record, member), .part = &(table)

/* What becomes part of a path, or a name of the owner's, has to fit. */
static const struct field fields[] = {
	{ "network", OF(owner.network), .required = true, .fits = name_is_cni_id },
	{ "containerID", OF(owner.container_id), .required = true, .fits = name_is_cni_id },
	{ "ifname", OF(owner.ifname), .required = true, .fits = name_is_ifname },
	{ "netns", OF(owner.netns), .required = true },
	{ "netnsDev", OF(owner.netns_dev) },
	{ "netnsIno", OF(owner.netns_ino) },
	{ "netnsOwn", OF(owner.netns_own), .optional = true },
	{ "netnsCookie", OF(owner.netns_cookie) },
	{ "bootID", OF(boot_id), .required = true },
	{ "pod", PART(pod, pod_fields), .when = has_pod },
	{ "device", OF(device), .required = true },
	{ "deviceID", OF(device_id), .optional = true },
	{ "idIsNetdev", OF(id_is_netdev), .optional = true },
	{ "pci", OF(is_pci) },
	{ "sole", OF(unique_parent) },
	{ "sfnum", OF(sf_number), .flag = OFFSET(sf_numbered) },
	{ "released", OF(released) },
	{ "vfSet", OF(vf_set) },
	{ "podIfindex", OF(pod_ifindex) },
	{ "mac", OF(mac) },
	{ "devinfoDir", OF(devinfo_dir), .required = true },
	{ "runDir", OF(run_dir), .required = true },
	{ "netdev", PART(netdev, netdev_fields), .flag = OFFSET(netdev.present) },
	{ "vf", PART(vf, vf_fields), .optional = true },
	{ "rdma", PART(rdma, rdma_fields), .optional = true },
	{ "representor", PART(port, port_state_fields), .flag = OFFSET(port.present) },
	{ "ovsPort", PART(ovs, ovs_state_fields), .optional = true },
	{ "vdpa", PART(vdpa, vdpa_state_fields), .optional = true },
	{ "deviceInfoFile", OF(device_info_file), .optional = true, .fits = name_is_file },
	{ "ipamType", OF(ipam_type), .optional = true },
	{ "leaseOf", OF(lease_of), .optional = true },
	{ "request", OF(request), .optional = true },
	{ "knownClean", OF(known_clean), .optional = true },
	{ "reset", OF(reset), .optional = true },
	{ "driver", OF(driver.bound), .when = has_driver, .fits = is_name_or_none },
	{ "driverBefore", OF(driver.before), .when = has_driver, .fits = is_name_or_none },
	{ "driverOverride", OF(driver.override), .when = has_driver, .fits = is_name_or_none },
	{ "inPlace", OF(chained), .optional = true },
	RECORD_MARKS(MARK)
	{ "delegatesLeft", OF(delegates_left), .when = has_chain },
	{ "delegatesAdded", OF(delegates_added), .when = has_chain },
	{ "chainResult", OF(chain_result), .when = has_chain, .optional = true },
	{ "socket", PART(socket, socket_state_fields), .optional = true },
};
const struct fields record_fields = FIELDS(fields, wrong);

json_t *record_to_json(const struct record *r)
{
	return field_write(&record_fields, r, json_pack("{s:i}", "version", JOURNAL_VERSION));
}

int record_from_json(struct record *r, struct err *e)
{
	struct record read = { .doc = r->doc };

	if (field_read(&record_fields, r->doc, "", &read, e) < 0)
		return -1;
	*r = read;
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
