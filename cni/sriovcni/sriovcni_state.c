/* SPDX-License-Identifier: Apache-2.0 */
/* sriovcni_state.c - what sriov-cni has written down of its attachments */
#include "cni/sriovcni/sriovcni_state.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define ORIG		"OrigVfState"
#define OUR_ID		"devinfo.containerID"
#define OUR_IFNAME	"devinfo.ifname"
#define TXQLEN_USUAL	1000	/* packets; what the kernel gives Ethernet devices */

/* -- the text of a record -- */

/* An address as Go prints it; "" and an absent one are none: 1, 0, -1. */
static int take_mac(const json_t *o, const char *path, const char *key, uint8_t ret[MAC_LEN],
		    struct err *e)
{
	const char *text = NULL;

	if (jx_string(o, path, key, &text, e) < 0)
		return -1;
	if (!text || !*text)
		return 0;
	if (!mac_parse(text, ret))
		return err_set(e, ERR_DECODE, 0, "%s%s%s: '%.64s' is not an Ethernet address", path,
			       *path ? "." : "", key, text);
	return 1;
}

/* As the kernel says it; releases on a machine of the other byte order have it swapped. */
static bool take_proto(json_int_t n, uint16_t *ret)
{
	switch (n) {
	case 0:
	case VF_PROTO_8021Q:
	case 0x0081:
		*ret = VF_PROTO_8021Q;
		return true;
	case VF_PROTO_8021AD:
	case 0xa888:
		*ret = VF_PROTO_8021AD;
		return true;
	default:
		return false;
	}
}

static int take_vlan(const json_t *o, struct vf_state *vf, struct err *e)
{
	json_int_t vlan = 0, qos = 0, proto = 0;
	int r = jx_int(o, ORIG, "Vlan", 0, 4095, &vlan, e);

	if (r < 0 || jx_int(o, ORIG, "VlanQoS", 0, 7, &qos, e) < 0 ||
	    jx_int(o, ORIG, "VlanProto", 0, UINT16_MAX, &proto, e) < 0)
		return -1;
	if (!take_proto(proto, &vf->proto))
		return err_set(e, ERR_DECODE, 0, ORIG ".VlanProto: %lld is not a VLAN protocol",
			       (long long)proto);
	vf->vlan = (uint16_t)vlan;
	vf->qos = (uint8_t)qos;
	vf->have |= r > 0 ? VF_VLAN : 0;
	return 0;
}

static int take_rates(const json_t *o, struct vf_state *vf, struct err *e)
{
	json_int_t min = 0, max = 0;
	int has_min = jx_int(o, ORIG, "MinTxRate", 0, UINT32_MAX, &min, e), has_max;

	if (has_min < 0)
		return -1;
	has_max = jx_int(o, ORIG, "MaxTxRate", 0, UINT32_MAX, &max, e);
	if (has_max < 0)
		return -1;
	vf->min_tx_rate = (uint32_t)min;
	vf->max_tx_rate = (uint32_t)max;
	vf->have |= has_min || has_max ? VF_RATE : 0;
	return 0;
}

/* What a release did not write yet is not known: have says so. */
static int take_vf(const json_t *o, struct vf_state *vf, struct err *e)
{
	json_int_t link = 0;
	int mac = take_mac(o, ORIG, "AdminMAC", vf->mac, e), spoofchk, trust, state;

	if (mac < 0 || take_vlan(o, vf, e) < 0 || take_rates(o, vf, e) < 0)
		return -1;
	spoofchk = jx_bool(o, ORIG, "SpoofChk", &vf->spoofchk, e);
	if (spoofchk < 0)
		return -1;
	trust = jx_bool(o, ORIG, "Trust", &vf->trust, e);
	if (trust < 0)
		return -1;
	state = jx_int(o, ORIG, "LinkState", VF_LINK_AUTO, VF_LINK_DISABLE, &link, e);
	if (state < 0)
		return -1;
	vf->link_state = (uint8_t)link;
	vf->have |= (mac ? VF_MAC : 0) | (spoofchk ? VF_SPOOFCHK : 0) | (trust ? VF_TRUST : 0) |
		    (state ? VF_LINK_STATE : 0);
	return 0;
}

/* A VF that had no network device is one for a program in user space. */
static int take_netdev(const json_t *o, struct record *rec, struct err *e)
{
	struct netdev_state *dev = &rec->netdev;
	const char *name = NULL;
	json_int_t mtu = 0;
	int mac = take_mac(o, ORIG, "EffectiveMAC", dev->addr, e);

	if (mac < 0 || jx_string(o, ORIG, "HostIFName", &name, e) < 0 ||
	    jx_int(o, ORIG, "MTU", 0, UINT32_MAX, &mtu, e) < 0)
		return -1;
	if (!name || !*name)
		return 0;
	if (!name_is_ifname(name))
		return err_set(e, ERR_DECODE, 0, ORIG ".HostIFName: '%.32s' is not an interface "
						      "name",
			       name);
	dev->present = true;
	memcpy(dev->name, name, strlen(name) + 1);
	dev->ifindex = 1;	/* not known; a VF is not recognised by it */
	dev->txqlen = TXQLEN_USUAL;
	dev->addr_len = mac ? MAC_LEN : 0;
	dev->mtu = (uint32_t)mtu;
	memcpy(dev->bus, "pci", sizeof("pci"));
	memcpy(dev->parent, rec->device, sizeof(dev->parent));
	return 0;
}

static bool has(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v && !json_is_null(v) && (!json_is_string(v) || json_string_length(v) > 0);
}

/* What its ADD has set is what its configuration says. */
static int take_settings(const json_t *doc, struct record *rec, struct err *e)
{
	static const struct {
		const char *key;
		enum vf_attr attr;
	} keys[] = {
		{ "vlan", VF_VLAN }, { "min_tx_rate", VF_RATE }, { "max_tx_rate", VF_RATE },
		{ "spoofchk", VF_SPOOFCHK }, { "trust", VF_TRUST }, { "link_state", VF_LINK_STATE },
	};
	int mac = take_mac(doc, "", "MAC", rec->mac, e);

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		rec->vf_set |= has(doc, keys[i].key) ? keys[i].attr : 0;
	rec->vf_set |= mac > 0 ? VF_MAC : 0;
	return mac < 0 ? -1 : 0;
}

static int take_device(const json_t *doc, struct record *rec, struct err *e)
{
	const char *id = NULL;

	if (jx_string(doc, "", "deviceID", &id, e) < 0)
		return -1;
	if (!id || !name_is_bdf(id))
		return err_set(e, ERR_DECODE, 0, "deviceID: '%.32s' is not a PCI address",
			       id ? id : "");
	rec->device_id = id;
	for (size_t i = 0; i <= strlen(id); i++)
		rec->device[i] = (char)tolower((unsigned char)id[i]);
	rec->is_pci = rec->unique_parent = true;
	return 0;
}

/* Its IPAM plugin's own configuration is not in the file: Go keeps only the type. */
static int take_names(const json_t *doc, struct sriovcni_state *s, struct err *e)
{
	const char *name = NULL, *type = NULL;
	json_t *ipam = NULL;

	if (jx_string(doc, "", "name", &name, e) < 0 ||
	    jx_string(doc, "", "type", &s->type, e) < 0 ||
	    jx_object(doc, "", "ipam", &ipam, e) < 0 ||
	    jx_string(ipam, "ipam", "type", &type, e) < 0)
		return -1;
	if (!name || !name_is_cni_id(name))
		return err_set(e, ERR_DECODE, 0, "name: '%.64s' is no network's", name ? name : "");
	if (type && *type && !name_is_file(type))
		return err_set(e, ERR_DECODE, 0, "ipam.type: '%.64s' is not a plugin's name", type);
	s->rec.owner.network = name;
	s->rec.lease_of = type && *type ? type : NULL;
	return 0;
}

int sriovcni_state_parse(const char *text, size_t len, struct sriovcni_state *ret, struct err *e)
{
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	json_t *orig = NULL;
	struct record *rec = &s.rec;

	rec->doc = jx_parse(text, len, ERR_DECODE, "a record of sriov-cni", e);
	if (!rec->doc)
		return -1;
	if (!json_is_object(rec->doc))
		return err_set(e, ERR_DECODE, 0, "expected an object, got %s",
			       jx_type_name(rec->doc));
	if (jx_object(rec->doc, "", ORIG, &orig, e) < 0)
		return -1;
	if (!orig)		/* an early release, and all else */
		return err_set(e, ERR_DECODE, 0, "'" ORIG "' is missing");
	if (take_names(rec->doc, &s, e) < 0 || take_device(rec->doc, rec, e) < 0 ||
	    take_settings(rec->doc, rec, e) < 0 || take_vf(orig, &rec->vf, e) < 0 ||
	    take_netdev(orig, rec, e) < 0)
		return -1;
	rec->owner.container_id = rec->owner.ifname = rec->owner.netns = "";
	*ret = s;
	s = (struct sriovcni_state){ 0 };
	return 0;
}

/* -- whose it is -- */

/* A copy that lives as long as the record's other strings. */
static const char *hold(json_t *doc, const char *key, const char *text, size_t len)
{
	(void)json_object_set_new(doc, key, json_stringn(text, len));
	return json_string_value(json_object_get(doc, key));
}

static bool set_owner(struct sriovcni_state *s, const char *id, size_t len, const char *ifname)
{
	struct owner *o = &s->rec.owner;
	const char *container = hold(s->rec.doc, OUR_ID, id, len);
	const char *interface = hold(s->rec.doc, OUR_IFNAME, ifname, strlen(ifname));

	if (!container || !name_is_cni_id(container) || !interface || !name_is_ifname(interface))
		return false;
	o->container_id = container;
	o->ifname = interface;
	return true;
}

/* Engines' ids have 64 of them. */
static bool is_hex(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return len == 64;
}

/* Both parts may have '-': an id of the usual form ends at the first, another one at the last. */
static bool split_name(struct sriovcni_state *s)
{
	const char *name = s->file, *first = strchr(name, '-'), *last = strrchr(name, '-');
	const char *known = json_string_value(json_object_get(s->rec.doc, "ContIFNames"));
	size_t len = strlen(name), tail = known ? strlen(known) : 0;

	if (!first)
		return false;
	if (tail && len > tail + 1 && name[len - tail - 1] == '-' &&
	    strcmp(name + len - tail, known) == 0)
		first = last = name + len - tail - 1;
	if (!is_hex(name, (size_t)(first - name)))
		first = last;
	return set_owner(s, name, (size_t)(first - name), first + 1);
}

/* -- files -- */

int sriovcni_state_open(const struct host *h, int *ret, struct err *e)
{
	return fs_find_dir(h->root, h->set.sriov_state_dir, ret, e);
}

/*
 * Does the text say of which device it is, and that that is another one?  Found without parsing
 * it, which is what takes the time, and in one that is torn.
 */
static bool is_anothers(const char *text, const char *bdf)
{
	static const char key[] = "\"deviceID\":\"";
	bool found = false;

	for (const char *p = text; (p = strstr(p, key));) {
		char id[32];
		size_t len;

		p += sizeof(key) - 1;
		len = strcspn(p, "\"");
		if (p[len] != '"' || len >= sizeof(id))
			return false;
		memcpy(id, p, len);
		id[len] = '\0';
		if (!name_is_bdf(id) || strcasecmp(id, bdf) == 0)
			return false;
		found = true;
	}
	return found;
}

/* Without its owner; bdf as in sriovcni_state_read_file(). */
static int read_state(int dir, const char *name, const char *bdf, struct sriovcni_state *ret,
		      struct err *e)
{
	auto_free char *text = NULL;
	struct sriovcni_state s = { 0 };
	struct stat st;
	size_t len;
	int r = fs_read_file(dir, name, SRIOVCNI_STATE_MAX, &text, &len, e);

	if (r < 0 && fs_is_unreadable(e->sys))
		e->code = ERR_DECODE;
	if (r > 0 && bdf && is_anothers(text, bdf))
		return 0;
	if (r > 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "stat '%s'", name);
	if (r > 0 && sriovcni_state_parse(text, len, &s, e) < 0) {
		e->code = ERR_DECODE;
		r = -1;
	}
	if (r < 0) {
		(void)err_wrap(e, "sriov-cni's '%.128s'", name);
		return bdf ? err_hide(e, "a record of sriov-cni's, which may be of %s", bdf) : -1;
	}
	if (r == 0)
		return 0;
	s.written = st.st_mtim;
	memcpy(s.file, name, strlen(name) + 1);	/* it was opened, so it fits */
	*ret = s;
	return 1;
}

int sriovcni_state_read(int dir, const char *container_id, const char *ifname,
		     struct sriovcni_state *ret, struct err *e)
{
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	char name[NAME_MAX + 1];
	int n = snprintf(name, sizeof(name), "%s-%s", container_id, ifname);
	int r = n > 0 && n <= NAME_MAX && name_is_file(name) ? read_state(dir, name, NULL, &s, e) :
							       0;

	if (r <= 0)
		return r;
	if (!set_owner(&s, container_id, strlen(container_id), ifname))
		return 0;
	*ret = s;
	s = (struct sriovcni_state){ 0 };
	return 1;
}

int sriovcni_state_read_file(int dir, const char *name, const char *bdf, struct sriovcni_state *ret,
			  struct err *e)
{
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	int r = read_state(dir, name, bdf, &s, e);

	if (r <= 0 || (bdf && strcmp(s.rec.device, bdf) != 0))
		return r < 0 ? -1 : 0;
	if (!split_name(&s))
		return 0;
	*ret = s;
	s = (struct sriovcni_state){ 0 };
	return 1;
}

struct walk {
	int dir;
	time_t since;
	fs_name_fn *fn;
	void *arg;
};

static int visit_state(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	struct stat st;

	if (!strchr(name, '-'))
		return 0;
	if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "stat '%s'", name);
	return S_ISREG(st.st_mode) && st.st_mtime >= w->since ? w->fn(name, w->arg, e) : 0;
}

int sriovcni_state_each(int dir, time_t since, fs_name_fn *fn, void *arg, struct err *e)
{
	struct walk w = { dir, since, fn, arg };

	return fs_each(dir, ".", visit_state, &w, e);
}

int sriovcni_state_remove(int dir, const struct sriovcni_state *s, struct err *e)
{
	return fs_remove(dir, s->file, e) < 0 ? err_wrap(e, "sriov-cni's record") : 0;
}

void sriovcni_state_done(struct sriovcni_state *s)
{
	record_done(&s->rec);
	s->type = NULL;
}
