/* SPDX-License-Identifier: Apache-2.0 */
/* pool_file.c - the device-plugin file of a pool's device: what it says, and what it should say */
#include "manager/match/pool_file.h"

#include "devinfo/format/store.h"
#include "devinfo/node/discover.h"
#include "devinfo/node/eswitch.h"
#include "devinfo/node/vdpa_info.h"

#include <stdio.h>
#include <string.h>

void pool_file_done(struct pool_file *one)
{
	device_info_done(&one->there);
}

int pool_file_name(const struct pools *p, size_t pool, const struct inv_function *f,
		   struct pool_file *ret, struct err *e)
{
	*ret = (struct pool_file){ .f = f, .pool = pool };
	(void)pool_resource(p, pool, ret->resource);
	return store_dp_name(ret->resource, f->bdf, ret->file) ?
		       0 : err_set(e, ERR_NETCONF, 0, "no file can have this name");
}

int pool_file_read(const struct host *host, const struct pools *p, size_t pool,
		   const struct inv_function *f, struct pool_file *ret, struct err *e)
{
	int r = pool_file_name(p, pool, f, ret, e);

	if (r < 0)
		return -1;
	r = store_read_dp(host, ret->resource, f->bdf, &ret->there, e);
	ret->is_there = r > 0;
	return r < 0 ? -1 : 0;
}

/*
 * The representor that the inventory has, or that there is none, so that not each device is looked
 * for among all links; false: it does not know.
 */
static bool find_representor(const struct inventory *inv, const struct inv_function *f,
			     struct representor *ret)
{
	const struct inv_link *l = f->representor != INV_NONE ? &inv->links[f->representor] : NULL;
	bool has_switch = f->pf != INV_NONE &&
			  strcmp(inv->functions[f->pf].eswitch, "switchdev") == 0;

	*ret = (struct representor){ .ifindex = l ? l->ifindex : 0 };
	if (l)
		memcpy(ret->name, l->name, sizeof(ret->name));
	return l || !has_switch;
}

/*
 * What a device-info tells of a function.  The inventory has just seen it, with its PF and whether
 * it has RDMA devices: to look for a VF among those of its PF, and for the uplink among the
 * representors, takes the longer the more VFs there are, and only a representor that is not known
 * needs it.
 */
static int read_pci(const struct host *host, const struct inv_function *f, bool only_told,
		    struct pci_device *ret, struct err *e)
{
	struct pci_device pci = { .exists = true, .is_vf = f->is_vf };

	if (f->vanished)
		return 0;
	if (!only_told)
		return eswitch_pci(host, f->bdf, ret, e);
	(void)snprintf(pci.bdf, sizeof(pci.bdf), "%s", f->bdf);
	(void)snprintf(pci.pf_bdf, sizeof(pci.pf_bdf), "%s", f->pf_bdf);
	if (f->rdma != INV_NONE && sysfs_pci_rdma(host, &pci, e) < 0)
		return -1;
	*ret = pci;
	return 1;
}

/* 1, 0 where none is meant, -1.  What is a network device is none. */
static int find_vdpa(const struct host *host, const struct inv_function *f, const char *type,
		     struct vdpa_device *ret, struct err *e)
{
	if (type)
		return vdpa_device_find(host, f->bdf, NULL, ret, e);
	return f->link != INV_NONE && f->vdpa == INV_NONE ?
		       0 : vdpa_device_for(host, f->bdf, ret, e);
}

int pool_file_make(const struct host *host, const struct pools *p, const struct inventory *inv,
		   const struct pool_file *one, struct device_info *ret, struct err *e)
{
	struct pool_wants wants = pool_wants(p, one->pool, inv, one->f);
	struct pci_device pci = { .exists = false };
	struct representor rep;
	struct vdpa_device vdpa;
	bool known;
	int r;

	r = find_vdpa(host, one->f, wants.vdpa_type, &vdpa, e);
	if (r != 0)
		return r < 0 ? -1 : vdpa_info_discover(host, &vdpa, ret, e);
	known = find_representor(inv, one->f, &rep);
	r = read_pci(host, one->f, known, &pci, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_DEVICE, 0, "the device is gone");
	return device_info_discover(host, &pci, known ? &rep : NULL, ret, e);
}

int pool_file_check(const struct pool_file *one, struct err *e)
{
	const char *bdf = device_info_pci_address(&one->there);

	if (bdf && strcmp(bdf, one->f->bdf) == 0)
		return 0;
	return err_set(e, ERR_DEVINFO, 0, "its file is about %s",
		       bdf && *bdf ? bdf : device_kind_name(one->there.kind));
}

/* The member of `there` of which `ours` says something else, or nothing; NULL: there is none. */
static const char *find_other(json_t *there, json_t *ours)
{
	const char *key;
	json_t *v;

	json_object_foreach(there, key, v) {
		json_t *own = json_object_get(ours, key);
		bool is_deeper = json_is_object(v) && json_is_object(own);
		const char *other = is_deeper ? find_other(v, own) :
				    json_equal(v, own) ? NULL : key;

		if (other && strcmp(key, "version") != 0)
			return other;
	}
	return NULL;
}

enum pool_file_says pool_file_compare(const struct pool_file *one, const struct device_info *ours,
				      struct err *e)
{
	json_auto_t *there = device_info_to_json(&one->there), *own = device_info_to_json(ours);
	const char *other = find_other(there, own);

	if (json_equal(there, own))
		return POOL_FILE_SAME;
	if (!other)
		return POOL_FILE_LESS;
	(void)err_set(e, ERR_DEVINFO, 0, "its file says something else (%.64s)", other);
	return POOL_FILE_OTHER;
}
