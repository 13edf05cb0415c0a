/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - the sorted lists of an inventory: add, sort, find */
#include "manager/inventory/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list has room for the next power of two of elements. */
void *inv_add(void *list, size_t *n, size_t size, struct err *e)
{
	char *old;
	void *more;

	memcpy(&old, list, sizeof(old));
	if (*n >= INV_LENGTH_MAX) {
		(void)err_set(e, ERR_IO, E2BIG, "over %d devices of one kind", INV_LENGTH_MAX);
		return NULL;
	}
	if ((*n & (*n - 1)) == 0) {
		more = reallocarray(old, *n ? 2 * *n : 1, size);
		if (!more) {
			(void)err_set(e, ERR_IO, ENOMEM, "list of devices");
			return NULL;
		}
		memcpy(list, &more, sizeof(more));
		old = more;
	}
	return memset(old + (*n)++ * size, 0, size);
}

void *inv_texts(size_t n, size_t size)
{
	return calloc(n, size);
}

/* The name is the first member of each, but of a VF's. */
static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int by_natural_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

static int by_pf_and_index(const void *a, const void *b)
{
	const struct inv_vf *x = a, *y = b;
	int r = strcmp(x->pf, y->pf);

	return r ? r : x->index - y->index;
}

static void sort(void *list, size_t n, size_t size, int (*by)(const void *, const void *))
{
	if (n)
		qsort(list, n, size, by);
}

#define SORT(inv, what, by) sort((inv)->what, (inv)->n_##what, sizeof(*(inv)->what), by)

void lists_sort(struct inventory *inv)
{
	SORT(inv, functions, by_name);
	SORT(inv, links, by_name);
	SORT(inv, vfs, by_pf_and_index);
	SORT(inv, auxiliaries, by_natural_name);
	SORT(inv, vdpas, by_natural_name);
	SORT(inv, mgmtdevs, by_natural_name);
	SORT(inv, rdmas, by_natural_name);
}

static int find(const void *list, size_t n, size_t size, const char *name,
		int (*by)(const void *, const void *))
{
	const char *at = n ? bsearch(name, list, n, size, by) : NULL;

	return at ? (int)((size_t)(at - (const char *)list) / size) : INV_NONE;
}

#define FIND(inv, what, name, by) \
	find((inv)->what, (inv)->n_##what, sizeof(*(inv)->what), name, by)

int inventory_function(const struct inventory *inv, const char *bdf)
{
	return FIND(inv, functions, bdf, by_name);
}

int inventory_link(const struct inventory *inv, const char *name)
{
	return FIND(inv, links, name, by_name);
}

int inventory_auxiliary(const struct inventory *inv, const char *name)
{
	return FIND(inv, auxiliaries, name, by_natural_name);
}

int inventory_vdpa(const struct inventory *inv, const char *name)
{
	return FIND(inv, vdpas, name, by_natural_name);
}

int inventory_rdma(const struct inventory *inv, const char *name)
{
	return FIND(inv, rdmas, name, by_natural_name);
}

int inventory_vf(const struct inventory *inv, const char *pf_netdev, int index)
{
	struct inv_vf key = { .index = index };
	const struct inv_vf *at = NULL;

	(void)snprintf(key.pf, sizeof(key.pf), "%s", pf_netdev);
	if (inv->n_vfs)
		at = bsearch(&key, inv->vfs, inv->n_vfs, sizeof(key), by_pf_and_index);
	return at ? (int)(at - inv->vfs) : INV_NONE;
}
