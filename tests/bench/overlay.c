/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlay.c - what overrides and rules cost, next to reading the same manifests
 *
 *	overlay [ROUNDS]
 *
 * 512 devices, in four ResourceSlices and as instances of a NodeFeature, 100 ResourceSlicePatches,
 * 100 DeviceTaintRules and 100 NodeFeatureRules, in one process: a third of the patches is about
 * all devices of the driver, a third selects by an expression, a third names one; a rule looks at
 * each instance.  Prints the medians of reading, of the overrides (devices, expressions, the
 * merge) and of the rules, and the ratio of all to reading, which should be 3 at most; the same for
 * half and double of each number: what is linear stays in proportion.  Asserts nothing.
 */
#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/overrides.h"
#include "manager/nfd/eval.h"

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

/* What NFD knows of as many functions, and rules that select some of them. */
static void add_rules(struct text *t, const struct size *s)
{
	add(t, "{\"apiVersion\":\"nfd.k8s-sigs.io/v1alpha1\",\"kind\":\"NodeFeature\","
	    "\"metadata\":{\"name\":\"n1\",\"labels\":{\"nfd.node.kubernetes.io/node-name\":"
	    "\"n1\"}},\"spec\":{\"features\":{\"instances\":{\"pci.device\":{\"elements\":[");
	for (unsigned int i = 0; i < s->devices; i++)
		add(t, "%s{\"attributes\":{\"vendor\":\"15b3\",\"device\":\"%04x\","
		    "\"class\":\"0200\",\"subsystem_vendor\":\"15b3\","
		    "\"subsystem_device\":\"0001\",\"sriov_totalvfs\":\"0\"}}", i ? "," : "", i);
	add(t, "]}}}}}");
	for (unsigned int i = 0; i < s->rules; i++)
		add(t, ",{\"apiVersion\":\"nfd.k8s-sigs.io/v1alpha1\","
		    "\"kind\":\"NodeFeatureRule\",\"metadata\":{\"name\":\"r%u\"},\"spec\":"
		    "{\"rules\":[{\"name\":\"rule %u\",\"labels\":{\"bench-%u\":\"true\"},"
		    "\"matchFeatures\":[{\"feature\":\"pci.device\",\"matchExpressions\":"
		    "{\"device\":{\"op\":\"In\",\"value\":[\"%04x\"]},"
		    "\"vendor\":{\"op\":\"In\",\"value\":[\"15b3\"]}}}]}]}}", i, i, i, i);
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

static void evaluate(const struct manifests *m, unsigned int rules, double *ms)
{
	auto_nfd_eval struct nfd_eval v;
	double begin = now_ms();

	nfd_eval_init(&v, "n1", false);
	nfd_eval_run(&v, m);
	*ms = now_ms() - begin;
	if (json_array_size(v.rows) != rules || v.is_bad) {
		(void)fprintf(stderr, "overlay: %zu labels\n", json_array_size(v.rows));
		exit(1);
	}
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void make_texts(const struct size *s, struct text ret[2])
{
	for (int i = 0; i < 2; i++)
		add(&ret[i], "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	add_slices(&ret[0], s->devices);
	add_overrides(&ret[0], s);
	add_rules(&ret[1], s);
	for (int i = 0; i < 2; i++)
		add(&ret[i], "]}");
}

/* ms: of reading, of overrides, of rules */
static void measure_once(const struct size *s, const struct text texts[2], double ms[3])
{
	auto_manifests struct manifests overrides = { .list = NULL }, rules = { .list = NULL };
	double begin = now_ms();
	struct err e;

	if (manifests_read(texts[0].s, texts[0].len, "overrides", &overrides, &e) < 0 ||
	    manifests_read(texts[1].s, texts[1].len, "rules", &rules, &e) < 0)
		fail(&e);
	ms[0] = now_ms() - begin;
	lay(&overrides, &ms[1]);
	evaluate(&rules, s->rules, &ms[2]);
}

static void measure(const struct size *s, int rounds)
{
	static double all[3][ROUNDS_MAX];
	struct text texts[2] = { { .s = NULL } };
	double ms[3];

	make_texts(s, texts);
	for (int i = 0; i < rounds; i++) {
		measure_once(s, texts, ms);
		for (int k = 0; k < 3; k++)
			all[k][i] = ms[k];
	}
	for (int k = 0; k < 3; k++) {
		qsort(all[k], (size_t)rounds, sizeof(double), compare);
		ms[k] = all[k][rounds / 2];
	}
	free(texts[0].s);
	free(texts[1].s);
	(void)printf("| %u | %u | %u | %.2f | %.2f | %.2f | %.2f |\n", s->devices, s->patches,
		     s->rules, ms[0], ms[1], ms[2], (ms[0] + ms[1] + ms[2]) / ms[0]);
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
	(void)printf("\n### manifests of a node, %d rounds\n\n| devices | patches | rules | "
		     "read, ms | overrides, ms | rules, ms | all to read |\n"
		     "|--:|--:|--:|--:|--:|--:|--:|\n", rounds);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		measure(&sizes[i], rounds);
	return 0;
}
