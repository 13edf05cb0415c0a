/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_metadata.c - what a DRA driver has written of a device, named by kubelet or not */
#include "base/name.h"
#include "devinfo/kubelet/metadata.h"
#include "tests/fuzz/fuzz.h"

static void check_info(const struct claim_info *info)
{
	must(!*info->id || name_is_device_id(info->id));
	must(!*info->resource || name_is_resource(info->resource));
	must(!*info->pod_claim || name_is_file(info->pod_claim));
	must(!*info->request || name_is_request(info->request));
	must(memchr(info->tried, '\0', sizeof(info->tried)));
	if (*info->id)
		accepted();
}

static void check(const struct claimed_device *c, const char *text, size_t len)
{
	static const struct claim_info before = { .resource = "example.com/before" };
	struct claim_info info = before;
	struct err e = { 0 };
	int rc = metadata_parse(text, len, c, &info, &e);

	must_agree(rc, &e);
	must(rc >= 0 || memcmp(&info, &before, sizeof(info)) == 0);
	check_info(&info);
}

static void fuzz_one(const char *text, size_t len)
{
	char name_space[] = "default", claim[] = "claim1", driver[] = "test-driver.cdi.k8s.io",
	     pool[] = "realnode", device[] = "device-00", none[] = "";
	struct claimed_device c = {
		.name_space = name_space, .claim = claim, .driver = driver,
		.pool = pool, .device = device, .share = none,
	};

	check(&c, text, len);
	c.pool = c.device = none;	/* before Kubernetes 1.31 */
	check(&c, text, len);
}
