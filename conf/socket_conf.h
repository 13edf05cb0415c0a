/* SPDX-License-Identifier: Apache-2.0 */
/* socket_conf.h - the keys vhostUser, memif and switch, for a device that is a unix socket */
#ifndef CONF_SOCKET_CONF_H
#define CONF_SOCKET_CONF_H

#include "base/err.h"
#include "conf/key.h"
#include "conf/socket_kind.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The switch whose port the socket's other end, or the representor, is.  Plugins of `delegate` are
 * not here.
 */
enum switch_kind { SWITCH_NONE, SWITCH_OVS, SWITCH_EXEC };

struct switch_conf {
	enum switch_kind kind;
	unsigned int timeout_ms;
	const char *bridge;		/* OVS; NULL for a network device: the uplink's */
	bool netdev;			/* OVS: the port is a kernel network device */
	const char *path;		/* exec: absolute */
	const json_t *config;		/* exec: passed on unchanged; NULL: none */
};

/* Strings are borrowed from the configuration; directories and names are templates. */
struct socket_conf {
	enum socket_kind kind;		/* SOCKET_NONE: no socket */
	/* for messages, as they were written: "vhostUser", "memif", "host" or "container"; ... */
	const char *key, *side_key, *mode_key;
	/* ... "sharedDir", "mappedDir", "host.vhost.socketfile"; NULL: our own words */
	const char *host_dir_key, *container_dir_key, *name_key;
	enum socket_side side;		/* the application's; unset: its device plugin's */
	enum socket_side else_side;	/* the default of side; unset: an error then */
	enum socket_side host_side;	/* as configured; the inverse of side then */
	/* of memif: "ethernet", "ip", "inject-punt"; NULL: side unset, and this not said either */
	const char *memif_mode;
	uint32_t id;			/* of memif */
	const char *secret;		/* of memif, NULL: none; never logged */
	const char *host_dir, *container_dir, *name;	/* NULL: the default */
	const char *host_base;		/* the default is {shortID} below it; NULL: socketDir */
	bool has_uid, has_gid, has_dir_mode;	/* set, not the default */
	uid_t uid;
	gid_t gid;
	const char *group;		/* group's name, see socket_conf_find_group(); NULL: gid */
	mode_t dir_mode, socket_mode;
	const char *selinux_label;	/* NULL: none */
	unsigned int wait_ms;
	int vlan;			/* the port's, as userspace-cni's key; -1: absent */
	struct switch_conf sw;
};

extern const struct conf_key socket_kind_keys[], vhost_user_keys[], memif_keys[], socket_keys[];

/*
 * Read a configuration in our keys or userspace-cni's (see userspace.h); absent keys leave
 * ret->kind SOCKET_NONE.  Templates are checked here (socket_path.h) and expanded later. -1:
 * ERR_NETCONF.
 */
int socket_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e) must_check;

/* The same for an earlier ADD's configuration: on an error *ret has what could be read. */
int socket_conf_recall(const json_t *doc, struct socket_conf *ret, struct err *e) must_check;

/* Set what is still unset to userspace-cni's defaults. */
void socket_conf_default(struct socket_conf *c);

/* Look up the gid of c->group on the node below root.  ERR_NETCONF when there is none. */
int socket_conf_find_group(struct socket_conf *c, int root, struct err *e) must_check;

/* Is s 1 to SOCKET_SECRET_MAX printable bytes without separators of lists? */
enum { SOCKET_SECRET_MAX = 24 };	/* of a memif message's field */
bool socket_is_secret(const char *s);

/* Remove memif's secret from a configuration, for a file that outlives the call. */
void socket_conf_hide_secret(json_t *doc);

#endif
