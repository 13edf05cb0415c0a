/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl_rdma.c - RDMA devices: look at them, rename one, move one
 *
 * A message is a netlink header, whose type has the client in its upper bits, and
 * attributes; there is no header of the family.
 */
#include "netlink/nl_rdma.h"

#include <errno.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

#define NLDEV(command) ((uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, (command)))

int rdma_open(int nsfd, struct nl *ret, struct err *e)
{
	if (nl_open(nsfd, NETLINK_RDMA, ret, e) == 0)
		return 1;
	return e->sys == EPROTONOSUPPORT ? 0 : -1;
}

/* -- the mode -- */

void rdma_compose_mode(struct nl_req *r)
{
	(void)nl_req_init(r, NLDEV(RDMA_NLDEV_CMD_SYS_GET), 0, 0);
}

bool rdma_parse_mode(const struct nlmsghdr *nlh, enum rdma_mode *ret)
{
	const struct nlattr *tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE + 1];
	uint8_t mode;

	if (nlh->nlmsg_type != NLDEV(RDMA_NLDEV_CMD_SYS_GET))
		return false;
	nl_attrs(nl_payload(nlh), nl_payload_len(nlh), tb,
		 RDMA_NLDEV_SYS_ATTR_NETNS_MODE);
	if (!nl_get(tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE], &mode, sizeof(mode)))
		return false;
	*ret = mode == RDMA_EXCLUSIVE ? RDMA_EXCLUSIVE : RDMA_SHARED;
	return true;
}

static int on_mode(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	return rdma_parse_mode(nlh, arg)
		       ? 0
		       : err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer has no mode");
}

int rdma_mode_get(struct nl *nl, enum rdma_mode *ret, struct err *e)
{
	enum rdma_mode mode = RDMA_SHARED;
	struct nl_req r;

	rdma_compose_mode(&r);
	if (nl_request(nl, &r, on_mode, &mode, e) < 0 && !(nl->refused && e->sys == EINVAL))
		return err_wrap(e, "ask for the mode of the RDMA subsystem");
	*ret = mode;
	return 0;
}

/* -- devices -- */

void rdma_compose_list(struct nl_req *r)
{
	(void)nl_req_init(r, NLDEV(RDMA_NLDEV_CMD_GET), 0, 0);
}

bool rdma_parse_device(const struct nlmsghdr *nlh, struct rdma_device *ret)
{
	const struct nlattr *tb[RDMA_NLDEV_ATTR_DEV_NAME + 1];
	struct rdma_device dev = { 0 };

	if (nlh->nlmsg_type != NLDEV(RDMA_NLDEV_CMD_GET))
		return false;
	nl_attrs(nl_payload(nlh), nl_payload_len(nlh), tb,
		 RDMA_NLDEV_ATTR_DEV_NAME);
	if (!nl_get(tb[RDMA_NLDEV_ATTR_DEV_INDEX], &dev.index, sizeof(dev.index)) ||
	    !nl_get_text(tb[RDMA_NLDEV_ATTR_DEV_NAME], dev.name, sizeof(dev.name)))
		return false;
	*ret = dev;
	return true;
}

struct search {
	const char *name; /* NULL: by index */
	uint32_t index;
	bool found;
	struct rdma_device dev;
};

static int on_device(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct search *s = arg;
	struct rdma_device dev;

	(void)e;
	if (!nlh) { /* the dump begins anew */
		s->found = false;
	} else if (rdma_parse_device(nlh, &dev) &&
		   (s->name ? strcmp(dev.name, s->name) == 0 : dev.index == s->index)) {
		s->dev = dev;
		s->found = true;
	}
	return 0;
}

static int find(struct nl *nl, struct search *s, struct rdma_device *ret, struct err *e)
{
	struct nl_req r;

	rdma_compose_list(&r);
	if (nl_request_dump(nl, &r, on_device, s, e) < 0)
		return err_wrap(e, "list the RDMA devices");
	if (s->found)
		*ret = s->dev;
	return s->found;
}

int rdma_find_name(struct nl *nl, const char *name, struct rdma_device *ret, struct err *e)
{
	struct search s = { .name = name };

	return find(nl, &s, ret, e);
}

int rdma_find_index(struct nl *nl, uint32_t index, struct rdma_device *ret, struct err *e)
{
	struct search s = { .index = index };

	return find(nl, &s, ret, e);
}

/* -- changing -- */

void rdma_compose_move(struct nl_req *r, uint32_t index, int nsfd)
{
	(void)nl_req_init(r, NLDEV(RDMA_NLDEV_CMD_SET), 0, 0);
	nl_put_u32(r, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	nl_put_u32(r, RDMA_NLDEV_NET_NS_FD, (uint32_t)nsfd);
}

bool rdma_compose_rename(struct nl_req *r, uint32_t index, const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len >= RDMA_NAME_MAX)
		return false;
	(void)nl_req_init(r, NLDEV(RDMA_NLDEV_CMD_SET), 0, 0);
	nl_put_u32(r, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	nl_put(r, RDMA_NLDEV_ATTR_DEV_NAME, name, len + 1);
	return true;
}

struct move {
	struct nl *nl;
	uint32_t index;
	int to;
};

static int send_move(void *arg, struct err *e)
{
	const struct move *m = arg;
	struct nl_req r;

	rdma_compose_move(&r, m->index, m->to);
	return nl_request(m->nl, &r, NULL, NULL, e);
}

/*
 * The kernel looks the device up in the socket's namespace, and then wants it to be in that of the
 * task that sends (ENODEV): the one request that has to be sent from inside.
 */
int rdma_move(struct nl *nl, int from, uint32_t index, int to, struct err *e)
{
	struct move m = { .nl = nl, .index = index, .to = to };

	if (netns_do(from, send_move, &m, e) < 0)
		return err_wrap(e, "move RDMA device %u to another namespace", index);
	return 0;
}

int rdma_rename(struct nl *nl, uint32_t index, const char *name, struct err *e)
{
	struct nl_req r;

	if (!rdma_compose_rename(&r, index, name))
		return err_set(e, ERR_NETLINK, EINVAL, "'%.64s' cannot be an RDMA device's name",
			       name);
	if (nl_request(nl, &r, NULL, NULL, e) < 0)
		return err_wrap(e, "rename RDMA device %u to '%s'", index, name);
	return 0;
}
