/* SPDX-License-Identifier: Apache-2.0 */
/* test_merge.c - an annotation of network-status that others write as well */
#include "daemon/publish/merge.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

static json_t *read_list(const char *text)
{
	char buf[1024];
	json_t *v;

	if (!text)
		return NULL;
	(void)snprintf(buf, sizeof(buf), "%s", text);
	for (char *p = buf; *p; p++)
		if (*p == '\'')
			*p = '"';
	v = json_loads(buf, 0, NULL);
	ok(v);
	return v;
}

/* The list, of texts with ' for "; keys are sorted. */
static const char *merged(const char *have, const char *entries, const char *before)
{
	static char ret[1024];
	json_auto_t *h = read_list(have), *n = read_list(entries), *b = read_list(before);
	json_auto_t *list = merge_status(h, n, b);
	auto_free char *text = json_dumps(list, JSON_SORT_KEYS | JSON_COMPACT);

	(void)snprintf(ret, sizeof(ret), "%s", text);
	for (char *p = ret; *p; p++)
		if (*p == '"')
			*p = '\'';
	return ret;
}

int main(void)
{
	test("without an annotation it is ours, without what is for our file");
	eq(merged(NULL, "[{'interface':'a','devinfo.cni.dev/attachment':'b'}]", NULL),
	   "[{'interface':'a'}]");
	eq(merged("[]", "[]", NULL), "[]");
	test("entries of other interfaces stay, and their order");
	eq(merged("[{'interface':'x'},{'interface':'a','ips':['1']},{'interface':'y'}]",
		  "[{'interface':'b'},{'interface':'a','ips':['2']}]", NULL),
	   "[{'interface':'x'},{'interface':'a','ips':['2']},{'interface':'y'},{'interface':'b'}]");
	test("what only theirs says of the same interface stays");
	eq(merged("[{'interface':'a','default':true,'dns':{'domain':'d'},'mac':'m','ips':['1']}]",
		  "[{'interface':'a','dns':{},'mac':'','ips':[],'mtu':null}]", NULL),
	   "[{'default':true,'dns':{'domain':'d'},'interface':'a','ips':['1'],'mac':'m',"
	   "'mtu':null}]");
	test("those of ours alone are in our order, others where they were");
	eq(merged("[{'interface':'b'},{'interface':'x'},{'interface':'c','mac':'m'},"
		  "{'interface':'a'}]",
		  "[{'interface':'a','devinfo.cni.dev/attachment':'b'},{'interface':'b'},"
		  "{'interface':'c'}]", NULL),
	   "[{'interface':'a'},{'interface':'x'},{'interface':'c','mac':'m'},{'interface':'b'}]");
	eq(merged("[{'interface':'b'},{'interface':'b'},{'interface':'a'}]",
		  "[{'interface':'a'},{'interface':'b'},{'interface':'a'}]", NULL),
	   "[{'interface':'a'},{'interface':'b'}]");
	test("once merged it stays so");
	eq(merged("[{'interface':'a','default':true,'mac':'m'}]", "[{'interface':'a','mac':'m'}]",
		  NULL), "[{'default':true,'interface':'a','mac':'m'}]");
	test("of an interface that is there twice one entry is left");
	eq(merged("[{'interface':'a','x':1},{'interface':'a','y':1}]", "[{'interface':'a'}]", NULL),
	   "[{'interface':'a','x':1}]");
	test("what we wrote and have no more goes, unless somebody else has changed it");
	eq(merged("[{'interface':'a'},{'interface':'b'}]", "[{'interface':'b'}]",
		  "[{'interface':'a'},{'interface':'b'}]"), "[{'interface':'b'}]");
	eq(merged("[{'interface':'a','ips':['9']}]", "[]", "[{'interface':'a'}]"),
	   "[{'interface':'a','ips':['9']}]");
	test("what is no entry stays as it is");
	eq(merged("[7,{'name':'n'},null]", "[{'interface':'a'}]", NULL),
	   "[7,{'name':'n'},null,{'interface':'a'}]");
	return tap_end();
}
