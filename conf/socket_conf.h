/* SPDX-License-Identifier: Apache-2.0 */
/* socket_conf.h - the keys vhostUser, memif and switch: the device is a unix socket */
#ifndef CONF_SOCKET_CONF_H
#define CONF_SOCKET_CONF_H

#include "base/err.h"
#include "conf/key.h"
#include "conf/socket_kind.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whose port the other end is, or the representor.  Plugins of `delegate` are the chain's. */
enum switch_kind { SWITCH_NONE, SWITCH_OVS, SWITCH_EXEC };

struct switch_conf {
	enum switch_kind kind;
	unsigned int timeout_ms;
	const char *bridge;		/* OVS; NULL, of a network device: the uplink's */
	bool netdev;			/* OVS: the port is a network device of the kernel's */
	const char *path;		/* exec: absolute */
	const json_t *config;		/* exec: told as it is, NULL: nothing */
};

/* Strings are borrowed from the configuration; directories and names are templates. */
struct socket_conf {
	enum socket_kind kind;		/* SOCKET_NONE: it is not said */
	/* for messages, as they were written: "vhostUser", "memif", "host" or "container"; ... */
	const char *key, *side_key, *mode_key;
	/* ... "sharedDir", "mappedDir", "host.vhost.socketfile"; NULL: our own words */
	const char *host_dir_key, *container_dir_key, *name_key;
	enum socket_side side;		/* the application's; unset: as its device plugin says */
	enum socket_side else_side;	/* where nobody says it; unset: that is an error */
	enum socket_side host_side;	/* as it is said; the inverse then */
	/* of memif: "ethernet", "ip", "inject-punt"; NULL: side unset, and this not said either */
	const char *memif_mode;
	uint32_t id;			/* of memif */
	const char *secret;		/* of memif, NULL: none; never logged */
	const char *host_dir, *container_dir, *name;	/* NULL: the default */
	const char *host_base;		/* below it the default is {shortID}; NULL: socketDir */
	bool has_uid, has_gid, has_dir_mode;	/* said, not the default */
	uid_t uid;
	gid_t gid;
	const char *group;		/* its name, see socket_conf_find_group(); NULL: a number */
	mode_t dir_mode, socket_mode;
	const char *selinux_label;	/* NULL: none */
	unsigned int wait_ms;
	int vlan;			/* userspace-cni's word for the port's, -1: not said */
	struct switch_conf sw;
};

extern const struct conf_key socket_kind_keys[], vhost_user_keys[], memif_keys[], socket_keys[];

/*
 * From a configuration, in our words or userspace-cni's (see userspace.h); absent keys leave
 * ret->kind SOCKET_NONE.  Templates are looked at here (socket_path.h) and expanded later.
 */
int socket_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e) must_check;

/* The same of what an earlier ADD said: on an error *ret has what could be read. */
int socket_conf_recall(const json_t *doc, struct socket_conf *ret, struct err *e) must_check;

/* What nobody else has said is userspace-cni's default. */
void socket_conf_default(struct socket_conf *c);

/* The number of a group that is said by its name, on the node below root.  ERR_NETCONF. */
int socket_conf_find_group(struct socket_conf *c, int root, struct err *e) must_check;

/* 1 to SOCKET_SECRET_MAX printable bytes that nobody takes a list apart at. */
enum { SOCKET_SECRET_MAX = 24 };	/* of a memif message's field */
bool socket_is_secret(const char *s);

/* Take memif's secret out of a configuration, for a file that outlives the call. */
void socket_conf_hide_secret(json_t *doc);

#endif
