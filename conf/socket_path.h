/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_path.h - where an attachment's socket is, for the host, the container and the switch
 *
 * A unix socket's address holds 107 bytes, and who takes more cuts them off silently: each of the
 * three paths is measured before anything is made.  One of the host that is longer, as those of
 * volumes below kubelet's directory are, goes through a symbolic link of ours to the directory,
 * <runDir>/links/<hash>.
 */
#ifndef CONF_SOCKET_PATH_H
#define CONF_SOCKET_PATH_H

#include "base/err.h"
#include "base/host.h"
#include "conf/socket_conf.h"

enum { SOCKET_PATH_MAX = 108 };		/* with its NUL: sizeof(sun_path) */
#define SOCKET_SECRET_END ".secret"	/* behind a socket's name: the file beside it */

/* What templates may name; NULL: the call does not say. */
struct socket_vars {
	const char *pod_uid, *pod_name, *pod_namespace, *container_id, *network, *ifname;
	const char *short_id;	/* made of container_id by socket_paths_make() */
};

struct socket_paths {
	char root[SOCKET_PATH_MAX];	/* socketDir */
	char dir[SOCKET_PATH_MAX];	/* of the host, relative to that: "a/b" */
	char link[SOCKET_PATH_MAX];	/* to the directory, which `host` goes through; "": none */
	char name[SOCKET_PATH_MAX];	/* of the socket in it: one component */
	char host[SOCKET_PATH_MAX], container[SOCKET_PATH_MAX], in_switch[SOCKET_PATH_MAX];
};

/*
 * A template as such: no {variable} but those of struct socket_vars ("{podUID}", "{containerID}",
 * ...), no brace besides.  key names it in messages.
 */
int socket_template_check(const char *text, const char *key, struct err *e) must_check;

/*
 * Expand and check them, below socketDir of the settings.  ERR_NETCONF, or ERR_ENV for a word that
 * the call should have said.
 */
int socket_paths_make(const struct socket_conf *c, const struct settings *set,
		      const struct socket_vars *vars, struct socket_paths *ret, struct err *e)
	must_check;

/* Where a switch sees a path of the host: below switchDir what is below socketDir.  ERR_NETCONF. */
int socket_path_in_switch(const struct settings *set, const char *path, char ret[SOCKET_PATH_MAX],
			  struct err *e) must_check;

/*
 * Has a directory's name the form of what machines call a pod or a container?  A pod's: a UUID, or
 * the 32 digits of a static one; a container's: its 64 digits, or the 12 of {shortID}.
 */
enum socket_id { SOCKET_NO_ID, SOCKET_POD_ID, SOCKET_CONTAINER_ID };
enum socket_id socket_path_id(const char *name);

/*
 * A path that somebody else gave: absolute, at most 107 bytes, nothing that consumers split on, no
 * "." or ".." and no empty component.  what names it in messages.  ERR_NETCONF.
 */
int socket_path_check(const char *path, const char *what, struct err *e) must_check;

#endif
