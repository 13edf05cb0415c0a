/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_overrides.c - ResourceSlicePatches and DeviceTaintRules over the devices of slices
 *
 * The sentences are those of KEP-5027.  Texts of JSON have ' for ".
 */
#include "manager/dra/overrides.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdarg.h>
#include <stdlib.h>

#define PATCH(name, meta, devices)                                                            \
	"{'apiVersion': 'resource.k8s.io/v1alpha3', 'kind': 'ResourceSlicePatch', 'metadata': " \
	"{'name': '" name "'" meta "}, 'spec': {'devices': {" devices "}}}"
#define AGE(time) ", 'creationTimestamp': '2024-01-10T" time "Z'"
#define NUMA(n) "'attributes': {'gpu.example.com/numa': {'int': " #n "}}"
#define TAINT(name, selector, taint)                                                       \
	"{'apiVersion': 'resource.k8s.io/v1', 'kind': 'DeviceTaintRule', 'metadata': {'name': '" \
	name "'}, 'spec': {" selector "'taint': {" taint "}}}"
#define CLASS(name, selectors)                                                          \
	"{'apiVersion': 'resource.k8s.io/v1', 'kind': 'DeviceClass', 'metadata': {'name': '" \
	name "'}, 'spec': {'selectors': [" selectors "]}}"
#define CEL(text) "{'cel': {'expression': '" text "'}}"

/* Two drivers on node n1, one of them on n2, too. */
static const char slices[] =
	"{'apiVersion': 'v1', 'kind': 'List', 'items': ["
	"{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'metadata': {'name': 's1'}, "
	"'spec': {'driver': 'gpu.example.com', 'nodeName': 'n1', 'pool': {'name': 'n1', "
	"'generation': 1, 'resourceSliceCount': 1}, 'devices': ["
	"{'name': 'a', 'attributes': {'numa': {'int': 0}, 'model': {'string': 'x'}, "
	"'other.example.com/speed': {'int': 10}}, 'capacity': {'memory': {'value': '8Gi'}}},"
	"{'name': 'b', 'attributes': {'numa': {'int': 1}}},"
	"{'name': 'c'}]}},"
	"{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'metadata': {'name': 's2'}, "
	"'spec': {'driver': 'nic.example.com', 'nodeName': 'n1', 'pool': {'name': 'n1', "
	"'generation': 1, 'resourceSliceCount': 1}, 'devices': ["
	"{'name': 'a', 'attributes': {'numa': {'int': 7}}}]}},"
	"{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'metadata': {'name': 's3'}, "
	"'spec': {'driver': 'gpu.example.com', 'nodeName': 'n2', 'pool': {'name': 'n2', "
	"'generation': 1, 'resourceSliceCount': 1}, 'devices': ["
	"{'name': 'a', 'attributes': {'numa': {'int': 3}}}]}}]}";

enum { GPU_A, GPU_B, GPU_C, NIC_A, FAR_A };

/* -- one view at a time -- */

static struct {
	struct manifests m;		/* of the slices */
	struct dra_devices d;
	struct overrides o;
	struct override_changes c;
} view;

static char shown[4096];

static void read_text(struct manifests *to, const char *what, const char *text)
{
	auto_free char *json = strdup(text);
	struct err e;

	for (char *p = json; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (manifests_read(json, strlen(json), what, to, &e) < 0) {
		(void)printf("Bail out! %s: %s %s\n", what, e.msg, e.details);
		exit(1);
	}
}

static void forget(void)
{
	override_changes_done(&view.c);
	overrides_done(&view.o);
	dra_devices_done(&view.d);
	manifests_done(&view.m);
}

/* Up to NULL: what is laid over the slices, each its own file. */
static void lay_over(const char *under, const char *first, ...)
{
	char file[16] = "a.yaml";
	struct err e;
	va_list ap;

	forget();
	read_text(&view.m, "slices", under);
	va_start(ap, first);
	for (const char *text = first; text; text = va_arg(ap, const char *), file[0]++)
		read_text(&view.o.from, file, text);
	va_end(ap);
	if (dra_devices_read(&view.m, &view.d, &e) < 0 || overrides_compile(&view.o, &e) < 0 ||
	    overrides_apply(&view.o, &view.d, &view.c, &e) < 0) {
		(void)printf("Bail out! %s %s\n", e.msg, e.details);
		exit(1);
	}
}

#define LAY(...) lay_over(slices, __VA_ARGS__, NULL)

/* A member of a device, sorted and with ' for "; "" where there is none. */
static const char *have(size_t device, const char *key)
{
	const json_t *v = json_object_get(view.d.list[device].device, key);
	auto_free char *text = v ? json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS) : strdup("");

	for (char *p = text; *p; p++)
		*p = *p == '"' ? '\'' : *p;
	(void)snprintf(shown, sizeof(shown), "%s", text);
	return shown;
}

static const char *attribute(size_t device, const char *name)
{
	static char text[256];
	const json_t *v = json_object_get(json_object_get(view.d.list[device].device, "attributes"),
					  name);
	auto_free char *dumped = v ? json_dumps(v, JSON_COMPACT) : strdup("");

	(void)snprintf(text, sizeof(text), "%s", dumped);
	for (char *p = text; *p; p++)
		*p = *p == '"' ? '\'' : *p;
	return text;
}

/* Whose devices a patch sets `example.com/hit` of, one letter each in the order of the slices. */
static const char *hits(const char *filter)
{
	static char text[8];
	char *p = text;
	char patch[1024];

	(void)snprintf(patch, sizeof(patch), PATCH("p", "", "%s'attributes': {'example.com/hit': "
						   "{'bool': true}}"), filter);
	LAY(patch);
	for (size_t i = 0; i < view.d.n; i++)
		*p++ = *attribute(i, "example.com/hit") ? 'x' : '-';
	*p = '\0';
	return text;
}

/* All findings: "object|device+n|text", a line each. */
static const char *findings(void)
{
	char *p = shown;

	*p = '\0';
	for (size_t i = 0; i < view.o.n_findings; i++) {
		const struct override_finding *f = &view.o.findings[i];

		p += snprintf(p, (size_t)(shown + sizeof(shown) - p), "%s%s %s|%s+%zu|%s",
			      i ? "\n" : "", f->is_fault ? "E" : "W", f->object, f->device,
			      f->devices, f->text);
	}
	return shown;
}

/* One patch that is refused, with this text behind its name. */
static void refused(const char *text, const char *why)
{
	char want[600];

	LAY(text);
	(void)snprintf(want, sizeof(want), "E |+0|ResourceSlicePatch p of a.yaml: %s", why);
	eq(findings(), want);
	ok(view.o.n_patches == 0);
}

/* -- the object -- */

static void test_object(void)
{
	test("K04: a patch is of the cluster, so a namespace is an error");
	refused(PATCH("p", ", 'namespace': 'default'", NUMA(5)),
		"metadata.namespace: a ResourceSlicePatch is of the whole cluster and has none");
	LAY("{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlicePatch', 'metadata': "
	    "{'name': 'p'}, 'spec': {'devices': {}}}");
	eq(findings(), "E |+0|ResourceSlicePatch p of a.yaml: apiVersion cannot be "
	   "'resource.k8s.io/v1': expected resource.k8s.io/v1alpha3");
	test("K05: spec.devices is one object, no list");
	refused("{'apiVersion': 'resource.k8s.io/v1alpha3', 'kind': 'ResourceSlicePatch', "
		"'metadata': {'name': 'p'}, 'spec': {'devices': [{}]}}",
		"spec.devices: expected one object, not a list");
	refused("{'apiVersion': 'resource.k8s.io/v1alpha3', 'kind': 'ResourceSlicePatch', "
		"'metadata': {'name': 'p'}, 'spec': {}}", "spec.devices is missing");
	test("K41: a patch has no taints, and it is said what has");
	refused(PATCH("p", "", "'taints': []"),
		"spec.devices.taints: a patch has none; they are of a DeviceTaintRule");
	test("K06: a generation is read, and changes nothing");
	LAY(PATCH("p", ", 'generation': 7", NUMA(5)));
	eq(attribute(GPU_A, "numa"), "{'int':5}");
	test("a member that nobody knows is refused: a filter would mean all devices");
	refused(PATCH("p", "", "'filter': {'Driver': 'x'}"),
		"spec.devices.filter: unknown key 'Driver', did you mean driver?");
	refused(PATCH("p", "", "'filters': {'driver': 'x'}"),
		"spec.devices: unknown key 'filters', did you mean filter?");
	refused(PATCH("p", "", "'filter': {'device': 'A_B'}"),
		"spec.devices.filter.device cannot be 'A_B': expected a device of a "
		"ResourceSlice, as 0000-65-00-3");
	test("D12, K10: a pool is of domains with '/' between them");
	LAY(PATCH("p", "", "'filter': {'pool': 'rack-1.example/n1'}, " NUMA(5)));
	eq(findings(), "");
	refused(PATCH("p", "", "'filter': {'pool': 'n1//a'}"),
		"spec.devices.filter.pool cannot be 'n1//a': expected a node's name, or domains "
		"with '/'");
	refused(PATCH("p", "", "'filter': {'pool': '-n1'}"),
		"spec.devices.filter.pool cannot be '-n1': expected a node's name, or domains "
		"with '/'");
	test("what is no override is told, what other commands read is not");
	LAY("{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'x'}}",
	    "{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceClaim'}");
	eq(findings(), "W |+0|a.yaml: apiVersion 'v1', kind 'ConfigMap' is no override and has "
	   "no effect");
	test("a Pod beside its claims is ordinary; what is called nearly so is told");
	LAY("{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'x'}}");
	eq(findings(), "");
	LAY("{'apiVersion': 'v2', 'kind': 'Pod', 'metadata': {'name': 'x'}}");
	eq(findings(), "W |+0|a.yaml: apiVersion 'v2', kind 'Pod' is no override and has no "
	   "effect");
}

/* -- which devices -- */

static void test_filter(void)
{
	test("K15: no filter, or an empty one, is all devices");
	eq(hits(""), "xxxxx");
	eq(hits("'filter': {}, "), "xxxxx");
	eq(hits("'filter': null, "), "xxxxx");
	test("K09: by driver");
	eq(hits("'filter': {'driver': 'gpu.example.com'}, "), "xxx-x");
	hits("'filter': {'driver': 'GPU.example.com'}, ");
	ok(view.o.n_rules == 1 && view.o.n_findings == 0);
	test("K10: by pool, alone of all drivers, or of one");
	eq(hits("'filter': {'pool': 'n1'}, "), "xxxx-");
	eq(hits("'filter': {'pool': 'n1', 'driver': 'nic.example.com'}, "), "---x-");
	test("K11: by device, alone or with driver and pool");
	eq(hits("'filter': {'device': 'a'}, "), "x--xx");
	eq(hits("'filter': {'device': 'a', 'driver': 'gpu.example.com', 'pool': 'n2'}, "),
	   "----x");
	test("K12: selectors must all hold");
	eq(hits("'filter': {'selectors': [" CEL("device.driver == \\\"gpu.example.com\\\"") "]}, "),
	   "xxx-x");
	eq(hits("'filter': {'selectors': [" CEL("device.driver == \\\"gpu.example.com\\\"") ", "
		CEL("false") "]}, "), "-----");
	test("K40: the expressions are those of claims: device.driver, .attributes, .capacity");
	eq(hits("'filter': {'driver': 'gpu.example.com', 'device': 'a', 'selectors': ["
		CEL("device.attributes[\\\"gpu.example.com\\\"].numa == 3") "]}, "), "----x");
	test("K14: all criteria together");
	eq(hits("'filter': {'pool': 'n1', 'device': 'a', 'selectors': ["
		CEL("device.driver == \\\"gpu.example.com\\\"") "]}, "), "x----");
	test("K43: without an expression or a device's name nothing is asked of a device");
	eq(hits("'filter': {'driver': 'nobody.example.com', 'selectors': ["
		CEL("device.attributes[\\\"e.x\\\"].none") "]}, "), "-----");
	eq(findings(), "");
}

#define OF_CLASS PATCH("p", "", "'filter': {'deviceClassName': 'fast'}, " NUMA(9))

static void test_class(void)
{
	test("K07: by a DeviceClass, all selectors of which must hold");
	LAY(OF_CLASS, CLASS("fast", CEL("device.driver == \\\"gpu.example.com\\\"") ", "
			    CEL("device.driver == \\\"gpu.example.com\\\"")));
	eq(attribute(FAR_A, "numa"), "{'int':9}");
	eq(attribute(NIC_A, "gpu.example.com/numa"), "");
	LAY(OF_CLASS, CLASS("fast", CEL("true") ", " CEL("false")));
	eq(attribute(GPU_A, "numa"), "{'int':0}");
	LAY(OF_CLASS, CLASS("fast", ""));
	eq(attribute(GPU_A, "numa"), "{'int':9}");
	test("K08: a class that does not exist: not applied, and told");
	LAY(OF_CLASS, CLASS("slow", CEL("true")));
	eq(attribute(GPU_A, "numa"), "{'int':0}");
	eq(findings(), "E ResourceSlicePatch p of a.yaml|+0|there is no DeviceClass fast");
	test("K08: a class of another group is none");
	LAY(OF_CLASS, "{'apiVersion': 'example.com/v1', 'kind': 'DeviceClass', 'metadata': "
	    "{'name': 'fast'}}");
	eq(attribute(GPU_A, "numa"), "{'int':0}");
	ok(view.o.n_findings == 2 && view.o.findings[1].is_fault);
	test("K07: of two classes of one name neither is meant, unless they are the same");
	LAY(OF_CLASS, CLASS("fast", CEL("true")), CLASS("fast", CEL("true")));
	eq(attribute(GPU_A, "numa"), "{'int':9}");
	LAY(OF_CLASS, CLASS("fast", CEL("true")), CLASS("fast", CEL("false")));
	eq(attribute(GPU_A, "numa"), "{'int':0}");
	eq(findings(), "E ResourceSlicePatch p of a.yaml|+0|DeviceClass fast: c.yaml has another "
	   "one of this name");
	test("a class whose expression fails for a device is asked once for it");
	LAY(OF_CLASS, PATCH("q", "", "'filter': {'deviceClassName': 'fast'}, " NUMA(8)),
	    CLASS("fast", CEL("device.attributes[\\\"gpu.example.com\\\"].numa == 0")));
	eq(attribute(GPU_A, "numa"), "{'int':9}");
	ok(strncmp(findings(), "W ResourceSlicePatch p of a.yaml|a+1|gpu.example.com/numa is said",
		   60) == 0);
}

static void test_faults(void)
{
	test("K13: a selector of a kind that is not known does not count as true");
	LAY(PATCH("p", "", "'filter': {'selectors': [{'future': {}}]}, " NUMA(9)));
	eq(attribute(GPU_A, "numa"), "{'int':0}");
	eq(findings(), "E ResourceSlicePatch p of a.yaml|+0|selectors[0]: expected cel, and "
	   "nothing else");
	LAY(OF_CLASS, CLASS("fast", CEL("true") ", {'future': {}}"));
	eq(attribute(GPU_A, "numa"), "{'int':0}");
	eq(findings(), "E ResourceSlicePatch p of a.yaml|+0|DeviceClass fast: selectors[1]: "
	   "expected cel, and nothing else");
	test("K37: an expression that fails for a device keeps the patch from that one alone");
	LAY(PATCH("p", "", "'filter': {'driver': 'gpu.example.com', 'selectors': ["
		  CEL("device.attributes[\\\"gpu.example.com\\\"].model == \\\"x\\\"") "]}, "
		  NUMA(9)), PATCH("q", "", "'attributes': {'example.com/q': {'int': 1}}"));
	eq(attribute(GPU_A, "numa"), "{'int':9}");
	eq(attribute(GPU_B, "numa"), "{'int':1}");
	eq(attribute(GPU_B, "example.com/q"), "{'int':1}");
	test("K38: and it is told once, with the expression, the error and how many devices");
	ok(view.o.n_findings == 1 && view.o.findings[0].is_fault);
	eq(view.o.findings[0].object, "ResourceSlicePatch p of a.yaml");
	eq(view.o.findings[0].device, "b");
	ok(view.o.findings[0].devices == 3);
	ok(strstr(view.o.findings[0].text, "not applied, an expression fails: "
		  "'device.attributes[\"gpu.example.com\"].model == \"x\"': ") != NULL);
	test("K37: one whose result is no bool fails, too");
	LAY(PATCH("p", "", "'filter': {'device': 'b', 'selectors': ["
		  CEL("device.attributes[\\\"gpu.example.com\\\"].numa") "]}, " NUMA(9)));
	eq(attribute(GPU_B, "numa"), "{'int':1}");
	ok(view.o.n_findings == 1 && view.o.findings[0].devices == 1);
	test("K38: what fails is never told as what did not compile");
	LAY(PATCH("a", "", "'filter': {'selectors': [" CEL("device.driver ==") "]}, " NUMA(9)),
	    PATCH("b", "", "'filter': {'device': 'b', 'selectors': ["
		  CEL("device.attributes[\\\"gpu.example.com\\\"].model == \\\"x\\\"") "]}, "
		  NUMA(9)));
	ok(view.o.n_findings == 2 && view.o.findings[0].devices == 0);
	eq(view.o.findings[1].object, "ResourceSlicePatch b of b.yaml");
	ok(view.o.findings[1].devices == 1);
	test("K39: one that does not compile: that patch is left out and told, others apply");
	LAY(PATCH("p", "", "'filter': {'selectors': [" CEL("device.driver ==") "]}, " NUMA(9)),
	    PATCH("q", "", "'attributes': {'example.com/q': {'int': 1}}"));
	eq(attribute(GPU_A, "numa"), "{'int':0}");
	eq(attribute(GPU_A, "example.com/q"), "{'int':1}");
	ok(strstr(findings(), "E ResourceSlicePatch p of a.yaml|+0|selectors[0]: 'device.driver "
		  "==': ") != NULL);
}

/* -- values -- */

static void test_values(void)
{
	test("K16: a name without domain is invalid");
	refused(PATCH("p", "", "'attributes': {'numa': {'int': 1}}"),
		"spec.devices.attributes: 'numa': expected DOMAIN/NAME; where the driver "
		"publishes the name without a domain, the domain is the driver's name");
	refused(PATCH("p", "", "'capacity': {'memory': {'value': '1'}}"),
		"spec.devices.capacity: 'memory': expected DOMAIN/NAME; where the driver "
		"publishes the name without a domain, the domain is the driver's name");
	refused(PATCH("p", "", "'attributes': {'example.com/a-b': {'int': 1}}"),
		"spec.devices.attributes: 'example.com/a-b': expected DOMAIN/NAME, the name an "
		"identifier of at most 32 characters");
	test("K17, K18: x of driver d is d/x: the patch wins, and there is one entry");
	LAY(PATCH("p", "", NUMA(5)));
	eq(have(GPU_B, "attributes"), "{'numa':{'int':5}}");
	eq(have(NIC_A, "attributes"), "{'gpu.example.com/numa':{'int':5},'numa':{'int':7}}");
	LAY(PATCH("p", "", "'filter': {'pool': 'n1', 'device': 'a', 'driver': 'gpu.example.com'}, "
		  "'attributes': {'other.example.com/speed': {'int': 25}}"));
	eq(attribute(GPU_A, "other.example.com/speed"), "{'int':25}");
	test("K19: what only the patch has is added");
	LAY(PATCH("p", "", "'attributes': {'example.com/rack': {'string': 'r1'}}"));
	eq(have(GPU_B, "attributes"), "{'example.com/rack':{'string':'r1'},'numa':{'int':1}}");
	eq(have(GPU_C, "attributes"), "{'example.com/rack':{'string':'r1'}}");
	test("K20, K21: a null removes, nothing is left of it, and none there is no error");
	LAY(PATCH("p", "", "'attributes': {'gpu.example.com/model': {'null': {}}}"));
	eq(have(GPU_A, "attributes"), "{'numa':{'int':0},'other.example.com/speed':{'int':10}}");
	eq(have(GPU_B, "attributes"), "{'numa':{'int':1}}");
	eq(have(GPU_C, "attributes"), "");
	eq(findings(), "");
	test("K22: exactly one of int, bool, string, version, null");
	LAY(PATCH("p", "", "'attributes': {'e.x/i': {'int': -1}, 'e.x/b': {'bool': false}, "
		  "'e.x/s': {'string': ''}, 'e.x/v': {'version': '1.2.3-rc.1+b'}}"));
	eq(have(GPU_C, "attributes"), "{'e.x/b':{'bool':false},'e.x/i':{'int':-1},"
	   "'e.x/s':{'string':''},'e.x/v':{'version':'1.2.3-rc.1+b'}}");
	refused(PATCH("p", "", "'attributes': {'e.x/i': {'int': 1, 'bool': true}}"),
		"spec.devices.attributes[e.x/i]: exactly one of int, bool, string, version and "
		"null is allowed");
	refused(PATCH("p", "", "'attributes': {'e.x/i': {'null': {}, 'int': 1}}"),
		"spec.devices.attributes[e.x/i]: exactly one of int, bool, string, version and "
		"null is allowed");
	refused(PATCH("p", "", "'attributes': {'e.x/i': {'int': '1'}}"),
		"spec.devices.attributes[e.x/i].int: expected an integer");
	refused(PATCH("p", "", "'attributes': {'e.x/i': {'version': '1.02.3'}}"),
		"spec.devices.attributes[e.x/i].version: expected a semantic version of at most 64 "
		"bytes, as 1.2.3");
	test("K23: a value of a type that is not known neither removes nor sets, and is told");
	LAY(PATCH("p", "", "'filter': {'device': 'b'}, 'attributes': {'gpu.example.com/numa': "
		  "{'ints': [1, 2]}}"));
	eq(have(GPU_B, "attributes"), "{'numa':{'int':1}}");
	eq(findings(), "W ResourceSlicePatch p of a.yaml|+0|gpu.example.com/numa has no value of a "
	   "type that is known here (int, bool, string, version, null), and so no effect");
	LAY(PATCH("p", "", "'attributes': {'gpu.example.com/numa': {'null': null}}"));
	eq(attribute(GPU_B, "numa"), "{'int':1}");
	ok(view.o.n_findings == 1);
	test("K24: another type is allowed, and told");
	LAY(PATCH("p", "", "'filter': {'device': 'b'}, 'attributes': {'gpu.example.com/numa': "
		  "{'string': 'one'}}"));
	eq(have(GPU_B, "attributes"), "{'numa':{'string':'one'}}");
	eq(findings(), "W ResourceSlicePatch p of a.yaml|b+1|gpu.example.com/numa becomes a value "
	   "of type string, was int: what selects by it may fail");
}

/* n attributes of a patch or a device. */
static const char *many(const char *domain, int n)
{
	static char text[2][4000];
	static int turn;
	char *p = text[turn ^= 1];

	for (int i = 0; i < n; i++)
		p += sprintf(p, "%s'%sa%d': {'int': %d}", i ? ", " : "", domain, i, i);
	return text[turn];
}

static void test_capacity(void)
{
	char patch[4600], device[4600];

	test("K25: a capacity is overridden, or added");
	LAY(PATCH("p", "", "'capacity': {'gpu.example.com/memory': {'value': '4Gi'}, "
		  "'example.com/slots': {'value': 3}}"));
	eq(have(GPU_A, "capacity"), "{'example.com/slots':{'value':'3'},'memory':{'value':'4Gi'}}");
	eq(have(GPU_C, "capacity"), "{'example.com/slots':{'value':'3'},"
	   "'gpu.example.com/memory':{'value':'4Gi'}}");
	LAY(PATCH("p", "", "'capacity': {'gpu.example.com/memory': {'value': 1.5}, "
		  "'example.com/slots': {'value': 3}}"));
	eq(have(GPU_A, "capacity"), "{'example.com/slots':{'value':'3'},'memory':{'value':'1.5'}}");
	test("K26: it cannot be removed, and may be 0");
	refused(PATCH("p", "", "'capacity': {'gpu.example.com/memory': {'null': {}}}"),
		"spec.devices.capacity[gpu.example.com/memory]: a capacity cannot be removed; its "
		"value may be 0");
	refused(PATCH("p", "", "'capacity': {'gpu.example.com/memory': null}"),
		"spec.devices.capacity[gpu.example.com/memory]: a capacity cannot be removed; its "
		"value may be 0");
	refused(PATCH("p", "", "'capacity': {'gpu.example.com/memory': {'value': '4 GB'}}"),
		"spec.devices.capacity[gpu.example.com/memory].value: expected a quantity, "
		"as 10Gi");
	LAY(PATCH("p", "", "'capacity': {'gpu.example.com/memory': {'value': '0'}}"));
	eq(have(GPU_A, "capacity"), "{'memory':{'value':'0'}}");
	test("K27: 32 attributes and capacities together are the most");
	(void)snprintf(patch, sizeof(patch), PATCH("p", "", "'filter': {'device': 'c'}, "
						   "'attributes': {%s}, 'capacity': {'e.x/c': "
						   "{'value': '1'}}"),
		       many("e.x/", 31));
	LAY(patch);
	eq(attribute(GPU_C, "e.x/a30"), "{'int':30}");
	eq(findings(), "");
	(void)snprintf(patch, sizeof(patch), PATCH("p", "", "'attributes': {%s}, 'capacity': "
						   "{'e.x/c': {'value': '1'}}"), many("e.x/", 32));
	refused(patch, "spec.devices: 33 attributes and capacities, more than 32");
	test("K28: more than 32 of a device after the merge are kept, and told");
	(void)snprintf(device, sizeof(device), "{'apiVersion': 'resource.k8s.io/v1', 'kind': "
		       "'ResourceSlice', 'spec': {'driver': 'e.x', 'nodeName': 'n', 'pool': "
		       "{'name': 'n', 'generation': 1, 'resourceSliceCount': 1}, 'devices': "
		       "[{'name': 'full', 'attributes': {%s}}]}}", many("", 32));
	lay_over(device, PATCH("p", "", "'attributes': {'e.x/a0': {'int': 9}}"), NULL);
	eq(findings(), "");
	lay_over(device, PATCH("p", "", "'attributes': {'e.x/new': {'int': 9}}"), NULL);
	ok(json_object_size(json_object_get(view.d.list[0].device, "attributes")) == 33);
	eq(findings(), "W |full+1|with overrides it has 33 attributes and capacities, more than "
	   "32: they are kept");
}

/* -- which patch -- */

/* Which devices of the merged view a claim's expression selects, one letter each. */
static const char *selected(const char *expression)
{
	auto_cel struct cel *c = NULL;
	static char text[8];
	static struct err e;
	char *p = text;

	c = cel_compile(expression, &e);
	for (size_t i = 0; c && i < view.d.n; i++) {
		const struct dra_device *d = &view.d.list[i];
		const struct cel_device seen = {
			.driver = d->slice->driver,
			.attributes = json_object_get(d->device, "attributes"),
			.capacity = json_object_get(d->device, "capacity"),
		};

		*p++ = cel_matches(c, &seen, &e) > 0 ? 'x' : '-';
	}
	*p = '\0';
	return c ? text : e.msg;
}

static void test_weight(void)
{
	test("K29: the highest priority wins");
	LAY(PATCH("a", "", "'priority': 1, " NUMA(5)), PATCH("b", "", "'priority': 2, " NUMA(6)));
	eq(attribute(GPU_A, "numa"), "{'int':6}");
	LAY(PATCH("b", "", "'priority': 2, " NUMA(6)), PATCH("a", "", "'priority': 1, " NUMA(5)));
	eq(attribute(GPU_A, "numa"), "{'int':6}");
	test("K29: also between patches that name a device and those that do not");
	LAY(PATCH("c", "", "'priority': 2, 'filter': {'device': 'a'}, " NUMA(7)),
	    PATCH("a", "", "'priority': 1, " NUMA(5)), PATCH("b", "", "'priority': 3, 'filter': "
	    "{'device': 'b'}, " NUMA(6)), PATCH("d", "", "'priority': 0, 'filter': {'device': "
	    "'c'}, " NUMA(8)));
	eq(attribute(GPU_A, "numa"), "{'int':7}");
	eq(attribute(GPU_B, "numa"), "{'int':6}");
	eq(attribute(GPU_C, "gpu.example.com/numa"), "{'int':5}");
	eq(attribute(FAR_A, "numa"), "{'int':7}");
	test("K30: no priority is 0, and there are negative ones");
	LAY(PATCH("a", "", "'priority': -1, " NUMA(5)), PATCH("b", "", NUMA(6)));
	eq(attribute(GPU_A, "numa"), "{'int':6}");
	LAY(PATCH("a", "", "'priority': 1, " NUMA(5)), PATCH("b", "", NUMA(6)));
	eq(attribute(GPU_A, "numa"), "{'int':5}");
	test("K31, K33: of equal priority the older one wins, whatever was changed in it later");
	LAY(PATCH("a", AGE("12:00:01"), NUMA(5)),
	    PATCH("b", AGE("12:00:00") ", 'generation': 9", NUMA(6)));
	eq(attribute(GPU_A, "numa"), "{'int':6}");
	LAY(PATCH("a", ", 'creationTimestamp': '2024-01-10T13:00:00+02:00'", NUMA(5)),
	    PATCH("b", AGE("12:00:00"), NUMA(6)));
	eq(attribute(GPU_A, "numa"), "{'int':5}");
	eq(findings(), "");
	refused(PATCH("p", ", 'creationTimestamp': 'yesterday'", NUMA(5)),
		"metadata.creationTimestamp cannot be 'yesterday': expected a time as "
		"2026-01-31T12:00:00Z");
	test("K32: of equal age, or none, it is the name, and that is told");
	LAY(PATCH("b", AGE("12:00:00"), NUMA(6)), PATCH("a", AGE("12:00:00"), NUMA(5)));
	eq(attribute(GPU_A, "numa"), "{'int':5}");
	eq(findings(), "W ResourceSlicePatch a of b.yaml|a+5|gpu.example.com/numa is also set by b "
	   "of a.yaml, with the same priority and age: the first by name wins");
	LAY(PATCH("b", "", NUMA(6)), PATCH("a", "", NUMA(5)));
	eq(attribute(GPU_A, "numa"), "{'int':5}");
	ok(view.o.n_findings == 1);
	LAY(PATCH("b", AGE("12:00:00"), NUMA(6)), PATCH("a", "", NUMA(5)));
	eq(attribute(GPU_A, "numa"), "{'int':6}");
	LAY(PATCH("b", "", NUMA(5)), PATCH("a", "", NUMA(5)));
	eq(findings(), "");
	test("K34: it is decided for each key by itself");
	LAY(PATCH("a", "", "'priority': 9, 'attributes': {'e.x/one': {'int': 1}}"),
	    PATCH("b", "", "'attributes': {'e.x/one': {'int': 2}, 'e.x/two': {'int': 2}}"));
	eq(have(GPU_C, "attributes"), "{'e.x/one':{'int':1},'e.x/two':{'int':2}}");
	test("K35: a null beats a value of lower priority, and the other way round");
	LAY(PATCH("a", "", "'priority': 9, 'attributes': {'gpu.example.com/numa': {'null': {}}}"),
	    PATCH("b", "", NUMA(6)));
	eq(have(GPU_B, "attributes"), "{}");
	LAY(PATCH("a", "", "'attributes': {'gpu.example.com/numa': {'null': {}}}"),
	    PATCH("b", "", "'priority': 9, " NUMA(6)));
	eq(have(GPU_B, "attributes"), "{'numa':{'int':6}}");
	LAY(PATCH("a", "", "'priority': 9, 'attributes': {'e.x/none': {'null': {}}}"),
	    PATCH("b", "", "'attributes': {'e.x/none': {'int': 1}}"));
	eq(have(GPU_C, "attributes"), "");
	test("K53: after a change a selector matches the changed devices alone");
	LAY(PATCH("a", "", "'filter': {'driver': 'gpu.example.com', 'device': 'b'}, 'attributes': "
		  "{'gpu.example.com/model': {'string': 'gold'}}"));
	eq(selected("device.attributes['gpu.example.com'].model == 'gold'"), "-x---");
	test("K36: a selector sees what the driver published, whatever other patches say");
	LAY(PATCH("a", "", "'priority': 9, " NUMA(6)),
	    PATCH("b", "", "'filter': {'driver': 'gpu.example.com', 'pool': 'n1', 'device': 'a', "
		  "'selectors': [" CEL("device.attributes[\\\"gpu.example.com\\\"].numa == 0")
		  "]}, 'attributes': {'e.x/b': {'int': 1}}"));
	eq(attribute(GPU_A, "numa"), "{'int':6}");
	eq(attribute(GPU_A, "e.x/b"), "{'int':1}");
}

/* -- the view -- */

static void test_view(void)
{
	auto_free char *before = NULL, *after = NULL;
	json_auto_t *why = NULL;
	const json_t *row;

	test("K03, K54: the slices stay as they are");
	LAY(PATCH("a", "", "'filter': {'driver': 'gpu.example.com', 'pool': 'n1', 'device': 'a'}, "
		  NUMA(6)));
	before = json_dumps(view.m.list[0].doc, 0);
	forget();
	read_text(&view.m, "slices", slices);
	after = json_dumps(view.m.list[0].doc, 0);
	eq(before, after);
	test("K46: a device without changes is the very object, and one with them shares the rest");
	LAY(PATCH("a", "", "'filter': {'driver': 'gpu.example.com', 'pool': 'n1', 'device': 'a'}, "
		  NUMA(6)));
	row = json_array_get(json_object_get(json_object_get(view.d.slices[0].doc, "spec"),
					     "devices"), 1);
	ok(view.d.list[GPU_B].device == row);
	row = json_array_get(json_object_get(json_object_get(view.d.slices[0].doc, "spec"),
					     "devices"), 0);
	ok(view.d.list[GPU_A].device != row);
	ok(json_object_get(view.d.list[GPU_A].device, "capacity") ==
	   json_object_get(row, "capacity"));
	ok(json_object_get(json_object_get(view.d.list[GPU_A].device, "attributes"), "model") ==
	   json_object_get(json_object_get(row, "attributes"), "model"));
	test("K01, K45: another slice of the same device gets the same patch");
	lay_over("{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'spec': {'driver': "
		 "'gpu.example.com', 'nodeName': 'n1', 'pool': {'name': 'n1', 'generation': 2, "
		 "'resourceSliceCount': 1}, 'devices': [{'name': 'a'}]}}", PATCH("p", "", NUMA(5)),
		 NULL);
	eq(have(0, "attributes"), "{'gpu.example.com/numa':{'int':5}}");
	test("K02: without the patch the values are those of before");
	LAY(PATCH("p", "", "'attributes': {'e.x/other': {'int': 1}}"));
	eq(attribute(GPU_B, "numa"), "{'int':1}");
	test("K52: of each value it is known where it is from, and what it replaces");
	LAY(PATCH("low", "", NUMA(5)), PATCH("high", "", "'priority': 3, 'attributes': "
	    "{'gpu.example.com/numa': {'int': 6}, 'gpu.example.com/model': {'null': {}}}"),
	    TAINT("t", "'deviceSelector': {}, ", "'key': 'k', 'value': 'v', 'effect': "
		  "'NoExecute'"));
	why = overrides_explain(&view.d.list[GPU_A], &view.c.devices[GPU_A]);
	(void)json_object_set(view.d.list[GPU_A].device, "why", why);
	eq(have(GPU_A, "why"), "{'attributes':["
	   "{'beats':'low','name':'numa','origin':'ResourceSlicePatch high','priority':3,"
	   "'replaces':0,'source':'b.yaml','value':6},"
	   "{'name':'other.example.com/speed','origin':'published','value':10}],"
	   "'capacity':[{'name':'memory','origin':'published','value':'8Gi'}],"
	   "'driver':'gpu.example.com','name':'a','pool':'n1',"
	   "'removed':[{'name':'model','origin':'ResourceSlicePatch high','priority':3,"
	   "'replaces':'x','source':'b.yaml'}],"
	   "'taints':[{'name':'k','origin':'DeviceTaintRule t','source':'c.yaml',"
	   "'value':'v:NoExecute'}]}");
	(void)json_object_del(view.d.list[GPU_A].device, "why");
}

/* -- taints -- */

#define BROKEN "'key': 'dra.example.com/unhealthy', 'value': 'Broken', 'effect': 'NoExecute'"

static void test_taints(void)
{
	test("D43: no selector is no device, an empty one all");
	LAY(TAINT("t", "", BROKEN));
	eq(have(GPU_A, "taints"), "");
	LAY(TAINT("t", "'deviceSelector': {}, ", BROKEN));
	eq(have(FAR_A, "taints"), "[{'effect':'NoExecute','key':'dra.example.com/unhealthy',"
	   "'value':'Broken'}]");
	eq(findings(), "");
	test("D44, D47: by driver all its devices, by pool of all drivers, by both of one node");
	LAY(TAINT("t", "'deviceSelector': {'driver': 'gpu.example.com'}, ", BROKEN));
	ok(*have(GPU_C, "taints") && *have(FAR_A, "taints") && !*have(NIC_A, "taints"));
	LAY(TAINT("t", "'deviceSelector': {'driver': 'gpu.example.com', 'pool': 'n2'}, ", BROKEN));
	ok(!*have(GPU_C, "taints") && *have(FAR_A, "taints") && !*have(NIC_A, "taints"));
	LAY(TAINT("t", "'deviceSelector': {'pool': 'n1'}, ", BROKEN));
	ok(*have(GPU_C, "taints") && !*have(FAR_A, "taints") && *have(NIC_A, "taints"));
	test("D42: a class and selectors are read, too, with a warning");
	LAY(TAINT("t", "'deviceSelector': {'deviceClassName': 'c', 'selectors': ["
		  CEL("device.driver == \\\"nic.example.com\\\"") "]}, ", BROKEN),
	    CLASS("c", CEL("true")));
	ok(*have(NIC_A, "taints") && !*have(GPU_A, "taints"));
	eq(findings(), "W DeviceTaintRule t of a.yaml|+0|deviceClassName and selectors are no part "
	   "of a DeviceTaintRule since Kubernetes 1.35: the cluster ignores them");
	test("D42: a rule has exactly one taint, with a key and an effect");
	LAY(TAINT("t", "", "'value': 'x', 'effect': 'NoExecute'"));
	eq(findings(), "E |+0|DeviceTaintRule t of a.yaml: spec.taint.key cannot be '': expected "
	   "the key of a label");
	LAY(TAINT("t", "", "'key': 'k'"));
	eq(findings(), "E |+0|DeviceTaintRule t of a.yaml: spec.taint.effect is missing: expected "
	   "NoSchedule, NoExecute or None");
	LAY(TAINT("t", "", "'key': 'k', 'effect': 'None', 'timeAdded': 'yesterday'"));
	eq(findings(), "E |+0|DeviceTaintRule t of a.yaml: spec.taint.timeAdded cannot be "
	   "'yesterday': expected a time as 2026-01-31T12:00:00Z");
	LAY(TAINT("t", "",
		  "'key': 'k', 'effect': 'None', 'timeAdded': '2026-01-31T12:00:00+01:00'"));
	eq(findings(), "");
	test("D38: an effect that is not known is none, and told");
	LAY(TAINT("t", "'deviceSelector': {}, ", "'key': 'k', 'effect': 'NoUse'"));
	ok(view.o.taints[0].effect == TAINT_NONE);
	eq(findings(), "W DeviceTaintRule t of a.yaml|+0|effect 'NoUse' counts as None: expected "
	   "NoSchedule, NoExecute or None");
	test("D46: a taint is there while its rule is, and beside the driver's");
	lay_over("{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'spec': {'driver': "
		 "'e.x', 'nodeName': 'n', 'pool': {'name': 'n', 'generation': 1, "
		 "'resourceSliceCount': 1}, 'devices': [{'name': 'a', 'taints': [{'key': 'own', "
		 "'effect': 'NoSchedule'}]}]}}",
		 TAINT("t", "'deviceSelector': {'device': 'a'}, ", "'key': 'k', 'effect': "
		       "'NoExecute'"),
		 NULL);
	eq(have(0, "taints"), "[{'effect':'NoSchedule','key':'own'},"
	   "{'effect':'NoExecute','key':'k'}]");
	ok(json_array_size(json_object_get(json_array_get(json_object_get(json_object_get(
		view.d.slices[0].doc, "spec"), "devices"), 0), "taints")) == 1);
}

int main(void)
{
	jx_init(NULL);
	test_object();
	test_filter();
	test_class();
	test_faults();
	test_values();
	test_capacity();
	test_weight();
	test_view();
	test_taints();
	forget();
	return tap_end();
}
