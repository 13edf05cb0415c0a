/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netdev_attribute.h - the attributes of an interface that an ADD may set, a row each
 *
 * A row has the key of the attribute, where its value is in the kernel's state, in the record and
 * in a request to the kernel, and the mark in the record that it was set.  ADD, CHECK, DEL,
 * roll-back and devinfoctl's drift walk the table, for an interface of ours and for one that
 * another plugin made, so an attribute has no other code.  All differences are set by one request.
 *
 * Only the MAC, the first row, has code of its own:
 * - runtimeConfig, args.cni and CNI_ARGS say it as well, so it is asked for by its octets.
 * - At home it has a request of its own, for it is what drivers refuse, some until the VF was reset
 *   (netdev_configure) or while it is down (netdev_settle); then all else is set nevertheless.
 * - A VF has it from its PF, and a permanent one with it: cni/vf/ restores that side, and trust
 *   lets the VF choose (netdev_chained.c).
 *
 * Name and namespace are no attributes: they say where the interface is and how it is found again,
 * and the one request that moves it sets them (link_move).  Flags, alias, alternative names and
 * what is in netdev_settings.h have no key: they are what a pod may have changed, and DEL restores
 * them on a device of ours (difference() of netdev.c), with these rows in the same request.
 */
#ifndef CNI_NETDEV_ATTRIBUTE_H
#define CNI_NETDEV_ATTRIBUTE_H

#include "base/err.h"
#include "cni/aspect/aspect.h"
#include "netlink/link.h"

#include <jansson.h>

/* Where a value is in a struct: a uint32_t, or, with a `len`, octets whose number is there. */
struct netdev_member {
	size_t at, len;
};

/* A value; len 0: there is none. */
struct netdev_value {
	const void *at;
	size_t len;
};

/* From which version on results have a value; one member, for neither half of it means anything. */
#define NETDEV_SINCE(version)	((unsigned int)(version) + 1)

struct netdev_attribute {
	const char *key;		/* its key, also its name in messages and results */
	unsigned int in_result;		/* results have it: NETDEV_SINCE(version); 0: none has */
	size_t wish;			/* int64_t of struct netconf; 0: see netdev_wish_of() */
	size_t said;			/* bool of struct netconf, if 0 is a value; 0: none */
	struct netdev_member now;	/* in struct link */
	struct netdev_member before;	/* in struct netdev_state */
	size_t mark;			/* bool of struct record: set where another made it */
	bool alone;			/* at home it is set by a request of its own */
	bool with_mode;			/* IPoIB's comes back with its mode, netdev_ipoib.c */
	bool of_vf;			/* it also applies to a function without a network device */
	/* Add it to a request; false for a value that cannot be set. */
	bool (*put)(struct link_change *c, struct netdev_value v);
};

enum { NETDEV_MAC, NETDEV_ATTRIBUTES_MAX = 8 };	/* row of the MAC; most rows */

extern const struct netdev_attribute netdev_attributes[];
extern const size_t netdev_attributes_n;

/* The requested values, by row. */
struct netdev_wish {
	struct {
		size_t len;		/* 0: not requested */
		union {
			uint32_t number;
			uint8_t octets[MAC_LEN];
		};
	} value[NETDEV_ATTRIBUTES_MAX];
};

void netdev_wish_of(const struct attachment *a, struct netdev_wish *ret);

/* Refuse attributes of a network device for a device bound to this driver: ERR_NETCONF. */
int netdev_refuse_wish(const struct netconf *nc, const char *device, const char *driver,
		       struct err *e) must_check;

/* Copy the state before into the record. */
void netdev_note(const struct link *link, struct netdev_state *ret);

/* Mark in the record which attributes are to be set on another plugin's interface. */
void netdev_mark(const struct netdev_wish *w, const struct link *now, struct record *rec);

bool netdev_is_marked(const struct record *rec);

/*
 * Fill the request of an ADD, which borrows from *w: on another plugin's interface, the marked
 * attributes; on ours, all that differ from before, without the MAC.  False when there are none.
 */
bool netdev_ask(const struct netdev_wish *w, const struct record *rec, struct link_change *ret);

/* Format the same for messages: "mtu 1400"; returns ret. */
#define NETDEV_WISH_TEXT 128
const char *netdev_ask_text(const struct netdev_wish *w, const struct record *rec,
			    char ret[NETDEV_WISH_TEXT]);

/* Fill the request that restores those of them that differ now; *ret borrows from *rec. */
bool netdev_undo(const struct record *rec, const struct link *now, struct link_change *ret);

/* Report each attribute that differs from the request, or from the chain's result, which wins. */
void netdev_compare(struct check *c);

/* Write what was set into our interface of the chain's result, as far as this version has it. */
void netdev_tell(const struct netdev_wish *w, const struct record *rec, enum cni_version version,
		 json_t *intf);

#endif
