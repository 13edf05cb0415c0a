/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_file.c - files that are operands or options of devinfoctl
 *
 * They are the caller's, so they are not looked for below the root; they are read with the
 * plugin's own care: regular files only, of bounded size.
 */
#include "devinfo/ctl/ctl.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int read_text(const char *path, size_t max, char **ret, size_t *len, struct err *e)
{
	const char *base = strrchr(path, '/');
	char dir_name[PATH_MAX] = ".";
	auto_close int dir = -1;
	int r;

	base = base ? base + 1 : path;
	if (base > path && snprintf(dir_name, sizeof(dir_name), "%.*s", (int)(base - path), path) >=
				   (int)sizeof(dir_name))
		return err_set(e, ERR_IO, ENAMETOOLONG, "path '%.64s...'", path);
	dir = open(dir_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_set(e, ERR_IO, errno, "open directory '%s'", dir_name);
	r = fs_read_file(dir, base, max, ret, len, e);
	return r == 0 ? err_set(e, ERR_IO, ENOENT, "open '%s'", base) : r;
}

int ctl_read_file(const char *path, size_t max, char **ret, size_t *len, struct err *e)
{
	return read_text(path, max, ret, len, e) < 0 ? err_wrap(e, "%s", path) : 0;
}

int ctl_read_device_info(const char *path, struct device_info *ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (ctl_read_file(path, DEVICE_INFO_MAX, &text, &len, e) < 0)
		return -1;
	return device_info_from_text(text, len, path, ret, e);
}
