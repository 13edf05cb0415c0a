/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_release.c - the order in which an attachment is released, and what an error changes
 *
 * All that release.c calls is played (see WRAP in GNUmakefile): it notes that it was asked, and
 * fails when it is told to.  How a device is given back is test_restore.c's.
 */
#include "base/log.h"
#include "cni/attach/info_name.h"
#include "cni/attach/release.h"
#include "cni/attach/restore.h"
#include "cni/call/status.h"
#include "cni/plugins/chain.h"
#include "cni/plugins/ipam.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/owner.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

static struct {
	const char *fails, *absent;	/* see played.h */
	enum err_code code;
	bool alive;
	uint32_t left;			/* of the chain's delegates, when it has been asked */
	uint32_t noted, written;	/* delegates_left: while they were asked, and last */
	bool released;			/* as it was recorded last */
	char ipam[256];			/* plugin, request and container that IPAM's DEL is told */
	char info[PATH_MAX];		/* what the plugins are told */
	unsigned int ipam_ms;		/* how long IPAM's DEL may take, and the chain */
	int chain_ms;
	int64_t ipam_until;
	unsigned int ipam_steps, restore_ms;
	bool late_stays;		/* as the chain is told */
	char asked[512];
} play;

#include "tests/unit/played.h"

PLAY(restore_check, 0, const struct host *host, struct record *rec, struct err *e)
PLAY(status_remove, 1, const struct host *h, const struct journal *j, const struct owner *o,
     struct err *e)
PLAY(store_remove_cni, 0, const struct host *host, const char *name, struct err *e)
PLAY(store_write_cni_text, 0, const struct host *host, const char *name, const char *text,
     size_t len, struct err *e)
PLAY(journal_remove, 0, const struct journal *j, const struct record *r, struct err *e)
PLAY(journal_lock_attachment, 0, const struct journal *j, const struct owner *o,
     const struct deadline *d, struct err *e)
PLAY(journal_lock_device, 0, const struct journal *j, const char *device, const struct deadline *d,
     struct err *e)
PLAY(owner_is_alive, play.alive, const struct host *host, const struct record *rec, struct err *e)
PLAY(owner_open, 1, const struct record *rec, struct nl *ret, struct err *e)
PLAY(link_get_by_name, 1, struct nl *nl, const char *name, struct link *ret, struct err *e)
PLAY(chain_del_lease, 0, const struct chain *c, size_t i, const json_t *prev,
     const struct deadline *d, struct err *e)

int __wrap_restore_device(const struct host *host, const struct journal *journal,
			  struct record *rec, struct err *e);
int __wrap_restore_device(const struct host *host, const struct journal *journal,
			  struct record *rec, struct err *e)
{
	(void)usleep(play.restore_ms * 1000);
	return played("restore_device", 0, e);
}

int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e);
int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e)
{
	play.written = r->delegates_left;
	play.released = r->released;
	return played("journal_write", 0, e);
}

static struct record *known;		/* the one that the journal has */
static const char *only;	/* the device by the one file's name; NULL: there are more */

bool __wrap_journal_has_one(struct journal *j, const struct owner *o, char device[112]);
bool __wrap_journal_has_one(struct journal *j, const struct owner *o, char device[112])
{
	(void)snprintf(device, 112, "%s", only ? only : "");
	return only;
}

int __wrap_journal_find(struct journal *j, const struct owner *o, struct record *ret,
			struct err *e);
int __wrap_journal_find(struct journal *j, const struct owner *o, struct record *ret,
			struct err *e)
{
	int r = played(strstr(play.asked, "journal_find") ? "again" : "journal_find", 1, e);

	if (r > 0)
		*ret = *known;
	return r;
}

int __wrap_journal_get(struct journal *j, const struct record *seen, struct record *ret,
		       struct err *e);
int __wrap_journal_get(struct journal *j, const struct record *seen, struct record *ret,
		       struct err *e)
{
	*ret = *known;
	return played("journal_get", 1, e);
}

void __wrap_journal_unlock_attachment(const struct journal *j, const struct owner *o);
void __wrap_journal_unlock_attachment(const struct journal *j, const struct owner *o)
{
	(void)played("unlock_attachment", 0, NULL);
}

void __wrap_journal_unlock_device(const struct journal *j, const char *device);
void __wrap_journal_unlock_device(const struct journal *j, const char *device)
{
	(void)played("unlock_device", 0, NULL);
}

bool __wrap_info_name_lock(const struct host *host, const struct journal *j, const struct owner *o,
			   const char *name);
bool __wrap_info_name_lock(const struct host *host, const struct journal *j, const struct owner *o,
			   const char *name)
{
	return played("info_name_lock", 1, NULL) > 0;
}

void __wrap_info_name_unlock(const struct journal *j, const char *name);
void __wrap_info_name_unlock(const struct journal *j, const char *name)
{
	(void)played("info_name_unlock", 0, NULL);
}

int __wrap_owner_netns(const struct host *host, const struct record *rec, const char **ret,
		       struct err *e);
int __wrap_owner_netns(const struct host *host, const struct record *rec, const char **ret,
		       struct err *e)
{
	*ret = play.alive ? "/run/netns/pod" : "";
	return played("owner_netns", 0, e);
}

int __wrap_ipam_del(const struct ipam *ipam, struct err *e);
int __wrap_ipam_del(const struct ipam *ipam, struct err *e)
{
	(void)snprintf(play.ipam, sizeof(play.ipam), "%s %s %s%s", ipam->type, ipam->request,
		       ipam->as->container_id, ipam->as->netns);
	play.ipam_ms = ipam->all ? (unsigned int)deadline_left_ms(ipam->all) : ipam->timeout_ms;
	play.ipam_until = ipam->all ? ipam->all->at_ms : 0;
	play.ipam_steps = ipam->steps;
	return played("ipam_del", 0, e);
}

int __wrap_chain_del(const struct chain *c, const json_t *prev, struct chain_progress *p,
		     const struct deadline *all, struct err *e);
int __wrap_chain_del(const struct chain *c, const json_t *prev, struct chain_progress *p,
		     const struct deadline *all, struct err *e)
{
	(void)snprintf(play.info, sizeof(play.info), "%s", c->info_path);
	while (p->left > play.left) {
		p->left >>= 1;
		c->cleared(p, c->arg);
	}
	play.late_stays = c->late_stays;
	play.noted = play.written;
	play.chain_ms = deadline_left_ms(all);
	if (played(c->dead ? "chain_del_dead" : "chain_del", 0, e) < 0)
		return -1;
	return play.left ? err_set(e, ERR_IO, 0, "chain_del") : 0;
}

static struct fake_node n;
static struct journal journal;
static struct err e;

#define REQUEST	"{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"devinfo\"," \
		"\"delegates\":[{\"type\":\"a\"},{\"type\":\"b\"}]}"

/* Of a container that lives, with a lease, a device-info file and two delegates. */
static struct record record_of(void)
{
	memset(&play, 0, sizeof(play));
	play.code = ERR_IO;
	play.fails = play.absent = "";
	play.alive = true;
	return (struct record){
		.owner = { .network = "n", .container_id = "c", .ifname = "net1" },
		.device = "v0", .netdev = { .present = true }, .ipam_type = "ipam",
		.request = REQUEST, .device_info_file = "file", .delegates_left = 3,
		.devinfo_dir = n.host.set.devinfo_dir, .run_dir = n.host.set.run_dir,
	};
}

static int released(struct record *rec, struct release r)
{
	r.host = &n.host;
	r.journal = &journal;
	r.rec = rec;
	*play.asked = '\0';
	e = (struct err){ 0 };
	return release_attachment(&r, &e);
}

static bool asked(const char *what)
{
	return strstr(play.asked, what) != NULL;
}

static void test_order(void)
{
	struct record rec = record_of();

	test("the lease, the device, the plugins, the files, and last the record");
	ok(released(&rec, (struct release){ 0 }) == 0);
	eq(play.asked, "restore_check owner_netns ipam_del restore_device owner_netns owner_open "
	   "link_get_by_name journal_write chain_del status_remove info_name_lock store_remove_cni "
	   "info_name_unlock journal_remove");
	eq(play.ipam, "ipam " REQUEST " c/run/netns/pod");
	ok(rec.delegates_left == 0 && play.noted == 1);
	test("the plugins are told where the device-info is, by the ADD's directory");
	ok(strstr(play.info, "/cni/file") && strncmp(play.info, rec.devinfo_dir,
						     strlen(rec.devinfo_dir)) == 0);
	rec = record_of();
	rec.device_info_file = NULL;
	ok(released(&rec, (struct release){ 0 }) == 0 && !asked("info_name") && !*play.info);
	test("those behind a socket come before it");
	rec = record_of();
	(void)snprintf(rec.socket.path, sizeof(rec.socket.path), "/run/s");
	ok(released(&rec, (struct release){ 0 }) == 0 && asked("chain_del restore_device"));
	test("what was never asked, or not touched, is left alone");
	rec = record_of();
	rec.delegates_left = 0;
	ok(released(&rec, (struct release){ .skip_ipam = true, .keep_info = true }) == 0);
	eq(play.asked, "restore_check restore_device status_remove journal_remove");
	test("a device-info file that was there before gets its text again");
	rec = record_of();
	ok(released(&rec, (struct release){ .old_info = "{}", .old_info_len = 2 }) == 0);
	ok(asked("store_write_cni_text info_name_unlock") && !asked("store_remove_cni"));
	test("one that is another's by now stays");
	rec = record_of();
	play.absent = " info_name_lock ";
	ok(released(&rec, (struct release){ 0 }) == 0 && asked("info_name_lock journal_remove"));
	test("a device that a program has is not released, and nothing is");
	rec = record_of();
	play.fails = " restore_check ";
	ok(released(&rec, (struct release){ 0 }) == -1);
	eq(play.asked, "restore_check");
}

/* What fails, and whether the device is known to be back then. */
static const struct {
	const char *fails;
	bool device_back;
} steps[] = {
	{ " ipam_del ", true },
	{ " restore_device ", false },
	{ " chain_del ", false },
	{ " status_remove ", true },
	{ " store_remove_cni ", true },
};

static void test_failures(void)
{
	struct record rec;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		rec = record_of();
		rec.delegates_left = 1;
		play.fails = steps[i].fails;
		test("each step that fails is the error, all others are done, the record stays");
		ok(released(&rec, (struct release){ 0 }) == -1 && !asked("journal_remove"));
		ok(strncmp(e.msg, steps[i].fails + 1, strlen(e.msg)) == 0);
		ok(asked("ipam_del restore_device") && asked("chain_del status_remove") &&
		   asked("info_name_lock store_remove_cni info_name_unlock"));
		test("and says that the device is back, when it is");
		ok(rec.released == steps[i].device_back && play.released == rec.released);
	}
	test("all errors are told");
	rec = record_of();
	play.left = 1;
	play.fails = " owner_netns  restore_device  status_remove  store_remove_cni ";
	ok(released(&rec, (struct release){ 0 }) == -1);
	eq(e.msg, "owner_netns");
	ok(strstr(e.details, "restore_device") && strstr(e.details, "status_remove"));
	contains(e.details, "store_remove_cni");
	test("what is written already is not written again");
	rec = record_of();
	rec.delegates_left = 0;
	rec.released = true;
	play.fails = " ipam_del ";
	ok(released(&rec, (struct release){ 0 }) == -1 && !asked("journal_write"));
	test("a record that cannot be removed, or written, is an error");
	play.fails = " journal_remove ";
	ok(released(&rec, (struct release){ 0 }) == -1);
	eq(e.msg, "journal_remove");
	rec.released = false;
	play.fails = " ipam_del  journal_write ";
	ok(released(&rec, (struct release){ 0 }) == -1);
	contains(e.details, "journal_write");
}

static void test_plugins(void)
{
	struct record rec = record_of();

	test("who is left to be asked stays in the record");
	play.left = 1;
	ok(released(&rec, (struct release){ 0 }) == -1 && rec.delegates_left == 1);
	ok(asked("journal_write chain_del status_remove") && play.written == 1 && !play.released);
	ok(released(&rec, (struct release){ 0 }) == -1 && !asked("journal_write"));
	test("that this cannot be written while they are asked is a warning, and no error");
	rec = record_of();
	ok(log_open(n.host.root, "/log", &e) == 0);
	ok(released(&rec, (struct release){ 0 }) == 0 && node_holds(&n, "! -s log"));
	rec = record_of();
	play.fails = " journal_write ";
	ok(released(&rec, (struct release){ 0 }) == 0 && node_holds(&n, "-s log"));
	test("the first, which fails when its interface has gone, is done with when its lease is");
	rec = record_of();
	play.left = 1;
	play.absent = " link_get_by_name ";
	ok(released(&rec, (struct release){ 0 }) == 0 && rec.delegates_left == 0);
	ok(asked("chain_del chain_del_lease status_remove"));
	rec = record_of();
	play.left = 1;
	play.absent = " link_get_by_name ";
	play.fails = " chain_del_lease ";
	ok(released(&rec, (struct release){ 0 }) == -1 && rec.delegates_left == 1);
	test("nothing tells that it has gone where it was none, or where nobody can look");
	rec = record_of();
	play.left = 1;
	play.absent = " owner_open  link_get_by_name ";
	ok(released(&rec, (struct release){ 0 }) == -1 && !asked("chain_del_lease"));
	play.absent = " link_get_by_name ";
	rec.netdev.present = false;
	ok(released(&rec, (struct release){ 0 }) == -1 && !asked("chain_del_lease"));
	test("plugins of a dead container are told so");
	rec = record_of();
	play.alive = false;
	ok(released(&rec, (struct release){ 0 }) == 0 && asked("chain_del_dead"));
	test("a request that cannot be read is an error");
	rec = record_of();
	rec.request = "{";
	ok(released(&rec, (struct release){ 0 }) == -1);
	contains(e.msg, "the request in the record");
	rec = record_of();
	rec.request = "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"x\",\"delegates\":7}";
	ok(released(&rec, (struct release){ 0 }) == -1 && !asked("chain_del"));
}

static void test_lease(void)
{
	struct record rec = record_of();

	test("a lease that was refused needs no DEL that works");
	rec.delegates_left = 0;
	play.fails = " ipam_del ";
	ok(released(&rec, (struct release){ .ipam_refused = true }) == 0);
	test("without a plugin there is none");
	rec.ipam_type = NULL;
	ok(released(&rec, (struct release){ 0 }) == 0 && !asked("ipam_del"));
	test("one of sriov-cni's is released by a call that has the plugin's configuration");
	rec.lease_of = "ipam";
	ok(released(&rec, (struct release){ 0 }) == 0 && !asked("ipam_del"));
	ok(released(&rec, (struct release){ .request = "q" }) == 0 && !asked("ipam_del"));
	ok(released(&rec, (struct release){ .request = "q", .ipam_type = "x" }) == 0);
	ok(!asked("ipam_del"));
	play.fails = "";
	ok(released(&rec, (struct release){ .request = "q", .ipam_type = "ipam" }) == 0);
	eq(play.ipam, "ipam q c/run/netns/pod");
}

static void test_directories(void)
{
	struct record rec = record_of();
	char mine[PATH_MAX];
	struct host h;

	test("the directories are those of the ADD, when they are root's or gone");
	rec.run_dir = "/old/run";
	rec.devinfo_dir = "/old/info";
	h = release_host(&n.host, &rec);
	eq(h.set.run_dir, "/old/run");
	node_sh(&n, "mkdir -p old/run old/info && chmod 0777 old/info");
	h = release_host(&n.host, &rec);
	eq(h.set.run_dir, "/old/run");
	test("and the present ones where others may write, or there is no directory");
	eq(h.set.devinfo_dir, n.host.set.devinfo_dir);
	node_sh(&n, "rmdir old/run && touch old/run");
	h = release_host(&n.host, &rec);
	eq(h.set.run_dir, n.host.set.run_dir);
	test("those that are settings still are not looked at, and stdin stays open");
	rec = record_of();
	(void)snprintf(mine, sizeof(mine), "%s", n.host.set.run_dir);
	rec.run_dir = mine;
	h = release_host(&n.host, &rec);
	ok(h.set.run_dir == n.host.set.run_dir && fcntl(0, F_GETFD) >= 0);
}

static int dead_owner_released(struct record *rec)
{
	*play.asked = '\0';
	e = (struct err){ 0 };
	return release_dead_owner(&n.host, &journal, rec, "mine", &e);
}

static void test_dead_owner(void)
{
	struct record rec = record_of();

	test("of a dead owner all is released: the device, plugins, the lease, files, the record");
	play.alive = false;
	ok(dead_owner_released(&rec) == 0 && rec.delegates_left == 0);
	eq(play.asked, "restore_device owner_netns owner_open link_get_by_name journal_write "
	   "chain_del_dead owner_netns ipam_del status_remove info_name_lock store_remove_cni "
	   "info_name_unlock journal_remove");
	eq(play.ipam, "ipam " REQUEST " c");
	test("within five seconds, which its plugins share");
	ok(play.ipam_ms > 4000 && play.ipam_ms <= 5000 && play.chain_ms <= 5000);
	ok(play.ipam_steps == 1);
	test("of which the device takes nothing, before its plugins or between them");
	for (int path = 0; path < 2; path++) {
		int64_t until = deadline_in(5000).at_ms;

		rec = record_of();
		play.restore_ms = 50;
		if (path)
			(void)snprintf(rec.socket.path, sizeof(rec.socket.path), "/run/s");
		ok(dead_owner_released(&rec) == 0 && play.ipam_until >= until + 50);
	}
	test("a plugin that had too little of it is asked again, by a DEL, which has more");
	ok(play.late_stays);
	rec = record_of();
	play.alive = false;
	ok(released(&rec, (struct release){ 0 }) == 0 && asked("chain_del_dead") &&
	   !play.late_stays);
	test("a socket's plugins come first");
	rec = record_of();
	(void)snprintf(rec.socket.path, sizeof(rec.socket.path), "/run/s");
	ok(dead_owner_released(&rec) == 0 && asked("chain_del restore_device owner_netns ipam"));
	test("what fails keeps no device, but the record, which says that the device is back");
	rec = record_of();
	play.left = 1;
	ok(dead_owner_released(&rec) == 0 && play.released && play.written == 1);
	ok(asked("ipam_del status_remove") && !asked("journal_remove"));
	for (size_t i = 0; i < 3; i++) {
		static const char *const fails[] = {
			" ipam_del ", " status_remove ", " store_remove_cni ",
		};

		rec = record_of();
		play.fails = fails[i];
		ok(dead_owner_released(&rec) == 0 && play.released && play.written == 0);
		ok(asked("ipam_del status_remove") && !asked("journal_remove"));
	}
	test("a lease that needs its network's configuration is left for a call that has it");
	rec = record_of();
	rec.ipam_type = NULL;
	rec.lease_of = "ipam";
	ok(dead_owner_released(&rec) == 0 && play.released && !asked("ipam_del"));
	test("a device-info file that is this ADD's own by now is left alone");
	rec = record_of();
	rec.device_info_file = "mine";
	ok(dead_owner_released(&rec) == 0 && !asked("info_name") && asked("journal_remove"));
	test("a device that cannot be given back is an error, without the owner's name in it");
	rec = record_of();
	play.fails = " restore_device ";
	ok(dead_owner_released(&rec) == -1 && !rec.released);
	eq(play.asked, "restore_device");
	eq(e.msg, "clean up v0 after the container that had it");
	test("so is a record that cannot be removed, or written");
	rec = record_of();
	rec.delegates_left = 0;
	play.fails = " journal_remove ";
	ok(dead_owner_released(&rec) == -1);
	play.fails = " journal_write  ipam_del ";
	ok(dead_owner_released(&rec) == -1);
}

static const struct release_call no_call;

static int owner_released(struct record *rec)
{
	*play.asked = '\0';
	known = rec;
	e = (struct err){ 0 };
	return release_owner(&n.host, &journal, &rec->owner, &no_call, &e);
}

static int dead_released(struct record *rec)
{
	*play.asked = '\0';
	known = rec;
	e = (struct err){ 0 };
	return release_if_dead(&n.host, &journal, rec, &no_call, &e);
}

#define LOCKED	"journal_lock_attachment journal_find journal_lock_device again"
#define ONLY	"journal_lock_attachment journal_lock_device journal_find"

static void test_owner(void)
{
	struct record rec = record_of();

	test("DEL looks for the record under the attachment's lock, and again under the device's");
	ok(owner_released(&rec) == 1 && asked(LOCKED " restore_check") && asked("journal_remove"));
	test("one that has none, or that is released meanwhile, has nothing to release");
	play.absent = " journal_find ";
	ok(owner_released(&rec) == 0);
	eq(play.asked, "journal_lock_attachment journal_find");
	play.absent = " again ";
	ok(owner_released(&rec) == 0);
	eq(play.asked, LOCKED);
	play.absent = "";
	test("the record that is the only one is read once, under both locks, and is the last");
	only = rec.device;
	ok(owner_released(&rec) == 2);
	ok(strncmp(play.asked, ONLY " restore_check ", strlen(ONLY " restore_check ")) == 0);
	play.absent = " journal_find ";
	ok(owner_released(&rec) == 0);
	eq(play.asked, ONLY " unlock_device");
	play.absent = "";
	for (int i = 0; i < 2; i++) {
		play.fails = i == 0 ? " journal_lock_device " : " journal_find ";
		ok(owner_released(&rec) == -1 && e.code == ERR_IO && !asked("restore_device"));
	}
	play.fails = "";
	test("whose file has another device in its name is looked for as one of several");
	only = "0000:00:00.0";
	ok(owner_released(&rec) == 1);
	ok(strncmp(play.asked, ONLY " unlock_device again journal_lock_device again ",
		   strlen(ONLY " unlock_device again journal_lock_device again ")) == 0);
	only = NULL;
	test("each step that fails is the error");
	for (int i = 0; i < 5; i++) {
		static const char *const fails[] = {
			" journal_lock_attachment ", " journal_find ", " journal_lock_device ",
			" again ", " restore_check ",
		};

		play.fails = fails[i];
		ok(owner_released(&rec) == -1 && e.code == ERR_IO && !asked("restore_device"));
	}
}

static void test_if_dead(void)
{
	struct record rec = record_of();

	test("GC releases under the same locks, which it gives up, who is dead there");
	play.alive = false;
	ok(dead_released(&rec) == 1);
	ok(asked("journal_lock_attachment journal_lock_device journal_get owner_is_alive re"));
	ok(asked("journal_remove unlock_device unlock_attachment"));
	test("who lives, or has gone, is left alone");
	play.alive = true;
	ok(dead_released(&rec) == 0 && !asked("restore_") && asked("unlock_device unlock_"));
	play.alive = false;
	play.absent = " journal_get ";
	ok(dead_released(&rec) == 0 && !asked("restore_"));
	play.absent = "";
	test("each step that fails is the error, and no lock stays");
	play.fails = " journal_lock_attachment ";
	ok(dead_released(&rec) == -1);
	eq(play.asked, "journal_lock_attachment");
	play.fails = " journal_lock_device ";
	ok(dead_released(&rec) == -1);
	eq(play.asked, "journal_lock_attachment journal_lock_device unlock_attachment");
	for (int i = 0; i < 3; i++) {
		static const char *const fails[] = {
			" journal_get ", " owner_is_alive ", " restore_check ",
		};

		play.fails = fails[i];
		ok(dead_released(&rec) == -1 && e.code == ERR_IO && !asked("restore_device"));
		ok(asked("unlock_device unlock_attachment"));
	}
}

int main(void)
{
	node_open(NULL, &n);
	test_order();
	test_failures();
	test_plugins();
	test_lease();
	test_directories();
	test_dead_owner();
	test_owner();
	test_if_dead();
	node_close(&n);
	return tap_end();
}
