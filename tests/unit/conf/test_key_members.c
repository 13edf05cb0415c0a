/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_key_members.c - each member of what a configuration fills is filled by the row of a key, or
 * by a parser, as a configuration here shows: one that was forgotten keeps its default, and nothing
 * else tells
 */
#include "base/mem.h"
#include "conf/netconf_parts.h"
#include "conf/settings.h"
#include "conf/switch_conf.h"
#include "tests/unit/covered.h"

/* A member that no row is about, and members of a configuration by which its parser fills it. */
struct filled {
	const char *name, *by;
	size_t offset, size;
};

#define FILLED(type, member, text) \
	{ #member, (text), offsetof(type, member), sizeof(((type *)NULL)->member) }

/* What they fill is not as it is without them. */
static bool differs(const struct filled *f, const void *with, const void *without, size_t base)
{
	const char *p = (const char *)with + base, *q = (const char *)without + base;

	if (memcmp(p + f->offset, q + f->offset, f->size) != 0)
		return true;
	(void)printf("#  %s does not fill %s\n", f->by, f->name);
	return false;
}

static bool take_settings(const char *text, struct settings *ret)
{
	static json_t *kept[8];		/* what the settings borrow from */
	static size_t n;
	struct err e;

	*ret = settings_default;
	kept[n] = json_loads(text, 0, NULL);
	return settings_take(kept[n++], IN_NODE_FILE, ret, &e) == 0;
}

static void settings(void)
{
	static const struct filled logs[] = {
		FILLED(struct settings, log_file, "{\"logFile\":\"/l\"}"),
		FILLED(struct settings, odd_log_file, "{\"logFile\":\"l\"}"),
		FILLED(struct settings, log_level, "{\"logLevel\":\"debug\"}"),
		FILLED(struct settings, wanted_log_level, "{\"logLevel\":\"debug\"}"),
		FILLED(struct settings, odd_log_level, "{\"logLevel\":\"x\"}"),
	};
	struct cover c;

	test("each setting is filled by a row, and those of the log by two words of one key");
	COVER_BEGIN(&c, struct settings);
	cover_keys(&c, node_settings_keys, 0);
	cover_keys(&c, devinfod_keys, 0);
	cover_keys(&c, time_limit_keys, 0);
	cover_keys(&c, devinfod_keys, 0);
	cover_keys(&c, network_log_keys, 0);
	cover_keys(&c, devinfod_keys, 0);
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		struct settings with;

		ok(take_settings(logs[i].by, &with) &&
		   differs(&logs[i], &with, &settings_default, 0));
		cover(&c, logs[i].offset, logs[i].size, logs[i].name);
	}
	covered(&c, "struct settings");
}

static void parse(const char *members, struct netconf *ret)
{
	char text[1024];
	struct err e = { 0 };

	(void)snprintf(text, sizeof(text), "{\"cniVersion\":\"1.0.0\",\"name\":\"net\"%s%s}",
		       *members ? "," : "", members);
	if (netconf_parse(text, strlen(text), ret, &e) < 0 || netconf_check(ret, &e) < 0)
		(void)printf("#  %s: %s\n", text, e.msg);
}

/* Of a struct that is at `base` in struct netconf. */
static void cover_filled(struct cover *c, size_t base, const struct filled *rows, size_t n)
{
	auto_netconf struct netconf without = { 0 };

	parse("", &without);
	for (size_t i = 0; i < n; i++) {
		auto_netconf struct netconf with = { 0 };

		parse(rows[i].by, &with);
		ok(differs(&rows[i], &with, &without, base));
		cover(c, rows[i].offset, rows[i].size, rows[i].name);
	}
}

#define VDPA	"\"vdpa\":{\"mgmtdev\":\"pci/0000:65:00.2\",\"driver\":\"vhost\"," \
		"\"features\":\"0x1\",\"nodeOwner\":\"1:2\"}"

static void vdpa(void)
{
	static const struct filled parsed[] = {
		FILLED(struct vdpa_conf, present, VDPA), FILLED(struct vdpa_conf, mgmt_bus, VDPA),
		FILLED(struct vdpa_conf, mgmt_dev, VDPA),
		FILLED(struct vdpa_conf, has_features, VDPA),
		FILLED(struct vdpa_conf, features, VDPA), FILLED(struct vdpa_conf, uid, VDPA),
		FILLED(struct vdpa_conf, gid, VDPA),
	};
	struct cover c;

	test("each member about a vDPA device is filled by a row, or from the whole of a text");
	COVER_BEGIN(&c, struct vdpa_conf);
	cover_keys(&c, vdpa_keys, 0);
	cover_filled(&c, offsetof(struct netconf, vdpa), parsed, ARRAY_SIZE(parsed));
	covered(&c, "struct vdpa_conf");
}

#define SOCKET	"\"vhostUser\":{\"mode\":\"client\"}"
#define EXEC	"\"switch\":{\"type\":\"exec\",\"path\":\"/x\",\"config\":{\"a\":1}}"
#define SIDES	"\"host\":{\"engine\":\"ovs-dpdk\",\"iftype\":\"vhostuser\"," \
		"\"vhost\":{\"group\":\"huge\"},\"bridge\":{\"vlanId\":42}}," \
		"\"container\":{\"vhost\":{\"socketfile\":\"s\"}}," \
		"\"sharedDir\":\"/run/devinfo/sockets/u\",\"mappedDir\":\"/m\""

static void sockets(void)
{
	static const struct filled parsed[] = {
		FILLED(struct socket_conf, kind, SOCKET), FILLED(struct socket_conf, key, SOCKET),
		FILLED(struct socket_conf, side_key, SOCKET),
		FILLED(struct socket_conf, mode_key, SOCKET),
		FILLED(struct socket_conf, host_dir_key, SIDES),
		FILLED(struct socket_conf, container_dir_key, SIDES),
		FILLED(struct socket_conf, name_key, SIDES),
		FILLED(struct socket_conf, else_side, SIDES),
		FILLED(struct socket_conf, host_base, SIDES),
		FILLED(struct socket_conf, group, SIDES), FILLED(struct socket_conf, vlan, SIDES),
		FILLED(struct socket_conf, sw.config, SOCKET "," EXEC),
		FILLED(struct socket_conf, sw.netdev,
		       "\"device\":\"v\",\"switch\":{\"type\":\"ovs\"}"),
	};
	struct cover c;

	test("each member about a socket and its switch is filled by a row, or by its parser");
	COVER_BEGIN(&c, struct socket_conf);
	cover_keys(&c, vhost_user_keys, 0);
	cover_keys(&c, memif_keys, 0);
	cover_keys(&c, socket_keys, 0);
	cover_keys(&c, switch_keys, offsetof(struct socket_conf, sw));
	cover_filled(&c, offsetof(struct netconf, socket), parsed, ARRAY_SIZE(parsed));
	covered(&c, "struct socket_conf");
}

#define MAC(n)		"\"mac\":\"02:00:00:00:00:0" n "\""
#define RUNTIME(text)	"\"runtimeConfig\":{" text "}"
#define POD(text)	"\"args\":{\"cni\":{" text "}}"
#define NETWORKS	"\"io.kubernetes.cri.pod-annotations\":{\"k8s.v1.cni.cncf.io/networks\":" \
			"\"[{\\\"name\\\":\\\"net\\\"," \
			"\\\"cni-args\\\":{\\\"deviceID\\\":\\\"v\\\"}}]\"}"

static void netconf(void)
{
	static const struct filled parsed[] = {
		FILLED(struct netconf, runtime, RUNTIME(MAC("1"))),
		FILLED(struct netconf, by_runtime, RUNTIME(MAC("1"))),
		FILLED(struct netconf, selection, RUNTIME(NETWORKS)),
		FILLED(struct netconf, position, "\"prevResult\":{}"),
		FILLED(struct netconf, prev_result, "\"prevResult\":{}"),
		FILLED(struct netconf, delegates, "\"delegates\":[{\"type\":\"a\"}]"),
		FILLED(struct netconf, args, POD(MAC("1"))),
		FILLED(struct netconf, by_pod, POD(MAC("1"))),
		FILLED(struct netconf, overruled, MAC("1") "," POD(MAC("2"))),
		FILLED(struct netconf, device_id, "\"deviceID\":\"v\""),
		FILLED(struct netconf, id_is_runtime, RUNTIME("\"deviceID\":\"v\"")),
		FILLED(struct netconf, pinned, POD("\"deviceID\":\"v\"")),
		FILLED(struct netconf, mac_key, RUNTIME(MAC("1"))),
		FILLED(struct netconf, device_info_file,
		       RUNTIME("\"CNIDeviceInfoFile\":\"/var/run/x\"")),
		FILLED(struct netconf, dns, "\"dns\":{\"domain\":\"a\"}"),
		FILLED(struct netconf, port, "\"bridge\":\"br0\""),
		/* their own members are above */
		FILLED(struct netconf, vdpa, VDPA), FILLED(struct netconf, socket, SOCKET),
	};
	static const struct conf_key *const tables[] = {
		about_pod_keys, device_keys, vf_keys, infiniband_keys, release_keys, interface_keys,
		ipam_keys,
	};
	struct cover c;

	test("each member of a network's configuration is filled by a row, or by its part");
	COVER_BEGIN(&c, struct netconf);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		cover_keys(&c, tables[i], 0);
	cover_filled(&c, 0, parsed, ARRAY_SIZE(parsed));
	/* every configuration has these: netconf_parse() */
	COVER_MEMBER(&c, struct netconf, doc);
	COVER_MEMBER(&c, struct netconf, version);
	COVER_MEMBER(&c, struct netconf, name);
	/* the node's file, which is another document: netconf_settings() */
	COVER_MEMBER(&c, struct netconf, node_may_override);
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
