/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_torn.c - what others read while device-info and network-status are written
 *
 * Two write while two read as any program does, without a lock and without looking twice, each
 * until there were PAIRS of both.  The library of Multus was seen to give an empty or torn file in
 * nearly every second read.
 */
#include "base/jx.h"
#include "cni/call/status.h"
#include "devinfo/format/store.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>

enum { PAIRS = 20000, WRITERS = 2, READERS = 2 };

/* Written by several processes, each its own. */
static struct counts {
	volatile unsigned int written[WRITERS], read[READERS], bad[WRITERS + READERS];
} *counts;

static struct fake_node n;
static struct journal journal = { .dir = -1, .lock = -1 };
static char path[PATH_MAX];

/* -- device-info: the two write different documents, of which one is longer -- */

static char name[256];		/* of a network of 200 letters */
static json_t *documents[WRITERS];

/* Below the lock that an ADD has for the name. */
static bool write_info(unsigned int who, unsigned int round)
{
	auto_device_info struct device_info di = { 0 };
	struct deadline d = deadline_in(60000);
	struct err e;
	int r;

	(void)round;
	if (device_info_from_json(documents[who], "", &di, &e) < 0 ||
	    journal_lock_common(&journal, name, &d, &e) < 0)
		return false;
	r = store_write_cni(&n.host, name, &di, &e);
	journal_unlock_common(&journal, name);
	return r == 0;
}

static bool is_info(const json_t *read)
{
	return json_equal(read, documents[0]) || json_equal(read, documents[1]);
}

/* -- network-status: each has an attachment of its own in the sandbox -- */

/* Its mtu says how many addresses it has. */
static json_t *entry(unsigned int who, unsigned int round)
{
	json_t *ips = json_array();

	for (unsigned int i = 0; i < round % 50; i++)
		(void)json_array_append_new(ips, json_sprintf("192.0.2.%u", i));
	return json_pack("{s:s,s:o,s:o,s:i}", "name", "apps/net", "interface",
			 json_sprintf("net%u", who), "ips", ips, "mtu", (int)(round % 50));
}

static bool write_status(unsigned int who, unsigned int round)
{
	const char *const ifnames[] = { "net0", "net1" };
	const struct owner o = {
		.network = "net", .container_id = "c", .ifname = ifnames[who], .netns = "",
	};
	json_auto_t *entries = json_array();
	struct err e;

	(void)json_array_append_new(entries, entry(who, round));
	return status_add(&n.host, &journal, &o, entries, &e) == 0;
}

static bool is_entry(const json_t *read)
{
	return json_object_size(read) == 4 &&
	       json_array_size(json_object_get(read, "ips")) ==
		       (size_t)json_integer_value(json_object_get(read, "mtu"));
}

static bool is_status(const json_t *read)
{
	return json_is_array(read) && json_array_size(read) <= WRITERS &&
	       is_entry(json_array_get(read, 0)) &&
	       (json_array_size(read) < 2 || is_entry(json_array_get(read, 1)));
}

/* -- both -- */

static json_t *read_file(void)
{
	static char text[65536];
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text));

	return len < 0 ? NULL : json_loadb(text, (size_t)len, 0, NULL);
}

static bool is_enough(void)
{
	unsigned int written = 0, read = 0;

	for (int i = 0; i < WRITERS; i++)
		written += counts->written[i];
	for (int i = 0; i < READERS; i++)
		read += counts->read[i];
	return written >= PAIRS && read >= PAIRS;
}

typedef bool writing(unsigned int who, unsigned int round);
typedef bool judging(const json_t *read);

static void write_on(unsigned int who, writing *write_one)
{
	for (unsigned int round = 0; !is_enough(); round++) {
		counts->bad[who] += !write_one(who, round);
		counts->written[who]++;
	}
}

static void read_on(unsigned int who, judging *is_whole)
{
	while (!is_enough()) {
		json_auto_t *read = read_file();

		counts->bad[WRITERS + who] += !is_whole(read);
		counts->read[who]++;
	}
}

/* A call of the plugin each: a lock is a process's. */
static void be(unsigned int who, writing *write_one, judging *is_whole)
{
	struct err e;

	(void)alarm(120);
	if (who >= WRITERS) {
		read_on(who - WRITERS, is_whole);
		exit(0);
	}
	journal = (struct journal){ .dir = -1, .lock = -1 };
	if (journal_open(&n.host, JOURNAL_CREATE, &journal, &e) != 1)
		exit(1);
	write_on(who, write_one);
	exit(0);
}

static void run(writing *write_one, judging *is_whole)
{
	int status = 0, failed = 0;

	memset(counts, 0, sizeof(*counts));
	for (unsigned int who = 0; who < WRITERS; who++)	/* it is there when others read */
		ok(write_one(who, 1));
	(void)fflush(stdout);
	for (unsigned int who = 0; who < WRITERS + READERS; who++)
		if (fork() == 0)
			be(who, write_one, is_whole);
	while (wait(&status) > 0)
		failed += status != 0;
	eqi(failed, 0);
	ok(is_enough());
	for (int who = 0; who < WRITERS + READERS; who++)
		eqi(counts->bad[who], 0);
}

static void test_info(void)
{
	char network[208], id[65];
	struct err e;

	memset(network, 'n', 200);
	(void)snprintf(network + 200, sizeof(network) - 200, "/net");
	memset(id, 'c', 64);
	id[64] = '\0';
	ok(store_cni_name(network, id, "net1", name, &e) == 0 && strlen(name) == 255);
	documents[0] = json_pack("{s:s,s:s,s:{s:s,s:s}}", "type", "vhost-user", "version", "1.1.0",
				 "vhost-user", "mode", "client", "path", "/run/a");
	documents[1] = json_pack("{s:s,s:s,s:{s:s,s:s,s:s}}", "type", "memif", "version", "1.1.0",
				 "memif", "role", "master", "path", "/run/a/longer/path/than/that",
				 "mode", "inject-punt");
	(void)snprintf(path, sizeof(path), "%s%s/cni/%s", n.dir, n.host.set.devinfo_dir, name);
	test("nobody reads a torn device-info file, of a network whose name has 200 letters too");
	run(write_info, is_info);
	json_decref(documents[0]);
	json_decref(documents[1]);
}

static void test_status(void)
{
	(void)snprintf(path, sizeof(path), "%s/run/devinfo/status/c.json", n.dir);
	test("nobody reads a torn network-status file, while two attachments of a pod write it");
	run(write_status, is_status);
}

int main(void)
{
	struct err e;

	node_open(NULL, &n);
	/* in memory: what is looked at is not how fast a disk is */
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		(void)mount("none", n.dir, "tmpfs", 0, NULL);
	host_done(&n.host);
	if (host_open(n.dir, &n.host, &e) < 0 ||
	    journal_open(&n.host, JOURNAL_CREATE, &journal, &e) != 1)
		bail_out(e.msg);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (counts == MAP_FAILED)
		bail_out("mmap");
	test_info();
	test_status();
	journal_done(&journal);
	(void)umount2(n.dir, MNT_DETACH);
	node_close(&n);
	return tap_end();
}
