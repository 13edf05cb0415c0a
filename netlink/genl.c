/* SPDX-License-Identifier: Apache-2.0 */
/* genl.c - generic netlink: a connection to a family of messages that is known by its name */
#include "netlink/genl.h"

#include "base/bounded.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>

/* -- composing -- */

void genl_req_init(struct nl_req *r, uint16_t family, uint8_t command)
{
	struct genlmsghdr *g = nl_req_init(r, family, 0, sizeof(*g));

	g->cmd = command;
	g->version = 1;
}

void genl_put_text(struct nl_req *r, uint16_t type, const char *text)
{
	nl_put(r, type, text, strlen(text) + 1);
}

void genl_compose_family(struct nl_req *r, const char *name)
{
	genl_req_init(r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	genl_put_text(r, CTRL_ATTR_FAMILY_NAME, name);
}

/* -- parsing -- */

int genl_command(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *g = nl_payload(nlh);

	return nl_payload_len(nlh) < GENL_HDRLEN ? -1 : g->cmd;
}

bool genl_attrs(const struct nlmsghdr *nlh, const struct nlattr *tb[], unsigned int max)
{
	const uint8_t *payload = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);

	if (len < GENL_HDRLEN)
		return false;
	nl_attrs(payload + GENL_HDRLEN, len - GENL_HDRLEN, tb, max);
	return true;
}

bool genl_parse_family(const struct nlmsghdr *nlh, uint16_t *ret)
{
	const struct nlattr *tb[CTRL_ATTR_FAMILY_NAME + 1];

	return genl_attrs(nlh, tb, CTRL_ATTR_FAMILY_NAME) &&
	       nl_get(tb[CTRL_ATTR_FAMILY_ID], ret, sizeof(*ret));
}

static bool is_group(const struct nlattr *nest, const char *name, uint32_t *ret)
{
	const struct nlattr *tb[CTRL_ATTR_MCAST_GRP_ID + 1];
	char own[GENL_NAMSIZ];

	nl_attrs_nested(nest, tb, CTRL_ATTR_MCAST_GRP_ID);
	return nl_get_text(tb[CTRL_ATTR_MCAST_GRP_NAME], own, sizeof(own)) &&
	       strcmp(own, name) == 0 && nl_get(tb[CTRL_ATTR_MCAST_GRP_ID], ret, sizeof(*ret));
}

bool genl_parse_group(const struct nlmsghdr *nlh, const char *name, uint32_t *ret)
{
	const struct nlattr *tb[CTRL_ATTR_MCAST_GROUPS + 1], *group;
	struct nl_rest rest = { 0 };

	if (!genl_attrs(nlh, tb, CTRL_ATTR_MCAST_GROUPS))
		return false;
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		rest = nl_nested(tb[CTRL_ATTR_MCAST_GROUPS]);
	while ((group = nl_next_attr(&rest)))
		if (is_group(group, name, ret))
			return true;
	return false;
}

/* -- connecting -- */

static int on_family(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	return genl_parse_family(nlh, arg) ?
		       0 : err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer is not a family");
}

/* 1 with the number, 0 when there is no such family, -1. */
static int find_family(struct nl *nl, const char *name, uint16_t *ret, struct err *e)
{
	uint16_t found = 0;
	struct nl_req r;

	genl_compose_family(&r, name);
	if (nl_request(nl, &r, on_family, &found, e) < 0)
		return nl->refused && e->sys == ENOENT ? 0 : err_wrap(e, "look for %s", name);
	if (!found)
		return err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer is empty");
	*ret = found;
	return 1;
}

int genl_open(const char *name, struct nl *ret, uint16_t *family, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	int r;

	if (nl_open(NETNS_OWN, NETLINK_GENERIC, &nl, e) < 0)
		return -1;
	r = find_family(&nl, name, family, e);
	if (r > 0) {
		*ret = nl;
		nl.open = false;
	}
	return r;
}

static int ask_family(const void *name, void *family, struct err *e)
{
	auto_nl struct nl nl = { 0 };

	return genl_open(name, &nl, family, e);
}

/* A child of ours had no answer. */
static int too_late(const char *name, struct err *e)
{
	if (e->code != ERR_TRY_AGAIN || e->sys != ETIMEDOUT)
		return -1;
	(void)err_wrap(e, "look for %s", name);
	return err_detail(e, "a request to another family of generic netlink is stuck: the "
			     "deletion of a vDPA device that is in use, say");
}

int genl_open_bounded(const char *name, struct nl *ret, uint16_t *family, const struct deadline *d,
		      struct err *e)
{
	const struct bounded b = {
		.fn = ask_family, .arg = name, .answer = family, .size = sizeof(*family),
	};
	int r = bounded_run(&b, d, e);

	if (r < 0)
		return too_late(name, e);
	if (r > 0 && nl_open(NETNS_OWN, NETLINK_GENERIC, ret, e) < 0)
		return -1;
	return r;
}

/* -- groups -- */

struct wanted_group {
	const char *family, *name;
	uint32_t number;		/* groups of families are numbered from 16 on; 0: none */
};

static int on_group(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct wanted_group *w = arg;

	(void)e;
	if (!genl_parse_group(nlh, w->name, &w->number))
		w->number = 0;
	return 0;
}

static int ask_group(const void *arg, void *number, struct err *e)
{
	struct wanted_group w = *(const struct wanted_group *)arg;
	auto_nl struct nl nl = { 0 };
	struct nl_req r;

	genl_compose_family(&r, w.family);
	if (nl_open(NETNS_OWN, NETLINK_GENERIC, &nl, e) < 0)
		return -1;
	if (nl_request(&nl, &r, on_group, &w, e) < 0)
		return nl.refused && e->sys == ENOENT ? 0 : err_wrap(e, "look for %s", w.family);
	*(uint32_t *)number = w.number;
	return w.number != 0;
}

int genl_group_bounded(const char *family, const char *group, uint32_t *ret,
		       const struct deadline *d, struct err *e)
{
	const struct wanted_group w = { .family = family, .name = group };
	const struct bounded b = {
		.fn = ask_group, .arg = &w, .answer = ret, .size = sizeof(*ret),
	};
	int r = bounded_run(&b, d, e);

	return r < 0 ? too_late(family, e) : r;
}
