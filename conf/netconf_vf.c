/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_vf.c - the attributes of a VF, which are sriov-cni's */
#include "conf/netconf_parts.h"

#include <string.h>
#include <strings.h>

enum { PROTO_8021Q = 0x8100, PROTO_8021AD = 0x88a8 };

static bool take_proto(const char *text, void *ret)
{
	bool ad = strcasecmp(text, "802.1ad") == 0;

	*(uint16_t *)ret = ad ? PROTO_8021AD : PROTO_8021Q;
	return ad || strcasecmp(text, "802.1q") == 0;
}

#define TO(member)	KEY_AT(struct netconf, member)

static const char *const onoff_choices[] = {
	[ONOFF_UNSET] = "", [ONOFF_OFF] = "off", [ONOFF_ON] = "on", NULL,
};
static const char *const link_choices[] = {
	[LINK_POLICY_UNSET] = "", [LINK_POLICY_AUTO] = "auto", [LINK_POLICY_ENABLE] = "enable",
	[LINK_POLICY_DISABLE] = "disable", NULL,
};

const struct conf_key vf_keys[] = {
	{ "vlan", KEY_INT, ANYWHERE, TO(vlan), .max = 4094 },
	{ "vlanQoS", KEY_INT, AT_DEVICE, TO(vlan_qos), .max = 7 },
	{ "vlanProto", KEY_FORM, AT_DEVICE, TO(vlan_proto), .take = take_proto,
	  .must = "802.1q or 802.1ad", .by_default = "802.1q" },
	{ "spoofchk", KEY_CHOICE, AT_DEVICE, TO(spoofchk), .choices = onoff_choices },
	{ "trust", KEY_CHOICE, AT_DEVICE, TO(trust), .choices = onoff_choices },
	{ "link_state", KEY_CHOICE, AT_DEVICE, TO(link_state), .choices = link_choices },
	{ "min_tx_rate", KEY_INT, AT_DEVICE, TO(min_tx_rate), .max = UINT32_MAX },
	{ "max_tx_rate", KEY_INT, AT_DEVICE, TO(max_tx_rate), .max = UINT32_MAX },
	KEY_END
};

static int check_vlan(struct netconf *nc, struct err *e)
{
	const char *proto = json_string_value(json_object_get(nc->doc, "vlanProto"));

	if (nc->vlan_qos > 0 && nc->vlan <= 0)
		return err_set(e, ERR_NETCONF, 0, "vlanQoS: %d needs a vlan above 0", nc->vlan_qos);
	if (proto && *proto && (nc->vlan < 0 || (nc->vlan_proto == PROTO_8021AD && !nc->vlan)))
		return err_set(e, ERR_NETCONF, 0, "vlanProto: %.32s needs a vlan", proto);
	if (nc->vlan >= 0 && nc->vlan_qos < 0)
		nc->vlan_qos = 0;
	if (nc->vlan < 0)
		nc->vlan_qos = -1;
	return 0;
}

bool netconf_has_port(const struct netconf *nc)
{
	return nc->port.present || nc->socket.sw.netdev;
}

/* What a VF's VLAN can do and a bridge port's cannot. */
int netconf_port(struct netconf *nc, struct err *e)
{
	if (!netconf_has_port(nc))
		return 0;
	if (nc->vlan_qos > 0)
		return err_set(e, ERR_NETCONF, 0,
			       "vlanQoS: %d: the port of a bridge has none", nc->vlan_qos);
	if (nc->vlan_proto != PROTO_8021Q)
		return err_set(e, ERR_NETCONF, 0,
			       "vlanProto: 802.1ad: on a bridge it is the bridge's own");
	return 0;
}

int netconf_vf(struct netconf *nc, struct err *e)
{
	if (key_read(nc->doc, "", vf_keys, nc, e) < 0 || check_vlan(nc, e) < 0)
		return -1;
	if (nc->min_tx_rate > 0 && nc->max_tx_rate > 0 && nc->min_tx_rate > nc->max_tx_rate)
		return err_set(e, ERR_NETCONF, 0, "min_tx_rate: %lld is above max_tx_rate %lld",
			       (long long)nc->min_tx_rate, (long long)nc->max_tx_rate);
	return 0;
}
