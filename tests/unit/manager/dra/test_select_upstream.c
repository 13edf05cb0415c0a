/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_select_upstream.c - what Kubernetes 1.36.2 allocated, device by device
 *
 * tests/upstream/scheduler.json is of a scheduler: sets of claims with their classes, taint rules
 * and namespace, on the slices of `node` in slices/, and the allocation that it wrote, as
 * request=pool/device; null: the pod was unschedulable, or a claim refused.  allocator.json is of
 * its allocator, called with generated cases: whole allocations, verdict T, or F without one.
 * Each decision is ours, with --kubernetes 1.36.2, or a row of select.known with a reason; one
 * whose case agrees now must go.
 */
#include "manager/dra/select.h"

#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "manager/dra/kubernetes.h"
#include "manager/dra/overrides.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

#define FOLDER "tests/upstream/"
#define KNOWN FOLDER "select.known"

static _Noreturn void give_up(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* -- known differences: "RECORDING<tab>CASE<tab>REASON" -- */

static char known[64][512];
static size_t n_known;

static void read_known(void)
{
	FILE *f = fopen(KNOWN, "re");

	if (!f)
		give_up(KNOWN);
	while (n_known < ARRAY_SIZE(known) && fgets(known[n_known], sizeof(known[0]), f)) {
		known[n_known][strcspn(known[n_known], "\n")] = '\0';
		n_known += *known[n_known] != '#' && *known[n_known];
	}
	(void)fclose(f);
}

static bool is_known(const char *recording, const char *name)
{
	char row[200];

	(void)snprintf(row, sizeof(row), "%s\t%s\t", recording, name);
	for (size_t i = 0; i < n_known; i++)
		if (strncmp(known[i], row, strlen(row)) == 0 && known[i][strlen(row)])
			return true;
	return false;
}

/* -- one question -- */

struct asked {
	struct manifests objects;
	struct overrides rules;
	struct override_changes changes;
	struct dra_devices devices, unruled;
};

static void asked_done(struct asked *a)
{
	overrides_unseen_done(&a->unruled);
	override_changes_done(&a->changes);
	overrides_done(&a->rules);
	dra_devices_done(&a->devices);
	manifests_done(&a->objects);
}

#define auto_asked auto_with(asked_done)

static void add_text(struct manifests *to, const char *text)
{
	struct err e = { 0 };

	if (manifests_read(text, strlen(text), "recorded", to, &e) < 0)
		give_up(e.msg);
}

static void add_object(struct manifests *to, const json_t *o)
{
	auto_free char *text = json_dumps(o, 0);

	add_text(to, text);
}

static void add_objects(struct manifests *to, const json_t *list)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
		add_object(to, o);
}

/* What the recording leaves out of an object: its kind, and a claim's name. */
static void add_object_of(struct manifests *to, const char *kind, const json_t *metadata,
			  json_t *spec)
{
	json_auto_t *o = json_pack("{s:s,s:s,s:O,s:O}", "apiVersion", "resource.k8s.io/v1", "kind",
				   kind, "metadata", metadata, "spec", spec);

	add_object(to, o);
}

static bool read_devices(struct asked *a, struct select_question *q)
{
	struct err e = { 0 };
	int r = dra_devices_read(&a->objects, &a->devices, &e);

	if (r == 0)
		r = overrides_compile(&a->rules, &e);
	if (r == 0)
		r = overrides_apply(&a->rules, &a->devices, &a->changes, &e);
	if (r == 0)
		r = overrides_unseen(&a->rules, &a->devices, &a->changes,
				     "resource.k8s.io/v1beta2", &a->unruled, &e);
	if (r < 0)
		printf("# %s: %s\n", e.msg, e.details);
	q->unruled = r > 0 ? &a->unruled : NULL;
	return r >= 0;
}

/* The answer, new reference; NULL: there is none. */
static json_t *ask(struct asked *a, const char *node)
{
	struct kubernetes version = { 0 };
	struct select_question q = { .manifests = &a->objects, .devices = &a->devices,
				     .node = node, .kubernetes = &version };
	struct err e = { 0 };
	json_t *ret = NULL;

	if (kubernetes_parse("1.36.2", &version, &e) < 0 || !read_devices(a, &q) ||
	    select_devices(&q, &ret, &e) < 0) {
		ok(false);	/* an error agrees with nothing, nor with what is unschedulable */
		printf("# %s: %s\n", e.msg, e.details);
	}
	return ret;
}

/* A case agrees, or its difference is known. */
static void judge(const char *recording, const char *name, const char *ours, const char *theirs,
		  const json_t *answer)
{
	bool agrees = strcmp(ours, theirs) == 0, holds = agrees != is_known(recording, name);

	ok(holds);
	if (!holds)
		printf("#  %s %s%s\n#  theirs %s\n#  ours   %s\n#  why    %s\n", recording, name,
		       agrees ? ": a row of select.known that must go" : "", theirs, ours,
		       json_string_value(json_object_get(json_array_get(
			       json_object_get(answer, "claims"), 0), "reason")));
}

/* -- the scheduler's: "request=pool/device", with what it adds -- */

enum { TEXT = 4096 };

static void write_result(const json_t *result, char ret[TEXT])
{
	auto_free char *consumed = json_dumps(json_object_get(result, "consumedCapacity"),
					      JSON_SORT_KEYS);
	size_t used = strlen(ret);

	(void)snprintf(ret + used, TEXT - used, "%s%s=%s/%s%s%s", used ? " " : "",
		       json_string_value(json_object_get(result, "request")),
		       json_string_value(json_object_get(result, "pool")),
		       json_string_value(json_object_get(result, "device")),
		       json_is_true(json_object_get(result, "adminAccess")) ? "(admin)" : "",
		       consumed ? consumed : "");
}

static void write_answer(const json_t *answer, char ret[TEXT])
{
	const json_t *claim, *result;
	size_t i, k;

	*ret = '\0';
	json_array_foreach(json_object_get(answer, "claims"), i, claim) {
		const json_t *list = json_object_get(json_object_get(json_object_get(
			json_object_get(claim, "status"), "allocation"), "devices"), "results");

		json_array_foreach(list, k, result)
			write_result(result, ret);
	}
}

/* The recording's texts are cut at blanks. */
static void write_recorded(const json_t *allocation, char ret[TEXT])
{
	const json_t *text;
	size_t i, used = 0;

	*ret = '\0';
	json_array_foreach(allocation, i, text)
		used += (size_t)snprintf(ret + used, TEXT - used, "%s%s", i > 0 ? " " : "",
					 json_string_value(text));
}

static void add_case(struct asked *a, const json_t *c)
{
	const json_t *class, *namespace = json_object_get(c, "namespace");
	json_t *spec;
	size_t i;

	json_array_foreach(json_object_get(c, "classes"), i, class)
		add_object_of(&a->objects, "DeviceClass", json_object_get(class, "metadata"),
			      json_object_get(class, "spec"));
	json_array_foreach(json_object_get(c, "claims"), i, spec) {
		json_auto_t *metadata = json_pack("{s:o,s:s}", "name", json_sprintf("c%zu", i),
						  "namespace", namespace ?
						  json_string_value(namespace) : "default");
		json_auto_t *outer = json_pack("{s:O}", "devices", spec);

		add_object_of(&a->objects, "ResourceClaim", metadata, outer);
	}
	add_objects(&a->rules.from, json_object_get(c, "rules"));
}

static void replay_scheduled(const json_t *c)
{
	auto_asked struct asked a = { .objects = { .list = NULL } };
	const char *name = json_string_value(json_object_get(c, "name"));
	const char *node = json_string_value(json_object_get(c, "node"));
	char path[256], ours[TEXT], theirs[TEXT];
	json_auto_t *slices = NULL, *answer = NULL;

	(void)snprintf(path, sizeof(path), FOLDER "slices/%s.json", node);
	slices = json_load_file(path, 0, NULL);
	add_object(&a.objects, slices);
	add_case(&a, c);
	answer = ask(&a, node);
	write_answer(answer, ours);
	write_recorded(json_object_get(c, "allocation"), theirs);
	judge("scheduler", name, ours, theirs, answer);
}

/* -- the allocator's: whole allocations -- */

/* An id of its own is told apart by nothing but being there. */
static void hide_ids(json_t *allocation)
{
	json_t *result;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(allocation, "devices"), "results"), i,
			   result)
		if (json_is_string(json_object_get(result, "shareID")))
			(void)json_object_set_new(result, "shareID", json_string("an id"));
}

static char *write_allocations(const json_t *list)
{
	json_auto_t *copy = json_deep_copy(list);
	json_t *one;
	size_t i;

	json_array_foreach(copy, i, one)
		hide_ids(one);
	return json_dumps(copy, JSON_SORT_KEYS | JSON_COMPACT);
}

static json_t *allocations_of(const json_t *answer)
{
	json_t *ret = json_array();
	const json_t *claim;
	size_t i;

	json_array_foreach(json_object_get(answer, "claims"), i, claim) {
		json_t *one = json_object_get(json_object_get(claim, "status"), "allocation");

		if (one)
			(void)json_array_append(ret, one);
	}
	return ret;
}

static void replay_allocated(const json_t *c, size_t number)
{
	static const char *const kinds[] = { "Slices", "Classes", "Taken", "Claims" };
	auto_asked struct asked a = { .objects = { .list = NULL } };
	const json_t *asked = json_object_get(c, "case");
	json_auto_t *answer = NULL, *list = NULL, *none = json_array();
	auto_free char *ours = NULL, *theirs = NULL;
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		add_objects(&a.objects, json_object_get(asked, kinds[i]));
	answer = ask(&a, json_string_value(json_object_get(json_object_get(json_object_get(
		asked, "Node"), "metadata"), "name")));
	list = allocations_of(answer);
	ours = write_allocations(list);
	theirs = write_allocations(json_is_array(json_object_get(c, "answer")) ?
				   json_object_get(c, "answer") : none);
	(void)snprintf(name, sizeof(name), "%zu", number);
	judge("allocator", name, ours, theirs, answer);
}

int main(void)
{
	json_auto_t *scheduled = json_load_file(FOLDER "scheduler.json", 0, NULL);
	json_auto_t *allocated = json_load_file(FOLDER "allocator.json", 0, NULL);
	const json_t *c;
	size_t i;

	read_known();
	test("what the scheduler of Kubernetes 1.36.2 allocated");
	json_array_foreach(scheduled, i, c)
		replay_scheduled(c);
	eqi((long long)i, 57);
	test("what its allocator said of generated cases");
	json_array_foreach(allocated, i, c)
		replay_allocated(c, i);
	eqi((long long)i, 160);
	return tap_end();
}
