/* SPDX-License-Identifier: Apache-2.0 */
/* socket_keep.c - what the DEL of a socket attachment had to leave, and whose that is */
#include "cni/socket/socket_keep.h"

#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A journal as the other one, in a directory of its own. */
static int open_kept(const struct host *host, enum journal_mode mode, struct journal *ret,
		     struct err *e)
{
	struct host there = *host;
	char dir[PATH_MAX];

	(void)snprintf(dir, sizeof(dir), "%s/kept", host->set.state_dir);
	there.set.state_dir = dir;
	return journal_open(&there, mode, ret, e);
}

/* Of the other side nothing is left to be done, nor of the device-info and the lease. */
static struct record copy_of(const struct record *rec)
{
	struct record ret = {
		.owner = rec->owner, .pod = rec->pod, .socket = rec->socket,
		.devinfo_dir = rec->devinfo_dir, .run_dir = rec->run_dir,
	};

	memcpy(ret.boot_id, rec->boot_id, sizeof(ret.boot_id));
	memcpy(ret.device, rec->device, sizeof(ret.device));
	*ret.socket.switch_kind = *ret.socket.port = *ret.socket.db = '\0';
	*ret.socket.exec = *ret.socket.linked = '\0';
	return ret;
}

int socket_keep_note(const struct host *host, const struct record *rec, struct err *e)
{
	auto_journal struct journal kept = { .dir = -1, .lock = -1 };
	const struct record copy = copy_of(rec);

	return open_kept(host, JOURNAL_CREATE, &kept, e) < 0 ||
	       journal_write(&kept, &copy, e) < 0 ? err_wrap(e, "remember what is kept") : 0;
}

int socket_keep_forget(const struct host *host, const struct record *rec, struct err *e)
{
	auto_journal struct journal kept = { .dir = -1, .lock = -1 };
	auto_record struct record its = { 0 };
	const struct record copy = copy_of(rec);
	int r = open_kept(host, JOURNAL_UPDATE, &kept, e);

	if (r > 0)
		r = journal_get(&kept, &copy, &its, e);
	return r > 0 ? journal_remove(&kept, &its, e) : r;
}

int socket_keep_each(const struct host *host, enum journal_mode mode, journal_fn *fn, void *arg,
		     struct err *e)
{
	auto_journal struct journal kept = { .dir = -1, .lock = -1 };
	int r = open_kept(host, mode, &kept, e);

	return r > 0 ? journal_each(&kept, fn, arg, e) : r;
}

int socket_keep_each_bad(const struct host *host, journal_bad_fn *fn, void *arg, struct err *e)
{
	auto_journal struct journal kept = { .dir = -1, .lock = -1 };
	int r = open_kept(host, JOURNAL_READ, &kept, e);

	return r > 0 ? journal_each_bad(&kept, fn, arg, e) : r;
}
