/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_conf.h - the keys vhostUser, memif and switch: an attachment whose device is a unix socket
 *
 * Mode and role are the application's throughout, as in the Device Information Specification: a
 * "server" or "master" makes the socket, a "client" or "slave" finds it made by the host.  The
 * other side, the switch's, is the inverse.
 */
#ifndef CONF_SOCKET_CONF_H
#define CONF_SOCKET_CONF_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum socket_kind { SOCKET_NONE, SOCKET_VHOST_USER, SOCKET_MEMIF };
enum socket_side { SOCKET_SIDE_UNSET, SOCKET_APP_CONNECTS, SOCKET_APP_LISTENS };

/* Whose port the other end is.  Plugins of `delegate` are the chain's. */
enum switch_kind { SWITCH_NONE, SWITCH_OVS, SWITCH_EXEC };

struct switch_conf {
	enum switch_kind kind;
	unsigned int timeout_ms;
	const char *bridge;		/* OVS */
	const char *path;		/* exec: absolute */
	const json_t *config;		/* exec: told as it is, NULL: nothing */
};

/* Strings are borrowed from the configuration; directories and names are templates. */
struct socket_conf {
	enum socket_kind kind;		/* SOCKET_NONE: it is not said */
	enum socket_side side;		/* the application's; unset: as its device plugin says */
	/* of memif: "ethernet", "ip", "inject-punt"; NULL: side unset, and this not said either */
	const char *memif_mode;
	uint32_t id;			/* of memif */
	const char *secret;		/* of memif, NULL: none; never logged */
	const char *host_dir, *container_dir, *name;	/* NULL: the default */
	const char *host_base;		/* below it the default is {containerID}; NULL: socketDir */
	bool has_uid, has_gid, has_dir_mode;	/* said, not the default */
	uid_t uid;
	gid_t gid;
	mode_t dir_mode, socket_mode;
	const char *selinux_label;	/* NULL: none */
	unsigned int wait_ms;
	int vlan;			/* userspace-cni's word for the port's, -1: not said */
	struct switch_conf sw;
};

/*
 * From a configuration, in our words or userspace-cni's (see userspace.h); absent keys leave
 * ret->kind SOCKET_NONE.  Templates are looked at here (socket_path.h) and expanded later.
 */
int socket_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e) must_check;

/* The key of a kind: "vhostUser", "memif". */
const char *socket_kind_key(enum socket_kind kind);

/* 1 to SOCKET_SECRET_MAX printable bytes that nobody takes a list apart at. */
enum { SOCKET_SECRET_MAX = 24 };	/* of a memif message's field */
bool socket_is_secret(const char *s);

/*
 * A configuration's text without memif's secret, for a file that outlives the call; the caller
 * frees it.  NULL and *e when the text is none.
 */
char *socket_conf_hide_secret(const char *text, struct err *e) must_check;

/* What is said of one side, and under which key; text NULL or "": nothing. */
struct socket_said {
	const char *path, *key, *text;
};

/*
 * The application's side from what is said of it, of the host's, or both, where one has to be the
 * inverse of the other; SOCKET_SIDE_UNSET when nothing is said.
 */
int socket_side_parse(enum socket_kind kind, const struct socket_said *app,
		      const struct socket_said *host, enum socket_side *ret, struct err *e)
	must_check;

/* What a memif carries; nothing said leaves *ret. */
int socket_memif_mode_parse(const struct socket_said *said, const char **ret, struct err *e)
	must_check;

#endif
