/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_device_info.c - a device-info file, which what is read of it writes again */
#include "devinfo/format/device_info.h"
#include "tests/fuzz/fuzz.h"

static void fuzz_one(const char *text, size_t len)
{
	auto_device_info struct device_info di = { 0 }, again = { 0 };
	struct err e = { 0 };
	int rc = device_info_from_text(text, len, "input", &di, &e);

	must_agree(rc, &e);
	if (rc < 0) {
		must(e.code == ERR_DEVINFO);
		must(!di.extra && !di.extra_map && !*di.version);
		return;
	}

	accepted();
	json_auto_t *first = device_info_to_json(&di);
	must(device_info_from_json(first, "output", &again, &e) == 0);
	json_auto_t *second = device_info_to_json(&again);
	must(json_equal(first, second));
	device_info_raise_version(&di);
	must(device_info_validate(&di, "raised", &e) == 0);
}
