/* SPDX-License-Identifier: Apache-2.0 */
/* test_watch.c - what the daemon is told has changed, and when; in a namespace of our own */
#include "daemon/watch/watch_part.h"

#include "netlink/nl.h"
#include "tests/unit/netlink.h"
#include "tests/unit/node.h"

#include <sched.h>
#include <stdio.h>
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

/* As the kernel has it: with the bus and the device that it is on, or without. */
static void links(void)
{
	struct nl_req r;

	test("a link counts when it is on a device, also in the message that it has gone");
	(void)nl_req_init(&r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_IFNAME, "eth0", 5);
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len));
	nl_put(&r, 57, "pci", 4);		/* IFLA_PARENT_DEV_BUS_NAME */
	nl_put(&r, 56, "0000:00:03.0", 13);	/* IFLA_PARENT_DEV_NAME */
	ok(watch_is_hardware(r.buf, r.h.nlmsg_len));
	r.h.nlmsg_type = RTM_DELLINK;
	ok(watch_is_hardware(r.buf, r.h.nlmsg_len));
	ok(!watch_is_hardware(r.buf, r.h.nlmsg_len - 1));
	ok(!watch_is_hardware(r.buf, 3));
}

static const struct watch_places places = {
	.attachments = "/var/lib/devinfo/attachments",
	.plugin_dir = "/var/lib/kubelet/device-plugins",
	.config = "/etc/pcidp",
};

static void directories(struct loop *l, const struct fake_node *n)
{
	struct err e = { 0 };
	struct told t;
	struct watch *w = watch_new(l, &n->host, &places, on_change, &t, &e);

	ok(w != NULL);
	test("a directory that is absent is waited for, and what is beside it does not matter");
	ok(turn(l, &t, 30) == 0);
	node_sh(n, "mkdir -p var/lib/other && touch var/lib/other/x");
	ok(turn(l, &t, 60) == 0);
	node_sh(n, "mkdir -p var/lib/devinfo/attachments");
	ok(turn(l, &t, 60) == WATCH_ATTACHMENTS);

	test("a file that is written there is told once, with all that has changed");
	node_sh(n, "echo x >var/lib/devinfo/attachments/a");
	node_sh(n, "mkdir -p var/lib/kubelet/device-plugins");
	ok(turn(l, &t, 60) == (WATCH_ATTACHMENTS | WATCH_PLUGIN_DIR) && t.calls == 1);
	node_sh(n, "mv var/lib/devinfo/attachments/a var/lib/devinfo/attachments/b");
	ok(turn(l, &t, 60) == WATCH_ATTACHMENTS);

	test("a directory that is made anew is watched again");
	node_sh(n, "rm -r var/lib/kubelet");
	ok(turn(l, &t, 60) == WATCH_PLUGIN_DIR);
	node_sh(n, "mkdir -p var/lib/kubelet/device-plugins");
	ok(turn(l, &t, 60) == WATCH_PLUGIN_DIR);
	node_sh(n, "touch var/lib/kubelet/device-plugins/kubelet.sock");
	ok(turn(l, &t, 60) == WATCH_PLUGIN_DIR);
	node_sh(n, "mv var/lib/kubelet var/lib/away && mkdir -p var/lib/kubelet/device-plugins");
	(void)turn(l, &t, 60);
	node_sh(n, "touch var/lib/away/device-plugins/x");
	node_sh(n, "touch var/lib/kubelet/device-plugins/kubelet.sock");
	ok(turn(l, &t, 60) == WATCH_PLUGIN_DIR);

	test("a ConfigMap is changed by the rename of a symbolic link");
	node_sh(n, "mkdir -p etc/pcidp/..1 etc/pcidp/..2 && cd etc/pcidp && ln -s ..1 ..data");
	ok(turn(l, &t, 60) == WATCH_CONFIG);
	node_sh(n, "cd etc/pcidp && ln -s ..2 tmp && mv -T tmp ..data");
	ok(turn(l, &t, 60) == WATCH_CONFIG);
	watch_free(w);
	watch_free(NULL);
}

static void times(struct loop *l, const struct fake_node *n)
{
	struct err e = { 0 };
	struct told t;
	struct watch *w = watch_new(l, &n->host, &places, on_change, &t, &e);
	int64_t start = loop_now();

	ok(w != NULL);
	test("what is noted while it is gathered is told together, and not later for it");
	watch_note(w, WATCH_DEVICES);
	watch_note(w, WATCH_CONFIG);
	watch_note(w, 0);
	ok(turn(l, &t, 100) == (WATCH_DEVICES | WATCH_CONFIG) && t.calls == 1);
	ok(t.at - start >= WATCH_GATHER_MS);

	test("after a look that took long the next one waits");
	watch_took(w, 20);
	start = loop_now();
	watch_note(w, WATCH_DEVICES);
	ok(turn(l, &t, 100) == 0);
	ok(turn(l, &t, 150) == WATCH_DEVICES && t.at - start >= 20 * WATCH_DUTY);
	watch_free(w);
}

/* veth is what each pod has; what hardware does is in the tests of the lab. */
static void kernel(struct loop *l, const struct fake_node *n)
{
	struct err e = { 0 };
	struct told t;
	struct nl nl;

	ok(unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0);
	ok(nl_open(NETNS_OWN, NETLINK_ROUTE, &nl, &e) == 0);
	struct watch *w = watch_new(l, &n->host, &places, on_change, &t, &e);
	ok(w != NULL);
	test("the interfaces of pods are not told");
	ok(make_veth(&nl, "a", "b") == 0);
	ok(turn(l, &t, 60) == 0);
	watch_free(w);
	nl_done(&nl);
}

int main(void)
{
	struct fake_node n;
	struct err e = { 0 };
	struct loop *l = loop_new(&e);

	uevents();
	links();
	ok(l != NULL);
	node_open(NULL, &n);
	directories(l, &n);
	times(l, &n);
	kernel(l, &n);
	loop_free(l);
	node_close(&n);
	return tap_end();
}
