/* SPDX-License-Identifier: Apache-2.0 */
/* test_network_definition.c - what networks are: found by namespace and name, read, and refused */
#include "devinfo/network/network_definition.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char passed_over[2048];

static void note(const struct err *why, void *arg)
{
	(void)arg;
	(void)snprintf(passed_over + strlen(passed_over),
		       sizeof(passed_over) - strlen(passed_over), "%s;", why->msg);
}

/* "nets" with these texts of files "a", "b"..., up to NULL. */
static void read_all(const char *const *texts, struct network_definitions *d)
{
	char name[] = "a";
	struct err e = { 0 };

	*passed_over = '\0';
	*d = (struct network_definitions){ .dir = "nets" };
	for (; *texts; texts++, (*name)++)
		ok(manifests_read(*texts, strlen(*texts), name, &d->from, &e) == 0);
	ok(network_definitions_index(note, NULL, d, &e) == 0);
}

/* "namespace/name SOURCE; ..." */
static const char *list_of(const struct network_definitions *d)
{
	static char ret[2048];

	*ret = '\0';
	for (size_t i = 0; i < d->n; i++)
		(void)snprintf(ret + strlen(ret), sizeof(ret) - strlen(ret), "%s%s/%s %s",
			       i ? "; " : "", d->list[i].namespace ? d->list[i].namespace : "",
			       d->list[i].name, d->list[i].source);
	return ret;
}

static const char *list_in(const char *text)
{
	auto_network_definitions struct network_definitions d = { 0 };

	read_all((const char *const[]){ text, NULL }, &d);
	ok(d.bad == (*passed_over != '\0'));
	return list_of(&d);
}

/* "SOURCE NAME VERSION [RESOURCE]: TYPE TYPE...", or the message: DETAILS. */
static const char *find_in(const struct network_definitions *d, const char *namespace,
			   const char *name)
{
	static char ret[2048];
	auto_network struct network n = { 0 };
	struct err e = { 0 };
	json_t *plugin;
	size_t i;

	if (network_find(d, namespace, name, &n, &e) < 0) {
		(void)snprintf(ret, sizeof(ret), "%s: %s", e.msg, e.details);
		return ret;
	}
	(void)snprintf(ret, sizeof(ret), "%s %s %s%s%s:", n.source, n.name,
		       cni_version_name(n.version), n.resource ? " " : "",
		       n.resource ? n.resource : "");
	json_array_foreach(n.plugins, i, plugin)
		(void)snprintf(ret + strlen(ret), sizeof(ret) - strlen(ret), " %s",
			       json_string_value(json_object_get(plugin, "type")));
	return ret;
}

#define NAD(metadata, spec) \
	"{\"apiVersion\":\"k8s.cni.cncf.io/v1\",\"kind\":\"NetworkAttachmentDefinition\"," \
	"\"metadata\":{" metadata "},\"spec\":" spec "}"
#define NAMED(name) "\"namespace\":\"ns\",\"name\":\"" name "\""
#define CONFIG(text) "{\"config\":\"" text "\"}"

/* That of ns/net with such a spec. */
static const char *spec(const char *text, const char *other)
{
	static char doc[2048];
	auto_network_definitions struct network_definitions d = { 0 };

	(void)snprintf(doc, sizeof(doc),
		       "{\"apiVersion\":\"k8s.cni.cncf.io/v1\",\"kind\":"
		       "\"NetworkAttachmentDefinition\",\"metadata\":{" NAMED("net") "}%s}", text);
	read_all((const char *const[]){ doc, other, NULL }, &d);
	return find_in(&d, "ns", "net");
}

static void test_objects(void)
{
	test("definitions are of their namespaces, configurations of none, and in order");
	eq(list_in(NAD("\"namespace\":\"b\",\"name\":\"y\"", "{}")
		   NAD("\"namespace\":\"b\",\"name\":\"x\"", "{}")
		   NAD("\"name\":\"z\"", "{}")
		   "{\"name\":\"c\",\"plugins\":[]}{\"name\":\"B_a\",\"type\":\"t\"}"),
	   "/B_a a#5; /c a#4; b/x a#2; b/y a#1; default/z a#3");
	eq(passed_over, "");
	test("a List of kubectl is what is in it; other objects are nobody's networks");
	eq(list_in("apiVersion: v1\nkind: List\nitems:\n"
		   "- apiVersion: k8s.cni.cncf.io/v1\n  kind: NetworkAttachmentDefinition\n"
		   "  metadata: {name: x, namespace: apps}\n- kind: Namespace\n---\nkind: Pod\n"),
	   "apps/x a#1");
	eq(passed_over, "");
}

static void test_passed_over(void)
{
	static const char *const rows[][2] = {
		{ "{\"kind\":\"NetworkAttachmentDefinitions\"}",
		  "a: expected a NetworkAttachmentDefinition of k8s.cni.cncf.io/v1, got "
		  "'NetworkAttachmentDefinitions' of '';" },
		{ "{\"apiVersion\":\"v1\",\"kind\":\"NetworkAttachmentDefinition\"}",
		  "a: expected a NetworkAttachmentDefinition of k8s.cni.cncf.io/v1, got "
		  "'NetworkAttachmentDefinition' of 'v1';" },
		{ NAD("", "{}"), "a: invalid metadata.name '': must be the name of a definition;" },
		{ NAD("\"name\":\"../x\"", "{}"),
		  "a: invalid metadata.name '../x': must be the name of a definition;" },
		{ NAD("\"name\":\"x\",\"namespace\":\"a.b\"", "{}"),
		  "a: invalid metadata.namespace 'a.b': must be a namespace;" },
		{ NAD("\"name\":\"x\",\"namespace\":7", "{}"),
		  "a: metadata.namespace: expected a string, got an integer;" },
		{ "{\"name\":\"x\"}", "a: expected a NetworkAttachmentDefinition or a "
		  "configuration of CNI, which has plugins or a type;" },
		{ "{\"type\":\"t\"}", "a: invalid name '': must be the name of a network;" },
		{ "{\"type\":\"t\",\"name\":\"a b\"}",
		  "a: invalid name 'a b': must be the name of a network;" },
		{ "{\"plugins\":[],\"name\":7}", "a: name: expected a string, got an integer;" },
	};

	test("an object that is no network is told, with its file");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		eq(list_in(rows[i][0]), "");
		eq(passed_over, rows[i][1]);
	}
	test("and keeps no other away");
	eq(list_in("{\"name\":\"x\"}" NAD(NAMED("net"), "{}")), "ns/net a#2");
	eq(passed_over, "a#1: expected a NetworkAttachmentDefinition or a configuration of CNI, "
			"which has plugins or a type;");
}

static void test_config(void)
{
	static const char *const rows[][2] = {
		{ ",\"spec\":" CONFIG("{\\\"cniVersion\\\":\\\"1.0.0\\\",\\\"name\\\":\\\"x\\\","
				      "\\\"plugins\\\":[{\\\"type\\\":\\\"p\\\"},"
				      "{\\\"type\\\":\\\"q\\\"}]}"), "a x 1.0.0: p q" },
		{ ",\"spec\":" CONFIG("{\\\"cniVersion\\\":\\\"1.1.0\\\",\\\"type\\\":\\\"p\\\","
				      "\\\"resourceName\\\":\\\"a.b/c\\\"}"),
		  "a net 1.1.0 a.b/c: p" },
		{ ",\"spec\":" CONFIG("{\\\"name\\\":\\\"\\\",\\\"type\\\":\\\"p\\\"}"),
		  "a net 0.1.0: p" },
		/* without one it is the configuration of that name */
		{ ",\"spec\":{}", "b#1 net 0.4.0: r" },
		{ ",\"spec\":{\"config\":\"\"}", "b#1 net 0.4.0: r" },
		{ ",\"spec\":null", "b#1 net 0.4.0: r" },
		{ "", "b#1 net 0.4.0: r" },
		/* refused */
		{ ",\"spec\":7", "a: spec: expected an object, got an integer: " },
		{ ",\"spec\":{\"config\":{\"type\":\"p\"}}",
		  "a: spec.config: expected a string, got an object: " },
		{ ",\"spec\":" CONFIG("{"), "a: spec.config: not valid JSON: line 1, column 1: "
					    "string or '}' expected near end of file" },
		{ ",\"spec\":" CONFIG("[]"),
		  "a: spec.config: expected an object, got a list: " },
		{ ",\"spec\":" CONFIG("{\\\"name\\\":\\\"a b\\\",\\\"type\\\":\\\"p\\\"}"),
		  "a: invalid name 'a b': must be the name of a network: " },
		{ ",\"spec\":" CONFIG("{\\\"name\\\":7,\\\"type\\\":\\\"p\\\"}"),
		  "a: name: expected a string, got an integer: " },
		{ ",\"spec\":" CONFIG("{\\\"plugins\\\":[]}"),
		  "a: plugins: expected 1 to 16, got 0: " },
		{ ",\"spec\":" CONFIG("{\\\"plugins\\\":{}}"),
		  "a: plugins: expected a list, got an object: " },
		{ ",\"spec\":" CONFIG("{\\\"plugins\\\":[7]}"),
		  "a: plugins[0]: expected an object, got an integer: " },
		{ ",\"spec\":" CONFIG("{\\\"plugins\\\":[{\\\"type\\\":\\\"p\\\"},{}]}"),
		  "a: invalid plugins[1].type '': must be the name of a plugin: " },
		{ ",\"spec\":" CONFIG("{\\\"type\\\":\\\"../p\\\"}"),
		  "a: invalid plugins[0].type '../p': must be the name of a plugin: " },
		/* a network of a pod has no networks of its own, in whichever case it says so */
		{ ",\"spec\":" CONFIG("{\\\"type\\\":\\\"p\\\",\\\"podNetworks\\\":false}"),
		  "a net 0.1.0: p" },
		{ ",\"spec\":" CONFIG("{\\\"type\\\":\\\"p\\\",\\\"podNetworks\\\":true}"),
		  "a: plugins[0].podNetworks: not in a definition, but in the configuration that "
		  "the runtime has: " },
		{ ",\"spec\":" CONFIG("{\\\"plugins\\\":[{\\\"type\\\":\\\"p\\\"},{\\\"type\\\":"
				      "\\\"q\\\",\\\"PODNETWORKS\\\":true}]}"),
		  "a: plugins[1].PODNETWORKS: not in a definition, but in the configuration that "
		  "the runtime has: " },
	};

	test("spec.config is a list of plugins or one; empty it is the configuration of that name");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		eq(spec(rows[i][0],
			"{\"cniVersion\":\"0.4.0\",\"name\":\"net\",\"type\":\"r\"} {\"name\":"
			"\"other\",\"type\":\"s\"}"),
		   rows[i][1]);
	eq(spec("", NULL), "a: spec.config is empty, and 'nets' has no configuration of the name "
			   "net: ");
	begins(spec(",\"spec\":" CONFIG("{\\\"cniVersion\\\":\\\"9\\\",\\\"type\\\":\\\"p\\\"}"),
		    NULL), "a: ");
}

static void test_resource(void)
{
	static const char *const rows[][3] = {
		{ "a.b/c", "", "a net 0.1.0 a.b/c: p" },
		{ "a.b/c", ",\\\"resourceName\\\":\\\"a.b/c\\\"", "a net 0.1.0 a.b/c: p" },
		{ "", ",\\\"resourceName\\\":\\\"a.b/c\\\"", "a net 0.1.0 a.b/c: p" },
		{ "", ",\\\"resourceName\\\":\\\"\\\"", "a net 0.1.0: p" },
		{ "a.b/c", ",\\\"resourceName\\\":\\\"a.b/d\\\"",
		  "a: resourceName is 'a.b/d', and the annotation k8s.v1.cni.cncf.io/resourceName "
		  "is 'a.b/c': " },
		{ "a b", "", "a: invalid resource 'a b': must be as example.com/vf: " },
		{ "", ",\\\"resourceName\\\":7",
		  "a: resourceName: expected a string, got an integer: " },
	};
	char doc[1024];

	test("the resource is what the annotation of the definition says, or resourceName");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_network_definitions struct network_definitions d = { 0 };

		(void)snprintf(doc, sizeof(doc),
			       NAD(NAMED("net") ",\"annotations\":{\"%s\":\"%s\"}",
				   CONFIG("{\\\"type\\\":\\\"p\\\"%s}")),
			       RESOURCE_ANNOTATION, rows[i][0], rows[i][1]);
		read_all((const char *const[]){ doc, NULL }, &d);
		eq(find_in(&d, "ns", "net"), rows[i][2]);
	}
}

static void test_found(void)
{
	auto_network_definitions struct network_definitions d = { 0 };

	read_all((const char *const[]){
			 NAD("\"namespace\":\"a\",\"name\":\"net\"",
			     CONFIG("{\\\"type\\\":\\\"p\\\"}"))
			 NAD("\"namespace\":\"b\",\"name\":\"net\"",
			     CONFIG("{\\\"type\\\":\\\"q\\\"}")),
			 "{\"name\":\"net\",\"type\":\"r\"} {\"name\":\"bridge\",\"type\":\"s\"}",
			 "{\"name\":\"net\",\"plugins\":[{\"type\":\"t\"}]}", NULL }, &d);
	test("two networks of one name are those of their namespaces");
	eq(find_in(&d, "a", "net"), "a#1 net 0.1.0: p");
	eq(find_in(&d, "b", "net"), "a#2 net 0.1.0: q");
	test("without a definition a configuration is of every namespace, a list before a plugin");
	eq(find_in(&d, "c", "net"), "c net 0.1.0: t");
	eq(find_in(&d, "c", "bridge"), "b#2 bridge 0.1.0: s");
	test("a network that is not there says where was looked, and what is near");
	eq(find_in(&d, "a", "brigde"), "no network a/brigde in 'nets', did you mean bridge?: there "
				       "are 5 networks: see devinfoctl networks");
	eq(find_in(&d, "a", "nothing"), "no network a/nothing in 'nets': there are 5 networks: see "
					"devinfoctl networks");
}

static void test_elsewhere(void)
{
	auto_network_definitions struct network_definitions d = { 0 };

	read_all((const char *const[]){ NAD("\"namespace\":\"a\",\"name\":\"net\"", "{}")
					NAD("\"namespace\":\"b\",\"name\":\"net\"", "{}"),
					"{\"x\":1}", NULL }, &d);
	test("one of another namespace is told of, and what was passed over");
	eq(find_in(&d, "c", "net"), "no network c/net in 'nets': of this name there are networks "
				    "in: a, b; 1 files or objects of it are wrong, and were passed "
				    "over; there are 2 networks: see devinfoctl networks");
}

static void test_twice(void)
{
	auto_network_definitions struct network_definitions d = { 0 };

	read_all((const char *const[]){ NAD(NAMED("net"), "{}"), NAD(NAMED("net"), "{}"),
					"{\"name\":\"x\",\"type\":\"r\"}",
					"{\"name\":\"x\",\"type\":\"r\"}",
					NAD(NAMED("x"), "{}"), NULL }, &d);
	test("one that is there twice is none");
	eq(find_in(&d, "ns", "net"), "ns/net is in a and in b: ");
	eq(find_in(&d, "other", "x"), "x is in c and in d: ");
	eq(find_in(&d, "ns", "x"), "e: x is in c and in d: ");
}

static void test_many(void)
{
	auto_network_definitions struct network_definitions d = { .dir = "nets" };
	char text[128], name[16], want[64];
	struct err e = { 0 };

	for (int i = 0; i < 100; i++) {
		(void)snprintf(text, sizeof(text), "{\"name\":\"n%d\",\"type\":\"t\"}", i);
		(void)snprintf(name, sizeof(name), "f%d", i);
		ok(manifests_read(text, strlen(text), name, &d.from, &e) == 0);
	}
	ok(network_definitions_index(note, NULL, &d, &e) == 0);
	test("each of many is found");
	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "n%d", i);
		(void)snprintf(want, sizeof(want), "f%d n%d 0.1.0: t", i, i);
		eq(find_in(&d, "ns", name), want);
	}
}

/* Does a network of plugins p and q, of which q declares mac and ips, serve this element? */
static const char *served(const char *element)
{
	static char ret[512];
	auto_network_definitions struct network_definitions d = { 0 };
	auto_network_selections struct network_selections s = { 0 };
	auto_network struct network n = { 0 };
	json_auto_t *annotations = NULL;
	struct network_pod pod = { .namespace = "ns", .ifname = "eth0" };
	struct err e = { 0 };
	char text[512];

	read_all((const char *const[]){
			 "{\"name\":\"net\",\"plugins\":[{\"type\":\"p\",\"capabilities\":"
			 "{\"bandwidth\":false}},{\"type\":\"q\",\"capabilities\":{\"mac\":true,"
			 "\"ips\":true}}]}", NULL }, &d);
	(void)snprintf(text, sizeof(text), "[{\"name\":\"net\",%s}]", element);
	annotations = json_pack("{s:s}", NETWORKS_ANNOTATION, text);
	pod.annotations = annotations;
	ok(network_selections_read(&pod, NULL, NULL, &s, &e) == 0 &&
	   network_find(&d, "ns", "net", &n, &e) == 0);
	if (network_check_request(&n, &s.list[0], &e) == 0)
		return "yes";
	(void)snprintf(ret, sizeof(ret), "%s", e.msg);
	return ret;
}

static void test_request(void)
{
#define NO_EFFECT(key, capability) \
	key ": no plugin of network ns/net declares the capability " capability ", so it would " \
	"have no effect"
	static const char *const rows[][2] = {
		{ "\"interface\":\"x\",\"deviceID\":\"y\",\"cni-args\":{},\"default-route\":[]",
		  "yes" },
		{ "\"mac\":\"02:00:00:00:00:01\",\"ips\":[\"10.0.0.1\"]", "yes" },
		{ "\"portMappings\":[]", "yes" },
		{ "\"portMappings\":[{\"hostPort\":1,\"containerPort\":1}]",
		  NO_EFFECT("portMappings", "portMappings") },
		{ "\"bandwidth\":{}", NO_EFFECT("bandwidth", "bandwidth") },
		{ "\"infiniband-guid\":\"02:00:00:00:00:00:00:01\"",
		  NO_EFFECT("infiniband-guid", "infinibandGUID") },
	};

	test("what a pod asks for has to be a capability of a plugin");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		eq(served(rows[i][0]), rows[i][1]);
}

static char dir[] = "/tmp/test_network.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/nets/%s", dir, name);
	f = fopen(path, "w");
	ok(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void remove_all(void)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -rf '%s/nets'", dir);
	ok(system(command) == 0);
}

/* A new directory "nets" below the root. */
static void make_nets(void)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/nets", dir);
	remove_all();
	ok(mkdir(path, 0755) == 0);
}

/* What is read of it, and *passed_over; else the message and details. */
static const char *read_nets(int root, const struct network_selections *only)
{
	static char ret[1300];
	auto_network_definitions struct network_definitions d = { .dir = "/nets", .only = only };
	struct err e = { 0 };

	*passed_over = '\0';
	if (network_definitions_read(root, "/nets", note, NULL, &d, &e) == 0)
		return list_of(&d);
	(void)snprintf(ret, sizeof(ret), "%s: %s", e.msg, strerror(e.sys));
	return ret;
}

static void test_directory(int root)
{
	auto_network_definitions struct network_definitions d = { .dir = "/nets" };
	struct err e = { 0 };

	make_nets();
	put("a.conf", "{\"name\":\"a\",\"type\":\"t\"}");
	put("b.conflist", "{\"name\":\"b\",\"plugins\":[]}");
	put("c.json", "{\"name\":\"c\",\"type\":\"t\"}");
	put("d.yaml", NAD(NAMED("d"), "{}"));
	put("e.yml", "{ not");
	put("f.txt", "{");
	put(".g.conf", "{");
	*passed_over = '\0';
	test("a directory has definitions and configurations; what is wrong is told");
	ok(network_definitions_read(root, "/nets", note, NULL, &d, &e) == 0);
	eq(list_of(&d), "/a a.conf; /b b.conflist; /c c.json; ns/d d.yaml");
	eq(passed_over, "e.yml: not valid JSON;");
	eqi(d.bad, 1);
	remove_all();
	test("one that is not there is an error");
	begins(read_nets(root, NULL), "open the directory '/nets': No such file");
}

/* Runs a command in it. */
static void in_nets(const char *command)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "cd '%s/nets' && %s", dir, command);
	ok(system(text) == 0);
}

static void test_own(int root)
{
	auto_network_definitions struct network_definitions d = { .dir = "/nets" };
	struct err e = { 0 };

	make_nets();
	put("a.json", "{\"name\":\"a\",\"type\":\"t\"}");
	put("b.json", "{\"name\":\"b\",\"type\":\"t\"}");
	put("c.json", "{\"name\":\"c\",\"type\":\"t\"}");
	put("d.json", "{\"name\":\"d\",\"type\":\"t\"}");
	in_nets("chmod 664 b.json && chmod 646 c.json && chown 12345 d.json && "
		"ln -s a.json e.json && mkdir f.json && mkfifo g.json && "
		"truncate -s 16777217 h.json");
	test("what others may write, a link and what is no file of some size is passed over");
	eq(read_nets(root, NULL), "/a a.json");
	eq(passed_over, "'b.json' has owner 0 and mode 0664: must be root's, and not writable by "
			"others;'c.json' has owner 0 and mode 0646: must be root's, and not "
			"writable by others;'d.json' has owner 12345 and mode 0644: must be "
			"root's, and not writable by others;open 'e.json';"
			"'f.json' is not a regular file;"
			"'g.json' is not a regular file;'h.json' has 16777217 bytes, at most "
			"16777216 are read;");
	test("whoever only looks reads what belongs to others");
	ok(network_definitions_look(root, "/nets", note, NULL, &d, &e) == 0);
	eq(list_of(&d), "/a a.json; /b b.json; /c c.json; /d d.json");
	in_nets("chmod 775 .");
	test("a directory that others may write, or own, is refused");
	eq(read_nets(root, NULL), "'/nets' has owner 0 and mode 0775: must be root's, and not "
				  "writable by others: Success");
	in_nets("chmod 755 . && chown 12345 .");
	begins(read_nets(root, NULL), "'/nets' has owner 12345 and mode 0755");
	in_nets("chown 0 . && cd .. && mv nets other && ln -s other nets");
	test("but it may be a link, for who may set that owns it");
	eq(read_nets(root, NULL), "/a a.json");
	in_nets("cd .. && rm -r other");
}

static void test_bounds(int root)
{
	make_nets();
	in_nets("printf '{}' >a.json && for i in b c d; do "
		"truncate -s 5592406 $i.conf; done");
	test("all files together have 16 MiB at most");
	begins(read_nets(root, NULL), "the files of '/nets' have more than 16777216 bytes: ");
	in_nets("truncate -s 5592400 b.conf");
	eq(read_nets(root, NULL), "");
	make_nets();
	in_nets("seq -f %g.conf 10000 | xargs touch");
	test("and are 10000 at most");
	eq(read_nets(root, NULL), "");
	in_nets("touch x.conf");
	begins(read_nets(root, NULL), "'/nets' has more than 10000 files: ");
	in_nets("mv x.conf x.txt");
	eq(read_nets(root, NULL), "");
}

/* Those that a pod asks for are found as they are among all, and others are not parsed. */
static void test_only(int root)
{
	struct network_selection asked[] = { { .name = "net-a" }, { .name = "net-b" } };
	const struct network_selections s = { .list = asked, .n = 2 };
	auto_network_definitions struct network_definitions d = { .dir = "/nets", .only = &s };
	struct err e = { 0 };

	make_nets();
	put("1.json", NAD("\"namespace\":\"ns\",\"name\":\"net-a\"", "{}"));
	put("2.json", "{\"name\":\"net-a\",\"type\":\"t\"} {\"name\":\"c\",\"type\":\"t\"}");
	put("3.json", "{\"name\":\"net-\\u0062\",\"plugins\":[{\"type\":\"t\"}]}");
	put("4.json", NAD("\"namespace\":\"other\",\"name\":\"xyz\"", "{}"));
	put("5.yaml", "kind: NetworkAttachmentDefinition\nx: [ torn, net-a");
	put("6.conf", "{\"n\":");
	put("7.conf", "{\"nothing\":{}}");
	put("8.json", "{\"name\":\"xzy\",\"type\":\"t\"}");
	in_nets("chmod 666 7.conf");
	test("of all files those are parsed that may have a network of these names");
	ok(network_definitions_read(root, "/nets", note, NULL, &d, &e) == 0);
	eq(list_of(&d), "/c 2.json#2; /net-a 2.json#1; /net-b 3.json; ns/net-a 1.json");
	begins(passed_over, "5.yaml: not valid YAML;'7.conf' has owner");
	eq(find_in(&d, "ns", "net-a"), "2.json#1 net-a 0.1.0: t");
	eq(find_in(&d, "x", "net-b"), "3.json net-b 0.1.0: t");
	test("but one that is missing is told with what is near in all of them");
	eq(find_in(&d, "q", "xzz"), "no network q/xzz in '/nets', did you mean xzy?: 3 files or "
				    "objects of it are wrong, and were passed over; there are 6 "
				    "networks: see devinfoctl networks");
	put("9.yml", "kind: NetworkAttachmentDefinition\napiVersion: k8s.cni.cncf.io/v1\n"
		     "metadata:\n  namespace: ns\n  name: \"net-\\x61\"\n");
	network_definitions_done(&d);
	d = (struct network_definitions){ .dir = "/nets", .only = &s };
	test("one that is there twice is none, however it is written");
	ok(network_definitions_read(root, "/nets", note, NULL, &d, &e) == 0);
	eq(find_in(&d, "ns", "net-a"), "ns/net-a is in 1.json and in 9.yml: ");
}

int main(void)
{
	auto_close int root = -1;

	jx_init(NULL);
	test_objects();
	test_passed_over();
	test_config();
	test_resource();
	test_found();
	test_elsewhere();
	test_twice();
	test_many();
	test_request();
	ok(mkdtemp(dir) != NULL);
	root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	test_directory(root);
	test_own(root);
	test_bounds(root);
	test_only(root);
	remove_all();
	ok(rmdir(dir) == 0);
	return tap_end();
}
