/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_pci.c - the PCI functions of an inventory, from sysfs
 *
 * Each function's directory is opened once, and its attributes are read in it.  A PF is not looked
 * at for each of its VFs: its own turn leaves which virtfn<N> leads where, and all are joined at
 * the end.
 */
#include "devinfo/inventory/read.h"

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
static int read_ids(int dir, struct inv_function *f, struct err *e)
{
	static const char *const attrs[] = { "vendor", "device", "subsystem_vendor",
					     "subsystem_device" };
	char *const to[] = { f->vendor, f->device, f->subsystem_vendor, f->subsystem_device };
	char text[16];

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++) {
		*text = '\0';
		if (fs_read_line(dir, text, sizeof(text), e, "%s", attrs[i]) < 0)
			return -1;
		strip_0x(text);
		if (strlen(text) < sizeof(f->vendor))
			memcpy(to[i], text, strlen(text) + 1);
	}
	return 0;
}

static int read_class(int dir, struct inv_function *f, struct err *e)
{
	char text[16] = "";

	if (fs_read_line(dir, text, sizeof(text), e, "class") < 0)
		return -1;
	strip_0x(text);
	if (strlen(text) < sizeof(f->class))
		memcpy(f->class, text, strlen(text) + 1);
	return 0;
}

/* Drivers that make vDPA devices and nothing else of a function. */
static bool is_vdpa_driver(const char *driver)
{
	return strstr(driver, "vdpa") || strcmp(driver, "ifcvf") == 0;
}

/* A function without a class is in a tree that somebody wrote by hand. */
static bool is_ours(const struct inv_function *f)
{
	return !*f->class || strncmp(f->class, "02", 2) == 0 || driver_is_userspace(f->driver) ||
	       is_vdpa_driver(f->driver);
}

static int read_numbers(int dir, struct inv_function *f, struct err *e)
{
	int r = read_number(dir, "numa_node", &f->numa_node, e);

	f->has_numa = r > 0;
	if (r >= 0)
		r = read_number(dir, "acpi_index", &f->acpi_index, e);
	f->has_acpi_index = r > 0;
	return r < 0 || read_number(dir, "sriov_totalvfs", &f->total_vfs, e) < 0 ||
	       read_number(dir, "sriov_numvfs", &f->num_vfs, e) < 0 ? -1 : 0;
}

/* "RxErr 0\n...TOTAL_ERR_COR 3\n" */
static int read_aer(int dir, const char *attr, const char *total, bool *has, uint64_t *ret,
		    struct err *e)
{
	auto_close int fd = fs_open(dir, attr, O_RDONLY | O_NONBLOCK, 0);
	char text[2048];
	const char *at;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open '%s'", attr);
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, total);
	if (!at)
		return 0;
	*ret = strtoull(at + strlen(total), NULL, 10);
	*has = true;
	return 0;
}

static int read_errors(int dir, struct inv_function *f, struct err *e)
{
	if (read_aer(dir, "aer_dev_correctable", "TOTAL_ERR_COR", &f->has_aer, &f->aer_correctable,
		     e) < 0)
		return -1;
	if (!f->has_aer)	/* it has all three, or none */
		return 0;
	if (read_aer(dir, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", &f->has_aer, &f->aer_nonfatal,
		     e) < 0)
		return -1;
	return read_aer(dir, "aer_dev_fatal", "TOTAL_ERR_FATAL", &f->has_aer, &f->aer_fatal, e);
}

/* The file says "(null)" for none. */
static int read_override(int dir, struct inv_function *f, struct err *e)
{
	if (fs_read_line(dir, f->driver_override, sizeof(f->driver_override), e,
			 "driver_override") < 0)
		return -1;
	if (strcmp(f->driver_override, "(null)") == 0)
		*f->driver_override = '\0';
	return 0;
}

static int read_attributes(int dir, struct inv_function *f, struct err *e)
{
	if (read_ids(dir, f, e) < 0 || read_numbers(dir, f, e) < 0 ||
	    read_override(dir, f, e) < 0 || read_errors(dir, f, e) < 0 ||
	    read_base(dir, "iommu_group", f->iommu_group, sizeof(f->iommu_group), e) < 0 ||
	    read_base(dir, "physfn", f->pf_bdf, sizeof(f->pf_bdf), e) < 0)
		return -1;
	f->is_vf = *f->pf_bdf;
	return 0;
}

/* The component behind "devices": of ../../../devices/pci0000:00/... it is "pci0000:00". */
static int read_root(const struct host *host, struct inv_function *f, struct err *e)
{
	static const char before[] = "/devices/";
	char path[PATH_MAX] = "";
	const char *at;
	size_t len;

	if (fs_readlink(host->root, path, sizeof(path), e, PCI_DIR "/%s", f->bdf) < 0)
		return -1;
	at = strstr(path, before);
	at = at ? at + sizeof(before) - 1 : "";
	len = strcspn(at, "/");
	if (strncmp(at, "pci", 3) == 0 && len < sizeof(f->pcie_root))
		memcpy(f->pcie_root, at, len);
	return 0;
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
	const char *pf;			/* whose directory is looked at */
	int dir;
	struct vf_link *vfs;		/* owned */
	size_t n_vfs;
};

static void pass_done(const struct pass *p)
{
	free(p->vfs);
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
	return read_base(p->dir, name, v->vf, sizeof(v->vf), e);
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
	if (read_class(dir, &one, e) < 0 ||
	    read_base(dir, "driver", one.driver, sizeof(one.driver), e) < 0)
		return err_wrap(e, "PCI function %s", name);
	if (!is_ours(&one))
		return 0;
	if (read_attributes(dir, &one, e) < 0 || read_root(p->host, &one, e) < 0)
		return err_wrap(e, "PCI function %s", name);
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
	auto_with(pass_done) struct pass p = { .host = host, .inv = inv };

	if (fs_each(host->root, PCI_DIR, take_function, &p, e) < 0)
		return -1;
	number_vfs(&p);
	return 0;
}
