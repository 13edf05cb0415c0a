/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding.c - run the checks of all groups, and put what they found in order
 *
 * A check that fails itself is a finding, too: whoever asks what is wrong must not be told
 * "healthy" because nobody could look.
 */
#include "manager/doctor/finding.h"

#include "base/fs.h"
#include "base/mem.h"
#include "manager/inventory/drift.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct check *const groups[] = { node_checks, leak_checks };

const char *severity_name(enum severity s)
{
	static const char *const names[] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return (size_t)s < ARRAY_SIZE(names) ? names[s] : "?";
}

const struct check *check_at(size_t i)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++)
		for (const struct check *c = groups[g]; c->name; c++)
			if (i-- == 0)
				return c;
	return NULL;
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

static int compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int r = (int)y->severity - (int)x->severity;

	r = r ? r : strcmp(x->check, y->check);
	r = r ? r : strcmp(x->object, y->object);
	return r ? r : strcmp(x->what, y->what);
}

static int add_failed(const char *check, const struct err *why, struct findings *ret,
		      struct err *e)
{
	static const struct finding_kind failed = {
		"check-failed", SEVERITY_ERROR, REMEDY_BY_HAND,
		"remove what stands in its way, and run doctor again, as root",
	};

	return finding_tell(ret, &failed, check, e, "this could not be looked at: %s%s%.200s",
			    why->msg, *why->details ? ": " : "", why->details);
}

static int make_group(const struct check *c, const struct host *host, const struct inventory *inv,
		      struct findings *ret, struct err *e)
{
	for (; c->name; c++) {
		struct err why = { 0 };
		int r;

		ret->of_check = 0;
		ret->at_work = c->name;
		r = c->run(host, inv, ret, &why);
		ret->of_check = 0;
		ret->checks += r <= 0;
		if (r < 0 && add_failed(c->name, &why, ret, e) < 0)
			return -1;
	}
	return 0;
}

static bool is_told(const struct findings *f, const char *check)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->list[i].check, check) == 0)
			return true;
	return false;
}

/* Of the live node; what of it fails is a finding. */
static int look_at_drift(const struct host *host, struct inventory *inv, struct findings *ret,
			 struct err *e)
{
	struct err why = { 0 };

	return drift_look_at_all(host, inv, NULL, &why) < 0 ?
		       add_failed("drift", &why, ret, e) : 0;
}

static int skip_group(const struct check *c, const char *why, struct findings *ret, struct err *e)
{
	for (; c->name; c++) {
		ret->at_work = c->name;
		if (finding_skip(ret, e, "%s", why) < 0)
			return -1;
	}
	return 0;
}

/* Why a journal is not believed is mostly its mode. */
static int make_groups(const struct host *host, const struct inventory *inv, const struct err *why,
		       struct findings *ret, struct err *e)
{
	if (make_group(node_checks, host, inv, ret, e) < 0)
		return -1;
	if (!why->code)
		return make_group(leak_checks, host, inv, ret, e);
	if (skip_group(leak_checks, "the journal cannot be trusted", ret, e) < 0)
		return -1;
	return is_told(ret, "dir-mode") ? 0 : add_failed("journal", why, ret, e);
}

/* An archive was unpacked elsewhere, or not: of nothing, nothing is wrong. */
static int check_root(const struct host *host, struct err *e)
{
	int r = fs_exists(host->root, e, "/sys");

	if (r == 0)
		r = fs_exists(host->root, e, "%s", INVENTORY_FACTS);
	return r != 0 ? (r < 0 ? -1 : 0) :
			err_set(e, ERR_IO, 0, "the root is no node: it has neither /sys nor %s",
				INVENTORY_FACTS);
}

int findings_make(const struct host *host, unsigned int timeout_ms, struct inventory *inv,
		  struct findings *ret, struct err *e)
{
	struct err why = { 0 };

	if (check_root(host, e) < 0 || inventory_read(host, inv, e) < 0)
		return -1;
	if (inventory_join(host, inv, &why) == 0)
		why.code = ERR_OK;
	if (inventory_ask_kubelet(host, timeout_ms, inv, e) < 0 ||
	    (!why.code && look_at_drift(host, inv, ret, e) < 0) ||
	    make_groups(host, inv, &why, ret, e) < 0)
		return -1;
	if (ret->n > 0)
		qsort(ret->list, ret->n, sizeof(*ret->list), compare);
	return 0;
}
