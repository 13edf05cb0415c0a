/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the world as a parameter */
#include "base/host.h"

#include "base/fs.h"
#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
	.overrides = true,
	.overrides_dir = "/etc/cni/net.d/devinfo.d/overrides",
	.log_level = LOG_LEVEL_WARNING,
	.wanted_log_level = LOG_LEVEL_WARNING,
	.podres_timeout_ms = 5000,
	.lock_timeout_ms = 10000,
	.ipam_timeout_ms = 15000,
	.add_timeout_ms = 25000,
	.del_timeout_ms = 15000,
	.gc_timeout_ms = 60000,
	.gc_interval_s = 600,
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

int host_node_name(const struct host *h, char ret[NODE_NAME_SIZE], struct err *e)
{
	char name[NODE_NAME_SIZE] = "";
	int r = h->set.node_name != NULL;

	if (h->set.node_name)
		(void)snprintf(name, sizeof(name), "%s", h->set.node_name);
	else
		r = fs_read_line(h->root, name, sizeof(name), e, "/etc/hostname");
	if (r == 0)
		r = fs_read_line(h->root, name, sizeof(name), e, "/proc/sys/kernel/hostname");
	if (r < 0)
		return -1;
	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (!name_is_dns_subdomain(name))
		return err_set(e, ERR_NETCONF, 0, "the node's name in the cluster cannot be "
			       "'%.64s': nodeName of the node's file says it", name);
	memcpy(ret, name, sizeof(name));
	return 0;
}

void host_done(struct host *h)
{
	if (h->root > 0)	/* 0: never opened */
		(void)close(h->root);
	h->root = -1;
}
