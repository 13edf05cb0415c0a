/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features_part.h - what the files of features*.c have in common: how features are put together
 *
 * A set is called DOMAIN.FEATURE, as "kernel.version".  What is put twice is there once, the last
 * value counts.  A value that is no UTF-8 has '?' for its bytes beyond ASCII.
 */
#ifndef MANAGER_NFD_FEATURES_PART_H
#define MANAGER_NFD_FEATURES_PART_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets are made when they are first named; one without elements says that there are none. */
json_t *features_flags(json_t *features, const char *set);
json_t *features_attributes(json_t *features, const char *set);
json_t *features_instances(json_t *features, const char *set);

void features_put_flag(json_t *features, const char *set, const char *name);
void features_put(json_t *features, const char *set, const char *name, const char *value);
/* Takes the reference: an object of texts. */
void features_put_instance(json_t *features, const char *set, json_t *attributes);

/* A text as a value; one attribute of an instance; new reference of the first. */
json_t *features_text(const char *text);
void features_set(json_t *attributes, const char *name, const char *value);

/*
 * The whole of a regular file, of /proc as well, of at most max bytes, NUL-terminated, owned by the
 * caller.  NULL: there is none, or it cannot be read, which is the same for a feature.
 */
char *features_read(const struct host *host, size_t max, const char *fmt, ...)
	must_check printflike(3, 4);

/* The names in a directory that fit, in order; a directory that is not there has none. */
enum { FEATURES_NAMES_MAX = 65536 };
struct features_names {
	char (*list)[256];		/* owned */
	size_t n;
};
void features_list(const struct host *host, const char *dir, bool (*fits)(const char *name),
		   struct features_names *ret);
void features_names_done(struct features_names *names);
#define auto_features_names auto_with(features_names_done)

/* The parts of nfd_features(); what cannot be read is left out, as there. */
void features_of_network(const struct inventory *inv, json_t *features);
void features_of_pci(const struct host *host, json_t *features);
void features_of_kernel(const struct host *host, const struct inventory *inv, json_t *features);
void features_of_system(const struct host *host, json_t *features);
void features_of_memory(const struct host *host, json_t *features);
void features_of_files(const struct host *host, json_t *features);
void features_of_devices(const struct inventory *inv, const struct pools *pools,
			 json_t *features);

#endif
