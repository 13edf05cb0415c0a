/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_eswitch.c - what devlink is asked for, and what its answers are taken for
 *
 * Devlink is played (see WRAP in GNUmakefile), in the form that mlx5 has had since 2023: the switch
 * and, in switchdev mode, the functions' ports are those of pci/<PF>, while the uplink is a port of
 * a nested device, auxiliary/mlx5_core.eth.<N>, which has no switch.  mlx5 has a switch id in
 * legacy mode as well.  What sysfs shows is a made-up tree's.
 */
#include "base/mem.h"
#include "devinfo/node/eswitch.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdarg.h>

#define PF "0000:03:00.0"

static struct fake_node n;

/* -- the kernel -- */

static struct {
	struct devlink_port port[4];
	size_t ports;
	bool pci_tells;			/* pci/<PF> is there */
	enum eswitch_mode mode;
	int error;			/* of each request */
	bool stuck;			/* the controller, so that devlink is not found in time */
	char asked[256];		/* in order */
} kernel;

static void note(const char *fmt, ...) printflike(1, 2);
static void note(const char *fmt, ...)
{
	size_t used = strlen(kernel.asked);
	va_list ap;

	if (used)
		kernel.asked[used++] = ' ';
	va_start(ap, fmt);
	(void)vsnprintf(kernel.asked + used, sizeof(kernel.asked) - used, fmt, ap);
	va_end(ap);
}

int __wrap_devlink_open(struct devlink *ret, struct err *e);
int __wrap_devlink_open(struct devlink *ret, struct err *e)
{
	(void)ret;
	note("open");
	return kernel.stuck ? err_set(e, ERR_TRY_AGAIN, ETIMEDOUT, "played") : 1;
}

int __wrap_devlink_ports(struct devlink *dl, devlink_port_fn *fn, void *arg, struct err *e);
int __wrap_devlink_ports(struct devlink *dl, devlink_port_fn *fn, void *arg, struct err *e)
{
	int r = fn(NULL, arg, e);

	(void)dl;
	note("ports");
	if (kernel.error)
		return err_set(e, ERR_NETLINK, kernel.error, "played");
	for (size_t i = 0; i < kernel.ports && r == 0; i++)
		r = fn(&kernel.port[i], arg, e);
	return r;
}

int __wrap_devlink_eswitch_mode(struct devlink *dl, const char *bus, const char *dev,
				enum eswitch_mode *ret, struct err *e);
int __wrap_devlink_eswitch_mode(struct devlink *dl, const char *bus, const char *dev,
				enum eswitch_mode *ret, struct err *e)
{
	(void)dl;
	note("%s/%s", bus, dev);
	if (kernel.error)
		return err_set(e, ERR_NETLINK, kernel.error, "played");
	if (kernel.pci_tells ? strcmp(bus, "pci") != 0 || strcmp(dev, PF) != 0 :
			       strcmp(bus, "netdevsim") != 0)
		return 0;
	*ret = kernel.mode;
	return 1;
}

static void put_port(const char *bus, const char *dev, enum devlink_flavour flavour,
		     uint32_t number, const char *netdev, int ifindex)
{
	struct devlink_port *p = &kernel.port[kernel.ports++];

	*p = (struct devlink_port){ .flavour = flavour, .number = number, .ifindex = ifindex };
	(void)snprintf(p->bus, sizeof(p->bus), "%s", bus);
	(void)snprintf(p->dev, sizeof(p->dev), "%s", dev);
	(void)snprintf(p->netdev, sizeof(p->netdev), "%s", netdev);
}

static void mlx5(enum eswitch_mode mode)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.pci_tells = true;
	kernel.mode = mode;
	put_port("auxiliary", "mlx5_core.eth.0", DEVLINK_PHYSICAL, 0, "ens1f0np0", 2);
	if (mode == ESWITCH_SWITCHDEV)
		put_port("pci", PF, DEVLINK_VF, 0, "eth3", 13);
}

static struct function vf0(void)
{
	struct pci_device dev;
	struct function f = { 0 };
	struct err e = { 0 };

	ok(eswitch_pci(&n.host, "0000:03:00.2", &dev, &e) == 1 && function_of_vf(&dev, &f));
	kernel.asked[0] = '\0';
	return f;
}

static const char *representor(void)
{
	static struct representor rep;
	const struct function f = vf0();
	struct err e = { 0 };
	int r;

	rep = (struct representor){ .ifindex = 0 };
	r = eswitch_representor(&n.host, &f, &rep, &e);
	return r > 0 ? rep.name : r == 0 ? "none" : "error";
}

static const char *mode(void)
{
	enum eswitch_mode m = ESWITCH_OTHER;
	const struct function f = vf0();
	struct err e = { 0 };

	return eswitch_mode_of(&n.host, &f, &m, &e) < 0 ? "error" : eswitch_mode_name(m);
}

/* -- tests -- */

static void in_legacy_mode(void)
{
	test("in legacy mode it is the PF's own device that says so, switch id or not");
	mlx5(ESWITCH_LEGACY);
	eq(mode(), "legacy");
	eq(kernel.asked, "open pci/" PF);
	test("and there is no representor: neither the ports nor sysfs are looked through");
	eq(representor(), "none");
	eq(kernel.asked, "open pci/" PF);
}

static void in_switchdev_mode(void)
{
	test("in switchdev mode the representor is devlink's, with one list of the ports");
	mlx5(ESWITCH_SWITCHDEV);
	eq(representor(), "eth3");
	eq(kernel.asked, "open pci/" PF " ports");
	eq(mode(), "switchdev");
	eq(kernel.asked, "open pci/" PF);
	test("where devlink has no such port sysfs decides");
	kernel.ports = 1;
	eq(representor(), "eth3");
	test("and where devlink fails");
	kernel.error = EPERM;
	eq(representor(), "eth3");
	eq(mode(), "error");
}

static void stuck(void)
{
	const struct function f = vf0();
	struct representor rep;
	enum eswitch_mode m;
	struct err e = { 0 };

	test("one that cannot be asked in time is not one that knows nothing: ask again");
	mlx5(ESWITCH_SWITCHDEV);
	kernel.stuck = true;
	ok(eswitch_representor(&n.host, &f, &rep, &e) == -1);
	ok(e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	ok(eswitch_mode_of(&n.host, &f, &m, &e) == -1 && e.code == ERR_TRY_AGAIN);
}

static void elsewhere(void)
{
	test("a device of another name is the one that has the uplink for a port");
	memset(&kernel, 0, sizeof(kernel));
	put_port("netdevsim", "netdevsim1", DEVLINK_PHYSICAL, 0, "ens1f0np0", 2);
	kernel.mode = ESWITCH_LEGACY;
	eq(mode(), "legacy");
	eq(kernel.asked, "open pci/" PF " ports netdevsim/netdevsim1");
	eq(representor(), "none");
	test("unless sysfs shows another one under its name");
	kernel.port[0].ifindex = 99;
	eq(mode(), "switchdev");
	test("a device that devlink does not know has the mode that its switch id tells");
	kernel.ports = 0;
	eq(mode(), "switchdev");
	eq(representor(), "eth3");
}

static unsigned int uplinks(const char *pf, const char **name)
{
	static struct uplink_search s;
	struct err e = { 0 };

	s = (struct uplink_search){ .host = &n.host, .pf_bdf = pf, .found = 7 };
	ok(uplink_take(NULL, &s, &e) == 0);
	for (size_t i = 0; i < kernel.ports; i++)
		ok(uplink_take(&kernel.port[i], &s, &e) == 0);
	*name = s.net.name;
	return s.found;
}

static void uplink(void)
{
	const char *name = "";

	test("the uplink is the physical port whose network device is the PF's, nested or not");
	mlx5(ESWITCH_SWITCHDEV);
	put_port("auxiliary", "mlx5_core.eth.1", DEVLINK_PHYSICAL, 0, "ens1f1np1", 3);
	ok(uplinks(PF, &name) == 1);
	eq(name, "ens1f0np0");
	ok(uplinks("0000:03:00.1", &name) == 1);
	eq(name, "ens1f1np1");
	test("a port of another namespace, or whose name is another's here, is none");
	ok(uplinks("0000:82:00.0", &name) == 0);
	kernel.port[0].ifindex = 3;
	ok(uplinks(PF, &name) == 0);
	kernel.port[0].ifindex = 0;
	ok(uplinks(PF, &name) == 0);
}

static void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", n.dir, command) < 0 || system(full) != 0)
		exit(1);
}

#define NET "sys/devices/pci0000:00/0000:00:02.0/" PF "/net/"

/* Names of the future: sysfs cannot tell which of them is the uplink. */
static void unnamed_uplink(void)
{
	struct sub_function sf;
	struct pci_device dev;
	struct function f;
	struct err e = { 0 };

	sh("echo pf0 >" NET "ens1f0np0/phys_port_name");
	mlx5(ESWITCH_SWITCHDEV);
	test("where sysfs cannot tell the uplink, devlink does, for a VF");
	ok(eswitch_pci(&n.host, "0000:03:00.2", &dev, &e) == 1 && dev.pf_ifindex == 2);
	eq(dev.pf_netdev, "ens1f0np0");
	test("and for a sub-function");
	ok(sysfs_sub_function(&n.host, "mlx5_core.sf.4", &sf, &e) == 1);
	ok(function_of_sf(&n.host, &sf, &f, &e) == 1 && f.uplink_ifindex == 2);
	eq(f.uplink, "ens1f0np0");
	test("a devlink that fails leaves it unknown");
	kernel.error = EPERM;
	ok(function_of_sf(&n.host, &sf, &f, &e) == 1 && f.uplink_ifindex == 0);
	ok(eswitch_pci(&n.host, "0000:03:00.2", &dev, &e) == 1 && dev.pf_ifindex == 0);
	test("one that is late does not");
	kernel.stuck = true;
	ok(function_of_sf(&n.host, &sf, &f, &e) == -1 && e.code == ERR_TRY_AGAIN);
	ok(eswitch_pci(&n.host, "0000:03:00.2", &dev, &e) == -1 && e.code == ERR_TRY_AGAIN);
}

int main(void)
{
	node_open("mlx5", &n);
	in_legacy_mode();
	in_switchdev_mode();
	stuck();
	elsewhere();
	uplink();
	unnamed_uplink();
	node_close(&n);
	return tap_end();
}
