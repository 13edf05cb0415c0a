/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - devinfoctl show: the device-info of a device as the plugin would write it */
#include "manager/ctl/overrides.h"
#include "manager/ctl/table.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/node/discover.h"
#include "devinfo/node/eswitch.h"
#include "devinfo/node/vdpa_info.h"

#include <stdio.h>
#include <string.h>

/* What a name stands for, and what its device plugin wrote. */
struct shown {
	struct device_ref ref;
	struct pci_device pci;		/* with these, exists or name tells whether it is one */
	struct sub_function sf;
	struct vdpa_device vdpa;
	bool is_vdpa;
	const char *id;			/* the device plugin's file has this name */
	struct device_info di;
	bool has_file;
};

/* A network device of several, a representor among them, does not stand for what it is on. */
static int find_device(const struct host *host, const char *name, struct shown *s, struct err *e)
{
	const char *key;
	int r = device_ref_find(host, name, &s->ref, e);

	if (r < 0)
		return -1;
	key = s->ref.kind == DEVICE_REF_AUXILIARY ? s->ref.name : s->ref.key;
	s->id = r > 0 && *key ? key : device_id_plain(name);
	if (r > 0 && name_is_bdf(key))
		return eswitch_pci(host, key, &s->pci, e) < 0 ? -1 : 0;
	return r > 0 && sysfs_sub_function(host, key, &s->sf, e) < 0 ? -1 : 0;
}

/* Its device plugin may call a vDPA device by its own name, or by the function's. */
static int read_file(const struct host *host, const char *resource, const char *name,
		     struct shown *s, struct err *e)
{
	int r = resource ? store_draft_dp(host, resource, s->id, &s->di, e) : 0;

	if (r == 0 && resource && s->ref.kind == DEVICE_REF_VDPA)
		r = store_draft_dp(host, resource, name, &s->di, e);
	s->has_file = r > 0;
	return r < 0 ? -1 : 0;
}

/* By its own name, or by a function whose file says so, or that stands for its vDPA device. */
static int find_vdpa(const struct host *host, const char *name, struct shown *s, struct err *e)
{
	int r = 0;

	if (s->ref.kind == DEVICE_REF_VDPA)
		r = vdpa_device_find(host, name, NULL, &s->vdpa, e);
	else if (s->has_file && s->di.kind == DEVICE_VDPA)
		r = vdpa_device_find(host, s->id, s->di.vdpa.parent_device, &s->vdpa, e);
	else if (!s->has_file && s->ref.kind != DEVICE_REF_NONE)
		r = vdpa_device_for(host, s->id, &s->vdpa, e);
	s->is_vdpa = r > 0;
	return r < 0 ? -1 : 0;
}

static int not_shown(const struct shown *s, const char *name, struct err *e)
{
	if (*s->sf.name)
		return err_set(e, ERR_DEVICE, 0,
			       "'%s' is a sub-function: its device plugin alone can say what it "
			       "is to a pod, so no device-info without its file (--resource)",
			       name);
	if (s->ref.kind == DEVICE_REF_NETDEV)
		return err_set(e, ERR_DEVICE, 0,
			       "net device '%s' has no PCI function behind it, or is one of "
			       "several of it, so no device-info", name);
	return err_set(e, ERR_DEVICE, 0,
		       "'%s' is not a PCI function, vDPA or net device of this node", name);
}

static int complete_vdpa(const struct host *host, struct shown *s, struct err *e)
{
	char repaired[VDPA_REPAIRED];

	if (!s->has_file)
		return vdpa_info_discover(host, &s->vdpa, &s->di, e);
	if (vdpa_info_enrich(host, &s->vdpa, &s->di, repaired, e) < 0)
		return -1;
	if (*repaired)
		ctl_put_line(stderr, "devinfoctl: repaired what the device plugin wrote: %s",
			     repaired);
	return 0;
}

/* As an ADD would: cni/attach/probe.c, probe_info(), and cni/vdpa/vdpa_prepare.c, vdpa_info(). */
static int complete(const struct host *host, const char *name, struct shown *s, struct err *e)
{
	int r;

	if (s->is_vdpa)
		return complete_vdpa(host, s, e);
	if (!s->has_file)
		return s->pci.exists ? device_info_discover(host, &s->pci, NULL, &s->di, e) :
				       not_shown(s, name, e);
	r = *s->sf.name ? device_info_enrich_sf(host, &s->sf, NULL, &s->di, e) :
			  device_info_enrich(host, &s->pci, NULL, &s->di, e);
	return r < 0 ? -1 : device_info_validate(&s->di, name, e);
}

static int build(const struct host *host, const char *name, const char *resource,
		 struct shown *s, struct err *e)
{
	if (find_device(host, name, s, e) < 0 || read_file(host, resource, name, s, e) < 0 ||
	    find_vdpa(host, name, s, e) < 0)
		return -1;
	return complete(host, name, s, e);
}

static void shown_done(struct shown *s)
{
	device_info_done(&s->di);
}

/* -- where the values are from that the cluster has of it -- */

static bool is_device(const char *id, const void *arg)
{
	const struct device_ref *ref = arg;

	return strcmp(id, ref->name) == 0 || strcmp(id, ref->key) == 0;
}

/* 1, 0, -1.  Of a PCI address the form alone says nothing. */
static int find_present(const struct host *host, const char *name, struct device_ref *ret,
			struct err *e)
{
	struct pci_device pci = { .exists = false };
	int r = device_ref_find(host, name, ret, e);

	if (r <= 0 || ret->kind != DEVICE_REF_PCI)
		return r;
	return eswitch_pci(host, ret->name, &pci, e) < 0 ? -1 : pci.exists;
}

static enum ctl_status show_why(const struct host *host, const struct ctl_options *opt,
				const char *name)
{
	auto_inventory struct inventory inv = { .functions = NULL };
	struct device_ref ref;
	struct err e = { 0 };
	int r = find_present(host, name, &ref, &e);

	if (r == 0)
		(void)device_ref_unknown(name, &e);
	if (r <= 0 || inventory_read(host, &inv, &e) < 0 || inventory_join(host, &inv, &e) < 0)
		return ctl_error(&e);
	return ctl_put_origins(host, opt, &inv, is_device, &ref,
			       "in no ResourceSlice: the node itself uses it, or no pod can be "
			       "given it");
}

enum ctl_status ctl_show(const struct host *host, const struct ctl_options *opt,
			 char *const *operands)
{
	auto_with(shown_done) struct shown s = { .is_vdpa = false };
	json_auto_t *o = NULL;
	char bdf[NAME_BDF_SIZE];
	const char *id = ctl_device_id(operands[0], bdf);
	struct err e = { 0 };

	if (ctl_check_why(opt, "show") != CTL_OK)
		return CTL_USAGE;
	if (opt->why)
		return show_why(host, opt, id);
	if (build(host, id, opt->resource, &s, &e) < 0)
		return ctl_error(&e);
	o = device_info_to_json(&s.di);
	ctl_put_json(o);
	return CTL_OK;
}
