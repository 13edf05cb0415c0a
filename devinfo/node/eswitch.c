/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eswitch.c - the switch inside a PF: its mode, its uplink, and the representors of its functions
 *
 * Whose ports are the PF's?  Those of the devlink device pci/<address>; where there is none of that
 * name, those of the device whose physical port is the uplink.  Among them the function's is told
 * by its flavour and number, and by the number of the PF when one switch serves several.  Since
 * 2023 mlx5's uplink is a port of auxiliary/mlx5_core.eth.<N>, which has neither a switch nor the
 * functions' ports: the uplink is known by the PCI function of its network device.
 */
#include "devinfo/node/eswitch.h"

#include "base/name.h"

#include <errno.h>
#include <string.h>

/* -- choosing a port -- */

static bool is_pci_device(const struct devlink_port *p, const struct function *f)
{
	return strcmp(p->bus, "pci") == 0 && strcmp(p->dev, f->pf_bdf) == 0;
}

static bool may_be(const struct devlink_port *p, const struct function *f)
{
	return p->flavour == (f->is_sf ? DEVLINK_SF : DEVLINK_VF) && p->number == f->number &&
	       !p->external && p->controller == 0 && p->ifindex > 0;
}

static bool is_own(const struct devlink_port *p, const struct function *f)
{
	return p->flavour == DEVLINK_PHYSICAL && p->ifindex > 0 && p->ifindex == f->uplink_ifindex;
}

int port_choice_take(const struct devlink_port *port, void *arg, struct err *e)
{
	struct port_choice *c = arg;

	(void)e;
	if (!port) {
		*c = (struct port_choice){ .f = c->f };
		return 0;
	}
	c->is_pci |= is_pci_device(port, c->f);
	if (is_own(port, c->f)) {
		c->owns++;
		c->own = *port;
	} else if (may_be(port, c->f)) {
		if (c->n == ESWITCH_PORTS_MAX)
			c->overflow = true;
		else
			c->port[c->n++] = *port;
	}
	return 0;
}

static bool is_ours(const struct port_choice *c, const struct devlink_port *p)
{
	if (c->is_pci)
		return is_pci_device(p, c->f);
	return c->owns == 1 && strcmp(p->bus, c->own.bus) == 0 && strcmp(p->dev, c->own.dev) == 0;
}

const struct devlink_port *port_choice_made(const struct port_choice *c)
{
	unsigned int pf = (unsigned int)(c->f->pf_bdf[strlen(c->f->pf_bdf) - 1] - '0');
	const struct devlink_port *exact = NULL, *other = NULL;
	int others = 0;

	if (c->overflow)
		return NULL;
	for (unsigned int i = 0; i < c->n; i++) {
		const struct devlink_port *p = &c->port[i];

		if (!is_ours(c, p))
			continue;
		if (p->pf == pf)
			exact = p;
		else
			other = p;
		others += p->pf != pf;
	}
	return exact ? exact : others == 1 ? other : NULL;
}

/* -- asking devlink -- */

/*
 * Devlink's failures are no reason to fail: some of its drivers are young, and sysfs is there.  But
 * what it would have said in time has to be waited for, or an attachment would be another one when
 * somebody keeps the kernel busy.
 */
static bool is_late(int r, const struct err *e)
{
	return r < 0 && e->code == ERR_TRY_AGAIN && e->sys == ETIMEDOUT;
}

/* Is it the network device that sysfs shows under this name? */
static int is_shown(const struct host *host, const struct devlink_port *p, struct net_device *ret,
		    struct err *e)
{
	int r = name_is_ifname(p->netdev) ? sysfs_netdev(host, p->netdev, ret, e) : 0;

	return r > 0 ? ret->ifindex == p->ifindex : r;
}

/* Is this port's network device on that switch?  1 with *ret, 0, -1. */
static int take_port(const struct host *host, const struct devlink_port *p, const char *switch_id,
		     struct representor *ret, struct err *e)
{
	char other[SWITCH_ID_TEXT] = "";
	struct net_device net;
	int r = is_shown(host, p, &net, e);

	if (r > 0)
		r = sysfs_switch_id(host, p->netdev, other, e);
	if (r <= 0 || strcmp(switch_id, other) != 0)
		return r < 0 ? -1 : 0;
	memcpy(ret->name, p->netdev, sizeof(ret->name));
	ret->ifindex = p->ifindex;
	return 1;
}

/*
 * The switch is that of pci/<PF>, on mlx5 as well, whose uplink is a port of a nested device, which
 * has none.  1, 0 when that device does not tell (netdevsim, where it has another name), -1.
 */
static int mode_of_pf(struct devlink *dl, const struct function *f, enum eswitch_mode *ret,
		      struct err *e)
{
	return devlink_eswitch_mode(dl, "pci", f->pf_bdf, ret, e);
}

/* The mode of the device that has the uplink for a port: 1, 0 when there is none, -1. */
static int mode_of_own(const struct host *host, struct devlink *dl, const struct port_choice *c,
		       enum eswitch_mode *ret, struct err *e)
{
	struct net_device net;
	int r = !c->is_pci && c->owns == 1 ? is_shown(host, &c->own, &net, e) : 0;

	return r > 0 ? devlink_eswitch_mode(dl, c->own.bus, c->own.dev, ret, e) : r;
}

/*
 * 1 with *ret, 0 when devlink knows of none; *legacy when it knows that there is none.  Asking for
 * the mode first spares nodes in legacy mode the list of all ports.
 */
static int by_devlink(const struct host *host, const struct function *f, const char *switch_id,
		      struct representor *ret, bool *legacy, struct err *e)
{
	struct port_choice c = { .f = f };
	auto_devlink struct devlink dl = { .family = 0 };
	enum eswitch_mode mode = ESWITCH_OTHER;
	const struct devlink_port *p;
	int r = devlink_open(&dl, e), told;

	if (r <= 0)
		return r;
	told = mode_of_pf(&dl, f, &mode, e);
	*legacy = told > 0 && mode == ESWITCH_LEGACY;
	if (told < 0 || *legacy)
		return told < 0 ? -1 : 0;
	if (devlink_ports(&dl, port_choice_take, &c, e) < 0)
		return -1;
	p = port_choice_made(&c);
	if (p)
		return take_port(host, p, switch_id, ret, e);
	r = told ? 0 : mode_of_own(host, &dl, &c, &mode, e);
	*legacy = r > 0 && mode == ESWITCH_LEGACY;
	return r < 0 ? -1 : 0;
}

static int by_sysfs(const struct host *host, const struct function *f, struct representor *ret,
		    struct err *e)
{
	struct net_device net;
	char name[16];
	int r = sysfs_representor(host, f, name, e);

	if (r > 0)
		r = sysfs_netdev(host, name, &net, e);
	if (r <= 0)
		return r;
	memcpy(ret->name, net.name, sizeof(ret->name));
	ret->ifindex = net.ifindex;
	return 1;
}

int eswitch_representor(const struct host *host, const struct function *f,
			struct representor *ret, struct err *e)
{
	char switch_id[SWITCH_ID_TEXT];
	int r = *f->uplink ? sysfs_switch_id(host, f->uplink, switch_id, e) : 0;
	bool legacy = false;

	if (r > 0) {
		r = by_devlink(host, f, switch_id, ret, &legacy, e);
		if (r > 0)
			return 1;
		if (!is_late(r, e))
			r = legacy ? 0 : by_sysfs(host, f, ret, e);
	}
	return r < 0 ? err_wrap(e, "representor of %s %u of %s", f->is_sf ? "SF" : "VF", f->number,
				f->pf_bdf) : r;
}

/* -- functions -- */

bool function_of_vf(const struct pci_device *vf, struct function *ret)
{
	*ret = (struct function){ .number = 0 };
	if (!vf->is_vf)
		return false;
	*ret = (struct function){ .number = vf->vf_index, .uplink_ifindex = vf->pf_ifindex };
	memcpy(ret->pf_bdf, vf->pf_bdf, sizeof(ret->pf_bdf));
	memcpy(ret->uplink, vf->pf_netdev, sizeof(ret->uplink));
	return true;
}

/* -- the uplink, where sysfs cannot tell it -- */

int uplink_take(const struct devlink_port *port, void *arg, struct err *e)
{
	struct uplink_search *s = arg;
	struct net_device net;
	int r;

	if (!port) {
		s->found = 0;
		return 0;
	}
	if (port->flavour != DEVLINK_PHYSICAL || port->ifindex <= 0)
		return 0;
	r = is_shown(s->host, port, &net, e);
	if (r <= 0 || strcmp(net.bdf, s->pf_bdf) != 0)
		return r < 0 ? -1 : 0;
	s->found++;
	s->net = net;
	return 0;
}

/* 1; 0 when it cannot be told, and, as with representors, after a failure; -1 when that is late. */
static int find_uplink(const struct host *host, const char *pf_bdf, char name[16], int *ifindex,
		       struct err *e)
{
	struct uplink_search s = { .host = host, .pf_bdf = pf_bdf };
	auto_devlink struct devlink dl = { .family = 0 };
	int r = devlink_open(&dl, e);

	if (r > 0)
		r = devlink_ports(&dl, uplink_take, &s, e) < 0 ? -1 : 1;
	if (is_late(r, e))
		return err_wrap(e, "uplink of %s", pf_bdf);
	if (r <= 0 || s.found != 1)
		return 0;
	memcpy(name, s.net.name, 16);
	*ifindex = s.net.ifindex;
	return 1;
}

int eswitch_pci(const struct host *host, const char *bdf, struct pci_device *ret, struct err *e)
{
	int r = sysfs_pci(host, bdf, ret, e);

	if (r > 0 && ret->is_vf && !ret->pf_ifindex && ret->pf_netdevs > 0 &&
	    find_uplink(host, ret->pf_bdf, ret->pf_netdev, &ret->pf_ifindex, e) < 0)
		return -1;
	return r;
}

int function_of_sf(const struct host *host, const struct sub_function *sf, struct function *ret,
		   struct err *e)
{
	struct pci_device pf;
	int r = sf->numbered && *sf->pf_bdf ? sysfs_pci(host, sf->pf_bdf, &pf, e) : 0;

	if (r <= 0)
		return r;
	if (!pf.ifindex && find_uplink(host, pf.bdf, pf.netdev, &pf.ifindex, e) < 0)
		return -1;
	*ret = (struct function){
		.is_sf = true, .number = sf->number, .uplink_ifindex = pf.ifindex
	};
	memcpy(ret->pf_bdf, pf.bdf, sizeof(ret->pf_bdf));
	memcpy(ret->uplink, pf.netdev, sizeof(ret->uplink));
	return 1;
}

/* -- the mode -- */

static int ask_mode(const struct host *host, const struct function *f, enum eswitch_mode *ret,
		    struct err *e)
{
	struct port_choice c = { .f = f };
	auto_devlink struct devlink dl = { .family = 0 };
	int r = devlink_open(&dl, e);

	if (r <= 0)
		return r;
	r = mode_of_pf(&dl, f, ret, e);
	if (r != 0)
		return r;
	if (devlink_ports(&dl, port_choice_take, &c, e) < 0)
		return -1;
	return mode_of_own(host, &dl, &c, ret, e);
}

int eswitch_mode_of(const struct host *host, const struct function *f, enum eswitch_mode *ret,
		    struct err *e)
{
	char id[SWITCH_ID_TEXT];
	int r = ask_mode(host, f, ret, e);

	if (r != 0)
		return r < 0 ? err_wrap(e, "mode of %s", f->pf_bdf) : 0;
	r = *f->uplink ? sysfs_switch_id(host, f->uplink, id, e) : 0;
	if (r < 0)
		return -1;
	*ret = r > 0 ? ESWITCH_SWITCHDEV : ESWITCH_LEGACY;
	return 0;
}

const char *eswitch_mode_name(enum eswitch_mode mode)
{
	static const char *const names[] = {
		[ESWITCH_LEGACY] = "legacy",
		[ESWITCH_SWITCHDEV] = "switchdev",
		[ESWITCH_OTHER] = "unknown",
	};

	return names[mode];
}
