/* SPDX-License-Identifier: Apache-2.0 */
/* bridge_port.c - the keys that are about the representor of a device: bridge and trunk */
#include "conf/bridge_port.h"

#include "base/jx.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

enum { VLAN_FIRST = 1, VLAN_LAST = 4094 };

/* -- bridge -- */

static int add_bridge(struct bridge_port_conf *c, const char *name, size_t len, struct err *e)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%.*s", (int)(len < 63 ? len : 63), name);
	if (!name_is_ifname(text))
		return err_set(e, ERR_NETCONF, 0, "invalid bridge '%s': must be the name of a "
			       "bridge", text);
	if (c->bridges == BRIDGES_MAX)
		return err_set(e, ERR_NETCONF, 0, "bridge: expected at most %d names", BRIDGES_MAX);
	memcpy(c->bridge[c->bridges++], text, 16);
	return 0;
}

/* "br1, br2" */
static int split_bridges(struct bridge_port_conf *c, const char *text, struct err *e)
{
	for (const char *s = text;; s++) {
		size_t len;

		s += strspn(s, " ");
		len = strcspn(s, ", ");
		if (add_bridge(c, s, len, e) < 0)
			return -1;
		s += len;
		s += strspn(s, " ");
		if (!*s)
			return 0;
		if (*s != ',')
			return err_set(e, ERR_NETCONF, 0,
				       "invalid bridge '%.64s': must be names with commas between "
				       "them", text);
	}
}

static int parse_bridges(const json_t *doc, struct bridge_port_conf *c, struct err *e)
{
	const json_t *v = json_object_get(doc, "bridge"), *one;
	const char *text = NULL;
	json_t *list = NULL;
	size_t i;

	if (!json_is_array(v)) {
		if (jx_string(doc, "", "bridge", &text, e) < 0)
			return -1;
		return text && *text ? split_bridges(c, text, e) : 0;
	}
	if (jx_strings(doc, "", "bridge", &list, e) < 0)
		return -1;
	json_array_foreach(list, i, one)
		if (add_bridge(c, json_string_value(one), json_string_length(one), e) < 0)
			return -1;
	return 0;
}

/* -- trunk -- */

struct vlans {
	int id, min, max;		/* 0: not said */
};

#define VLAN(member) \
	KEY_AT(struct vlans, member), .min = VLAN_FIRST, .max = VLAN_LAST

const struct conf_key trunk_keys[] = {
	{ "id", KEY_INT, ANYWHERE, VLAN(id) },
	{ "minID", KEY_INT, ANYWHERE, VLAN(min) },
	{ "maxID", KEY_INT, ANYWHERE, VLAN(max) },
	KEY_END
};

static int parse_element(const json_t *o, const char *path, struct idset *ret, struct err *e)
{
	struct vlans v = { 0 };

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			       jx_type_name(o));
	if (key_read(o, path, trunk_keys, &v, e) < 0)
		return -1;
	if (!v.min != !v.max)
		return err_set(e, ERR_NETCONF, 0, "%s: minID and maxID belong together", path);
	if (v.min > v.max)
		return err_set(e, ERR_NETCONF, 0, "%s: minID %d is above maxID %d", path, v.min,
			       v.max);
	if (!v.id && !v.min)
		return err_set(e, ERR_NETCONF, 0, "%s: neither id nor minID and maxID", path);
	if (v.id)
		idset_add(ret, (unsigned int)v.id);
	for (; v.min && v.min <= v.max; v.min++)
		idset_add(ret, (unsigned int)v.min);
	return 0;
}

static int parse_trunk(const json_t *doc, struct bridge_port_conf *c, struct err *e)
{
	json_t *list = NULL;
	const json_t *o;
	char path[32];
	size_t i;

	if (jx_array(doc, "", "trunk", &list, e) < 0)
		return -1;
	json_array_foreach(list, i, o) {
		(void)snprintf(path, sizeof(path), "trunk[%zu]", i);
		if (parse_element(o, path, &c->trunk, e) < 0)
			return -1;
	}
	return 0;
}

/* -- the keys -- */

const struct conf_key bridge_port_keys[] = {
	KEY_ROW("bridge", KEY_OTHER, AT_DEVICE), KEY_ROW("trunk", KEY_OTHER, ANYWHERE),
	KEY_ROW("setUplinkVlan", KEY_BOOL, AT_DEVICE), KEY_END
};

int bridge_port_conf_parse(const json_t *doc, struct bridge_port_conf *ret, struct err *e)
{
	struct bridge_port_conf c = { .bridges = 0 };

	if (key_read(doc, "", bridge_port_keys, &c, e) < 0)
		return -1;
	if (json_is_true(json_object_get(doc, "setUplinkVlan")))
		return err_set(e, ERR_NETCONF, 0,
			       "setUplinkVlan: the VLANs of the uplink are not set here");
	if (parse_bridges(doc, &c, e) < 0 || parse_trunk(doc, &c, e) < 0)
		return -1;
	c.present = c.bridges > 0 || !idset_empty(&c.trunk);
	*ret = c;
	return 0;
}
