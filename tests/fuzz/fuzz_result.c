/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_result.c - the result of another plugin, of any version, into every version and back */
#include "base/jx.h"
#include "cni/call/convert.h"
#include "cni/plugins/ipam.h"
#include "netlink/addr.h"
#include "tests/fuzz/fuzz.h"

static void check_texts(const json_t *o, const char *key)
{
	const json_t *v;
	size_t i;

	must(!json_object_get(o, key) || json_is_array(json_object_get(o, key)));
	json_array_foreach(json_object_get(o, key), i, v)
		must(json_is_string(v));
}

/* What users of a result that has been read rely on. */
static void check_read(const json_t *result)
{
	const json_t *ip, *route, *interfaces = json_object_get(result, "interfaces");
	struct ip_prefix prefix;
	struct ip gateway;
	size_t i;

	json_array_foreach(json_object_get(result, "ips"), i, ip) {
		const json_t *index = json_object_get(ip, "interface");
		const char *text = json_string_value(json_object_get(ip, "gateway"));

		must(prefix_parse(json_string_value(json_object_get(ip, "address")), &prefix));
		must(!text || ip_parse(text, &gateway));
		must(!index || (json_is_integer(index) && json_integer_value(index) >= 0 &&
				(size_t)json_integer_value(index) < json_array_size(interfaces)));
	}
	json_array_foreach(json_object_get(result, "routes"), i, route)
		must(prefix_parse(json_string_value(json_object_get(route, "dst")), &prefix));
	check_texts(json_object_get(result, "dns"), "nameservers");
	check_texts(json_object_get(result, "dns"), "search");
}

static void check_written(const json_t *result, enum cni_version v)
{
	json_auto_t *written = NULL, *again = NULL;
	struct err e = { 0 };
	int rc = result_write(result, v, &written, &e);

	must_agree(rc, &e);
	if (rc < 0) {
		must(result_needs_address(v) && !written);
		return;
	}
	must(result_read(written, v, "output", ERR_DELEGATE, &again, &e) == 0);
}

static void fuzz_one(const char *text, size_t len)
{
	struct err e = { 0 };
	json_auto_t *o = jx_parse(text, len, ERR_DECODE, "input", &e), *result = NULL;
	auto_ipam_result struct ipam_result ipam = { 0 };

	if (!o) {
		must_agree(-1, &e);
		return;
	}

	json_auto_t *before = json_deep_copy(o);
	int rc = result_read(o, CNI_1_0_0, "input", ERR_DELEGATE, &result, &e);
	must_agree(rc, &e);
	must(json_equal(before, o));
	must(rc == 0 || (!result && e.code == ERR_DELEGATE));
	if (rc < 0)
		return;
	accepted();
	check_read(result);
	for (enum cni_version v = 0; v < CNI_VERSIONS; v++)
		check_written(result, v);
	e = (struct err){ 0 };
	must_agree(ipam_result_parse(result, "input", &ipam, &e), &e);
}
