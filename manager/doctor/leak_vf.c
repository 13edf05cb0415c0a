/* SPDX-License-Identifier: Apache-2.0 */
/* leak_vf.c - functions that nobody has and that are not as a free one is */
#include "manager/doctor/leak.h"

#include "manager/inventory/in_use.h"

#include <string.h>

static const struct finding_kind of_pods = {
	"vf-changed", SEVERITY_WARNING, REMEDY_RESTORE_VF,
	"repair gives it the defaults: no VLAN, no rates, trust off, link state auto",
};
static const struct finding_kind of_host = {
	"vf-changed", SEVERITY_WARNING, REMEDY_BY_HAND,
	"when it is not for the host itself, ip-link(8) takes it back: vlan 0, rates 0, trust off",
};
static const struct finding_kind of_sriov_cni = {
	"vf-changed", SEVERITY_WARNING, REMEDY_BY_HAND,
	"a GC of its network gives it back as sriov-cni has found it; ip-link(8) without one",
};
static const struct finding_kind override = {
	"driver-override", SEVERITY_WARNING, REMEDY_BY_HAND,
	"write a newline to its driver_override below /sys/bus/pci/devices, or bind that driver",
};

static bool has_dp_file(const struct inventory *inv, const struct inv_function *f)
{
	for (size_t i = 0; i < inv->n_files; i++)
		if (inv->files[i].is_dp && strcmp(inv->files[i].device, f->bdf) == 0)
			return true;
	return false;
}

static const struct finding_kind *kind_of(const struct inventory *inv, const struct inv_function *f)
{
	if (f->sriov_cni)
		return &of_sriov_cni;
	return f->offered || has_dp_file(inv, f) ? &of_pods : &of_host;
}

/* While kubelet does not say what pods have, nobody can tell. */
int leak_vf_changed(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	if (in_use_is_unknown(host, inv))
		return finding_skip(ret, e, "what kubelet gave is not known");
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];

		if (*f->changes &&
		    finding_tell(ret, kind_of(inv, f), f->bdf, e,
				 "nobody has it, and VF %d of %s has %s", inv->vfs[f->vf].index,
				 inv->vfs[f->vf].pf, f->changes) < 0)
			return -1;
	}
	return 0;
}

int leak_driver_override(const struct host *host, const struct inventory *inv,
			 struct findings *ret, struct err *e)
{
	(void)host;
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];

		if (in_use_is_kept(f) &&
		    finding_tell(ret, &override, f->bdf, e,
				 "nobody has it, and its driver is %s, its driver_override %s",
				 *f->driver ? f->driver : "none", f->driver_override) < 0)
			return -1;
	}
	return 0;
}

int leak_out_of_reach(const struct host *host, const struct inventory *inv, struct findings *ret,
		      struct err *e)
{
	static const struct finding_kind kind = {
		"vf-out-of-reach", SEVERITY_INFO, REMEDY_BY_HAND,
		"when it is not another plugin's or the host's own: bind a driver, take off what "
		"is on it (an XDP program: ip link set NAME xdp off), or move it home",
	};

	if (in_use_is_unknown(host, inv))
		return finding_skip(ret, e, "what kubelet gave is not known");
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];

		if (f->reach != REACH_YES &&
		    finding_tell(ret, &kind, f->bdf, e, "nobody is known to have it, and %s",
				 f->reach_why) < 0)
			return -1;
	}
	return 0;
}
