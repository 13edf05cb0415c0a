/* SPDX-License-Identifier: Apache-2.0 */
/* claim_info.c - what a source finds of a device of a claim, and what it passes over */
#include "devinfo/kubelet/claim_info.h"

#include "base/name.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void claim_set_id(char ret[256], const char *id)
{
	char bdf[NAME_BDF_SIZE];

	(void)snprintf(ret, 256, "%s", name_to_bdf(id, bdf) ? bdf : id);
}

void claim_note(char tried[CLAIM_TRIED_SIZE], const char *fmt, ...)
{
	size_t used = strlen(tried);
	va_list ap;

	if (used + 3 >= CLAIM_TRIED_SIZE)
		return;		/* the first are the ones to look at */
	if (used > 0) {
		memcpy(tried + used, "; ", 3);
		used += 2;
	}
	va_start(ap, fmt);
	(void)vsnprintf(tried + used, CLAIM_TRIED_SIZE - used, fmt, ap);
	va_end(ap);
}

/* Is it what stands there, and not the machine?  0 is the content, which does not parse. */
static bool is_bad_file(int sys)
{
	return sys == 0 || sys == ELOOP || sys == EISDIR || sys == ENOTDIR || sys == EINVAL ||
	       sys == EFBIG || sys == EAGAIN || sys == ENXIO;
}

int claim_pass_over(char tried[CLAIM_TRIED_SIZE], const struct err *why, struct err *e)
{
	if (!is_bad_file(why->sys)) {
		*e = *why;
		return -1;
	}
	claim_note(tried, "%s%s%s", why->msg, *why->details ? ": " : "", why->details);
	return 0;
}
