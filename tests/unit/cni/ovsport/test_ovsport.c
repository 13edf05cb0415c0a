/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ovsport.c - a representor's port of Open vSwitch: which bridge, what is written, what is
 * told; the real database is in tests/lab/ovsport.bats
 *
 * The representor is eth3, the uplink eth1, number 2, and what either is a port of is master0.
 */
#include "base/fs.h"
#include "cni/ovsport/ovsport.h"
#include "tests/unit/ovsdb_fake.h"
#include "tests/unit/plugin.h"

static struct host host;
static struct cni_call cni = { .ifname = "net1" };
static struct netconf conf;
static int bond;			/* the uplink's master, 0: none */
static const char *master;		/* the kind of that of the representor, NULL: none */
static struct err e;

int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *err);
int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *err)
{
	(void)nl;
	(void)err;
	*ret = (struct link){ .ifindex = ifindex, .master = ifindex == 2 ? bond : 0 };
	(void)snprintf(ret->name, sizeof(ret->name), "%s",
		       ifindex == 2 ? "eth1" : ifindex == 13 ? "eth3" : "master0");
	if (ifindex == 13 && master)
		ret->master = 70;
	if (ifindex == 70)
		(void)snprintf(ret->kind, sizeof(ret->kind), "%s", master);
	return 1;
}

#define ROWS(id, rows)       "{\"id\":" id ",\"error\":null,\"result\":[" rows "]}"
#define ROW(members)         "{\"rows\":[{" members "}]}"
#define NOROW                "{\"rows\":[]}"
#define UUID(u)              "[\"uuid\",\"" u "\"]"
#define KERNEL               ROW("\"datapath_type\":\"\"")
#define FREE(id)             ROWS(id, KERNEL "," NOROW "," NOROW "," NOROW "," NOROW "," NOROW)
#define ADDED(id)            ROWS(id, "{},{},{},{},{},{},{}," ROW("\"next_cfg\":4"))
#define APPLIED(id, members) ROWS(id, "{}," ROW(members))
#define OFPORT               "\"ofport\":3,\"error\":[\"set\",[]]"
#define MADE                 FREE("1"), ADDED("2"), APPLIED("3", OFPORT)

static struct attachment attachment(void)
{
	struct attachment a = { .host = &host, .call = &cni, .conf = &conf, .rep_looked = true };

	a.rep.ifindex = 13;
	(void)snprintf(a.rep.name, sizeof(a.rep.name), "eth3");
	a.function.uplink_ifindex = 2;
	(void)snprintf(a.function.uplink, sizeof(a.function.uplink), "eth1");
	a.rec.owner = (struct owner){ .network = "n", .container_id = "c1", .ifname = "net1" };
	(void)snprintf(a.rec.device, sizeof(a.rec.device), "0000:03:00.2");
	return a;
}

static void configure(const char *bridge)
{
	conf = (struct netconf){ .vlan = -1, .mtu = -1 };
	conf.socket.sw = (struct switch_conf){
		.kind = SWITCH_OVS, .netdev = true, .bridge = bridge, .timeout_ms = 20000,
	};
}

typedef int part(struct attachment *a, struct err *err);

static int with(const char *const *answers, part *fn, struct attachment *a)
{
	struct fake f = fake_begin(answers, false);
	int r;

	e = (struct err){ 0 };
	r = fn(a, &e);
	fake_end(&f);
	return r;
}

/* Whether the requests so far fulfil a condition, as one list of operations. */
static bool asked(const char *condition)
{
	char command[1024];

	(void)snprintf(command, sizeof(command),
		       "jq -se '[.[].params[]? | objects] | %s' ovsdb.fake.log >/dev/null",
		       condition);
	return holds(command);
}

static void bridges(void)
{
	static const char *const named[] = { ROWS("1", KERNEL), NULL };
	static const char *const user[] = { ROWS("1", ROW("\"datapath_type\":\"netdev\"")), NULL };
	static const char *const absent[] = { ROWS("1", NOROW), NULL };
	static const char *const uplink[] = {
		ROWS("1", ROW("\"_uuid\":" UUID("i"))), ROWS("2", ROW("\"_uuid\":" UUID("p"))),
		ROWS("3", ROW("\"name\":\"br-up\"")), ROWS("1", KERNEL), NULL
	};
	static const char *const of_bond[] = {
		ROWS("1", NOROW), ROWS("2", ROW("\"_uuid\":" UUID("i"))),
		ROWS("3", ROW("\"_uuid\":" UUID("p"))), ROWS("4", ROW("\"name\":\"br-bond\"")),
		ROWS("1", KERNEL), NULL
	};
	static const char *const none[] = { ROWS("1", NOROW), ROWS("2", NOROW), NULL };
	static const char *const odd[] = {
		ROWS("1", ROW("\"_uuid\":" UUID("i"))), ROWS("2", ROW("\"_uuid\":" UUID("p"))),
		ROWS("3", ROW("\"name\":\"a/b\"")), NULL
	};
	struct attachment a = attachment();

	test("without a switch of ours nothing is asked, planned, made and taken out");
	configure("br0");
	conf.socket.sw.netdev = false;
	ok(ovsport_aspect.probe(&a, &e) == 0 && !*a.rec.ovs.port);
	ok(ovsport_aspect.apply(&a, &e) == 0);
	struct restoring back = { .host = &host, .rec = &a.rec };

	ok(ovsport_aspect.restore_lasting(&back, &e) == 0);
	test("the bridge that is named, which has to be there and the kernel's");
	configure("br0");
	ok(with(named, ovsport_aspect.probe, &a) == 0);
	eq(a.rec.ovs.bridge, "br0");
	eq(a.rec.ovs.port, "eth3");
	eq(a.rec.ovs.db, host.set.ovs_db);
	ok(a.rec.ovs.timeout_ms == 20000);
	a = attachment();
	ok(with(user, ovsport_aspect.probe, &a) == -1 && e.code == ERR_DEVICE && !*a.rec.ovs.port);
	eq(e.msg, "bridge 'br0' of Open vSwitch has datapath_type 'netdev': a representor needs "
		  "'system'");
	ok(with(absent, ovsport_aspect.probe, &a) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "Open vSwitch has no bridge 'br0'");

	test("a representor that is a port of something else is refused, of Open vSwitch not here");
	master = "bridge";
	ok(ovsport_aspect.probe(&a, &e) == -1 && e.code == ERR_BUSY && !*a.rec.ovs.port);
	eq(e.msg, "switch: representor eth3 is a port of master0 already, expected none");
	master = "openvswitch";
	ok(with(named, ovsport_aspect.probe, &a) == 0);
	master = NULL;
	a = attachment();

	test("without a name that of the uplink, or of its bond");
	configure(NULL);
	ok(with(uplink, ovsport_aspect.probe, &a) == 0);
	eq(a.rec.ovs.bridge, "br-up");
	ok(asked(".[1].where == [[\"interfaces\", \"includes\", [\"uuid\", \"i\"]]] and "
		 ".[2].where == [[\"ports\", \"includes\", [\"uuid\", \"p\"]]]"));
	bond = 5;
	ok(with(of_bond, ovsport_aspect.probe, &a) == 0);
	eq(a.rec.ovs.bridge, "br-bond");
	ok(asked("[.[].where[0][2]][:2] == [\"eth1\", \"master0\"]"));
	a = attachment();
	ok(with(none, ovsport_aspect.probe, &a) == -1 && e.code == ERR_DEVICE);
	contains(e.msg, "uplink eth1 is a port of no bridge of Open vSwitch");
	bond = 0;
	ok(with(odd, ovsport_aspect.probe, &a) == -1 && e.code == ERR_DEVICE);
	contains(e.msg, "has eth1: its name cannot be an interface's");
	a.function.uplink_ifindex = 0;
	ok(with(named, ovsport_aspect.probe, &a) == -1 && e.code == ERR_DEVICE);
	test("a database whose path the record cannot hold is refused");
	struct host far = host;

	far.set.ovs_db = "/12345678901234567890123456789012345678901234567890123456789012345678"
			 "901234567890123456789012345678901234567890";
	a.host = &far;
	ok(ovsport_aspect.probe(&a, &e) == -1 && e.code == ERR_NETCONF);
}

static struct attachment planned(void)
{
	struct attachment a = attachment();

	a.rec.ovs = (struct ovs_state){ .port = "eth3", .bridge = "br0", .timeout_ms = 20000 };
	(void)snprintf(a.rec.ovs.db, sizeof(a.rec.ovs.db), "%s", host.set.ovs_db);
	return a;
}

static void makes(void)
{
	static const char *const made[] = { MADE, NULL };
	static const char *const foreign[] = {
		ROWS("1", KERNEL "," NOROW "," NOROW "," NOROW ","
			  ROW("\"external_ids\":[\"map\",[]]") "," NOROW), NULL
	};
	static const char *const error[] = { FREE("1"), ADDED("2"),
					     APPLIED("3", "\"ofport\":-1,\"error\":\"no eth3\""),
					     NULL };
	struct attachment a = planned();

	test("the port has VLANs and owner, its interface nothing but its name");
	configure("br0");
	conf.vlan = 100;
	idset_add(&conf.port.trunk, 42);
	conf.mtu = 1400;
	a.rec.mac[5] = 7;
	ok(with(made, ovsport_aspect.apply, &a) == 0);
	ok(asked("map(select(.op == \"insert\" and .table == \"Port\"))[0].row | .name == \"eth3\" "
		 "and .tag == 100 and .trunks == [\"set\", [42]] and "
		 ".vlan_mode == \"native-untagged\""));
	ok(asked("map(select(.op == \"insert\" and .table == \"Interface\"))[0].row | "
		 "del(.external_ids) == {name: \"eth3\", type: \"\"}"));
	ok(asked("[.[] | select(.op == \"insert\").row.external_ids[1] | map({(.[0]): .[1]}) | add "
		 "| del(.\"devinfo.node\")] == (range(1) | [{\"devinfo.container-id\": \"c1\", "
		 "\"devinfo.ifname\": \"net1\", \"devinfo.network\": \"n\", "
		 "\"devinfo.device\": \"0000:03:00.2\", "
		 "\"attached-mac\": \"00:00:00:00:00:07\"}] | . + .)"));
	test("and the bridge has to be the kernel's still");
	ok(asked("any(.[]; .op == \"wait\" and .table == \"Bridge\" and .where == "
		 "[[\"name\", \"==\", \"br0\"], [\"datapath_type\", \"!=\", \"netdev\"]])"));
	test("a port of another keeps its name");
	ok(with(foreign, ovsport_aspect.apply, &a) == -1 && e.code == ERR_BUSY);
	contains(e.msg, "Open vSwitch has a port or interface 'eth3' already");
	contains(e.details, "it is none of ours");
	test("what Open vSwitch says against it is told, and nothing of DPDK");
	ok(with(error, ovsport_aspect.apply, &a) == -1 && e.code == ERR_DEVICE);
	eq(e.details, "no eth3");
}

static int check_it(struct attachment *a, struct err *err)
{
	struct check c = { .host = &host, .call = &cni, .conf = &conf, .rec = &a->rec,
			   .made_by = "ADD" };

	return ovsport_aspect.check(&c, err) < 0 ? -1 : err_joined(&c.all, err);
}

static int restore_it(struct attachment *a, struct err *err)
{
	struct restoring back = { .host = &host, .rec = &a->rec };

	return ovsport_aspect.restore_lasting(&back, err);
}

static void compares(void)
{
	static const char *const there[] = {
		ROWS("1", ROW("\"ports\":" UUID("p")) ","
			  ROW("\"_uuid\":" UUID("p") ",\"tag\":100,\"trunks\":[\"set\",[]]") ","
			  ROW("\"type\":\"\",\"mtu\":1500")), NULL
	};
	static const char *const gone[] = { ROWS("1", NOROW "," NOROW "," NOROW), NULL };
	struct attachment a = planned();

	test("as it was made nothing differs");
	configure(NULL);
	conf.vlan = 100;
	ok(with(there, check_it, &a) == 0);
	ok(asked(".[0].where == [[\"name\", \"==\", \"br0\"]]"));
	test("each difference is told, and a port that is missing");
	conf.vlan = 7;
	ok(with(there, check_it, &a) == -1 && e.code == ERR_DRIFT);
	eq(e.details, "port eth3 of Open vSwitch: tag: expected 7, got 100");
	ok(with(gone, check_it, &a) == -1 && e.code == ERR_DRIFT);
	eq(e.details, "port eth3 of Open vSwitch: expected it on bridge br0, got none");
	test("a bridge of another name in the configuration is asked for");
	conf.socket.sw.bridge = "br9";
	ok(with(gone, check_it, &a) == -1 && strstr(e.details, "br9"));
	test("and one that has a switch no more is told of the port");
	conf.socket.sw = (struct switch_conf){ .kind = SWITCH_NONE };
	ok(check_it(&a, &e) == -1 && strstr(e.details, "the configuration has no switch"));
}

static void takes_out(void)
{
	static const char *const own[] = {
		ROWS("1", ROW("\"_uuid\":" UUID("p"))), ROWS("2", "{},{}," ROW("\"next_cfg\":5")),
		ROWS("3", "{}," NOROW), NULL
	};
	static const char *const none[] = { ROWS("1", NOROW), NULL };
	struct attachment a = planned();

	ok(fs_read_line(host.root, a.rec.boot_id, sizeof(a.rec.boot_id), &e,
			"/proc/sys/kernel/random/boot_id") > 0);
	test("what is the attachment's is taken out, by its external_ids alone");
	ok(with(own, restore_it, &a) == 0);
	ok(asked(".[0].where == [[\"external_ids\", \"includes\", [\"map\", "
		 "[[\"devinfo.container-id\", \"c1\"], [\"devinfo.ifname\", \"net1\"]]]]]"));
	ok(asked("any(.[]; .mutations == [[\"ports\", \"delete\", [\"set\", [[\"uuid\", "
		 "\"p\"]]]]])"));
	test("what is not there needs nothing");
	ok(with(none, restore_it, &a) == 0);
	test("while the database is away, but its directory there, DEL is to be tried again");
	sh("rm -f " FAKE_DB);
	ok(restore_it(&a, &e) == -1 && e.code == ERR_TRY_AGAIN);
	test("unless the port is one of another boot, and Open vSwitch not there yet");
	a.rec.boot_id[0] = 'x';
	ok(restore_it(&a, &e) == 0);
}

int main(void)
{
	char db[64];

	plugins_begin();
	(void)snprintf(db, sizeof(db), "%s/" FAKE_DB, dir);
	if (host_open(NULL, &host, &e) < 0)
		return 1;
	host.set.ovs_db = db;
	bridges();
	makes();
	compares();
	takes_out();
	host_done(&host);
	plugins_end();
	return tap_end();
}
