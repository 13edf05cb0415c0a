/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_conf.c - the key vdpa: an attachment whose device is a vDPA device */
#include "conf/vdpa_conf.h"

#include "base/jx.h"
#include "base/name.h"
#include "conf/keys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MTU_MIN = 68, MTU_MAX = 65535, VQP_MAX = 65535 }; /* of RFC 791, and the kernel's u16 */

#define REAL_EXACT_MAX 9007199254740992.0	/* 2^53 */

static int parse_driver(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	const char *v = NULL;

	if (jx_string(o, "vdpa", "driver", &v, e) < 0 ||
	    jx_bool(o, "vdpa", "switchDriver", &c->switch_driver, e) < 0)
		return -1;
	if (v && strcmp(v, "vhost") == 0)
		c->driver = VDPA_DRIVER_VHOST;
	else if (v && strcmp(v, "virtio") == 0)
		c->driver = VDPA_DRIVER_VIRTIO;
	else if (v && *v)
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.driver: '%.32s' is neither vhost nor virtio", v);
	return 0;
}

/* -- creation -- */

/* The prefix of a bus is left out where people speak of addresses. */
static bool split_mgmtdev(const char *text, struct vdpa_conf *c)
{
	const char *slash = strchr(text, '/'), *dev = slash ? slash + 1 : text;
	int bus = slash ? (int)(slash - text) : 0;

	if (!name_is_device_id(text) || strchr(dev, '/') || bus >= (int)sizeof(c->mgmt_bus) ||
	    strlen(dev) >= sizeof(c->mgmt_dev))
		return false;
	(void)snprintf(c->mgmt_bus, sizeof(c->mgmt_bus), "%.*s", bus, text);
	(void)snprintf(c->mgmt_dev, sizeof(c->mgmt_dev), "%s", dev);
	if (!slash && name_is_bdf(dev))
		memcpy(c->mgmt_bus, "pci", sizeof("pci"));
	if (strcmp(c->mgmt_bus, "pci") != 0)
		return true;
	for (char *p = c->mgmt_dev; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return name_is_bdf(c->mgmt_dev);
}

static int parse_mgmtdev(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	const char *v = NULL;

	if (jx_string(o, "vdpa", "mgmtdev", &v, e) < 0 ||
	    jx_bool(o, "vdpa", "create", &c->create, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	if (!split_mgmtdev(v, c))
		return err_set(e, ERR_NETCONF, 0, "vdpa.mgmtdev: '%.64s' is no management device",
			       v);
	if (c->create)
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.create: true contradicts vdpa.mgmtdev '%.64s': one of both",
			       v);
	c->create = true;
	return 0;
}

static int parse_mac(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	const char *v = NULL;

	if (jx_string(o, "vdpa", "mac", &v, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	if (!mac_parse(v, c->mac))
		return err_set(e, ERR_NETCONF, 0, "vdpa.mac: '%.32s' is no Ethernet address", v);
	if (!mac_is_unicast(c->mac))
		return err_set(e, ERR_NETCONF, 0, "vdpa.mac: '%.32s' is no unicast address", v);
	c->has_mac = true;
	return 0;
}

/* "0x1f": the only way to say the 64th bit, for JSON's integers are signed here. */
static bool parse_hex(const char *text, uint64_t *ret)
{
	size_t digits;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return false;
	digits = strspn(text + 2, "0123456789abcdefABCDEF");
	if (digits < 1 || digits > 16 || text[2 + digits])
		return false;
	*ret = strtoull(text, NULL, 16);
	return true;
}

static int parse_features(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	const json_t *v = json_object_get(o, "features");
	json_int_t n = 0;
	int r;

	if (json_is_string(v)) {
		c->has_features = json_string_length(v) > 0;
		if (!c->has_features || parse_hex(json_string_value(v), &c->features))
			return 0;
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.features: '%.32s' is no hexadecimal number of 64 bits",
			       json_string_value(v));
	}
	/* who wrote it as a float has lost bits already */
	if (json_is_real(v) && json_real_value(v) > REAL_EXACT_MAX)
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.features: %.17g is not exact: want a string \"0x...\"",
			       json_real_value(v));
	r = jx_int(o, "vdpa", "features", 0, INT64_MAX, &n, e);
	c->has_features = r > 0;
	c->features = (uint64_t)n;
	return r < 0 ? -1 : 0;
}

static int parse_size(const json_t *o, const char *key, json_int_t min, json_int_t max,
		      uint16_t *ret, struct err *e)
{
	json_int_t n = 0;

	if (jx_int(o, "vdpa", key, min, max, &n, e) < 0)
		return -1;
	*ret = (uint16_t)n;
	return 0;
}

static int parse_creation(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	if (parse_mgmtdev(o, c, e) < 0 || parse_mac(o, c, e) < 0 ||
	    parse_size(o, "mtu", MTU_MIN, MTU_MAX, &c->mtu, e) < 0 ||
	    parse_size(o, "maxVqp", 1, VQP_MAX, &c->max_vqp, e) < 0 ||
	    parse_features(o, c, e) < 0)
		return -1;
	if (c->create || (!c->has_mac && !c->mtu && !c->has_features))
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "vdpa.%s: only of a device that is made: neither vdpa.mgmtdev nor "
		       "vdpa.create is said",
		       c->has_mac ? "mac" : c->mtu ? "mtu" : "features");
}

/* -- the device node -- */

/* A decimal number below the one that chown(2) takes for none; *text moves behind it. */
static bool take_id(const char **text, uint32_t *ret)
{
	size_t digits = strspn(*text, "0123456789");
	unsigned long long n;

	if (digits < 1 || digits > 10)
		return false;
	n = strtoull(*text, NULL, 10);
	if (n >= UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	*text += digits;
	return true;
}

static int parse_owner(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	const char *v = NULL, *rest;

	if (jx_string(o, "vdpa", "nodeOwner", &v, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	rest = v;
	c->has_owner = take_id(&rest, &c->uid) && *rest++ == ':' && take_id(&rest, &c->gid) &&
		       !*rest;
	return c->has_owner ? 0 : err_set(e, ERR_NETCONF, 0,
					  "vdpa.nodeOwner: '%.32s': want two numbers, uid:gid", v);
}

static int parse_mode(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	const char *v = NULL;
	size_t len;

	if (jx_string(o, "vdpa", "nodeMode", &v, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	len = strlen(v);
	if (strspn(v, "01234567") != len || len < 3 || len > 4 || (len == 4 && *v != '0'))
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.nodeMode: '%.32s': want permissions in octal such as 0660", v);
	c->has_mode = true;
	c->mode = (mode_t)strtoul(v, NULL, 8);
	return 0;
}

static int parse_node(const json_t *o, struct vdpa_conf *c, struct err *e)
{
	if (parse_owner(o, c, e) < 0 || parse_mode(o, c, e) < 0)
		return -1;
	if (c->driver == VDPA_DRIVER_VIRTIO && (c->has_owner || c->has_mode))
		return err_set(e, ERR_NETCONF, 0, "vdpa.%s: with driver virtio there is no node",
			       c->has_owner ? "nodeOwner" : "nodeMode");
	return 0;
}

int vdpa_conf_parse(const json_t *doc, struct vdpa_conf *ret, struct err *e)
{
	struct vdpa_conf c = { .present = true };
	json_t *o = NULL;
	int r = jx_object(doc, "", "vdpa", &o, e);

	if (r <= 0)
		return r;
	keys_fold(o, "vdpa");
	if (parse_driver(o, &c, e) < 0 || parse_creation(o, &c, e) < 0 || parse_node(o, &c, e) < 0)
		return -1;
	if (c.switch_driver && !c.driver)
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.switchDriver: true needs a vdpa.driver to switch to");
	if (c.create && !c.driver)
		return err_set(e, ERR_NETCONF, 0, "vdpa.driver: a device that is made needs one, "
			       "vhost or virtio");
	*ret = c;
	return 0;
}

bool vdpa_conf_is_mgmtdev(const struct vdpa_conf *c, const char *id)
{
	size_t bus = strlen(c->mgmt_bus);

	if (bus && strncmp(id, c->mgmt_bus, bus) == 0 && id[bus] == '/')
		id += bus + 1;
	return strcasecmp(id, c->mgmt_dev) == 0;
}

int vdpa_conf_take_mtu(struct vdpa_conf *c, int64_t mtu, struct err *e)
{
	if (mtu < 1)
		return 0;
	if (c->driver == VDPA_DRIVER_VHOST && !c->create)
		return err_set(e, ERR_NETCONF, 0,
			       "mtu: %d: with vdpa.driver vhost there is no network device, and "
			       "the device is there already",
			       (int)mtu);
	if (c->create && mtu < MTU_MIN)
		return err_set(e, ERR_NETCONF, 0, "mtu: expected an integer of %d to %d, got %d",
			       MTU_MIN, MTU_MAX, (int)mtu);
	if (c->mtu && (mtu > c->mtu || (c->driver == VDPA_DRIVER_VHOST && mtu != c->mtu)))
		return err_set(e, ERR_NETCONF, 0, "mtu: %d contradicts vdpa.mtu %d", (int)mtu,
			       c->mtu);
	if (c->driver == VDPA_DRIVER_VHOST)
		c->mtu = (uint16_t)mtu;
	return 0;
}
