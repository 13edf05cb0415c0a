/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_validate.c - devinfoctl validate: are these device-info files proper?
 *
 * The files are the caller's, so they are not looked for below the root; they are
 * read with the plugin's own care: regular files only, of bounded size.
 */
#include "devinfo/ctl.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/device_info.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int read_text(const char *path, char **ret, size_t *len, struct err *e)
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
	r = fs_read_file(dir, base, DEVICE_INFO_MAX, ret, len, e);
	return r == 0 ? err_set(e, ERR_IO, ENOENT, "open '%s'", base) : r;
}

static int check(const char *path, struct device_info *ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (read_text(path, &text, &len, e) < 0)
		return err_wrap(e, "%s", path);
	return device_info_from_text(text, len, path, ret, e);
}

enum ctl_status ctl_validate(const struct host *host, const struct ctl_options *opt,
			     char *const *operands)
{
	enum ctl_status status = CTL_OK;

	(void)host;
	(void)opt;
	for (; *operands; operands++) {
		auto_device_info struct device_info di = { 0 };
		struct err e = { 0 };

		if (check(*operands, &di, &e) == 0) {
			(void)printf("%s: ok (%s, version %s)\n", *operands,
				     device_kind_name(di.kind), di.version);
			continue;
		}
		(void)printf(*e.details ? "%s (%s)\n" : "%s\n", e.msg, e.details);
		status = CTL_FAILED;
	}
	return status;
}
