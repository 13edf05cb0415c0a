/* SPDX-License-Identifier: Apache-2.0 */
/* device_filter.c - which devices an administrator's object is about */
#include "devinfo/taint/device_filter.h"

#include "base/jx.h"
#include "base/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DRIVER_MAX = 63, POOL_MAX = 253, SELECTORS_MAX = 32 };

/* A driver's name may have capitals, and is compared with them. */
static bool is_driver(const char *s)
{
	char lower[DRIVER_MAX + 1];
	size_t len = strlen(s);

	if (len >= sizeof(lower))
		return false;
	for (size_t i = 0; i <= len; i++)
		lower[i] = (char)tolower((unsigned char)s[i]);
	return name_is_dns_subdomain(lower);
}

/* Domains with '/' between them. */
static bool is_pool(const char *s)
{
	char part[POOL_MAX + 1];

	if (strlen(s) > POOL_MAX)
		return false;
	for (;; s++) {
		size_t n = strcspn(s, "/");

		(void)snprintf(part, sizeof(part), "%.*s", (int)n, s);
		if (!name_is_dns_subdomain(part))
			return false;
		s += n;
		if (!*s)
			return true;
	}
}

static int read_text(const json_t *o, const char *path, const char *key,
		     bool (*is)(const char *s), const char *expected, const char **ret,
		     struct err *e)
{
	const char *text = NULL;
	int r = jx_string(o, path, key, &text, e);

	if (r <= 0)
		return r;
	if (!is(text))
		return err_set(e, ERR_NETCONF, 0, "%s.%s cannot be '%.64s': expected %s", path, key,
			       text, expected);
	*ret = text;
	return 0;
}

static int read_selectors(const json_t *o, const char *path, struct device_filter *f, struct err *e)
{
	json_t *list = NULL;

	if (jx_array(o, path, "selectors", &list, e) < 0)
		return -1;
	if (json_array_size(list) > SELECTORS_MAX)
		return err_set(e, ERR_NETCONF, 0, "%s.selectors: %zu entries, more than %d", path,
			       json_array_size(list), SELECTORS_MAX);
	f->selectors = json_array_size(list) > 0 ? list : NULL;
	return 0;
}

int device_filter_read(const json_t *o, const char *path, const char *key,
		       struct device_filter *ret, struct err *e)
{
	static const char *const keys[] = { "deviceClassName", "driver", "pool", "device",
					    "selectors" };
	static const char domain[] = "a DNS name in lower case";
	struct device_filter f = { .is_given = true };
	json_t *filter = NULL;
	char whole[128];
	int r = jx_object(o, path, key, &filter, e);

	*ret = (struct device_filter){ .is_given = false };
	if (r <= 0)
		return r;
	(void)snprintf(whole, sizeof(whole), "%s.%s", path, key);
	if (jx_only_exact_keys(filter, whole, keys, ARRAY_SIZE(keys), e) < 0 ||
	    read_text(filter, whole, "deviceClassName", name_is_dns_subdomain, domain,
		      &f.device_class, e) < 0 ||
	    read_text(filter, whole, "driver", is_driver, domain, &f.driver, e) < 0 ||
	    read_text(filter, whole, "pool", is_pool, "a node's name, or domains with '/'",
		      &f.pool, e) < 0 ||
	    read_text(filter, whole, "device", name_is_dns_label, "a device of a ResourceSlice, "
		      "as 0000-65-00-3", &f.device, e) < 0 ||
	    read_selectors(filter, whole, &f, e) < 0)
		return -1;
	*ret = f;
	return 0;
}

static bool is_equal(const char *wanted, const char *have)
{
	return !wanted || strcmp(wanted, have) == 0;
}

bool device_filter_has_pool(const struct device_filter *f, const char *driver, const char *pool)
{
	return is_equal(f->driver, driver) && is_equal(f->pool, pool);
}

bool device_filter_has_device(const struct device_filter *f, const char *device)
{
	return is_equal(f->device, device);
}

bool device_filter_is_by_name(const struct device_filter *f)
{
	return !f->device_class && !f->selectors;
}
