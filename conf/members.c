/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - objects of the configuration whose members are all ours */
#include "conf/members.h"

#include <stdbool.h>
#include <stdint.h>
#include <strings.h>

static bool is_known(const char *key, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(key, names[i]) == 0)
			return true;
	return false;
}

int members_check(const json_t *o, const char *path, const char *const *names, size_t n,
		  struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, key, v)
		if (!is_known(key, names, n))
			return err_set(e, ERR_NETCONF, 0, "%s.%.64s: unknown key", path, key);
	return 0;
}
