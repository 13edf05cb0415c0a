/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest.h - Kubernetes objects in files: one or many, in JSON or YAML
 *
 * The room devinfo/manifest/ reads what an administrator would give to `kubectl apply -f`: a
 * document, several behind each other ("---" in YAML), or a v1 List of them.  Of their content it
 * reads apiVersion, kind and metadata only.
 */
#ifndef DEVINFO_MANIFEST_H
#define DEVINFO_MANIFEST_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	MANIFEST_BYTES_MAX = 16 << 20,	/* of one file, and of all of a directory */
	MANIFESTS_MAX = 10000,		/* documents of all files together, and files */
};

/* One object.  The texts are borrowed from doc, "" where it has none. */
struct manifest {
	char *source;			/* owned: "patches.yaml", "patches.yaml#2" of several */
	const char *api_version, *kind, *name;
	json_t *doc;			/* owned */
};

struct manifests {
	struct manifest *list;		/* owned; in the order in which they were read */
	size_t n;
};

/*
 * Append the objects of a text.  A text that begins with '{' is JSON, as for kubectl.  An empty
 * document is skipped; one that is no object, or whose kind or name is no text, is an error. -1
 * with ERR_NETCONF, `what` and the place; then nothing of the text was appended.
 */
int manifests_read(const char *text, size_t len, const char *what, struct manifests *to,
		   struct err *e) must_check;

/*
 * The same, but a document may also be a list, with all texts "": NFD's files of rules have that
 * form.
 */
int manifests_read_with_lists(const char *text, size_t len, const char *what,
			      struct manifests *to, struct err *e) must_check;

/*
 * manifests_read() of each *.yaml, *.yml and *.json of a directory below a root, sorted by name;
 * others and those that begin with '.' are skipped.  `bad` is called for a file that cannot be read
 * or parsed; the others are read all the same.  0 also when there is no directory.
 */
int manifests_read_dir(int root, const char *dir, struct manifests *to,
		       void (*bad)(const struct err *why, void *arg), void *arg,
		       struct err *e) must_check;

/* Which files of a directory are read. */
struct manifest_dir {
	const char *const *endings;	/* ".yaml"..., NULL behind the last */
	bool own;			/* as fs_check_own() has it, and the directory as well */
	const char *const *words;	/* may have one, see manifest_word.h; NULL: all */
};

/* The same of these; 1, and 0 when there is no directory. */
int manifests_read_dir_as(int root, const char *dir, const struct manifest_dir *how,
			  struct manifests *to, void (*bad)(const struct err *why, void *arg),
			  void *arg, struct err *e) must_check;

/* Takes the object at that place out of them. */
void manifests_remove(struct manifests *m, size_t at);

void manifests_done(struct manifests *m);

#define auto_manifests auto_with(manifests_done)

#endif
