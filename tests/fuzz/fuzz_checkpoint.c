/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_checkpoint.c - kubelet's checkpoint, in which we look for the devices of one pod */
#include "devinfo/kubelet/checkpoint.h"
#include "tests/fuzz/allocation.h"

#define UID "a7131834-436f-4210-b856-fdf5f83b9538"

static void fuzz_one(const char *text, size_t len)
{
	static const char untouched[] = "untouched";
	struct allocation found = { .source = untouched };
	struct err e = { 0 };
	int rc = checkpoint_parse(text, len, UID, &found, &e);

	must_agree(rc, &e);
	if (rc <= 0) {
		must(e.code == ERR_PODRES && *e.msg);
		must(found.source == untouched && !found.devices && !found.claimed);
		return;
	}
	accepted();
	must(found.source != untouched && found.n_claimed == 0);
	must_be_allocation(&found);
	allocation_done(&found);
}
