/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h - the pod's network-status, one file a sandbox
 *
 * <runDir>/status/<container id>.json holds what the k8s.v1.cni.cncf.io/network-status annotation
 * of the pod should say about our attachments: a list with an entry for each interface
 * (status_entry.h).  No API server is used; a program that writes the annotation, or a pod that
 * mounts the file, reads it here.
 *
 * An attachment has entries if and only if its ADD has succeeded.
 */
#ifndef CNI_CALL_STATUS_H
#define CNI_CALL_STATUS_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * Add or replace the attachment's entries; others of the sandbox are kept, but an interface that
 * has an entry as the own one of an attachment loses those by which others tell of it.
 */
int status_add(const struct host *h, const struct journal *j, const struct owner *o,
	       const json_t *entries, struct err *e) must_check;

/* Remove them, and the file with the last one.  1 removed, 0 there was none. */
int status_remove(const struct host *h, const struct journal *j, const struct owner *o,
		  struct err *e) must_check;

/* The entry of its own interface: 1 with a new reference, 0, -1.  ret may be NULL. */
int status_get(const struct host *h, const struct owner *o, json_t **ret, struct err *e)
	must_check;

/* All entries of a sandbox, a new array: 1, 0 there is no file, -1. */
int status_all(const struct host *h, const char *container_id, json_t **ret, struct err *e)
	must_check;

/*
 * Put a sandbox's entries into the order of their attachments' interfaces, an array of names: those
 * that are attached at the same time add theirs as they end.  What it does not name comes last.
 */
int status_order(const struct host *h, const struct journal *j, const char *container_id,
		 const json_t *ifnames, struct err *e) must_check;

/* Does the sandbox have a file that is no list of entries?  The next ADD replaces it. */
bool status_is_damaged(const struct host *h, const struct owner *o);
#define STATUS_DAMAGED	"the file is damaged: it is no JSON list of entries"

/*
 * Call fn for each attachment with an entry, of a sandbox, or of all whose file names have the
 * container's id: only network, container id and interface of the owner are set.  For a file
 * without entries, or a damaged one, the network is "".  fn may remove the entries
 * (status_remove()); its non-zero result ends it.
 */
typedef int status_fn(const struct owner *o, void *arg, struct err *e);
int status_each_of(const struct host *h, const char *container_id, status_fn *fn, void *arg,
		   struct err *e) must_check;
int status_each(const struct host *h, status_fn *fn, void *arg, struct err *e) must_check;

/*
 * Remove the entries of a network for which keep() is false.  A file whose name does not have the
 * container's id (it is too long) is not changed.
 */
typedef bool status_keep_fn(const char *container_id, const char *ifname, const void *arg);
int status_prune(const struct host *h, const struct journal *j, const char *network,
		 status_keep_fn *keep, const void *arg, struct err *e) must_check;

#endif
