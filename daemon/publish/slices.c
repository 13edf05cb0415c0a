/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices.c - the ResourceSlices of the node, as `devinfoctl export resourceslice` prints them
 *
 * Theory of operation.  The slices are made of the node by the exporter's own function, in the
 * version of the API that the cluster has, and with what clusters of that version take.  A cluster
 * may be upgraded: its version is asked for again where there is no list of the one before, and at
 * SIGHUP.
 *
 * The generation is remembered before the slices are written (manager/dra/slice_state.h), so one
 * that is killed between two slices goes on with the same.  Consumers go by the latest generation,
 * of which there are resourceSliceCount slices: until the last of them is written the pool is
 * incomplete, and nobody takes a device by half of it.
 */
#include "daemon/publish/publish.h"

#include "base/jx.h"
#include "base/mem.h"
#include "daemon/publish/node.h"
#include "daemon/publish/object.h"
#include "daemon/publish/task.h"
#include "daemon/watch/watch.h"
#include "manager/dra/kubernetes.h"
#include "manager/dra/node_slices.h"
#include "manager/dra/slice.h"
#include "manager/dra/slice_state.h"
#include "manager/dra/slice_version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slices {
	const struct publishing *publishing;
	struct task *task;
	struct kubernetes kubernetes;
	const char *version;		/* of the API; NULL: not known yet */
	bool asks_version;		/* it may be another one */
	struct objects objects;
	struct follow_what what;
	char path[64], selector[1024];
};

static const char *driver_of(const struct slices *s)
{
	return s->publishing->options->driver ? s->publishing->options->driver :
						NODE_SLICES_DRIVER;
}

/* -- what the server has -- */

static bool is_text(const json_t *o, const char *key, const char *text)
{
	return strcmp(jx_get_text(o, key), text) == 0;
}

/* Those of our driver and pool.  Who has written which members is not of interest, and much. */
static json_t *keep(const json_t *object, void *arg)
{
	const struct slices *s = arg;
	const json_t *spec = json_object_get(object, "spec");
	json_t *kept;

	if (!is_text(spec, "driver", driver_of(s)) ||
	    !is_text(json_object_get(spec, "pool"), "name", s->publishing->node))
		return NULL;
	kept = json_deep_copy(object);
	(void)json_object_del(json_object_get(kept, "metadata"), "managedFields");
	return kept;
}

static void due(void *arg)
{
	struct slices *s = arg;

	task_due(s->task);
}

/* Whatever version the server has, here in that of v1. */
static json_t *seen_of(const struct slices *s)
{
	json_t *ret = json_array(), *one;
	const char *key;
	struct err why;

	json_object_foreach(follow_objects(s->objects.follow), key, one) {
		json_t *slice = dra_slice_convert(one, &why);

		if (slice)
			(void)json_array_append_new(ret, slice);
	}
	return ret;
}

/* -- which version it has -- */

static void ask_again(void *arg)
{
	struct slices *s = arg;

	s->asks_version = true;
	task_due(s->task);
}

/* That of the API; NULL with *e. */
static const char *ask_version(const struct slices *s, struct kubernetes *k, struct err *e)
{
	json_auto_t *said = NULL;
	const char *text, *version = NULL;
	struct err ignored;		/* it is about options, which this program has not */
	int r = api_send(s->publishing->api, &(struct api_request){ .path = "/version" }, &said, e);

	if (r == 0)
		(void)err_set(e, ERR_UNAVAILABLE, 0, "there is no API server: it tells no version");
	if (r <= 0)
		return NULL;
	text = json_string_value(json_object_get(said, "gitVersion"));
	if (kubernetes_parse(text, k, &ignored) == 0 &&
	    slice_version_choose(&version, k, &ignored) == 0)
		return version;
	(void)err_set(e, ERR_UNAVAILABLE, 0, "the cluster says that it is Kubernetes '%.64s': "
		      "ResourceSlices are of 1.%d or later", text ? text : "",
		      KUBERNETES_MINOR_MIN);
	return NULL;
}

/* The list is read by the loop, and told when it is there. */
static int follow_list(struct slices *s, const char *version, struct err *e)
{
	const struct publishing *p = s->publishing;

	objects_done(&s->objects);
	s->version = NULL;
	(void)snprintf(s->path, sizeof(s->path), "/apis/resource.k8s.io/%s/resourceslices",
		       version);
	s->objects = (struct objects){ .publishing = p, .path = s->path, .sent = json_object() };
	s->what = (struct follow_what){ .path = s->path, .selector = s->selector, .keep = keep,
					.changed = due, .absent = ask_again };
	s->objects.follow = follow_new(p->api, p->loop, &s->what, s, e);
	if (!s->objects.follow)
		return -1;
	s->version = version;
	return 0;
}

static int learn_version(struct slices *s, struct err *e)
{
	struct kubernetes k = { .minor = 0 };
	const char *version;

	if (s->version && !s->asks_version)
		return 0;
	version = ask_version(s, &k, e);
	if (!version)
		return -1;
	s->asks_version = false;
	s->kubernetes = k;
	return s->version && strcmp(s->version, version) == 0 ? 0 :
	       follow_list(s, version, e);
}

/* -- what it should have -- */

static json_t *make(const struct slices *s, struct err *e)
{
	const struct publishing *p = s->publishing;
	auto_inventory struct inventory inv = { .n_links = 0 };
	auto_pools struct pools pools = { .n = 0 };
	const struct node_slices_wish wish = {
		.driver = driver_of(s), .node = p->node, .node_uid = s->objects.uid,
		.pools = &pools, .kubernetes = &s->kubernetes, .host = p->host,
	};
	json_auto_t *slices = NULL, *seen = seen_of(s);

	if (node_look(p, &inv, &pools, e) < 0)
		return NULL;
	slices = node_slices(&inv, &wish, e);
	if (!slices || slice_state_take_after(p->host, slices, seen, e) < 0)
		return NULL;
	slice_version_set(slices, s->version);
	return steal_ptr(&slices);
}

static int run(void *arg, struct err *e)
{
	struct slices *s = arg;
	json_auto_t *wanted = NULL;
	unsigned int wait_ms = 0;

	if (learn_version(s, e) < 0)
		return -1;
	if (!follow_objects(s->objects.follow))
		return 0;
	if (objects_learn_owner(&s->objects, e) < 0)
		return -1;
	wanted = make(s, e);
	if (!wanted || objects_converge(&s->objects, wanted, &wait_ms, e) < 0)
		return -1;
	task_due_in(s->task, wait_ms);
	return 0;
}

/* -- begin and end -- */

static void *begin(const struct publishing *p, struct err *e)
{
	struct slices *s = calloc(1, sizeof(*s));

	if (!s) {
		(void)err_set(e, ERR_IO, ENOMEM, "slices");
		return NULL;
	}
	*s = (struct slices){ .publishing = p };
	(void)snprintf(s->selector, sizeof(s->selector), "fieldSelector=spec.nodeName%%3D%s",
		       p->node);
	s->task = task_new(p, "publishing ResourceSlices", run, s, e);
	if (!s->task) {
		free(s);
		return NULL;
	}
	task_due(s->task);
	return s;
}

static void end(void *self)
{
	struct slices *s = self;

	objects_done(&s->objects);
	task_free(s->task);
	free(s);
}

const struct subject slices_subject = {
	.begin = begin, .of = WATCH_ALL & ~WATCH_STATUS, .due = due, .reload = ask_again,
	.end = end,
};
