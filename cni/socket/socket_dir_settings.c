/* SPDX-License-Identifier: Apache-2.0 */
/* socket_dir_settings.c - owner, mode and label of the directory that a pod mounts */
#include "cni/socket/socket_dir.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LABEL	"security.selinux"

static int open_dir(int root, const struct socket_state *s, int *ret, struct err *e)
{
	int r = tree_open(root, s->dir, ret, e);

	return r == 0 ? err_set(e, ERR_TRY_AGAIN, ENOENT, "directory '%s/%s' has just gone",
				s->root, s->dir) : r;
}

static bool has_label(int fd, const char *label)
{
	char have[256] = "";
	ssize_t n = fgetxattr(fd, LABEL, have, sizeof(have) - 1);

	return n < 0 ? errno == EOPNOTSUPP : strcmp(have, label) == 0;
}

int socket_dir_compare_settings(int fd, const struct socket_conf *c, const struct socket_state *s,
				char ret[256], struct err *e)
{
	struct stat st;

	*ret = '\0';
	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat directory '%s/%s'", s->root, s->dir);
	if (c->has_uid && st.st_uid != c->uid)
		(void)snprintf(ret, 256, "uid of the directory: expected %u, got %u", c->uid,
			       st.st_uid);
	else if (c->has_gid && st.st_gid != c->gid)
		(void)snprintf(ret, 256, "gid of the directory: expected %u, got %u", c->gid,
			       st.st_gid);
	else if ((s->made || c->has_dir_mode) && (st.st_mode & 07777) != c->dir_mode)
		(void)snprintf(ret, 256, "mode of the directory: expected %04o, got %04o",
			       c->dir_mode, st.st_mode & 07777);
	else if (c->selinux_label && !has_label(fd, c->selinux_label))
		(void)snprintf(ret, 256, "selinuxLabel of the directory is not '%.200s'",
			       c->selinux_label);
	return 0;
}

int socket_dir_check_settings(int root, const struct socket_conf *c, const struct socket_state *s,
			      struct err *e)
{
	auto_close int fd = -1;
	char text[256];

	if (open_dir(root, s, &fd, e) < 0 || socket_dir_compare_settings(fd, c, s, text, e) < 0)
		return -1;
	if (!*text)
		return 0;
	(void)err_set(e, ERR_BUSY, EEXIST, "'%s/%s' is there already: %s", s->root, s->dir, text);
	return err_detail(e, "%s and selinuxLabel must be what it has, or absent", s->made ?
			  "another attachment has the directory: uid, gid, dirMode (02770 when "
			  "absent)" :
			  "ADD changes no directory that it has not made: uid, gid, dirMode");
}

/* Where no SELinux is there is nothing to label. */
static int set_label(int fd, const char *label, struct err *e)
{
	if (!label || fsetxattr(fd, LABEL, label, strlen(label) + 1, 0) == 0)
		return 0;
	if (errno != EOPNOTSUPP)
		return err_set(e, ERR_DEVICE, errno, "selinuxLabel: set '%.200s'", label);
	log_info("msg=\"the file system has no SELinux labels\" label=\"%s\"", label);
	return 0;
}

/* The mode last: chown(2) takes the setgid bit. */
int socket_dir_set_settings(int root, const struct socket_conf *c, const struct socket_state *s,
			    struct err *e)
{
	uid_t uid = c->has_uid ? c->uid : (uid_t)-1;
	gid_t gid = c->has_gid ? c->gid : (gid_t)-1;
	auto_close int fd = -1;

	if (open_dir(root, s, &fd, e) < 0)
		return -1;
	if ((c->has_uid || c->has_gid) && fchown(fd, uid, gid) < 0)
		return err_set(e, ERR_PERMISSION, errno, "set owner %d:%d", (int)uid, (int)gid);
	if (fchmod(fd, c->dir_mode) < 0)
		return err_set(e, ERR_PERMISSION, errno, "set mode %o", c->dir_mode);
	return set_label(fd, c->selinux_label, e);
}
