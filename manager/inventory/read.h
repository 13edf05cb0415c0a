/* SPDX-License-Identifier: Apache-2.0 */
/* read.h - the steps of inventory_read(), each of which fills lists of an inventory */
#ifndef MANAGER_INVENTORY_READ_H
#define MANAGER_INVENTORY_READ_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <limits.h>

/*
 * Append a zeroed element to the list at *list and return it; NULL with *e when there are
 * INV_LENGTH_MAX of them.
 */
enum { INV_LENGTH_MAX = 1 << 16 };
void *inv_add(void *list, size_t *n, size_t size, struct err *e) must_check;
#define INV_ADD(inv, what, e) inv_add(&(inv)->what, &(inv)->n_##what, sizeof(*(inv)->what), e)

/*
 * Make a list of n texts, all "", that the caller frees; NULL without memory.  In a function of its
 * own: gcc's analyzer takes calloc()'s answer for too small for arrays of characters.
 */
void *inv_texts(size_t n, size_t size) must_check;

/* -- sysfs -- */

int read_pci(const struct host *host, struct inventory *inv, struct err *e) must_check;
int read_auxiliaries(const struct host *host, struct inventory *inv, struct err *e) must_check;
int read_vdpas(const struct host *host, struct inventory *inv, struct err *e) must_check;
int read_rdmas(const struct host *host, struct inventory *inv, struct err *e) must_check;
/* Called after the others, whose devices can be parents of network devices. */
int read_links(const struct host *host, struct inventory *inv, struct err *e) must_check;

/*
 * Read an attribute of an open directory.  One that cannot be read counts as absent: drivers refuse
 * some in many ways, and a faulty device must still be shown.
 */
bool read_line(int dir, const char *attr, char *ret, size_t size);
/* Read an integer of 0 or more. */
bool read_number(int dir, const char *attr, int *ret);
/* Read the attributes of a table into s; an absent one stays "". */
struct read_text {
	const char *attr;
	size_t offset, size;
};
#define READ_TEXT(attr, s, member) { attr, offsetof(s, member), sizeof(((s *)NULL)->member) }
void read_texts(int dir, const struct read_text *t, size_t n, void *s);
/* Read the last component of a link's target; "" when there is none, or it does not fit. */
void read_base(int dir, const char *attr, char *ret, size_t size);

/*
 * For a path like ../../devices/pci0000:00/0000:01:00.0/net/eth0: get the last PCI address before
 * its last component; get the component `back` places before the last.  "" when there is none.
 */
void path_function(const char *path, char ret[16]);
void path_component(const char *path, unsigned int back, char *ret, size_t size);

/* -- sockets of the live node, and names -- */

int read_kernel_links(struct inventory *inv, struct err *e) must_check;
int read_kernel_addrs(struct inventory *inv, struct err *e) must_check;
int read_kernel_genl(struct inventory *inv, struct err *e) must_check;
/* Set the names of vendors and devices from the PCI ID list of this machine. */
void read_names(struct inventory *inv);
/* The same of one function, from a text in the form of that list; an ID is of four digits. */
void names_find(const char *list, const char *vendor, const char *device, struct inv_function *f);

/* -- when all is read -- */

/* Sort all lists of inventory_read(). */
void lists_sort(struct inventory *inv);
/* Fill all places in lists, those of inventory_join() with INV_NONE. */
int places_set(struct inventory *inv, struct err *e) must_check;

#endif
