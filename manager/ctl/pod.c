/* SPDX-License-Identifier: Apache-2.0 */
/* pod.c - what the commands about one pod have in common */
#include "manager/ctl/pod.h"

#include "base/name.h"

#include <string.h>

bool ctl_split_pod(const char *text, char *buf, size_t size, struct pod *ret)
{
	char *slash;

	if (strlen(text) >= size)
		return false;
	memcpy(buf, text, strlen(text) + 1);
	slash = strchr(buf, '/');
	if (!slash)
		return false;
	*slash = '\0';
	ret->name_space = buf;
	ret->name = slash + 1;
	return name_is_dns_label(ret->name_space) && name_is_dns_subdomain(ret->name);
}
