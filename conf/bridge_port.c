/* SPDX-License-Identifier: Apache-2.0 */
/* bridge_port.c - the keys that are about the representor of a device: bridge and trunk */
#include "conf/bridge_port.h"

#include "base/jx.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { VLAN_FIRST = 1, VLAN_LAST = 4094 };

/* -- bridge -- */

static int add_bridge(struct bridge_port_conf *c, const char *name, size_t len, struct err *e)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%.*s", (int)(len < 63 ? len : 63), name);
	if (!name_is_ifname(text))
		return err_set(e, ERR_NETCONF, 0, "bridge: '%s' cannot be a bridge's name", text);
	if (c->bridges == BRIDGES_MAX)
		return err_set(e, ERR_NETCONF, 0, "bridge: more than %d names", BRIDGES_MAX);
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
				       "bridge: '%.64s': want a comma between names", text);
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

/* One number of an element, in any spelling of the key; 0 when it is absent. */
static int take_id(const json_t *o, const char *path, const char *key, json_int_t *ret,
		   struct err *e)
{
	const char *name;
	json_t *v;

	*ret = 0;
	if (json_object_get(o, key))
		return jx_int(o, path, key, VLAN_FIRST, VLAN_LAST, ret, e);
	json_object_foreach((json_t *)(uintptr_t)o, name, v)
		if (strcasecmp(name, key) == 0)
			return jx_int(o, path, name, VLAN_FIRST, VLAN_LAST, ret, e);
	return 0;
}

static int parse_element(const json_t *o, const char *path, struct idset *ret, struct err *e)
{
	json_int_t id = 0, min = 0, max = 0;

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			       jx_type_name(o));
	if (take_id(o, path, "id", &id, e) < 0 || take_id(o, path, "minID", &min, e) < 0 ||
	    take_id(o, path, "maxID", &max, e) < 0)
		return -1;
	if (!min != !max)
		return err_set(e, ERR_NETCONF, 0, "%s: minID and maxID belong together", path);
	if (min > max)
		return err_set(e, ERR_NETCONF, 0, "%s: minID %d is above maxID %d", path, (int)min,
			       (int)max);
	if (!id && !min)
		return err_set(e, ERR_NETCONF, 0, "%s: neither id nor minID and maxID", path);
	if (id)
		idset_add(ret, (unsigned int)id);
	for (; min && min <= max; min++)
		idset_add(ret, (unsigned int)min);
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

int bridge_port_conf_parse(const json_t *doc, struct bridge_port_conf *ret, struct err *e)
{
	struct bridge_port_conf c = { .bridges = 0 };
	bool uplink = false;

	if (jx_bool(doc, "", "setUplinkVlan", &uplink, e) < 0)
		return -1;
	if (uplink)
		return err_set(e, ERR_NETCONF, 0,
			       "setUplinkVlan: the VLANs of the uplink are not set here");
	if (parse_bridges(doc, &c, e) < 0 || parse_trunk(doc, &c, e) < 0)
		return -1;
	c.present = c.bridges > 0 || !idset_empty(&c.trunk);
	*ret = c;
	return 0;
}
