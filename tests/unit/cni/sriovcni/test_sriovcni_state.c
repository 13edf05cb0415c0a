/* SPDX-License-Identifier: Apache-2.0 */
/* test_sriovcni_state.c - sriov-cni's records: translated, hostile ones left alone, taken over */
#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "cni/sriovcni/allocation_file.h"
#include "cni/sriovcni/sriovcni_state.h"
#include "cni/sriovcni/takeover.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PCI	"0000:01:10.0"
#define ID	"b7d1c9a2f04e5d6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c"
#define ID2	"c7d1c9a2f04e5d6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c"
#define OLD	"var/lib/cni/sriov"

/* What sriov-cni 2.10 writes: Go sorts the keys. */
#define ORIG_CLEAN                                                                            \
	"\"OrigVfState\":{\"AdminMAC\":\"00:00:00:00:00:00\",\"EffectiveMAC\":"               \
	"\"3a:00:00:00:00:01\",\"HostIFName\":\"enp1s0f0v0\",\"LinkState\":0,\"MTU\":1500,"   \
	"\"MaxTxRate\":0,\"MinTxRate\":0,\"SpoofChk\":true,\"Trust\":false,\"Vlan\":0,"       \
	"\"VlanProto\":33024,\"VlanQoS\":0}"
#define HEAD	"{\"MAC\":\"02:00:00:00:00:0a\",\"MTU\":1500,\"Master\":\"enp1s0f0\","
#define TAIL                                                                                  \
	",\"VFID\":0,\"cniVersion\":\"1.0.0\",\"deviceID\":\"" PCI "\",\"dns\":{},\"ipam\":"  \
	"{\"type\":\"host-local\"},\"max_tx_rate\":null,\"min_tx_rate\":null,\"name\":\"net\"," \
	"\"runtimeConfig\":{},\"trust\":\"on\",\"type\":\"sriov\",\"vlan\":100,\"vlanProto\":" \
	"\"802.1q\",\"vlanQoS\":3}"

static const char full[] = HEAD ORIG_CLEAN TAIL;

static struct fake_node n;

static void sh(const char *fmt, ...) printflike(1, 2);
static void sh(const char *fmt, ...)
{
	auto_free char *command = NULL;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vasprintf(&command, fmt, ap);
	va_end(ap);
	if (r < 0)
		bail_out(fmt);
	node_sh(&n, command);
}

static bool there(const char *path)
{
	struct err e;

	return fs_exists(n.host.root, &e, "%s", path) > 0;
}

static void write_text(const char *path, const char *text)
{
	int fd = fs_open(n.host.root, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd) != 0) {
		(void)printf("Bail out! write %s\n", path);
		exit(1);
	}
}

/* A tree without anything of earlier tests. */
static void fresh(void)
{
	sh("rm -rf var && mkdir -p " OLD "/pci/vf_lock proc/sys/kernel/random && "
	   "echo this-boot >proc/sys/kernel/random/boot_id && chmod 600 " OLD "/pci");
}

static int parse(const char *text, struct sriovcni_state *s, struct err *e)
{
	return sriovcni_state_parse(text, strlen(text), s, e);
}

/* The text with one piece of it, which must be there, replaced; owned by the caller. */
static char *with(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *ret = NULL;

	if (!at || asprintf(&ret, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) < 0) {
		(void)printf("Bail out! no %s\n", from);
		exit(1);
	}
	return ret;
}

static void translation(void)
{
	static const uint8_t admin[VF_MAC_MAX], mac[] = { 2, 0, 0, 0, 0, 10 },
			     was[] = { 0x3a, 0, 0, 0, 0, 1 };
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	const struct record *r = &s.rec;
	struct err e;

	test("a record of sriov-cni becomes one of ours: who, which, what was");
	ok(parse(full, &s, &e) == 0);
	eq(r->owner.network, "net");
	eq(s.type, "sriov");
	eq(r->lease_of, "host-local");
	eq(r->device, PCI);
	ok(r->is_pci && r->unique_parent && !r->chained && !r->released && !r->ipam_type &&
	   !r->request);
	ok(memcmp(r->mac, mac, sizeof(mac)) == 0);
	test("... the network device");
	ok(r->netdev.present && r->netdev.mtu == 1500 && r->netdev.flags == 0);
	eq(r->netdev.name, "enp1s0f0v0");
	eq(r->netdev.bus, "pci");
	eq(r->netdev.parent, PCI);
	ok(r->netdev.addr_len == 6 && memcmp(r->netdev.addr, was, 6) == 0);
	test("... the VF, and what of it the configuration has set");
	ok(r->vf.have == VF_ALL && memcmp(r->vf.mac, admin, sizeof(admin)) == 0);
	ok(r->vf.vlan == 0 && r->vf.proto == VF_PROTO_8021Q && r->vf.spoofchk && !r->vf.trust);
	ok(r->vf_set == (VF_MAC | VF_VLAN | VF_TRUST));
}

static void variants(void)
{
	static const struct {
		const char *from, *to;
		uint32_t set;
		uint16_t proto;
	} cases[] = {
		{ "\"vlan\":100", "\"vlan\":null", VF_MAC | VF_TRUST, 0x8100 },
		{ "\"vlan\":100", "\"vlan\":0", VF_MAC | VF_VLAN | VF_TRUST, 0x8100 },
		{ "\"min_tx_rate\":null", "\"min_tx_rate\":5",
		  VF_MAC | VF_VLAN | VF_TRUST | VF_RATE, 0x8100 },
		{ "\"trust\":\"on\"", "\"spoofchk\":\"off\",\"link_state\":\"auto\"",
		  VF_MAC | VF_VLAN | VF_SPOOFCHK | VF_LINK_STATE, 0x8100 },
		{ "\"MAC\":\"02:00:00:00:00:0a\"", "\"MAC\":\"\"", VF_VLAN | VF_TRUST, 0x8100 },
		{ ":33024", ":34984", VF_MAC | VF_VLAN | VF_TRUST, 0x88a8 },
		{ ":33024", ":43144", VF_MAC | VF_VLAN | VF_TRUST, 0x88a8 },
		{ ":33024", ":129", VF_MAC | VF_VLAN | VF_TRUST, 0x8100 },
		{ ":33024", ":0", VF_MAC | VF_VLAN | VF_TRUST, 0x8100 },
	};
	struct err e;

	test("only what the configuration set is to be put back; the VLAN's protocol in any order");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *text = with(full, cases[i].from, cases[i].to);
		auto_sriovcni_state struct sriovcni_state s = { 0 };

		ok(parse(text, &s, &e) == 0 && s.rec.vf_set == cases[i].set &&
		   s.rec.vf.proto == cases[i].proto);
	}
}

static void earlier_releases(void)
{
	auto_free char *dpdk = with(full, "\"enp1s0f0v0\"", "\"\"");
	auto_free char *upper =
		with(full, "\"deviceID\":\"" PCI "\"", "\"deviceID\":\"0000:AF:10.0\"");
	auto_free char *no_ipam = with(full, "{\"type\":\"host-local\"}", "{}");
	auto_sriovcni_state struct sriovcni_state a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
	struct err e;

	test("what an early release did not write is not known, and not restored");
	ok(parse("{\"name\":\"n\",\"deviceID\":\"" PCI
		 "\",\"OrigVfState\":{\"HostIFName\":\"eth3\","
		 "\"AdminMAC\":\"02:00:00:00:00:01\",\"EffectiveMAC\":\"\"},\"vlan\":5}",
		 &a, &e) == 0);
	ok(a.rec.vf.have == VF_MAC && a.rec.vf_set == VF_VLAN && a.rec.netdev.addr_len == 0 &&
	   a.rec.netdev.mtu == 0 && !a.type && !a.rec.lease_of);
	test("a VF for a program in user space had no network device");
	ok(parse(dpdk, &b, &e) == 0 && !b.rec.netdev.present && b.rec.vf.have == VF_ALL);
	test("an address is spelled in lower case");
	ok(parse(upper, &c, &e) == 0);
	eq(c.rec.device, "0000:af:10.0");
	test("no IPAM, no lease");
	ok(parse(no_ipam, &d, &e) == 0 && !d.rec.lease_of);
}

static void hostile_text(void)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{ "\"deviceID\":\"" PCI "\"", "\"deviceID\":\"../../etc\"",
		  "deviceID: '../../etc'" },
		{ "\"deviceID\":\"" PCI "\"", "\"deviceID\":7", "deviceID: expected a string" },
		{ "\"deviceID\":", "\"other\":", "deviceID: ''" },
		{ "\"name\":\"net\"", "\"name\":\"a/b\"", "name: 'a/b'" },
		{ "\"name\":\"net\",", "", "name: ''" },
		{ "\"host-local\"", "\"../x\"", "ipam.type: '../x'" },
		{ "\"enp1s0f0v0\"", "\"a/b\"", "OrigVfState.HostIFName: 'a/b'" },
		{ "\"enp1s0f0v0\"", "\"0123456789abcdef\"", "OrigVfState.HostIFName" },
		{ "\"3a:00:00:00:00:01\"", "\"3a:00\"", "OrigVfState.EffectiveMAC: '3a:00'" },
		{ "\"00:00:00:00:00:00\"", "[]", "OrigVfState.AdminMAC" },
		{ "\"02:00:00:00:00:0a\"", "\"x\"", "MAC: 'x'" },
		{ "\"Vlan\":0", "\"Vlan\":4096", "OrigVfState.Vlan" },
		{ "\"VlanQoS\":0", "\"VlanQoS\":-1", "OrigVfState.VlanQoS" },
		{ ":33024", ":33025", "OrigVfState.VlanProto: 33025" },
		{ "\"LinkState\":0", "\"LinkState\":3", "OrigVfState.LinkState" },
		{ "\"MaxTxRate\":0", "\"MaxTxRate\":4294967296", "OrigVfState.MaxTxRate" },
		{ "\"Trust\":false", "\"Trust\":\"no\"", "OrigVfState.Trust" },
		{ "\"SpoofChk\":true", "\"SpoofChk\":1", "OrigVfState.SpoofChk" },
		{ "\"MTU\":1500,\"MaxTx", "\"MTU\":1e30,\"MaxTx", "OrigVfState.MTU" },
		{ "\"OrigVfState\":", "\"orig\":", "'OrigVfState' is missing" },
		{ ORIG_CLEAN, "\"OrigVfState\":[]", "OrigVfState: expected an object" },
	};
	struct sriovcni_state s = { .type = "before" };
	struct err e;

	test("a shape that is not known is an error that names the key");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *text = with(full, cases[i].from, cases[i].to);

		ok(parse(text, &s, &e) == -1 && strstr(e.msg, cases[i].says));
		if (!strstr(e.msg, cases[i].says))
			(void)printf("# %s\n", e.msg);
	}
	test("so is what is torn, empty or no object, at every length");
	for (size_t len = 0; len < strlen(full); len++)
		if (sriovcni_state_parse(full, len, &s, &e) != -1)
			ok(!"a torn record was taken");
	ok(parse("[]", &s, &e) == -1 && parse("null", &s, &e) == -1);
	test("nothing is returned then");
	eq(s.type, "before");
	ok(!s.rec.doc);
}

static int open_old(void)
{
	struct err e;
	int dir = -1;

	if (sriovcni_state_open(&n.host, &dir, &e) != 1)
		exit(1);
	return dir;
}

static void files(void)
{
	auto_close int dir = -1;
	auto_sriovcni_state struct sriovcni_state s = { 0 }, t = { 0 }, u = { 0 }, v = { 0 },
					    none = { 0 };
	struct err e;

	sh("rm -rf var");
	test("without sriov-cni there is no directory, which is no error");
	ok(sriovcni_state_open(&n.host, &dir, &e) == 0);
	fresh();
	dir = open_old();
	write_text("/" OLD "/" ID "-net1", full);
	test("a record is found by its owner");
	ok(sriovcni_state_read(dir, ID, "net1", &s, &e) == 1);
	eq(s.rec.owner.container_id, ID);
	eq(s.rec.owner.ifname, "net1");
	ok(s.written.tv_sec > 0);
	ok(sriovcni_state_read(dir, ID, "net2", &none, &e) == 0);
	ok(sriovcni_state_read(dir, ID2, "net1", &none, &e) == 0);
	test("by its name alone, the id of an engine ends at the first '-'");
	write_text("/" OLD "/" ID "-a-b", full);
	ok(sriovcni_state_read_file(dir, ID "-a-b", NULL, &t, &e) == 1);
	eq(t.rec.owner.container_id, ID);
	eq(t.rec.owner.ifname, "a-b");
	test("... another one at the last");
	write_text("/" OLD "/pod-x-net1", full);
	ok(sriovcni_state_read_file(dir, "pod-x-net1", NULL, &u, &e) == 1);
	eq(u.rec.owner.container_id, "pod-x");
	sriovcni_state_done(&u);
	write_text("/" OLD "/cafe-x-net1", full);
	ok(sriovcni_state_read_file(dir, "cafe-x-net1", NULL, &u, &e) == 1);
	eq(u.rec.owner.container_id, "cafe-x");
	test("... unless the record names the interface");
	write_text("/" OLD "/pod-a-b", "{\"name\":\"n\",\"ContIFNames\":\"a-b\",\"deviceID\":\"" PCI
		   "\",\"OrigVfState\":{}}");
	ok(sriovcni_state_read_file(dir, "pod-a-b", NULL, &v, &e) == 1);
	eq(v.rec.owner.container_id, "pod");
	test("a name that can be nobody's is none");
	write_text("/" OLD "/-net1", full);
	ok(sriovcni_state_read_file(dir, "-net1", NULL, &none, &e) == 0);
	write_text("/" OLD "/x-0123456789abcdef", full);
	ok(sriovcni_state_read_file(dir, "x-0123456789abcdef", NULL, &none, &e) == 0);
}

static void hostile_files(void)
{
	auto_close int dir = -1;
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	char long_id[300];
	struct err e;

	fresh();
	dir = open_old();
	test("links, directories, FIFOs and large files are not read");
	sh("cd " OLD " && ln -s /etc/passwd l-net1 && mkdir d-net1 && mkfifo f-net1 && "
	   "truncate -s 262145 b-net1 && echo '{}' >ok && ln ok h-net1");
	ok(sriovcni_state_read(dir, "l", "net1", &s, &e) == -1);
	ok(sriovcni_state_read(dir, "d", "net1", &s, &e) == -1);
	ok(sriovcni_state_read(dir, "f", "net1", &s, &e) == -1);
	ok(sriovcni_state_read(dir, "b", "net1", &s, &e) == -1 && e.sys == EFBIG);
	ok(sriovcni_state_read(dir, "h", "net1", &s, &e) == -1 && strstr(e.msg, "OrigVfState"));
	test("an id that makes no file name has no record");
	memset(long_id, 'a', sizeof(long_id) - 1);
	long_id[sizeof(long_id) - 1] = '\0';
	ok(sriovcni_state_read(dir, long_id, "net1", &s, &e) == 0);
	ok(sriovcni_state_read(dir, "../../../etc/x", "net1", &s, &e) == 0);
}

/* What is there of a VF's marker: 1, 0, -1. */
static int marker_of(int dir, const char *bdf, struct allocation_file *ret)
{
	struct err e = { .code = ERR_OK };
	int r = allocation_file_read(dir, bdf, ret, &e);

	return r < 0 && e.code != ERR_DECODE ? -2 : r;
}

static void markers(void)
{
	struct allocation_file m = { .netns = "before" };
	auto_close int dir = -1;
	struct err e;

	fresh();
	dir = open_old();
	test("the owner of a VF is a path");
	write_text("/" OLD "/pci/" PCI, "/var/run/netns/cni-1");
	ok(marker_of(dir, PCI, &m) == 1 && m.written.tv_sec > 0);
	eq(m.netns, "/var/run/netns/cni-1");
	write_text("/" OLD "/pci/" PCI, "/run/netns/a b \n");
	ok(marker_of(dir, PCI, &m) == 1);
	eq(m.netns, "/run/netns/a b");
	test("no owner is none, nor is an empty one, and what is no PCI address has none");
	ok(marker_of(dir, "0000:01:10.1", &m) == 0);
	ok(marker_of(dir, "../x", &m) == 0);
	write_text("/" OLD "/pci/" PCI, "");
	ok(marker_of(dir, PCI, &m) == 0);
	test("what is no path is an error");
	write_text("/" OLD "/pci/" PCI, "run/netns/a");
	ok(marker_of(dir, PCI, &m) == -1);
	sh("printf '/run/a\\0b' >" OLD "/pci/" PCI);
	ok(marker_of(dir, PCI, &m) == -1);
	sh("truncate -s 5000 " OLD "/pci/" PCI);
	ok(marker_of(dir, PCI, &m) == -1);
	sh("ln -sf /etc/passwd " OLD "/pci/" PCI);
	ok(marker_of(dir, PCI, &m) == -1);
	eq(m.netns, "/run/netns/a b");
	test("it is removed, once or twice");
	ok(allocation_file_remove(dir, PCI, &e) == 0 && !there("/" OLD "/pci/" PCI));
	ok(allocation_file_remove(dir, PCI, &e) == 0);
}

static int open_file(const char *path)
{
	return fs_open(n.host.root, path, O_RDWR, 0);
}

static void locks(void)
{
	struct deadline soon = deadline_in(30);
	auto_close int dir = -1, mine = -1, theirs = -1, none = -1;
	struct err e;

	fresh();
	dir = open_old();
	test("sriov-cni's lock is a file's, and waited for in vain while it is held");
	ok(allocation_file_lock(dir, PCI, &soon, &mine, &e) == 1 && mine >= 0);
	theirs = open_file("/" OLD "/pci/vf_lock/" PCI ".lock");
	ok(theirs >= 0 && flock(theirs, LOCK_EX | LOCK_NB) == -1);
	mem_close_fd(&mine);
	mine = -1;
	ok(flock(theirs, LOCK_EX | LOCK_NB) == 0);
	ok(allocation_file_lock(dir, PCI, &soon, &mine, &e) == -1 && e.code == ERR_TRY_AGAIN &&
	   mine == -1);
	test("where it never locked there is nothing to lock, and nothing is made");
	sh("rm -r " OLD "/pci/vf_lock");
	ok(allocation_file_lock(dir, PCI, &soon, &none, &e) == 0 && none == -1);
	ok(!there("/" OLD "/pci/vf_lock") && !there("/" OLD "/pci/" PCI));
}

/* Releases without vf_lock. */
static void marker_locks(void)
{
	struct deadline soon = deadline_in(30), later = deadline_in(10000);
	auto_close int dir = -1, mine = -1, theirs = -1, none = -1;
	struct err e;
	pid_t pid;

	fresh();
	dir = open_old();
	sh("rm -r " OLD "/pci/vf_lock");
	write_text("/" OLD "/pci/" PCI, "/run/netns/a");
	test("without vf_lock the lock is the marker's");
	ok(allocation_file_lock(dir, PCI, &soon, &mine, &e) == 1);
	theirs = open_file("/" OLD "/pci/" PCI);
	ok(theirs >= 0 && flock(theirs, LOCK_EX | LOCK_NB) == -1);
	mem_close_fd(&mine);
	mine = -1;
	ok(flock(theirs, LOCK_EX | LOCK_NB) == 0);
	ok(allocation_file_lock(dir, PCI, &soon, &mine, &e) == -1 && e.code == ERR_TRY_AGAIN);
	test("... of the file that has its name once it is ours, not of one that was removed");
	pid = fork();
	if (pid == 0) {
		(void)usleep(50000);
		_exit(unlinkat(dir, "pci/" PCI, 0) != 0 || flock(theirs, LOCK_UN) != 0);
	}
	ok(allocation_file_lock(dir, PCI, &later, &none, &e) == 0 && none == -1);
	ok(pid > 0 && waitpid(pid, NULL, 0) == pid);
}

/* -- taken over -- */

static struct journal j;
static struct netconf nc;
static char cni_path[128];
static struct rlimit limit;

static void conf_is(const char *text)
{
	struct err e;

	netconf_done(&nc);
	if (netconf_parse(text, strlen(text), &nc, &e) < 0)
		exit(1);
}

static struct takeover takeover(void)
{
	return (struct takeover) {
		.host = &n.host, .journal = &j, .conf = &nc, .cni_path = cni_path, .lock = -1,
	};
}

static int takeover_own(const char *id, const char *netns)
{
	struct takeover a = takeover();
	const struct owner o = { .network = "net", .container_id = id, .ifname = "net1",
				 .netns = netns };
	struct err e = { .msg = "" };
	int r = takeover_attachment(&a, &o, &e);

	mem_close_fd(&a.lock);
	if (r < 0)
		(void)printf("# %s\n", e.msg);
	return r;
}

static int take_bdf(struct record *live)
{
	struct takeover a = takeover();
	struct err e = { .msg = "" };
	int r = takeover_device(&a, PCI, live, &e);

	mem_close_fd(&a.lock);
	if (r < 0)
		(void)printf("# %s\n", e.msg);
	return r;
}

static int in_journal(const char *id, struct record *ret)
{
	const struct owner o = { .network = "net", .container_id = id, .ifname = "net1" };
	struct err e;

	return j.dir < 0 ? 0 : journal_find(&j, &o, ret, &e);
}

static void start(void)
{
	struct err e;

	journal_done(&j);
	fresh();
	if (journal_open(&n.host, JOURNAL_CREATE, &j, &e) != 1)
		exit(1);
	conf_is("{\"name\":\"net\",\"type\":\"devinfo\",\"ipam\":{\"type\":\"host-local\"}}");
}

static void own(void)
{
	auto_record struct record r = { 0 }, again = { 0 };
	struct err e;

	start();
	journal_done(&j);	/* the first call after an installation */
	sh("rm -r var/lib/cni/devinfo");
	test("DEL of an attachment that sriov-cni made: it is in the journal, its files are gone");
	write_text("/" OLD "/" ID "-net1", full);
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	ok(takeover_own(ID, "/run/netns/gone") == 1);
	ok(in_journal(ID, &r) == 1 && !r.released && r.vf_set == (VF_MAC | VF_VLAN | VF_TRUST));
	eq(r.boot_id, "this-boot");
	eq(r.owner.netns, "/run/netns/gone");
	eq(r.lease_of, "host-local");
	ok(!there("/" OLD "/" ID "-net1") && !there("/" OLD "/pci/" PCI));
	test("once more there is nothing to take");
	ok(takeover_own(ID, "/run/netns/gone") == 0);
	test("a lost removal is made up for, and the record that is there stays as it is");
	r.released = true;
	ok(journal_write(&j, &r, &e) == 0);
	write_text("/" OLD "/" ID "-net1", full);
	ok(takeover_own(ID, "/run/netns/gone") == 1 && !there("/" OLD "/" ID "-net1"));
	ok(in_journal(ID, &again) == 1 && again.released);
}

static void others(void)
{
	auto_free char *no_ipam = with(full, "{\"type\":\"host-local\"}", "{}");
	auto_record struct record r = { 0 }, live = { 0 };
	struct record ours;
	struct err e;

	start();
	test("another plugin's attachment in a chain with us is its own to end, with addresses or "
	     "without");
	conf_is("{\"name\":\"net\",\"type\":\"devinfo\",\"prevResult\":{}}");
	(void)snprintf(cni_path, sizeof(cni_path), "/none:%s/bin", n.dir);
	sh("mkdir -p bin && printf '#!/bin/sh\\n' >bin/sriov");
	write_text("/" OLD "/" ID "-net1", full);
	ok(takeover_own(ID, "") == 0 && there("/" OLD "/" ID "-net1"));
	write_text("/" OLD "/" ID "-net1", no_ipam);
	ok(takeover_own(ID, "") == 0 && there("/" OLD "/" ID "-net1"));
	test("... but not when we have its name, or there is no other plugin of that name");
	conf_is("{\"name\":\"net\",\"type\":\"sriov\",\"prevResult\":{}}");
	ok(takeover_own(ID, "") == 1 && in_journal(ID, &r) == 1);
	start();
	conf_is("{\"name\":\"net\",\"type\":\"devinfo\",\"prevResult\":{}}");
	sh("rm bin/sriov");
	write_text("/" OLD "/" ID "-net1", full);
	ok(takeover_own(ID, "") == 1);
	test("... nor when our addresses come from another IPAM plugin than its");
	start();
	conf_is("{\"name\":\"net\",\"type\":\"devinfo\",\"ipam\":{\"type\":\"static\"}}");
	sh("printf '#!/bin/sh\\n' >bin/sriov");
	write_text("/" OLD "/" ID "-net1", full);
	ok(takeover_own(ID, "") == 1);
	*cni_path = '\0';

	start();
	test("... and so is one that our own record says we are chained behind");
	write_text("/" OLD "/" ID "-net1", full);
	ours = (struct record) {
		.owner = { .network = "net", .container_id = ID, .ifname = "net1", .netns = "" },
		.boot_id = "this-boot", .device = PCI, .is_pci = true, .devinfo_dir = "/d",
		.run_dir = "/r", .chained = true,
	};
	ok(journal_write(&j, &ours, &e) == 0);
	ok(takeover_own(ID, "") == 0 && there("/" OLD "/" ID "-net1"));

	start();
	test("a file that cannot be used is left alone");
	write_text("/" OLD "/" ID "-net1", "{\"name\":");
	ok(takeover_own(ID, "") == 0 && there("/" OLD "/" ID "-net1"));

	start();
	test("a VF that one of our own attachments has is not touched: only the lease is left");
	write_text("/" OLD "/" ID "-net1", full);
	ours = (struct record) {
		.owner = { .network = "net",
			   .container_id = "ours",
			   .ifname = "net1",
			   .netns = "" },
		.boot_id = "this-boot",
		.device = PCI,
		.is_pci = true,
		.devinfo_dir = "/d",
		.run_dir = "/r",
	};
	ok(journal_write(&j, &ours, &e) == 0);
	record_done(&r);
	ok(takeover_own(ID, "/run/netns/x") == 1 && in_journal(ID, &r) == 1 && r.released);
	ok(journal_find_device(&j, PCI, &live, &e) == 1);
	eq(live.owner.container_id, "ours");
}

static void earlier_boot(void)
{
	auto_record struct record r = { 0 }, live = { 0 }, none = { 0 };

	start();
	test("a record of an earlier boot has only its lease left");
	write_text("/" OLD "/" ID "-net1", full);
	sh("touch -d 2001-01-01 " OLD "/" ID "-net1");
	ok(takeover_own(ID, "/run/netns/x") == 1 && in_journal(ID, &r) == 1 && r.released);
	ok(strcmp(r.boot_id, "this-boot") != 0 && !there("/" OLD "/" ID "-net1"));

	start();
	test("ADD does not set the VF back to what was before an earlier boot");
	write_text("/" OLD "/" ID "-net1", full);
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	sh("touch -d 2001-01-01 " OLD "/" ID "-net1");
	ok(take_bdf(&live) == 1 && in_journal(ID, &none) == 0);
	ok(there("/" OLD "/" ID "-net1") && !there("/" OLD "/pci/" PCI));
}

#define LATE	HEAD                                                                          \
	"\"OrigVfState\":{\"AdminMAC\":\"02:00:00:00:00:0a\",\"EffectiveMAC\":"               \
	"\"02:00:00:00:00:0a\",\"HostIFName\":\"net1\",\"LinkState\":0,\"MTU\":1400,"         \
	"\"MaxTxRate\":0,\"MinTxRate\":0,\"SpoofChk\":true,\"Trust\":true,\"Vlan\":100,"      \
	"\"VlanProto\":33024,\"VlanQoS\":3}"

static const char late[] = LATE ",\"deviceID\":\"" PCI "\",\"name\":\"net\",\"spoofchk\":"
			       "\"off\",\"ipam\":{\"type\":\"host-local\"}}";

/* Fault 13: what a pod before it has left was taken for the original. */
static void poisoned(void)
{
	auto_record struct record first = { 0 }, second = { 0 }, live = { 0 };

	start();
	write_text("/" OLD "/" ID "-net1", full);
	sh("touch -d '-1 second' " OLD "/" ID "-net1");
	write_text("/" OLD "/" ID2 "-net1", late);
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	test("the oldest record of a VF knows what was before, the newest has the VF");
	ok(take_bdf(&live) == 1);
	ok(in_journal(ID2, &second) == 1 && !second.released);
	eq(second.netdev.name, "enp1s0f0v0");
	ok(second.vf.vlan == 0 && !second.vf.trust && second.netdev.mtu == 1500);
	ok(second.vf_set == (VF_MAC | VF_VLAN | VF_TRUST | VF_SPOOFCHK));
	ok(in_journal(ID, &first) == 0);
	test("no file is left");
	ok(!there("/" OLD "/" ID "-net1") && !there("/" OLD "/" ID2 "-net1") &&
	   !there("/" OLD "/pci/" PCI));
}

/* A process with a network namespace of its own, for as long as it lives; -1 when that cannot be.
 */
static pid_t container(char path[64])
{
	int ready[2];
	pid_t pid;
	char c = 0;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		c = unshare(CLONE_NEWNET) == 0;
		if (write(ready[1], &c, 1) == 1)
			(void)pause();
		_exit(0);
	}
	if (read(ready[0], &c, 1) != 1)
		c = 0;
	(void)close(ready[0]);
	(void)close(ready[1]);
	(void)snprintf(path, 64, "/proc/%d/ns/net", pid);
	return c ? pid : -1;
}

static void alive(void)
{
	auto_record struct record live = { 0 }, nobody = { 0 }, r = { 0 }, own_rec = { 0 };
	char path[64];
	pid_t pid = container(path);

	if (pid < 0) {
		(void)printf("ok %d - a living container # SKIP no namespace can be made\n",
			     ++tap_no);
		return;
	}
	start();
	write_text("/" OLD "/" ID "-net1", full);
	write_text("/" OLD "/pci/" PCI, path);
	test("ADD: a VF of a living container is its own, and its record says whose");
	ok(take_bdf(&live) == 0);
	eq(live.owner.container_id ? live.owner.container_id : "nobody", ID);
	ok(there("/" OLD "/" ID "-net1") && there("/" OLD "/pci/" PCI) && in_journal(ID, &r) == 0);
	test("... or the namespace, when the record is lost");
	sh("rm " OLD "/" ID "-net1");
	ok(take_bdf(&nobody) == 0);
	eq(nobody.owner.container_id ? nobody.owner.container_id : "nobody", path);
	test("DEL by another container's call does not touch it");
	write_text("/" OLD "/" ID2 "-net1", full);
	ok(takeover_own(ID2, "/run/netns/gone") == 1 && in_journal(ID2, &r) == 1 && r.released);
	ok(there("/" OLD "/pci/" PCI));
	test("its own DEL takes it, with the very namespace");
	write_text("/" OLD "/" ID "-net1", full);
	ok(takeover_own(ID, path) == 1 && in_journal(ID, &own_rec) == 1 && !own_rec.released);
	ok(own_rec.owner.netns_ino != 0 && !there("/" OLD "/pci/" PCI));
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void leftovers(void)
{
	auto_record struct record live = { 0 };

	start();
	test("a dead owner without a record is forgotten");
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	ok(take_bdf(&live) == 1 && !there("/" OLD "/pci/" PCI));
	test("without a marker nobody knows whose the VF is: the record stays");
	write_text("/" OLD "/" ID "-net1", full);
	ok(take_bdf(&live) == 1 && there("/" OLD "/" ID "-net1"));
	test("our own namespace is no container");
	write_text("/" OLD "/pci/" PCI, "/proc/self/ns/net");
	ok(take_bdf(&live) == 1 && !there("/" OLD "/" ID "-net1"));
}

static int left;

static bool is_kept(const char *container_id, const char *ifname, const void *arg)
{
	(void)arg;
	return strcmp(container_id, ID2) == 0 && strcmp(ifname, "net1") == 0;
}

static void note_left(const struct owner *o, void *arg)
{
	(void)o;
	(void)arg;
	left++;
}

static void collected(void)
{
	static const struct takeover_choice choice = { .is_kept = is_kept, .left = note_left };
	auto_free char *second = with(full, "\"deviceID\":\"" PCI, "\"deviceID\":\"0000:01:10.2");
	auto_free char *other = with(second, "\"name\":\"net\"", "\"name\":\"other\"");
	auto_record struct record r = { 0 }, none = { 0 };
	struct takeover a = takeover();
	struct err e;

	start();
	write_text("/" OLD "/" ID "-net1", full);
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	write_text("/" OLD "/" ID2 "-net1", second);
	write_text("/" OLD "/other-net1", other);
	write_text("/" OLD "/torn-net1", "{");
	test("GC takes the dead of its network, and nothing else");
	a = takeover();
	ok(takeover_dead(&a, &choice, &e) == 0);
	mem_close_fd(&a.lock);
	ok(in_journal(ID, &r) == 1 && !there("/" OLD "/" ID "-net1"));
	ok(in_journal(ID2, &none) == 0 && there("/" OLD "/" ID2 "-net1") && left == 1);
	ok(there("/" OLD "/other-net1") && there("/" OLD "/torn-net1"));
	test("... and those of an earlier boot, whose leases are left");
	write_text("/" OLD "/past-net1", second);
	sh("touch -d 2001-01-01 " OLD "/past-net1");
	a = takeover();
	ok(takeover_dead(&a, &choice, &e) == 0 && !there("/" OLD "/past-net1"));
	mem_close_fd(&a.lock);
}

#define START_NETNS(path, pid)                                                                 \
	pid_t pid = container(path);                                                           \
	if (pid < 0) {                                                                         \
		(void)printf("ok %d - a living container # SKIP no namespace can be made\n",  \
			     ++tap_no);                                                        \
		return;                                                                        \
	}

static void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* As if a pod of ID had died, and one of ID2 had got its VF and what was left on it. */
static void two_pods(const char *path)
{
	start();
	write_text("/" OLD "/" ID "-net1", full);
	sh("touch -d '-1 minute' " OLD "/" ID "-net1");
	write_text("/" OLD "/" ID2 "-net1", late);
	write_text("/" OLD "/pci/" PCI, path);
}

/* Text in a file of the node. */
static bool holds(const char *file, const char *text)
{
	auto_close int dir = fs_open(n.host.root, OLD, O_RDONLY | O_DIRECTORY, 0);
	auto_free char *have = NULL;
	struct err e;
	size_t len;

	return fs_read_file(dir, file, 65536, &have, &len, &e) == 1 && strstr(have, text);
}

/* Nobody but ID2 knows of the VF, and ID has only its lease. */
static void is_left_to_second(void)
{
	auto_record struct record first = { 0 }, second = { 0 };

	ok(in_journal(ID, &first) == 1 && first.released && first.lease_of);
	ok(in_journal(ID2, &second) == 0 && there("/" OLD "/pci/" PCI));
	ok(holds(ID "-net1", full));
}

static void nameless(void)
{
	auto_record struct record r = { 0 }, live = { 0 };
	char path[64];
	START_NETNS(path, pid);

	test("a late DEL without a namespace, and the record of the pod that has the VF is torn");
	two_pods(path);
	sh("truncate -s 60 " OLD "/" ID2 "-net1 && touch " OLD "/" ID "-net1 " OLD "/pci/" PCI);
	ok(takeover_own(ID, "") == 1);
	is_left_to_second();
	test("... or cannot be found, its marker being of another time");
	two_pods(path);
	sh("rm " OLD "/" ID2 "-net1");
	ok(takeover_own(ID, "") == 1);
	is_left_to_second();
	test("... and when that has died, an ADD sets back all that was before");
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	sh("rm var/lib/cni/devinfo/attachments/*");
	ok(take_bdf(&live) == 1 && in_journal(ID, &r) == 1 && !r.released && r.vf_set == VF_ALL);
	record_done(&r);
	r = (struct record){ 0 };
	test("a record that is torn, but surely another device's, is no doubt");
	start();
	write_text("/" OLD "/" ID "-net1", full);
	write_text("/" OLD "/" ID2 "-net1", "{\"deviceID\":\"0000:01:10.7\",\"name\":");
	write_text("/" OLD "/pci/" PCI, path);
	ok(takeover_own(ID, "") == 1 && in_journal(ID, &r) == 1 && !r.released);
	eq(r.owner.netns, path);
	test("without a marker, and with a torn record, nobody knows whose the VF is");
	two_pods(path);
	sh("truncate -s 60 " OLD "/" ID2 "-net1 && rm " OLD "/pci/" PCI);
	record_done(&r);
	ok(takeover_own(ID, path) == 1 && in_journal(ID, &r) == 1 && r.released);
	ok(holds(ID "-net1", full));
	end(pid);
}

static void second_lives(void)
{
	static const struct takeover_choice choice = { .is_kept = is_kept, .left = note_left };
	auto_record struct record second = { 0 }, looked = { 0 }, first = { 0 }, nobody = { 0 };
	struct owner o = { .network = "net", .container_id = ID2, .ifname = "net1" };
	struct takeover a;
	char path[64];
	struct err e;
	START_NETNS(path, pid);

	test("DEL of a dead pod whose VF has gone to a living one leaves that as it is");
	two_pods(path);
	ok(takeover_own(ID, "/run/netns/gone") == 1);
	is_left_to_second();
	ok(holds(ID2 "-net1", late));
	o.netns = path;
	a = takeover();
	ok(takeover_read(&a, &o, &looked, &e) == 1);
	test("... and once more, when its lease is released");
	sh("rm var/lib/cni/devinfo/attachments/*");
	ok(takeover_own(ID, "/run/netns/gone") == 1);
	is_left_to_second();
	sh("rm var/lib/cni/devinfo/attachments/*");
	test("... and the DEL of the living one knows what was before both");
	ok(takeover_own(ID2, path) == 1 && in_journal(ID2, &second) == 1 && !second.released);
	eq(second.netdev.name, "enp1s0f0v0");
	ok(second.vf.vlan == 0 && second.vf_set == (VF_MAC | VF_VLAN | VF_TRUST | VF_SPOOFCHK));
	ok(second.owner.netns_ino != 0 && in_journal(ID, &nobody) == 0);
	ok(!there("/" OLD "/" ID "-net1") && !there("/" OLD "/" ID2 "-net1") &&
	   !there("/" OLD "/pci/" PCI));

	test("GC of such a dead pod is the same, once and twice");
	two_pods(path);
	for (int i = 0; i < 2; i++) {
		a = takeover();
		ok(takeover_dead(&a, &choice, &e) == 0);
		is_left_to_second();
		ok(holds(ID2 "-net1", late));
	}
	test("ADD: it is the living one's");
	ok(take_bdf(&first) == 0);
	eq(first.owner.container_id ? first.owner.container_id : "nobody", ID2);
	end(pid);
	test("... and when that has died, the VF gets what was before both");
	record_done(&second);
	ok(take_bdf(&nobody) == 1 && in_journal(ID2, &second) == 1 && !second.released);
	eq(second.netdev.name, "enp1s0f0v0");
}

/* The clock was set forward since: everything looks as if it were of an earlier boot. */
static void clock_set(void)
{
	static const struct takeover_choice choice = { .is_kept = is_kept, .left = note_left };
	auto_record struct record r = { 0 }, live = { 0 };
	struct takeover a;
	char path[64];
	struct err e;
	START_NETNS(path, pid);

	start();
	write_text("/" OLD "/" ID "-net1", full);
	write_text("/" OLD "/pci/" PCI, path);
	sh("touch -d 2001-01-01 " OLD "/" ID "-net1 " OLD "/pci/" PCI);
	test("GC leaves a living attachment alone, be its record never so old");
	a = takeover();
	left = 0;
	ok(takeover_dead(&a, &choice, &e) == 0 && left == 1);
	ok(holds(ID "-net1", full) && there("/" OLD "/pci/" PCI) && in_journal(ID, &r) == 0);
	test("ADD does not take its VF");
	ok(take_bdf(&live) == 0);
	eq(live.owner.container_id ? live.owner.container_id : "nobody", ID);
	test("its DEL has the VF in this boot");
	ok(takeover_own(ID, path) == 1 && in_journal(ID, &r) == 1 && !r.released);
	eq(r.boot_id, "this-boot");
	ok(!there("/" OLD "/" ID "-net1") && !there("/" OLD "/pci/" PCI));

	start();
	write_text("/" OLD "/" ID "-net1", full);
	write_text("/" OLD "/pci/" PCI, path);
	sh("touch -d 2001-01-01 " OLD "/" ID "-net1 " OLD "/pci/" PCI);
	test("one that names no namespace ends without the VF, and what was before stays known");
	record_done(&r);
	ok(takeover_own(ID, "") == 1 && in_journal(ID, &r) == 1 && r.released);
	ok(there("/" OLD "/pci/" PCI) && holds(ID "-net1", full));
	end(pid);
}

static void many(void)
{
	auto_record struct record last = { 0 }, first = { 0 };

	test("of forty records the oldest knows what was before, and the newest has the VF");
	start();
	write_text("/" OLD "/" ID "-net1", full);
	sh("touch -d '-100 seconds' " OLD "/" ID "-net1");
	write_text("/late", late);
	sh("for i in $(seq 38); do cp late " OLD "/pod$i-net1 && "
	   "touch -d \"-$((60 - i)) seconds\" " OLD "/pod$i-net1; done");
	write_text("/" OLD "/" ID2 "-net1", late);
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	ok(takeover_own("pod20", "/run/netns/gone2") == 1 && in_journal("pod20", &first) == 1);
	ok(first.released && in_journal(ID2, &last) == 0 && there("/" OLD "/pod20-net1"));
	ok(takeover_own(ID2, "/run/netns/gone2") == 1 && in_journal(ID2, &last) == 1);
	ok(!last.released);
	eq(last.netdev.name, "enp1s0f0v0");
	sh("[ -z \"$(ls " OLD " | grep net1)\" ]");
	sh("[ $(ls var/lib/cni/devinfo/attachments | wc -l) = 2 ]");
	test("... or the one whose namespace the allocation file names, be it never so old");
	start();
	write_text("/" OLD "/" ID "-net1", full);
	sh("touch -d '-100 seconds' " OLD "/" ID "-net1");
	write_text("/" OLD "/" ID2 "-net1", late);
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	record_done(&first);
	ok(takeover_own(ID, "/run/netns/gone") == 1 && in_journal(ID, &first) == 1);
	ok(!first.released && !there("/" OLD "/" ID2 "-net1") && !there("/" OLD "/pci/" PCI));
}

/* For as many more descriptors as that; the journal is open. */
static void allow(unsigned int more)
{
	int next = open("/", O_PATH | O_CLOEXEC);
	struct rlimit few = { (rlim_t)next + more, 0 };

	(void)close(next);
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		exit(1);
	few.rlim_max = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &few);
}

static void out_of_descriptors(void)
{
	auto_record struct record live = { 0 }, r = { 0 };
	unsigned int failed = 0;
	char path[64];
	int got = -1;
	START_NETNS(path, pid);

	test("what cannot be read for now is no reason to succeed, nor to take a living one's VF");
	two_pods(path);
	for (unsigned int more = 1; more < 12 && got < 0; more++) {
		allow(more);
		got = take_bdf(&live);
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		failed += got < 0;
	}
	ok(got == 0 && failed >= 3);
	test("... of DEL as well");
	got = -1;
	failed = 0;
	for (unsigned int more = 1; more < 20 && got < 0; more++) {
		allow(more);
		got = takeover_own(ID2, path);
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		failed += got < 0;
		ok(got == 1 || there("/" OLD "/" ID2 "-net1"));
	}
	ok(got == 1 && failed >= 3 && in_journal(ID2, &r) == 1 && !r.released);
	end(pid);
}

/* Of the call, for sriov-cni knew no choice. */
static void policy(void)
{
	auto_record struct record r = { 0 };

	test("the VF is given back as this call's configuration says");
	start();
	conf_is("{\"name\":\"net\",\"type\":\"sriov\",\"releasePolicy\":\"known-clean\","
		"\"resetOnRelease\":true}");
	write_text("/" OLD "/" ID "-net1", full);
	ok(takeover_own(ID, "/run/netns/gone") == 1 && in_journal(ID, &r) == 1);
	ok(r.known_clean && !r.reset);
	test("known-clean resets it without being asked to, where that can be done");
	record_done(&r);
	start();
	conf_is("{\"name\":\"net\",\"type\":\"sriov\",\"releasePolicy\":\"known-clean\"}");
	write_text("/" OLD "/" ID "-net1", full);
	sh("mkdir -p sys/bus/pci/devices/" PCI);
	write_text("/sys/bus/pci/devices/" PCI "/reset_method", "flr bus\n");
	ok(takeover_own(ID, "/run/netns/gone") == 1 && in_journal(ID, &r) == 1);
	ok(r.known_clean && r.reset);
}

static void lost_markers(void)
{
	static const struct takeover_choice choice = { .is_kept = is_kept, .left = note_left };
	auto_free char *other = with(full, "\"name\":\"net\"", "\"name\":\"other\"");
	struct takeover a;
	char path[64];
	struct err e;
	START_NETNS(path, pid);

	test("GC takes the markers of the dead whose records are lost, and no other");
	start();
	write_text("/" OLD "/" ID "-net1", other);
	write_text("/" OLD "/pci/" PCI, "/run/netns/gone");
	write_text("/" OLD "/pci/0000:01:10.2", "/run/netns/gone");
	write_text("/" OLD "/pci/0000:01:10.3", path);
	write_text("/" OLD "/pci/0000:01:10.4", "torn");
	write_text("/" OLD "/pci/readme", "/run/netns/gone");
	a = takeover();
	ok(takeover_dead(&a, &choice, &e) == 0 && a.lock == -1);
	ok(there("/" OLD "/pci/" PCI) && !there("/" OLD "/pci/0000:01:10.2"));
	ok(there("/" OLD "/pci/0000:01:10.3") && there("/" OLD "/pci/0000:01:10.4") &&
	   there("/" OLD "/pci/readme"));
	end(pid);
}

int main(void)
{
	node_open(NULL, &n);
	j = (struct journal){ .dir = -1, .lock = -1 };
	translation();
	variants();
	earlier_releases();
	hostile_text();
	files();
	hostile_files();
	markers();
	locks();
	marker_locks();
	own();
	others();
	earlier_boot();
	poisoned();
	alive();
	leftovers();
	collected();
	nameless();
	second_lives();
	clock_set();
	many();
	out_of_descriptors();
	policy();
	lost_markers();
	netconf_done(&nc);
	journal_done(&j);
	node_close(&n);
	return tap_end();
}
