/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what a CHECK finds to differ, in one error */
#include "cni/aspect/aspect.h"

#include <stdarg.h>
#include <stdio.h>

void check_differs(struct check *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (c->all.code == ERR_OK)
		(void)err_set(&c->all, ERR_DRIFT, 0,
			      "interface %s of container %.64s is not as %s left it",
			      c->call->ifname, c->call->container_id, c->made_by);
	(void)err_detail(&c->all, "%s", text);
}

void check_tell(void *check, const char *text)
{
	check_differs(check, "%s", text);
}
