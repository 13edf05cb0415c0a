/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_state.c - a vDPA device before the first change, as a part of an attachment's record */
#include "devinfo/journal/vdpa_state.h"

#include "base/jx.h"
#include "base/name.h"
#include "netlink/link.h"

#include <string.h>

json_t *vdpa_state_to_json(const struct vdpa_state *s)
{
	char mac[MAC_TEXT];

	return json_pack("{s:s, s:b, s:s, s:s, s:s, s:s, s:b, s:s, s:b, s:I, s:I, s:b, s:I}",
			 "name", s->name, "created", s->created, "mgmt", s->mgmt,
			 "driverBefore", s->driver_before, "override", s->override,
			 "mac", mac_format(s->mac_before, mac), "macSet", s->mac_set,
			 "driver", s->driver, "ownerSet", s->owner_set, "uid", (json_int_t)s->uid,
			 "gid", (json_int_t)s->gid, "modeSet", s->mode_set,
			 "mode", (json_int_t)s->mode);
}

static int copy(const json_t *o, const char *key, char *ret, size_t size, struct err *e)
{
	const char *v = "";

	if (jx_string(o, "vdpa", key, &v, e) < 0)
		return -1;
	if (strlen(v) >= size)
		return err_set(e, ERR_DECODE, 0, "vdpa.%s: too long", key);
	memcpy(ret, v, strlen(v) + 1);
	return 0;
}

static bool is_name_or_none(const char *name)
{
	return !*name || name_is_file(name);
}

int vdpa_state_from_json(const json_t *o, struct vdpa_state *ret, struct err *e)
{
	static const char path[] = "vdpa";
	struct vdpa_state s = { .name = "" };
	json_int_t uid = 0, gid = 0, mode = 0;
	char mac[MAC_TEXT] = "";

	if (copy(o, "name", s.name, sizeof(s.name), e) < 0 ||
	    copy(o, "mgmt", s.mgmt, sizeof(s.mgmt), e) < 0 ||
	    copy(o, "driverBefore", s.driver_before, sizeof(s.driver_before), e) < 0 ||
	    copy(o, "override", s.override, sizeof(s.override), e) < 0 ||
	    copy(o, "driver", s.driver, sizeof(s.driver), e) < 0 ||
	    copy(o, "mac", mac, sizeof(mac), e) < 0 ||
	    jx_bool(o, path, "created", &s.created, e) < 0 ||
	    jx_bool(o, path, "macSet", &s.mac_set, e) < 0 ||
	    jx_bool(o, path, "ownerSet", &s.owner_set, e) < 0 ||
	    jx_bool(o, path, "modeSet", &s.mode_set, e) < 0 ||
	    jx_int(o, path, "uid", 0, UINT32_MAX, &uid, e) < 0 ||
	    jx_int(o, path, "gid", 0, UINT32_MAX, &gid, e) < 0 ||
	    jx_int(o, path, "mode", 0, 07777, &mode, e) < 0)
		return -1;
	/* they become parts of paths */
	if (!name_is_file(s.name) || !is_name_or_none(s.driver) ||
	    !is_name_or_none(s.driver_before) || !is_name_or_none(s.override) ||
	    !mac_parse(mac, s.mac_before))
		return err_set(e, ERR_DECODE, 0, "vdpa: bad name, driver or address");
	s.uid = (uid_t)uid;
	s.gid = (gid_t)gid;
	s.mode = (mode_t)mode;
	*ret = s;
	return 0;
}
