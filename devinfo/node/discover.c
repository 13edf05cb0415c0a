/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discover.c - device-info from what the kernel shows
 *
 * vhost-net is the way back into the kernel for packets of a poll-mode driver
 * (DPDK's "exceptional path").  It is given wherever the node has the device: some
 * poll-mode drivers (mlx5's) share a function with its kernel driver, so the driver
 * does not tell who needs it.
 */
#include "devinfo/node/discover.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/node/eswitch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define VHOST_NET "/dev/vhost-net"

static void fill(char *field, size_t size, const char *value)
{
	if (!*field)
		(void)snprintf(field, size, "%s", value);
}

/* What the kernel shows goes before what a file says: a representor gets other names in time. */
static void correct(char *field, size_t size, const char *value)
{
	if (*value)
		(void)snprintf(field, size, "%s", value);
}

/* 1; 0 when the node has none, -1 when that cannot be told. */
static int has_vhost_net(const struct host *host, struct err *e)
{
	auto_close int fd = fs_open(host->root, VHOST_NET, O_PATH, 0);
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "look for '%s'", VHOST_NET);
	return S_ISCHR(st.st_mode);
}

/* The addresses of the map and of the function, or none, are the same. */
static int check_address(const char *stated, const struct pci_device *dev, struct err *e)
{
	if (!*stated || strcmp(stated, dev->bdf) == 0)
		return 0;
	return err_set(e, ERR_DEVINFO, 0, "the device is %s, its device-info is about %s", dev->bdf,
		       stated);
}

static int enrich_pci(const struct host *host, const struct pci_device *dev,
		      const char *representor, struct pci_info *pci, struct err *e)
{
	int vhost_net = has_vhost_net(host, e);

	if (vhost_net < 0 || check_address(pci->pci_address, dev, e) < 0)
		return -1;
	fill(pci->pci_address, sizeof(pci->pci_address), dev->bdf);
	if (vhost_net)
		fill(pci->vhost_net, sizeof(pci->vhost_net), VHOST_NET);
	fill(pci->rdma_device, sizeof(pci->rdma_device), dev->rdma);
	fill(pci->pf_pci_address, sizeof(pci->pf_pci_address), dev->pf_bdf);
	correct(pci->representor_device, sizeof(pci->representor_device), representor);
	return 0;
}

static int enrich_vdpa(const struct pci_device *dev, const char *representor,
		       struct vdpa_info *vdpa, struct err *e)
{
	if (check_address(vdpa->pci_address, dev, e) < 0)
		return -1;
	fill(vdpa->pci_address, sizeof(vdpa->pci_address), dev->bdf);
	fill(vdpa->pf_pci_address, sizeof(vdpa->pf_pci_address), dev->pf_bdf);
	correct(vdpa->representor_device, sizeof(vdpa->representor_device), representor);
	return 0;
}

int device_info_enrich(const struct host *host, const struct pci_device *dev,
		       const struct representor *rep, struct device_info *di, struct err *e)
{
	struct device_info new = *di;	/* borrows the unknown members */
	struct representor found = { .ifindex = 0 };
	struct function f;
	int r = 0;

	if (!dev->exists || (di->kind != DEVICE_PCI && di->kind != DEVICE_VDPA))
		return 0;
	if (!rep && function_of_vf(dev, &f) && eswitch_representor(host, &f, &found, e) < 0)
		return -1;
	if (!rep)
		rep = &found;
	if (di->kind == DEVICE_PCI)
		r = enrich_pci(host, dev, rep->name, &new.pci, e);
	else
		r = enrich_vdpa(dev, rep->name, &new.vdpa, e);
	if (r < 0)
		return -1;
	device_info_raise_version(&new);
	if (device_info_validate(&new, dev->bdf, e) < 0)
		return -1;
	*di = new;
	return 0;
}

static int find_sf_representor(const struct host *host, const struct sub_function *sf,
			       struct representor *ret, struct err *e)
{
	struct function f;
	int r = function_of_sf(host, sf, &f, e);

	return r > 0 ? eswitch_representor(host, &f, ret, e) : r;
}

int device_info_enrich_sf(const struct host *host, const struct sub_function *sf,
			  const struct representor *rep, struct device_info *di, struct err *e)
{
	struct representor found = { .ifindex = 0 };

	if (di->kind != DEVICE_PCI && di->kind != DEVICE_VDPA)
		return 0;
	if (!rep && find_sf_representor(host, sf, &found, e) < 0)
		return -1;
	if (!rep)
		rep = &found;
	if (!rep->ifindex)
		return 0;
	if (di->kind == DEVICE_PCI)
		correct(di->pci.representor_device, sizeof(di->pci.representor_device), rep->name);
	else
		correct(di->vdpa.representor_device, sizeof(di->vdpa.representor_device),
			rep->name);
	device_info_raise_version(di);
	return 0;
}

int device_info_discover(const struct host *host, const struct pci_device *dev,
			 const struct representor *rep, struct device_info *ret, struct err *e)
{
	struct device_info di = { .kind = DEVICE_PCI, .version = DEVICE_INFO_VERSION };

	if (device_info_enrich(host, dev, rep, &di, e) < 0)
		return -1;
	*ret = di;
	return 0;
}
