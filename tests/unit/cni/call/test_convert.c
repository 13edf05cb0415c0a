/* SPDX-License-Identifier: Apache-2.0 */
/* test_convert.c - results of every version, read, checked and written in every version */
#include "base/jx.h"
#include "base/mem.h"
#include "cni/call/convert.h"
#include "tests/unit/tap.h"

/* JSON with ' for ", which would all have to be escaped. */
static json_t *json(const char *text)
{
	auto_free char *copy = strdup(text);
	json_error_t je;
	json_t *v;

	for (char *p = copy; p && *p; p++)
		if (*p == '\'')
			*p = '"';
	v = json_loads(copy ? copy : "", JSON_DECODE_ANY, &je);
	if (!v) {
		(void)printf("Bail out! %s: %s\n", je.text, text);
		exit(1);
	}
	return v;
}

static json_t *read_as(const json_t *o, enum cni_version assumed, struct err *e)
{
	json_t *result = NULL;

	return result_read(o, assumed, "prevResult", ERR_NETCONF, &result, e) < 0 ? NULL : result;
}

static json_t *written(const json_t *result, enum cni_version v)
{
	json_t *o = NULL;
	struct err e;

	return result_write(result, v, &o, &e) < 0 ? NULL : o;
}

/* The same in another version, all the way; NULL when it was refused. */
static json_t *converted(const json_t *o, enum cni_version v)
{
	struct err e;
	json_auto_t *result = read_as(o, v, &e);

	return result ? written(result, v) : NULL;
}

/* What is wanted, with that version in it. */
static json_t *of_version(const char *text, enum cni_version v)
{
	json_t *o = json(text);

	(void)json_object_set_new(o, "cniVersion", json_string(cni_version_name(v)));
	return o;
}

/* One check: equal as JSON, and what both are when they are not. */
static void same(const char *sentence, const json_t *have, const json_t *want)
{
	auto_free char *a = json_dumps(have, JSON_ENCODE_ANY);
	auto_free char *b = json_dumps(want, JSON_ENCODE_ANY);

	test(sentence);
	ok(json_equal(have, want));
	if (!json_equal(have, want))
		(void)printf("#  have %s\n#  want %s\n", a ? a : "nothing", b ? b : "nothing");
}

/* -- every version in, every version out -- */

#define DNS                                                                             \
	"'dns':{'nameservers':['192.0.2.53'],'domain':'example.org',"                   \
	"'search':['example.org'],'options':['ndots:2']}"
#define IP4	"'192.0.2.5/24','gateway':'192.0.2.1'"
#define IP6	"'2001:db8::5/64','gateway':'2001:db8::1'"
#define ROUTE4	"{'dst':'0.0.0.0/0','gw':'192.0.2.1'}"
#define ROUTE6	"{'dst':'::/0'}"
#define ROUTES	"'routes':[" ROUTE4 "," ROUTE6 "]"
#define BRIDGE	"{'name':'cni0','mac':'02:00:00:00:00:01'}"
#define NET1	"'name':'net1','mac':'02:00:00:00:00:02','sandbox':'/run/netns/pod1'"

/* What the versions before 0.3.0 can tell; and what is left of it in newer ones. */
#define FAMILIES                                                                        \
	"{'ip4':{'ip':" IP4 ",'routes':[" ROUTE4 "]},"                                  \
	"'ip6':{'ip':" IP6 ",'routes':[" ROUTE6 "]}," DNS "}"
#define LISTS_NO_INTERFACE                                                              \
	"{'ips':[{'address':" IP4 "},{'address':" IP6 "}]," ROUTES "," DNS "}"
#define VERSIONED_NO_INTERFACE                                                          \
	"{'ips':[{'version':'4','address':" IP4 "},"                                    \
	"{'version':'6','address':" IP6 "}]," ROUTES "," DNS "}"

/* The same of the versions from 0.3.0 on. */
#define LISTS                                                                           \
	"{'interfaces':[" BRIDGE ",{" NET1 "}],'ips':[{'address':" IP4                  \
	",'interface':1},{'address':" IP6 ",'interface':1}]," ROUTES "," DNS "}"
#define VERSIONED                                                                       \
	"{'interfaces':[" BRIDGE ",{" NET1 "}],'ips':[{'version':'4','address':" IP4    \
	",'interface':1},{'version':'6','address':" IP6 ",'interface':1}]," ROUTES      \
	"," DNS "}"
#define RICH                                                                            \
	"{'interfaces':[" BRIDGE ",{" NET1 ",'mtu':9000,'socketPath':'/run/a.sock',"    \
	"'pciID':'0000:3b:02.1'}],'ips':[{'address':" IP4 ",'interface':1},"            \
	"{'address':" IP6 ",'interface':1}],'routes':[{'dst':'0.0.0.0/0',"              \
	"'gw':'192.0.2.1','mtu':1400,'advmss':1360,'priority':50,'table':0,"            \
	"'scope':0}," ROUTE6 "]," DNS "}"

/* The versions of one shape. */
static enum { OLD, MIDDLE, ONE, NEWEST } shape_of(enum cni_version v)
{
	return v < CNI_0_3_0 ? OLD : v < CNI_1_0_0 ? MIDDLE : v < CNI_1_1_0 ? ONE : NEWEST;
}

/* shapes[in][out]; the diagonal is what a version can carry. */
static const char *const shapes[4][4] = {
	{ FAMILIES, VERSIONED_NO_INTERFACE, LISTS_NO_INTERFACE, LISTS_NO_INTERFACE },
	{ FAMILIES, VERSIONED, LISTS, LISTS },
	{ FAMILIES, VERSIONED, LISTS, LISTS },
	{ FAMILIES, VERSIONED, LISTS, RICH },
};

static void one_conversion(enum cni_version in, enum cni_version out)
{
	json_auto_t *o = of_version(shapes[shape_of(in)][shape_of(in)], in);
	json_auto_t *before = json_deep_copy(o), *inner = NULL, *have = NULL;
	json_auto_t *want = of_version(shapes[shape_of(in)][shape_of(out)], out);
	struct err e;
	char sentence[80];

	inner = read_as(o, out, &e);
	have = written(inner, out);
	(void)snprintf(sentence, sizeof(sentence), "C-RES-01, C-RES-17, C-RES-20: %s in, %s out",
		       cni_version_name(in), cni_version_name(out));
	same(sentence, have, want);
	ok(json_equal(o, before));
	json_decref(want);
	want = of_version(shapes[shape_of(in)][NEWEST], CNI_1_1_0);
	same("inside the program it has the form of 1.1.0", inner, want);
}

static void every_version(void)
{
	for (int in = 0; in < CNI_VERSIONS; in++)
		for (int out = 0; out < CNI_VERSIONS; out++)
			one_conversion((enum cni_version)in, (enum cni_version)out);
}

/* -- the reference's shapes, and what is special to a version -- */

static void reference_shapes(void)
{
	static const struct {
		enum cni_version v;
		const char *text;
	} all[] = {
		{ CNI_0_2_0, "{'cniVersion':'0.2.0','ip4':{'ip':'192.0.2.5/24','gateway':"
			     "'192.0.2.1','routes':[{'dst':'0.0.0.0/0','gw':'192.0.2.1'}]},"
			     "'ip6':{'ip':'2001:db8::5/64','gateway':'2001:db8::1',"
			     "'routes':[{'dst':'::/0'}]},'dns':{'nameservers':"
			     "['192.0.2.53'],'domain':'example.org','search':"
			     "['example.org'],'options':['ndots:2']}}" },
		{ CNI_0_4_0, "{'cniVersion':'0.4.0','interfaces':[{'name':'net1','mac':"
			     "'02:00:00:00:00:02','sandbox':'/run/netns/pod1'}],'ips':"
			     "[{'version':'4','address':'192.0.2.5/24','gateway':"
			     "'192.0.2.1','interface':0}],'routes':[{'dst':'0.0.0.0/0',"
			     "'gw':'192.0.2.1'}],'dns':{}}" },
		{ CNI_1_1_0, "{'cniVersion':'1.1.0','interfaces':[{'name':'net1','mac':"
			     "'02:00:00:00:00:02','mtu':9000,'sandbox':'/run/netns/pod1',"
			     "'pciID':'0000:3b:02.1','socketPath':'/run/vhost/a.sock'}],"
			     "'ips':[{'address':'192.0.2.5/24','gateway':'192.0.2.1',"
			     "'interface':0}],'routes':[{'dst':'198.51.100.0/24','gw':"
			     "'192.0.2.1','mtu':1400,'advmss':1360,'priority':50,"
			     "'table':0,'scope':0}],'dns':{}}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		json_auto_t *o = json(all[i].text), *have = converted(o, all[i].v);

		same("C-RES-02, C-RES-03: a result of the reference passes as it is", have, o);
	}
}

/* What the result of 1.1.0 reads in that version. */
static void writes(const char *sentence, const char *from, enum cni_version v, const char *want)
{
	json_auto_t *o = of_version(from, CNI_1_1_0), *wanted = of_version(want, v);
	struct err e;
	json_auto_t *result = read_as(o, CNI_1_1_0, &e), *have = written(result, v);

	same(sentence, have, wanted);
}

/* What a result of that version reads in 1.1.0. */
static void reads(const char *sentence, enum cni_version v, const char *from, const char *want)
{
	json_auto_t *o = of_version(from, v), *wanted = of_version(want, CNI_1_1_0);
	struct err e;
	json_auto_t *have = read_as(o, CNI_1_1_0, &e);

	same(sentence, have, wanted);
}

static void old_addresses(void)
{
	static const char two_of_each[] =
		"{'ips':[{'address':'2001:db8::1/64'},{'address':'10.0.0.1/8'},"
		"{'address':'10.0.0.2/8'},{'address':'2001:db8::2/64'}],'routes':["
		"{'dst':'2001:db8:1::/48'},{'dst':'10.1.0.0/16','gw':'10.0.0.9',"
		"'mtu':1400},{'dst':'10.2.0.0/16'}]}";
	json_auto_t *none = json("{'interfaces':[{'name':'net1'}],'ips':[]}"), *out = NULL;
	struct err e = { 0 };

	writes("C-RES-16: before 0.3.0 the first address of each family, with that family's routes",
	       two_of_each, CNI_0_1_0,
	       "{'ip4':{'ip':'10.0.0.1/8','routes':[{'dst':'10.1.0.0/16','gw':"
	       "'10.0.0.9'},{'dst':'10.2.0.0/16'}]},'ip6':{'ip':'2001:db8::1/64',"
	       "'routes':[{'dst':'2001:db8:1::/48'}]}}");
	writes("C-RES-16: routes of a family without an address are left out",
	       "{'ips':[{'address':'10.0.0.1/8'}],'routes':[{'dst':'::/0'}]}",
	       CNI_0_2_0, "{'ip4':{'ip':'10.0.0.1/8'}}");
	writes("C-RES-16: one family alone is enough",
	       "{'ips':[{'address':'2001:db8::1/64'}],'routes':[{'dst':'0.0.0.0/0'}]}",
	       CNI_0_2_0, "{'ip6':{'ip':'2001:db8::1/64'}}");
	reads("routes without a gateway stay without one",
	      CNI_0_1_0, "{'ip4':{'ip':'10.0.0.1/8','gateway':'10.0.0.9','routes':"
			 "[{'dst':'10.1.0.0/16'}]},'ip6':null}",
	      "{'ips':[{'address':'10.0.0.1/8','gateway':'10.0.0.9'}],'routes':"
	      "[{'dst':'10.1.0.0/16'}]}");
	reads("C-RES-14: a result of 0.2.0 without an address can be read", CNI_0_2_0, "{}", "{}");
	reads("an index that 0.2.0 has not is not taken from it", CNI_0_2_0,
	      "{'ip4':{'ip':'10.0.0.1/8','interface':'x','address':7}}",
	      "{'ips':[{'address':'10.0.0.1/8'}]}");

	test("C-RES-15, C-PIT-32: without an address there is no result before 0.3.0");
	for (int v = 0; v < CNI_VERSIONS; v++) {
		bool old = result_needs_address((enum cni_version)v);

		ok(old == (v == CNI_0_1_0 || v == CNI_0_2_0));
		ok((result_write(none, (enum cni_version)v, &out, &e) < 0) == old);
		ok(old == !out);
		json_decref(steal_ptr(&out));
	}
	ok(result_write(none, CNI_0_2_0, &out, &e) < 0 && e.code == ERR_NETCONF);
	eq(e.msg, "a result of cniVersion 0.2.0 needs an address");
}

static void other_versions_keys(void)
{
	static const char with_new[] =
		"{'interfaces':[{'name':'n','mtu':9000,'socketPath':'/s','pciID':'p'}],"
		"'routes':[{'dst':'0.0.0.0/0','mtu':1,'advmss':2,'priority':3,'table':4,"
		"'scope':5}],'dns':{}}";
	static const char without[] =
		"{'interfaces':[{'name':'n'}],'routes':[{'dst':'0.0.0.0/0'}],'dns':{}}";

	reads("what the Go library left in a result of 1.0.0 is understood", CNI_1_0_0, with_new,
	      with_new);
	for (int v = CNI_0_3_0; v < CNI_1_1_0; v++)
		writes("C-RES-17: and no older version is written with it", with_new,
		       (enum cni_version)v, without);
	reads("a family, ip4 and ip6 are no keys of 1.0.0", CNI_1_0_0,
	      "{'ip4':{'ip':'10.0.0.1/8'},'ip6':{'ip':'::1/128'},'ips':[{'version':'4','address':"
	      "'10.0.0.2/8'}]}",
	      "{'ips':[{'address':'10.0.0.2/8'}]}");
	writes("a family is told from the address, as 4 or 6",
	       "{'ips':[{'address':'::ffff:10.0.0.2/128'},{'address':'10.0.0.2/8'}]}",
	       CNI_0_3_1,
	       "{'ips':[{'address':'::ffff:10.0.0.2/128','version':'6'},{'address':"
	       "'10.0.0.2/8','version':'4'}],'dns':{}}");
	reads("C-RES-18: 0.3.0 has its addresses in ips, whatever its text says", CNI_0_3_0,
	      "{'ips':[{'version':'4','address':'10.0.0.2/8'}]}",
	      "{'ips':[{'address':'10.0.0.2/8'}]}");
	writes("C-RES-18: from 0.3.0 on there is always a dns", "{}", CNI_0_3_0, "{'dns':{}}");
}

static void spellings(void)
{
	reads("C-RES-14: lists and members may be absent or null", CNI_1_1_0,
	      "{'interfaces':null,'ips':[{'address':'10.0.0.1/8','interface':null,"
	      "'gateway':null}],'routes':null,'dns':null}",
	      "{'ips':[{'address':'10.0.0.1/8'}]}");
	reads("empty lists stay", CNI_0_4_0,
	      "{'interfaces':[],'ips':[],'routes':[],'dns':{'search':[]}}",
	      "{'interfaces':[],'ips':[],'routes':[],'dns':{'search':[]}}");
	reads("an empty gateway is none", CNI_1_0_0,
	      "{'ips':[{'address':'10.0.0.1/8','gateway':''}],'routes':[{'dst':"
	      "'0.0.0.0/0','gw':''}]}",
	      "{'ips':[{'address':'10.0.0.1/8'}],'routes':[{'dst':'0.0.0.0/0'}]}");
	reads("C-JSN-02: whole reals become integers", CNI_1_1_0,
	      "{'interfaces':[{'mtu':9e3}],'ips':[{'address':'10.0.0.1/8','interface':"
	      "0.0}],'routes':[{'dst':'0.0.0.0/0','mtu':1400.0,'advmss':1.0,'priority':"
	      "4294967295.0,'table':0.0,'scope':2.55e2}]}",
	      "{'interfaces':[{'mtu':9000}],'ips':[{'address':'10.0.0.1/8','interface':"
	      "0}],'routes':[{'dst':'0.0.0.0/0','mtu':1400,'advmss':1,'priority':"
	      "4294967295,'table':0,'scope':255}]}");
}

static void unknown_members(void)
{
	static const char unknown[] =
		"{'x':{'y':[1,null,2.5]},'interfaces':[{'name':'n','x':1}],'ips':"
		"[{'address':'10.0.0.1/8','x':[2]}],'routes':[{'dst':'10.0.0.0/8',"
		"'x':null}],'dns':{'x':true}}";
	static const char family[] =
		"{'x':1,'ip4':{'ip':'10.0.0.1/8','x':2,'routes':[{'dst':'10.0.0.0/8',"
		"'x':3}]},'dns':{'x':4}}";
	json_auto_t *o = NULL, *have = NULL;

	for (int v = CNI_1_0_0; v < CNI_VERSIONS; v++)
		writes("C-RES-19: members that no version knows survive", unknown,
		       (enum cni_version)v, unknown);
	reads("C-RES-19: before 0.3.0 too", CNI_0_2_0, family,
	      "{'x':1,'ips':[{'address':'10.0.0.1/8','x':2}],'routes':[{'dst':"
	      "'10.0.0.0/8','x':3}],'dns':{'x':4}}");
	o = of_version(family, CNI_0_2_0);
	have = converted(o, CNI_0_2_0);
	same("C-RES-19: and there and back", have, o);
	writes("C-RES-19: what has a place in 0.2.0 is kept there", unknown, CNI_0_2_0,
	       "{'x':{'y':[1,null,2.5]},'ip4':{'ip':'10.0.0.1/8','x':[2],'routes':"
	       "[{'dst':'10.0.0.0/8','x':null}]},'dns':{'x':true}}");
}

/* -- which version a result is of -- */

static void whose_version(void)
{
	static const char *const unsaid[] = { "", "'cniVersion':'',", "'cniVersion':null," };
	static const char body[] = "'ip4':{'ip':'10.0.0.1/8'}}";
	char text[128];
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(unsaid); i++) {
		(void)snprintf(text, sizeof(text), "{%s%s", unsaid[i], body);
		json_auto_t *o = json(text), *want = of_version("{'ips':[{'address':"
							       "'10.0.0.1/8'}]}", CNI_1_1_0);
		json_auto_t *old = read_as(o, CNI_0_2_0, &e), *new = read_as(o, CNI_0_4_0, &e);

		same("C-RES-08, C-RES-10: without a cniVersion it is the one assumed", old, want);
		ok(new && !json_object_get(new, "ips"));
		eq(json_string_value(json_object_get(new, "cniVersion")), "1.1.0");
	}
	(void)snprintf(text, sizeof(text), "{'cniVersion':'0.1.0',%s", body);
	json_auto_t *o = json(text), *have = read_as(o, CNI_1_1_0, &e);

	test("what it says itself counts");
	ok(json_array_size(json_object_get(have, "ips")) == 1);
}

/* -- refusals -- */

struct refusal {
	const char *text, *msg;
};

static void refuses(const struct refusal *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_auto_t *o = json(r[i].text), *before = json_deep_copy(o);
		json_t *result = NULL;
		struct err e = { 0 };

		ok(result_read(o, CNI_1_1_0, "prevResult", ERR_DELEGATE, &result, &e) == -1);
		ok(!result && e.code == ERR_DELEGATE && json_equal(o, before));
		eq(e.msg, r[i].msg);
		json_decref(result);
	}
}

static void wrong_types(void)
{
	static const struct refusal bad[] = {
		{ "[]", "prevResult: expected an object, got a list" },
		{ "null", "prevResult: expected an object, got null" },
		{ "'x'", "prevResult: expected an object, got a string" },
		{ "{'cniVersion':1}", "prevResult.cniVersion: expected a string, got an integer" },
		{ "{'cniVersion':'9.9.9'}",
		  "prevResult.cniVersion: '9.9.9' is not a version we speak" },
		{ "{'interfaces':{}}", "prevResult.interfaces: expected a list, got an object" },
		{ "{'ips':'10.0.0.1/8'}", "prevResult.ips: expected a list, got a string" },
		{ "{'routes':7}", "prevResult.routes: expected a list, got an integer" },
		{ "{'dns':[]}", "prevResult.dns: expected an object, got a list" },
		{ "{'interfaces':[{'name':7}]}",
		  "prevResult.interfaces[0].name: expected a string, got an integer" },
		{ "{'interfaces':[{},{'mac':[]}]}",
		  "prevResult.interfaces[1].mac: expected a string, got a list" },
		{ "{'interfaces':[{'sandbox':{}}]}",
		  "prevResult.interfaces[0].sandbox: expected a string, got an object" },
		{ "{'interfaces':[{'socketPath':true}]}",
		  "prevResult.interfaces[0].socketPath: expected a string, got a boolean" },
		{ "{'interfaces':[{'pciID':0}]}",
		  "prevResult.interfaces[0].pciID: expected a string, got an integer" },
		{ "{'interfaces':[{'mtu':'9000'}]}",
		  "prevResult.interfaces[0].mtu: expected an integer, got a string" },
		{ "{'interfaces':[{'mtu':-1}]}",
		  "prevResult.interfaces[0].mtu: expected an integer of 0 to 4294967295, got -1" },
		{ "{'interfaces':[{'mtu':1.5}]}",
		  "prevResult.interfaces[0].mtu: expected an integer, got a number" },
		{ "{'ips':[{'version':4,'address':'10.0.0.1/8'}]}",
		  "prevResult.ips[0].version: expected a string, got an integer" },
		{ "{'routes':[{'dst':'0.0.0.0/0','scope':256}]}",
		  "prevResult.routes[0].scope: expected an integer of 0 to 255, got 256" },
		{ "{'routes':[{'dst':'0.0.0.0/0','table':4294967296}]}",
		  "prevResult.routes[0].table: expected an integer of "
		  "0 to 4294967295, got 4294967296" },
		{ "{'routes':[{'dst':'0.0.0.0/0','advmss':[]}]}",
		  "prevResult.routes[0].advmss: expected an integer, got a list" },
		{ "{'routes':[{'dst':'0.0.0.0/0','mtu':''}]}",
		  "prevResult.routes[0].mtu: expected an integer, got a string" },
		{ "{'routes':[{'dst':'0.0.0.0/0','priority':false}]}",
		  "prevResult.routes[0].priority: expected an integer, got a boolean" },
		{ "{'dns':{'domain':[]}}", "prevResult.dns.domain: expected a string, got a list" },
		{ "{'dns':{'search':'x'}}",
		  "prevResult.dns.search: expected a list, got a string" },
		{ "{'dns':{'options':['a',7]}}",
		  "prevResult.dns.options[1]: expected a string, got an integer" },
		{ "{'cniVersion':'0.2.0','ip4':[]}",
		  "prevResult.ip4: expected an object, got a list" },
		{ "{'cniVersion':'0.2.0','ip6':{'ip':7}}",
		  "prevResult.ip6.ip: expected a string, got an integer" },
		{ "{'cniVersion':'0.1.0','ip4':{'ip':'10.0.0.1/8','routes':{}}}",
		  "prevResult.ip4.routes: expected a list, got an object" },
	};
	static const struct refusal nulls[] = {
		{ "{'interfaces':[null]}",
		  "prevResult.interfaces[0]: expected an object, got null" },
		{ "{'ips':[{'address':'10.0.0.1/8'},null]}",
		  "prevResult.ips[1]: expected an object, got null" },
		{ "{'routes':[null]}", "prevResult.routes[0]: expected an object, got null" },
		{ "{'dns':{'nameservers':[null]}}",
		  "prevResult.dns.nameservers[0]: expected a string, got null" },
		{ "{'cniVersion':'0.2.0','ip4':{'ip':'10.0.0.1/8','routes':[null]}}",
		  "prevResult.ip4.routes[0]: expected an object, got null" },
	};
	json_t *result = NULL;
	struct err e = { 0 };

	test("C-RES-11: a member of a wrong type is named with its path");
	refuses(bad, ARRAY_SIZE(bad));
	test("C-RES-12: null in a list is refused");
	refuses(nulls, ARRAY_SIZE(nulls));
	test("C-RES-09: no result at all is refused too");
	ok(result_read(NULL, CNI_1_0_0, "plugin p: result", ERR_DELEGATE, &result, &e) == -1 &&
	   e.code == ERR_DELEGATE);
	eq(e.msg, "plugin p: result: expected an object, got nothing");
}

static void bad_addresses(void)
{
	static const struct refusal bad[] = {
		{ "{'ips':[{'address':'10.0.0.1/8'},{'address':'10.0.0.0/33'}]}",
		  "prevResult.ips[1].address: '10.0.0.0/33' is not an address with a prefix "
		  "length" },
		{ "{'ips':[{'address':'10.0.0.1'}]}",
		  "prevResult.ips[0].address: '10.0.0.1' is not an address with a prefix length" },
		{ "{'ips':[{'address':''}]}",
		  "prevResult.ips[0].address: '' is not an address with a prefix length" },
		{ "{'ips':[{}]}", "prevResult.ips[0].address: missing" },
		{ "{'ips':[{'address':null}]}", "prevResult.ips[0].address: missing" },
		{ "{'ips':[{'address':'10.0.0.1/8','gateway':'10.0.0'}]}",
		  "prevResult.ips[0].gateway: '10.0.0' is not an IP address" },
		{ "{'ips':[{'address':'10.0.0.1/8','gateway':1}]}",
		  "prevResult.ips[0].gateway: expected a string, got an integer" },
		{ "{'routes':[{'dst':'2001:db8::/129'}]}",
		  "prevResult.routes[0].dst: '2001:db8::/129' is not an address with a prefix "
		  "length" },
		{ "{'routes':[{'gw':'10.0.0.1'}]}", "prevResult.routes[0].dst: missing" },
		{ "{'routes':[{'dst':'0.0.0.0/0'},{'dst':'0.0.0.0/0','gw':'gw'}]}",
		  "prevResult.routes[1].gw: 'gw' is not an IP address" },
		{ "{'cniVersion':'0.2.0','ip4':{}}", "prevResult.ip4.ip: missing" },
		{ "{'cniVersion':'0.2.0','ip6':{'ip':'2001:db8::1'}}",
		  "prevResult.ip6.ip: '2001:db8::1' is not an address with a prefix length" },
		{ "{'cniVersion':'0.2.0','ip4':{'ip':'10.0.0.1/8','gateway':'x'}}",
		  "prevResult.ip4.gateway: 'x' is not an IP address" },
		{ "{'cniVersion':'0.2.0','ip4':{'ip':'10.0.0.1/8','routes':"
		  "[{'dst':'0.0.0.0/0'},{'dst':'x'}]}}",
		  "prevResult.ip4.routes[1].dst: 'x' is not an address with a prefix length" },
	};
	static const struct refusal indices[] = {
		{ "{'interfaces':[{},{}],'ips':[{'address':'10.0.0.1/8','interface':1},"
		  "{'address':'10.0.0.1/8','interface':2}]}",
		  "prevResult.ips[1].interface: 2 is not one of the 2 interfaces" },
		{ "{'ips':[{'address':'10.0.0.1/8','interface':0}]}",
		  "prevResult.ips[0].interface: 0 is not one of the 0 interfaces" },
		{ "{'interfaces':[{}],'ips':[{'address':'10.0.0.1/8','interface':-1}]}",
		  "prevResult.ips[0].interface: expected an integer of 0 to 2147483647, got -1" },
		{ "{'interfaces':[{}],'ips':[{'address':'10.0.0.1/8','interface':'0'}]}",
		  "prevResult.ips[0].interface: expected an integer, got a string" },
		{ "{'interfaces':[{}],'ips':[{'address':'10.0.0.1/8','interface':0.5}]}",
		  "prevResult.ips[0].interface: expected an integer, got a number" },
	};
	struct err e = { 0 };
	json_t *result = NULL;
	char what[400];

	test("C-RES-11: a bad address, prefix or route is named with its path");
	refuses(bad, ARRAY_SIZE(bad));
	test("C-RES-04: an index outside interfaces is refused");
	refuses(indices, ARRAY_SIZE(indices));
	test("a name that is too long for the message is cut");
	memset(what, 'x', sizeof(what) - 1);
	what[sizeof(what) - 1] = '\0';
	json_auto_t *o = json(bad[0].text);

	ok(result_read(o, CNI_1_1_0, what, ERR_DELEGATE, &result, &e) == -1 && !result &&
	   strncmp(e.msg, what, 190) == 0);
}

/* Every member of a result, one at a time, becomes something else: refused, or still a result. */
static unsigned int mutants, refused;

static void judge(const json_t *doc, enum cni_version v)
{
	struct err e = { 0 };
	json_auto_t *result = read_as(doc, v, &e);

	mutants++;
	if (!result) {
		refused++;
		if (strncmp(e.msg, "prevResult.", 11) != 0 || e.code != ERR_NETCONF)
			ok(!"an error without path");
		return;
	}
	if (!json_object_get(result, "dns"))	/* which is written in any case */
		(void)json_object_set_new(result, "dns", json_object());
	for (int out = 0; out < CNI_VERSIONS; out++) {
		json_auto_t *o = written(result, (enum cni_version)out);
		json_auto_t *again = o ? read_as(o, CNI_1_1_0, &e) : NULL;

		if (o ? !again : !result_needs_address((enum cni_version)out))
			ok(!"what was taken cannot be written and read");
		if (out == CNI_1_1_0 && !json_equal(result, again))
			ok(!"what was taken reads otherwise when read again");
	}
}

static void mutate(json_t *doc, json_t *at, enum cni_version v)
{
	static const char *const others[] = { "null", "7",  "-1",   "1.5",    "''", "'x'",
					      "true", "[]", "[[]]", "[null]", "{}",   "{'a':[]}" };
	const char *key;
	json_t *old;
	size_t i, n;

	for (n = 0; n < ARRAY_SIZE(others); n++) {
		json_object_foreach(at, key, old) {
			json_t *kept = json_incref(old);

			(void)json_object_set_new(at, key, json(others[n]));
			judge(doc, v);
			(void)json_object_set_new(at, key, kept);
		}
		json_array_foreach(at, i, old) {
			json_t *kept = json_incref(old);

			(void)json_array_set_new(at, i, json(others[n]));
			judge(doc, v);
			(void)json_array_set_new(at, i, kept);
		}
	}
	json_object_foreach(at, key, old)
		mutate(doc, old, v);
	json_array_foreach(at, i, old)
		mutate(doc, old, v);
}

static void mutations(void)
{
	for (int v = 0; v < CNI_VERSIONS; v++) {
		json_auto_t *doc =
			of_version(shapes[shape_of((enum cni_version)v)]
					 [shape_of((enum cni_version)v)], (enum cni_version)v);

		mutate(doc, doc, (enum cni_version)v);
	}
	test("C-RES-11: whatever a member becomes, it is refused with its path or still a result");
	ok(mutants > 2000 && refused > mutants / 2 && refused < mutants);
}

/* -- large ones -- */

enum { INTERFACES = 500, ADDRESSES = 500, MANY = 5000 };

/* A result of 1.1.0 with all that it can have, many times. */
static json_t *large(void)
{
	json_t *interfaces = json_array(), *ips = json_array(), *routes = json_array();
	char text[64];

	for (int i = 0; i < INTERFACES; i++) {
		(void)snprintf(text, sizeof(text), "net%d", i);
		(void)json_array_append_new(
			interfaces, json_pack("{s:s, s:i}", "name", text, "mtu", 1000 + i));
	}
	for (int i = 0; i < ADDRESSES; i++) {
		(void)snprintf(text, sizeof(text), i % 2 ? "10.0.%d.%d/16" : "2001:db8::%d:%d/64",
			       i / 256, i % 256);
		(void)json_array_append_new(
			ips, json_pack("{s:s, s:i}", "address", text, "interface", i));
	}
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(text, sizeof(text), i % 2 ? "10.%d.%d.0/24" : "2001:db8:%d:%d::/64",
			       i / 256, i % 256);
		(void)json_array_append_new(
			routes, json_pack("{s:s, s:i}", "dst", text, "priority", i));
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:{}}", "cniVersion", "1.1.0", "interfaces",
			 interfaces, "ips", ips, "routes", routes, "dns");
}

static size_t length(const json_t *o, const char *key)
{
	return json_array_size(json_object_get(o, key));
}

static void large_results(void)
{
	json_auto_t *o = large();
	struct err e;
	json_auto_t *result = read_as(o, CNI_1_1_0, &e);

	same("C-RES-20: hundreds of interfaces and thousands of routes pass unharmed", result, o);
	for (int v = 0; v < CNI_VERSIONS; v++) {
		json_auto_t *out = written(result, (enum cni_version)v);
		json_auto_t *back = out ? read_as(out, CNI_1_1_0, &e) : NULL;
		bool old = result_needs_address((enum cni_version)v);

		ok(length(back, "interfaces") == (old ? 0 : INTERFACES));
		ok(length(back, "ips") == (old ? 2 : ADDRESSES));
		ok(length(back, "routes") == MANY);
	}
	test("C-RES-16: of many addresses 0.2.0 has the first of each family, and half the routes");
	json_auto_t *out = written(result, CNI_0_2_0);
	const json_t *ip4 = json_object_get(out, "ip4"), *ip6 = json_object_get(out, "ip6");

	eq(json_string_value(json_object_get(ip4, "ip")), "10.0.0.1/16");
	eq(json_string_value(json_object_get(ip6, "ip")), "2001:db8::0:0/64");
	ok(length(ip4, "routes") == MANY / 2 && length(ip6, "routes") == MANY / 2);
}

int main(void)
{
	every_version();
	reference_shapes();
	old_addresses();
	other_versions_keys();
	spellings();
	unknown_members();
	whose_version();
	wrong_types();
	bad_addresses();
	mutations();
	large_results();
	return tap_end();
}
