/* SPDX-License-Identifier: Apache-2.0 */
/* representor_aspect.c - bridge, VLANs and MTU of a representor: probed, set, compared, put back */
#include "cni/representor/representor.h"

static int restore(struct restoring *r, struct err *e)
{
	return representor_restore(r->host, r->rec, r->dev, e);
}

const struct aspect representor_aspect = {
	.of = ASPECT_DEVICE | ASPECT_CHAINED, .probe = representor_probe,
	.apply = representor_configure,
	.check = representor_check, .restore_on_host = restore,
};
