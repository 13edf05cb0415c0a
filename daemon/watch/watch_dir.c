/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_dir.c - files that come, change and go: the journal, kubelet's sockets, the configuration
 *
 * Theory of operation.  A directory need not be there when the daemon starts, and kubelet or an
 * administrator may make it anew.  Of one that is absent the nearest directory above it is watched
 * until it comes.  After each event that could mean this the watch is set again.  A directory above
 * a watched one can be renamed without an event, so it is also set again from time to time.  A file
 * of a ConfigMap is changed by the rename of a symbolic link beside it, so it is the directory that
 * is watched, not the file.
 */
#include "daemon/watch/watch_part.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define ENTRIES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE)
#define ITSELF	(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

enum { PLACES = 5, READS_MAX = 64 };

struct place {
	const char *path;		/* borrowed; NULL: there is none */
	bool is_machines;		/* and not below the root */
	unsigned int what;
	int wd;				/* its own, or that of a directory above it; -1: none */
	bool is_there;
};

struct watch_dirs {
	int fd, root;			/* the latter borrowed */
	struct place places[PLACES];
};

/* Watch the directory that the first len bytes of the path name; none of them: the root. */
static int add(const struct watch_dirs *d, const struct place *p, size_t len)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	char path[PATH_MAX], self[40];
	auto_close int fd = -1;
	int n = snprintf(path, sizeof(path), "%.*s", len > 0 ? (int)len : 1, p->path);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -1;
	fd = p->is_machines ? open(path, flags) : fs_open(d->root, path, flags, 0);
	if (fd < 0)
		return -1;
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return inotify_add_watch(d->fd, self, ENTRIES | ITSELF);
}

static bool is_watched(const struct watch_dirs *d, int wd)
{
	for (size_t i = 0; i < PLACES; i++)
		if (d->places[i].path && d->places[i].wd == wd)
			return true;
	return false;
}

/* What no place is watched by any more is not watched. */
static void watch_by(struct watch_dirs *d, struct place *p, int wd)
{
	int was = p->wd;

	p->wd = wd;
	if (was >= 0 && !is_watched(d, was))
		(void)inotify_rm_watch(d->fd, was);	/* fails where it has gone */
}

/* The length of the name of the directory that this one is in; 0: of the root itself. */
static size_t above(const char *path, size_t len)
{
	while (len > 0 && path[len - 1] == '/')
		len--;
	while (len > 0 && path[len - 1] != '/')
		len--;
	return len;
}

/*
 * It may come while the one above it is being watched: so from the top, until nothing is between
 * the one that is watched and the next below it, which was looked for after that.
 */
static void arm(struct watch_dirs *d, struct place *p)
{
	size_t whole = strlen(p->path), len = whole, last = SIZE_MAX;

	for (;;) {
		int wd = add(d, p, len);

		if (wd >= 0 || len == 0)
			watch_by(d, p, wd);
		if (wd < 0 && len > 0) {
			len = above(p->path, len);
		} else if (wd < 0 || len == whole || len == last) {
			break;
		} else {
			last = len;
			len = whole;	/* once more, now that this one is watched */
		}
	}
	p->is_there = p->wd >= 0 && len == whole;
}

struct watch_dirs *watch_dirs_new(const struct host *host, const struct watch_places *places,
				  struct err *e)
{
	struct watch_dirs *d = calloc(1, sizeof(*d));
	int fd = d ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1;

	if (fd < 0) {
		(void)err_set(e, ERR_IO, errno, "watch directories");
		free(d);
		return NULL;
	}
	*d = (struct watch_dirs){
		.fd = fd, .root = host->root,
		.places = {
			{ .path = places->attachments, .what = WATCH_ATTACHMENTS, .wd = -1 },
			{ .path = places->plugin_dir, .what = WATCH_PLUGIN_DIR, .wd = -1 },
			{ .path = places->status, .what = WATCH_STATUS, .wd = -1 },
			{ .path = places->overrides, .what = WATCH_CONFIG, .wd = -1 },
			{ .path = places->config, .is_machines = true, .what = WATCH_CONFIG,
			  .wd = -1 },
		},
	};
	for (size_t i = 0; i < PLACES; i++)
		if (d->places[i].path)
			arm(d, &d->places[i]);
	return d;
}

int watch_dirs_fd(const struct watch_dirs *d)
{
	return d->fd;
}

/* What one event means; those that were lost may have meant anything. */
static unsigned int take(struct watch_dirs *d, const struct inotify_event *event)
{
	unsigned int what = 0;

	for (size_t i = 0; i < PLACES; i++) {
		struct place *p = &d->places[i];
		bool was_there = p->is_there;

		if (!p->path || !(event->wd == p->wd || (event->mask & IN_Q_OVERFLOW)))
			continue;
		if (!was_there || (event->mask & (ITSELF | IN_IGNORED | IN_Q_OVERFLOW)))
			arm(d, p);
		if (was_there || p->is_there)
			what |= p->what;
	}
	return what;
}

unsigned int watch_dirs_read(struct watch_dirs *d)
{
	_Alignas(struct inotify_event) char buf[16 * 1024];
	unsigned int what = 0;
	ssize_t n;

	for (int i = 0; i < READS_MAX && (n = read(d->fd, buf, sizeof(buf))) > 0; i++)
		for (char *at = buf; at < buf + n;) {
			const struct inotify_event *event = (const void *)at;

			what |= take(d, event);
			at += sizeof(*event) + event->len;
		}
	return what;
}

unsigned int watch_dirs_set_again(struct watch_dirs *d)
{
	unsigned int what = 0;

	for (size_t i = 0; i < PLACES; i++) {
		struct place *p = &d->places[i];
		bool was_there = p->is_there;
		int was = p->wd;

		if (!p->path)
			continue;
		arm(d, p);
		if (p->is_there != was_there || (p->is_there && p->wd != was))
			what |= p->what;
	}
	return what;
}

void watch_dirs_free(struct watch_dirs *d)
{
	if (!d)
		return;
	(void)close(d->fd);
	free(d);
}
