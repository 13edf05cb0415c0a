/* SPDX-License-Identifier: Apache-2.0 */
/* test_journal.c - attachment records: round trips, searches, damage, locks */
#include "base/mem.h"
#include "devinfo/journal/journal.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake_node n;

static void sh(const char *command)
{
	node_sh(&n, command);
}

static bool holds(const char *condition)
{
	return node_holds(&n, condition);
}

static struct owner owner_of(const char *container_id)
{
	return (struct owner) {
		.network = "net",
		.container_id = container_id,
		.ifname = "net1",
		.netns = "/run/netns/p",
		.netns_dev = 4,
		.netns_ino = 4026532000,
		.netns_cookie = 4097,
	};
}

/* Everything that a record can hold of a VF. */
static struct record full_record(const char *container_id)
{
	return (struct record){
		.owner = owner_of(container_id),
		.boot_id = "b7d1",
		.device = "0000:01:10.0",
		.is_pci = true, .id_is_netdev = true,
		.unique_parent = true,
		.devinfo_dir = "/d",
		.run_dir = "/r",
		.netdev = {
			.present = true, .name = "enp1s0f0v0", .ifindex = 7, .bus = "pci",
			.parent = "0000:01:10.0", .addr = { 2, 0, 0, 0, 0, 0xff }, .addr_len = 6,
			.mtu = 1500, .txqlen = 3, .flags = 0x101, .alias = "a \xff b",
			.alt = { .n = 2, .more = true, .name = { "enp1s0f0v0", "\xff x" } },
			.settings = {
				.have = true, .flags = 0x1080,
				.link = { .group = 7, .mode = 1, .gso_max_size = 65536,
					  .gso_max_segs = 65535, .gro_max_size = 65537,
					  .gso_ipv4_max_size = 65538,
					  .gro_ipv4_max_size = UINT32_MAX },
				.napi = { .threaded = "1", .gro_flush_timeout = "20000",
					  .napi_defer_hard_irqs = "2" },
				.ethtool = {
					.has_features = true, .has_rules = true,
					.features = UINT64_C(1) << 62 | 5,
					.channels = { 1, 2 }, .channels_len = 36,
					.ring = { 3 }, .ring_len = 36,
					.coalesce = { 4 }, .coalesce_len = 92,
					.rules = { .bits = { 0x81 } },
				},
			},
		},
		.pod_ifindex = 9,
		.vf = {
			.have = VF_ALL, .mac = { 2, 1 }, .vlan = 100, .qos = 3, .proto = 0x88a8,
			.min_tx_rate = 1, .max_tx_rate = UINT32_MAX, .spoofchk = true,
			.trust = true,
			.link_state = VF_LINK_DISABLE,
		},
		.vf_set = VF_VLAN | VF_MAC,
		.known_clean = true,
		.reset = true,
		.driver = { .bound = "vfio-pci", .before = "iavf", .override = "x" },
		.device_info_file = "net-c0ffee_net1",
		.ipam_type = "host-local",
		.request = "{\"name\":\"net\"}",
	};
}

static void open_journal(struct journal *j)
{
	struct err e;

	if (journal_open(&n.host, JOURNAL_CREATE, j, &e) != 1) {
		(void)printf("Bail out! %s: %s\n", e.msg, e.details);
		exit(1);
	}
}

static void opening(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct err e;

	test("without a journal there is none to open, and none is made");
	ok(journal_open(&n.host, JOURNAL_UPDATE, &j, &e) == 0 && j.dir == -1);
	ok(holds("! -e var"));
	test("C-PRC-06: it is made private, even with umask 0");
	(void)umask(0);
	ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == 1 && j.dir >= 0 && j.lock >= 0);
	(void)umask(022);
	ok(holds("\"$(stat -c %a var/lib/cni/devinfo var/lib/cni/devinfo/attachments |"
		 " tr '\\n' ' ')\" = '700 700 '"));
	ok(holds("\"$(stat -c %a var/lib/cni/devinfo/lock)\" = 600"));
	journal_done(&j);
	ok(j.dir == -1 && j.lock == -1);
	test("then it can be opened without making it");
	ok(journal_open(&n.host, JOURNAL_UPDATE, &j, &e) == 1);
	journal_done(&j);
	test("a file where its directory should be is an error");
	sh("touch file");
	n.host.set.state_dir = "/file";
	ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == -1 && e.code == ERR_IO);
	ok(journal_open(&n.host, JOURNAL_UPDATE, &j, &e) == 0);
	n.host.set.state_dir = settings_default.state_dir;
}

static void round_trip(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_record struct record r = { 0 };
	struct record w = full_record("c0ffee");
	struct owner none = owner_of("other");
	json_auto_t *first = NULL, *again = NULL;
	struct err e;

	open_journal(&j);
	test("a record that was written is found by its owner, the same in every part");
	ok(journal_write(&j, &w, &e) == 0);
	ok(journal_find(&j, &w.owner, &r, &e) == 1);
	ok(owner_equal(&r.owner, &w.owner) && r.owner.netns_dev == 4 &&
	   r.owner.netns_ino == 4026532000);
	eq(r.owner.netns, w.owner.netns);
	eq(r.boot_id, w.boot_id);
	eq(r.device, w.device);
	ok(r.is_pci && r.id_is_netdev && r.unique_parent && !r.released && r.pod_ifindex == 9 &&
	   r.owner.netns_cookie == 4097);
	eq(r.devinfo_dir, "/d");
	eq(r.run_dir, "/r");
	again = record_to_json(&r);
	first = record_to_json(&w);
	ok(json_equal(again, first));
	ok(r.vf.have == w.vf.have && memcmp(r.vf.mac, w.vf.mac, sizeof(w.vf.mac)) == 0 &&
	   r.vf.vlan == 100 && r.vf.qos == 3 && r.vf.proto == 0x88a8 && r.vf.min_tx_rate == 1 &&
	   r.vf.max_tx_rate == UINT32_MAX && r.vf.spoofchk && r.vf.trust &&
	   r.vf.link_state == VF_LINK_DISABLE);
	ok(r.vf_set == w.vf_set);
	ok(memcmp(&r.netdev.alt, &w.netdev.alt, sizeof(r.netdev.alt)) == 0);
	ok(memcmp(&r.netdev.settings, &w.netdev.settings, sizeof(r.netdev.settings)) == 0);
	ok(r.known_clean && r.reset);
	eq(r.driver.bound, "vfio-pci");
	eq(r.driver.before, "iavf");
	eq(r.driver.override, "x");
	eq(r.device_info_file, w.device_info_file);
	eq(r.ipam_type, w.ipam_type);
	eq(r.request, w.request);
	record_done(&r);
	ok(!r.doc);

	test("C-PRC-06: it is a private file");
	ok(holds("\"$(stat -c %a var/lib/cni/devinfo/attachments/*)\" = 600"));
	test("it is found by its device, and by nobody else's name");
	ok(journal_find_device(&j, "0000:01:10.0", &r, &e) == 1);
	record_done(&r);
	ok(journal_find_device(&j, "0000:01:10.1", &r, &e) == 0);
	ok(journal_find_device(&j, "0000:01:10", &r, &e) == 0);
	ok(journal_find(&j, &none, &r, &e) == 0 && !r.doc);

	test("a released record keeps its owner but owns no device");
	w.released = true;
	ok(journal_write(&j, &w, &e) == 0);
	ok(journal_find_device(&j, "0000:01:10.0", &r, &e) == 0);
	ok(journal_find(&j, &w.owner, &r, &e) == 1 && r.released);
	record_done(&r);

	test("C-DEL-02: it can be removed, and removed again");
	ok(journal_remove(&j, &w, &e) == 0 && journal_remove(&j, &w, &e) == 0);
	ok(journal_find(&j, &w.owner, &r, &e) == 0);
	ok(holds("-z \"$(ls -A var/lib/cni/devinfo/attachments)\""));
}

static void small_record(void)
{
	json_t *deep = json_array();
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_record struct record r = { 0 };
	struct record w = {
		.owner = owner_of("c1"),
		.boot_id = "b",
		.device = "veth0",
		.devinfo_dir = "/d",
		.run_dir = "/r",
	};
	struct err e;

	open_journal(&j);
	test("a record may hold nothing but an owner and a device");
	ok(journal_write(&j, &w, &e) == 0 && journal_find_device(&j, "veth0", &r, &e) == 1);
	ok(!r.netdev.present && r.vf.have == 0 && !r.device_info_file && !r.ipam_type &&
	   !r.request);
	ok(journal_remove(&j, &w, &e) == 0);
	test("it may know a driver that only a reset takes away");
	(void)snprintf(w.driver.before, sizeof(w.driver.before), "iavf");
	record_done(&r);
	ok(journal_write(&j, &w, &e) == 0 && journal_find_device(&j, "veth0", &r, &e) == 1);
	ok(!r.reset && !r.known_clean && !*r.driver.bound);
	eq(r.driver.before, "iavf");
	ok(journal_remove(&j, &w, &e) == 0);
	test("a record with a text that is not UTF-8 is refused before anything is done");
	w.owner.netns = "/run/\xff";
	ok(journal_write(&j, &w, &e) == -1 && e.sys == EILSEQ);
	w = full_record("c1");
	w.ipam_type = "ipam\xff";
	ok(journal_write(&j, &w, &e) == -1 && e.sys == EILSEQ);
	w = full_record("c1");
	(void)snprintf(w.netdev.name, sizeof(w.netdev.name), "v\xe9");
	ok(journal_write(&j, &w, &e) == -1 && e.sys == EILSEQ);
	ok(holds("-z \"$(ls -A var/lib/cni/devinfo/attachments)\""));
	test("so is one that no call could read again, and what was there stays");
	record_done(&r);
	w = full_record("c1");
	ok(journal_write(&j, &w, &e) == 0);
	w.socket = (struct socket_state) {
		.path = "/run/s/c1/a.sock",
		.root = "/run/s",
		.dir = "c1",
		.linked = "/ovs/sub//dv1",
	};
	ok(journal_write(&j, &w, &e) == -1 && e.code == ERR_IO);
	contains(e.msg, "write the journal record of 0000:01:10.0: socket: bad path");
	ok(journal_find(&j, &w.owner, &r, &e) == 1 && j.damaged == 0 && !*r.socket.path);
	record_done(&r);
	(void)strcpy(w.socket.linked, "/ovs/sub/dv1");
	ok(journal_write(&j, &w, &e) == 0 && journal_find(&j, &w.owner, &r, &e) == 1);
	eq(r.socket.linked, "/ovs/sub/dv1");
	ok(journal_remove(&j, &w, &e) == 0);
	test("nor what is nested too deep for its reader, as another plugin's result may be");
	for (int depth = 0; depth < 2047; depth++)
		deep = json_pack("[o]", deep);
	w.delegates_left = 1;
	w.request = "{}";
	w.chain_result = json_pack("{s:o}", "x", deep);
	ok(journal_write(&j, &w, &e) == -1 && e.code == ERR_IO);
	ok(holds("-z \"$(ls -A var/lib/cni/devinfo/attachments)\""));
	json_decref((json_t *)(uintptr_t)w.chain_result);
}

static void owners(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_record struct record r = { 0 };
	struct record a = full_record("a"), b = full_record("a");
	struct err e;

	open_journal(&j);
	test("C-DEL-15: attachments whose joined names read alike share nothing");
	a.owner.network = "x-y";
	a.owner.container_id = "z";
	b.owner.network = "x";
	b.owner.container_id = "y-z";
	ok(!owner_equal(&a.owner, &b.owner));
	ok(journal_write(&j, &a, &e) == 0);
	ok(journal_find(&j, &b.owner, &r, &e) == 0);
	ok(journal_write(&j, &b, &e) == 0);
	ok(holds("\"$(ls var/lib/cni/devinfo/attachments | wc -l)\" = 2"));
	ok(journal_remove(&j, &b, &e) == 0 && journal_find(&j, &a.owner, &r, &e) == 1);
	eq(r.owner.network, "x-y");
	record_done(&r);
	ok(journal_remove(&j, &a, &e) == 0);
	test("each of network, container and interface tells owners apart");
	b = a;
	b.owner.ifname = "net2";
	ok(!owner_equal(&a.owner, &b.owner));
	b = a;
	b.owner.container_id = "zz";
	ok(!owner_equal(&a.owner, &b.owner));
	b = a;
	b.owner.netns = "/elsewhere";
	ok(owner_equal(&a.owner, &b.owner));
}

static int count(const struct record *r, void *arg, struct err *e)
{
	(void)e;
	++*(int *)arg;
	return strcmp(r->owner.container_id, "stop") == 0 ? 5 : 0;
}

static void walking(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("one"), v = full_record("two"), stop = full_record("stop");
	struct err e;
	int seen = 0;

	open_journal(&j);
	test("every record is visited, other files are not");
	ok(journal_write(&j, &w, &e) == 0 && journal_write(&j, &v, &e) == 0);
	sh("cd var/lib/cni/devinfo/attachments && touch README .0123456789abcdef.tmp x@y.json");
	ok(journal_each(&j, count, &seen, &e) == 0 && seen == 2 && j.damaged == 0);
	ok(holds("-e var/lib/cni/devinfo/attachments/README"));
	test("of devices whose names do not begin so, nothing is read");
	sh("cd var/lib/cni/devinfo/attachments && : >0123456789abcdef@sk0123456789ab.json");
	seen = 0;
	ok(journal_each_near(&j, "0000:", &w, count, &seen, &e) == 0 && seen == 2);
	ok(j.damaged == 0);
	ok(journal_each_near(&j, "0000:9", &w, count, &seen, &e) == 0 && seen == 2);
	ok(journal_each_near(&j, "sk", &w, count, &seen, &e) == 0 && seen == 2 && j.damaged == 1);
	test("a visit that is not 0 ends the walk");
	ok(journal_write(&j, &stop, &e) == 0 && journal_each(&j, count, &seen, &e) == 5);
	sh("cd var/lib/cni/devinfo/attachments && rm -f ..?* .[!.]* *");
}

/* The record's file cut off after every byte, and other damage that only a failing disk can do. */
static void damage(void)
{
	static const char *const edits[] = {
		": >r",
		"printf '[]' >r",
		"printf garbage >r",
		"head -c 4096 /dev/zero >r",
		"sed -i 's/\"version\":1,//' r",
		"sed -i 's/\"containerID\":\"[^\"]*\"/\"containerID\":\"..\"/' r",
		"sed -i 's/\"network\":\"net\",//' r",
		"sed -i 's/\"ifname\":\"net1\"/\"ifname\":\"a b\"/' r",
		"sed -i 's/\"ifindex\":7/\"ifindex\":0/' r",
		"sed -i 's/0200000000ff/02000000000/' r",
		"sed -i 's/0200000000ff/0200000000zz/' r",
		"sed -i 's/\"device\":\"[^\"]*\"/\"device\":\"x\"/' r",
		"sed -i 's/\"request\":\"[^}]*}\"/\"request\":null/' r",
		"sed -i 's/net-c0ffee_net1/..\\/..\\/etc\\/passwd/' r",
		"sed -i 's/\"vlan\":100/\"vlan\":5000/' r",
		"sed -i 's/\"netdev\":{/\"netdev\":{\"mtu\":-1,/' r",
		"sed -i 's/enp1s0f0v0/enp1s0f0v0-much-too-long/' r",
		"sed -i 's/\"driver\":\"vfio-pci\"/\"driver\":\"..\"/' r",
		"sed -i 's/\"driverBefore\":\"iavf\"/\"driverBefore\":\"a\\/b\"/' r",
		"sed -i 's/\"altnames\":\\[/&\"zz\",/' r",
		"sed -i 's/\"altnames\":\\[/&\"\",/' r",
		"sed -i 's/\"altnames\":\\[/&\"61\",\"62\",\"63\",\"64\",\"65\",\"66\",\"67\",/' r",
		"sed -i 's/\"altnames\":\\[/&7,/' r",
	};
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee");
	struct err e;

	open_journal(&j);
	test("C-DEL-13: a damaged record is counted, put aside and no error");
	sh("ln -s var/lib/cni/devinfo/attachments a");
	for (size_t i = 0; i < ARRAY_SIZE(edits); i++) {
		auto_record struct record r = { 0 };
		auto_free char *edit = NULL;

		if (journal_write(&j, &w, &e) < 0 ||
		    asprintf(
			    &edit,
			    "f=a/$(ls a) && mv \"$f\" r && cp r r.old && %s && ! cmp -s r r.old && "
			    "mv r \"$f\" && rm r.old",
			    edits[i]) < 0)
			exit(1);
		sh(edit);
		j.damaged = 0;
		ok(journal_find(&j, &w.owner, &r, &e) == 0 && j.damaged == 1);
		if (j.damaged != 1)
			(void)printf("#  %s\n", edits[i]);
		ok(holds("\"$(ls -A a | sed 's/.*@//')\" = 0000:01:10.0.json.damaged"));
		sh("rm a/*");
	}
}

static struct journal_bad told;
static int times_told;

static void tell(const struct journal_bad *bad)
{
	told = *bad;
	times_told++;
}

static int keep_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	(void)e;
	++*(int *)arg;
	told = *bad;
	return 0;
}

/* A damaged record: told once, kept, its device refused, others not disturbed. */
static void aside(void)
{
	static const char *const edits[] = {
		"truncate -s 120", "chmod 666", "chmod 620", "chown 65534",
	};
	auto_journal struct journal j = { .dir = -1, .lock = -1 }, reader = j;
	struct record w = full_record("c0ffee"), other = full_record("c1");
	struct err e = { 0 };
	int seen, bad;

	(void)snprintf(other.device, sizeof(other.device), "0000:01:10.1");
	open_journal(&j);
	ok(journal_open(&n.host, JOURNAL_READ, &reader, &e) == 1);
	journal_on_aside(tell);
	for (size_t i = 0; i < ARRAY_SIZE(edits); i++) {
		auto_record struct record r = { 0 };
		auto_free char *edit = NULL;

		ok(journal_write(&j, &w, &e) == 0 && journal_write(&j, &other, &e) == 0);
		ok(journal_check_device(&j, w.device, &e) == 0);
		ok(asprintf(&edit, "%s a/*10.0.json", edits[i]) > 0);
		sh(edit);
		seen = bad = times_told = 0;
		test("a reader puts nothing aside, and names device and owner");
		ok(journal_each_bad(&reader, keep_bad, &bad, &e) == 0 && bad == 1);
		eq(told.device, "0000:01:10.0");
		eq(told.container_id, i == 0 ? "c0ffee" : "");
		ok(journal_find(&reader, &w.owner, &r, &e) == 0 && reader.damaged > 0);
		ok(journal_check_device(&reader, w.device, &e) == -1 && e.code == ERR_BUSY);
		ok(holds("-e a/*10.0.json") && times_told == 0);
		test("a walk puts it aside, says so once, and goes on");
		ok(journal_each(&j, count, &seen, &e) == 0 && seen == 1 && times_told == 1);
		ok(journal_each(&j, count, &seen, &e) == 0 && seen == 2 && times_told == 1);
		eq(told.device, "0000:01:10.0");
		ok(strlen(told.file) > 30 && strstr(told.file, "@0000:01:10.0.json.damaged"));
		ok(holds("-e a/*10.0.json.damaged -a ! -e a/*10.0.json"));
		test("its device is given to nobody, and the error names file, owner and remedy");
		ok(journal_check_device(&j, w.device, &e) == -1 && e.code == ERR_BUSY);
		ok(strstr(e.msg, "device 0000:01:10.0 is not given away: its record '") &&
		   strstr(e.msg, "@0000:01:10.0.json.damaged' is damaged"));
		contains(e.details, "remove the file");
		ok(journal_check_device(&j, "0000:01:10", &e) == 0);
		ok(journal_check_device(&j, other.device, &e) == 0);
		test("its owner is told that there is one, each time");
		j.damaged = 0;
		ok(journal_find(&j, &w.owner, &r, &e) == 0 && j.damaged == 1);
		sh("rm a/*");
	}
	journal_on_aside(NULL);
}

/* Reading failed, which says nothing of the record: the next try may do better. */
static void unread(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_record struct record r = { 0 };
	struct record w = full_record("c0ffee");
	struct rlimit all = { 0 }, few;
	struct err e;
	int fd;

	open_journal(&j);
	test("an error of reading is an error, and no damage");
	ok(journal_write(&j, &w, &e) == 0 && getrlimit(RLIMIT_NOFILE, &all) == 0);
	fd = dup(0);
	(void)close(fd);
	few = all;
	few.rlim_cur = (rlim_t)fd + 1;	/* one more: the directory's */
	ok(setrlimit(RLIMIT_NOFILE, &few) == 0);
	ok(journal_find(&j, &w.owner, &r, &e) == -1 && e.sys == EMFILE && j.damaged == 0);
	ok(setrlimit(RLIMIT_NOFILE, &all) == 0);
	ok(journal_find(&j, &w.owner, &r, &e) == 1);
	sh("rm a/*");
}

/* What others may write is not believed. */
static void not_ours(void)
{
	static const char *const dirs[] = { ".", "attachments", "lock" };
	static const char *const hows[] = { "chmod g+w", "chmod o+w", "chown 65534" };
	auto_free char *command = NULL;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) * ARRAY_SIZE(hows); i++) {
		const char *dir = dirs[i / ARRAY_SIZE(hows)], *how = hows[i % ARRAY_SIZE(hows)];
		bool lock = strcmp(dir, "lock") == 0;
		auto_journal struct journal j = { .dir = -1, .lock = -1 };

		test("a journal whose directories or lock others may write is refused");
		free(command);
		ok(asprintf(&command, "cd var/lib/cni/devinfo && touch lock && %s %s", how,
			    dir) > 0);
		sh(command);
		ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == -1 && e.code == ERR_PERMISSION);
		ok(strncmp(e.msg, "journal: '", 10) == 0 && strstr(e.msg, "must be root's"));
		ok(journal_open(&n.host, JOURNAL_UPDATE, &j, &e) == -1 && e.code == ERR_PERMISSION);
		ok(journal_open(&n.host, JOURNAL_READ, &j, &e) == (lock ? 1 : -1));
		sh("cd var/lib/cni/devinfo && chown 0 . * && chmod 700 . attachments && "
		   "chmod 600 lock");
	}
}

/* Names of records are hashes of owners, of which two may be the same. */
static void same_name(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee"), r = { 0 };
	struct err e;

	open_journal(&j);
	test("another owner's record under an owner's name is not that one's");
	ok(journal_write(&j, &w, &e) == 0);
	sh("sed -i 's/\"containerID\":\"c0ffee\"/\"containerID\":\"c1\"/' a/*10.0.json && "
	   "grep -q '\"c1\"' a/*10.0.json");
	ok(journal_get(&j, &w, &r, &e) == 0 && !r.doc && !*r.device);
	ok(journal_find(&j, &w.owner, &r, &e) == 0 && !r.doc && !*r.device);
	ok(j.damaged == 0);
	sh("rm a/*10.0.json");
}

/* -- the hash in the name -- */

#define BEFORE	"a/3371cfe893fca213@0000:01:10.0.json"	/* of either, without a key: FNV-1a */
#define RECORDS	"$(ls a | wc -l)"
#define INDEX	"var/lib/cni/devinfo/index"

static const struct owner victim = {
	.network = "net", .container_id = "c0ffee", .ifname = "net1", .netns = "/n",
}, evil = {
	.network = "net", .container_id = "evil3shVP2SyVSwWig", .ifname = "net1", .netns = "/n",
};

static struct record record_of(const struct owner *o)
{
	struct record r = full_record("");

	r.owner = *o;
	return r;
}

static bool finds_its(struct journal *j, const struct owner *o)
{
	auto_record struct record r = { 0 };
	struct err e;

	return journal_find(j, o, &r, &e) == 1 && owner_equal(&r.owner, o);
}

static void preimage(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 }, k = j;
	struct record w = record_of(&victim), x = record_of(&evil);
	struct deadline soon = deadline_in(30), later = deadline_in(10000);
	struct err e;

	test("who chooses a name for its hash gets no other attachment's file, nor its lock");
	open_journal(&j);
	open_journal(&k);
	w.released = true;		/* its lease is left, and x has the device since */
	ok(journal_write(&j, &w, &e) == 0 && journal_write(&j, &x, &e) == 0);
	ok(holds(RECORDS " = 2") && finds_its(&j, &victim) && finds_its(&j, &evil));
	ok(journal_remove(&j, &x, &e) == 0 && finds_its(&j, &victim) && !finds_its(&j, &evil));
	ok(journal_lock_attachment(&j, &victim, &later, &e) == 0);
	ok(journal_lock_attachment(&k, &evil, &soon, &e) == 0);
	ok(journal_remove(&j, &w, &e) == 0 && holds(RECORDS " = 0"));
}

/* Each of both in a file of the other's name, too. */
static void names_before(void)
{
	static const char *const looks[] = { "true", "touch -d '1 hour ago' a" };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(looks); i++) {
		const struct owner *one = i % 2 ? &victim : &evil, *two = i % 2 ? &evil : &victim;
		auto_journal struct journal j = { .dir = -1, .lock = -1 };
		auto_record struct record r = { 0 }, again = { 0 };
		struct record w = record_of(one), x = record_of(two);
		struct err e;

		test("a record of the version before is found, stays, and is nobody else's");
		open_journal(&j);
		ok(journal_write(&j, &w, &e) == 0);
		journal_done(&j);
		sh("mv a/*@0000:01:10.0.json " BEFORE);
		sh(looks[i / 2]);
		open_journal(&j);
		ok(finds_its(&j, one) && !finds_its(&j, two));
		ok(journal_write(&j, &x, &e) == 0 && holds(RECORDS " = 2"));
		ok(finds_its(&j, one) && finds_its(&j, two));
		ok(journal_find(&j, one, &r, &e) == 1);
		eq(r.file, &BEFORE[2]);
		r.released = true;
		ok(journal_write(&j, &r, &e) == 0 && holds(RECORDS " = 2"));
		ok(journal_get(&j, &r, &again, &e) == 1 && again.released);
		ok(journal_remove(&j, &x, &e) == 0 && finds_its(&j, one) && !finds_its(&j, two));
		ok(journal_remove(&j, &r, &e) == 0 && !finds_its(&j, one) && holds(RECORDS " = 0"));
	}
}

static void key_lost(void)
{
	static const char *const looks[] = { "true", "touch -d '1 hour ago' a", ("rm -r " INDEX) };

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		auto_journal struct journal j = { .dir = -1, .lock = -1 }, reader = j;
		auto_record struct record r = { 0 };
		struct record w = record_of(&victim);
		struct err e;

		test("a record whose key was lost is found, written and removed");
		open_journal(&j);
		ok(journal_write(&j, &w, &e) == 0 && finds_its(&j, &victim));
		journal_done(&j);
		sh("rm var/lib/cni/devinfo/lock");
		sh(looks[i]);
		ok(journal_open(&n.host, JOURNAL_READ, &reader, &e) == 1 && reader.look <= 0);
		ok(finds_its(&reader, &victim) && !finds_its(&reader, &evil));
		open_journal(&j);
		ok(finds_its(&j, &victim) && !finds_its(&j, &evil));
		ok(journal_get(&j, &w, &r, &e) == 1);
		ok(journal_write(&j, &r, &e) == 0 && holds(RECORDS " = 1"));
		ok(journal_remove(&j, &r, &e) == 0 && holds(RECORDS " = 0"));
	}
}

/* However it came there. */
static void not_written_over(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = record_of(&victim);
	struct err e;

	open_journal(&j);
	test("another owner's record is neither written over nor removed, whatever its name");
	ok(journal_write(&j, &w, &e) == 0);
	sh("sed -i 's/\"containerID\":\"c0ffee\"/\"containerID\":\"c1\"/' a/* && cp -a a/* it");
	ok(journal_write(&j, &w, &e) == -1 && e.code == ERR_BUSY);
	contains(e.msg, "is the record of another attachment");
	ok(journal_remove(&j, &w, &e) == 0 && holds("-z \"$(cmp a/*.json it)\""));
	ok(holds("-z \"$(find a -name '.*')\""));
	test("nor is one that is torn, as long as it tells whose it is");
	sh("truncate -s 300 a/* && cp a/* it");
	ok(journal_write(&j, &w, &e) == -1 && e.code == ERR_BUSY);
	ok(journal_remove(&j, &w, &e) == 0 && holds("-z \"$(cmp a/*.json it)\""));
	sh("rm a/* it");
}

/* The hash is all that is known of it then, and of another's it is not even that. */
static void silent(void)
{
	static const char *const looks[] = { "true", "touch -d '1 hour ago' a" };

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		auto_journal struct journal j = { .dir = -1, .lock = -1 };
		auto_record struct record r = { 0 };
		struct record w = record_of(&victim);
		struct err e;

		test("a record of which nothing can be read is damaged for its owner alone");
		open_journal(&j);
		ok(journal_write(&j, &w, &e) == 0);
		journal_done(&j);
		sh("for f in a/*; do : >$f; done; rm -rf " INDEX "/*");
		sh(looks[i]);
		open_journal(&j);
		ok(journal_find(&j, &evil, &r, &e) == 0 && j.damaged == 0);
		ok(journal_find(&j, &victim, &r, &e) == 0 && j.damaged == 1);
		ok(journal_find(&j, &victim, &r, &e) == 0 && j.damaged == 2);
		sh("rm a/*");
	}
}

static void another_version(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_record struct record r = { 0 };
	struct record w = full_record("c0ffee"), other = full_record("c1");
	int seen = 0, bad = 0;
	struct err e;

	(void)snprintf(other.device, sizeof(other.device), "0000:01:10.1");
	open_journal(&j);
	test("a record of another version is left alone, and only its owner waits for that");
	ok(journal_write(&j, &w, &e) == 0 && journal_write(&j, &other, &e) == 0);
	sh("sed -i 's/\"version\":1/\"version\":2/' a/*10.0.json");
	ok(journal_find(&j, &w.owner, &r, &e) == -1 && e.code == ERR_TRY_AGAIN);
	contains(e.msg, "@0000:01:10.0.json': it is of version 2, this program writes 1");
	ok(journal_get(&j, &w, &r, &e) == -1 && e.code == ERR_TRY_AGAIN);
	ok(journal_find(&j, &other.owner, &r, &e) == 1);
	test("no walk minds it, its device is given to nobody");
	ok(journal_each(&j, count, &seen, &e) == 0 && seen == 1 && j.damaged == 0);
	ok(journal_find_device(&j, w.device, &r, &e) == 0);
	ok(journal_check_device(&j, w.device, &e) == -1 && e.code == ERR_BUSY &&
	   strstr(e.msg, "is of another version"));
	ok(journal_check_device(&j, other.device, &e) == 0);
	ok(journal_each_bad(&j, keep_bad, &bad, &e) == 0 && bad == 1 && told.version == 2);
	bad = 0;
	ok(journal_each_any(&j, count, keep_bad, &bad, &e) == 0 && bad == 2 &&
	   told.version == 2);
	eq(told.container_id, "c0ffee");
	ok(holds("-e a/*10.0.json"));
	sh("rm a/*");
}

static void truncation(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee");
	char name[300] = "";
	unsigned int bad = 0;
	struct stat st;
	struct err e;
	FILE *f;

	open_journal(&j);
	test("R-10: a record cut off after any byte is put aside");
	ok(journal_write(&j, &w, &e) == 0);
	(void)snprintf(name, sizeof(name), "ls %s/a/*", n.dir);
	f = popen(name, "r");
	ok(f && fgets(name, sizeof(name), f) && pclose(f) == 0);
	name[strcspn(name, "\n")] = '\0';
	ok(stat(name, &st) == 0 && st.st_size > 400);
	for (off_t len = 0; len < st.st_size - 2; len++) {	/* the last two are "}\n" */
		auto_record struct record r = { 0 };

		if (journal_write(&j, &w, &e) < 0 || truncate(name, len) < 0 ||
		    journal_find(&j, &w.owner, &r, &e) != 0 || access(name, F_OK) == 0)
			bad++;
	}
	ok(bad == 0 && holds("\"$(ls -A a | sed 's/.*@//')\" = 0000:01:10.0.json.damaged"));
	sh("rm a/*");
}

static void hostile(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_record struct record r = { 0 };
	struct record w = full_record("c0ffee");
	struct err e;

	open_journal(&j);
	test("a record that is a link is not followed");
	ok(journal_write(&j, &w, &e) == 0);
	sh("f=$(ls a) && mv \"a/$f\" moved && ln -s \"$PWD/moved\" \"a/$f\"");
	ok(journal_find(&j, &w.owner, &r, &e) == 0 && !r.doc && holds("-e moved"));
	ok(holds("-L a/*.json.damaged") && j.damaged == 1);
	sh("rm a/*");
	test("a record of the right name but another owner is not ours");
	ok(journal_write(&j, &w, &e) == 0);
	sh("sed -i s/c0ffee/c0ffef/ a/*");
	ok(journal_find(&j, &w.owner, &r, &e) == 0);
	sh("rm a/*");
}

static void locks(void)
{
	auto_journal struct journal a = { .dir = -1, .lock = -1 }, b = { .dir = -1, .lock = -1 };
	struct deadline soon = deadline_in(30), later = deadline_in(10000);
	struct owner one = owner_of("one"), two = owner_of("two");
	struct err e;

	open_journal(&a);
	open_journal(&b);
	test("C-CON-07: an attachment, and a device, is locked for one call at a time");
	ok(journal_lock_attachment(&a, &one, &later, &e) == 0);
	ok(journal_lock_attachment(&b, &two, &later, &e) == 0);
	ok(journal_lock_attachment(&b, &one, &soon, &e) == -1 && e.code == ERR_TRY_AGAIN);
	begins(e.msg, "attachment net1 of container one: lock ");
	ok(journal_lock_device(&a, "0000:01:10.0", &later, &e) == 0);
	ok(journal_lock_device(&b, "0000:01:10.0", &soon, &e) == -1 && e.code == ERR_TRY_AGAIN);
	journal_unlock_device(&a, "0000:01:10.0");
	ok(journal_lock_device(&b, "0000:01:10.0", &later, &e) == 0);
	test("the locks go with the journal's descriptor");
	journal_done(&a);
	ok(journal_lock_attachment(&b, &one, &later, &e) == 0);
}

static void boots(void)
{
	char id[40] = "";
	struct err e;

	test("the boot's id is the kernel's");
	ok(journal_boot_id(&n.host, id, &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "read the boot id");
	sh("mkdir -p proc/sys/kernel/random &&"
	   " echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >proc/sys/kernel/random/boot_id");
	ok(journal_boot_id(&n.host, id, &e) == 0);
	eq(id, "6b1e7a2c-58a5-4d0b-9a4e-000000000001");
}

static int remove_all(const struct journal_bad *bad, void *arg, struct err *e)
{
	(void)bad, (void)e;
	++*(int *)arg;
	sh("rm a/*");
	return 0;
}

static void vanishing(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee");
	struct err e = { 0 };
	int seen = 0;

	test("a damaged record that goes during a walk is none, and no error");
	open_journal(&j);
	ok(journal_write(&j, &w, &e) == 0);
	w.owner.ifname = "net2";
	ok(journal_write(&j, &w, &e) == 0);
	sh("for f in a/*; do echo >$f; done");
	ok(journal_each_bad(&j, remove_all, &seen, &e) == 0 && seen == 1);
}

/* -- the index -- */

#define SETTLE	"touch -d '1 hour ago' a"
#define ENTRIES	"$(find i/ -type f | wc -l)"

static bool is_whole(const struct journal *j)
{
	return index_is_whole(&j->index);
}

static bool finds(struct journal *j, const char *device)
{
	auto_record struct record r = { 0 };
	struct err e;

	return journal_find_device(j, device, &r, &e) == 1;
}

/* By whichever of its words: each is an entry, and goes with the record. */
static void words(struct journal *j)
{
	static const char *const names[] = { "0000:01:10.0", "enp1s0f0v0", "given" };
	auto_record struct record r = { 0 };
	struct record w = full_record("c0ffee");
	struct err e;
	int seen;

	test("a record is found by owner, device, id, network device and device-info file");
	w.device_id = "given";
	ok(journal_write(j, &w, &e) == 0 && is_whole(j));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		seen = 0;
		ok(journal_each_called(j, &names[i], 1, count, &seen, &e) == 0 && seen == 1);
	}
	ok(journal_find(j, &w.owner, &r, &e) == 1 && finds(j, w.device));
	seen = 0;
	ok(journal_each_info(j, w.device_info_file, count, &seen, &e) == 0 && seen == 1);
	ok(journal_each_info(j, "another", count, &seen, &e) == 0 && seen == 1);
	ok(holds(ENTRIES " = 5") && journal_write(j, &w, &e) == 0 && holds(ENTRIES " = 5"));
	test("nothing of it stays");
	ok(journal_remove(j, &w, &e) == 0 && holds(ENTRIES " = 0") && is_whole(j));
}

/* That its file is damaged or of another version, by any of its names. */
static void bad_words(void)
{
	static const char *const edits[] = {
		"for f in a/*.json; do truncate -s 120 $f; done",
		"for f in a/*.json; do sed s/:1,/:2,/ $f >x; cat x >$f; done",
	};
	static const char *const names[] = { "0000:01:10.0", "enp1s0f0v0" }, *const other = "x";
	struct record w = full_record("c0ffee");
	struct err e = { 0 };
	int seen = 0;

	for (size_t i = 0; i < ARRAY_SIZE(edits) * ARRAY_SIZE(names); i++) {
		const char *const *name = &names[i / ARRAY_SIZE(edits)];

		auto_journal struct journal j = { .dir = -1, .lock = -1 };

		test("the device of a record that cannot be used is refused by each of its names");
		open_journal(&j);
		ok(!finds(&j, "x") && journal_write(&j, &w, &e) == 0);
		sh(edits[i % ARRAY_SIZE(edits)]);
		ok(is_whole(&j) && !finds(&j, w.device) && is_whole(&j));
		ok(journal_check_device(&j, w.device, &e) == -1 && e.code == ERR_BUSY);
		ok(journal_each_called(&j, name, 1, count, &seen, &e) == -1 && e.code == ERR_BUSY);
		ok(journal_each_called(&j, &other, 1, count, &seen, &e) == 0 && seen == 0);
		sh("rm a/*;" SETTLE);
	}
}

/* A DEL goes by it: then there is nothing else to be released. */
static void index_one(struct journal *j)
{
	struct record w = full_record("c0ffee"), other = full_record("c0ffee");
	char device[112] = "";
	struct err e;

	test("one file of an attachment, and its device, are known without reading it");
	ok(!journal_has_one(j, &w.owner, device));
	ok(journal_write(j, &w, &e) == 0 && journal_has_one(j, &w.owner, device));
	eq(device, w.device);
	other.owner.container_id = "c1";
	ok(!journal_has_one(j, &other.owner, device));
	test("not with a second one, or one that tells its owner by nothing but its name");
	other.owner.container_id = "c0ffee";
	(void)snprintf(other.device, sizeof(other.device), "0000:01:10.1");
	ok(journal_write(j, &other, &e) == 0 && !journal_has_one(j, &w.owner, device));
	sh("truncate -s 0 a/*10.1.json && touch -d 1990-01-01 a");
	journal_done(j);
	open_journal(j);
	ok(!finds(j, "x") && !journal_has_one(j, &w.owner, device));
	sh("rm a/*;" SETTLE);
}

static void index_stale(struct journal *j)
{
	struct record w = full_record("c0ffee");
	struct err e;

	test("entries that lead to nothing are taken away when they are come by, or all at once");
	ok(journal_write(j, &w, &e) == 0 && journal_remove(j, &w, &e) == 0);
	sh("mkdir -p save && cp -a i/. save");
	ok(journal_write(j, &w, &e) == 0);
	sh("cp -a i/. save");
	ok(journal_remove(j, &w, &e) == 0 && holds(ENTRIES " = 0"));
	sh("cp -a save/?? i");
	ok(!finds(j, w.device) && holds(ENTRIES " = 3"));	/* one is its parent, too */
	journal_tidy(j);
	ok(holds(ENTRIES " = 0") && is_whole(j));
}

/* Whoever removes it by hand makes the index untrusted for minutes. */
static void index_of_removed(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_record struct record r = { 0 };
	struct record w = full_record("c0ffee");
	size_t left = 0;
	struct err e;

	test("the entries of a damaged record that was removed go, though the index is not whole");
	sh("rm -rf a/* i/*;" SETTLE);
	open_journal(&j);
	ok(!finds(&j, "x") && journal_write(&j, &w, &e) == 0 && is_whole(&j));
	sh("for f in a/*.json; do echo >$f; done");
	ok(journal_find(&j, &w.owner, &r, &e) == 0 && holds("-e a/*.damaged") && is_whole(&j));
	journal_tidy(&j);
	ok(holds(ENTRIES " = 4"));
	sh("rm a/*");
	ok(!is_whole(&j) && journal_count_left(&j, &left, &e) == 0 && left == 4);
	journal_tidy(&j);
	ok(holds(ENTRIES " = 0") && journal_count_left(&j, &left, &e) == 0 && left == 0);
	test("and those of a record that is there stay");
	ok(journal_write(&j, &w, &e) == 0 && !is_whole(&j));
	journal_tidy(&j);
	ok(holds(ENTRIES " = 4") && journal_remove(&j, &w, &e) == 0);
}

/* Whoever does not know of the index, a person or the version before. */
static void index_foreign(void)
{
	static const char *const changes[] = {
		"cp a/*10.0.json a/0000000000000000@eth9.json", "touch a/x",
		"rm -r i/*; rmdir var/lib/cni/devinfo/index", "rm -r i/*",
		"echo another >proc/sys/kernel/random/boot_id",
		"cd var/lib/cni/devinfo; cp -a attachments b; rm -r attachments; mv b attachments",
	};
	struct record w = full_record("c0ffee"), other = full_record("c1");
	struct err e;

	(void)snprintf(other.device, sizeof(other.device), "0000:01:10.1");
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		auto_journal struct journal j = { .dir = -1, .lock = -1 }, k = j;

		test("what somebody else has changed makes it untrusted until all is read again");
		sh("rm -rf a/* i/*;" SETTLE);
		open_journal(&j);
		ok(journal_write(&j, &w, &e) == 0 && finds(&j, w.device));
		sh(SETTLE);
		journal_done(&j);
		open_journal(&j);
		ok(finds(&j, w.device) && is_whole(&j));
		sh(changes[i]);
		journal_done(&j);
		open_journal(&j);
		ok(!is_whole(&j) && finds(&j, w.device));
		ok(journal_write(&j, &other, &e) == 0 && finds(&j, other.device));
		sh(SETTLE);
		open_journal(&k);
		ok(finds(&k, other.device) && is_whole(&k) && finds(&k, w.device));
		sh("rm -f a/*");
	}
}

static void index_restored(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee");
	struct err e;

	test("a record that is restored with its directory's time is found");
	sh("rm -rf a/* i/* copy;" SETTLE);
	open_journal(&j);
	ok(!finds(&j, "x") && journal_write(&j, &w, &e) == 0 && is_whole(&j));
	sh("cp -a a/. copy");
	ok(journal_remove(&j, &w, &e) == 0 && is_whole(&j) && !finds(&j, w.device));
	journal_done(&j);
	sh("cp -a copy/. a");
	open_journal(&j);
	ok(!is_whole(&j) && finds(&j, w.device) && is_whole(&j));
	sh("rm a/*");
}

/* What is wrong with the index, which can be done without; its own time is as it was. */
static void index_broken(void)
{
	static const char *const changes[] = {
		"touch -r i/ x; for d in i/??; do rm -r $d; ln -s ${d#i/} $d; done;"
		"touch -r x i/",
		"chmod 0777 i/",
	};
	static const char *const name = "enp1s0f0v0";
	struct record w = full_record("c0ffee");
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		auto_journal struct journal j = { .dir = -1, .lock = -1 };
		auto_record struct record r = { 0 };
		int seen = 0;

		test("records are found without an index that is bad or not ours");
		sh("rm -rf a/* i/*;" SETTLE);
		open_journal(&j);
		ok(!finds(&j, "x") && journal_write(&j, &w, &e) == 0 && is_whole(&j));
		journal_done(&j);
		sh(changes[i]);
		ok(journal_open(&n.host, JOURNAL_UPDATE, &j, &e) == 1);
		ok(is_whole(&j) == (i == 0));
		ok(finds(&j, w.device) && journal_find(&j, &w.owner, &r, &e) == 1);
		ok(journal_each_called(&j, &name, 1, count, &seen, &e) == 0 && seen == 1);
		ok(journal_each_info(&j, w.device_info_file, count, &seen, &e) == 0 && seen == 2);
		sh("chmod 0700 i/; rm a/*");
	}
}

/* As an ADD that has waited for the lock in vain: its entries go before its record comes. */
static bool publishes(const struct index *x, const char *name)
{
	(void)x;
	(void)name;
	sh("touch a/x");
	return false;
}

static void index_beside(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee");
	struct err e;

	test("a sweep does not hide the change that was made while it ran");
	sh("rm -rf a/* i/*;" SETTLE);
	open_journal(&j);
	ok(!finds(&j, "x") && journal_write(&j, &w, &e) == 0 && is_whole(&j));
	index_sweep(&j.index, publishes);
	ok(!is_whole(&j) && holds(ENTRIES " = 0"));
	sh("rm a/*");
}

/* It may go by a link, which its file's name does not tell from another directory. */
static void index_bad_socket(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	char key[SOCKET_KEY_SIZE], command[SOCKET_KEY_SIZE + 64];
	struct err e;

	test("a damaged record of a socket is looked at by whoever has a socket");
	sh("rm -rf a/* i/*;" SETTLE);
	socket_state_key("/run/devinfo/links/0123/s", key);
	(void)snprintf(command, sizeof(command), "echo >'a/0123456789abcdef@%s.json'", key);
	sh(command);
	sh(SETTLE);
	open_journal(&j);
	ok(!finds(&j, "x") && is_whole(&j) && index_has_other(&j.index, "x", &e) == 1);
	sh("rm a/*");
}

static void index_tried(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee");
	struct journal copy;
	struct err e;

	test("a journal does not read all again to make it whole what a copy of it could not");
	sh("rm -rf a/* i/*; touch a");
	open_journal(&j);
	ok(journal_write(&j, &w, &e) == 0);
	copy = j;
	ok(finds(&copy, w.device) && !is_whole(&copy));
	sh(SETTLE);
	ok(finds(&j, w.device) && !is_whole(&j));
	sh("rm a/*");
}

static void index_tests(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record w = full_record("c0ffee");
	struct err e;

	sh("ln -s var/lib/cni/devinfo/index i; rm -rf a/* a/.0*");
	open_journal(&j);
	test("without a record it is whole at once, with one when that is old enough");
	ok(!is_whole(&j) && !finds(&j, "x") && is_whole(&j));
	sh("touch a");
	journal_done(&j);
	open_journal(&j);
	ok(journal_write(&j, &w, &e) == 0 && finds(&j, w.device) && !is_whole(&j));
	sh(SETTLE);
	ok(finds(&j, w.device) && !is_whole(&j));	/* this journal has tried it */
	journal_done(&j);
	open_journal(&j);
	ok(finds(&j, w.device) && is_whole(&j) && journal_remove(&j, &w, &e) == 0 && is_whole(&j));
	words(&j);
	index_stale(&j);
	index_one(&j);
	index_of_removed();
	bad_words();
	index_foreign();
	index_restored();
	index_broken();
	index_beside();
	index_bad_socket();
	index_tried();
}

int main(void)
{
	node_open(NULL, &n);
	opening();
	round_trip();
	small_record();
	owners();
	walking();
	damage();
	aside();
	unread();
	not_ours();
	same_name();
	another_version();
	truncation();
	hostile();
	locks();
	boots();
	vanishing();
	index_tests();
	preimage();
	names_before();
	key_lost();
	not_written_over();
	silent();
	node_close(&n);
	return tap_end();
}
