/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exposition.h - samples of all metrics at one moment, and their text
 *
 * Samples are kept as numbers and written as text while somebody reads: the text of 512 VFs has
 * megabytes, their numbers some hundred kilobytes.  What is complete is not changed any more, so
 * several may read it, each at its own pace; it lives until the last one lets go of it.
 */
#ifndef DAEMON_METRICS_EXPOSITION_H
#define DAEMON_METRICS_EXPOSITION_H

#include "base/err.h"
#include "daemon/metrics/family.h"
#include "daemon/metrics/labels.h"

#include <stddef.h>
#include <stdint.h>

struct exposition;

/* Labels that several samples share: a number; 0: none. */
typedef uint32_t exposition_labels;

enum part { PART_VALUE, PART_BUCKET, PART_COUNT, PART_SUM };

struct sample {
	exposition_labels labels, extra;	/* the second behind the first */
	enum part part;			/* all but the first: of a histogram */
	uint64_t value;
};

/* An empty one, with one owner; NULL: there is no memory. */
struct exposition *exposition_new(void) must_check;
struct exposition *exposition_share(struct exposition *x);
/* How many there are: a client that reads slowly keeps one. */
unsigned int exposition_count(void);
/* One owner less.  NULL is fine. */
void exposition_release(struct exposition *x);

/* Keep labels; what did not fit gives no sample later. */
exposition_labels exposition_keep(struct exposition *x, const struct labels *l) must_check;
void exposition_add(struct exposition *x, enum family family, const struct sample *s);
/* A sample of one value. */
void exposition_put(struct exposition *x, enum family family, exposition_labels labels,
		    uint64_t value);
/* Was there memory for all of it? */
bool exposition_is_whole(const struct exposition *x) must_check;

/* -- reading -- */

enum form {
	FORM_OPENMETRICS,		/* OpenMetrics 1.0.0 */
	FORM_PROMETHEUS,		/* the text format 0.0.4, which node_exporter reads */
};

enum { EXPOSITION_LINE = 2 * LABELS_SIZE + 512 };

struct exposition_reader {
	enum form form;
	unsigned int family;		/* where it is: FAMILIES at the end */
	size_t next;			/* sample; 0: the head of the family */
	bool ended;
	size_t at, len;			/* what is left of the line */
	char line[EXPOSITION_LINE];
};

/* The next bytes of the text, as many as fit; 0 at its end.  *r begins as zeros and its form. */
size_t exposition_read(const struct exposition *x, struct exposition_reader *r, char *buf,
		       size_t size) must_check;

#endif
