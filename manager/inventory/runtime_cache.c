/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_cache.c - what the runtime remembers of an ADD: libcni's cache */
#include "manager/inventory/runtime_cache.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "cni/call/cache.h"
#include "manager/inventory/base64.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define CACHE_MAX	(8 * 1024 * 1024)	/* bytes of a file we read */

/* libcni's own, Multus', and that of CRI-O before 1.16. */
static const char *const dirs[] = {
	LIBCNI_CACHE, MULTUS_RESULTS, "/var/lib/cni/cache/results",
};

/* -- the file -- */

/* 1, 0, -1 */
static int read_one(const struct host *host, const char *dir, const char *name, json_t **ret,
		    struct err *e)
{
	auto_free char *text = NULL;
	auto_close int fd = -1;
	size_t len = 0;
	int r = fs_open_own_dir(host->root, dir, false, &fd, e);

	if (r > 0)
		r = fs_read_own_file(fd, name, CACHE_MAX, &text, &len, e);
	if (r <= 0)
		return r;
	*ret = jx_parse(text, len, ERR_DECODE, name, e);
	return *ret ? 1 : -1;
}

/* The configuration of the file, of one plugin or of a list: new reference; NULL. */
static json_t *config_of(const json_t *file, struct err *e)
{
	const char *coded = json_string_value(json_object_get(file, "config"));
	auto_free char *text = NULL;
	size_t len = 0;

	text = coded ? base64_decode(coded, &len) : NULL;
	if (text)
		return jx_parse(text, len, ERR_DECODE, "config", e);
	(void)err_set(e, ERR_DECODE, 0, "config: expected a configuration in base64");
	return NULL;
}

/* -- what libcni makes of it -- */

static bool is_ours(const json_t *plugin)
{
	const char *type = json_string_value(json_object_get(plugin, "type"));

	return type && strcmp(type, "devinfo") == 0;
}

/* Borrowed.  The plugin may have another name, then it is only known where it is alone. */
static json_t *find_plugin(json_t *config)
{
	json_t *plugins = json_object_get(config, "plugins"), *one;
	size_t i;

	if (!json_is_array(plugins))
		return config;
	json_array_foreach(plugins, i, one)
		if (is_ours(one))
			return one;
	return json_array_size(plugins) == 1 ? json_array_get(plugins, 0) : NULL;
}

/* Of what the runtime said, what the plugin is able to take. */
static json_t *runtime_config(const json_t *plugin, json_t *said)
{
	const json_t *able = json_object_get(plugin, "capabilities");
	json_t *ret = json_object(), *v;
	const char *key;

	json_object_foreach(said, key, v)
		if (json_is_true(json_object_get(able, key)))
			(void)json_object_set(ret, key, v);
	return ret;
}

static void set_known(json_t *o, const char *key, json_t *v)
{
	if (v)
		(void)json_object_set(o, key, v);
}

static json_t *make_request(const json_t *file, json_t *config)
{
	json_t *plugin = find_plugin(config), *ret;
	json_auto_t *rc = NULL;

	if (!json_is_object(plugin))
		return NULL;
	ret = json_copy(plugin);
	rc = runtime_config(plugin, json_object_get(file, "capabilityArgs"));
	set_known(ret, "name", json_object_get(config, "name"));
	set_known(ret, "cniVersion", json_object_get(config, "cniVersion"));
	set_known(ret, "prevResult", json_object_get(file, "result"));
	if (json_object_size(rc) > 0)
		(void)json_object_set(ret, "runtimeConfig", rc);
	return ret;
}

int runtime_cache_read(const struct host *host, const struct owner *o, json_t **ret,
		       char file[512], struct err *e)
{
	char name[NAME_MAX + 1];
	int r = 0;

	if (snprintf(name, sizeof(name), "%s-%s-%s", o->network, o->container_id, o->ifname) >
	    NAME_MAX)
		return 0;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(dirs); i++) {
		(void)snprintf(file, 512, "%s/%s", dirs[i], name);
		r = read_one(host, dirs[i], name, ret, e);
	}
	return r < 0 ? err_wrap(e, "'%.200s'", file) : r;
}

int runtime_cache_request(const struct host *host, const struct owner *o, json_t **ret,
			  char file[512], struct err *e)
{
	json_auto_t *doc = NULL, *config = NULL;
	int r = runtime_cache_read(host, o, &doc, file, e);

	if (r <= 0)
		return r;
	config = config_of(doc, e);
	if (!config)
		return err_wrap(e, "'%.200s'", file);
	*ret = make_request(doc, config);
	return *ret ? 1 : 0;
}

/* -- all of them -- */

const char *runtime_cache_arg(const json_t *doc, const char *name)
{
	const json_t *pair;
	size_t i;

	json_array_foreach(json_object_get(doc, "cniArgs"), i, pair) {
		const char *key = json_string_value(json_array_get(pair, 0));
		const char *v = json_string_value(json_array_get(pair, 1));

		if (key && v && strcmp(key, name) == 0)
			return v;
	}
	return "";
}

bool runtime_cache_is_of(const json_t *doc, const char *name_space, const char *pod)
{
	return strcmp(runtime_cache_arg(doc, "K8S_POD_NAMESPACE"), name_space) == 0 &&
	       strcmp(runtime_cache_arg(doc, "K8S_POD_NAME"), pod) == 0;
}

struct pod_search {
	const struct host *host;
	const char *name_space, *pod;
};

static int is_of_pod(const char *name, void *arg, struct err *e)
{
	const struct pod_search *s = arg;
	json_auto_t *doc = NULL;
	struct err ignored;	/* a damaged file tells of no pod */

	(void)e;
	return read_one(s->host, LIBCNI_CACHE, name, &doc, &ignored) > 0 &&
	       runtime_cache_is_of(doc, s->name_space, s->pod);
}

int runtime_cache_has_sandbox(const struct host *host, const char *name_space, const char *pod,
			      struct err *e)
{
	struct pod_search s = { host, name_space, pod };

	return fs_each(host->root, LIBCNI_CACHE, is_of_pod, &s, e);
}

struct cache_walk {
	const struct host *host;
	const char *dir;
	runtime_cache_fn *fn;
	void *arg;
};

static int visit_file(const char *name, void *arg, struct err *e)
{
	const struct cache_walk *w = arg;
	json_auto_t *doc = NULL, *config = NULL;
	const json_t *plugin = NULL;
	struct err ignored;
	char file[512];

	if (read_one(w->host, w->dir, name, &doc, &ignored) <= 0)
		return 0;
	config = config_of(doc, &ignored);
	plugin = config ? find_plugin(config) : NULL;
	(void)snprintf(file, sizeof(file), "%s/%s", w->dir, name);
	return plugin && is_ours(plugin) ? w->fn(file, doc, w->arg, e) : 0;
}

int runtime_cache_each(const struct host *host, runtime_cache_fn *fn, void *arg, struct err *e)
{
	struct cache_walk w = { .host = host, .fn = fn, .arg = arg };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(dirs); i++) {
		w.dir = dirs[i];
		r = fs_each(host->root, dirs[i], visit_file, &w, e);
	}
	return r;
}
