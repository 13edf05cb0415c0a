/* SPDX-License-Identifier: Apache-2.0 */
/* socket_conf.h - a configuration with some members, for the tests of socket attachments */
#ifndef TESTS_SOCKET_CONF_H
#define TESTS_SOCKET_CONF_H

#include "conf/netconf.h"
#include "tests/unit/tap.h"

/* As for an ADD; on success the caller has to netconf_done() it. */
static int parse_members(const char *members, struct netconf *ret, struct err *e)
{
	char text[4096];

	ok(snprintf(text, sizeof(text), "{\"cniVersion\":\"1.0.0\",\"name\":\"n\"%s%s}",
		    *members ? "," : "", members) < (int)sizeof(text));
	if (netconf_parse(text, strlen(text), ret, e) < 0)
		return -1;
	if (netconf_attachment(ret, e) == 0)
		return 0;
	netconf_done(ret);
	*ret = (struct netconf){ 0 };
	return -1;
}

/* The same of one that is fine. */
static void good(const char *members, struct netconf *ret)
{
	struct err e = { 0 };

	ok(parse_members(members, ret, &e) == 0);
	if (*e.msg)
		(void)printf("# %s\n", e.msg);
}

struct refusal {
	const char *members, *msg;
};

static void refuse(const struct refusal *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct netconf nc = { 0 };
		struct err e = { 0 };

		ok(parse_members(cases[i].members, &nc, &e) == -1);
		ok(e.code == ERR_NETCONF);
		eq(e.msg, cases[i].msg);
	}
}

#endif
