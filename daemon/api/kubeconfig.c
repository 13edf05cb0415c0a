/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfig.c - a kubeconfig file: the API server and the user of its current context
 *
 * Members that are not known are passed over, as kubectl does; those that say another identity or
 * less security than is asked for are refused, for to pass over them is to be somebody else.
 */
#include "daemon/api/kubeconfig.h"

#include "base/jx.h"
#include "base/jx_yaml.h"
#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

/* Where a text of the file goes. */
struct member {
	const char *key;
	size_t at;
};

#define AT(m) offsetof(struct kubeconfig, m)

static const struct member of_cluster[] = {
	{ "server", AT(server) },
	{ "tls-server-name", AT(server_name) },
	{ "proxy-url", AT(proxy) },
	{ "certificate-authority", AT(ca_file) },
	{ "certificate-authority-data", AT(ca_data) },
};

static const struct member of_user[] = {
	{ "client-certificate", AT(cert_file) },
	{ "client-certificate-data", AT(cert_data) },
	{ "client-key", AT(key_file) },
	{ "client-key-data", AT(key_data) },
	{ "tokenFile", AT(token_file) },
	{ "token", AT(token) },
};

static const struct {
	const char *key, *why;
} refused[] = {
	{ "exec", "no program is executed for credentials" },
	{ "auth-provider", "no program is executed for credentials" },
	{ "username", "passwords are not sent" },
	{ "password", "passwords are not sent" },
	{ "as", "acting as somebody else is not supported" },
	{ "as-uid", "acting as somebody else is not supported" },
	{ "as-groups", "acting as somebody else is not supported" },
	{ "as-user-extra", "acting as somebody else is not supported" },
};

/* An empty text is none, as for kubectl. */
static int read_members(const json_t *o, const char *path, const struct member *list, size_t n,
			struct kubeconfig *ret, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = NULL;

		if (jx_string(o, path, list[i].key, &text, e) < 0)
			return -1;
		if (text && *text)
			*(const char **)((char *)ret + list[i].at) = text;
	}
	return 0;
}

/* -- the parts that the current context names -- */

/* An entry of clusters, contexts or users: its object of this key. */
static int find(const json_t *doc, const char *list, const char *name, const char *key,
		json_t **ret, struct err *e)
{
	json_t *all = NULL, *one;
	size_t i;

	if (jx_array(doc, "", list, &all, e) < 0)
		return -1;
	json_array_foreach(all, i, one) {
		const char *its = json_string_value(json_object_get(one, "name"));

		if (!its || strcmp(its, name) != 0)
			continue;
		if (jx_object(one, list, key, ret, e) < 0)
			return -1;
		return *ret ? 0 : err_set(e, ERR_NETCONF, 0, "%s: '%.64s' has no %s", list, name,
					  key);
	}
	return err_set(e, ERR_NETCONF, 0, "%s: there is no '%.64s'", list, name);
}

static int find_context(const json_t *doc, const char **cluster, const char **user,
			struct err *e)
{
	const char *name = NULL;
	json_t *context = NULL;

	if (jx_string(doc, "", "current-context", &name, e) < 0)
		return -1;
	if (!name || !*name) {
		(void)err_set(e, ERR_NETCONF, 0, "current-context is missing");
		return -1;
	}
	if (find(doc, "contexts", name, "context", &context, e) < 0 ||
	    jx_string(context, "context", "cluster", cluster, e) < 0 ||
	    jx_string(context, "context", "user", user, e) < 0)
		return -1;
	if (*cluster && *user)
		return 0;
	(void)err_set(e, ERR_NETCONF, 0, "contexts: '%.64s' names no cluster, or no user", name);
	return -1;
}

/* -- what it may say -- */

/* Its host, a port and a path; nothing that would be taken for something else of a URL. */
int kubeconfig_check_server(const char *server, struct err *e)
{
	static const char scheme[] = "https://";
	const char *rest = server + sizeof(scheme) - 1;

	if (strncmp(server, scheme, sizeof(scheme) - 1) != 0)
		return err_set(e, ERR_NETCONF, 0, "server '%.128s': expected https://HOST[:PORT]",
			       server);
	for (const char *p = rest; *p; p++)
		if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f || strchr("@?#\\", *p))
			return err_set(e, ERR_NETCONF, 0, "server: a character that is not "
				       "allowed in https://HOST[:PORT]");
	return *rest && *rest != '/' && *rest != ':' ? 0 :
		       err_set(e, ERR_NETCONF, 0, "server '%.128s' has no host", server);
}

static int check_cluster(const json_t *cluster, const struct kubeconfig *k, struct err *e)
{
	bool insecure = false;

	if (jx_bool(cluster, "cluster", "insecure-skip-tls-verify", &insecure, e) < 0)
		return -1;
	if (insecure)
		return err_set(e, ERR_NETCONF, 0, "insecure-skip-tls-verify is refused: the API "
			       "server's certificate is always checked; certificate-authority "
			       "names whose it is");
	return k->server ? kubeconfig_check_server(k->server, e) :
			   err_set(e, ERR_NETCONF, 0, "cluster: server is missing");
}

static int check_user(const json_t *user, const struct kubeconfig *k, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (json_object_get(user, refused[i].key) &&
		    !json_is_null(json_object_get(user, refused[i].key)))
			return err_set(e, ERR_NETCONF, 0, "user: %s is refused: %s; a token, "
				       "tokenFile or client-certificate is allowed",
				       refused[i].key, refused[i].why);
	return !(k->cert_data || k->cert_file) == !(k->key_data || k->key_file) ? 0 :
		       err_set(e, ERR_NETCONF, 0, "user: of client-certificate and client-key one "
			       "is missing");
}

static int read_parts(struct kubeconfig *k, struct err *e)
{
	json_t *cluster = NULL, *user = NULL;
	const char *cluster_name = NULL, *user_name = NULL;

	if (find_context(k->doc, &cluster_name, &user_name, e) < 0 ||
	    find(k->doc, "clusters", cluster_name, "cluster", &cluster, e) < 0 ||
	    find(k->doc, "users", user_name, "user", &user, e) < 0)
		return -1;
	if (read_members(cluster, "cluster", of_cluster, ARRAY_SIZE(of_cluster), k, e) < 0 ||
	    read_members(user, "user", of_user, ARRAY_SIZE(of_user), k, e) < 0)
		return -1;
	return check_cluster(cluster, k, e) < 0 || check_user(user, k, e) < 0 ? -1 : 0;
}

int kubeconfig_parse(const char *text, size_t len, struct kubeconfig *ret, struct err *e)
{
	auto_kubeconfig struct kubeconfig k = { .doc = NULL };

	k.doc = jx_yaml_parse(text, len, ERR_NETCONF, "kubeconfig", e);
	if (!k.doc)
		return -1;
	if (!json_is_object(k.doc))
		return err_set(e, ERR_NETCONF, 0, "kubeconfig: expected an object, got %s",
			       jx_type_name(k.doc));
	if (read_parts(&k, e) < 0)
		return -1;
	*ret = k;
	k.doc = NULL;
	return 0;
}

void kubeconfig_done(struct kubeconfig *k)
{
	json_decref(k->doc);
	k->doc = NULL;
}
