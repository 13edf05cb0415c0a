/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_genl.c - switches, vDPA and RDMA of the live node, as the kernel tells by netlink
 *
 * Generic netlink can be stuck (netlink/genl.h), and some of it is for root alone.  What is then
 * not told stays unknown: a node in trouble is when people look at an inventory.
 */
#include "manager/inventory/join_text.h"
#include "manager/inventory/read.h"

#include "base/deadline.h"
#include "base/mac.h"
#include "base/mem.h"
#include "netlink/devlink.h"
#include "netlink/nl_rdma.h"
#include "netlink/nl_vdpa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VDPA_MS = 2000 };		/* for all that is asked about vDPA */

/* -- switches -- */

static const char *mode_name(enum eswitch_mode mode)
{
	return mode == ESWITCH_LEGACY	 ? "legacy" :
	       mode == ESWITCH_SWITCHDEV ? "switchdev" : "other";
}

/* That of ice is the one driver which tells it; the others would ask their firmware for nothing. */
static void read_package(struct devlink *dl, struct inv_function *f)
{
	char name[sizeof(f->ddp)];
	struct err ignored;

	if (strcmp(f->driver, "ice") == 0 &&
	    devlink_version(dl, "pci", f->bdf, "fw.app.name", name, sizeof(name), &ignored) > 0)
		join_text(f->ddp, sizeof(f->ddp), name);
}

static void read_switches(struct inventory *inv)
{
	auto_devlink struct devlink dl = { 0 };
	enum eswitch_mode mode;
	struct err ignored;

	inv->node.has_devlink = devlink_open(&dl, &ignored) > 0;
	for (size_t i = 0; inv->node.has_devlink && i < inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i];

		if (f->is_vf || !*f->driver)
			continue;
		if (devlink_eswitch_mode(&dl, "pci", f->bdf, &mode, &ignored) > 0)
			(void)snprintf(f->eswitch, sizeof(f->eswitch), "%s", mode_name(mode));
		read_package(&dl, f);
	}
}

/* -- RDMA -- */

static void read_rdma_mode(struct inventory *inv)
{
	auto_nl struct nl nl = { 0 };
	enum rdma_mode mode;
	struct err ignored;

	if (inv->n_rdmas == 0 || rdma_open(NETNS_OWN, &nl, &ignored) <= 0 ||
	    rdma_mode_get(&nl, &mode, &ignored) < 0)
		return;
	(void)snprintf(inv->node.rdma_mode, sizeof(inv->node.rdma_mode), "%s",
		       mode == RDMA_EXCLUSIVE ? "exclusive" : "shared");
}

/* -- vDPA -- */

static void name_mgmtdev(const char *bus, const char *dev, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s%s%s", bus, *bus ? "/" : "", dev);
}

static int add_mgmtdevs(struct inventory *inv, const struct vdpa_mgmtdevs *all, struct err *e)
{
	for (unsigned int i = 0; i < all->n; i++) {
		struct inv_mgmtdev *m = INV_ADD(inv, mgmtdevs, e);

		if (!m)
			return -1;
		name_mgmtdev(all->dev[i].bus, all->dev[i].dev, m->name, sizeof(m->name));
		m->classes = all->dev[i].classes;
		m->features = all->dev[i].features;
	}
	return 0;
}

/* sysfs does not tell of a simulator's device who made it. */
static void take_devices(struct inventory *inv, const struct vdpa_devices *all)
{
	for (unsigned int i = 0; i < all->n; i++) {
		int place = inventory_vdpa(inv, all->dev[i].name);
		struct inv_vdpa *v = place == INV_NONE ? NULL : &inv->vdpas[place];

		if (v)
			name_mgmtdev(all->dev[i].mgmt_bus, all->dev[i].mgmt_dev, v->mgmtdev,
				     sizeof(v->mgmtdev));
	}
}

static void read_config(struct inv_vdpa *v, const struct deadline *d)
{
	struct vdpa_net_config c;
	struct err ignored;

	if (vdpa_config_get(v->name, &c, d, &ignored) <= 0)
		return;
	if (c.have & VDPA_MAC)
		(void)mac_format(c.mac, v->mac);
	if (c.have & VDPA_MTU)
		v->mtu = c.mtu;
	if (c.have & VDPA_MAX_VQP)
		v->max_vqp = c.max_vqp;
}

static int read_vdpa(struct inventory *inv, struct err *e)
{
	auto_free struct vdpa_mgmtdevs *mgmtdevs = calloc(1, sizeof(*mgmtdevs));
	auto_free struct vdpa_devices *devices = calloc(1, sizeof(*devices));
	const struct deadline d = deadline_in(VDPA_MS);
	struct err ignored;

	if (!mgmtdevs || !devices)
		return err_set(e, ERR_IO, ENOMEM, "list of vDPA devices");
	inv->node.has_vdpa = vdpa_list_mgmtdevs(mgmtdevs, &d, &ignored) > 0;
	if (!inv->node.has_vdpa)
		return 0;
	if (vdpa_list_devices(devices, &d, &ignored) > 0)
		take_devices(inv, devices);
	for (size_t i = 0; i < inv->n_vdpas; i++)
		read_config(&inv->vdpas[i], &d);
	return add_mgmtdevs(inv, mgmtdevs, e);
}

int read_kernel_genl(struct inventory *inv, struct err *e)
{
	read_switches(inv);
	read_rdma_mode(inv);
	return read_vdpa(inv, e);
}
