/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sriovcni_state.h - what sriov-cni has written down of its attachments
 *
 *	<sriovStateDir>/<container id>-<interface>	its configuration and OrigVfState
 *
 * They are written in place, at the end of its ADD, so they may be torn, old, or of a release that
 * wrote something else; allocation_file.h is about the files beside them.  They are read and
 * removed, never written.
 */
#ifndef CNI_SRIOVCNI_STATE_H
#define CNI_SRIOVCNI_STATE_H

#include "base/err.h"
#include "base/fs.h"
#include "base/host.h"
#include "devinfo/journal/record.h"

#include <time.h>

enum {
	SRIOVCNI_STATE_MAX = 256 * 1024,	/* bytes of a record that are read */
};

/*
 * One of them as a record of ours.  What is not known stays zero: the boot, the namespace, and of
 * the network device its number and what sriov-cni does not restore.
 */
struct sriovcni_state {
	struct record rec;		/* owned; its strings are borrowed from its doc */
	const char *type;		/* the plugin's name, NULL: not said; from the same */
	char file[256];
	struct timespec written;	/* by sriov-cni */
};

/* Parse the text of a file; what is not of the known shape is an error that names the key. */
int sriovcni_state_parse(const char *text, size_t len, struct sriovcni_state *ret, struct err *e)
	must_check;

/* Open the directory, which the caller closes: 1, 0 when there is none, -1. */
int sriovcni_state_open(const struct host *h, int *ret, struct err *e) must_check;

/*
 * Read the record of an attachment: 1; 0; -1, with ERR_DECODE for one that never can be used: it is
 * torn, of another shape, or no regular file.  Of the owner, network comes from the file, netns is
 * "".
 */
int sriovcni_state_read(int dir, const char *container_id, const char *ifname,
		     struct sriovcni_state *ret, struct err *e) must_check;

/*
 * Do the same by the name of the file, which tells whose it is; 0 for one that is no record's, or
 * surely of another device than bdf (lower case; NULL: any will do).
 */
int sriovcni_state_read_file(int dir, const char *name, const char *bdf, struct sriovcni_state *ret,
			  struct err *e) must_check;

/* Call fn for each file that may be a record, changed at `since` or later, as fs_each() does. */
int sriovcni_state_each(int dir, time_t since, fs_name_fn *fn, void *arg, struct err *e) must_check;

/* Remove it; one that is gone already is as good as removed. */
int sriovcni_state_remove(int dir, const struct sriovcni_state *s, struct err *e) must_check;

void sriovcni_state_done(struct sriovcni_state *s);

#define auto_sriovcni_state auto_with(sriovcni_state_done)

#endif
