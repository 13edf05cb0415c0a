/* SPDX-License-Identifier: Apache-2.0 */
/* node_checks.c - the table of the checks of kernel, kubelet, directories and configurations */
#include "devinfo/doctor/node_check.h"

#include <stddef.h>

const struct check node_checks[] = {
	{ "iommu", "functions that are for vfio, on a node whose IOMMU is off", node_iommu },
	{ "vdpa-driver", "vDPA devices without a driver", node_vdpa_driver },
	{ "vdpa-file", "vDPA devices whose file in /dev is missing", node_vdpa_file },
	{ "representor", "VFs in switchdev mode without a representor", node_representor },
	{ "rdma-mode", "networks that isolate RDMA devices, while the kernel shares them",
	  node_rdma_mode },
	{ "device-failed", "devices that kubelet offers or a pod has, and that do not work",
	  node_device_failed },
	{ "device-gone", "devices of live attachments that the node does not have any more",
	  node_device_gone },
	{ "kubelet", "whether kubelet tells what it has given (PodResources)", node_kubelet },
	{ "kubelet-checkpoint", "whether kubelet's checkpoint can be understood",
	  node_checkpoint },
	{ "offered-gone", "devices that kubelet offers and the node does not have", node_offered },
	{ "given-gone", "devices that a pod was given and the node does not have", node_given },
	{ "offered-twice", "devices that kubelet offers as two resources", node_twice },
	{ "holder", "devices that another pod has than kubelet says", node_holder },
	{ "dir", "directories of the plugin that are none, or that nobody can write to",
	  node_dir },
	{ "dir-mode", "directories that others may write to, or own", node_dir_mode },
	{ "dir-memory", "a journal that would be lost with the next boot", node_dir_memory },
	{ "dir-disk", "files for one boot that are kept beyond it", node_dir_disk },
	{ "socket-dir", "a file system of sockets that pods could harm the node by",
	  node_socket_dir },
	{ "node-file", "the node's file: unknown keys and values", node_conf_file },
	{ "cni-conf", "CNI configurations that cannot be read, or the plugin would refuse",
	  node_cni_conf },
	{ "conf-mode", "configurations that others may write to", node_conf_mode },
	{ "devinfo-dir", "device-info where Multus does not look for it", node_devinfo_dir },
	{ "overrides", "what administrators say of devices, and that does not count",
	  node_overrides },
	{ "cni-plugin", "plugins of CNI configurations that are missing or too old", node_plugin },
	{ "two-plugins", "two plugins that give VFs to pods", node_two_plugins },
	{ "multus", "what Multus' configuration names, and is missing", node_multus },
	{ NULL, NULL, NULL },
};
