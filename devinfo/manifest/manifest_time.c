/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_time.c - the times in Kubernetes objects, as Go reads them */
#include "devinfo/manifest/manifest_time.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Of n digits; -1: one is none. */
static int number_of(const char *s, size_t n)
{
	int value = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		value = value * 10 + (s[i] - '0');
	}
	return value;
}

/* Behind the seconds: a fraction, which does not matter, and "Z" or "+02:00". */
static bool zone_seconds(const char *s, long *ret)
{
	int hours, minutes;

	if (*s == '.' || *s == ',') {
		size_t digits = strspn(s + 1, "0123456789");

		if (digits == 0)
			return false;
		s += 1 + digits;
	}
	*ret = 0;
	if (strcmp(s, "Z") == 0)
		return true;
	if (strlen(s) != 6 || (s[0] != '+' && s[0] != '-') || s[3] != ':')
		return false;
	hours = number_of(s + 1, 2);
	minutes = number_of(s + 4, 2);
	*ret = (hours * 60L + minutes) * 60 * (s[0] == '-' ? -1 : 1);
	/* Go takes an offset of a whole day, and one of a whole hour of minutes */
	return hours >= 0 && hours <= 24 && minutes >= 0 && minutes <= 60;
}

/* "2023-07-29T11:22:33Z" */
static bool read_time(const char *s, int64_t *ret)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	struct tm tm = { 0 }, again;
	long zone;
	time_t t;

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
			return false;
	tm.tm_year = number_of(s, 4) - 1900;
	tm.tm_mon = number_of(s + 5, 2) - 1;
	tm.tm_mday = number_of(s + 8, 2);
	tm.tm_hour = number_of(s + 11, 2);
	tm.tm_min = number_of(s + 14, 2);
	tm.tm_sec = number_of(s + 17, 2);
	again = tm;
	t = timegm(&again);
	if (tm.tm_mon != again.tm_mon || tm.tm_mday != again.tm_mday ||
	    tm.tm_hour != again.tm_hour || tm.tm_min != again.tm_min ||
	    tm.tm_sec != again.tm_sec || !zone_seconds(s + strlen(form), &zone))
		return false;
	*ret = t - zone;
	return true;
}

/* Go takes an hour of one digit: "2023-07-29T1:22:33Z". */
static bool read_short(const char *s, int64_t *ret)
{
	char padded[64];
	int n;

	if (strnlen(s, 13) < 13 || s[12] != ':')
		return false;
	n = snprintf(padded, sizeof(padded), "%.11s0%s", s, s + 11);
	return n < (int)sizeof(padded) && read_time(padded, ret);
}

bool manifest_time(const char *text, int64_t *ret)
{
	return read_time(text, ret) || read_short(text, ret);
}
