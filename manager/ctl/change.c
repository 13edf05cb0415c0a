/* SPDX-License-Identifier: Apache-2.0 */
/* change.c - what devinfod tells of a device, as a row */
#include "manager/ctl/change.h"

#include "base/attr.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TIME_SIZE = 40 };

/* "2026-11-28T11:20:05.123Z" */
static void put_time(json_t *row, const char *key, int64_t ms)
{
	time_t s = (time_t)(ms / 1000);
	char text[TIME_SIZE];
	struct tm tm;
	size_t n;

	if (ms <= 0 || !gmtime_r(&s, &tm))
		return;
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(text + n, sizeof(text) - n, ".%03dZ", (int)(ms % 1000));
	(void)json_object_set_new(row, key, json_string(text));
}

/* What others wrote may be no UTF-8: then it is left out. */
static void put_text(json_t *row, const char *key, const char *text)
{
	if (*text)
		(void)json_object_set_new(row, key, json_string(text));
}

json_t *ctl_change_row(const char *change, int64_t at_ms, const struct report_device *d)
{
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "resource", d->resource }, { "device", d->id }, { "why", d->reason },
		{ "pod_namespace", d->pod_namespace }, { "pod_name", d->pod_name },
		{ "pod_uid", d->pod_uid }, { "container", d->container },
		{ "interface", d->interface }, { "network", d->network },
	};
	json_t *row = json_pack("{s:s}", "change", change);

	put_time(row, "at", at_ms);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		put_text(row, texts[i].key, texts[i].text);
	if (*d->pod_name)
		(void)json_object_set_new(row, "pod", json_sprintf("%s/%s", d->pod_namespace,
								   d->pod_name));
	if (d->since_ms == 0)
		return row;
	put_text(row, "health", d->healthy ? "healthy" : "unhealthy");
	put_time(row, "since", d->since_ms);
	return row;
}
