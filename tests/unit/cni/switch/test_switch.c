/* SPDX-License-Identifier: Apache-2.0 */
/* test_switch.c - the switch's side: what is planned, a switch out of order, and the exec program
 */
#include "cni/switch/switch.h"
#include "tests/unit/ovsdb_fake.h"
#include "tests/unit/plugin.h"

#include "base/jx.h"

static struct host host, jail;	/* jail: the test's directory, which is root's alone */
static struct owner owner = {
	.network = "net", .container_id = "c1", .ifname = "net1", .netns = "/run/netns/c1"
};
static struct switch_conf ovs = { .kind = SWITCH_OVS, .timeout_ms = 20000, .bridge = "br0" };
static struct socket_state state;
static struct idset trunk;
static struct switch_port port = { .host = &host,
				   .owner = &owner,
				   .state = &state,
				   .container_path = "/in/net1.sock",
				   .switch_path = "/sw/net1.sock",
				   .vlan = -1,
				   .trunk = &trunk,
				   .mtu = -1 };

static void plans(void)
{
	struct switch_conf c = { .kind = SWITCH_NONE };
	struct socket_state s = { .memif = true };
	char longer[300];
	struct err e;

	test("nothing is planned where nothing is asked for, and nothing is done");
	ok(switch_plan(&host, &c, &owner, &s, &e) == 0 && !*s.switch_kind && !*s.port);
	port.conf = &c;
	port.state = &s;
	ok(switch_attach(&port, &e) == 0 && switch_detach(&port, &e) == 0);
	port.state = &state;
	test("Open vSwitch has no memif");
	ok(switch_plan(&host, &ovs, &owner, &s, &e) == -1);
	ok(e.code == ERR_NETCONF && !*s.switch_kind);
	test("the names that the record has to hold are there, or refused when it cannot");
	ok(switch_plan(&host, &ovs, &owner, &state, &e) == 0);
	eq(state.switch_kind, "ovs");
	eq(state.db, host.set.ovs_db);
	ok(strncmp(state.port, "dv", 2) == 0 && strlen(state.port) == 14);
	memset(longer, 'x', sizeof(longer));
	longer[0] = '/';
	longer[256] = '\0';
	c = (struct switch_conf) { .kind = SWITCH_EXEC, .path = longer };
	s.memif = false;
	ok(switch_plan(&host, &c, &owner, &s, &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "switch.path: expected at most 255 bytes, got 256");
	longer[255] = '\0';
	ok(switch_plan(&host, &c, &owner, &s, &e) == 0);
	eq(s.switch_kind, "exec");
	eq(s.exec, longer);
	longer[108] = '\0';
	struct host far = { .set = { .ovs_db = longer } };

	ok(switch_plan(&far, &ovs, &owner, &s, &e) == -1 && e.code == ERR_NETCONF);
}

/* -- Open vSwitch, out of order -- */

#define ROWS(id, rows)       "{\"id\":" id ",\"error\":null,\"result\":[" rows "]}"
#define ROW(members)         "{\"rows\":[{" members "}]}"
#define NOROW                "{\"rows\":[]}"
#define BRIDGE               ROW("\"datapath_type\":\"netdev\"")
#define FREE(id)             ROWS(id, BRIDGE "," NOROW "," NOROW "," NOROW "," NOROW "," NOROW)
#define ADDED(id)            ROWS(id, "{},{},{},{},{},{},{},{}," ROW("\"next_cfg\":4"))
#define APPLIED(id, members) ROWS(id, "{}," ROW(members))
#define REFUSED_GUARD(id) \
	ROWS(id, "{},{\"error\":\"timed out\"},null,null,null,null,null,null,null")
#define A_UUID               "\"_uuid\":[\"uuid\",\"a\"]"
#define NOBODYS              "\"external_ids\":[\"map\",[]]"
#define OFPORT               "\"ofport\":3,\"error\":[\"set\",[]]"

static int attach(const char *const *answers, unsigned int ms, struct err *e)
{
	struct fake f = fake_begin(answers, false);
	int done;

	memset(e, 0, sizeof(*e));
	ovs.timeout_ms = ms;
	port.conf = &ovs;
	done = switch_attach(&port, e);
	fake_end(&f);
	return done;
}

static void ovs_answers(void)
{
	static const char *const good[] = { FREE("1"), ADDED("2"), APPLIED("3", OFPORT), NULL };
	static const char *const sized[] = { FREE("1"), ADDED("2"),
					     APPLIED("3", OFPORT ",\"mtu\":1400"), NULL };
	static const char *const raced[] = { FREE("1"),  REFUSED_GUARD("2"),   FREE("3"),
					     ADDED("4"), APPLIED("5", OFPORT), NULL };
	static const char *const lost[] = {
		FREE("1"), REFUSED_GUARD("2"),
		ROWS("3", BRIDGE "," NOROW "," NOROW "," NOROW "," ROW(NOBODYS) "," NOROW), NULL
	};
	static const char *const busy[] = { FREE("1"), REFUSED_GUARD("2"),
					    FREE("3"), REFUSED_GUARD("4"),
					    FREE("5"), REFUSED_GUARD("6"),
					    NULL };
	static const char *const taken[] = {
		FREE("1"), REFUSED_GUARD("2"),
		ROWS("3", BRIDGE "," NOROW "," NOROW ","
			  ROW("\"name\":\"v0\"," NOBODYS) "," NOROW "," NOROW),
		NULL
	};
	static const char *const left[] = {
		ROWS("1", BRIDGE "," ROW(A_UUID) "," ROW(A_UUID) "," NOROW "," NOROW "," NOROW),
		ROWS("2", "{},{}," ROW("\"next_cfg\":3")), ROWS("3", "{}," NOROW), ADDED("4"),
		APPLIED("5", OFPORT), NULL
	};
	static const char *const own_socket[] = {
		ROWS("1", BRIDGE "," NOROW "," NOROW ","
			  ROW("\"name\":\"v0\"," NOBODYS) "," NOROW "," NOROW),
		ROWS("2", "{},{},{},{},{},{},{}," ROW("\"next_cfg\":4")), APPLIED("3", OFPORT), NULL
	};
	uint32_t mtu = 7;
	struct err e;

	state.app_listens = true;
	test("a port is looked for, made, and waited for");
	sh("rm -f ovsdb.fake.log");
	ok(attach(good, 20000, &e) == 0);
	test("and made only while nobody else has its path");
	ok(holds("jq -se 'any(.[].params[] | objects; .op == \"wait\" and .rows == [] and "
		 ".where == [[\"options\", \"includes\", [\"map\", [[\"vhost-server-path\", "
		 "\"/sw/net1.sock\"]]]]])' ovsdb.fake.log >/dev/null"));
	test("its MTU is told where the switch says one");
	port.told_mtu = &mtu;
	ok(attach(good, 20000, &e) == 0 && mtu == 0);
	ok(attach(sized, 20000, &e) == 0 && mtu == 1400);
	port.told_mtu = NULL;
	test("what another does between our look and our change is seen: we look again");
	ok(attach(raced, 20000, &e) == 0);
	ok(attach(lost, 20000, &e) == -1 && e.code == ERR_BUSY);
	ok(attach(taken, 20000, &e) == -1 && e.code == ERR_BUSY);
	contains(e.msg, "another interface of Open vSwitch has the path '/sw/net1.sock' already");
	test("but not for ever");
	ok(attach(busy, 20000, &e) == -1 && e.code == ERR_TRY_AGAIN);
	test("what was left with our socket is taken out first, in one change");
	ok(attach(left, 20000, &e) == 0);
	test("where the application connects, a path that another port has is of no matter");
	state.app_listens = false;
	ok(attach(own_socket, 20000, &e) == 0);
	state.app_listens = true;
}

static void ovs_failures(void)
{
	static const char *const error[] = { FREE("1"), ADDED("2"),
					     APPLIED("3", "\"ofport\":3,\"error\":\"no way\""),
					     ROWS("4", ROW("\"dpdk_initialized\":true")), NULL };
	static const char *const unnumbered[] = {
		FREE("1"), ADDED("2"),
		APPLIED("3", "\"ofport\":[\"set\",[]],\"error\":[\"set\",[]]"),
		ROWS("4", ROW("\"dpdk_initialized\":false")), NULL
	};
	static const char *const removed[] = { FREE("1"), ADDED("2"), ROWS("3", "{}," NOROW),
					       NULL };
	static const char *const late[] = { FREE("1"), ADDED("2"),
					    ROWS("3", "{\"error\":\"timed out\"},null"), NULL };
	static const char *const hangs[] = { FREE("1"), NULL };
	struct err e;

	test("the error column is told in its own words");
	ok(attach(error, 20000, &e) == -1 && e.code == ERR_DEVICE);
	contains(e.msg, "of bridge br0: Open vSwitch cannot make it");
	eq(e.details, "no way");
	test("a port without a number is none");
	ok(attach(unnumbered, 20000, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.details, "it has not got a number; DPDK is not initialised in it (dpdk_initialized is "
		      "false)");
	test("one that another removes meanwhile is said to be gone");
	ok(attach(removed, 20000, &e) == -1 && e.code == ERR_BUSY);
	test("a switch that does not follow its database is to be tried again");
	ok(attach(late, 20000, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	contains(e.msg, "does it run?");
	test("a database that hangs in the middle of it, too");
	ok(attach(hangs, 300, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	contains(e.msg, "gave no answer in time");
}

static bool keep_none(const char *container_id, const char *ifname, const void *arg)
{
	(void)container_id, (void)ifname;
	++*(int *)(uintptr_t)arg;
	return false;
}

static void ovs_gc(void)
{
	static const char *const odd[] = {
		ROWS("1", "{\"rows\":[{\"external_ids\":[\"map\",[[\"devinfo.network\",\"net\"]]]},"
			  "{},7,{\"external_ids\":7}]}"),
		NULL
	};
	struct fake f = fake_begin(odd, false);
	int asked = 0;
	struct err e;

	test("GC leaves what does not say whose it is");
	ovs.timeout_ms = 20000;
	ok(switch_gc(&host, &ovs, "net", keep_none, &asked, &e) == 0 && asked == 0);
	fake_end(&f);
}

/* -- exec -- */

/* The programs that the node allows, as a JSON array. */
static void allow(const char *programs)
{
	static json_t *list;

	json_decref(list);
	list = json_loads(programs, 0, NULL);
	jail.set.switch_programs = list;
}

/* The hook of this path, which is written anew unless script is NULL. */
static int exec_path(const char *path, const char *script,
		     int (*verb)(const struct switch_port *, struct err *), unsigned int ms,
		     struct err *e)
{
	static struct switch_conf c = { .kind = SWITCH_EXEC };
	int r;

	memset(e, 0, sizeof(*e));
	if (script)
		plugin(path + 1, script);
	c.path = path;
	c.timeout_ms = ms;
	port.conf = &c;
	port.host = &jail;
	r = switch_plan(&host, &c, &owner, &state, e) < 0 ? -1 : verb(&port, e);
	port.host = &host;
	return r;
}

static int exec(const char *script, int (*verb)(const struct switch_port *, struct err *),
		unsigned int ms, struct err *e)
{
	return exec_path("/hook", script, verb, ms, e);
}

static void requests(void)
{
	static const uint8_t mac[] = { 2, 0, 0, 0, 0, 1 };
	struct switch_port saved = port;
	struct err e;

	test("exec: the program is told everything, once, and what it prints does not matter");
	state = (struct socket_state) {
		.path = "/host/d/net1.sock", .root = "/host", .dir = "d", .app_listens = true
	};
	ok(exec("cat >said; echo $CNI_COMMAND $CNI_CONTAINERID $CNI_IFNAME $CNI_NETNS $# >env; "
		"echo '{'",
		switch_attach, 20000, &e) == 0);
	ok(holds(
		"jq -ce 'to_entries | map(\"\\(.key)=\\(.value)\") | join(\" \") == "
		"\"version=1 command=add network=net containerID=c1 ifname=net1 netns=/run/netns/c1"
		" type=vhost-user hostPath=/host/d/net1.sock containerPath=/in/net1.sock "
		"switchPath=/sw/net1.sock mode=server hostMode=client hostRoot=/host hostDir=d\"' "
		"said >/dev/null"));
	ok(holds("[ \"$(cat env)\" = 'ADD c1 net1 /run/netns/c1 0' ]"));
	test("exec: memif has a role, an id, and a secret in a file");
	state.memif = true;
	state.app_listens = false;
	state.secret = true;
	port.memif_mode = "ip";
	port.id = 4294967295;
	port.vlan = 5;
	port.mtu = 9000;
	port.mac = mac;
	idset_add(&trunk, 7);
	idset_add(&trunk, 4094);
	ok(exec("cat >said; echo $CNI_COMMAND >env", switch_detach, 20000, &e) == 0);
	ok(holds("[ \"$(cat env)\" = DEL ]"));
	ok(holds(
		"jq -ce '[.command, .type, .role, .hostRole, .memifMode, .id, .secretFile, .vlan, "
		".trunk, .mtu, .mac, .mode] == [\"del\", \"memif\", \"slave\", \"master\", \"ip\", "
		"4294967295, \"/host/d/net1.sock.secret\", 5, [7, 4094], 9000, "
		"\"02:00:00:00:00:01\", "
		"null]' said >/dev/null"));
	port = saved;
	memset(&trunk, 0, sizeof(trunk));
	state = (struct socket_state) { .path = "/host/net1.sock" };
}

static void exec_failures(void)
{
	struct err e;

	test("exec: a failure is told in the program's words");
	ok(exec("echo '{\"code\": 11, \"msg\": \"no\", \"details\": \"way\"}'; exit 1",
		switch_attach, 20000, &e) == -1 &&
	   e.code == ERR_TRY_AGAIN);
	eq(e.msg, "switch add: program /hook: no");
	eq(e.details, "way");
	ok(exec("echo oops >&2; exit 3", switch_attach, 20000, &e) == -1 && e.code == ERR_DELEGATE);
	ok(strstr(e.msg, "ended with status 3") && strstr(e.details, "stderr: oops"));
	ok(exec("kill -9 $$", switch_detach, 20000, &e) == -1 && e.code == ERR_DELEGATE);
	test("exec: one that is late is stopped, and is to be tried again");
	ok(exec("exec sleep 60", switch_attach, 200, &e) == -1 && e.code == ERR_TRY_AGAIN);
	ok(strstr(e.msg, "program /hook gave no answer in time") ||
	   strstr(e.msg, "program /hook did not end in time"));
	test("exec: one that is not there fails ADD and STATUS; DEL does without");
	sh("rm hook");
	ok(exec(NULL, switch_attach, 20000, &e) == -1 && e.code == ERR_NETCONF && e.sys == ENOENT);
	struct deadline d = deadline_in(20000);
	ok(switch_probe(&jail, port.conf, &d, &e) == -1 && e.sys == ENOENT);
	ok(exec(NULL, switch_detach, 20000, &e) == 0);
	test("exec: one that the kernel cannot execute fails DEL as well");
	sh("printf '#!/none/such\n' >hook && chmod 755 hook");
	ok(exec(NULL, switch_attach, 20000, &e) == -1 && e.code == ERR_DELEGATE && e.sys == ENOENT);
	ok(exec(NULL, switch_detach, 20000, &e) == -1 && e.code == ERR_DELEGATE && e.sys == ENOENT);
	sh("rm hook");
}

/* It is not run: ADD is refused for this reason, and DEL fails, until it is mended. */
static void is_refused(const char *path, int sys)
{
	struct err e;

	ok(exec_path(path, NULL, switch_attach, 20000, &e) == -1 && e.code == ERR_NETCONF &&
	   e.sys == sys);
	ok(exec_path(path, NULL, switch_detach, 20000, &e) == -1 && e.code == ERR_NETCONF &&
	   e.sys == sys);
	contains(e.details, "every DEL asks it again, until there is no such file");
	ok(holds("[ ! -e ran ]"));
}

static void exec_unlisted(void)
{
	struct err e;

	test("exec: a program that the node's file does not list is not run");
	plugin("hook", "touch ran");
	allow("[\"/other\", \"/hook2\", \"/\"]");
	is_refused("/hook", EPERM);
	ok(exec(NULL, switch_attach, 20000, &e) == -1);
	eq(e.msg, "switch add: switch.path: /hook is not allowed");
	contains(e.details, "expected it in switchPrograms of the node's own file");
	jail.set.switch_programs = NULL;
	is_refused("/hook", EPERM);
	allow("[\"/hook\"]");
	ok(exec(NULL, switch_attach, 20000, &e) == 0 && holds("rm ran"));
}

static void exec_owner(void)
{
	struct err e;

	test("exec: what others may write, or root does not own, is not run");
	sh("chmod 0775 hook");
	is_refused("/hook", EPERM);
	sh("chmod 0644 hook");
	is_refused("/hook", EACCES);
	sh("rm hook; mkdir hook");
	is_refused("/hook", EACCES);
	sh("rmdir hook");
	plugin("hook", "touch ran");
	ok(chown("hook", 65534, 65534) == 0);
	is_refused("/hook", EPERM);
	test("exec: nor what lies below a directory of others, be it sticky");
	allow("[\"/a/b/hook\", \"/a/link/hook\", \"/a/b/link\"]");
	sh("mkdir -p a/b && ln -s b a/link && ln -s hook a/b/link");
	ok(exec_path("/a/b/hook", "touch ran", switch_attach, 20000, &e) == 0 && holds("rm ran"));
	sh("chmod 1777 a/b");
	is_refused("/a/b/hook", EPERM);
	sh("chmod 755 a/b && chmod 775 a");
	is_refused("/a/b/hook", EPERM);
	sh("chmod 755 a && chown 65534 a");
	is_refused("/a/b/hook", EPERM);
	sh("chown 0 a && chmod 755 .");
	ok(exec_path("/a/b/hook", NULL, switch_attach, 20000, &e) == 0 && holds("rm ran"));
	sh("chmod 777 .");
	is_refused("/a/b/hook", EPERM);
	sh("chmod 755 .");
	test("exec: nor through a symbolic link");
	is_refused("/a/link/hook", ELOOP);
	is_refused("/a/b/link", ELOOP);
}

static void exec_descriptor(void)
{
	struct err e;

	test("exec: a script is read by the descriptor that was checked");
	allow("[\"/hook\"]");
	sh("rm -f hook");
	ok(exec("echo $0 >said", switch_attach, 20000, &e) == 0);
	ok(holds("grep -q '^/proc/self/fd/' said"));
}

int main(void)
{
	struct err e;
	char db[64];

	plugins_begin();
	(void)snprintf(db, sizeof(db), "%s/" FAKE_DB, dir);
	if (host_open(NULL, &host, &e) < 0 || host_open(dir, &jail, &e) < 0)
		return 1;
	host.set.ovs_db = db;
	plans();
	ovs_answers();
	ovs_failures();
	ovs_gc();
	if (geteuid() == 0) {	/* whose programs they have to be */
		allow("[\"/hook\"]");
		requests();
		leaves_nothing(exec_failures);
		exec_unlisted();
		exec_owner();
		exec_descriptor();
		allow("[]");
	} else {
		(void)printf("ok %d - # SKIP needs root\n", ++tap_no);
	}
	host_done(&host);
	host_done(&jail);
	plugins_end();
	return tap_end();
}
