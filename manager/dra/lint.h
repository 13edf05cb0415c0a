/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - what would the API server say of these objects?
 *
 * As that of Kubernetes 1.36 does, when it is asked to be strict as kubectl does: what it refuses
 * is an error.  A note is about what it takes, and which then does not do what was meant.
 */
#ifndef MANAGER_DRA_LINT_H
#define MANAGER_DRA_LINT_H

#include "base/attr.h"
#include "devinfo/manifest/manifest.h"
#include "manager/dra/kubernetes.h"

#include <stdbool.h>
#include <stddef.h>

enum { DRA_LINT_REASON = 400 };

typedef void dra_lint_say(bool is_error, const char *text, void *arg);

/* Compose a text as printf(3) does, and say it. */
void dra_lint_tell(dra_lint_say *say, void *arg, bool is_error, const char *fmt, ...)
	printflike(4, 5);

/*
 * Is it one that is looked at: of the group resource.k8s.io, or of no group, as in "v1", and of a
 * kind that belongs there?
 */
bool dra_lint_is(const struct manifest *m);

/* Is it another group's, and of a kind that resource.k8s.io has as well? */
bool dra_lint_is_namesake(const struct manifest *m);

/*
 * Report all that is to be said of one of the manifests.  The others are looked at for its
 * Namespace.
 */
void dra_lint_manifest(const struct manifests *all, size_t i, dra_lint_say *say, void *arg);

/*
 * Report what an API server of this earlier version does not have of it yet: it refuses what it
 * does not know, and drops what is behind a feature gate that is off (lint_version.c).
 */
void dra_lint_version(const struct manifest *m, const struct kubernetes *k, dra_lint_say *hear,
		      void *arg);

/* Get the first reason for which one of them is refused: whether there is one. */
bool dra_lint_refusal(const struct manifests *all, size_t i, char ret[DRA_LINT_REASON]);

#endif
