/* SPDX-License-Identifier: Apache-2.0 */
/* bounded_file.c - attributes of /sys whose reading or writing may wait, until a time */
#include "base/bounded_file.h"

#include "base/bounded.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct order {
	int root;
	const char *path;
	const char *text;	/* to write */
	size_t size;		/* bytes to read */
};

static bool is_late(const struct err *e)
{
	return e->sys == ETIMEDOUT || e->code == ERR_INTERRUPTED;
}

static int write_text(const void *arg, void *answer, struct err *e)
{
	const struct order *o = arg;

	(void)answer;
	return fs_write_attr(o->root, o->path, o->text, e);
}

int bounded_write(int root, const char *path, const char *text, unsigned int ms, struct err *e)
{
	const struct order o = { .root = root, .path = path, .text = text };
	const struct bounded b = { .fn = write_text, .arg = &o, .keep = root,
				   .grace_ms = BOUNDED_GRACE_MS };
	const struct deadline d = deadline_in(ms);

	if (bounded_run(&b, &d, e) >= 0)
		return 0;
	return is_late(e) ? err_wrap(e, "write '%.64s' to '%s'", fs_shown(text), path) : -1;
}

static int read_line(const void *arg, void *answer, struct err *e)
{
	const struct order *o = arg;

	return fs_read_line(o->root, answer, o->size, e, "%s", o->path);
}

int bounded_read_line(int root, const char *path, char *ret, size_t size, unsigned int ms,
		      struct err *e)
{
	const struct order o = { .root = root, .path = path, .size = size };
	const struct bounded b = {
		.fn = read_line, .arg = &o, .answer = ret, .size = size, .keep = root,
		.grace_ms = BOUNDED_GRACE_MS,
	};
	const struct deadline d = deadline_in(ms);
	int r = bounded_run(&b, &d, e);

	return r < 0 && is_late(e) ? err_wrap(e, "read '%s'", path) : r;
}
