/* SPDX-License-Identifier: Apache-2.0 */
/* landlock.c - this process changes files below some directories alone */
#include "base/landlock.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of Linux 5.19 and 6.2: headers may not know them. */
#define REFER		(UINT64_C(1) << 13)
#define TRUNCATE	(UINT64_C(1) << 14)

#define OF_FILES	(LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE)
#define OF_DIRS \
	(OF_FILES | REFER | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define NOWHERE \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO)

/* O_PATH; the nearest directory above when there is none.  -1 with errno. */
static int open_nearest(int root, const char *path)
{
	char at[PATH_MAX];
	int fd = -1;

	if (snprintf(at, sizeof(at), "%s", path) >= (int)sizeof(at)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	while ((fd = fs_open(root, at, O_PATH, 0)) < 0 && errno == ENOENT && strlen(at) > 1) {
		char *slash = strrchr(at, '/');

		if (slash == at)
			slash++;
		*slash = '\0';
	}
	return fd;
}

static bool allow(int set, int fd, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = access, .parent_fd = fd };

	return syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

/* What is right of directories alone is EINVAL for a file. */
static int add_rule(int set, int root, const char *path, uint64_t known, struct err *e)
{
	auto_close int fd = open_nearest(root, path);

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open '%.200s'", path);
	if (allow(set, fd, OF_DIRS & known) ||
	    (errno == EINVAL && allow(set, fd, OF_FILES & known)))
		return 0;
	return err_set(e, ERR_IO, errno, "allow changes below '%.200s'", path);
}

/* A list of what the kernel knows of it: a descriptor, -1 with errno. */
static int open_set(uint64_t *known)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = OF_DIRS | NOWHERE };
	int fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (fd < 0 && errno == EINVAL) {
		attr.handled_access_fs &= ~TRUNCATE;
		fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	}
	*known = attr.handled_access_fs;
	return fd;
}

/* ENOSYS and EOPNOTSUPP: none; EINVAL: it knows no renaming. */
int landlock_only_below(int root, const char *const *paths, size_t n, struct err *e)
{
	uint64_t known;
	auto_close int set = open_set(&known);

	if (set < 0 && (errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL))
		return 0;
	if (set < 0)
		return err_set(e, ERR_IO, errno, "make a list of directories for Landlock");
	for (size_t i = 0; i < n; i++)
		if (add_rule(set, root, paths[i], known, e) < 0)
			return -1;
	if (syscall(SYS_landlock_restrict_self, set, 0) < 0)
		return err_set(e, ERR_PERMISSION, errno, "restrict ourselves by Landlock");
	return 1;
}
