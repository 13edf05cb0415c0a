/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - the configuration of sriov-network-device-plugin is read */
#include "manager/match/pool.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/nearest.h"
#include "manager/match/pool_selector.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "intel.com"		/* of its option --resource-prefix */

/*
 * The operator writes the members of the plugin's struct that no key stands for, too: they are
 * passed over.
 */
static const char *const keys[] = { "resourceName", "resourcePrefix", "deviceType",
				    "excludeTopology", "additionalInfo", "selectors", "expressions",
				    "slots", "mode", "role",
				    "SelectorObj", "SelectorObjs" };
static const char *const types[] = { "netDevice", "accelerator", "auxNetDevice", "vhostUser",
				     "memif" };
static_assert(ARRAY_SIZE(types) == POOL_TYPES, "each type has a name");

static int read_type(const json_t *o, const char *path, enum pool_type *ret, struct err *e)
{
	const char *text = "";
	char hint[NEAREST_HINT];

	if (jx_string(o, path, "deviceType", &text, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(*text ? text : types[POOL_NET_DEVICE], types[i]) == 0) {
			*ret = (enum pool_type)i;
			return 0;
		}
	nearest_hint(text, types, ARRAY_SIZE(types), hint);
	return err_set(e, ERR_NETCONF, 0,
		       "%s.deviceType: '%.64s': expected netDevice, accelerator, auxNetDevice, "
		       "vhostUser or memif%s", path, text, hint);
}

/* {"*": {"token": "x"}, "0000:86:00.0": {...}} */
static int read_info(const json_t *o, const char *path, struct pool *p, struct err *e)
{
	json_t *info = NULL, *of, *v;
	const char *device, *key;
	int r = jx_object(o, path, "additionalInfo", &info, e);

	if (r <= 0)
		return r;
	json_object_foreach(info, device, of) {
		if (!json_is_object(of))
			return err_set(e, ERR_NETCONF, 0,
				       "%s.additionalInfo.%.64s: expected an object, got %s", path,
				       device, jx_type_name(of));
		json_object_foreach(of, key, v)
			if (!json_is_string(v))
				return err_set(e, ERR_NETCONF, 0,
					       "%s.additionalInfo.%.64s.%.64s: expected a string, "
					       "got %s",
					       path, device, key, jx_type_name(v));
	}
	p->info = info;
	return 0;
}

/* As there: letters, digits, '_' and '-'; and together they are a name for kubelet. */
static int read_name(const json_t *o, const char *path, const char *prefix, struct pool *p,
		     struct err *e)
{
	char resource[320];
	int r = jx_string(o, path, "resourceName", &p->name, e);

	if (r < 0 || jx_string(o, path, "resourcePrefix", &p->prefix, e) < 0)
		return -1;
	if (!p->prefix || !*p->prefix)
		p->prefix = prefix;
	if (r == 0 || !*p->name ||
	    p->name[strspn(p->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-")])
		return err_set(e, ERR_NETCONF, 0,
			       "%s.resourceName: '%.64s': expected letters, digits, '_' and '-'",
			       path, r > 0 ? p->name : "");
	r = snprintf(resource, sizeof(resource), "%s/%s", p->prefix, p->name);
	if (r >= (int)sizeof(resource) || !name_is_resource(resource))
		return err_set(e, ERR_NETCONF, 0, "%s: '%.128s' is no name of a resource", path,
			       resource);
	return 0;
}

static int read_selectors(const json_t *o, const char *path, struct pool *p, struct err *e)
{
	json_auto_t *all = json_object();
	const json_t *said = json_object_get(o, "selectors"), *v = !said && p->match ? all : said;
	size_t n = json_is_array(v) ? json_array_size(v) : json_is_object(v);
	auto_free struct selector *list = NULL;
	char own[96];

	if (n == 0)
		return err_set(e, ERR_NETCONF, 0,
			       "%s.selectors: expected an object or a list of them; {} selects all",
			       path);
	list = calloc(n, sizeof(*list));
	if (!list)
		return err_set(e, ERR_IO, ENOMEM, "selectors");
	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_is_array(v) ? json_array_get(v, i) : v;

		(void)snprintf(own, sizeof(own), json_is_array(v) ? "%s.selectors[%zu]" :
								    "%s.selectors",
			       path, i);
		if (selector_read(one, own, p->type, &list[i], e) < 0)
			return -1;
	}
	p->n_selectors = n;
	p->selectors = steal_ptr(&list);
	return 0;
}

/*
 * A text as for --match, or an object or a list as in a rule.  Which pool has a device is no
 * attribute for them, for they decide that.
 */
static int read_expressions(const json_t *o, const char *path, struct pool *p, struct err *e)
{
	const json_t *v = json_object_get(o, "expressions");
	auto_free char *text = NULL;

	if (!v || json_is_null(v))
		return 0;
	if (json_is_string(v))
		text = strdup(json_string_value(v));
	else if (json_is_object(v) || json_is_array(v))
		text = json_dumps(v, JSON_COMPACT);
	else
		return err_set(e, ERR_NETCONF, 0,
			       "%s.expressions: expected a string, an object or a list, got %s",
			       path, jx_type_name(v));
	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "expressions");
	p->match = match_parse(text, e);
	if (!p->match || match_check_names(p->match, e) < 0)
		return err_wrap(e, "%s.expressions", path);
	if (match_has_name(p->match, "pool"))
		return err_set(e, ERR_NETCONF, 0,
			       "%s.expressions: 'pool' is what they decide themselves", path);
	return 0;
}

/* The keys are folded: the document is ours. */
static int read_pool(json_t *o, const char *path, const char *prefix, struct pool *ret,
		     struct err *e)
{
	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			       jx_type_name(o));
	if (jx_only_keys(o, path, keys, ARRAY_SIZE(keys), e) < 0)
		return -1;
	jx_fold_keys(o, keys, ARRAY_SIZE(keys));
	if (read_name(o, path, prefix, ret, e) < 0 || read_type(o, path, &ret->type, e) < 0 ||
	    jx_bool(o, path, "excludeTopology", &ret->exclude_topology, e) < 0 ||
	    read_info(o, path, ret, e) < 0 || pool_read_slots(o, path, ret, e) < 0)
		return -1;
	if (ret->slots > 0)
		return 0;
	return read_expressions(o, path, ret, e) < 0 ? -1 : read_selectors(o, path, ret, e);
}

/* One resource is one pool; and sockets are called after their pool's name alone. */
static int check_unique(const struct pools *p, const char *path, struct err *e)
{
	const struct pool *last = &p->list[p->n - 1];
	char one[320], resource[320];

	(void)pool_resource(p, p->n - 1, resource);
	for (const struct pool *other = p->list; other < last; other++) {
		size_t i = (size_t)(other - p->list);

		if (strcmp(pool_resource(p, i, one), resource) == 0)
			return err_set(e, ERR_NETCONF, 0, "%s: resourceList[%zu] is '%.128s', too",
				       path, i, resource);
		if (other->slots > 0 && last->slots > 0 && strcmp(other->name, last->name) == 0)
			return err_set(e, ERR_NETCONF, 0, "%s: resourceList[%zu] has sockets of "
				       "the name '%.64s', too", path, i, last->name);
	}
	return 0;
}

static int read_list(const json_t *list, const char *prefix, struct pools *p, struct err *e)
{
	json_t *o;
	size_t i;

	if (json_array_size(list) > POOLS_MAX)
		return err_set(e, ERR_NETCONF, 0, "resourceList: more than %d pools", POOLS_MAX);
	p->list = calloc(json_array_size(list) + 1, sizeof(*p->list));
	if (!p->list)
		return err_set(e, ERR_IO, ENOMEM, "pools");
	json_array_foreach(list, i, o) {
		char path[40];

		(void)snprintf(path, sizeof(path), "resourceList[%zu]", i);
		p->n++;
		if (read_pool(o, path, prefix, &p->list[i], e) < 0 || check_unique(p, path, e) < 0)
			return -1;
	}
	return 0;
}

/* Blank a comma that stands before a bracket, and behind an element.  Texts stay as they are. */
static void blank_commas(char *text, size_t len)
{
	char last = '\0', *comma = NULL;
	bool is_text = false;

	for (size_t i = 0; i < len; i++) {
		if (is_text && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			is_text = !is_text;
		if (is_text || strchr(" \t\r\n", text[i]))
			continue;
		if (comma && (text[i] == ']' || text[i] == '}'))
			*comma = ' ';
		comma = text[i] == ',' && !strchr("[{,:", last) ? &text[i] : NULL;
		last = text[i];
	}
}

static json_t *parse(const char *text, size_t len, struct err *e)
{
	auto_free char *copy = malloc(len + 1);

	if (!copy) {
		(void)err_set(e, ERR_IO, ENOMEM, "pools");
		return NULL;
	}
	memcpy(copy, text, len);
	blank_commas(copy, len);
	return jx_parse(copy, len, ERR_NETCONF, "pools", e);
}

int pools_parse(const char *text, size_t len, struct pools *ret, struct err *e)
{
	return pools_parse_as(PREFIX, text, len, ret, e);
}

int pools_parse_as(const char *prefix, const char *text, size_t len, struct pools *ret,
		   struct err *e)
{
	static const char *const top[] = { "resourceList" };
	auto_pools struct pools p = { .doc = parse(text, len, e) };
	json_t *list = NULL;
	int r;

	if (!p.doc)
		return -1;
	if (!json_is_object(p.doc))
		return err_set(e, ERR_NETCONF, 0, "pools: expected an object, got %s",
			       jx_type_name(p.doc));
	if (jx_only_keys(p.doc, "pools", top, 1, e) < 0)
		return -1;
	jx_fold_keys(p.doc, top, 1);
	r = jx_array(p.doc, "", "resourceList", &list, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "pools: resourceList is missing");
	/* ours, to borrow from */
	(void)json_object_set_new(p.doc, "prefix", json_string(prefix));
	prefix = json_string_value(json_object_get(p.doc, "prefix"));
	if (!prefix)
		return err_set(e, ERR_NETCONF, 0, "the prefix of resources is no UTF-8");
	if (read_list(list, prefix, &p, e) < 0)
		return -1;
	*ret = p;
	p = (struct pools){ 0 };
	return 0;
}

int pools_read_file(const char *path, const char *prefix, struct pools *ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = fs_read_linked_path(path, POOL_FILE_MAX, &text, &len, e);

	if (r < 0)
		return -1;
	if (r == 0)
		return err_set(e, ERR_NETCONF, 0, "%s: there is no such file", path);
	return pools_parse_as(prefix, text, len, ret, e) < 0 ? err_wrap(e, "%s", path) : 0;
}

void pools_done(struct pools *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->list[i].selectors);
		match_free(p->list[i].match);
	}
	free(p->list);
	json_decref(p->doc);
	*p = (struct pools){ 0 };
}

const char *pool_resource(const struct pools *p, size_t i, char ret[320])
{
	(void)snprintf(ret, 320, "%s/%s", p->list[i].prefix, p->list[i].name);
	return ret;
}

enum pool_type pool_type(const struct pools *p, size_t i)
{
	return p->list[i].type;
}

bool pool_excludes_topology(const struct pools *p, size_t i)
{
	return p->list[i].exclude_topology;
}

json_t *pool_info(const struct pools *p, size_t i, const char *id)
{
	json_t *ret = json_object();
	const char *device;
	json_t *of;

	(void)json_object_update(ret, json_object_get(p->list[i].info, "*"));
	json_object_foreach((json_t *)(uintptr_t)p->list[i].info, device, of)
		if (name_ids_equal(device, id))
			(void)json_object_update(ret, of);
	return ret;
}
