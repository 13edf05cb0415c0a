/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the world as a parameter */
#include "base/host.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

const struct settings settings_default = {
	.devinfo_dir = "/var/run/k8s.cni.cncf.io/devinfo",
	.state_dir = "/var/lib/cni/devinfo",
	.run_dir = "/run/devinfo",
	.kubelet_socket = "/var/lib/kubelet/pod-resources/kubelet.sock",
	.kubelet_dir = "/var/lib/kubelet",
	.sriov_state_dir = "/var/lib/cni/sriov",
	.socket_dir = "/run/devinfo/sockets",
	.ovs_db = "/run/openvswitch/db.sock",
	.cni_path = "/opt/cni/bin",
	.log_dir = "/var/log/devinfo",
	.log_level = LOG_LEVEL_WARNING,
	.wanted_log_level = LOG_LEVEL_WARNING,
	.podres_timeout_ms = 5000,
	.lock_timeout_ms = 10000,
	.ipam_timeout_ms = 15000,
	.add_timeout_ms = 25000,
	.del_timeout_ms = 15000,
	.gc_timeout_ms = 60000,
};

int host_open(const char *root, struct host *ret, struct err *e)
{
	struct host h = { .set = settings_default };

	h.root = open(root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (h.root < 0)
		return err_set(e, ERR_IO, errno, "open root '%s'", root ? root : "/");
	*ret = h;
	return 0;
}

void host_done(struct host *h)
{
	if (h->root > 0)	/* 0: never opened */
		(void)close(h->root);
	h->root = -1;
}
