/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice_taint.c - since when the taints of slices are there
 *
 * The API server puts the time of the request into a taint that says none, so each apply of the
 * same slices would be a change of them.
 */
#include "manager/dra/slice_taint.h"

#include "devinfo/manifest/manifest_time.h"
#include "manager/dra/select_part.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

void slice_taint_now(char ret[SLICE_TIME_SIZE])
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || strftime(ret, SLICE_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		*ret = '\0';
}

/* Now, unless another time is remembered, which is one. */
static const char *time_of(const json_t *remembered, const char *device, const char *taint,
			   const char *now)
{
	const char *text = json_string_value(
		json_object_get(json_object_get(remembered, device), taint));
	int64_t ignored;

	return text && strlen(text) < SLICE_TIME_SIZE && manifest_time(text, &ignored) ? text : now;
}

static void set_times(json_t *device, const json_t *remembered, const char *now, json_t *ret)
{
	const char *name = json_string_value(json_object_get(device, "name"));
	json_t *times = json_object(), *taint;
	char text[256];
	size_t i;

	json_array_foreach(json_object_get(device, "taints"), i, taint) {
		const char *at = time_of(remembered, name, select_taint_text(taint, text), now);

		(void)json_object_del(taint, "timeAdded");
		if (!*at)
			continue;
		(void)json_object_set_new(taint, "timeAdded", json_string(at));
		(void)json_object_set_new(times, text, json_string(at));
	}
	if (json_object_size(times) > 0)
		(void)json_object_set(ret, name, times);
	json_decref(times);
}

json_t *slice_taint_times(json_t *slices, const json_t *remembered, const char *now)
{
	json_t *ret = json_object(), *slice, *device;
	size_t i, k;

	json_array_foreach(slices, i, slice) {
		json_array_foreach(json_object_get(json_object_get(slice, "spec"), "devices"), k,
				   device) {
			set_times(device, remembered, now, ret);
		}
	}
	return ret;
}

static void say_times(const json_t *device, json_t *ret)
{
	const char *name = json_string_value(json_object_get(device, "name"));
	json_t *times = json_object(), *taint;
	char text[256];
	size_t i;

	json_array_foreach(json_object_get(device, "taints"), i, taint) {
		const char *at = json_string_value(json_object_get(taint, "timeAdded"));

		if (at)
			(void)json_object_set_new(times, select_taint_text(taint, text),
						  json_string(at));
	}
	if (name && json_object_size(times) > 0)
		(void)json_object_set(ret, name, times);
	json_decref(times);
}

json_t *slice_taint_said(const json_t *slices)
{
	json_t *ret = json_object(), *slice, *device;
	size_t i, k;

	json_array_foreach(slices, i, slice) {
		json_array_foreach(json_object_get(json_object_get(slice, "spec"), "devices"), k,
				   device) {
			say_times(device, ret);
		}
	}
	return ret;
}
