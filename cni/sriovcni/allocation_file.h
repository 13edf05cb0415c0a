/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocation_file.h - who has a VF, as sriov-cni has written it down, and its lock of it
 *
 *	<sriovStateDir>/pci/<pci>			the path of the owner's namespace
 *	<sriovStateDir>/pci/vf_lock/<pci>.lock		taken with flock(2)
 *
 * The first is written right after the record (sriovcni_state.h), at the end of an ADD.  Some
 * releases have no vf_lock and take the lock of the first, which they make for that, empty.  `dir`
 * is sriovStateDir, open.
 */
#ifndef CNI_SRIOVCNI_ALLOCATION_FILE_H
#define CNI_SRIOVCNI_ALLOCATION_FILE_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/fs.h"

#include <limits.h>
#include <time.h>

struct allocation_file {
	char netns[PATH_MAX];		/* a path; "": none */
	struct timespec written;
};

/* Read it: 1; 0 when there is none, or an empty one; -1, with ERR_DECODE for what is no path. */
int allocation_file_read(int dir, const char *bdf, struct allocation_file *ret,
			 struct err *e) must_check;

/* Remove it; one that is gone already is as good as removed. */
int allocation_file_remove(int dir, const char *bdf, struct err *e) must_check;

/* Call fn for each PCI address that has one, be it empty, as fs_each() does. */
int allocation_file_each(int dir, fs_name_fn *fn, void *arg, struct err *e) must_check;

/*
 * Take sriov-cni's lock of a device, for as long as *ret is open: 1; 0 when it never locked
 * anything here; -1, with ERR_TRY_AGAIN when another one holds it.
 */
int allocation_file_lock(int dir, const char *bdf, const struct deadline *d, int *ret,
			 struct err *e) must_check;

#endif
