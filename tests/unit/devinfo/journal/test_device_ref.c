/* SPDX-License-Identifier: Apache-2.0 */
/* test_device_ref.c - what the ids of device plugins, drivers and people name */
#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

static struct fake_node n;
static struct device_ref ref;
static struct err err;

static int find(const char *id)
{
	ref = (struct device_ref){ 0 };
	err = (struct err){ 0 };
	return device_ref_find(&n.host, id, &ref, &err);
}

static void test_netdev(void)
{
	test("the name of a network device, here or elsewhere, and of no other device here");
	ok(device_ref_is_netdev(&n.host, "ens1f0np0") && device_ref_is_netdev(&n.host, "eth99"));
	ok(!device_ref_is_netdev(&n.host, "mlx5_core.sf.4"));
	ok(!device_ref_is_netdev(&n.host, "vdpa0"));
	ok(!device_ref_is_netdev(&n.host, "0000:65:00.0"));
	ok(!device_ref_is_netdev(&n.host, "auxiliary/mlx5_core.sf.4"));
}

static void test_forms(void)
{
	static const char *const bad[] = {
		"", "pci", "pci/", "pci/x", "pci/0000:65:00.0/", "pci/0000:65:00.0/x",
		"0000:65:00.0/1", "pci:", "pci:x", "pci:0000:65:00.0/1", "pci:pci:0000:65:00.0",
		"pci:pci/0000:65:00.0", "auxiliary/", "auxiliary/vdpa0", "auxiliary/ens1f0np0",
		"auxiliary/../mlx5_core.sf.4", "../ens1f0np0", "no/such", "mlx5_core.sf.6",
		"something-that-a-device-plugin-has-invented-and-that-is-longer-than-any-name",
	};

	test("a PCI address in each of its spellings");
	ok(find("0000:65:00.0") == 1 && ref.kind == DEVICE_REF_PCI);
	eq(ref.name, "0000:65:00.0");
	eq(ref.key, "0000:65:00.0");
	ok(find("pci/0000:65:00.0") == 1 && ref.kind == DEVICE_REF_PCI);
	eq(ref.name, "0000:65:00.0");
	ok(find("pci/0000:65:00.0/1") == 1);
	eq(ref.name, "0000:65:00.0");
	ok(find("pci:0000:65:00.0") == 1 && ref.kind == DEVICE_REF_PCI);
	eq(ref.name, "0000:65:00.0");
	eq(ref.key, "0000:65:00.0");
	ok(find("0000:FF:1F.7") == 1 && ref.kind == DEVICE_REF_PCI);	/* not that it is there */
	eq(ref.name, "0000:ff:1f.7");

	test("C-FND-20: an auxiliary device, and the network device it has");
	ok(find("mlx5_core.sf.4") == 1 && ref.kind == DEVICE_REF_AUXILIARY);
	eq(ref.netdev, "ens1f0s88");
	eq(ref.key, "mlx5_core.sf.4");
	ok(find("auxiliary/mlx5_core.sf.4") == 1 && ref.kind == DEVICE_REF_AUXILIARY);
	eq(ref.name, "mlx5_core.sf.4");
	ok(find("mlx5_core.sf.5") == 1 && ref.kind == DEVICE_REF_AUXILIARY);
	eq(ref.netdev, "");
	eq(ref.key, "");

	test("C-FND-20: "
	     "a vDPA device, its driver, and the network device that virtio_vdpa gives it");
	ok(find("vdpa0") == 1 && ref.kind == DEVICE_REF_VDPA);
	eq(ref.driver, "vhost_vdpa");
	eq(ref.netdev, "");
	ok(find("vdpa1") == 1 && ref.kind == DEVICE_REF_VDPA);
	eq(ref.driver, "virtio_vdpa");
	eq(ref.netdev, "eth7");
	eq(ref.key, "vdpa1");

	test("a network device, known to the journal as what it is that of");
	ok(find("ens1f0np0") == 1 && ref.kind == DEVICE_REF_NETDEV);
	eq(ref.netdev, "ens1f0np0");
	eq(ref.key, "0000:65:00.0");
	ok(find("ens1f0s88") == 1 && ref.kind == DEVICE_REF_NETDEV);
	eq(ref.key, "mlx5_core.sf.4");
	ok(find("eth7") == 1);
	eq(ref.key, "eth7");

	test("one that goes by its own name is looked at again on no other bus");
	ok(device_ref_is_plain_netdev(&ref) && strcmp(ref.net.name, "eth7") == 0);
	ok(find("ens1f0np0") == 1 && !device_ref_is_plain_netdev(&ref));
	ok(find("vdpa1") == 1 && !device_ref_is_plain_netdev(&ref));
	ok(device_ref_find_netdev(&n.host, "eth7", &ref, &err) == 1 &&
	   device_ref_is_plain_netdev(&ref));
	eq(ref.key, "eth7");
	ok(device_ref_find_netdev(&n.host, "vdpa1", &ref, &err) == 0);
	ok(device_ref_find_netdev(&n.host, "eth99", &ref, &err) == 0);

	test("what names nothing here");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(find(bad[i]) == 0);
		ok(ref.kind == DEVICE_REF_NONE);
	}
	eq(device_ref_kind_name(DEVICE_REF_NONE), "nothing known here");
}

static void test_equal(void)
{
	test("case does not matter in PCI addresses, and in nothing else");
	ok(name_ids_equal("0000:0A:00.0", "0000:0a:00.0"));
	ok(!name_ids_equal("0000:0a:00.0", "0000:0a:00.1"));
	ok(name_ids_equal("vf0", "vf0"));
	ok(!name_ids_equal("VF0", "vf0"));
	test("nor how they are spelled");
	ok(name_ids_equal("pci:0000:0A:00.0", "0000:0a:00.0"));
	ok(name_ids_equal("pci/0000:0a:00.0", "pci:0000:0a:00.0"));
	ok(!name_ids_equal("pci:0000:0a:00.0", "0000:0a:00.1"));
	ok(!name_ids_equal("pci:vf0", "vf0"));
}

static bool by_index;		/* else all records are read, as long as they change */

static void open_journal(struct journal *j)
{
	ok(journal_open(&n.host, JOURNAL_CREATE, j, &err) == 1);
	node_sh(&n, by_index ? "touch -d yesterday var/lib/cni/devinfo/attachments" :
			       "touch var/lib/cni/devinfo/attachments");
}

static struct record record_of(const char *container_id)
{
	return (struct record){
		.owner = {
			.network = "net", .container_id = container_id, .ifname = "net1",
			.netns = "/run/netns/p",
		},
		.boot_id = "b",
		.devinfo_dir = "/d",
		.run_dir = "/r",
	};
}

static void write_record(struct journal *j, const char *container_id, const char *device,
			 const char *id, const char *name, const char *parent, bool released)
{
	struct record r = record_of(container_id);

	(void)snprintf(r.device, sizeof(r.device), "%s", device);
	r.is_pci = name_is_bdf(device);
	r.chained = !*device;
	r.device_id = id;
	r.released = released;
	r.netdev.present = *name;
	r.netdev.ifindex = 5;
	r.netdev.mtu = 1500;
	(void)snprintf(r.netdev.bus, sizeof(r.netdev.bus), "%s", *parent ? "auxiliary" : "");
	(void)snprintf(r.netdev.name, sizeof(r.netdev.name), "%s", name);
	(void)snprintf(r.netdev.parent, sizeof(r.netdev.parent), "%s", parent);
	ok(journal_write(j, &r, &err) == 0);
}

/* Adds its container to a text. */
static int add_container(struct record *rec, void *arg, struct err *e)
{
	char *text = arg;

	(void)e;
	(void)snprintf(text + strlen(text), 64 - strlen(text), "%s%s", *text ? " " : "",
		       rec->owner.container_id);
	return 0;
}

/* The containers of the records that an id leads to, "" for none. */
static const char *containers_of(struct journal *j, const char *id)
{
	static char text[64];

	text[0] = '\0';
	ok(device_ref_each(&n.host, j, id, add_container, text, &err) == 0);
	return text;
}

/* That it has a key like no other of today's: one of an earlier version. */
static void write_socket(struct journal *j, const char *container_id, const char *device,
			 const char *path)
{
	struct record r = record_of(container_id);

	(void)snprintf(r.device, sizeof(r.device), "%s", device);
	(void)snprintf(r.socket.path, sizeof(r.socket.path), "%s", path);
	r.socket.from_plugin = true;
	ok(journal_write(j, &r, &err) == 0);
}

static void test_sockets(void)
{
	/* of these two earlier versions made one key */
	static const char one[] = "/run/devinfo-twins/c4746d045015b7b7/net1.sock";
	static const char two[] = "/run/devinfo-twins/2fc1c765648fba52/net1.sock";
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	char key[SOCKET_KEY_SIZE];

	open_journal(&j);
	test("a socket's record is that of its path, whatever its name");
	write_socket(&j, "old", "sk1e4dd7d5aa2c", one);
	socket_state_key(one, key);
	eq(containers_of(&j, key), "old");
	write_socket(&j, "new", key, one);
	ok(strlen(containers_of(&j, key)) == strlen("old new"));
	socket_state_key(two, key);
	eq(containers_of(&j, key), "");
	write_socket(&j, "twin", "sk1e4dd7d5aa2c", two);
	eq(containers_of(&j, key), "twin");
	ok(index_is_whole(&j.index) == by_index);
}

static void test_record(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct record r = record_of("elder");

	open_journal(&j);
	write_record(&j, "pci", "0000:65:00.2", NULL, "", "", false);
	write_record(&j, "sf", "mlx5_core.sf.5", NULL, "ens1f0s99", "mlx5_core.sf.5", false);
	write_record(&j, "alive", "mlx5_core.sf.4", NULL, "eth88", "mlx5_core.sf.4", false);
	write_record(&j, "opaque", "", "socket-7", "", "", false);
	write_record(&j, "gone", "eth9", "socket-8", "eth9", "", true);
	write_record(&j, "moved", "0000:66:00.1", NULL, "eth7", "0000:66:00.1", false);
	write_record(&j, "uplink", "0000:65:00.0", NULL, "ens1f0np0", "0000:65:00.0", false);

	test("the record of a device, by its address, in whatever spelling");
	eq(containers_of(&j, "0000:65:00.2"), "pci");
	eq(containers_of(&j, "pci/0000:65:00.2"), "pci");
	eq(containers_of(&j, "0000:65:00.3"), "");

	test("by the name it had at home, and by that of its bus");
	eq(containers_of(&j, "ens1f0s99"), "sf");
	eq(containers_of(&j, "mlx5_core.sf.5"), "sf");
	eq(containers_of(&j, "auxiliary/mlx5_core.sf.5"), "sf");

	test("by the name of a network device that has come home under another one");
	eq(containers_of(&j, "mlx5_core.sf.4"), "alive");
	eq(containers_of(&j, "ens1f0s88"), "alive");

	test("a network device that is at home is not one that was called so");
	eq(containers_of(&j, "eth7"), "");

	test("and one that is a PCI function is known by its address");
	eq(containers_of(&j, "ens1f0np0"), "uplink");

	test("by the id it was given under, when nobody here knows what it is");
	eq(containers_of(&j, "socket-7"), "opaque");
	write_record(&j, "second", "", "socket-7", "", "", false);
	ok(strlen(containers_of(&j, "socket-7")) == strlen("opaque second"));

	test("not one that was given back");
	eq(containers_of(&j, "socket-8"), "");
	eq(containers_of(&j, "eth9"), "");

	test("not by what an interface is called in a container");
	write_record(&j, "chained", "", "socket-9", "eth5", "", false);
	eq(containers_of(&j, "eth5"), "");

	test("not by what was true before the node started");
	r.is_pci = false;
	(void)snprintf(r.boot_id, sizeof(r.boot_id), "a");
	(void)snprintf(r.device, sizeof(r.device), "eth6");
	r.device_id = "socket-6";
	ok(journal_write(&j, &r, &err) == 0);
	eq(containers_of(&j, "eth6"), "");
	eq(containers_of(&j, "socket-6"), "");
	ok(index_is_whole(&j.index) == by_index);
}

static void write_vdpa(struct journal *j, const char *container_id, const char *name,
		       uint32_t vf_set, bool created)
{
	struct record r = record_of(container_id);

	(void)snprintf(r.device, sizeof(r.device), "0000:03:00.0");
	r.is_pci = true;
	r.device_id = r.device;
	r.vf_set = vf_set;
	(void)snprintf(r.vdpa.name, sizeof(r.vdpa.name), "%s", name);
	r.vdpa.created = created;
	ok(journal_write(j, &r, &err) == 0);
}

/* Two vDPA devices on one function: "second", and the one with the function's address in it. */
static void test_vdpa_record(void)
{
	static const char first[] = "vdpa:0000:03:00.0", function[] = "0000:03:00.0";
	auto_journal struct journal j = { .dir = -1, .lock = -1 };

	node_sh(&n, "mkdir -p proc/sys/kernel/random && echo b >proc/sys/kernel/random/boot_id");
	open_journal(&j);
	test("who has one vDPA device of a function has not the other");
	write_vdpa(&j, "one", first, 0, false);
	eq(containers_of(&j, first), "one");
	eq(containers_of(&j, "second"), "");
	test("but the function, which may be everybody's who has one");
	eq(containers_of(&j, function), "one");
	write_vdpa(&j, "two", "second", 0, false);
	eq(containers_of(&j, "second"), "two");
	eq(containers_of(&j, first), "one");
	ok(strlen(containers_of(&j, function)) == strlen("one two"));
	test("who has changed the function, or made the device on it, has all that is on it");
	write_vdpa(&j, "two", "second", VF_VLAN, false);
	ok(strlen(containers_of(&j, first)) == strlen("one two"));
	write_vdpa(&j, "two", "second", 0, true);
	ok(strlen(containers_of(&j, first)) == strlen("one two"));
	test("as has who has the function itself");
	write_record(&j, "two", function, NULL, "eth1", function, false);
	ok(strlen(containers_of(&j, first)) == strlen("one two"));
	eq(containers_of(&j, "vdpa0"), "");
	ok(index_is_whole(&j.index) == by_index);
}

/* Twice: by all records, as an index that is not trusted has it, and by the index. */
static void test_journal(void)
{
	node_open("subfunction", &n);
	node_sh(&n, "mkdir -p proc/sys/kernel/random && echo b >proc/sys/kernel/random/boot_id");
	test_record();
	test_sockets();
	node_close(&n);
	node_open("vdpa", &n);
	test_vdpa_record();
	node_close(&n);
}

int main(void)
{
	node_open("subfunction", &n);
	test_forms();
	test_netdev();
	test_equal();
	node_close(&n);
	test_journal();
	by_index = true;
	test_journal();
	return tap_end();
}
