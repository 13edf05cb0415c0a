/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_time.c - the times in Kubernetes objects */
#include "devinfo/manifest/manifest_time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

bool manifest_time(const char *text, int64_t *ret)
{
	struct tm tm = { 0 };
	const char *p = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int hours, minutes, len = 0;
	char sign;

	if (p && *p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	if (!p)
		return false;
	*ret = timegm(&tm);
	if (strcmp(p, "Z") == 0)
		return true;
	if (sscanf(p, "%c%2d:%2d%n", &sign, &hours, &minutes, &len) != 3 || len != 6 || p[len] ||
	    !strchr("+-", sign) || hours < 0 || minutes < 0)
		return false;
	*ret -= (sign == '-' ? -60 : 60) * (int64_t)(hours * 60 + minutes);
	return true;
}
