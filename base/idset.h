/* SPDX-License-Identifier: Apache-2.0 */
/* idset.h - a set of the numbers 0 to 4095, which is what the ids of VLANs are */
#ifndef BASE_IDSET_H
#define BASE_IDSET_H

#include <stdbool.h>
#include <stdint.h>

enum { IDSET_IDS = 4096 };

struct idset {
	uint8_t bits[IDSET_IDS / 8];
};

static inline bool idset_has(const struct idset *s, unsigned int id)
{
	return id < IDSET_IDS && s->bits[id / 8] & 1U << id % 8;
}

static inline void idset_add(struct idset *s, unsigned int id)
{
	if (id < IDSET_IDS)
		s->bits[id / 8] |= (uint8_t)(1U << id % 8);
}

static inline void idset_remove(struct idset *s, unsigned int id)
{
	if (id < IDSET_IDS)
		s->bits[id / 8] &= (uint8_t)~(1U << id % 8);
}

/*
 * Find the next run of consecutive numbers at *first or above: true with its ends in *first and
 * *last.
 */
static inline bool idset_run(const struct idset *s, unsigned int *first, unsigned int *last)
{
	unsigned int id = *first;

	while (id < IDSET_IDS && !idset_has(s, id))
		id++;
	if (id == IDSET_IDS)
		return false;
	*first = id;
	while (idset_has(s, id + 1))
		id++;
	*last = id;
	return true;
}

static inline bool idset_empty(const struct idset *s)
{
	unsigned int first = 0, last;

	return !idset_run(s, &first, &last);
}

#endif
