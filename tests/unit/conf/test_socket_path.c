/* SPDX-License-Identifier: Apache-2.0 */
/* test_socket_path.c - where an attachment's socket is, in each view, and how long that is */
#include "conf/socket_path.h"
#include "tests/unit/tap.h"

#define ROOT "/run/devinfo/sockets"
#define UID  "0a1b0000-0000-4000-8000-0000000000de"

static const struct socket_vars pod = {
	.pod_uid = UID, .pod_name = "web-0", .pod_namespace = "prod",
	.container_id = "c0ffeec0ffee", .network = "dpdk", .ifname = "net1",
};

static const char *switch_dir;		/* where the switch sees ROOT */
static json_t *host_dirs;		/* the node's; NULL: none */

static int make_in(const char *root, const struct socket_conf *c, const struct socket_vars *w,
		   struct socket_paths *ret, struct err *e)
{
	const struct settings set = {
		.socket_dir = root, .run_dir = "/run/devinfo", .switch_dir = switch_dir,
		.host_dirs = host_dirs,
	};

	*e = (struct err){ 0 };
	*ret = (struct socket_paths){ .host = "untouched" };
	return socket_paths_make(c, &set, w, ret, e);
}

static int make(const struct socket_conf *c, const struct socket_vars *w, struct socket_paths *ret,
		struct err *e)
{
	return make_in(ROOT, c, w, ret, e);
}

static void defaults(void)
{
	static const struct socket_conf none;
	struct socket_vars alone = pod;
	struct socket_paths p;
	struct err e;

	test("by default the directory is the pod's, which mounts it in one place");
	ok(make(&none, &pod, &p, &e) == 0);
	eq(p.dir, UID);
	eq(p.name, "net1.sock");
	eq(p.host, ROOT "/" UID "/net1.sock");
	eq(p.container, "/run/devinfo/sockets/net1.sock");
	eq(p.in_switch, ROOT "/" UID "/net1.sock");

	test("without a pod it is the container's");
	alone.pod_uid = NULL;
	ok(make(&none, &alone, &p, &e) == 0);
	eq(p.dir, "c0ffeec0ffee");
	alone.pod_uid = "";
	ok(make(&none, &alone, &p, &e) == 0);
	eq(p.dir, "c0ffeec0ffee");
}

static void templates(void)
{
	struct socket_conf c = { .host_dir = "{podNamespace}/{podName}.{podUID}",
				 .container_dir = "/s/{network}/",
				 .name = "{containerID}-{ifname}" };
	struct socket_paths p;
	struct err e;

	test("each word of a template is what the call says");
	ok(make(&c, &pod, &p, &e) == 0);
	eq(p.dir, "prod/web-0." UID);
	eq(p.name, "c0ffeec0ffee-net1");
	eq(p.host, ROOT "/prod/web-0." UID "/c0ffeec0ffee-net1");
	eq(p.container, "/s/dpdk/c0ffeec0ffee-net1");
	eq(p.in_switch, p.host);

	test("a switch that has socketDir elsewhere sees the same below it");
	switch_dir = "/v/";
	ok(make(&c, &pod, &p, &e) == 0);
	eq(p.host, ROOT "/prod/web-0." UID "/c0ffeec0ffee-net1");
	eq(p.in_switch, "/v/prod/web-0." UID "/c0ffeec0ffee-net1");
	switch_dir = NULL;

	test("a directory of the host may be absolute, below socketDir, and end in a slash");
	c = (struct socket_conf){ .host_dir = ROOT "/{podUID}/" };
	ok(make_in(ROOT "/", &c, &pod, &p, &e) == 0);
	eq(p.dir, UID);
	eq(p.host, ROOT "/" UID "/net1.sock");
}

static void one_base(const char *root, const char *base, const char *dir)
{
	struct socket_conf c = { .host_base = base };
	struct socket_paths p;
	struct err e;

	ok(make_in(root, &c, &pod, &p, &e) == 0);
	eq(p.dir, dir);
	eq(p.name, "net1.sock");
}

static void bases(void)
{
	struct socket_conf c = { .host_base = "/run/other" };
	struct socket_vars w = pod;
	struct socket_paths p;
	char id[65];
	struct err e;

	host_dirs = json_pack("[s, s]", "u", "x");
	test("below a base each container has a directory of its own, be the base socketDir");
	one_base(ROOT, "u", "u/c0ffeec0ffee");
	one_base(ROOT, ROOT "/u/", "u/c0ffeec0ffee");
	one_base(ROOT, ROOT, "c0ffeec0ffee");
	one_base(ROOT "/", ROOT "/", "c0ffeec0ffee");

	test("messages have the keys that were written");
	c.host_dir_key = "sharedDir";
	ok(make(&c, &pod, &p, &e) == -1);
	contains(e.msg, "sharedDir: '/run/other/c0ffeec0ffee' is not");
	c.host_dir_key = NULL;
	c.name = "a/b";
	c.name_key = "host.vhost.socketfile";
	c.host_base = "u";
	ok(make(&c, &pod, &p, &e) == -1 && strstr(e.msg, "invalid host.vhost.socketfile 'a/b'"));
	c.name = NULL;
	c.host_base = "/run/other";

	test("a base that is not below socketDir is refused, and so are dots");
	ok(make(&c, &pod, &p, &e) == -1 && e.code == ERR_NETCONF);
	contains(e.msg, "hostDir: '/run/other/c0ffeec0ffee' is not below socketDir '" ROOT "'");
	c.host_base = ROOT "/..";
	ok(make(&c, &pod, &p, &e) == -1 && e.code == ERR_NETCONF);
	c.host_base = "/";
	ok(make(&c, &pod, &p, &e) == -1 && e.code == ERR_NETCONF);
	c.host_base = "u//";
	ok(make(&c, &pod, &p, &e) == -1 && e.code == ERR_NETCONF);

	test("of an engine's 256 random bits the head is the container's alone, of no other id");
	memset(id, 'a', sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	w.container_id = id;
	w.pod_namespace = NULL;
	c.host_base = ROOT;
	for (size_t i = 0; i < 4; i++) {
		static const size_t lengths[] = { 64, 63, 12, 5 };

		id[lengths[i]] = '\0';
		ok(make(&c, &w, &p, &e) == 0);
		eq(p.dir, i == 0 ? "aaaaaaaaaaaa" : id);
	}
	(void)snprintf(id, sizeof(id), "g%063d", 0);
	ok(make(&c, &w, &p, &e) == 0);
	eq(p.dir, id);

	test("a directory that is said goes before a base");
	c.host_dir = "x";
	ok(make(&c, &pod, &p, &e) == 0);
	eq(p.dir, "x");
	json_decref(host_dirs);
	host_dirs = NULL;
}

static void one_template(const char *host_dir, const char *name, enum err_code code,
			 const char *msg)
{
	struct socket_conf c = { .host_dir = host_dir, .name = name };
	struct socket_paths p;
	struct err e;

	ok(make(&c, &pod, &p, &e) == -1);
	ok(e.code == code);
	eq(e.msg, msg);
	eq(p.host, "untouched");
}

#define REMEDY ": set socketDir in the node's file to a directory above it"

static void escapes(void)
{
	test("a directory that is not below socketDir is refused");
	one_template("/run/other/x", NULL, ERR_NETCONF,
		     "hostDir: '/run/other/x' is not below socketDir '" ROOT "'" REMEDY);
	one_template(ROOT "x/y", NULL, ERR_NETCONF,
		     "hostDir: '" ROOT "x/y' is not below socketDir '" ROOT "'" REMEDY);
	one_template(ROOT, NULL, ERR_NETCONF,
		     "hostDir: '" ROOT "' is not below socketDir '" ROOT "'" REMEDY);
	one_template("a/../../x", NULL, ERR_NETCONF,
		     "hostDir: '" ROOT "/a/../../x' has an empty component, '.' or '..'");
	one_template("..", NULL, ERR_NETCONF,
		     "hostDir: '" ROOT "/..' has an empty component, '.' or '..'");
	one_template("./x", NULL, ERR_NETCONF,
		     "hostDir: '" ROOT "/./x' has an empty component, '.' or '..'");
	one_template("a//b", NULL, ERR_NETCONF,
		     "hostDir: '" ROOT "/a//b' has an empty component, '.' or '..'");
	one_template("a//", NULL, ERR_NETCONF,
		     "hostDir: '" ROOT "/a/' has an empty component, '.' or '..'");

	test("a socket's name is one component");
	one_template(NULL, "a/b", ERR_NETCONF, "invalid socket 'a/b': must be the name of a file");
	one_template(NULL, "..", ERR_NETCONF, "invalid socket '..': must be the name of a file");

	test("abstract sockets, and what consumers split paths on, are refused");
	one_template(NULL, "@x", ERR_NETCONF,
		     "socket: '@x': an abstract socket cannot be reached from a pod");
	one_template("@x", NULL, ERR_NETCONF,
		     "hostDir: '@x': an abstract socket cannot be reached from a pod");
	one_template(NULL, "a,b", ERR_NETCONF,
		     "invalid socket 'a,b': must be printable bytes without blank, '=' and ','");
	one_template("a=b", NULL, ERR_NETCONF,
		     "invalid hostDir 'a=b': must be printable bytes without blank, '=' and ','");
	one_template("a b", NULL, ERR_NETCONF,
		     "invalid hostDir 'a b': must be printable bytes without blank, '=' and ','");
	one_template("a\xc3\xa4", NULL, ERR_NETCONF,
		     "invalid hostDir 'a\xc3\xa4': must be printable bytes without blank, '=' "
		     "and ','");

	test("a template of other words is refused");
	one_template("{poduid}", NULL, ERR_NETCONF,
		     "hostDir: '{poduid}': expected {podUID}, {podName}, {podNamespace}, "
		     "{containerID}, {shortID}, {network} or {ifname}");
	one_template("a{", NULL, ERR_NETCONF,
		     "hostDir: '{': expected {podUID}, {podName}, {podNamespace}, {containerID}, "
		     "{shortID}, {network} or {ifname}");
}

static void firsts(void)
{
#define NOT_THE_PODS "' is not the pod's: below socketDir it must begin with {podUID}, " \
		     "{podNamespace} or {containerID}, or with a name that hostDirs of the " \
		     "node's file allows"
	static const char *const own[] = {
		"{podUID}", "{podUID}/x", "{podNamespace}", "{podNamespace}/{network}", "prod/x",
		"{containerID}/{ifname}", ROOT "/{podUID}",
	};
	struct socket_vars alone = {
		.container_id = "c0ffeec0ffee", .network = "n", .ifname = "i",
	};
	struct socket_conf c = { .host_base = "base" };
	struct socket_paths p;
	struct err e;

	test("a directory begins with the pod, its namespace or the container");
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		struct socket_conf said = { .host_dir = own[i] };

		ok(make(&said, &pod, &p, &e) == 0);
	}

	test("any other name that it begins with is somebody else's");
	one_template("other", NULL, ERR_NETCONF, "hostDir: 'other" NOT_THE_PODS);
	one_template("other/{podUID}", NULL, ERR_NETCONF,
		     "hostDir: 'other/" UID NOT_THE_PODS);
	one_template("{podUID}x", NULL, ERR_NETCONF, "hostDir: '" UID "x" NOT_THE_PODS);
	one_template("pro", NULL, ERR_NETCONF, "hostDir: 'pro" NOT_THE_PODS);
	one_template("{podName}", NULL, ERR_NETCONF, "hostDir: 'web-0" NOT_THE_PODS);
	one_template("{network}", NULL, ERR_NETCONF, "hostDir: 'dpdk" NOT_THE_PODS);
	one_template(ROOT "/other", NULL, ERR_NETCONF, "hostDir: 'other" NOT_THE_PODS);
	ok(make(&c, &pod, &p, &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "hostDir: 'base/c0ffeec0ffee" NOT_THE_PODS);
	c = (struct socket_conf){ .host_dir = "n" };
	ok(make(&c, &alone, &p, &e) == -1 && e.code == ERR_NETCONF);

	test("unless the node opens it: its first component, and no hidden one by a wildcard");
	host_dirs = json_pack("[s, s]", "vpp", "team-*");
	one_template("other", NULL, ERR_NETCONF, "hostDir: 'other" NOT_THE_PODS);
	one_template("vppx", NULL, ERR_NETCONF, "hostDir: 'vppx" NOT_THE_PODS);
	c = (struct socket_conf){ .host_dir = "vpp" };
	ok(make(&c, &pod, &p, &e) == 0);
	c.host_dir = "team-a/{podName}";
	ok(make(&c, &pod, &p, &e) == 0);
	(void)json_array_set_new(host_dirs, 0, json_string("*"));
	c.host_dir = "whatever";
	ok(make(&c, &pod, &p, &e) == 0);
	one_template(".x", NULL, ERR_NETCONF, "hostDir: '.x" NOT_THE_PODS);
	one_template("_dp/intel.com/vhost-0", NULL, ERR_NETCONF,
		     "hostDir: below '_dp' are the sockets that devinfod gives to pods");
	json_decref(host_dirs);
	host_dirs = NULL;
}

/* Nobody's namespace is called like another's pod. */
static void forms(void)
{
	static const char *const ids[] = {
		UID, "0A1B0000-0000-4000-8000-0000000000DE", "0123456789abcdef0123456789abcdef",
		"0123456789ab", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	};
	static const char *const names[] = {
		"0a1b0000-0000-4000-8000-0000000000d", "0a1b0000-0000-4000-8000-0000000000dg",
		"0a1b0000x0000-4000-8000-0000000000de", "0123456789abc", "0123456789ag", "prod",
	};
	struct socket_conf c = { .host_dir = "{podNamespace}/x" };
	struct socket_vars w = pod;
	struct socket_paths p;
	struct err e;

	test("a namespace in the form of a pod's UID or a container's id is refused");
	w.pod_uid = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		w.pod_namespace = ids[i];
		ok(make(&c, &w, &p, &e) == -1 && e.code == ERR_NETCONF);
		contains(e.msg, "' is a name in the form of a pod's UID or a container's id");
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		w.pod_namespace = names[i];
		ok(make(&c, &w, &p, &e) == 0);
	}

	test("nor does hostDirs open such a name");
	w = pod;
	host_dirs = json_pack("[s]", "*");
	one_template("12345678-0000-4000-8000-0000000000de", NULL, ERR_NETCONF,
		     "hostDir: '12345678-0000-4000-8000-0000000000de' is a name in the form of a "
		     "pod's UID or a container's id: below socketDir such a directory is that "
		     "pod's or that container's alone; expected {podUID} or {containerID}");
	c.host_dir = "{podUID}";
	ok(make(&c, &w, &p, &e) == 0);
	json_decref(host_dirs);
	host_dirs = NULL;

	test("an id in the form of a name is refused where there are namespaces");
	w.pod_uid = w.container_id = "web";
	ok(make(&c, &w, &p, &e) == -1 && e.code == ERR_NETCONF);
	contains(e.msg, "hostDir: 'web' does not have the form of a pod's UID or");
	c.host_dir = "{containerID}";
	ok(make(&c, &w, &p, &e) == -1 && e.code == ERR_NETCONF);
	c = (struct socket_conf){ .host_base = ROOT };
	ok(make(&c, &w, &p, &e) == -1 && e.code == ERR_NETCONF);
	w.pod_namespace = NULL;
	ok(make(&c, &w, &p, &e) == 0);
}

static void one_word(struct socket_vars w, const char *host_dir, const char *msg)
{
	struct socket_conf c = { .host_dir = host_dir };
	struct socket_paths p;
	struct err e;

	ok(make(&c, &w, &p, &e) == -1);
	ok(e.code == ERR_ENV);
	eq(e.msg, msg);
}

static void words(void)
{
	struct socket_vars w = pod;

	test("a word that the call does not say is an error of the call");
	w.pod_uid = NULL;
	one_word(w, "{podUID}", "hostDir: {podUID} needs K8S_POD_UID in CNI_ARGS");
	w.pod_name = "";
	one_word(w, "{podName}", "hostDir: {podName} needs K8S_POD_NAME in CNI_ARGS");

	test("and so is one that cannot be in a path");
	w.pod_name = "..";
	one_word(w, "{podName}", "hostDir: {podName}: '..' cannot be in a socket's path");
	w.pod_name = "a/b";
	one_word(w, "{podName}", "hostDir: {podName}: 'a/b' cannot be in a socket's path");
	w.pod_name = "a,b";
	one_word(w, "x{podName}", "hostDir: {podName}: 'a,b' cannot be in a socket's path");

	test("words that are dots only together are refused too");
	w.pod_name = w.pod_namespace = "x";
	w.network = ".x";
	{
		struct socket_conf c = { .host_dir = "./{network}" };
		struct socket_paths p;
		struct err e;

		ok(make(&c, &w, &p, &e) == -1 && e.code == ERR_NETCONF);
	}
}

static void one_length(const struct socket_conf *c, const char *msg)
{
	struct socket_paths p;
	struct err e;

	ok(make(c, &pod, &p, &e) == -1);
	ok(e.code == ERR_NETCONF);
	begins(e.msg, msg);
	if (strncmp(e.msg, msg, strlen(msg)) != 0)
		(void)printf("# %s\n", e.msg);
}

static void lengths(void)
{
	char text[8192] = "/", name[200], dir[100];
	struct socket_conf c;
	struct socket_paths p;
	struct err e;

	host_dirs = json_pack("[s, s]", "x", "d*");
	test("107 bytes are fine in each view");
	memset(name, 'n', sizeof(name));
	name[107 - sizeof(ROOT "/x/") + 1] = '\0';
	c = (struct socket_conf){ .host_dir = "x", .name = name, .container_dir = ROOT "/x" };
	ok(make(&c, &pod, &p, &e) == 0);
	ok(strlen(p.host) == 107 && strlen(p.container) == 107 && strlen(p.in_switch) == 107);

	test("108 are not, and it is told which view, how long, and what");
	name[strlen(name)] = 'n';
	name[107 - sizeof(ROOT "/x/") + 2] = '\0';
	c.container_dir = "/c";
	one_length(&c, "path on the host: 108 bytes are over the 107 of a unix socket: '" ROOT
		       "/x/nn");
	memset(text + 1, 'd', 106 - sizeof("/net1.sock") + 1);
	c = (struct socket_conf){ .container_dir = text };
	ok(make(&c, &pod, &p, &e) == 0 && strlen(p.container) == 107);
	text[strlen(text)] = 'd';
	one_length(&c, "path in the container: 108 bytes are over the 107 of a unix socket: '/dd");
	c = (struct socket_conf){ .host_dir = "x" };
	switch_dir = text;
	text[strlen(text) - 2] = '\0';
	one_length(&c, "path in the switch: 108 bytes are over the 107 of a unix socket: '/dd");
	switch_dir = NULL;

	test("a directory that makes a path of the host too long goes by a short link");
	memset(dir, 'd', sizeof(dir));
	dir[sizeof(dir) - 1] = '\0';
	c = (struct socket_conf){ .host_dir = dir, .container_dir = "/c", .name = "s" };
	ok(make(&c, &pod, &p, &e) == 0);
	ok(strncmp(p.link, "/run/devinfo/links/", 19) == 0 && strlen(p.link) == 19 + 16);
	begins(p.host, p.link);
	eq(p.host + strlen(p.link), "/s");
	eq(p.dir, dir);

	test("however long they are");
	memset(text + 1, 'd', sizeof(text) - 2);
	text[sizeof(text) - 1] = '\0';
	c = (struct socket_conf){ .container_dir = text };
	one_length(&c, "path in the container: 8201 bytes are over the 107 of a unix socket: '/dd");
	c = (struct socket_conf){ .host_dir = text + 1 };
	one_length(&c, "path on the host: 8221 bytes are over the 107");
	memset(text + 1, '/', sizeof(text) - 2);
	c = (struct socket_conf){ .container_dir = text };
	one_length(&c, "containerDir: '//");
	json_decref(host_dirs);
	host_dirs = NULL;
}

static void roots(void)
{
	static const struct socket_conf none;
	struct socket_paths p;
	struct err e;

	test("a socketDir that cannot be in a socket's path is refused");
	ok(make_in("/", &none, &pod, &p, &e) == -1 && strstr(e.msg, "socketDir: "));
	ok(make_in("/a/..", &none, &pod, &p, &e) == -1 && strstr(e.msg, "socketDir: "));
	ok(make_in("/a b", &none, &pod, &p, &e) == -1 && strstr(e.msg, "invalid socketDir "));
}

static void seen_by_the_switch(void)
{
	const struct settings set = { .socket_dir = "/run/s/", .switch_dir = "/v" };
	char path[SOCKET_PATH_MAX];
	struct err e;

	test("of a path that is not below socketDir a switch sees the same");
	ok(socket_path_in_switch(&set, "/run/sx/a", path, &e) == 0);
	eq(path, "/run/sx/a");
	ok(socket_path_in_switch(&set, "/run/s/a", path, &e) == 0);
	eq(path, "/v/a");
}

static void given(void)
{
	struct err e = { 0 };

	test("a path that somebody else gives is measured and looked at in the same way");
	ok(socket_path_check("/run/x.sock", "path", &e) == 0);
	ok(socket_path_check("run/x.sock", "path", &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "invalid path 'run/x.sock': must be an absolute path");
	ok(socket_path_check("/run/", "path", &e) == -1);
	ok(socket_path_check("", "path", &e) == -1);
	ok(socket_path_check("/a,b", "path", &e) == -1);
}

int main(void)
{
	defaults();
	templates();
	bases();
	escapes();
	firsts();
	forms();
	words();
	lengths();
	roots();
	seen_by_the_switch();
	given();
	return tap_end();
}
