/* SPDX-License-Identifier: Apache-2.0 */
/* leak.c - what the checks for leaks have in common */
#include "devinfo/doctor/leak.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/journal/owner.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* File names of others are any bytes, and what is told of them is JSON. */
static void make_plain(char *text)
{
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

int leak_add(struct findings *ret, const struct leak *of, const char *object, struct err *e,
	     const char *what, ...)
{
	struct finding f = { .check = of->check, .severity = of->severity, .remedy = of->remedy };
	va_list ap;

	va_start(ap, what);
	(void)vsnprintf(f.what, sizeof(f.what), what, ap);
	va_end(ap);
	(void)snprintf(f.object, sizeof(f.object), "%.511s", object);
	make_plain(f.what);
	make_plain(f.object);
	(void)snprintf(f.todo, sizeof(f.todo), "%s", of->todo);
	return finding_add(ret, &f, e);
}

static bool stat_path(const struct host *host, const char *path, struct stat *ret)
{
	auto_close int fd = fs_open(host->root, path, O_PATH | O_NOFOLLOW, 0);

	return fd >= 0 && fstat(fd, ret) == 0;
}

time_t leak_now(const struct host *host, const struct inventory *inv)
{
	struct stat st;

	return inv->node.is_recorded && stat_path(host, INVENTORY_FACTS, &st) ? st.st_mtime :
										time(NULL);
}

bool leak_is_settled(const struct host *host, time_t now, const char *path)
{
	struct stat st;

	return stat_path(host, path, &st) &&
	       st.st_mtime <= now - LEAK_SETTLED_S;
}

int leak_has_netns(const struct host *host, const struct inventory *inv, const char *path,
		   struct err *e)
{
	auto_close int fd = -1;
	struct stat st;

	return inv->node.is_recorded ? fs_exists(host->root, e, "%s", path) :
				       owner_open_path(path, &fd, &st, e);
}

int leak_has_record(struct journal *j, const struct owner *o, struct err *e)
{
	auto_record struct record rec = { 0 };
	unsigned int damaged = j->damaged;
	int r = j->dir >= 0 ? journal_find(j, o, &rec, e) : 0;

	if (r == 0)
		return j->damaged != damaged;
	return r < 0 && e->code == ERR_TRY_AGAIN ? 1 : r;
}
