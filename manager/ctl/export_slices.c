/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export_slices.c - devinfoctl export resourceslice and deviceclass
 *
 * What a driver of Dynamic Resource Allocation would publish of this node, for `kubectl apply
 * -f -`.  Nothing an administrator overrides is in it: that is for the reader of the slices.
 */
#include "manager/ctl/ctl.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/ctl/inventory.h"
#include "manager/ctl/table.h"
#include "manager/dra/device_class.h"
#include "manager/dra/name.h"
#include "manager/dra/node_slices.h"
#include "manager/dra/slice_state.h"
#include "manager/dra/slice_version.h"

#include <errno.h>
#include <string.h>

/* -- what both are asked -- */

/* Also the domain of its attributes and the prefix of its taints, which is in lower case. */
static int read_driver(const struct ctl_options *opt, const char **ret, struct err *e)
{
	*ret = opt->driver ? opt->driver : NODE_SLICES_DRIVER;
	return name_is_dns_subdomain(*ret) && strlen(*ret) <= DRA_DRIVER_MAX ? 0 :
		       err_set(e, ERR_NETCONF, 0, "--driver cannot be '%.64s': expected a DNS "
			       "name in lower case, of at most %d bytes", *ret, DRA_DRIVER_MAX);
}

static int read_pools(const struct ctl_options *opt, struct pools *ret, struct err *e)
{
	return opt->pool ? ctl_read_pools(opt->pool, ret, e) : 0;
}

/* As a v1 List, which kubectl takes for its items.  The reference is taken. */
static enum ctl_status put_list(const struct ctl_options *opt, json_t *objects)
{
	json_auto_t *list = json_pack("{s:s,s:s,s:o}", "apiVersion", "v1", "kind", "List",
				      "items", objects);

	slice_version_set(objects, opt->api);
	ctl_put_json(list);
	return CTL_OK;
}

/* -- resourceslice -- */

/* It cannot be written: a file system that is read-only, or of somebody else. */
static bool is_unwritable(int sys)
{
	return sys == EROFS || sys == EACCES || sys == EPERM;
}

/* A recorded node keeps what it has.  Where nothing can be written it is the next all the same. */
static int find_generation(const struct host *host, const json_t *slices, json_int_t *ret,
			   struct err *e)
{
	int recorded = fs_exists(host->root, e, "%s", INVENTORY_FACTS);

	if (recorded < 0)
		return -1;
	if (!recorded) {
		if (slice_state_take(host, slices, ret, e) == 0)
			return 0;
		if (!is_unwritable(e->sys))
			return -1;
		ctl_put_line(stderr, "devinfoctl: the generation is not kept: %s: %s", e->msg,
			     e->details);
	}
	return slice_state_look(host, slices, ret, e);
}

static enum ctl_status put_slices(const struct host *host, const struct ctl_options *opt,
				  const struct node_slices_wish *wish)
{
	auto_inventory struct inventory inv = { .n_links = 0 };
	json_auto_t *slices = NULL;
	json_int_t generation;
	struct err e = { 0 };

	if (ctl_inventory(host, opt, &inv, &e) < 0)
		return ctl_error(&e);
	slices = node_slices(&inv, wish, &e);
	if (!slices || find_generation(host, slices, &generation, &e) < 0)
		return ctl_error(&e);
	node_slices_set_generation(slices, generation);
	if (json_array_size(json_object_get(json_object_get(json_array_get(slices, 0), "spec"),
					    "devices")) == 0)
		ctl_put_line(stderr, "devinfoctl: this node has no device that a pod can be given: "
				     "its slice is empty");
	return put_list(opt, steal_ptr(&slices));
}

enum ctl_status ctl_export_resourceslice(const struct host *host, const struct ctl_options *opt,
					 char *const *operands)
{
	auto_pools struct pools pools = { .n = 0 };
	struct node_slices_wish wish = { .pools = &pools, .host = host };
	char node[CTL_NODE_NAME] = "";
	struct err e = { 0 };

	(void)operands;
	if (slice_version_check(opt->api, &e) < 0 || read_driver(opt, &wish.driver, &e) < 0 ||
	    read_pools(opt, &pools, &e) < 0 || ctl_node_name(host, opt, node, &e) < 0)
		return ctl_wrong(&e);
	wish.node = node;
	wish.node_uid = opt->node_uid;
	return put_slices(host, opt, &wish);
}

/* -- deviceclass -- */

enum ctl_status ctl_export_deviceclass(const struct host *host, const struct ctl_options *opt,
				       char *const *operands)
{
	auto_pools struct pools pools = { .n = 0 };
	const char *driver;
	struct err e = { 0 };

	(void)host, (void)operands;
	if (slice_version_check(opt->api, &e) < 0 || read_driver(opt, &driver, &e) < 0 ||
	    read_pools(opt, &pools, &e) < 0)
		return ctl_wrong(&e);
	return put_list(opt, device_classes(driver, &pools));
}
