/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sriov_state.h - what sriov-cni has written down of its attachments
 *
 *	<sriovStateDir>/<container id>-<interface>	its configuration and OrigVfState
 *	<sriovStateDir>/pci/<pci>			the path of the owner's namespace
 *	<sriovStateDir>/pci/vf_lock/<pci>.lock		taken with flock(2)
 *
 * The first two are written in place, at the end of its ADD: they may be torn, old, or of a release
 * that wrote something else.  They are only read, and removed by whoever has made them its own.
 */
#ifndef DEVINFO_SRIOV_STATE_H
#define DEVINFO_SRIOV_STATE_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/host.h"
#include "devinfo/record.h"

#include <limits.h>
#include <time.h>

enum {
	SRIOV_STATE_MAX = 256 * 1024,	/* bytes of a record that are read */
	SRIOV_STATE_FILES_MAX = 65536,	/* that are looked at */
};

/*
 * One of them as a record of ours.  Not known, and left zero: the boot, the namespace, and of the
 * network device its number and what sriov-cni does not restore.
 */
struct sriov_state {
	struct record rec;		/* owned; its strings are borrowed from its doc */
	const char *type;		/* the plugin's name, NULL: not said; from the same */
	char file[256];
	struct timespec written;
};

/* The text of a file; what is not of the known shape is an error that names the key. */
int sriov_state_parse(const char *text, size_t len, struct sriov_state *ret, struct err *e)
	must_check;

/* The directory, which the caller closes: 1, 0 when there is none, -1. */
int sriov_state_open(const struct host *h, int *ret, struct err *e) must_check;

/*
 * The record of an attachment: 1, 0, -1 for one that cannot be used.  Of the owner, network comes
 * from the file, netns is "".
 */
int sriov_state_read(int dir, const char *container_id, const char *ifname,
		     struct sriov_state *ret, struct err *e) must_check;

/* The same by the name of the file, which tells whose it is; 0 for one that is no record's. */
int sriov_state_read_file(int dir, const char *name, struct sriov_state *ret, struct err *e)
	must_check;

/*
 * fn for each name that may be a record's and was written at `since` or later; as fs_each().  More
 * than SRIOV_STATE_FILES_MAX are an error.
 */
int sriov_state_each(int dir, time_t since, fs_name_fn *fn, void *arg, struct err *e) must_check;

/* The path of the namespace that owns a device: 1, 0, -1 when that cannot be told. */
int sriov_state_marker(int dir, const char *bdf, char ret[PATH_MAX], struct err *e) must_check;

/*
 * sriov-cni's lock of a device, for as long as *ret is open: 1; 0 when it never locked anything
 * here; -1, with ERR_TRY_AGAIN when another one holds it.
 */
int sriov_state_lock(int dir, const char *bdf, const struct deadline *d, int *ret, struct err *e)
	must_check;

/* Gone already is as good as removed. */
int sriov_state_remove(int dir, const struct sriov_state *s, struct err *e) must_check;
int sriov_state_remove_marker(int dir, const char *bdf, struct err *e) must_check;

void sriov_state_done(struct sriov_state *s);

#define auto_sriov_state auto_with(sriov_state_done)

#endif
