/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_select.c - which devices a claim gets, and why not others
 *
 * The names of the rows D... are those of the checklist.  What is said of the scheduler is from
 * reading its allocator (kubernetes/dynamic-resource-allocation, structured, v1.36).
 */
#include "manager/dra/select.h"

#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "manager/dra/kubernetes.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>

#define API "'apiVersion':'resource.k8s.io/v1',"
#define SLICE(name, pool, count, rest)                                                            \
	"{" API "'kind':'ResourceSlice','metadata':{'name':'" name "'},'spec':{'nodeName':'n',"   \
	"'driver':'d.example','pool':{'name':'" pool "','generation':1,"                          \
	"'resourceSliceCount':" count "}," rest "}}"
#define DEVICES(list) SLICE("s", "p", "1", "'devices':[" list "]")
#define DEVICE(name, rest) "{'name':'" name "'" rest "}"
#define COLOUR(name, colour) DEVICE(name, ",'attributes':{'colour':{'string':'" colour "'}}")
#define TAINTED(name, value, effect)                                                              \
	DEVICE(name, ",'taints':[{'key':'k','value':'" value "','effect':'" effect "'}]")
#define CLASS(name, selectors)                                                                    \
	"{" API "'kind':'DeviceClass','metadata':{'name':'" name "'},'spec':{"                    \
	"'selectors':[" selectors "]}}"
#define CEL(expression) "{'cel':{'expression':'" expression "'}}"
#define ANY CLASS("any", "")
#define CLAIM(name, devices)                                                                      \
	"{" API "'kind':'ResourceClaim','metadata':{'name':'" name "'},'spec':{'devices':{"       \
	devices "}}}"
#define EXACT(name, rest) "{'name':'" name "','exactly':{'deviceClassName':'any'" rest "}}"
#define ONE(rest) CLAIM("c", "'requests':[" EXACT("r", rest) "]")
#define SUB(name, rest) "{'name':'" name "','deviceClassName':'any'" rest "}"
#define FIRST(subs) CLAIM("c", "'requests':[{'name':'r','firstAvailable':[" subs "]}]")
#define IS(colour) ",'selectors':[" CEL("device.attributes['d.example'].colour == '" colour "'") "]"
#define IS_ANY ",'selectors':[" CEL("has(device.attributes['d.example'].colour)") "]"
#define TOLERATES(t) ",'tolerations':[" t "]"

/* -- one question -- */

static json_t *answer;			/* the last */
static json_t *in_use;			/* of the next question */
static char error_text[300];

/* Two ' in a row stay one: expressions are in JSON's strings. */
static void add(struct manifests *m, const char *text)
{
	auto_free char *copy = malloc(2 * strlen(text) + 1);
	struct err e = { 0 };
	bool in_expression = false;
	char *p = copy;

	for (; *text; text++) {
		if (strncmp(text, "'expression':'", 14) == 0) {
			p += sprintf(p, "\"expression\":\"");
			text += 13;
			in_expression = true;
		} else if (in_expression && strncmp(text, "'}}", 3) == 0) {
			*p++ = '"';
			in_expression = false;
		} else
			*p++ = *text == '\'' && !in_expression ? '"' : *text;
	}
	*p = '\0';
	if (manifests_read(copy, strlen(copy), "test", m, &e) < 0)
		printf("# %s: %s\n# %s\n", e.msg, e.details, copy);
}

static const struct deadline *until;	/* of the question */
static const char *version;		/* of Kubernetes; NULL: none */

static int ask(const char *const *texts, bool why)
{
	struct manifests m = { .list = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	struct select_question q = { .manifests = &m, .devices = &d, .node = "n", .why = why,
				     .until = until };
	struct kubernetes kubernetes = { 0 };
	struct err e = { 0 };
	int r;

	json_decref(answer);
	answer = NULL;
	q.taken = in_use;
	if (kubernetes_parse(version, &kubernetes, &e) < 0)
		printf("# %s\n", e.msg);
	q.kubernetes = version ? &kubernetes : NULL;
	for (; *texts; texts++)
		add(&m, *texts);
	r = dra_devices_read(&m, &d, &e);
	if (r == 0)
		r = select_devices(&q, &answer, &e);
	(void)snprintf(error_text, sizeof(error_text), "%s", r < 0 ? e.msg : "");
	manifests_done(&m);
	return r;
}

static const json_t *claim_at(size_t i)
{
	return json_array_get(json_object_get(answer, "claims"), i);
}

static const char *text_at(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* "r=a r=b" of all claims, or "! why not" of the first that has a reason of its own. */
static const char *told(int r)
{
	static char ret[1500];
	const json_t *result;
	size_t used = 0, i, k;

	*ret = '\0';
	if (r < 0)
		return error_text;
	for (i = 0; i < json_array_size(json_object_get(answer, "claims")); i++) {
		const json_t *c = claim_at(i), *list = json_object_get(json_object_get(
			json_object_get(json_object_get(c, "status"), "allocation"), "devices"),
			"results");

		if (r == 0 && strncmp(text_at(c, "reason"), "all claims", 10) != 0)
			(void)snprintf(ret, sizeof(ret), "! %s", text_at(c, "reason"));
		json_array_foreach(list, k, result)
			used += (size_t)snprintf(ret + used, sizeof(ret) - used, "%s%s=%s",
						 used ? " " : "", text_at(result, "request"),
						 text_at(result, "device"));
	}
	return ret;
}

#define select_of(...) told(ask((const char *const[]){ __VA_ARGS__, NULL }, false))

/* Why the last answer has not taken a device for a request of the first claim. */
static const char *why_not(const char *request, const char *device)
{
	const json_t *r, *d;
	size_t i, k;

	json_array_foreach(json_object_get(claim_at(0), "requests"), i, r)
		json_array_foreach(json_object_get(r, "devices"), k, d)
			if (strcmp(text_at(r, "request"), request) == 0 &&
			    strcmp(text_at(d, "device"), device) == 0)
				return text_at(d, "reason");
	return "?";
}

/* Why a request is not met. */
static const char *reason_of(size_t claim, size_t request)
{
	return text_at(json_array_get(json_object_get(claim_at(claim), "requests"), request),
		       "reason");
}

static const char *note_at(size_t i)
{
	const char *text = json_string_value(json_array_get(json_object_get(answer, "notes"), i));

	return text ? text : "";
}

static bool is_noted(const char *text)
{
	const json_t *note;
	size_t i;

	json_array_foreach(json_object_get(answer, "notes"), i, note)
		if (strcmp(json_string_value(note), text) == 0)
			return true;
	return false;
}

/* A part of the first claim's allocation, as JSON; "" where there is none. */
static const char *allocated(const char *key, const char *member)
{
	static char ret[1000];
	const json_t *v = json_object_get(json_object_get(json_object_get(claim_at(0), "status"),
							  "allocation"), key);
	auto_free char *text = NULL;

	text = json_dumps(member ? json_object_get(v, member) : v, JSON_COMPACT | JSON_SORT_KEYS);
	(void)snprintf(ret, sizeof(ret), "%s", text ? text : "");
	return ret;
}

/* -- classes and selectors -- */

static void test_classes(void)
{
	const char *cats = DEVICES(COLOUR("a", "black") "," COLOUR("b", "white") ","
				   COLOUR("c", "white"));
	const char *whites = CLASS("any", CEL("device.driver == 'd.example'") ","
				   CEL("device.attributes['d.example'].colour == 'white'"));

	test("D13, D15: a class selects devices by its expressions, all of which have to be true");
	eq(select_of(cats, whites, ONE("")), "r=b");
	eq(why_not("r", "a"), "DeviceClass any: selectors[1] is false");
	eq(why_not("r", "c"), "not needed");
	test("D13: a class without selectors selects all devices");
	eq(select_of(cats, ANY, ONE(",'count':3")), "r=a r=b r=c");
	test("D13: a class that selects none leaves the claim without a device");
	eq(select_of(cats, CLASS("any", CEL("false")), ONE("")), "! request r: 0 of 1 devices");
	test("D14: selectors of a request select among the devices of its class");
	eq(select_of(cats, CLASS("any", CEL("device.driver == 'd.example'")), ONE(IS("white"))),
	   "r=b");
	eq(why_not("r", "a"), "request r: selectors[0] is false");
	test("D14: a class that is not there is told");
	eq(select_of(cats, ONE("")), "! spec.devices.requests[0]: request r: deviceClassName: no "
	   "DeviceClass 'any' is among the files");
	test("D13, D20: an expression that does not compile is told by who uses the class");
	ok(strncmp(select_of(cats, CLASS("any", CEL("device.")), ONE("")), "! spec.devices."
		   "requests[0]: request r: DeviceClass any: spec: selectors[0]: ", 76) == 0);
	test("a class that nobody asks for may be wrong");
	eq(select_of(cats, CLASS("x", CEL("device.")), ANY, ONE("")), "r=a");
	test("a selector of a kind that is not known is not true");
	eq(select_of(cats, CLASS("any", "{'new':{}}"), ONE("")), "! spec.devices.requests[0]: "
	   "request r: DeviceClass any: spec: selectors[0]: unknown key 'new'");
	test("of two classes of one name neither is meant");
	eq(select_of(cats, ANY, ANY, ONE("")), "test: a second DeviceClass 'any'");
}

static void test_expressions(void)
{
	const char *two = DEVICES(DEVICE("a", "") "," COLOUR("b", "white"));

	test("D16: a name without a domain is of the driver's");
	eq(select_of(DEVICES(DEVICE("a", ",'attributes':{'d.example/x':{'int':7}}") ","
			     DEVICE("b", ",'attributes':{'x':{'int':8}}")), ANY,
		     ONE(",'selectors':[" CEL("device.attributes['d.example'].x == 8") "]")),
	   "r=b");
	test("D17: an id that is not there is an error, and no device is taken");
	eq(select_of(two, ANY, ONE(IS("white"))) + 0, told(0));
	ok(strstr(told(0), "! device a of pool p of driver d.example: request r: selectors[0] "
		  "fails: ") == told(0));
	ok(strstr(why_not("r", "a"), "request r: selectors[0] fails: ") == why_not("r", "a"));
	test("D17: has() asks whether it is there; of an unknown domain it is not");
	eq(select_of(two, ANY, ONE(",'selectors':["
				   CEL("has(device.attributes['d.example'].colour)") "]")), "r=b");
	eq(select_of(two, ANY, ONE(",'selectors':["
				   CEL("!has(device.attributes['other'].colour)") "]")), "r=a");
	test("D18: an error on one side of || or && does not matter where the other decides");
	eq(select_of(two, ANY, ONE(",'selectors':[" CEL("device.attributes['d.example'].colour == "
				   "'white' || true") "]")), "r=a");
	test("an expression that fails only for devices behind the last one taken is not reached");
	eq(select_of(DEVICES(COLOUR("a", "white") "," DEVICE("b", "")), ANY, ONE(IS("white"))),
	   "r=a");
	test("D20: a result that is no bool is an error");
	contains(select_of(two, ANY, ONE(",'selectors':[" CEL("1") "]")), "selectors[0]");
	test("D21: an expression that is too long is refused");
	{
		char text[12000];
		int n = snprintf(text, sizeof(text), "{" API "'kind':'ResourceClaim','metadata':"
				 "{'name':'c'},'spec':{'devices':{'requests':[{'name':'r',"
				 "'exactly':{'deviceClassName':'any','selectors':[{'cel':{"
				 "'expression':'true");

		memset(text + n, ' ', 10300);
		(void)snprintf(text + n + 10300, sizeof(text) - (size_t)n - 10300, "'}}]}}]}}}");
		contains(select_of(two, ANY, text), "selectors[0]: ");
	}
	test("how each selector came out is told on demand, up to the one that decides");
	ok(ask((const char *const[]){ two, CLASS("any", CEL("device.driver == 'd.example'") ","
						 CEL("false")), ONE(""), NULL }, true) == 0);
	{
		const json_t *why = json_object_get(json_array_get(json_object_get(json_array_get(
			json_object_get(claim_at(0), "requests"), 0), "devices"), 0), "why");

		ok(json_array_size(why) == 2);
		eq(text_at(json_array_get(why, 1), "selector"), "DeviceClass any: selectors[1]");
		ok(json_is_object(json_object_get(json_array_get(why, 0), "trace")));
	}
}

/* -- how many -- */

static void test_modes(void)
{
	const char *three = DEVICES(COLOUR("a", "x") "," COLOUR("b", "y") "," COLOUR("c", "x"));

	test("D14: ExactCount takes as many as are asked for, in their order");
	eq(select_of(three, ANY, ONE(",'allocationMode':'ExactCount','count':2")), "r=a r=b");
	eq(select_of(three, ANY, ONE(",'count':4")), "! request r: 3 of 4 devices");
	test("D14: All takes all that are selected, but at least one");
	eq(select_of(three, ANY, ONE(",'allocationMode':'All'" IS("x"))), "r=a r=c");
	eq(select_of(three, ANY, ONE(",'allocationMode':'All'" IS("z"))),
	   "! request r: all are asked for, but there is none");
	test("a device is taken once");
	eq(select_of(three, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "," EXACT("s", IS("x"))
				       "]")), "r=a s=c");
	eq(why_not("s", "a"), "request r takes it");
	test("what is taken first gives way to what can be had no other way");
	eq(select_of(three, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "," EXACT("s", IS("y"))
				       "," EXACT("t", "") "," "{'name':'u','exactly':"
				       "{'deviceClassName':'any'" "}}]")),
	   "! request u: 0 of 1 devices");
	eq(select_of(three, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "," EXACT("s",
				       ",'count':2" IS("x")) "]")), "r=b s=a s=c");
	test("claims are satisfied together, or none is");
	eq(select_of(three, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "]"),
		     CLAIM("d", "'requests':[" EXACT("r", ",'count':2" IS("x")) "]")),
	   "r=b r=a r=c");
	eq(select_of(three, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "]"),
		     CLAIM("d", "'requests':[" EXACT("q", ",'count':3") "]")),
	   "! request q: 2 of 3 devices");
	eq(text_at(claim_at(0), "reason"), "all claims are allocated together, and d cannot be");
}

static void test_first_available(void)
{
	const char *first = FIRST(SUB("black", IS("black")) "," SUB("white", IS("white")
							       ",'count':2"));

	test("D33: of firstAvailable the first that can be met counts, named request/subrequest");
	eq(select_of(DEVICES(COLOUR("a", "white") "," COLOUR("b", "black")), ANY, first),
	   "r/black=b");
	test("D33, D34: else the next, with its own count");
	eq(select_of(DEVICES(COLOUR("a", "white") "," COLOUR("b", "white")), ANY, first),
	   "r/white=a r/white=b");
	eq(why_not("r/black", "a"), "request r/black: selectors[0] is false");
	test("D33: or none, and then it is said of each");
	eq(select_of(DEVICES(COLOUR("a", "white")), ANY, first),
	   "! request r: black 0 of 1 devices, white 1 of 2 devices");
	test("D33: a later request may need the next one of an earlier");
	eq(select_of(DEVICES(COLOUR("a", "black") "," COLOUR("b", "white") ","
			     COLOUR("c", "white")), ANY,
		     CLAIM("c", "'requests':[{'name':'r','firstAvailable':["
			   SUB("black", IS("black")) "," SUB("white", IS("white")) "]},"
			   EXACT("s", IS("black")) "]")),
	   "r/white=b s=a");
	test("D33: constraints may name the request or the subrequest");
	eq(select_of(DEVICES(COLOUR("a", "x") "," COLOUR("b", "y") "," COLOUR("c", "x")), ANY,
		     CLAIM("c", "'requests':[{'name':'r','firstAvailable':[" SUB("s", ",'count':2")
			   "]}],'constraints':[{'requests':['r/s'],'matchAttribute':"
			   "'d.example/colour'}]")), "r/s=a r/s=c");
}

/* -- constraints -- */

#define PAIR(constraint)                                                                          \
	CLAIM("c", "'requests':[" EXACT("r", "") "," EXACT("s", "") "],"                          \
	      "'constraints':[" constraint "]")

static void test_constraints(void)
{
	const char *four = DEVICES(DEVICE("n", "") "," COLOUR("a", "x") "," COLOUR("b", "y") ","
				   COLOUR("c", "x"));
	const char *lists = DEVICES(DEVICE("a", ",'attributes':{'l':{'ints':[1,2]}}") ","
				    DEVICE("b", ",'attributes':{'l':{'ints':[3]}}") ","
				    DEVICE("c", ",'attributes':{'l':{'int':2}}") ","
				    DEVICE("d", ",'attributes':{'l':{'string':'2'}}"));

	test("D14: matchAttribute: all devices of the claim have one value");
	eq(select_of(four, ANY, PAIR("{'matchAttribute':'d.example/colour'}")), "r=a s=c");
	eq(why_not("r", "n"), "it has no attribute d.example/colour, which a constraint is about");
	eq(why_not("s", "b"), "its attribute d.example/colour is not device a's");
	test("D14: distinctAttribute: no two have one value");
	eq(select_of(four, ANY, PAIR("{'distinctAttribute':'d.example/colour'}")), "r=a s=b");
	eq(why_not("s", "c"), "its attribute d.example/colour is also device a's");
	test("D14: a constraint is about the requests that it names");
	eq(select_of(four, ANY, PAIR("{'requests':['s'],'matchAttribute':'d.example/colour'}")),
	   "r=n s=a");
	test("an attribute that is a list has any of its values (KEP-5491)");
	eq(select_of(lists, ANY, PAIR("{'matchAttribute':'d.example/l'}")), "r=a s=c");
	eq(select_of(lists, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':3") "],"
		     "'constraints':[{'distinctAttribute':'d.example/l'}]")), "r=a r=b r=d");
	test("a constraint that cannot be met is told");
	eq(select_of(four, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':3") "],"
		     "'constraints':[{'matchAttribute':'d.example/colour'}]")),
	   "! request r: 2 of 3 devices");
	test("a constraint that all devices cannot meet ends the search, whatever else there is");
	eq(select_of(four, ANY, CLAIM("c", "'requests':[{'name':'r','firstAvailable':["
		     SUB("x", ",'allocationMode':'All'" IS_ANY) "," SUB("y", IS_ANY) "]}],"
		     "'constraints':[{'matchAttribute':'d.example/colour'}]")),
	   "! request r/x: all are asked for, but device b of pool p of driver d.example does not "
	   "meet a constraint of the claim");
	eq(why_not("r/x", "b"), "its attribute d.example/colour is not device a's");
	test("a constraint that is wrong is told");
	eq(select_of(four, ANY, PAIR("{'matchAttribute':'colour'}")), "! spec.devices: "
	   "constraints[0]: matchAttribute: 'colour' has no domain, as in domain/name");
	eq(select_of(four, ANY, PAIR("{}")), "! spec.devices: constraints[0]: expected one of "
	   "matchAttribute and distinctAttribute");
	eq(select_of(four, ANY, PAIR("{'requests':['t'],'matchAttribute':'a/b'}")),
	   "! spec.devices: constraints[0]: requests[0]: the claim has no request 't'");
	eq(select_of(four, ANY, PAIR("{'requests':['r','r'],'matchAttribute':'a/b'}")),
	   "! spec.devices: constraints[0]: requests[1]: a second 'r'");
	eq(select_of(four, ANY, PAIR("{'distinctAttribute':'a/b-c'}")),
	   "! spec.devices: constraints[0]: distinctAttribute: 'a/b-c' can be no attribute's name");
}

/* -- taints -- */

static const struct toleration_row {
	const char *toleration, *value, *effect;
	bool tolerated;
} tolerations[] = {
	{ "{}", "v", "NoSchedule", true },
	{ "{'operator':'Exists'}", "v", "NoExecute", true },
	{ "{'key':'k','operator':'Exists'}", "v", "NoSchedule", true },
	{ "{'key':'other','operator':'Exists'}", "v", "NoSchedule", false },
	{ "{'key':'k','value':'v'}", "v", "NoSchedule", true },
	{ "{'key':'k','operator':'Equal','value':'v'}", "v", "NoSchedule", true },
	{ "{'key':'k','operator':'Equal','value':'w'}", "v", "NoSchedule", false },
	{ "{'key':'k'}", "v", "NoSchedule", false },
	{ "{'key':'k'}", "", "NoSchedule", true },
	{ "{'key':'k','operator':'Exists','effect':'NoSchedule'}", "v", "NoSchedule", true },
	{ "{'key':'k','operator':'Exists','effect':'NoSchedule'}", "v", "NoExecute", false },
	{ "{'effect':'NoExecute'}", "v", "NoExecute", true },
	{ "{'value':'v'}", "v", "NoExecute", true },
	{ "{'operator':'Equal','value':'v'}", "w", "NoExecute", false },
	{ "{'operator':'Equal'}", "v", "NoSchedule", false },
	{ "{'operator':'Equal'}", "", "NoSchedule", true },
};

static void test_tolerations(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(tolerations); i++) {
		const struct toleration_row *row = &tolerations[i];
		char slice[600], claim[600];

		(void)snprintf(slice, sizeof(slice), DEVICES(TAINTED("a", "%s", "%s")), row->value,
			       row->effect);
		(void)snprintf(claim, sizeof(claim), ONE(TOLERATES("%s")), row->toleration);
		test("D39: tolerations by key, value, effect and operator");
		eq(select_of(slice, ANY, claim), row->tolerated ? "r=a" :
		   "! request r: 0 of 1 devices");
	}
	test("D39: how long a taint is tolerated is told, from when it was added");
	eq(select_of(DEVICES(DEVICE("a", ",'taints':[{'key':'k','effect':'NoExecute','timeAdded':"
				    "'2026-01-01T00:00:00Z'}]")), ANY,
		     ONE(TOLERATES("{'operator':'Exists','tolerationSeconds':300}"))), "r=a");
	eq(why_not("r", "a"), "taint k:NoExecute is tolerated for 300 s from 2026-01-01T00:00:00Z");
	test("D39: a toleration that the API refuses is told");
	eq(select_of(DEVICES(DEVICE("a", "")), ANY, ONE(TOLERATES("{'operator':'Any'}"))),
	   "! spec.devices.requests[0]: request r: tolerations[0]: operator: 'Any' is neither "
	   "Exists nor Equal");
	eq(select_of(DEVICES(DEVICE("a", "")), ANY, ONE(TOLERATES("{'key':'-k'}"))),
	   "! spec.devices.requests[0]: request r: tolerations[0]: key: '-k': expected the key of "
	   "a label");
	eq(select_of(DEVICES(DEVICE("a", "")), ANY, ONE(TOLERATES("{'key':'k','value':'a b'}"))),
	   "! spec.devices.requests[0]: request r: tolerations[0]: value: 'a b': expected the "
	   "value of a label");
}

static void test_taints(void)
{
	const char *some = DEVICES(TAINTED("a", "v", "NoSchedule") ","
				   TAINTED("b", "v", "NoExecute") "," TAINTED("c", "v", "None") ","
				   TAINTED("d", "v", "New"));

	test("D37, D38: NoSchedule and NoExecute keep a device away, other effects do not");
	eq(select_of(some, ANY, ONE(",'count':2")), "r=c r=d");
	eq(why_not("r", "a"), "taint k=v:NoSchedule is not tolerated");
	eq(why_not("r", "b"), "taint k=v:NoExecute is not tolerated");
	test("D40: of all devices each has to be untainted or tolerated");
	eq(select_of(some, ANY, ONE(",'allocationMode':'All'")), "! request r: 2 of 4 devices");
	eq(select_of(some, ANY, ONE(",'allocationMode':'All'" TOLERATES("{'operator':'Exists'}"))),
	   "r=a r=b r=c r=d");
	test("D40: adminAccess is no exception");
	eq(select_of(DEVICES(TAINTED("a", "v", "NoSchedule")), ANY, ONE(",'adminAccess':true")),
	   "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "taint k=v:NoSchedule is not tolerated");
}

/* -- who has what -- */

#define ALLOCATED(device, rest)                                                                   \
	"{" API "'kind':'ResourceClaim','metadata':{'name':'old','namespace':'x'},'status':{"     \
	"'allocation':{'devices':{'results':[{'request':'r','driver':'d.example','pool':'p',"     \
	"'device':'" device "'" rest "}]}}}}"

static void test_allocated(void)
{
	const char *two = DEVICES(DEVICE("a", "") "," DEVICE("b", ""));

	test("what a claim has by its status is not given to another");
	eq(select_of(two, ANY, ALLOCATED("a", ""), ONE("")), "r=b");
	eq(why_not("r", "a"), "it is allocated to claim x/old");
	test("what a pod has, by what kubelet says, neither");
	in_use = json_pack("{s:s}", "d.example/p/b", "pod x/y");
	eq(select_of(two, ANY, ALLOCATED("a", ""), ONE("")), "! request r: 0 of 1 devices");
	eq(why_not("r", "b"), "it is allocated to pod x/y");
	test("all of them cannot be had while somebody has one");
	eq(select_of(two, ANY, ONE(",'allocationMode':'All'")), "! request r: 1 of 2 devices");
	test("D32: with adminAccess they can, and it is told that the namespace is not looked at");
	eq(select_of(two, ANY, ONE(",'allocationMode':'All','adminAccess':true")), "r=a r=b");
	contains(note_at(0), "admin-access");
	ok(json_is_true(json_object_get(json_array_get(json_object_get(json_object_get(
		json_object_get(json_object_get(claim_at(0), "status"), "allocation"), "devices"),
		"results"), 0), "adminAccess")));
	json_decref(in_use);
	in_use = NULL;
	test("D32: who has adminAccess to a device does not keep others from it");
	eq(select_of(two, ANY, ALLOCATED("a", ",'adminAccess':true"), ONE("")), "r=a");
	test("D32: a device is once in a claim, with adminAccess, too");
	eq(select_of(two, ANY, ONE(",'adminAccess':true,'count':3")),
	   "! request r: 2 of 3 devices");
	test("D32: a subrequest has no adminAccess");
	eq(select_of(two, ANY, FIRST(SUB("s", ",'adminAccess':true"))), "! spec.devices.requests"
	   "[0]: request r: firstAvailable[0]: unknown key 'adminAccess'");
}

static void test_kubelet(void)
{
	struct inv_allocation list[] = {
		{ .pod_namespace = "x", .pod_name = "y", .driver = "d.example", .pool = "p",
		  .id = "a" },
		{ .pod_namespace = "x", .pod_name = "z", .driver = "d.example", .pool = "p",
		  .id = "0000:65:00.3" },
		{ .pod_namespace = "x", .pod_name = "w", .id = "0000:65:00.4" },
		{ .driver = "d.example", .pool = "p", .id = "d", .allocatable = true },
		{ .pod_namespace = "x", .pod_name = "v", .driver = "d.example", .pool = "q",
		  .id = "e" },
	};
	struct inventory inv = { .allocations = list, .n_allocations = ARRAY_SIZE(list) };
	struct manifests m = { .list = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	json_auto_t *got = NULL, *want = json_pack("{s:s,s:s,s:s}", "d.example/p/a", "pod x/y",
						   "d.example/p/b", "pod x/z", "d.example/p/c",
						   "pod x/w");
	struct err e;

	add(&m, DEVICES(DEVICE("a", "") "," DEVICE("b", ",'attributes':{'resource.kubernetes.io/"
			"pciBusID':{'string':'0000:65:00.3'}}") "," DEVICE("c", ",'attributes':{"
			"'k8s.cni.cncf.io/deviceID':{'string':'0000:65:00.4'}}") ","
			DEVICE("d", "") "," DEVICE("e", "")));
	test("kubelet's allocations are found by the device's name, and by its address");
	ok(dra_devices_read(&m, &d, &e) == 0);
	got = select_taken(&inv, &d);
	ok(json_equal(got, want));
	manifests_done(&m);
}

/* -- counters and capacity -- */

#define EATS(name, amount)                                                                        \
	DEVICE(name, ",'consumesCounters':[{'counterSet':'set','counters':{'m':{"                 \
		     "'value':'" amount "'}}}]")
#define SETS(amount) "'sharedCounters':[{'name':'set','counters':{'m':{'value':'" amount "'}}}]"

static void test_counters(void)
{
	const char *both = SLICE("s", "p", "1", SETS("8Gi") ",'devices':[" EATS("a", "6Gi") ","
				 EATS("b", "6Gi") "]");

	test("D36: of two devices of 6Gi each only one fits into a shared counter of 8Gi");
	eq(select_of(both, ANY, ONE("")), "r=a");
	eq(why_not("r", "b"), "not enough is left of counter set set");
	eq(select_of(both, ANY, ONE(",'count':2")), "! request r: 1 of 2 devices");
	test("D36: what another claim has consumed is gone");
	eq(select_of(both, ANY, ALLOCATED("a", ""), ONE("")), "! request r: 0 of 1 devices");
	test("D35: sharedCounters may be in a slice of their own");
	eq(select_of(SLICE("c", "p", "2", SETS("8Gi")),
		     SLICE("d", "p", "2", "'devices':[" EATS("a", "6Gi") "," EATS("b", "6Gi") ","
			   EATS("c", "2Gi") "]"), ANY, ONE(",'count':2")), "r=a r=c");
	test("D35: a device needs enough of every set that it names, also by other requests");
	eq(select_of(SLICE("s", "p", "1", SETS("3") ",'devices':[" EATS("a", "1") "," EATS("b", "2")
			   "," EATS("c", "1500m") "]"), ANY,
		     CLAIM("c", "'requests':[" EXACT("r", "") "," EXACT("s", "") "]")), "r=a s=b");
	test("D35: of a pool with a set that is not there nothing is allocated");
	eq(select_of(DEVICES(EATS("a", "1") "," DEVICE("b", "")), ANY, ONE("")),
	   "! request r: 0 of 1 devices");
	eq(why_not("r", "b"), "device a: it has no counter set 'set'");
}

#define IN(name, set, groups)                                                                     \
	DEVICE(name, ",'consumesCounters':[{'counterSet':'" set "','counters':{'m':{"              \
		     "'value':'1'}},'compatibilityGroups':[" groups "]}]")
#define SHARED(devices)                                                                           \
	SLICE("c", "p", "2", "'sharedCounters':[{'name':'x','counters':{'m':{'value':'9'}}},"      \
	      "{'name':'y','counters':{'m':{'value':'9'}}}]"),                                     \
	SLICE("d", "p", "2", "'devices':[" devices "]"), ANY

static void test_groups(void)
{
	test("devices of one counter set have a compatibility group in common (KEP-5963)");
	eq(select_of(SHARED(IN("a", "x", "'g'") "," IN("b", "x", "'h'") "," IN("c", "x", "'g'")),
		     ONE(",'count':2")), "r=a r=c");
	eq(why_not("r", "b"), "devices that are taken of counter set x are of other "
	   "compatibilityGroups");
	test("it is the same group for all of them");
	eq(select_of(SHARED(IN("a", "x", "'f','g'") "," IN("b", "x", "'g','h'") ","
			    IN("c", "x", "'f','h'") "," IN("d", "x", "'g'")), ONE(",'count':3")),
	   "r=a r=b r=d");
	test("one without groups goes with such as have none");
	eq(select_of(SHARED(IN("a", "x", "") "," IN("b", "x", "'g'") "," IN("c", "x", "")),
		     ONE(",'count':2")), "r=a r=c");
	eq(select_of(SHARED(IN("a", "x", "'g'") "," IN("b", "x", "")), ONE(",'count':2")),
	   "! request r: 1 of 2 devices");
	test("devices of two counter sets have nothing to do with each other");
	eq(select_of(SHARED(IN("a", "x", "'g'") "," IN("b", "y", "'h'") "," IN("c", "y", "")),
		     ONE(",'count':2")), "r=a r=b");
	test("those count that others have already");
	eq(select_of(SHARED(IN("a", "x", "'g'") "," IN("b", "x", "'h'") "," IN("c", "x", "'g'")),
		     ALLOCATED("a", ""), ONE("")), "r=c");
}

#define TWENTY "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
#define SO_LONG "x" TWENTY TWENTY TWENTY TWENTY TWENTY TWENTY TWENTY

static void test_capacity(void)
{
	const char *two = DEVICES(DEVICE("a", ",'capacity':{'m':{'value':'4Gi'}}") ","
				  DEVICE("b", ",'capacity':{'d.example/m':{'value':'8Gi'}}") ","
				  DEVICE("c", ""));

	test("a device has as much capacity as is asked for");
	eq(select_of(two, ANY, ONE(",'capacity':{'requests':{'m':'5Gi'}}")), "r=b");
	eq(why_not("r", "a"), "its capacity m is only 4Gi");
	eq(why_not("r", "c"), "it has no capacity m");
	eq(select_of(two, ANY, ONE(",'capacity':{'requests':{'d.example/m':'4Gi'}}")), "r=a");
	test("a quantity may be a number, with a fraction, too");
	eq(select_of(DEVICES(DEVICE("a", ",'capacity':{'m':{'value':1.5}}")), ANY,
		     ONE(",'capacity':{'requests':{'m':'1500m'}},'selectors':["
			 CEL("device.capacity['d.example'].m.isGreaterThan(quantity('1400m'))")
			 "]")), "r=a");
	test("a capacity or counter without a value is 0, as to the API server");
	eq(select_of(DEVICES(DEVICE("a", ",'capacity':{'m':{}}")), ANY,
		     ONE(",'capacity':{'requests':{'m':'1'}}")), "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "its capacity m is only 0");
	eq(select_of(SLICE("s", "p", "1", "'sharedCounters':[{'name':'set','counters':{'m':{}}}],"
			   "'devices':[" EATS("a", "1") "]"), ANY, ONE("")),
	   "! request r: 0 of 1 devices");
	test("what is no quantity is told");
	ok(strstr(select_of(two, ANY, ONE(",'capacity':{'requests':{'m':'x'}}")),
		  "capacity: requests[m]: ") != NULL);
	test("what is below 0 is a quantity that no device gives");
	eq(select_of(two, ANY, ONE(",'capacity':{'requests':{'m':'-1'}}")),
	   "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "of its capacity m less than nothing is requested");
	test("a capacity that is asked for in another way is told, and not passed over");
	eq(select_of(two, ANY, ONE(",'capacity':{'request':{'m':'5Gi'}}")), "! spec.devices."
	   "requests[0]: request r: capacity: unknown key 'request', did you mean requests?");
	eq(select_of(two, ANY, ONE(",'capacity':{'requests':[{'m':'5Gi'}]}")), "! spec.devices."
	   "requests[0]: request r: capacity: requests: expected an object, got a list");
	test("a name that no capacity can have is that of none, and another choice is taken");
	eq(select_of(two, ANY, ONE(",'capacity':{'requests':{'A b':'1'}}")),
	   "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "it has no capacity A b");
	eq(select_of(two, ANY, FIRST(SUB("x", ",'capacity':{'requests':{'A b':'1'}}") ","
				     SUB("y", ""))), "r/y=a");
	eq(select_of(two, ANY, ONE(",'capacity':{'requests':{'" SO_LONG "':'1'}}")),
	   "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "it has no capacity of so long a name");
}

#define POLICY(value, policy)                                                                     \
	DEVICES(DEVICE("a", ",'allowMultipleAllocations':true,'capacity':{'m':{'value':'" value    \
			    "','requestPolicy':{" policy "}}}"))
#define WANTS(value) ANY, ONE(",'capacity':{'requests':{'m':'" value "'}}")
#define MOST "170141183460469231731687303715"
#define RANGE "'default':'2','validRange':{'min':'2','step':'2','max':'6'}"
#define VALUES "'default':'1','validValues':['1','4']"

static void test_policy(void)
{
	test("a requestPolicy says how much of a capacity a request takes: from min on, in steps");
	eq(select_of(POLICY("2", RANGE), WANTS("1")), "r=a");
	eq(select_of(POLICY("4", RANGE), WANTS("3")), "r=a");
	eq(select_of(POLICY("3", RANGE), WANTS("3")), "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "its capacity m is only 3");
	eq(select_of(POLICY("10", "'default':'2','validRange':{'min':'2'}"), WANTS("9.5")), "r=a");
	test("no more than max can be asked for, though there is more");
	eq(select_of(POLICY("10", RANGE), WANTS("6")), "r=a");
	eq(select_of(POLICY("10", RANGE), WANTS("6500m")), "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "its capacity m has a requestPolicy that allows no more");
	test("or it has a list of values, of which a request takes the next");
	eq(select_of(POLICY("4", VALUES), WANTS("2")), "r=a");
	eq(select_of(POLICY("3", VALUES), WANTS("2")), "! request r: 0 of 1 devices");
	eq(select_of(POLICY("9", VALUES), WANTS("5")), "! request r: 0 of 1 devices");
	test("steps are counted from a min that no difference reaches");
	eq(select_of(POLICY(MOST, "'validRange':{'min':'-" MOST "','step':'1'}"), WANTS(MOST)),
	   "r=a");
	eq(select_of(POLICY("7", "'validRange':{'min':'-2','step':'3'}"), WANTS("2")), "r=a");
	contains(allocated("devices", "results"), "{\"m\":\"4\"}");
	test("a policy that is beyond all numbers, or none, does no harm");
	eq(select_of(POLICY("1", "'validRange':{'min':'-99999999999999999999999999999','step':'2'"
			    "}"), WANTS("99999999999999999999999999999")),
	   "! request r: 0 of 1 devices");
	eq(select_of(POLICY("1", "'validRange':{'min':'0','step':'0','max':'x'}"), WANTS("1")),
	   "r=a");
}

/* -- devices that several share -- */

#define PART(name, value, rest)                                                                    \
	DEVICE(name, ",'allowMultipleAllocations':true,'capacity':{'m':{'value':'" value "'}}" rest)
#define TAKES(value) ",'capacity':{'requests':{'m':'" value "'}}"
#define SHARE(device, consumed)                                                                    \
	ALLOCATED(device, ",'shareID':'5f0a','consumedCapacity':{'m':'" consumed "'}")

static void test_shares(void)
{
	const char *two = DEVICES(PART("a", "10Gi", "") "," PART("b", "4Gi", ""));

	test("a device is shared as far as its capacity goes, and once by a request");
	eq(select_of(two, ANY, CLAIM("c", "'requests':[" EXACT("r", TAKES("6Gi")) ","
				     EXACT("s", TAKES("4Gi")) "," EXACT("t", TAKES("1Gi")) "]")),
	   "r=a s=a t=b");
	eq(why_not("t", "a"), "of its capacity m only 0 is left");
	eq(select_of(two, ANY, ONE(",'count':2" TAKES("1Gi"))), "r=a r=b");
	eq(select_of(two, ANY, ONE(",'count':3" TAKES("1Gi"))), "! request r: 2 of 3 devices");
	test("without a request of a capacity all of it is consumed");
	eq(select_of(two, ANY, ONE(",'count':2"), CLAIM("d", "'requests':["
							 EXACT("r", TAKES("1")) "]")),
	   "! request r: 0 of 1 devices");
	test("what is consumed is written with an id of the share, the same each time");
	eq(select_of(two, ANY, ONE(TAKES("2048Mi"))), "r=a");
	contains(allocated("devices", "results"), "\"consumedCapacity\":{\"m\":\"2Gi\"}");
	{
		char before[1000];

		(void)snprintf(before, sizeof(before), "%s", allocated("devices", "results"));
		contains(before, "\"shareID\":\"");
		ok(*select_of(two, ANY, ONE(TAKES("2048Mi"))));
		eq(allocated("devices", "results"), before);
	}
	test("what others have of a device is not left, by the status of their claims");
	eq(select_of(two, ANY, SHARE("a", "9Gi"), ONE(TAKES("2Gi"))), "r=b");
	eq(why_not("r", "a"), "of its capacity m only 1Gi is left");
	eq(select_of(two, ANY, SHARE("a", "9Gi"), ONE(TAKES("1Gi"))), "r=a");
	test("kubelet does not know how much a pod has of it, which is told");
	in_use = json_pack("{s:s}", "d.example/p/a", "pod x/y");
	eq(select_of(two, ANY, ONE(TAKES("10Gi"))), "r=a");
	contains(note_at(0), "device a of pool p of driver d.example: pod x/y has a part");
	eq(select_of(two, ANY, SHARE("a", "9Gi"), ONE(TAKES("2Gi"))), "r=b");
	eq(note_at(0), "");
	json_decref(in_use);
	in_use = NULL;
	test("counters of a shared device are taken off once");
	eq(select_of(SLICE("s", "p", "1", SETS("4") ",'devices':[" PART("a", "8",
			   ",'consumesCounters':[{'counterSet':'set','counters':{'m':{'value':'3'}}"
			   "}]") "," EATS("b", "2") "," EATS("c", "1") "]"), ANY,
		     CLAIM("c", "'requests':[" EXACT("r", TAKES("1")) "," EXACT("s", TAKES("1"))
			   "," EXACT("t", "") "]")), "r=a s=a t=c");
}

/* -- what schedulers are known to decide otherwise -- */

/* The fault that the answer names, and what it says would be right. */
static const char *faults(void)
{
	static char ret[2000];
	const json_t *list = json_object_get(json_object_get(answer, "otherwise"), "faults");
	const json_t *notes = json_object_get(answer, "notes"), *text;
	size_t i;

	(void)snprintf(ret, sizeof(ret), "%zu: %s", json_array_size(list),
		       json_array_size(list) ? json_string_value(json_array_get(list, 0)) : "");
	json_array_foreach(notes, i, text)
		if (strncmp(json_string_value(text), "without that fault", 18) == 0)
			(void)snprintf(ret + strlen(ret), sizeof(ret) - strlen(ret), " | %s",
				       json_string_value(text));
	return ret;
}

#define select_by(which, ...) \
	(version = (which), told(ask((const char *const[]){ __VA_ARGS__, NULL }, false)))
#define NAMED(driver, pool, rest)                                                                  \
	"{" API "'kind':'ResourceSlice','metadata':{'name':'" driver "'},'spec':{'nodeName':'n',"  \
	"'driver':'" driver "','pool':{'name':'" pool "','generation':1,"                          \
	"'resourceSliceCount':1}," rest "}}"

static void test_kept(void)
{
	const char *slice = SLICE("s", "p", "1", SETS("2") ",'devices':[" DEVICE("a",
		",'taints':[{'key':'k','effect':'NoExecute'}],'consumesCounters':[{'counterSet':"
		"'set','counters':{'m':{'value':'2'}}}]") "," EATS("b", "1") "]");

	test("counters of a device that is refused are not given back by 1.36, and are by 1.37");
	eq(select_by("1.36.2", slice, ANY, ONE("")), "! request r: 0 of 1 devices");
	eq(faults(), "1: counters of a device that is refused afterwards, by a taint or a "
	   "constraint, are not given back (kubernetes#140436) | without that fault it would be "
	   "claim c r=p/b");
	eq(select_by("1.37", slice, ANY, ONE("")), "r=b");
	eq(faults(), "0: ");
	test("without a version the answer is right, and the other one is told");
	eq(select_by(NULL, slice, ANY, ONE("")), "r=b");
	contains(note_at(0), "Kubernetes 1.36 decides otherwise, see --kubernetes 1.36: counters");
	ok(!json_object_get(answer, "otherwise"));
	test("what a fault does not change is no matter");
	eq(select_by("1.36.2", slice, ANY, ONE(TOLERATES("{'operator':'Exists'}"))), "r=a");
	eq(faults(), "0: ");
	test("a gate that is off by default in a version is told");
	eq(select_by("1.34", slice, ANY, ONE(TOLERATES("{'operator':'Exists'}"))), "r=a");
	contains(note_at(0), "DRAPartitionableDevices");
	version = NULL;
}

static void test_faulty_counters(void)
{
	const char *had = SLICE("s", "p", "1", SETS("4") ",'devices':[" PART("a", "8",
		",'consumesCounters':[{'counterSet':'set','counters':{'m':{'value':'3'}}}]") ","
		EATS("b", "2") "]");

	test("counters of a shared device that somebody has count from 1.36.2 on");
	eq(select_by("1.36.1", had, ANY, SHARE("a", "8"), ONE("")), "r=b");
	contains(faults(), "1: counters of a device that several share");
	eq(select_by("1.36.2", had, ANY, SHARE("a", "8"), ONE("")), "! request r: 0 of 1 devices");
	test("a scheduler before 1.36.2 panics where all are asked for and one has counters");
	eq(select_by("1.36.1", SLICE("s", "p", "1", SETS("4") ",'devices':[" EATS("a", "1") "]"),
		     ANY, ONE(",'allocationMode':'All'")), "! request r: the "
	   "scheduler panics where all devices are asked for and one of them consumes counters");
	contains(faults(), "(kubernetes#138882)");
	test("what comes after the last version that is known is told");
	eq(select_by("1.99", had, ANY, ONE("")), "r=a");
	ok(is_noted("what Kubernetes later than 1.37 decides otherwise is not known here"));
	test("pools of one name of two drivers have one another's counters in 1.36");
	eq(select_by("1.36.2", NAMED("d.example", "p", SETS("1") ",'devices':[" EATS("a", "1") "]"),
		     NAMED("e.example", "p", SETS("1") ",'devices':[" EATS("b", "1") "]"), ANY,
		     ONE(",'count':2")), "! request r: 1 of 2 devices");
	contains(faults(), "1: counters are known by the name of the pool without its driver");
	contains(faults(), "it would be claim c r=p/a r=p/b");
	test("a set that is overdrawn stops all devices of its pool that consume any");
	eq(select_by(NULL, SLICE("s", "p", "1", "'sharedCounters':[{'name':'set','counters':{'m':{"
				 "'value':'1'}}},{'name':'two','counters':{'m':{'value':'1'}}}],"
				 "'devices':[" EATS("a", "2") "," DEVICE("b", ",'consumesCounters':"
				 "[{'counterSet':'two','counters':{'m':{'value':'1'}}}]") ","
				 DEVICE("c", "") "]"), ANY, ALLOCATED("a", ""), ONE("")), "r=c");
	eq(why_not("r", "b"), "not enough is left of counter set set");
}

static void test_faulty_constraints(void)
{
	const char *three = DEVICES(COLOUR("a", "x") "," COLOUR("b", "y") "," COLOUR("c", "x"));
	const char *lists = DEVICES(DEVICE("a", ",'attributes':{'l':{'ints':[1,2]}}") ","
				    DEVICE("b", ",'attributes':{'l':{'int':2}}"));

	test("distinctAttribute of several devices of a request: 1.36 compares with the last");
	eq(select_by("1.36", three, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':3") "],"
		     "'constraints':[{'distinctAttribute':'d.example/colour'}]")), "r=a r=b r=c");
	contains(faults(), "1: distinctAttribute remembers one value of each request");
	contains(faults(), "it would be claim c without any device");
	test("constraints do not see lists in 1.36, but the first device may have one");
	eq(select_by("1.36", lists, ANY, PAIR("{'matchAttribute':'d.example/l'}")),
	   "! request s: 0 of 1 devices");
	contains(faults(), "1: constraints do not see values of attributes that are lists");
	eq(select_by("1.36", lists, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "],"
		     "'constraints':[{'matchAttribute':'d.example/l'}]")), "r=a");
	test("a constraint of both kinds is one of matchAttribute, which is told");
	eq(select_by(NULL, three, ANY, PAIR("{'matchAttribute':'d.example/colour',"
					    "'distinctAttribute':'d.example/colour'}")),
	   "r=a s=c");
	contains(note_at(0), "the scheduler goes by matchAttribute alone");
}

static void test_faulty_capacity(void)
{
	const char *two = DEVICES(PART("a", "4", "") "," PART("b", "4", ""));

	test("a capacity that is asked for by another spelling is none in 1.36");
	eq(select_by("1.36", two, ANY, ONE(",'capacity':{'requests':{'d.example/m':'1'}}")),
	   "! request r: 0 of 1 devices");
	contains(faults(), "1: a capacity is known by the name that the slice has alone");
	test("less than nothing may be asked for in 1.36");
	eq(select_by("1.36", two, ANY, ONE(TAKES("-1"))), "r=a");
	contains(allocated("devices", "results"), "\"consumedCapacity\":{\"m\":\"-1\"}");
	contains(faults(), "1: a request for a capacity may be below 0");
	test("all devices are those with capacity left in 1.36, and each that has it at all else");
	eq(select_by("1.36", two, ANY, SHARE("a", "4"), ONE(",'allocationMode':'All'" TAKES("1"))),
	   "r=b");
	contains(faults(), "(kubernetes#140769)");
	eq(select_by("1.37", two, ANY, SHARE("a", "4"), ONE(",'allocationMode':'All'" TAKES("1"))),
	   "! request r: 1 of 2 devices");
	test("steps are whole in 1.36");
	eq(select_by("1.36", POLICY("10", "'default':'1','validRange':{'min':'500m','step':"
				    "'500m'}"), WANTS("1200m")), "r=a");
	contains(allocated("devices", "results"), "{\"m\":\"2\"}");
	contains(faults(), "1: steps of a requestPolicy are counted in whole numbers");
	eq(select_by("1.37", POLICY("10", "'default':'1','validRange':{'min':'500m','step':"
				    "'500m'}"), WANTS("1200m")), "r=a");
	contains(allocated("devices", "results"), "{\"m\":\"1500m\"}");
	test("what is no number once it is whole is more than there is");
	eq(select_by("1.36", POLICY(MOST ".8", "'default':'1','validRange':{'min':'0','step':'1'}"),
		     WANTS(MOST ".5")), "! request r: 0 of 1 devices");
	eq(why_not("r", "a"), "its capacity m has a requestPolicy that allows no more");
	version = NULL;
}

static void test_taken_as_upstream(void)
{
	char text[3000];
	int n = snprintf(text, sizeof(text), "{" API "'kind':'ResourceClaim','metadata':{'name':'c'"
			 "},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
			 "'deviceClassName':'any','tolerations':[{'key':'k','value':'v'}");

	for (int i = 0; i < 16; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",{'key':'k%d'}", i);
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "]}}]}}}");
	test("17 tolerations are taken, which is told; the operator is put in");
	eq(select_of(DEVICES(TAINTED("a", "v", "NoSchedule")), ANY, text), "r=a");
	contains(note_at(0), "more than 16 tolerations");
	contains(allocated("devices", "results"), "[{\"key\":\"k\",\"operator\":\"Equal\","
		 "\"value\":\"v\"},{\"key\":\"k0\",\"operator\":\"Equal\"},");
	test("an expression is asked for devices of other nodes in a slice of both");
	eq(select_of("{" API "'kind':'ResourceSlice','metadata':{'name':'s'},'spec':{'driver':"
		     "'d.example','perDeviceNodeSelection':true,'pool':{'name':'p',"
		     "'resourceSliceCount':1},'devices':[{'name':'a','nodeName':'other'},{'name':"
		     "'b','nodeName':'n','attributes':{'colour':{'string':'x'}}}]}}", ANY,
		     ONE(IS("x"))) + 0, told(0));
	contains(told(0), "! device a of pool p of driver d.example: request r: selectors[0] ");
	test("all devices: a pool whose counters are here, but not all slices, is in the way");
	eq(select_of("{" API "'kind':'ResourceSlice','metadata':{'name':'s'},'spec':{'driver':"
		     "'d.example','perDeviceNodeSelection':true,'pool':{'name':'p',"
		     "'resourceSliceCount':2}," SETS("1") "}}",
		     SLICE("t", "q", "1", "'devices':[" DEVICE("b", "") "]"), ANY,
		     ONE(",'allocationMode':'All'")), "! request r: all are asked for, but pool p "
	   "of driver d.example is not whole: of its slices 1 are here, of 2");
}

/* -- pools and nodes -- */

#define OF(name, pool, nodes, device)                                                             \
	"{" API "'kind':'ResourceSlice','metadata':{'name':'" name "'},'spec':{" nodes ","         \
	"'driver':'d.example','pool':{'name':'" pool "','generation':1,'resourceSliceCount':1},"   \
	"'devices':[" device "]}}"
#define LABEL(key, value)                                                                         \
	"{'key':'" key "','operator':'In','values':['" value "']}"
#define ON(terms) "'nodeSelector':{'nodeSelectorTerms':[" terms "]}"
#define BY_NAME(op, node)                                                                         \
	ON("{'matchFields':[{'key':'metadata.name','operator':'" op "','values':['" node "']}]}")

static void test_pools(void)
{
	const char *part = SLICE("s", "p", "2", "'devices':[" DEVICE("a", "") "]");
	const char *whole = SLICE("t", "q", "1", "'devices':[" DEVICE("b", "") "]");

	test("D04: nothing is allocated of a pool of which a slice is missing");
	eq(select_of(part, whole, ANY, ONE("")), "r=b");
	eq(why_not("r", "a"), "of its slices 1 are here, of 2");
	eq(note_at(0), "pool p of driver d.example: nothing is allocated of it: of its slices 1 "
	   "are here, of 2");
	test("D04: and then nobody can have all devices");
	eq(select_of(part, whole, ANY, ONE(",'allocationMode':'All'")), "! request r: all are "
	   "asked for, but pool p of driver d.example is not whole: of its slices 1 are here, "
	   "of 2");
	eq(select_of(part, whole, ANY, FIRST(SUB("x", ",'allocationMode':'All'") "," SUB("y", ""))),
	   "! request r/x: all are asked for, but pool p of driver d.example is not whole: of its "
	   "slices 1 are here, of 2");
	eq(select_of(SLICE("s", "p", "2", "'devices':[]"), whole, ANY,
		     ONE(",'allocationMode':'All'")), "! request r: all are asked for, but pool p "
	   "of driver d.example is not whole: of its slices 1 are here, of 2");
	test("D04: but of a pool of other nodes nothing is asked for");
	eq(select_of(OF("s", "p", "'nodeName':'other'", DEVICE("a", "") "," DEVICE("a", "")), whole,
		     ANY, ONE(",'allocationMode':'All'")), "r=b");
	test("D06: nor of one in which two devices have one name");
	eq(select_of(DEVICES(DEVICE("a", "") "," DEVICE("a", "")), whole, ANY, ONE("")), "r=b");
	eq(why_not("r", "a"), "it has two devices 'a'");
	test("D06: two pools may have devices of one name");
	eq(select_of(whole, DEVICES(DEVICE("b", "")), ANY, ONE(",'count':2")), "r=b r=b");
	test("pools are tried by name, those with bindingConditions last");
	eq(select_of(SLICE("1", "z", "1", "'devices':[" DEVICE("z", "") "]"),
		     SLICE("2", "x", "1", "'devices':[" DEVICE("x", ",'bindingConditions':['c'],"
				"'bindingFailureConditions':['f']") "]"),
		     SLICE("3", "y", "1", "'devices':[" DEVICE("y", "") "]"), ANY,
		     ONE(",'count':3")),
	   "r=y r=z r=x");
	test("what other nodes have of a pool does not put it last");
	eq(select_of(SLICE("1", "z", "1", "'devices':[" DEVICE("z", "") "]"),
		     SLICE("2", "x", "2", "'devices':[" DEVICE("x", "") "]"),
		     "{" API "'kind':'ResourceSlice','metadata':{'name':'3'},'spec':{'nodeName':"
		     "'other','driver':'d.example','pool':{'name':'x','generation':1,"
		     "'resourceSliceCount':2},'devices':[{'name':'y','bindingConditions':['c'],"
		     "'bindingFailureConditions':['f']}]}}", ANY, ONE("")), "r=x");
	test("D08: devices of another node do not count");
	eq(select_of("{" API "'kind':'ResourceSlice','metadata':{'name':'s'},'spec':{'driver':'d',"
		     "'nodeName':'other','pool':{'name':'o','resourceSliceCount':1},'devices':[{"
		     "'name':'a'}]}}", whole, ANY, ONE(",'allocationMode':'All'")), "r=b");
	test("D08: a nodeSelector may name the node, or other nodes");
	eq(select_of(OF("s", "p", BY_NAME("In", "n"), DEVICE("a", "")),
		     OF("t", "q", BY_NAME("In", "other"), DEVICE("b", "")),
		     OF("u", "x", BY_NAME("NotIn", "other"), DEVICE("c", "")),
		     OF("v", "y", BY_NAME("NotIn", "n"), DEVICE("d", "")), ANY,
		     ONE(",'allocationMode':'All'")), "r=a r=c");
	eq(note_at(0), "");
	test("D08: a term without a requirement selects no node");
	eq(select_of(OF("s", "p", ON("{}"), DEVICE("a", "")),
		     OF("u", "x", ON("{},{'matchFields':[],'matchExpressions':[]}"),
			DEVICE("c", "")), whole, ANY, ONE(",'allocationMode':'All'")), "r=b");
	test("D08: labels of the node are not known, which is told");
	eq(select_of(OF("s", "p", ON("{'matchExpressions':[" LABEL("x", "1") "]}"),
			DEVICE("a", "")), ANY, ONE("")), "r=a");
	contains(note_at(0), "nodeSelector of a ResourceSlice: taken");
	test("D08: a device may say for itself which nodes have it");
	eq(select_of("{" API "'kind':'ResourceSlice','metadata':{'name':'s'},'spec':{'driver':'d',"
		     "'perDeviceNodeSelection':true,'pool':{'name':'o','resourceSliceCount':1},"
		     "'devices':[{'name':'a','nodeName':'other'},{'name':'b','nodeName':'n'},"
		     "{'name':'c','allNodes':true}]}}", ANY, ONE(",'allocationMode':'All'")),
	   "r=b r=c");
}

/* -- what is written of an allocation -- */

#define OPAQUE(name) "'opaque':{'driver':'d.example','parameters':{'p':'" name "'}}"

static void test_configuration(void)
{
	const char *two = DEVICES(DEVICE("a", "") "," DEVICE("b", ""));
	const char *class = "{" API "'kind':'DeviceClass','metadata':{'name':'any'},'spec':{"
			    "'config':[{" OPAQUE("class") "}]}}";

	test("D14: a class's configuration names all requests of that class");
	ok(*select_of(two, class, CLAIM("c", "'requests':[" EXACT("r", "") ","
					EXACT("s", "") "]")));
	eq(allocated("devices", "config"), "[{\"opaque\":{\"driver\":\"d.example\",\"parameters\":"
	   "{\"p\":\"class\"}},\"requests\":[\"r\",\"s\"],\"source\":\"FromClass\"}]");
	test("D14: a claim's configuration names what the claim names, if that is chosen");
	ok(*select_of(two, ANY, CLAIM("c", "'requests':[{'name':'r','firstAvailable':["
		      SUB("x", ",'count':3") "," SUB("y", "") "]}],'config':[{'requests':['r/x'],"
		      OPAQUE("x") "},{'requests':['r/y']," OPAQUE("y") "}]")));
	eq(allocated("devices", "config"), "[{\"opaque\":{\"driver\":\"d.example\",\"parameters\":"
	   "{\"p\":\"y\"}},\"requests\":[\"r/y\"],\"source\":\"FromClaim\"}]");
	ok(*select_of(two, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "],'config':[{"
				      OPAQUE("all") "}]")));
	eq(allocated("devices", "config"), "[{\"opaque\":{\"driver\":\"d.example\",\"parameters\":"
	   "{\"p\":\"all\"}},\"source\":\"FromClaim\"}]");
}

#define PER_DEVICE(nodes) OF("s", "p", "'perDeviceNodeSelection':true", DEVICE("a", "," nodes))
#define TERMS ON("{'matchFields':[{'key':'metadata.name','operator':'In','values':['other']}]}," \
		 "{'matchFields':[{'key':'metadata.name','operator':'In','values':['n']}]}")

static void test_allocation(void)
{
	test("what a pod has to wait for is in the allocation");
	eq(select_of(DEVICES(DEVICE("a", ",'bindingConditions':['c'],'bindingFailureConditions':"
				    "['f']")), ANY, ONE("")), "r=a");
	eq(allocated("devices", "results"), "[{\"bindingConditions\":[\"c\"],"
	   "\"bindingFailureConditions\":[\"f\"],\"device\":\"a\",\"driver\":\"d.example\","
	   "\"pool\":\"p\",\"request\":\"r\"}]");
	test("D08: nodes that have all of the devices: what each slice requires");
	eq(select_of(OF("s", "p", ON("{'matchExpressions':[" LABEL("x", "1") "]}"),
			DEVICE("a", "")),
		     OF("t", "q", ON("{'matchExpressions':[" LABEL("x", "1") "," LABEL("y", "2")
				     "]}"), DEVICE("b", "")),
		     OF("u", "z", "'allNodes':true", DEVICE("c", "")), ANY, ONE(",'count':3")),
	   "r=a r=b r=c");
	eq(allocated("nodeSelector", NULL), "{\"nodeSelectorTerms\":[{\"matchExpressions\":["
	   "{\"key\":\"x\",\"operator\":\"In\",\"values\":[\"1\"]},"
	   "{\"key\":\"y\",\"operator\":\"In\",\"values\":[\"2\"]}]}]}");
	test("D08: a device that binds to a node is this node's from then on");
	eq(select_of(OF("s", "p", "'allNodes':true", DEVICE("a", ",'bindsToNode':true")), ANY,
		     ONE("")), "r=a");
	eq(allocated("nodeSelector", NULL), "{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":"
	   "\"metadata.name\",\"operator\":\"In\",\"values\":[\"n\"]}]}]}");
	test("D08: a device that says its nodes in two terms cannot be allocated");
	eq(select_of(PER_DEVICE(TERMS), ANY, ONE("")), "! device a of pool p of driver d.example "
	   "has a nodeSelector of 2 terms, and an allocation has one");
	eq(select_of(PER_DEVICE(TERMS ",'bindsToNode':true"), ANY, ONE("")), "r=a");
}

/* -- claims as they are written -- */

#define E4 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
#define E16 E4 E4 E4 E4

#define TOLD(config) CLAIM("c", "'requests':[" EXACT("r", "") "],'config':[" config "]")

static void test_claims(void)
{
	const char *one = DEVICES(DEVICE("a", ""));

	test("D14: a ResourceClaimTemplate is a claim");
	eq(select_of(one, ANY, "{" API "'kind':'ResourceClaimTemplate','metadata':{'name':'t',"
		     "'namespace':'x'},'spec':{'spec':{'devices':{'requests':[" EXACT("r", "")
		     "]}}}}"), "r=a");
	eq(text_at(claim_at(0), "claim"), "x/t");
	test("D03: a request of v1beta1 has no `exactly`, one of v1 has");
	eq(select_of(one, ANY, "{'apiVersion':'resource.k8s.io/v1beta1','kind':'ResourceClaim',"
		     "'metadata':{'name':'c'},'spec':{'devices':{'requests':[{'name':'r',"
		     "'deviceClassName':'any'}]}}}"), "r=a");
	eq(select_of(one, ANY, CLAIM("c", "'requests':[{'name':'r','deviceClassName':'any'}]")),
	   "! spec.devices.requests[0]: request r: deviceClassName: from v1beta2 on it is in "
	   "'exactly'");
	test("D33: of v1beta1, firstAvailable is alone in a request; an empty one is none");
	eq(select_of(one, ANY, "{'apiVersion':'resource.k8s.io/v1beta1','kind':'ResourceClaim',"
		     "'metadata':{'name':'c'},'spec':{'devices':{'requests':[{'name':'r','count':2,"
		     "'firstAvailable':[" SUB("s", "") "]}]}}}"),
	   "! spec.devices.requests[0]: request r: firstAvailable: not with count");
	eq(select_of(one, ANY, CLAIM("c", "'requests':[{'name':'r','firstAvailable':[],'exactly':"
				     "{'deviceClassName':'any'}}]")), "r=a");
	eq(select_of(one, ANY, FIRST("")), "! spec.devices.requests[0]: request r: expected one "
	   "of exactly and firstAvailable");
	test("what the API server puts in may be empty, too: one device, exactly");
	eq(select_of(one, ANY, ONE(",'count':0,'allocationMode':''")), "r=a");
	eq(select_of(one, ANY, ONE(",'count':0,'allocationMode':'All'")), "r=a");
	test("a request that is wrong is told");
	eq(select_of(one, ANY, ONE(",'count':-1")), "! spec.devices.requests[0]: request r: count: "
	   "expected an integer of 0 to 9223372036854775807, got -1");
	eq(select_of(one, ANY, ONE(",'count':2,'allocationMode':'All'")), "! spec.devices.requests"
	   "[0]: request r: count: not with allocationMode All");
	eq(select_of(one, ANY, ONE(",'selector':[]")), "! spec.devices.requests[0]: request r: "
	   "exactly: unknown key 'selector', did you mean selectors?");
	eq(select_of(one, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "," EXACT("r", "") "]")),
	   "! spec.devices.requests[1]: a second 'r'");
	eq(select_of(one, ANY, CLAIM("c", "'requests':[{'name':'r','exactly':{'deviceClassName':"
		     "'any','Selectors':[]}}]")), "! spec.devices.requests[0]: request r: "
	   "exactly: unknown key 'Selectors', did you mean selectors?");
	eq(select_of(one, ANY, CLAIM("c", "'request':[]")), "! spec.devices: unknown key "
	   "'request', did you mean requests?");
	eq(select_of(one, ANY, "{" API "'kind':'ResourceClaim','metadata':{'name':'c'},'spec':[]}"),
	   "! spec: expected an object, got a list");
	test("what a driver is told has a form, in a claim as in a class");
	eq(select_of(one, ANY, TOLD("{'requests':['r'],'opaque':{'driver':'d.example','parameters':"
				    "{'mtu':9000}}}")), "r=a");
	eq(select_of(one, ANY, TOLD("{'requests':['s'],'opaque':{'driver':'d.example','parameters':"
				    "{}}}")),
	   "! spec.devices: config[0]: requests[0]: the claim has no request 's'");
	eq(select_of(one, ANY, TOLD("{}")), "! spec.devices: config[0]: opaque is missing");
	eq(select_of(one, ANY, TOLD("{'opaque':{'parameters':{}}}")),
	   "! spec.devices: config[0]: opaque: driver is missing");
	eq(select_of(one, ANY, TOLD("{'opaque':{'driver':'d.example','parameters':'mtu=9000'}}")),
	   "! spec.devices: config[0]: opaque: parameters: expected an object, got a string");
	eq(select_of(one, CLASS("any", "],'config':[{'opaque':{'driver':'d.example'}}"), ONE("")),
	   "! spec.devices.requests[0]: request r: DeviceClass any: spec: config[0]: opaque: "
	   "parameters are missing");
	test("what was not tried, and what could be met, is told of other claims, too");
	(void)ask((const char *const[]){ DEVICES(DEVICE("a", "") "," DEVICE("b", "")), ANY,
		  CLAIM("c", "'requests':[" EXACT("r", "") "," EXACT("s", "") "]"),
		  CLAIM("d", "'requests':[" EXACT("r", "") "]"),
		  CLAIM("e", "'requests':[" EXACT("r", "") "]"), NULL }, true);
	eq(reason_of(0, 0), "alone it could be met");
	eq(reason_of(0, 1), "alone it could be met");
	eq(reason_of(1, 0), "0 of 1 devices");
	eq(reason_of(2, 0), "not tried");
	test("a claim may ask for no device");
	eq(select_of(one, ANY, CLAIM("c", "")), "");
	ok(json_is_true(json_object_get(claim_at(0), "satisfied")));
	test("a name that is none is not printed, and a text that is cut stays one");
	eq(select_of(one, ANY, CLAIM("\xc3\xa9", "'requests':[" EXACT("r", "") "]")), "r=a");
	eq(text_at(claim_at(0), "claim"), "(no name)");
	eq(select_of(one, ANY, CLAIM("c", "'requests':[" EXACT("r", "") "],'constraints':[{"
		     "'matchAttribute':'x" E16 E16 E16 "'}]")), "! ?");
	contains(select_of(one, CLASS("\xc3\xa9", ""), ONE("")), "no DeviceClass 'any'");
	test("no claim at all is an error");
	eq(select_of(one, ANY), "there is no ResourceClaim or ResourceClaimTemplate to select "
	   "devices for");
}

static void test_limits(void)
{
	static char many[8000];
	size_t used = (size_t)snprintf(many, sizeof(many), "%s", "{" API "'kind':'ResourceSlice',"
				       "'metadata':{'name':'s'},'spec':{'driver':'d.example',"
				       "'nodeName':'n','pool':{'name':'p','resourceSliceCount':1},"
				       "'devices':[");

	for (int i = 0; i < 64; i++)
		used += (size_t)snprintf(many + used, sizeof(many) - used, "%s{'name':'d%d',"
					 "'attributes':{'x':{'int':%d}}}", i ? "," : "", i, i / 4);
	(void)snprintf(many + used, sizeof(many) - used, "]}}");
	test("a claim has at most 32 devices");
	ok(strlen(select_of(many, ANY, ONE(",'count':32"))) > 31 * 4);
	eq(select_of(many, ANY, ONE(",'count':33")),
	   "! 33 devices, 32 are allowed in a claim");
	eq(select_of(many, ANY, ONE(",'allocationMode':'All'")),
	   "! 64 devices, 32 are allowed in a claim");
	eq(select_of(many, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':20") ","
				      EXACT("s", ",'count':20") "]")),
	   "! 40 devices, 32 are allowed in a claim");
	test("D33: a subrequest with too many gives way to the next");
	ok(strstr(select_of(many, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':30") ",{"
			    "'name':'s','firstAvailable':[" SUB("a", ",'count':3") ","
			    SUB("b", ",'count':2") "]}]")), " r=d29 s/b=d30 s/b=d31") != NULL);
	eq(select_of(many, ANY, FIRST(SUB("a", ",'count':40") "," SUB("b", ",'count':1"))),
	   "r/b=d0");
	eq(select_of(many, ANY, FIRST(SUB("a", ",'count':2147483648") "," SUB("b", ""))),
	   "r/b=d0");
	test("as many as the API server takes are too many, and no error");
	eq(select_of(many, ANY, ONE(",'count':2147483648")),
	   "! 2147483648 devices, 32 are allowed in a claim");
	eq(select_of(many, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':9223372036854775807")
				      "," EXACT("s", ",'count':9223372036854775807") "]")),
	   "! 576460752303423486 devices, 32 are allowed in a claim");
	test("D33: other devices are not tried where a claim has too many: another choice is");
	ok(strstr(select_of(many, ANY, CLAIM("c", "'requests':[{'name':'r','firstAvailable':["
			    SUB("a", ",'count':32") "," SUB("b", ",'count':16") "]},{'name':'s',"
			    "'firstAvailable':[" SUB("a", ",'count':32") ","
			    SUB("b", ",'count':16") "]}]")), " r/b=d15 s/b=d16 ") != NULL);
	ok(strstr(select_of(many, ANY, CLAIM("c", "'requests':[{'name':'r','firstAvailable':["
			    SUB("a", ",'count':24") "," SUB("b", ",'count':16") "]},"
			    EXACT("s", ",'count':16") "]"), CLAIM("e", "'requests':["
			    EXACT("r", ",'count':32") "]")), " r/b=d15 s=d16 ") != NULL);
	test("a request that no device meets is told, however many there are for those before it");
	eq(select_of(many, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':8") ","
				      EXACT("s", ",'count':8") ","
				      EXACT("t", ",'selectors':[" CEL("false") "]") "]")),
	   "! request t: 0 of 1 devices");
	test("the search is bounded, and too few devices are told without it");
	eq(select_of(many, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':20") "],"
		     "'constraints':[{'distinctAttribute':'d.example/x'},{'matchAttribute':"
		     "'d.example/y'}]")), "! request r: 0 of 20 devices");
	eq(select_of(many, ANY, CLAIM("c", "'requests':[" EXACT("r", ",'count':8") ","
		     EXACT("s", ",'count':8") "," EXACT("t", "") "],'constraints':[{"
		     "'distinctAttribute':'d.example/x'}]")),
	   "! no set of devices was found in 100000 steps");
}

static void test_time(void)
{
	const struct deadline past = { .at_ms = 0 };

	until = &past;
	test("a search whose time is over is given up, and what was not asked is told as such");
	eq(select_of(DEVICES(COLOUR("a", "black")), ANY, ONE("")),
	   "! no set of devices was found in time");
	eq(why_not("r", "a"), "it was not evaluated within the time limit");
	until = NULL;
}

int main(void)
{
	test_classes();
	test_expressions();
	test_modes();
	test_first_available();
	test_constraints();
	test_tolerations();
	test_taints();
	test_allocated();
	test_kubelet();
	test_counters();
	test_groups();
	test_capacity();
	test_policy();
	test_shares();
	test_kept();
	test_faulty_counters();
	test_faulty_constraints();
	test_faulty_capacity();
	test_taken_as_upstream();
	test_pools();
	test_configuration();
	test_allocation();
	test_claims();
	test_limits();
	test_time();
	json_decref(answer);
	return tap_end();
}
