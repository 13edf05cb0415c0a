/* SPDX-License-Identifier: Apache-2.0 */
/* test_repair.c - what is no leak any more when repair comes to it is left as it is */
#include "manager/doctor/repair.h"

#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <sys/stat.h>

#define STATUS "run/devinfo/status/a.json"
#define RECORD "var/lib/cni/devinfo/attachments/60490cf82448bcf3@0000:01:10.0.json"
#define RESULT "var/lib/cni/results/lab-a-net1"
#define DP "var/run/k8s.cni.cncf.io/devinfo/dp"
#define LINK "run/devinfo/links/0123456789ab"

static struct err why;

/* What repair makes of a finding: 1 done, 0 it is none any more, -1 and why. */
static int mend(const struct fake_node *n, enum remedy remedy, const char *object)
{
	struct finding f = { .check = "x", .remedy = remedy };

	why = (struct err){ 0 };
	(void)snprintf(f.object, sizeof(f.object), "%s", object);
	return repair_carry_out(&n->host, &f, &why);
}

static void status(const struct fake_node *n)
{
	test("network-status goes when libcni's result tells that its container is dead");
	node_sh(n, "mkdir -p run/devinfo/status run/netns var/lib/cni/results && umask 077 && "
		   "mkdir -p var/lib/cni/devinfo/attachments && "
		   "cp \"$OLDPWD/tests/node/before/status.json\" " STATUS);
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/" STATUS), 0);	/* nobody knows */
	ok(node_holds(n, "-e " STATUS));
	node_sh(n, "echo '{\"netns\":\"/proc/self/ns/net\"}' >" RESULT);
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/" STATUS), 0);	/* it lives */
	ok(node_holds(n, "-e " STATUS));
	node_sh(n, "echo '{\"netns\":\"/run/netns/gone\"}' >" RESULT);
	node_sh(n, "umask 077 && cp \"$OLDPWD/tests/node/before/vf.json\" " RECORD);
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/" STATUS), 0);	/* its record is there again */
	ok(node_holds(n, "-e " STATUS));
	node_sh(n, "rm " RECORD);
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/run/devinfo/status/a.txt"), 0);
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/run/devinfo/status/.json"), 0);
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/run/devinfo/status/b.json"), 0);
	ok(node_holds(n, "-e " STATUS));
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/" STATUS), 1);
	ok(node_holds(n, "! -e " STATUS));
	eqi(mend(n, REMEDY_REMOVE_STATUS, "/" STATUS), 0);	/* it is not there */
}

static void device_plugin_file(const struct fake_node *n)
{
	test("a device plugin's file stays while the node has the device");
	node_sh(n, "mkdir -p " DP " sys/bus/pci/devices/0000:01:10.0 && echo '{\"type\":\"pci\","
		   "\"version\":\"1.1.0\",\"pci\":{\"pci-address\":\"0000:01:10.0\"}}' >" DP
		   "/r-0000:01:10.0-device.json");
	eqi(mend(n, REMEDY_REMOVE_DP, "/" DP "/r-0000:01:10.0-device.json"), 0);
	ok(node_holds(n, "-e " DP "/r-0000:01:10.0-device.json"));
	node_sh(n, "rmdir sys/bus/pci/devices/0000:01:10.0");
	eqi(mend(n, REMEDY_REMOVE_DP, "/" DP "/r-0000:01:10.0-device.json"), 1);
	ok(node_holds(n, "! -e " DP "/r-0000:01:10.0-device.json"));
}

static void links(const struct fake_node *n)
{
	test("a link stays that leads to a directory, or not below socketDir");
	node_sh(n, "mkdir -p run/devinfo/links run/devinfo/sockets/c1 && "
		   "ln -s /run/devinfo/sockets/c1 " LINK);
	eqi(mend(n, REMEDY_REMOVE_LINK, "/" LINK), 0);
	ok(node_holds(n, "-L " LINK));
	node_sh(n, "ln -sfn /run/devinfo/sockets2/c1 " LINK);
	eqi(mend(n, REMEDY_REMOVE_LINK, "/" LINK), -1);
	contains(why.msg, "it does not lead below socketDir '/run/devinfo/sockets'");
	ok(node_holds(n, "-L " LINK));
	node_sh(n, "ln -sfn /run/devinfo/sockets/gone " LINK);
	eqi(mend(n, REMEDY_REMOVE_LINK, "/" LINK), 1);
	ok(node_holds(n, "! -L " LINK));
	eqi(mend(n, REMEDY_REMOVE_LINK, "/" LINK), 0);
}

static void modes(const struct fake_node *n)
{
	test("of a directory of ours others lose the right to write, and no other bit changes");
	node_sh(n, "mkdir -p etc run/devinfo2 && chmod 1777 run/devinfo/links && chmod 777 etc "
		   "run/devinfo2");
	eqi(mend(n, REMEDY_MODE, "/run/devinfo/links"), 1);
	ok(node_holds(n, "$(stat -c %a run/devinfo/links) = 1755"));
	eqi(mend(n, REMEDY_MODE, "/run/devinfo/links"), 0);
	eqi(mend(n, REMEDY_MODE, "/run/devinfo/none"), 0);
	test("a directory that is not ours is left");
	eqi(mend(n, REMEDY_MODE, "/etc"), -1);
	eq(why.msg, "it is not in a directory of ours");
	eqi(mend(n, REMEDY_MODE, "/run/devinfo2"), -1);
	eq(why.msg, "it is not in a directory of ours");
	ok(node_holds(n, "$(stat -c %a etc run/devinfo2 | tr -d '\\n') = 777777"));
}

static void by_hand(const struct fake_node *n)
{
	test("what only people can mend is refused");
	eqi(mend(n, REMEDY_BY_HAND, "/x"), -1);
	eq(why.msg, "nothing but people can mend it");
}

int main(void)
{
	struct fake_node n;

	node_open(NULL, &n);
	status(&n);
	device_plugin_file(&n);
	links(&n);
	modes(&n);
	by_hand(&n);
	node_close(&n);
	return tap_end();
}
