/* SPDX-License-Identifier: Apache-2.0 */
/* test_genl.c - groups of generic netlink's messages; its families are in test_devlink.c */
#include "netlink/genl.h"

#include "tests/unit/tap.h"

#include <linux/genetlink.h>
#include <string.h>

static void put_group(struct nl_req *r, uint16_t place, const char *name, uint32_t number)
{
	struct nlattr *nest = nl_nest(r, place);

	if (number != 0)
		nl_put_u32(r, CTRL_ATTR_MCAST_GRP_ID, number);
	if (name)
		genl_put_text(r, CTRL_ATTR_MCAST_GRP_NAME, name);
	nl_nest_end(r, nest);
}

static void parsing(void)
{
	uint32_t number = 0;
	struct nlattr *list;
	struct nl_req r;

	test("the number of a group is read, by its whole name");
	genl_req_init(&r, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	ok(!genl_parse_group(&r.h, "config", &number));
	list = nl_nest(&r, CTRL_ATTR_MCAST_GROUPS);
	put_group(&r, 1, "configs", 20);
	put_group(&r, 2, NULL, 21);
	put_group(&r, 3, "config", 22);
	put_group(&r, 4, "none", 0);
	nl_nest_end(&r, list);
	ok(genl_parse_group(&r.h, "config", &number) && number == 22);
	test("one without number, or that is not there, is none");
	ok(!genl_parse_group(&r.h, "none", &number) && !genl_parse_group(&r.h, "conf", &number));
	ok(!genl_parse_group(&r.h, "", &number) && number == 22);
	test("what is cut off is not read");
	for (uint32_t len = r.h.nlmsg_len; len-- > sizeof(r.h);) {
		r.h.nlmsg_len = len;
		ok(!genl_parse_group(&r.h, "none", &number));
	}
}

/* The controller is a family itself, and has a group in each kernel. */
static void kernel(void)
{
	struct deadline d = deadline_in(5000), past = deadline_in(0);
	struct err e = { 0 };
	uint32_t number = 0;

	test("the running kernel is asked for a group");
	ok(genl_group_bounded("nlctrl", "notify", &number, &d, &e) == 1 && number > 0);
	ok(genl_group_bounded("nlctrl", "config", &number, &d, &e) == 0);
	ok(genl_group_bounded("no such family", "config", &number, &d, &e) == 0);
	test("who has no time gets no answer");
	ok(genl_group_bounded("nlctrl", "notify", &number, &past, &e) < 0 &&
	   e.code == ERR_TRY_AGAIN);
	contains(e.msg, "nlctrl");
}

int main(void)
{
	parsing();
	kernel();
	return tap_end();
}
