/* SPDX-License-Identifier: Apache-2.0 */
/* socket_choose.c - is the device of an attachment a socket, and which? */
#include "cni/socket/socket.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_plan.h"
#include "conf/socket_slot.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Multus copies the device plugin's file to the attachment's, whose resource only it knows. */
static int read_copied(const struct host *host, const struct netconf *nc, struct device_info *ret,
		       struct err *e)
{
	char name[256];

	if (!nc->device_info_file)
		return 0;
	if (store_check_path(host, nc->device_info_file, name, e) < 0)
		return -1;
	return store_read_cni(host, name, ret, NULL, NULL, e);
}

int socket_read_given(const struct host *host, const struct netconf *nc, const char *id,
		      bool copied, struct device_info *ret, struct err *e)
{
	const char *plain = device_id_plain(id);
	int r = 0;

	if (!*id)
		return 0;
	if (nc->resource)
		r = store_read_dp(host, nc->resource, id, ret, e);
	if (r == 0 && nc->resource && plain != id)
		r = store_read_dp(host, nc->resource, plain, ret, e);
	return r != 0 || !copied ? r : read_copied(host, nc, ret, e);
}

int socket_make_paths(const struct cni_call *call, const struct netconf *nc,
		      const struct socket_conf *conf, const struct settings *set,
		      struct socket_paths *ret, struct err *e)
{
	const struct socket_vars vars = {
		.pod_uid = call->pod_uid,
		.pod_name = call->pod_name,
		.pod_namespace = call->pod_namespace,
		.container_id = call->container_id,
		.network = nc->name,
		.ifname = call->ifname,
	};

	return socket_paths_make(conf, set, &vars, ret, e);
}

const char *socket_given_path(const struct device_info *di)
{
	return di->kind == DEVICE_VHOST_USER ? di->vhost_user.path :
	       di->kind == DEVICE_MEMIF	     ? di->memif.path :
					       NULL;
}

void socket_set_info_path(struct device_info *info, const char *path)
{
	bool memif = info->kind == DEVICE_MEMIF;

	(void)snprintf(memif ? info->memif.path : info->vhost_user.path,
		       memif ? sizeof(info->memif.path) : sizeof(info->vhost_user.path), "%s",
		       path);
}

static void set_choice(struct choice *c, const char *path, bool from_plugin)
{
	(void)snprintf(c->path, sizeof(c->path), "%.107s", path);	/* it is no longer */
	c->path_from_plugin = from_plugin;
	socket_state_key(path, c->key);
}

/* The directory of a path, or a directory itself, by the one name that it has without links. */
static bool real_name(const struct host *host, const char *path, bool parent, char ret[PATH_MAX])
{
	char dir[SOCKET_KEY_SIZE], self[32];
	auto_close int fd = -1;
	ssize_t n;

	(void)snprintf(dir, sizeof(dir), "%.*s",
		       (int)(parent ? strrchr(path, '/') - path : (ptrdiff_t)strlen(path)), path);
	fd = fs_open(host->root, *dir ? dir : "/", O_PATH | O_DIRECTORY, 0);
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(self, ret, PATH_MAX - 1);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/*
 * A device plugin's sockets are its own.  One below socketDir is an attachment's: such a file is a
 * leftover of ours, or a network's writer has had it written, see CNIDeviceInfoFile.  But those of
 * devinfod are there as well, in a directory that follows from the id.
 */
static bool is_attachments(const struct host *host, const struct netconf *nc, const char *id,
			   const char *path)
{
	char theirs[PATH_MAX], ours[PATH_MAX];
	struct socket_slot slot;

	if (socket_slot_find(&host->set, path, nc->resource, device_id_plain(id), &slot))
		return false;
	return tree_is_below(path, host->set.socket_dir) ||
	       (real_name(host, path, true, theirs) &&
		real_name(host, host->set.socket_dir, false, ours) && tree_is_below(theirs, ours));
}

static int choose_given(const struct device_info *di, struct choice *c, struct err *e)
{
	const char *path = socket_given_path(di);

	if (socket_path_check(path, "path in the device plugin's file", e) < 0) {
		e->code = ERR_DEVINFO;
		return -1;
	}
	set_choice(c, path, true);
	return 1;
}

int socket_choose(const struct choosing *ch, enum choose_when when, struct choice *c,
		  char called[64], struct err *e)
{
	const struct netconf *nc = ch->conf;
	bool copied = when == CHOOSE_UNKNOWN || nc->socket.kind != SOCKET_NONE;
	auto_device_info struct device_info di = { 0 };
	struct socket_paths paths;
	const char *given;
	int r;

	(void)called;
	if (nc->position != POSITION_OWNER)
		return 0;
	r = socket_read_given(ch->host, nc, c->id, copied, &di, e);
	if (r < 0 && nc->socket.kind == SOCKET_NONE)	/* who needs that file will say so */
		return 0;
	if (r < 0)
		return -1;
	given = r > 0 ? socket_given_path(&di) : NULL;
	if (given && is_attachments(ch->host, nc, c->id, given)) {
		log_warning("msg=\"a device-info file names a socket below socketDir: it is not a "
			    "device plugin's\" path=%s", given);
		given = NULL;
		r = 0;
	}
	if (given)
		return choose_given(&di, c, e);
	if (nc->socket.kind == SOCKET_NONE)
		return 0;
	if (r > 0)
		return err_set(e, ERR_DEVICE, 0, "%s: device '%.64s' is of type %s, its file says",
			       nc->socket.key, c->id, device_kind_name(di.kind));
	if (socket_make_paths(ch->call, nc, &nc->socket, &ch->host->set, &paths, e) < 0)
		return -1;
	set_choice(c, paths.host, false);
	return 1;
}
