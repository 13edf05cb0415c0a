/* SPDX-License-Identifier: Apache-2.0 */
/* config_limits.c - what a claim or class may tell a driver, which alone reads it */
#include "manager/dra/limits.h"

#include "base/jx.h"
#include "manager/dra/field.h"
#include "manager/dra/name.h"

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
