/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - keep of other programs' files only what our own code reads
 *
 * Anything else in a node's files may be a secret in any form.  So a value stays where its key is
 * known in that place and the value has the key's form; of all others a text becomes "left-out", a
 * number 0.  Objects and lists stay, so the document is read as before.  The result must still be
 * scrubbed: scrub.h.
 */
#ifndef MANAGER_INVENTORY_KNOWN_H
#define MANAGER_INVENTORY_KNOWN_H

#include "base/attr.h"

#include <jansson.h>
#include <stdbool.h>

/* The replacement of a text; the plugin accepts it as memif's secret as well. */
#define LEFT_OUT	"left-out"

/* The known members of one object. */
struct known;

extern const struct known known_conf;		/* a network configuration, or a list of them */
extern const struct known known_node_file;	/* the node's file */
extern const struct known known_record;		/* of the journal */
extern const struct known known_ledger;
extern const struct known known_earlier;	/* dirs.json, see devinfo/journal/earlier.h */
extern const struct known known_device_info;
extern const struct known known_status;		/* network-status */
extern const struct known known_cache;		/* libcni's */
extern const struct known known_checkpoint;	/* kubelet's */
extern const struct known known_facts;		/* INVENTORY_FACTS */

/* Replace in doc, in place, all values that are not known. */
void known_keep(json_t *doc, const struct known *of);

/* Is it a name, path or id: one word of plain characters that does not look like a secret? */
bool known_is_word(const char *text) must_check;

/*
 * May a line of an environment or a feature file stay?  "NAME=value" may, in a feature file also a
 * name alone or a directive; a comment may not.
 */
bool known_is_assignment(const char *line) must_check;

#endif
