/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - of what others wrote, that alone which our own readers read
 *
 * What a node's files say beyond that is nobody's business, and may be a secret in any form.  So a
 * value stays where its key is known in that place and the value has the form of the key; of all
 * others a text is "left-out", a number 0.  Objects and lists stay, so the document is read as
 * before.  What is kept has still to be scrubbed: scrub.h.
 */
#ifndef MANAGER_INVENTORY_KNOWN_H
#define MANAGER_INVENTORY_KNOWN_H

#include "base/attr.h"

#include <jansson.h>
#include <stdbool.h>

/* One that a configuration may have: our own plugin takes it for memif's secret. */
#define LEFT_OUT	"left-out"

/* What is known of one object's members. */
struct known;

extern const struct known known_conf;		/* a network configuration, or a list of them */
extern const struct known known_node_file;	/* the node's file */
extern const struct known known_record;		/* of the journal */
extern const struct known known_ledger;
extern const struct known known_earlier;	/* the note of earlier directories */
extern const struct known known_device_info;
extern const struct known known_status;		/* network-status */
extern const struct known known_cache;		/* libcni's */
extern const struct known known_checkpoint;	/* kubelet's */
extern const struct known known_facts;		/* INVENTORY_FACTS */

/* A document; changed in place. */
void known_keep(json_t *doc, const struct known *of);

/* A name, a path, an id: one word of plain characters that has not the look of a secret. */
bool known_is_word(const char *text) must_check;

/*
 * A line of an environment or a feature file, "NAME=value", or there also a name alone or a
 * directive: may it stay?  A comment may not.
 */
bool known_is_assignment(const char *line) must_check;

#endif
