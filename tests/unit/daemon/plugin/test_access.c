/* SPDX-License-Identifier: Apache-2.0 */
/* test_access.c - what containers get of devices of recorded nodes */
#include "daemon/plugin/access.h"

#include "tests/unit/offered.h"

#define ONE(more) "{'resourceList': [{'resourceName': 'sriov_net-1', " more "}]}"

/* "host>container:permissions ..." and, behind a '|', names of CDI. */
static const char *nodes_of(const struct access *a)
{
	static char text[2048];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < a->n_nodes; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s%s:%s", i ? " " : "",
				      a->nodes[i].host,
				      strcmp(a->nodes[i].host, a->nodes[i].container) ? ">" : "",
				      strcmp(a->nodes[i].host, a->nodes[i].container) ?
				      a->nodes[i].container : "", a->nodes[i].permissions);
	for (size_t i = 0; i < a->n_cdi; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "|%s", a->cdi[i]);
	return text;
}

static const char *value(const struct access *a, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->env); i++)
		if (strcmp(a->env[i].name, name) == 0)
			return a->env[i].value;
	return NULL;
}

/* The value with ' for ". */
static const char *said(struct access *a)
{
	char *text = a->env[1].value;

	for (char *p = text; p && *p; p++)
		*p = *p == '"' ? '\'' : *p;
	return text;
}

/* Of all devices of the pool. */
static int make_all(const struct access_world *w, struct access *ret, struct err *e)
{
	size_t places[OFFERED_MAX];

	for (size_t i = 0; i < w->offer->n; i++)
		places[i] = i;
	return access_make(w, places, w->offer->n, ret, e);
}

static void test_netdev(void)
{
	struct offered_node n;
	struct access_world w;
	auto_access struct access a = { .n_nodes = 0 };
	struct err e = { 0 };

	offered_open("igb", NULL, ONE("'selectors': {'pfNames': ['eth0'], 'drivers': ['igbvf']}"),
		     &n);
	w = offered_world(&n, 0);
	test("a network device has no nodes, and a name in the environment");
	ok(make_all(&w, &a, &e) == 0);
	eq(nodes_of(&a), "");
	eq(value(&a, "PCIDEVICE_INTEL_COM_SRIOV_NET-1"), "0000:01:10.0");
	ok(value(&a, "PCIDEVICE_INTEL_COM_SRIOV_NET-1_INFO"));
	eq(said(&a), "{'0000:01:10.0':{'generic':{'deviceID':'0000:01:10.0'}}}");
	offered_close(&n);
}

static void test_vfio(void)
{
	struct offered_node n;
	struct access_world w;
	auto_access struct access a = { .n_nodes = 0 }, c = { .n_nodes = 0 };
	auto_access struct access both = { .n_nodes = 0 }, gone = { .n_nodes = 0 };
	auto_access struct access bare = { .n_nodes = 0 };
	struct err e = { 0 };
	size_t order[] = { 1, 0 };

	offered_open("igb", NULL, ONE("'additionalInfo': {'*': {'a': '1', 'b': '1'}, "
				      "'0000:01:10.2': {'b': '2'}}, "
				      "'selectors': {'pfNames': ['eth0']}"), &n);
	w = offered_world(&n, 0);
	if (!ok(n.offer[0].n == 2))
		return;
	test("VFIO's device has the node of its group and the common one");
	ok(access_make(&w, (size_t[]){ 1 }, 1, &a, &e) == 0);
	eq(nodes_of(&a), "/dev/vfio/vfio:rw /dev/vfio/14:rw");
	eq(said(&a), "{'0000:01:10.2':{'extra':{'a':'1','b':'2'},'generic':{'deviceID':"
		     "'0000:01:10.2'},'vfio':{'dev-mount':'/dev/vfio/14','mount':"
		     "'/dev/vfio/vfio'}}}");

	test("devices of a container are named in the order of the request");
	ok(access_make(&w, order, 2, &both, &e) == 0);
	eq(both.env[0].value, "0000:01:10.2,0000:01:10.0");
	eqi(both.n_nodes, 2);

	test("without an IOMMU the node has another name on the host");
	node_sh(&n.node, "mkdir -p sys/kernel/iommu_groups/14 && echo vfio-noiommu "
			 ">sys/kernel/iommu_groups/14/name");
	ok(access_make(&w, (size_t[]){ 1 }, 1, &bare, &e) == 0);
	eq(nodes_of(&bare), "/dev/vfio/vfio:rw /dev/vfio/noiommu-14>/dev/vfio/14:rw");
	contains(bare.env[1].value, "\"dev-mount\":\"/dev/vfio/14\"");
	w.use_cdi = true;
	ok(make_all(&w, &c, &e) == 0);
	test("with CDI a device that has nodes has a name, and no nodes");
	eq(nodes_of(&c), "|intel.com/net-sriov_net-1=0000:01:10.2");
	eq(c.env[0].value, "0000:01:10.0,0000:01:10.2");
	test("and what its container sees is told likewise");
	contains(c.env[1].value, "\"dev-mount\":\"/dev/vfio/14\"");

	test("a device that has vanished since is an error with its name");
	node_sh(&n.node, "rm sys/bus/pci/devices/0000:01:10.2");
	ok(make_all(&w, &gone, &e) < 0);
	eq(e.msg, "device 0000:01:10.2 is gone");
	eqi(e.code, ERR_DEVICE);
	offered_close(&n);
}

static void test_bound_since(void)
{
	struct offered_node n;
	struct access_world w;
	auto_access struct access a = { .n_nodes = 0 }, b = { .n_nodes = 0 };
	auto_access struct access bad = { .n_nodes = 0 }, two = { .n_nodes = 0 };
	struct err e = { 0 };

	offered_open("igb", NULL, ONE("'selectors': {'pfNames': ['eth0#0']}"), &n);
	w = offered_world(&n, 0);
	test("the driver is the one of now");
	node_sh(&n.node, "cd sys/bus/pci/devices/0000:01:10.0 && ln -sfn "
			 "../../../../bus/pci/drivers/mlx5_vfio_pci driver");
	ok(make_all(&w, &a, &e) == 0);
	eq(nodes_of(&a), "/dev/vfio/vfio:rw /dev/vfio/13:rw");
	test("what two devices share is there once");
	offered_read(&n, ONE("'selectors': {'pfNames': ['eth0']}"));
	ok(make_all(&w, &two, &e) == 0);
	eq(nodes_of(&two), "/dev/vfio/vfio:rw /dev/vfio/13:rw /dev/vfio/14:rw");
	offered_read(&n, ONE("'selectors': {'pfNames': ['eth0#0']}"));
	test("another one than VFIO's has no such node");
	node_sh(&n.node, "cd sys/bus/pci/devices/0000:01:10.0 && ln -sfn ../../x/uio_pci_generic "
			 "driver && mkdir -p uio/uio3");
	ok(make_all(&w, &b, &e) == 0);
	eq(nodes_of(&b), "/dev/uio3:rw");
	eq(said(&b), "{'0000:01:10.0':{'generic':{'deviceID':'0000:01:10.0'},'uio':{'mount':"
		     "'/dev/uio3'}}}");
	test("VFIO without a group is an error");
	node_sh(&n.node, "cd sys/bus/pci/devices/0000:01:10.0 && ln -sfn ../../x/vfio-pci driver "
			 "&& rm iommu_group");
	ok(make_all(&w, &bad, &e) < 0);
	eq(e.msg, "device 0000:01:10.0: it has no IOMMU group");
	offered_close(&n);
}

static void test_vdpa(void)
{
	struct offered_node n;
	struct access_world w;
	auto_access struct access a = { .n_nodes = 0 }, v = { .n_nodes = 0 };
	struct err e = { 0 };

	offered_open("vdpa-mlx5", NULL,
		     "{'resourceList': [{'resourceName': 'vhost', 'selectors': {'vdpaType': "
		     "'vhost'}}, {'resourceName': 'virtio', 'selectors': {'vdpaType': 'virtio'}}]}",
		     &n);
	w = offered_world(&n, 0);
	test("a vDPA device with vhost has its node");
	ok(make_all(&w, &a, &e) == 0);
	eq(nodes_of(&a), "/dev/vhost-vdpa-0:rw");
	eq(said(&a), "{'0000:65:00.3':{'generic':{'deviceID':'0000:65:00.3'},'vdpa':{'mount':"
		     "'/dev/vhost-vdpa-0'}}}");
	w = offered_world(&n, 1);
	test("with virtio it has none");
	ok(make_all(&w, &v, &e) == 0);
	eq(nodes_of(&v), "");
	eq(said(&v), "{'0000:65:00.2':{'generic':{'deviceID':'0000:65:00.2'},'vdpa':{}}}");
	offered_close(&n);
}

/*
 * The names are those of sriov-network-device-plugin: what GetName() and GetEnvVal() of its
 * pkg/infoprovider/ return, in the file of each row.
 */
static const struct names {
	const char *file, *node, *change, *selectors, *source, *members;
} names[] = {
	{ "genericInfoProvider.go", "igb", NULL, "'pfNames': ['eth0#0']", "generic", "deviceID" },
	{ "vfioInfoProvider.go", "igb", NULL, "'pfNames': ['eth0'], 'drivers': ['vfio-pci']",
	  "vfio", "dev-mount mount" },
	{ "uioInfoProvider.go", "igb",
	  "cd sys/bus/pci/devices/0000:01:10.0 && ln -sfn ../../x/igb_uio driver && mkdir -p "
	  "uio/uio3", "'pfNames': ['eth0#0']", "uio", "mount" },
	{ "vdpaInfoProvider.go", "vdpa-mlx5", NULL, "'vdpaType': 'vhost'", "vdpa", "mount" },
	{ "vdpaInfoProvider.go", "vdpa-mlx5", NULL, "'vdpaType': 'virtio'", "vdpa", "" },
	{ "rdmaInfoProvider.go", "mlx5",
	  "mkdir -p sys/class/misc/rdma_cm && cd sys/bus/pci/devices/0000:03:00.2 && mkdir -p "
	  "infiniband_mad/umad2 infiniband_mad/issm2 infiniband_verbs/uverbs2",
	  "'isRdma': true, 'rootDevices': ['0000:03:00.0#0']", "rdma",
	  "issm rdma_cm rdma_dev umad uverbs" },
	{ "vhostNetInfoProvider.go", "igb",
	  "mkdir -p dev/net && touch dev/vhost-net dev/net/tun",
	  "'pfNames': ['eth0#0'], 'needVhostNet': true", "vhost", "net-mount tun-mount" },
	{ "extraInfoProvider.go", "igb", NULL,
	  "'pfNames': ['eth0#0']}, 'additionalInfo': {'*': {'a': '1'}", "extra", "a" },
};

/* "a b": the members of a source, as the environment has them. */
static const char *members_of(const char *info, const char *source)
{
	json_auto_t *doc = json_loads(info ? info : "", 0, NULL);
	const char *key;
	json_t *device, *v;
	static char text[256];
	size_t n = 0;

	*text = '\0';
	json_object_foreach(doc, key, device) {
		json_t *said = json_object_get(device, source);
		const char *name;

		if (!said)
			return NULL;
		n = 0;
		json_object_foreach(said, name, v)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
					      name);
	}
	return text;
}

static void test_names(void)
{
	for (const struct names *row = names; row < names + ARRAY_SIZE(names); row++) {
		auto_access struct access a = { .n_nodes = 0 };
		struct offered_node n;
		struct access_world w;
		struct err e = { 0 };
		char config[256], what[96];

		(void)snprintf(what, sizeof(what), "%s: its name and those of its members (%s)",
			       row->source, row->file);
		test(what);
		(void)snprintf(config, sizeof(config), ONE("'selectors': {%s}"), row->selectors);
		offered_open(row->node, row->change, config, &n);
		w = offered_world(&n, 0);
		if (ok(make_all(&w, &a, &e) == 0))
			eq(members_of(a.env[1].value, row->source), row->members);
		offered_close(&n);
	}
}

static void test_first_rdma(void)
{
	struct offered_node n;
	struct access_world w;
	auto_access struct access a = { .n_nodes = 0 };
	struct err e = { 0 };

	offered_open("mlx5", "mkdir sys/bus/pci/devices/0000:03:00.2/infiniband/mlx5_21",
		     ONE("'selectors': {'isRdma': true, 'rootDevices': ['0000:03:00.0#0']}"), &n);
	w = offered_world(&n, 0);
	test("of several RDMA devices the first is named (rdma.go, GetRdmaDeviceName)");
	ok(make_all(&w, &a, &e) == 0);
	contains(a.env[1].value, "\"rdma_dev\":\"mlx5_2\"");
	offered_close(&n);
}

static void test_rdma(void)
{
	struct offered_node n;
	struct access_world w;
	auto_access struct access a = { .n_nodes = 0 }, sf = { .n_nodes = 0 };
	struct err e = { 0 };

	offered_open("mlx5",
		     "mkdir -p sys/class/misc/rdma_cm && (cd sys/bus/pci/devices/0000:03:00.2 && "
		     "mkdir -p infiniband_mad/umad2 infiniband_mad/issm2 infiniband_verbs/uverbs2) "
		     "&& (cd sys/bus/auxiliary/devices/mlx5_core.sf.4 && mkdir -p "
		     "infiniband_verbs/uverbs9 infiniband/mlx5_9) && ln -s ../../devices/"
		     "pci0000:00/0000:00:02.0/0000:03:00.0/mlx5_core.sf.4/infiniband/mlx5_9 "
		     "sys/class/infiniband/mlx5_9",
		     "{'resourceList': [{'resourceName': 'rdma', 'selectors': {'isRdma': true, "
		     "'rootDevices': ['0000:03:00.0#0']}}, {'resourceName': 'sf', 'deviceType': "
		     "'auxNetDevice', 'selectors': {'auxTypes': ['sf'], 'isRdma': true}}]}", &n);
	w = offered_world(&n, 0);
	test("an RDMA device has its nodes and the common one");
	ok(make_all(&w, &a, &e) == 0);
	eq(nodes_of(&a), "/dev/infiniband/issm2:rw /dev/infiniband/umad2:rw "
			 "/dev/infiniband/uverbs2:rw /dev/infiniband/rdma_cm:rw");
	eq(said(&a), "{'0000:03:00.2':{'generic':{'deviceID':'0000:03:00.2'},'rdma':{'issm':"
		     "'/dev/infiniband/issm2','rdma_cm':'/dev/infiniband/rdma_cm','rdma_dev':"
		     "'mlx5_2','umad':'/dev/infiniband/umad2','uverbs':"
		     "'/dev/infiniband/uverbs2'}}}");
	w = offered_world(&n, 1);
	test("so has a sub-function's");
	node_sh(&n.node, "rmdir sys/class/misc/rdma_cm");
	ok(make_all(&w, &sf, &e) == 0);
	eq(nodes_of(&sf), "/dev/infiniband/uverbs9:rw");
	offered_close(&n);
}

static void test_vhost(void)
{
	struct offered_node n;
	struct access_world w;
	auto_access struct access a = { .n_nodes = 0 }, b = { .n_nodes = 0 };
	struct err e = { 0 };

	offered_open("igb", "mkdir -p dev/net && touch dev/vhost-net dev/net/tun",
		     ONE("'selectors': {'pfNames': ['eth0#0'], 'needVhostNet': true}"), &n);
	w = offered_world(&n, 0);
	test("needVhostNet gets the nodes for that");
	ok(make_all(&w, &a, &e) == 0);
	eq(nodes_of(&a), "/dev/vhost-net:rw /dev/net/tun:rw");
	eq(said(&a), "{'0000:01:10.0':{'generic':{'deviceID':'0000:01:10.0'},'vhost':{'net-mount':"
		     "'/dev/vhost-net','tun-mount':'/dev/net/tun'}}}");
	test("without vhost-net it gets none");
	n.inv.node.vhost_net = false;
	ok(make_all(&w, &b, &e) == 0);
	eq(nodes_of(&b), "");
	offered_close(&n);
}

int main(void)
{
	test_netdev();
	test_vfio();
	test_bound_since();
	test_vdpa();
	test_rdma();
	test_first_rdma();
	test_names();
	test_vhost();
	return tap_end();
}
