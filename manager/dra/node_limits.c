/* SPDX-License-Identifier: Apache-2.0 */
/* node_limits.c - how a slice, or a device of it, may say which nodes have it */
#include "manager/dra/device_limits.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/field.h"
#include "manager/dra/name.h"

#include <stdint.h>
#include <string.h>

int dra_flag_check(const json_t *o, const char *key, bool *ret, struct err *e)
{
	int r = jx_bool(o, "", key, ret, e);

	if (r > 0 && !*ret)
		return err_set(e, ERR_NETCONF, 0, "%s may only be true, or absent", key);
	return r < 0 ? -1 : 0;
}

/* -- a selector -- */

static const struct operator {
	const char *name;
	size_t least, most;		/* values */
} operators[] = {
	{ "In", 1, SIZE_MAX },
	{ "NotIn", 1, SIZE_MAX },
	{ "Exists", 0, 0 },
	{ "DoesNotExist", 0, 0 },
	{ "Gt", 1, 1 },
	{ "Lt", 1, 1 },
};

static const struct operator *find_operator(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (strcmp(name, operators[i].name) == 0)
			return &operators[i];
	return NULL;
}

static int check_value(const json_t *v, struct err *e)
{
	return json_is_string(v) && dra_name_is_value(json_string_value(v)) ?
		       0 : err_set(e, ERR_NETCONF, 0, "expected the value of a label");
}

static int check_operator(const json_t *expression, struct err *e)
{
	size_t n = json_array_size(json_object_get(expression, "values"));
	const struct operator *op;
	const char *name = "";

	if (jx_string(expression, "", "operator", &name, e) < 0)
		return -1;
	op = find_operator(name);
	if (!op)
		return err_set(e, ERR_NETCONF, 0, "operator: '%.64s': expected In, NotIn, Exists, "
			       "DoesNotExist, Gt or Lt", name);
	return n >= op->least && n <= op->most ?
		       0 : err_set(e, ERR_NETCONF, 0, "values: %zu of them, with the operator %s",
				   n, name);
}

static int check_expression(const json_t *v, struct err *e)
{
	if (!json_is_object(v))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(v));
	if (dra_field_name(v, "key", dra_name_is_key, DRA_MUST_KEY, e) < 0 ||
	    dra_field_each(v, "values", SIZE_MAX, check_value, e) < 0)
		return -1;
	return check_operator(v, e);
}

static bool is_field(const char *s)
{
	return strcmp(s, "metadata.name") == 0;
}

static int check_node_name(const json_t *v, struct err *e)
{
	return json_is_string(v) && name_is_dns_subdomain(json_string_value(v)) ?
		       0 : err_set(e, ERR_NETCONF, 0, "expected the name of a node");
}

/* It is one node, or not that one. */
static int check_field(const json_t *v, struct err *e)
{
	const char *op = "";

	if (!json_is_object(v))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(v));
	if (dra_field_name(v, "key", is_field, "metadata.name", e) < 0 ||
	    jx_string(v, "", "operator", &op, e) < 0 ||
	    dra_field_each(v, "values", 1, check_node_name, e) < 0)
		return -1;
	if (strcmp(op, "In") != 0 && strcmp(op, "NotIn") != 0)
		return err_set(e, ERR_NETCONF, 0, "operator: '%.64s': expected In or NotIn", op);
	return json_array_size(json_object_get(v, "values")) == 1 ?
		       0 : err_set(e, ERR_NETCONF, 0, "values are missing");
}

static int check_term(const json_t *v, struct err *e)
{
	if (!json_is_object(v))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(v));
	return dra_field_each(v, "matchExpressions", SIZE_MAX, check_expression, e) < 0 ||
	       dra_field_each(v, "matchFields", SIZE_MAX, check_field, e) < 0 ? -1 : 0;
}

/* -- one of them -- */

int dra_nodes_check(const json_t *o, int *n, struct err *e)
{
	json_t *selector = NULL;
	bool all = false;

	if (dra_field_may_name(o, "nodeName", name_is_dns_subdomain,
			       "a DNS name of at most 253 bytes", e) < 0 ||
	    jx_object(o, "", "nodeSelector", &selector, e) < 0 ||
	    dra_flag_check(o, "allNodes", &all, e) < 0)
		return -1;
	if (selector && json_array_size(json_object_get(selector, "nodeSelectorTerms")) == 0)
		return err_set(e, ERR_NETCONF, 0, "nodeSelector: nodeSelectorTerms are missing");
	if (dra_field_each(selector, "nodeSelectorTerms", SIZE_MAX, check_term, e) < 0)
		return err_wrap(e, "nodeSelector");
	*n += json_is_string(json_object_get(o, "nodeName")) + (selector != NULL) + all;
	return 0;
}
