/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_link.c - what only netlink says of the live node's network devices */
#include "devinfo/inventory/read.h"

int read_kernel_links(struct inventory *inv, struct err *e)
{
	(void)inv, (void)e;
	return 0;
}
