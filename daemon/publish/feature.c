/* SPDX-License-Identifier: Apache-2.0 */
/* feature.c - the NodeFeature of the node, as `devinfoctl export nodefeature` prints it */
#include "daemon/publish/publish.h"

#include "base/log.h"
#include "base/mem.h"
#include "daemon/publish/node.h"
#include "daemon/publish/object.h"
#include "daemon/publish/task.h"
#include "daemon/watch/watch.h"
#include "manager/nfd/node_feature.h"
#include "manager/nfd/node_object.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct feature {
	const struct publishing *publishing;
	struct task *task;
	struct objects objects;
	struct follow_what what;
	char path[128], selector[1024];
};

static json_t *keep(const json_t *object, void *arg)
{
	json_t *kept = json_deep_copy(object);

	(void)arg;
	(void)json_object_del(json_object_get(kept, "metadata"), "managedFields");
	return kept;
}

static void due(void *arg)
{
	struct feature *f = arg;

	task_due(f->task);
}

static void say_left_out(const char *set, void *arg)
{
	(void)arg;
	log_info("msg=\"the NodeFeature would be too large: a set is left out\" set=%s", set);
}

/* With its Node it goes. */
static void set_owner(const struct feature *f, json_t *object)
{
	json_t *owners = json_pack("[{s:s,s:s,s:s,s:s}]", "apiVersion", "v1", "kind", "Node",
				   "name", f->publishing->node, "uid", f->objects.uid);

	(void)json_object_set_new(json_object_get(object, "metadata"), "ownerReferences", owners);
}

/* A list of the one object; new reference. */
static json_t *make(const struct feature *f, struct err *e)
{
	const struct publishing *p = f->publishing;
	auto_inventory struct inventory inv = { .n_links = 0 };
	auto_pools struct pools pools = { .n = 0 };
	const struct node_object_wish wish = {
		.node = p->node, .pools = p->options->pool ? &pools : NULL,
		.left_out = say_left_out,
	};
	json_t *object;

	if (node_look(p, &inv, &pools, e) < 0)
		return NULL;
	object = node_object(p->host, &inv, &wish, e);
	if (!object)
		return NULL;
	set_owner(f, object);
	return json_pack("[o]", object);
}

static int run(void *arg, struct err *e)
{
	struct feature *f = arg;
	json_auto_t *wanted = NULL;
	unsigned int wait_ms = 0;

	if (!follow_objects(f->objects.follow))
		return 0;
	if (objects_learn_owner(&f->objects, e) < 0)
		return -1;
	wanted = make(f, e);
	if (!wanted || objects_converge(&f->objects, wanted, &wait_ms, e) < 0)
		return -1;
	task_due_in(f->task, wait_ms);
	return 0;
}

static void fill(struct feature *f)
{
	const struct publishing *p = f->publishing;

	(void)snprintf(f->path, sizeof(f->path), "/apis/" NFD_API_VERSION "/namespaces/"
		       NODE_FEATURE_NAMESPACE "/nodefeatures");
	(void)snprintf(f->selector, sizeof(f->selector),
		       "fieldSelector=metadata.name%%3Ddevinfo-%s", p->node);
	f->what = (struct follow_what){ .path = f->path, .selector = f->selector, .keep = keep,
					.changed = due };
	f->objects = (struct objects){ .publishing = p, .path = f->path, .sent = json_object() };
}

static void end(void *self)
{
	struct feature *f = self;

	objects_done(&f->objects);
	task_free(f->task);
	free(f);
}

static void *begin(const struct publishing *p, struct err *e)
{
	struct feature *f;

	if (node_feature_check_name(p->node, e) < 0)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (!f) {
		(void)err_set(e, ERR_IO, ENOMEM, "NodeFeature");
		return NULL;
	}
	*f = (struct feature){ .publishing = p };
	fill(f);
	f->task = task_new(p, "publishing the NodeFeature", run, f, e);
	if (f->task)
		f->objects.follow = follow_new(p->api, p->loop, &f->what, f, e);
	if (f->objects.follow)
		return f;
	end(f);
	return NULL;
}

const struct subject feature_subject = {
	.begin = begin, .of = WATCH_ALL & ~WATCH_STATUS, .due = due, .end = end,
};
