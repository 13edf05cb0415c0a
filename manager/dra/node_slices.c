/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_slices.c - the ResourceSlices of a node, made from its inventory
 *
 * A PF that is published with parts of it (VFs, sub-functions) shares a counter with them: each
 * part takes one of it, the PF all, for a PF that is given away takes its parts with it.  The sets
 * of counters are in slices of their own, as API servers since 1.35 want them.
 *
 * Parts come before PFs, for the scheduler tries devices in the order of their slices, and that of
 * 1.36 does not give back the counters of a device that it refuses by a taint or constraint
 * (kubernetes#140436): with a failed PF before them no VF of it would be allocated.
 */
#include "manager/dra/node_slices.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/node/sysfs.h"
#include "devinfo/taint/device_name.h"
#include "manager/dra/limits.h"
#include "manager/dra/slice_device.h"
#include "manager/match/related.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER "functions"		/* of the set of a PF: its parts */

struct making {
	const struct inventory *inv;
	const struct node_slices_wish *wish;
	bool *hosts;			/* owned; of each function: it, or a part, is the host's */
	int *parts;			/* owned; of each function: how many are published */
	json_t *devices, *sets;		/* owned */
	json_t *names;			/* owned; of the devices so far */
};

static void making_done(const struct making *m)
{
	free(m->hosts);
	free(m->parts);
	json_decref(m->devices);
	json_decref(m->sets);
	json_decref(m->names);
}

/* -- what the host uses itself -- */

/* The kernel makes an address of the link's scope by itself. */
static bool has_own_address(const struct inv_link *l)
{
	for (size_t i = 0; i < l->n_ips; i++)
		if (strncmp(l->ips[i], "fe80:", 5) != 0)
			return true;
	return false;
}

/* What cannot be told is taken for yes. */
static bool link_is_hosts(const struct making *m, int link)
{
	const struct inv_link *l = related_link(m->inv, link);
	const struct host *host = m->wish->host;
	struct err ignored;
	char names[128] = "";

	if (!l)
		return false;
	return l->default_route || *l->master || has_own_address(l) ||
	       (host && (sysfs_uppers(host, l->name, names, &ignored) < 0 || *names));
}

/* Its own network device, or that of a vDPA device on it. */
static bool function_is_hosts(const struct making *m, const struct inv_function *f)
{
	if (link_is_hosts(m, f->link))
		return true;
	for (int i = f->vdpa; i != INV_NONE; i = m->inv->vdpas[i].next)
		if (link_is_hosts(m, m->inv->vdpas[i].link))
			return true;
	return false;
}

static bool auxiliary_is_hosts(const struct making *m, const struct inv_auxiliary *x)
{
	return link_is_hosts(m, x->link);
}

static int find_hosts(struct making *m, struct err *e)
{
	const struct inventory *inv = m->inv;

	m->hosts = calloc(inv->n_functions + 1, sizeof(*m->hosts));
	m->parts = calloc(inv->n_functions + 1, sizeof(*m->parts));
	if (!m->hosts || !m->parts)
		return err_set(e, ERR_IO, ENOMEM, "slices");
	for (size_t i = 0; i < inv->n_functions; i++)
		m->hosts[i] = function_is_hosts(m, &inv->functions[i]);
	return 0;
}

/* -- what is published -- */

static bool cluster_has(const struct making *m, enum kubernetes_feature feature)
{
	return !m->wish->kubernetes || kubernetes_has(m->wish->kubernetes, feature);
}

/* Of a driver for user space others than network functions are in the inventory, too. */
static bool is_wanted(const struct making *m, const struct inv_function *f)
{
	const struct pools *p = m->wish->pools;

	return !f->vanished && !m->hosts[f - m->inv->functions] &&
	       (!*f->class || strncmp(f->class, "02", 2) == 0 ||
		(p && pools_find(p, m->inv, f, NULL) != INV_NONE));
}

/* The others of the auxiliary bus are how a driver takes itself apart. */
static bool is_wanted_auxiliary(const struct making *m, const struct inv_auxiliary *x)
{
	const struct pools *p = m->wish->pools;

	return !auxiliary_is_hosts(m, x) &&
	       (x->has_sf || (p && pools_find(p, m->inv, NULL, x) != INV_NONE));
}

/* A part: published, it is one more of its PF; the host's, its PF is not to be given away. */
static void count_part(const struct making *m, int pf, bool published, bool hosts)
{
	if (!related_function(m->inv, pf))
		return;
	m->parts[pf] += published;
	m->hosts[pf] |= hosts;
}

static void count_parts(const struct making *m)
{
	const struct inventory *inv = m->inv;

	for (size_t i = 0; i < inv->n_functions; i++)
		if (inv->functions[i].is_vf)
			count_part(m, inv->functions[i].pf, is_wanted(m, &inv->functions[i]),
				   m->hosts[i]);
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		if (inv->auxiliaries[i].has_sf)
			count_part(m, inv->auxiliaries[i].function,
				   is_wanted_auxiliary(m, &inv->auxiliaries[i]),
				   auxiliary_is_hosts(m, &inv->auxiliaries[i]));
}

/* -- counters -- */

static json_t *counters(int n)
{
	return json_pack("{s:{s:o}}", COUNTER, "value", json_sprintf("%d", n));
}

static void set_name(const struct inv_function *pf, char ret[DEVICE_NAME_SIZE])
{
	char name[DEVICE_NAME_SIZE];

	device_name_function(pf->bdf, name);
	(void)snprintf(ret, DEVICE_NAME_SIZE, "pf-%.32s", name);
}

/* n of the PF's, where that is published and has parts. */
static void consume(const struct making *m, json_t *device, int pf, int n)
{
	const struct inv_function *f = related_function(m->inv, pf);
	char name[DEVICE_NAME_SIZE];

	if (!f || m->parts[pf] == 0 || !is_wanted(m, f) || !cluster_has(m, KUBERNETES_PARTITIONS))
		return;
	set_name(f, name);
	(void)json_object_set_new(device, "consumesCounters",
				  json_pack("[{s:s,s:o}]", "counterSet", name, "counters",
					    counters(n)));
}

static void add_set(const struct making *m, size_t pf)
{
	char name[DEVICE_NAME_SIZE];

	set_name(&m->inv->functions[pf], name);
	(void)json_array_append_new(m->sets, json_pack("{s:s,s:o}", "name", name, "counters",
						       counters(m->parts[pf])));
}

/* -- devices -- */

static void count_left(size_t *n)
{
	if (n)
		(*n)++;
}

/* A cluster without taints would give away a device that is not well. */
static bool is_untold(const struct making *m, const json_t *device)
{
	if (!json_object_get(device, "taints") || cluster_has(m, KUBERNETES_TAINTS))
		return false;
	count_left(m->wish->left ? &m->wish->left->tainted : NULL);
	return true;
}

/* Takes the reference, NULL being an error already told.  No two have one name. */
static int add_device(const struct making *m, json_t *device)
{
	const char *name = json_string_value(json_object_get(device, "name"));

	if (!device)
		return -1;
	if (!json_object_get(m->names, name) && !is_untold(m, device)) {
		(void)json_object_set_new(m->names, name, json_true());
		(void)json_array_append(m->devices, device);
	}
	json_decref(device);
	return 0;
}

/* A cluster without counters would give away a PF and its parts, too: its parts are more. */
static bool is_shared_untold(const struct making *m, size_t pf)
{
	if (m->parts[pf] == 0 || cluster_has(m, KUBERNETES_PARTITIONS))
		return false;
	count_left(m->wish->left ? &m->wish->left->pfs : NULL);
	return true;
}

static int add_function(const struct making *m, size_t i, struct err *e)
{
	const struct inv_function *f = &m->inv->functions[i];
	json_t *device;

	if (!is_wanted(m, f) || is_shared_untold(m, i))
		return 0;
	device = slice_device_function(m->inv, m->wish, f, e);
	if (device && f->is_vf) {
		consume(m, device, f->pf, 1);
	} else if (device && m->parts[i] > 0) {
		consume(m, device, (int)i, m->parts[i]);
		add_set(m, i);
	}
	return add_device(m, device);
}

static int add_auxiliary(const struct making *m, const struct inv_auxiliary *x, struct err *e)
{
	json_t *device;

	if (!is_wanted_auxiliary(m, x))
		return 0;
	device = slice_device_auxiliary(m->inv, m->wish, x, e);
	if (device && x->has_sf)
		consume(m, device, x->function, 1);
	return add_device(m, device);
}

static int add_functions(const struct making *m, bool vfs, struct err *e)
{
	for (size_t i = 0; i < m->inv->n_functions; i++)
		if (m->inv->functions[i].is_vf == vfs && add_function(m, i, e) < 0)
			return -1;
	return 0;
}

static int add_devices(const struct making *m, struct err *e)
{
	const struct inventory *inv = m->inv;

	if (add_functions(m, true, e) < 0)
		return -1;
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		if (add_auxiliary(m, &inv->auxiliaries[i], e) < 0)
			return -1;
	if (add_functions(m, false, e) < 0)
		return -1;
	for (size_t i = 0; i < inv->n_vdpas; i++)
		if (inv->vdpas[i].function == INV_NONE && !link_is_hosts(m, inv->vdpas[i].link) &&
		    add_device(m, slice_device_vdpa(inv, &inv->vdpas[i])) < 0)
			return -1;
	return 0;
}

/* -- slices -- */

/* A word for a node whose name is too long where it has to stand. */
static void node_word(const struct node_slices_wish *w, char ret[32])
{
	(void)snprintf(ret, 32, "node-%016llx", (unsigned long long)name_hash(0, w->node));
}

/* "NODE-DRIVER", if that can be the beginning of a name at all. */
static void slice_base(const struct node_slices_wish *w, char ret[256])
{
	char word[32];

	node_word(w, word);
	if (snprintf(ret, 256, "%s-%s", w->node, w->driver) > 220)
		(void)snprintf(ret, 256, "%s-%.63s", word, w->driver);
}

/* The name of a node may be longer than the value of a label; its characters are allowed there. */
static json_t *make_labels(const struct node_slices_wish *w)
{
	char word[32];

	node_word(w, word);
	return json_pack("{s:s,s:s}", "app.kubernetes.io/managed-by", "devinfoctl",
			 NODE_SLICES_LABEL,
			 strlen(w->node) <= DRA_LABEL_VALUE_MAX ? w->node : word);
}

/* As the drivers of Kubernetes' own helper have it: with their Node the slices go. */
static json_t *make_owners(const struct node_slices_wish *w)
{
	return json_pack("[{s:s,s:s,s:s,s:s,s:b}]", "apiVersion", "v1", "kind", "Node", "name",
			 w->node, "uid", w->node_uid, "controller", 1);
}

static json_t *make_metadata(const struct node_slices_wish *w, const char *suffix, size_t no)
{
	char base[256];
	json_t *ret;

	slice_base(w, base);
	ret = json_pack("{s:o,s:o}", "name", json_sprintf("%s%s-%zu", base, suffix, no), "labels",
			make_labels(w));
	if (w->node_uid)
		(void)json_object_set_new(ret, "ownerReferences", make_owners(w));
	return ret;
}

/* The reference to the content is taken. */
static void add_slice(const struct making *m, json_t *slices, const char *suffix, size_t no,
		      const char *key, json_t *content)
{
	const struct node_slices_wish *w = m->wish;
	json_t *spec = json_pack("{s:s,s:{s:s,s:I},s:s}", "driver", w->driver, "pool", "name",
				 w->node, "generation", w->generation, "nodeName", w->node);

	(void)json_object_set_new(spec, key, content);
	(void)json_array_append_new(
		slices, json_pack("{s:s,s:s,s:o,s:o}", "apiVersion", "resource.k8s.io/v1", "kind",
				  "ResourceSlice", "metadata", make_metadata(w, suffix, no),
				  "spec", spec));
}

static bool is_costly(const json_t *device)
{
	return json_object_get(device, "taints") || json_object_get(device, "consumesCounters");
}

/* In order, as many as a slice may have of what is in it. */
static void add_device_slices(const struct making *m, json_t *slices)
{
	json_t *list = json_array(), *device;
	bool costly = false;
	size_t i, no = 0;

	json_array_foreach(m->devices, i, device) {
		costly |= is_costly(device);
		if (json_array_size(list) >=
		    (costly ? (size_t)DRA_DEVICES_MAX_FEW : (size_t)DRA_DEVICES_MAX)) {
			add_slice(m, slices, "", no++, "devices", list);
			list = json_array();
			costly = is_costly(device);
		}
		(void)json_array_append(list, device);
	}
	add_slice(m, slices, "", no, "devices", list);
}

static void add_counter_slices(const struct making *m, json_t *slices)
{
	json_t *list = NULL, *set;
	size_t i, no = 0;

	json_array_foreach(m->sets, i, set) {
		if (i % DRA_COUNTER_SETS_MAX == 0) {
			list = json_array();
			add_slice(m, slices, "-counters", no++, "sharedCounters", list);
		}
		(void)json_array_append(list, set);
	}
}

static json_t *pool_of(json_t *slice)
{
	return json_object_get(json_object_get(slice, "spec"), "pool");
}

static json_t *make_slices(const struct making *m)
{
	json_t *slices = json_array(), *slice;
	size_t i;

	add_device_slices(m, slices);
	add_counter_slices(m, slices);
	json_array_foreach(slices, i, slice)
		(void)json_object_set_new(pool_of(slice), "resourceSliceCount",
					  json_integer((json_int_t)json_array_size(slices)));
	return slices;
}

json_t *node_slices(const struct inventory *inv, const struct node_slices_wish *wish,
		    struct err *e)
{
	auto_with(making_done) struct making m = {
		.inv = inv, .wish = wish, .devices = json_array(), .sets = json_array(),
		.names = json_object(),
	};

	if (find_hosts(&m, e) < 0)
		return NULL;
	count_parts(&m);
	return add_devices(&m, e) < 0 ? NULL : make_slices(&m);
}

void node_slices_set_generation(json_t *slices, json_int_t generation)
{
	json_t *slice;
	size_t i;

	json_array_foreach(slices, i, slice)
		(void)json_object_set_new(pool_of(slice), "generation",
					  json_integer(generation));
}
