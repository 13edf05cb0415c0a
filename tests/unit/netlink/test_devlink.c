/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_devlink.c - devlink's messages, and which port is a function's; no kernel and no root
 *
 * What we compose is compared with what iproute2's devlink sent, what we parse is what a kernel
 * 6.12 answered it: netdevsim with one physical port, two VFs, in both modes.
 */
#include "devinfo/node/discover.h"
#include "devinfo/node/eswitch.h"
#include "netlink/devlink.h"
#include "tests/unit/hex.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <linux/devlink.h>
#include <linux/genetlink.h>

enum { FAMILY = 0x17 };		/* on the recorded machine */

static const char family_request[] =
	"200000001000050076ed016b00000000030100000c0002006465766c696e6b00";
/* the first of its attributes, and a nested one */
static const char family_answer[] =
	"480000001000000075ed016b89000000010200000c0002006465766c696e6b000600010017000000"
	"080003000100000018000600140001000800010001000000080002000e000000";
static const char mode_request[] =
	"340000001700050075ed016b000000001d0000000e0001006e657464657673696d0000000f0002006e657464"
	"657673696d310000";
static const char mode_switchdev[] =
	"3c0000001700000075ed016b890000001d0100000e0001006e657464657673696d0000000f0002006e657464"
	"657673696d3100000600190001000000";
static const char mode_legacy[] =
	"3c0000001700000075ed016b7e0000001d0100000e0001006e657464657673696d0000000f0002006e657464"
	"657673696d3100000600190000000000";
static const char ports_request[] = "140000001700050376ed016b0000000005000000";
static const char *const ports[] = {
	"700000001700020076ed016b93000000070100000e0001006e657464657673696d0000000f0002006e657464"
	"657673696d310000080003000000000006000400020000000800060004000000090007006574683200000000"
	"050094000000000006004d000000000008004e0001000000",
	"880000001700020076ed016b93000000070100000e0001006e657464657673696d0000000f0002006e657464"
	"657673696d310000080003008000000006000400020000000800060005000000090007006574683300000000"
	"050094000000000006004d0004000000080096000000000006007f0000000000060080000000000005009500"
	"00000000",
	"880000001700020076ed016b93000000070100000e0001006e657464657673696d0000000f0002006e657464"
	"657673696d310000080003008100000006000400020000000800060006000000090007006574683400000000"
	"050094000000000006004d0004000000080096000000000006007f0000000000060080000100000005009500"
	"00000000",
};

static void composing(void)
{
	struct nl_req r;

	test("the family is asked for as iproute2 does");
	genl_compose_family(&r, DEVLINK_GENL_NAME);
	ok(same_request(&r, family_request));
	test("the mode of a switch is asked for as iproute2 does, but for the version");
	devlink_compose_eswitch(&r, FAMILY, "netdevsim", "netdevsim1");
	ok(r.buf[sizeof(struct nlmsghdr) + 1] == DEVLINK_GENL_VERSION);
	r.buf[sizeof(struct nlmsghdr) + 1] = 0;
	ok(same_request(&r, mode_request));
	test("so are versions, by another command");
	devlink_compose_info(&r, FAMILY, "netdevsim", "netdevsim1");
	ok(r.buf[sizeof(struct nlmsghdr)] == DEVLINK_CMD_INFO_GET);
	r.buf[sizeof(struct nlmsghdr)] = DEVLINK_CMD_ESWITCH_GET;
	r.buf[sizeof(struct nlmsghdr) + 1] = 0;
	ok(same_request(&r, mode_request));
	test("the ports are asked for as iproute2 does, but for the version");
	devlink_compose_ports(&r, FAMILY);
	r.buf[sizeof(struct nlmsghdr) + 1] = 0;
	ok(same_request(&r, ports_request));
}

static void families(void)
{
	struct message m = message_of(family_answer);
	uint16_t family = 0;

	test("the family's number is read, other attributes are skipped");
	ok(genl_parse_family(&m.h, &family) && family == FAMILY);
	test("an answer without it is none");
	family = 7;
	m.h.nlmsg_len = 16 + 4 + 12;
	ok(!genl_parse_family(&m.h, &family) && family == 7);
	m.h.nlmsg_len = 16 + 3;
	ok(!genl_parse_family(&m.h, &family));
}

static void modes(void)
{
	struct message m = message_of(mode_switchdev);
	enum eswitch_mode mode = ESWITCH_OTHER;

	test("the mode of a switch is read");
	ok(devlink_parse_eswitch(&m.h, &mode) && mode == ESWITCH_SWITCHDEV);
	m = message_of(mode_legacy);
	ok(devlink_parse_eswitch(&m.h, &mode) && mode == ESWITCH_LEGACY);
	test("a mode of the future is neither");
	m.buf[m.h.nlmsg_len - 4] = 9;
	ok(devlink_parse_eswitch(&m.h, &mode) && mode == ESWITCH_OTHER);
	eq(eswitch_mode_name(mode), "unknown");
	test("an answer cut at any byte before the mode has none");
	for (uint32_t len = 16; len < 58; len++) {
		m.h.nlmsg_len = len;
		ok(!devlink_parse_eswitch(&m.h, &mode));
	}
}

static void put_version(struct nl_req *r, uint16_t type, const char *name, const char *value)
{
	struct nlattr *nest = nl_nest(r, type);

	nl_put(r, DEVLINK_ATTR_INFO_VERSION_NAME, name, strlen(name) + 1);
	nl_put(r, DEVLINK_ATTR_INFO_VERSION_VALUE, value, strlen(value) + 1);
	nl_nest_end(r, nest);
}

/* In the order in which the kernel documents those of ice. */
static void versions(void)
{
	char value[64] = "x";
	struct nl_req r;
	uint32_t whole;

	genl_req_init(&r, FAMILY, DEVLINK_CMD_INFO_GET);
	nl_put(&r, DEVLINK_ATTR_BUS_NAME, "pci", 4);
	nl_put(&r, DEVLINK_ATTR_INFO_DRIVER_NAME, "ice", 4);
	put_version(&r, DEVLINK_ATTR_INFO_VERSION_FIXED, "board.id", "K65390-000");
	put_version(&r, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.mgmt", "2.1.7");
	put_version(&r, DEVLINK_ATTR_INFO_VERSION_STORED, "fw.app.name", "stored");
	put_version(&r, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.app.name", "ICE COMMS Package");
	put_version(&r, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.app", "1.3.1.0");
	whole = r.h.nlmsg_len;
	test("a version that runs is found by its name");
	ok(devlink_parse_version(&r.h, "fw.app.name", value, sizeof(value)));
	eq(value, "ICE COMMS Package");
	ok(devlink_parse_version(&r.h, "fw.app", value, sizeof(value)));
	eq(value, "1.3.1.0");
	test("one that does not run, or does not fit, is not");
	ok(!devlink_parse_version(&r.h, "board.id", value, sizeof(value)));
	ok(!devlink_parse_version(&r.h, "fw", value, sizeof(value)));
	ok(!devlink_parse_version(&r.h, "fw.app", value, 7));
	eq(value, "1.3.1.0");
	test("an answer cut at any byte before its end does not have the last one");
	for (r.h.nlmsg_len = 16; r.h.nlmsg_len < whole; r.h.nlmsg_len++)
		ok(!devlink_parse_version(&r.h, "fw.app", value, sizeof(value)));
}

static struct devlink_port parsed(const char *hex)
{
	struct message m = message_of(hex);
	struct devlink_port p = { 0 };

	ok(devlink_parse_port(&m.h, &p));
	eq(p.bus, "netdevsim");
	eq(p.dev, "netdevsim1");
	return p;
}

static void reading_ports(void)
{
	struct devlink_port p = parsed(ports[0]);
	struct message m;

	test("a physical port is read");
	ok(p.flavour == DEVLINK_PHYSICAL && p.index == 0 && p.ifindex == 4 && !p.external);
	eq(p.netdev, "eth2");
	test("a VF's port is read");
	p = parsed(ports[1]);
	ok(p.flavour == DEVLINK_VF && p.index == 128 && p.ifindex == 5);
	ok(p.controller == 0 && !p.external && p.pf == 0 && p.number == 0);
	eq(p.netdev, "eth3");
	p = parsed(ports[2]);
	ok(p.flavour == DEVLINK_VF && p.number == 1 && p.ifindex == 6);
	eq(p.netdev, "eth4");

	test("a port cut at any byte is read as far as it goes, or refused");
	m = message_of(ports[1]);
	for (uint32_t len = 16; len <= 136; len++) {
		struct devlink_port cut = { .flavour = DEVLINK_SF };

		m.h.nlmsg_len = len;
		if (devlink_parse_port(&m.h, &cut))
			ok(len >= 60 && (cut.flavour == DEVLINK_OTHER || len >= 126));
		else
			ok(len < 60 && cut.flavour == DEVLINK_SF);
	}
}

/* A message as a driver with sub-functions, or of a DPU, would give it. */
static struct devlink_port composed(uint16_t flavour, uint16_t type, uint32_t number, size_t len,
				    uint8_t external)
{
	struct devlink_port p = { 0 };
	struct genlmsghdr *g;
	struct nl_req r;

	g = nl_req_init(&r, FAMILY, 0, sizeof(*g));
	g->cmd = DEVLINK_CMD_PORT_NEW;
	nl_put(&r, DEVLINK_ATTR_BUS_NAME, "pci", 4);
	nl_put(&r, DEVLINK_ATTR_DEV_NAME, "0000:03:00.1", 13);
	nl_put_u32(&r, DEVLINK_ATTR_PORT_INDEX, 98304);
	nl_put(&r, DEVLINK_ATTR_PORT_FLAVOUR, &flavour, sizeof(flavour));
	nl_put_u32(&r, DEVLINK_ATTR_PORT_CONTROLLER_NUMBER, 1);
	nl_put(&r, DEVLINK_ATTR_PORT_PCI_PF_NUMBER, &(uint16_t){ 1 }, 2);
	nl_put(&r, DEVLINK_ATTR_PORT_EXTERNAL, &external, 1);
	if (type)
		nl_put(&r, type, &number, len);
	ok(devlink_parse_port(&r.h, &p));
	return p;
}

static void other_flavours(void)
{
	struct devlink_port p = composed(DEVLINK_PORT_FLAVOUR_PCI_SF,
					 DEVLINK_ATTR_PORT_PCI_SF_NUMBER, 88, 4, 1);

	test("a sub-function's port of another controller is read");
	ok(p.flavour == DEVLINK_SF && p.number == 88 && p.pf == 1 && p.controller == 1);
	ok(p.external && p.ifindex == 0 && !*p.netdev);
	test("a PF's port, and one of the future, are told from a function's");
	ok(composed(DEVLINK_PORT_FLAVOUR_PCI_PF, 0, 0, 0, 0).flavour == DEVLINK_PF);
	ok(composed(DEVLINK_PORT_FLAVOUR_CPU, 0, 0, 0, 0).flavour == DEVLINK_OTHER);
	ok(composed(99, 0, 0, 0, 0).flavour == DEVLINK_OTHER);
	test("a function's port without, or with half of its number is not taken for number 0");
	ok(composed(DEVLINK_PORT_FLAVOUR_PCI_VF, 0, 0, 0, 0).flavour == DEVLINK_OTHER);
	ok(composed(DEVLINK_PORT_FLAVOUR_PCI_SF, DEVLINK_ATTR_PORT_PCI_SF_NUMBER, 88, 2, 0)
		   .flavour == DEVLINK_OTHER);
}

/* -- which port is it? -- */

static const struct function vf3 = { .number = 3, .pf_bdf = "0000:03:00.1", .uplink = "up",
				     .uplink_ifindex = 40 };

static struct devlink_port port(enum devlink_flavour flavour, uint16_t pf, uint32_t number,
				int ifindex)
{
	return (struct devlink_port){ .bus = "pci", .dev = "0000:03:00.1", .flavour = flavour,
				      .pf = pf, .number = number, .ifindex = ifindex };
}

/* The ifindex of the port that is chosen among n, 0 for none. */
static int chosen(const struct function *f, const struct devlink_port *p, size_t n)
{
	static struct port_choice c;
	const struct devlink_port *made;
	struct err e;

	c = (struct port_choice){ .f = f, .n = 7 };
	ok(port_choice_take(NULL, &c, &e) == 0 && c.n == 0 && c.f == f);
	for (size_t i = 0; i < n; i++)
		ok(port_choice_take(&p[i], &c, &e) == 0);
	made = port_choice_made(&c);
	return made ? made->ifindex : 0;
}

static void choosing(void)
{
	struct function f = vf3;
	struct devlink_port p[4] = {
		port(DEVLINK_VF, 1, 30, 50), port(DEVLINK_SF, 1, 3, 51), port(DEVLINK_VF, 1, 3, 52),
		port(DEVLINK_PHYSICAL, 0, 0, 40),
	};

	test("a VF's port is that of its flavour and number");
	ok(chosen(&f, p, 4) == 52);
	f.is_sf = true;
	ok(chosen(&f, p, 4) == 51);
	f = vf3;

	test("of two PFs on one switch it is the one of our PF");
	p[0] = port(DEVLINK_VF, 0, 3, 53);
	ok(chosen(&f, p, 4) == 52);
	test("a single one of another PF's number counts, of several none does");
	p[2].number = 4;
	ok(chosen(&f, p, 4) == 53);
	p[2] = port(DEVLINK_VF, 7, 3, 54);
	ok(chosen(&f, p, 4) == 0);

	test("a port of another controller, or of another namespace, is not ours");
	p[0] = port(DEVLINK_VF, 1, 3, 55);
	p[0].external = true;
	p[2] = port(DEVLINK_VF, 1, 3, 56);
	p[2].controller = 1;
	p[1] = port(DEVLINK_VF, 1, 3, 0);
	ok(chosen(&f, p, 4) == 0);
}

static void devices(void)
{
	struct devlink_port p[4] = {
		port(DEVLINK_VF, 0, 3, 60), port(DEVLINK_PHYSICAL, 0, 0, 40),
		port(DEVLINK_VF, 0, 3, 61), port(DEVLINK_PHYSICAL, 0, 0, 41),
	};
	static struct devlink_port many[ESWITCH_PORTS_MAX + 1];
	struct function f = vf3;

	test("the same number on another card is not ours");
	(void)snprintf(p[0].dev, sizeof(p[0].dev), "0000:82:00.0");
	ok(chosen(&f, p, 4) == 61);
	test("without a device of the PF's address it is the one that has the uplink for a port");
	for (int i = 0; i < 4; i++) {
		(void)snprintf(p[i].bus, sizeof(p[i].bus), "netdevsim");
		(void)snprintf(p[i].dev, sizeof(p[i].dev), "netdevsim%d", i / 2);
	}
	ok(chosen(&f, p, 4) == 60);
	f.uplink_ifindex = 41;
	ok(chosen(&f, p, 4) == 61);
	f.uplink_ifindex = 99;
	ok(chosen(&f, p, 4) == 0);
	test("when the uplink is a port of a nested device they are those of the PF's own");
	p[0] = port(DEVLINK_PHYSICAL, 0, 0, 40);
	(void)snprintf(p[0].bus, sizeof(p[0].bus), "auxiliary");
	(void)snprintf(p[0].dev, sizeof(p[0].dev), "mlx5_core.eth.1");
	p[1] = port(DEVLINK_VF, 1, 3, 62);
	ok(chosen(&vf3, p, 2) == 62);
	ok(chosen(&vf3, p, 1) == 0);
	test("more ports than any machine has are no choice");
	for (int i = 0; i <= ESWITCH_PORTS_MAX; i++)
		many[i] = port(DEVLINK_VF, 1, 3, 100 + i);
	ok(chosen(&vf3, many, ESWITCH_PORTS_MAX) > 0);
	ok(chosen(&vf3, many, ESWITCH_PORTS_MAX + 1) == 0);
}

/* -- by sysfs, where devlink knows nothing -- */

static const char *representor_of(const struct fake_node *n, const struct function *f)
{
	static struct representor rep;
	struct err e = { 0 };
	int r;

	rep = (struct representor){ .ifindex = 0 };
	r = eswitch_representor(&n->host, f, &rep, &e);
	ok(r >= 0 && !rep.ifindex == !*rep.name);
	return r > 0 ? rep.name : "none";
}

static struct function sf_of(const struct fake_node *n, const char *name)
{
	struct sub_function sf;
	struct function f = { 0 };
	struct err e = { 0 };

	ok(sysfs_sub_function(&n->host, name, &sf, &e) == 1);
	ok(function_of_sf(&n->host, &sf, &f, &e) == 1);
	return f;
}

static void in_a_tree(void)
{
	struct fake_node n;
	struct pci_device dev;
	struct sub_function sf = { 0 };
	struct function f;
	struct err e = { 0 };

	node_open("mlx5", &n);
	test("a recorded node's representors are sysfs', whatever machine this is");
	ok(eswitch_pci(&n.host, "0000:03:00.2", &dev, &e) == 1 && function_of_vf(&dev, &f));
	eq(representor_of(&n, &f), "eth3");
	test("the representor of a sub-function is that of its number and PF");
	f = sf_of(&n, "mlx5_core.sf.4");
	ok(f.is_sf && f.number == 0);
	eq(f.pf_bdf, "0000:03:00.0");
	eq(representor_of(&n, &f), "eth2");
	f.number = 88;
	eq(representor_of(&n, &f), "none");
	test("a PF is no function of its switch");
	ok(eswitch_pci(&n.host, "0000:03:00.0", &dev, &e) == 1 && !function_of_vf(&dev, &f));
	node_close(&n);

	node_open("subfunction", &n);
	test("without a switch there is none, and the mode is legacy");
	f = sf_of(&n, "mlx5_core.sf.4");
	ok(f.number == 88 && f.uplink_ifindex == 2);
	eq(representor_of(&n, &f), "none");
	test("an auxiliary device is known with its network device and number");
	ok(sysfs_sub_function(&n.host, "mlx5_core.sf.4", &sf, &e) == 1);
	eq(sf.netdev, "ens1f0s88");
	ok(sf.ifindex == 5 && sf.netdevs == 1 && sf.numbered);
	test("one whose network device is in a pod has none here");
	ok(sysfs_sub_function(&n.host, "mlx5_core.sf.5", &sf, &e) == 1);
	eq(sf.netdev, "");
	ok(sf.ifindex == 0 && sf.netdevs == 0 && sf.number == 99);
	test("what is no auxiliary device is absent");
	ok(sysfs_sub_function(&n.host, "mlx5_core.sf.6", &sf, &e) == 0);
	ok(sysfs_sub_function(&n.host, "../mlx5_core.sf.5", &sf, &e) == 0);
	ok(sysfs_sub_function(&n.host, "", &sf, &e) == 0);
	node_close(&n);
}

static void device_info_of_sf(void)
{
	struct device_info di = { .kind = DEVICE_PCI, .version = "1.0.0" };
	struct sub_function sf;
	struct fake_node n;
	struct err e = { 0 };

	node_open("mlx5", &n);
	ok(sysfs_sub_function(&n.host, "mlx5_core.sf.4", &sf, &e) == 1);
	test("what a device plugin wrote of a sub-function gets the representor, nothing else");
	ok(device_info_enrich_sf(&n.host, &sf, NULL, &di, &e) == 0);
	eq(di.pci.representor_device, "eth2");
	eq(di.version, "1.1.0");
	eq(di.pci.pci_address, "");
	test("and one that it named is the kernel's, where that shows one");
	(void)snprintf(di.pci.representor_device, sizeof(di.pci.representor_device), "stale");
	ok(device_info_enrich_sf(&n.host, &sf, NULL, &di, &e) == 0);
	eq(di.pci.representor_device, "eth2");
	(void)snprintf(di.pci.representor_device, sizeof(di.pci.representor_device), "elsewhere");
	ok(device_info_enrich_sf(&n.host, &sf, &(struct representor){ 0 }, &di, &e) == 0);
	eq(di.pci.representor_device, "elsewhere");
	node_close(&n);
}

int main(void)
{
	composing();
	families();
	modes();
	versions();
	reading_ports();
	other_flavours();
	choosing();
	devices();
	in_a_tree();
	device_info_of_sf();
	return tap_end();
}
