/* SPDX-License-Identifier: Apache-2.0 */
/* claim_limits.c - what a DeviceClass, and config and status.devices of a ResourceClaim, may be */
#include "manager/dra/limits.h"

#include "base/jx.h"
#include "base/name.h"
#include "manager/cel/cel.h"
#include "manager/dra/field.h"
#include "manager/dra/name.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* -- a class -- */

static int check_expression(const char *text, struct err *e)
{
	auto_cel struct cel *cel = NULL;

	if (!text || !*text || strlen(text) > DRA_EXPRESSION_MAX)
		return err_set(e, ERR_NETCONF, 0, "cel.expression: expected 1 to %d bytes",
			       DRA_EXPRESSION_MAX);
	cel = cel_compile(text, e);
	return cel ? 0 : err_wrap(e, "cel.expression");
}

int dra_selector_check(const json_t *v, struct err *e)
{
	json_t *cel = NULL;
	const char *text = NULL;

	if (!json_is_object(v))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(v));
	if (jx_object(v, "", "cel", &cel, e) < 0)
		return -1;
	if (!cel)
		return err_set(e, ERR_NETCONF, 0, "cel is missing");
	if (jx_string(cel, "cel", "expression", &text, e) < 0)
		return -1;
	return check_expression(text, e);
}

int dra_class_check(const json_t *doc, struct err *e)
{
	json_t *spec = NULL;

	if (dra_field_spec(doc, &spec, e) < 0)
		return -1;
	if (dra_field_each(spec, "selectors", DRA_SELECTORS_MAX, dra_selector_check, e) < 0 ||
	    dra_field_each(spec, "config", DRA_CONFIG_MAX, dra_config_check, e) < 0 ||
	    dra_field_may_name(spec, "extendedResourceName", dra_name_is_resource,
			       "DOMAIN/NAME, of no domain of Kubernetes", e) < 0)
		return err_wrap(e, "spec");
	return 0;
}

/* -- the status of an allocated device -- */

/* "192.0.2.5/24" in its canonical form, in which no IPv6 address has a '.'. */
static int check_ip(const json_t *v, struct err *e)
{
	char text[64] = "", again[INET6_ADDRSTRLEN] = "", *slash, *end = NULL;
	unsigned char addr[16];
	int family;
	long bits = -1;

	if (json_is_string(v) && json_string_length(v) < sizeof(text))
		memcpy(text, json_string_value(v), json_string_length(v) + 1);
	family = strchr(text, ':') ? AF_INET6 : AF_INET;
	slash = strchr(text, '/');
	if (slash) {
		*slash = '\0';
		bits = slash[1] >= '0' && slash[1] <= '9' ? strtol(slash + 1, &end, 10) : -1;
	}
	if (bits < 0 || *end || bits > (family == AF_INET ? 32 : 128) ||
	    inet_pton(family, text, addr) != 1 || (family == AF_INET6 && strchr(text, '.')) ||
	    !inet_ntop(family, addr, again, sizeof(again)) || strcmp(text, again) != 0)
		return err_set(e, ERR_NETCONF, 0, "'%.64s': expected an address and its prefix, "
			       "as 192.0.2.5/24", json_is_string(v) ? json_string_value(v) : "");
	return 0;
}

static bool is_short_name(const char *s)
{
	return strlen(s) <= DRA_IFNAME_MAX;
}

static bool is_short_address(const char *s)
{
	return strlen(s) <= DRA_HWADDR_MAX;
}

static int check_network_data(const json_t *data, struct err *e)
{
	if (dra_field_may_name(data, "interfaceName", is_short_name, "at most 256 bytes", e) < 0 ||
	    dra_field_may_name(data, "hardwareAddress", is_short_address, "at most 128 bytes",
			       e) < 0)
		return -1;
	return dra_field_each(data, "ips", DRA_IPS_MAX, check_ip, e);
}

int dra_status_check(const json_t *device, struct err *e)
{
	json_t *data = NULL;

	if (!json_is_object(device))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			       jx_type_name(device));
	if (dra_field_name(device, "driver", dra_name_is_driver, DRA_MUST_DRIVER, e) < 0 ||
	    dra_field_name(device, "pool", dra_name_is_pool, DRA_MUST_POOL, e) < 0 ||
	    dra_field_name(device, "device", name_is_dns_label, DRA_MUST_LABEL, e) < 0 ||
	    jx_object(device, "", "networkData", &data, e) < 0)
		return -1;
	return data && check_network_data(data, e) < 0 ? err_wrap(e, "networkData") : 0;
}

/* -- what a claim or class may tell a driver, which alone reads it -- */

static int check_parameters(const json_t *opaque, struct err *e)
{
	json_t *parameters = NULL;
	size_t n;
	int r = jx_object(opaque, "", "parameters", &parameters, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "parameters are missing");
	n = json_dumpb(parameters, NULL, 0, JSON_COMPACT);
	return n <= DRA_PARAMETERS_MAX ?
		       0 : err_set(e, ERR_NETCONF, 0, "parameters: %zu bytes, at most %d are "
				   "allowed", n, DRA_PARAMETERS_MAX);
}

int dra_config_check(const json_t *config, struct err *e)
{
	json_t *opaque = NULL;
	int r;

	if (!json_is_object(config))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			       jx_type_name(config));
	r = jx_object(config, "", "opaque", &opaque, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "opaque is missing");
	if (dra_field_name(opaque, "driver", dra_name_is_driver, DRA_MUST_DRIVER, e) < 0 ||
	    check_parameters(opaque, e) < 0)
		return err_wrap(e, "opaque");
	return 0;
}
