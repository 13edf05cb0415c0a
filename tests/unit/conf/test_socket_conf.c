/* SPDX-License-Identifier: Apache-2.0 */
/* test_socket_conf.c - the keys vhostUser and memif, and userspace-cni's words for them */
#include "tests/unit/socket_conf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void defaults(void)
{
	struct netconf nc = { 0 };
	const struct socket_conf *s = &nc.socket;

	test("without the keys, or with null, nothing is said of sockets");
	good("\"deviceID\":\"d\"", &nc);
	ok(s->kind == SOCKET_NONE && s->sw.kind == SWITCH_NONE);
	netconf_done(&nc);
	good("\"deviceID\":\"d\",\"vhostUser\":null,\"memif\":null,\"switch\":null", &nc);
	ok(s->kind == SOCKET_NONE && s->sw.kind == SWITCH_NONE);
	netconf_done(&nc);

	test("of vhost-user only the mode has to be said");
	good("\"vhostUser\":{\"mode\":\"client\"}", &nc);
	ok(s->kind == SOCKET_VHOST_USER && s->side == SOCKET_APP_CONNECTS);
	ok(!s->host_dir && !s->container_dir && !s->name);
	ok(!s->has_uid && !s->has_gid && !s->has_dir_mode && !s->selinux_label);
	ok(s->dir_mode == 02770 && s->socket_mode == 0660 && s->wait_ms == 5000);
	ok(s->sw.kind == SWITCH_NONE && nc.position == POSITION_OWNER);
	ok(!s->memif_mode && nc.vlan == -1 && nc.mtu == -1);
	netconf_done(&nc);

	test("of memif only the role has to be said; it carries Ethernet");
	good("\"memif\":{\"role\":\"slave\",\"secret\":\"\",\"hostDir\":\"\",\"dirMode\":\"\"}",
	     &nc);
	ok(s->kind == SOCKET_MEMIF && s->side == SOCKET_APP_CONNECTS);
	eq(s->memif_mode, "ethernet");
	ok(s->id == 0 && !s->secret && !s->host_dir && !s->has_dir_mode);
	netconf_done(&nc);

	test("a device plugin's file may say it all");
	good("\"resourceName\":\"a.com/b\",\"vhostUser\":{}", &nc);
	ok(s->kind == SOCKET_VHOST_USER && s->side == SOCKET_SIDE_UNSET);
	netconf_done(&nc);
	good("\"deviceID\":\"7\",\"memif\":{}", &nc);
	ok(s->kind == SOCKET_MEMIF && s->side == SOCKET_SIDE_UNSET && !s->memif_mode);
	netconf_done(&nc);
}

static void everything(void)
{
	struct netconf nc = { 0 };
	const struct socket_conf *s = &nc.socket;

	test("all of memif");
	good("\"MEMIF\":{\"Role\":\"master\",\"hostRole\":\"slave\",\"mode\":\"inject-punt\","
	     "\"id\":4294967295,\"secret\":\"123456789012345678901234\",\"hostdir\":\"a/{podUID}\","
	     "\"containerDir\":\"/c\",\"socket\":\"{ifname}\",\"uid\":0,"
	     "\"gid\":4294967294,\"dirMode\":\"0750\",\"socketMode\":\"600\","
	     "\"selinuxLabel\":\"u:r:t:s0:c1,c2\",\"waitMs\":60000}", &nc);
	ok(s->kind == SOCKET_MEMIF && s->side == SOCKET_APP_LISTENS);
	eq(s->memif_mode, "inject-punt");
	ok(s->id == UINT32_MAX);
	eq(s->secret, "123456789012345678901234");
	eq(s->host_dir, "a/{podUID}");
	eq(s->container_dir, "/c");
	eq(s->name, "{ifname}");
	ok(s->has_uid && s->uid == 0 && s->has_gid && s->gid == UINT32_MAX - 1);
	ok(s->has_dir_mode && s->dir_mode == 0750 && s->socket_mode == 0600);
	eq(s->selinux_label, "u:r:t:s0:c1,c2");
	ok(s->wait_ms == 60000);
	netconf_done(&nc);

	test("the host's side is the inverse, and says the application's when that is not said");
	good("\"vhostUser\":{\"mode\":\"server\",\"hostMode\":\"client\"}", &nc);
	ok(s->side == SOCKET_APP_LISTENS);
	netconf_done(&nc);
	good("\"vhostUser\":{\"hostMode\":\"server\"}", &nc);
	ok(s->side == SOCKET_APP_CONNECTS);
	netconf_done(&nc);

	test("vlan, trunk and mtu are the port's of the switch, of which there is no representor");
	good("\"vhostUser\":{\"mode\":\"server\"},\"switch\":{\"type\":\"ovs\",\"bridge\":\"b\"},"
	     "\"vlan\":0,\"trunk\":[{\"id\":7}],\"mtu\":9000",
	     &nc);
	ok(nc.vlan == 0 && idset_has(&nc.port.trunk, 7) && nc.mtu == 9000 && !nc.port.present);
	netconf_done(&nc);

	test("addresses and a mac are for the result, and mtu needs no switch");
	good("\"vhostUser\":{\"mode\":\"server\"},\"ipam\":{\"type\":\"static\"},\"mtu\":1400,"
	     "\"mac\":\"02:00:00:00:00:01\"", &nc);
	eq(nc.ipam_type, "static");
	eq(nc.mac, "02:00:00:00:00:01");
	netconf_done(&nc);

	test("plugins that are delegated to come behind a socket attachment, which is an owner");
	good("\"vhostUser\":{\"mode\":\"server\"},\"ipam\":{\"type\":\"static\"},"
	     "\"delegate\":{\"type\":\"vpp\"}", &nc);
	ok(nc.position == POSITION_OWNER && json_array_size(nc.delegates) == 1);
	netconf_done(&nc);

	test("what says nothing of a device is no contradiction");
	good("\"vhostUser\":{\"mode\":\"server\"},\"resetOnRelease\":false,\"spoofchk\":\"\","
	     "\"trunk\":[],\"bridge\":\"\",\"driver\":null", &nc);
	netconf_done(&nc);
}

/* Later verbs get the result of their own ADD. */
static void later(void)
{
	static const char text[] = "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"prevResult\":{},"
				   "\"vhostUser\":{\"mode\":\"client\"}}";
	struct netconf nc = { 0 };
	struct err e = { 0 };

	test("CHECK and DEL have a prevResult, an ADD has not");
	ok(netconf_parse(text, strlen(text), &nc, &e) == 0 && netconf_check(&nc, &e) == 0);
	ok(nc.position == POSITION_OWNER);
	netconf_done(&nc);
	ok(netconf_parse(text, strlen(text), &nc, &e) == 0 && netconf_attachment(&nc, &e) == -1);
	ok(e.code == ERR_NETCONF);
	eq(e.msg, "vhostUser: the interface is another plugin's here, and a socket has none");
	netconf_done(&nc);
}

static void contradictions(void)
{
	static const struct refusal cases[] = {
		{ "\"vhostUser\":\"client\"", "vhostUser: expected an object, got a string" },
		{ "\"vhostUser\":{},\"memif\":{}", "vhostUser and memif exclude each other" },
		{ "\"vhostUser\":{}",
		  "vhostUser.mode: missing, and there is no device plugin's file to say it" },
		{ "\"memif\":{}",
		  "memif.role: missing, and there is no device plugin's file to say it" },
		{ "\"vhostUser\":{\"mode\":\"master\"}",
		  "invalid vhostUser.mode 'master': must be client or server" },
		{ "\"memif\":{\"role\":\"client\"}",
		  "invalid memif.role 'client': must be slave or master" },
		{ "\"memif\":{\"role\":\"slave\",\"hostRole\":\"peer\"}",
		  "invalid memif.hostRole 'peer': must be slave or master" },
		{ "\"vhostUser\":{\"mode\":\"client\",\"hostMode\":\"client\"}",
		  "vhostUser.mode and vhostUser.hostMode are both 'client': one side is the "
		  "server, the other the client" },
		{ "\"memif\":{\"role\":\"master\",\"hostRole\":\"master\"}",
		  "memif.role and memif.hostRole are both 'master': one side is the master, the "
		  "other the slave" },
		{ "\"vhostUser\":{\"mode\":\"client\",\"role\":\"slave\"}",
		  "vhostUser.role: unknown key" },
		{ "\"vhostUser\":{\"mode\":\"client\",\"id\":1}", "vhostUser.id: unknown key" },
		{ "\"memif\":{\"role\":\"slave\",\"hostMode\":\"client\"}",
		  "memif.hostMode: unknown key, did you mean hostRole?" },
		{ "\"memif\":{\"role\":\"slave\",\"mode\":\"punt\"}",
		  "invalid memif.mode 'punt': must be ethernet, ip or inject-punt" },
		{ "\"vhostUser\":{\"mode\":\"client\"},\"prevResult\":{}",
		  "vhostUser: the interface is another plugin's here, and a socket has none" },
		{ "\"vhostUser\":{\"mode\":\"client\"},\"vlan\":7",
		  "vlan: of the switch's port, needs a switch" },
		{ "\"vhostUser\":{\"mode\":\"client\"},\"vlan\":7,\"delegate\":{\"type\":\"x\"}",
		  "vlan: of the switch's port, needs a switch" },
		{ "\"vhostUser\":{\"mode\":\"client\"},\"trunk\":[{\"id\":7}]",
		  "trunk: of the switch's port, needs a switch" },
		{ "\"vhostUser\":{\"mode\":\"client\"},\"mtu\":67",
		  "mtu: expected an integer of 68 to 65535, got 67" },
		{ "\"switch\":{\"type\":\"exec\",\"path\":\"/x\"}",
		  "switch.type exec: needs vhostUser or memif, be it empty" },
		{ "\"memif\":{\"role\":\"slave\"},\"switch\":{\"type\":\"ovs\",\"bridge\":\"b\"}",
		  "memif: Open vSwitch has no ports for memif" },
	};

	test("C-USR-13: what contradicts itself, or is no socket attachment, is refused by name");
	refuse(cases, ARRAY_SIZE(cases));
}

static void device_keys(void)
{
	static const char *const members[] = {
		"\"bridge\":\"br0\"", "\"spoofchk\":\"on\"", "\"trust\":\"off\"",
		"\"link_state\":\"auto\"", "\"min_tx_rate\":0", "\"max_tx_rate\":10",
		"\"vlanQoS\":0", "\"guid\":\"02:00:00:00:00:00:00:01\"", "\"pkey\":\"0x1\"",
		"\"rdmaIsolation\":true", "\"ibKubernetesEnabled\":true", "\"device\":\"eth0\"",
		"\"driver\":\"vfio-pci\"", "\"releasePolicy\":\"known-clean\"",
		"\"resetOnRelease\":true", "\"vdpa\":{}", "\"bridge\":[\"br0\"]",
	};
	char text[256], want[128];

	test("keys of a device are refused");
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		(void)snprintf(text, sizeof(text), "\"memif\":{\"role\":\"slave\"},%s",
			       members[i]);
		(void)snprintf(want, sizeof(want), "%.*s: not together with memif",
			       (int)strcspn(members[i] + 1, "\""), members[i] + 1);
		refuse(&(struct refusal){ text, want }, 1);
	}
}

static void bad(void)
{
	static const struct refusal cases[] = {
		{ "\"memif\":{\"id\":4294967296}",
		  "memif.id: expected an integer of 0 to 4294967295, got 4294967296" },
		{ "\"memif\":{\"id\":-1}",
		  "memif.id: expected an integer of 0 to 4294967295, got -1" },
		{ "\"vhostUser\":{\"uid\":4294967295}",
		  "vhostUser.uid: expected an integer of 0 to 4294967294, got 4294967295" },
		{ "\"vhostUser\":{\"gid\":\"qemu\"}",
		  "vhostUser.gid: expected an integer, got a string" },
		{ "\"vhostUser\":{\"dirMode\":\"04755\"}",
		  "invalid vhostUser.dirMode '04755': must be permissions in octal, 000 to 03777" },
		{ "\"vhostUser\":{\"dirMode\":2770}",
		  "vhostUser.dirMode: expected a string, got an integer" },
		{ "\"vhostUser\":{\"socketMode\":\"01777\"}",
		  "invalid vhostUser.socketMode '01777': must be permissions in octal, 000 to "
		  "0777" },
		{ "\"vhostUser\":{\"socketMode\":\"66\"}",
		  "invalid vhostUser.socketMode '66': must be permissions in octal, 000 to 0777" },
		{ "\"vhostUser\":{\"socketMode\":\"0669\"}",
		  "invalid vhostUser.socketMode '0669': must be permissions in octal, 000 to "
		  "0777" },
		{ "\"vhostUser\":{\"selinuxLabel\":\"u:r:t\"}",
		  "invalid vhostUser.selinuxLabel 'u:r:t': must be user:role:type:level" },
		{ "\"vhostUser\":{\"selinuxLabel\":\"u::t:s0\"}",
		  "invalid vhostUser.selinuxLabel 'u::t:s0': must be user:role:type:level" },
		{ "\"vhostUser\":{\"selinuxLabel\":\"u:r:t:\"}",
		  "invalid vhostUser.selinuxLabel 'u:r:t:': must be user:role:type:level" },
		{ "\"vhostUser\":{\"selinuxLabel\":\"u:r:t:s0 x\"}",
		  "invalid vhostUser.selinuxLabel 'u:r:t:s0 x': must be user:role:type:level" },
		{ "\"vhostUser\":{\"waitMs\":0}",
		  "vhostUser.waitMs: expected an integer of 1 to 60000, got 0" },
		{ "\"vhostUser\":{\"waitMs\":60001}",
		  "vhostUser.waitMs: expected an integer of 1 to 60000, got 60001" },
		{ "\"memif\":{\"hostDir\":\"{pod}\"}",
		  "memif.hostDir: '{pod}': expected {podUID}, {podName}, {podNamespace}, "
		  "{containerID}, {shortID}, {network} or {ifname}" },
		{ "\"memif\":{\"socket\":\"a}b\"}",
		  "memif.socket: '}b': expected {podUID}, {podName}, {podNamespace}, "
		  "{containerID}, {shortID}, {network} or {ifname}" },
	};

	test("values that are out of range, or of another form, are refused with key and value");
	refuse(cases, ARRAY_SIZE(cases));
}

static void secrets(void)
{
	static const char *const values[] = {
		"1234567890123456789012345", "se cret-x", "secret-x,", "secret-x=1",
		"secret-x\\u007f",
	};
	char text[128];

	test("a secret that cannot be one is refused without being told");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		(void)snprintf(text, sizeof(text), "\"memif\":{\"secret\":\"%s\"}", values[i]);
		refuse(&(struct refusal){ text,
			    "invalid memif.secret: must be 1 to 24 printable bytes without blank, "
			    "'=' and ','" }, 1);
	}
}

/* -- userspace-cni -- */

static void find_group(void)
{
	char root[] = "/tmp/group.XXXXXX", path[64];
	struct netconf nc = { 0 };
	struct err e = { 0 };
	int fd = -1;
	FILE *f;

	ok(mkdtemp(root) != NULL);
	(void)snprintf(path, sizeof(path), "%s/etc", root);
	ok(mkdir(path, 0700) == 0 && (fd = open(root, O_PATH)) >= 0);
	good("\"host\":{\"iftype\":\"vhostuser\",\"vhost\":{\"group\":\"hugetlbfs\"}}", &nc);
	eq(nc.socket.group, "hugetlbfs");
	ok(!nc.socket.has_gid);
	ok(socket_conf_find_group(&nc.socket, fd, &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "invalid host.vhost.group 'hugetlbfs': must be a group of the node's "
		  "/etc/group, or a number");
	(void)snprintf(path, sizeof(path), "%s/etc/group", root);
	f = fopen(path, "w");
	ok(f && fputs("root:x:0:\nhuge:x:8:\nhugetlbfs:x:107:a,b\n", f) > 0 && fclose(f) == 0);
	ok(socket_conf_find_group(&nc.socket, fd, &e) == 0);
	ok(nc.socket.has_gid && nc.socket.gid == 107);
	netconf_done(&nc);
	good("\"host\":{\"vhost\":{\"group\":\"108\"}}", &nc);
	ok(socket_conf_find_group(&nc.socket, -1, &e) == 0);
	ok(nc.socket.has_gid && nc.socket.gid == 108 && !nc.socket.group);
	netconf_done(&nc);
	ok(close(fd) == 0 && unlink(path) == 0);
	(void)snprintf(path, sizeof(path), "%s/etc", root);
	ok(rmdir(path) == 0 && rmdir(root) == 0);
}

static void userspace(void)
{
	struct netconf nc = { 0 };
	const struct socket_conf *s = &nc.socket;

	test("userspace-cni's words: Open vSwitch, the container's side inverse to the host's");
	good("\"host\":{\"engine\":\"ovs-dpdk\",\"iftype\":\"vhostuser\",\"netType\":\"bridge\","
	     "\"vhost\":{\"mode\":\"client\",\"group\":\"107\"},"
	     "\"bridge\":{\"bridgeName\":\"br-d\",\"vlanId\":42}},"
	     "\"container\":{\"engine\":\"ovs-dpdk\",\"iftype\":\"vhostuser\","
	     "\"netType\":\"interface\",\"vhost\":{\"mode\":\"server\"}},"
	     "\"sharedDir\":\"/run/devinfo/sockets/u\",\"mappedDir\":\"/var/lib/u\"", &nc);
	ok(s->kind == SOCKET_VHOST_USER && s->side == SOCKET_APP_LISTENS);
	ok(s->has_gid && s->gid == 107 && !s->has_uid);
	ok(s->sw.kind == SWITCH_OVS && nc.vlan == 42 && s->sw.timeout_ms == 5000);
	eq(s->sw.bridge, "br-d");
	eq(s->container_dir, "/var/lib/u");
	ok(s->dir_mode == 02770 && s->wait_ms == 5000);

	test("a shared directory is the one above those of containers, unless it is a template");
	eq(s->host_base, "/run/devinfo/sockets/u");
	ok(!s->host_dir);
	eq(s->name, "{shortID}-{ifname}");
	eq(s->host_dir_key, "sharedDir");
	netconf_done(&nc);
	good("\"host\":{\"engine\":\"ovs-dpdk\",\"vhost\":{\"mode\":\"server\"}},"
	     "\"sharedDir\":\"{podUID}\"", &nc);
	eq(s->host_dir, "{podUID}");
	ok(!s->host_base);
	ok(s->side == SOCKET_APP_CONNECTS && nc.vlan == -1);
	eq(s->sw.bridge, "br0");
	netconf_done(&nc);

	test("userspace-cni's words: memif, with a switch or a delegate of ours for VPP");
	good("\"host\":{\"engine\":\"vpp\",\"iftype\":\"memif\","
	     "\"memif\":{\"role\":\"master\",\"mode\":\"ethernet\"},\"bridge\":{\"bridgeName\":"
	     "\"4\"}},\"container\":{\"iftype\":\"memif\",\"memif\":{\"role\":\"slave\",\"mode\":"
	     "\"ethernet\"}},\"switch\":{\"type\":\"exec\",\"path\":\"/opt/vpp\"}", &nc);
	ok(s->kind == SOCKET_MEMIF && s->side == SOCKET_APP_CONNECTS);
	eq(s->memif_mode, "ethernet");
	ok(s->sw.kind == SWITCH_EXEC);
	netconf_done(&nc);
	good("\"host\":{\"engine\":\"vpp\",\"memif\":{\"role\":\"slave\",\"mode\":\"ip\"}},"
	     "\"delegate\":{\"type\":\"vpp\"}", &nc);
	ok(s->side == SOCKET_APP_LISTENS && s->sw.kind == SWITCH_NONE);
	eq(s->memif_mode, "ip");
	netconf_done(&nc);

	test("a socketfile of either side, or of both, is the socket's name");
	good("\"host\":{\"vhost\":{\"mode\":\"client\",\"socketfile\":\"h.sock\"}},"
	     "\"sharedDir\":\"/run/devinfo/sockets/u\"", &nc);
	eq(s->name, "h.sock");
	eq(s->host_base, "/run/devinfo/sockets/u");
	netconf_done(&nc);
	good("\"host\":{\"memif\":{\"role\":\"master\"}},\"container\":{\"memif\":"
	     "{\"socketfile\":\"c-{ifname}\"}}", &nc);
	eq(s->name, "c-{ifname}");
	netconf_done(&nc);
	good("\"host\":{\"memif\":{\"role\":\"master\",\"socketfile\":\"b\"}},"
	     "\"container\":{\"memif\":{\"socketfile\":\"b\"},\"vhost\":{\"socketfile\":"
	     "\"other\"},\"iftype\":\"memif\"}", &nc);
	eq(s->name, "b");
	netconf_done(&nc);
	good("\"host\":{\"vhost\":{\"mode\":\"client\",\"socketfile\":\"\"}}", &nc);
	eq(s->name, "{shortID}-{ifname}");
	netconf_done(&nc);

	test("userspace-cni's defaults: the application is client or master, where nobody says it");
	good("\"host\":{\"engine\":\"ovs-dpdk\",\"iftype\":\"vhostuser\"}", &nc);
	ok(s->kind == SOCKET_VHOST_USER && s->side == SOCKET_APP_CONNECTS);
	eq(s->name, "{shortID}-{ifname}");
	netconf_done(&nc);
	good("\"container\":{\"iftype\":\"memif\"}", &nc);
	ok(s->kind == SOCKET_MEMIF && s->side == SOCKET_APP_LISTENS);
	eq(s->memif_mode, "ethernet");
	eq(s->name, "memif-{shortID}-{ifname}.sock");
	netconf_done(&nc);
	good("\"host\":{\"iftype\":\"memif\"},\"resourceName\":\"a/b\"", &nc);
	ok(s->side == SOCKET_SIDE_UNSET && !s->memif_mode);
	netconf_done(&nc);

	test("a group is a number, or a name that the node's /etc/group has");
	find_group();

	test("a host that is another plugin's key is none of these words");
	good("\"deviceID\":\"d\",\"host\":\"a.example\",\"container\":{\"x\":1}", &nc);
	ok(s->kind == SOCKET_NONE);
	netconf_done(&nc);
}

static void bad_userspace(void)
{
#define VHOST(mode) "\"iftype\":\"vhostuser\",\"vhost\":{\"mode\":\"" mode "\"}"
	static const struct refusal cases[] = {
		{ "\"host\":{" VHOST("client") "},\"vhostUser\":{}",
		  "vhostUser and userspace-cni's host and container exclude each other" },
		{ "\"host\":{" VHOST("client") "},\"container\":{" VHOST("client") "}",
		  "container.vhost.mode and host.vhost.mode are both 'client': one side is the "
		  "server, the other the client" },
		{ "\"host\":{" VHOST("client") "},\"container\":{\"iftype\":\"memif\"}",
		  "container is of iftype memif and host of iftype vhostuser: must be the same" },
		{ "\"host\":{\"engine\":\"ovs-dpdk\"}",
		  "host.iftype: missing: expected vhostuser or memif" },
		{ "\"host\":{\"iftype\":\"tap\"}",
		  "invalid host.iftype 'tap': must be vhostuser or memif" },
		{ "\"host\":{\"vhost\":{},\"memif\":{}}",
		  "host.vhost and host.memif exclude each other" },
		{ "\"host\":{\"engine\":\"vpp\",\"memif\":{\"role\":\"master\"}}",
		  "host.engine: 'vpp' is not configured here: expected a switch of type exec, or a "
		  "delegate, that does it" },
		{ "\"host\":{\"engine\":\"ovs-dpdk\"," VHOST("client") "},"
		  "\"switch\":{\"type\":\"exec\",\"path\":\"/x\"}",
		  "switch and host.engine exclude each other" },
		{ "\"host\":{\"engine\":\"ovs-dpdk\",\"memif\":{\"role\":\"master\"}}",
		  "host: Open vSwitch has no ports for memif" },
		{ "\"host\":{\"vhost\":{\"mode\":\"client\",\"group\":\"a:b\"}}",
		  "invalid host.vhost.group 'a:b': must be the name of a group, or its number" },
		{ "\"host\":{\"vhost\":{\"mode\":\"client\",\"group\":\"4294967295\"}}",
		  "host.vhost.group: expected a number of 0 to 4294967294, got 4294967295" },
		{ "\"host\":{\"memif\":{\"role\":\"master\",\"mode\":\"ip\"}},"
		  "\"container\":{\"memif\":{\"mode\":\"ethernet\"}}",
		  "container.memif.mode 'ethernet' and host.memif.mode 'ip' contradict each "
		  "other" },
		{ "\"host\":{\"engine\":\"ovs-dpdk\",\"bridge\":{\"vlanId\":42}," VHOST("client")
		  "},\"vlan\":41",
		  "vlan 41 and host.bridge.vlanId 42 contradict each other" },
		{ "\"host\":{\"engine\":\"ovs-dpdk\",\"bridge\":{\"vlanId\":4095}," VHOST("client")
		  "}", "host.bridge.vlanId: expected an integer of 0 to 4094, got 4095" },
		{ "\"host\":{" VHOST("client") "},\"sharedDir\":\"{x}\"",
		  "sharedDir: '{x}': expected {podUID}, {podName}, {podNamespace}, {containerID}, "
		  "{shortID}, {network} or {ifname}" },
		{ "\"host\":{\"vhost\":{\"mode\":\"client\",\"socketfile\":\"/u/a\"}}",
		  "invalid host.vhost.socketfile '/u/a': must be a name without directories" },
		{ "\"host\":{\"memif\":{\"role\":\"master\"}},"
		  "\"container\":{\"memif\":{\"socketfile\":\"a/\"}}",
		  "invalid container.memif.socketfile 'a/': must be a name without directories" },
		{ "\"host\":{\"memif\":{\"role\":\"master\",\"socketfile\":\"a\"}},"
		  "\"container\":{\"memif\":{\"socketfile\":\"b\"}}",
		  "container.memif.socketfile 'b' and host.memif.socketfile 'a' contradict each "
		  "other" },
		{ "\"host\":{\"vhost\":{\"mode\":\"client\",\"socketfile\":\"{x}\"}}",
		  "host.vhost.socketfile: '{x}': expected {podUID}, {podName}, {podNamespace}, "
		  "{containerID}, {shortID}, {network} or {ifname}" },
		{ "\"host\":{\"vhost\":{\"mode\":\"client\",\"socketfile\":7}}",
		  "host.vhost.socketfile: expected a string, got an integer" },
	};

	test("userspace-cni's words that contradict each other, or do not map, are refused");
	refuse(cases, ARRAY_SIZE(cases));
}

int main(void)
{
	defaults();
	everything();
	later();
	contradictions();
	device_keys();
	bad();
	secrets();
	userspace();
	bad_userspace();
	return tap_end();
}
