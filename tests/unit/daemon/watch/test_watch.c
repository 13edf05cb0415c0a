/* SPDX-License-Identifier: Apache-2.0 */
/* test_watch.c - what the daemon is told has changed, and when; in a namespace of our own */
#include "daemon/watch/watch_part.h"

#include "netlink/genl.h"
#include "netlink/nl.h"
#include "tests/unit/netlink.h"
#include "tests/unit/node.h"

#include <linux/devlink.h>
#include <linux/if_arp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct told {
	int calls;
	unsigned int what;
	int64_t at;
};

static void on_change(unsigned int what, void *arg)
{
	struct told *t = arg;

	t->calls++;
	t->what = what;
	t->at = loop_now();
}

/* Turn the loop for ms; returns what was told in this time. */
static unsigned int turn(struct loop *l, struct told *t, unsigned int ms)
{
	int64_t end = loop_now() + ms;
	struct err e = { 0 };

	*t = (struct told){ 0 };
	while (loop_now() < end)
		ok(loop_turn(l, (int)(end - loop_now()) + 1, &e) == 0);
	return t->what;
}

/* The same until something was told. */
static unsigned int await(struct loop *l, struct told *t)
{
	int64_t end = loop_now() + 5000;
	struct err e = { 0 };

	*t = (struct told){ 0 };
	while (t->calls == 0 && loop_now() < end)
		ok(loop_turn(l, (int)(end - loop_now()) + 1, &e) == 0);
	return t->what;
}

static void uevents(void)
{
	static const struct {
		const char *text;
		size_t len;
		bool is_device;
	} cases[] = {
#define CASE(text, is) { text, sizeof(text) - 1, is }
		CASE("bind@/devices/pci0000:00/0000:00:03.0\0ACTION=bind\0"
		     "DEVPATH=/devices/pci0000:00/0000:00:03.0\0SUBSYSTEM=pci\0", true),
		CASE("add@/devices/pci0000:00/0000:00:03.0/net/eth0\0"
		     "DEVPATH=/devices/pci0000:00/0000:00:03.0/net/eth0\0SUBSYSTEM=net\0", true),
		CASE("add@/devices/vdpa0\0DEVPATH=/devices/vdpa0\0SUBSYSTEM=vdpa\0", true),
		CASE("add@/devices/virtual/net/veth0\0DEVPATH=/devices/virtual/net/veth0\0"
		     "SUBSYSTEM=net\0", false),
		CASE("change@/devices/pci0000:00/0000:00:04.0/virtio1/block/vda\0"
		     "DEVPATH=/devices/pci0000:00/0000:00:04.0/virtio1/block/vda\0"
		     "SUBSYSTEM=block\0", false),
		CASE("add@/module/veth\0DEVPATH=/module/veth\0SUBSYSTEM=module\0", false),
		CASE("libudev", true),	/* without an end: it may have been any */
		CASE("x\0", false),
	};

	test("a uevent counts when it is of a device that could be handed out");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ok(watch_is_device(cases[i].text, cases[i].len) == cases[i].is_device);
	ok(watch_is_device("", 0));
}

/* As the kernel has it, in a message of its own; kind and parent may be NULL. */
static void compose_link(struct nl_req *r, const char *kind, const char *parent)
{
	struct nlattr *info;

	(void)nl_req_init(r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	nl_put(r, IFLA_IFNAME, "eth0", 5);
	info = nl_nest(r, IFLA_LINKINFO);
	if (kind)
		nl_put(r, IFLA_INFO_KIND, kind, strlen(kind) + 1);
	nl_put(r, IFLA_INFO_SLAVE_KIND, "bond", 5);
	nl_nest_end(r, info);
	if (parent)
		nl_put(r, IFLA_PARENT_DEV_NAME, parent, strlen(parent) + 1);
}

static void links(void)
{
	struct ifinfomsg *ifi;
	struct nl_req r;

	test("a link counts when it is on a device, also in the message that it has gone");
	compose_link(&r, "veth", NULL);
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len));
	compose_link(&r, "netdevsim", "netdevsim1");
	ok(watch_is_hardware(r.buf, r.h.nlmsg_len));
	r.h.nlmsg_type = RTM_DELLINK;
	ok(watch_is_hardware(r.buf, r.h.nlmsg_len));
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len - 1));
	ok(!watch_is_hardware(r.buf, 3));
	r.h.nlmsg_type = RTM_NEWADDR;
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len));
	test("of a kernel that tells no devices, when it is of no kind that software makes");
	compose_link(&r, NULL, NULL);
	ok(watch_is_hardware(r.buf, r.h.nlmsg_len));
	ifi = (void *)(r.buf + sizeof(r.h));
	ifi->ifi_type = ARPHRD_LOOPBACK;
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len));
	test("what a bridge tells of its port is not about the device");
	ifi->ifi_type = ARPHRD_ETHER;
	ok(watch_is_hardware(r.buf, r.h.nlmsg_len));
	ifi->ifi_family = AF_BRIDGE;
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len));
	(void)nl_req_init(&r, RTM_NEWLINK, 0, 2);
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len));
}

static void ports(void)
{
	static const struct {
		uint8_t command;
		bool counts;
	} cases[] = {
		{ DEVLINK_CMD_NEW, true }, { DEVLINK_CMD_DEL, true },
		{ DEVLINK_CMD_PORT_NEW, true }, { DEVLINK_CMD_PORT_DEL, true },
		{ DEVLINK_CMD_FLASH_UPDATE_STATUS, false }, { DEVLINK_CMD_PARAM_NEW, false },
	};
	struct nl_req r;

	test("devlink counts when a device or a port has come, gone or changed");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		genl_req_init(&r, 30, cases[i].command);
		ok(watch_is_port(r.buf, r.h.nlmsg_len) == cases[i].counts);
	}
	genl_req_init(&r, 30, DEVLINK_CMD_NEW);
	ok(!watch_is_port(r.buf, r.h.nlmsg_len - 1));
	r.h.nlmsg_len = sizeof(r.h);
	ok(!watch_is_port(r.buf, r.h.nlmsg_len));
	genl_req_init(&r, NLMSG_NOOP, DEVLINK_CMD_NEW);
	ok(!watch_is_port(r.buf, r.h.nlmsg_len));
}

static void directories(struct loop *l, const struct fake_node *n,
			const struct watch_places *places)
{
	struct err e = { 0 };
	struct told t;
	struct watch *w = watch_new(l, &n->host, places, on_change, &t, &e);

	ok(w != NULL);
	test("a directory that is absent is waited for, and what is beside it does not matter");
	ok(turn(l, &t, 30) == 0);
	node_sh(n, "mkdir -p var/lib/other && touch var/lib/other/x");
	ok(turn(l, &t, 60) == 0);
	node_sh(n, "mkdir -p var/lib/devinfo/attachments");
	ok(await(l, &t) == WATCH_ATTACHMENTS);

	test("a file that is written there is told once, with all that has changed");
	node_sh(n, "echo x >var/lib/devinfo/attachments/a");
	node_sh(n, "mkdir -p var/lib/kubelet/device-plugins");
	ok(await(l, &t) == (WATCH_ATTACHMENTS | WATCH_PLUGIN_DIR));
	ok(turn(l, &t, 60) == 0);
	node_sh(n, "mv var/lib/devinfo/attachments/a var/lib/devinfo/attachments/b");
	ok(await(l, &t) == WATCH_ATTACHMENTS);

	test("a directory that is made anew is watched again");
	node_sh(n, "rm -r var/lib/kubelet");
	ok(await(l, &t) == WATCH_PLUGIN_DIR);
	node_sh(n, "mkdir -p var/lib/kubelet/device-plugins");
	ok(await(l, &t) == WATCH_PLUGIN_DIR);
	node_sh(n, "touch var/lib/kubelet/device-plugins/kubelet.sock");
	ok(await(l, &t) == WATCH_PLUGIN_DIR);
	node_sh(n, "rm -r var/lib/devinfo/attachments && mkdir var/lib/devinfo/attachments");
	ok(await(l, &t) == WATCH_ATTACHMENTS);
	node_sh(n, "touch var/lib/devinfo/attachments/c");
	ok(await(l, &t) == WATCH_ATTACHMENTS);

	test("a ConfigMap is changed by the rename of a symbolic link");
	node_sh(n, "mkdir -p etc/pcidp/..1 etc/pcidp/..2 && cd etc/pcidp && ln -s ..1 ..data");
	ok(await(l, &t) == WATCH_CONFIG);
	node_sh(n, "cd etc/pcidp && ln -s ..2 tmp && mv -T tmp ..data");
	ok(await(l, &t) == WATCH_CONFIG);
	watch_free(w);
	watch_free(NULL);
}

/* How many directories an inotify descriptor watches. */
static int watched(const struct watch_dirs *d)
{
	char path[64], line[256];
	int n = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", watch_dirs_fd(d));
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		n += strncmp(line, "inotify ", 8) == 0;
	if (f)
		(void)fclose(f);
	return n;
}

static void renamed(const struct fake_node *n, const struct watch_places *places)
{
	struct err e = { 0 };
	struct watch_dirs *d = watch_dirs_new(&n->host, places, &e);

	ok(d && watched(d) == 3);
	test("a directory above a watched one that was renamed is found when that is set again");
	ok(watch_dirs_set_again(d) == 0);
	node_sh(n, "mv var/lib/kubelet var/lib/away && mkdir -p var/lib/kubelet/device-plugins");
	ok(watch_dirs_read(d) == 0);
	ok(watch_dirs_set_again(d) == WATCH_PLUGIN_DIR);
	node_sh(n, "touch var/lib/away/device-plugins/x");
	ok(watch_dirs_read(d) == 0);
	node_sh(n, "touch var/lib/kubelet/device-plugins/kubelet.sock");
	ok(watch_dirs_read(d) == WATCH_PLUGIN_DIR);

	test("nothing is watched that no place needs any more");
	ok(watched(d) == 3);
	node_sh(n, "rm -r var/lib/kubelet var/lib/devinfo");
	(void)watch_dirs_read(d);
	ok(watched(d) == 2);			/* var/lib, for both */
	node_sh(n, "mkdir -p var/lib/kubelet/device-plugins var/lib/devinfo/attachments");
	(void)watch_dirs_read(d);
	ok(watched(d) == 3);
	watch_dirs_free(d);
}

/* A link of the node may be absolute: what it means, it means below the root. */
static void rooted(const struct fake_node *n)
{
	const struct watch_places places = { .attachments = "/link/attachments" };
	struct err e = { 0 };

	test("what is watched is below the node's root, wherever its links point to");
	node_sh(n, "ln -s /there link && mkdir -p there/attachments");
	struct watch_dirs *d = watch_dirs_new(&n->host, &places, &e);
	ok(d != NULL);
	node_sh(n, "touch there/attachments/a");
	ok(watch_dirs_read(d) == WATCH_ATTACHMENTS);
	watch_dirs_free(d);
}

/* The kernel keeps 16384 events by default, and joins those that are the same as the last. */
static void overflow(const struct fake_node *n, const struct watch_places *places)
{
	char names[2][128];
	struct err e = { 0 };
	struct watch_dirs *d = watch_dirs_new(&n->host, places, &e);

	test("events that were lost may have meant anything");
	ok(d != NULL);
	node_sh(n, "touch var/lib/devinfo/attachments/0");
	for (int i = 0; i < 2; i++)
		(void)snprintf(names[i], sizeof(names[i]), "%s/var/lib/devinfo/attachments/%d",
			       n->dir, i);
	for (int i = 0; i < 20000; i++)
		if (rename(names[i % 2], names[1 - i % 2]) < 0)
			bail_out("rename");
	unsigned int what = 0, some;
	while ((some = watch_dirs_read(d)) != 0)
		what |= some;
	ok(what == (WATCH_ATTACHMENTS | WATCH_PLUGIN_DIR | WATCH_CONFIG));
	watch_dirs_free(d);
}

static void times(struct loop *l, const struct fake_node *n, const struct watch_places *places)
{
	struct err e = { 0 };
	struct told t;
	struct watch *w = watch_new(l, &n->host, places, on_change, &t, &e);
	int64_t start = loop_now();

	ok(w != NULL);
	test("what is noted while it is gathered is told together, and not later for it");
	watch_note(w, WATCH_DEVICES);
	watch_note(w, WATCH_CONFIG);
	watch_note(w, 0);
	ok(await(l, &t) == (WATCH_DEVICES | WATCH_CONFIG));
	ok(t.at - start >= WATCH_GATHER_MS);
	ok(turn(l, &t, 60) == 0);

	test("looks that took a second are in a row; after more the next one waits");
	start = loop_now();
	for (int i = 0; i < 4; i++)
		watch_took(w, WATCH_SAVED_MS / WATCH_DUTY / 4);
	watch_note(w, WATCH_DEVICES);
	ok(await(l, &t) == WATCH_DEVICES && t.at - start < 20 * WATCH_DUTY);
	watch_took(w, 20 + (unsigned int)(loop_now() - start) / WATCH_DUTY);
	start = loop_now();
	watch_note(w, WATCH_DEVICES);
	ok(await(l, &t) == WATCH_DEVICES && t.at - start >= 19 * WATCH_DUTY);
	watch_free(w);
}

/* veth is what each pod has; of hardware the messages are played, in test_watch_link.c. */
static void kernel(struct loop *l, const struct fake_node *n, const struct watch_places *places)
{
	char buf[32 * 1024], name[2][16];
	struct err e = { 0 };
	bool lost = false;
	struct told t;
	struct nl nl;
	int fd, small = 1;

	ok(unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0);
	ok(nl_open(NETNS_OWN, NETLINK_ROUTE, &nl, &e) == 0);
	struct watch *w = watch_new(l, &n->host, places, on_change, &t, &e);
	ok(w != NULL);
	test("the interfaces of pods are not told, coming, changing or going");
	ok(make_veth(&nl, "a", "b") == 0);
	ok(system("ip link set dev a mtu 1400 up && ip link add br0 type bridge && "
		  "ip link set dev b master br0 && ip link del br0 && ip link del dev a") == 0);
	ok(turn(l, &t, 60) == 0);
	watch_free(w);

	test("messages that the kernel had to drop may have told of anything");
	fd = watch_netlink_open(NETLINK_ROUTE, RTNLGRP_LINK, &e);
	ok(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)) == 0);
	for (int i = 0; i < 8; i++) {
		(void)snprintf(name[0], sizeof(name[0]), "a%d", i);
		(void)snprintf(name[1], sizeof(name[1]), "b%d", i);
		ok(make_veth(&nl, name[0], name[1]) == 0);
	}
	while (watch_netlink_read(fd, buf, sizeof(buf), &lost) >= 0)
		;
	ok(lost);
	(void)close(fd);
	nl_done(&nl);

	test("a group that the kernel does not have is an error");
	ok(watch_netlink_open(NETLINK_ROUTE, 100000, &e) < 0 && e.code == ERR_NETLINK);
	ok(watch_netlink_open(31, 1, &e) < 0 && e.code == ERR_NETLINK);
}

int main(void)
{
	char config[128];
	const struct watch_places places = {
		.attachments = "/var/lib/devinfo/attachments",
		.plugin_dir = "/var/lib/kubelet/device-plugins",
		.config = config,
	};
	struct fake_node n;
	struct err e = { 0 };
	struct loop *l = loop_new(&e);

	uevents();
	links();
	ports();
	ok(l != NULL);
	node_open(NULL, &n);
	(void)snprintf(config, sizeof(config), "%s/etc/pcidp", n.dir);
	directories(l, &n, &places);
	renamed(&n, &places);
	rooted(&n);
	overflow(&n, &places);
	times(l, &n, &places);
	kernel(l, &n, &places);
	loop_free(l);
	node_close(&n);
	return tap_end();
}
