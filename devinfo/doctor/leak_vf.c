/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leak_vf.c - functions that nobody has and that are not as a free one is
 *
 * A VF's attributes on its PF are the administrator's to set as well, and so is its driver.  So a
 * VF is only judged that is free beyond doubt: no attachment has it, no pod was given it, its
 * network device is the host's and in no use.  What all VFs of the PF have is the administrator's
 * wish.  Nobody can tell an address that was set for a pod from one that was set for good.
 */
#include "devinfo/doctor/leak.h"

#include "devinfo/node/sysfs.h"

#include <limits.h>
#include <stdio.h>
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

/* -- the attributes -- */

struct attribute {
	bool (*is_default)(const struct inv_vf *v);
	bool (*equal)(const struct inv_vf *a, const struct inv_vf *b);
	void (*tell)(const struct inv_vf *v, char ret[64]);
};

static bool no_vlan(const struct inv_vf *v)
{
	return v->vlan == 0 && v->qos == 0;
}

static bool same_vlan(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->vlan == b->vlan && a->qos == b->qos;
}

static void tell_vlan(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "vlan %d qos %d", v->vlan, v->qos);
}

static bool no_rate(const struct inv_vf *v)
{
	return v->min_tx_rate == 0 && v->max_tx_rate == 0;
}

static bool same_rate(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->min_tx_rate == b->min_tx_rate && a->max_tx_rate == b->max_tx_rate;
}

static void tell_rate(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "min_tx_rate %d max_tx_rate %d", v->min_tx_rate, v->max_tx_rate);
}

static bool no_trust(const struct inv_vf *v)
{
	return !v->trust;
}

static bool same_trust(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->trust == b->trust;
}

static void tell_trust(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "trust %s", v->trust ? "on" : "off");
}

static bool auto_state(const struct inv_vf *v)
{
	return !*v->link_state || strcmp(v->link_state, "auto") == 0;
}

static bool same_state(const struct inv_vf *a, const struct inv_vf *b)
{
	return strcmp(a->link_state, b->link_state) == 0;
}

static void tell_state(const struct inv_vf *v, char ret[64])
{
	(void)snprintf(ret, 64, "link state %s", v->link_state);
}

static const struct attribute attributes[] = {
	{ no_vlan, same_vlan, tell_vlan },
	{ no_rate, same_rate, tell_rate },
	{ no_trust, same_trust, tell_trust },
	{ auto_state, same_state, tell_state },
};

/* Do all VFs of its PF have this value?  Of one alone nobody can tell. */
static bool is_everybodys(const struct inventory *inv, const struct inv_vf *v,
			  const struct attribute *a)
{
	size_t same = 0;

	for (size_t i = 0; i < inv->n_vfs; i++) {
		if (strcmp(inv->vfs[i].pf, v->pf) != 0)
			continue;
		if (!a->equal(&inv->vfs[i], v))
			return false;
		same++;
	}
	return same > 1;
}

static void append(char *to, size_t size, const char *text)
{
	size_t len = strlen(to);

	(void)snprintf(to + len, size - len, "%s%s", len ? ", " : "", text);
}

/* "vlan 100 qos 0, trust on"; "" when all is as it should be. */
static void tell_changes(const struct inventory *inv, const struct inv_vf *v, char *ret,
			 size_t size)
{
	char text[64];

	*ret = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		const struct attribute *a = &attributes[i];

		if (a->is_default(v) || is_everybodys(inv, v, a))
			continue;
		a->tell(v, text);
		append(ret, size, text);
	}
}

/* -- whose it is -- */

static bool is_attached(const struct inventory *inv, const struct inv_function *f)
{
	if (f->holder != INV_NONE)
		return true;
	for (size_t i = 0; i < inv->n_attachments; i++)	/* a record that cannot be read, too */
		if (strcmp(inv->attachments[i].device, f->bdf) == 0)
			return true;
	return false;
}

/* kubelet has it to give (pods: has given it) away. */
static bool is_kubelets(const struct inventory *inv, int function, bool pods)
{
	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];

		if (pods == !!*a->pod_name &&
		    (a->function == function ||
		     strcmp(a->id, inv->functions[function].bdf) == 0))
			return true;
	}
	return false;
}

static bool has_dp_file(const struct inventory *inv, const struct inv_function *f)
{
	for (size_t i = 0; i < inv->n_files; i++)
		if (inv->files[i].is_dp && strcmp(inv->files[i].device, f->bdf) == 0)
			return true;
	return false;
}

static bool has_vdpa(const struct inventory *inv, int function)
{
	for (size_t i = 0; i < inv->n_vdpas; i++)
		if (inv->vdpas[i].function == function)
			return true;
	return false;
}

/* The kernel makes an address of the link's scope by itself. */
static bool has_address(const struct inv_link *l)
{
	for (size_t i = 0; i < l->n_ips; i++)
		if (strncmp(l->ips[i], "fe80:", 5) != 0)
			return true;
	return false;
}

/* A VLAN, a macvtap of a virtual machine and the like are on it, or that cannot be told. */
static bool is_below_others(const struct host *host, const struct inv_link *l)
{
	struct err ignored;
	char names[128];

	return sysfs_uppers(host, l->name, names, &ignored) < 0 || *names;
}

/*
 * Its network device is here, and idle; or it has no driver; or that of vfio, and kubelet says
 * that it is free.  One whose network device is not here is in a pod of somebody else's.
 */
static bool is_idle(const struct host *host, const struct inventory *inv, int function)
{
	const struct inv_function *f = &inv->functions[function];
	const struct inv_link *l = f->link == INV_NONE ? NULL : &inv->links[f->link];

	if (has_vdpa(inv, function))
		return false;
	if (l)
		return !*l->master && !has_address(l) && !is_below_others(host, l);
	if (strstr(f->driver, "vfio"))
		return inv->node.kubelet_asked && !*inv->node.kubelet_error &&
		       is_kubelets(inv, function, false);
	return !*f->driver;
}

static bool is_free(const struct host *host, const struct inventory *inv, int function)
{
	return !is_attached(inv, &inv->functions[function]) &&
	       !is_kubelets(inv, function, true) && is_idle(host, inv, function);
}

/* sriov-cni has given it to a namespace, which is not known to be gone: 1, 0, -1. */
static int is_sriov_cnis(const struct host *host, const struct inventory *inv,
			 const struct inv_function *f, struct err *e)
{
	char netns[PATH_MAX];
	int r = f->sriov_cni ? leak_is_allocation(host, inv, f->bdf, netns, sizeof(netns), e) : 1;

	return r < 0 ? -1 : !r;
}

static const struct finding_kind *kind_of(const struct inventory *inv, int function)
{
	const struct inv_function *f = &inv->functions[function];

	if (f->sriov_cni)
		return &of_sriov_cni;
	return is_kubelets(inv, function, false) || has_dp_file(inv, f) ? &of_pods : &of_host;
}

static int judge_vf(const struct host *host, const struct inventory *inv, int function,
		    struct findings *ret, struct err *e)
{
	const struct inv_function *f = &inv->functions[function];
	const struct inv_vf *v = &inv->vfs[f->vf];
	char changes[256];
	int r;

	tell_changes(inv, v, changes, sizeof(changes));
	if (!*changes || !is_free(host, inv, function))
		return 0;
	r = is_sriov_cnis(host, inv, f, e);
	return r != 0 ? (r < 0 ? -1 : 0) :
			finding_tell(ret, kind_of(inv, function), f->bdf, e,
				     "nobody has it, and VF %d of %s has %s", v->index, v->pf,
				     changes);
}

int leak_vf_changed(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	for (size_t i = 0; i < inv->n_functions; i++)
		if (inv->functions[i].vf != INV_NONE && judge_vf(host, inv, (int)i, ret, e) < 0)
			return -1;
	return 0;
}

/* "none" is how an administrator keeps all drivers away. */
int leak_driver_override(const struct host *host, const struct inventory *inv,
			 struct findings *ret, struct err *e)
{
	(void)host;
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];

		if (!*f->driver_override || strcmp(f->driver_override, f->driver) == 0 ||
		    strcmp(f->driver_override, "none") == 0 || is_attached(inv, f) ||
		    is_kubelets(inv, (int)i, true))
			continue;
		if (finding_tell(ret, &override, f->bdf, e,
				 "nobody has it, and its driver is %s, its driver_override %s",
				 *f->driver ? f->driver : "none", f->driver_override) < 0)
			return -1;
	}
	return 0;
}
