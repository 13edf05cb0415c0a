/* SPDX-License-Identifier: Apache-2.0 */
/* textfile.c - metrics as a file, for node_exporter's textfile collector */
#include "daemon/metrics/textfile.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int open_dir(const struct host *host, const char *path, struct err *e)
{
	char dir[PATH_MAX];
	int fd;

	(void)snprintf(dir, sizeof(dir), "%.*s/", (int)(strrchr(path, '/') - path), path);
	fd = fs_open(host->root, dir, O_RDONLY | O_DIRECTORY, 0);
	return fd >= 0 ? fd : err_set(e, ERR_IO, errno, "open the directory of '%s'", path);
}

/* Not synced: after a loss of power the numbers of before it mean nothing. */
static int fill(int fd, const struct exposition *x)
{
	auto_free struct exposition_reader *r = calloc(1, sizeof(*r));
	char buf[16 * 1024];
	size_t len;

	if (!r)
		return -1;
	r->form = FORM_PROMETHEUS;
	while ((len = exposition_read(x, r, buf, sizeof(buf))) > 0)
		for (size_t at = 0; at < len;) {
			ssize_t n = write(fd, buf + at, len - at);

			if (n < 0 && errno != EINTR)
				return -1;
			at += n > 0 ? (size_t)n : 0;
		}
	return 0;
}

int textfile_write(const struct host *host, const char *path, const struct exposition *x,
		   struct err *e)
{
	auto_with(fs_draft_done) struct fs_draft d = { .fd = 0 };
	const char *name = strrchr(path, '/') + 1;
	auto_close int dir = open_dir(host, path, e);

	if (dir < 0 || fs_draft_fill(dir, name, "", 0, 0644, FS_THIS_BOOT, &d, e) < 0)
		return -1;
	if (fill(d.fd, x) < 0)
		return err_set(e, ERR_IO, errno, "write '%s'", path);
	return fs_draft_publish(dir, name, &d, e);
}

void textfile_remove(const struct host *host, const char *path)
{
	struct err ignored;
	auto_close int dir = open_dir(host, path, &ignored);

	if (dir >= 0)
		(void)!fs_remove(dir, strrchr(path, '/') + 1, &ignored);
}
