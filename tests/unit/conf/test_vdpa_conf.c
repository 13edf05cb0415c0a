/* SPDX-License-Identifier: Apache-2.0 */
/* test_vdpa_conf.c - the key vdpa: what it means, and what is refused */
#include "conf/netconf.h"
#include "tests/unit/tap.h"

/* What a device that is made needs to be told, and the beginning of whereon. */
#define MADE "\"vdpa\":{\"driver\":\"virtio\",\"create\":true"
#define ON "\"vdpa\":{\"driver\":\"virtio\",\"mgmtdev\":"

static int parse(const char *members, struct netconf *ret, struct err *e)
{
	char text[2048];

	(void)snprintf(text, sizeof(text), "{\"cniVersion\":\"1.0.0\",\"name\":\"n\"%s%s}",
		       *members ? "," : "", members);
	if (netconf_parse(text, strlen(text), ret, e) < 0)
		return -1;
	if (netconf_attachment(ret, e) == 0)
		return 0;
	netconf_done(ret);
	return -1;
}

/* What is said in the vdpa of a configuration that is fine. */
static struct vdpa_conf conf(const char *members)
{
	struct netconf nc = { 0 };
	struct err e = { 0 };
	struct vdpa_conf c;

	ok(parse(members, &nc, &e) == 0);
	if (*e.msg)
		(void)printf("# %s\n", e.msg);
	c = nc.vdpa;
	netconf_done(&nc);
	return c;
}

static void defaults(void)
{
	static const struct vdpa_conf none;
	struct vdpa_conf c;

	test("without the key, or with null, nothing is said of vDPA");
	c = conf("\"deviceID\":\"vdpa0\"");
	ok(memcmp(&c, &none, sizeof(c)) == 0);
	c = conf("\"deviceID\":\"vdpa0\",\"vdpa\":null");
	ok(memcmp(&c, &none, sizeof(c)) == 0);

	test("an empty one says that the device is a vDPA device, and no more");
	c = conf("\"deviceID\":\"vdpa0\",\"vdpa\":{}");
	ok(c.present && !c.driver && !c.switch_driver && !c.create && !*c.mgmt_dev);
	ok(!c.has_mac && !c.mtu && !c.max_vqp && !c.has_features && !c.has_owner && !c.has_mode);
	c = conf("\"vdpa\":{\"driver\":\"\",\"mgmtdev\":\"\",\"mac\":\"\",\"features\":\"\","
		 "\"nodeOwner\":\"\",\"nodeMode\":\"\",\"mtu\":null}");
	ok(c.present && !c.driver && !c.create && !c.has_mac && !c.has_features && !c.has_owner);
}

static void given(void)
{
	struct vdpa_conf c;

	test("a given device: driver, whether it may be switched, queues, and its node's owner");
	c = conf("\"deviceID\":\"vdpa0\",\"vdpa\":{\"driver\":\"vhost\",\"switchDriver\":true,"
		 "\"maxVqp\":65535,\"nodeOwner\":\"107:4294967294\",\"nodeMode\":\"0660\"}");
	ok(c.driver == VDPA_DRIVER_VHOST && c.switch_driver && !c.create);
	ok(c.max_vqp == 65535);
	ok(c.has_owner && c.uid == 107 && c.gid == UINT32_MAX - 1);
	ok(c.has_mode && c.mode == 0660);
	c = conf("\"vdpa\":{\"driver\":\"virtio\"},\"mtu\":1400");
	ok(c.driver == VDPA_DRIVER_VIRTIO && !c.switch_driver);
	c = conf("\"vdpa\":{\"nodeMode\":\"600\"}");
	ok(c.has_mode && c.mode == 0600);
	c = conf("\"vdpa\":{\"nodeMode\":\"00777\"}");
	ok(c.has_mode && c.mode == 0777);

	test("keys are taken whatever their case");
	c = conf("\"VDPA\":{\"Driver\":\"vhost\",\"SWITCHDRIVER\":true,\"maxvqp\":2}");
	ok(c.driver == VDPA_DRIVER_VHOST && c.switch_driver && c.max_vqp == 2);
}

static void created(void)
{
	static const uint8_t mac[] = { 2, 0, 0, 0, 0, 0xa };
	struct vdpa_conf c;

	test("a device that is made: on a management device, or on the one that deviceID names");
	c = conf("\"vdpa\":{\"driver\":\"virtio\",\"mgmtdev\":\"pci/0000:65:00.3\","
		 "\"mac\":\"02:00:00:00:00:0A\",\"mtu\":1450,\"maxVqp\":4,"
		 "\"features\":\"0x300020020\"},\"mtu\":1450");
	ok(c.create && c.driver == VDPA_DRIVER_VIRTIO);
	eq(c.mgmt_bus, "pci");
	eq(c.mgmt_dev, "0000:65:00.3");
	ok(c.has_mac && memcmp(c.mac, mac, sizeof(mac)) == 0);
	ok(c.mtu == 1450 && c.max_vqp == 4);
	ok(c.has_features && c.features == UINT64_C(0x300020020));
	c = conf("\"deviceID\":\"0000:65:00.3\"," MADE ",\"mtu\":68}");
	ok(c.create && !*c.mgmt_dev && c.mtu == 68);
	c = conf(MADE ",\"mtu\":65535},\"mtu\":1400");
	ok(c.mtu == 65535);

	test("with vhost the attachment's mtu is the one that a device is made with");
	c = conf("\"vdpa\":{\"driver\":\"vhost\",\"create\":true},\"mtu\":1400");
	ok(c.mtu == 1400);
	c = conf("\"vdpa\":{\"driver\":\"vhost\",\"create\":true},\"args\":{"
		 "\"cni\":{\"mtu\":1300}}");
	ok(c.mtu == 1300);
	c = conf(MADE "},\"mtu\":1400");
	ok(c.mtu == 0);

	test("a management device has a bus or none, and an address is on the PCI bus");
	c = conf(ON "\"vdpasim_net\"}");
	eq(c.mgmt_bus, "");
	eq(c.mgmt_dev, "vdpasim_net");
	c = conf(ON "\"auxiliary/mlx5_core.sf.4\"}");
	eq(c.mgmt_bus, "auxiliary");
	eq(c.mgmt_dev, "mlx5_core.sf.4");
	c = conf(ON "\"0000:0A:00.3\"}");
	eq(c.mgmt_bus, "pci");
	eq(c.mgmt_dev, "0000:0a:00.3");

	test("a deviceID beside it names the same");
	ok(conf("\"deviceID\":\"0000:0a:00.3\"," ON "\"pci/0000:0A:00.3\"}")
		   .create);
	ok(conf("\"deviceID\":\"pci/0000:0A:00.3\"," ON "\"0000:0a:00.3\"}")
		   .create);
	ok(conf("\"deviceID\":\"mlx5_core.sf.4\"," ON
		"\"auxiliary/mlx5_core.sf.4\"}").create);
	ok(conf("\"deviceID\":\"vduse\"," ON "\"vduse\"}").create);

	test("features are an integer, or all 64 bits as a string");
	ok(conf(MADE ",\"features\":0}").has_features);
	ok(conf(MADE ",\"features\":9223372036854775807}").features ==
	   INT64_MAX);
	ok(conf(MADE ",\"features\":4294967296.0}").features ==
	   UINT64_C(1) << 32);
	ok(conf(MADE ",\"features\":\"0XFFFFffffFFFFffff\"}").features ==
	   UINT64_MAX);
}

static void bad(void)
{
	static const struct {
		const char *members, *msg;
	} cases[] = {
		{ "\"vdpa\":\"vhost\"", "vdpa: expected an object, got a string" },
		{ "\"vdpa\":{\"driver\":\"vhost_vdpa\"}",
		  "invalid vdpa.driver 'vhost_vdpa': must be vhost or virtio" },
		{ "\"vdpa\":{\"driver\":true}", "vdpa.driver: expected a string, got a boolean" },
		{ "\"vdpa\":{\"switchDriver\":\"yes\"}",
		  "vdpa.switchDriver: expected a boolean, got a string" },
		{ "\"vdpa\":{\"switchDriver\":true}",
		  "vdpa.switchDriver: true needs a vdpa.driver to switch to" },
		{ "\"vdpa\":{\"create\":{\"mgmtdev\":\"vduse\"}}",
		  "vdpa.create: expected a boolean, got an object" },
		{ "\"vdpa\":{\"create\":true,\"mtu\":1400}",
		  "vdpa.driver: a device that is made needs one, vhost or virtio" },
		{ "\"vdpa\":{\"mgmtdev\":\"vduse\"}",
		  "vdpa.driver: a device that is made needs one, vhost or virtio" },
		{ MADE ",\"mgmtdev\":\"vduse\"}",
		  "vdpa.create: true contradicts vdpa.mgmtdev 'vduse': one of both" },
		{ ON "\"a/b/c\"}",
		  "invalid vdpa.mgmtdev 'a/b/c': must be a management device, BUS/DEVICE or "
		  "DEVICE" },
		{ ON "\"pci/0000:65:00\"}", NULL },
		{ ON "\"pci/../x\"}", NULL },
		{ ON "\"pci/\"}", NULL },
		{ ON "\"/vduse\"}", NULL },
		{ ON "\"a b\"}", NULL },
		{ ON "\"1234567890123456/x\"}", NULL },
		{ ON "\"x/"
		  "1234567890123456789012345678901234567890123456789012345"
		  "678901234\"}",
		  NULL },
		{ MADE ",\"mac\":\"01:00:00:00:00:10\"}",
		  "invalid vdpa.mac '01:00:00:00:00:10': must be a unicast Ethernet address" },
		{ MADE ",\"mac\":\"00:00:00:00:00:00\"}",
		  "invalid vdpa.mac '00:00:00:00:00:00': must be a unicast Ethernet address" },
		{ MADE ",\"mac\":\"02-00-00-00-00-01\"}",
		  "invalid vdpa.mac '02-00-00-00-00-01': must be a unicast Ethernet address" },
		{ MADE ",\"mtu\":67}", "vdpa.mtu: expected an integer of 68 to 65535, got 67" },
		{ MADE ",\"mtu\":65536}",
		  "vdpa.mtu: expected an integer of 68 to 65535, got 65536" },
		{ MADE ",\"mtu\":0}", "vdpa.mtu: expected an integer of 68 to 65535, got 0" },
		{ MADE ",\"mtu\":\"1450\"}",
		  "vdpa.mtu: expected an integer, got a string" },
		{ "\"vdpa\":{\"maxVqp\":0}",
		  "vdpa.maxVqp: expected an integer of 1 to 65535, got 0" },
		{ "\"vdpa\":{\"maxVqp\":65536}",
		  "vdpa.maxVqp: expected an integer of 1 to 65535, got 65536" },
		{ MADE ",\"features\":-1}",
		  "vdpa.features: expected an integer of 0 to 9223372036854775807, got -1" },
		{ MADE ",\"features\":18446744073709551615}",
		  "vdpa.features: expected an exact integer or a string \"0x...\", got "
		  "1.8446744073709552e+19" },
		{ MADE ",\"features\":9007199254740994.0}", NULL },
		{ MADE ",\"features\":\"0x10000000000000000\"}",
		  "invalid vdpa.features '0x10000000000000000': must be 0x and 1 to 16 hexadecimal "
		  "digits" },
		{ MADE ",\"features\":\"0x\"}", NULL },
		{ MADE ",\"features\":\"32\"}", NULL },
		{ MADE ",\"features\":\"0x1 \"}", NULL },
		{ MADE ",\"features\":[5]}",
		  "vdpa.features: expected an integer, got a list" },
		{ "\"vdpa\":{\"driver\":\"vhost\",\"mtu\":1450}",
		  "vdpa.mtu: only of a device that is made: neither vdpa.mgmtdev nor vdpa.create "
		  "is said" },
		{ "\"vdpa\":{\"driver\":\"virtio\",\"create\":false,\"mtu\":1450}", NULL },
		{ "\"vdpa\":{\"mac\":\"02:00:00:00:00:01\"}",
		  "vdpa.mac: only of a device that is made: neither vdpa.mgmtdev nor vdpa.create "
		  "is said" },
		{ "\"vdpa\":{\"features\":1}",
		  "vdpa.features: only of a device that is made: neither vdpa.mgmtdev nor "
		  "vdpa.create is said" },
		{ "\"vdpa\":{\"nodeOwner\":\"qemu:kvm\"}",
		  "invalid vdpa.nodeOwner 'qemu:kvm': must be two numbers, uid:gid" },
		{ "\"vdpa\":{\"nodeOwner\":\"107\"}", NULL },
		{ "\"vdpa\":{\"nodeOwner\":\"107:\"}", NULL },
		{ "\"vdpa\":{\"nodeOwner\":\"107:107:1\"}", NULL },
		{ "\"vdpa\":{\"nodeOwner\":\"4294967295:0\"}", NULL },
		{ "\"vdpa\":{\"nodeOwner\":\"0:-1\"}", NULL },
		{ "\"vdpa\":{\"nodeOwner\":\"0:99999999999\"}", NULL },
		{ "\"vdpa\":{\"nodeOwner\":107}",
		  "vdpa.nodeOwner: expected a string, got an integer" },
		{ "\"vdpa\":{\"nodeMode\":\"0888\"}",
		  "invalid vdpa.nodeMode '0888': must be permissions in octal, 000 to 0777" },
		{ "\"vdpa\":{\"nodeMode\":\"4755\"}", NULL },
		{ "\"vdpa\":{\"nodeMode\":\"000660\"}", NULL },
		{ "\"vdpa\":{\"nodeMode\":\"60\"}", NULL },
		{ "\"vdpa\":{\"nodeMode\":660}",
		  "vdpa.nodeMode: expected a string, got an integer" },
		{ "\"vdpa\":{\"driver\":\"virtio\",\"nodeMode\":\"0660\"}",
		  "vdpa.nodeMode: with driver virtio there is no node" },
		{ "\"vdpa\":{\"driver\":\"virtio\",\"nodeOwner\":\"1:1\"}",
		  "vdpa.nodeOwner: with driver virtio there is no node" },
		{ "\"vdpa\":{},\"driver\":\"vfio-pci\"",
		  "driver: vfio-pci: not together with vdpa" },
		{ "\"vdpa\":{},\"device\":\"eth7\"", "device: eth7: not together with vdpa" },
		{ ON "\"pci/0000:65:00.3\"},\"deviceID\":\"0000:65:00.4\"",
		  "deviceID '0000:65:00.4' and vdpa.mgmtdev 'pci/0000:65:00.3' contradict each "
		  "other" },
		{ ON "\"vduse\"},\"deviceID\":\"pci/vduse\"", NULL },
		{ "\"vdpa\":{\"driver\":\"vhost\"},\"mtu\":1400",
		  "mtu: 1400: with vdpa.driver vhost there is no network device, and the device "
		  "is there already" },
		{ "\"vdpa\":{\"driver\":\"vhost\"},\"txQueueLen\":7",
		  "txQueueLen: with vdpa.driver vhost there is no network device" },
		{ "\"vdpa\":{\"driver\":\"vhost\",\"create\":true},\"mtu\":67",
		  "mtu: expected an integer of 68 to 65535, got 67" },
		{ MADE "},\"mtu\":67", "mtu: expected an integer of 68 to 65535, got 67" },
		{ MADE ",\"mtu\":1400},\"mtu\":1401",
		  "mtu: 1401 contradicts vdpa.mtu 1400" },
		{ "\"vdpa\":{\"driver\":\"vhost\",\"create\":true,\"mtu\":1400},\"mtu\":1300",
		  "mtu: 1300 contradicts vdpa.mtu 1400" },
		{ MADE ",\"mtu\":1400},\"args\":{\"cni\":{\"mtu\":9000}}",
		  "mtu: 9000 contradicts vdpa.mtu 1400" },
		{ "\"vdpa\":{},\"prevResult\":{}", "vdpa: the interface is another plugin's here" },
		{ "\"vdpa\":{},\"delegate\":{\"type\":\"bridge\"}",
		  "vdpa: the interface is another plugin's here" },
	};
	struct netconf nc = { 0 };
	struct err e;

	test("what is no vDPA device, and what contradicts itself, is refused with key and value");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		e = (struct err){ 0 };
		ok(parse(cases[i].members, &nc, &e) == -1 && e.code == ERR_NETCONF);
		if (cases[i].msg)
			eq(e.msg, cases[i].msg);
		else
			contains(e.msg, "vdpa.");
	}
}

int main(void)
{
	defaults();
	given();
	created();
	bad();
	return tap_end();
}
