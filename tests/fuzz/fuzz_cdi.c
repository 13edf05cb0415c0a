/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cdi.c - a CDI specification, in which we look for one device */
#include "base/name.h"
#include "devinfo/kubelet/cdi.h"
#include "tests/fuzz/fuzz.h"

#define NAME "test-driver.cdi.k8s.io/test=claim-3787e052-a284-4393-b443-5d452160577d-req0"

static void fuzz_one(const char *text, size_t len)
{
	static const struct cdi_device before = { .address.text = "before" };
	struct cdi_device device = before;
	struct err e = { 0 };
	int rc = cdi_parse("a.json", text, len, NAME, &device, &e);

	must_agree(rc, &e);
	if (rc <= 0) {
		must(memcmp(&device, &before, sizeof(device)) == 0);
		return;
	}
	must(!*device.address.text || name_is_bdf(device.address.text));
	must(memchr(device.metadata.text, '\0', sizeof(device.metadata.text)));
	must(!*device.metadata.text || strstr(device.metadata.text, "/dra-device-metadata/"));
	if (*device.address.text)
		accepted();
}
