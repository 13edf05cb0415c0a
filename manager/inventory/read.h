/* SPDX-License-Identifier: Apache-2.0 */
/* read.h - the parts of inventory_read(), each of which fills lists of an inventory */
#ifndef MANAGER_INVENTORY_READ_H
#define MANAGER_INVENTORY_READ_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <limits.h>

/*
 * A new zeroed element at the end of a list, which is at *list; NULL with *e when there are
 * INV_LENGTH_MAX of them.
 */
enum { INV_LENGTH_MAX = 1 << 16 };
void *inv_add(void *list, size_t *n, size_t size, struct err *e) must_check;
#define INV_ADD(inv, what, e) inv_add(&(inv)->what, &(inv)->n_##what, sizeof(*(inv)->what), e)

/* -- sysfs -- */

int read_pci(const struct host *host, struct inventory *inv, struct err *e) must_check;
int read_auxiliaries(const struct host *host, struct inventory *inv, struct err *e) must_check;
int read_vdpas(const struct host *host, struct inventory *inv, struct err *e) must_check;
int read_rdmas(const struct host *host, struct inventory *inv, struct err *e) must_check;
/* After the others, whose devices may be behind a network device. */
int read_links(const struct host *host, struct inventory *inv, struct err *e) must_check;

/*
 * Attributes of an open directory.  One that cannot be read is as good as absent: drivers refuse
 * some in many ways, and a device in trouble is one that people want to see.
 */
bool read_line(int dir, const char *attr, char *ret, size_t size);
/* A whole number that is not negative. */
bool read_number(int dir, const char *attr, int *ret);
/* As a table: what is absent stays "". */
struct read_text {
	const char *attr;
	size_t offset, size;
};
#define READ_TEXT(attr, s, member) { attr, offsetof(s, member), sizeof(((s *)NULL)->member) }
void read_texts(int dir, const struct read_text *t, size_t n, void *s);
/* The last component of a link; "" where there is none that fits. */
void read_base(int dir, const char *attr, char *ret, size_t size);

/*
 * Of a path like ../../devices/pci0000:00/0000:01:00.0/net/eth0: the last PCI address in it before
 * the end, and the component `back` before the last.  "" where there is none.
 */
void path_function(const char *path, char ret[16]);
void path_component(const char *path, unsigned int back, char *ret, size_t size);

/* -- sockets of the live node, and names -- */

int read_kernel_links(struct inventory *inv, struct err *e) must_check;
int read_kernel_addrs(struct inventory *inv, struct err *e) must_check;
int read_kernel_genl(struct inventory *inv, struct err *e) must_check;
/* Vendors and devices by the list of names that libpci has on this machine. */
void read_names(struct inventory *inv);

/* -- when all is read -- */

/* Sort all lists of inventory_read(). */
void lists_sort(struct inventory *inv);
/* Fill all places in lists, those of inventory_join() with INV_NONE. */
int places_set(struct inventory *inv, struct err *e) must_check;

#endif
