/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_infiniband.c - the keys of ib-sriov-cni, and of ib-kubernetes */
#include "conf/netconf_parts.h"

#include "base/guid.h"
#include "base/jx.h"

#include <string.h>
#include <strings.h>

/* The last place that says one wins. */
static int take_guid(const json_t *o, const char *path, const char *key, uint64_t *ret,
		     struct err *e)
{
	const char *text = NULL;
	uint64_t guid;

	if (jx_string(o, path, key, &text, e) < 0)
		return -1;
	if (!text || !*text)
		return 0;
	if (!guid_parse(text, &guid))
		return err_set(e, ERR_NETCONF, 0, "%s%s%s: '%.32s' is no GUID of 8 octets", path,
			       *path ? "." : "", key, text);
	if (!guid_is_valid(guid))
		return err_set(e, ERR_NETCONF, 0, "%s%s%s: '%.32s' is no GUID that a port may have",
			       path, *path ? "." : "", key, text);
	*ret = guid;
	return 0;
}

/* For ib-kubernetes, who puts the GUID into the partition; nothing is done with it here. */
static int check_pkey(const struct netconf *nc, struct err *e)
{
	const char *text = NULL, *digits;

	if (jx_string(nc->doc, "", "pkey", &text, e) < 0)
		return -1;
	if (!text || !*text)
		return 0;
	digits = strncasecmp(text, "0x", 2) == 0 ? text + 2 : text;
	if (!*digits || strlen(digits) > 4 ||
	    strspn(digits, "0123456789abcdefABCDEF") != strlen(digits) ||
	    strspn(digits, "0") == strlen(digits))
		return err_set(e, ERR_NETCONF, 0,
			       "pkey: '%.32s' is no hexadecimal number from 0x1 to 0xffff", text);
	return 0;
}

int netconf_infiniband(struct netconf *nc, const json_t *rc, struct err *e)
{
	bool isolation = false;
	int r;

	if (take_guid(nc->doc, "", "guid", &nc->guid, e) < 0 ||
	    take_guid(nc->args, "args.cni", "guid", &nc->guid, e) < 0 ||
	    take_guid(rc, "runtimeConfig", "infinibandGUID", &nc->guid, e) < 0 ||
	    check_pkey(nc, e) < 0)
		return -1;
	r = jx_bool(nc->doc, "", "rdmaIsolation", &isolation, e);
	if (r > 0)
		nc->rdma_isolation = isolation ? ONOFF_ON : ONOFF_OFF;
	return r < 0 ? -1 : 0;
}

int netconf_ib_kubernetes(const struct netconf *nc, struct err *e)
{
	const char *state = json_string_value(json_object_get(nc->args, "mellanox.infiniband.app"));
	bool enabled = false;

	if (jx_bool(nc->doc, "", "ibKubernetesEnabled", &enabled, e) < 0)
		return -1;
	if (!enabled)
		return 0;
	if (!state || strcmp(state, "configured") != 0)
		return err_set(e, ERR_TRY_AGAIN, 0,
			       "ibKubernetesEnabled: args.cni.\"mellanox.infiniband.app\" is "
			       "'%.32s', not 'configured'",
			       state ? state : "");
	if (!nc->guid)
		return err_set(e, ERR_TRY_AGAIN, 0,
			       "ibKubernetesEnabled: ib-kubernetes has given no GUID");
	return 0;
}
