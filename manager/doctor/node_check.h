/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_check.h - the checks of the node itself, each in the file of its subject
 *
 * A false alarm is a defect: each check is about something that an administrator would act on, and
 * what a node merely lacks is no finding.
 */
#ifndef MANAGER_DOCTOR_NODE_CHECK_H
#define MANAGER_DOCTOR_NODE_CHECK_H

#include "manager/doctor/finding.h"

/* node_kernel.c */
check_fn node_iommu, node_vdpa_driver, node_vdpa_file, node_representor, node_rdma_mode,
	node_device_failed;
/* node_attachment.c */
check_fn node_device_gone, node_device_away, node_drift, node_pf_down;
/* node_kubelet.c */
check_fn node_kubelet, node_checkpoint, node_offered, node_given, node_twice, node_holder,
	node_given_other;
/* node_given.c */
check_fn node_unattached;
/* node_dir.c */
check_fn node_dir, node_dir_mode, node_file_mode, node_dir_memory, node_dir_disk,
	node_socket_dir;
/* node_earlier.c */
check_fn node_earlier;
/* node_conf.c */
check_fn node_conf_file, node_cni_conf, node_networks, node_conf_mode, node_devinfo_dir;
/* node_overrides.c */
check_fn node_overrides, node_taint_unknown;
/* node_plugin.c */
check_fn node_plugin, node_two_plugins, node_multus;

#endif
