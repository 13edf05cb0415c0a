/* SPDX-License-Identifier: Apache-2.0 */
/* test_network_request.c - which networks a pod may name, of its namespace and of others */
#include "devinfo/network/network_definition.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdio.h>

/* May a pod of apps have the network "net" of that namespace?  "yes", or why not. */
static const char *may_have(const struct settings *set, const char *namespace, bool is_default)
{
	static char ret[2048];
	const struct network_selection s = {
		.name = "net", .namespace = namespace, .is_default = is_default,
	};
	struct err e = { 0 };

	if (network_check_namespace(set, "apps", &s, &e) == 0)
		return "yes";
	ok(e.code == ERR_NETCONF);
	(void)snprintf(ret, sizeof(ret), "%s: %s", e.msg, e.details);
	return ret;
}

#define REFUSED(namespace) \
	"network " namespace "/net: a pod of namespace apps may not have networks of another " \
	"one: namespaceIsolation is true in the node's file, and globalNamespaces does not list " \
	namespace

int main(void)
{
	struct settings set = settings_default;
	json_auto_t *list = json_pack("[s, s]", "shared", "other"), *none = json_array();

	jx_init(NULL);
	test("without isolation a pod may have a network of any namespace");
	eq(may_have(&set, "apps", false), "yes");
	eq(may_have(&set, "secret", false), "yes");
	eq(may_have(&set, "secret", true), "yes");
	set.namespace_isolation = true;
	test("with isolation its own namespace and default are left");
	eq(may_have(&set, "apps", false), "yes");
	eq(may_have(&set, "default", false), "yes");
	eq(may_have(&set, "secret", false), REFUSED("secret"));
	eq(may_have(&set, "app", false), REFUSED("app"));
	set.global_namespaces = list;
	test("globalNamespaces replaces default");
	eq(may_have(&set, "shared", false), "yes");
	eq(may_have(&set, "other", false), "yes");
	eq(may_have(&set, "apps", false), "yes");
	eq(may_have(&set, "default", false), REFUSED("default"));
	set.global_namespaces = none;
	eq(may_have(&set, "default", false), REFUSED("default"));
	test("the administrator's default networks are everybody's, his other networks are not");
	eq(may_have(&set, "kube-system", true), "yes");
	eq(may_have(&set, "kube-system", false), REFUSED("kube-system"));
	eq(may_have(&set, "secret", true), REFUSED("secret"));
	return tap_end();
}
