/* SPDX-License-Identifier: Apache-2.0 */
/* name.h - the forms of names and values that resource.k8s.io knows */
#ifndef MANAGER_DRA_NAME_H
#define MANAGER_DRA_NAME_H

#include <stdbool.h>

enum {
	DRA_DRIVER_MAX = 63,
	DRA_POOL_MAX = 253,
	DRA_DOMAIN_MAX = 63,
	DRA_ID_MAX = 32,		/* of an attribute, behind the domain */
	DRA_VALUE_MAX = 64,		/* bytes of a string or version */
};

/* A DNS subdomain, as the API server in any case; it should be lower case. */
bool dra_name_is_driver(const char *s);
/* DNS subdomains with '/' between them. */
bool dra_name_is_pool(const char *s);
/* A C identifier, with or without a domain and '/' before it. */
bool dra_name_is_attribute(const char *s);
/* A label's key, as that of a taint: [PREFIX/]NAME; and its value, which may be "". */
bool dra_name_is_key(const char *s);
bool dra_name_is_value(const char *s);
/* An extended resource: DOMAIN/NAME, of no domain of Kubernetes' own. */
bool dra_name_is_resource(const char *s);
/* X.Y.Z of semver.org 2.0.0, with all that may be behind it. */
bool dra_name_is_version(const char *s);
/* Of resource.Quantity: a number with sign, fraction and one suffix: "8Gi", "1500m", "1e3". */
bool dra_name_is_quantity(const char *s);

#endif
