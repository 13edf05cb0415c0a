/* SPDX-License-Identifier: Apache-2.0 */
/* test_kubeconfig.c - what is read of a kubeconfig, and what is refused */
#include "daemon/api/api_access.h"
#include "daemon/api/kubeconfig.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_OF(cluster, user)						\
	"apiVersion: v1\n"						\
	"kind: Config\n"						\
	"preferences: {}\n"						\
	"current-context: here\n"					\
	"contexts:\n"							\
	"- name: there\n"						\
	"  context: {cluster: x, user: y}\n"				\
	"- name: here\n"						\
	"  context: {cluster: c, user: u, namespace: n}\n"		\
	"clusters:\n"							\
	"- name: c\n"							\
	"  cluster: {" cluster "}\n"					\
	"users:\n"							\
	"- name: u\n"							\
	"  user: {" user "}\n"

#define SERVER "server: 'https://h:1'"

/* What is wrong with it; "": nothing. */
static const char *wrong(const char *text)
{
	static char ret[2048];
	auto_kubeconfig struct kubeconfig k = { .doc = NULL };
	struct err e = { 0 };

	*ret = '\0';
	if (kubeconfig_parse(text, strlen(text), &k, &e) < 0)
		(void)snprintf(ret, sizeof(ret), "%s %s", e.msg, e.details);
	return ret;
}

static void test_read(void)
{
	static const char text[] = FILE_OF(
		"server: 'https://[fd00::1]:6443/', tls-server-name: api, proxy-url: '', "
		"certificate-authority: ca.crt, certificate-authority-data: Y2E=, extensions: []",
		"client-certificate: c, client-key-data: aw==, token: t, tokenFile: f");
	auto_kubeconfig struct kubeconfig k = { .doc = NULL };
	struct err e = { 0 };

	test("the current context's cluster and user are read; an empty text is none");
	eqi(kubeconfig_parse(text, strlen(text), &k, &e), 0);
	eq(k.server, "https://[fd00::1]:6443/");
	eq(k.server_name, "api");
	ok(!k.proxy);
	eq(k.ca_file, "ca.crt");
	eq(k.ca_data, "Y2E=");
	eq(k.cert_file, "c");
	ok(!k.cert_data);
	eq(k.key_data, "aw==");
	eq(k.token, "t");
	eq(k.token_file, "f");
	test("JSON is YAML");
	eq(wrong("{\"current-context\":\"a\",\"contexts\":[{\"name\":\"a\",\"context\":"
		 "{\"cluster\":\"a\",\"user\":\"a\"}}],\"clusters\":[{\"name\":\"a\",\"cluster\":"
		 "{\"server\":"
		 "\"https://a\"}}],\"users\":[{\"name\":\"a\",\"user\":{}}]}"), "");
}

static void test_wrong(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "no document" },
		{ "[]", "expected an object" },
		{ "a: [", "kubeconfig" },
		{ "contexts: []", "current-context is missing" },
		{ "current-context: a", "contexts: there is no 'a'" },
		{ "{current-context: a, contexts: 7}", "contexts" },
		{ "{current-context: a, contexts: [{name: a}]}", "'a' has no context" },
		{ "{current-context: a, contexts: [{name: a, context: {user: u}}]}",
		  "names no cluster" },
		{ "{current-context: a, contexts: [{name: a, context: {user: u, cluster: c}}]}",
		  "clusters: there is no 'c'" },
		{ FILE_OF("", ""), "server is missing" },
		{ FILE_OF("server: 7", ""), "server" },
		{ FILE_OF("server: 'http://h'", ""), "expected https://" },
		{ FILE_OF("server: 'https://'", ""), "has no host" },
		{ FILE_OF("server: 'https://:1'", ""), "has no host" },
		{ FILE_OF("server: 'https://u:p@h'", ""), "not allowed" },
		{ FILE_OF("server: 'https://h?x'", ""), "not allowed" },
		{ FILE_OF("server: \"https://h\\nx\"", ""), "not allowed" },
		{ FILE_OF(SERVER ", insecure-skip-tls-verify: true", ""), "always checked" },
		{ FILE_OF(SERVER ", insecure-skip-tls-verify: x", ""), "insecure-skip-tls-verify" },
		{ FILE_OF(SERVER ", insecure-skip-tls-verify: false", ""), "" },
		{ FILE_OF(SERVER, "exec: {command: x}"), "exec is refused: no program" },
		{ FILE_OF(SERVER, "exec: null"), "" },
		{ FILE_OF(SERVER, "auth-provider: {name: x}"), "auth-provider is refused" },
		{ FILE_OF(SERVER, "username: x"), "username is refused" },
		{ FILE_OF(SERVER, "password: x"), "password is refused" },
		{ FILE_OF(SERVER, "as: x"), "as is refused" },
		{ FILE_OF(SERVER, "as-uid: x"), "as-uid is refused" },
		{ FILE_OF(SERVER, "as-groups: [x]"), "as-groups is refused" },
		{ FILE_OF(SERVER, "as-user-extra: {x: []}"), "as-user-extra is refused" },
		{ FILE_OF(SERVER, "client-certificate: x"), "one is missing" },
		{ FILE_OF(SERVER, "client-key-data: x"), "one is missing" },
		{ FILE_OF(SERVER, "token: [x]"), "token" },
		{ FILE_OF(SERVER, ""), "" },
	};

	test("what is wrong, or less safe than it looks, is told");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (*cases[i].want)
			contains(wrong(cases[i].text), cases[i].want);
		else
			eq(wrong(cases[i].text), "");
	}
}

/* -- what it names -- */

static char dir[] = "/tmp/kubeconfig.XXXXXX";

static const char *path_of(const char *name)
{
	static char ret[128];

	(void)snprintf(ret, sizeof(ret), "%s/%s", dir, name);
	return ret;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "w");

	ok(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Read it: what is wrong; "": nothing. */
static const char *reads(const char *text, struct api_access *ret)
{
	static char said[2048];
	struct err e = { 0 };

	write_file("config", text);
	*said = '\0';
	if (api_access_read(path_of("config"), ret, &e) < 0)
		(void)snprintf(said, sizeof(said), "%s %s", e.msg, e.details);
	return said;
}

static void test_access(void)
{
	struct api_access a = { .server = NULL }, b = { .server = NULL };

	write_file("token", " secret\n");
	write_file("two", "one two\n");
	write_file("empty", "\n");
	write_file("ca", "PEM");
	test("files are looked for beside it, data are decoded, blanks around a token cut");
	eq(reads(FILE_OF("server: 'https://h/', certificate-authority: ca",
			 "tokenFile: token, client-certificate-data: YQ==, client-key-data: Yg=="),
		 &a), "");
	eq(a.server, "https://h");
	eq(a.ca, "PEM");
	eq(a.cert, "a");
	eq(a.key, "b");
	eq(a.token, "secret");
	test("what has changed is seen");
	eq(reads(FILE_OF("server: 'https://h/', certificate-authority: ca",
			 "tokenFile: token, client-certificate-data: YQ==, client-key-data: Yg=="),
		 &b), "");
	ok(api_access_equal(&a, &b));
	api_access_done(&b);
	eq(reads(FILE_OF("server: 'https://h/', certificate-authority: ca",
			 "token: other, client-certificate-data: YQ==, client-key-data: Yg=="),
		 &b), "");
	ok(!api_access_equal(&a, &b));
	api_access_done(&a);
	api_access_done(&b);
	test("what is no token, no base64, or no file, is told without its text");
	contains(reads(FILE_OF(SERVER, "tokenFile: two"), &a), "two': a token has no blanks");
	contains(reads(FILE_OF(SERVER, "tokenFile: empty"), &a), "the token is empty");
	contains(reads(FILE_OF(SERVER, "token: \"a\\u0007b\""), &a), "printable");
	contains(reads(FILE_OF(SERVER, "tokenFile: ."), &a), "no regular file");
	contains(reads(FILE_OF(SERVER ", certificate-authority: none", ""), &a),
		 "certificate-authority: open");
	contains(reads(FILE_OF(SERVER ", certificate-authority-data: '%'", ""), &a),
		 "expected PEM in base64");
	contains(reads(FILE_OF(SERVER ", certificate-authority-data: AGE=", ""), &a),
		 "expected PEM in base64");
	ok(!a.server);
}

static void test_pod(void)
{
	struct api_access a = { .server = NULL };
	struct err e;

	test("in no pod a kubeconfig is asked for; in one its files are");
	ok(unsetenv("KUBERNETES_SERVICE_HOST") == 0);
	eqi(api_access_read(NULL, &a, &e), -1);
	contains(e.msg, "--kubeconfig is missing");
	ok(setenv("KUBERNETES_SERVICE_HOST", "a b", 1) == 0);
	eqi(api_access_read(NULL, &a, &e), -1);
	contains(e.msg, "not allowed");
	ok(setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1) == 0);
	eqi(api_access_read(NULL, &a, &e), -1);
	contains(e.msg, "serviceaccount/ca.crt");
}

int main(void)
{
	char command[64];

	jx_init(NULL);
	ok(mkdtemp(dir));
	test_read();
	test_wrong();
	test_access();
	test_pod();
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	ok(system(command) == 0);
	return tap_end();
}
