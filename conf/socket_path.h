/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_path.h - the paths of an attachment's socket for the host, the container and the switch
 *
 * A unix socket's address holds 107 bytes, and some programs silently cut off longer ones: each of
 * the three paths is checked before anything is made.  A longer path of the host, such as that of a
 * volume below kubelet's directory, goes through a symbolic link of ours to the directory,
 * <runDir>/links/<hash>.
 */
#ifndef CONF_SOCKET_PATH_H
#define CONF_SOCKET_PATH_H

#include "base/err.h"
#include "base/host.h"
#include "conf/socket_conf.h"

enum { SOCKET_PATH_MAX = 108 };		/* with its NUL: sizeof(sun_path) */
#define SOCKET_SECRET_END ".secret"	/* suffix of the secret's file, next to the socket */

/* The values of templates' variables; NULL: the call does not have it. */
struct socket_vars {
	const char *pod_uid, *pod_name, *pod_namespace, *container_id, *network, *ifname;
	const char *short_id;	/* set from container_id by socket_paths_make() */
};

struct socket_paths {
	char root[SOCKET_PATH_MAX];	/* socketDir */
	char dir[SOCKET_PATH_MAX];	/* of the host, relative to root: "a/b" */
	char link[SOCKET_PATH_MAX];	/* link to the directory, part of `host`; "": none */
	char name[SOCKET_PATH_MAX];	/* of the socket in it: one component */
	char host[SOCKET_PATH_MAX], container[SOCKET_PATH_MAX], in_switch[SOCKET_PATH_MAX];
};

/*
 * Check a template: it has no {variable} but those of struct socket_vars ("{podUID}",
 * "{containerID}", ...) and no other brace.  key names it in messages.
 */
int socket_template_check(const char *text, const char *key, struct err *e) must_check;

/*
 * Expand and check the paths below socketDir of the settings.  ERR_NETCONF, or ERR_ENV for a
 * variable that the call should have passed.
 */
int socket_paths_make(const struct socket_conf *c, const struct settings *set,
		      const struct socket_vars *vars, struct socket_paths *ret, struct err *e)
	must_check;

/* Convert a path of the host to the switch's view: socketDir becomes switchDir.  ERR_NETCONF. */
int socket_path_in_switch(const struct settings *set, const char *path, char ret[SOCKET_PATH_MAX],
			  struct err *e) must_check;

/*
 * Has a directory's name the form of a pod's or container's id?  A pod's is a UUID, or the 32 hex
 * digits of a static pod; a container's has 64 digits, or the 12 of {shortID}.
 */
enum socket_id { SOCKET_NO_ID, SOCKET_POD_ID, SOCKET_CONTAINER_ID };
enum socket_id socket_path_id(const char *name);

/*
 * Check a path from outside: absolute, at most 107 bytes, no character that consumers split on, no
 * "." or ".." and no empty component.  `what` names it in messages.  ERR_NETCONF.
 */
int socket_path_check(const char *path, const char *what, struct err *e) must_check;

#endif
