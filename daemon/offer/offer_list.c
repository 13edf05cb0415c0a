/* SPDX-License-Identifier: Apache-2.0 */
/* offer_list.c - lists of what is offered: compared, searched, released */
#include "daemon/offer/offer.h"

#include <stdlib.h>
#include <string.h>

bool offers_equal(const struct offer *a, const struct offer *b)
{
	if (a->n != b->n || strcmp(a->resource, b->resource) != 0)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct offered *x = &a->list[i], *y = &b->list[i];

		if (strcmp(x->id, y->id) != 0 || x->healthy != y->healthy ||
		    x->has_numa != y->has_numa || (x->has_numa && x->numa != y->numa))
			return false;
	}
	return true;
}

const struct offered *offer_find(const struct offer *o, const char *id)
{
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(o->list[i].id, id) == 0)
			return &o->list[i];
	return NULL;
}

void offers_done(struct offers *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->list[i].list);
	free(o->list);
	*o = (struct offers){ .n = 0 };
}
