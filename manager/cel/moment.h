/* SPDX-License-Identifier: Apache-2.0 */
/* moment.h - timestamps and durations as Go reads and writes them (RFC 3339, "1h30m") */
#ifndef MANAGER_CEL_MOMENT_H
#define MANAGER_CEL_MOMENT_H

#include "manager/cel/double_text.h"

#include <stdint.h>

enum { CEL_MOMENT_TEXT = 48 };		/* bytes of one that is written, with the NUL */

/* From the year 1 to 9999. */
struct cel_moment {
	int64_t seconds;		/* since 1970 */
	int32_t nano;
	int32_t offset;			/* seconds east of UTC, as it was written */
};

/* What a clock and a calendar show. */
struct cel_date {
	int64_t year;
	int month, day;			/* from 1 */
	int day_of_year, day_of_week;	/* from 0; Sunday is 0 */
	int hour, minute, second;
};

/* Is it in the years that CEL has? */
bool cel_moment_is_good(int64_t seconds);

/* Reads the whole text; false: it is none, and *ret is not touched. */
bool cel_moment_read(const char *text, struct cel_moment *ret);
void cel_moment_write(const struct cel_moment *m, char ret[CEL_MOMENT_TEXT]);

/* -1, 0, 1: the place where each was written does not count. */
int cel_moment_order(const struct cel_moment *a, const struct cel_moment *b);

/* Gives the date so many seconds east of UTC. */
void cel_moment_split(const struct cel_moment *m, int64_t offset, struct cel_date *ret);

/* Reads "UTC" or "+01:30": seconds east of UTC.  false: it is none. */
bool cel_offset_read(const char *text, int64_t *ret);

/* Durations are nanoseconds. */
bool cel_duration_read(const char *text, int64_t *ret);
size_t cel_duration_write(int64_t nano, char ret[CEL_DOUBLE_TEXT]);

#endif
