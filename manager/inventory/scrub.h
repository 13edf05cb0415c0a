/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scrub.h - remove secrets from a text, and replace hardware addresses
 *
 * Secrets are found by the names of their members (password, token, secret, credential, key...), in
 * JSON, in JSON within its strings or base64 (as in libcni's cache), in pairs and assignments (an
 * environment's), and by their own form (a private key, a web token, the user in a URL).  Hardware
 * addresses are replaced everywhere, also within an IPv6 address made of one, and equal ones by the
 * same address, so relations are kept.  Names of pods, networks and interfaces, and other IP
 * addresses stay.
 */
#ifndef MANAGER_INVENTORY_SCRUB_H
#define MANAGER_INVENTORY_SCRUB_H

#include <jansson.h>
#include <stddef.h>

#include "base/attr.h"

struct scrub {
	json_t *names;			/* owned: the replacement of each address, by its digits */
};

void scrub_init(struct scrub *s);
void scrub_done(struct scrub *s);

/*
 * Replace the addresses of a text that is no JSON.  The caller frees the result; NULL without
 * memory.
 */
char *scrub_text(struct scrub *s, const char *text) must_check;
/* Replace bytes in hexadecimal digits, with any separators, which are one address as a whole. */
char *scrub_hex(struct scrub *s, const char *text) must_check;

/* Scrub a document in place. */
void scrub_json(struct scrub *s, json_t *doc);

#endif
