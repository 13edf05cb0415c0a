/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_table.c - the members of the objects of resource.k8s.io
 *
 * By staging/src/k8s.io/api/resource of Kubernetes 1.36, and metav1.ObjectMeta.  v1 and v1beta2 are
 * the same; v1beta1 has what a device has in `basic`, and what a request has not in `exactly`;
 * v1alpha3 has rules of taints alone.
 */
#include "manager/dra/schema.h"

#include "base/mem.h"

#define TYPE(name) \
	static const struct schema_type name = { name##_members, ARRAY_SIZE(name##_members) }
#define TEXT(key) { key, SCHEMA_TEXT, SCHEMA_ONE, NULL }
#define TEXTS(key) { key, SCHEMA_TEXT, SCHEMA_LIST, NULL }
#define TEXT_MAP(key) { key, SCHEMA_TEXT, SCHEMA_MAP, NULL }
#define INT(key) { key, SCHEMA_INT, SCHEMA_ONE, NULL }
#define BOOL(key) { key, SCHEMA_BOOL, SCHEMA_ONE, NULL }
#define QUANTITY(key) { key, SCHEMA_QUANTITY, SCHEMA_ONE, NULL }
#define TIME(key) { key, SCHEMA_TIME, SCHEMA_ONE, NULL }
#define ANY(key) { key, SCHEMA_ANY, SCHEMA_ONE, NULL }
#define OBJECT(key, type) { key, SCHEMA_OBJECT, SCHEMA_ONE, &(type) }
#define OBJECTS(key, type) { key, SCHEMA_OBJECT, SCHEMA_LIST, &(type) }
#define OBJECT_MAP(key, type) { key, SCHEMA_OBJECT, SCHEMA_MAP, &(type) }

/* -- metadata -- */

static const struct schema_member owner_members[] = {
	TEXT("apiVersion"), TEXT("kind"), TEXT("name"), TEXT("uid"), BOOL("controller"),
	BOOL("blockOwnerDeletion"),
};
TYPE(owner);

static const struct schema_member managed_members[] = {
	TEXT("manager"), TEXT("operation"), TEXT("apiVersion"), TIME("time"), TEXT("fieldsType"),
	ANY("fieldsV1"), TEXT("subresource"),
};
TYPE(managed);

static const struct schema_member metadata_members[] = {
	TEXT("name"), TEXT("generateName"), TEXT("namespace"), TEXT("selfLink"), TEXT("uid"),
	TEXT("resourceVersion"), INT("generation"), TIME("creationTimestamp"),
	TIME("deletionTimestamp"), INT("deletionGracePeriodSeconds"), TEXT_MAP("labels"),
	TEXT_MAP("annotations"), OBJECTS("ownerReferences", owner), TEXTS("finalizers"),
	OBJECTS("managedFields", managed),
};
TYPE(metadata);

#define ABOVE TEXT("apiVersion"), TEXT("kind"), OBJECT("metadata", metadata)

static const struct schema_member condition_members[] = {
	TEXT("type"), TEXT("status"), INT("observedGeneration"), TIME("lastTransitionTime"),
	TEXT("reason"), TEXT("message"),
};
TYPE(condition);

/* -- nodes -- */

static const struct schema_member node_requirement_members[] = {
	TEXT("key"), TEXT("operator"), TEXTS("values"),
};
TYPE(node_requirement);

static const struct schema_member node_term_members[] = {
	OBJECTS("matchExpressions", node_requirement), OBJECTS("matchFields", node_requirement),
};
TYPE(node_term);

static const struct schema_member node_selector_members[] = {
	OBJECTS("nodeSelectorTerms", node_term),
};
TYPE(node_selector);

/* -- devices -- */

static const struct schema_member attribute_members[] = {
	INT("int"), BOOL("bool"), TEXT("string"), TEXT("version"),
	{ "ints", SCHEMA_INT, SCHEMA_LIST, NULL }, { "bools", SCHEMA_BOOL, SCHEMA_LIST, NULL },
	TEXTS("strings"), TEXTS("versions"),
};
TYPE(attribute);

static const struct schema_member range_members[] = {
	QUANTITY("min"), QUANTITY("max"), QUANTITY("step"),
};
TYPE(range);

static const struct schema_member policy_members[] = {
	QUANTITY("default"), { "validValues", SCHEMA_QUANTITY, SCHEMA_LIST, NULL },
	OBJECT("validRange", range),
};
TYPE(policy);

static const struct schema_member capacity_members[] = {
	QUANTITY("value"), OBJECT("requestPolicy", policy),
};
TYPE(capacity);

static const struct schema_member counter_members[] = { QUANTITY("value") };
TYPE(counter);

static const struct schema_member consumption_members[] = {
	TEXT("counterSet"), OBJECT_MAP("counters", counter),
};
TYPE(consumption);

static const struct schema_member counter_set_members[] = {
	TEXT("name"), OBJECT_MAP("counters", counter),
};
TYPE(counter_set);

static const struct schema_member taint_members[] = {
	TEXT("key"), TEXT("value"), TEXT("effect"), TIME("timeAdded"),
};
TYPE(taint);

static const struct schema_member mapping_members[] = {
	TEXT("capacityKey"), QUANTITY("allocationMultiplier"),
};
TYPE(mapping);

#define OF_DEVICE \
	OBJECT_MAP("attributes", attribute), OBJECT_MAP("capacity", capacity), \
	OBJECTS("consumesCounters", consumption), TEXT("nodeName"), \
	OBJECT("nodeSelector", node_selector), BOOL("allNodes"), OBJECTS("taints", taint), \
	BOOL("bindsToNode"), TEXTS("bindingConditions"), TEXTS("bindingFailureConditions"), \
	BOOL("allowMultipleAllocations"), OBJECT_MAP("nodeAllocatableResourceMappings", mapping)

static const struct schema_member device_members[] = { TEXT("name"), OF_DEVICE };
TYPE(device);

static const struct schema_member basic_members[] = { OF_DEVICE };
TYPE(basic);

static const struct schema_member device_beta1_members[] = {
	TEXT("name"), OBJECT("basic", basic),
};
TYPE(device_beta1);

/* -- ResourceSlice -- */

static const struct schema_member pool_members[] = {
	TEXT("name"), INT("generation"), INT("resourceSliceCount"),
};
TYPE(pool);

#define OF_SLICE \
	TEXT("driver"), OBJECT("pool", pool), TEXT("nodeName"), \
	OBJECT("nodeSelector", node_selector), BOOL("allNodes"), \
	BOOL("perDeviceNodeSelection"), OBJECTS("sharedCounters", counter_set)

static const struct schema_member slice_spec_members[] = {
	OF_SLICE, OBJECTS("devices", device),
};
TYPE(slice_spec);

static const struct schema_member slice_spec_beta1_members[] = {
	OF_SLICE, OBJECTS("devices", device_beta1),
};
TYPE(slice_spec_beta1);

static const struct schema_member slice_members[] = { ABOVE, OBJECT("spec", slice_spec) };
TYPE(slice);

static const struct schema_member slice_beta1_members[] = {
	ABOVE, OBJECT("spec", slice_spec_beta1),
};
TYPE(slice_beta1);

/* -- what a claim asks for -- */

static const struct schema_member expression_members[] = { TEXT("expression") };
TYPE(expression);

static const struct schema_member selector_members[] = { OBJECT("cel", expression) };
TYPE(selector);

static const struct schema_member toleration_members[] = {
	TEXT("key"), TEXT("operator"), TEXT("value"), TEXT("effect"), INT("tolerationSeconds"),
};
TYPE(toleration);

static const struct schema_member wanted_members[] = {
	{ "requests", SCHEMA_QUANTITY, SCHEMA_MAP, NULL },
};
TYPE(wanted);

#define OF_REQUEST \
	TEXT("deviceClassName"), OBJECTS("selectors", selector), TEXT("allocationMode"), \
	INT("count"), OBJECTS("tolerations", toleration), OBJECT("capacity", wanted)

static const struct schema_member exactly_members[] = { OF_REQUEST, BOOL("adminAccess") };
TYPE(exactly);

static const struct schema_member sub_members[] = { TEXT("name"), OF_REQUEST };
TYPE(sub);

static const struct schema_member request_members[] = {
	TEXT("name"), OBJECT("exactly", exactly), OBJECTS("firstAvailable", sub),
};
TYPE(request);

static const struct schema_member request_beta1_members[] = {
	TEXT("name"), OF_REQUEST, BOOL("adminAccess"), OBJECTS("firstAvailable", sub),
};
TYPE(request_beta1);

static const struct schema_member constraint_members[] = {
	TEXTS("requests"), TEXT("matchAttribute"), TEXT("distinctAttribute"),
};
TYPE(constraint);

static const struct schema_member opaque_members[] = { TEXT("driver"), ANY("parameters") };
TYPE(opaque);

static const struct schema_member config_members[] = {
	TEXTS("requests"), OBJECT("opaque", opaque),
};
TYPE(config);

#define OF_CLAIM OBJECTS("constraints", constraint), OBJECTS("config", config)

static const struct schema_member asked_members[] = { OBJECTS("requests", request), OF_CLAIM };
TYPE(asked);

static const struct schema_member asked_beta1_members[] = {
	OBJECTS("requests", request_beta1), OF_CLAIM,
};
TYPE(asked_beta1);

static const struct schema_member claim_spec_members[] = { OBJECT("devices", asked) };
TYPE(claim_spec);

static const struct schema_member claim_spec_beta1_members[] = { OBJECT("devices", asked_beta1) };
TYPE(claim_spec_beta1);

/* -- what a claim has got -- */

static const struct schema_member result_members[] = {
	TEXT("request"), TEXT("driver"), TEXT("pool"), TEXT("device"), BOOL("adminAccess"),
	OBJECTS("tolerations", toleration), TEXTS("bindingConditions"),
	TEXTS("bindingFailureConditions"), TEXT("shareID"),
	{ "consumedCapacity", SCHEMA_QUANTITY, SCHEMA_MAP, NULL },
};
TYPE(result);

static const struct schema_member used_config_members[] = {
	TEXT("source"), TEXTS("requests"), OBJECT("opaque", opaque),
};
TYPE(used_config);

static const struct schema_member results_members[] = {
	OBJECTS("results", result), OBJECTS("config", used_config),
};
TYPE(results);

static const struct schema_member allocation_members[] = {
	OBJECT("devices", results), OBJECT("nodeSelector", node_selector),
	TIME("allocationTimestamp"),
};
TYPE(allocation);

static const struct schema_member consumer_members[] = {
	TEXT("apiGroup"), TEXT("resource"), TEXT("name"), TEXT("uid"),
};
TYPE(consumer);

static const struct schema_member network_members[] = {
	TEXT("interfaceName"), TEXTS("ips"), TEXT("hardwareAddress"),
};
TYPE(network);

static const struct schema_member device_status_members[] = {
	TEXT("driver"), TEXT("pool"), TEXT("device"), TEXT("shareID"),
	OBJECTS("conditions", condition), ANY("data"), OBJECT("networkData", network),
};
TYPE(device_status);

static const struct schema_member claim_status_members[] = {
	OBJECT("allocation", allocation), OBJECTS("reservedFor", consumer),
	OBJECTS("devices", device_status),
};
TYPE(claim_status);

/* -- ResourceClaim, ResourceClaimTemplate -- */

static const struct schema_member claim_members[] = {
	ABOVE, OBJECT("spec", claim_spec), OBJECT("status", claim_status),
};
TYPE(claim);

static const struct schema_member claim_beta1_members[] = {
	ABOVE, OBJECT("spec", claim_spec_beta1), OBJECT("status", claim_status),
};
TYPE(claim_beta1);

static const struct schema_member template_spec_members[] = {
	OBJECT("metadata", metadata), OBJECT("spec", claim_spec),
};
TYPE(template_spec);

static const struct schema_member template_spec_beta1_members[] = {
	OBJECT("metadata", metadata), OBJECT("spec", claim_spec_beta1),
};
TYPE(template_spec_beta1);

static const struct schema_member template_members[] = { ABOVE, OBJECT("spec", template_spec) };
TYPE(template);

static const struct schema_member template_beta1_members[] = {
	ABOVE, OBJECT("spec", template_spec_beta1),
};
TYPE(template_beta1);

/* -- DeviceClass -- */

static const struct schema_member class_config_members[] = { OBJECT("opaque", opaque) };
TYPE(class_config);

static const struct schema_member class_spec_members[] = {
	OBJECTS("selectors", selector), OBJECTS("config", class_config),
	TEXT("extendedResourceName"),
};
TYPE(class_spec);

static const struct schema_member class_members[] = { ABOVE, OBJECT("spec", class_spec) };
TYPE(class);

/* -- DeviceTaintRule -- */

static const struct schema_member device_selector_members[] = {
	TEXT("driver"), TEXT("pool"), TEXT("device"),
};
TYPE(device_selector);

static const struct schema_member rule_spec_members[] = {
	OBJECT("deviceSelector", device_selector), OBJECT("taint", taint),
};
TYPE(rule_spec);

static const struct schema_member rule_status_members[] = { OBJECTS("conditions", condition) };
TYPE(rule_status);

static const struct schema_member rule_members[] = {
	ABOVE, OBJECT("spec", rule_spec), OBJECT("status", rule_status),
};
TYPE(rule);

/* -- all of them -- */

const struct schema_kind schema_kinds[] = {
	{ "v1", "ResourceSlice", false, &slice },
	{ "v1", "ResourceClaim", true, &claim },
	{ "v1", "ResourceClaimTemplate", true, &template },
	{ "v1", "DeviceClass", false, &class },
	{ "v1beta2", "ResourceSlice", false, &slice },
	{ "v1beta2", "ResourceClaim", true, &claim },
	{ "v1beta2", "ResourceClaimTemplate", true, &template },
	{ "v1beta2", "DeviceClass", false, &class },
	{ "v1beta2", "DeviceTaintRule", false, &rule },
	{ "v1beta1", "ResourceSlice", false, &slice_beta1 },
	{ "v1beta1", "ResourceClaim", true, &claim_beta1 },
	{ "v1beta1", "ResourceClaimTemplate", true, &template_beta1 },
	{ "v1beta1", "DeviceClass", false, &class },
	{ "v1alpha3", "DeviceTaintRule", false, &rule },
};
const size_t schema_n_kinds = ARRAY_SIZE(schema_kinds);
