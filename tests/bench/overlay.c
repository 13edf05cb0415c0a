/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlay.c - what it costs to lay overrides over devices, next to reading the same manifests
 *
 *	overlay [ROUNDS]
 *
 * 512 devices in four ResourceSlices, 100 ResourceSlicePatches and 100 DeviceTaintRules, in one
 * process: a third of the patches is about all devices of the driver, a third selects by an
 * expression, a third names one.  Prints the medians of reading the texts and of all that comes
 * then (devices, expressions, the merge), their ratio, which should be 2 at most for 3 in all, and
 * both for half and double of each number: what is linear stays in proportion.  Asserts nothing.
 */
#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/dra/overrides.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MAX = 1000, OF_SLICE = 128 };

struct size {
	unsigned int devices, patches, rules;
};

struct text {
	char *s;
	size_t len;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *fmt, ...)
{
	auto_free char *part = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&part, fmt, ap);
	va_end(ap);
	t->s = n < 0 ? NULL : realloc(t->s, t->len + (size_t)n + 1);
	if (!t->s)
		exit(1);
	memcpy(t->s + t->len, part, (size_t)n + 1);
	t->len += (size_t)n;
}

/* As many attributes as a VF has in a slice of the node's. */
static void add_device(struct text *t, unsigned int i)
{
	add(t, "%s{\"name\":\"0000-03-%02x-%x\",\"attributes\":{", i % OF_SLICE ? "," : "", i / 8,
	    i % 8);
	for (unsigned int k = 0; k < 16; k++)
		add(t, "\"attribute_%u\":{\"string\":\"value of %u\"},", k, i);
	add(t, "\"numa\":{\"int\":%u},\"is_vf\":{\"bool\":true}}}", i % 2);
}

static void add_slices(struct text *t, unsigned int n)
{
	unsigned int slices = (n + OF_SLICE - 1) / OF_SLICE;

	for (unsigned int i = 0; i < n; i++) {
		if (i % OF_SLICE == 0)
			add(t, "%s{\"apiVersion\":\"resource.k8s.io/v1\","
			    "\"kind\":\"ResourceSlice\",\"metadata\":{\"name\":\"s%u\"},"
			    "\"spec\":{\"driver\":\"vf.example.com\","
			    "\"nodeName\":\"n1\",\"pool\":{\"name\":\"n1\",\"generation\":1,"
			    "\"resourceSliceCount\":%u},\"devices\":[", i ? "]}}," : "",
			    i / OF_SLICE, slices);
		add_device(t, i);
	}
	add(t, "]}}");
}

static void add_filter(struct text *t, unsigned int i)
{
	if (i % 3 == 0)
		add(t, "{\"driver\":\"vf.example.com\"}");
	else if (i % 3 == 1)
		add(t, "{\"selectors\":[{\"cel\":{\"expression\":\"device.driver == "
		    "'vf.example.com' && device.attributes['vf.example.com'].numa == %u\"}}]}",
		    i % 2);
	else
		add(t, "{\"driver\":\"vf.example.com\",\"device\":\"0000-03-%02x-%x\"}", i / 8,
		    i % 8);
}

static void add_overrides(struct text *t, const struct size *s)
{
	for (unsigned int i = 0; i < s->patches; i++) {
		add(t, ",{\"apiVersion\":\"resource.k8s.io/v1alpha3\","
		    "\"kind\":\"ResourceSlicePatch\",\"metadata\":{\"name\":\"p%u\"},"
		    "\"spec\":{\"devices\":{\"filter\":", i);
		add_filter(t, i);
		add(t, ",\"priority\":%u,\"attributes\":{\"example.com/rack\":{\"string\":\"r%u\"},"
		    "\"vf.example.com/attribute_%u\":{\"string\":\"patched\"}}}}}", i, i, i % 16);
	}
	for (unsigned int i = 0; i < s->rules; i++)
		add(t, ",{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"DeviceTaintRule\","
		    "\"metadata\":{\"name\":\"t%u\"},\"spec\":{\"deviceSelector\":{\"device\":"
		    "\"0000-03-%02x-%x\"},\"taint\":{\"key\":\"maintenance\",\"effect\":"
		    "\"NoSchedule\"}}}", i, i / 8, i % 8);
}

static double now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void fail(const struct err *e)
{
	(void)fprintf(stderr, "overlay: %s %s\n", e->msg, e->details);
	exit(1);
}

/* Those of slices are borrowed by the devices, those of overrides belong to them. */
static void lay(struct manifests *all, double *ms)
{
	auto_override_changes struct override_changes changes = { .devices = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	auto_overrides struct overrides o = { .patches = NULL };
	double begin = now_ms();
	struct err e;

	if (dra_devices_read(all, &d, &e) < 0)
		fail(&e);
	o.from = *all;
	*all = (struct manifests){ .list = NULL };
	if (overrides_compile(&o, &e) < 0 || overrides_apply(&o, &d, &changes, &e) < 0)
		fail(&e);
	*ms = now_ms() - begin;
	if (o.n_findings > 0) {
		(void)fprintf(stderr, "overlay: %s\n", o.findings[0].text);
		exit(1);
	}
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void measure(const struct size *s, int rounds)
{
	static double parse[ROUNDS_MAX], rest[ROUNDS_MAX];
	struct text t = { .s = NULL };
	struct err e;

	add(&t, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	add_slices(&t, s->devices);
	add_overrides(&t, s);
	add(&t, "]}");
	for (int i = 0; i < rounds; i++) {
		struct manifests m = { .list = NULL };
		double begin = now_ms();

		if (manifests_read(t.s, t.len, "bench", &m, &e) < 0)
			fail(&e);
		parse[i] = now_ms() - begin;
		lay(&m, &rest[i]);
	}
	free(t.s);
	qsort(parse, (size_t)rounds, sizeof(*parse), compare);
	qsort(rest, (size_t)rounds, sizeof(*rest), compare);
	(void)printf("%4u devices %3u patches %3u rules: read %6.2f ms, overrides %6.2f ms, "
		     "all/read %.2f\n", s->devices, s->patches, s->rules, parse[rounds / 2],
		     rest[rounds / 2], 1 + rest[rounds / 2] / parse[rounds / 2]);
}

int main(int argc, char *argv[])
{
	static const struct size sizes[] = {
		{ 512, 100, 100 }, { 256, 100, 100 }, { 1024, 100, 100 }, { 512, 50, 100 },
		{ 512, 200, 100 }, { 512, 100, 50 }, { 512, 100, 200 },
	};
	int rounds = argc > 1 ? atoi(argv[1]) : 20;

	if (rounds < 1 || rounds > ROUNDS_MAX) {
		(void)fprintf(stderr, "usage: overlay [ROUNDS]\n");
		return 2;
	}
	jx_init(NULL);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		measure(&sizes[i], rounds);
	return 0;
}
