/* SPDX-License-Identifier: Apache-2.0 */
/* node_conf.c - what is configured on the node: its own file, and the networks in files */
#include "manager/doctor/conf_check.h"
#include "manager/doctor/net_d.h"
#include "manager/doctor/node_check.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "conf/node.h"
#include "devinfo/network/network_definition.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A kind of finding about one file, and where it goes. */
struct telling {
	const struct host *host;
	struct findings *ret;
	const struct finding_kind *kind;
	const char *path;
	int r;
	struct err *e;
};

static void tell_line(const char *text, enum severity severity, void *arg)
{
	struct telling *t = arg;
	struct finding_kind kind = *t->kind;

	if (severity == SEVERITY_WARNING) {
		kind.severity = severity;
		kind.advice = "correct it: an ADD goes on without it; see devinfo.conf(5)";
	}
	if (severity != SEVERITY_INFO && t->r == 0)
		t->r = finding_tell(t->ret, &kind, t->path, t->e, "%s", text);
}

/* -- the node's file -- */

/*
 * 1 with its text; 0 absent.  DEVINFO_CONF names a file of the machine that we run on; without it
 * the file is the node's.
 */
static int read_node_file(const struct host *host, const char *path, bool is_ours, char **ret,
			  size_t *len, struct err *e)
{
	const char *base = strrchr(path, '/');
	char dir_name[512];
	auto_close int dir = -1;

	if (!base || !base[1] || (size_t)(base - path) >= sizeof(dir_name))
		return 0;
	(void)snprintf(dir_name, sizeof(dir_name), "%.*s", (int)(base - path) + 1, path);
	dir = is_ours ? open(dir_name, O_PATH | O_DIRECTORY | O_CLOEXEC) :
			fs_open(host->root, dir_name, O_PATH | O_DIRECTORY, 0);
	return dir < 0 ? 0 : fs_read_file(dir, base + 1, NODE_FILE_MAX, ret, len, e);
}

/* Who puts a file there expects that it is merged, as in other programs' directories. */
static int tell_beside(const char *name, void *arg, struct err *e)
{
	static const struct finding_kind kind = {
		"node-file", SEVERITY_WARNING, REMEDY_BY_HAND,
		"put what it says into " NODE_FILE ", and remove it",
	};
	const char *dot = strrchr(name, '.');
	char path[512];

	if (!dot || strcmp(dot, ".json") != 0 || strcmp(name, NODE_FILE_NAME) == 0)
		return 0;
	(void)snprintf(path, sizeof(path), NODE_FILE_DIR "/%s", name);
	return finding_tell(arg, &kind, path, e, "it is not read: " NODE_FILE " alone is");
}

/* 1 absent, 0, -1: what is wrong in the file itself. */
static int check_node_file(const struct host *host, struct findings *ret, struct err *e)
{
	static const struct finding_kind kind = {
		"node-file", SEVERITY_ERROR, REMEDY_BY_HAND,
		"correct it: an ADD is refused as long as it is so; see devinfo.conf(5)",
	};
	const char *ours = getenv("DEVINFO_CONF");
	bool is_ours = ours && *ours;
	const char *path = is_ours ? ours : NODE_FILE;
	struct telling t = { .ret = ret, .kind = &kind, .path = path, .e = e };
	struct conf_report r = { .tell = tell_line, .arg = &t };
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;
	struct err why = { 0 };
	size_t len = 0;
	int found = read_node_file(host, path, is_ours, &text, &len, &why);

	if (found == 0)
		return finding_skip(ret, e, "there is no %s", path);
	if (found > 0)
		doc = jx_parse(text, len, ERR_DECODE, path, &why);
	if (json_is_object(doc))
		conf_check_node(&r, doc);
	else if (t.r == 0)
		t.r = finding_tell(ret, &kind, path, e, "%s%s", doc ? "expected an object" :
				   why.msg, found > 0 ? "; until then the defaults are taken" : "");
	return t.r;
}

int node_conf_file(const struct host *host, const struct inventory *inv, struct findings *ret,
		   struct err *e)
{
	int r = check_node_file(host, ret, e);

	(void)inv;
	return r < 0 || fs_each(host->root, NODE_FILE_DIR, tell_beside, ret, e) < 0 ? -1 : r;
}

/* -- the networks -- */

static int check_network_file(const struct net_d_file *file, void *arg, struct err *e)
{
	struct telling *t = arg;
	struct conf_report r = { .tell = tell_line, .arg = t, .only_ours = true,
				 .node = &t->host->set };
	json_auto_t *doc = json_deep_copy(file->doc);

	t->path = file->path;
	t->e = e;
	if (doc)
		(void)conf_check(&r, doc);
	else
		tell_line(file->why.msg, SEVERITY_ERROR, t);
	return t->r;
}

/* A runtime may take any file for the network of all pods, or skip it. */
int node_cni_conf(const struct host *host, const struct inventory *inv, struct findings *ret,
		  struct err *e)
{
	static const struct finding_kind kind = {
		"cni-conf", SEVERITY_ERROR, REMEDY_BY_HAND,
		"correct it, and try it by 'devinfoctl validate-conf'; see devinfo.conf(5)",
	};
	struct telling t = { .host = host, .ret = ret, .kind = &kind };
	int r = fs_exists(host->root, e, "%s", NET_D);

	(void)inv;
	if (r <= 0)
		return r < 0 ? -1 : finding_skip(ret, e, "there is no " NET_D);
	return net_d_each(host, check_network_file, &t, e);
}

/* -- the networks that pods name -- */

/* "FILE: what is wrong", or what says itself which file it is about. */
static void tell_passed_over(const struct err *why, void *arg)
{
	struct telling *t = arg;

	if (t->r == 0)
		t->r = finding_tell(t->ret, t->kind, t->path, t->e, "%s%s%.200s", why->msg,
				    *why->details ? ": " : "", why->details);
}

static void check_definition(const struct network_definitions *d,
			     const struct network_definition *by, struct telling *t)
{
	struct conf_report r = { .tell = tell_line, .arg = t, .only_ours = true,
				 .is_network = true, .node = &t->host->set };
	json_auto_t *doc = json_deep_copy(by->doc);
	auto_network struct network n = { .name = NULL };
	struct err why = { 0 };
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", d->dir, by->source);
	t->path = path;
	(void)conf_check(&r, doc);
	if (network_open(d, by, &n, &why) < 0 && !r.told[SEVERITY_ERROR])
		tell_passed_over(&why, t);
	t->path = d->dir;
}

static int check_networks(const struct host *host, struct findings *ret, struct err *e)
{
	static const struct finding_kind none = {
		"networks-dir", SEVERITY_ERROR, REMEDY_BY_HAND,
		"mend it: until then each pod that names a network is refused",
	};
	static const struct finding_kind empty = {
		"networks-dir", SEVERITY_WARNING, REMEDY_BY_HAND,
		"see what was to fill it: each pod that names a network is refused",
	};
	static const struct finding_kind wrong = {
		"networks-dir", SEVERITY_ERROR, REMEDY_BY_HAND,
		"correct it: a pod that names this network is refused; see 'devinfoctl networks'",
	};
	auto_network_definitions struct network_definitions d = { .dir = host->set.networks_dir };
	struct telling t = { .host = host, .ret = ret, .kind = &wrong, .path = d.dir, .e = e };
	struct err why = { 0 };

	if (network_definitions_read(host->root, d.dir, tell_passed_over, &t, &d, &why) < 0)
		return finding_tell(ret, &none, d.dir, e, "%s%s%.200s", why.msg,
				    *why.details ? ": " : "", why.details);
	if (d.n + d.bad == 0)
		return finding_tell(ret, &empty, d.dir, e, "there is no network in it");
	for (size_t i = 0; i < d.n && t.r == 0; i++)
		check_definition(&d, &d.list[i], &t);
	return t.r;
}

int node_networks(const struct host *host, const struct inventory *inv, struct findings *ret,
		  struct err *e)
{
	const char *dir = host->set.networks_dir;
	int r;

	if (!dir)
		return finding_skip(ret, e, "the node's file does not have networksDir");
	if (geteuid() != 0 && !inv->node.is_recorded)
		return finding_skip(ret, e, "root alone can tell");
	r = fs_exists(host->root, e, "%s", dir);
	if (r == 0 && inv->node.is_recorded)
		return finding_skip(ret, e, "a recorded node does not have %s", dir);
	return r < 0 ? -1 : check_networks(host, ret, e);
}

/* -- modes -- */

static int check_mode(const struct host *host, const char *path, struct findings *ret,
		      struct err *e)
{
	static const struct finding_kind kind = {
		"conf-mode", SEVERITY_ERROR, REMEDY_BY_HAND, "chmod o-w, and see what it says",
	};
	auto_close int fd = fs_open(host->root, path, O_PATH, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & S_IWOTH))
		return 0;
	return finding_tell(ret, &kind, path, e, "everybody may write to it (mode %04o)",
			    st.st_mode & 07777U);
}

static int check_file_mode(const struct net_d_file *file, void *arg, struct err *e)
{
	struct telling *t = arg;

	return check_mode(t->host, file->path, t->ret, e);
}

/* Who writes there taints devices, or takes taints away. */
static int check_override_mode(const char *name, void *arg, struct err *e)
{
	struct telling *t = arg;
	char path[512];

	if (snprintf(path, sizeof(path), "%s/%s", t->host->set.overrides_dir, name) >=
	    (int)sizeof(path))
		return 0;
	return check_mode(t->host, path, t->ret, e);
}

int node_conf_mode(const struct host *host, const struct inventory *inv, struct findings *ret,
		   struct err *e)
{
	struct telling t = { .host = host, .ret = ret };
	int r = fs_exists(host->root, e, "%s", NET_D);

	(void)inv;
	if (r <= 0)
		return r < 0 ? -1 : finding_skip(ret, e, "there is no " NET_D);
	if (check_mode(host, NODE_FILE, ret, e) < 0 ||
	    fs_each(host->root, host->set.overrides_dir, check_override_mode, &t, e) < 0)
		return -1;
	return net_d_each(host, check_file_mode, &t, e);
}

/* -- where Multus looks -- */

static int find_multus(const struct net_d_file *file, void *arg, struct err *e)
{
	json_auto_t *plugins = net_d_plugins(file->doc);
	const json_t *conf;
	size_t i;

	(void)e;
	json_array_foreach(plugins, i, conf)
		if (strncmp(net_d_type(conf), "multus", 6) == 0)
			*(bool *)arg = true;
	return 0;
}

static bool is_default_dir(const char *dir)
{
	static const char usual[] = "/run/k8s.cni.cncf.io/devinfo";
	size_t len;

	if (strncmp(dir, "/var/run/", strlen("/var/run/")) == 0)	/* a link to /run */
		dir += strlen("/var");
	len = strlen(dir);
	while (len > 1 && dir[len - 1] == '/')
		len--;
	return len == strlen(usual) && strncmp(dir, usual, len) == 0;
}

int node_devinfo_dir(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	static const struct finding_kind kind = {
		"devinfo-dir", SEVERITY_WARNING, REMEDY_BY_HAND,
		"leave devinfoDir out of the node's file: Multus cannot be told another place",
	};
	bool has_multus = false;

	(void)inv;
	if (net_d_each(host, find_multus, &has_multus, e) < 0)
		return -1;
	if (!has_multus)
		return finding_skip(ret, e, NO_MULTUS);
	return is_default_dir(host->set.devinfo_dir) ? 0 :
		finding_tell(ret, &kind, host->set.devinfo_dir, e, "Multus looks for device-info "
			     "in /var/run/k8s.cni.cncf.io/devinfo, not here");
}
