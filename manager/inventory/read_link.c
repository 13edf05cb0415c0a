/* SPDX-License-Identifier: Apache-2.0 */
/* read_link.c - the network devices of an inventory, from sysfs */
#include "manager/inventory/read.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"

#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NET_DIR "/sys/class/net"

struct pass {
	const struct host *host;
	struct inventory *inv;
	int class;			/* NET_DIR */
};

/* -- the device behind it -- */

static const char *bus_of(const struct inventory *inv, const char *parent)
{
	return name_is_bdf(parent) ? "pci" :
	       inventory_auxiliary(inv, parent) != INV_NONE ? "auxiliary" :
	       inventory_vdpa(inv, parent) != INV_NONE ? "vdpa" : "";
}

/* By the link of its class; a virtio device is passed over. */
static void read_parent(const struct pass *p, struct inv_link *l)
{
	char path[PATH_MAX];
	struct err ignored;
	const char *bus;

	if (fs_readlink(p->class, path, sizeof(path), &ignored, "%s", l->name) <= 0)
		return;
	path_component(path, 2, l->parent, sizeof(l->parent));
	if (name_is_numbered(l->parent, "virtio"))
		path_component(path, 3, l->parent, sizeof(l->parent));
	if (strcmp(l->parent, "virtual") == 0)
		*l->parent = '\0';
	bus = bus_of(p->inv, l->parent);
	(void)snprintf(l->parent_bus, sizeof(l->parent_bus), "%s", bus);
	if (!*bus && *l->parent)	/* of another bus: not of those that we know */
		(void)!fs_readlink_base(p->host->root, l->parent_bus, sizeof(l->parent_bus),
					&ignored, NET_DIR "/%s/device/subsystem", l->name);
}

/* -- attributes -- */

static const char *type_name(int type)
{
	static const struct {
		int type;
		const char *name;
	} types[] = {
		{ ARPHRD_ETHER, "ether" },	 { ARPHRD_INFINIBAND, "infiniband" },
		{ ARPHRD_LOOPBACK, "loopback" }, { ARPHRD_TUNNEL, "tunnel" },
		{ ARPHRD_CAN, "can" },		 { ARPHRD_NONE, "none" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (type == types[i].type)
			return types[i].name;
	return "other";
}

static void read_state(int dir, struct inv_link *l)
{
	int flags = 0, carrier = 0, type;

	(void)read_number(dir, "flags", &flags);
	(void)read_number(dir, "carrier", &carrier);
	l->up = flags & IFF_UP;
	l->carrier = carrier;
	if (read_number(dir, "type", &type))
		(void)snprintf(l->type, sizeof(l->type), "%s", type_name(type));
	/* of one that is not known the kernel says -1 */
	if (l->carrier)
		(void)read_number(dir, "speed", &l->speed);
}

static void read_attributes(int dir, struct inv_link *l)
{
	static const struct read_text texts[] = {
		READ_TEXT("address", struct inv_link, address),
		READ_TEXT("operstate", struct inv_link, operstate),
		READ_TEXT("phys_switch_id", struct inv_link, switch_id),
		READ_TEXT("phys_port_name", struct inv_link, port_name),
	};

	read_texts(dir, texts, ARRAY_SIZE(texts), l);
	(void)read_number(dir, "ifindex", &l->ifindex);
	(void)read_number(dir, "mtu", &l->mtu);
	read_state(dir, l);
	read_base(dir, "master", l->master, sizeof(l->master));
}

static int take_link(const char *name, void *arg, struct err *e)
{
	const struct pass *p = arg;
	struct inv_link *l;
	auto_close int dir = -1;
	char path[64];
	int r;

	if (!name_is_ifname(name))
		return 0;
	(void)snprintf(path, sizeof(path), NET_DIR "/%s", name);
	r = fs_find_dir(p->host->root, path, &dir, e);	/* bonding_masters is a file */
	if (r <= 0)
		return r;
	l = INV_ADD(p->inv, links, e);
	if (!l)
		return -1;
	memcpy(l->name, name, strlen(name) + 1);
	read_parent(p, l);
	read_attributes(dir, l);
	return 0;
}

int read_links(const struct host *host, struct inventory *inv, struct err *e)
{
	auto_close int class = -1;
	struct pass p = { .host = host, .inv = inv };
	int r = fs_find_dir(host->root, NET_DIR, &class, e);

	p.class = class;
	return r <= 0 ? r : fs_each_in(class, NET_DIR, take_link, &p, e);
}
