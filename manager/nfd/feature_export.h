/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feature_export.h - the node's devices as a feature file of NFD's local source
 *
 * The file is called "devinfo", and its first line says that it is ours: a file of that name with
 * another first line is somebody else's, and stays as it is.
 */
#ifndef MANAGER_NFD_FEATURE_EXPORT_H
#define MANAGER_NFD_FEATURE_EXPORT_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Where NFD reads them, and the name of ours. */
#define FEATURE_EXPORT_DIR	"/etc/kubernetes/node-feature-discovery/features.d"
#define FEATURE_EXPORT_FILE	"devinfo"

struct feature_export {
	bool raw;			/* write features instead of labels */
	time_t expires;			/* 0: valid until the file is replaced */
};

/*
 * Make the labels of a node_summary(), by full names, a new reference.  Invalid ones are left out.
 */
json_t *feature_export_labels(const json_t *summary);

/*
 * Make the text of a file with these labels, in their order, which the caller frees; NULL without
 * memory.  Labels beyond FEATURE_FILE_MAX are left out: *left_out is their number.
 */
char *feature_export_text(const json_t *labels, const struct feature_export *how,
			  size_t *left_out) must_check;

/*
 * Write the file in a directory below the root, which is made when it is not there.  It is complete
 * before it has its name, and NFD passes over names that begin with '.', as it has before.
 */
int feature_export_write(const struct host *host, const char *dir, const char *text,
			 struct err *e) must_check;
/* Remove our file: 1, 0 when there was none, -1. */
int feature_export_remove(const struct host *host, const char *dir, struct err *e) must_check;

#endif
