/* SPDX-License-Identifier: Apache-2.0 */
/* lint_label.c - how a finding is told; may a node have these labels? */
#include "manager/nfd/lint_part.h"

#include "base/jx.h"
#include "manager/nfd/name.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void nfd_lint_tell(const struct nfd_lint *l, bool is_error, const char *fmt, ...)
{
	char text[480];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	l->say(l->where, is_error, text, l->arg);
}

void nfd_lint_error(const struct nfd_lint *l, const struct err *why)
{
	nfd_lint_tell(l, true, "%s%s%.120s%s", why->msg, *why->details ? " (" : "", why->details,
		      *why->details ? ")" : "");
}

void nfd_lint_dropped(const struct nfd_lint *l, const struct err *why)
{
	nfd_lint_tell(l, true, "%s%s%.120s%s%s", why->msg, *why->details ? " (" : "", why->details,
		      *why->details ? ")" : "",
		      l->is_object ? ": the API server takes the object, NFD drops this" : "");
}

void nfd_lint_labels(const struct nfd_lint *l, const json_t *labels)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)labels, name, v) {
		const char *value = json_string_value(v);
		char full[NFD_NAME_MAX + 1];
		struct err e = { 0 };

		nfd_name_full(name, full);
		if (!value)
			nfd_lint_tell(l, true, "label '%.64s': expected a string, got %s", name,
				      jx_type_name(v));
		else if (nfd_check_label(full, *value == '@' ? "" : value, &e) < 0)
			nfd_lint_dropped(l, &e);
		else if (!strchr(name, '/'))
			nfd_lint_tell(l, false, "label '%.63s' has no prefix: NFD will no longer "
				      "add " NFD_LABEL_NS "/ one day", name);
	}
}
