/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish.c - devinfoctl publish and withdraw: the device-plugin files of pools
 *
 * For a node whose device plugin writes none, or none before a device is allocated.  The file of
 * another that says something different stays as it is, and is told; so does the file of a device
 * that an attachment has, for part of the device is in a pod then and cannot be looked at.
 */
#include "manager/ctl/table.h"

#include "base/mem.h"
#include "base/name.h"
#include "base/nearest.h"
#include "devinfo/format/store.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"
#include "manager/match/pool_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct publishing {
	const struct host *host;
	const struct ctl_options *opt;
	struct pools pools;
	struct inventory inv;
	bool *wanted;			/* owned; of each pool */
	json_t *rows;			/* owned */
	bool failed;
};

/* One device of a pool and its file. */
struct publication {
	struct pool_file of;
	const char *result;
	char why[2048];
};

static const struct ctl_column columns[] = {
	{ .title = "RESULT", .key = "result", .coloured = true },
	{ .title = "RESOURCE", .key = "resource" },
	{ .title = "DEVICE", .key = "device" },
	{ .title = "FILE", .key = "file", .wide = true },
	{ .title = "WHY", .key = "why" },
};

static void publishing_done(struct publishing *p)
{
	pools_done(&p->pools);
	inventory_done(&p->inv);
	free(p->wanted);
	json_decref(p->rows);
}

static void publication_done(struct publication *one)
{
	pool_file_done(&one->of);
}

/* Bad news, with its words. */
static void fail(struct publishing *p, struct publication *one, const char *result,
		 const struct err *e)
{
	one->result = result;
	(void)snprintf(one->why, sizeof(one->why), "%s%s%s", e->msg, *e->details ? ": " : "",
		       e->details);
	p->failed = true;
}

static void add_row(const struct publishing *p, const struct publication *one)
{
	json_t *row = json_pack("{s:s,s:s,s:s,s:s}", "result", one->result, "resource",
				one->of.resource, "device", one->of.f->bdf, "file", one->of.file);

	if (*one->why)
		(void)json_object_set_new(row, "why", json_string(one->why));
	(void)json_array_append_new(p->rows, row);
}

/* -- publish -- */

static void write_one(struct publishing *p, struct publication *one, const struct device_info *di)
{
	struct err e = { 0 };

	one->result = "would write";
	if (p->opt->dry_run)
		return;
	one->result = "written";
	if (store_write_dp(p->host, one->of.file, di, &e) < 0)
		fail(p, one, "failed", &e);
}

/* A device plugin may say no more than the address. */
static void compare_content(struct publishing *p, struct publication *one,
			    const struct device_info *di)
{
	struct err other = { 0 }, e = { 0 };
	enum pool_file_says says = pool_file_compare(&one->of, di, &other);

	if (says == POOL_FILE_SAME)
		return;
	if (says == POOL_FILE_LESS) {
		(void)snprintf(one->why, sizeof(one->why),
			       "it says less than we would, and each ADD adds that");
	} else if (one->of.f->holder != INV_NONE) {
		(void)snprintf(one->why, sizeof(one->why), "an attachment has the device");
	} else {
		(void)err_set(&e, ERR_DEVINFO, 0, "%s: withdraw it before, if it is yours",
			      other.msg);
		fail(p, one, "differs", &e);
	}
}

static void compare_one(struct publishing *p, struct publication *one,
			const struct device_info *di)
{
	struct err e = { 0 };

	one->result = "unchanged";
	if (pool_file_check(&one->of, &e) < 0)
		fail(p, one, "differs", &e);
	else
		compare_content(p, one, di);
}

/* Its device plugin would only log this. */
static void check_vhost_net(const struct publishing *p, struct publication *one)
{
	if (pool_wants(&p->pools, one->of.pool, &p->inv, one->of.f).vhost_net &&
	    !p->inv.node.vhost_net && !*one->why)
		(void)snprintf(one->why, sizeof(one->why),
			       "needVhostNet, and the node has no /dev/vhost-net");
}

static void publish_one(struct publishing *p, struct publication *one)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };

	if (pool_file_make(p->host, &p->pools, &p->inv, &one->of, &di, &e) < 0)
		fail(p, one, "failed", &e);
	else if (one->of.is_there)
		compare_one(p, one, &di);
	else
		write_one(p, one, &di);
	check_vhost_net(p, one);
}

/* -- withdraw -- */

static void withdraw_one(struct publishing *p, struct publication *one)
{
	struct err e = { 0 };

	if (!one->of.is_there) {
		one->result = "absent";
		return;
	}
	if (pool_file_check(&one->of, &e) < 0) {
		fail(p, one, "differs", &e);
		return;
	}
	one->result = p->opt->dry_run ? "would remove" : "removed";
	if (!p->opt->dry_run && store_remove_dp(p->host, one->of.file, &e) < 0)
		fail(p, one, "failed", &e);
}

/* -- all devices of all pools -- */

typedef void publish_fn(struct publishing *p, struct publication *one);

static void take_one(struct publishing *p, const struct inv_function *f, size_t pool,
		     publish_fn *fn)
{
	auto_with(publication_done) struct publication one = { .why = "" };
	struct err e = { 0 };

	if (pool_file_read(p->host, &p->pools, pool, f, &one.of, &e) < 0)
		fail(p, &one, e.code == ERR_NETCONF ? "failed" : "differs", &e);
	else
		fn(p, &one);
	add_row(p, &one);
}

/* device-info has types for PCI functions and vDPA devices; those of network devices are read. */
static void take_all(struct publishing *p, publish_fn *fn)
{
	for (size_t i = 0; i < p->inv.n_functions; i++) {
		const struct inv_function *f = &p->inv.functions[i];
		int pool = pools_find(&p->pools, &p->inv, f, NULL);

		if (pool != INV_NONE && p->wanted[pool])
			take_one(p, f, (size_t)pool, fn);
	}
}

/* -- the operands -- */

/* Those that are named, or all; of network devices. */
static int choose_pools(struct publishing *p, char *const *resources, struct err *e)
{
	p->wanted = calloc(p->pools.n + 1, sizeof(*p->wanted));
	if (!p->wanted)
		return err_set(e, ERR_IO, 0, "out of memory");
	for (size_t i = 0; i < p->pools.n; i++)
		p->wanted[i] = !*resources && pool_type(&p->pools, i) == POOL_NET_DEVICE;
	for (; *resources; resources++) {
		char one[320];
		size_t i = 0;

		while (i < p->pools.n && strcmp(pool_resource(&p->pools, i, one), *resources) != 0)
			i++;
		if (i == p->pools.n)
			return err_set(e, ERR_NETCONF, 0, "'%.128s' is none of the file's pools",
				       *resources);
		if (pool_type(&p->pools, i) != POOL_NET_DEVICE)
			return err_set(e, ERR_NETCONF, 0,
				       "'%.128s' is no pool of network devices: device-info has no "
				       "type for others, and sockets are devinfod's", *resources);
		p->wanted[i] = true;
	}
	return 0;
}

static void warn_unanswered(const struct publishing *p)
{
	for (size_t i = 0; i < p->pools.n; i++)
		if (p->wanted[i])
			ctl_warn_unanswered(&p->pools, i, &p->inv);
}

static enum ctl_status run_publishing(const struct host *host, const struct ctl_options *opt,
				      char *const *operands, publish_fn *fn)
{
	auto_with(publishing_done) struct publishing p = {
		.host = host, .opt = opt, .rows = json_array(),
	};
	struct err e = { 0 };

	if (!opt->pool)
		return ctl_usage("--pool is missing");
	if (ctl_read_pools(opt->pool, &p.pools, &e) < 0 || choose_pools(&p, operands, &e) < 0)
		return ctl_wrong(&e);
	warn_unanswered(&p);
	if (inventory_read(host, &p.inv, &e) < 0 || inventory_join(host, &p.inv, &e) < 0)
		return ctl_error(&e);
	take_all(&p, fn);
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), p.rows, "no device is in a pool");
	return p.failed ? CTL_FAILED : CTL_OK;
}

enum ctl_status ctl_publish(const struct host *host, const struct ctl_options *opt,
			    char *const *operands)
{
	return run_publishing(host, opt, operands, publish_one);
}

enum ctl_status ctl_withdraw(const struct host *host, const struct ctl_options *opt,
			     char *const *operands)
{
	return run_publishing(host, opt, operands, withdraw_one);
}
