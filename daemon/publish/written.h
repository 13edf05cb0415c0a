/* SPDX-License-Identifier: Apache-2.0 */
/* written.h - which entries of pods' network-status are ours, also for who starts again */
#ifndef DAEMON_PUBLISH_WRITTEN_H
#define DAEMON_PUBLISH_WRITTEN_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>

/* The file, root's: {"version": 1, "pods": {UID: [ENTRY, ...]}}, entries as the pods have them. */
#define WRITTEN_DIR	"publish"	/* in stateDir; a container writes nothing else there */
#define WRITTEN_FILE	"written.json"

/*
 * What was saved last, by uid, a new reference.  Empty where there is none, and where it cannot be
 * read, which is logged: then nothing that was written before counts as ours.
 */
json_t *written_read(const struct host *host);
int written_save(const struct host *host, json_t *pods, struct err *e) must_check;

#endif
