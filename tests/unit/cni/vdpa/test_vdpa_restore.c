/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vdpa_restore.c - a vDPA device is given back, and its network device is known again
 *
 * The kernel is played (see WRAP in GNUmakefile); what it makes, binds and deletes shows in a
 * tree's sysfs.  Whatever would wait for a program or a back-end is played as well.
 */
#include "cni/vdpa/vdpa.h"
#include "cni/vdpa/vdpa_driver.h"
#include "netlink/nl_vdpa.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>

#define NAME "dv0123456789ab"
#define LINK "sys/bus/vdpa/devices/" NAME
#define FUNCTION "sys/devices/pci0000:00/0000:00:06.0/0000:03:00.0/"

static struct fake_node n;
static struct err err;

/* -- the kernel -- */

static struct {
	bool busy;			/* it does not answer in time */
	bool making;			/* the device is there once it has answered */
	bool taken;			/* somebody is faster to make one of that name */
	const char *mgmt_bus, *mgmt_dev;
	int use;			/* of its node; -1 with error, sys */
	enum err_code error;
	int sys;
	const char *binding;		/* what a bind brings about in the tree */
	unsigned int asked, deleted, seen, bound;
} kernel;

int __wrap_vdpa_device_get(const char *name, struct vdpa_dev *ret, const struct deadline *d,
			   struct err *e);
int __wrap_vdpa_device_get(const char *name, struct vdpa_dev *ret, const struct deadline *d,
			   struct err *e)
{
	kernel.asked++;
	if (deadline_left_ms(d) == 0)
		return err_set(e, ERR_IO, 0, "asked for %s", name);
	if (kernel.busy)
		return err_set(e, ERR_TRY_AGAIN, ETIMEDOUT, "played");
	if (kernel.making)
		node_sh(&n,
			"mkdir -p sys/devices/" NAME " && ln -sfn ../../../devices/" NAME " " LINK);
	*ret = (struct vdpa_dev){ .id = VDPA_ID_NET };
	(void)snprintf(ret->mgmt_bus, sizeof(ret->mgmt_bus), "%s", kernel.mgmt_bus);
	(void)snprintf(ret->mgmt_dev, sizeof(ret->mgmt_dev), "%s", kernel.mgmt_dev);
	return strcmp(name, NAME) != 0 || node_holds(&n, "-e " LINK);
}

int __wrap_vdpa_delete(const char *name, const struct deadline *d, struct err *e);
int __wrap_vdpa_delete(const char *name, const struct deadline *d, struct err *e)
{
	(void)d;
	kernel.deleted++;
	if (strcmp(name, NAME) != 0)
		return err_set(e, ERR_IO, 0, "asked for %s", name);
	node_sh(&n, "rm " LINK);
	return 1;
}

int __wrap_vdpa_create(const struct vdpa_new *spec, const struct deadline *d, struct err *e);
int __wrap_vdpa_create(const struct vdpa_new *spec, const struct deadline *d, struct err *e)
{
	(void)d;
	return kernel.taken ? err_set(e, ERR_NETLINK, EEXIST, "%s: played", spec->name) : 0;
}

int __wrap_vdpa_see_use(const struct host *host, const struct vdpa_device *dev, struct err *e);
int __wrap_vdpa_see_use(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	(void)host;
	kernel.seen++;
	return kernel.use > 0 ? kernel.use
			      : err_set(e, kernel.error, kernel.sys, "%s: played", dev->name);
}

int __wrap_vdpa_bind(const struct host *host, const char *name, const char *driver, struct err *e);
int __wrap_vdpa_bind(const struct host *host, const char *name, const char *driver, struct err *e)
{
	(void)host;
	(void)name;
	(void)driver;
	(void)e;
	kernel.bound++;
	if (kernel.binding)
		node_sh(&n, kernel.binding);
	return 0;
}

static void forget(void)
{
	kernel.asked = kernel.deleted = kernel.seen = kernel.bound = 0;
	err = (struct err){ 0 };
}

static void play(int use, enum err_code error, int sys)
{
	kernel.use = use;
	kernel.error = error;
	kernel.sys = sys;
}

/* -- one of our making -- */

static int restore(bool created)
{
	struct record rec = { .vdpa = { .name = NAME, .created = created, .mgmt = "vdpasim_net" } };

	forget();
	return vdpa_restore(&n.host, &rec, &err);
}

static void created(void)
{
	test("one that is not there, by the kernel's word as well, is given back");
	ok(restore(true) == 0 && kernel.asked == 1 && kernel.deleted == 0);
	test("as long as the kernel does not answer one may still come: DEL is told to try again");
	kernel.busy = true;
	ok(restore(true) == -1 && err.code == ERR_TRY_AGAIN && err.sys == ETIMEDOUT);
	eq(err.msg, "give vDPA device " NAME " back: whether it is there: played");
	test("one that has come by then is deleted");
	kernel.busy = false;
	kernel.making = true;
	ok(restore(true) == 0 && kernel.asked == 1 && kernel.deleted == 1);
	ok(!node_holds(&n, "-e " LINK));
	test("of a given one that has gone the kernel is not asked");
	kernel.busy = true;
	kernel.making = false;
	ok(restore(false) == 0 && kernel.asked == 0 && kernel.deleted == 0);
	kernel.busy = false;
}

static void of_another(void)
{
	test("one of that name on another management device is somebody else's");
	kernel.making = true;
	kernel.mgmt_bus = "pci";
	kernel.mgmt_dev = "0000:03:00.0";
	ok(restore(true) == 0 && kernel.deleted == 0 && node_holds(&n, "-e " LINK));
	kernel.mgmt_bus = "";
	kernel.mgmt_dev = "vdpasim_net";
	kernel.making = false;
	ok(restore(true) == 0 && kernel.deleted == 1);
}

static void taken(void)
{
	static const struct owner owner = {
		.network = "n", .container_id = "c", .ifname = "net1", .netns = "/run/netns/c",
	};
	auto_record struct record back = { 0 };
	struct netconf conf = { .vdpa = { .create = true } };
	struct attachment a = {
		.host = &n.host, .conf = &conf, .journal = { .dir = -1, .lock = -1 },
		.vdpa = { .mgmt_dev = "vdpasim_net" },
		.rec = { .owner = owner, .boot_id = "b", .device = NAME, .devinfo_dir = "/d",
			 .run_dir = "/r",
			 .vdpa = { .name = NAME, .created = true, .mgmt = "vdpasim_net",
				   .driver = VHOST_VDPA } },
	};

	test("a name that somebody else was faster to take: the record on disk has no device");
	kernel.taken = true;
	forget();
	ok(journal_open(&n.host, JOURNAL_CREATE, &a.journal, &err) == 1);
	ok(journal_write(&a.journal, &a.rec, &err) == 0);
	ok(vdpa_prepare(&a, &err) == -1 && err.code == ERR_BUSY && err.sys == EEXIST);
	eq(a.rec.vdpa.name, "");
	ok(journal_find(&a.journal, &owner, &back, &err) == 1);
	eq(back.vdpa.name, "");
	ok(!back.vdpa.created);
	journal_done(&a.journal);
	kernel.taken = false;
}

/* -- before anything is undone -- */

/* Of a device that is there, or not; what the call was told is then in rec. */
static int check_free(struct record *rec, const struct vdpa_state *s)
{
	forget();
	*rec = (struct record){ .vdpa = *s };
	return vdpa_check_free(&n.host, rec, &err);
}

static void checked(void)
{
	static const struct vdpa_state made = { .name = NAME, .created = true },
		given = { .name = "vdpa0", .driver_before = VHOST_VDPA },
		readdressed = { .name = "vdpa0", .driver_before = VHOST_VDPA, .mac_set = true },
		switched = { .name = "vdpa0", .driver_before = VIRTIO_VDPA, .driver = VHOST_VDPA };
	struct record rec;

	kernel.making = true;
	test("one that nobody uses can be undone, and the kernel has said so");
	play(VDPA_FREE, ERR_OK, 0);
	ok(check_free(&rec, &made) == 0 && kernel.asked == 1);
	ok(check_free(&rec, &readdressed) == 0 && kernel.asked == 1 && kernel.seen == 1);
	test("which is not asked for what is done without it");
	ok(check_free(&rec, &given) == 0 && kernel.asked == 0 && kernel.seen == 1);
	ok(check_free(&rec, &switched) == 0 && kernel.asked == 0);
	test("a kernel that does not answer: try again");
	kernel.busy = true;
	ok(check_free(&rec, &made) == -1 && err.code == ERR_TRY_AGAIN);
	ok(check_free(&rec, &readdressed) == -1 && err.code == ERR_TRY_AGAIN);
	kernel.busy = false;
	test("a program has it open: try again, whatever is to be done, and the kernel is not "
	     "asked");
	play(-1, ERR_TRY_AGAIN, EBUSY);
	ok(check_free(&rec, &given) == -1 && err.code == ERR_TRY_AGAIN);
	ok(check_free(&rec, &readdressed) == -1 && kernel.asked == 0);
	eq(err.msg, "vDPA device vdpa0: vdpa0: played");
	test("our own open hangs: try again, where a driver ends");
	play(-1, ERR_TRY_AGAIN, ETIMEDOUT);
	ok(check_free(&rec, &switched) == -1 && err.code == ERR_TRY_AGAIN);
	ok(check_free(&rec, &given) == 0);
	test("a node that cannot be tried is in the way of the same");
	play(-1, ERR_IO, EPERM);
	ok(check_free(&rec, &switched) == -1 && err.code == ERR_IO);
	ok(check_free(&rec, &given) == 0 && rec.vdpa.use == VDPA_MUTE);
	test("one that does not answer is tried once, and one that does again before it is "
	     "changed");
	play(VDPA_MUTE, ERR_OK, 0);
	ok(check_free(&rec, &given) == 0 && vdpa_check_free(&n.host, &rec, &err) == 0);
	ok(vdpa_restore(&n.host, &rec, &err) == 0 && kernel.seen == 1);
	play(VDPA_FREE, ERR_OK, 0);
	ok(check_free(&rec, &switched) == 0 && vdpa_check_free(&n.host, &rec, &err) == 0);
	ok(kernel.seen == 1);
	play(-1, ERR_TRY_AGAIN, EBUSY);
	ok(vdpa_restore(&n.host, &rec, &err) == -1 && kernel.seen == 2 && kernel.bound == 0);
	play(VDPA_FREE, ERR_OK, 0);
	kernel.making = false;
}

/* -- the network device -- */

static struct record of_virtio(const char *name, const char *virtio)
{
	struct record rec = { .is_pci = true, .unique_parent = true, .netdev = { .present = true },
			      .vdpa = { .driver_before = VIRTIO_VDPA } };

	(void)snprintf(rec.vdpa.name, sizeof(rec.vdpa.name), "%s", name);
	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), "%s", virtio);
	return rec;
}

static void kept(void)
{
	struct record rec = of_virtio("vdpa1", "virtio3");

	test("the network device is that of the vDPA device's virtio device");
	ok(vdpa_find_netdev(&n.host, &rec, &err) == 1 && rec.unique_parent);
	test("bound anew it has another virtio device, and nothing of ours is left");
	rec = of_virtio("vdpa1", "virtio9");
	ok(vdpa_find_netdev(&n.host, &rec, &err) == 0);
	test("nor is of one that has gone, whoever has its virtioN now, or with another driver");
	rec = of_virtio("nosuch", "virtio3");
	ok(vdpa_find_netdev(&n.host, &rec, &err) == 0);
	rec = of_virtio("vdpa0", "virtio3");
	ok(vdpa_find_netdev(&n.host, &rec, &err) == 0);
	test("of two of one function it is the one that has the number as well");
	rec = of_virtio("second", "virtio4");
	ok(vdpa_find_netdev(&n.host, &rec, &err) == 1 && !rec.unique_parent);
	test("a kernel that does not tell it of network devices is not asked");
	rec = of_virtio("vdpa1", "");
	rec.unique_parent = false;
	ok(vdpa_find_netdev(&n.host, &rec, &err) == 1 && !rec.unique_parent && !*rec.netdev.parent);
}

/* What a bind of one that had the driver virtio_vdpa brings. */
static struct record renewed(const char *name, const char *virtio, const char *binding)
{
	struct record rec = of_virtio(name, virtio);

	forget();
	(void)snprintf(rec.vdpa.driver, sizeof(rec.vdpa.driver), VHOST_VDPA);
	kernel.binding = binding;
	ok(vdpa_restore(&n.host, &rec, &err) == 0);
	return rec;
}

static void came_anew(void)
{
	struct record rec = renewed("vdpa1", "virtio1", NULL);

	test("one that has been bound back already has the network device that is there");
	ok(kernel.bound == 0 && rec.netdev.present);
	eq(rec.netdev.parent, "virtio3");
	test("unless another of its function may have that");
	rec = renewed("second", "virtio4", NULL);
	ok(kernel.bound == 0 && !rec.netdev.present);
	test("one that is bound has what came, whichever the others are");
	node_sh(&n, "ln -sfn ../../../../../bus/vdpa/drivers/vhost_vdpa " FUNCTION "second/driver");
	node_sh(&n, "mv " FUNCTION "virtio5 sys/virtio5");
	rec = renewed("second", "virtio4", "mv sys/virtio5 " FUNCTION);
	ok(kernel.bound == 1 && rec.netdev.present);
	eq(rec.netdev.parent, "virtio5");
	node_sh(&n,
		"ln -sfn ../../../../../bus/vdpa/drivers/virtio_vdpa " FUNCTION "second/driver");
	ok(vdpa_find_netdev(&n.host, &rec, &err) == 1 && rec.unique_parent);
	eq(rec.netdev.parent, "virtio5");
	test("of two that came at once it may be either, and none is taken");
	node_sh(&n, "ln -sfn ../../../../../bus/vdpa/drivers/vhost_vdpa " FUNCTION "second/driver");
	rec = renewed("second", "virtio4", "mkdir " FUNCTION "virtio7 " FUNCTION "virtio8");
	ok(kernel.bound == 1 && !rec.netdev.present);
	kernel.binding = NULL;
}

int main(void)
{
	kernel.mgmt_bus = "";
	kernel.mgmt_dev = "vdpasim_net";
	play(VDPA_FREE, ERR_OK, 0);
	node_open("vdpa", &n);
	created();
	of_another();
	taken();
	checked();
	kept();
	came_anew();
	node_close(&n);
	return tap_end();
}
