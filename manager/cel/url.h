/* SPDX-License-Identifier: Apache-2.0 */
/* url.h - URLs as Go's net/url reads them */
#ifndef MANAGER_CEL_URL_H
#define MANAGER_CEL_URL_H

#include "manager/cel/value.h"

/* Texts of the arena.  What the text does not have is "". */
struct cel_url {
	const char *scheme;		/* in small letters */
	const char *opaque;		/* of mailto:x */
	const char *user, *host, *path, *query, *fragment;
};

/*
 * Reads the whole text, which is absolute: it has a scheme, or begins with '/'.  false: it is none,
 * or there is no more memory.
 */
bool cel_url_read(struct cel_arena *a, const char *text, struct cel_url *ret);

bool cel_url_same(const struct cel_url *a, const struct cel_url *b);

/* The host without its port and brackets, in *port what is behind the ':', or "". */
const char *cel_url_hostname(struct cel_arena *a, const struct cel_url *u, const char **port);

/*
 * Reads `n` bytes of a query, where '+' is a blank and %41 is A.  NULL: an escape that is none, or
 * no memory.
 */
const char *cel_url_unescape_query(struct cel_arena *a, const char *text, size_t n);

#endif
