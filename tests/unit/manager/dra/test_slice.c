/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_slice.c - ResourceSlices of each version, and the devices in them
 *
 * The names of the rows D... are those of the checklist; the examples are Kubernetes' documents'.
 */
#include "manager/dra/slice.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Kubernetes, "Dynamic Resource Allocation": its `boolean` is no type, which is `bool`. */
static const char cat_slice[] =
	"{'apiVersion':'resource.k8s.io/v1beta1','kind':'ResourceSlice','metadata':{'name':"
	"'cat-slice'},'spec':{'driver':'resource-driver.example.com','pool':{'generation':1,'name':"
	"'black-cat-pool','resourceSliceCount':1},'allNodes':true,'devices':[{'name':"
	"'large-black-cat','basic':{'attributes':{'color':{'string':'black'},'size':{'string':"
	"'large'},'cat':{'boolean':true}}}}]}}";

#define SLICE(name, generation, count, devices)                                                   \
	"{'apiVersion':'resource.k8s.io/v1','kind':'ResourceSlice','metadata':{'name':'" name     \
	"'},'spec':{'driver':'d.example','nodeName':'n','pool':{'name':'p','generation':"         \
	generation ",'resourceSliceCount':" count "},'devices':[" devices "]}}"

static json_t *parse(const char *text)
{
	auto_free char *copy = strdup(text);

	for (char *p = copy; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return json_loads(copy, 0, NULL);
}

static void add(struct manifests *m, const char *text)
{
	static struct manifest list[8];
	static char source[] = "test";
	json_t *doc = parse(text);

	m->list = list;
	list[m->n++] = (struct manifest){
		.kind = json_string_value(json_object_get(doc, "kind")), .doc = doc,
		.source = source,
	};
}

static void done(struct manifests *m)
{
	for (size_t i = 0; i < m->n; i++)
		json_decref(m->list[i].doc);
	m->n = 0;
}

/* "name name" of what is read of these texts, or what is wrong. */
static const char *names(const char *text, ...)
{
	static char ret[512];
	struct manifests m = { .list = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	struct err e = { 0 };
	va_list ap;

	va_start(ap, text);
	for (; text; text = va_arg(ap, const char *))
		add(&m, text);
	va_end(ap);
	*ret = '\0';
	if (dra_devices_read(&m, &d, &e) < 0)
		(void)snprintf(ret, sizeof(ret), "%s", e.msg);
	for (size_t i = 0; i < d.n; i++)
		(void)snprintf(ret + strlen(ret), sizeof(ret) - strlen(ret), "%s%s", i ? " " : "",
			       d.list[i].name);
	done(&m);
	return ret;
}

static const char *fault(const char *spec)
{
	static struct err e;
	char text[1024];
	json_auto_t *doc = NULL;
	json_t *got;

	(void)snprintf(text, sizeof(text), "{'apiVersion':'resource.k8s.io/v1','kind':"
		       "'ResourceSlice','spec':%s}", spec);
	doc = parse(text);
	e = (struct err){ 0 };
	got = dra_slice_normalise(doc, "f", &e);
	json_decref(got);
	return got ? "" : e.msg;
}

static const char *type_of(const json_t *device, const char *attribute)
{
	json_t *a = json_object_get(json_object_get(device, "attributes"), attribute);

	return json_object_iter_key(json_object_iter(a));
}

static void test_example(void)
{
	struct manifests m = { .list = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	struct err e;

	add(&m, cat_slice);
	test("D10: the cat-slice of the document has one device, with its attributes");
	ok(dra_devices_read(&m, &d, &e) == 0 && d.n == 1 && d.n_slices == 1);
	eq(d.list[0].name, "large-black-cat");
	eq(d.slices[0].driver, "resource-driver.example.com");
	eq(d.slices[0].source, "test");
	test("D10, D11: its attributes have types; one of another type is left to who looks at it");
	eq(type_of(d.list[0].device, "color"), "string");
	eq(type_of(d.list[0].device, "size"), "string");
	eq(type_of(d.list[0].device, "cat"), "boolean");
	test("D04: the pool has a name, a generation and a number of slices");
	eq(d.slices[0].pool, "black-cat-pool");
	ok(d.slices[0].generation == 1);
	done(&m);
}

static void test_versions(void)
{
	json_auto_t *beta1 = parse("{'apiVersion':'resource.k8s.io/v1beta1','kind':'ResourceSlice',"
				   "'spec':{'driver':'d','nodeName':'n','pool':{'name':'p',"
				   "'resourceSliceCount':1},'devices':[{'name':'x','basic':{"
				   "'attributes':{'a':{'int':1}},'capacity':{'m':{'value':'1Gi'}},"
				   "'taints':[]}}]}}");
	json_auto_t *alpha3 = parse("{'apiVersion':'resource.k8s.io/v1alpha3','kind':"
				    "'ResourceSlice','spec':{'driver':'d','nodeName':'n','pool':"
				    "{'name':'p','resourceSliceCount':1},'devices':[{'name':'x',"
				    "'basic':{'capacity':{'m':'1Gi'}}}]}}");
	json_auto_t *want = parse("[{'name':'x','attributes':{'a':{'int':1}},'capacity':{'m':"
				  "{'value':'1Gi'}},'taints':[]}]");
	json_auto_t *other = parse("{'apiVersion':'v1','kind':'ResourceSlice','spec':{}}");
	struct err e;
	json_auto_t *got = dra_slice_normalise(beta1, "f", &e);
	json_auto_t *got3 = dra_slice_normalise(alpha3, "f", &e);

	test("D03: `basic` of v1beta1 becomes the device of v1");
	ok(json_equal(json_object_get(json_object_get(got, "spec"), "devices"), want));
	eq(json_string_value(json_object_get(got, "apiVersion")), "resource.k8s.io/v1");
	test("D03: what is normalised is left as it was");
	ok(json_object_get(json_array_get(json_object_get(json_object_get(beta1, "spec"),
							  "devices"), 0), "basic") != NULL);
	test("D03: a capacity of v1alpha3 is a bare quantity");
	eq(json_string_value(json_object_get(json_object_get(json_object_get(json_array_get(
		json_object_get(json_object_get(got3, "spec"), "devices"), 0), "capacity"), "m"),
		"value")), "1Gi");
	test("D03: another version is refused, with those that are known");
	ok(!dra_slice_normalise(other, "f", &e));
	eq(e.msg, "f: ResourceSlice: apiVersion: 'v1' is none of a ResourceSlice: "
	   "resource.k8s.io/v1, v1beta2, v1beta1, v1alpha3");
}

static void test_sharing(void)
{
	struct manifests m = { .list = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	struct err e;

	add(&m, SLICE("a", "1", "1", "{'name':'x'}"));
	test("K46: what is read of a slice is the very device of the document, not a copy");
	ok(dra_devices_read(&m, &d, &e) == 0 && d.n == 1);
	ok(d.list[0].device == json_array_get(json_object_get(json_object_get(m.list[0].doc,
		"spec"), "devices"), 0));
	done(&m);
}

static void test_generations(void)
{
	test("D05: of a pool the slices of the newest generation count, wherever they are");
	eq(names(SLICE("a", "1", "1", "{'name':'old'}"), SLICE("b", "3", "2", "{'name':'x'}"),
		 SLICE("c", "2", "1", "{'name':'older'}"), SLICE("d", "3", "2", "{'name':'y'}"),
		 NULL), "x y");
	test("D07: a slice may have a part of a pool, all of it, or none");
	eq(names(SLICE("a", "1", "3", "{'name':'x'},{'name':'y'}"), SLICE("b", "1", "3", ""),
		 SLICE("c", "1", "3", "{'name':'z'}"), NULL), "x y z");
	test("D06: a device that moved to another slice of the newer generation is there once");
	eq(names(SLICE("a", "1", "1", "{'name':'x'},{'name':'y'}"),
		 SLICE("a2", "2", "2", "{'name':'x'}"), SLICE("b", "2", "2", "{'name':'y'}"), NULL),
	   "x y");
	test("other kinds are passed over");
	eq(names("{'kind':'DeviceClass'}", SLICE("b", "1", "1", "{'name':'x'}"), NULL), "x");
	test("one that is wrong is named");
	eq(names(SLICE("b", "1", "1", "{'name':'x'}"), SLICE("b", "1", "1", "{'name':'X'}"), NULL),
	   "test: ResourceSlice: spec.devices[0].name: 'X' is no DNS label");
}

static const struct fault_row {
	const char *spec, *want;
} faults[] = {
	{ "{'driver':'d','pool':{'name':'p','resourceSliceCount':1}}",
	  "D08 none of nodeName, nodeSelector, allNodes and perDeviceNodeSelection is set, "
	  "expected one" },
	{ "{'driver':'d','nodeName':'n','allNodes':true,'pool':{'name':'p',"
	  "'resourceSliceCount':1}}",
	  "D08 more than one of nodeName" },
	{ "{'driver':'d','nodeName':7,'pool':{'name':'p','resourceSliceCount':1}}",
	  "D08 spec.nodeName: expected a string, got an integer" },
	{ "{'driver':'d_e','nodeName':'n','pool':{'name':'p','resourceSliceCount':1}}",
	  "D12 spec.driver: 'd_e' is no DNS subdomain of at most 63 bytes" },
	{ "{'driver':'a123456789.a123456789.a123456789.a123456789.a123456789.a123456789',"
	  "'nodeName':'n','pool':{'name':'p','resourceSliceCount':1}}", "D12 spec.driver: " },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'a//b','resourceSliceCount':1}}",
	  "D12 spec.pool.name: 'a//b': expected DNS subdomains" },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'a/','resourceSliceCount':1}}",
	  "D12 spec.pool.name: 'a/': expected DNS subdomains" },
	{ "{'driver':'d','nodeName':'n','pool':{'resourceSliceCount':1}}",
	  "D12 spec.pool.name: '': expected DNS subdomains" },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'p'}}",
	  "D04 spec.pool.resourceSliceCount: missing" },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'p','resourceSliceCount':0}}",
	  "D04 spec.pool.resourceSliceCount: " },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'p','generation':-1,"
	  "'resourceSliceCount':1}}",
	  "D04 spec.pool.generation: " },
	{ "{'driver':'d','nodeName':'n'}", "D04 spec.pool: missing" },
	{ "[]", "D04 spec: expected an object, got a list" },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'p','resourceSliceCount':1},'devices':[7]}",
	  "D07 spec.devices[0]: expected an object, got an integer" },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'p','resourceSliceCount':1},'devices':{}}",
	  "D07 spec.devices: expected a list, got an object" },
	{ "{'driver':'d','nodeName':'n','pool':{'name':'p','resourceSliceCount':1},'devices':["
	  "{'name':'x'},{'name':'y','attributes':[]}]}",
	  "D11 spec.devices[1] (y): attributes: expected an object, got a list" },
};

static void test_faults(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		const char *got = fault(faults[i].spec);

		test("D04, D07, D08, D11, D12: a slice that is wrong is refused, with the place");
		contains(got, faults[i].want + 4);
		if (!strstr(got, faults[i].want + 4))
			printf("# have %s\n# want %s\n", got, faults[i].want + 4);
	}
	test("D08, D12: what is right is taken: a pool's name may have '/', allNodes be false");
	eq(fault("{'driver':'d.e','nodeName':'n','allNodes':false,'pool':{'name':'a.b/c',"
		 "'resourceSliceCount':1},'devices':null}"), "");
}

int main(void)
{
	test_example();
	test_versions();
	test_sharing();
	test_generations();
	test_faults();
	return tap_end();
}
