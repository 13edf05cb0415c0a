/* SPDX-License-Identifier: Apache-2.0 */
/* sriovcni_vf.c - what sriov-cni says about one VF, and whose it is by that */
#include "cni/sriovcni/sriovcni_vf.h"

#include "base/log.h"
#include "base/mem.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/sysfs.h"
#include "netlink/netns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	BOOT_SLACK_S = 5,	/* what the clock may have been corrected by */
	MARKER_SLACK_S = 5,	/* between a record and its marker */
};

void sriovcni_vf_done(struct sriovcni_vf *v)
{
	sriovcni_state_done(&v->newest);
}

/* -- looking -- */

static time_t boot_time(void)
{
	struct timespec now, up;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return 0;
	return now.tv_sec - up.tv_sec - BOOT_SLACK_S;
}

int sriovcni_vf_open_netns(const char *path, int *ret_fd, struct stat *st, struct err *e)
{
	auto_close int fd = -1;
	int r = owner_open_path(path, &fd, st, e);

	if (r <= 0 || netns_is_own_by(st))
		return r < 0 ? -1 : 0;
	*ret_fd = steal_fd(&fd);
	return 1;
}

int sriovcni_vf_read_allocation(int dir, const char *bdf, struct sriovcni_vf *ret, struct err *e)
{
	auto_close int fd = -1;
	struct stat st;
	int r = allocation_file_read(dir, bdf, &ret->marker, e);

	ret->dir = dir;
	(void)snprintf(ret->bdf, sizeof(ret->bdf), "%s", bdf);
	if (r < 0 && e->code != ERR_DECODE)
		return -1;
	if (r < 0)
		log_warning("msg=\"left alone: %s\"", e->msg);
	r = r > 0 ? sriovcni_vf_open_netns(ret->marker.netns, &fd, &st, e) : 0;
	ret->alive = r > 0;
	return r < 0 ? -1 : 0;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Takes what it needs of *s. */
static void note_record(struct sriovcni_vf *v, struct sriovcni_state *s)
{
	if (!sriovcni_vf_is_past(v, s)) {
		v->vf_set |= s->rec.vf_set;
		if (!v->original.written.tv_sec || is_older(&s->written, &v->original.written)) {
			v->original.written = s->written;
			v->original.vf = s->rec.vf;
			v->original.netdev = s->rec.netdev;
		}
	}
	if (sriovcni_vf_is_newest(v, s)) {
		sriovcni_state_done(&v->newest);
		v->newest = *s;
		*s = (struct sriovcni_state){ 0 };
	}
}

static int collect(const char *name, void *arg, struct err *e)
{
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	struct sriovcni_vf *v = arg;
	int r = sriovcni_state_read_file(v->dir, name, v->bdf, &s, e);

	if (r < 0 && e->code != ERR_DECODE)
		return -1;
	if (r < 0)
		log_warning("msg=\"left alone: %s\"", e->msg);
	if (r > 0)
		note_record(v, &s);
	v->unread |= r < 0;
	return 0;
}

int sriovcni_vf_read(int dir, const char *bdf, struct sriovcni_vf *ret, struct err *e)
{
	ret->boot = boot_time();
	return sriovcni_vf_read_allocation(dir, bdf, ret, e) < 0 ||
	       sriovcni_state_each(dir, ret->alive ? 0 : ret->boot, collect, ret, e) < 0 ? -1 : 0;
}

/* -- judging -- */

bool sriovcni_vf_is_past(const struct sriovcni_vf *v, const struct sriovcni_state *s)
{
	return s->written.tv_sec < v->boot;
}

bool sriovcni_vf_is_newest(const struct sriovcni_vf *v, const struct sriovcni_state *s)
{
	return !*v->newest.file || !is_older(&s->written, &v->newest.written);
}

bool sriovcni_vf_has_allocation(const struct sriovcni_vf *v, const struct sriovcni_state *s)
{
	return *v->marker.netns &&
	       llabs((long long)v->marker.written.tv_sec - s->written.tv_sec) <= MARKER_SLACK_S;
}

static int is_home(const struct host *host, const struct record *rec, struct err *e)
{
	struct pci_device dev = { 0 };
	int r = rec->netdev.present ? sysfs_pci(host, rec->device, &dev, e) : 0;

	return r <= 0 ? r : *dev.netdev != '\0';
}

int sriovcni_vf_is_free(const struct host *host, const struct sriovcni_vf *v,
			const struct sriovcni_state *s, struct err *e)
{
	if (v->alive)
		return 0;
	return *v->marker.netns ? 1 : is_home(host, &s->rec, e);
}

static int is_same_netns(const char *a, const char *b, struct err *e)
{
	auto_close int first = -1, second = -1;
	struct stat x = { 0 }, y = { 0 };
	int r;

	if (strcmp(a, b) == 0)
		return 1;
	r = sriovcni_vf_open_netns(a, &first, &x, e);
	if (r > 0)
		r = sriovcni_vf_open_netns(b, &second, &y, e);
	return r <= 0 ? r : x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int sriovcni_vf_is_open_to(const struct host *host, const struct sriovcni_vf *v,
			   const struct sriovcni_state *s, const char *netns, struct err *e)
{
	bool is_named = *netns && strcmp(v->marker.netns, netns) == 0;

	if (v->alive && *netns)
		return is_same_netns(v->marker.netns, netns, e);
	if (sriovcni_vf_is_past(v, s) || !(is_named || sriovcni_vf_is_newest(v, s)))
		return 0;
	if (v->alive)
		return !v->unread && sriovcni_vf_has_allocation(v, s);
	return !*v->marker.netns && !v->unread ? 1 : sriovcni_vf_is_free(host, v, s, e);
}

/* -- the end -- */

struct others {
	const struct sriovcni_vf *v;
	const char *kept;		/* a file */
};

static int remove_other(const char *name, void *arg, struct err *e)
{
	const struct others *o = arg;
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	int r = strcmp(name, o->kept) == 0 ?
			0 : sriovcni_state_read_file(o->v->dir, name, o->v->bdf, &s, e);

	if (r < 0 && e->code == ERR_DECODE)	/* it has been logged */
		return 0;
	return r > 0 ? sriovcni_state_remove(o->v->dir, &s, e) : r;
}

int sriovcni_vf_remove_others(const struct sriovcni_vf *v, const struct sriovcni_state *s,
			      struct err *e)
{
	struct others o = { v, s->file };

	return sriovcni_state_each(v->dir, v->boot, remove_other, &o, e);
}
