/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lint.c - what the API server would say of objects, place by place
 *
 * Texts of JSON have ' for ".  What it did say of 90 documents is in test_lint_upstream.c.
 */
#include "manager/dra/lint.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/schema.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

struct heard {
	char text[2000]; /* "E text; N text; " */
	size_t n;
};

static void hear(bool is_error, const char *text, void *arg)
{
	struct heard *h = arg;

	h->n += (size_t)snprintf(h->text + h->n, sizeof(h->text) - h->n, "%c %.300s; ",
				 is_error ? 'E' : 'N', text);
	if (h->n >= sizeof(h->text))
		h->n = sizeof(h->text) - 1;
}

/* What is said of the first object. */
static void lint(const char *text, struct heard *ret)
{
	auto_free char *copy = strdup(text);
	auto_manifests struct manifests m = { 0 };
	struct err e = { 0 };

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	*ret = (struct heard) { .n = 0 };
	ok(manifests_read(copy, strlen(copy), "test", &m, &e) == 0 ||
	   (printf("# %s\n# %s\n", copy, e.msg), false));
	if (m.n > 0)
		dra_lint_manifest(&m, 0, hear, ret);
}

/* want: what is said has to have it; "": nothing is said. */
static void says(const char *text, const char *want)
{
	struct heard h;

	lint(text, &h);
	if (*want)
		contains(h.text, want);
	else
		eq(h.text, "");
}

/* What is said of an API server of that version. */
static void says_of(const char *version, const char *text, const char *want)
{
	auto_free char *copy = strdup(text);
	auto_manifests struct manifests m = { 0 };
	struct heard h = { .n = 0 };
	struct kubernetes k;
	struct err e = { 0 };

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	ok(manifests_read(copy, strlen(copy), "test", &m, &e) == 0 &&
	   kubernetes_parse(version, &k, &e) == 0);
	dra_lint_version(&m.list[0], &k, hear, &h);
	eq(h.text, want);
}

#define HEAD(version, kind) "{'apiVersion': 'resource.k8s.io/" version "', 'kind': '" kind "', "
#define NAMED               "'metadata': {'name': 'a'}, "
#define CLAIM(version, request)                                                                    \
	HEAD(version, "ResourceClaim") NAMED "'spec': {'devices': {'requests': [" request "]}}}"
#define EXACTLY(members)                                                                           \
	CLAIM("v1", "{'name': 'r', 'exactly': {'deviceClassName': 'c'" members "}}")
#define FIRST(members)                                                                             \
	CLAIM("v1", "{'name': 'r', 'firstAvailable': [{'name': 's', 'deviceClassName': 'c', "      \
		    members "}, {'name': 't', 'deviceClassName': 'c'}]}")
#define ASKS "{'name': 'r', 'exactly': {'deviceClassName': 'c'}}"
#define SLICE(version, members)                                                                    \
	HEAD(version, "ResourceSlice")                                                             \
	NAMED "'spec': {'driver': 'd', 'pool': {'name': 'n', "                                     \
	      "'resourceSliceCount': 1}, " members "}}"
#define DEVICES(version, device) SLICE(version, "'nodeName': 'n', 'devices': [" device "]")

struct row {
	const char *text, *want;
};

static void each(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		says(rows[i].text, rows[i].want);
}

static void kinds(void)
{
	static const struct row rows[] = {
		{ HEAD("v1", "DeviceTaintRule") NAMED "'spec': {}}",
		  "E apiVersion: 'resource.k8s.io/v1' has no kind DeviceTaintRule in Kubernetes "
		  "1.36: it is in "
		  "resource.k8s.io/v1beta2, v1alpha3" },
		{ HEAD("v1alpha3", "ResourceClaim") NAMED "'spec': {}}",
		  "has no kind ResourceClaim in Kubernetes 1.36: it is in resource.k8s.io/v1, "
		  "v1beta2, v1beta1" },
		{ HEAD("v2", "ResourceSlice") NAMED "'spec': {}}", "'resource.k8s.io/v2' has no" },
		{ HEAD("v1", "ResourceSlices") NAMED "'spec': {}}", "called 'ResourceSlices'" },
		{ "{'apiVersion': 'v1', 'kind': 'DeviceClass', 'metadata': {'name': 'a'}}",
		  "E apiVersion: 'v1' has no kind DeviceClass" },
		{ "{'apiVersion': 'resource.k8s.io', 'kind': 'DeviceClass', 'metadata': {'name': "
		  "'a'}}",
		  "E apiVersion: 'resource.k8s.io' has no kind DeviceClass" },
		{ "{'apiVersion': 'foo.example.com/v1', 'kind': 'DeviceClass', 'metadata': "
		  "{'name': 'A'}, 'x': 1}",
		  "" },
		{ "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'A'}}", "" },
		{ HEAD("v1alpha1", "ResourceSlicePatch") NAMED
		  "'spec': {'devices': {'filter': {}, "
		  "'attributes': {'a/b': {'int': 1}}}}}",
		  "N no API server up to Kubernetes 1.36" },
	};

	test("a kind is one of its version");
	each(rows, ARRAY_SIZE(rows));
}

static void members(void)
{
	static const struct row rows[] = {
		{ DEVICES("v1", "{'name': 'd', 'basic': {}}"),
		  "E spec.devices[0].basic: Kubernetes 1.36 has no such member" },
		{ DEVICES("v1beta1", "{'name': 'd', 'attributes': {}, 'capacity': {}}"),
		  "E spec.devices[0].attributes: Kubernetes 1.36 has no such member; E "
		  "spec.devices[0].capacity: Kubernetes" },
		{ DEVICES("v1beta1", "{'name': 'd', 'basic': {'attributes': {'a': {'int': 1}}}}"),
		  "" },
		{ DEVICES("v1beta2", "{'name': 'd', 'attributes': {'a': {'int': 1}}}"), "" },
		{ SLICE("v1", "'nodeName': 'n', 'device': []"),
		  "E spec.device: Kubernetes 1.36 has no such member, did you mean devices?" },
		{ SLICE("v1", "'nodename': 'n'"),
		  "E spec.nodename: Kubernetes 1.36 has no such member" },
		{ SLICE("v1", "'nodeName': 7"),
		  "E spec.nodeName: expected a string, got an integer" },
		{ SLICE("v1", "'nodeName': 'n', 'devices': {}"),
		  "E spec.devices: expected a list" },
		{ SLICE("v1", "'nodeName': 'n', 'devices': [7]"),
		  "spec.devices[0]: expected an object" },
		{ DEVICES("v1", "{'name': 'd', 'capacity': {'m': {'value': '1.5.2'}}}"),
		  "E spec.devices[0].capacity[m].value: expected a quantity" },
		{ DEVICES("v1", "{'name': 'd', 'attributes': {'m': {'int': 1.5}}}"),
		  "E spec.devices[0].attributes[m].int: expected an integer of at most 64 bits" },
		{ DEVICES("v1", "{'name': 'd', 'attributes': {'m': {'ints': [1, '2']}}}"),
		  "E spec.devices[0].attributes[m].ints[1]: expected an integer" },
		{ DEVICES("v1",
			  "{'name': 'd', 'taints': [{'key': 'k', 'effect': 'None', 'timeAdded': "
			  "'now'}]}"),
		  "E spec.devices[0].taints[0].timeAdded: expected a time" },
		{ CLAIM("v1", "{'name': 'r', 'deviceClassName': 'c'}"),
		  "E spec.devices.requests[0].deviceClassName: Kubernetes 1.36 has no such "
		  "member" },
		{ CLAIM("v1beta1", "{'name': 'r', 'deviceClassName': 'c'}"), "" },
		{ CLAIM("v1beta1", "{'name': 'r', 'exactly': {'deviceClassName': 'c'}}"),
		  "E spec.devices.requests[0].exactly: Kubernetes 1.36 has no such member" },
		{ CLAIM("v1",
			"{'name': 'r', 'firstAvailable': [{'name': 's', 'deviceClassName': 'c', "
			"'adminAccess': true}]}"),
		  "E spec.devices.requests[0].firstAvailable[0].adminAccess" },
		{ HEAD("v1beta2", "DeviceTaintRule") NAMED
		  "'spec': {'deviceSelector': {'selectors': "
		  "[]}, 'taint': {'key': 'k', 'effect': 'None'}}}",
		  "E spec.deviceSelector.selectors: Kubernetes 1.36 has no such member" },
		{ HEAD("v1", "DeviceClass") "'metadata': {'name': 'a', 'label': {}}, 'spec': {}}",
		  "E metadata.label: Kubernetes 1.36 has no such member, did you mean labels?" },
		{ HEAD("v1", "DeviceClass") NAMED "'spec': {}, 'status': {}}",
		  "E status: Kubernetes" },
		{ SLICE("v1", "'nodeName': 'n', 'devices': null, 'allNodes': null"), "" },
	};

	test("a member that Kubernetes does not know, or of another type, is told with its place");
	each(rows, ARRAY_SIZE(rows));
}

static void slices(void)
{
	static const struct row rows[] = {
		{ SLICE("v1", "'nodeName': 'n', 'devices': [], 'sharedCounters': [{'name': 'c', "
			      "'counters': {'x': {'value': 1}}}]"),
		  "E spec: devices and sharedCounters" },
		{ SLICE("v1", "'nodeName': ''"), "E spec: nodeName" },
		{ SLICE("v1beta1", "'nodeName': '', 'allNodes': true"), "" },
		{ SLICE("v1beta1", "'nodeName': 'n', 'allNodes': false"), "" },
		{ SLICE("v1", "'nodeName': 'n', 'allNodes': false"),
		  "E spec: allNodes may only be true" },
		{ DEVICES("v1",
			  "{'name': 'd', 'allowMultipleAllocations': true, 'capacity': {'m': "
			  "{'value': '170141183460469231731687303715.8', 'requestPolicy': "
			  "{'default': '170141183460469231731687303715.5', 'validRange': {'min': "
			  "0, 'step': 1}}}}}"),
		  "" },
		{ DEVICES("v1", "{'name': 'd', 'capacity': {'m': {}}}"),
		  "N capacity m has no value, which counts as 0" },
		{ SLICE("v1",
			"'nodeName': 'n', 'sharedCounters': [{'name': 'c', 'counters': {'x': {}, "
			"'y': {'value': '-1'}}}]"),
		  "N counter x has no value" },
		{ DEVICES("v1",
			  "{'name': 'd', 'consumesCounters': [{'counterSet': 'c', 'counters': "
			  "{'x': {'value': null}}}]}"),
		  "N counter x has no value" },
		{ HEAD("v1",
		       "ResourceSlice") "'metadata': {'name': 'a', 'namespace': 'b'}, 'spec': "
					"{'driver': 'd', 'pool': {'name': 'n', "
					"'resourceSliceCount': 1}, 'nodeName': 'n'}}",
		  "N metadata.namespace has no effect: a ResourceSlice is of the whole cluster" },
	};

	test("a slice is judged as the API server of its version does");
	each(rows, ARRAY_SIZE(rows));
}

static void claims(void)
{
	static const struct row rows[] = {
		{ EXACTLY(""), "" },
		{ EXACTLY(", 'count': 32"), "" },
		{ EXACTLY(", 'count': 33"), "N request r: no claim gets more than 32 devices" },
		{ EXACTLY(", 'count': 2147483648"),
		  "N request r: no claim gets more than 32 devices" },
		{ EXACTLY(", 'count': -1"),
		  "E spec.devices: requests[0]: count: expected more than 0" },
		{ EXACTLY(", 'count': 9223372036854775808"),
		  "E spec.devices.requests[0].exactly.count" },
		{ EXACTLY(", 'count': 1, 'allocationMode': 'All'"),
		  "count: not with allocationMode All" },
		{ EXACTLY(", 'count': 0, 'allocationMode': 'All'"), "" },
		{ EXACTLY(", 'allocationMode': ''"), "" },
		{ EXACTLY(", 'allocationMode': 'Some'"), "neither ExactCount nor All" },
		{ EXACTLY(", 'capacity': {'requests': {'1x': '1'}}"),
		  "N request r: capacity '1x': no device has one of that name, so it is never "
		  "satisfied; " },
		{ FIRST("'count': 33"),
		  "N request r/s: no claim gets more than 32 devices, so this choice is never "
		  "taken; " },
		{ FIRST("'capacity': {'requests': {'A b': '1'}}"),
		  "N request r/s: capacity 'A b': no device has one of that name, so this choice "
		  "is never taken; " },
		{ FIRST("'capacity': {'requests': {'a.b/x': '-1'}}"),
		  "N request r/s: capacity 'a.b/x' is below 0" },
		{ EXACTLY(", 'capacity': {'requests': {'a.b/x': '-1'}}"),
		  "N request r: capacity 'a.b/x' is below 0" },
		{ EXACTLY(", 'tolerations': [{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]"),
		  "" },
		{ EXACTLY(", 'tolerations': [{'operator': 'In'}]"),
		  "tolerations[0]: operator: 'In'" },
		{ EXACTLY(", 'tolerations': [{'operator': 'Exists', 'value': 'v'}]"),
		  "not with the" },
		{ EXACTLY(", 'tolerations': [{'key': 'a b'}]"), "tolerations[0]: key: 'a b'" },
		{ EXACTLY(", 'tolerations': [{'effect': 'Gone'}]"),
		  "tolerations[0]: effect: 'Gone'" },
		{ EXACTLY(", 'selectors': [{'cel': {'expression': 'device.x'}}]"),
		  "E spec.devices: requests[0]: selectors[0]: cel.expression: " },
		{ EXACTLY(", 'selectors': [{}]"), "selectors[0]: cel is missing" },
		{ CLAIM("v1", "{'name': 'r', 'exactly': {}}"), "deviceClassName is missing" },
		{ CLAIM("v1", "{'name': 'r'}"), "and there is neither" },
		{ CLAIM("v1", "{'name': 'r', 'firstAvailable': []}"), "and there is neither" },
		{ CLAIM("v1",
			"{'name': 'r', 'exactly': {'deviceClassName': 'c'}, 'firstAvailable': "
			"[{'name': 's', 'deviceClassName': 'c'}]}"),
		  "and there is both" },
		{ CLAIM("v1beta1",
			"{'name': 'r', 'selectors': [], 'firstAvailable': [{'name': 's', "
			"'deviceClassName': 'c'}]}"),
		  "and there is both" },
		{ CLAIM("v1beta1", "{'name': 'r', 'count': 0, 'firstAvailable': [{'name': 's', "
				   "'deviceClassName': 'c'}]}"),
		  "" },
		{ CLAIM("v1", ASKS ", " ASKS), "requests[1]: there is another one with name 'r'" },
		{ CLAIM("v1", ""), "" },
		{ HEAD("v1", "ResourceClaim") "'metadata': {'name': 'Bad_Name'}, 'spec': {}}",
		  "E metadata: name: 'Bad_Name'" },
		{ HEAD("v1", "ResourceClaim") "'metadata': {'generateName': 'a-'}, 'spec': {}}",
		  "" },
		{ HEAD("v1", "ResourceClaim") "'metadata': {'generateName': 'A-'}, 'spec': {}}",
		  "E metadata: generateName: 'A-'" },
		{ HEAD("v1", "ResourceClaim") "'spec': {}}", "E metadata: name is missing" },
		{ HEAD("v1", "ResourceClaim") "'metadata': {'name': 'a', 'labels': {'a b': 'c'}}, "
					      "'spec': {}}",
		  "E metadata: labels: 'a b'" },
		{ HEAD("v1", "ResourceClaim") "'metadata': {'name': 'a', 'annotations': {'a.b/c': "
					      "'any text, also !'}}, 'spec': {}}",
		  "" },
		{ HEAD("v1", "ResourceClaimTemplate") NAMED
		  "'spec': {'metadata': {'labels': {'a': "
		  "'b c'}}, 'spec': {'devices': {'requests': []}}}}",
		  "E spec.metadata: labels[a]: 'b c'" },
		{ HEAD("v1", "ResourceClaimTemplate") NAMED
		  "'spec': {'spec': {'devices': {'requests': "
		  "[{'name': 'R'}]}}}}",
		  "E spec.spec.devices: requests[0]: name: 'R'" },
	};

	test("a claim is judged as the API server does");
	each(rows, ARRAY_SIZE(rows));
}

#define WITH(members)                                                                              \
	HEAD("v1", "ResourceClaim")                                                                \
	NAMED "'spec': {'devices': {'requests': [" ASKS ", {'name': 'f', "                         \
	      "'firstAvailable': [{'name': 's', 'deviceClassName': 'c'}]}], " members "}}}"

static void references(void)
{
	static const struct row rows[] = {
		{ WITH("'constraints': [{'requests': ['r', 'f/s'], 'matchAttribute': 'a.b/c'}]"),
		  "" },
		{ WITH("'constraints': [{'distinctAttribute': 'a.b/c'}]"), "" },
		{ WITH("'constraints': [{'requests': ['r/s'], 'matchAttribute': 'a.b/c'}]"),
		  "E spec.devices: constraints[0]: requests[0]: the claim has no request 'r/s'" },
		{ WITH("'constraints': [{'requests': ['r', 'r'], 'matchAttribute': 'a.b/c'}]"),
		  "requests[1]: a second 'r'" },
		{ WITH("'constraints': [{'matchAttribute': 'numa'}]"), "matchAttribute: 'numa'" },
		{ WITH("'constraints': [{}]"),
		  "expected one of matchAttribute and distinctAttribute" },
		{ WITH("'constraints': [{'matchAttribute': 'a.b/c', 'distinctAttribute': 'x'}]"),
		  "N constraints[0]: it has both" },
		{ WITH("'config': [{'requests': ['z'], 'opaque': {'driver': 'd', 'parameters': "
		       "{}}}]"),
		  "config[0]: requests[0]: the claim has no request 'z'" },
		{ WITH("'config': [{'opaque': {'parameters': {}}}]"),
		  "config[0]: opaque: driver is" },
		{ WITH("'config': [{'opaque': {'driver': 'd', 'parameters': []}}]"), "parameters" },
	};

	test("what names a request names one that there is");
	each(rows, ARRAY_SIZE(rows));
}

#define ADMIN                                                                                      \
	"{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceClaim', 'metadata': {'name': "      \
	"'a', 'namespace': 'ns'}, 'spec': {'devices': {'requests': [{'name': 'r', 'exactly': "     \
	"{'deviceClassName': 'c', 'adminAccess': true}}]}}}"
#define SPACE(name, label)                                                                         \
	" {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': '" name                   \
	"', 'labels': {'resource.kubernetes.io/admin-access': '" label "'}}}"

static void administrators(void)
{
	static const struct row rows[] = {
		{ ADMIN, "N request r: adminAccess: taken only in a namespace with the label" },
		{ ADMIN SPACE("other", "true"), "N request r: adminAccess" },
		{ ADMIN SPACE("ns", "false"), "E request r: adminAccess: it is taken only in" },
		{ ADMIN SPACE("ns", "true"), "" },
	};

	test("adminAccess goes by the Namespace, where that is among the files");
	each(rows, ARRAY_SIZE(rows));
}

#define CLASS(name) \
	HEAD("v1", "DeviceClass") NAMED "'spec': {'extendedResourceName': '" name "'}}"
#define RULE(members) HEAD("v1beta2", "DeviceTaintRule") NAMED "'spec': {" members "}}"

static void classes_and_rules(void)
{
	static const struct row rows[] = {
		{ CLASS("intel.com/vf"), "" },
		{ CLASS("kubernetes.io/x"), "E spec: extendedResourceName" },
		{ CLASS("requests.a.com/b"), "E spec: extendedResourceName" },
		{ CLASS("deviceclass.resource.kubernetes.io/dc"), "E spec: extendedResourceName" },
		{ CLASS("vf"), "E spec: extendedResourceName" },
		{ CLASS(""), "E spec: extendedResourceName" },
		{ RULE("'deviceSelector': {}, 'taint': {'key': 'k', 'effect': 'NoSchedule'}"), "" },
		{ RULE("'taint': {'key': 'k', 'effect': 'NoSchedule'}"),
		  "N without spec.deviceSelector" },
		{ RULE("'deviceSelector': {'driver': 'a_b'}, 'taint': {'key': 'k', 'effect': "
		       "'None'}"),
		  "E spec: deviceSelector: driver: 'a_b'" },
		{ RULE("'taint': {'key': 'k', 'effect': 'Gone'}"), "E spec.taint: effect: 'Gone'" },
		{ RULE("'taint': {'effect': 'None'}"), "E spec.taint: key is missing" },
		{ RULE(""), "E spec.taint is missing" },
	};

	test("D49: classes and rules are judged, too");
	each(rows, ARRAY_SIZE(rows));
}

static void refusals(void)
{
	static const char both[] =
		"{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"DeviceClass\", \"metadata\": "
		"{\"name\": \"a\"}, \"spec\": {\"x\": 1, \"y\": 2}} {\"apiVersion\": \"v1\", "
		"\"kind\": \"Pod\", \"metadata\": {\"name\": \"b\"}}";
	auto_manifests struct manifests m = { 0 };
	char reason[DRA_LINT_REASON];
	struct err e = { 0 };

	test("who uses objects is told the first reason for each that is refused");
	ok(manifests_read(both, strlen(both), "f.json", &m, &e) == 0);
	ok(dra_lint_refusal(&m, 0, reason));
	eq(reason, "spec.x: Kubernetes 1.36 has no such member");
	ok(!dra_lint_refusal(&m, 1, reason));
	eq(reason, "");
}

#define IN_SLICE(device) DEVICES("v1beta1", "{'name': 'd', 'basic': {" device "}}")
#define IN_CLAIM(members) \
	CLAIM("v1beta1", "{'name': 'r', 'deviceClassName': 'c', " members "}")

/* on: from which on the gate is on by default; 38: in none that is known. */
static const struct gate {
	const char *member, *text, *gate;
	int minor, on;
} gates[] = {
	{ "perDeviceNodeSelection", SLICE("v1beta1", "'perDeviceNodeSelection': true"),
	  "DRAPartitionableDevices", 33, 36 },
	{ "bindsToNode", IN_SLICE("'bindsToNode': true"), "DRADeviceBindingConditions", 34, 36 },
	{ "bindingConditions", IN_SLICE("'bindingConditions': ['a']"),
	  "DRADeviceBindingConditions", 34, 36 },
	{ "bindingFailureConditions", IN_SLICE("'bindingFailureConditions': ['a']"),
	  "DRADeviceBindingConditions", 34, 36 },
	{ "allowMultipleAllocations", IN_SLICE("'allowMultipleAllocations': true"),
	  "DRAConsumableCapacity", 34, 36 },
	{ "requestPolicy", IN_SLICE("'capacity': {'c': {'value': '1', 'requestPolicy': {}}}"),
	  "DRAConsumableCapacity", 34, 36 },
	{ "strings", IN_SLICE("'attributes': {'a': {'strings': ['x']}}"),
	  "DRAListTypeAttributes", 36, 38 },
	{ "nodeAllocatableResourceMappings", IN_SLICE("'nodeAllocatableResourceMappings': {}"),
	  "DRANodeAllocatableResources", 36, 38 },
	{ "firstAvailable", IN_CLAIM("'firstAvailable': []"), "DRAPrioritizedList", 33, 34 },
	{ "capacity", IN_CLAIM("'capacity': {'requests': {}}"), "DRAConsumableCapacity", 34, 36 },
	{ "distinctAttribute", HEAD("v1beta1", "ResourceClaimTemplate") NAMED
	  "'spec': {'spec': {'devices': {'constraints': [{'distinctAttribute': 'd/a'}]}}}}",
	  "DRAConsumableCapacity", 34, 36 },
	{ "adminAccess", IN_CLAIM("'adminAccess': true"), "DRAAdminAccess", 32, 34 },
	{ "extendedResourceName", HEAD("v1beta1", "DeviceClass") NAMED
	  "'spec': {'extendedResourceName': 'a.b/c'}}", "DRAExtendedResource", 34, 36 },
};

static void says_of_minor(int minor, const char *text, const char *want)
{
	char version[16];

	(void)snprintf(version, sizeof(version), "1.%d", minor);
	says_of(version, text, want);
}

static void versions(void)
{
	static const char slice[] =
		DEVICES("v1beta1", "{'name': 'd', 'basic': {'consumesCounters': [], 'taints': "
				   "[{'key': 'k', 'effect': 'NoSchedule'}]}}");
	static const char rule[] = HEAD("v1alpha3", "DeviceTaintRule") NAMED "'spec': {}}";

	test("an earlier version has no later version of the API, nor a kind of it");
	says_of("1.33", EXACTLY(""), "E apiVersion: Kubernetes 1.33 has no ResourceClaim of "
				     "resource.k8s.io/v1: it came with 1.34; ");
	says_of("1.34", EXACTLY(""), "");
	says_of("1.32", CLAIM("v1beta2", ""), "E apiVersion: Kubernetes 1.32 has no ResourceClaim "
					      "of resource.k8s.io/v1beta2: it came with 1.33; ");
	says_of("1.32", CLAIM("v1beta1", ""), "");
	says_of("1.35", HEAD("v1beta2", "DeviceTaintRule") NAMED "'spec': {}}",
		"E apiVersion: Kubernetes 1.35 has no DeviceTaintRule of resource.k8s.io/v1beta2: "
		"it came with 1.36; ");
	says_of("1.35", CLAIM("v9", ""), "");
	test("it does not know members that came later, and drops what is off");
	says_of("1.32", slice, "E consumesCounters: Kubernetes 1.32 does not know it: it came with "
			       "1.33; E taints: Kubernetes 1.32 does not know it: it came with "
			       "1.33; ");
	says_of("1.35.2", slice, "N consumesCounters: Kubernetes 1.35 drops it, unless its "
				 "administrator has turned DRAPartitionableDevices on; N taints: "
				 "Kubernetes 1.35 drops it, unless its administrator has turned "
				 "DRADeviceTaints on; ");
	says_of("1.36", slice, "");
	test("a rule taints nothing before 1.37, unless its gate is on: another one since 1.35");
	says_of("1.34", rule, "N without DRADeviceTaints, which is off in Kubernetes 1.34 unless "
			      "its administrator has turned it on, it taints nothing; ");
	says_of("1.36", rule, "N without DRADeviceTaintRules, which is off in Kubernetes 1.36 "
			      "unless its administrator has turned it on, it taints nothing; ");
	says_of("1.37", rule, "");
	test("each member has the version and the gate that Kubernetes' types.go says");
	for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
		const struct gate *g = &gates[i];
		char before[256], off[256];

		(void)snprintf(before, sizeof(before), "E %s: Kubernetes 1.%d does not know it: it "
			       "came with 1.%d; ", g->member, g->minor - 1, g->minor);
		(void)snprintf(off, sizeof(off), "N %s: Kubernetes 1.%d drops it, unless its "
			       "administrator has turned %s on; ", g->member, g->on - 1, g->gate);
		if (g->minor > KUBERNETES_MINOR_MIN)
			says_of_minor(g->minor - 1, g->text, before);
		says_of_minor(g->on - 1, g->text, off);
		if (g->on <= KUBERNETES_MINOR_KNOWN)
			says_of_minor(g->on, g->text, "");
	}
	test("what is called like one is none");
	says_of("1.33", DEVICES("v1beta2", "{'name': 'd', 'attributes': {'taints': {'bool': true}}"
					   ", 'capacity': {'sharedCounters': {'value': '1'}}}"),
		"");
	says_of("1.33", DEVICES("v1beta2", "{'name': 'd', 'attributes': {'strings': {'int': 1}}, "
					   "'capacity': {'requestPolicy': {'value': '1'}}}"), "");
}

int main(void)
{
	jx_init(NULL);
	kinds();
	members();
	slices();
	claims();
	references();
	administrators();
	classes_and_rules();
	refusals();
	versions();
	return tap_end();
}
