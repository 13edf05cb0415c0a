/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export_nfd.c - devinfoctl export nfd and export nodefeature: the devices for Node Feature
 * Discovery
 *
 * Kubelet is not asked: what the node has does not depend on what is in use of it.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "manager/ctl/inventory.h"
#include "manager/ctl/table.h"
#include "manager/inventory/inventory.h"
#include "manager/nfd/feature_export.h"
#include "manager/nfd/node_feature.h"
#include "manager/nfd/node_object.h"
#include "manager/nfd/node_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct nfd_view {
	struct inventory inv;
	struct pools pools;
	bool has_pools;
};

static void nfd_view_done(struct nfd_view *v)
{
	inventory_done(&v->inv);
	pools_done(&v->pools);
}

static const struct pools *pools_of(const struct nfd_view *v)
{
	return v->has_pools ? &v->pools : NULL;
}

static enum ctl_status look_at_node(const struct host *host, const struct ctl_options *opt,
				    struct nfd_view *v)
{
	struct err e = { 0 };

	if (opt->pool && ctl_read_pools(opt->pool, &v->pools, &e) < 0)
		return ctl_wrong(&e);
	v->has_pools = opt->pool;
	return inventory_read(host, &v->inv, &e) < 0 || inventory_join(host, &v->inv, &e) < 0 ?
		       ctl_error(&e) : CTL_OK;
}

/* -- the feature file -- */

static const char *dir_of(char *const *operands)
{
	return *operands && strcmp(*operands, "-") != 0 ? *operands : NULL;
}

static enum ctl_status check_nfd(const struct ctl_options *opt, char *const *operands)
{
	const char *dir = dir_of(operands);

	if (dir && *dir != '/')
		return ctl_usage("export nfd cannot write to '%s': expected an absolute path", dir);
	if (opt->remove && (!dir || opt->raw || opt->expires || opt->pool))
		return ctl_usage("--remove takes a directory and no other option");
	return CTL_OK;
}

static enum ctl_status remove_file(const struct host *host, const char *dir)
{
	struct err e = { 0 };

	return feature_export_remove(host, dir, &e) < 0 ? ctl_error(&e) : CTL_OK;
}

/* The text is NULL where it could not be made. */
static enum ctl_status put_file(const struct host *host, const char *dir, const char *text)
{
	struct err e = { 0 };

	if (!text) {
		(void)err_set(&e, ERR_IO, 0, "out of memory");
		return ctl_error(&e);
	}
	if (!dir) {
		(void)fputs(text, stdout);
		return CTL_OK;
	}
	return feature_export_write(host, dir, text, &e) < 0 ? ctl_error(&e) : CTL_OK;
}

enum ctl_status ctl_export_nfd(const struct host *host, const struct ctl_options *opt,
			       char *const *operands)
{
	auto_with(nfd_view_done) struct nfd_view v = { .has_pools = false };
	json_auto_t *summary = NULL, *labels = NULL;
	struct feature_export how = { .raw = opt->raw };
	enum ctl_status status = check_nfd(opt, operands);
	auto_free char *text = NULL;
	size_t left_out = 0;

	if (status != CTL_OK || opt->remove)
		return status != CTL_OK ? status : remove_file(host, dir_of(operands));
	status = look_at_node(host, opt, &v);
	if (status != CTL_OK)
		return status;
	if (opt->expires)
		how.expires = time(NULL) + (time_t)strtoul(opt->expires, NULL, 10);
	summary = node_summary(&v.inv, pools_of(&v));
	labels = feature_export_labels(summary);
	text = feature_export_text(labels, &how, &left_out);
	if (json_object_size(labels) == 0)
		ctl_put_line(stderr, "devinfoctl: this node has no feature to tell: the file has "
				     "none");
	if (left_out > 0)
		ctl_put_line(stderr, "devinfoctl: the last %zu of %zu labels are left out: NFD "
			     "reads no file over 65536 bytes", left_out, json_object_size(labels));
	return put_file(host, dir_of(operands), text);
}

/* -- the object -- */

static void say_left_out(const char *set, void *arg)
{
	(void)arg;
	ctl_put_line(stderr, "devinfoctl: %s is left out: the object would be too large", set);
}

static void say_size(const json_t *object)
{
	if (node_feature_size(object) > NODE_FEATURE_APPLY_MAX)
		ctl_put_line(stderr, "devinfoctl: the object has %zu bytes: kubectl apply needs "
			     "--server-side", node_feature_size(object));
}

static int find_name(const struct host *host, const struct ctl_options *opt,
		     char ret[CTL_NODE_NAME], struct err *e)
{
	return ctl_node_name(host, opt, ret, e) < 0 ? -1 : node_feature_check_name(ret, e);
}

enum ctl_status ctl_export_nodefeature(const struct host *host, const struct ctl_options *opt,
				       char *const *operands)
{
	auto_with(nfd_view_done) struct nfd_view v = { .has_pools = false };
	char node[CTL_NODE_NAME];
	json_auto_t *object = NULL;
	struct node_object_wish wish = {
		.node = node, .raw = opt->raw, .left_out = say_left_out,
	};
	struct err e = { 0 };
	enum ctl_status status;

	(void)operands;
	if (find_name(host, opt, node, &e) < 0)
		return e.code == ERR_NETCONF ? ctl_wrong(&e) : ctl_error(&e);
	status = look_at_node(host, opt, &v);
	if (status != CTL_OK)
		return status;
	wish.pools = pools_of(&v);
	object = node_object(host, &v.inv, &wish, &e);
	if (!object)
		return ctl_error(&e);
	say_size(object);
	ctl_put_json(object);
	return CTL_OK;
}
