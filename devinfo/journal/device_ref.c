/* SPDX-License-Identifier: Apache-2.0 */
/* device_ref.c - a device by whatever name a device plugin, a driver or a person gives it */
#include "devinfo/journal/device_ref.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/sysfs.h"
#include "devinfo/node/vdpa_device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *device_ref_kind_name(enum device_ref_kind kind)
{
	static const char *const names[] = {
		[DEVICE_REF_NONE] = "nothing known here",
		[DEVICE_REF_PCI] = "PCI address",
		[DEVICE_REF_AUXILIARY] = "auxiliary device",
		[DEVICE_REF_VDPA] = "vDPA device",
		[DEVICE_REF_NETDEV] = "network device",
	};

	return names[kind];
}

int device_ref_unknown(const char *id, struct err *e)
{
	char hint[NAME_BDF_HINT];

	return err_set(e, ERR_DEVICE, ENODEV, "deviceID '%.64s': this node has no such PCI, "
		       "auxiliary, vDPA or network device%s", id, name_bdf_hint(id, hint));
}

/* -- the forms of an id -- */

static const char *after(const char *id, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(id, prefix, len) == 0 ? id + len : NULL;
}

/* -- what sysfs knows -- */

static int find_auxiliary(const struct host *host, struct device_ref *ref, struct err *e)
{
	struct sub_function sf;
	int r = sysfs_sub_function(host, ref->name, &sf, e);

	if (r <= 0)
		return r;
	ref->kind = DEVICE_REF_AUXILIARY;
	memcpy(ref->netdev, sf.netdev, sizeof(ref->netdev));
	if (*sf.netdev)
		memcpy(ref->key, sf.name, sizeof(ref->key));
	return 1;
}

static int find_vdpa(const struct host *host, struct device_ref *ref, struct err *e)
{
	struct vdpa_device dev;
	int r = vdpa_device_read(host, ref->name, &dev, e);

	if (r <= 0)
		return r;
	ref->kind = DEVICE_REF_VDPA;
	ref->is_part = true;
	memcpy(ref->driver, dev.driver, sizeof(dev.driver));
	memcpy(ref->netdev, dev.netdev, sizeof(ref->netdev));
	(void)snprintf(ref->key, sizeof(ref->key), "%s",
		       *dev.bdf	       ? dev.bdf :
		       *dev.auxiliary  ? dev.auxiliary :
					 dev.name);
	return 1;
}

/* Several ports on one function: its first is not the one asked for. */
static int key_of_netdev(const struct host *host, const struct net_device *net, char ret[64],
			 struct err *e)
{
	struct sub_function sf;
	struct pci_device pci;
	int r = 0;

	(void)snprintf(ret, 64, "%s", net->name);
	if (*net->auxiliary) {
		r = sysfs_sub_function(host, net->auxiliary, &sf, e);
		if (r > 0 && strcmp(sf.netdev, net->name) == 0)
			memcpy(ret, sf.name, sizeof(sf.name));
	} else if (*net->bdf) {
		r = sysfs_pci(host, net->bdf, &pci, e);
		if (r > 0 && strcmp(pci.netdev, net->name) == 0)
			(void)snprintf(ret, 64, "%s", pci.bdf);
	}
	return r < 0 ? -1 : 1;
}

static int find_netdev(const struct host *host, struct device_ref *ref, struct err *e)
{
	int r = sysfs_netdev_place(host, ref->name, &ref->net, e);

	if (r <= 0)
		return r;
	ref->kind = DEVICE_REF_NETDEV;
	memcpy(ref->netdev, ref->net.name, sizeof(ref->netdev));
	return key_of_netdev(host, &ref->net, ref->key, e);
}

bool device_ref_is_plain_netdev(const struct device_ref *ref)
{
	return ref->kind == DEVICE_REF_NETDEV && strcmp(ref->key, ref->netdev) == 0;
}

int device_ref_find(const struct host *host, const char *id, struct device_ref *ret, struct err *e)
{
	static int (*const buses[])(const struct host *host, struct device_ref *ref,
				    struct err *e) = { find_auxiliary, find_vdpa, find_netdev };
	struct device_ref ref = { 0 };
	const char *name = device_id_plain(id);
	int r = 0;

	if (name_to_bdf(id, ref.name)) {
		ref.kind = DEVICE_REF_PCI;
		memcpy(ref.key, ref.name, sizeof(ref.key));
		*ret = ref;
		return 1;
	}
	if (!name_is_file(name) || strlen(name) >= sizeof(ref.name))
		return 0;
	memcpy(ref.name, name, strlen(name) + 1);
	for (size_t i = 0; i < (name == id ? ARRAY_SIZE(buses) : 1) && r == 0; i++)
		r = buses[i](host, &ref, e);
	if (r > 0)
		*ret = ref;
	return r < 0 ? err_wrap(e, "device '%.64s'", id) : r;
}

int device_ref_find_netdev(const struct host *host, const char *name, struct device_ref *ret,
			   struct err *e)
{
	struct device_ref ref = { .kind = DEVICE_REF_NONE };
	int r;

	if (strlen(name) >= sizeof(ref.name))
		return 0;
	memcpy(ref.name, name, strlen(name) + 1);
	r = find_netdev(host, &ref, e);
	if (r > 0)
		*ret = ref;
	return r < 0 ? err_wrap(e, "device '%.64s'", name) : r;
}

bool device_ref_is_netdev(const struct host *host, const char *id)
{
	struct device_ref ref = { .kind = DEVICE_REF_NONE };
	struct err ignored;	/* what cannot be read is told by its form */

	return name_is_ifname(id) && (device_ref_find(host, id, &ref, &ignored) <= 0 ||
				      ref.kind == DEVICE_REF_NETDEV);
}

const char *device_id_plain(const char *id)
{
	const char *rest = after(id, "auxiliary/");

	return rest ? rest : id;
}

/* -- what the journal knows -- */

struct search {
	const struct host *host;
	struct journal *j;
	const char *id;
	struct device_ref ref;		/* what it is at home */
	device_ref_fn *fn;
	void *arg;
};

/* What stays in its container was never called at home what it is called there. */
static bool has_name(const struct record *rec, const char *name)
{
	return !rec->chained && rec->netdev.present &&
	       (strcmp(rec->netdev.name, name) == 0 || strcmp(rec->netdev.parent, name) == 0);
}

/* It has another vDPA device of the same function, and nothing else of that. */
static bool is_beside(const struct record *rec, const struct search *s)
{
	return s->ref.kind == DEVICE_REF_VDPA && record_leaves_function(rec) &&
	       strcmp(rec->vdpa.name, s->ref.name) != 0;
}

static bool is_about(const struct record *rec, const struct search *s)
{
	if (socket_state_is_key(s->id))
		return socket_state_has_key(&rec->socket, s->id);
	if (is_beside(rec, s))
		return false;
	if (rec->device_id && name_ids_equal(rec->device_id, s->id))
		return true;
	if (*rec->device && (name_ids_equal(rec->device, s->id) ||
			     strcmp(rec->device, s->ref.key) == 0))
		return true;
	return !*s->ref.netdev && has_name(rec, s->id);
}

/* The walk's record is the walk's own: fn gets another one, read by its name. */
static int tell_record(const struct record *seen, const struct search *s, struct err *e)
{
	auto_record struct record rec = { 0 };
	int r = journal_get(s->j, seen, &rec, e);

	return r > 0 ? s->fn(&rec, s->arg, e) : r;
}

static int visit_named(const struct record *seen, void *arg, struct err *e)
{
	const struct search *s = arg;
	int r;

	if (seen->released || !is_about(seen, s))
		return 0;
	/* a socket's directory, and the port in a switch's database, may outlive a boot */
	r = record_is_path(seen) || *seen->ovs.port ? 1 : owner_this_boot(s->host, seen, e);
	return r > 0 ? tell_record(seen, s, e) : r;
}

static int visit_of_function(const struct record *seen, void *arg, struct err *e)
{
	return seen->released ? 0 : tell_record(seen, arg, e);
}

int device_ref_each_of(const struct host *host, struct journal *j, const char *id,
		       const struct device_ref *ref, device_ref_fn *fn, void *arg, struct err *e)
{
	struct search s = { .host = host, .j = j, .id = device_id_plain(id), .ref = *ref, .fn = fn,
			    .arg = arg };
	const char *names[] = { s.id, s.ref.key };

	if (ref->kind == DEVICE_REF_PCI)
		return journal_check_device(j, ref->name, e) < 0 ?
			       -1 : journal_each_of(j, ref->name, visit_of_function, &s, e);
	return journal_each_called(j, names, ARRAY_SIZE(names), visit_named, &s, e);
}

int device_ref_each(const struct host *host, struct journal *j, const char *id, device_ref_fn *fn,
		    void *arg, struct err *e)
{
	struct device_ref ref = { .kind = DEVICE_REF_NONE };

	return device_ref_find(host, id, &ref, e) < 0 ?
		       -1 : device_ref_each_of(host, j, id, &ref, fn, arg, e);
}
