/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_use.c - does the host itself use the network devices of a choice?
 *
 * What is built on them is found from below, by the links of sysfs, so that addresses and routes
 * need one dump each, however many interfaces have some.
 */
#include "cni/attach/host_use.h"

#include "base/fs.h"
#include "devinfo/node/sysfs.h"
#include "netlink/link_use.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define PCI_DIR		"/sys/bus/pci/devices/"
#define NET_DIR		"/sys/class/net/"
#define LOOPBACK	1	/* its number, in each namespace */
#define INTERFACES_MAX	256	/* of one device and on it; with more nobody has it */

struct interfaces {
	const struct host *host;
	size_t n, own;			/* the device's own come first */
	char name[INTERFACES_MAX][16];
	int ifindex[INTERFACES_MAX];
};

static int add(const char *name, void *arg, struct err *e)
{
	struct interfaces *s = arg;
	struct net_device net;
	int r = sysfs_netdev(s->host, name, &net, e);

	if (r <= 0)	/* gone meanwhile */
		return r;
	for (size_t i = 0; i < s->n; i++)
		if (s->ifindex[i] == net.ifindex)
			return 0;
	if (s->n == INTERFACES_MAX)
		return err_set(e, ERR_DEVICE, E2BIG, "more than %d interfaces are built on %s: not "
			       "looked at whether the host has an address on one", INTERFACES_MAX,
			       s->name[0]);
	memcpy(s->name[s->n], net.name, sizeof(s->name[0]));
	s->ifindex[s->n++] = net.ifindex;
	return 0;
}

static int add_upper(const char *name, void *arg, struct err *e)
{
	return strncmp(name, "upper_", 6) == 0 ? add(name + 6, arg, e) : 0;
}

/* Its function may have several network devices. */
static int add_own(struct interfaces *s, const struct choice *c, struct err *e)
{
	const char *bdf = c->is_pci ? c->key : c->net.bdf;
	char path[PATH_MAX];

	if (*c->net.name && add(c->net.name, s, e) < 0)
		return -1;
	if (!*bdf || *c->sf.name || *c->part)
		return 0;
	(void)snprintf(path, sizeof(path), PCI_DIR "%s/net", bdf);
	return fs_each(s->host->root, path, add, s, e);
}

/* Those that are added while it goes on are looked at as well. */
static int add_uppers(struct interfaces *s, struct err *e)
{
	char path[PATH_MAX];

	s->own = s->n;
	for (size_t i = 0; i < s->n; i++) {
		(void)snprintf(path, sizeof(path), NET_DIR "%s", s->name[i]);
		if (fs_each(s->host->root, path, add_upper, s, e) < 0)
			return -1;
	}
	return 0;
}

static void tell_use(const struct interfaces *s, const struct link_use *use, char *why, size_t size)
{
	char text[PREFIX_TEXT];
	size_t i = 0;

	while (i + 1 < s->n && s->ifindex[i] != use->ifindex)
		i++;
	(void)snprintf(why, size, use->is_route ? "a route of the host to %s leaves by %s%s%s" :
						  "the host has the address %s on %s%s%s",
		       prefix_format(&use->prefix, text), s->name[i],
		       i < s->own ? "" : ", which is built on ", i < s->own ? "" : s->name[0]);
}

int host_use_find(const struct host *host, struct nl *home, const struct choice *c, char *why,
		  size_t size, struct err *e)
{
	struct interfaces s = { .host = host };
	struct link_use use;
	int r;

	if (add_own(&s, c, e) < 0)
		return -1;
	if (s.n > 0 && s.ifindex[0] == LOOPBACK)	/* that is refused for what it is */
		return 0;
	if (add_uppers(&s, e) < 0)
		return -1;
	r = link_use_find(home, s.ifindex, s.n, &use, e);
	if (r > 0)
		tell_use(&s, &use, why, size);
	return r;
}
