/* SPDX-License-Identifier: Apache-2.0 */
/* test_record.c - records, ledger and status of the version before (tests/node/before) */
#include "base/mac.h"
#include "cni/call/status.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/ledger_file.h"
#include "devinfo/journal/record.h"
#include "tests/unit/covered.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <fcntl.h>

/* Members of a socket that only the version before wrote, and nobody reads. */
static const char *const dropped[] = { "uid", "gid", "mode", "asUID", "asGID", "asMode", "asACL",
				       "asLabel", "dirSet", "acl", "defaultACL", "label" };

static json_t *sample(const char *name)
{
	char path[128];
	json_t *o;

	(void)snprintf(path, sizeof(path), "tests/node/before/%s.json", name);
	o = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	if (!o)
		bail_out(path);
	return o;
}

static void is_netdev(const struct netdev_state *s, const char *name, int ifindex, uint32_t mtu,
		      const char *addr)
{
	char text[MAC_TEXT];

	ok(s->present && s->ifindex == ifindex && s->mtu == mtu);
	eq(s->name, name);
	eq(mac_format(s->addr, text), addr);
}

static void netdev(const struct record *r)
{
	is_netdev(&r->netdev, "v0", 3, 1500, "02:00:00:00:00:0a");
	eq(r->netdev.kind, "veth");
	ok(r->netdev.addr_len == 6 && r->netdev.perm_len == 0 && r->netdev.txqlen == 1000);
	ok(r->netdev.alt.n == 1 && !r->netdev.alt.more && !r->netdev.ipoib.have);
	ok(!r->netdev.settings.have);	/* it says nothing of them */
	eq(r->netdev.alt.name[0], "enp1s0f0v0");
	eq(r->owner.network, "net");
	eq(r->owner.container_id, "c1");
	eq(r->owner.ifname, "net1");
	eq(r->owner.netns, "/run/netns/c1");
	ok(r->owner.netns_dev == 4 && r->owner.netns_ino == 4026532462 &&
	   r->owner.netns_cookie == 35415 && !r->owner.netns_own);
	eq(r->boot_id, "6b1e7a2c-58a5-4d0b-9a4e-000000000001");
	eq(r->device, "v0");
	ok(!r->is_pci && !r->unique_parent && !r->device_id && r->pod_ifindex == 3);
	eq(r->devinfo_dir, "/var/t/devinfo");
	eq(r->run_dir, "/var/t/run");
	eq(r->ipam_type, "fake");
	ok(strncmp(r->request, "{\"cniVersion\":\"1.0.0\",\"device\":\"v0\",", 36) == 0);
}

static void vf(const struct record *r)
{
	char text[MAC_TEXT];

	is_netdev(&r->netdev, "eth2", 4, 1500, "de:ac:a6:f0:68:05");
	eq(r->netdev.bus, "pci");
	eq(r->netdev.parent, "0000:01:10.0");
	ok(r->netdev.perm_len == 6 && memcmp(r->netdev.perm, r->netdev.addr, 6) == 0);
	ok(r->is_pci && r->unique_parent && r->vf.have == VF_ALL);
	ok(r->vf_set == (VF_MAC | VF_VLAN | VF_SPOOFCHK | VF_TRUST));
	eq(mac_format(r->mac, text), "02:00:00:00:59:01");
	eq(mac_format(r->vf.mac, text), "de:ac:a6:f0:68:05");
	ok(r->vf.vlan == 55 && r->vf.qos == 1 && r->vf.proto == 0x8100 && r->vf.min_tx_rate == 0);
	ok(r->vf.max_tx_rate == 700 && !r->vf.spoofchk && r->vf.trust && r->vf.link_state == 0);
	eq(r->device_id, "0000:01:10.0");
	eq(r->device_info_file, "lab-a_net1");
	ok(!r->known_clean && !r->reset && !r->port.present && !*r->driver.bound);
}

static void known_clean(const struct record *r)
{
	ok(r->known_clean && !r->reset && !r->released && r->vf.vlan == 55 && r->vf.spoofchk);
}

static void driver(const struct record *r)
{
	eq(r->driver.bound, "vfio-pci");
	eq(r->driver.before, "igbvf");
	eq(r->driver.override, "");
	is_netdev(&r->netdev, "vfnet0", 4, 1400, "de:ac:a6:f0:68:05");
	eq(r->netdev.alias, "kept");
	eq(r->netdev.alt.name[0], "enp1s16");
	ok(r->netdev.txqlen == 77 && !r->released && !r->ipam_type && !r->request);
}

static void released(const struct record *r)
{
	ok(r->released);
	eq(r->driver.before, "igbvf");
}

static void infiniband(const struct record *r)
{
	eq(r->rdma.name, "mlx5_3");
	ok(r->rdma.index == 3 && r->rdma.isolated && r->reset && r->owner.netns_own);
	eq(r->driver.bound, "");
	eq(r->driver.before, "mlx5_core");
	eq(r->netdev.kind, "ipoib");
	ok(r->netdev.addr_len == 20 && r->netdev.addr[3] == 0x87 && r->netdev.addr[19] == 3);
	ok(r->netdev.ipoib.have && r->netdev.ipoib.mode == 1 && r->netdev.ipoib.umcast == 0);
	ok(r->vf.have == (VF_GUIDS | VF_LINK_STATE) && r->vf_set == VF_GUIDS);
	ok(r->vf.node_guid == 0x0200000000000003 && r->vf.port_guid == 0x0200000000000003);
}

static void representor(const struct record *r)
{
	const struct port_state *p = &r->port;

	eq(p->name, "eth16");
	eq(p->master_name, "br1");
	eq(p->bridge_name, "br1");
	ok(p->present && p->ifindex == 21 && p->master == 26 && p->bridge == 26 && p->mtu == 1450);
	ok(p->up && p->vlans_set && p->mtu_set && !p->up_set && p->vlans.pvid == 1);
	ok(idset_has(&p->vlans.all, 3000) && idset_has(&p->vlans.all, 3010) &&
	   !idset_has(&p->vlans.all, 3011) && !idset_has(&p->vlans.untagged, 3000));
	ok(idset_has(&p->vlans.untagged, 1) && idset_has(&p->vlans.untagged, 7));
}

static void sub_function(const struct record *r)
{
	ok(r->sf_numbered && r->sf_number == 88 && !r->is_pci && r->unique_parent);
	ok(record_is_auxiliary(r) && r->netdev.ifindex == 29);
}

static void vdpa_created(const struct record *r)
{
	eq(r->vdpa.name, "dvcec6f96d33c7");
	eq(r->vdpa.mgmt, "vdpasim_net");
	eq(r->vdpa.driver, "virtio_vdpa");
	ok(r->vdpa.created && !r->vdpa.mac_set && !r->vdpa.owner_set && !r->vdpa.mode_set);
	eq(r->netdev.bus, "virtio");
}

static void vdpa_given(const struct record *r)
{
	char text[MAC_TEXT];

	eq(r->vdpa.name, "sim0");
	eq(r->vdpa.driver_before, "vhost_vdpa");
	eq(mac_format(r->vdpa.mac_before, text), "02:00:00:00:61:10");
	ok(!r->vdpa.created && r->vdpa.mac_set && r->vdpa.owner_set && r->vdpa.mode_set);
	ok(r->vdpa.uid == 0 && r->vdpa.gid == 0 && r->vdpa.mode == 0600 && !r->netdev.present);
	ok(record_leaves_function(r));
}

static void socket_ovs(const struct record *r)
{
	eq(r->device, "sk:,var,t,s,c1,net1.sock");
	eq(r->socket.path, "/var/t/s/c1/net1.sock");
	eq(r->socket.root, "/var/t/s");
	eq(r->socket.dir, "c1");
	eq(r->socket.switch_kind, "ovs");
	eq(r->socket.port, "dv5ac9603b3b28");
	eq(r->socket.db, "/var/t/ovs/db.sock");
	eq(r->socket.linked, "/var/t/ovs/dv5ac9603b3b28");
	ok(r->socket.made == 1 && !r->socket.memif && !r->socket.app_listens &&
	   !r->socket.from_plugin);
	ok(socket_state_has_key(&r->socket, r->device));
}

static void socket_memif_exec(const struct record *r)
{
	eq(r->socket.container, "/run/devinfo/sockets/net1.sock");
	eq(r->socket.in_switch, "/var/t/s/c1/net1.sock");
	eq(r->socket.switch_kind, "exec");
	eq(r->socket.exec, "/run/devinfo-test/switch");
	ok(r->socket.memif && r->socket.app_listens && r->socket.secret && r->socket.made == 1);
}

static void socket_directory(const struct record *r)
{
	ok(r->socket.made == 0 && r->socket.app_listens && !*r->socket.switch_kind);
	eq(r->socket.dir, "c1");
}

static void socket_given(const struct record *r)
{
	ok(r->socket.from_plugin && r->socket.made == 0 && !*r->socket.root && !*r->socket.dir);
	eq(record_device_name(r), "/var/t/dp/a.sock");
	eq(r->device_id, "s0");
}

static void chained(const struct record *r)
{
	char text[MAC_TEXT];

	ok(r->chained && r->mac_set && r->mtu_set && !*r->device && r->pod_ifindex == 2);
	is_netdev(&r->netdev, "net1", 2, 1500, "02:00:00:00:00:2a");
	eq(mac_format(r->mac, text), "02:00:00:00:00:77");
	ok(r->delegates_left == 0 && r->delegates_added == 0 && !r->chain_result);
}

static void meta(const struct record *r)
{
	const json_t *interfaces = json_object_get(r->chain_result, "interfaces");

	ok(r->chained && !r->mac_set && r->delegates_left == 3 && r->delegates_added == 3);
	eq(json_string_value(json_object_get(json_array_get(interfaces, 0), "name")), "net1");
	ok(r->request && strstr(r->request, "\"delegates\":[{\"makes\":true,"));
}

static void lease_of(const struct record *r)
{
	eq(r->lease_of, "fake");
	ok(r->released && !r->ipam_type && !r->request && r->vf_set == VF_VLAN);
}

static const struct {
	const char *name;
	void (*check)(const struct record *r);
} samples[] = {
	{ "netdev", netdev },
	{ "vf", vf },
	{ "known-clean", known_clean },
	{ "driver", driver },
	{ "released", released },
	{ "infiniband", infiniband },
	{ "representor", representor },
	{ "sub-function", sub_function },
	{ "vdpa-created", vdpa_created },
	{ "vdpa-given", vdpa_given },
	{ "socket-ovs", socket_ovs },
	{ "socket-memif-exec", socket_memif_exec },
	{ "socket-directory", socket_directory },
	{ "socket-given", socket_given },
	{ "chained", chained },
	{ "meta", meta },
	{ "lease-of", lease_of },
};

/* The members in which the two differ, as in "netdev.mtu bootID ". */
static const char *differences(json_t *have, json_t *want, const char *in, char ret[256])
{
	char of[64];
	const char *key;
	json_t *value, *now;

	json_object_foreach(want, key, value) {
		now = json_object_get(have, key);
		(void)snprintf(of, sizeof(of), "%s%s.", in, key);
		if (json_is_object(now) && json_is_object(value))
			(void)differences(now, value, of, ret);
		else if (!json_equal(now, value))
			(void)snprintf(ret + strlen(ret), 256 - strlen(ret), "%s%s ", in, key);
	}
	json_object_foreach(have, key, value)
		if (!json_object_get(want, key))
			(void)snprintf(ret + strlen(ret), 256 - strlen(ret), "%s%s ", in, key);
	return ret;
}

/* A row that is missing is missing in many samples: the first of them ends it. */
static bool records(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		auto_record struct record r = { .doc = sample(samples[i].name) };
		json_auto_t *want = json_deep_copy(r.doc), *now = NULL;
		char differing[256] = "", what[128];
		struct err e = { .msg = "" };

		(void)snprintf(what, sizeof(what), "%s is written as it was, but for what nobody "
			       "reads", samples[i].name);
		test(what);
		if (record_from_json(&r, &e) < 0)
			return eq(e.msg, "");
		for (size_t k = 0; k < ARRAY_SIZE(dropped); k++)
			(void)json_object_del(json_object_get(want, "socket"), dropped[k]);
		now = record_to_json(&r);
		if (!eq(differences(now, want, "", differing), ""))
			return false;
		test(samples[i].name);
		samples[i].check(&r);
	}
	return true;
}

static void refused(void)
{
	static const struct {
		const char *part, *key, *value, *why;
	} bad[] = {
		{ NULL, "netns", "null", "netns: missing" },
		{ NULL, "containerID", "\"a/b\"", "containerID: not valid" },
		{ NULL, "bootID", "\"0123456789012345678901234567890123456789\"",
		  "bootID: too long" },
		{ NULL, "device", "\"x\"", "device: not valid" },
		{ NULL, "request", "null", "request: missing" },
		{ NULL, "deviceInfoFile", "\"\"", "deviceInfoFile: not valid" },
		{ NULL, "podIfindex", "-1", "podIfindex: out of range" },
		{ NULL, "pod", "{\"namespace\":\"a\",\"name\":\"..\"}", "pod.name: not valid" },
		{ NULL, "driverOverride", "\"..\"", "driverOverride: not valid" },
		{ "netdev", "mtu", "-1", "netdev.mtu: out of range" },
		{ "netdev", "addr", "\"02000000000\"",
		  "netdev.addr: must be pairs of hexadecimal digits" },
		{ "netdev", "ifindex", "null", "netdev.ifindex: missing" },
		{ "netdev", "altnames", "[\"2f\",\"\"]", "netdev.altnames: not valid" },
		{ "netdev", "flags", "2147483648", "netdev.flags: out of range" },
		{ "vf", "vlan", "4096", "vf.vlan: out of range" },
		{ "vf", "nodeGUID", "\"02:00\"", "vf.nodeGUID: must be a GUID" },
		{ "rdma", "name", "\"..\"", "rdma.name: not valid" },
		{ "representor", "name", "\"a b\"", "representor.name: not valid" },
		{ "vdpa", "mac", "\"02\"", "vdpa.mac: must be a MAC address" },
		{ "socket", "dir", "\"..\"", "socket: bad path, root or dir" },
	};
	static const char *const of[] = { "vf", "infiniband", "representor", "vdpa-given",
					  "socket-ovs" };

	test("what does not fit is refused, named, and leaves the record alone");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct record r = { .doc = NULL };
		json_t *part = NULL;
		struct err e = { .msg = "" };

		for (size_t k = 0; k < ARRAY_SIZE(of) && !part; k++) {
			json_decref(r.doc);
			r.doc = sample(of[k]);
			part = bad[i].part ? json_object_get(r.doc, bad[i].part) : r.doc;
		}
		(void)json_object_set_new(part, bad[i].key,
					  json_loads(bad[i].value, JSON_DECODE_ANY, NULL));
		if (ok(record_from_json(&r, &e) == -1 && e.code == ERR_DECODE && !r.owner.network))
			eq(e.msg, bad[i].why);
		record_done(&r);
	}
}

/* What was written before and then read, or "". */
static const char *pod_after(struct pod pod, struct record *r)
{
	struct err e;

	record_done(r);
	r->doc = sample("netdev");
	if (record_from_json(r, &e) < 0)
		bail_out(e.msg);
	record_note_pod(r, &pod);
	json_auto_t *doc = record_to_json(r);
	json_decref(r->doc);
	r->doc = json_incref(doc);
	if (!doc || record_from_json(r, &e) < 0)
		bail_out("a pod that a record cannot have");
	return r->pod.name ? r->pod.name : "";
}

static void pods(void)
{
	auto_record struct record r = { .doc = NULL };

	test("a record tells the pod, as CNI_ARGS did, and no UID where it had none");
	eq(pod_after((struct pod){ "default", "p.1", "u-1" }, &r), "p.1");
	eq(r.pod.name_space, "default");
	eq(r.pod.uid, "u-1");
	eq(pod_after((struct pod){ "default", "p1", NULL }, &r), "p1");
	ok(!r.pod.uid);
	test("what is no pod's name is not noted");
	eq(pod_after((struct pod){ "default", NULL, "u" }, &r), "");
	eq(pod_after((struct pod){ NULL, "p1", "u" }, &r), "");
	eq(pod_after((struct pod){ "default", "a/b", "u" }, &r), "");
	eq(pod_after((struct pod){ "De", "p1", "u" }, &r), "");
	eq(pod_after((struct pod){ "default", "p1", "\xff" }, &r), "p1");
	ok(!r.pod.uid);
}

static void ledger(struct fake_node *n)
{
	static const struct pod pod = { .name_space = "default", .name = "p1", .uid = "u1" };
	static const char file[] = "default_p1@e6dce3c9e04b6828.json";
	json_auto_t *was = sample("ledger"), *now = NULL;
	auto_ledger struct ledger l = { 0 };
	auto_close int dir = -1;
	struct ledger_entry who;
	char path[128];
	struct err e;

	test("ledger");
	node_sh(n, "mkdir -p -m 700 var/lib/cni/devinfo/pods && umask 077 && "
		"cat \"$OLDPWD/tests/node/before/ledger.json\" "
		">var/lib/cni/devinfo/pods/default_p1@e6dce3c9e04b6828.json");
	ok(ledger_find(&n->host, &pod, "example.com/vf", "w0", &who, &e) == 1);
	eq(who.network, "net");
	eq(who.ifname, "net1");
	eq(who.container_id, "c1");
	ok(ledger_open_dir(&n->host, false, &dir, &e) == 1);
	ok(ledger_read(dir, file, &pod, &l, &e) == 1 && l.n == 2 && !*l.lost);
	eq(l.entries[0].boot_id, "6b1e7a2c-58a5-4d0b-9a4e-000000000001");
	test("it is written as it was");
	ok(ledger_write(dir, file, &l, &pod, &e) == 0);
	(void)snprintf(path, sizeof(path), "%s/var/lib/cni/devinfo/pods/%s", n->dir, file);
	now = json_load_file(path, 0, NULL);
	ok(now && json_equal(now, was));
}

static void status(struct fake_node *n)
{
	const struct owner o = { .network = "lab", .container_id = "a", .ifname = "net1" };
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	json_auto_t *was = sample("status"), *entry = NULL;
	struct err e;

	test("status");
	node_sh(n, "mkdir -p run/devinfo/status && "
		"cp \"$OLDPWD/tests/node/before/status.json\" run/devinfo/status/a.json");
	ok(status_get(&n->host, &o, &entry, &e) == 1 && json_equal(entry, json_array_get(was, 0)));
	ok(journal_open(&n->host, JOURNAL_CREATE, &j, &e) == 1);
	ok(status_remove(&n->host, &j, &o, &e) == 1);
	ok(node_holds(n, "! -e run/devinfo/status/a.json"));
}

/* A member without a row is not recorded, and all else that uses it works. */
static void every_member(void)
{
	struct cover c;

	test("each member of a record has a row, but for what one call alone has to know");
	COVER_BEGIN(&c, struct record);
	cover_fields(&c, &record_fields, 0);
	COVER_MEMBER(&c, struct record, doc);
	COVER_MEMBER(&c, struct record, file);
	COVER_MEMBER(&c, struct record, vdpa.use);	/* of this call alone */
	covered(&c, "struct record");
}

int main(void)
{
	struct fake_node n;

	every_member();
	if (records())
		refused();
	pods();
	node_open(NULL, &n);
	ledger(&n);
	status(&n);
	node_close(&n);
	return tap_end();
}
