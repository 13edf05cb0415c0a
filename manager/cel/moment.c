/* SPDX-License-Identifier: Apache-2.0 */
/* moment.c - timestamps and durations as Go reads and writes them */
#include "manager/cel/moment.h"

#include "base/err.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NANO 1000000000

enum {
	MINUTE = 60,
	HOUR = 60 * MINUTE,
	DAY = 24 * HOUR,
	NANO_DIGITS = 9,
	ERA_YEARS = 400,		/* the calendar repeats itself */
	ERA_DAYS = 146097,
	DAYS_TO_1970 = 719468,		/* from the 1st of March of the year 0 */
};

bool cel_moment_is_good(int64_t seconds)
{
	return seconds >= INT64_C(-62135596800) && seconds <= INT64_C(253402300799);
}

int cel_moment_order(const struct cel_moment *a, const struct cel_moment *b)
{
	if (a->seconds != b->seconds)
		return a->seconds > b->seconds ? 1 : -1;
	return (a->nano > b->nano) - (a->nano < b->nano);
}

/* -- the calendar -- */

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days since 1970.  Years begin in March here, so that a leap day is the last of one. */
static int64_t days_since_1970(int64_t year, int month, int day)
{
	int64_t y = year - (month <= 2), era = y >= 0 ? y / ERA_YEARS : -1;
	int64_t of_era = y - era * ERA_YEARS;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_1970;
}

static void split_days(int64_t days, struct cel_date *ret)
{
	int64_t shifted = days + DAYS_TO_1970;
	int64_t era = (shifted >= 0 ? shifted : shifted - ERA_DAYS + 1) / ERA_DAYS;
	int64_t of_era = shifted - era * ERA_DAYS;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * of_year + 2) / 153;

	ret->day = (int)(of_year - (153 * m + 2) / 5 + 1);
	ret->month = (int)(m < 10 ? m + 3 : m - 9);
	ret->year = y + era * ERA_YEARS + (ret->month <= 2);
	ret->day_of_year = (int)(days - days_since_1970(ret->year, 1, 1));
	/* the 1st of January 1970 was a Thursday */
	ret->day_of_week = (int)(((days + 4) % 7 + 7) % 7);
}

void cel_moment_split(const struct cel_moment *m, int64_t offset, struct cel_date *ret)
{
	int64_t seconds = m->seconds + offset, days = seconds / DAY;
	int rest = (int)(seconds % DAY);

	if (rest < 0) {
		rest += DAY;
		days--;
	}
	split_days(days, ret);
	ret->hour = rest / HOUR;
	ret->minute = rest % HOUR / MINUTE;
	ret->second = rest % MINUTE;
}

/* -- timestamps -- */

/* Reads up to most digits, at least as many as that; *s goes behind them. */
static bool take_number(const char **s, int least, int most, int *ret)
{
	int n = 0;

	*ret = 0;
	for (; n < most && isdigit((unsigned char)**s); n++)
		*ret = *ret * 10 + (*(*s)++ - '0');
	return n >= least;
}

static bool take(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

static bool take_date(const char **s, int *year, int *month, int *day)
{
	return take_number(s, 4, 4, year) && take(s, '-') && take_number(s, 2, 2, month) &&
	       take(s, '-') && take_number(s, 2, 2, day) && *month >= 1 && *month <= 12 &&
	       *day >= 1 && *day <= days_of(*year, *month);
}

/* An hour may have one digit. */
static bool take_clock(const char **s, int64_t *seconds)
{
	int hour, minute, second;

	if (!take_number(s, 1, 2, &hour) || !take(s, ':') || !take_number(s, 2, 2, &minute) ||
	    !take(s, ':') || !take_number(s, 2, 2, &second) || hour > 23 || minute > 59 ||
	    second > 59)
		return false;
	*seconds = hour * HOUR + minute * MINUTE + second;
	return true;
}

/* ".5", ",5": digits behind the ninth do not count. */
static int32_t take_fraction(const char **s)
{
	const char *digit = *s + 1;
	int32_t nano = 0;
	int n = 0;

	if ((**s != '.' && **s != ',') || !isdigit((unsigned char)*digit))
		return 0;
	for (; isdigit((unsigned char)*digit); digit++, n++)
		if (n < NANO_DIGITS)
			nano = nano * 10 + (*digit - '0');
	for (; n < NANO_DIGITS; n++)
		nano *= 10;
	*s = digit;
	return nano;
}

/* "Z", "+01:30".  24:60 is allowed, for some people write it. */
static bool take_zone(const char **s, int32_t *offset)
{
	int sign = **s == '-' ? -1 : 1, hour, minute;

	*offset = 0;
	if (take(s, 'Z'))
		return true;
	if (!take(s, '+') && !take(s, '-'))
		return false;
	if (!take_number(s, 2, 2, &hour) || !take(s, ':') || !take_number(s, 2, 2, &minute) ||
	    hour > 24 || minute > 60)
		return false;
	*offset = sign * (hour * HOUR + minute * MINUTE);
	return true;
}

bool cel_moment_read(const char *text, struct cel_moment *ret)
{
	struct cel_moment m;
	int year, month, day;
	int64_t clock;

	if (!take_date(&text, &year, &month, &day) || !take(&text, 'T') ||
	    !take_clock(&text, &clock))
		return false;
	m.nano = take_fraction(&text);
	if (!take_zone(&text, &m.offset) || *text)
		return false;
	m.seconds = days_since_1970(year, month, day) * DAY + clock - m.offset;
	if (!cel_moment_is_good(m.seconds))
		return false;
	*ret = m;
	return true;
}

static size_t write_fraction(int32_t nano, char *to)
{
	size_t n = (size_t)sprintf(to, ".%09" PRId32, nano);

	while (to[n - 1] == '0')
		n--;
	if (to[n - 1] == '.')
		n--;
	to[n] = '\0';
	return n;
}

void cel_moment_write(const struct cel_moment *m, char ret[CEL_MOMENT_TEXT])
{
	struct cel_date d;
	int32_t minutes = abs(m->offset) / MINUTE;
	size_t n;

	cel_moment_split(m, m->offset, &d);
	n = (size_t)snprintf(ret, CEL_MOMENT_TEXT, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", d.year,
			     d.month, d.day, d.hour, d.minute, d.second);
	n += write_fraction(m->nano, ret + n);
	if (m->offset == 0)
		(void)snprintf(ret + n, CEL_MOMENT_TEXT - n, "Z");
	else
		(void)snprintf(ret + n, CEL_MOMENT_TEXT - n, "%c%02" PRId32 ":%02" PRId32,
			       m->offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

/* "+01:30", "-2:5": hours and minutes are any numbers, as strconv.Atoi() reads them. */
bool cel_offset_read(const char *text, int64_t *ret)
{
	const char *colon = strchr(text, ':'), *hours = text + (*text == '+' || *text == '-');
	size_t n = colon ? strspn(hours, "0123456789") : 0, m = 0;
	int64_t minutes;

	if (strcmp(text, "UTC") == 0 || !*text) {
		*ret = 0;
		return true;
	}
	if (colon)
		m = strspn(colon + 1, "0123456789");
	if (!colon || n == 0 || n > 4 || hours + n != colon || m == 0 || m > 4 || colon[1 + m])
		return false;
	minutes = atoi(hours) * 60 + atoi(colon + 1);
	*ret = (*text == '-' ? -minutes : minutes) * MINUTE;
	return true;
}

/* -- durations -- */

static const struct {
	const char *name;
	uint64_t nano;
} units[] = {
	{ "ns", 1 },		  { "us", 1000 },	   { "\u00b5s", 1000 },
	{ "\u03bcs", 1000 },	  { "ms", 1000000 },	   { "s", NANO },
	{ "m", 60 * (uint64_t)NANO }, { "h", 3600 * (uint64_t)NANO },
};

/* The unit behind a number, which reaches to the next number; 0: there is none of that name. */
static uint64_t take_unit(const char **s)
{
	size_t n = strcspn(*s, ".0123456789");

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == n && strncmp(units[i].name, *s, n) == 0) {
			*s += n;
			return units[i].nano;
		}
	return 0;
}

static bool take_whole(const char **s, uint64_t *ret)
{
	*ret = 0;
	for (; isdigit((unsigned char)**s); (*s)++) {
		if (*ret > (UINT64_C(1) << 63) / 10)
			return false;
		*ret = *ret * 10 + (uint64_t)(**s - '0');
		if (*ret > UINT64_C(1) << 63)
			return false;
	}
	return true;
}

/* Digits that do not fit into 63 bits do not count. */
static void take_part(const char **s, uint64_t *part, double *scale)
{
	bool is_full = false;

	*part = 0;
	*scale = 1;
	for (; isdigit((unsigned char)**s); (*s)++) {
		uint64_t y = *part * 10 + (uint64_t)(**s - '0');

		is_full = is_full || *part > INT64_MAX / 10 || y > UINT64_C(1) << 63;
		if (is_full)
			continue;
		*part = y;
		*scale *= 10;
	}
}

/* "1.5h" */
static bool take_one(const char **s, uint64_t *ret)
{
	const char *from = *s;
	uint64_t whole, part = 0, unit;
	bool has_digits;
	double scale = 1;

	if (!take_whole(s, &whole))
		return false;
	has_digits = *s > from;
	if (take(s, '.')) {
		from = *s;
		take_part(s, &part, &scale);
		has_digits = has_digits || *s > from;
	}
	unit = has_digits ? take_unit(s) : 0;
	if (unit == 0 || whole > (UINT64_C(1) << 63) / unit)
		return false;
	*ret = whole * unit + (part > 0 ? (uint64_t)((double)part * ((double)unit / scale)) : 0);
	return *ret <= UINT64_C(1) << 63;
}

bool cel_duration_read(const char *text, int64_t *ret)
{
	const char *s = text + (*text == '-' || *text == '+');
	uint64_t sum = 0, one;

	if (!*s)
		return false;
	if (strcmp(s, "0") == 0) {
		*ret = 0;
		return true;
	}
	while (*s) {
		if (!take_one(&s, &one))
			return false;
		sum += one;
		if (sum > UINT64_C(1) << 63)
			return false;
	}
	if (*text != '-' && sum > INT64_MAX)
		return false;
	*ret = (int64_t)(*text == '-' ? -sum : sum);
	return true;
}

size_t cel_duration_write(int64_t nano, char ret[CEL_DOUBLE_TEXT])
{
	double seconds = (double)(nano / NANO) + (double)(nano % NANO) / 1e9;
	size_t n = cel_double_write_plain(seconds, ret);

	ret[n] = 's';
	ret[n + 1] = '\0';
	return n + 1;
}
