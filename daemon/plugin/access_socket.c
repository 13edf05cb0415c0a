/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_socket.c - the directory of a socket that is given, and what the environment says of it
 *
 *	"vhostUser": {"mount": "/run/devinfo/sockets/_dp/intel.com/vhost-0", "mode": "server",
 *		      "path": "/run/devinfo/sockets/_dp/intel.com/vhost-0/socket"}
 *
 * or "memif", with "role" as well: the words of device-info.
 */
#include "daemon/plugin/access_part.h"

#include "base/jx.h"
#include "conf/socket_slot.h"

int access_socket(const struct access_world *w, const struct offered *d, struct access *ret,
		  json_t *info, struct err *e)
{
	auto_device_info struct device_info di = { 0 };
	bool is_memif = pool_type(w->pools, w->offer->pool) == POOL_MEMIF;
	struct socket_slot slot;
	json_t *said;

	if (socket_slot_make(&w->host->set, w->offer->resource, d->id, &slot, e) < 0)
		return -1;
	pool_slot_info(w->pools, w->offer->pool, slot.path, &di);
	said = json_pack("{s:s}", "mount", slot.mount);
	jx_put_text(said, "path", slot.path);
	jx_put_text(said, "mode", is_memif ? di.memif.mode : di.vhost_user.mode);
	if (is_memif)
		jx_put_text(said, "role", di.memif.role);
	(void)json_object_set_new(info, is_memif ? "memif" : "vhostUser", said);
	return access_add_mount(ret, slot.mount, e);
}
