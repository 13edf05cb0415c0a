/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sriovcni_vf.h - what sriov-cni says about one VF, and whose it is by that
 *
 * The marker tells the namespace of the last ADD, but not of which record.  A record is that of the
 * marker when it is the newest, for sriov-cni removes what it has released; but it leaves
 * records behind, loses some, and tears others.  So where a namespace lives, and whoever asks
 * cannot name it, the doubt is in favour of the one that lives.
 *
 * The newest record counts.  Of the others only the original is kept in mind, for sriov-cni takes
 * for it what it finds, be it the VLAN of an earlier pod: the oldest of this boot knows better.
 *
 * The files outlive a boot, the VFs do not remember anything from before it.  When a record was
 * written before that is only known by the clock, which may have been set since: it is not asked
 * about the one whose namespace lives.
 */
#ifndef CNI_SRIOVCNI_VF_H
#define CNI_SRIOVCNI_VF_H

#include "base/err.h"
#include "base/host.h"
#include "cni/sriovcni/allocation_file.h"
#include "cni/sriovcni/sriovcni_state.h"

#include <stdbool.h>
#include <sys/stat.h>

struct sriovcni_vf {
	int dir;			/* sriovStateDir, borrowed */
	char bdf[16];
	struct sriovcni_state newest;	/* owned; file is "" when there is none */
	struct {			/* by the oldest of this boot */
		struct timespec written;	/* zero when there is none */
		struct vf_state vf;
		struct netdev_state netdev;
	} original;
	unsigned int vf_set;		/* by all of this boot */
	bool unread;			/* there are more that may be of this VF */
	struct allocation_file marker;	/* netns "" when it tells nothing */
	bool alive;			/* its namespace is there */
	time_t boot;			/* by the clock as it is now */
};

/* Read it under sriov-cni's lock.  What is no record is logged.  -1: nobody can tell who has it. */
int sriovcni_vf_read(int dir, const char *bdf, struct sriovcni_vf *ret, struct err *e) must_check;

/* Read the marker alone. */
int sriovcni_vf_read_allocation(int dir, const char *bdf, struct sriovcni_vf *ret,
				struct err *e) must_check;

/* Was no record that has been read written after it? */
bool sriovcni_vf_is_newest(const struct sriovcni_vf *v, const struct sriovcni_state *s);

/* Was it written before this boot, as far as the clock is right? */
bool sriovcni_vf_is_past(const struct sriovcni_vf *v, const struct sriovcni_state *s);

/* Was it written with the marker? */
bool sriovcni_vf_has_allocation(const struct sriovcni_vf *v, const struct sriovcni_state *s);

/*
 * Where the marker's namespace does not live, is it known that nobody else's does either?  Early
 * releases wrote no marker, but a VF whose network device is here is in no container.  1, 0, -1.
 */
int sriovcni_vf_is_free(const struct host *host, const struct sriovcni_vf *v,
			const struct sriovcni_state *s, struct err *e) must_check;

/* May this attachment end with the VF, its DEL naming this namespace or ""?  1, 0, -1. */
int sriovcni_vf_is_open_to(const struct host *host, const struct sriovcni_vf *v,
			   const struct sriovcni_state *s, const char *netns,
			   struct err *e) must_check;

/* Remove the other records of this boot: with the VF nobody needs them any more. */
int sriovcni_vf_remove_others(const struct sriovcni_vf *v, const struct sriovcni_state *s,
			      struct err *e) must_check;

/* Open the namespace of a container, not our own: 1 with a descriptor to be closed, 0 gone, -1. */
int sriovcni_vf_open_netns(const char *path, int *ret_fd, struct stat *st,
			   struct err *e) must_check;

void sriovcni_vf_done(struct sriovcni_vf *v);

#define auto_sriovcni_vf auto_with(sriovcni_vf_done)

#endif
