/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_state.c - a representor before the first change, as a part of an attachment's record
 *
 * VLANs are lists of runs, [first, last, first, last...]: all of them, and those without a tag.
 */
#include "devinfo/journal/port_state.h"

#include "base/jx.h"
#include "base/name.h"

#include <limits.h>
#include <string.h>

static json_t *idset_to_json(const struct idset *s)
{
	json_t *list = json_array();
	unsigned int first = 0, last = 0;

	for (; idset_run(s, &first, &last); first = last + 1) {
		(void)json_array_append_new(list, json_integer(first));
		(void)json_array_append_new(list, json_integer(last));
	}
	return list;
}

json_t *port_state_to_json(const struct port_state *s)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:I, s:b, s:o, s:o, s:i, s:i, s:s, s:b, s:b, s:b}",
			 "name", s->name, "ifindex", s->ifindex, "master", s->master,
			 "masterName", s->master_name, "mtu", (json_int_t)s->mtu, "up", s->up,
			 "vlans", idset_to_json(&s->vlans.all),
			 "untagged", idset_to_json(&s->vlans.untagged),
			 "pvid", (int)s->vlans.pvid, "bridge", s->bridge,
			 "bridgeName", s->bridge_name, "vlansSet", s->vlans_set,
			 "mtuSet", s->mtu_set, "upSet", s->up_set);
}

/* Runs that ascend and do not touch: then there are few enough of them. */
static int idset_from_json(const json_t *o, const char *key, struct idset *ret, struct err *e)
{
	json_t *list = NULL;
	json_int_t before = -1;

	if (jx_array(o, "representor", key, &list, e) < 0)
		return -1;
	for (size_t i = 0; i + 1 < json_array_size(list); i += 2) {
		json_int_t first = json_integer_value(json_array_get(list, i));
		json_int_t last = json_integer_value(json_array_get(list, i + 1));

		if (first <= before || last < first || last >= IDSET_IDS)
			return err_set(e, ERR_DECODE, 0, "representor.%s: bad VLANs", key);
		for (before = last; first <= last; first++)
			idset_add(ret, (unsigned int)first);
	}
	return 0;
}

static bool is_name(const char *name)
{
	return !*name || name_is_ifname(name);
}

int port_state_from_json(const json_t *o, struct port_state *ret, struct err *e)
{
	static const char path[] = "representor";
	struct port_state s = { .present = true };
	json_int_t ifindex = 0, master = 0, mtu = 0, pvid = 0, bridge = 0;
	const char *name = "", *master_name = "", *bridge_name = "";

	if (jx_string(o, path, "name", &name, e) < 0 ||
	    jx_int(o, path, "ifindex", 1, INT_MAX, &ifindex, e) < 0 ||
	    jx_int(o, path, "master", 0, INT_MAX, &master, e) < 0 ||
	    jx_string(o, path, "masterName", &master_name, e) < 0 ||
	    jx_int(o, path, "mtu", 0, UINT32_MAX, &mtu, e) < 0 ||
	    jx_bool(o, path, "up", &s.up, e) < 0 ||
	    idset_from_json(o, "vlans", &s.vlans.all, e) < 0 ||
	    idset_from_json(o, "untagged", &s.vlans.untagged, e) < 0 ||
	    jx_int(o, path, "pvid", 0, IDSET_IDS - 1, &pvid, e) < 0 ||
	    jx_int(o, path, "bridge", 0, INT_MAX, &bridge, e) < 0 ||
	    jx_string(o, path, "bridgeName", &bridge_name, e) < 0 ||
	    jx_bool(o, path, "vlansSet", &s.vlans_set, e) < 0 ||
	    jx_bool(o, path, "mtuSet", &s.mtu_set, e) < 0 ||
	    jx_bool(o, path, "upSet", &s.up_set, e) < 0)
		return -1;
	if (!name_is_ifname(name) || ifindex == 0 || !is_name(master_name) || !is_name(bridge_name))
		return err_set(e, ERR_DECODE, 0, "representor: bad name or ifindex");
	memcpy(s.name, name, strlen(name) + 1);
	memcpy(s.master_name, master_name, strlen(master_name) + 1);
	memcpy(s.bridge_name, bridge_name, strlen(bridge_name) + 1);
	s.ifindex = (int)ifindex;
	s.master = (int)master;
	s.mtu = (uint32_t)mtu;
	s.vlans.pvid = (uint16_t)pvid;
	s.bridge = (int)bridge;
	*ret = s;
	return 0;
}
