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

int genl_open_bounded(const char *name, struct nl *ret, uint16_t *family, const struct deadline *d,
		      struct err *e)
{
	const struct bounded b = {
		.fn = ask_family, .arg = name, .answer = family, .size = sizeof(*family),
	};
	int r = bounded_run(&b, d, e);

	if (r < 0 && e->code == ERR_TRY_AGAIN && e->sys == ETIMEDOUT) {
		(void)err_wrap(e, "look for %s", name);
		return err_detail(e, "a request to another family of generic netlink is stuck: the "
				     "deletion of a vDPA device that is in use, say");
	}
	if (r > 0 && nl_open(NETNS_OWN, NETLINK_GENERIC, ret, e) < 0)
		return -1;
	return r;
}
