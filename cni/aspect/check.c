/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what a CHECK finds to differ, in one error */
#include "cni/aspect/aspect.h"

#include <stdarg.h>
#include <stdio.h>

static void printflike(2, 0) tell_difference(struct check *c, const char *fmt, va_list ap)
{
	char text[256];

	(void)vsnprintf(text, sizeof(text), fmt, ap);
	if (c->all.code == ERR_OK)
		(void)err_set(&c->all, ERR_DRIFT, 0,
			      "interface %s of container %.64s is not as %s left it",
			      c->call->ifname, c->call->container_id, c->made_by);
	(void)err_detail(&c->all, "%s", text);
}

void check_differs(struct check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell_difference(c, fmt, ap);
	va_end(ap);
}

void check_away(struct check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell_difference(c, fmt, ap);
	va_end(ap);
	c->device_away = true;
}

void check_tell(void *check, const char *text)
{
	check_differs(check, "%s", text);
}
