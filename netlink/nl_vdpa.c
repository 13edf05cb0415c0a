/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl_vdpa.c - vDPA devices, and the management devices that make them
 *
 * The numbers are ours: linux/vdpa.h of Debian 12 ends before VDPA_CMD_DEV_ATTR_SET.  A request is
 * composed here and sent by a child (base/bounded.h), to which even the look for the family is
 * left: that waits as well when a request of somebody is stuck.
 */
#include "netlink/nl_vdpa.h"

#include "base/bounded.h"
#include "base/name.h"
#include "netlink/genl.h"
#include "netlink/link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FAMILY "vdpa"

enum command {
	MGMTDEV_NEW = 1,	/* answers MGMTDEV_GET */
	MGMTDEV_GET,
	DEV_NEW,		/* also answers DEV_GET */
	DEV_DEL,
	DEV_GET,
	DEV_CONFIG_GET,
	DEV_VSTATS_GET,
	DEV_ATTR_SET,		/* since 6.12 */
};

enum attribute {
	ATTR_MGMTDEV_BUS_NAME = 1,
	ATTR_MGMTDEV_DEV_NAME,
	ATTR_MGMTDEV_CLASSES,		/* 64 bits */
	ATTR_DEV_NAME,
	ATTR_DEV_ID,			/* 32 */
	ATTR_DEV_VENDOR_ID,		/* 32 */
	ATTR_DEV_MAX_VQS,		/* 32 */
	ATTR_DEV_MAX_VQ_SIZE,		/* 16 */
	ATTR_MAC = 10,
	ATTR_MAX_VQP = 12,		/* 16 */
	ATTR_MTU = 13,			/* 16 */
	ATTR_MGMTDEV_FEATURES = 16,	/* 64 */
	ATTR_DEV_FEATURES = 20,		/* 64 */
};

/* -- composing -- */

void vdpa_compose_list_devices(struct nl_req *r, uint16_t family)
{
	genl_req_init(r, family, DEV_GET);
}

void vdpa_compose_list_mgmtdevs(struct nl_req *r, uint16_t family)
{
	genl_req_init(r, family, MGMTDEV_GET);
}

static void compose_named(struct nl_req *r, uint16_t family, uint8_t command, const char *name)
{
	genl_req_init(r, family, command);
	genl_put_text(r, ATTR_DEV_NAME, name);
}

void vdpa_compose_device(struct nl_req *r, uint16_t family, const char *name)
{
	compose_named(r, family, DEV_GET, name);
}

void vdpa_compose_config(struct nl_req *r, uint16_t family, const char *name)
{
	compose_named(r, family, DEV_CONFIG_GET, name);
}

void vdpa_compose_delete(struct nl_req *r, uint16_t family, const char *name)
{
	compose_named(r, family, DEV_DEL, name);
}

void vdpa_compose_set_mac(struct nl_req *r, uint16_t family, const char *name, const uint8_t mac[6])
{
	compose_named(r, family, DEV_ATTR_SET, name);
	nl_put(r, ATTR_MAC, mac, 6);
}

static const char *bus_of(const struct vdpa_new *spec)
{
	return spec->mgmt_bus ? spec->mgmt_bus : "";
}

bool vdpa_compose_create(struct nl_req *r, uint16_t family, const struct vdpa_new *spec)
{
	if (!name_is_file(spec->name) || strlen(spec->name) >= VDPA_NAME_MAX ||
	    !*spec->mgmt_dev || strlen(spec->mgmt_dev) >= VDPA_NAME_MAX ||
	    strlen(bus_of(spec)) >= VDPA_BUS_MAX)
		return false;
	genl_req_init(r, family, DEV_NEW);
	if (*bus_of(spec))
		genl_put_text(r, ATTR_MGMTDEV_BUS_NAME, spec->mgmt_bus);
	genl_put_text(r, ATTR_MGMTDEV_DEV_NAME, spec->mgmt_dev);
	genl_put_text(r, ATTR_DEV_NAME, spec->name);
	if (spec->have & VDPA_MAC)
		nl_put(r, ATTR_MAC, spec->mac, sizeof(spec->mac));
	if (spec->have & VDPA_MTU)
		nl_put(r, ATTR_MTU, &spec->mtu, sizeof(spec->mtu));
	if (spec->have & VDPA_MAX_VQP)
		nl_put(r, ATTR_MAX_VQP, &spec->max_vqp, sizeof(spec->max_vqp));
	if (spec->have & VDPA_FEATURES)
		nl_put(r, ATTR_DEV_FEATURES, &spec->features, sizeof(spec->features));
	return true;
}

/* -- parsing -- */

static bool attrs(const struct nlmsghdr *nlh, enum command command,
		  const struct nlattr *tb[ATTR_DEV_FEATURES + 1])
{
	return genl_command(nlh) == (int)command && genl_attrs(nlh, tb, ATTR_DEV_FEATURES);
}

/* A bus may be left out; one that is too long for us is none that we know. */
static bool get_mgmtdev(const struct nlattr *const tb[], char bus[VDPA_BUS_MAX],
			char dev[VDPA_NAME_MAX])
{
	return (!tb[ATTR_MGMTDEV_BUS_NAME] ||
		nl_get_text(tb[ATTR_MGMTDEV_BUS_NAME], bus, VDPA_BUS_MAX)) &&
	       nl_get_text(tb[ATTR_MGMTDEV_DEV_NAME], dev, VDPA_NAME_MAX) && *dev;
}

bool vdpa_parse_mgmtdev(const struct nlmsghdr *nlh, struct vdpa_mgmtdev *ret)
{
	const struct nlattr *tb[ATTR_DEV_FEATURES + 1];
	struct vdpa_mgmtdev m = { 0 };

	if (!attrs(nlh, MGMTDEV_NEW, tb) || !get_mgmtdev(tb, m.bus, m.dev))
		return false;
	/* Absent or malformed: the zero that is already there. */
	(void)nl_get(tb[ATTR_MGMTDEV_CLASSES], &m.classes, sizeof(m.classes));
	(void)nl_get(tb[ATTR_MGMTDEV_FEATURES], &m.features, sizeof(m.features));
	*ret = m;
	return true;
}

bool vdpa_parse_device(const struct nlmsghdr *nlh, struct vdpa_dev *ret)
{
	const struct nlattr *tb[ATTR_DEV_FEATURES + 1];
	struct vdpa_dev d = { 0 };

	if (!attrs(nlh, DEV_NEW, tb) || !get_mgmtdev(tb, d.mgmt_bus, d.mgmt_dev) ||
	    !nl_get_text(tb[ATTR_DEV_NAME], d.name, sizeof(d.name)) || !*d.name ||
	    !nl_get(tb[ATTR_DEV_ID], &d.id, sizeof(d.id)))
		return false;
	*ret = d;
	return true;
}

static unsigned int get(const struct nlattr *a, void *ret, size_t len, enum vdpa_have what)
{
	return nl_get(a, ret, len) ? what : 0;
}

bool vdpa_parse_config(const struct nlmsghdr *nlh, struct vdpa_net_config *ret)
{
	const struct nlattr *tb[ATTR_DEV_FEATURES + 1];
	struct vdpa_net_config c = { 0 };

	if (!attrs(nlh, DEV_CONFIG_GET, tb) || !nl_get(tb[ATTR_DEV_ID], &c.id, sizeof(c.id)))
		return false;
	if (c.id == VDPA_ID_NET)
		c.have = get(tb[ATTR_MAC], c.mac, sizeof(c.mac), VDPA_MAC) |
			 get(tb[ATTR_MTU], &c.mtu, sizeof(c.mtu), VDPA_MTU) |
			 get(tb[ATTR_MAX_VQP], &c.max_vqp, sizeof(c.max_vqp), VDPA_MAX_VQP) |
			 get(tb[ATTR_DEV_FEATURES], &c.features, sizeof(c.features),
			     VDPA_FEATURES);
	*ret = c;
	return true;
}

int vdpa_take_mgmtdev(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct vdpa_mgmtdevs *all = arg;

	(void)e;
	if (!nlh) {		/* the dump begins anew */
		all->n = 0;
		all->overflow = false;
	} else if (all->n < VDPA_MGMTDEVS_MAX && vdpa_parse_mgmtdev(nlh, &all->dev[all->n])) {
		all->n++;
	} else {
		all->overflow = true;
	}
	return 0;
}

int vdpa_take_device(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct vdpa_devices *all = arg;

	(void)e;
	if (!nlh) {		/* the dump begins anew */
		all->n = 0;
		all->overflow = false;
	} else if (all->n < VDPA_DEVICES_MAX && vdpa_parse_device(nlh, &all->dev[all->n])) {
		all->n++;
	} else {
		all->overflow = true;
	}
	return 0;
}

static int no_sense(struct err *e)
{
	return err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer has no device");
}

static int on_device(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	return vdpa_parse_device(nlh, arg) ? 0 : no_sense(e);
}

static int on_config(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	return vdpa_parse_config(nlh, arg) ? 0 : no_sense(e);
}

/* -- asking, in the child -- */

struct job {
	struct nl_req r;	/* of which the family's number is still to be found */
	bool dump;
	bool may_be_absent;	/* ENODEV is said of the device itself, and no error */
	nl_reply_fn *reply;	/* NULL: the kernel only says whether it has done it */
};

struct replies {
	nl_reply_fn *fn;
	void *answer;
	unsigned int n;
};

static int on_reply(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct replies *all = arg;

	all->n++;
	return all->fn(nlh, all->answer, e);
}

/* 0 when there is no vDPA, or no such device. */
static int ask(const void *arg, void *answer, struct err *e)
{
	const struct job *j = arg;
	struct replies all = { .fn = j->reply, .answer = answer };
	struct nl_req r = j->r;
	auto_nl struct nl nl = { 0 };
	int ret = genl_open(FAMILY, &nl, &r.h.nlmsg_type, e);

	if (ret <= 0)
		return ret;
	ret = j->dump ? nl_request_dump(&nl, &r, on_reply, &all, e)
		      : nl_request(&nl, &r, j->reply ? on_reply : NULL, &all, e);
	if (ret < 0)
		return nl.refused && j->may_be_absent && e->sys == ENODEV ? 0 : -1;
	return j->reply && all.n == 0 ? no_sense(e) : 1;
}

/* -- asking -- */

static int run(const struct job *j, void *answer, size_t size, const struct deadline *d,
	       struct err *e)
{
	const struct bounded b = { .fn = ask, .arg = j, .answer = answer, .size = size };
	int ret = bounded_run(&b, d, e);

	if (ret < 0 && e->code == ERR_TRY_AGAIN && e->sys == ETIMEDOUT)
		(void)err_detail(e, "the kernel serves one vDPA request at a time, and one may "
				    "wait for a device to be closed");
	return ret;
}

int vdpa_list_devices(struct vdpa_devices *ret, const struct deadline *d, struct err *e)
{
	struct job j = { .dump = true, .reply = vdpa_take_device };
	int found;

	vdpa_compose_list_devices(&j.r, 0);
	found = run(&j, ret, sizeof(*ret), d, e);
	return found < 0 ? err_wrap(e, "list the vDPA devices") : found;
}

int vdpa_list_mgmtdevs(struct vdpa_mgmtdevs *ret, const struct deadline *d, struct err *e)
{
	struct job j = { .dump = true, .reply = vdpa_take_mgmtdev };
	int found;

	vdpa_compose_list_mgmtdevs(&j.r, 0);
	found = run(&j, ret, sizeof(*ret), d, e);
	return found < 0 ? err_wrap(e, "list the vDPA management devices") : found;
}

int vdpa_device_get(const char *name, struct vdpa_dev *ret, const struct deadline *d, struct err *e)
{
	struct job j = { .may_be_absent = true, .reply = on_device };
	int found;

	vdpa_compose_device(&j.r, 0, name);
	found = run(&j, ret, sizeof(*ret), d, e);
	return found < 0 ? err_wrap(e, "ask for vDPA device %.64s", name) : found;
}

int vdpa_config_get(const char *name, struct vdpa_net_config *ret, const struct deadline *d,
		    struct err *e)
{
	struct job j = { .may_be_absent = true, .reply = on_config };
	int found;

	vdpa_compose_config(&j.r, 0, name);
	found = run(&j, ret, sizeof(*ret), d, e);
	return found < 0 ? err_wrap(e, "ask for the configuration of vDPA device %.64s", name)
			 : found;
}

int vdpa_delete(const char *name, const struct deadline *d, struct err *e)
{
	struct job j = { .may_be_absent = true };
	int found;

	vdpa_compose_delete(&j.r, 0, name);
	found = run(&j, NULL, 0, d, e);
	return found < 0 ? err_wrap(e, "delete vDPA device %.64s", name) : found;
}

/* A change has to have been made. */
static int change(const struct job *j, const struct deadline *d, struct err *e)
{
	int done = run(j, NULL, 0, d, e);

	if (done == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "the kernel has no vDPA");
	return done < 0 ? -1 : 0;
}

int vdpa_set_mac(const char *name, const uint8_t mac[6], const struct deadline *d, struct err *e)
{
	struct job j = { 0 };
	char text[MAC_TEXT];

	vdpa_compose_set_mac(&j.r, 0, name, mac);
	if (change(&j, d, e) < 0)
		return err_wrap(e, "set the MAC of vDPA device %.64s to %s", name,
				mac_format(mac, text));
	return 0;
}

/* What is asked for, for a message. */
static void describe(const struct vdpa_new *spec, char *ret, size_t size)
{
	char mac[MAC_TEXT], mtu[16], vqp[24], features[40];

	(void)mac_format(spec->mac, mac);
	(void)snprintf(mtu, sizeof(mtu), ", mtu %u", spec->mtu);
	(void)snprintf(vqp, sizeof(vqp), ", max_vqp %u", spec->max_vqp);
	(void)snprintf(features, sizeof(features), ", features 0x%llx",
		       (unsigned long long)spec->features);
	(void)snprintf(ret, size, "%s on %s%s%s%s%s%s%s%s", spec->name, bus_of(spec),
		       *bus_of(spec) ? "/" : "", spec->mgmt_dev,
		       spec->have & VDPA_MAC ? ", mac " : "", spec->have & VDPA_MAC ? mac : "",
		       spec->have & VDPA_MTU ? mtu : "", spec->have & VDPA_MAX_VQP ? vqp : "",
		       spec->have & VDPA_FEATURES ? features : "");
}

int vdpa_create(const struct vdpa_new *spec, const struct deadline *d, struct err *e)
{
	struct job j = { 0 };
	char what[256];

	if (!vdpa_compose_create(&j.r, 0, spec))
		return err_set(e, ERR_NETLINK, EINVAL,
			       "'%.64s' on '%.16s/%.64s' is not a name for a vDPA device",
			       spec->name, bus_of(spec), spec->mgmt_dev);
	if (change(&j, d, e) == 0)
		return 0;
	describe(spec, what, sizeof(what));
	return err_wrap(e, "create vDPA device %s", what);
}
