/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_show.c - devinfoctl show: the device-info of a device as the plugin would write it */
#include "devinfo/ctl.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/device_ref.h"
#include "devinfo/discover.h"
#include "devinfo/eswitch.h"
#include "devinfo/store.h"

#include <stdio.h>

/* What a name stands for: a function, a sub-function, or something else that has no device-info. */
struct shown {
	struct device_ref ref;
	struct pci_device pci;
	struct sub_function sf;		/* "": none */
	const char *id;			/* the device plugin's file has this name */
};

/* A network device of several, a representor among them, does not stand for what it is on. */
static int find_device(const struct host *host, const char *name, struct shown *ret, struct err *e)
{
	const char *key;
	int r = device_ref_find(host, name, &ret->ref, e);

	if (r < 0)
		return -1;
	key = ret->ref.kind == DEVICE_REF_AUXILIARY ? ret->ref.name : ret->ref.key;
	ret->id = r > 0 && *key ? key : device_id_plain(name);
	if (r > 0 && name_is_bdf(key))
		return eswitch_pci(host, key, &ret->pci, e) < 0 ? -1 : 0;
	return r > 0 && sysfs_sub_function(host, key, &ret->sf, e) < 0 ? -1 : 0;
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
	return err_set(e, ERR_DEVICE, 0, "'%s' is no PCI function and no net device of this node",
		       name);
}

/* As an ADD would: cni/look.c, look_at_info(). */
static int build(const struct host *host, const char *name, const char *resource,
		 struct device_info *ret, struct err *e)
{
	auto_device_info struct device_info di = { 0 };
	struct shown s = { .id = name };
	int r;

	if (find_device(host, name, &s, e) < 0)
		return -1;
	r = resource ? store_read_dp(host, resource, s.id, &di, e) : 0;
	if (r == 0 && !s.pci.exists)
		return not_shown(&s, name, e);
	if (r == 0)
		r = device_info_discover(host, &s.pci, NULL, &di, e);
	else if (r > 0 && *s.sf.name)
		r = device_info_enrich_sf(host, &s.sf, NULL, &di, e);
	else if (r > 0)
		r = device_info_enrich(host, &s.pci, NULL, &di, e);
	if (r < 0)
		return -1;
	*ret = di;
	di = (struct device_info){ 0 };
	return 0;
}

enum ctl_status ctl_show(const struct host *host, const struct ctl_options *opt,
			 char *const *operands)
{
	auto_device_info struct device_info di = { 0 };
	json_auto_t *o = NULL;
	auto_free char *text = NULL;
	size_t len = 0;
	struct err e = { 0 };

	if (build(host, operands[0], opt->resource, &di, &e) < 0)
		return ctl_error(&e);
	o = device_info_to_json(&di);
	text = jx_dump(o, &len);
	(void)fwrite(text, 1, len, stdout);	/* main looks whether that went well */
	return CTL_OK;
}
