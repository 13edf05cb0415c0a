/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_conf.c - the key vdpa: an attachment whose device is a vDPA device */
#include "conf/vdpa_conf.h"

#include "base/jx.h"
#include "base/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MTU_MIN = 68, MTU_MAX = 65535, VQP_MAX = 65535 }; /* of RFC 791, and the kernel's u16 */

#define REAL_EXACT_MAX 9007199254740992.0	/* 2^53 */

/* The prefix of a bus is left out where people speak of addresses. */
static bool take_mgmtdev(const char *text, void *ret)
{
	struct vdpa_conf *c = ret;
	const char *slash = strchr(text, '/'), *dev = slash ? slash + 1 : text;
	int bus = slash ? (int)(slash - text) : 0;

	if (!name_is_device_id(text) || !*dev || strchr(dev, '/') ||
	    bus >= (int)sizeof(c->mgmt_bus) || strlen(dev) >= sizeof(c->mgmt_dev))
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

static bool take_mac(const char *text, void *ret)
{
	return mac_parse(text, ret) && mac_is_unicast(ret);
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
			       "invalid vdpa.features '%.32s': must be 0x and 1 to 16 hexadecimal "
			       "digits", json_string_value(v));
	}
	/* who wrote it as a float has lost bits already */
	if (json_is_real(v) && json_real_value(v) > REAL_EXACT_MAX)
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.features: expected an exact integer or a string \"0x...\", "
			       "got %.17g", json_real_value(v));
	r = jx_int(o, "vdpa", "features", 0, INT64_MAX, &n, e);
	c->has_features = r > 0;
	c->features = (uint64_t)n;
	return r < 0 ? -1 : 0;
}

static bool take_owner(const char *text, void *ret)
{
	struct vdpa_conf *c = ret;

	return key_take_id(&text, &c->uid) && *text++ == ':' && key_take_id(&text, &c->gid) &&
	       !*text;
}

/* -- the keys -- */

#define TO(member)	KEY_AT(struct vdpa_conf, member)
#define SAID(member)	KEY_SAID(struct vdpa_conf, member)

static const char *const driver_choices[] = {
	[VDPA_DRIVER_UNSET] = "", [VDPA_DRIVER_VHOST] = "vhost", [VDPA_DRIVER_VIRTIO] = "virtio",
	NULL,
};

const struct conf_key vdpa_key[] = { KEY_ROW("vdpa", KEY_OBJECT, AT_OWNER), KEY_END };

const struct conf_key vdpa_keys[] = {
	{ "driver", KEY_CHOICE, AT_OWNER, TO(driver), .choices = driver_choices },
	{ "switchDriver", KEY_BOOL, AT_OWNER, TO(switch_driver) },
	{ "mgmtdev", KEY_FORM, AT_OWNER, .take = take_mgmtdev,
	  .must = "a management device, BUS/DEVICE or DEVICE" },
	{ "create", KEY_BOOL, AT_OWNER, TO(create) },
	{ "mac", KEY_FORM, AT_OWNER, TO(mac), SAID(has_mac), .take = take_mac,
	  .must = "a unicast Ethernet address" },
	{ "mtu", KEY_INT, AT_OWNER, TO(mtu), .min = MTU_MIN, .max = MTU_MAX },
	{ "maxVqp", KEY_INT, AT_OWNER, TO(max_vqp), .min = 1, .max = VQP_MAX },
	KEY_ROW("features", KEY_OTHER, AT_OWNER),	/* an integer or a text: parse_features() */
	{ "nodeOwner", KEY_FORM, AT_OWNER, SAID(has_owner), .take = take_owner,
	  .must = "two numbers, uid:gid" },
	{ "nodeMode", KEY_MODE, AT_OWNER, TO(mode), SAID(has_mode), .max = 0777 },
	KEY_END
};

/* -- what contradicts itself -- */

static int check_creation(struct vdpa_conf *c, struct err *e)
{
	if (*c->mgmt_dev && c->create)
		return err_set(e, ERR_NETCONF, 0, "vdpa.create: true contradicts vdpa.mgmtdev "
			       "'%.64s': one of both", c->mgmt_dev);
	c->create |= *c->mgmt_dev != '\0';
	if (c->create && !c->driver)
		return err_set(e, ERR_NETCONF, 0, "vdpa.driver: a device that is made needs one, "
			       "vhost or virtio");
	if (c->create || (!c->has_mac && !c->mtu && !c->has_features))
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "vdpa.%s: only of a device that is made: neither vdpa.mgmtdev nor "
		       "vdpa.create is said",
		       c->has_mac ? "mac" : c->mtu ? "mtu" : "features");
}

static int check_driver(const struct vdpa_conf *c, struct err *e)
{
	if (c->driver == VDPA_DRIVER_VIRTIO && (c->has_owner || c->has_mode))
		return err_set(e, ERR_NETCONF, 0, "vdpa.%s: with driver virtio there is no node",
			       c->has_owner ? "nodeOwner" : "nodeMode");
	if (c->switch_driver && !c->driver)
		return err_set(e, ERR_NETCONF, 0,
			       "vdpa.switchDriver: true needs a vdpa.driver to switch to");
	return 0;
}

int vdpa_conf_parse(const json_t *doc, struct vdpa_conf *ret, struct err *e)
{
	struct vdpa_conf c = { .present = true };
	json_t *o = NULL;
	int r = jx_object(doc, "", "vdpa", &o, e);

	if (r <= 0)
		return r;
	if (key_read(o, "vdpa", vdpa_keys, &c, e) < 0 || parse_features(o, &c, e) < 0 ||
	    check_creation(&c, e) < 0 || check_driver(&c, e) < 0)
		return -1;
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
