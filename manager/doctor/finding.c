/* SPDX-License-Identifier: Apache-2.0 */
/* finding.c - what a check calls: to tell what it has found, and that it could not look */
#include "manager/doctor/finding.h"

#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *severity_name(enum severity s)
{
	static const char *const names[] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return (size_t)s < ARRAY_SIZE(names) ? names[s] : "?";
}

/* File names of others are any bytes, and what is told of them becomes JSON. */
static void make_plain(char *text)
{
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

/* Places for twice as many, in time. */
int finding_add(struct findings *f, const struct finding *one, struct err *e)
{
	if (f->of_check == FINDINGS_MAX)
		return err_set(e, ERR_IO, E2BIG, "over %d are wrong: mend these before",
			       FINDINGS_MAX);
	f->of_check++;
	if ((f->n & (f->n - 1)) == 0) {
		size_t places = f->n ? 2 * f->n : 1;
		struct finding *list = reallocarray(f->list, places, sizeof(*list));

		if (!list)
			return err_set(e, ERR_IO, ENOMEM, "note what is wrong");
		f->list = list;
	}
	f->list[f->n] = *one;
	make_plain(f->list[f->n].object);
	make_plain(f->list[f->n].what);
	make_plain(f->list[f->n].advice);
	f->n++;
	return 0;
}

int finding_tell(struct findings *ret, const struct finding_kind *kind, const char *object,
		 struct err *e, const char *what, ...)
{
	struct finding one = {
		.check = kind->check, .severity = kind->severity, .remedy = kind->remedy,
	};
	va_list ap;

	va_start(ap, what);
	(void)vsnprintf(one.what, sizeof(one.what), what, ap);
	va_end(ap);
	(void)snprintf(one.object, sizeof(one.object), "%s", object);
	(void)snprintf(one.advice, sizeof(one.advice), "%s", kind->advice);
	return finding_add(ret, &one, e);
}

int finding_skip(struct findings *ret, struct err *e, const char *why, ...)
{
	struct skipped_check *list = reallocarray(ret->skipped, ret->n_skipped + 1, sizeof(*list));
	va_list ap;

	if (!list)
		return err_set(e, ERR_IO, ENOMEM, "note what was not looked at");
	ret->skipped = list;
	list += ret->n_skipped++;
	list->check = ret->at_work ? ret->at_work : "";
	va_start(ap, why);
	(void)vsnprintf(list->why, sizeof(list->why), why, ap);
	va_end(ap);
	make_plain(list->why);
	return 1;
}

void findings_done(struct findings *f)
{
	free(f->list);
	free(f->skipped);
	*f = (struct findings){ 0 };
}
