/* SPDX-License-Identifier: Apache-2.0 */
/* device_name.c - how ResourceSlices of this node call its devices */
#include "devinfo/taint/device_name.h"

#include "base/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Each byte that a DNS label cannot have becomes '-'. */
static void to_label(char *text)
{
	for (char *p = text; *p; p++) {
		*p = (char)tolower((unsigned char)*p);
		if (!isdigit((unsigned char)*p) && !(*p >= 'a' && *p <= 'z'))
			*p = '-';
	}
}

void device_name_function(const char *bdf, char ret[DEVICE_NAME_SIZE])
{
	(void)snprintf(ret, DEVICE_NAME_SIZE, "%s", bdf);
	to_label(ret);
}

void device_name_sub_function(const char *pf_bdf, unsigned int number, char ret[DEVICE_NAME_SIZE])
{
	(void)snprintf(ret, DEVICE_NAME_SIZE, "%s-sf-%u", pf_bdf, number);
	to_label(ret);
}

/* A name that had to be changed for more than its prefix keeps its hash, so that it is its own. */
static void hashed_name(const char *prefix, const char *name, char ret[DEVICE_NAME_SIZE])
{
	(void)snprintf(ret, DEVICE_NAME_SIZE, "%s%.40s-%08x", prefix, name,
		       (unsigned int)name_hash(0, name));
	to_label(ret);
}

void device_name_auxiliary(const char *name, char ret[DEVICE_NAME_SIZE])
{
	hashed_name("aux-", name, ret);
}

void device_name_vdpa(const char *name, char ret[DEVICE_NAME_SIZE])
{
	if (name_is_dns_label(name) && strlen(name) < DEVICE_NAME_SIZE - sizeof("vdpa-"))
		(void)snprintf(ret, DEVICE_NAME_SIZE, "vdpa-%s", name);
	else
		hashed_name("vdpa-", name, ret);
}
