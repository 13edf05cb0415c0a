/* SPDX-License-Identifier: Apache-2.0 */
/* socket_mount.c - is the file system of socketDir as pods that write to it want it? */
#include "devinfo/node/socket_mount.h"

#include "base/fs.h"
#include "base/mem.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#ifndef ST_NOSYMFOLLOW
#define ST_NOSYMFOLLOW	0x2000		/* Linux 5.10; the C library passes it on */
#endif

/* Of the directory, or of what it would be made in. */
static bool find_device(const struct host *host, const char *path, dev_t *ret)
{
	auto_close int fd = fs_open_nearest(host->root, path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	*ret = st.st_dev;
	return true;
}

/* Of our directories the first that is on the same; NULL: none. */
static const char *find_shared(const struct host *host, dev_t dev)
{
	const struct settings *set = &host->set;
	const char *const dirs[][2] = {
		{ "runDir", set->run_dir }, { "stateDir", set->state_dir },
		{ "devinfoDir", set->devinfo_dir },
	};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		dev_t other;

		if (find_device(host, dirs[i][1], &other) && other == dev)
			return dirs[i][0];
	}
	return NULL;
}

bool socket_mount_is_weak(const struct host *host, char ret[512])
{
	auto_close int fd = fs_open_nearest(host->root, host->set.socket_dir);
	const char *shared = NULL;
	bool follows = false;
	struct statvfs vfs;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || fstatvfs(fd, &vfs) < 0)
		return false;
	follows = !(vfs.f_flag & ST_NOSYMFOLLOW);
	shared = find_shared(host, st.st_dev);
	if (!follows && !shared)
		return false;
	(void)snprintf(ret, 512, "socketDir '%.200s' %s%s%s%s: mount a file system there, see "
		       "devinfo(8), Sockets", host->set.socket_dir,
		       follows ? "is not mounted with nosymfollow" : "", follows && shared ?
		       ", and " : "", shared ? "is on the file system of " : "",
		       shared ? shared : "");
	return true;
}
