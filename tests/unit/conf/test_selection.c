/* SPDX-License-Identifier: Apache-2.0 */
/* test_selection.c - the deviceID of a network selection element */
#include "conf/selection.h"
#include "tests/unit/tap.h"

#include <string.h>

#define A "0000:01:10.0"

/* The list of an annotation; the last one is released. */
static const json_t *of(const char *annotation)
{
	static json_t *list;

	json_decref(list);
	list = annotation ? json_loads(annotation, 0, NULL) : NULL;
	return list;
}

/* What the annotation of this text asks for net's net1; "" for nothing. */
static const char *asked(const char *annotation)
{
	static char id[64];
	json_auto_t *runtime = json_pack("{s{ss}}", "io.kubernetes.cri.pod-annotations",
					 "k8s.v1.cni.cncf.io/networks", annotation);
	json_auto_t *list = selection_from_runtime(runtime);
	const char *found = selection_device_id(list, "net", "net1");

	(void)snprintf(id, sizeof(id), "%s", found ? found : "");
	return id;
}

/* The namespace that an annotation says of net's net1, of a pod in "apps"; "as before" for none. */
static const char *namespace_in(const char *annotation)
{
	static char ret[64];

	(void)snprintf(ret, sizeof(ret), "as before");
	selection_namespace(of(annotation), "net", "net1", "apps", ret);
	return ret;
}

static void test_namespace(void)
{
	test("the definition's namespace is what the element says, else the pod's");
	eq(namespace_in("[{\"name\":\"net\"}]"), "apps");
	eq(namespace_in("[{\"name\":\"default/net\"}]"), "default");
	eq(namespace_in("[{\"name\":\"net\",\"namespace\":\"default\"}]"), "default");
	eq(namespace_in("[{\"name\":\"net\",\"interface\":\"net2\"},"
			"{\"name\":\"b/net\",\"interface\":\"net1\"}]"), "b");
	test("it is not known when no element is about it, or they differ");
	eq(namespace_in(NULL), "as before");
	eq(namespace_in("[{\"name\":\"other\"}]"), "as before");
	eq(namespace_in("[{\"name\":\"a/net\"},{\"name\":\"b/net\"}]"), "as before");
	eq(namespace_in("[{\"name\":\"a/net\"},{\"name\":\"a/net\"}]"), "a");
	test("and what no namespace can be is none");
	eq(namespace_in("[{\"name\":\"../net\"}]"), "");
	eq(namespace_in("[{\"name\":\"net\",\"namespace\":\"A B\"}]"), "");
}

int main(void)
{
	json_auto_t *empty = json_object();

	test_namespace();
	test("the element of this network, with and without namespace and interface");
	eq(asked("[{\"name\":\"net\",\"deviceID\":\"" A "\"}]"), A);
	eq(asked(" [{\"name\":\"ns/net\",\"interface\":\"net1\",\"deviceID\":\"" A "\"}]"), A);
	eq(asked("[{\"name\":\"other\",\"deviceID\":\"x\"},{\"name\":\"net\",\"deviceID\":\"" A
		 "\"}]"), A);

	test("of two interfaces of this network the right one");
	eq(asked("[{\"name\":\"net\",\"interface\":\"net0\",\"deviceID\":\"x\"},"
		 "{\"name\":\"net\",\"interface\":\"net1\",\"deviceID\":\"" A "\"}]"), A);

	test("nothing when it cannot be told which is meant");
	eq(asked("[{\"name\":\"net\",\"deviceID\":\"" A "\"},{\"name\":\"net\"}]"), "");

	ok(selection_is_ambiguous(of("[{\"name\":\"net\",\"deviceID\":\"" A
				     "\"},{\"name\":\"net\"}]"), "net", "net1"));
	ok(!selection_is_ambiguous(of("[{\"name\":\"net\"},{\"name\":\"net\"}]"), "net", "net1"));
	ok(!selection_is_ambiguous(of("[{\"name\":\"net\",\"deviceID\":\"" A "\"}]"), "net",
				   "net1"));
	ok(!selection_is_ambiguous(NULL, "net", "net1"));

	test("nothing when nothing is asked for");
	eq(asked("[{\"name\":\"net\"}]"), "");
	eq(asked("[{\"name\":\"network\",\"deviceID\":\"" A "\"}]"), "");
	eq(asked("[{\"name\":\"net\",\"interface\":\"net2\",\"deviceID\":\"" A "\"}]"), "");
	eq(asked("net,other"), "");
	eq(asked(""), "");

	test("nothing when it is not what it should be");
	eq(asked("[{\"name\":\"net\",\"deviceID\":\"../../x\"}]"), "");
	eq(asked("[{\"name\":\"net\",\"deviceID\":7}]"), "");
	eq(asked("[{\"name\":7,\"deviceID\":\"x\"},null,\"net\",[]]"), "");
	eq(asked("[{\"name\":\"net\",\"deviceID\":\"" A "\"}"), "");
	eq(asked("[{\"name\":\"net\",\"name\":\"net\",\"deviceID\":\"" A "\"}]"), "");

	(void)of(NULL);
	test("nothing without the capability");
	ok(!selection_from_runtime(NULL) && !selection_from_runtime(empty));
	return tap_end();
}
