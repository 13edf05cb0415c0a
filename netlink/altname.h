/* SPDX-License-Identifier: Apache-2.0 */
/*
 * altname.h - alternative names of an interface: read, add and remove them
 *
 * The kernel treats them as names: all names and alternative names in a namespace are distinct, and
 * an interface cannot be renamed to an alternative name of its own.  So they can prevent a move
 * (from Linux 6.6 on) and a rename.
 */
#ifndef NETLINK_ALTNAME_H
#define NETLINK_ALTNAME_H

#include "netlink/nl.h"

enum {
	ALTNAME_SIZE = 128,		/* the kernel's ALTIFNAMSIZ, with the NUL */
	ALTNAMES_MAX = 8,
};

struct altnames {
	unsigned int n;
	bool more;			/* the interface has more than ALTNAMES_MAX */
	char name[ALTNAMES_MAX][ALTNAME_SIZE];
};

bool altnames_have(const struct altnames *a, const char *name) must_check;

/* Copy those of a that b does not have. */
void altnames_without(const struct altnames *a, const struct altnames *b, struct altnames *ret);

/*
 * Add or remove names: one message to the kernel for all, none for an empty set.  The error names
 * the first that was refused.  Removing an absent one is no error.
 */
int altnames_add(struct nl *nl, int ifindex, const struct altnames *names, struct err *e)
	must_check;
int altnames_remove(struct nl *nl, int ifindex, const struct altnames *names, struct err *e)
	must_check;

/* -- composing and parsing, for the functions above, link_parse() and tests -- */

/* type is RTM_NEWLINKPROP or RTM_DELLINKPROP; name has less than ALTNAME_SIZE bytes. */
void altname_compose(struct nl_req *r, uint16_t type, int ifindex, const char *name);
/* Read them from the attribute IFLA_PROP_LIST, which may be NULL. */
void altnames_parse(const struct nlattr *list, struct altnames *ret);

#endif
