/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_plugin.c - the plugins that the node's CNI configurations, and records, name
 *
 * Only what a runtime would run as well is run, with CNI_COMMAND=VERSION, which changes nothing.  A
 * runtime may look in other directories than cniPath says, and podman does: so nothing is judged
 * when devinfo itself is in none of these.
 */
#include "manager/doctor/node_plugin.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/plugins/program.h"
#include "manager/doctor/leak.h"
#include "manager/doctor/net_d.h"
#include "manager/doctor/node_check.h"
#include "manager/doctor/podman.h"
#include "manager/inventory/facts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { VERSION_MS = 2000, ALL_MS = 10000 /* of all of them */ };

/* -- which there are -- */

static void add_type(json_t *ret, const char *type)
{
	if (name_is_file(type) && json_object_size(ret) < PLUGINS_MAX)
		(void)json_object_set_new(ret, type, json_null());
}

static int add_types(const struct net_d_file *file, void *arg, struct err *e)
{
	json_auto_t *plugins = net_d_plugins(file->doc);
	const json_t *conf;
	size_t i;

	(void)e;
	json_array_foreach(plugins, i, conf) {
		add_type(arg, net_d_type(conf));
		add_type(arg, net_d_type(json_object_get(conf, "ipam")));
	}
	return 0;
}

/* -- is it this one by another name? -- */

/* As libcni looks for it in directories with ':' between them: where it is, or false. */
static bool find_in(const char *dirs, const char *type, char ret[PATH_MAX])
{
	struct stat st;

	for (const char *p = dirs; *p; p += strspn(p, ":")) {
		size_t len = strcspn(p, ":");

		(void)snprintf(ret, PATH_MAX, "%.*s/%s", (int)len, p, type);
		if (*ret == '/' && stat(ret, &st) == 0 && S_ISREG(st.st_mode))
			return true;
		p += len;
	}
	return false;
}

/* Where a runtime's plugins are: of kubelet's, by cniPath; and of podman's, where it is here. */
struct places {
	const char *cni_path;
	struct podman podman;
};

static bool find_program(const struct places *at, const char *type, bool *is_podmans,
			 char ret[PATH_MAX])
{
	*is_podmans = false;
	if (find_in(at->cni_path, type, ret))
		return true;
	*is_podmans = at->podman.has_cni && find_in(at->podman.plugin_dirs, type, ret);
	return *is_podmans;
}

/* install.sh makes copies. */
static bool is_same_file(const char *file, const char *as)
{
	auto_close int a = open(file, O_RDONLY | O_CLOEXEC), b = open(as, O_RDONLY | O_CLOEXEC);
	char one[4096], other[sizeof(one)];
	ssize_t n;

	if (a < 0 || b < 0)
		return false;
	while ((n = read(a, one, sizeof(one))) > 0)
		if (read(b, other, sizeof(other)) != n || memcmp(one, other, (size_t)n) != 0)
			return false;
	return n == 0 && read(b, other, sizeof(other)) == 0;
}

/* -- what it answers -- */

/* The versions in an answer: new reference, or NULL and why.  One of 0.2.0 need not list them. */
static json_t *read_versions(const struct program *p, const char *type, struct err *why)
{
	json_auto_t *answer = jx_parse(p->text ? p->text : "", p->len, ERR_DELEGATE, type, why);
	json_t *versions = json_object_get(answer, "supportedVersions");
	const char *version = json_string_value(json_object_get(answer, "cniVersion"));

	if (json_array_size(versions) > 0)
		return json_incref(versions);
	if (version && strcmp(version, "0.2.0") == 0)
		return json_pack("[ss]", "0.1.0", "0.2.0");
	if (answer)
		(void)err_set(why, ERR_DELEGATE, 0, "its answer has no supportedVersions");
	return NULL;
}

/* The same of what it answers. */
static json_t *ask_version(const char *file, const char *type, const struct deadline *until,
			   struct err *why)
{
	static const char request[] = "{\"cniVersion\":\"1.0.0\"}";
	static const struct program_var vars[] = { { "CNI_COMMAND", "VERSION" } };
	auto_program struct program p = PROGRAM_NONE;
	unsigned int left = (unsigned int)deadline_left_ms(until);
	struct deadline d = deadline_in(left < VERSION_MS ? left : VERSION_MS);

	p.request = request;
	p.left = sizeof(request) - 1;
	if (program_start(&p, file, type, vars, ARRAY_SIZE(vars), why) < 0 ||
	    program_talk(&p, &d, why) < 0)
		return NULL;
	if (program_exec_errno(&p)) {
		(void)err_set(why, ERR_DELEGATE, 0, "it cannot be executed: %s",
			      strerror(program_exec_errno(&p)));
		return NULL;
	}
	if (!WIFEXITED(p.child.status) || WEXITSTATUS(p.child.status) != 0) {
		(void)err_set(why, ERR_DELEGATE, 0, "it ended with wait status 0x%x",
			      (unsigned int)p.child.status);
		return NULL;
	}
	return read_versions(&p, type, why);
}

/* What it printed may be in it. */
static json_t *make_reason(const struct err *why)
{
	json_t *ret = json_string(why->msg);

	return ret ? ret : json_string("its answer is no UTF-8");
}

/* What is known of it by its records goes into the description. */
static json_t *describe_plugin(const struct places *at, const char *type, const json_t *known,
			       const struct deadline *until)
{
	json_t *ret = json_is_object(known) ? json_deep_copy(known) : json_object(), *versions;
	char file[PATH_MAX], ours[PATH_MAX];
	bool is_podmans, ignored;
	struct err why = { 0 };

	if (!find_program(at, type, &is_podmans, file)) {
		(void)json_object_set_new(ret, "missing", json_true());
		return ret;
	}
	if (is_podmans)
		(void)json_object_set_new(ret, "is_podmans", json_true());
	versions = ask_version(file, type, until, &why);
	if (!versions) {
		(void)json_object_set_new(ret, "error", make_reason(&why));
		return ret;
	}
	(void)json_object_set_new(ret, "versions", versions);
	if (strcmp(type, "devinfo") != 0 && find_program(at, "devinfo", &ignored, ours) &&
	    is_same_file(file, ours))
		(void)json_object_set_new(ret, "is_devinfo", json_true());
	return ret;
}

json_t *node_plugins(const struct host *host, struct err *e)
{
	json_auto_t *types = json_object();
	const struct deadline until = deadline_in(ALL_MS);
	struct places at = { .cni_path = host->set.cni_path };
	json_t *ret, *v;
	const char *type;

	add_type(types, "devinfo");
	if (net_d_each(host, add_types, types, e) < 0)
		return NULL;
	record_plugins_add(host, types);
	podman_find(host, &at.podman);
	ret = json_object();
	json_object_foreach(types, type, v)
		(void)json_object_set_new(ret, type, describe_plugin(&at, type, v, &until));
	return ret;
}

/* Of this node or of the recorded one; 1 with a new reference when devinfo is there, 0, -1. */
static int get_plugins(const struct host *host, const struct inventory *inv, json_t **ret,
		       struct err *e)
{
	json_auto_t *facts = NULL;
	json_t *plugins, *ours;

	if (!inv->node.is_recorded) {
		plugins = node_plugins(host, e);
		if (!plugins)
			return -1;
	} else {
		if (facts_read(host, &facts, e) < 0)
			return -1;
		plugins = json_incref(json_object_get(facts, "plugins"));
	}
	ours = json_object_get(plugins, "devinfo");
	*ret = plugins;
	return ours && !json_is_true(json_object_get(ours, "missing"));
}

static int skip_plugins(const struct host *host, struct findings *ret, struct err *e)
{
	return finding_skip(ret, e, "devinfo is not in %s (cniPath), nor where podman looks: the "
			    "runtime may look elsewhere", host->set.cni_path);
}

/* -- the checks -- */

struct asking {
	struct findings *ret;
	const json_t *plugins;
	bool has_kubelet;
};

static bool has_text(const json_t *list, const char *text)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (json_is_string(one) && strcmp(json_string_value(one), text) == 0)
			return true;
	return false;
}

/* version: that of its configuration; "": any; NULL: it is not asked. */
static int check_type(const struct asking *a, const char *path, const char *type,
		      const char *version, struct err *e)
{
	static const struct finding_kind kind = {
		"cni-plugin", SEVERITY_ERROR, REMEDY_BY_HAND,
		"install it, in a version that fits; pods of this network do not start",
	};
	static const struct finding_kind elsewhere = {
		"cni-plugin", SEVERITY_INFO, REMEDY_BY_HAND,
		"when pods of kubelet are attached to this network, too, install it in cniPath",
	};
	const json_t *plugin = json_object_get(a->plugins, type), *versions;
	const char *error = json_string_value(json_object_get(plugin, "error"));

	if (!plugin)
		return 0;
	if (json_is_true(json_object_get(plugin, "missing")))
		return finding_tell(a->ret, &kind, path, e, "plugin %.64s is not in cniPath", type);
	if (a->has_kubelet && json_is_true(json_object_get(plugin, "is_podmans")) &&
	    finding_tell(a->ret, &elsewhere, path, e, "plugin %.64s is where podman looks, and not "
			 "in cniPath", type) < 0)
		return -1;
	if (error && version)
		return finding_tell(a->ret, &kind, path, e, "plugin %.64s does not answer: %.300s",
				    type, error);
	versions = json_object_get(plugin, "versions");
	if (!version || !*version || json_array_size(versions) == 0 || has_text(versions, version))
		return 0;
	return finding_tell(a->ret, &kind, path, e, "plugin %.64s does not know cniVersion %.32s",
			    type, version);
}

/*
 * What a list says holds for its plugins; of a list of versions the runtime chooses one.  It does
 * not ask IPAM plugins for theirs.
 */
static int check_types(const struct net_d_file *file, void *arg, struct err *e)
{
	json_auto_t *plugins = net_d_plugins(file->doc);
	const json_t *v = json_object_get(file->doc, "cniVersion"), *conf;
	const char *version = json_string_value(v);
	size_t i;

	if (!version || !*version)
		version = "0.1.0";
	if (json_object_get(file->doc, "cniVersions"))
		version = "";
	json_array_foreach(plugins, i, conf) {
		const char *ipam = net_d_type(json_object_get(conf, "ipam"));

		if (check_type(arg, file->path, net_d_type(conf), version, e) < 0 ||
		    (*ipam && check_type(arg, file->path, ipam, NULL, e) < 0))
			return -1;
	}
	return 0;
}

/* A part of the check: networks of podman that are in another directory than a runtime's. */
static int skip_podmans_networks(const struct host *host, struct findings *ret, struct err *e)
{
	struct podman podman;
	char dir[sizeof(podman.network_dir)];
	size_t len;

	podman_find(host, &podman);
	len = strlen(podman.network_dir);
	while (len > 1 && podman.network_dir[len - 1] == '/')
		len--;
	(void)snprintf(dir, sizeof(dir), "%.*s", (int)len, podman.network_dir);
	return !podman.has_cni || !*dir || strcmp(dir, NET_D) == 0 ? 0 :
		       finding_skip(ret, e, "of podman's networks in %s (network_config_dir of "
				    "containers.conf) nothing is looked at", dir);
}

int node_plugin(const struct host *host, const struct inventory *inv, struct findings *ret,
		struct err *e)
{
	json_auto_t *plugins = NULL;
	struct asking a = { .ret = ret };
	int r = get_plugins(host, inv, &plugins, e);

	if (r <= 0)
		return r < 0 ? -1 : skip_plugins(host, ret, e);
	a.plugins = plugins;
	r = fs_exists(host->root, e, "%s", host->set.kubelet_dir);
	if (r < 0 || skip_podmans_networks(host, ret, e) < 0)
		return -1;
	a.has_kubelet = r > 0;
	return net_d_each(host, check_types, &a, e);
}

/* What a configuration names as well is told of that. */
int leak_record_plugin(const struct host *host, const struct inventory *inv, struct findings *ret,
		       struct err *e)
{
	static const struct finding_kind kind = {
		"record-plugin", SEVERITY_ERROR, REMEDY_BY_HAND,
		"install it in cniPath: until then the DEL of these attachments fails",
	};
	json_auto_t *plugins = NULL;
	int r = get_plugins(host, inv, &plugins, e);
	const char *type;
	json_t *plugin;

	if (r <= 0)
		return r < 0 ? -1 : skip_plugins(host, ret, e);
	json_object_foreach(plugins, type, plugin) {
		json_int_t n = json_integer_value(json_object_get(plugin, "records"));
		const char *first = json_string_value(json_object_get(plugin, "record"));

		if (n > 0 && first && json_is_true(json_object_get(plugin, "missing")) &&
		    finding_tell(ret, &kind, type, e, "plugin %.64s is not in cniPath, and is to "
				 "be run for the DEL of record %.200s%s", type, first,
				 n > 1 ? " and of others" : "") < 0)
			return -1;
	}
	return 0;
}

/* -- two plugins -- */

static int find_types(const struct net_d_file *file, void *arg, struct err *e)
{
	json_auto_t *plugins = net_d_plugins(file->doc);
	const json_t *conf;
	size_t i;

	(void)e;
	json_array_foreach(plugins, i, conf)
		(void)json_object_set_new(arg, net_d_type(conf), json_string(file->path));
	return 0;
}

int node_two_plugins(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	static const struct finding_kind kind = {
		"two-plugins", SEVERITY_WARNING, REMEDY_BY_HAND,
		"use one; devinfo can be installed under that name, see devinfo-sriov(7)",
	};
	static const char *const others[] = { "sriov", "ib-sriov" };
	json_auto_t *plugins = NULL, *types = json_object();

	if (net_d_each(host, find_types, types, e) < 0)
		return -1;
	if (!json_object_get(types, "devinfo"))
		return finding_skip(ret, e, "no configuration in " NET_D " has type devinfo");
	if (get_plugins(host, inv, &plugins, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const char *path = json_string_value(json_object_get(types, others[i]));
		const json_t *plugin = json_object_get(plugins, others[i]);

		if (path && plugin && !json_is_true(json_object_get(plugin, "is_devinfo")) &&
		    !json_is_true(json_object_get(plugin, "missing")) &&
		    finding_tell(ret, &kind, path, e, "%s gives VFs to pods, and so does devinfo",
				 others[i]) < 0)
			return -1;
	}
	return 0;
}

/* -- Multus -- */

struct multus {
	const struct host *host;
	struct findings *ret;
	bool is_recorded, found;
};

/* It has a key of the cluster: a recorded node may not have its directory at all. */
static int has_kubeconfig(const struct multus *m, const char *path, struct err *e)
{
	int r = fs_exists(m->host->root, e, "%.400s", path);

	if (r != 0 || !m->is_recorded)
		return r;
	r = fs_exists(m->host->root, e, "%.*s", (int)(strrchr(path, '/') - path + 1), path);
	return r < 0 ? -1 : !r;
}

static int check_multus(const struct multus *m, const char *path, const json_t *conf,
			struct err *e)
{
	static const struct finding_kind kind = {
		"multus", SEVERITY_ERROR, REMEDY_BY_HAND,
		"see why Multus' DaemonSet has not made it: no pod of this node starts without",
	};
	const char *config = json_string_value(json_object_get(conf, "kubeconfig"));
	const char *dir = json_string_value(json_object_get(conf, "daemonSocketDir"));
	bool is_shim = strcmp(net_d_type(conf), "multus-shim") == 0;
	int r = config && *config == '/' ? has_kubeconfig(m, config, e) : 1;

	if (r < 0 || (r == 0 && finding_tell(m->ret, &kind, path, e, "its kubeconfig %.300s is "
					     "missing", config) < 0))
		return -1;
	if (!is_shim || m->is_recorded)		/* which has no sockets */
		return 0;
	dir = dir && *dir == '/' ? dir : "/run/multus";
	r = fs_exists(m->host->root, e, "%.400s/multus.sock", dir);
	return r != 0 ? (r < 0 ? -1 : 0) :
			finding_tell(m->ret, &kind, path, e, "the socket of its daemon, "
				     "%.300s/multus.sock, is missing", dir);
}

static int check_multus_file(const struct net_d_file *file, void *arg, struct err *e)
{
	json_auto_t *plugins = net_d_plugins(file->doc);
	struct multus *m = arg;
	const json_t *conf;
	size_t i;

	json_array_foreach(plugins, i, conf) {
		if (strncmp(net_d_type(conf), "multus", 6) != 0)
			continue;
		m->found = true;
		if (check_multus(m, file->path, conf, e) < 0)
			return -1;
	}
	return 0;
}

int node_multus(const struct host *host, const struct inventory *inv, struct findings *ret,
		struct err *e)
{
	struct multus m = { .host = host, .ret = ret, .is_recorded = inv->node.is_recorded };

	if (net_d_each(host, check_multus_file, &m, e) < 0)
		return -1;
	return m.found ? 0 : finding_skip(ret, e, NO_MULTUS);
}
