/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_acl.c - the ACL that a network's writer wants: two bytes of mode, the text */
#include "cni/socket/socket_acl.h"
#include "tests/fuzz/scratch.h"

#include <errno.h>
#include <sys/stat.h>

/* What was accepted is set as it was said, and taken back to what was before. */
static void set_and_restore(const struct socket_conf *c)
{
	auto_close int fd = -1;
	struct socket_state before = { .path = "" };
	struct stat st[2];
	struct err e = { 0 };

	must(mkdirat(scratch_dir(), "d", 0700) == 0);
	fd = openat(scratch_dir(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(fd >= 0 && fstat(fd, &st[0]) == 0);
	must(socket_acl_note(fd, c, &before, &e) == 0);
	if (socket_acl_set(fd, c, &e) == 0) {
		must(fchmod(fd, c->dir_mode) == 0 && !socket_acl_differs(fd, c));
		must(socket_acl_restore(fd, &before, &e) == 0 && fchmod(fd, 0700) == 0);
		must(fstat(fd, &st[1]) == 0 && st[0].st_mode == st[1].st_mode);
	} else {
		must(e.sys != EINVAL);	/* a file system has no ACLs, or no room: no fault of it */
	}
	must(unlinkat(scratch_dir(), "d", AT_REMOVEDIR) == 0);
}

static void fuzz_one(const char *text, size_t len)
{
	struct socket_conf c = { .kind = SOCKET_VHOST_USER };
	auto_free char *acl = strndup(len > 2 ? text + 2 : "", len > 2 ? len - 2 : 0);
	struct err e = { 0 };
	int rc;

	must(acl);
	c.acl = acl;
	c.dir_mode = len > 2 ? ((unsigned char)text[0] << 8 | (unsigned char)text[1]) & 0777 : 0750;
	rc = socket_acl_check(&c, &e);
	must_agree(rc, &e);
	if (rc < 0) {
		must(e.code == ERR_NETCONF);
		return;
	}
	accepted();
	set_and_restore(&c);
}
