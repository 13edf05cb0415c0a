/* SPDX-License-Identifier: Apache-2.0 */
/* test_pod_record.c - the record of a pod's networks: written, found, replaced, damaged, locked */
#include "base/mem.h"
#include "devinfo/journal/pod_record.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdlib.h>

#define NETWORKS	"var/lib/cni/devinfo/networks"

static struct fake_node n;
static struct journal j;

static const struct owner web = {
	.network = "default", .container_id = "c0ffee", .ifname = "eth0", .netns = "/run/netns/x",
	.netns_dev = 4, .netns_ino = 4026531000, .netns_cookie = 77,
};

static void write_one(const struct owner *o, const json_t *result)
{
	json_auto_t *first = json_pack("[{s:s}]", "type", "devinfo");
	json_auto_t *second = json_pack("[{s:s}, {s:s}]", "type", "bridge", "type", "devinfo");
	struct pod_attachment list[] = {
		{ .definition = "", .ifname = "eth0", .calls = first },
		{ .definition = "apps/mv", .ifname = "net1", .calls = second, .result = result },
	};
	struct pod_record r = { .owner = *o, .boot_id = "boot-1", .list = list, .n = 2 };
	struct err e = { .code = ERR_OK };

	eqi(pod_record_write(&n.host, &j, &r, &e), 0);
	eq(e.msg, "");
}

static int find(const struct owner *o, struct pod_record *ret)
{
	struct err e = { .code = ERR_OK };
	int r = pod_record_find(&n.host, &j, o, ret, &e);

	if (r < 0)
		(void)printf("# %s: %s\n", e.msg, e.details);
	return r < 0 ? -(int)e.code : r;
}

static void round_trip(void)
{
	json_auto_t *result = json_pack("{s:s}", "cniVersion", "1.0.0");
	auto_pod_record struct pod_record r = { .n = 0 };
	struct err e;

	test("what is written is found, whole");
	ok(!pod_record_is_any(&n.host));
	eqi(find(&web, &r), 0);
	write_one(&web, result);
	ok(pod_record_is_any(&n.host));
	ok(node_holds(&n, "\"$(stat -c %a " NETWORKS "/*.json " NETWORKS " | xargs)\" = "
		      "'600 700'"));
	if (!ok(find(&web, &r) == 1))
		return;
	eqi(r.n, 2);
	eq(r.owner.network, "default");
	eq(r.owner.netns, "/run/netns/x");
	ok(r.owner.netns_ino == 4026531000 && r.owner.netns_dev == 4 && r.owner.netns_cookie == 77);
	eq(r.boot_id, "boot-1");
	eq(r.list[0].definition, "");
	ok(!r.list[0].result);
	eq(r.list[1].definition, "apps/mv");
	eq(r.list[1].ifname, "net1");
	eqi(json_array_size(r.list[1].calls), 2);
	ok(json_equal(r.list[1].result, result));

	test("it is removed once, and again is no error");
	eqi(pod_record_remove(&n.host, &r, &e), 0);
	eqi(pod_record_remove(&n.host, &r, &e), 0);
	ok(node_holds(&n, "-z \"$(ls " NETWORKS ")\""));
}

static int count(const struct pod_record *r, void *arg, struct err *e)
{
	(void)r;
	(void)e;
	++*(int *)arg;
	return 0;
}

static void whose(void)
{
	struct owner other_network = web, other_interface = web;
	auto_pod_record struct pod_record r = { .n = 0 };
	struct err e;
	int seen = 0;

	test("another network, or interface, of the same container has not this one");
	other_network.network = "second";
	other_interface.ifname = "eth1";
	write_one(&web, NULL);
	eqi(find(&other_network, &r), 0);
	eqi(find(&other_interface, &r), 0);
	write_one(&other_interface, NULL);
	write_one(&other_network, NULL);
	ok(find(&web, &r) == 1);
	pod_record_done(&r);
	eqi(pod_record_each(&n.host, count, NULL, &seen, &e), 0);
	eqi(seen, 3);

	test("where the key of the names is another one it is found by its content");
	j.key[0] ^= 1;
	ok(find(&web, &r) == 1);
	pod_record_done(&r);
	j.key[0] ^= 1;
}

/* What no DEL could read. */
static void unreadable(void)
{
	json_auto_t *deep = json_array(), *many = json_array(), *call = NULL;
	struct pod_attachment one = { .definition = "apps/mv", .ifname = "net1" };
	struct pod_record r = { .owner = web, .boot_id = "boot-1", .list = &one, .n = 1 };
	struct err e = { .code = ERR_OK };

	test("one that is too deep, or has too much in it, to be read again is not written");
	node_sh(&n, "rm -f " NETWORKS "/*");
	for (int i = 0; i < 2046; i++)
		deep = json_pack("[o]", deep);
	call = json_pack("[{s:s, s:O}]", "type", "bridge", "x", deep);
	one.calls = call;
	eqi(pod_record_write(&n.host, &j, &r, &e), -1);
	eqi(e.code, ERR_NETCONF);
	for (int i = 0; i < 1000000; i++)
		(void)json_array_append_new(many, json_null());
	one.result = many;
	(void)json_object_del(json_array_get(call, 0), "x");
	eqi(pod_record_write(&n.host, &j, &r, &e), -1);
	eqi(e.code, ERR_NETCONF);
	ok(node_holds(&n, "-z \"$(ls " NETWORKS ")\""));
}

static void damage(void)
{
	auto_pod_record struct pod_record r = { .n = 0 };

	test("one that is torn is put aside, and counts as absent");
	node_sh(&n, "rm -f " NETWORKS "/*");
	write_one(&web, NULL);
	node_sh(&n, "for f in " NETWORKS "/*.json; do truncate -s 40 $f; done");
	eqi(find(&web, &r), 0);
	ok(node_holds(&n, "-e " NETWORKS "/*.json.damaged -a ! -e " NETWORKS "/*.json"));

	test("one that others may write is not read");
	write_one(&web, NULL);
	node_sh(&n, "chmod 666 " NETWORKS "/*.json");
	eqi(find(&web, &r), 0);

	test("so is one whose calls have no type, or that has no attachment");
	write_one(&web, NULL);
	node_sh(&n, "sed -i 's/\"type\":\"bridge\"/\"typo\":\"bridge\"/' " NETWORKS "/*.json");
	eqi(find(&web, &r), 0);
	write_one(&web, NULL);
	node_sh(&n, "sed -i 's/\"attachments\":.*],/\"attachments\":[],/' " NETWORKS "/*.json");
	eqi(find(&web, &r), 0);

	test("so is one with a network that is not NAMESPACE/NAME");
	write_one(&web, NULL);
	node_sh(&n, "sed -i 's,apps/mv,mv,' " NETWORKS "/*.json");
	eqi(find(&web, &r), 0);

	test("one of a later version is left alone, and its DEL is tried again later");
	write_one(&web, NULL);
	node_sh(&n, "sed -i 's/\"version\":1/\"version\":2/' " NETWORKS "/*.json");
	eqi(find(&web, &r), -ERR_TRY_AGAIN);
	ok(node_holds(&n, "-n \"$(grep '\"version\":2' " NETWORKS "/*.json)\""));
}

static void locked(void)
{
	const struct deadline soon = deadline_in(20);
	auto_journal struct journal second = { .dir = -1, .lock = -1 };
	struct owner other = web;
	struct err e;

	test("two calls of one container exclude each other, until one has closed its journal");
	eqi(pod_record_lock(&j, &web, &soon, &e), 0);
	ok(journal_open(&n.host, JOURNAL_CREATE, &second, &e) == 1);
	eqi(pod_record_lock(&second, &web, &soon, &e), -1);
	eqi(e.code, ERR_TRY_AGAIN);
	contains(e.msg, "the networks of container c0ffee");
	other.container_id = "beef";
	eqi(pod_record_lock(&second, &other, &soon, &e), 0);
	journal_done(&j);
	j = (struct journal){ .dir = -1, .lock = -1 };
	eqi(pod_record_lock(&second, &web, &(struct deadline){ .at_ms = INT64_MAX }, &e), 0);
}

static void life(void)
{
	struct pod_record r = { .owner = web, .boot_id = "boot-0" };
	struct err e;

	test("one of an earlier boot, or whose namespace is gone, is dead");
	eqi(pod_record_is_alive(&n.host, &r, &e), 0);
	memcpy(r.boot_id, "boot-1", 7);
	eqi(pod_record_is_alive(&n.host, &r, &e), 0);
}

int main(void)
{
	struct err e;

	node_open(NULL, &n);
	node_sh(&n, "mkdir -p proc/sys/kernel/random && "
		    "echo boot-1 >proc/sys/kernel/random/boot_id");
	if (journal_open(&n.host, JOURNAL_CREATE, &j, &e) != 1) {
		(void)printf("Bail out! %s: %s\n", e.msg, e.details);
		return 1;
	}
	round_trip();
	whose();
	unreadable();
	damage();
	locked();
	life();
	journal_done(&j);
	node_close(&n);
	return tap_end();
}
