/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_driver.c - binding to another driver and back, nodes, resets, in made-up trees
 *
 * The kernel is played by a shell: it reads what is written to the FIFOs "unbind" and
 * "drivers_probe", and removes or makes the function's link to its driver.  Who opens a group
 * without an IOMMU, or reads while the device's lock is held, is answered by __wrap_...().
 */
#include "base/fs.h"
#include "base/mem.h"
#include "cni/driver/driver.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define VF	"0000:01:10.0"
#define DEV	"sys/bus/pci/devices/" VF

static struct fake_node n;

static void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", n.dir, command) < 0 || system(full) != 0) {
		(void)printf("Bail out! %s\n", command);
		exit(1);
	}
}

static bool holds(const char *condition)
{
	auto_free char *full = NULL;

	return asprintf(&full, "cd %s && test %s", n.dir, condition) > 0 && system(full) == 0;
}

/* A VF of group 7, bound to igbvf, on a node that has vfio-pci. */
static void make_tree(void)
{
	sh("rm -rf sys dev && mkdir -p " DEV
	   " sys/bus/pci/drivers/igbvf sys/bus/pci/drivers/vfio-pci "
	   "sys/bus/pci/drivers/uio_pci_generic sys/kernel/iommu_groups/7/devices/" VF
	   " dev/vfio && "
	   "ln -s ../../drivers/igbvf " DEV "/driver && "
	   "ln -s ../../../../kernel/iommu_groups/7 " DEV "/iommu_group && "
	   "echo '(null)' >" DEV "/driver_override && echo 0x020000 >" DEV "/class && "
	   "mkfifo sys/bus/pci/drivers/igbvf/unbind sys/bus/pci/drivers/vfio-pci/unbind "
	   "sys/bus/pci/drivers_probe");
}

/*
 * What the kernel does with the next unbind (of FROM, "" for none) and probe, which binds to TO, ""
 * for none.  The override file is a file: lines of earlier writes are gone with O_TRUNC.
 */
static pid_t kernel(const char *from, const char *to)
{
	char unbind[256] = "", probe[256] = "";
	auto_free char *full = NULL;
	pid_t pid;

	if (*from)
		(void)snprintf(unbind, sizeof(unbind),
			       "[ \"$(cat sys/bus/pci/drivers/%s/unbind)\" = " VF " ] && rm " DEV
			       "/driver && ",
			       from);
	(void)snprintf(probe, sizeof(probe), "[ \"$(cat sys/bus/pci/drivers_probe)\" = " VF " ]");
	if (asprintf(&full,
		     "cd %s && %s%s && { [ -z '%s' ] || ln -s ../../drivers/%s " DEV "/driver; }",
		     n.dir, unbind, probe, to, to) < 0)
		exit(1);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)setpgid(0, 0);	/* ended with its children, if need be */
		(void)execl("/bin/sh", "sh", "-c", full, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* It was asked for exactly that; a kernel that still waits is ended. */
static bool was_asked(pid_t pid)
{
	int status = -1;

	for (int i = 0; i < 200 && waitpid(pid, &status, WNOHANG) == 0; i++)
		(void)usleep(10000);
	if (status == -1) {
		(void)kill(-pid, SIGKILL);
		(void)waitpid(pid, &status, 0);
		return false;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static struct pci_device vf(void)
{
	struct pci_device dev = { 0 };
	struct err e;

	if (sysfs_pci(&n.host, VF, &dev, &e) != 1) {
		(void)printf("Bail out! %s\n", e.msg);
		exit(1);
	}
	return dev;
}

static void looking(void)
{
	struct driver_state s = { .bound = "" };
	struct pci_device dev;
	struct err e = { 0 };

	make_tree();
	dev = vf();
	test("what has to be given back is read, and nothing is changed");
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == 0);
	eq(s.bound, "vfio-pci");
	eq(s.before, "igbvf");
	eq(s.override, "");
	sh("echo igbvf >" DEV "/driver_override");
	ok(driver_probe(&n.host, &dev, "uio_pci_generic", &s, &e) == 0);
	eq(s.override, "igbvf");
	test("a function that has the driver already needs nothing");
	s = (struct driver_state){ .bound = "" };
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver");
	dev = vf();
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == 0 && !*s.bound);
	make_tree();
	dev = vf();
	test("a driver that is not for user space, or not loaded, is refused");
	ok(driver_probe(&n.host, &dev, "igbvf", &s, &e) == -1 && e.code == ERR_NETCONF);
	ok(driver_probe(&n.host, &dev, "igb_uio", &s, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "driver igb_uio: it is not loaded");
	test("a PF whose VFs would go with its driver is refused");
	sh("echo 7 >" DEV "/sriov_numvfs");
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == -1 && e.code == ERR_BUSY);
	eq(e.msg, "driver vfio-pci: " VF " has 7 VFs");
	sh("echo 0 >" DEV "/sriov_numvfs");
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == 0);
	test("vfio needs a group, unless it is told to do without an IOMMU; uio does not");
	sh("rm " DEV "/iommu_group");
	dev = vf();
	ok(driver_probe(&n.host, &dev, "uio_pci_generic", &s, &e) == 0);
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == -1 &&
	   strstr(e.msg, "no IOMMU group"));
	sh("mkdir -p sys/module/vfio/parameters && "
	   "echo Y >sys/module/vfio/parameters/enable_unsafe_noiommu_mode");
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == 0);
}

static void binding(void)
{
	struct driver_state s = { .bound = "vfio-pci", .before = "igbvf", .override = "other" };
	struct err e = { 0 };
	pid_t pid;

	make_tree();
	test("it is unbound, and bound to the driver that driver_override names");
	pid = kernel("igbvf", "vfio-pci");
	ok(driver_bind(&n.host, VF, &s, &e) == 0 && was_asked(pid));
	ok(holds("\"$(cat " DEV "/driver_override)\" = vfio-pci"));
	eq(vf().driver, "vfio-pci");
	test("once more is nothing to do");
	ok(driver_bind(&n.host, VF, &s, &e) == 0);

	test("it is given back to the driver of before, and the override of before comes last");
	pid = kernel("vfio-pci", "igbvf");
	ok(driver_restore(&n.host, VF, &s, &e) == 0 && was_asked(pid));
	eq(vf().driver, "igbvf");
	ok(holds("\"$(cat " DEV "/driver_override)\" = other"));
	test("once more, and from a state in which nothing was done yet, is fine");
	ok(driver_restore(&n.host, VF, &s, &e) == 0);
	eq(vf().driver, "igbvf");
	test("an override of none is the empty line");
	*s.override = '\0';
	ok(driver_restore(&n.host, VF, &s, &e) == 0);
	ok(holds("\"$(od -An -c " DEV "/driver_override | tr -d ' ')\" = '\\n'"));
}

static void halves(void)
{
	struct driver_state s = { .bound = "vfio-pci", .before = "igbvf" };
	struct err e = { 0 };
	pid_t pid;

	make_tree();
	test("killed between unbinding and binding: the driver of before gets it");
	sh("rm " DEV "/driver && echo vfio-pci >" DEV "/driver_override");
	pid = kernel("", "igbvf");
	ok(driver_restore(&n.host, VF, &s, &e) == 0 && was_asked(pid));
	eq(vf().driver, "igbvf");
	test("a driver that does not take the function is an error");
	pid = kernel("igbvf", "");
	ok(driver_bind(&n.host, VF, &s, &e) == -1 && was_asked(pid) && e.code == ERR_DEVICE);
	eq(e.msg, "bind " VF " to vfio-pci: the driver did not take it");
	test("without a driver before there is none afterwards");
	sh("ln -s ../../drivers/vfio-pci " DEV "/driver");
	*s.before = '\0';
	pid = kernel("vfio-pci", "");
	ok(driver_restore(&n.host, VF, &s, &e) == 0);
	ok(!was_asked(pid) && !holds("-e " DEV "/driver"));	/* for it was not asked to probe */
	test("a function that has gone is an error");
	sh("rm -r " DEV);
	(void)snprintf(s.before, sizeof(s.before), "igbvf");
	ok(driver_restore(&n.host, VF, &s, &e) == -1 && e.code == ERR_IO);
}

/* While somebody else had the function. */
static void others(void)
{
	struct driver_state s = { .before = "igbvf", .override = "other" };
	struct err e = { 0 };
	pid_t pid;

	make_tree();
	test("a driver is taken away for a moment, and comes back");
	pid = kernel("igbvf", "igbvf");
	ok(driver_unbind(&n.host, VF, &e) == 0);
	eq(vf().driver, "");
	ok(driver_unbind(&n.host, VF, &e) == 0);
	ok(driver_restore(&n.host, VF, &s, &e) == 0 && was_asked(pid));
	eq(vf().driver, "igbvf");
	ok(holds("\"$(cat " DEV "/driver_override)\" = other"));
	test("one that somebody else has given it meanwhile stays, with its override");
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver && echo vfio-pci >" DEV
	   "/driver_override");
	ok(driver_restore(&n.host, VF, &s, &e) == 0);
	eq(vf().driver, "vfio-pci");
	ok(holds("\"$(cat " DEV "/driver_override)\" = vfio-pci"));
	test("unless we had given it another one");
	(void)snprintf(s.bound, sizeof(s.bound), "uio_pci_generic");
	pid = kernel("vfio-pci", "igbvf");
	ok(driver_restore(&n.host, VF, &s, &e) == 0 && was_asked(pid));
	eq(vf().driver, "igbvf");
	test("a driver of before that was unloaded is none");
	sh("rm " DEV "/driver && rm -r sys/bus/pci/drivers/igbvf");
	ok(driver_restore(&n.host, VF, &s, &e) == 0);
	eq(vf().driver, "");
	ok(holds("\"$(cat " DEV "/driver_override)\" = other"));
}

static void odd_overrides(void)
{
	struct driver_state s = { .bound = "" };
	struct pci_device dev;
	struct err e = { 0 };

	test("an override that a record could not keep is refused");
	make_tree();
	sh("printf 'a\\001b\\n' >" DEV "/driver_override");
	dev = vf();
	ok(driver_note(&n.host, &dev, &s, &e) == -1 && e.sys == EILSEQ);
	eq(e.msg, "the driver_override of " VF " is not a name");
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == -1 && e.sys == EILSEQ && !*s.bound);
}

static void nodes(void)
{
	struct pci_device dev;
	struct err e = { 0 };

	make_tree();
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver");
	dev = vf();
	test("the node of the group is needed, with IOMMU or without one");
	ok(driver_check_nodes(&n.host, &dev, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, VF " is bound to vfio-pci, but there is neither /dev/vfio/7 nor "
		     "/dev/vfio/noiommu-7");
	sh("touch dev/vfio/7");
	ok(driver_check_nodes(&n.host, &dev, &e) == -1);
	sh("rm dev/vfio/7 && mknod dev/vfio/7 c 0 0");
	ok(driver_check_nodes(&n.host, &dev, &e) == 0);
	sh("mv dev/vfio/7 dev/vfio/noiommu-7");
	ok(driver_check_nodes(&n.host, &dev, &e) == 0);
	test("or that of the function alone");
	sh("mkdir -p " DEV "/vfio-dev/vfio3 dev/vfio/devices && "
	   "mv dev/vfio/noiommu-7 dev/vfio/devices/vfio3");
	ok(driver_check_nodes(&n.host, &dev, &e) == 0);
	sh("mv dev/vfio/devices/vfio3 dev/vfio/devices/vfio4");
	ok(driver_check_nodes(&n.host, &dev, &e) == -1);
	test("a group of which the kernel drives a part is told");
	sh("mknod dev/vfio/7 c 0 0 && mkdir -p sys/bus/pci/devices/0000:01:10.2 "
	   "sys/kernel/iommu_groups/7/devices/0000:01:10.2 && "
	   "ln -s ../../drivers/igbvf sys/bus/pci/devices/0000:01:10.2/driver && "
	   "echo 0x020000 >sys/bus/pci/devices/0000:01:10.2/class");
	ok(driver_check_nodes(&n.host, &dev, &e) == -1 && e.sys == EBUSY);
	eq(e.msg, "IOMMU group 7 of " VF " also has 0000:01:10.2, driven by igbvf");
	test("a bridge, one without driver and one in user space are no harm");
	sh("echo 0x060400 >sys/bus/pci/devices/0000:01:10.2/class");
	ok(driver_check_nodes(&n.host, &dev, &e) == 0);
	sh("echo 0x020000 >sys/bus/pci/devices/0000:01:10.2/class && "
	   "ln -sfn ../../drivers/vfio-pci sys/bus/pci/devices/0000:01:10.2/driver");
	ok(driver_check_nodes(&n.host, &dev, &e) == 0);
	sh("rm sys/bus/pci/devices/0000:01:10.2/driver");
	ok(driver_check_nodes(&n.host, &dev, &e) == 0);
	test("without a group the IOMMU is what is missing");
	sh("rm -r " DEV "/iommu_group " DEV "/vfio-dev");
	dev = vf();
	ok(driver_check_nodes(&n.host, &dev, &e) == -1 &&
	   strstr(e.msg, "is the IOMMU switched on?"));
}

static void uio(void)
{
	struct pci_device dev;
	struct err e = { 0 };

	make_tree();
	sh("ln -sfn ../../drivers/uio_pci_generic " DEV "/driver && rm " DEV "/iommu_group");
	dev = vf();
	test("the node of uio is looked for by what the function says");
	ok(driver_check_nodes(&n.host, &dev, &e) == -1);
	eq(e.msg, VF " is bound to uio_pci_generic, but there is no /dev/uio<N>");
	sh("mkdir -p " DEV "/uio/uio5");
	ok(driver_check_nodes(&n.host, &dev, &e) == -1);
	eq(e.msg, VF " is bound to uio_pci_generic, but there is no /dev/uio5");
	sh("mknod dev/uio5 c 0 0");
	ok(driver_check_nodes(&n.host, &dev, &e) == 0);
}

/* -- is it open? -- */

int __real_fs_open(int root, const char *path, int flags, mode_t mode);
int __wrap_fs_open(int root, const char *path, int flags, mode_t mode);

static int opened;	/* errno of a group without an IOMMU that may be opened; 0: it is free */

static bool is_effective(unsigned int capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &head, caps) == 0 &&
	       caps[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

static void drop(unsigned int capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, caps) < 0)
		exit(1);
	caps[CAP_TO_INDEX(capability)].effective &= ~CAP_TO_MASK(capability);
	if (syscall(SYS_capset, &head, caps) < 0)
		exit(1);
}

/* vfio_group_fops_open(): first the capability, then whether somebody has it. */
int __wrap_fs_open(int root, const char *path, int flags, mode_t mode)
{
	if (strncmp(path, "/dev/vfio/noiommu-", 18) != 0 || flags & O_PATH)
		return __real_fs_open(root, path, flags, mode);
	if (is_effective(CAP_SYS_RAWIO) && !opened)
		return __real_fs_open(root, "/dev/vfio/noiommu-7", O_RDONLY, 0);
	errno = is_effective(CAP_SYS_RAWIO) ? opened : EPERM;
	return -1;
}

static void uses(void)
{
	struct driver_state s = { .bound = "vfio-pci", .before = "igbvf" };
	struct err e = { 0 };

	make_tree();
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver && touch dev/vfio/noiommu-7");
	drop(CAP_SYS_RAWIO);
	test("a group without an IOMMU is in use when the kernel says so, not when we may not ask");
	ok(driver_check_unused(&n.host, VF, &e) == 0);
	opened = EBUSY;
	ok(driver_check_free(&n.host, VF, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "a program still has /dev/vfio/noiommu-7 open");
	test("for that we have the capability no longer than we look");
	ok(!is_effective(CAP_SYS_RAWIO));
	test("one that is being unbound, which waits for the program, has no driver any more");
	sh("rm " DEV "/driver");
	ok(driver_check_free(&n.host, VF, &e) == -1 && e.code == ERR_TRY_AGAIN);
	ok(driver_restore(&n.host, VF, &s, &e) == -1 && e.code == ERR_TRY_AGAIN);
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver");
	test("whatever else the kernel says is not \"free\", and nothing is unbound");
	opened = EPERM;
	ok(driver_check_free(&n.host, VF, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == EPERM);
	eq(e.msg, "check whether " VF " is in use: open '/dev/vfio/noiommu-7'");
	opened = EIO;
	ok(driver_restore(&n.host, VF, &s, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == EIO);
	eq(vf().driver, "vfio-pci");
	opened = 0;
	sh("mkdir dev/vfio/7");
	ok(driver_check_free(&n.host, VF, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == EISDIR);
	test("a group that has gone, or its driver, nobody has");
	sh("rmdir dev/vfio/7 && mknod dev/vfio/7 c 0 0 && rm dev/vfio/noiommu-7");
	opened = ENODEV;
	ok(driver_check_free(&n.host, VF, &e) == 0);
	opened = 0;
	ok(driver_check_free(&n.host, VF, &e) == 0);
}

int __real_fs_read_line(int root, char *buf, size_t size, struct err *e, const char *fmt, ...);
int __wrap_fs_read_line(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
	printflike(5, 6);

static const char *locked = "";	/* the file whose reading waits for the lock of the device */

int __wrap_fs_read_line(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
{
	char path[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (*locked && strstr(path, locked))
		(void)pause();
	return __real_fs_read_line(root, buf, size, e, "%s", path);
}

static double seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A FIFO that nobody reads is a file that waits. */
static void stuck(void)
{
	struct driver_state s = { .bound = "vfio-pci", .before = "igbvf" };
	struct pci_device dev;
	struct err e = { 0 };
	double start = seconds();

	make_tree();
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver");
	test("an unbinding that waits is given up after a time, and may be tried again");
	ok(driver_restore(&n.host, VF, &s, &e) == -1 && e.code == ERR_TRY_AGAIN &&
	   e.sys == ETIMEDOUT);
	eq(e.msg, "give " VF " back to igbvf: write '" VF "' to '/" DEV
		  "/driver/unbind': no answer in time");
	ok(seconds() - start > 5 && seconds() - start < 20);
	test("a child that made it is not left behind when it can be ended");
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	test("so are files that wait for the lock of the device");
	start = seconds();
	make_tree();
	dev = vf();
	locked = "/driver_override";
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "driver vfio-pci: read '/" DEV "/driver_override': no answer in time");
	locked = "/sriov_numvfs";
	ok(driver_probe(&n.host, &dev, "vfio-pci", &s, &e) == -1 && e.code == ERR_TRY_AGAIN);
	locked = "";
	ok(seconds() - start < 10);
}

static void resets(void)
{
	struct driver_state s = { .bound = "" };
	struct pci_device dev;
	struct err e = { 0 };
	pid_t pid;

	make_tree();
	dev = vf();
	test("the driver that a reset takes away is noted, one for user space is not");
	ok(driver_note(&n.host, &dev, &s, &e) == 0 && !*s.bound);
	eq(s.before, "igbvf");
	s = (struct driver_state){ .bound = "" };
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver");
	dev = vf();
	ok(driver_note(&n.host, &dev, &s, &e) == 0 && !*s.before);
	test("without reset there is none");
	ok(driver_can_reset(&n.host, VF, &e) == 0);
	ok(driver_reset(&n.host, VF, &s, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, VF " has no function level reset");
	test("a kernel that does not tell the methods is asked by what it has");
	sh(": >" DEV "/reset");
	ok(driver_can_reset(&n.host, VF, &e) == 1);
	test("methods without flr are not used");
	sh("echo 'pm bus' >" DEV "/reset_method");
	ok(driver_can_reset(&n.host, VF, &e) == 0 && driver_reset(&n.host, VF, &s, &e) == -1);
	ok(holds("! -s " DEV "/reset"));
	test("flr among the methods is, by writing 1");
	sh("echo 'flr bus' >" DEV "/reset_method");
	ok(driver_reset(&n.host, VF, &s, &e) == 0 && holds("\"$(cat " DEV "/reset)\" = 1"));
	test("a PF that has VFs is not: they would go with its driver");
	sh(": >" DEV "/reset; echo 7 >" DEV "/sriov_numvfs");
	ok(driver_can_reset(&n.host, VF, &e) == -1 && e.code == ERR_BUSY);
	ok(driver_reset(&n.host, VF, &s, &e) == -1 && holds("! -s " DEV "/reset"));
	sh("echo 0 >" DEV "/sriov_numvfs");
	ok(driver_can_reset(&n.host, VF, &e) == 1);
	test("a driver of the kernel is away meanwhile, and comes back whether the reset went well "
	     "or not");
	(void)snprintf(s.before, sizeof(s.before), "igbvf");
	sh(": >" DEV "/reset && ln -sfn ../../drivers/igbvf " DEV "/driver");
	pid = kernel("igbvf", "igbvf");
	ok(driver_reset(&n.host, VF, &s, &e) == 0 && was_asked(pid));
	ok(holds("\"$(cat " DEV "/reset)\" = 1"));
	eq(vf().driver, "igbvf");
	sh("rm " DEV "/reset && mkdir " DEV "/reset");
	pid = kernel("igbvf", "igbvf");
	ok(driver_reset(&n.host, VF, &s, &e) == -1 && was_asked(pid));
	ok(strncmp(e.msg, "reset " VF ": ", 20) == 0);
	eq(vf().driver, "igbvf");
	test("a reset that fails is told");
	*s.before = '\0';
	sh("ln -sfn ../../drivers/vfio-pci " DEV "/driver");
	ok(driver_reset(&n.host, VF, &s, &e) == -1 && strncmp(e.msg, "reset " VF ": ", 20) == 0);
}

int main(void)
{
	node_open(NULL, &n);
	looking();
	binding();
	halves();
	others();
	odd_overrides();
	nodes();
	uio();
	uses();
	stuck();
	resets();
	node_close(&n);
	return tap_end();
}
