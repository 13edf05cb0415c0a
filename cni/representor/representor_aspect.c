/* SPDX-License-Identifier: Apache-2.0 */
/* representor_aspect.c - bridge, VLANs and MTU of a representor: probed, set, compared, put back */
#include "cni/representor/representor.h"

static void tell(void *arg, const char *text)
{
	check_differs(arg, "%s", text);
}

static int check(struct check *c, struct err *e)
{
	return representor_check(c->host, &c->home, c->conf, c->rec, tell, c, e);
}

/* It is on the host, and waits for nobody. */
static int restore(struct restoring *r, struct err *e)
{
	return representor_restore(r->host, r->rec, r->dev, e);
}

const struct aspect representor_aspect = {
	.name = "representor", .probe = representor_probe, .apply = representor_configure,
	.check = check, .restore = restore,
};
