/* SPDX-License-Identifier: Apache-2.0 */
/* known_table.c - which members the readers of a node's files read, and of which form they are */
#include "manager/inventory/known_part.h"

#include "conf/settings.h"
#include "devinfo/journal/record.h"
#include "manager/inventory/inventory.h"

#include <string.h>
#include <strings.h>

#define ROWS(...)	(const struct known_row[]){ __VA_ARGS__, { .name = NULL } }
#define NUMBER(key)	{ (key), SHAPE_NUMBER, NULL, NULL }
#define WORD(key)	{ (key), SHAPE_WORD, NULL, NULL }
#define PATH(key)	{ (key), SHAPE_PATH, NULL, NULL }
#define ADDRESS(key)	{ (key), SHAPE_ADDRESS, NULL, NULL }
#define SAID(key)	{ (key), SHAPE_SAID, NULL, NULL }
#define DEVICE_ID(key)	{ (key), SHAPE_DEVICE_ID, NULL, NULL }
#define UID(key)	{ (key), SHAPE_UID, NULL, NULL }
#define OBJECT(key, of)	{ (key), SHAPE_OBJECT, &(of), NULL }

const struct known known_words = { .rows = NULL };
static const struct known words = { .rows = ROWS(WORD("*")) };

/* -- results -- */

static const struct known route = {
	.rows = ROWS(ADDRESS("dst"), ADDRESS("gw"), NUMBER("mtu"), NUMBER("advmss"),
		     NUMBER("priority"), NUMBER("table"), NUMBER("scope")),
};
static const struct known dns = {
	.rows = ROWS(ADDRESS("nameservers"), WORD("domain"), WORD("search"), WORD("options"),
		     ADDRESS("servers"), WORD("searches")),
};
static const struct known interface = {
	.rows = ROWS(WORD("name"), ADDRESS("mac"), NUMBER("mtu"), PATH("sandbox"), WORD("pciID"),
		     PATH("socketPath")),
};
static const struct known ip = {
	.rows = ROWS(WORD("version"), ADDRESS("address"), ADDRESS("gateway"), NUMBER("interface"),
		     ADDRESS("ip"), OBJECT("routes", route)),
};
static const struct known result = {
	.rows = ROWS(WORD("cniVersion"), OBJECT("interfaces", interface), OBJECT("ips", ip),
		     OBJECT("ip4", ip), OBJECT("ip6", ip), OBJECT("routes", route),
		     OBJECT("dns", dns)),
};

/* -- configurations -- */

static const struct known range = {
	.rows = ROWS(ADDRESS("subnet"), ADDRESS("rangeStart"), ADDRESS("rangeEnd"),
		     ADDRESS("gateway")),
};
static const struct known ipam = {
	.rows = ROWS(WORD("type"), OBJECT("ranges", range), ADDRESS("subnet"),
		     ADDRESS("rangeStart"), ADDRESS("rangeEnd"), ADDRESS("gateway"),
		     ADDRESS("range"), OBJECT("routes", route), OBJECT("addresses", ip),
		     OBJECT("dns", dns), PATH("dataDir"), PATH("resolvConf")),
};
static const struct known capabilities = { .rows = ROWS(NUMBER("*")) };
static const struct known runtime_config = {
	.rows = ROWS(DEVICE_ID("deviceID"), ADDRESS("mac"), ADDRESS("ips"), OBJECT("dns", dns)),
	.key_path = "", .keys = IN_RUNTIME_CONFIG,
};
static const struct known args_cni = {
	.rows = ROWS(DEVICE_ID("deviceID"), ADDRESS("mac"), ADDRESS("ips")),
	.key_path = "", .keys = IN_ARGS_CNI,
};
static const struct known args = { .rows = ROWS(OBJECT("cni", args_cni)) };

static const struct known vdpa = { .key_path = "vdpa", .keys = IN_NETWORK };
static const struct known trunk = { .key_path = "trunk[]", .keys = IN_NETWORK };
static const struct known vhost_user = { .key_path = "vhostUser", .keys = IN_NETWORK };
static const struct known memif = { .key_path = "memif", .keys = IN_NETWORK };
static const struct known of_switch = { .key_path = "switch", .keys = IN_NETWORK };

const struct known known_conf = {
	.rows = ROWS(WORD("cniVersion"), WORD("cniVersions"), WORD("name"), WORD("type"),
		     NUMBER("disableCheck"), NUMBER("disableGC"), OBJECT("plugins", known_conf),
		     OBJECT("delegate", known_conf), OBJECT("delegates", known_conf),
		     OBJECT("capabilities", capabilities), OBJECT("runtimeConfig", runtime_config),
		     OBJECT("args", args), OBJECT("prevResult", result), OBJECT("ipam", ipam),
		     OBJECT("dns", dns), OBJECT("vdpa", vdpa), OBJECT("trunk", trunk),
		     OBJECT("vhostUser", vhost_user), OBJECT("memif", memif),
		     OBJECT("switch", of_switch), DEVICE_ID("deviceID"), DEVICE_ID("pciBusID"),
		     ADDRESS("mac"), WORD("bridge"), PATH("logFile"),
		     /* of Multus, for doctor */
		     PATH("kubeconfig"), PATH("daemonSocketDir")),
	.key_path = "", .keys = IN_NETWORK,
};
static const struct known of_devinfod = { .key_path = DEVINFOD_KEY, .keys = IN_NODE_FILE };
const struct known known_node_file = {
	.rows = ROWS(OBJECT(DEVINFOD_KEY, of_devinfod)), .key_path = "", .keys = IN_NODE_FILE,
};

/* -- of ours -- */

static const struct known ovs_state = {
	.rows = ROWS(PATH("db")), .fields = &ovs_state_fields, .texts = SHAPE_WORD,
};
static const struct known port_state = { .fields = &port_state_fields, .texts = SHAPE_WORD };
static const struct known vdpa_state = { .fields = &vdpa_state_fields, .texts = SHAPE_WORD };
static const struct known socket_state = { .fields = &socket_state_fields, .texts = SHAPE_WORD };

static const struct known pod = {
	.rows = ROWS(WORD("namespace"), WORD("name"), UID("uid")),
};
const struct known known_record = {
	.rows = ROWS(NUMBER("version"), PATH("netns"), UID("bootID"), OBJECT("pod", pod),
		     PATH("devinfoDir"), PATH("runDir"), OBJECT("ovsPort", ovs_state),
		     OBJECT("representor", port_state), OBJECT("vdpa", vdpa_state),
		     OBJECT("socket", socket_state), OBJECT("chainResult", result),
		     { "request", SHAPE_JSON, &known_conf, NULL }),
	.fields = &record_fields, .texts = SHAPE_WORD,
};

static const struct known assignment = {
	.rows = ROWS(DEVICE_ID("device"), WORD("resource"), WORD("network"), WORD("ifname"),
		     WORD("containerID"), UID("bootID")),
};
const struct known known_ledger = {
	.rows = ROWS(NUMBER("version"), OBJECT("pod", pod), OBJECT("assignments", assignment)),
};

static const struct known directories = {
	.rows = ROWS(PATH("stateDir"), PATH("runDir"), PATH("devinfoDir")),
};
const struct known known_earlier = {
	.rows = ROWS(NUMBER("version"), OBJECT("dirs", directories)),
};

/* -- device-info and network-status -- */

static const struct known device = {
	.rows = ROWS(WORD("pci-address"), PATH("vhost-net"), WORD("rdma-device"),
		     WORD("pf-pci-address"), WORD("representor-device"), WORD("parent-device"),
		     WORD("driver"), WORD("path"), WORD("mode"), WORD("role")),
};
const struct known known_device_info = {
	.rows = ROWS(WORD("type"), WORD("version"), OBJECT("pci", device), OBJECT("vdpa", device),
		     OBJECT("vhost-user", device), OBJECT("memif", device)),
};
const struct known known_status = {
	.rows = ROWS(WORD("name"), WORD("interface"), ADDRESS("ips"), ADDRESS("mac"),
		     NUMBER("mtu"), NUMBER("default"), OBJECT("dns", dns), ADDRESS("gateway"),
		     OBJECT("device-info", known_device_info)),
};

/* -- of the runtime and kubelet -- */

const struct known known_cache = {
	.rows = ROWS(WORD("kind"), WORD("containerId"), WORD("ifName"), WORD("networkName"),
		     PATH("netns"), { "config", SHAPE_CODED, &known_conf, NULL },
		     { "cniArgs", SHAPE_PAIRS, NULL, NULL },
		     OBJECT("capabilityArgs", runtime_config), OBJECT("result", result)),
};

static const struct known entry = {
	.rows = ROWS(UID("PodUID"), WORD("ContainerName"), WORD("ResourceName"),
		     OBJECT("DeviceIDs", words)),
};
static const struct known checkpoint_data = {
	.rows = ROWS(OBJECT("PodDeviceEntries", entry), OBJECT("RegisteredDevices", words)),
};
const struct known known_checkpoint = {
	.rows = ROWS(OBJECT("Data", checkpoint_data), NUMBER("Checksum")),
};

/* -- facts: what our own program has said of the node -- */

#define STRUCT(of)	{ .fields = &(of), .texts = SHAPE_SAID }

static const struct known node = STRUCT(inv_node_fields), function = STRUCT(inv_function_fields),
	netlink = STRUCT(inv_link_fields), vf = STRUCT(inv_vf_fields),
	auxiliary = STRUCT(inv_auxiliary_fields), vdpa_device = STRUCT(inv_vdpa_fields),
	mgmtdev = STRUCT(inv_mgmtdev_fields), rdma = STRUCT(inv_rdma_fields),
	attachment = STRUCT(inv_attachment_fields), file = STRUCT(inv_file_fields),
	allocation = STRUCT(inv_allocation_fields);
static const struct known plugin = {
	.rows = ROWS(WORD("versions"), NUMBER("missing"), SAID("error"), NUMBER("is_devinfo"),
		     NUMBER("is_podmans")),
};
static const struct known plugins = { .rows = ROWS(OBJECT("*", plugin)) };

const struct known known_facts = {
	.rows = ROWS(OBJECT("node", node), OBJECT("functions", function), OBJECT("links", netlink),
		     OBJECT("vfs", vf), OBJECT("auxiliaries", auxiliary),
		     OBJECT("vdpas", vdpa_device), OBJECT("mgmtdevs", mgmtdev),
		     OBJECT("rdmas", rdma), OBJECT("attachments", attachment),
		     OBJECT("files", file), OBJECT("allocations", allocation),
		     OBJECT("plugins", plugins)),
};

/* -- in the tables -- */

static const struct known_row *find_row(const struct known *of, const char *name)
{
	for (const struct known_row *r = of->rows; r && r->name; r++)
		if (strcasecmp(r->name, name) == 0 || (*r->name == '*' && known_is_word(name)))
			return r;
	return NULL;
}

static const struct field *find_field(const struct known *of, const char *name)
{
	for (size_t i = 0; of->fields && i < of->fields->n; i++)
		if (strcmp(of->fields->field[i].name, name) == 0)
			return &of->fields->field[i];
	return NULL;
}

static enum shape shape_of(const struct known *of, const struct field *f)
{
	const struct field_type *t = f->type;

	if (f->part)
		return SHAPE_OBJECT;
	if (t == &field_int || t == &field_uint || t == &field_bool || t == &field_idset)
		return SHAPE_NUMBER;
	if (t == &field_raw_text)
		return SHAPE_HIDDEN;
	return t == &field_text || t == &field_string || t == &field_texts ? of->texts :
									     SHAPE_HEX;
}

/* What only looks like one is none. */
static bool field_fits(const struct field *f, const json_t *v)
{
	return !f->fits || !json_is_string(v) || f->fits(json_string_value(v));
}

static bool key_is_known(const struct known *of, const char *name)
{
	if (!of->key_path)
		return false;
	if (of->keys == IN_NETWORK)
		return keys_are_known(of->key_path, name);
	return key_find(of->keys, name);
}

bool known_find(const struct known *of, const char *name, json_t *v, struct known_row *ret)
{
	const struct known_row *row = find_row(of, name);
	const struct field *f = row ? NULL : find_field(of, name);

	if (row)
		*ret = *row;
	else if (f && field_fits(f, v))
		*ret = (struct known_row){ .shape = shape_of(of, f), .part = f->part };
	else if (!f && of->key_path && keys_take(of->keys, of->key_path, name, v))
		*ret = (struct known_row){ .shape = SHAPE_PLAIN };
	else
		return false;
	return true;
}

bool known_has(const struct known *of, const char *name)
{
	return find_row(of, name) || find_field(of, name) || key_is_known(of, name);
}
