/* SPDX-License-Identifier: Apache-2.0 */
/* devlink.c - the switch inside a network card, and its ports */
#include "netlink/devlink.h"

#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <string.h>

enum { OPEN_MS = 2000 };

/* -- composing -- */

void devlink_compose_eswitch(struct nl_req *r, uint16_t family, const char *bus, const char *dev)
{
	genl_req_init(r, family, DEVLINK_CMD_ESWITCH_GET);
	genl_put_text(r, DEVLINK_ATTR_BUS_NAME, bus);
	genl_put_text(r, DEVLINK_ATTR_DEV_NAME, dev);
}

void devlink_compose_info(struct nl_req *r, uint16_t family, const char *bus, const char *dev)
{
	genl_req_init(r, family, DEVLINK_CMD_INFO_GET);
	genl_put_text(r, DEVLINK_ATTR_BUS_NAME, bus);
	genl_put_text(r, DEVLINK_ATTR_DEV_NAME, dev);
}

void devlink_compose_ports(struct nl_req *r, uint16_t family)
{
	genl_req_init(r, family, DEVLINK_CMD_PORT_GET);
}

/* -- parsing -- */

bool devlink_parse_eswitch(const struct nlmsghdr *nlh, enum eswitch_mode *ret)
{
	const struct nlattr *tb[DEVLINK_ATTR_ESWITCH_MODE + 1];
	uint16_t mode;

	if (!genl_attrs(nlh, tb, DEVLINK_ATTR_ESWITCH_MODE) ||
	    !nl_get(tb[DEVLINK_ATTR_ESWITCH_MODE], &mode, sizeof(mode)))
		return false;
	*ret = mode == DEVLINK_ESWITCH_MODE_LEGACY    ? ESWITCH_LEGACY :
	       mode == DEVLINK_ESWITCH_MODE_SWITCHDEV ? ESWITCH_SWITCHDEV :
							ESWITCH_OTHER;
	return true;
}

bool devlink_parse_version(const struct nlmsghdr *nlh, const char *name, char *ret, size_t size)
{
	struct nl_rest rest = nl_attrs_of(nlh, sizeof(struct genlmsghdr));
	const struct nlattr *a;

	while ((a = nl_next_attr(&rest))) {
		const struct nlattr *tb[DEVLINK_ATTR_INFO_VERSION_VALUE + 1];
		char own[64];

		if (nl_attr_type(a) != DEVLINK_ATTR_INFO_VERSION_RUNNING)
			continue;
		nl_attrs_nested(a, tb, DEVLINK_ATTR_INFO_VERSION_VALUE);
		if (nl_get_text(tb[DEVLINK_ATTR_INFO_VERSION_NAME], own, sizeof(own)) &&
		    strcmp(own, name) == 0)
			return nl_get_text(tb[DEVLINK_ATTR_INFO_VERSION_VALUE], ret, size);
	}
	return false;
}

/* The function behind a port; a port that does not tell its number stands for none. */
static enum devlink_flavour parse_function(const struct nlattr *const tb[], uint16_t flavour,
					   struct devlink_port *p)
{
	uint16_t vf = 0;

	switch (flavour) {
	case DEVLINK_PORT_FLAVOUR_PHYSICAL:
		return DEVLINK_PHYSICAL;
	case DEVLINK_PORT_FLAVOUR_PCI_PF:
		return DEVLINK_PF;
	case DEVLINK_PORT_FLAVOUR_PCI_VF:
		if (!nl_get(tb[DEVLINK_ATTR_PORT_PCI_VF_NUMBER], &vf, sizeof(vf)))
			return DEVLINK_OTHER;
		p->number = vf;
		return DEVLINK_VF;
	case DEVLINK_PORT_FLAVOUR_PCI_SF:
		return nl_get(tb[DEVLINK_ATTR_PORT_PCI_SF_NUMBER], &p->number, sizeof(p->number)) ?
			       DEVLINK_SF : DEVLINK_OTHER;
	default:
		return DEVLINK_OTHER;
	}
}

bool devlink_parse_port(const struct nlmsghdr *nlh, struct devlink_port *ret)
{
	const struct nlattr *tb[DEVLINK_ATTR_PORT_PCI_SF_NUMBER + 1];
	struct devlink_port p = { 0 };
	uint16_t flavour = UINT16_MAX;
	uint32_t ifindex = 0;
	uint8_t external = 0;

	if (!genl_attrs(nlh, tb, DEVLINK_ATTR_PORT_PCI_SF_NUMBER) ||
	    !nl_get_text(tb[DEVLINK_ATTR_BUS_NAME], p.bus, sizeof(p.bus)) ||
	    !nl_get_text(tb[DEVLINK_ATTR_DEV_NAME], p.dev, sizeof(p.dev)) ||
	    !nl_get(tb[DEVLINK_ATTR_PORT_INDEX], &p.index, sizeof(p.index)))
		return false;
	/* Absent or malformed: the zero that is already there. */
	(void)nl_get(tb[DEVLINK_ATTR_PORT_FLAVOUR], &flavour, sizeof(flavour));
	(void)nl_get(tb[DEVLINK_ATTR_PORT_PCI_PF_NUMBER], &p.pf, sizeof(p.pf));
	(void)nl_get(tb[DEVLINK_ATTR_PORT_CONTROLLER_NUMBER], &p.controller, sizeof(p.controller));
	(void)nl_get(tb[DEVLINK_ATTR_PORT_EXTERNAL], &external, sizeof(external));
	(void)nl_get_text(tb[DEVLINK_ATTR_PORT_NETDEV_NAME], p.netdev, sizeof(p.netdev));
	(void)nl_get(tb[DEVLINK_ATTR_PORT_NETDEV_IFINDEX], &ifindex, sizeof(ifindex));
	p.ifindex = (int)ifindex;
	p.external = external != 0;
	p.flavour = parse_function(tb, flavour, &p);
	*ret = p;
	return true;
}

/* -- asking -- */

int devlink_open(struct devlink *ret, struct err *e)
{
	struct deadline d = deadline_in(OPEN_MS);

	return genl_open_bounded(DEVLINK_GENL_NAME, &ret->nl, &ret->family, &d, e);
}

void devlink_done(struct devlink *dl)
{
	nl_done(&dl->nl);
}

struct mode_answer {
	bool found;
	enum eswitch_mode mode;
};

static int on_eswitch(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct mode_answer *a = arg;

	(void)e;
	a->found = devlink_parse_eswitch(nlh, &a->mode);	/* some drivers tell no mode */
	return 0;
}

int devlink_eswitch_mode(struct devlink *dl, const char *bus, const char *dev,
			 enum eswitch_mode *ret, struct err *e)
{
	struct mode_answer a = { .found = false };
	struct nl_req r;

	devlink_compose_eswitch(&r, dl->family, bus, dev);
	if (nl_request(&dl->nl, &r, on_eswitch, &a, e) < 0) {
		if (dl->nl.refused && (e->sys == ENODEV || e->sys == EOPNOTSUPP))
			return 0;
		return err_wrap(e, "eswitch mode of %s/%s", bus, dev);
	}
	if (a.found)
		*ret = a.mode;
	return a.found;
}

struct version_answer {
	const char *name;
	char *ret;
	size_t size;
	bool found;
};

static int on_info(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct version_answer *a = arg;

	(void)e;
	a->found = devlink_parse_version(nlh, a->name, a->ret, a->size);
	return 0;
}

int devlink_version(struct devlink *dl, const char *bus, const char *dev, const char *name,
		    char *ret, size_t size, struct err *e)
{
	struct version_answer a = { .name = name, .ret = ret, .size = size };
	struct nl_req r;

	devlink_compose_info(&r, dl->family, bus, dev);
	if (nl_request(&dl->nl, &r, on_info, &a, e) < 0) {
		if (dl->nl.refused && (e->sys == ENODEV || e->sys == EOPNOTSUPP))
			return 0;
		return err_wrap(e, "versions of %s/%s", bus, dev);
	}
	return a.found;
}

struct walk {
	devlink_port_fn *fn;
	void *arg;
};

static int on_port(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct walk *w = arg;
	struct devlink_port port;

	if (!nlh)		/* the dump begins anew */
		return w->fn(NULL, w->arg, e);
	return devlink_parse_port(nlh, &port) ? w->fn(&port, w->arg, e) : 0;
}

int devlink_ports(struct devlink *dl, devlink_port_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .fn = fn, .arg = arg };
	struct nl_req r;

	devlink_compose_ports(&r, dl->family);
	if (nl_request_dump(&dl->nl, &r, on_port, &w, e) < 0)
		return err_wrap(e, "list the devlink ports");
	return 0;
}
