/* SPDX-License-Identifier: Apache-2.0 */
/* sriovcni_vf.c - all that sriov-cni says about one VF, and whose it is by that */
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
	for (size_t i = 0; i < v->n; i++)
		sriovcni_state_done(&v->state[i]);
	free(v->state);
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

	if (r <= 0 || netns_is_own(fd))
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

static bool grow(struct sriovcni_vf *v)
{
	size_t room = v->room ? 2 * v->room : 4;
	struct sriovcni_state *more;

	if (v->n < v->room)
		return true;
	more = v->n < SRIOVCNI_STATES_MAX ? reallocarray(v->state, room, sizeof(*more)) : NULL;
	if (!more)
		return false;
	v->state = more;
	v->room = room;
	return true;
}

/* Where it belongs by its time. */
static size_t insert(struct sriovcni_vf *v, struct sriovcni_state *s)
{
	size_t at = v->n++;

	for (; at > 0 && is_older(&s->written, &v->state[at - 1].written); at--)
		v->state[at] = v->state[at - 1];
	v->state[at] = *s;
	*s = (struct sriovcni_state){ 0 };
	return at;
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
	if (r > 0 && !grow(v))
		return err_set(e, ERR_IO, E2BIG, "sriov-cni's records of %s", v->bdf);
	if (r > 0)
		(void)insert(v, &s);
	v->unread |= r < 0;
	return 0;
}

int sriovcni_vf_read(int dir, const char *bdf, struct sriovcni_vf *ret, struct err *e)
{
	ret->boot = boot_time();
	return sriovcni_vf_read_allocation(dir, bdf, ret, e) < 0 ||
	       sriovcni_state_each(dir, ret->alive ? 0 : ret->boot, collect, ret, e) < 0 ? -1 : 0;
}

size_t sriovcni_vf_index(struct sriovcni_vf *v, struct sriovcni_state *s)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->state[i].file, s->file) == 0)
			return i;
	return grow(v) ? insert(v, s) : v->n;
}

/* -- judging -- */

bool sriovcni_vf_is_past(const struct sriovcni_vf *v, const struct sriovcni_state *s)
{
	return s->written.tv_sec < v->boot;
}

bool sriovcni_vf_has_allocation(const struct sriovcni_vf *v, const struct sriovcni_state *s)
{
	return *v->marker.netns &&
	       llabs((long long)v->marker.written.tv_sec - s->written.tv_sec) <= MARKER_SLACK_S;
}

static int is_home(const struct host *host, const struct sriovcni_vf *v, struct err *e)
{
	const struct record *rec = &v->state[v->n - 1].rec;
	struct pci_device dev = { 0 };
	int r = rec->netdev.present ? sysfs_pci(host, rec->device, &dev, e) : 0;

	return r <= 0 ? r : *dev.netdev != '\0';
}

int sriovcni_vf_is_free(const struct host *host, const struct sriovcni_vf *v, struct err *e)
{
	if (v->alive)
		return 0;
	return *v->marker.netns ? 1 : is_home(host, v, e);
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

int sriovcni_vf_is_open_to(const struct host *host, const struct sriovcni_vf *v, size_t at,
		      const char *netns, struct err *e)
{
	const struct sriovcni_state *s = &v->state[at];
	bool is_last = at + 1 == v->n && !v->unread;

	if (v->alive && *netns)
		return is_same_netns(v->marker.netns, netns, e);
	if (sriovcni_vf_is_past(v, s))
		return 0;
	if (v->alive)
		return is_last && sriovcni_vf_has_allocation(v, s);
	return !*v->marker.netns && is_last ? 1 : sriovcni_vf_is_free(host, v, e);
}

void sriovcni_vf_make_last(struct sriovcni_vf *v, size_t at)
{
	struct sriovcni_state s = v->state[at];

	for (; at + 1 < v->n; at++)
		v->state[at] = v->state[at + 1];
	v->state[at] = s;
}
