/* SPDX-License-Identifier: Apache-2.0 */
/* kind.c - which values members of several kinds may have */
#include "devinfo/format/kind.h"

#include "base/name.h"

#include <ctype.h>
#include <string.h>

void kind_lower(char *value)
{
	for (; *value; value++)
		*value = (char)tolower((unsigned char)*value);
}

bool kind_is_bdf(const char *value)
{
	return name_is_bdf(value);
}

bool kind_is_netdev(const char *value)
{
	return name_is_ifname(value);
}

bool kind_is_path(const char *value)
{
	const char *dots = value;

	if (value[0] != '/')
		return false;
	while ((dots = strstr(dots, "/.."))) {
		dots += 3;
		if (*dots == '/' || *dots == '\0')
			return false;
	}
	return true;
}

bool kind_is_one_of(const char *value, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(value, list[i]) == 0)
			return true;
	return false;
}
