/* SPDX-License-Identifier: Apache-2.0 */
/*
 * altname.h - alternative names of an interface: read them, add some, take some away
 *
 * The kernel takes them for names: no interface of a namespace may have the name or alternative
 * name of another one, nor a new name that is an alternative one of its own.  So they can stand in
 * the way of a move (from 6.6 on) and of a new name.
 */
#ifndef NETLINK_ALTNAME_H
#define NETLINK_ALTNAME_H

#include "netlink/mnl.h"

enum {
	ALTNAME_SIZE = 128,		/* the kernel's ALTIFNAMSIZ, with the NUL */
	ALTNAMES_MAX = 8,
};

struct altnames {
	unsigned int n;
	bool more;			/* there are others, beyond ALTNAMES_MAX */
	char name[ALTNAMES_MAX][ALTNAME_SIZE];
};

bool altnames_have(const struct altnames *a, const char *name) must_check;

/* Those of a that b has not. */
void altnames_without(const struct altnames *a, const struct altnames *b, struct altnames *ret);

/*
 * One message to the kernel for all of them, none when there are none.  The error names the first
 * that was refused.  To remove one that is not there is no error.
 */
int altnames_add(struct nl *nl, int ifindex, const struct altnames *names, struct err *e)
	must_check;
int altnames_remove(struct nl *nl, int ifindex, const struct altnames *names, struct err *e)
	must_check;

/* -- composing and parsing, for the functions above, link_parse() and tests -- */

/* type is RTM_NEWLINKPROP or RTM_DELLINKPROP; name has less than ALTNAME_SIZE bytes. */
void altname_compose(struct nl_req *r, uint16_t type, int ifindex, const char *name);
/* Of the attribute IFLA_PROP_LIST, which may be NULL. */
void altnames_parse(const struct nlattr *list, struct altnames *ret);

#endif
