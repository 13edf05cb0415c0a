/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_infiniband.c - the keys of ib-sriov-cni, and of ib-kubernetes */
#include "conf/netconf_parts.h"

#include "base/guid.h"

#include <string.h>
#include <strings.h>

bool netconf_take_guid(const char *text, void *ret)
{
	return guid_parse(text, ret) && guid_is_valid(*(uint64_t *)ret);
}

/* For ib-kubernetes, who puts the GUID into the partition; nothing is done with it here. */
static bool is_pkey(const char *text)
{
	const char *digits = strncasecmp(text, "0x", 2) == 0 ? text + 2 : text;
	size_t len = strlen(digits);

	return len >= 1 && len <= 4 && strspn(digits, "0123456789abcdefABCDEF") == len &&
	       strspn(digits, "0") < len;
}

const struct conf_key infiniband_keys[] = {
	{ "guid", KEY_FORM, AT_OWNER, KEY_AT(struct netconf, guid), .take = netconf_take_guid,
	  .must = NETCONF_GUID_MUST },
	{ "pkey", KEY_TEXT, AT_DEVICE, .fits = is_pkey,
	  .must = "a hexadecimal number from 0x1 to 0xffff" },
	{ "rdmaIsolation", KEY_BOOL_OR_UNSET, AT_OWNER, KEY_AT(struct netconf, rdma_isolation) },
	KEY_ROW("ibKubernetesEnabled", KEY_BOOL, AT_DEVICE),
	KEY_END
};

/* The last place that says one wins. */
int netconf_infiniband(struct netconf *nc, struct err *e)
{
	const uint64_t runtime = nc->by_runtime.guid, pod = nc->by_pod.guid;

	if (key_read(nc->doc, "", infiniband_keys, nc, e) < 0)
		return -1;
	if (runtime || pod)
		nc->guid = runtime ? runtime : pod;
	return 0;
}

int netconf_ib_kubernetes(struct netconf *nc, struct err *e)
{
	const char *state = json_string_value(json_object_get(nc->args, "mellanox.infiniband.app"));

	if (!json_is_true(json_object_get(nc->doc, "ibKubernetesEnabled")))
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
