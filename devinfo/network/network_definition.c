/* SPDX-License-Identifier: Apache-2.0 */
/* network_definition.c - what networks are: a directory of definitions and configurations */
#include "devinfo/network/network_definition.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/nearest.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char kind[] = "NetworkAttachmentDefinition";
static const char group[] = "k8s.cni.cncf.io/v1";

/* -- the directory -- */

static bool is_list(const struct network_definition *d)
{
	return json_object_get(d->doc, "plugins") != NULL;
}

/* By namespace and name; configurations alone, which have no namespace, come first. */
static int order(const struct network_definition *d, const char *namespace, const char *name)
{
	int r = strcmp(d->namespace ? d->namespace : "", namespace ? namespace : "");

	return r ? r : strcmp(d->name, name);
}

/* Of configurations with one name a list goes before a single plugin, by the specification. */
static int compare(const void *a, const void *b)
{
	const struct network_definition *x = a, *y = b;
	int r = order(x, y->namespace, y->name);

	if (r == 0 && !x->namespace)
		r = is_list(y) - is_list(x);
	return r ? r : strcmp(x->source, y->source);
}

/* Beside definitions there may be any objects; one with a typing error in its kind is ours. */
static bool is_others(const struct manifest *m)
{
	return *m->kind && strcmp(m->kind, kind) != 0 &&
	       nearest_edits(m->kind, kind) > NEAREST_EDITS;
}

static int read_definition(const struct manifest *m, struct network_definition *ret,
			   struct err *e)
{
	const char *space = "default";	/* where kubectl puts an object that says none */

	if (strcmp(m->kind, kind) != 0 || strcmp(m->api_version, group) != 0)
		return err_set(e, ERR_NETCONF, 0, "expected a %s of %s, got '%.64s' of '%.64s'",
			       kind, group, m->kind, m->api_version);
	if (!name_is_dns_subdomain(m->name))
		return err_set(e, ERR_NETCONF, 0, "invalid metadata.name '%.64s': must be the "
			       "name of a definition", m->name);
	if (jx_string(json_object_get(m->doc, "metadata"), "metadata", "namespace", &space, e) < 0)
		return -1;
	if (!name_is_dns_label(space))
		return err_set(e, ERR_NETCONF, 0, "invalid metadata.namespace '%.64s': must be a "
			       "namespace", space);
	ret->namespace = space;
	ret->name = m->name;
	return 0;
}

static int read_configuration(const struct manifest *m, struct network_definition *ret,
			      struct err *e)
{
	if (!json_object_get(m->doc, "plugins") && !json_object_get(m->doc, "type"))
		return err_set(e, ERR_NETCONF, 0, "expected a %s or a configuration of CNI, which "
			       "has plugins or a type", kind);
	if (jx_string(m->doc, "", "name", &ret->name, e) < 0)
		return -1;
	if (!ret->name || !name_is_cni_id(ret->name))
		return err_set(e, ERR_NETCONF, 0, "invalid name '%.64s': must be the name of a "
			       "network", ret->name ? ret->name : "");
	return 0;
}

static int read_one(const struct manifest *m, struct network_definition *ret, struct err *e)
{
	*ret = (struct network_definition){ .source = m->source, .doc = m->doc };
	return *m->kind ? read_definition(m, ret, e) : read_configuration(m, ret, e);
}

int network_definitions_index(void (*bad)(const struct err *why, void *arg), void *arg,
			      struct network_definitions *d, struct err *e)
{
	free(d->list);
	d->n = 0;
	d->list = calloc(d->from.n + 1, sizeof(d->list[0]));
	if (!d->list)
		return err_set(e, ERR_IO, ENOMEM, "definitions of networks");
	for (size_t i = 0; i < d->from.n; i++) {
		const struct manifest *m = &d->from.list[i];
		struct err why = { 0 };

		if (is_others(m))
			continue;
		if (read_one(m, &d->list[d->n], &why) == 0) {
			d->n++;
			continue;
		}
		d->bad++;
		(void)err_wrap(&why, "%s", m->source);
		bad(&why, arg);
	}
	qsort(d->list, d->n, sizeof(d->list[0]), compare);
	return 0;
}

struct bad_file {
	void (*bad)(const struct err *why, void *arg);
	void *arg;
	struct network_definitions *d;
};

/* Is it for want of something of the node's, rather than by what the file is? */
static bool is_of_node(int sys)
{
	return sys == EIO || sys == ENOMEM || sys == EMFILE || sys == ENFILE || sys == EACCES ||
	       sys == EAGAIN || sys == EINTR;
}

static void tell_bad_file(const struct err *why, void *arg)
{
	const struct bad_file *f = arg;

	f->d->bad++;
	if (f->d->unread.code == ERR_OK && is_of_node(why->sys))
		f->d->unread = *why;
	f->bad(why, f->arg);
}

/* A configuration that a definition means has its name. */
static void names_of(const struct network_selections *s, const char *ret[NETWORKS_MAX + 2])
{
	for (size_t i = 0; i < s->n && i < NETWORKS_MAX + 1; i++)
		ret[i] = s->list[i].name;
}

static int read_files(int root, const char *path, bool own, struct bad_file *f, struct err *e)
{
	static const char *const endings[] = {
		".conflist", ".conf", ".yaml", ".yml", ".json", NULL
	};
	const char *words[NETWORKS_MAX + 2] = { NULL };
	struct manifest_dir how = { .endings = endings, .own = own };
	int r;

	if (f->d->only) {
		names_of(f->d->only, words);
		how.words = words;
	}
	r = manifests_read_dir_as(root, path, &how, &f->d->from, tell_bad_file, f, e);
	return r != 0 ? (r < 0 ? -1 : 0) :
			err_set(e, ERR_IO, ENOENT, "open the directory '%s'", path);
}

int network_definitions_read(int root, const char *path,
			     void (*bad)(const struct err *why, void *arg), void *arg,
			     struct network_definitions *d, struct err *e)
{
	struct bad_file f = { bad, arg, d };

	d->root = root;
	return read_files(root, path, true, &f, e) < 0 ?
		       -1 : network_definitions_index(bad, arg, d, e);
}

int network_definitions_look(int root, const char *path,
			     void (*bad)(const struct err *why, void *arg), void *arg,
			     struct network_definitions *d, struct err *e)
{
	struct bad_file f = { bad, arg, d };

	return read_files(root, path, false, &f, e) < 0 ?
		       -1 : network_definitions_index(bad, arg, d, e);
}

void network_definitions_done(struct network_definitions *d)
{
	free(d->list);
	manifests_done(&d->from);
	*d = (struct network_definitions){ 0 };
}

/* -- one of them -- */

static void refuse_twice(const struct network_definition *d, struct err *e)
{
	(void)err_set(e, ERR_NETCONF, 0, "%s%s%s is in %s and in %s",
		      d[0].namespace ? d[0].namespace : "", d[0].namespace ? "/" : "", d[0].name,
		      d[0].source, d[1].source);
}

/* The one of this namespace (NULL: a configuration alone) and name: 1, 0, -1 when there are two. */
static int look_up(const struct network_definitions *d, const char *namespace, const char *name,
		   const struct network_definition **ret, struct err *e)
{
	const struct network_definition *at, *end = d->list + d->n;
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (order(&d->list[mid], namespace, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	at = d->list + low;
	if (at == end || order(at, namespace, name) != 0)
		return 0;
	if (at + 1 < end && order(at + 1, namespace, name) == 0 &&
	    (namespace || is_list(at) == is_list(at + 1))) {
		refuse_twice(at, e);
		return -1;
	}
	*ret = at;
	return 1;
}

/* -- its configuration -- */

/* Its name is the definition's where it has none. */
static json_t *parse_config(const struct network_definition *by, const char *text, struct err *e)
{
	json_auto_t *config = jx_parse(text, strlen(text), ERR_NETCONF, "spec.config", e);
	const char *name = json_string_value(json_object_get(config, "name"));

	if (!config)
		return NULL;
	if (!json_is_object(config)) {
		(void)err_set(e, ERR_NETCONF, 0, "spec.config: expected an object, got %s",
			      jx_type_name(config));
		return NULL;
	}
	if (!json_object_get(config, "name") || (name && !*name))
		(void)json_object_set_new(config, "name", json_string(by->name));
	return steal_ptr(&config);
}

/* A definition without one means the configuration of its name. */
static json_t *find_config(const struct network_definitions *d, struct network *n, struct err *e)
{
	const struct network_definition *found = n->by;
	int r = found->namespace ? look_up(d, NULL, n->by->name, &found, e) : 1;

	if (r < 0)
		return NULL;
	if (r == 0) {
		(void)err_set(e, ERR_NETCONF, 0, "spec.config is empty, and '%.100s' has no "
			      "configuration of the name %s", d->dir, n->by->name);
		return NULL;
	}
	n->source = found->source;
	return json_incref(found->doc);
}

static int take_config(const struct network_definitions *d, struct network *n, struct err *e)
{
	json_t *spec = NULL;
	const char *text = NULL;

	if (n->by->namespace && (jx_object(n->by->doc, "", "spec", &spec, e) < 0 ||
				 jx_string(spec, "spec", "config", &text, e) < 0))
		return -1;
	n->config = text && *text ? parse_config(n->by, text, e) : find_config(d, n, e);
	return n->config ? 0 : -1;
}

static int take_head(struct network *n, struct err *e)
{
	const char *version = NULL;

	if (jx_string(n->config, "", "name", &n->name, e) < 0 ||
	    jx_string(n->config, "", "cniVersion", &version, e) < 0)
		return -1;
	if (!n->name || !name_is_cni_id(n->name))
		return err_set(e, ERR_NETCONF, 0, "invalid name '%.64s': must be the name of a "
			       "network", n->name ? n->name : "");
	return cni_version_parse(version && *version ? version : "0.1.0", &n->version, e);
}

/* A pod's networks are attached by the runtime's own list, and by none of these themselves. */
static int refuse_pod_networks(const json_t *plugin, const char *path, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)plugin, key, v)
		if (strcasecmp(key, "podNetworks") == 0 && !json_is_null(v) && !json_is_false(v))
			return err_set(e, ERR_NETCONF, 0, "%s.%s: not in a definition, but in the "
				       "configuration that the runtime has", path, key);
	return 0;
}

static int check_plugin(const json_t *plugin, size_t i, struct err *e)
{
	const char *type = NULL;
	char path[32];

	(void)snprintf(path, sizeof(path), "plugins[%zu]", i);
	if (!json_is_object(plugin))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			       jx_type_name(plugin));
	if (jx_string(plugin, path, "type", &type, e) < 0)
		return -1;
	return type && name_is_file(type) ?
		       refuse_pod_networks(plugin, path, e) :
		       err_set(e, ERR_NETCONF, 0, "invalid %s.type '%.64s': must be the name of a "
			       "plugin", path, type ? type : "");
}

/* A configuration of one plugin is a list of it. */
static int take_plugins(struct network *n, struct err *e)
{
	json_t *list = NULL, *plugin;
	size_t i;

	if (jx_array(n->config, "", "plugins", &list, e) < 0)
		return -1;
	n->plugins = list ? json_incref(list) : json_pack("[O]", n->config);
	if (json_array_size(n->plugins) == 0 || json_array_size(n->plugins) > NETWORK_PLUGINS_MAX)
		return err_set(e, ERR_NETCONF, 0, "plugins: expected 1 to %d, got %zu",
			       NETWORK_PLUGINS_MAX, json_array_size(n->plugins));
	json_array_foreach(n->plugins, i, plugin)
		if (check_plugin(plugin, i, e) < 0)
			return -1;
	return 0;
}

static int take_resource(struct network *n, struct err *e)
{
	json_t *metadata = json_object_get(n->by->doc, "metadata"), *annotations = NULL;
	const char *annotated = NULL, *said = NULL;

	if (n->by->namespace &&
	    (jx_object(metadata, "metadata", "annotations", &annotations, e) < 0 ||
	     jx_string(annotations, "metadata.annotations", RESOURCE_ANNOTATION, &annotated, e) <
		     0))
		return -1;
	if (jx_string(n->config, "", "resourceName", &said, e) < 0)
		return -1;
	if (annotated && *annotated && said && *said && strcmp(annotated, said) != 0)
		return err_set(e, ERR_NETCONF, 0, "resourceName is '%.64s', and the annotation %s "
			       "is '%.64s'", said, RESOURCE_ANNOTATION, annotated);
	n->resource = annotated && *annotated ? annotated : said && *said ? said : NULL;
	return !n->resource || name_is_resource(n->resource) ?
		       0 : err_set(e, ERR_NETCONF, 0, "invalid resource '%.64s': must be as "
				   "example.com/vf", n->resource);
}

int network_open(const struct network_definitions *d, const struct network_definition *by,
		 struct network *ret, struct err *e)
{
	struct network n = { .by = by, .source = by->source };
	const struct network_definition *first;

	if (look_up(d, by->namespace, by->name, &first, e) >= 0 && take_config(d, &n, e) == 0 &&
	    take_head(&n, e) == 0 && take_plugins(&n, e) == 0 && take_resource(&n, e) == 0) {
		*ret = n;
		return 0;
	}
	network_done(&n);
	return err_wrap(e, "%s", by->source);
}

/* -- that of a pod -- */

/* The namespaces that have a network of this name. */
static void tell_namespaces(const struct network_definitions *d, const char *name, struct err *e)
{
	char list[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < d->n && len < sizeof(list) && !d->isolated; i++)
		if (d->list[i].namespace && strcmp(d->list[i].name, name) == 0)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						len ? ", " : "", d->list[i].namespace);
	if (len > 0)
		(void)err_detail(e, "of this name there are networks in: %s", list);
}

static void hint_of(const struct network_definitions *d, const char *namespace, const char *name,
		    char hint[NEAREST_HINT])
{
	auto_free const char **names = calloc(d->n + 1, sizeof(*names));
	size_t n = 0;

	*hint = '\0';
	for (size_t i = 0; names && i < d->n; i++)
		if (!d->list[i].namespace || strcmp(d->list[i].namespace, namespace) == 0)
			names[n++] = d->list[i].name;
	if (names)
		nearest_hint(name, names, n, hint);
}

static void say_nothing(const struct err *why, void *arg)
{
	(void)why;
	(void)arg;
}

static int tell_missing_of(const struct network_definitions *d, const char *namespace,
			   const char *name, struct err *e)
{
	char hint[NEAREST_HINT];

	hint_of(d, namespace, name, hint);
	(void)err_set(e, ERR_NETCONF, 0, "no network %s/%s in '%.100s'%s", namespace, name, d->dir,
		      hint);
	tell_namespaces(d, name, e);
	if (d->bad > 0)
		(void)err_detail(e, "%zu files or objects of it are wrong, and were passed over",
				 d->bad);
	return err_detail(e, "there are %zu networks: see devinfoctl networks", d->n);
}

/* For what is near all files are read, where so far those that were asked for are. */
static int tell_missing(const struct network_definitions *d, const char *namespace,
			const char *name, struct err *e)
{
	auto_network_definitions struct network_definitions all = {
		.dir = d->dir, .isolated = d->isolated,
	};

	if (!d->only)
		return tell_missing_of(d, namespace, name, e);
	if (network_definitions_read(d->root, d->dir, say_nothing, NULL, &all, e) < 0)
		return -1;
	return tell_missing_of(&all, namespace, name, e);
}

int network_find(const struct network_definitions *d, const char *namespace, const char *name,
		 struct network *ret, struct err *e)
{
	const struct network_definition *found = NULL;
	int r = look_up(d, namespace, name, &found, e);

	if (r == 0 && d->unread.code != ERR_OK) {	/* it may be in there */
		*e = d->unread;
		return err_wrap(e, "look for network %s/%s", namespace, name);
	}
	if (r == 0)
		r = look_up(d, NULL, name, &found, e);
	if (r < 0)
		return -1;
	return found ? network_open(d, found, ret, e) : tell_missing(d, namespace, name, e);
}

void network_done(struct network *n)
{
	json_decref(n->plugins);
	json_decref(n->config);
	*n = (struct network){ 0 };
}
