/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vdpa.c - the vDPA device of an ADD is found or made, and of a CHECK compared
 *
 * The kernel is played (see WRAP in GNUmakefile): what it is asked for, what it makes shows in a
 * tree's sysfs, and what it says of that.
 */
#include "cni/attach/attach.h"
#include "cni/vdpa/vdpa.h"
#include "cni/vdpa/vdpa_driver.h"
#include "netlink/nl_vdpa.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>

static struct fake_node n;
static struct err err;
static struct netconf conf;
static struct cni_call call = { .container_id = "c", .ifname = "net1" };
static struct attachment a;

/* -- the kernel -- */

static struct {
	struct vdpa_devices devices;
	struct vdpa_mgmtdevs mgmtdevs;
	struct vdpa_net_config config;
	const char *bound;		/* a command, for what a driver shows */
	struct vdpa_new made;
	int set_mac;			/* errno of it; 0: done */
	unsigned int set_macs, records;
} kernel;

int __wrap_vdpa_list_devices(struct vdpa_devices *ret, const struct deadline *d, struct err *e);
int __wrap_vdpa_list_devices(struct vdpa_devices *ret, const struct deadline *d, struct err *e)
{
	(void)d;
	(void)e;
	*ret = kernel.devices;
	return 1;
}

int __wrap_vdpa_list_mgmtdevs(struct vdpa_mgmtdevs *ret, const struct deadline *d, struct err *e);
int __wrap_vdpa_list_mgmtdevs(struct vdpa_mgmtdevs *ret, const struct deadline *d, struct err *e)
{
	(void)d;
	(void)e;
	*ret = kernel.mgmtdevs;
	return 1;
}

int __wrap_vdpa_config_get(const char *name, struct vdpa_net_config *ret, const struct deadline *d,
			   struct err *e);
int __wrap_vdpa_config_get(const char *name, struct vdpa_net_config *ret, const struct deadline *d,
			   struct err *e)
{
	(void)name;
	(void)d;
	(void)e;
	*ret = kernel.config;
	return 1;
}

int __wrap_vdpa_create(const struct vdpa_new *spec, const struct deadline *d, struct err *e);
int __wrap_vdpa_create(const struct vdpa_new *spec, const struct deadline *d, struct err *e)
{
	(void)d;
	(void)e;
	kernel.made = *spec;
	return 0;
}

int __wrap_vdpa_set_mac(const char *name, const uint8_t mac[6], const struct deadline *d,
			struct err *e);
int __wrap_vdpa_set_mac(const char *name, const uint8_t mac[6], const struct deadline *d,
			struct err *e)
{
	(void)d;
	kernel.set_macs++;
	if (kernel.set_mac)
		return err_set(e, ERR_DEVICE, kernel.set_mac, "set mac of %s", name);
	memcpy(kernel.config.mac, mac, 6);
	return 0;
}

int __wrap_vdpa_bind(const struct host *host, const char *name, const char *driver, struct err *e);
int __wrap_vdpa_bind(const struct host *host, const char *name, const char *driver, struct err *e)
{
	(void)host;
	(void)name;
	(void)driver;
	(void)e;
	node_sh(&n, kernel.bound);
	return 0;
}

int __wrap_vdpa_check_unused(const struct host *host, const struct vdpa_device *dev, struct err *e);
int __wrap_vdpa_check_unused(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	(void)host;
	(void)dev;
	(void)e;
	return 0;
}

int __wrap_link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e);
int __wrap_link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e)
{
	(void)nl;
	(void)name;
	(void)ret;
	(void)e;
	return 0;
}

int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e);
int __wrap_link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e)
{
	(void)nl;
	(void)e;
	*ret = (struct link){ .ifindex = ifindex, .name = "eth0" };
	return 1;
}

int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e);
int __wrap_journal_write(const struct journal *j, const struct record *r, struct err *e)
{
	(void)j;
	(void)r;
	(void)e;
	kernel.records++;
	return 0;
}

/* -- an attachment -- */

/* Of this device: a function's address, a sub-function's name, or a vDPA device's name. */
static void anew(const char *id)
{
	attach_done(&a);
	kernel.set_mac = 0;
	kernel.set_macs = kernel.records = 0;
	kernel.config = (struct vdpa_net_config){
		.id = VDPA_ID_NET, .have = VDPA_MAC | VDPA_MTU | VDPA_FEATURES,
		.mac = { 2, 0, 0, 0, 0, 1 }, .mtu = 1500, .features = 0xff,
	};
	conf = (struct netconf){ .resource = "r" };
	a = (struct attachment){
		.host = &n.host, .call = &call, .conf = &conf, .info_name = "net1",
		.sriov_lock = -1, .netns = -1, .icmp6 = -1,
		.rec.owner = { .container_id = "c", .ifname = "net1" },
	};
	(void)snprintf(a.dev.id, sizeof(a.dev.id), "%s", id);
	if (strncmp(id, "0000:", 5) == 0) {
		a.dev.is_pci = true;
		(void)snprintf(a.dev.pci.bdf, sizeof(a.dev.pci.bdf), "%s", id);
	}
	(void)snprintf(a.dev.key, sizeof(a.dev.key), "%s", id);
}

static void mac_of(uint8_t last)
{
	static const uint8_t mac[MAC_LEN] = { 2 };

	memcpy(a.mac, mac, sizeof(mac));
	a.mac[MAC_LEN - 1] = last;
	a.has_mac = true;
	a.mac_key = "args.cni.mac";
}

/* What the device plugin has written of the device. */
static void plugin(const char *id, const char *members)
{
	char command[512];

	(void)snprintf(command, sizeof(command),
		       "mkdir -p di/dp di/cni && printf %%s '{\"type\":\"vdpa\","
		       "\"version\":\"1.1.0\",\"vdpa\":{%s}}' >di/dp/r-%s-device.json",
		       members, id);
	node_sh(&n, command);
}

static int look(void)
{
	err = (struct err){ 0 };
	return vdpa_probe(&a, &err) < 0 ? -1 : 0;
}

/* -- given -- */

static void given(void)
{
	test("of two devices of a function it is the one that the device plugin names");
	plugin("0000:68:00.0", "\"parent-device\":\"two-b\",\"driver\":\"virtio\"");
	anew("0000:68:00.0");
	conf.vdpa = (struct vdpa_conf){ .present = true, .driver = VDPA_DRIVER_VHOST,
					.switch_driver = true };
	ok(look() == 0);
	eq(a.rec.vdpa.name, "two-b");
	eq(a.rec.vdpa.driver, VHOST_VDPA);
	test("without a word of vDPA in the configuration, too");
	plugin("0000:68:00.0", "\"parent-device\":\"two-a\",\"driver\":\"vhost\"");
	anew("0000:68:00.0");
	ok(look() == 0);
	eq(a.rec.vdpa.name, "two-a");
	test("one that is not on the function is not taken");
	plugin("0000:68:00.0", "\"parent-device\":\"pds0\",\"driver\":\"vhost\"");
	anew("0000:68:00.0");
	ok(look() == -1 && err.code == ERR_DEVICE && strstr(err.msg, "several vDPA devices"));
	ok(strstr(err.details, "'two-a'") && strstr(err.details, "'two-b'"));
	test("where there is one alone it is that, and the file's name for it is repaired");
	plugin("0000:65:00.3", "\"parent-device\":\"two-a\",\"driver\":\"vhost\"");
	anew("0000:65:00.3");
	ok(look() == 0 && vdpa_probe_info(&a, &err) == 0 && a.has_info);
	eq(a.rec.vdpa.name, "vdpa:0000:65:00.3");
	eq(a.info.vdpa.parent_device, "two-a");
	ok(vdpa_info(&a, &err) == 0);
	eq(a.info.vdpa.parent_device, "vdpa:0000:65:00.3");
}

static void files(void)
{
	test("what is read of a function that is no vDPA device's is for others to read");
	node_sh(&n, "printf %s '{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":"
		    "\"0000:65:00.0\",\"x\":1},\"y\":2}' >di/dp/r-0000:65:00.0-device.json");
	anew("0000:65:00.0");
	ok(look() == 0 && !*a.rec.vdpa.name);
	ok(!*a.info.version && !a.info.extra && !a.info.extra_map);
	test("a device plugin's file that is malformed, or another function's, is refused");
	plugin("0000:65:00.3", "\"path\":7");
	anew("0000:65:00.3");
	ok(look() == -1 && err.code == ERR_DEVINFO);
	plugin("0000:65:00.3", "\"pci-address\":\"0000:65:00.2\"");
	anew("0000:65:00.3");
	ok(look() == 0 && vdpa_probe_info(&a, &err) == -1 && err.code == ERR_DEVINFO);
	contains(err.msg, "is on 0000:65:00.3, its device-info is about 0000:65:00.2");
	test("the attachment's own file is taken, unless it is about something else");
	node_sh(&n, "mv di/dp/r-0000:65:00.3-device.json di/cni/net1");
	anew("0000:65:00.3");
	conf.vdpa.present = true;
	ok(look() == 0 && vdpa_probe_info(&a, &err) == 0 && !*a.info.vdpa.pci_address);
	node_sh(&n, "sed -i 's/65:00.2\"/65:00.3\",\"x\":1/' di/cni/net1");
	anew("0000:65:00.3");
	conf.vdpa.present = true;
	ok(look() == 0 && vdpa_probe_info(&a, &err) == 0 && a.info.extra_map);
	eq(a.info.vdpa.pci_address, "0000:65:00.3");
	node_sh(&n, "rm di/cni/net1");
}

static void macs(void)
{
	test("vhost: an address that the device does not take, or does not have, is an error");
	anew("0000:65:00.3");
	mac_of(9);
	ok(look() == 0 && a.rec.vdpa.mac_set);
	kernel.set_mac = EOPNOTSUPP;
	ok(vdpa_prepare(&a, &err) == -1 && kernel.set_macs == 1);
	anew("0000:65:00.3");
	mac_of(9);
	kernel.config.have &= ~(unsigned int)VDPA_MAC;
	ok(look() == -1 && err.sys == EOPNOTSUPP && strstr(err.msg, "args.cni.mac: "));

	test("virtio: then it is its network device that takes it");
	kernel.bound = "d=sys/devices/pci0000:64/0000:64:00.0/0000:65:00.3 && ln -sfn "
		       "../../../../../../bus/vdpa/drivers/virtio_vdpa "
		       "$d/vdpa:0000:65:00.3/driver && "
		       "mkdir -p $d/virtio20/net/eth20 && echo 20 >$d/virtio20/net/eth20/ifindex";
	anew("0000:65:00.3");
	mac_of(9);
	conf.vdpa = (struct vdpa_conf){ .present = true, .driver = VDPA_DRIVER_VIRTIO,
					.switch_driver = true };
	ok(look() == 0 && a.rec.vdpa.mac_set);
	kernel.set_mac = EOPNOTSUPP;
	ok(vdpa_prepare(&a, &err) == 0 && kernel.set_macs == 1);
	ok(!a.rec.vdpa.mac_set && a.rec.netdev.ifindex == 20);
	test("but no other error is passed over");
	a.rec.vdpa.mac_set = true;
	kernel.set_mac = EINVAL;
	ok(vdpa_prepare(&a, &err) == -1 && err.sys == EINVAL);
}

/* -- made -- */

static const struct vdpa_mgmtdevs makers = {
	.n = 2,
	.dev = { { .bus = "auxiliary", .dev = "mlx5_core.sf.9", .classes = 1 << VDPA_ID_NET,
		   .features = 0xff },
		 { .dev = "vdpasim_net", .classes = 1 << VDPA_ID_NET, .features = 0xff } },
};

#define PF2 "sys/devices/pci0000:64/0000:64:00.0/0000:66:00.0"

static void made_on_sf(void)
{
	const char *name = a.rec.vdpa.name;
	char command[1024];

	kernel.mgmtdevs = makers;
	node_sh(&n, "mkdir -p " PF2 "/mlx5_core.sf.9 && echo 99 >" PF2 "/mlx5_core.sf.9/sfnum && "
		    "ln -s ../../../../" PF2 "/mlx5_core.sf.9 "
		    "sys/bus/auxiliary/devices/mlx5_core.sf.9");
	anew("mlx5_core.sf.9");
	conf.vdpa = (struct vdpa_conf){ .present = true, .driver = VDPA_DRIVER_VIRTIO,
					.create = true };
	test("one made on a sub-function: others' virtio devices of its PF are not its own");
	ok(look() == 0 && a.rec.vdpa.created);
	eq(a.vdpa.auxiliary, "mlx5_core.sf.9");
	eq(a.vdpa.pf_bdf, "0000:66:00.0");
	eq(a.vdpa.mgmt_bus, "auxiliary");
	(void)snprintf(command, sizeof(command),
		       "mkdir -p " PF2 "/virtio21/net/eth21 " PF2 "/mlx5_core.sf.9/%s && "
		       "echo 21 >" PF2 "/virtio21/net/eth21/ifindex && "
		       "ln -s x/virtio_vdpa " PF2 "/mlx5_core.sf.9/%s/driver && "
		       "ln -s ../../../../" PF2 "/mlx5_core.sf.9/%s sys/bus/vdpa/devices/%s",
		       name, name, name, name);
	kernel.bound = command;
	ok(vdpa_prepare(&a, &err) == 0);
	eq(a.vdpa.virtio, "virtio21");
	ok(a.rec.netdev.ifindex == 21 && kernel.records == 1);
	eq(kernel.made.mgmt_dev, "mlx5_core.sf.9");
	node_sh(&n, "rm sys/bus/vdpa/devices/dv*");
}

/* Of the simulator's, with vhost: the error after it is made, "" for none. */
static const char *made(const struct vdpa_conf *c)
{
	static char command[512];

	anew("vdpasim_net");
	*a.dev.key = '\0';
	(void)snprintf(a.dev.part, sizeof(a.dev.part), "vdpasim_net");
	conf.vdpa = *c;
	conf.vdpa.present = conf.vdpa.create = true;
	conf.vdpa.driver = VDPA_DRIVER_VHOST;
	if (look() < 0)
		return err.msg;
	kernel.config.max_vqp = 4;
	kernel.config.have |= VDPA_MAX_VQP;
	(void)snprintf(command, sizeof(command),
		       "mkdir -p sys/devices/%s/vhost-vdpa-9 && "
		       "ln -sfn x/vhost_vdpa sys/devices/%s/driver && "
		       "ln -sfn ../../../devices/%s sys/bus/vdpa/devices/%s",
		       a.rec.vdpa.name, a.rec.vdpa.name, a.rec.vdpa.name, a.rec.vdpa.name);
	kernel.bound = command;
	if (vdpa_prepare(&a, &err) == 0)
		*err.msg = '\0';
	node_sh(&n, "rm sys/bus/vdpa/devices/dv*");
	return err.msg;
}

static void verified(void)
{
	const char *last;

	kernel.mgmtdevs = makers;
	test("what was asked for is what it is like once it is made, or the ADD fails");
	eq(made(&(struct vdpa_conf){ .mtu = 1500, .max_vqp = 4, .has_features = true,
				     .features = 0x81 }), "");
	ok(kernel.made.max_vqp == 4 && kernel.made.mtu == 1500);
	last = made(&(struct vdpa_conf){ .max_vqp = 2 });
	ok(strstr(last, " has not kept its maxVqp") && err.code == ERR_DEVICE);
	contains(made(&(struct vdpa_conf){ .mtu = 1400 }), " has not kept its mtu");
	kernel.mgmtdevs.dev[1].features = 0x1ff;
	ok(strstr(made(&(struct vdpa_conf){ .has_features = true, .features = 0x101 }),
		  " has not kept its features"));
}

static void overflow(void)
{
	char name[VDPA_NAME_MAX];

	test("a list of devices that is cut off proves nothing");
	kernel.devices = (struct vdpa_devices){
		.n = 1, .dev = { { .name = "a", .mgmt_dev = "vdpasim_net" } },
	};
	err = (struct err){ 0 };
	ok(vdpa_find_of_mgmtdev("vdpasim_net", name, &err) == 1);
	eq(name, "a");
	kernel.devices.overflow = true;
	ok(vdpa_find_of_mgmtdev("vdpasim_net", name, &err) == -1 && err.sys == E2BIG);
	kernel.mgmtdevs = makers;
	anew("mlx5_core.sf.9");
	conf.vdpa = (struct vdpa_conf){ .present = true, .driver = VDPA_DRIVER_VIRTIO,
					.create = true };
	ok(look() == -1 && err.sys == E2BIG);
	kernel.devices = (struct vdpa_devices){ .n = 0 };
	test("of management devices it does when there is not the one that is looked for");
	kernel.mgmtdevs.n = 1;
	kernel.mgmtdevs.overflow = true;
	contains(made(&(struct vdpa_conf){ .mtu = 0 }), "no vDPA management device vdpasim_net");
	ok(strstr(err.details, "mlx5_core.sf.9") && strstr(err.details, "and more"));
}

/* -- CHECK -- */

static const char *checked_to(const struct vdpa_conf *c, const uint8_t *mac, int want)
{
	const struct record rec = { .vdpa = { .name = "vdpa:0000:65:00.3", .mac_set = mac != NULL,
					      .driver_before = VHOST_VDPA } };
	const struct netconf nc = { .vdpa = *c };
	static struct check k;

	k = (struct check){ .host = &n.host, .call = &call, .conf = &nc, .rec = &rec, .mac = mac,
			    .made_by = "ADD" };
	ok(vdpa_check(&k, &err) == want);
	return k.all.details;
}

static const char *checked(const struct vdpa_conf *c, const uint8_t *mac)
{
	return checked_to(c, mac, 0);
}

static void check(void)
{
	static const uint8_t mac[MAC_LEN] = { 2, 0, 0, 0, 0, 1 };
	struct vdpa_conf c = { .has_owner = true, .uid = 107, .gid = 108, .has_mode = true,
			       .mode = 0660, .mtu = 1500, .max_vqp = 1, .has_features = true,
			       .features = 3 };

	anew("x");
	node_sh(&n, "chown 107:108 dev/vhost-vdpa-0 && chmod 660 dev/vhost-vdpa-0");
	test("CHECK finds nothing where all is as it was set");
	eq(checked(&c, mac), "");
	test("owner and mode of the node, when they were said");
	node_sh(&n, "chown 0:0 dev/vhost-vdpa-0 && chmod 600 dev/vhost-vdpa-0");
	eq(checked(&c, mac), "owner of /dev/vhost-vdpa-0: expected 107:108, got 0:0; "
			     "mode of /dev/vhost-vdpa-0: expected 0660, got 0600");
	c.has_owner = c.has_mode = false;
	eq(checked(&c, mac), "");
	test("address, MTU, queues and features of the device");
	kernel.config = (struct vdpa_net_config){
		.id = VDPA_ID_NET, .have = VDPA_MAC | VDPA_MTU | VDPA_MAX_VQP | VDPA_FEATURES,
		.mac = { 2, 0, 0, 0, 0, 9 }, .mtu = 1400, .max_vqp = 2, .features = 1,
	};
	eq(checked(&c, mac), "mac of vDPA device vdpa:0000:65:00.3: expected 02:00:00:00:00:01, "
			     "got "
			     "02:00:00:00:00:09; mtu of vDPA device vdpa:0000:65:00.3: expected "
			     "1500, got 1400; maxVqp of vDPA device vdpa:0000:65:00.3: expected "
			     "1, got "
			     "2; "
			     "features of vDPA device vdpa:0000:65:00.3: 0x2 are missing");
	test("one that has none of them has not the right ones");
	kernel.config.have = 0;
	kernel.config.features = 0;
	c.has_features = false;
	eq(checked(&c, mac), "mac of vDPA device vdpa:0000:65:00.3: expected 02:00:00:00:00:01, "
			     "got "
			     "none; mtu of vDPA device vdpa:0000:65:00.3: expected 1500, got 0");
	test("a node that is another device's, a file, or gone");
	node_sh(&n, "rm dev/vhost-vdpa-0 && mknod dev/vhost-vdpa-0 c 1 3");
	c = (struct vdpa_conf){ .present = true };
	eq(checked(&c, NULL), "node of vDPA device vdpa:0000:65:00.3: /dev/vhost-vdpa-0 has the "
			      "numbers 1:3, that of vDPA device vdpa:0000:65:00.3 has 0:0");
	node_sh(&n, "rm dev/vhost-vdpa-0 && touch dev/vhost-vdpa-0");
	eq(checked(&c, NULL), "node of vDPA device vdpa:0000:65:00.3: /dev/vhost-vdpa-0 is not a "
			      "character device");
	node_sh(&n, "rm dev/vhost-vdpa-0");
	eq(checked(&c, NULL), "node of vDPA device vdpa:0000:65:00.3: node /dev/vhost-vdpa-0 of "
			      "vDPA device vdpa:0000:65:00.3");
	test("one that cannot be looked at is an error, and no difference");
	node_sh(&n, "mv dev dev2 && ln -s dev dev");
	eq(checked_to(&c, NULL, -1), "");
	ok(err.sys == ELOOP);
	contains(err.msg, "node /dev/vhost-vdpa-0 of vDPA device");
	node_sh(&n, "rm dev && mv dev2 dev");
}

int main(void)
{
	a = (struct attachment){ .sriov_lock = -1, .netns = -1, .icmp6 = -1 };
	node_open("vdpa-mlx5", &n);
	n.host.set.devinfo_dir = "/di";
	node_sh(&n, "for d in vhost virtio; do mkdir -p sys/bus/vdpa/drivers/${d}_vdpa; done");
	given();
	files();
	check();
	macs();
	made_on_sf();
	verified();
	overflow();
	attach_done(&a);
	node_close(&n);
	return tap_end();
}
