/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_selector.c - one object of "selectors" is read, and asked whether it selects a device
 *
 * Texts are compared as they are, as in sriov-network-device-plugin: "0x8086" is no vendor's.
 */
#include "manager/match/pool_selector.h"

#include "base/jx.h"
#include "base/nearest.h"
#include "manager/match/related.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PKEY_FULL = 0x8000 };

/* -- reading -- */

enum { OF_NET = 1 << POOL_NET_DEVICE, OF_ACCELERATOR = 1 << POOL_ACCELERATOR,
       OF_AUX = 1 << POOL_AUX_NET_DEVICE };

/* The keys, and the pools that may have them. */
static const struct {
	const char *key;
	unsigned int of;
} lists[] = {
	[SELECT_VENDORS] = { "vendors", OF_NET | OF_ACCELERATOR | OF_AUX },
	[SELECT_DEVICES] = { "devices", OF_NET | OF_ACCELERATOR | OF_AUX },
	[SELECT_DRIVERS] = { "drivers", OF_NET | OF_ACCELERATOR | OF_AUX },
	[SELECT_PCI_ADDRESSES] = { "pciAddresses", OF_NET | OF_ACCELERATOR },
	[SELECT_ACPI_INDEXES] = { "acpiIndexes", OF_NET | OF_ACCELERATOR },
	[SELECT_AUX_TYPES] = { "auxTypes", OF_AUX },
	[SELECT_PF_NAMES] = { "pfNames", OF_NET | OF_AUX },
	[SELECT_ROOT_DEVICES] = { "rootDevices", OF_NET | OF_AUX },
	[SELECT_LINK_TYPES] = { "linkTypes", OF_NET | OF_AUX },
	[SELECT_DDP_PROFILES] = { "ddpProfiles", OF_NET },
	[SELECT_PKEYS] = { "pKeys", OF_NET },
}, others[] = {
	{ "isRdma", OF_NET | OF_AUX },
	{ "needVhostNet", OF_NET },
	{ "vdpaType", OF_NET },
};
static_assert(ARRAY_SIZE(lists) == SELECTOR_LISTS, "each list has a key");

enum { KEYS = ARRAY_SIZE(lists) + ARRAY_SIZE(others) };

static unsigned int name_all(const char *names[KEYS], const char *key)
{
	unsigned int of = 0;

	for (size_t i = 0; i < KEYS; i++) {
		bool is_list = i < ARRAY_SIZE(lists);

		names[i] = is_list ? lists[i].key : others[i - ARRAY_SIZE(lists)].key;
		if (key && strcasecmp(key, names[i]) == 0)
			of = is_list ? lists[i].of : others[i - ARRAY_SIZE(lists)].of;
	}
	return of;
}

static int check_selector_keys(const json_t *o, const char *path, enum pool_type type,
			       struct err *e)
{
	const char *names[KEYS], *key;
	char hint[NEAREST_HINT];
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, key, v) {
		unsigned int of = name_all(names, key);

		if (of & 1U << type)
			continue;
		if (of)
			return err_set(e, ERR_NETCONF, 0, "%s.%s: not for this deviceType", path,
				       key);
		nearest_hint(key, names, KEYS, hint);
		return err_set(e, ERR_NETCONF, 0, "%s: unknown key '%.64s'%s", path, key, hint);
	}
	return 0;
}

/* What the plugin does not start with. */
static int check_together(const struct selector *s, const char *path, enum pool_type type,
			  struct err *e)
{
	const json_t *v;
	size_t i;

	if (s->vdpa_type && strcmp(s->vdpa_type, "vhost") != 0 &&
	    strcmp(s->vdpa_type, "virtio") != 0)
		return err_set(e, ERR_NETCONF, 0, "%s.vdpaType: '%.64s': expected vhost or virtio",
			       path, s->vdpa_type);
	if (s->vdpa_type && s->is_rdma)
		return err_set(e, ERR_NETCONF, 0, "%s: isRdma and vdpaType exclude each other",
			       path);
	if (type == POOL_AUX_NET_DEVICE && json_array_size(s->list[SELECT_AUX_TYPES]) == 0)
		return err_set(e, ERR_NETCONF, 0, "%s.auxTypes: missing, auxNetDevice needs it",
			       path);
	json_array_foreach(s->list[SELECT_AUX_TYPES], i, v)
		if (strcmp(json_string_value(v), "sf") != 0)
			return err_set(e, ERR_NETCONF, 0,
				       "%s.auxTypes[%zu]: '%.64s': there is but sf", path, i,
				       json_string_value(v));
	return 0;
}

int selector_read(const json_t *o, const char *path, enum pool_type type, struct selector *ret,
		  struct err *e)
{
	const char *names[KEYS];
	struct selector s = { .vdpa_type = NULL };

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			       jx_type_name(o));
	(void)name_all(names, NULL);
	if (check_selector_keys(o, path, type, e) < 0)
		return -1;
	jx_fold_keys((json_t *)(uintptr_t)o, names, KEYS);
	for (size_t i = 0; i < SELECTOR_LISTS; i++) {
		json_t *list = NULL;

		if (jx_strings(o, path, lists[i].key, &list, e) < 0)
			return -1;
		s.list[i] = list;
	}
	if (jx_bool(o, path, "isRdma", &s.is_rdma, e) < 0 ||
	    jx_bool(o, path, "needVhostNet", &s.need_vhost_net, e) < 0 ||
	    jx_string(o, path, "vdpaType", &s.vdpa_type, e) < 0)
		return -1;
	if (s.vdpa_type && !*s.vdpa_type)
		s.vdpa_type = NULL;
	if (check_together(&s, path, type, e) < 0)
		return -1;
	*ret = s;
	return 0;
}

/* -- lists -- */

static bool has(const struct selector *s, enum selector_list which, const char *text)
{
	const json_t *list = s->list[which], *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (strcmp(json_string_value(v), text) == 0)
			return true;
	return json_array_size(list) == 0;
}

/* Go's Atoi, of the n bytes: a sign and digits. */
static bool take_int(const char *s, size_t n, int *ret)
{
	char text[16], *end;
	long v;

	(void)snprintf(text, sizeof(text), "%.*s", (int)(n < sizeof(text) ? n : sizeof(text)), s);
	if (n == 0 || n >= sizeof(text) ||
	    strcspn(text, "0123456789") > (*text == '-' || *text == '+'))
		return false;
	v = strtol(text, &end, 10);
	*ret = (int)v;
	return !*end && v >= INT_MIN && v <= INT_MAX;
}

/* "3" or "3-5": 1, 0, -1: it is neither. */
static int is_in_range(const char *s, size_t n, int index)
{
	const char *dash = memchr(s, '-', n);
	size_t first = dash ? (size_t)(dash - s) : n;
	int from, to;

	if (!take_int(s, first, &from))
		return -1;
	if (!dash)
		return index == from;
	if (!take_int(dash + 1, n - first - 1, &to))
		return -1;
	return index >= from && index <= to;
}

/* "0,2-7,9", behind the '#'.  What cannot be read selects none from there on, as in the plugin. */
static bool is_in_ranges(const char *s, int index)
{
	if (strchr(s, '#'))
		return false;
	for (;;) {
		size_t n = strcspn(s, ",");
		int r = is_in_range(s, n, index);

		if (r != 0)
			return r > 0;
		if (!s[n])
			return false;
		s += n + 1;
	}
}

/* By the first entry for this PF, in any case; without ranges all of its functions. */
static bool has_part(const struct selector *s, enum selector_list which, const char *pf, int index)
{
	const json_t *list = s->list[which], *v;
	size_t i;

	json_array_foreach(list, i, v) {
		const char *text = json_string_value(v);
		size_t n = strcspn(text, "#");

		if (*pf && strlen(pf) == n && strncasecmp(text, pf, n) == 0)
			return !text[n] || is_in_ranges(text + n + 1, index);
	}
	return json_array_size(list) == 0;
}

/* -- devices -- */

/* f may be NULL. */
static bool is_rdma(const struct inventory *inv, const struct inv_function *f, const char *id)
{
	for (int i = f ? f->rdma : INV_NONE; i != INV_NONE; i = inv->rdmas[i].next)
		if (related_rdma_is_on(&inv->rdmas[i], id))
			return true;
	return false;
}

/* As there, one function is one vDPA device: of several none is it. */
static bool has_vdpa(const struct inventory *inv, const struct inv_function *f, const char *type)
{
	const struct inv_vdpa *one = NULL;
	char driver[32];

	for (int i = f->vdpa; i != INV_NONE; i = inv->vdpas[i].next) {
		if (!related_vdpa_is_on(&inv->vdpas[i], f->bdf))
			continue;
		if (one)
			return false;
		one = &inv->vdpas[i];
	}
	(void)snprintf(driver, sizeof(driver), "%s_vdpa", type);
	return one && strcmp(one->driver, driver) == 0;
}

/* "0x1" is 0x8001, too: the upper bit says whether all of the partition may be spoken to. */
static bool has_pkey(const struct selector *s, const struct inventory *inv,
		     const struct inv_function *f)
{
	const json_t *list = s->list[SELECT_PKEYS], *v;
	size_t n;

	for (int i = f->rdma; i != INV_NONE; i = inv->rdmas[i].next)
		json_array_foreach(list, n, v)
			if (*inv->rdmas[i].pkey && related_rdma_is_on(&inv->rdmas[i], f->bdf) &&
			    ((strtoul(json_string_value(v), NULL, 0) ^
			      strtoul(inv->rdmas[i].pkey, NULL, 16)) & ~PKEY_FULL) == 0)
				return true;
	return json_array_size(list) == 0;
}

static bool has_identity(const struct selector *s, const struct inv_function *f,
			 const char *driver)
{
	return has(s, SELECT_VENDORS, f ? f->vendor : "") &&
	       has(s, SELECT_DEVICES, f ? f->device : "") && has(s, SELECT_DRIVERS, driver);
}

/* pf may be NULL; link too. */
static bool has_place(const struct selector *s, const struct inventory *inv, const char *pf_bdf,
		      const struct inv_function *pf, int index, const struct inv_link *link)
{
	const struct inv_link *uplink = pf ? related_link(inv, pf->link) : NULL;

	return has_part(s, SELECT_PF_NAMES, uplink ? uplink->name : "", index) &&
	       has_part(s, SELECT_ROOT_DEVICES, pf_bdf, index) &&
	       has(s, SELECT_LINK_TYPES, link ? link->type : "");
}

/* Of a VF it is that of its card. */
static const char *package_of(const struct inventory *inv, const struct inv_function *f)
{
	const struct inv_function *pf = related_pf(inv, f);

	return *f->ddp || !pf ? f->ddp : pf->ddp;
}

static bool has_pci(const struct selector *s, const struct inventory *inv,
		    const struct inv_function *f)
{
	char index[16] = "";

	if (f->has_acpi_index)
		(void)snprintf(index, sizeof(index), "%d", f->acpi_index);
	return has(s, SELECT_PCI_ADDRESSES, f->bdf) && has(s, SELECT_ACPI_INDEXES, index) &&
	       has(s, SELECT_DDP_PROFILES, package_of(inv, f)) && has_pkey(s, inv, f);
}

bool selector_has_function(const struct selector *s, const struct inventory *inv,
			   const struct inv_function *f)
{
	const struct inv_function *pf = related_pf(inv, f);

	return has_identity(s, f, f->driver) && has_pci(s, inv, f) &&
	       has_place(s, inv, f->is_vf ? f->pf_bdf : f->bdf, pf, f->is_vf ? f->vf_index : -1,
			 related_link(inv, f->link)) &&
	       (!s->is_rdma || is_rdma(inv, f, f->bdf)) &&
	       (!s->vdpa_type || has_vdpa(inv, f, s->vdpa_type));
}

bool selector_has_auxiliary(const struct selector *s, const struct inventory *inv,
			    const struct inv_auxiliary *x)
{
	const struct inv_function *f = related_function(inv, x->function);
	const struct inv_function *pf = f ? related_pf(inv, f) : NULL;

	return has_identity(s, f, x->driver) && has(s, SELECT_AUX_TYPES, x->type) &&
	       has_place(s, inv, x->pf_bdf, pf, x->has_sf ? x->sf : -1,
			 related_link(inv, x->link)) &&
	       (!s->is_rdma || is_rdma(inv, f, x->name));
}

/* -- what can be in a pool at all -- */

/* That of a tree that somebody wrote by hand may be missing: it is one of network devices then. */
static bool has_class(const struct inv_function *f, const char *class)
{
	return f && strncmp(*f->class ? f->class : "02", class, 2) == 0;
}

/* Representors of a PF are none of its network devices. */
static bool has_default_route(const struct inventory *inv, const struct inv_function *f)
{
	const struct inv_link *l = related_link(inv, f->link);

	return l && l->default_route;
}

bool selector_takes(enum pool_type type, const struct inventory *inv,
		    const struct inv_function *f, const struct inv_auxiliary *x)
{
	if (type == POOL_AUX_NET_DEVICE)
		return x && has_class(related_function(inv, x->function), "02");
	if (!f || f->num_vfs > 0)
		return false;
	if (type == POOL_ACCELERATOR)
		return has_class(f, "12");
	return has_class(f, "02") && !has_default_route(inv, f);
}
