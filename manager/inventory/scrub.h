/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scrub.h - take out of a text what is nobody else's business
 *
 * Secrets, by the names of their members (password, token, secret, credential, key...), in JSON, in
 * JSON within its strings, in base64 of it, as libcni's cache has it, in pairs and assignments (an
 * environment's) and by their own form (a private key, a web token); and of a URL who asks.
 * Hardware addresses become others, equal ones the same, wherever they stand, also in an IPv6
 * address that is made of one: so what belongs together still does.  Names of pods, networks and
 * interfaces, and other IP addresses stay.
 */
#ifndef MANAGER_INVENTORY_SCRUB_H
#define MANAGER_INVENTORY_SCRUB_H

#include <jansson.h>
#include <stddef.h>

#include "base/attr.h"

struct scrub {
	json_t *names;			/* owned: what an address became, by its digits */
};

void scrub_init(struct scrub *s);
void scrub_done(struct scrub *s);

/* A text that is no JSON: addresses alone.  Owned by the caller; NULL without memory. */
char *scrub_text(struct scrub *s, const char *text) must_check;
/* Bytes in hexadecimal digits, with anything between: they are an address as a whole. */
char *scrub_hex(struct scrub *s, const char *text) must_check;

/* A document; changed in place. */
void scrub_json(struct scrub *s, json_t *doc);

#endif
