/* SPDX-License-Identifier: Apache-2.0 */
/* node_kernel.c - what devices need of the kernel, and how they are */
#include "manager/doctor/net_d.h"
#include "manager/doctor/node_check.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

#define NO_VDPA	"the node has no vDPA device"

/* vfio's mode without IOMMU is somebody's decision. */
int node_iommu(const struct host *host, const struct inventory *inv, struct findings *ret,
	       struct err *e)
{
	static const struct finding_kind kind = {
		"iommu", SEVERITY_ERROR, REMEDY_BY_HAND,
		"switch the IOMMU on in the firmware, and with intel_iommu=on or amd_iommu=on",
	};
	char mode[8] = "";

	if (fs_read_line(host->root, mode, sizeof(mode), e,
			 "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode") < 0)
		return -1;
	for (size_t i = 0; i < inv->n_functions && *mode != 'Y'; i++) {
		const struct inv_function *f = &inv->functions[i];
		bool for_vfio = strstr(f->driver, "vfio") || strstr(f->driver_override, "vfio");

		if (for_vfio && !*f->iommu_group &&
		    finding_tell(ret, &kind, f->bdf, e, "it is for vfio, and is in no IOMMU group")
			    < 0)
			return -1;
	}
	return 0;
}

/* -- vDPA -- */

/* The plugin binds the devices that it makes. */
int node_vdpa_driver(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	static const struct finding_kind kind = {
		"vdpa-driver", SEVERITY_WARNING, REMEDY_BY_HAND,
		"load vhost_vdpa (for virtual machines, DPDK) or virtio_vdpa (for containers)",
	};

	(void)host;
	for (size_t i = 0; i < inv->n_vdpas; i++) {
		const struct inv_vdpa *v = &inv->vdpas[i];

		if (!*v->driver && v->holder == INV_NONE &&
		    finding_tell(ret, &kind, v->name, e, "no driver has it, so nobody can use it") <
			    0)
			return -1;
	}
	return inv->n_vdpas > 0 ? 0 : finding_skip(ret, e, NO_VDPA);
}

int node_vdpa_file(const struct host *host, const struct inventory *inv, struct findings *ret,
		   struct err *e)
{
	static const struct finding_kind kind = {
		"vdpa-file", SEVERITY_ERROR, REMEDY_BY_HAND,
		"see why udev, or who mounts /dev, does not make it",
	};

	for (size_t i = 0; i < inv->n_vdpas; i++) {
		const struct inv_vdpa *v = &inv->vdpas[i];
		int r = *v->node ? fs_exists(host->root, e, "/dev/%s", v->node) : 1;

		if (r < 0 || (r == 0 && finding_tell(ret, &kind, v->name, e, "its file /dev/%s is "
						     "missing", v->node) < 0))
			return -1;
	}
	return inv->n_vdpas > 0 ? 0 : finding_skip(ret, e, NO_VDPA);
}

/* -- switchdev -- */

/* Where none is seen they are somewhere else: in the network namespace of a switch. */
static bool sees_representors(const struct inventory *inv, int pf)
{
	for (size_t i = 0; i < inv->n_functions; i++)
		if (inv->functions[i].pf == pf && inv->functions[i].representor != INV_NONE)
			return true;
	return false;
}

int node_representor(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	static const struct finding_kind kind = {
		"representor", SEVERITY_WARNING, REMEDY_BY_HAND,
		"see the kernel's log; make the PF's VFs anew when they are free",
	};
	bool any = false;

	(void)host;
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];
		const struct inv_function *pf = f->is_vf && f->pf != INV_NONE ?
							&inv->functions[f->pf] : NULL;

		if (!pf || strcmp(pf->eswitch, "switchdev") != 0)
			continue;
		any = true;
		if (f->representor == INV_NONE && sees_representors(inv, f->pf) &&
		    finding_tell(ret, &kind, f->bdf, e, "%s is in switchdev mode, and VF %d has no "
				 "representor", pf->bdf, f->vf_index) < 0)
			return -1;
	}
	return any ? 0 : finding_skip(ret, e, "no VF's PF is in switchdev mode");
}

/* -- RDMA -- */

static int wants_isolation(const struct net_d_file *file, void *arg, struct err *e)
{
	json_auto_t *plugins = net_d_plugins(file->doc);
	const json_t *conf;
	char *ret = arg;
	size_t i;

	(void)e;
	json_array_foreach(plugins, i, conf) {
		const char *type = net_d_type(conf);

		if (strcmp(type, "rdma") == 0 ||
		    (strcmp(type, "devinfo") == 0 &&
		     json_is_true(json_object_get(conf, "rdmaIsolation"))))
			(void)snprintf(ret, NET_D_PATH, "%s", file->path);
	}
	return 0;
}

int node_rdma_mode(const struct host *host, const struct inventory *inv, struct findings *ret,
		   struct err *e)
{
	static const struct finding_kind kind = {
		"rdma-mode", SEVERITY_ERROR, REMEDY_BY_HAND,
		"set the option netns_mode=0 of the module ib_core, and boot",
	};
	char file[NET_D_PATH] = "";

	if (!*inv->node.rdma_mode)
		return finding_skip(ret, e, "the kernel tells no mode of RDMA devices");
	if (strcmp(inv->node.rdma_mode, "shared") != 0)
		return 0;
	if (net_d_each(host, wants_isolation, file, e) < 0)
		return -1;
	return *file ? finding_tell(ret, &kind, file, e, "it isolates RDMA devices, and this "
				    "kernel shares them between network namespaces") : 0;
}

/* -- devices -- */

static bool is_wanted(const struct inv_function *f)
{
	return f->holder != INV_NONE || f->sriov_cni || f->given || f->offered;
}

int node_device_failed(const struct host *host, const struct inventory *inv, struct findings *ret,
		       struct err *e)
{
	static const struct finding_kind kind = {
		"device-failed", SEVERITY_ERROR, REMEDY_BY_HAND,
		"see the kernel's log; bind a driver or reset the function",
	};

	(void)host;
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];

		if (strcmp(f->health, "failed") == 0 && is_wanted(f) &&
		    finding_tell(ret, &kind, f->bdf, e, "%s", f->health_reason) < 0)
			return -1;
	}
	return 0;
}
