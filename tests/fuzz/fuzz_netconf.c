/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_netconf.c - the network configuration on stdin */
#include "base/name.h"
#include "cni/call/convert.h"
#include "conf/netconf.h"
#include "conf/selection.h"
#include "conf/settings.h"
#include "conf/socket_path.h"
#include "conf/unknown.h"
#include "tests/fuzz/fuzz.h"

/* Whatever the templates: below the root, short enough, and nothing that consumers split on. */
static void check_paths(const struct socket_conf *c)
{
	static const char root[] = "/run/devinfo/sockets/";
	static const struct socket_vars words = {
		.pod_uid = "u", .pod_name = "p", .pod_namespace = "s", .container_id = "c",
		.network = "n", .ifname = "net1",
	};
	static const struct settings set = {
		.socket_dir = "/run/devinfo/sockets/", .switch_dir = "/v",
	};
	struct socket_paths p;
	struct err e = { 0 };
	int rc = socket_paths_make(c, &set, &words, &p, &e);

	must_agree(rc, &e);
	if (rc < 0)
		return;
	must(strncmp(p.host, root, sizeof(root) - 1) == 0 && name_is_file(p.name));
	must(!strstr(p.host, "/../") && !strpbrk(p.host, " ,=") && strlen(p.host) < 108);
	must(*p.container == '/' && !strpbrk(p.container, " ,=") && strlen(p.container) < 108);
	must(*p.in_switch == '/' && !strpbrk(p.in_switch, " ,=") && strlen(p.in_switch) < 108);
}

/* What a configuration that is good for an ADD promises. */
static void check_attachment(const struct netconf *nc)
{
	accepted();
	must(!nc->device_id || name_is_device_id(nc->device_id));
	must(!nc->pinned || name_is_device_id(nc->pinned));
	must(!nc->device || name_is_ifname(nc->device));
	must(!nc->resource || name_is_resource(nc->resource));
	must(!nc->claim || name_is_file(nc->claim));
	must(!nc->request || name_is_file(nc->request));
	must(!nc->ipam_type || name_is_file(nc->ipam_type));
	must(nc->vlan >= -1 && nc->vlan <= 4094 && nc->vlan_qos >= -1 && nc->vlan_qos <= 7);
	must(nc->mtu >= -1 && nc->mtu <= 65535);
	must(json_array_size(nc->delegates) <= DELEGATES_MAX);
	if (nc->socket.kind)
		check_paths(&nc->socket);
}

/* The pod's annotation may come from anybody who may make a pod. */
static void check_selection(const struct netconf *nc)
{
	const char *id = selection_device_id(nc->selection, nc->name, "net1");

	must(!id || name_is_device_id(id));
}

/* Each is in its object, and told in one line. */
static bool check_unknown(const struct unknown_key *u, void *arg)
{
	char text[256];

	(void)arg;
	unknown_text(u, text);
	must(json_object_get(u->object, u->key) && *text);
	return json_object_del(u->object, u->key) == 0;
}

static void fuzz_one(const char *text, size_t len)
{
	auto_netconf struct netconf nc = { 0 };
	struct settings set = settings_default;
	json_auto_t *prev = NULL;
	struct err e = { 0 };
	int rc = netconf_parse(text, len, &nc, &e);

	must_agree(rc, &e);
	if (rc < 0) {
		must(!nc.doc);
		return;
	}
	must(name_is_cni_id(nc.name));
	must_agree(netconf_settings(&nc, &set, &e), &e);
	e = (struct err){ 0 };
	rc = netconf_attachment(&nc, &e);
	must_agree(rc, &e);
	if (rc == 0)
		check_attachment(&nc);
	check_selection(&nc);
	e = (struct err){ 0 };
	if (nc.prev_result)
		must_agree(result_read_prev(&nc, &prev, &e), &e);
	unknown_keys(nc.doc, &(struct unknown_visitor){ check_unknown, NULL });
}
