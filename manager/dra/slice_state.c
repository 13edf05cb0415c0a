/* SPDX-License-Identifier: Apache-2.0 */
/* slice_state.c - which generation the pool of a node has */
#include "manager/dra/slice_state.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/node_slices.h"
#include "manager/dra/slice_taint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { STATE_MAX = 4 << 20, STATE_VERSION = 1 };

/* -- what the slices are -- */

struct content {
	const char *driver, *pool;	/* borrowed */
	char hash[17];
};

static void content_of(const json_t *slices, struct content *ret)
{
	json_auto_t *copy = json_deep_copy(slices);
	auto_free char *text = NULL;
	const json_t *spec = json_object_get(json_array_get(slices, 0), "spec");
	const json_t *pool = json_object_get(spec, "pool");

	ret->driver = json_string_value(json_object_get(spec, "driver"));
	ret->pool = json_string_value(json_object_get(pool, "name"));
	node_slices_set_generation(copy, 0);
	text = json_dumps(copy, JSON_SORT_KEYS | JSON_COMPACT);
	(void)snprintf(ret->hash, sizeof(ret->hash), "%016llx",
		       (unsigned long long)name_hash(0, text));
}

/* -- the file -- */

static int check_state(const json_t *doc, struct err *e)
{
	json_int_t version = 0;
	json_t *pools = NULL;

	if (!json_is_object(doc))
		return err_set(e, ERR_DECODE, 0, "expected an object, got %s", jx_type_name(doc));
	if (jx_int(doc, "", "version", 0, INT64_MAX, &version, e) < 0 ||
	    jx_array(doc, "", "pools", &pools, e) < 0)
		return -1;
	return version == STATE_VERSION && pools ? 0 :
		       err_set(e, ERR_DECODE, 0, "expected version %d and pools",
			       STATE_VERSION);
}

/* An empty one, where there is none.  What is spoilt is not overwritten: see the message. */
static int read_state(int dir, json_t **ret, struct err *e)
{
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;
	size_t len = 0;
	int r = fs_read_own_file(dir, SLICE_STATE, STATE_MAX, &text, &len, e);

	if (r < 0)
		return -1;
	doc = r > 0 ? jx_parse(text, len, ERR_DECODE, SLICE_STATE, e) :
		      json_pack("{s:i,s:[]}", "version", STATE_VERSION, "pools");
	if (!doc || check_state(doc, e) < 0) {
		(void)err_detail(e, "without this file the generation is 1 again: delete the "
				 "pool's ResourceSlices in the cluster, and the file");
		return -1;
	}
	*ret = steal_ptr(&doc);
	return 0;
}

static bool is_text(const json_t *o, const char *key, const char *text)
{
	const char *v = json_string_value(json_object_get(o, key));

	return v && strcmp(v, text) == 0;
}

/* Borrowed; NULL. */
static json_t *find_pool(const json_t *doc, const struct content *c)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(doc, "pools"), i, one)
		if (is_text(one, "driver", c->driver) && is_text(one, "pool", c->pool))
			return one;
	return NULL;
}

static int next_generation(json_t *pool, const struct content *c, json_int_t *ret, struct err *e)
{
	json_int_t last = 0;

	if (pool && jx_int(pool, "pools", "generation", 1, INT64_MAX - 1, &last, e) < 0)
		return -1;
	*ret = last > 0 && is_text(pool, "content", c->hash) ? last : last + 1;
	return 0;
}

/* Write what was found, unless the file has just that. */
static int write_state(int dir, json_t *doc, const struct content *c, json_t *now, struct err *e)
{
	json_t *pool = find_pool(doc, c);
	auto_free char *text = NULL;
	size_t len;

	if (pool && json_equal(pool, now))
		return 0;
	if (!pool) {
		pool = json_object();
		(void)json_array_append_new(json_object_get(doc, "pools"), pool);
	}
	(void)json_object_update(pool, now);
	text = jx_dump(doc, &len);
	return fs_write_file(dir, SLICE_STATE, text, len, 0600, FS_SYNC_DIR, e);
}

/* -- both -- */

/* The slices get what is in `doc`, or follows it: *ret is the pool as it is to be remembered. */
static int set_from(json_t *doc, json_t *slices, const struct content *c, const char *now,
		    json_t **ret, struct err *e)
{
	json_t *pool = find_pool(doc, c), *taints;
	json_int_t generation = 1;

	if (next_generation(pool, c, &generation, e) < 0)
		return -1;
	taints = slice_taint_times(slices, json_object_get(pool, "taints"), now);
	node_slices_set_generation(slices, generation);
	*ret = json_pack("{s:s,s:s,s:s,s:I,s:o}", "driver", c->driver, "pool", c->pool, "content",
			 c->hash, "generation", generation, "taints", taints);
	return 0;
}

static int look_in(int dir, json_t *slices, const struct content *c, struct err *e)
{
	json_auto_t *doc = NULL, *pool = NULL;

	if (read_state(dir, &doc, e) < 0)
		return -1;
	return set_from(doc, slices, c, "", &pool, e);
}

int slice_state_look(const struct host *host, json_t *slices, struct err *e)
{
	auto_close int dir = -1;
	struct content c;
	int r = fs_open_own_dir(host->root, host->set.state_dir, false, &dir, e);

	content_of(slices, &c);
	if (r == 0)
		node_slices_set_generation(slices, 1);
	if (r < 0 || (r > 0 && look_in(dir, slices, &c, e) < 0))
		return err_wrap(e, "'%.200s/%s'", host->set.state_dir, SLICE_STATE);
	return 0;
}

/* -- what the cluster has -- */

/* Of a slice, what it says: without generation and times. */
static json_t *plain_spec(const json_t *slice)
{
	json_t *list = json_pack("[{s:O}]", "spec", json_object_get(slice, "spec"));
	json_t *copy = json_deep_copy(list), *spec;

	json_decref(list);
	node_slices_set_generation(copy, 0);
	json_decref(slice_taint_times(copy, NULL, ""));
	spec = json_incref(json_object_get(json_array_get(copy, 0), "spec"));
	json_decref(copy);
	return spec;
}

static const char *slice_name(const json_t *slice)
{
	const char *name = json_string_value(json_object_get(json_object_get(slice, "metadata"),
							     "name"));

	return name ? name : "";
}

static bool has_same(const json_t *seen, const json_t *slice)
{
	json_auto_t *spec = plain_spec(slice);
	const json_t *one;
	size_t i;

	json_array_foreach(seen, i, one) {
		json_auto_t *its = plain_spec(one);

		if (strcmp(slice_name(one), slice_name(slice)) == 0)
			return json_equal(its, spec);
	}
	return false;
}

static bool is_same_pool(const json_t *seen, const json_t *slices)
{
	const json_t *one;
	size_t i;

	json_array_foreach(slices, i, one)
		if (!has_same(seen, one))
			return false;
	return json_array_size(seen) == json_array_size(slices);
}

/* The latest of them; *one is set when all have it. */
static json_int_t generation_of(const json_t *seen, bool *one)
{
	json_int_t ret = 0, last = 0;
	const json_t *slice;
	size_t i;

	*one = true;
	json_array_foreach(seen, i, slice) {
		const json_t *pool = json_object_get(json_object_get(slice, "spec"), "pool");

		last = json_integer_value(json_object_get(pool, "generation"));
		*one = *one && (i == 0 || last == ret);
		ret = last > ret ? last : ret;
	}
	return ret;
}

/* Remember in doc what is not remembered there. */
static void learn(json_t *doc, const json_t *slices, const struct content *c, const json_t *seen)
{
	json_auto_t *said = slice_taint_said(seen);
	json_t *pool = find_pool(doc, c), *taints;
	bool one;
	json_int_t generation = generation_of(seen, &one);

	if (generation <= 0)
		return;
	if (!pool) {
		pool = json_pack("{s:s,s:s}", "driver", c->driver, "pool", c->pool);
		(void)json_array_append_new(json_object_get(doc, "pools"), pool);
	}
	taints = json_object_get(pool, "taints");
	if (json_is_object(taints))
		(void)json_object_update(said, taints);
	(void)json_object_set(pool, "taints", said);
	if (generation <= json_integer_value(json_object_get(pool, "generation")))
		return;
	(void)json_object_set_new(pool, "generation", json_integer(generation));
	(void)json_object_set_new(pool, "content",
				  json_string(one && is_same_pool(seen, slices) ? c->hash : ""));
}

static int take_locked(int dir, json_t *slices, const struct content *c, const json_t *seen,
		       struct err *e)
{
	json_auto_t *doc = NULL, *was = NULL, *pool = NULL;
	char now[SLICE_TIME_SIZE];

	slice_taint_now(now);
	if (read_state(dir, &doc, e) < 0)
		return -1;
	was = json_deep_copy(doc);
	learn(doc, slices, c, seen);
	return set_from(doc, slices, c, now, &pool, e) < 0 ? -1 :
		       write_state(dir, was, c, pool, e);
}

/* Under the journal's lock file, with a name of its own. */
static int take_in(const struct host *host, int dir, json_t *slices, const struct content *c,
		   const json_t *seen, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	auto_close int lock = fs_open_name(dir, "lock", O_RDWR | O_CREAT, 0600);
	uint8_t key[SIPHASH_KEY];

	if (lock < 0)
		return err_set(e, ERR_IO, errno, "open lock");
	if (fs_check_own(lock, "lock", e) < 0 || fs_lock_key(lock, key, e) < 0 ||
	    fs_lock(lock, key, SLICE_STATE, &d, e) < 0)
		return -1;
	return take_locked(dir, slices, c, seen, e);
}

int slice_state_take(const struct host *host, json_t *slices, struct err *e)
{
	return slice_state_take_after(host, slices, NULL, e);
}

int slice_state_take_after(const struct host *host, json_t *slices, const json_t *seen,
			   struct err *e)
{
	auto_close int dir = -1;
	struct content c;

	content_of(slices, &c);
	if (fs_open_own_dir(host->root, host->set.state_dir, true, &dir, e) < 0 ||
	    take_in(host, dir, slices, &c, seen, e) < 0)
		return err_wrap(e, "'%.200s/%s'", host->set.state_dir, SLICE_STATE);
	return 0;
}
