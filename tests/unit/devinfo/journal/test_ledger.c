/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger.c - which attachment gets which device: order, files, damage, locks, sweeping */
#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/ledger_file.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#define BOOT "/proc/sys/kernel/random/boot_id"

static struct fake_node n;
static const struct pod web = { .name_space = "shop", .name = "web", .uid = "7a1c-01" };
static const char *const ids[] = { "0000:01:00.0", "0000:01:00.1", "0000:01:00.2",
				   "0000:01:00.3" };

/* What the journal would say: bit i, device i is a live attachment's. */
static unsigned int taken_bits, asked;
static int fail_on = -1;
static struct journal *give_up;		/* whose locks go when we are asked for the third time */

static int taken(const char *id, void *arg, struct err *e)
{
	int i = id[strlen(id) - 1] - '0';

	(void)arg;
	asked++;
	if (give_up && asked == 3)
		journal_done(give_up);
	if (i == fail_on)
		return err_set(e, ERR_IO, EIO, "the journal");
	return taken_bits >> i & 1;
}

static void sh(const char *command)
{
	node_sh(&n, command);
}

static bool holds(const char *condition)
{
	return node_holds(&n, condition);
}

static void open_journal(struct journal *j)
{
	struct err e;

	if (journal_open(&n.host, JOURNAL_CREATE, j, &e) != 1) {
		(void)printf("Bail out! %s: %s\n", e.msg, e.details);
		exit(1);
	}
}

static void boot(const char *id)
{
	auto_free char *command = NULL;

	if (asprintf(&command, "mkdir -p proc/sys/kernel/random && echo %s >.%s", id, BOOT) < 0)
		exit(1);
	sh(command);
}

/* Nothing remembered, nothing taken. */
static void forget(void)
{
	sh("rm -rf var/lib/cni/devinfo");
	taken_bits = asked = 0;
	fail_on = -1;
	give_up = NULL;
}

static struct owner owner_of(const char *network, const char *ifname, const char *container_id)
{
	return (struct owner){
		.network = network, .ifname = ifname, .container_id = container_id, .netns = "/n",
	};
}

static struct ledger_ask ask_of(const struct owner *who, const char *const *of, size_t count)
{
	return (struct ledger_ask){
		.pod = &web, .who = who, .resource = "intel.com/vf", .ids = of, .n = count,
		.taken = taken,
	};
}

/* The index that an attachment of the pod gets of the first `count` ids; -2: all are taken, -1. */
static int give(const char *network, const char *ifname, const char *container_id, size_t count)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner o = owner_of(network, ifname, container_id);
	struct ledger_ask ask = ask_of(&o, ids, count);
	struct ledger_choice c = { .index = 99 };
	struct err e;
	int r;

	open_journal(&j);
	r = ledger_assign(&n.host, &j, &ask, &c, &e);
	if (r < 0)
		(void)printf("# %s: %s\n", e.msg, e.details);
	return r > 0 ? (int)c.index : r == 0 ? -2 : -1;
}

/* "network/interface/container" that the device was given to. */
static const char *holder(const char *id)
{
	static char text[600];
	struct ledger_entry who;
	struct err e;
	int r = ledger_find(&n.host, &web, "intel.com/vf", id, &who, &e);

	if (r <= 0)
		return r == 0 ? "nobody" : "error";
	(void)snprintf(text, sizeof(text), "%s/%s/%s", who.network, who.ifname, who.container_id);
	return text;
}

static void order(void)
{
	forget();
	test("each attachment of a pod gets the next device");
	ok(give("a", "net1", "c1", 4) == 0);
	ok(give("b", "net2", "c1", 4) == 1);
	ok(give("a", "net3", "c1", 4) == 2);
	eq(holder(ids[0]), "a/net1/c1");
	eq(holder(ids[2]), "a/net3/c1");
	eq(holder(ids[3]), "nobody");

	test("the same attachment gets the same device, whoever else has come meanwhile");
	ok(give("b", "net2", "c1", 4) == 1 && give("a", "net1", "c1", 4) == 0);
	test("so it does in a new sandbox");
	ok(give("b", "net2", "c2", 4) == 1);
	eq(holder(ids[1]), "b/net2/c2");
	ok(give("a", "net3", "c2", 4) == 2 && give("a", "net1", "c2", 4) == 0);

	test("what a live attachment has is passed over, given before or not");
	taken_bits = 1U << 0 | 1U << 3;
	ok(give("c", "net4", "c1", 4) == 1);	/* b's is gone */
	eq(holder(ids[1]), "c/net4/c1");
	test("one whose device a live attachment has gets another one, and keeps that");
	taken_bits = 1U << 1;
	ok(give("c", "net4", "c1", 4) == 3);
	taken_bits = 0;
	ok(give("c", "net4", "c1", 4) == 3);
	eq(holder(ids[1]), "nobody");
}

static void reuse(void)
{
	forget();
	test("a device that was never given goes before one whose attachment is gone");
	ok(give("a", "net1", "c1", 2) == 0 && give("b", "net2", "c1", 2) == 1);
	ok(give("c", "net3", "c1", 3) == 2);
	test("then the first whose attachment is gone, which has lost it");
	ok(give("d", "net4", "c1", 3) == 0);
	eq(holder(ids[0]), "d/net4/c1");
	taken_bits = 1;
	ok(give("a", "net1", "c1", 3) == 1);

	test("of more attachments than devices, the last ones get none");
	taken_bits = 7;
	sh("cp -a var/lib/cni/devinfo/pods before");
	ok(give("e", "net5", "c1", 3) == -2);
	test("and nothing is changed by that");
	ok(holds("-z \"$(diff -r before var/lib/cni/devinfo/pods)\""));
	sh("rm -r before");
	test("without a device there is none");
	ok(give("e", "net5", "c1", 0) == -2);

	test("C-FND-15: a device that the pod does not have any more is replaced");
	forget();
	ok(give("a", "net1", "c1", 1) == 0 && give("b", "net2", "c1", 2) == 1);
	ok(give("b", "net2", "c1", 1) == 0);
	eq(holder(ids[0]), "b/net2/c1");
	eq(holder(ids[1]), "nobody");
}

static void lazy(void)
{
	forget();
	test("no more devices are asked for than it takes");
	ok(give("a", "net1", "c1", 4) == 0 && asked == 1);
	ok(give("b", "net2", "c1", 4) == 1 && asked == 2);
	ok(give("b", "net2", "c1", 4) == 1 && asked == 3);
	taken_bits = 1U << 1 | 1U << 2;
	asked = 0;
	ok(give("b", "net2", "c1", 4) == 3 && asked == 3);
	taken_bits = 15;
	asked = 0;
	ok(give("b", "net2", "c1", 4) == -2 && asked == 4);
	test("when it cannot be told what is taken, nothing is given");
	taken_bits = 0;
	fail_on = 0;
	ok(give("c", "net3", "c1", 1) == -1);
	eq(holder(ids[0]), "a/net1/c1");
}

static const char *file_of(const struct pod *pod)
{
	static char path[400];
	uint8_t key[SIPHASH_KEY];
	char name[256];
	struct err e;

	node_key(&n, key);
	if (ledger_file_name(key, pod, name, &e) < 0)
		exit(1);
	(void)snprintf(path, sizeof(path), "%s/var/lib/cni/devinfo/pods/%s", n.dir, name);
	return path;
}

static void no_write(void)
{
	struct stat a, b;

	forget();
	test("a retry writes nothing");
	ok(give("a", "net1", "c1", 4) == 0 && stat(file_of(&web), &a) == 0);
	ok(give("a", "net1", "c1", 4) == 0 && stat(file_of(&web), &b) == 0);
	ok(a.st_ino == b.st_ino && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
	   a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec);
	test("a new sandbox, and a new boot, are written down");
	ok(give("a", "net1", "c2", 4) == 0 && stat(file_of(&web), &b) == 0);
	ok(a.st_ino != b.st_ino || a.st_mtim.tv_nsec != b.st_mtim.tv_nsec);
	boot("boot-2");
	ok(give("a", "net1", "c2", 4) == 0);
	ok(holds("-n \"$(grep -l '\"bootID\":\"boot-2\"' var/lib/cni/devinfo/pods/*)\""));
	ok(holds("-z \"$(grep -l '\"bootID\":\"boot-1\"' var/lib/cni/devinfo/pods/*)\""));
	boot("boot-1");
	test("C-PRC-06: it is a private file in a private directory");
	ok(holds("\"$(stat -c %a var/lib/cni/devinfo/pods var/lib/cni/devinfo/pods/* |"
		 " tr '\\n' ' ')\" = '700 600 '"));
}

static void resources(void)
{
	static const char *const zero[] = { "0" }, *const both[] = { "0", "1" };
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner a = owner_of("a", "net1", "c1"), b = owner_of("b", "net2", "c1");
	struct ledger_ask one = ask_of(&a, zero, 1), two = ask_of(&b, both, 2);
	struct ledger_entry who;
	struct ledger_choice c;
	struct err e;

	forget();
	open_journal(&j);
	test("the same id of two resources is two devices");
	two.resource = "intel.com/other";
	ok(ledger_assign(&n.host, &j, &one, &c, &e) == 1 && c.index == 0);
	ok(ledger_assign(&n.host, &j, &two, &c, &e) == 1 && c.index == 0);
	ok(ledger_find(&n.host, &web, "intel.com/vf", "0", &who, &e) == 1);
	eq(who.network, "a");
	ok(ledger_find(&n.host, &web, "intel.com/other", "0", &who, &e) == 1);
	eq(who.network, "b");
	test("that of no resource, as claims have none, is another");
	*who.network = '\0';
	ok(ledger_find(&n.host, &web, NULL, "0", &who, &e) == 0 && !*who.network);
	two.resource = NULL;
	ok(ledger_assign(&n.host, &j, &two, &c, &e) == 1 && c.index == 0);
	ok(ledger_find(&n.host, &web, NULL, "0", &who, &e) == 1);
	eq(who.ifname, "net2");
}

static void reboot(void)
{
	forget();
	test("C-FND-13: "
	     "after a reboot each attachment gets what it had, if kubelet gives it again");
	ok(give("a", "net1", "c1", 2) == 0 && give("b", "net2", "c1", 2) == 1);
	boot("boot-2");
	ok(give("b", "net2", "c8", 4) == 1);
	test("and others what nobody had");
	ok(give("c", "net3", "c8", 4) == 2 && give("a", "net1", "c8", 4) == 0);
	boot("boot-1");
}

/* An attachment that was given device 0 and has no record yet: its lock is held by *j. */
static void in_flight(struct journal *j, const struct owner *o)
{
	struct deadline soon = deadline_in(100);
	struct err e;

	open_journal(j);
	if (journal_lock_attachment(j, o, &soon, &e) < 0 ||
	    give(o->network, o->ifname, o->container_id, 1) != 0)
		exit(1);
}

static void waiting(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_journal struct journal mine = { .dir = -1, .lock = -1 };
	struct owner a = owner_of("a", "net1", "c1"), b = owner_of("b", "net2", "c1");
	struct ledger_ask ask = ask_of(&b, ids, 1);
	struct ledger_choice c = { .index = 99 };
	struct err e;

	forget();
	in_flight(&j, &a);
	open_journal(&mine);
	n.host.set.lock_timeout_ms = 30;
	test("the device of one that is on its way is not given away");
	ok(ledger_assign(&n.host, &mine, &ask, &c, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "ledger of pod shop/web: 0000:01:00.0 is being given to interface net1 of "
		  "network a");
	eq(holder(ids[0]), "a/net1/c1");
	ok(c.index == 99);
	test("there is no waiting when there is another one, or when it has arrived");
	ok(give("b", "net2", "c1", 2) == 1);
	taken_bits = 1;
	ok(give("c", "net3", "c1", 1) == -2);
	taken_bits = 0;
	test("nor for what is of another boot, whose locks are gone");
	boot("boot-2");
	ok(give("c", "net3", "c1", 1) == 0);
	boot("boot-1");

	forget();
	journal_done(&j);
	in_flight(&j, &a);
	n.host.set.lock_timeout_ms = 10000;
	give_up = &j;
	asked = 0;
	test("when it has come to nothing, who waits gets the device");
	ok(give("b", "net2", "c1", 1) == 0 && asked == 4);	/* that ADD ended after our look */
	eq(holder(ids[0]), "b/net2/c1");
}

static void peeking(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner a = owner_of("a", "net1", NULL), b = owner_of("b", "net2", NULL);
	struct ledger_ask ask = ask_of(&a, ids, 2);
	struct ledger_choice c = { .index = 99 };
	struct err e;

	forget();
	test("who only asks changes nothing");
	ok(ledger_peek(&n.host, &ask, &c, &e) == 1 && c.index == 0);
	ok(holds("! -e var/lib/cni/devinfo"));
	ok(give("b", "net2", "c1", 2) == 0);
	sh("cp -a var/lib/cni/devinfo/pods before");
	ok(ledger_peek(&n.host, &ask, &c, &e) == 1 && c.index == 1);
	eq(c.why, "given to no other attachment of the pod before");
	ask.who = &b;
	ok(ledger_peek(&n.host, &ask, &c, &e) == 1 && c.index == 0);
	eq(c.why, "given to this attachment before");
	ask.who = &a;
	taken_bits = 2;
	ok(ledger_peek(&n.host, &ask, &c, &e) == 1 && c.index == 0);
	eq(c.why, "the attachment it was given to is gone");
	taken_bits = 3;
	ok(ledger_peek(&n.host, &ask, &c, &e) == 0);
	ok(holds("-z \"$(diff -r before var/lib/cni/devinfo/pods)\""));
	sh("rm -r before");
	test("nor does it need a lock");
	taken_bits = 0;
	in_flight(&j, &(struct owner){ .network = "b", .ifname = "net2", .container_id = "c1" });
	ask.n = 1;
	ok(ledger_peek(&n.host, &ask, &c, &e) == 1 && c.index == 0);
}

/* Another attachment asks after the file was edited: what it gets, and what it is told. */
static int after(const char *edit, char lost[128])
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner b = owner_of("b", "net2", "c1");
	struct ledger_ask ask = ask_of(&b, ids, 4);
	struct ledger_choice c = { .index = 99 };
	struct err e;
	int r;

	forget();
	if (give("a", "net1", "c1", 4) != 0)
		exit(1);
	sh("ln -sfn var/lib/cni/devinfo/pods p && ls p >name && mv \"p/$(cat name)\" f && "
	   "cp f f.old");
	sh(edit);
	sh("if [ -e f ]; then mv f \"p/$(cat name)\"; fi");
	open_journal(&j);
	r = ledger_assign(&n.host, &j, &ask, &c, &e);
	(void)snprintf(lost, 128, "%.127s", r < 0 ? e.msg : c.lost);
	return r < 0 ? -1 : (int)c.index;
}

static void damage(void)
{
	static const struct {
		const char *edit, *lost;
	} edits[] = {
		{ ": >f", "ledger: " },
		{ "printf '[]' >f", "ledger.version: missing" },
		{ "printf garbage >f", "ledger: " },
		{ "head -c 4096 /dev/zero >f", "ledger: " },
		{ "truncate -s 9M f", "'shop_web@" },
		{ "sed -i 's/\"version\":1/\"version\":0/' f", "ledger.version: missing or not" },
		{ "sed -i 's/\"version\":1,//' f", "ledger.version: missing" },
		{ "sed -i 's/\"uid\":\"7a1c-01\"/\"uid\":7/' f",
		  "ledger.pod.uid: must be a string" },
		{ "sed -i 's/\"pod\"/\"pot\"/' f", "ledger.pod: must be an object" },
		{ "sed -i 's/\"assignments\"/\"x\"/' f", "ledger.assignments: must be a list" },
		{ "sed -i 's/\"assignments\":.*/\"assignments\":{}}/' f",
		  "ledger.assignments: must be a list" },
		{ "sed -i 's/\"assignments\":.*/\"assignments\":[7]}/' f",
		  "ledger.assignments: must be an object" },
		{ "sed -i 's/0000:01:00.0/..\\/..\\/etc/' f", "ledger.assignments: bad name" },
		{ "sed -i 's/0000:01:00.0//' f", "ledger.assignments: bad name" },
		{ "sed -i 's/\"a\"/\"a\\/b\"/' f", "ledger.assignments: bad name" },
		{ "sed -i 's/net1/net 1/' f", "ledger.assignments: bad name" },
		{ "sed -i 's/\"c1\"/\"-\"/' f", "ledger.assignments: bad name" },
		{ "sed -i 's/intel.com/..\\/x/' f", "ledger.assignments: bad name" },
		{ "sed -i 's/\"bootID\":\"boot-1\"/\"bootID\":1/' f",
		  "ledger.assignments.bootID: must be a string" },
		{ "rm f && mkfifo f", "'shop_web@" },
		{ "mv f away && ln -s \"$PWD/away\" f", "open 'shop_web@" },
		{ "{ printf '{\"version\":1,\"pod\":{\"namespace\":\"shop\",\"name\":\"web\","
		  "\"uid\":\"7a1c-01\"},\"assignments\":['; seq -s, 5000; printf ']}'; } >f",
		  "ledger.assignments: must be a list, and not too long" },
	};
	char lost[128];

	test("a file that is no good counts as empty, is told of, and is replaced");
	for (size_t i = 0; i < ARRAY_SIZE(edits); i++) {
		int given = after(edits[i].edit, lost);

		ok(given == 0 && strncmp(lost, edits[i].lost, strlen(edits[i].lost)) == 0);
		if (given != 0 || strncmp(lost, edits[i].lost, strlen(edits[i].lost)) != 0)
			(void)printf("#  %s: %d %s\n", edits[i].edit, given, lost);
		eq(holder(ids[0]), "b/net2/c1");
		ok(holds("-f \"p/$(cat name)\" -a ! -L \"p/$(cat name)\""));
	}
	test("a link is replaced, not what it leads to");
	ok(holds("-s away"));
	test("one that is about another pod is told of, and left to that");
	ok(after("sed -i 's/\"shop\"/\"shopp\"/' f", lost) == 0);
	eq(lost, "it is about another pod");
	ok(holds("-n \"$(grep shopp p/$(cat name))\" -a \"$(ls p | wc -l)\" = 1"));
	test("one that is fine, or whose members are in another order or more, is not lost");
	ok(after("true", lost) == 1 && !*lost);
	ok(after("sed -i 's/^{/{\"later\":[{}],/' f", lost) == 1 && !*lost);
	test("without a file nothing is told of");
	ok(after("rm f", lost) == 0 && !*lost);
	test("a directory in its place is an error");
	ok(after("rm f && mkdir f", lost) == -1 && strstr(lost, "ledger of pod shop/web: write"));
	sh("rm -rf f.old away p name");
}

/* What an attachment of this pod gets of all ids, with the error in *e. */
static int give_pod(const struct pod *pod, const char *ifname, struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner o = owner_of("a", ifname, "c1");
	struct ledger_ask ask = ask_of(&o, ids, 4);
	struct ledger_choice c = { .index = 99 };
	int r;

	open_journal(&j);
	ask.pod = pod;
	r = ledger_assign(&n.host, &j, &ask, &c, e);
	return r > 0 ? (int)c.index : -1;
}

/* ledger_insist() of another attachment. */
static int insist(const char *network, const char *ifname, const char *id)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner o = owner_of(network, ifname, "c9");
	struct err e;

	open_journal(&j);
	return ledger_insist(&n.host, &j, &web, &o, id, &e);
}

static void insisting(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner z = owner_of("z", "net9", "c9");
	struct ledger_ask ask = ask_of(&z, ids + 1, 1);
	struct ledger_choice c;
	struct err e;

	forget();
	test("who was named a device is remembered only where another attachment was given it");
	ok(insist("z", "net9", ids[0]) == 0);
	ok(!holds("-e var/lib/cni/devinfo/pods"));
	ok(give("a", "net1", "c1", 4) == 0);
	ok(insist("z", "net9", ids[1]) == 0);
	ok(insist("a", "net1", ids[0]) == 0);
	eq(holder(ids[0]), "a/net1/c1");
	test("then that one gets another, and he is remembered of the same resource");
	ok(insist("z", "net9", "0000:01:00.0") == 1);
	eq(holder(ids[0]), "z/net9/c9");
	ok(give("a", "net1", "c2", 4) == 1);
	eq(holder(ids[0]), "z/net9/c9");
	test("so he is when kubelet was asked for the id alone, of no resource");
	open_journal(&j);
	taken_bits = 2;
	ask.resource = NULL;
	ask.insists = true;
	ok(ledger_assign(&n.host, &j, &ask, &c, &e) == 0);
	eq(holder(ids[1]), "z/net9/c9");
}

/* What a later version remembers is its own to change. */
static void another_version(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner a = owner_of("a", "net1", "c1");
	struct ledger_ask ask = ask_of(&a, ids, 4);
	struct ledger_choice c = { .index = 99 };
	struct err e;

	forget();
	test("a file of another version is left alone, told of, and hinders no choice");
	ok(give("a", "net1", "c1", 4) == 0 && give("b", "net2", "c1", 4) == 1);
	sh("cd var/lib/cni/devinfo/pods && sed -i 's/\"version\":1/\"version\":2/; "
	   "s/\"pod\"/\"about\"/' * && touch -d '2 days ago' * && cp -a . ../../../../../before");
	open_journal(&j);
	ok(ledger_assign(&n.host, &j, &ask, &c, &e) == 1 && c.index == 0);
	ok(strncmp(c.lost, "'shop_web@", 10) == 0 &&
	   strstr(c.lost, ".json' is of version 2, this program writes 1"));
	taken_bits = 1;
	ok(give("b", "net2", "c1", 4) == 1);
	test("who insists on a device that is taken is not remembered for it");
	ask.insists = true;
	ask.n = 1;
	ok(ledger_assign(&n.host, &j, &ask, &c, &e) == 0);
	ok(insist("z", "net1", ids[0]) <= 0);
	eq(holder(ids[0]), "nobody");
	test("it is not swept either, and other pods have theirs");
	ok(ledger_sweep(&n.host, &j, 0, &e) == 0);
	ok(holds("-z \"$(diff -r before var/lib/cni/devinfo/pods)\""));
	ok(holds("\"$(stat -c %Y before/*)\" = \"$(stat -c %Y var/lib/cni/devinfo/pods/*)\""));
	ok(give_pod(&(struct pod){ .name_space = "s", .name = "w" }, "net1", &e) == 1);
	ok(holds("\"$(ls var/lib/cni/devinfo/pods | wc -l)\" = 2"));
	sh("rm -r before");
}

static void truncation(void)
{
	struct stat st = { 0 };
	unsigned int bad = 0;

	forget();
	test("R-10: a file cut off after any byte counts as empty");
	ok(give("a", "net1", "c1", 4) == 0 && stat(file_of(&web), &st) == 0 && st.st_size > 150);
	for (off_t len = 0; len < st.st_size - 2; len++)	/* the last two are "}\n" */
		if (give("a", "net1", "c1", 4) != 0 || truncate(file_of(&web), len) < 0 ||
		    strcmp(holder(ids[0]), "nobody") != 0)
			bad++;
	ok(bad == 0);
}

static void hostile(void)
{
	forget();
	test("a device that a file has twice, or an attachment, is in it once after a change");
	ok(give("a", "net1", "c1", 4) == 0 && give("b", "net2", "c1", 4) == 1);
	sh("sed -i 's/net2/net1/; s/\"b\"/\"a\"/' var/lib/cni/devinfo/pods/*");
	ok(give("a", "net1", "c2", 4) == 0);
	ok(holds("\"$(grep -o containerID var/lib/cni/devinfo/pods/* | wc -l)\" = 1"));
	ok(give("b", "net2", "c2", 4) == 1);
	sh("sed -i 's/00\\.1/00.0/' var/lib/cni/devinfo/pods/*");
	ok(give("c", "net3", "c2", 1) == 0);
	eq(holder(ids[0]), "c/net3/c2");
	ok(holds("\"$(grep -o containerID var/lib/cni/devinfo/pods/* | wc -l)\" = 1"));
}

/* As many entries as there can be; then the oldest goes. */
static void bounds(void)
{
	forget();
	test("there are never more entries than devices of a pod: the oldest goes");
	ok(give("a", "net1", "c1", 4) == 0);
	sh("cat >fill.awk <<'EOT'\n"
	   "{ sub(/\\]}$/, \"\"); printf \"%s\", $0\n"
	   "  for (i = 1; i < 4096; i++)\n"
	   "    printf \",{\\\"device\\\":\\\"d%d\\\",\\\"resource\\\":\\\"r\\\",\\\"network\\\":"
	   "\\\"n%d\\\",\\\"ifname\\\":\\\"i\\\",\\\"containerID\\\":\\\"c\\\",\\\"bootID\\\":"
	   "\\\"b\\\"}\", i, i\n"
	   "  print \"]}\" }\n"
	   "EOT\n"
	   "f=$(echo var/lib/cni/devinfo/pods/*) && awk -f fill.awk \"$f\" >full && "
	   "mv full \"$f\" && rm fill.awk");
	ok(give("a", "net1", "c1", 4) == 0);
	ok(holds("\"$(grep -o containerID var/lib/cni/devinfo/pods/* | wc -l)\" = 4096"));
	ok(give("b", "net2", "c1", 4) == 1);
	ok(holds("\"$(grep -o containerID var/lib/cni/devinfo/pods/* | wc -l)\" = 4096"));
	eq(holder(ids[0]), "nobody");
	eq(holder(ids[1]), "b/net2/c1");
}

static void pods(void)
{
	char name_a[300], name_b[300];
	struct pod plain = { .name_space = "shop", .name = "web" };
	struct pod later = { .name_space = "shop", .name = "web", .uid = "7a1c-02" };
	struct pod left = { .name_space = "a_b", .name = "c" };
	struct pod right = { .name_space = "a", .name = "b_c" };
	struct pod long_a = { .name_space = "shop", .name = name_a };
	struct pod long_b = { .name_space = "shop", .name = name_b };
	struct err e;

	forget();
	test("C-FND-09: a pod goes by its name, whether its UID is known or not");
	ok(give_pod(&web, "net1", &e) == 0 && give_pod(&plain, "net1", &e) == 0 &&
	   give_pod(&plain, "net2", &e) == 1 && give_pod(&web, "net2", &e) == 1);
	ok(holds("\"$(ls var/lib/cni/devinfo/pods | cut -d@ -f1)\" = shop_web"));
	ok(holds("-n \"$(grep -o 7a1c-01 var/lib/cni/devinfo/pods/*)\""));
	test("but one that was made anew under the name was given nothing before");
	ok(give_pod(&later, "net2", &e) == 0 && give_pod(&plain, "net1", &e) == 1);
	ok(holds("\"$(ls var/lib/cni/devinfo/pods | wc -l)\" = 1"));
	test("so have pods whose names read alike, or only differ in their last bytes");
	ok(give_pod(&left, "net1", &e) == 0 && give_pod(&right, "net2", &e) == 0);
	ok(holds("\"$(ls var/lib/cni/devinfo/pods | grep -c '^a_b_c@')\" = 2"));
	memset(name_a, 'x', 253);
	name_a[253] = '\0';
	memcpy(name_b, name_a, 254);
	name_b[252] = 'y';
	ok(give_pod(&long_a, "net1", &e) == 0 && give_pod(&long_b, "net2", &e) == 0);
	ok(holds("\"$(ls var/lib/cni/devinfo/pods | grep -c '^shop_xxx')\" = 2"));

	test("a name that cannot be a pod's gets no file");
	forget();
	plain.name = "../web";
	ok(give_pod(&plain, "net1", &e) == -1 && e.code == ERR_ENV);
	plain = (struct pod){ .name_space = "a\nb", .name = "web" };
	ok(give_pod(&plain, "net1", &e) == -1 && e.code == ERR_ENV);
	plain = (struct pod){ .name_space = "shop", .name = "web", .uid = ".." };
	ok(give_pod(&plain, "net1", &e) == -1 && e.code == ERR_ENV);
	test("nor does what cannot be said in JSON, or could not be read again");
	plain = (struct pod){ .name_space = "shop", .name = "w\xe9" };
	ok(give_pod(&plain, "net1", &e) == -1 && e.sys == EILSEQ);
	ok(give_pod(&web, "net\xe9", &e) == -1 && e.sys == EILSEQ);
	ok(give_pod(&web, "net 1", &e) == -1 && e.sys == EINVAL);
	ok(holds("-z \"$(ls -A var/lib/cni/devinfo/pods)\""));
}

static void errors(void)
{
	auto_journal struct journal other = { .dir = -1, .lock = -1 };
	struct deadline soon = deadline_in(100);
	char name[256];
	struct err e;

	forget();
	test("a pod is locked for one call at a time");
	open_journal(&other);
	ok(ledger_file_name(other.key, &web, name, &e) == 0);
	ok(ledger_lock(&other, name, &soon, &e) == 0);
	n.host.set.lock_timeout_ms = 20;
	ok(give_pod(&web, "net1", &e) == -1 && e.code == ERR_TRY_AGAIN);
	begins(e.msg, "ledger of pod shop/web: lock pod/shop_web@");
	test("another pod is not");
	ok(give_pod(&(struct pod){ .name_space = "s", .name = "w" }, "net1", &e) == 0);
	ledger_unlock(&other, name);
	n.host.set.lock_timeout_ms = 10000;
	ok(give_pod(&web, "net1", &e) == 0);
	test("a file where the directory should be is an error for who writes");
	sh("rm -r var/lib/cni/devinfo/pods && touch var/lib/cni/devinfo/pods");
	ok(give_pod(&web, "net1", &e) == -1 && e.code == ERR_IO);
	eq(holder(ids[0]), "nobody");
	test("no choice is durable without the boot's id");
	forget();
	sh("rm ." BOOT);
	ok(give_pod(&web, "net1", &e) == -1 && e.code == ERR_IO);
	boot("boot-1");
}

/* On a file system of its own for <stateDir>/pods. */
static void disk(void)
{
	static const char *const options[] = {
		"nr_inodes=1,mode=700", "size=4k,nr_inodes=9,mode=700",
	};
	char path[200];
	struct err e;

	(void)snprintf(path, sizeof(path), "%s/var/lib/cni/devinfo/pods", n.dir);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		forget();
		sh("mkdir -p var/lib/cni/devinfo/pods");
		test("on a full disk nothing is given, nor lost");
		ok(mount("t", path, "tmpfs", 0, options[i]) == 0);
		if (i > 0) {
			ok(give_pod(&web, "net1", &e) == 0);
			sh("dd if=/dev/zero of=var/lib/cni/devinfo/pods/fill bs=4k count=9 "
			   "2>dd || rm dd");
		}
		ok(give_pod(&web, "net2", &e) == -1 && e.sys == ENOSPC && e.code == ERR_IO);
		eq(holder(ids[0]), i > 0 ? "a/net1/c1" : "nobody");
		test("on one that is read-only either, though what was given is known");
		ok(mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
		ok(give_pod(&web, "net2", &e) == -1 && (e.sys == EROFS || e.sys == ENOSPC));
		ok(i == 0 || give_pod(&web, "net1", &e) == 0);
		ok(umount(path) == 0);
	}
}

/* A pod with an attachment in this container gets a file. */
static void make_file(const char *name, const char *container_id)
{
	struct pod pod = { .name_space = "old", .name = name };
	struct owner o = owner_of("net", "net1", container_id);
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct ledger_ask ask = ask_of(&o, ids, 1);
	struct ledger_choice c;
	struct err e;

	open_journal(&j);
	ask.pod = &pod;
	if (ledger_assign(&n.host, &j, &ask, &c, &e) != 1)
		exit(1);
}

static void age(const char *name, int hours)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - hours * 3600 - 1 } };

	times[1] = times[0];
	if (utimensat(AT_FDCWD, file_of(&(struct pod){ .name_space = "old", .name = name }), times,
		      0) < 0)
		exit(1);
}

/* The pods that have a file, "a b c ". */
static bool left(const char *pods)
{
	auto_free char *condition = NULL;

	return asprintf(&condition, "\"$(ls var/lib/cni/devinfo/pods | sed 's/@.*//; s/.*_//' |"
			" LC_ALL=C sort | tr '\\n' ' ')\" = '%s'", pods) > 0 && holds(condition);
}

static void sweeping(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_journal struct journal other = { .dir = -1, .lock = -1 };
	struct deadline soon = deadline_in(100);
	struct owner busy = owner_of("net", "net1", "c-busy");
	struct record rec = {
		.owner = owner_of("net", "net1", "c-live"), .boot_id = "b", .device = "veth0",
		.devinfo_dir = "/d", .run_dir = "/r",
	};
	static const char *const names[] = { "young", "gone", "locked", "busy", "live" };
	char name[256];
	struct err e;

	forget();
	test("without files there is nothing to sweep");
	ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == 1);
	ok(ledger_sweep(&n.host, &j, 0, &e) == 0);
	test("an old file goes, unless an attachment in it has a record or is worked at");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char container_id[32];

		(void)snprintf(container_id, sizeof(container_id), "c-%s", names[i]);
		make_file(names[i], container_id);
	}
	age("young", 1);
	for (size_t i = 1; i < ARRAY_SIZE(names); i++)
		age(names[i], 25);
	open_journal(&other);
	ok(ledger_file_name(j.key, &(struct pod){ .name_space = "old", .name = "locked" }, name,
			    &e) == 0);
	ok(ledger_lock(&other, name, &soon, &e) == 0);
	ok(journal_lock_attachment(&other, &busy, &soon, &e) == 0);
	ok(journal_write(&j, &rec, &e) == 0);
	sh("cd var/lib/cni/devinfo/pods && mkdir old_dir@0123456789abcdef.json && "
	   "touch -d '2 days ago' old_note .0123456789abcdef.tmp old_bad@0123456789abcdef.json && "
	   "ln -s old_note old_link@0123456789abcdef.json");
	ok(left("bad busy dir gone link live locked note young "));
	ok(ledger_sweep(&n.host, &j, LEDGER_SWEEP_S, &e) == 0);
	ok(left("busy dir link live locked note young "));
	test("what was kept is not looked at again before that time has passed");
	ok(journal_remove(&j, &rec, &e) == 0);
	journal_done(&other);
	ok(ledger_sweep(&n.host, &j, LEDGER_SWEEP_S, &e) == 0);
	ok(left("busy dir link live note young "));
	ok(ledger_sweep(&n.host, &j, 3600, &e) == 0 && left("busy dir link live note "));
	ok(ledger_sweep(&n.host, &j, 0, &e) == 0 && left("dir link note "));
	ok(holds("-e var/lib/cni/devinfo/pods/.0123456789abcdef.tmp"));

	test("who makes a file sweeps those of yesterday, once an hour");
	forget();
	make_file("gone", "c-gone");
	age("gone", 25);
	make_file("late", "c-late");
	ok(left("gone late "));
	sh("touch -d '61 minutes ago' var/lib/cni/devinfo/pods/.swept");
	make_file("young", "c-young");
	ok(left("late young "));
	sh("touch -d 'next year' var/lib/cni/devinfo/pods/.swept");
	age("late", 25);
	make_file("old", "c-old");
	ok(left("old young "));
	test("who writes to one does not");
	sh("rm var/lib/cni/devinfo/pods/old_old*");
	make_file("gone", "c-gone");
	sh("touch -d yesterday var/lib/cni/devinfo/pods/.swept");
	age("gone", 25);
	make_file("young", "c-other");
	ok(left("gone young "));
}

static const char *file_name_of(const char *pod)
{
	const struct pod old = { .name_space = "old", .name = pod };
	static char name[256];
	uint8_t key[SIPHASH_KEY];
	struct err e;

	node_key(&n, key);
	return ledger_file_name(key, &old, name, &e) == 0 ? name : "";
}

static void one_by_one(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 }, reader = j, other = j;
	struct deadline soon = deadline_in(100);
	struct err e;

	forget();
	test("one file is looked at without any change, and removed alone");
	ok(ledger_is_left(&n.host, &j, "x@0123456789abcdef.json", 0, &e) == 0);
	make_file("gone", "c-gone");
	make_file("stays", "c-stays");
	age("gone", 25);
	age("stays", 25);
	open_journal(&j);
	open_journal(&other);
	ok(journal_open(&n.host, JOURNAL_READ, &reader, &e) == 1);
	ok(ledger_is_left(&n.host, &reader, file_name_of("gone"), 26 * 3600, &e) == 0);
	ok(ledger_is_left(&n.host, &reader, file_name_of("gone"), LEDGER_SWEEP_S, &e) == 1);
	ok(ledger_remove_left(&n.host, &reader, file_name_of("gone"), LEDGER_SWEEP_S, &e) == 0);
	ok(left("gone stays "));
	ok(ledger_lock(&other, file_name_of("gone"), &soon, &e) == 0);
	ok(ledger_remove_left(&n.host, &j, file_name_of("gone"), LEDGER_SWEEP_S, &e) == 0);
	ledger_unlock(&other, file_name_of("gone"));
	ok(ledger_remove_left(&n.host, &j, file_name_of("gone"), LEDGER_SWEEP_S, &e) == 1);
	ok(left("stays "));
	ok(ledger_remove_left(&n.host, &j, file_name_of("gone"), LEDGER_SWEEP_S, &e) == 0);
	ok(ledger_remove_left(&n.host, &j, "note", 0, &e) == 0);
}

/* A retry whose entry is in an old file: it sweeps without giving up the lock that it holds. */
static void sweeping_locked(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_journal struct journal other = { .dir = -1, .lock = -1 };
	struct deadline soon = deadline_in(20);
	struct owner o = owner_of("net", "net1", "c1");
	struct ledger_ask ask = ask_of(&o, ids, 1);
	struct ledger_choice c;
	struct err e;

	forget();
	test("the lock of the attachment at hand outlives a sweep over its own old entry");
	make_file("other", "c1");
	age("other", 25);
	sh("touch -d yesterday var/lib/cni/devinfo/pods/.swept");
	open_journal(&j);
	open_journal(&other);
	ok(journal_lock_attachment(&j, &o, &soon, &e) == 0);
	ok(ledger_assign(&n.host, &j, &ask, &c, &e) == 1);
	ok(left("web "));
	ok(journal_attachment_busy(&other, &o, &e) == 1);
	ok(journal_attachment_busy(&j, &o, &e) == 0);
	ok(journal_lock_attachment(&other, &o, &soon, &e) == -1 && e.code == ERR_TRY_AGAIN);
	journal_done(&j);
	ok(journal_attachment_busy(&other, &o, &e) == 0);
}

/*
 * One that a version before has made, or whose key was lost: the hash in its name is another.  A
 * second pod, whose name begins alike, has its own.
 */
static void other_hashes(void)
{
	static const char *const names[] = {
		"shop_web@1b2ce43c8d2a78c4.json", "shop_web@0123456789abcdef.json",
	};
	struct owner a = owner_of("a", "net1", "c1"), b = owner_of("b", "net2", "c1");
	struct ledger_ask ask = ask_of(&b, ids, 2), again = ask_of(&a, ids, 2);
	auto_free char *command = NULL;
	struct ledger_choice c;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_journal struct journal j = { .dir = -1, .lock = -1 };

		forget();
		test("what a pod was given is found whatever hash its file's name has");
		ok(give("a", "net1", "c1", 2) == 0);
		free(command);
		if (asprintf(&command, "cd var/lib/cni/devinfo/pods && f=$(ls) && mv $f %s && "
			     "sed 's/\"web\"/\"wet\"/' %s >shop_web@00000000000000ff.json && "
			     "chmod 600 *", names[i], names[i]) < 0)
			exit(1);
		sh(command);
		ok(ledger_peek(&n.host, &ask, &c, &e) == 1 && c.index == 1 && !*c.lost);
		open_journal(&j);
		ok(ledger_assign(&n.host, &j, &again, &c, &e) == 1 && c.index == 0 && !*c.lost);
		ok(ledger_assign(&n.host, &j, &ask, &c, &e) == 1 && c.index == 1 && !*c.lost);
		eq(holder(ids[0]), "a/net1/c1");
		eq(holder(ids[1]), "b/net2/c1");
		test("it gets its name of today when it is written, and no other pod's is touched");
		ok(access(file_of(&web), F_OK) == 0);
		ok(holds("\"$(ls var/lib/cni/devinfo/pods | wc -l)\" = 2"));
		ok(holds("-s var/lib/cni/devinfo/pods/shop_web@00000000000000ff.json"));
	}
}

/* A file that cannot be read just now is not known to be one that nobody needs. */
static void sweeping_unread(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct rlimit before, less;
	struct err e = { 0 };
	int next, r = 0;

	forget();
	test("a file that cannot be read is an error of the sweep, and stays");
	make_file("gone", "c-gone");
	age("gone", 25);
	open_journal(&j);
	next = dup(0);
	(void)close(next);
	ok(getrlimit(RLIMIT_NOFILE, &before) == 0);
	less = before;
	/* the directory, what walks it, the file, and the records that may need it */
	for (int more = 0; more <= 4; more++) {
		less.rlim_cur = (rlim_t)(next + more);
		ok(setrlimit(RLIMIT_NOFILE, &less) == 0);
		r = ledger_sweep(&n.host, &j, 0, &e);
		(void)setrlimit(RLIMIT_NOFILE, &before);
		ok(r == -1 && e.sys == EMFILE);
	}
	ok(left("gone "));
	ok(ledger_sweep(&n.host, &j, 0, &e) == 0 && left(""));
}

static void no_pod(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner o = owner_of("net", "net1", "c1");
	struct ledger_ask ask = ask_of(&o, ids, 1);
	struct pod pod = { .name_space = "a/b", .name = "web" };
	struct ledger_choice c;
	struct err e;

	test("a pod that can have no file is an error, and closes nothing of others'");
	open_journal(&j);
	ask.pod = &pod;
	ok(ledger_assign(&n.host, &j, &ask, &c, &e) == -1 && fcntl(0, F_GETFD) >= 0);
}

int main(void)
{
	bool mounts = unshare(CLONE_NEWNS) == 0 &&
		      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;

	node_open(NULL, &n);
	boot("boot-1");
	order();
	reuse();
	lazy();
	no_write();
	resources();
	reboot();
	waiting();
	peeking();
	damage();
	insisting();
	another_version();
	truncation();
	hostile();
	bounds();
	pods();
	errors();
	sweeping();
	one_by_one();
	other_hashes();
	sweeping_locked();
	sweeping_unread();
	no_pod();
	if (mounts)
		disk();
	else
		(void)printf("ok %d - # SKIP no mounts of our own\n", ++tap_no);
	node_close(&n);
	return tap_end();
}
