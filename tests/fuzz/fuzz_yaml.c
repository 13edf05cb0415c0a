/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_yaml.c - YAML that others wrote: bounded, and the same when its JSON is read as YAML */
#include "base/jx.h"
#include "base/jx_yaml.h"
#include "tests/fuzz/fuzz.h"

/*
 * A text of JSON is YAML, too, if each key is short enough for YAML's reader to look for the ':'
 * behind it, and each control character is escaped, as jansson leaves 0x7f and those above it.
 */
static bool is_common(const char *json, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)json[i] >= 0x7f)
			return false;
	return len < 1000;
}

static void must_come_back(const json_t *v)
{
	struct err e = { 0 };
	size_t len;
	auto_free char *json = jx_dump(v, &len);
	json_auto_t *back = NULL;

	if (!is_common(json, len))
		return;
	back = jx_yaml_parse(json, len, ERR_DEVINFO, "dumped", &e);
	must(back && json_equal(back, v));
}

static void fuzz_one(const char *text, size_t len)
{
	struct err e = { 0 };
	json_auto_t *v = jx_yaml_parse(text, len, ERR_DEVINFO, "file", &e);

	must_agree(v ? 1 : -1, &e);
	if (!v)
		return;
	must(json_is_object(v) || json_is_array(v));
	must_come_back(v);
	accepted();
}
