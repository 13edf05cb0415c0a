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
#include "manager/dra/kubernetes.h"
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

/* For which cluster it is, and in which version of the API. */
struct cluster {
	struct kubernetes kubernetes;
	const char *api;
};

static int read_cluster(const struct ctl_options *opt, struct cluster *ret, struct err *e)
{
	ret->api = opt->api;
	return kubernetes_parse(opt->kubernetes, &ret->kubernetes, e) < 0 ||
	       slice_version_choose(&ret->api, &ret->kubernetes, e) < 0 ? -1 : 0;
}

/* What is not printed, because this cluster would drop it without a word. */
static void tell_left(const struct ctl_options *opt, enum kubernetes_feature feature,
		      const char *what)
{
	ctl_put_line(stderr, "devinfoctl: for Kubernetes %s, where %s is off, %s", opt->kubernetes,
		     kubernetes_gate(feature), what);
}

/* As a v1 List, which kubectl takes for its items.  The reference is taken. */
static enum ctl_status put_list(const struct cluster *cluster, json_t *objects)
{
	json_auto_t *list = json_pack("{s:s,s:s,s:o}", "apiVersion", "v1", "kind", "List",
				      "items", objects);

	slice_version_set(objects, cluster->api);
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
static int set_generation(const struct host *host, json_t *slices, struct err *e)
{
	int recorded = fs_exists(host->root, e, "%s", INVENTORY_FACTS);

	if (recorded < 0)
		return -1;
	if (!recorded) {
		if (slice_state_take(host, slices, e) == 0)
			return 0;
		if (!is_unwritable(e->sys))
			return -1;
		ctl_put_line(stderr, "devinfoctl: the generation is not kept: %s: %s", e->msg,
			     e->details);
	}
	return slice_state_look(host, slices, e);
}

static void tell_left_devices(const struct ctl_options *opt, const struct node_slices_left *left)
{
	char what[160];

	(void)snprintf(what, sizeof(what), "PFs whose VFs or sub-functions are offered are left "
		       "out: %zu", left->pfs);
	if (left->pfs > 0)
		tell_left(opt, KUBERNETES_PARTITIONS, what);
	(void)snprintf(what, sizeof(what), "devices that are failed or changed are left out: %zu",
		       left->tainted);
	if (left->tainted > 0)
		tell_left(opt, KUBERNETES_TAINTS, what);
}

static enum ctl_status put_slices(const struct host *host, const struct ctl_options *opt,
				  const struct cluster *cluster,
				  const struct node_slices_wish *wish)
{
	auto_inventory struct inventory inv = { .n_links = 0 };
	json_auto_t *slices = NULL;
	struct err e = { 0 };

	if (ctl_inventory(host, opt, &inv, &e) < 0)
		return ctl_error(&e);
	slices = node_slices(&inv, wish, &e);
	if (!slices || set_generation(host, slices, &e) < 0)
		return ctl_error(&e);
	tell_left_devices(opt, wish->left);
	if (json_array_size(json_object_get(json_object_get(json_array_get(slices, 0), "spec"),
					    "devices")) == 0)
		ctl_put_line(stderr, "devinfoctl: this node has no device that a pod can be given: "
				     "its slice is empty");
	return put_list(cluster, steal_ptr(&slices));
}

enum ctl_status ctl_export_resourceslice(const struct host *host, const struct ctl_options *opt,
					 char *const *operands)
{
	auto_pools struct pools pools = { .n = 0 };
	struct node_slices_left left = { 0 };
	struct cluster cluster = { 0 };
	struct node_slices_wish wish = {
		.pools = &pools, .host = host, .kubernetes = &cluster.kubernetes, .left = &left,
	};
	char node[CTL_NODE_NAME] = "";
	struct err e = { 0 };

	(void)operands;
	if (read_cluster(opt, &cluster, &e) < 0 || read_driver(opt, &wish.driver, &e) < 0 ||
	    read_pools(opt, &pools, &e) < 0 || ctl_node_name(host, opt, node, &e) < 0)
		return ctl_wrong(&e);
	wish.node = node;
	wish.node_uid = opt->node_uid;
	return put_slices(host, opt, &cluster, &wish);
}

/* -- deviceclass -- */

enum ctl_status ctl_export_deviceclass(const struct host *host, const struct ctl_options *opt,
				       char *const *operands)
{
	auto_pools struct pools pools = { .n = 0 };
	struct cluster cluster = { 0 };
	const char *driver;
	struct err e = { 0 };

	(void)host, (void)operands;
	if (read_cluster(opt, &cluster, &e) < 0 || read_driver(opt, &driver, &e) < 0 ||
	    read_pools(opt, &pools, &e) < 0)
		return ctl_wrong(&e);
	if (pools.n > 0 && !kubernetes_has(&cluster.kubernetes, KUBERNETES_EXTENDED_RESOURCES))
		tell_left(opt, KUBERNETES_EXTENDED_RESOURCES, "extendedResourceName is left out");
	return put_list(&cluster, device_classes(driver, &pools, &cluster.kubernetes));
}
