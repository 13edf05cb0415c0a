/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_pci.c - the PCI functions of an inventory, from sysfs
 *
 * Each function's directory is opened once, and its attributes are read in it.  A PF is not looked
 * at for each of its VFs: its own turn leaves which virtfn<N> leads where, and all are joined at
 * the end.  What a VF never has is not looked for, for there can be many.
 */
#include "manager/inventory/read.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define PCI_DIR "/sys/bus/pci/devices"

/* -- attributes -- */

static void strip_0x(char *text)
{
	if (strncmp(text, "0x", 2) == 0)
		memmove(text, text + 2, strlen(text + 2) + 1);
}

/* Identifiers are hexadecimal, and have "0x" in sysfs. */
static void read_id(int dir, const char *attr, char ret[8])
{
	char text[16];

	if (!read_line(dir, attr, text, sizeof(text)))
		return;
	strip_0x(text);
	if (strlen(text) < 8)
		memcpy(ret, text, strlen(text) + 1);
}

/*
 * The kernel says in one file what it says in five others, which counts where there are many VFs:
 * "pci:v00008086d00001520sv00008086sd0000A05Fbc02sc00i00".
 */
static bool read_modalias(int dir, struct inv_function *f)
{
	unsigned int vendor, device, subvendor, subdevice, base, sub, interface;
	char text[72];

	if (!read_line(dir, "modalias", text, sizeof(text)) ||
	    sscanf(text, "pci:v%8xd%8xsv%8xsd%8xbc%2xsc%2xi%2x", &vendor, &device, &subvendor,
		   &subdevice, &base, &sub, &interface) != 7)
		return false;
	(void)snprintf(f->vendor, sizeof(f->vendor), "%04x", vendor & UINT16_MAX);
	(void)snprintf(f->device, sizeof(f->device), "%04x", device & UINT16_MAX);
	(void)snprintf(f->subsystem_vendor, sizeof(f->subsystem_vendor), "%04x",
		       subvendor & UINT16_MAX);
	(void)snprintf(f->subsystem_device, sizeof(f->subsystem_device), "%04x",
		       subdevice & UINT16_MAX);
	(void)snprintf(f->class, sizeof(f->class), "%02x%02x%02x", base & UINT8_MAX,
		       sub & UINT8_MAX, interface & UINT8_MAX);
	return true;
}

/* A recorded node has the files alone. */
static void read_identity(int dir, struct inv_function *f)
{
	if (read_modalias(dir, f))
		return;
	read_id(dir, "class", f->class);
	read_id(dir, "vendor", f->vendor);
	read_id(dir, "device", f->device);
	read_id(dir, "subsystem_vendor", f->subsystem_vendor);
	read_id(dir, "subsystem_device", f->subsystem_device);
}

/* Drivers that make vDPA devices and nothing else of a function. */
static bool is_vdpa_driver(const char *driver)
{
	return strstr(driver, "vdpa") || strcmp(driver, "ifcvf") == 0;
}

/* A function without a class is in a tree that somebody wrote by hand. */
static bool is_ours(const struct inv_function *f)
{
	return !*f->class || strncmp(f->class, "02", 2) == 0 || strncmp(f->class, "12", 2) == 0 ||
	       driver_is_userspace(f->driver) || is_vdpa_driver(f->driver);
}

/* Of "RxErr 0\n...TOTAL_ERR_COR 3\n" the total. */
static bool read_aer(int dir, const char *attr, const char *total, uint64_t *ret)
{
	auto_close int fd = fs_open(dir, attr, O_RDONLY | O_NONBLOCK, 0);
	char text[2048];
	const char *at;
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, total);
	if (at)
		*ret = strtoull(at + strlen(total), NULL, 10);
	return at;
}

/* It has all three, or none. */
static bool read_errors(int dir, struct inv_function *f)
{
	return read_aer(dir, "aer_dev_correctable", "TOTAL_ERR_COR", &f->aer_correctable) &&
	       read_aer(dir, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", &f->aer_nonfatal) &&
	       read_aer(dir, "aer_dev_fatal", "TOTAL_ERR_FATAL", &f->aer_fatal);
}

static void read_attributes(int dir, struct inv_function *f)
{
	f->has_numa = read_number(dir, "numa_node", &f->numa_node);
	f->has_acpi_index = read_number(dir, "acpi_index", &f->acpi_index);
	read_base(dir, "physfn", f->pf_bdf, sizeof(f->pf_bdf));
	f->is_vf = *f->pf_bdf;
	if (!f->is_vf) {
		(void)read_number(dir, "sriov_totalvfs", &f->total_vfs);
		(void)read_number(dir, "sriov_numvfs", &f->num_vfs);
	}
	f->has_aer = read_errors(dir, f);
	read_base(dir, "iommu_group", f->iommu_group, sizeof(f->iommu_group));
	if (!read_line(dir, "driver_override", f->driver_override, sizeof(f->driver_override)) ||
	    strcmp(f->driver_override, "(null)") == 0)	/* so the kernel says none */
		*f->driver_override = '\0';
}

/* Of "pci0000:3a/0000:3a:00.0/0000:3b:00.2" device and function of each: pci0000:3a/00.0/00.2. */
static void set_path(const char *at, struct inv_function *f)
{
	char part[32], path[sizeof(f->pci_path)];
	size_t len = 0;

	for (size_t n; *at && len < sizeof(path); at += n + (at[n] == '/')) {
		n = strcspn(at, "/");
		(void)snprintf(part, sizeof(part), "%.*s", (int)n, at);
		len += (size_t)snprintf(path + len, sizeof(path) - len, "%s%s", len ? "/" : "",
					name_is_bdf(part) ? strrchr(part, ':') + 1 : part);
	}
	if (len > 0 && len < sizeof(path))
		memcpy(f->pci_path, path, len + 1);
}

/* What is behind "devices": of ../../../devices/pci0000:00/... the root is "pci0000:00". */
static void read_root(int bus, struct inv_function *f)
{
	static const char before[] = "/devices/";
	char path[PATH_MAX];
	struct err ignored;
	const char *at;
	size_t len;

	if (fs_readlink(bus, path, sizeof(path), &ignored, "%s", f->bdf) <= 0)
		return;
	at = strstr(path, before);
	at = at ? at + sizeof(before) - 1 : "";
	len = strcspn(at, "/");
	if (strncmp(at, "pci", 3) != 0 || len >= sizeof(f->pcie_root))
		return;
	memcpy(f->pcie_root, at, len);
	set_path(at, f);
}

/* -- VFs -- */

/* virtfn<index> of a PF leads to vf. */
struct vf_link {
	char pf[16], vf[16];
	int index;
};

struct pass {
	const struct host *host;
	struct inventory *inv;
	int bus;			/* PCI_DIR */
	const char *pf;			/* whose directory is looked at */
	int dir;
	struct vf_link *vfs;		/* owned */
	size_t n_vfs;
};

static void pass_done(const struct pass *p)
{
	free(p->vfs);
	mem_close_fd(&p->bus);
}

static int take_virtfn(const char *name, void *arg, struct err *e)
{
	struct pass *p = arg;
	struct vf_link *v;

	if (!name_is_numbered(name, "virtfn"))
		return 0;
	v = inv_add(&p->vfs, &p->n_vfs, sizeof(*v), e);
	if (!v)
		return -1;
	v->index = atoi(name + strlen("virtfn"));
	(void)snprintf(v->pf, sizeof(v->pf), "%s", p->pf);
	read_base(p->dir, name, v->vf, sizeof(v->vf));
	return 0;
}

static int by_vf(const void *a, const void *b)
{
	return strcmp(((const struct vf_link *)a)->vf, ((const struct vf_link *)b)->vf);
}

/* A VF that its PF does not list has no number: it cannot be configured. */
static void number_vfs(struct pass *p)
{
	if (p->n_vfs)
		qsort(p->vfs, p->n_vfs, sizeof(*p->vfs), by_vf);
	for (size_t i = 0; i < p->inv->n_functions; i++) {
		struct inv_function *f = &p->inv->functions[i];
		struct vf_link key = { .index = 0 }, *v = NULL;

		memcpy(key.vf, f->bdf, sizeof(key.vf));
		if (f->is_vf && p->n_vfs)
			v = bsearch(&key, p->vfs, p->n_vfs, sizeof(key), by_vf);
		f->vf_index = v && strcmp(v->pf, f->pf_bdf) == 0 ? v->index : INV_NONE;
	}
}

/* -- one pass -- */

static int take_function(const char *name, void *arg, struct err *e)
{
	struct inv_function one = { .numa_node = INV_NONE }, *f;
	struct pass *p = arg;
	auto_close int dir = -1;
	char path[64];
	int r;

	if (!name_is_bdf(name) || strlen(name) >= sizeof(one.bdf))
		return 0;
	memcpy(one.bdf, name, strlen(name) + 1);
	(void)snprintf(path, sizeof(path), PCI_DIR "/%s", name);
	r = fs_find_dir(p->host->root, path, &dir, e);
	if (r <= 0)
		return r;
	read_identity(dir, &one);
	read_base(dir, "driver", one.driver, sizeof(one.driver));
	if (!is_ours(&one))
		return 0;
	read_attributes(dir, &one);
	read_root(p->bus, &one);
	p->pf = name;
	p->dir = dir;
	if (!one.is_vf && fs_each(dir, ".", take_virtfn, p, e) < 0)
		return err_wrap(e, "VFs of %s", name);
	f = INV_ADD(p->inv, functions, e);
	if (!f)
		return -1;
	*f = one;
	return 0;
}

int read_pci(const struct host *host, struct inventory *inv, struct err *e)
{
	auto_with(pass_done) struct pass p = { .host = host, .inv = inv, .bus = -1 };
	int r = fs_find_dir(host->root, PCI_DIR, &p.bus, e);

	if (r <= 0)
		return r;
	if (fs_each_in(p.bus, PCI_DIR, take_function, &p, e) < 0)
		return -1;
	number_vfs(&p);
	return 0;
}
