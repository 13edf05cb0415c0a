/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_dra_select.c - ResourceSlices, DeviceClasses and claims: what a claim gets is there, is
 * given once, and does not depend on whether somebody asks why
 */
#include "manager/dra/select.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	must(text);
	return text;
}

static bool has_device(const struct dra_devices *d, const json_t *result)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->list[i].name, text_of(result, "device")) == 0 &&
		    strcmp(d->list[i].slice->pool, text_of(result, "pool")) == 0 &&
		    strcmp(d->list[i].slice->driver, text_of(result, "driver")) == 0)
			return true;
	return false;
}

/* An administrator gets what others get, too. */
static void check_result(const struct dra_devices *d, const json_t *result, json_t *given)
{
	char key[512];

	must(has_device(d, result) && *text_of(result, "request"));
	if (json_object_get(result, "adminAccess"))
		return;
	(void)snprintf(key, sizeof(key), "%s/%s/%s", text_of(result, "driver"),
		       text_of(result, "pool"), text_of(result, "device"));
	must(!json_object_get(given, key));
	(void)json_object_set_new(given, key, json_true());
}

static void check_claim(const struct dra_devices *d, const json_t *claim, bool solved,
			json_t *given)
{
	const json_t *list = json_object_get(json_object_get(json_object_get(json_object_get(
		claim, "status"), "allocation"), "devices"), "results"), *result;
	size_t i;

	must(json_is_true(json_object_get(claim, "satisfied")) == solved);
	must(solved ? json_is_array(list) : !list && *text_of(claim, "reason"));
	must(json_array_size(list) <= 32);
	json_array_foreach(list, i, result) {
		check_result(d, result, given);
	}
}

static int ask(const struct manifests *m, const struct dra_devices *d, bool why, json_t **answer)
{
	const struct select_question q = {
		.manifests = m, .devices = d, .node = "worker-1", .why = why,
	};
	struct err e = { 0 };
	int r = select_devices(&q, answer, &e);

	must_agree(r, &e);
	must((r < 0) == !*answer);
	return r;
}

static void select_all(const struct manifests *m, const struct dra_devices *d)
{
	json_auto_t *plain = NULL, *traced = NULL, *given = json_object();
	int r = ask(m, d, false, &plain);
	const json_t *claim;
	size_t i;

	must(ask(m, d, true, &traced) == r);
	json_array_foreach(json_object_get(plain, "claims"), i, claim) {
		check_claim(d, claim, r > 0, given);
		must(r == 0 || json_equal(json_object_get(claim, "status"), json_object_get(
			json_array_get(json_object_get(traced, "claims"), i), "status")));
	}
	if (r > 0 && json_object_size(given) > 0)
		accepted();
}

static void fuzz_one(const char *text, size_t len)
{
	auto_manifests struct manifests m = { .list = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	struct err e = { 0 };
	int r = manifests_read(text, len, "file", &m, &e);

	must_agree(r, &e);
	if (r < 0)
		return;
	r = dra_devices_read(&m, &d, &e);
	must_agree(r, &e);
	if (r == 0)
		select_all(&m, &d);
}
