/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checks.c - run the checks of all groups, and put what they found in order
 *
 * A check that fails itself is a finding, too: whoever asks what is wrong must not be told
 * "healthy" because nobody could look.
 */
#include "manager/doctor/checks.h"

#include "base/fs.h"
#include "manager/inventory/drift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct check *const groups[] = { node_checks, leak_checks };

const struct check *check_at(size_t i)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++)
		for (const struct check *c = groups[g]; c->name; c++)
			if (i-- == 0)
				return c;
	return NULL;
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
