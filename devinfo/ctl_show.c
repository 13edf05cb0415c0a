/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_show.c - devinfoctl show: the device-info of a device as the plugin would write it */
#include "devinfo/ctl.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/discover.h"
#include "devinfo/store.h"

#include <stdio.h>

/* The PCI function called by its address or by its net device's name. */
static int find_function(const struct host *host, const char *name, struct pci_device *ret,
			 struct err *e)
{
	struct net_device net;
	int r;

	if (name_is_bdf(name))
		return sysfs_pci(host, name, ret, e);
	r = sysfs_netdev(host, name, &net, e);
	if (r <= 0)
		return r;
	if (!*net.bdf)
		return err_set(e, ERR_DEVICE, 0,
			       "net device '%s' has no PCI function behind it, so no device-info",
			       name);
	return sysfs_pci(host, net.bdf, ret, e);
}

static int build(const struct host *host, const char *name, const char *resource,
		 struct device_info *ret, struct err *e)
{
	auto_device_info struct device_info di = { 0 };
	struct pci_device dev = { 0 };
	int r;

	if (find_function(host, name, &dev, e) < 0)
		return -1;
	r = resource ? store_read_dp(host, resource, dev.exists ? dev.bdf : name, &di, e) : 0;
	if (r < 0)
		return -1;
	if (r == 0 && !dev.exists)
		return err_set(e, ERR_DEVICE, 0,
			       "'%s' is no PCI function and no net device of this node", name);
	if ((r == 0 ? device_info_discover(host, &dev, NULL, &di, e) :
		      device_info_enrich(host, &dev, NULL, &di, e)) < 0)
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
