/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_kernel.h - a kernel of our own for tests of RDMA devices and InfiniBand GUIDs
 *
 * No machine at hand has such hardware, so here is a VF with an RDMA device and an IPoIB
 * interface, in two real network namespaces, with a driver that makes both; rdma_answers.h
 * answers for it.  What it is asked to change it writes down.
 *
 * Its state is shared with children, so that one that is killed at some point (die_at) leaves
 * what a real kernel would have then.
 */
#ifndef TESTS_UNIT_RDMA_KERNEL_H
#define TESTS_UNIT_RDMA_KERNEL_H

#include "base/guid.h"
#include "base/mem.h"
#include "tests/unit/node.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VF	"0000:03:00.2"
#define PF	"0000:03:00.0"
#define VF_DIR	"sys/devices/pci0000:00/" VF
#define GUID_A	UINT64_C(0x0011223344556601)
#define GUID_B	UINT64_C(0x0011223344556602)
#define GUID_C	UINT64_C(0x0011223344556603)

enum { PF_INDEX = 5, VF_NUMBER = 1, IPOIB = 20 };

static struct fake_node n;

static inline void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", n.dir, command) < 0 || system(full) != 0) {
		(void)printf("Bail out! %s\n", command);
		exit(1);
	}
}

/* -- the kernel -- */

struct rdma_kernel {
	bool no_rdma, shared, old_mode, reports_guids, ipoib_follows, ethernet;
	int refuse_move, refuse_port;		/* errno */
	bool no_return;				/* the driver makes no RDMA device any more */
	bool keeps_guids;			/* takes one, and does nothing about it */
	bool forgets_guids;			/* takes one, and tells none */
	int renames, locked_renames;		/* those while somebody had rdma_lock() */
	int die_at, changes;			/* each change: a point before and one after it */
	pid_t call;				/* who is to be killed there, with its children */

	uint32_t rdma_index;			/* 0: there is none */
	char rdma_name[64], next_name[64];	/* next: as a bind calls it */
	char taken[64];				/* a name of another device, */
	bool taken_is_ours;			/* which is a device of the VF as well */
	char switched[64];			/* what udev calls ours once it was looked at */
	ino_t rdma_ns;

	int ifindex;				/* 0: there is none */
	char ifname[16];
	ino_t if_ns;
	uint32_t mtu;
	uint16_t mode, umcast;			/* of IPoIB */
	bool up;
	uint64_t guid, node_guid;		/* what the VF runs with */

	uint64_t node, port;			/* what the PF holds for it */
	char driver[64];
	char log[2048];
};

static struct rdma_kernel *k;

static ino_t home_ns, pod_ns;
static int pod_fd = -1;

static void note(const char *fmt, ...) printflike(1, 2);
static inline void note(const char *fmt, ...)
{
	size_t len = strlen(k->log);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(k->log + len, sizeof(k->log) - len, fmt, ap);
	va_end(ap);
}

/* A point at which a call may be killed. */
static inline void point(void)
{
	if (++k->changes != k->die_at)
		return;
	if (getpid() != k->call)		/* one that writes to /sys for it */
		(void)kill(k->call, SIGKILL);
	_exit(99);
}

static inline ino_t this_ns(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) == 0 ? st.st_ino : 0;
}

static inline ino_t ns_of(uint32_t fd)
{
	struct stat st;

	return fstat((int)fd, &st) == 0 ? st.st_ino : 0;
}

static inline const char *ns_name(ino_t ns)
{
	return ns == home_ns ? "home" : ns == pod_ns ? "pod" : "?";
}

/* What is below the VF's directory is made by calls: a shell would take most of the test's time. */
static inline void below_vf(char path[512], const char *dir, const char *name)
{
	(void)snprintf(path, 512, "%s/" VF_DIR "/%s%s", n.dir, dir, name);
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void remove_all(const char *path)
{
	if (nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
		bail_out(path);
}

static inline void make_dir(const char *dir, const char *name)
{
	char path[512];

	below_vf(path, dir, name);
	if (mkdir(path, 0755) < 0)
		bail_out(path);
}

static void make_file(const char *dir, const char *name, const char *text, ...) printflike(3, 4);
static inline void make_file(const char *dir, const char *name, const char *text, ...)
{
	char path[512];
	va_list ap;
	FILE *f;

	below_vf(path, dir, name);
	f = fopen(path, "we");
	if (!f)
		bail_out(path);
	va_start(ap, text);
	(void)vfprintf(f, text, ap);
	va_end(ap);
	(void)fclose(f);
}

static inline void make_rdma(const char *name)
{
	uint64_t guid = k->node_guid;
	char dir[96];

	make_dir("infiniband/", name);
	(void)snprintf(dir, sizeof(dir), "infiniband/%s/", name);
	make_file(dir, "node_guid", "%04x:%04x:%04x:%04x\n",
		  (unsigned int)(guid >> 48), (unsigned int)(guid >> 32 & 0xffff),
		  (unsigned int)(guid >> 16 & 0xffff), (unsigned int)(guid & 0xffff));
}

static inline void link_driver(void)
{
	char path[512], target[128];

	below_vf(path, "", "driver");
	(void)snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", k->driver);
	if (symlink(target, path) < 0)
		bail_out(path);
}

/* sysfs shows what is in the namespace it was mounted in. */
static inline void show(void)
{
	static const char *const made[] = { "infiniband", "net", "driver" };
	char path[512], dir[32];

	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		below_vf(path, "", made[i]);
		remove_all(path);
	}
	make_dir("", "infiniband");
	make_dir("", "net");
	if (k->rdma_index && k->rdma_ns == home_ns)
		make_rdma(k->rdma_name);
	if (k->taken_is_ours)
		make_rdma(k->taken);
	if (k->ifindex && k->if_ns == home_ns && *k->driver) {
		(void)snprintf(dir, sizeof(dir), "net/%s/", k->ifname);
		make_dir(dir, "");
		make_file(dir, "ifindex", "%d\n", k->ifindex);
	}
	if (*k->driver)
		link_driver();
}

/* ipoib_add_port(): a number and a name of its own; from Linux 6.17 on where the RDMA device is. */
static inline void make_interface(void)
{
	if (!k->ifindex)
		return;
	k->ifindex += 10;
	(void)snprintf(k->ifname, sizeof(k->ifname), "ib%d", k->ifindex);
	k->if_ns = k->ipoib_follows ? k->rdma_ns : home_ns;
	k->mtu = 2044;
	k->mode = k->umcast = 0;
	k->up = false;
}

static inline void unbind_vf(void)
{
	note("unbind; ");
	*k->driver = '\0';
	k->rdma_index = 0;
	show();
}

static inline void bind_vf(const char *driver)
{
	note("bind; ");
	(void)snprintf(k->driver, sizeof(k->driver), "%s", driver);
	if (strcmp(driver, "mlx5_core") == 0) {
		if (!k->no_return) {
			k->rdma_index = 100 + (uint32_t)k->ifindex;
			k->rdma_ns = home_ns;
			memcpy(k->rdma_name, k->next_name, sizeof(k->rdma_name));
		}
		if (k->port)
			k->guid = k->port;
		make_interface();
	}
	show();
}

#endif
