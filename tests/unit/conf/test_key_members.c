/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_key_members.c - each member of what a configuration fills is filled by the row of a key, or
 * by the code that is named here: one that was forgotten keeps its default, and nothing else tells
 */
#include "conf/netconf_parts.h"
#include "conf/settings.h"
#include "conf/switch_conf.h"
#include "tests/unit/covered.h"

static void settings(void)
{
	struct cover c;

	test("each setting is filled by a row, and those of the log by its functions");
	COVER_BEGIN(&c, struct settings);
	cover_keys(&c, node_settings_keys, 0);
	cover_keys(&c, time_limit_keys, 0);
	cover_keys(&c, network_log_keys, 0);
	/* take_log_file(), take_level(), take_wanted_level() */
	COVER_MEMBER(&c, struct settings, log_file);
	COVER_MEMBER(&c, struct settings, odd_log_file);
	COVER_MEMBER(&c, struct settings, log_level);
	COVER_MEMBER(&c, struct settings, wanted_log_level);
	COVER_MEMBER(&c, struct settings, odd_log_level);
	covered(&c, "struct settings");
}

static void vdpa(void)
{
	struct cover c;

	test("each member about a vDPA device is filled by a row, or from the whole of a text");
	COVER_BEGIN(&c, struct vdpa_conf);
	cover_keys(&c, vdpa_keys, 0);
	COVER_MEMBER(&c, struct vdpa_conf, present);
	/* take_mgmtdev() */
	COVER_MEMBER(&c, struct vdpa_conf, mgmt_bus);
	COVER_MEMBER(&c, struct vdpa_conf, mgmt_dev);
	/* parse_features() */
	COVER_MEMBER(&c, struct vdpa_conf, has_features);
	COVER_MEMBER(&c, struct vdpa_conf, features);
	/* take_owner() */
	COVER_MEMBER(&c, struct vdpa_conf, uid);
	COVER_MEMBER(&c, struct vdpa_conf, gid);
	covered(&c, "struct vdpa_conf");
}

static void sockets(void)
{
	struct cover c;

	test("each member about a socket and its switch is filled by a row, or by its parser");
	COVER_BEGIN(&c, struct socket_conf);
	cover_keys(&c, vhost_user_keys, 0);
	cover_keys(&c, memif_keys, 0);
	cover_keys(&c, socket_keys, 0);
	/* parse_kind() */
	COVER_MEMBER(&c, struct socket_conf, kind);
	COVER_MEMBER(&c, struct socket_conf, key);
	COVER_MEMBER(&c, struct socket_conf, side_key);
	COVER_MEMBER(&c, struct socket_conf, mode_key);
	/* userspace_conf_parse() */
	COVER_MEMBER(&c, struct socket_conf, host_dir_key);
	COVER_MEMBER(&c, struct socket_conf, container_dir_key);
	COVER_MEMBER(&c, struct socket_conf, name_key);
	COVER_MEMBER(&c, struct socket_conf, else_side);
	COVER_MEMBER(&c, struct socket_conf, host_base);
	COVER_MEMBER(&c, struct socket_conf, group);
	COVER_MEMBER(&c, struct socket_conf, vlan);
	/* switch_conf_parse(), parse_switch() */
	cover_keys(&c, switch_keys, offsetof(struct socket_conf, sw));
	COVER_MEMBER(&c, struct socket_conf, sw.config);
	COVER_MEMBER(&c, struct socket_conf, sw.netdev);
	covered(&c, "struct socket_conf");
}

/* What several keys say together, or other files read. */
static void cover_by_hand(struct cover *c)
{
	/* netconf_parse(), netconf_settings(), netconf_runtime(), parse_position() */
	COVER_MEMBER(c, struct netconf, doc);
	COVER_MEMBER(c, struct netconf, version);
	COVER_MEMBER(c, struct netconf, name);
	COVER_MEMBER(c, struct netconf, node_may_override);
	COVER_MEMBER(c, struct netconf, runtime);
	COVER_MEMBER(c, struct netconf, by_runtime);
	COVER_MEMBER(c, struct netconf, selection);
	COVER_MEMBER(c, struct netconf, position);
	COVER_MEMBER(c, struct netconf, prev_result);
	COVER_MEMBER(c, struct netconf, delegates);
	/* netconf_pod() */
	COVER_MEMBER(c, struct netconf, args);
	COVER_MEMBER(c, struct netconf, by_pod);
	COVER_MEMBER(c, struct netconf, overruled);
	/* netconf_device() */
	COVER_MEMBER(c, struct netconf, device_id);
	COVER_MEMBER(c, struct netconf, id_is_runtime);
	COVER_MEMBER(c, struct netconf, pinned);
	/* netconf_interface(), netconf_dns() */
	COVER_MEMBER(c, struct netconf, mac_key);
	COVER_MEMBER(c, struct netconf, device_info_file);
	COVER_MEMBER(c, struct netconf, dns);
	/* bridge_port_conf_parse(); the others have tests above */
	COVER_MEMBER(c, struct netconf, port);
	COVER_MEMBER(c, struct netconf, vdpa);
	COVER_MEMBER(c, struct netconf, socket);
}

static void netconf(void)
{
	static const struct conf_key *const tables[] = {
		pod_override_key, device_keys, vf_keys, infiniband_keys, release_keys,
		interface_keys, ipam_keys,
	};
	struct cover c;

	test("each member of a network's configuration is filled by a row, or by its part");
	COVER_BEGIN(&c, struct netconf);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		cover_keys(&c, tables[i], 0);
	cover_by_hand(&c);
	covered(&c, "struct netconf");
}

static void wishes(void)
{
	struct cover c;

	test("each wish of a runtime or a pod is filled by a row");
	COVER_BEGIN(&c, struct netconf_wish);
	cover_keys(&c, runtime_keys, 0);
	cover_keys(&c, pod_keys, 0);
	covered(&c, "struct netconf_wish");
}

int main(void)
{
	settings();
	vdpa();
	sockets();
	netconf();
	wishes();
	return tap_end();
}
