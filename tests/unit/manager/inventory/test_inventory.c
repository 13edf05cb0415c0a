/* SPDX-License-Identifier: Apache-2.0 */
/* test_inventory.c - the devices of recorded nodes, how they belong together, and their facts */
#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/facts.h"
#include "manager/inventory/inventory.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <limits.h>
#include <sched.h>
#include <sys/mount.h>

static int read_node_of(const struct fake_node *n, struct inventory *inv)
{
	struct err e = { 0 };
	int r = inventory_read(&n->host, inv, &e);

	if (r < 0)
		(void)printf("# %s (%s)\n", e.msg, e.details);
	return r;
}

static const struct inv_function *function(const struct inventory *inv, const char *bdf)
{
	static const struct inv_function none;
	int place = inventory_function(inv, bdf);

	ok(place != INV_NONE);
	return place == INV_NONE ? &none : &inv->functions[place];
}

static const char *link_name(const struct inventory *inv, int place)
{
	return place == INV_NONE ? "none" : inv->links[place].name;
}

static const char *rdma_name(const struct inventory *inv, int place)
{
	return place == INV_NONE ? "none" : inv->rdmas[place].name;
}

static void test_igb(void)
{
	auto_inventory struct inventory inv = { 0 };
	const struct inv_function *pf, *vf;
	struct fake_node n;

	node_open("igb", &n);
	test("a PF and its VFs");
	ok(read_node_of(&n, &inv) == 0);
	ok(inv.n_functions >= 3 && inv.node.is_recorded);
	pf = function(&inv, "0000:01:00.0");
	eq(pf->vendor, "8086");
	eq(pf->device, "10c9");
	eq(pf->class, "020000");
	eq(pf->driver, "igb");
	eq(pf->pcie_root, "pci0000:00");
	eq(pf->iommu_group, "9");
	eq(link_name(&inv, pf->link), "eth0");
	ok(pf->total_vfs == 7 && pf->num_vfs == 2 && !pf->is_vf && pf->pf == INV_NONE);
	ok(!pf->has_numa && !pf->has_aer && pf->holder == INV_NONE);
	vf = function(&inv, "0000:01:10.2");
	ok(vf->is_vf && vf->vf_index == 1 && pf == &inv.functions[vf->pf]);
	eq(vf->pf_bdf, "0000:01:00.0");
	ok(inventory_function(&inv, "0000:01:10.7") == INV_NONE);
	ok(inventory_function(&inv, "") == INV_NONE);
	node_close(&n);
}

static void test_switchdev(void)
{
	auto_inventory struct inventory inv = { 0 };
	const struct inv_function *pf, *vf;
	const struct inv_auxiliary *x;
	struct fake_node n;

	node_open("mlx5", &n);
	ok(read_node_of(&n, &inv) == 0);
	test("an uplink among representors");
	pf = function(&inv, "0000:03:00.0");
	eq(link_name(&inv, pf->link), "ens1f0np0");
	eq(rdma_name(&inv, pf->rdma), "mlx5_0");
	test("a VF has its own representor");
	vf = function(&inv, "0000:03:00.2");
	eq(link_name(&inv, vf->link), "ens1f0v0");
	eq(link_name(&inv, vf->representor), "eth3");
	ok(vf == &inv.functions[inv.links[vf->representor].represents]);
	eq(link_name(&inv, function(&inv, "0000:03:01.4")->representor), "eth0");
	eq(link_name(&inv, function(&inv, "0000:03:08.2")->representor), "eth4");
	test("a representor of another controller represents none of ours");
	ok(inv.links[inventory_link(&inv, "eth1")].represents == INV_NONE);
	test("several RDMA devices of one function are a chain, by name");
	vf = function(&inv, "0000:03:01.4");
	eq(rdma_name(&inv, vf->rdma), "mlx5_12");
	eq(rdma_name(&inv, inv.rdmas[vf->rdma].next), "rocep3s1f4");
	ok(inv.rdmas[inv.rdmas[vf->rdma].next].next == INV_NONE);
	test("a sub-function");
	ok(inv.n_auxiliaries == 1);
	x = inv.auxiliaries;
	eq(x->name, "mlx5_core.sf.4");
	eq(x->type, "sf");
	ok(x->has_sf && x->sf == 0 && pf == &inv.functions[x->function] && pf->auxiliary == 0);
	eq(link_name(&inv, x->link), "enp3s0f0s88");
	eq(link_name(&inv, x->representor), "eth2");
	ok(inv.links[x->link].function == INV_NONE);
	eq(inv.links[x->link].parent_bus, "auxiliary");
	node_close(&n);
}

static void test_gone(void)
{
	auto_inventory struct inventory inv = { 0 };
	const struct inv_function *vf;
	struct fake_node n;

	node_open("gone", &n);
	ok(read_node_of(&n, &inv) == 0);
	test("a VF without its PF");
	vf = function(&inv, "0000:05:10.0");
	ok(vf->is_vf && vf->pf == INV_NONE && vf->vf_index == INV_NONE);
	eq(vf->pf_bdf, "0000:05:00.0");
	test("a VF that its PF does not list has no number");
	vf = function(&inv, "0000:06:10.0");
	ok(vf->is_vf && vf->pf != INV_NONE && vf->vf_index == INV_NONE);
	node_close(&n);
}

static void test_vdpa(void)
{
	auto_inventory struct inventory inv = { 0 };
	const struct inv_vdpa *v;
	struct fake_node n;

	node_open("vdpa", &n);
	ok(read_node_of(&n, &inv) == 0);
	test("vDPA devices, with hardware and without");
	ok(inv.n_vdpas == 8);
	v = &inv.vdpas[inventory_vdpa(&inv, "vdpa:0000:04:00.0")];
	eq(v->driver, "vhost_vdpa");
	eq(v->node, "vhost-vdpa-7");
	ok(v->function == inventory_function(&inv, "0000:04:00.0"));
	v = &inv.vdpas[inventory_vdpa(&inv, "vdpa1")];
	eq(v->driver, "virtio_vdpa");
	eq(link_name(&inv, v->link), "eth0");
	eq(inv.links[v->link].parent_bus, "vdpa");
	ok(v->function == INV_NONE);
	test("two on one function are a chain");
	v = &inv.vdpas[function(&inv, "0000:03:00.0")->vdpa];
	eq(v->name, "second");
	eq(inv.vdpas[v->next].name, "vdpa:0000:03:00.0");
	test("no device, no node");
	ok(inventory_vdpa(&inv, "none") == INV_NONE);
	node_close(&n);
}

static void test_facts(void)
{
	auto_inventory struct inventory inv = { 0 };
	json_auto_t *facts = NULL;
	struct err e = { 0 };
	struct fake_node n;
	auto_free char *text = NULL, *rdmas = NULL;
	size_t len;

	node_open("igb", &n);
	node_sh(&n, "cat >devinfo-node.json <<'X'\n"
		    "{\"node\": {\"rdma_mode\": \"shared\", \"has_devlink\": true},\n"
		    " \"functions\": [{\"bdf\": \"0000:01:00.0\", \"eswitch\": \"legacy\"}],\n"
		    " \"links\": [{\"name\": \"zz\", \"kind\": \"veth\"},\n"
		    "  {\"name\": \"aa\", \"altnames\": [\"one\", \"two\"]},\n"
		    "  {\"name\": \"eth0\", \"ips\": [\"10.0.0.1/24\"]}],\n"
		    " \"vfs\": [{\"pf\": \"eth0\", \"index\": 1, \"mac\": \"02:00:00:00:00:01\"},\n"
		    "  {\"pf\": \"eth0\", \"index\": 0, \"vlan\": 7}],\n"
		    " \"rdmas\": [{\"name\": \"r\", \"parent\": \"0000:01:10.2\",\n"
		    "  \"pkey\": \"0x1\"}]}\n"
		    "X");
	ok(read_node_of(&n, &inv) == 0);
	test("facts are laid over what sysfs says, or are added");
	eq(inv.node.rdma_mode, "shared");
	eq(function(&inv, "0000:01:00.0")->eswitch, "legacy");
	eq(function(&inv, "0000:01:00.0")->driver, "igb");
	eq(inv.links[inventory_link(&inv, "eth0")].ips[0], "10.0.0.1/24");
	ok(inv.links[inventory_link(&inv, "eth0")].ifindex == 2);
	eq(inv.links[0].name, "aa");
	ok(inv.links[0].n_altnames == 2);
	eq(inv.links[0].altnames[1], "two");
	test("a VF finds how its PF shows it");
	eq(inv.vfs[function(&inv, "0000:01:10.2")->vf].mac, "02:00:00:00:00:01");
	ok(inv.vfs[function(&inv, "0000:01:10.0")->vf].vlan == 7);
	eq(rdma_name(&inv, function(&inv, "0000:01:10.2")->rdma), "r");
	test("the facts of an inventory say the same again");
	facts = inventory_facts(&inv, &e);
	ok(facts);
	text = jx_dump(json_object_get(facts, "vfs"), &len);
	eq(text, "[{\"pf\":\"eth0\",\"index\":0,\"vlan\":7,\"spoofchk\":false,\"trust\":false},"
		 "{\"pf\":\"eth0\",\"index\":1,\"mac\":\"02:00:00:00:00:01\",\"spoofchk\":false,"
		 "\"trust\":false}]\n");
	ok(json_array_size(json_object_get(facts, "functions")) == 1);
	ok(json_array_size(json_object_get(facts, "links")) == 3);
	rdmas = jx_dump(json_object_get(facts, "rdmas"), &len);
	eq(rdmas, "[{\"name\":\"r\",\"pkey\":\"0x1\"}]\n");
	node_close(&n);
}

static bool refuses(const char *facts, const char *why)
{
	auto_inventory struct inventory inv = { 0 };
	struct err e = { 0 };
	struct fake_node n;
	char command[256];
	bool is_so;

	node_open(NULL, &n);
	(void)snprintf(command, sizeof(command), "printf '%%s' '%s' >devinfo-node.json", facts);
	node_sh(&n, command);
	is_so = inventory_read(&n.host, &inv, &e) < 0 && strstr(e.msg, why);
	if (!is_so)
		(void)printf("# %s\n", e.msg);
	node_close(&n);
	return is_so;
}

static void test_unreadable(void)
{
	static const char pf[] = "sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0";
	auto_inventory struct inventory inv = { 0 };
	char command[512];
	struct fake_node n;

	test("a device of which not all can be read is there with the rest");
	node_open("igb", &n);
	(void)snprintf(command, sizeof(command),
		       "cd %s && rm vendor driver net/eth0/ifindex && mkdir vendor driver"
		       " net/eth0/ifindex net/eth0/speed && echo x >sriov_numvfs", pf);
	node_sh(&n, command);
	ok(read_node_of(&n, &inv) == 0);
	eq(function(&inv, "0000:01:00.0")->vendor, "");
	eq(function(&inv, "0000:01:00.0")->driver, "");
	eq(function(&inv, "0000:01:00.0")->device, "10c9");
	ok(function(&inv, "0000:01:00.0")->num_vfs == 0);
	eq(link_name(&inv, function(&inv, "0000:01:00.0")->link), "eth0");
	node_close(&n);
}

/* By its modalias, as sysfs has it, or by the files that a recorded node has. */
static void test_modalias(void)
{
	static const char dir[] = "sys/bus/pci/devices/0000:01:10.0";
	auto_inventory struct inventory inv = { 0 }, wrong = { 0 };
	const struct inv_function *f;
	char command[512];
	struct fake_node n;

	test("what a function is, is read in one file");
	node_open("igb", &n);
	(void)snprintf(command, sizeof(command),
		       "cd %s && rm vendor device class && echo"
		       " pci:v00008086d000010CAsv0000FFFFsd0000A05Fbc02sc80i01 >modalias", dir);
	node_sh(&n, command);
	ok(read_node_of(&n, &inv) == 0);
	f = function(&inv, "0000:01:10.0");
	eq(f->vendor, "8086");
	eq(f->device, "10ca");
	eq(f->subsystem_vendor, "ffff");
	eq(f->subsystem_device, "a05f");
	eq(f->class, "028001");
	test("one that is none does not count");
	(void)snprintf(command, sizeof(command),
		       "cd %s && echo 0x1 >vendor && echo 0x2 >device && echo 0x020000 >class &&"
		       " echo pci:v00008086d000010CAsv >modalias", dir);
	node_sh(&n, command);
	ok(read_node_of(&n, &wrong) == 0);
	f = function(&wrong, "0000:01:10.0");
	eq(f->vendor, "1");
	eq(f->device, "2");
	eq(f->class, "020000");
	node_close(&n);
}

/* Of other classes only what a program or vDPA has. */
static void test_classes(void)
{
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	node_open(NULL, &n);
	node_sh(&n, "for c in 010802 020000 030200 120000; do d=sys/bus/pci/devices/0000:$c; "
		    "d=${d%????}; d=$d:00.0; mkdir -p $d && echo 0x$c >$d/class || exit; done; "
		    "mkdir -p sys/bus/pci/drivers/vfio-pci && "
		    "ln -s ../../drivers/vfio-pci sys/bus/pci/devices/0000:03:00.0/driver && "
		    "echo '{}' >devinfo-node.json");
	test("network functions, accelerators, and what a program or vDPA has, are in it");
	ok(read_node_of(&n, &inv) == 0);
	eqi(inv.n_functions, 3);
	ok(inventory_function(&inv, "0000:02:00.0") != INV_NONE);
	ok(inventory_function(&inv, "0000:03:00.0") != INV_NONE);
	ok(inventory_function(&inv, "0000:12:00.0") != INV_NONE);
	node_close(&n);
}

static void test_bad_facts(void)
{
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	test("an empty tree has no devices");
	node_open(NULL, &n);
	ok(read_node_of(&n, &inv) == 0 && inv.n_functions == 0 && inv.n_links == 0);
	node_close(&n);
	test("facts that are none are refused, with what is wrong");
	ok(refuses("[", "devinfo-node.json"));
	ok(refuses("{\"node\": 1}", "node: must be an object"));
	ok(refuses("{\"links\": {}}", "links: must be a list"));
	ok(refuses("{\"links\": [{}]}", "links.name: missing"));
	ok(refuses("{\"links\": [{\"name\": \"a/b\"}]}", "links.name: not valid"));
	ok(refuses("{\"functions\": [{\"bdf\": \"0000:00:00.00\"}]}", "functions.bdf"));
	ok(refuses("{\"links\": [{\"name\": \"a\", \"ips\": [1]}]}", "ips: must be a string"));
	ok(refuses("{\"links\": [{\"name\": \"a\", \"ips\": \"b\"}]}", "ips: must be a list"));
}

/* A network namespace, and a /sys of it, of our own: the rest of the program stays there. */
static void make_links(void)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL) < 0 ||
	    system("ip link add va type veth peer name vb && ip link set va up &&"
		   " ip link property add dev va altname a-long-name-of-va altname va2 &&"
		   " ip addr add 192.0.2.1/24 dev va && ip addr add 2001:db8::1/128 dev va nodad &&"
		   " ip link add br0 type bridge && ip link set vb master br0 up &&"
		   /* the kernel's own thread says so, in its time */
		   " for i in $(seq 1000); do"
		   " read -r state </sys/class/net/va/operstate;"
		   " [ $state != up ] || break; sleep 0.01; done; [ $state = up ]") != 0)
		bail_out("no network devices of our own");
}

static bool says(const struct inv_function *f, const char *attr, const char *value)
{
	char path[PATH_MAX], text[16] = "";
	FILE *file;
	bool is_so;

	(void)snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", f->bdf, attr);
	file = fopen(path, "re");
	is_so = file && fscanf(file, "0x%15s", text) == 1 && strcmp(text, value) == 0;
	if (file)
		(void)fclose(file);
	return is_so;
}

static bool says_the_same(const struct inv_function *f)
{
	return says(f, "vendor", f->vendor) && says(f, "device", f->device) &&
	       says(f, "subsystem_vendor", f->subsystem_vendor) &&
	       says(f, "subsystem_device", f->subsystem_device) && says(f, "class", f->class);
}

static void test_live(void)
{
	auto_inventory struct inventory inv = { 0 };
	auto_host struct host host = { .root = -1 };
	const struct inv_link *l;
	struct err e = { 0 };

	if (geteuid() != 0) {
		(void)printf("ok %d # SKIP not root\n", ++tap_no);
		return;
	}
	make_links();
	test("of this machine the kernel says what sysfs does not");
	ok(host_open(NULL, &host, &e) == 0 && inventory_read(&host, &inv, &e) == 0);
	ok(!inv.node.is_recorded && *inv.node.kernel && strlen(inv.node.boot_id) == 36);
	ok(inv.n_links == 4);
	l = &inv.links[inventory_link(&inv, "va")];
	eq(l->kind, "veth");
	eq(l->type, "ether");
	eq(l->operstate, "up");
	ok(l->up && l->carrier && l->mtu == 1500 && l->n_altnames == 2);
	eq(l->altnames[0], "a-long-name-of-va");
	ok(l->n_ips >= 2);
	eq(l->ips[0], "192.0.2.1/24");
	eq(l->ips[1], "2001:db8::1/128");
	ok(!*l->parent && !*l->parent_bus && l->function == INV_NONE);
	eq(inv.links[inventory_link(&inv, "vb")].master, "br0");
	eq(inv.links[inventory_link(&inv, "lo")].type, "loopback");
	ok(!inv.links[inventory_link(&inv, "br0")].n_ips);
	test("and a function's one file what its others say");
	for (size_t i = 0; i < inv.n_functions; i++)
		ok(says_the_same(&inv.functions[i]));
}

int main(void)
{
	jx_init(NULL);
	test_igb();
	test_switchdev();
	test_gone();
	test_vdpa();
	test_facts();
	test_unreadable();
	test_modalias();
	test_classes();
	test_bad_facts();
	test_live();
	return tap_end();
}
