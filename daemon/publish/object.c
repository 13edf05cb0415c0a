/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - objects of the API server that are ours alone are made as we want them
 *
 * Theory of operation.  What the server has is known by a watch, so an unchanged node asks nothing.
 * A version of before that the watch has not replaced yet makes a conflict (409), and the object is
 * read.  A server leaves out members that it does not know, or whose feature is off: then the
 * answer to a write is not what was sent, and would differ for ever; so the version of that answer
 * is remembered as being what was wanted.
 */
#include "daemon/publish/object.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static json_t *metadata_of(const json_t *object)
{
	return json_object_get(object, "metadata");
}

const char *object_name(const json_t *object)
{
	return jx_get_text(metadata_of(object), "name");
}

static void hash_of(const json_t *v, char ret[17])
{
	auto_free char *text = json_dumps(v, JSON_SORT_KEYS | JSON_COMPACT);

	(void)snprintf(ret, 17, "%016llx", (unsigned long long)name_hash(0, text ? text : ""));
}

/* What is wanted but for the generation of a pool, which a repair may raise as well. */
static void hash_wanted(const json_t *wanted, char ret[17])
{
	json_auto_t *copy = json_deep_copy(wanted);
	json_t *one;
	size_t i;

	json_array_foreach(copy, i, one)
		(void)json_object_del(json_object_get(json_object_get(one, "spec"), "pool"),
				      "generation");
	hash_of(copy, ret);
}

static const json_t *find(const struct objects *o, const json_t *want)
{
	json_auto_t *key = follow_key(want);

	return json_object_get(follow_objects(o->follow), json_string_value(key));
}

/* -- is it as wanted? -- */

static bool has_labels(const json_t *have, const json_t *want)
{
	const json_t *labels = json_object_get(metadata_of(have), "labels"), *value;
	const char *key;

	json_object_foreach(json_object_get(metadata_of(want), "labels"), key, value)
		if (!json_equal(json_object_get(labels, key), value))
			return false;
	return true;
}

static bool has_owner(const json_t *have, const json_t *owner)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(metadata_of(have), "ownerReferences"), i, one)
		if (strcmp(jx_get_text(one, "uid"), jx_get_text(owner, "uid")) == 0)
			return true;
	return false;
}

static bool has_owners(const json_t *have, const json_t *want)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(metadata_of(want), "ownerReferences"), i, one)
		if (!has_owner(have, one))
			return false;
	return true;
}

/* What we sent, as the server has taken it. */
static bool is_as_sent(const struct objects *o, const json_t *have, const json_t *want)
{
	const json_t *sent = json_object_get(o->sent, object_name(want));
	char hash[17];

	if (!sent || strcmp(jx_get_text(sent, "version"),
			    jx_get_text(metadata_of(have), "resourceVersion")) != 0)
		return false;
	hash_of(want, hash);
	return strcmp(jx_get_text(sent, "want"), hash) == 0;
}

static bool is_same(const struct objects *o, const json_t *have, const json_t *want)
{
	if (!have)
		return false;
	return is_as_sent(o, have, want) ||
	       (json_equal(json_object_get(have, "spec"), json_object_get(want, "spec")) &&
		has_labels(have, want) && has_owners(have, want));
}

static bool is_wanted(const json_t *wanted, const char *key)
{
	const json_t *one;
	size_t i;

	json_array_foreach(wanted, i, one) {
		json_auto_t *its = follow_key(one);

		if (strcmp(json_string_value(its), key) == 0)
			return true;
	}
	return false;
}

static bool are_same(const struct objects *o, const json_t *wanted)
{
	const json_t *want;
	size_t i;

	json_array_foreach(wanted, i, want)
		if (!is_same(o, find(o, want), want))
			return false;
	return json_object_size(follow_objects(o->follow)) == json_array_size(wanted);
}

/* -- requests -- */

static int compose(const struct objects *o, const char *name, char ret[API_PATH_MAX],
		   struct err *e)
{
	if (!name_is_dns_subdomain(name))
		return err_set(e, ERR_DECODE, 0, "'%.64s' is no name of an object", name);
	return snprintf(ret, API_PATH_MAX, "%s/%s", o->path, name) < API_PATH_MAX ? 0 :
		       err_set(e, ERR_DECODE, ENAMETOOLONG, "%s/%.64s", o->path, name);
}

/* An answer is the object as it is now, whatever the server has made of it. */
static void took(const struct objects *o, const json_t *want, const json_t *now,
		 const char *what)
{
	char hash[17];

	hash_of(want, hash);
	(void)json_object_set_new(o->sent, object_name(want),
				  json_pack("{s:s,s:s}", "want", hash, "version",
					    jx_get_text(metadata_of(now), "resourceVersion")));
	follow_note(o->follow, now);
	log_info("msg=\"%s\" object=%s/%s", what, o->path, object_name(want));
	if (!json_equal(json_object_get(now, "spec"), json_object_get(want, "spec")))
		log_warning("msg=\"the API server has kept another spec than was sent: features "
			    "of it may be off\" object=%s", object_name(want));
}

static int create(const struct objects *o, const json_t *want, struct err *e)
{
	const struct api_request r = { .method = API_POST, .path = o->path, .body = want };
	char path[API_PATH_MAX];
	json_auto_t *now = NULL, *key = follow_key(want);
	int result = api_send(o->publishing->api, &r, &now, e);

	if (result > 0) {
		took(o, want, now, "made");
		return 0;
	}
	if (result == 0)
		return err_set(e, ERR_UNAVAILABLE, 0, "the API server has no %s", o->path);
	if (api_status(o->publishing->api) == API_CONFLICT) {
		struct err ignored;

		if (compose(o, object_name(want), path, &ignored) == 0)
			follow_look_again(o->follow, path, json_string_value(key));
	}
	return -1;
}

/* That of the server with what we want of it: its other labels, owners and so on stay. */
static json_t *changed(const json_t *have, const json_t *want)
{
	json_t *ret = json_deep_copy(have), *metadata = metadata_of(ret);
	json_t *labels = json_object_get(metadata_of(want), "labels");
	const json_t *owners = json_object_get(metadata_of(want), "ownerReferences"), *owner;
	json_t *others = json_object_get(metadata, "ownerReferences");
	size_t i;

	(void)json_object_set(ret, "apiVersion", json_object_get(want, "apiVersion"));
	(void)json_object_set(ret, "kind", json_object_get(want, "kind"));
	(void)json_object_set(ret, "spec", json_object_get(want, "spec"));
	if (json_object_get(metadata, "labels"))
		(void)json_object_update(json_object_get(metadata, "labels"), labels);
	else if (labels)
		(void)json_object_set_new(metadata, "labels", json_deep_copy(labels));
	if (!others) {
		others = json_array();
		(void)json_object_set_new(metadata, "ownerReferences", others);
	}
	json_array_foreach(owners, i, owner) {
		if (has_owner(ret, owner))
			continue;
		/* one that controls has to go: there is one of them, and it is the Node */
		for (size_t k = json_array_size(others); k-- > 0; )
			if (json_is_true(json_object_get(json_array_get(others, k), "controller")))
				(void)json_array_remove(others, k);
		(void)json_array_append_new(others, json_deep_copy(owner));
	}
	return ret;
}

static int delete(const struct objects *o, const char *key, struct err *e)
{
	const json_t *have = json_object_get(follow_objects(o->follow), key);
	json_auto_t *body = json_pack("{s:s,s:s,s:{s:s,s:s}}", "apiVersion", "v1", "kind",
				      "DeleteOptions", "preconditions", "uid",
				      jx_get_text(metadata_of(have), "uid"), "resourceVersion",
				      jx_get_text(metadata_of(have), "resourceVersion"));
	char path[API_PATH_MAX];
	int r;

	if (compose(o, object_name(have), path, e) < 0)
		return -1;
	r = api_send(o->publishing->api, &(struct api_request){
		.method = API_DELETE, .path = path, .body = body }, NULL, e);
	if (r < 0 && api_status(o->publishing->api) == API_CONFLICT)
		follow_look_again(o->follow, path, key);
	if (r < 0)
		return -1;
	log_info("msg=\"removed\" object=%s", path);
	follow_forget(o->follow, key);
	return 0;
}

static int change(const struct objects *o, const json_t *have, const json_t *want, struct err *e)
{
	json_auto_t *body = changed(have, want), *now = NULL, *key = follow_key(want);
	char path[API_PATH_MAX];
	int r;

	if (compose(o, object_name(want), path, e) < 0)
		return -1;
	r = api_send(o->publishing->api, &(struct api_request){
		.method = API_PUT, .path = path, .body = body }, &now, e);
	if (r > 0) {
		took(o, want, now, "changed");
		return 0;
	}
	if (r == 0) {
		follow_forget(o->follow, json_string_value(key));
		return err_set(e, ERR_TRY_AGAIN, 0, "'%s' has gone meanwhile", path);
	}
	if (api_status(o->publishing->api) == API_CONFLICT)
		follow_look_again(o->follow, path, json_string_value(key));
	return -1;
}

/* -- all of them -- */

static int write_wanted(const struct objects *o, const json_t *wanted, struct err *e)
{
	const json_t *want;
	size_t i;

	json_array_foreach(wanted, i, want) {
		const json_t *have = find(o, want);

		if (!is_same(o, have, want) &&
		    (have ? change(o, have, want, e) : create(o, want, e)) < 0)
			return -1;
	}
	return 0;
}

static int remove_others(const struct objects *o, const json_t *wanted, struct err *e)
{
	json_auto_t *keys = json_array();
	const json_t *value;
	const char *key;
	size_t i;

	json_object_foreach(follow_objects(o->follow), key, value)
		if (!is_wanted(wanted, key))
			(void)json_array_append_new(keys, json_string(key));
	json_array_foreach(keys, i, value)
		if (delete(o, json_string_value(value), e) < 0)
			return -1;
	return 0;
}

/* Somebody else has changed them.  True: not yet. */
static bool is_too_early(struct objects *o, unsigned int *wait_ms)
{
	int64_t now = loop_now();

	if (now - o->repaired_at > OBJECTS_QUIET_MS)
		o->repairs = (struct backoff){ 0 };
	if (now < o->not_before) {
		*wait_ms = (unsigned int)(o->not_before - now);
		return true;
	}
	log_warning("msg=\"somebody else has changed what is published: it is written again\" "
		    "of=%s", o->path);
	o->repaired_at = now;
	o->not_before = now + backoff_next(&o->repairs, 0);
	return false;
}

int objects_learn_owner(struct objects *o, struct err *e)
{
	if (json_object_size(follow_objects(o->follow)) < o->n)
		*o->uid = '\0';
	return *o->uid ? 0 : node_uid(o->publishing, o->uid, e);
}

static void settle(struct objects *o, const json_t *wanted, const char hash[17])
{
	memcpy(o->wanted, hash, sizeof(o->wanted));
	o->n = json_array_size(wanted);
}

int objects_converge(struct objects *o, const json_t *wanted, unsigned int *wait_ms,
		     struct err *e)
{
	char hash[17];

	*wait_ms = 0;
	hash_wanted(wanted, hash);
	if (are_same(o, wanted)) {
		settle(o, wanted, hash);
		return 0;
	}
	if (strcmp(o->wanted, hash) == 0 && is_too_early(o, wait_ms))
		return 0;
	if (write_wanted(o, wanted, e) < 0 || remove_others(o, wanted, e) < 0)
		return -1;
	settle(o, wanted, hash);
	return 0;
}

void objects_done(struct objects *o)
{
	follow_free(o->follow);
	json_decref(o->sent);
	*o = (struct objects){ .publishing = NULL };
}
