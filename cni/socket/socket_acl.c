/* SPDX-License-Identifier: Apache-2.0 */
/* socket_acl.c - access control list and SELinux label of a directory of sockets */
#include "cni/socket/socket_acl.h"

#include "base/log.h"
#include "base/mem.h"

#include <acl/libacl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/acl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static const char *const xattr_names[SOCKET_XATTRS] = {
	[SOCKET_ACL] = "system.posix_acl_access",
	[SOCKET_DEFAULT_ACL] = "system.posix_acl_default",
	[SOCKET_LABEL] = "security.selinux",
};

/* -- what is said -- */

static bool is_complete(acl_t acl)
{
	return acl_valid(acl) == 0;
}

/* "rwx" of three bits. */
static void spell(mode_t bits, char ret[4])
{
	for (int i = 0; i < 3; i++)
		ret[i] = bits & (4U >> i) ? "rwx"[i] : '-';
	ret[3] = '\0';
}

/* The three entries that every ACL has are those of the mode, where the text leaves them out. */
static acl_t parse_acl(const char *text, mode_t mode)
{
	char all[1024], u[4], g[4], o[4];
	acl_t acl = acl_from_text(text);

	if (!acl || is_complete(acl) || (acl_calc_mask(&acl) == 0 && is_complete(acl)))
		return acl;
	(void)acl_free(acl);
	spell(mode >> 6, u);
	spell(mode >> 3, g);
	spell(mode, o);
	if ((size_t)snprintf(all, sizeof(all), "u::%s,g::%s,o::%s,%s", u, g, o, text) >=
	    sizeof(all)) {
		errno = E2BIG;
		return NULL;
	}
	acl = acl_from_text(all);
	if (acl && acl_calc_mask(&acl) == 0 && is_complete(acl))
		return acl;
	(void)acl_free(acl);
	errno = EINVAL;
	return NULL;
}

static void free_acl(acl_t *acl)
{
	if (*acl)
		(void)acl_free(*acl);
}

int socket_acl_check(const struct socket_conf *c, struct err *e)
{
	auto_with(free_acl) acl_t acl = NULL;

	if (!c->acl)
		return 0;
	acl = parse_acl(c->acl, c->dir_mode);
	if (!acl)
		return err_set(e, ERR_NETCONF, errno, "acl: '%.180s' is none", c->acl);
	if (acl_equiv_mode(acl, NULL) == 0 || c->dir_mode & S_IRWXG)
		return 0;
	return err_set(e, ERR_NETCONF, 0, "acl: without effect, for dirMode '%04o' has no "
		       "permission for the group, which limits them", c->dir_mode);
}

int socket_acl_set(int fd, const struct socket_conf *c, struct err *e)
{
	auto_with(free_acl) acl_t acl = NULL;
	char self[32];

	if (!c->acl)
		return 0;
	acl = parse_acl(c->acl, c->dir_mode);
	if (!acl)
		return err_set(e, ERR_NETCONF, errno, "acl: '%.180s' is none", c->acl);
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (acl_set_fd(fd, acl) < 0 || acl_set_file(self, ACL_TYPE_DEFAULT, acl) < 0)
		return err_set(e, ERR_DEVICE, errno, "acl: set '%.200s'", c->acl);
	return 0;
}

/* Where no SELinux is there is nothing to label. */
int socket_label_set(int fd, const struct socket_conf *c, struct err *e)
{
	const char *label = c->selinux_label;

	if (!label)
		return 0;
	if (fsetxattr(fd, xattr_names[SOCKET_LABEL], label, strlen(label) + 1, 0) == 0)
		return 0;
	if (errno != EOPNOTSUPP)
		return err_set(e, ERR_DEVICE, errno, "selinuxLabel: set '%.200s'", label);
	log_info("msg=\"the file system has no SELinux labels\" label=\"%s\"", label);
	return 0;
}

/* -- CHECK -- */

/* The default ACL is as it was set; in the other one the mode has changed entries since. */
static bool has_acl(int fd, const struct socket_conf *c)
{
	auto_with(free_acl) acl_t want = parse_acl(c->acl, c->dir_mode), have = NULL, access = NULL;
	char self[32];

	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	have = acl_get_file(self, ACL_TYPE_DEFAULT);
	access = acl_get_fd(fd);
	return want && have && access && acl_cmp(want, have) == 0 &&
	       acl_entries(want) == acl_entries(access);
}

static bool has_label(int fd, const char *want)
{
	char have[256] = "";
	ssize_t n = fgetxattr(fd, xattr_names[SOCKET_LABEL], have, sizeof(have) - 1);

	return n < 0 ? errno == EOPNOTSUPP : strcmp(have, want) == 0;
}

const char *socket_acl_differs(int fd, const struct socket_conf *c)
{
	if (c->acl && !has_acl(fd, c))
		return "acl";
	return c->selinux_label && !has_label(fd, c->selinux_label) ? "selinuxLabel" : NULL;
}

/* -- what was before -- */

static int note_xattr(int fd, int which, struct socket_state *s, struct err *e)
{
	struct socket_xattr *x = &s->xattr[which];
	ssize_t n = fgetxattr(fd, xattr_names[which], x->value, sizeof(x->value));

	if (n < 0 && errno != ENODATA && errno != EOPNOTSUPP)
		return err_set(e, ERR_DEVICE, errno, "remember %s of directory '%s/%s'",
			       xattr_names[which], s->root, s->dir);
	x->set = n >= 0 || errno == ENODATA;
	x->len = n < 0 ? 0 : (uint8_t)n;
	return 0;
}

int socket_acl_note(int fd, const struct socket_conf *c, struct socket_state *s, struct err *e)
{
	if (c->acl && (note_xattr(fd, SOCKET_ACL, s, e) < 0 ||
		       note_xattr(fd, SOCKET_DEFAULT_ACL, s, e) < 0))
		return -1;
	return c->selinux_label ? note_xattr(fd, SOCKET_LABEL, s, e) : 0;
}

/* An access ACL that was none has come back with the mode. */
static int restore_xattr(int fd, int which, const struct socket_xattr *x)
{
	if (!x->set)
		return 0;
	if (x->len)
		return fsetxattr(fd, xattr_names[which], x->value, x->len, 0);
	return fremovexattr(fd, xattr_names[which]) == 0 || errno == ENODATA ||
			       errno == EOPNOTSUPP ?
		       0 : -1;
}

int socket_acl_restore(int fd, const struct socket_state *s, struct err *e)
{
	for (int i = 0; i < SOCKET_XATTRS; i++)
		if (restore_xattr(fd, i, &s->xattr[i]) < 0)
			return err_set(e, ERR_PERMISSION, errno, "restore %s of '%s'",
				       xattr_names[i], s->dir);
	return 0;
}
