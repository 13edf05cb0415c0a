/* SPDX-License-Identifier: Apache-2.0 */
/* offer_list.c - lists of what is offered: searched, released */
#include "daemon/offer/offer.h"

#include <stdlib.h>
#include <string.h>

const struct offered *offer_find(const struct offer *o, const char *id)
{
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(o->list[i].id, id) == 0)
			return &o->list[i];
	return NULL;
}

const struct offer *offers_find(const struct offers *o, const char *resource)
{
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(o->list[i].resource, resource) == 0)
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
