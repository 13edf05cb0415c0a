/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept.c - what kubelet has given to pods that it does not list yet
 *
 * A kubelet that has just started answers PodResources before it knows its pods, which it has from
 * the API server: its list is empty then, and lacks the pods that still run.  A device of theirs
 * that was told as unhealthy would be kept from them: kubelet refuses a restored pod such a device.
 * The checkpoint, which outlives kubelet, has these devices; it has those of pods that have ended,
 * too, until kubelet gives the next device.  So it counts while kubelet is young, by the age of its
 * socket.
 */
#include "daemon/offer/offer.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/kubelet/checkpoint.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static bool is_young(const struct host *host)
{
	auto_close int dir = -1;
	char path[PATH_MAX];
	struct stat st;
	struct err ignored;

	(void)snprintf(path, sizeof(path), "%s/device-plugins", host->set.kubelet_dir);
	return fs_find_dir(host->root, path, &dir, &ignored) > 0 &&
	       fstatat(dir, "kubelet.sock", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       time(NULL) - st.st_ctime < OFFER_YOUNG_S;
}

bool offer_kept_read(const struct host *host, struct allocation *ret)
{
	struct err ignored;

	return is_young(host) && checkpoint_read(host, NULL, ret, &ignored) > 0;
}
