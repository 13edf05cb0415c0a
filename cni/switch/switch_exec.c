/* SPDX-License-Identifier: Apache-2.0 */
/* switch_exec.c - a program of the administrator's that makes the switch's side of a socket */
#include "cni/switch/switch_exec.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/plugins/exec.h"
#include "conf/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
	TIMEOUT_MS = 10000, /* where no configuration says another */
	REQUEST_VERSION = 1,
};

/* -- which program -- */

static bool is_listed(const struct host *host, const char *path)
{
	const json_t *v;
	size_t i;

	json_array_foreach(host->set.switch_programs, i, v) {
		if (strcmp(json_string_value(v), path) == 0)
			return true;
	}
	return false;
}

/* Who could write to it could have it replaced. */
static int check_owner(const struct stat *st, const char *path, const char *what, struct err *e)
{
	if (st->st_uid == 0 && !(st->st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	return err_set(e, ERR_NETCONF, EPERM,
		       "switch program %.150s: expected %s root's, and for nobody else to write",
		       path, what);
}

static int cannot_open(int sys, const char *path, struct err *e)
{
	bool is_program = sys == ENOENT || sys == ENOTDIR || sys == ELOOP || sys == EACCES;

	return err_set(e, is_program ? ERR_NETCONF : ERR_IO, sys, "switch program %.150s%s", path,
		       sys == ELOOP ? ": expected a path without symbolic links" : "");
}

/* Step into a directory on the way: *at becomes it. */
static int enter(int *at, const char *name, const char *path, struct err *e)
{
	auto_close int next = fs_open_name(*at, name, O_PATH, 0);
	struct stat st;

	if (next < 0 || fstat(next, &st) < 0)
		return cannot_open(errno, path, e);
	if (!S_ISDIR(st.st_mode))
		return cannot_open(S_ISLNK(st.st_mode) ? ELOOP : ENOTDIR, path, e);
	if (check_owner(&st, path, "each directory above it", e) < 0)
		return -1;
	mem_close_fd(at);
	*at = steal_fd(&next);
	return 0;
}

/* The directory of the program, and its name there. */
static int walk(const struct host *host, const char *path, int *ret, char name[NAME_MAX + 1],
		struct err *e)
{
	auto_close int at = fs_open(host->root, "/", O_PATH | O_DIRECTORY, 0);
	const char *p = path;
	struct stat st;

	if (at < 0 || fstat(at, &st) < 0)
		return cannot_open(errno, path, e);
	if (check_owner(&st, path, "each directory above it", e) < 0)
		return -1;
	for (;;) {
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len > NAME_MAX)
			return cannot_open(ENOENT, path, e);
		memcpy(name, p, len);
		name[len] = '\0';
		p += len;
		if (!*p) {
			*ret = steal_fd(&at);
			return 0;
		}
		if (enter(&at, name, path, e) < 0)
			return -1;
	}
}

static int open_any(const struct host *host, const char *path, int *ret, struct err *e)
{
	auto_close int dir = -1, fd = -1;
	char name[NAME_MAX + 1];
	struct stat st;

	if (walk(host, path, &dir, name, e) < 0)
		return -1;
	fd = fs_open_name(dir, name, O_PATH, 0);
	if (fd < 0 || fstat(fd, &st) < 0)
		return cannot_open(errno, path, e);
	if (S_ISLNK(st.st_mode))
		return cannot_open(ELOOP, path, e);
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return err_set(e, ERR_NETCONF, EACCES, "switch program %.150s is not executable",
			       path);
	if (check_owner(&st, path, "it", e) < 0)
		return -1;
	*ret = steal_fd(&fd);
	return 0;
}

/* What is checked is what is executed. */
static int open_program(const struct host *host, const char *path, int *ret, struct err *e)
{
	if (is_listed(host, path))
		return open_any(host, path, ret, e);
	(void)err_set(e, ERR_NETCONF, EPERM, "switch.path: %.150s is not allowed", path);
	return err_detail(e, "expected it in switchPrograms of the node's own file");
}

/* There is no such file any more, whatever the node's file says of it. */
static bool is_uninstalled(const struct host *host, const char *path)
{
	auto_close int fd = -1;
	struct err e = { .code = ERR_OK };

	return open_any(host, path, &fd, &e) < 0 && (e.sys == ENOENT || e.sys == ENOTDIR);
}

int switch_exec_check(const struct host *host, const char *path, struct err *e)
{
	auto_close int fd = -1;

	return open_program(host, path, &fd, e);
}

/* -- what it is told -- */

static void set(json_t *o, const char *key, json_t *value)
{
	if (value)
		(void)json_object_set_new(o, key, value);
}

/* The application's, and the inverse of it. */
static void set_sides(json_t *o, const struct socket_state *s)
{
	static const char *const names[2][2] = { { "client", "server" }, { "slave", "master" } };

	set(o, s->memif ? "role" : "mode", json_string(names[s->memif][s->app_listens]));
	set(o, s->memif ? "hostRole" : "hostMode", json_string(names[s->memif][!s->app_listens]));
}

static void set_memif(json_t *o, const struct switch_port *p)
{
	char secret[sizeof(p->state->path) + 8];

	set(o, "memifMode", p->memif_mode ? json_string(p->memif_mode) : NULL);
	set(o, "id", json_integer(p->id));
	(void)snprintf(secret, sizeof(secret), "%s" SOCKET_SECRET_END, p->state->path);
	set(o, "secretFile", p->state->secret ? json_string(secret) : NULL);
}

static void set_port(json_t *o, const struct switch_port *p)
{
	char mac[MAC_TEXT];

	set(o, "vlan", p->vlan > 0 ? json_integer(p->vlan) : NULL);
	set(o, "trunk", p->trunk && !idset_empty(p->trunk) ? switch_trunk_ids(p->trunk) : NULL);
	set(o, "mtu", p->mtu > 0 ? json_integer(p->mtu) : NULL);
	set(o, "mac", p->mac ? json_string(mac_format(p->mac, mac)) : NULL);
	set(o, "config", p->conf && p->conf->config ? json_deep_copy(p->conf->config) : NULL);
}

/* What a program needs to open the socket without following a link; not of a device plugin's. */
static void set_place(json_t *o, const struct socket_state *s)
{
	if (s->from_plugin)
		return;
	set(o, "hostRoot", json_string(s->root));
	set(o, "hostDir", json_string(s->dir));
}

static json_t *request(const struct switch_port *p, const char *command)
{
	const struct owner *w = p->owner;
	json_t *o =
		json_pack("{s:i, s:s, s:s*, s:s, s:s, s:s*, s:s, s:s*, s:s*, s:s*}", "version",
			  REQUEST_VERSION, "command", command, "network", w->network, "containerID",
			  w->container_id, "ifname", w->ifname, "netns",
			  *w->netns ? w->netns : NULL, "type",
			  p->state->memif ? "memif" : "vhost-user", "hostPath", p->state->path,
			  "containerPath", p->container_path, "switchPath", p->switch_path);

	set_sides(o, p->state);
	set_place(o, p->state);
	if (p->state->memif)
		set_memif(o, p);
	set_port(o, p);
	return o;
}

/* -- running it -- */

/* The verb it serves, for programs that are plugins as well. */
static const char *verb_of(const char *command)
{
	return strcmp(command, "add") == 0 ? "ADD" : strcmp(command, "del") == 0 ? "DEL" : "CHECK";
}

/* It is being installed, or the node has no room for it: by the next try that may be over. */
static bool is_passing(int sys)
{
	return sys == ETXTBSY || sys == ENOMEM || sys == EAGAIN || sys == EMFILE || sys == ENFILE;
}

static int failed(const char *command, struct err *e)
{
	if (is_passing(e->sys))
		e->code = ERR_TRY_AGAIN;
	if (strcmp(command, "del") == 0)
		(void)err_detail(e, "every DEL asks it again, until there is no such file");
	return err_wrap(e, "switch %s", command);
}

/* As with Open vSwitch: one that was uninstalled must not keep pods for ever. */
static int cannot_open_it(const struct switch_port *p, const char *command, struct err *e)
{
	const char *path = p->state->exec;

	if (strcmp(command, "del") != 0 || !is_uninstalled(p->host, path))
		return failed(command, e);
	log_warning("msg=\"the switch program is not there any more\" path=%s", path);
	return 0;
}

int switch_exec(const struct switch_port *p, const char *command, struct err *e)
{
	unsigned int ms = p->conf && p->conf->timeout_ms ? p->conf->timeout_ms : TIMEOUT_MS;
	const struct exec_as as = { p->owner->container_id, p->owner->netns, p->owner->ifname };
	struct deadline d = deadline_in(ms);
	const char *path = p->state->exec;
	json_auto_t *o = NULL;
	auto_close int fd = -1;
	size_t len;

	if (open_program(p->host, path, &fd, e) < 0)
		return cannot_open_it(p, command, e);
	o = request(p, command);
	auto_free char *text = jx_dump(o, &len);
	const struct exec_call call = {
		.type = path, .command = verb_of(command), .request = text, .len = len, .as = &as
	};

	return exec_program(fd, &call, &d, e) < 0 ? failed(command, e) : 0;
}
