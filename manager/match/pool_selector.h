/* SPDX-License-Identifier: Apache-2.0 */
/* pool_selector.h - one object of "selectors", and the devices that it selects */
#ifndef MANAGER_MATCH_POOL_SELECTOR_H
#define MANAGER_MATCH_POOL_SELECTOR_H

#include "manager/inventory/inventory.h"
#include "manager/match/match.h"
#include "manager/match/pool.h"

#include <jansson.h>
#include <stdbool.h>

/* The selectors that are lists of strings. */
enum selector_list {
	SELECT_VENDORS, SELECT_DEVICES, SELECT_DRIVERS, SELECT_PCI_ADDRESSES, SELECT_ACPI_INDEXES,
	SELECT_AUX_TYPES, SELECT_PF_NAMES, SELECT_ROOT_DEVICES, SELECT_LINK_TYPES,
	SELECT_DDP_PROFILES, SELECT_PKEYS, SELECTOR_LISTS
};

struct selector {
	const json_t *list[SELECTOR_LISTS];	/* borrowed; NULL or empty: any */
	bool is_rdma, need_vhost_net;
	const char *vdpa_type;		/* "vhost", "virtio"; NULL: any */
};

/* A pool; its texts are borrowed from the document. */
struct pool {
	const char *name, *prefix;
	enum pool_type type;
	bool exclude_topology;
	const json_t *info;		/* additionalInfo; NULL: there is none */
	struct selector *selectors;	/* owned */
	size_t n_selectors;
	struct match *match;		/* owned; NULL: there are no expressions */
	size_t slots;			/* of sockets; 0: it is of devices */
	const char *side, *mode;	/* of sockets: who makes it; mode of memif alone */
};

/* pool_slot.c: read the keys of a pool of sockets, or refuse them where it is none. */
int pool_read_slots(const json_t *o, const char *path, struct pool *p, struct err *e) must_check;

/*
 * Read a selector; type decides which keys it may have. -1: ERR_NETCONF names the key, below path.
 */
int selector_read(const json_t *o, const char *path, enum pool_type type, struct selector *ret,
		  struct err *e) must_check;

/* Can a pool of this type have the device at all?  Either f or x is NULL. */
bool selector_takes(enum pool_type type, const struct inventory *inv,
		    const struct inv_function *f, const struct inv_auxiliary *x);

bool selector_has_function(const struct selector *s, const struct inventory *inv,
			   const struct inv_function *f);
bool selector_has_auxiliary(const struct selector *s, const struct inventory *inv,
			    const struct inv_auxiliary *x);

#endif
