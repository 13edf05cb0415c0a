/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_acl.h - access control list and SELinux label of a directory of sockets
 *
 * A chmod(2) after an ACL sets the mask of it, which limits all but the owner and others: the
 * mode's bits for the group say how much of the ACL has an effect.
 */
#ifndef CNI_SOCKET_ACL_H
#define CNI_SOCKET_ACL_H

#include "base/err.h"
#include "conf/socket_conf.h"
#include "devinfo/journal/socket_state.h"

/* Is acl one, with an effect under the mode?  Before anything is made; ERR_NETCONF. */
int socket_acl_check(const struct socket_conf *c, struct err *e) must_check;

/* Set what is said, acl for what is made in the directory as well. */
int socket_acl_set(int fd, const struct socket_conf *c, struct err *e) must_check;
int socket_label_set(int fd, const struct socket_conf *c, struct err *e) must_check;

/* Which key of the configuration is not as these two have set it; NULL: they both are. */
const char *socket_acl_differs(int fd, const struct socket_conf *c);

/* Remember what these two will change, and restore it. */
int socket_acl_note(int fd, const struct socket_conf *c, struct socket_state *s, struct err *e)
	must_check;
int socket_acl_restore(int fd, const struct socket_state *s, struct err *e) must_check;

#endif
