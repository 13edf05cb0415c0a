/* SPDX-License-Identifier: Apache-2.0 */
/* cdi_name.c - what the Container Device Interface calls a resource and its devices */
#include "daemon/plugin/cdi_name.h"

#include "base/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void cdi_kind(const char *resource, char ret[CDI_KIND_SIZE])
{
	int prefix = (int)strcspn(resource, "/");

	(void)snprintf(ret, CDI_KIND_SIZE, "%s%.*s/net-%s",
		       isalpha((unsigned char)*resource) ? "" : "v", prefix, resource,
		       resource[prefix] ? resource + prefix + 1 : "");
}

void cdi_device_name(const char *resource, const char *id, char ret[CDI_NAME_SIZE])
{
	char kind[CDI_KIND_SIZE];

	cdi_kind(resource, kind);
	(void)snprintf(ret, CDI_NAME_SIZE, "%s=%s", kind, id);
}

/* A runtime goes by the suffix. */
void cdi_file_name(const char *resource, char ret[256])
{
	char kind[CDI_KIND_SIZE];
	size_t len;

	cdi_kind(resource, kind);
	kind[strcspn(kind, "/")] = '_';
	len = strlen(kind);
	if (len > 200)
		(void)snprintf(kind + 180, 18, "%016llx",
			       (unsigned long long)name_hash(0, resource));
	(void)snprintf(ret, 256, CDI_FILE_PREFIX "%.230s.json", kind);
}
