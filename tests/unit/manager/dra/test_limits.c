/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits.c - the bounds of resource.k8s.io: what is on one is taken, the rest is told
 *
 * Texts of JSON have ' for ".
 */
#include "manager/dra/limits.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/name.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

static json_t *parse(const char *text)
{
	auto_free char *copy = strdup(text);
	struct err e = { 0 };

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	return jx_parse(copy, strlen(copy), ERR_NETCONF, "test", &e);
}

/* A slice with these members of spec beside driver and pool. */
static json_t *slice_of(const char *members)
{
	auto_free char *text = NULL;
	json_t *ret;

	if (asprintf(&text, "{'metadata': {'name': 'n1-a'}, 'spec': {'driver': 'a.example', "
		     "'pool': {'name': 'n1', 'generation': 1, 'resourceSliceCount': 1}, %s}}",
		     members) < 0)
		abort();
	ret = parse(text);
	if (!ret)
		printf("# no JSON: %s\n", text);
	return ret;
}

static json_t *device_of(const char *members)
{
	auto_free char *text = NULL;

	if (asprintf(&text, "'nodeName': 'n1', 'devices': [{'name': 'd0'%s%s}]",
		     *members ? ", " : "", members) < 0)
		abort();
	return slice_of(text);
}

/* wrong: what the message has to have; NULL: nothing is wrong. */
static void check(int r, const struct err *e, const char *wrong)
{
	ok((r == 0) == !wrong);
	if (wrong)
		ok(e->code == ERR_NETCONF && strstr(e->msg, wrong));
	if ((r == 0) == !!wrong || (wrong && !strstr(e->msg, wrong)))
		printf("# '%s', expected '%s'\n", r < 0 ? e->msg : "", wrong ? wrong : "nothing");
}

static void slice_says(json_t *doc, const char *wrong)
{
	struct err e = { 0 };

	check(dra_slice_check(doc, &e), &e, wrong);
	json_decref(doc);
}

/* -- lists of as many as there may be, and one more -- */

/* A list, or an object with names, of n equal members but for their number, in place of '#'. */
static char *many(const char *key, size_t n, const char *open, const char *close, const char *one)
{
	int before = (int)strcspn(one, "#");
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	(void)fprintf(to, "'%s': %s", key, open);
	for (size_t i = 0; i < n; i++) {
		(void)fprintf(to, "%s%.*s", i ? ", " : "", before, one);
		if (one[before])
			(void)fprintf(to, "%zu%s", i, one + before + 1);
	}
	(void)fprintf(to, "%s", close);
	(void)fclose(to);
	return text;
}

static void devices(size_t n, const char *one, const char *wrong)
{
	auto_free char *list = many("devices", n, "[", "]", one);
	auto_free char *text = NULL;

	if (asprintf(&text, "'nodeName': 'n1', %s", list) < 0)
		abort();
	slice_says(slice_of(text), wrong);
}

static void parts(const char *key, size_t n, const char *brackets, const char *one,
		  const char *wrong)
{
	char open[2] = { brackets[0], '\0' };
	auto_free char *text = many(key, n, open, brackets + 1, one);

	slice_says(device_of(text), wrong);
}

static void counts(void)
{
	static const char tainted[] =
		"{'name': 'd#', 'taints': [{'key': 'a', 'effect': 'None'}]}";
	static const char consuming[] = "{'name': 'd#', 'consumesCounters': "
					"[{'counterSet': 's', 'counters': {'c': {'value': 1}}}]}";
	static const char listing[] =
		"{'name': 'd#', 'attributes': {'a': {'ints': [1, 2]}}}";

	test("D07: a slice has at most 128 devices");
	devices(128, "{'name': 'd#'}", NULL);
	devices(129, "{'name': 'd#'}", "spec: devices: 129 of them, at most 128");
	test("D07, D41: at most 64, if any has taints, consumes counters or has lists");
	devices(64, tainted, NULL);
	devices(65, tainted, "65 of them, at most 64");
	devices(64, consuming, NULL);
	devices(65, consuming, "65 of them, at most 64");
	devices(64, listing, NULL);
	devices(65, listing, "65 of them, at most 64");
	test("D06: no two devices have one name");
	devices(2, "{'name': 'd'}", "devices[1]: there is another one with name 'd'");
	test("D11: attributes and capacities together are at most 32");
	parts("attributes", 32, "{}", "'a#': {'int': 1}", NULL);
	parts("attributes", 33, "{}", "'a#': {'int': 1}", "33 attributes and capacities, at most");
	parts("capacity", 33, "{}", "'a#': {'value': '1'}", "33 attributes and capacities");
	test("D41: a device has at most 16 taints");
	parts("taints", 16, "[]", "{'key': 'a#', 'effect': 'NoSchedule'}", NULL);
	parts("taints", 17, "[]", "{'key': 'a#', 'effect': 'NoSchedule'}", "taints: 17 of them");
	test("D35: a device consumes of two sets, up to 32 counters of each");
	parts("consumesCounters", 2, "[]", "{'counterSet': 's#', 'counters': {'c': {'value': 1}}}",
	      NULL);
	parts("consumesCounters", 3, "[]", "{'counterSet': 's#', 'counters': {'c': {'value': 1}}}",
	      "consumesCounters: 3 of them, at most 2");
}

static void values_of_lists(void)
{
	auto_free char *most = many("ints", 48, "[", "]", "#");
	auto_free char *more = many("ints", 47, "[", "]", "#");
	auto_free char *text = NULL, *beyond = NULL;

	test("a device has at most 48 values, each of a list counted");
	if (asprintf(&text, "'attributes': {'a': {%s}}", most) < 0 ||
	    asprintf(&beyond, "'attributes': {'a': {%s}, 'b': {'strings': ['x', 'y']}}", more) < 0)
		abort();
	slice_says(device_of(text), NULL);
	slice_says(device_of(beyond), "49 values of attributes, at most 48");
}

/* -- one member each -- */

#define WHERE(expression)                                                                         \
	"'nodeSelector': {'nodeSelectorTerms': [{'matchExpressions': [{" expression "}]}]}"

#define FIELD(expression)                                                                         \
	"'nodeSelector': {'nodeSelectorTerms': [{'matchFields': [{" expression "}]}]}"

static void members(void)
{
	static const struct {
		const char *members, *wrong;
	} rows[] = {
		{ "'nodeName': 'n1'", NULL },
		{ "'allNodes': true", NULL },
		{ "'nodeSelector': {'nodeSelectorTerms': [{}]}", NULL },
		{ "'allNodes': false", "allNodes may only be true" },
		{ "'nodeSelector': {'nodeSelectorTerms': [{}, {}]}", "expected exactly one of" },
		{ "'nodeSelector': {'nodeSelectorTerms': []}", "nodeSelectorTerms are missing" },
		{ WHERE("'key': 'a.example/b', 'operator': 'In', 'values': ['x', '']"), NULL },
		{ WHERE("'key': 'a', 'operator': 'DoesNotExist'"), NULL },
		{ WHERE("'key': '-', 'operator': 'Exists'"), "key: '-': expected the key of a" },
		{ WHERE("'key': 'a', 'operator': 'Is'"),
		  "nodeSelector: nodeSelectorTerms[0]: matchExpressions[0]: operator: 'Is'" },
		{ WHERE("'key': 'a', 'operator': 'In', 'values': ['-1']"), "the value of a label" },
		{ WHERE("'key': 'a', 'operator': 'In'"),
		  "values: 0 of them, with the operator In" },
		{ WHERE("'key': 'a', 'operator': 'Exists', 'values': ['x']"),
		  "values: 1 of them, with" },
		{ WHERE("'key': 'a', 'operator': 'Gt', 'values': ['1', '2']"),
		  "values: 2 of them, with" },
		{ FIELD("'key': 'metadata.name', 'operator': 'In', 'values': ['n1']"), NULL },
		{ FIELD("'key': 'name', 'operator': 'In', 'values': ['n1']"),
		  "matchFields[0]: key: 'name': expected metadata.name" },
		{ FIELD("'key': 'metadata.name', 'operator': 'Exists', 'values': ['n1']"),
		  "matchFields[0]: operator: 'Exists': expected In or NotIn" },
		{ FIELD("'key': 'metadata.name', 'operator': 'In'"), "values are missing" },
		{ FIELD("'key': 'metadata.name', 'operator': 'In', 'values': ['a', 'b']"),
		  "values: 2 of them, at most 1" },
		{ FIELD("'key': 'metadata.name', 'operator': 'In', 'values': ['N1']"),
		  "values[0]: expected the name of a node" },
		{ "'nodeName': 'N1'", "nodeName: 'N1': expected a DNS name" },
		{ "'nodeName': 'n1', 'allNodes': true", "exactly one of nodeName" },
		{ "'devices': []", "and there are 0" },
		{ "'perDeviceNodeSelection': true, 'devices': [{'name': 'd', 'nodeName': 'n1'}]",
		  NULL },
		{ "'perDeviceNodeSelection': true, 'devices': [{'name': 'd', 'nodeSelector': "
		  "{'nodeSelectorTerms': [{}, {}]}}]", NULL },
		{ "'perDeviceNodeSelection': true, 'devices': [{'name': 'd', 'nodeSelector': {}}]",
		  "devices[0]: nodeSelector: nodeSelectorTerms are missing" },
		{ "'perDeviceNodeSelection': true, 'devices': [{'name': 'd'}]",
		  "devices[0]: perDeviceNodeSelection wants" },
		{ "'nodeName': 'n1', 'devices': [{'name': 'd', 'allNodes': true}]",
		  "without the slice's perDeviceNodeSelection" },
		{ "'nodeName': 'n1', 'devices': {}", "devices: expected a list" },
		{ "'nodeName': 'n1', 'devices': [{}]", "devices[0]: name is missing" },
		{ "'nodeName': 'n1', 'devices': [{'name': 'D0'}]", "name: 'D0': expected at most" },
		{ "'nodeName': 'n1', 'devices': [{'name': '0000:65:00.3'}]", "name: '0000:65" },
		{ "'nodeName': 'n1', 'sharedCounters': [{'name': 's', 'counters': {'memory': "
		  "{'value': '8Gi'}}}]", NULL },
		{ "'nodeName': 'n1', 'sharedCounters': [{'name': 's'}]", "counters are missing" },
		{ "'nodeName': 'n1', 'sharedCounters': [{'name': 's', 'counters': {'c': {'value': "
		  "'8GB'}}}]", "sharedCounters[0]: counters[c]: value: '8GB'" },
		{ "'nodeName': 'n1', 'sharedCounters': [{'name': 's', 'counters': {'c': "
		  "{'value': 1}}}, {'name': 's', 'counters': {'c': {'value': 1}}}]",
		  "sharedCounters[1]: there is another one" },
	};

	test("D08: exactly one of nodeName, nodeSelector, allNodes and the devices' own");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		slice_says(slice_of(rows[i].members), rows[i].wrong);
}

#define LONG64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

#define SHARED(is, policy)                                                                        \
	"'allowMultipleAllocations': " is ", 'capacity': {'c': {'value': '8Gi', 'requestPolicy': " \
	"{" policy "}}}"

static void device_members(void)
{
	static const struct {
		const char *members, *wrong;
	} rows[] = {
		{ "'attributes': {'a': {'string': '" LONG64 "'}}", NULL },
		{ "'attributes': {'a': {'string': '" LONG64 "x'}}", "65 bytes, at most 64" },
		{ "'attributes': {'a': {'version': '1.2.3-rc.1+b5'}}", NULL },
		{ "'attributes': {'a': {'version': '1.2'}}", "is no semantic version" },
		{ "'attributes': {'a': {'int': 1.5}}", "expected an integer" },
		{ "'attributes': {'a': {'bool': 'true'}}", "expected a boolean, got a string" },
		{ "'attributes': {'a': {}}", "exactly one of int, bool, string" },
		{ "'attributes': {'a': {'int': 1, 'bool': true}}", "and there are 2" },
		{ "'attributes': {'a': {'int': 1, 'ints': [1]}}", "and there are 2" },
		{ "'attributes': {'a': {'future': 1}}", "and there are 0" },
		{ "'attributes': {'a': {'int': 1, 'string': null, 'bools': null}}", NULL },
		{ "'attributes': {'a': {'strings': []}}", "strings: a list has a value at least" },
		{ "'attributes': {'a.example/b': {'int': 1}}", NULL },
		{ "'attributes': {'a-b': {'int': 1}}", "'a-b': expected a C identifier" },
		{ "'attributes': {'/b': {'int': 1}}", "'/b': expected" },
		{ "'capacity': {'memory': {'value': '10Gi'}, 'n': {'value': 4}}", NULL },
		/* which the API server takes for 0 */
		{ "'capacity': {'memory': {}, 'n': {'value': null}}", NULL },
		{ "'capacity': {'memory': {'value': ''}}", "capacity[memory]: value: '': expect" },
		{ "'capacity': {'memory': {'value': ' 8Gi '}}", NULL },
		{ "'capacity': {'memory': {'value': true}}", "a quantity, as 8Gi or 500m, got" },
		{ "'taints': [{'key': 'a.example/b', 'value': '', 'effect': 'NoExecute'}]", NULL },
		{ "'taints': [{'key': 'a', 'effect': 'PreferNoSchedule'}]", "taints[0]: effect: " },
		{ "'taints': [{'key': 'a b', 'effect': 'None'}]", "key: 'a b': expected the key" },
		{ "'taints': [{'key': 'a', 'value': '-', 'effect': 'None'}]", "value: '-'" },
		{ "'taints': [{'key': 'a'}]", "effect is missing" },
		{ "'taints': [{'key': 'a', 'effect': 'None', 'timeAdded': null}]", NULL },
		{ "'taints': [{'key': 'a', 'effect': 'None', 'timeAdded': 'now'}]",
		  "timeAdded: 'now': expected a time" },
		{ "'consumesCounters': [{'counterSet': 's'}]", "counters are missing" },
		{ "'consumesCounters': [{'counterSet': 's', 'counters': {'c': {'value': 1}}}, "
		  "{'counterSet': 's', 'counters': {'c': {'value': 1}}}]", "another one with" },
		{ "'bindingConditions': ['a'], 'bindingFailureConditions': ['b']", NULL },
		{ "'bindingConditions': ['a']", "have to be there both" },
		{ "'bindingConditions': ['a', 'a'], 'bindingFailureConditions': ['b']",
		  "bindingConditions[1]: a second 'a'" },
		{ "'bindingConditions': ['a'], 'bindingFailureConditions': ['b', 'a']",
		  "bindingFailureConditions[1]: a second 'a'" },
		{ "'allowMultipleAllocations': 1", "expected a boolean" },
		{ SHARED("true", "'default': 1, 'validValues': [1, '2Gi']"), NULL },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'step': 1}"), NULL },
		{ SHARED("true", ""), NULL },
		{ SHARED("false", "'default': 1"),
		  "capacity[c]: requestPolicy: only with allowMultipleAllocations" },
		{ SHARED("true", "'validValues': [1]"), "requestPolicy: default is missing" },
		{ SHARED("true", "'validRange': {'min': 1}"), "requestPolicy: default is missing" },
		{ SHARED("true", "'default': 1, 'validRange': {'max': 1}"), "min is missing" },
		{ SHARED("true", "'default': 1, 'validValues': ['1GB']"), "'1GB': expected a" },
		{ SHARED("true", "'default': 'x'"), "requestPolicy: default: 'x': expected a" },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'max': 'x'}"),
		  "requestPolicy: validRange: max: 'x': expected a" },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'step': '1GB'}"),
		  "requestPolicy: validRange: step: '1GB': expected a" },
		{ SHARED("true", "'default': 1, 'validValues': [1,2,3,4,5,6,7,8,9,10,11]"),
		  "validValues: 11 of them, at most 10" },
		{ SHARED("true", "'default': 1, 'validValues': [1], 'validRange': {'min': 1}"),
		  "either validValues or validRange" },
	};

	test("D11, D37: an attribute has one type and its bounds, a taint key, value and effect");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		slice_says(device_of(rows[i].members), rows[i].wrong);
}

/* By what it means: each default, option and bound can be asked for, and be had. */
static void policies(void)
{
	static const struct {
		const char *members, *wrong;
	} rows[] = {
		/* what none of both limits */
		{ SHARED("true", "'default': '100Gi'"), NULL },
		{ SHARED("true", "'default': 1, 'validValues': []"), NULL },
		/* a list */
		{ SHARED("true", "'default': '8Gi', 'validValues': ['4Gi', '8Gi']"), NULL },
		{ SHARED("true", "'default': '4096Mi', 'validValues': ['4Gi']"), NULL },
		{ SHARED("true", "'default': 2, 'validValues': [2, 1]"),
		  "validValues[1]: expected ascending order" },
		{ SHARED("true", "'default': 1, 'validValues': [1, 1]"),
		  "validValues[1]: in whole numbers the same as validValues[0]" },
		{ SHARED("true", "'default': 2, 'validValues': ['1500m', 2]"),
		  "validValues[1]: in whole numbers the same as validValues[0]" },
		{ SHARED("true", "'default': 1, 'validValues': [1, '9Gi']"),
		  "validValues[1]: more than value" },
		{ SHARED("true", "'default': 2, 'validValues': [1, 3]"),
		  "default: expected one of validValues" },
		/* a range */
		{ SHARED("true", "'default': '8Gi', 'validRange': {'min': 0, 'max': '8Gi'}"),
		  NULL },
		{ SHARED("true", "'default': 3, 'validRange': {'min': 1, 'max': 2}"),
		  "validRange: default: 3 is more than max, which is 2" },
		{ SHARED("true", "'default': 0, 'validRange': {'min': 1}"),
		  "validRange: default: 0 is less than min, which is 1" },
		{ SHARED("true", "'default': 2, 'validRange': {'min': 2, 'max': 1}"),
		  "validRange: max: 1 is less than min, which is 2" },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'max': '9Gi'}"),
		  "validRange: max: 9663676416 is more than value, which is 8589934592" },
		{ SHARED("true", "'default': '9Gi', 'validRange': {'min': '9Gi'}"),
		  "validRange: min: 9663676416 is more than value" },
		/* its steps, which begin at min */
		{ SHARED("true", "'default': 4, 'validRange': {'min': 1, 'max': 7, 'step': 3}"),
		  NULL },
		{ SHARED("true", "'default': 3, 'validRange': {'min': 1, 'max': 7, 'step': 3}"),
		  "validRange: default: 3 is no whole number of steps from min" },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'max': 6, 'step': 3}"),
		  "validRange: max: 6 is no whole number of steps from min" },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'step': 0}"),
		  "validRange: step: expected more than 0" },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'step': -1}"),
		  "validRange: step: expected more than 0" },
		{ SHARED("true", "'default': 1, 'validRange': {'min': 1, 'step': '8Gi'}"),
		  "validRange: min and one step: 8589934593 is more than value" },
		/* which are counted in whole numbers, what has a fraction being rounded up */
		{ SHARED("true", "'default': '1500m', 'validRange': {'min': '500m', "
		  "'step': '500m'}"), NULL },
		{ SHARED("true", "'default': '1500m', 'validRange': {'min': 1, 'step': 2}"),
		  "validRange: default: 1.5 is no whole number of steps" },
	};

	test("a requestPolicy is judged by its meaning");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		slice_says(device_of(rows[i].members), rows[i].wrong);
}

static void tops(void)
{
	static const struct {
		const char *doc, *wrong;
	} rows[] = {
		{ "[]", "expected an object" },
		{ "{}", "metadata: name is missing" },
		{ "{'metadata': {'name': 'A'}}", "metadata: name: 'A'" },
		{ "{'metadata': {'generateName': 'a-'}}", "spec is missing" },
		{ "{'metadata': {'name': 'a'}, 'spec': []}", "spec: expected an object" },
		{ "{'metadata': {'name': 'a'}, 'spec': {}}", "spec: driver is missing" },
		{ "{'metadata': {'name': 'a'}, 'spec': {'driver': 'a_b'}}", "driver: 'a_b'" },
		{ "{'metadata': {'name': 'a'}, 'spec': {'driver': 'a'}}", "pool is missing" },
		{ "{'metadata': {'name': 'a'}, 'spec': {'driver': 'a', 'pool': {'name': 'a//b'}}}",
		  "pool: name: 'a//b'" },
		{ "{'metadata': {'name': 'a'}, 'spec': {'driver': 'a', 'pool': {'name': 'a/b', "
		  "'generation': -1}}}", "generation" },
		{ "{'metadata': {'name': 'a'}, 'spec': {'driver': 'a', 'nodeName': 'n', 'pool': "
		  "{'name': 'a/b', 'resourceSliceCount': 1}}}", NULL },
		{ "{'metadata': {'name': 'a'}, 'spec': {'driver': 'a', 'nodeName': 'n', 'pool': "
		  "{'name': 'a/b'}}}", "resourceSliceCount is missing" },
		{ "{'metadata': {'name': 'a'}, 'spec': {'driver': 'a', 'pool': {'name': 'a/b', "
		  "'generation': 1, 'resourceSliceCount': 0}}}", "resourceSliceCount" },
	};

	test("D04: a slice has a name, a driver and a pool with generation and number of slices");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		slice_says(parse(rows[i].doc), rows[i].wrong);
}

static void other_objects(void)
{
	static const struct {
		int (*check)(const json_t *doc, struct err *e);
		const char *doc, *wrong;
	} rows[] = {
		{ dra_class_check, "{'metadata': {'name': 'a'}, 'spec': {'selectors': [{'cel': "
		  "{'expression': 'true'}}], 'extendedResourceName': 'example.com/vf'}}", NULL },
		{ dra_class_check, "{'metadata': {'name': 'a'}, 'spec': {'selectors': [{'cel': "
		  "{'expression': ''}}]}}", "expected 1 to 10240 bytes" },
		{ dra_class_check, "{'metadata': {'name': 'a'}, 'spec': {'selectors': [{}]}}",
		  "cel is missing" },
		{ dra_class_check, "{'metadata': {'name': 'a'}, 'spec': {'config': [{}]}}",
		  "spec: config[0]: opaque is missing" },
		{ dra_class_check, "{'metadata': {'name': 'a'}, 'spec': {'extendedResourceName': "
		  "'vf'}}", "extendedResourceName" },
		{ dra_class_check, "{'metadata': {'name': 'a'}, 'spec': {'extendedResourceName': "
		  "'x.kubernetes.io/vf'}}", "of no domain of Kubernetes" },
		{ dra_status_check, "{'driver': 'a', 'pool': 'n', 'device': 'd', 'networkData': "
		  "{'interfaceName': 'net1', 'ips': ['192.0.2.5/24', '2001:db8::5/64'], "
		  "'hardwareAddress': '02:00:00:00:00:01'}}", NULL },
		{ dra_status_check, "{'driver': 'a', 'pool': 'n', 'device': 'd', 'networkData': "
		  "{'ips': ['192.0.2.5']}}", "networkData: ips[0]: '192.0.2.5': expected" },
		{ dra_status_check, "{'driver': 'a', 'pool': 'n', 'device': 'd', 'networkData': "
		  "{'ips': ['2001:DB8::5/64']}}", "ips[0]" },
		{ dra_status_check, "{'driver': 'a', 'pool': 'n', 'device': 'd', 'networkData': "
		  "{'ips': ['192.0.2.5/33']}}", "ips[0]" },
		{ dra_status_check, "{'driver': 'a', 'pool': 'n', 'device': 'd', 'networkData': "
		  "{'ips': ['::ffff:192.0.2.5/120']}}", "ips[0]" },
		{ dra_status_check, "{'driver': 'a', 'pool': 'n'}", "device is missing" },
	};
	struct err e;

	test("D28, D49: a class and a claim's device status have bounds, too");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		json_auto_t *doc = parse(rows[i].doc);

		e = (struct err){ 0 };
		check(rows[i].check(doc, &e), &e, rows[i].wrong);
	}
}

/* -- the examples of Kubernetes' documentation, brought to v1 -- */

static void examples(void)
{
	static const char cat[] =
		"{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'metadata': "
		"{'name': 'cat-slice'}, 'spec': {'driver': 'resource-driver.example.com', 'pool': "
		"{'generation': 1, 'name': 'black-cat-pool', 'resourceSliceCount': 1}, 'allNodes': "
		"true, 'devices': [{'name': 'large-black-cat', 'attributes': {'color': {'string': "
		"'black'}, 'size': {'string': 'large'}, 'cat': {'bool': true}}}]}}";
	auto_free char *as_printed = strdup(cat);
	static const char shared[] =
		"'nodeName': 'worker-1', 'sharedCounters': [{'name': 'gpu-1-counters', 'counters': "
		"{'memory': {'value': '8Gi'}}}], 'devices': [{'name': 'device-1', "
		"'consumesCounters': [{'counterSet': 'gpu-1-counters', 'counters': {'memory': "
		"{'value': '6Gi'}}}]}, {'name': 'device-2', 'consumesCounters': [{'counterSet': "
		"'gpu-1-counters', 'counters': {'memory': {'value': '6Gi'}}}]}]";

	test("D10: cat-slice is taken; as it is printed it has `boolean`, which is no type");
	slice_says(parse(cat), NULL);
	memcpy(strstr(as_printed, "'bool'"), "'bOol'", 6);
	slice_says(parse(as_printed), "attributes[cat]: exactly one of int, bool, string");
	test("D36: devices and their counters in one slice, as before 1.35, are refused since");
	slice_says(slice_of(shared), "devices and sharedCounters are in slices of their own");
	slice_says(slice_of("'nodeName': 'n', 'devices': [], 'sharedCounters': []"),
		   "here are both");
	slice_says(slice_of("'nodeName': 'n', 'devices': null, 'sharedCounters': []"), NULL);
}

/* -- names -- */

static void names(void)
{
	static const struct {
		bool (*is)(const char *s);
		const char *good[8], *bad[10];
	} rows[] = {
		{ dra_name_is_driver, { "a", "dra.example.com", "DRA.example" },
		  { "", "a..b", "-a", "a/b", LONG64 } },
		{ dra_name_is_pool, { "n1", "a.b/c/d" }, { "", "/", "a/", "/a", "N1", "a b" } },
		{ dra_name_is_attribute, { "a", "_x9", "a.example/aB"},
		  { "", "9a", "a/", "a/b/c", "a_b/c", "a123456789012345678901234567890123" } },
		{ dra_name_is_key, { "a", "A.b_c-d", "a.example/B" },
		  { "", "-a", "a/", "/a", "A.example/b", "a/b/c", LONG64 } },
		{ dra_name_is_value, { "", "a", "A-1_2.3" }, { "-", "a-", "a b", LONG64 } },
		{ dra_name_is_version, { "0.0.0", "1.2.3", "1.2.3-a.1", "1.2.3+a.01", "1.2.3-a+b" },
		  { "", "1", "1.2", "01.2.3", "1.2.3.4", "1.2.3-", "1.2.3-01", "1.2.3+",
		    "v1.2.3" } },
		{ dra_name_is_quantity, { "0", "8Gi", "+1.5", ".5", "1e3", "1E-3", "500m", "1." },
		  { "", ".", "Gi", "8GB", "1e", "0x1", "1 ", "--1", "1Kii" } },
	};

	test("D12: names, versions and quantities have their forms");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(rows[i].good) && rows[i].good[k]; k++)
			ok(rows[i].is(rows[i].good[k]) ||
			   (printf("# refuses '%s'\n", rows[i].good[k]), false));
		for (size_t k = 0; k < ARRAY_SIZE(rows[i].bad) && rows[i].bad[k]; k++)
			ok(!rows[i].is(rows[i].bad[k]) ||
			   (printf("# takes '%s'\n", rows[i].bad[k]), false));
	}
}

int main(void)
{
	jx_init(NULL);
	counts();
	values_of_lists();
	members();
	device_members();
	policies();
	tops();
	other_objects();
	examples();
	names();
	return tap_end();
}
