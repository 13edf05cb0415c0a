/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_function.c - functions of timestamps and durations
 *
 * A time zone is "UTC" or "+01:30": what a name means, is in files, and changes.
 */
#include "manager/cel/function.h"
#include "manager/cel/moment.h"

#include <string.h>

#define NANO 1000000000

static const char overflow[] = "the duration does not fit into 64 bits";
static const char no_year[] = "a timestamp has a year from 1 to 9999";

static struct cel_value give_moment(struct cel_run *r, const struct cel_moment *m)
{
	struct cel_moment *copy;

	if (!cel_moment_is_good(m->seconds))
		return cel_fault(r, no_year, NULL);
	copy = cel_new(r, sizeof(*copy));
	if (!copy)
		return cel_failed(r);
	*copy = *m;
	return (struct cel_value){ .type = CEL_TIMESTAMP, .moment = copy };
}

static struct cel_value give_duration(struct cel_run *r, bool is_over, int64_t nano)
{
	if (is_over)
		return cel_fault(r, overflow, NULL);
	return (struct cel_value){ .type = CEL_DURATION, .integer = nano };
}

/* -- conversions -- */

static struct cel_value same(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return *v;
}

static struct cel_value timestamp_of_string(struct cel_run *r, const struct cel_value *v)
{
	struct cel_moment m;

	return cel_moment_read(v->text, &m) ? give_moment(r, &m) :
					      cel_fault(r, "no timestamp", v->text);
}

static struct cel_value timestamp_of_int(struct cel_run *r, const struct cel_value *v)
{
	const struct cel_moment m = { .seconds = v->integer };

	return give_moment(r, &m);
}

static struct cel_value duration_of_string(struct cel_run *r, const struct cel_value *v)
{
	int64_t nano;

	return cel_duration_read(v->text, &nano) ? give_duration(r, false, nano) :
						   cel_fault(r, "no duration", v->text);
}

static struct cel_value duration_of_int(struct cel_run *r, const struct cel_value *v)
{
	return give_duration(r, false, v->integer);
}

static struct cel_value int_of_timestamp(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->moment->seconds);
}

static struct cel_value int_of_duration(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->integer);
}

static struct cel_value string_of_timestamp(struct cel_run *r, const struct cel_value *v)
{
	char text[CEL_MOMENT_TEXT];

	cel_moment_write(v->moment, text);
	return cel_copy(r, text, strlen(text));
}

static struct cel_value string_of_duration(struct cel_run *r, const struct cel_value *v)
{
	char text[CEL_DOUBLE_TEXT];

	return cel_copy(r, text, cel_duration_write(v->integer, text));
}

/* -- arithmetic -- */

static struct cel_value shift(struct cel_run *r, const struct cel_moment *m, int64_t seconds,
			      int64_t nano)
{
	struct cel_moment sum = *m;

	nano += m->nano;
	sum.seconds += seconds + (nano >= NANO) - (nano < 0);
	sum.nano = (int32_t)(nano - (nano >= NANO) * NANO + (nano < 0) * NANO);
	return give_moment(r, &sum);
}

static struct cel_value timestamp_plus_duration(struct cel_run *r, const struct cel_value *v)
{
	return shift(r, v[0].moment, v[1].integer / NANO, v[1].integer % NANO);
}

static struct cel_value duration_plus_timestamp(struct cel_run *r, const struct cel_value *v)
{
	return shift(r, v[1].moment, v[0].integer / NANO, v[0].integer % NANO);
}

static struct cel_value timestamp_minus_duration(struct cel_run *r, const struct cel_value *v)
{
	return shift(r, v[0].moment, -(v[1].integer / NANO), -(v[1].integer % NANO));
}

static struct cel_value timestamp_minus_timestamp(struct cel_run *r, const struct cel_value *v)
{
	int64_t seconds = v[0].moment->seconds - v[1].moment->seconds, nano = 0;
	bool is_over = __builtin_mul_overflow(seconds, NANO, &nano) ||
		       __builtin_add_overflow(nano, v[0].moment->nano - v[1].moment->nano, &nano);

	return give_duration(r, is_over, nano);
}

static struct cel_value duration_plus_duration(struct cel_run *r, const struct cel_value *v)
{
	int64_t nano = 0;
	bool is_over = __builtin_add_overflow(v[0].integer, v[1].integer, &nano);

	return give_duration(r, is_over, nano);
}

static struct cel_value duration_minus_duration(struct cel_run *r, const struct cel_value *v)
{
	int64_t nano = 0;
	bool is_over = __builtin_sub_overflow(v[0].integer, v[1].integer, &nano);

	return give_duration(r, is_over, nano);
}

/* -- parts -- */

enum part { YEAR, MONTH, DAY_OF_YEAR, DAY_OF_MONTH, DATE, DAY_OF_WEEK, HOURS, MINUTES, SECONDS };

static int64_t part_of(const struct cel_date *d, enum part part)
{
	const int64_t parts[] = {
		[YEAR] = d->year, [MONTH] = d->month - 1, [DAY_OF_YEAR] = d->day_of_year,
		[DAY_OF_MONTH] = d->day - 1, [DATE] = d->day, [DAY_OF_WEEK] = d->day_of_week,
		[HOURS] = d->hour, [MINUTES] = d->minute, [SECONDS] = d->second,
	};

	return parts[part];
}

/* v[1] is the time zone of the row that has one, and without it UTC. */
static struct cel_value get(struct cel_run *r, const struct cel_value *v, enum part part)
{
	struct cel_date d;
	int64_t offset = 0;

	if (r->node->count > 1 && !cel_offset_read(v[1].text, &offset))
		return cel_fault(r, "a time zone is UTC, or as +01:30, not", v[1].text);
	cel_moment_split(v[0].moment, offset, &d);
	return cel_int(part_of(&d, part));
}

#define GETTER(name, part) \
	static struct cel_value name(struct cel_run *r, const struct cel_value *v) \
	{ \
		return get(r, v, part); \
	}

GETTER(get_year, YEAR)
GETTER(get_month, MONTH)
GETTER(get_day_of_year, DAY_OF_YEAR)
GETTER(get_day_of_month, DAY_OF_MONTH)
GETTER(get_date, DATE)
GETTER(get_day_of_week, DAY_OF_WEEK)
GETTER(get_hours, HOURS)
GETTER(get_minutes, MINUTES)
GETTER(get_seconds, SECONDS)

static struct cel_value get_milliseconds(struct cel_run *r, const struct cel_value *v)
{
	int64_t offset;

	if (r->node->count > 1 && !cel_offset_read(v[1].text, &offset))
		return cel_fault(r, "a time zone is UTC, or as +01:30, not", v[1].text);
	return cel_int(v->moment->nano / 1000000);
}

/* Of a duration, all of it in this unit. */
static struct cel_value in_hours(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->integer / (3600 * (int64_t)NANO));
}

static struct cel_value in_minutes(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->integer / (60 * (int64_t)NANO));
}

static struct cel_value in_seconds(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->integer / NANO);
}

static struct cel_value in_milliseconds(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->integer / 1000000);
}

#define GETTERS(name, call) \
	{ name, CEL_METHOD, "T", "i", call, false }, \
	{ name, CEL_METHOD, "Ts", "i", call, false }

const struct cel_function cel_time_functions[] = {
	{ "timestamp", CEL_FUNCTION, "T", "T", same, false },
	{ "timestamp", CEL_FUNCTION, "s", "T", timestamp_of_string, false },
	{ "timestamp", CEL_FUNCTION, "i", "T", timestamp_of_int, false },
	{ "duration", CEL_FUNCTION, "r", "r", same, false },
	{ "duration", CEL_FUNCTION, "s", "r", duration_of_string, false },
	{ "duration", CEL_FUNCTION, "i", "r", duration_of_int, false },
	{ "int", CEL_FUNCTION, "T", "i", int_of_timestamp, false },
	{ "int", CEL_FUNCTION, "r", "i", int_of_duration, false },
	{ "string", CEL_FUNCTION, "T", "s", string_of_timestamp, false },
	{ "string", CEL_FUNCTION, "r", "s", string_of_duration, false },

	{ "+", CEL_OPERATOR, "rr", "r", duration_plus_duration, false },
	{ "+", CEL_OPERATOR, "rT", "T", duration_plus_timestamp, false },
	{ "+", CEL_OPERATOR, "Tr", "T", timestamp_plus_duration, false },
	{ "-", CEL_OPERATOR, "rr", "r", duration_minus_duration, false },
	{ "-", CEL_OPERATOR, "Tr", "T", timestamp_minus_duration, false },
	{ "-", CEL_OPERATOR, "TT", "r", timestamp_minus_timestamp, false },

	GETTERS("getFullYear", get_year),
	GETTERS("getMonth", get_month),
	GETTERS("getDayOfYear", get_day_of_year),
	GETTERS("getDayOfMonth", get_day_of_month),
	GETTERS("getDate", get_date),
	GETTERS("getDayOfWeek", get_day_of_week),
	GETTERS("getHours", get_hours),
	GETTERS("getMinutes", get_minutes),
	GETTERS("getSeconds", get_seconds),
	GETTERS("getMilliseconds", get_milliseconds),
	{ "getHours", CEL_METHOD, "r", "i", in_hours, false },
	{ "getMinutes", CEL_METHOD, "r", "i", in_minutes, false },
	{ "getSeconds", CEL_METHOD, "r", "i", in_seconds, false },
	{ "getMilliseconds", CEL_METHOD, "r", "i", in_milliseconds, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
