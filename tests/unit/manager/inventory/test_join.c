/* SPDX-License-Identifier: Apache-2.0 */
/* test_join.c - attachments of a recorded node, whose they are, files, and who has which device */
#include "base/mem.h"
#include "devinfo/journal/journal.h"
#include "manager/inventory/inventory.h"
#include "manager/inventory/join_text.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#define BOOT	"6b1e7a2c-58a5-4d0b-9a4e-000000000001"
#define STATE	"var/lib/cni/devinfo"

static struct err e;

/* -- a node with attachments -- */

struct made {
	const char *container, *device, *boot, *host_name, *vdpa;
	bool released, has_pod, chained;
	const char *parent, *given_socket;
};

static void write_one(struct journal *j, const struct made *m)
{
	struct record r = {
		.owner = { .network = "lab", .container_id = m->container, .ifname = "net1",
			   .netns = "/run/netns/x", .netns_ino = 7 },
		.devinfo_dir = "/var/run/k8s.cni.cncf.io/devinfo", .run_dir = "/run/devinfo",
		.device_id = m->device, .released = m->released, .chained = m->chained,
		.device_info_file = m->has_pod ? "lab-1" : NULL,
	};

	(void)snprintf(r.device, sizeof(r.device), "%s", m->device);
	(void)snprintf(r.boot_id, sizeof(r.boot_id), "%s", m->boot ? m->boot : BOOT);
	(void)snprintf(r.vdpa.name, sizeof(r.vdpa.name), "%s", m->vdpa ? m->vdpa : "");
	r.is_pci = strncmp(m->device, "0000:", 5) == 0;
	if (m->has_pod)
		r.pod = (struct pod){ "default", "p1", "u1" };
	if (m->host_name) {
		r.netdev = (struct netdev_state){ .present = true, .ifindex = 4, .mtu = 1500 };
		(void)snprintf(r.netdev.name, sizeof(r.netdev.name), "%s", m->host_name);
		(void)snprintf(r.netdev.parent, sizeof(r.netdev.parent), "%s",
			       m->parent ? m->parent : "");
	}
	if (m->given_socket) {
		r.socket.from_plugin = true;
		(void)snprintf(r.socket.path, sizeof(r.socket.path), "%s", m->given_socket);
		socket_state_key(m->given_socket, r.device);
	}
	if (journal_write(j, &r, &e) < 0)
		bail_out(e.msg);
}

static void node_with(const char *name, const struct made *made, size_t n, struct fake_node *ret)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };

	node_open(name, ret);
	node_sh(ret, "mkdir -p proc/sys/kernel/random && "
		     "echo " BOOT " >proc/sys/kernel/random/boot_id");
	if (journal_open(&ret->host, JOURNAL_CREATE, &j, &e) != 1)
		bail_out(e.msg);
	for (size_t i = 0; i < n; i++)
		write_one(&j, &made[i]);
}

/* Facts about the attachments in the order of the containers' names. */
static void say(const struct fake_node *n, const char *container, const char *state)
{
	char command[512];

	(void)snprintf(command, sizeof(command),
		       "f=$(grep -l '\"containerID\":\"%s\"' " STATE "/attachments/*) && "
		       "{ test -e devinfo-node.json || "
		       "echo '{\"attachments\":[]}' >devinfo-node.json; } && "
		       "jq -c --arg f \"${f##*/}\" '.attachments += [{file: $f, %s}]' "
		       "devinfo-node.json >new && mv new devinfo-node.json", container, state);
	node_sh(n, command);
}

static void read_all(const struct fake_node *n, struct inventory *inv)
{
	e = (struct err){ 0 };
	if (inventory_read(&n->host, inv, &e) < 0 || inventory_join(&n->host, inv, &e) < 0)
		bail_out(e.msg);
}

static const struct inv_attachment *of(const struct inventory *inv, const char *container)
{
	static const struct inv_attachment none;

	for (size_t i = 0; i < inv->n_attachments; i++)
		if (strcmp(inv->attachments[i].container_id, container) == 0)
			return &inv->attachments[i];
	return &none;
}

static const char *holder(const struct inventory *inv, const char *bdf)
{
	int at = inventory_function(inv, bdf);
	int place = at == INV_NONE ? INV_NONE : inv->functions[at].holder;

	return place == INV_NONE ? "nobody" : inv->attachments[place].container_id;
}

/* -- tests -- */

static void states(void)
{
	static const struct made made[] = {
		{ "live", "0000:01:10.0", .host_name = "eth4", .has_pod = true },
		{ .container = "dead", .device = "0000:01:10.2" },
		{ "unsaid", "eth9", .host_name = "eth9" },
		{ "before", "0000:02:00.0", .boot = "other" },
		{ "gone", "0000:01:10.0", .released = true },
		{ "back", "0000:01:00.0", .released = true },
		{ "chain", "", .chained = true, .host_name = "net1" },
	};
	auto_inventory struct inventory inv = { 0 };
	const struct inv_attachment *a;
	struct fake_node n;

	node_with("igb", made, ARRAY_SIZE(made), &n);
	say(&n, "live", "state: \"live\", drift: \"mtu\"");
	say(&n, "dead", "state: \"dead\"");
	read_all(&n, &inv);
	test("an attachment as its record has it");
	ok(inv.n_attachments == 7);
	a = of(&inv, "live");
	eq(a->network, "lab");
	eq(a->ifname, "net1");
	eq(a->netns, "/run/netns/x");
	eq(a->device, "0000:01:10.0");
	eq(a->device_id, "0000:01:10.0");
	eq(a->host_name, "eth4");
	eqi(a->host_ifindex, 4);
	eq(a->kind, "netdev");
	eq(a->pod_namespace, "default");
	eq(a->pod_name, "p1");
	eq(a->pod_uid, "u1");
	eq(a->boot_id, BOOT);
	ok(strstr(a->file, "@0000:01:10.0.json") && a->function >= 0);
	test("of a recorded node the facts say whether it lives, and what drifted");
	eq(a->state, "live");
	eq(a->drift, "mtu");
	eq(of(&inv, "dead")->state, "dead");
	eq(of(&inv, "dead")->kind, "userspace");
	eq(of(&inv, "unsaid")->state, "unknown");
	contains(of(&inv, "unsaid")->why, "facts");
	test("an earlier boot and a release are in the record");
	eq(of(&inv, "before")->state, "earlier boot");
	eq(of(&inv, "gone")->state, "released");
	test("what another plugin made had no name here");
	eq(of(&inv, "chain")->host_name, "");
	eqi(of(&inv, "chain")->host_ifindex, 0);
	eq(of(&inv, "chain")->state, "unknown");
	test("who has what; one that was given back has none");
	eq(holder(&inv, "0000:01:10.0"), "live");
	eq(holder(&inv, "0000:01:10.2"), "dead");
	eq(holder(&inv, "0000:02:00.0"), "before");
	eq(holder(&inv, "0000:01:00.0"), "nobody");
	ok(inv.functions[inventory_function(&inv, "0000:01:00.0")].has_record);
	test("they are in the order of their devices");
	for (size_t i = 1; i < inv.n_attachments; i++)
		ok(strcmp(inv.attachments[i - 1].device, inv.attachments[i].device) <= 0);
	node_close(&n);
}

/* What the tree and its facts say of all attachments together. */
static json_t *known_of(const struct inventory *inv)
{
	json_t *ret = json_object();

	for (size_t i = 0; i < inv->n_attachments; i++) {
		json_auto_t *o = field_write(&inv_attachment_fields, &inv->attachments[i],
					     json_object());

		(void)json_object_update_missing(ret, o);
	}
	return ret;
}

static void all_members(void)
{
	static const struct made made[] = {
		{ "full", "0000:01:10.0", .host_name = "eth4", .parent = "0000:01:10.0",
		  .vdpa = "vdpa0", .has_pod = true },
		{ "given", "s", .given_socket = "/run/s" },
	};
	auto_inventory struct inventory inv = { 0 };
	json_auto_t *known = NULL;
	const struct fields *t = &inv_attachment_fields;
	struct fake_node n;

	node_with("igb", made, ARRAY_SIZE(made), &n);
	say(&n, "full", "state: \"live\", why: \"so\", drift: \"mtu\", device_away: true, "
			"carrier: true, untrusted: true, ifname: \"net9\", device: \"other\"");
	node_sh(&n, "mkdir -p run/devinfo/status && "
		    "echo '[{\"name\":\"default/lab\",\"interface\":\"net1\"}]' "
		    ">run/devinfo/status/full.json");
	read_all(&n, &inv);
	known = known_of(&inv);
	test("a recorded node has each member of an attachment, "
	     "from a file of the tree or its facts");
	for (const struct field *f = t->field; f < t->field + t->n; f++)
		if (!json_object_get(known, f->name))
			/* state_dir is of an earlier directory, which this node has none of */
			eq(f->name, "state_dir");
	test("what the facts say is not taken for what the record says");
	eq(of(&inv, "full")->ifname, "net1");
	eq(of(&inv, "full")->device, "0000:01:10.0");
	ok(of(&inv, "full")->carrier && of(&inv, "full")->device_away);
	test("facts that are not in order say nothing but why");
	say(&n, "given", "state: \"live\", drift: \"mtu\", carrier: 7");
	inventory_done(&inv);
	inv = (struct inventory){ 0 };
	read_all(&n, &inv);
	eq(of(&inv, "given")->state, "unknown");
	eq(of(&inv, "given")->drift, "");
	ok(strstr(of(&inv, "given")->why, "carrier"));
	node_close(&n);
}

static void gone_devices(void)
{
	static const struct made made[] = {
		{ .container = "a", .device = "0000:01:10.4" },
		{ .container = "b", .device = "0000:01:10.6" },
		{ "c", "0000:01:11.0", .released = true },
		{ "d", "0000:01:11.2", .boot = "other" },
	};
	auto_inventory struct inventory inv = { 0 };
	const struct inv_function *f;
	struct fake_node n;

	node_with("igb", made, ARRAY_SIZE(made), &n);
	read_all(&n, &inv);
	test("a function that the node does not have any more is in the list, with its holder");
	f = &inv.functions[inventory_function(&inv, "0000:01:10.4")];
	eq(f->health, "vanished");
	eq(holder(&inv, "0000:01:10.4"), "a");
	ok(of(&inv, "a")->function == INV_NONE);
	eq(holder(&inv, "0000:01:10.6"), "b");
	eq(holder(&inv, "0000:01:10.2"), "nobody");
	test("one that was given back, or belongs to an earlier boot, is not missed");
	ok(inventory_function(&inv, "0000:01:11.0") == INV_NONE);
	ok(inventory_function(&inv, "0000:01:11.2") == INV_NONE);
	test("what belongs together still does");
	f = &inv.functions[inventory_function(&inv, "0000:01:10.2")];
	eq(inv.functions[f->pf].bdf, "0000:01:00.0");
	node_close(&n);
}

static void bad_records(void)
{
	static const struct made made[] = {
		{ .container = "torn", .device = "0000:01:10.0" },
		{ .container = "newer", .device = "0000:01:10.2" },
		{ .container = "fine", .device = "0000:01:00.0" },
	};
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	node_with("igb", made, ARRAY_SIZE(made), &n);
	node_sh(&n, "cd " STATE "/attachments && truncate -s 90 *@0000:01:10.0.json && "
		    "sed -i 's/\"version\":1/\"version\":7/' *@0000:01:10.2.json");
	read_all(&n, &inv);
	test("a record that cannot be used is in the list, with its file and what is wrong");
	ok(inv.n_attachments == 3);
	eq(inv.attachments[1].state, "damaged");
	eq(inv.attachments[1].device, "0000:01:10.0");
	ok(strstr(inv.attachments[1].file, "@0000:01:10.0.json") && *inv.attachments[1].why);
	eq(inv.attachments[2].state, "version 7");
	eq(inv.attachments[2].container_id, "newer");
	test("it has its device, which is given to nobody");
	ok(inv.functions[inventory_function(&inv, "0000:01:10.0")].holder == 1);
	test("reading puts nothing aside");
	ok(node_holds(&n, "-e " STATE "/attachments/*@0000:01:10.0.json"));
	node_close(&n);
}

static void parts(void)
{
	static const struct made made[] = {
		{ "a", "0000:68:00.0", .vdpa = "two-a" },
		{ "b", "0000:68:00.0", .vdpa = "two-b" },
		{ "sf", "mlx5_core.sf.4", .host_name = "sf4" },
	};
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;
	int sf;

	node_with("vdpa-mlx5", made, ARRAY_SIZE(made), &n);
	say(&n, "a", "state: \"dead\"");
	say(&n, "b", "state: \"live\"");
	say(&n, "sf", "state: \"live\"");
	read_all(&n, &inv);
	test("of several on one function the one that lives has it, and each has its part");
	eq(holder(&inv, "0000:68:00.0"), "b");
	ok(inv.vdpas[inventory_vdpa(&inv, "two-a")].holder == 0);
	ok(inv.vdpas[inventory_vdpa(&inv, "two-b")].holder == 1);
	eq(of(&inv, "a")->kind, "vdpa");
	test("a sub-function is not the function that it is on");
	sf = inventory_auxiliary(&inv, "mlx5_core.sf.4");
	ok(inv.auxiliaries[sf].holder == 2 && inv.auxiliaries[sf].function >= 0);
	eq(holder(&inv, inv.auxiliaries[sf].pf_bdf), "nobody");
	ok(inv.attachments[2].function == inv.auxiliaries[sf].function);
	node_close(&n);
}

static void pods(void)
{
	static const struct made made[] = {
		{ .container = "c1", .device = "0000:01:10.0" },
		{ .container = "c2", .device = "0000:01:10.2" },
	};
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	node_with("igb", made, ARRAY_SIZE(made), &n);
	node_sh(&n, "mkdir -m 700 " STATE "/pods && umask 077 && "
		    "sed 's/\"network\":\"net\"/\"network\":\"lab\"/' "
		    "\"$OLDPWD\"/tests/node/before/ledger.json "
		    ">" STATE "/pods/default_p1@e6dce3c9e04b6828.json && "
		    "echo torn >" STATE "/pods/default_p2@0123456789abcdef.json");
	test("a record of a version before has its pod in the ledger, or none");
	ok(inventory_read_attachments(&n.host, &inv, &e) == 1);
	eq(of(&inv, "c1")->pod_name, "p1");
	eq(of(&inv, "c1")->pod_namespace, "default");
	eq(of(&inv, "c1")->pod_uid, "u1");
	eq(of(&inv, "c2")->pod_name, "");
	node_close(&n);
}

static void no_journal(void)
{
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	node_open("igb", &n);
	test("a node without a journal has no attachments");
	ok(inventory_read_attachments(&n.host, &inv, &e) == 0 && inv.n_attachments == 0);
	test("a journal that others may write to is not believed");
	node_sh(&n, "mkdir -p -m 777 " STATE " && chmod 777 " STATE);
	ok(inventory_join(&n.host, &inv, &e) == -1 && e.code == ERR_PERMISSION);
	node_close(&n);
}

static void files(void)
{
	static const struct made made[] = { { "c1", "0000:01:10.0", .has_pod = true } };
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	node_with("igb", made, ARRAY_SIZE(made), &n);
	node_sh(&n, "d=var/run/k8s.cni.cncf.io/devinfo && "
		    "mkdir -p $d/dp $d/cni run/devinfo/status && "
		    "echo '{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":"
		    "{\"pci-address\":\"0000:01:10.0\"}}' >$d/cni/lab-1 && "
		    "cp $d/cni/lab-1 $d/dp/z-device.json && "
		    "echo '{\"type\":\"memif\",\"version\":\"1.0.0\",\"memif\":"
		    "{\"role\":\"master\",\"path\":\"/s\",\"mode\":\"ethernet\"}}' "
		    ">$d/dp/m-device.json && "
		    "echo '{}' >$d/cni/other && ln -s lab-1 $d/cni/to && "
		    ": >$d/cni/.hidden && "
		    "touch -d @86400 $d/cni/other && "
		    "echo '[{\"name\":\"default/lab\",\"interface\":\"net1\"}]' "
		    ">run/devinfo/status/c1.json");
	read_all(&n, &inv);
	test("the files, those of device plugins first, and what they say");
	ok(inv.n_files == 5 && inv.files[0].is_dp && inv.files[1].is_dp && !inv.files[2].is_dp);
	eq(inv.files[0].name, "m-device.json");
	eq(inv.files[0].type, "memif");
	eq(inv.files[0].device, "/s");
	eq(inv.files[1].type, "pci");
	eq(inv.files[1].version, "1.1.0");
	eq(inv.files[1].device, "0000:01:10.0");
	eq(inv.files[1].wrong, "");
	test("what is not valid says why");
	eq(inv.files[3].name, "other");
	ok(*inv.files[3].wrong && inv.files[3].modified == 86400);
	eq(inv.files[4].name, "to");
	ok(*inv.files[4].wrong);
	test("whose they are");
	eq(inv.files[2].name, "lab-1");
	ok(inv.files[2].attachment == 0 && inv.files[3].attachment == INV_NONE);
	test("network-status has the attachment's entry");
	ok(inv.attachments[0].has_status);
	node_close(&n);
}

static void texts(void)
{
	char text[8];

	test("a text is cut between characters, and is always UTF-8");
	join_text(text, 5, "abcdef");
	eq(text, "abcd");
	join_text(text, 5, "abc\xc3\xa4");
	eq(text, "abc");
	join_text(text, 6, "abc\xc3\xa4");
	eq(text, "abc\xc3\xa4");
	join_text(text, 5, "a\xe2\x82\xac\xe2\x82\xac");
	eq(text, "a\xe2\x82\xac");
	join_text(text, sizeof(text), "a\xff" "b");
	eq(text, "a?b");
	join_text(text, sizeof(text), NULL);
	eq(text, "");
}

int main(void)
{
	states();
	all_members();
	gone_devices();
	bad_records();
	parts();
	pods();
	no_journal();
	files();
	texts();
	return tap_end();
}
