/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_nl_vdpa.c - vDPA's messages; no kernel and no root
 *
 * What we compose is compared with what iproute2's vdpa sent (padding, which it does not clear,
 * made zero), what we parse is what a kernel 6.12 answered it: vdpa_sim_net with one device.
 *
 * With an argument (tests/lab/vdpa_netlink.bats) the kernel is asked, and nothing else is tested:
 *	kernel		with vdpa_sim_net and vhost_vdpa, and no device so far
 *	delete NAME MS	one request, with so much time; says what became of it
 */
#include "netlink/devlink.h"
#include "netlink/nl_vdpa.h"
#include "netlink/nlerr.h"
#include "tests/unit/hex.h"
#include "tests/unit/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/vdpa.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FAMILY = 0x23 };		/* on the recorded machine */

static const char mgmtdevs_request[] = "140000002300050389c9016b0000000002000000";
static const char mgmtdev_answer[] =
	"44000000230002008a13026b7900000001010000100002007664706173696d5f6e6574000c00030002000000"
	"0000000008000f00030000000c0010002800830803000000";
/* add name v0 mgmtdev vdpasim_net mac 02:00:00:00:00:01 mtu 1450 */
static const char create_request[] =
	"40000000230005008a13026b0000000003000000100002007664706173696d5f6e6574000700040076300000"
	"0a000a00020000000001000006000d00aa050000";
/* add name v1 mgmtdev vdpasim_net max_vqp 2 */
static const char create_vqp_request[] =
	"34000000230005008a13026b0000000003000000100002007664706173696d5f6e6574000700040076310000"
	"06000c0002000000";
/* add name v1 mgmtdev pci/nosuch mac 02:00:00:00:00:01 */
static const char create_bus_request[] =
	"3c000000230005008a13026b000000000300000008000100706369000b0002006e6f73756368000007000400"
	"763100000a000a000200000000010000";
static const char devices_request[] = "14000000230005038a13026b0000000005000000";
static const char device_request[] = "1c000000230005008a13026b00000000050000000700040076300000";
static const char device_answer[] =
	"54000000230002008a13026b8100000003010000100002007664706173696d5f6e6574000700040076300000"
	"08000500010000000800060000000000080007000300000006000800000100000600090001000000";
static const char config_request[] = "1c000000230005008a13026b00000000060000000700040076300000";
static const char config_answer[] =
	"4c000000230000008a13026b8400000006010000070004007630000008000500010000000c00140028008308"
	"0300000006000d00aa0500000a000a00020000000001000006000b0001000000";
static const char delete_request[] =
	"20000000230005009513026b00000000040000000b0004006e6f737563680000";
/* the kernel's words, and the place in the request */
static const char refused_attribute[] =
	"64000000020000038a13026b7e000000a1ffffff34000000230005008a13026b000000003d00010076647061"
	"3a20536f6d652070726f7669646564206174747269627574657320617265206e6f7420737570706f72746564"
	"3a2030783130303000000000";
static const char refused_mgmtdev[] =
	"5c000000020000038a13026b7f000000edffffff3c000000230005008a13026b000000003700010076647061"
	"3a204661696c20746f2066696e642074686520737065636966696564206d616e6167656d656e742064657669"
	"63650000";
static const char refused_mtu[] =
	"6c000000020000038a13026b80000000deffffff34000000230005008a13026b000000001900010069"
	"6e7465676572206f7574206f662072616e676500000000080002002c000000240004800c000400440000"
	"00000000000c000500ffff0000000000000800010003000000";

static const uint8_t mac[] = { 2, 0, 0, 0, 0, 1 };

/* -- what we send -- */

/* As recorded, but for the version, which iproute2 leaves out. */
static bool same(struct nl_req *r, const char *hex)
{
	struct genlmsghdr *g = mnl_nlmsg_get_payload(&r->h);

	ok(g->version == 1);
	g->version = 0;
	return !r->full && same_request(r, hex);
}

static void composing(void)
{
	struct nl_req r;

	test("lists, a device and its configuration are asked for as iproute2 does");
	vdpa_compose_list_mgmtdevs(&r, FAMILY);
	ok(same(&r, mgmtdevs_request));
	vdpa_compose_list_devices(&r, FAMILY);
	ok(same(&r, devices_request));
	vdpa_compose_device(&r, FAMILY, "v0");
	ok(same(&r, device_request));
	vdpa_compose_config(&r, FAMILY, "v0");
	ok(same(&r, config_request));

	test("a device is deleted as iproute2 does");
	vdpa_compose_delete(&r, FAMILY, "nosuch");
	ok(same(&r, delete_request));
}

static void creating(void)
{
	struct vdpa_new spec = { .name = "v0", .mgmt_dev = "vdpasim_net", .mtu = 1450,
				 .max_vqp = 2, .have = VDPA_MAC | VDPA_MTU };
	const uint64_t features = 0x308820028;
	struct nl_req r;
	uint32_t len;

	memset(&r, 0xff, sizeof(r));
	memcpy(spec.mac, mac, sizeof(mac));
	test("a device is made as iproute2 does, of what is asked for and nothing else");
	ok(vdpa_compose_create(&r, FAMILY, &spec) && same(&r, create_request));
	spec.name = "v1";
	spec.have = VDPA_MAX_VQP;
	ok(vdpa_compose_create(&r, FAMILY, &spec) && same(&r, create_vqp_request));
	spec.mgmt_bus = "pci";
	spec.mgmt_dev = "nosuch";
	spec.have = VDPA_MAC;
	ok(vdpa_compose_create(&r, FAMILY, &spec) && same(&r, create_bus_request));

	test("features are 64 bits");
	len = r.h.nlmsg_len;
	spec.have = VDPA_MAC | VDPA_FEATURES;
	spec.features = features;
	ok(vdpa_compose_create(&r, FAMILY, &spec) && r.h.nlmsg_len == len + 12);
	ok(memcmp(r.buf + len, "\14\0\24\0", 4) == 0);	/* VDPA_ATTR_DEV_FEATURES */
	ok(memcmp(r.buf + len + 4, &features, sizeof(features)) == 0);
}

static void setting(void)
{
	struct nl_req r;

	test("the MAC of a device that is there has a request of its own");
	vdpa_compose_set_mac(&r, FAMILY, "v0", mac);
	ok(r.h.nlmsg_len == 16 + 4 + 8 + 12);
	ok(memcmp(r.buf + 16, "\10\1\0\0", 4) == 0);	/* VDPA_CMD_DEV_ATTR_SET, version 1 */
	ok(memcmp(r.buf + 20, "\7\0\4\0v0\0", 7) == 0);
	ok(memcmp(r.buf + 28, "\12\0\12\0\2\0\0\0\0\1", 10) == 0);
}

static void names(void)
{
	static const char *const bad[] = { "", ".", "..", "a/b", "a\nb" };
	char name[VDPA_NAME_MAX + 1];
	struct vdpa_new spec = { .mgmt_bus = "", .mgmt_dev = "vdpasim_net" };
	struct nl_req r;

	test("a name that sysfs would change, or that does not fit, is not sent");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		spec.name = bad[i];
		ok(!vdpa_compose_create(&r, FAMILY, &spec));
	}
	memset(name, 'x', sizeof(name));
	name[VDPA_NAME_MAX] = '\0';
	spec.name = name;
	ok(!vdpa_compose_create(&r, FAMILY, &spec));
	name[VDPA_NAME_MAX - 1] = '\0';
	ok(vdpa_compose_create(&r, FAMILY, &spec) && !r.full);
	name[VDPA_NAME_MAX - 1] = 'x';
	spec.name = "v0";
	spec.mgmt_dev = name;
	ok(!vdpa_compose_create(&r, FAMILY, &spec));
	spec.mgmt_dev = "";
	ok(!vdpa_compose_create(&r, FAMILY, &spec));
	spec.mgmt_dev = "0000:65:00.3";
	spec.mgmt_bus = "sixteen letters.";
	ok(!vdpa_compose_create(&r, FAMILY, &spec));
}

/* -- what we receive -- */

static void mgmtdevs(void)
{
	struct message m = message_of(mgmtdev_answer);
	struct vdpa_mgmtdev dev = { 0 };
	uint32_t full = m.h.nlmsg_len;

	test("a management device is read");
	ok(vdpa_parse_mgmtdev(&m.h, &dev));
	eq(dev.bus, "");
	eq(dev.dev, "vdpasim_net");
	ok(dev.classes == 1 << VDPA_ID_NET && dev.features == 0x308830028);
	test("cut at any byte it is read as far as it goes, or refused");
	for (m.h.nlmsg_len = 16; m.h.nlmsg_len < full; m.h.nlmsg_len++) {
		struct vdpa_mgmtdev cut = { .dev = "old", .features = 7 };

		if (vdpa_parse_mgmtdev(&m.h, &cut))
			ok(m.h.nlmsg_len >= 36 && cut.features == 0);
		else
			ok(m.h.nlmsg_len < 36 && strcmp(cut.dev, "old") == 0);
	}
	test("another message is none");
	m = message_of(device_answer);
	ok(!vdpa_parse_mgmtdev(&m.h, &dev));
	eq(dev.dev, "vdpasim_net");
}

static void devices(void)
{
	struct message m = message_of(device_answer);
	struct vdpa_dev dev = { .id = 9 };
	uint32_t full = m.h.nlmsg_len;

	test("a device is read");
	ok(vdpa_parse_device(&m.h, &dev));
	eq(dev.name, "v0");
	eq(dev.mgmt_bus, "");
	eq(dev.mgmt_dev, "vdpasim_net");
	ok(dev.id == VDPA_ID_NET);
	test("cut at any byte it is read as far as it goes, or refused");
	for (m.h.nlmsg_len = 16; m.h.nlmsg_len < full; m.h.nlmsg_len++) {
		struct vdpa_dev cut = { .name = "old" };

		ok(vdpa_parse_device(&m.h, &cut) == (m.h.nlmsg_len >= 52));
		ok(m.h.nlmsg_len >= 52 || strcmp(cut.name, "old") == 0);
	}
	test("another message is none");
	m = message_of(config_answer);
	ok(!vdpa_parse_device(&m.h, &dev));
}

/* A message as the kernel gives it of a PCI function's device, or as nobody should. */
static void put_device(struct nl_req *r, const char *bus, const char *mgmt, const char *name)
{
	genl_req_init(r, FAMILY, VDPA_CMD_DEV_NEW);
	genl_put_text(r, VDPA_ATTR_MGMTDEV_BUS_NAME, bus);
	genl_put_text(r, VDPA_ATTR_MGMTDEV_DEV_NAME, mgmt);
	genl_put_text(r, VDPA_ATTR_DEV_NAME, name);
	nl_put_u32(r, VDPA_ATTR_DEV_ID, 1);
	nl_put(r, 999, "of the future", 14);
	nl_put_u32(r, VDPA_ATTR_DEV_VENDOR_ID, 0x15b3);
}

static void hostile_devices(void)
{
	char name[VDPA_NAME_MAX + 1];
	struct vdpa_dev dev = { 0 };
	struct nl_req r;

	test("a device of a PCI function has a bus, and a name with what it likes");
	put_device(&r, "pci", "0000:65:00.3", "vdpa:0000:65:00.3");
	ok(vdpa_parse_device(&r.h, &dev) && dev.id == VDPA_ID_NET);
	eq(dev.mgmt_bus, "pci");
	eq(dev.mgmt_dev, "0000:65:00.3");
	eq(dev.name, "vdpa:0000:65:00.3");
	test("names that do not fit are none, and none is cut");
	memset(name, 'x', sizeof(name));
	name[VDPA_NAME_MAX] = '\0';
	put_device(&r, "pci", "0000:65:00.3", name);
	ok(!vdpa_parse_device(&r.h, &dev));
	put_device(&r, "pci", name, "v0");
	ok(!vdpa_parse_device(&r.h, &dev));
	put_device(&r, "a bus of sixteen", "0000:65:00.3", "v0");
	ok(!vdpa_parse_device(&r.h, &dev));
	put_device(&r, "pci", "0000:65:00.3", "");
	ok(!vdpa_parse_device(&r.h, &dev));
	eq(dev.name, "vdpa:0000:65:00.3");
	put_device(&r, "", name + 1, "v0");
	ok(vdpa_parse_device(&r.h, &dev) && strlen(dev.mgmt_dev) == VDPA_NAME_MAX - 1);
	test("a number of another size is none");
	genl_req_init(&r, FAMILY, VDPA_CMD_DEV_NEW);
	genl_put_text(&r, VDPA_ATTR_MGMTDEV_DEV_NAME, "m");
	genl_put_text(&r, VDPA_ATTR_DEV_NAME, "v0");
	nl_put(&r, VDPA_ATTR_DEV_ID, "\1\0", 2);
	ok(!vdpa_parse_device(&r.h, &dev));
}

static void configs(void)
{
	struct message m = message_of(config_answer);
	struct vdpa_net_config c = { 0 };
	const unsigned int untouched = 1U << 31;
	uint32_t full = m.h.nlmsg_len;

	test("the configuration of a device is read");
	ok(vdpa_parse_config(&m.h, &c));
	ok(c.id == VDPA_ID_NET && c.have == (VDPA_MAC | VDPA_MTU | VDPA_FEATURES));
	ok(memcmp(c.mac, mac, sizeof(mac)) == 0 && c.mtu == 1450 && c.features == 0x308830028);
	test("cut at any byte it has what is there, or is refused");
	for (m.h.nlmsg_len = 16; m.h.nlmsg_len < full; m.h.nlmsg_len++) {
		c.have = untouched;
		ok(vdpa_parse_config(&m.h, &c) == (m.h.nlmsg_len >= 36));
		ok(m.h.nlmsg_len >= 36 ? !(c.have & untouched) &&
						 !(c.have & VDPA_MAC) == (m.h.nlmsg_len < 66)
				       : c.have == untouched);
	}
	test("of a device that is not for a network nothing else is read");
	m = message_of(config_answer);
	m.buf[32] = 2;		/* a disk */
	ok(vdpa_parse_config(&m.h, &c) && c.id == 2 && c.have == 0 && c.mtu == 0);
}

static void queue_pairs(void)
{
	struct vdpa_net_config c;
	struct nl_req r;

	test("queue pairs are read where they are told");
	genl_req_init(&r, FAMILY, VDPA_CMD_DEV_CONFIG_GET);
	genl_put_text(&r, VDPA_ATTR_DEV_NAME, "v0");
	nl_put_u32(&r, VDPA_ATTR_DEV_ID, 1);
	nl_put(&r, VDPA_ATTR_DEV_NET_CFG_MAX_VQP, &(uint16_t){ 16 }, 2);
	nl_put(&r, VDPA_ATTR_DEV_NET_CFG_MACADDR, mac, 5);	/* half an address is none */
	ok(vdpa_parse_config(&r.h, &c) && c.have == VDPA_MAX_VQP && c.max_vqp == 16);
}

static void lists(void)
{
	static struct vdpa_devices all;
	static struct vdpa_mgmtdevs mgmt;
	struct message m = message_of(mgmtdev_answer);
	char name[VDPA_NAME_MAX + 1];
	struct nl_req r;
	struct err e;

	test("a list holds so many, and says when there are more");
	put_device(&r, "pci", "0000:65:00.3", "v0");
	for (int i = 0; i < VDPA_DEVICES_MAX; i++)
		ok(vdpa_take_device(&r.h, &all, &e) == 0);
	for (int i = 0; i < VDPA_MGMTDEVS_MAX; i++)
		ok(vdpa_take_mgmtdev(&m.h, &mgmt, &e) == 0);
	ok(all.n == VDPA_DEVICES_MAX && mgmt.n == VDPA_MGMTDEVS_MAX);
	ok(!all.overflow && !mgmt.overflow);
	ok(vdpa_take_device(&r.h, &all, &e) == 0 && all.overflow && all.n == VDPA_DEVICES_MAX);
	ok(vdpa_take_mgmtdev(&m.h, &mgmt, &e) == 0 && mgmt.overflow);
	ok(mgmt.n == VDPA_MGMTDEVS_MAX);
	test("it begins anew with the dump");
	ok(vdpa_take_device(NULL, &all, &e) == 0 && all.n == 0 && !all.overflow);
	ok(vdpa_take_mgmtdev(NULL, &mgmt, &e) == 0 && mgmt.n == 0 && !mgmt.overflow);
	test("one whose name we cannot hold is left out, and that is said");
	memset(name, 'x', sizeof(name));
	name[VDPA_NAME_MAX] = '\0';
	put_device(&r, "pci", "0000:65:00.3", name);
	ok(vdpa_take_device(&r.h, &all, &e) == 0 && all.n == 0 && all.overflow);
}

static void refusals(void)
{
	struct message m = message_of(refused_attribute);
	struct err e;

	test("what the kernel says of a refusal is in the details");
	ok(nlerr_get(&m.h, &e) == -1 && e.sys == EOPNOTSUPP && e.code == ERR_NETLINK);
	eq(e.details, "Operation not supported; "
		      "\"vdpa: Some provided attributes are not supported: 0x1000\"");
	m = message_of(refused_mgmtdev);
	ok(nlerr_get(&m.h, &e) == -1 && e.sys == ENODEV);
	eq(e.details, "No such device; \"vdpa: Fail to find the specified management device\"");
	m = message_of(refused_mtu);
	ok(nlerr_get(&m.h, &e) == -1 && e.sys == ERANGE);
	eq(e.details, "Numerical result out of range; \"integer out of range\"; "
		      "byte 44 of the request");
}

/* -- where there is no vDPA: the family is of the initial namespace -- */

static void without_vdpa(void)
{
	struct deadline d = deadline_in(60000), over = deadline_in(0);
	struct vdpa_new spec = { .name = "v0", .mgmt_bus = "pci", .mgmt_dev = "0000:65:00.3",
				 .mtu = 1450, .max_vqp = 2, .features = 0x300020000,
				 .have = VDPA_MAC | VDPA_MTU | VDPA_MAX_VQP | VDPA_FEATURES };
	static struct vdpa_devices all;
	static struct vdpa_mgmtdevs mgmt;
	struct vdpa_net_config c;
	struct vdpa_dev dev;
	struct err e;

	memcpy(spec.mac, mac, sizeof(mac));
	ok(unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0);
	test("where there is no vDPA there are no devices");
	ok(vdpa_list_devices(&all, &d, &e) == 0 && all.n == 0 && !all.overflow);
	ok(vdpa_list_mgmtdevs(&mgmt, &d, &e) == 0 && mgmt.n == 0);
	ok(vdpa_device_get("v0", &dev, &d, &e) == 0 && vdpa_config_get("v0", &c, &d, &e) == 0);
	ok(vdpa_delete("v0", &d, &e) == 0);
	test("and none can be made or changed; the error has all that was asked for");
	ok(vdpa_create(&spec, &d, &e) == -1 && e.code == ERR_DEVICE && e.sys == ENODEV);
	eq(e.msg, "create vDPA device v0 on pci/0000:65:00.3, mac 02:00:00:00:00:01, mtu 1450, "
		  "max_vqp 2, features 0x300020000: the kernel has no vDPA");
	ok(vdpa_set_mac("v0", mac, &d, &e) == -1 && e.code == ERR_DEVICE && e.sys == ENODEV);
	eq(e.msg, "set the MAC of vDPA device v0 to 02:00:00:00:00:01: the kernel has no vDPA");
	spec.name = "a/b";
	spec.mgmt_bus = NULL;
	ok(vdpa_create(&spec, &d, &e) == -1 && e.code == ERR_NETLINK && e.sys == EINVAL);
	eq(e.msg, "'a/b' on '/0000:65:00.3' is not a name for a vDPA device");

	test("what is late says why that may be");
	ok(vdpa_list_devices(&all, &over, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "list the vDPA devices: no time is left");
	eq(e.details, "Connection timed out; the kernel serves one vDPA request at a time, and one "
		      "may wait for a device to be closed");
}

/* -- the kernel -- */

static long long ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static struct deadline *soon(void)
{
	static struct deadline d;

	d = deadline_in(30000);
	return &d;
}

/* How many devices there are. */
static int count(void)
{
	static struct vdpa_devices all;
	struct err e;

	return vdpa_list_devices(&all, soon(), &e) == 1 && !all.overflow ? (int)all.n : -1;
}

static struct vdpa_new simulated(const char *name)
{
	struct vdpa_new spec = { .name = name, .mgmt_dev = "vdpasim_net" };

	memcpy(spec.mac, mac, sizeof(mac));
	return spec;
}

static void kernel_mgmtdevs(void)
{
	static struct vdpa_mgmtdevs all;
	const struct vdpa_mgmtdev *sim = NULL;
	struct err e;

	test("the simulator is a management device");
	ok(vdpa_list_mgmtdevs(&all, soon(), &e) == 1 && !all.overflow);
	for (unsigned int i = 0; i < all.n; i++)
		if (strcmp(all.dev[i].dev, "vdpasim_net") == 0 && !*all.dev[i].bus)
			sim = &all.dev[i];
	ok(sim && sim->classes == 1 << VDPA_ID_NET && sim->features);
	ok(count() == 0);
}

static void kernel_create(void)
{
	const uint8_t other[] = { 2, 0, 0, 0, 0, 2 };
	struct vdpa_new spec = simulated("lab0");
	struct vdpa_net_config c = { 0 };
	struct vdpa_dev dev;
	struct err e = { 0 };

	test("a device is made with its MAC and MTU, and is there");
	spec.have = VDPA_MAC | VDPA_MTU;
	spec.mtu = 1450;
	ok(vdpa_create(&spec, soon(), &e) == 0);
	eq(e.msg, "");
	ok(vdpa_device_get("lab0", &dev, soon(), &e) == 1 && dev.id == VDPA_ID_NET);
	eq(dev.name, "lab0");
	eq(dev.mgmt_dev, "vdpasim_net");
	eq(dev.mgmt_bus, "");
	ok(vdpa_config_get("lab0", &c, soon(), &e) == 1 && c.id == VDPA_ID_NET);
	ok((c.have & (VDPA_MAC | VDPA_MTU | VDPA_FEATURES)) ==
	   (VDPA_MAC | VDPA_MTU | VDPA_FEATURES));
	ok(c.mtu == 1450 && memcmp(c.mac, mac, sizeof(mac)) == 0);
	ok(count() == 1);
	test("its MAC can be set, and that of none that is not there");
	ok(vdpa_set_mac("lab0", other, soon(), &e) == 0);
	ok(vdpa_config_get("lab0", &c, soon(), &e) == 1 && memcmp(c.mac, other, 6) == 0);
	ok(vdpa_set_mac("nosuch", other, soon(), &e) == -1 && e.sys == ENODEV);
	eq(e.details, "No such device; \"vdpa: device not found\"");
	test("one that is not there is absent, and no error");
	ok(vdpa_device_get("nosuch", &dev, soon(), &e) == 0);
	ok(vdpa_config_get("nosuch", &c, soon(), &e) == 0);
	ok(vdpa_delete("nosuch", soon(), &e) == 0);
}

static void kernel_refuse(void)
{
	struct vdpa_new spec = simulated("lab0");
	struct err e;

	test("a name that is taken, a management device that is not there: the kernel's words");
	ok(vdpa_create(&spec, soon(), &e) == -1 && e.code == ERR_NETLINK && e.sys == EEXIST);
	eq(e.msg, "create vDPA device lab0 on vdpasim_net: the kernel refused");
	eq(e.details, "File exists");
	spec = simulated("lab1");
	spec.mgmt_bus = "pci";
	spec.mgmt_dev = "0000:ff:1f.7";
	ok(vdpa_create(&spec, soon(), &e) == -1 && e.code == ERR_NETLINK && e.sys == ENODEV);
	eq(e.msg, "create vDPA device lab1 on pci/0000:ff:1f.7: the kernel refused");
	eq(e.details, "No such device; \"vdpa: Fail to find the specified management device\"");
	test("what the driver cannot set, an MTU out of range, features that it has not");
	spec = simulated("lab1");
	spec.have = VDPA_MAX_VQP;
	spec.max_vqp = 2;
	ok(vdpa_create(&spec, soon(), &e) == -1 && e.sys == EOPNOTSUPP);
	eq(e.details, "Operation not supported; "
		      "\"vdpa: Some provided attributes are not supported: 0x1000\"");
	spec.have = VDPA_MTU;
	spec.mtu = 67;
	ok(vdpa_create(&spec, soon(), &e) == -1 && e.sys == ERANGE);
	eq(e.msg, "create vDPA device lab1 on vdpasim_net, mtu 67: the kernel refused");
	eq(e.details, "Numerical result out of range; \"integer out of range\"; "
		      "byte 48 of the request");
	spec.have = VDPA_FEATURES;
	spec.features = 1ULL << 50;
	ok(vdpa_create(&spec, soon(), &e) == -1 && e.sys == EINVAL);
	ok(count() == 1);
	test("a device goes, once");
	ok(vdpa_delete("lab0", soon(), &e) == 1);
	ok(vdpa_delete("lab0", soon(), &e) == 0);
	ok(count() == 0);
}

/* The node of a device, open. */
static int open_node(const char *name)
{
	char path[300] = "";
	struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/sys/bus/vdpa/devices/%s", name);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "vhost-vdpa-", 11) == 0)
			(void)snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
	if (dir)
		(void)closedir(dir);
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

/* All requests of those that are made while one is stuck come back. */
static void kernel_stuck_requests(void)
{
	auto_devlink struct devlink dl = { .family = 0 };
	static struct vdpa_devices all;
	struct vdpa_new spec = simulated("lab3");
	struct deadline d = deadline_in(1000);
	long long start = ms_now();
	struct err e;

	test("deleting a device that is open comes back, and says that it is to be tried again");
	ok(vdpa_delete("lab2", &d, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	eq(e.msg, "delete vDPA device lab2: no answer in time");
	test("so does another request while that one is stuck");
	d = deadline_in(1000);
	ok(vdpa_list_devices(&all, &d, &e) == -1 && e.code == ERR_TRY_AGAIN);
	d = deadline_in(1000);
	ok(vdpa_create(&spec, &d, &e) == -1 && e.code == ERR_TRY_AGAIN);
	test("even devlink cannot be found then, which is said in time");
	ok(devlink_open(&dl, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	eq(e.msg, "look for devlink: no answer in time");
	ok(ms_now() - start < 20000);
}

static void kernel_stuck(void)
{
	struct vdpa_new spec = simulated("lab2");
	int node, status, killed = 0;
	struct vdpa_dev dev;
	struct err e;

	ok(vdpa_create(&spec, soon(), &e) == 0 && waitpid(-1, NULL, 0) == -1);
	node = open_node("lab2");
	ok(node >= 0);
	kernel_stuck_requests();
	test("the children are killed, and hang for as long as the device is open");
	ok(waitpid(-1, &status, WNOHANG) == 0);
	(void)close(node);
	while (waitpid(-1, &status, 0) > 0)
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	ok(killed == 4);
	test("then what had been sent is done, and what had not is not");
	ok(vdpa_device_get("lab2", &dev, soon(), &e) == 0);
	ok(vdpa_device_get("lab3", &dev, soon(), &e) == 0);
	test("and all is well again");
	ok(vdpa_create(&spec, soon(), &e) == 0 && count() == 1);
	ok(vdpa_delete("lab2", soon(), &e) == 1 && count() == 0);
}

static int delete_once(const char *name, const char *ms)
{
	struct deadline d = deadline_in((unsigned int)strtoul(ms, NULL, 10));
	struct err e = { 0 };
	int done = vdpa_delete(name, &d, &e);

	(void)printf("%d %d %s\n", done, (int)e.code, e.msg);
	return done < 0;
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return delete_once(argv[2], argv[3]);
	if (argc == 2) {
		kernel_mgmtdevs();
		kernel_create();
		kernel_refuse();
		kernel_stuck();
		return tap_end();
	}
	composing();
	creating();
	setting();
	names();
	mgmtdevs();
	devices();
	hostile_devices();
	configs();
	queue_pairs();
	lists();
	refusals();
	without_vdpa();
	return tap_end();
}
