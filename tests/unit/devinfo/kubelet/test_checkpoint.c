/* SPDX-License-Identifier: Apache-2.0 */
/* test_checkpoint.c - kubelet's checkpoint, of old and new kubelets and of nobody's */
#include "base/mem.h"
#include "devinfo/kubelet/checkpoint.h"
#include "tests/unit/allocation.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VF "example.com/vf"
#define UID "2d9d1c3e-6f51-4b1c-9d6d-0f5f4a1f1e11"
#define OTHER "7b7e7a52-9c1b-4a39-8f0f-1f6a5e0f2c22"
#define STATIC "0123456789abcdef0123456789abcdef"	/* of a static pod: a hash of its file */
#define DIR "/var/lib/kubelet/device-plugins"

static struct fake_node n;
static struct allocation got;
static struct err err;

static const char *ids(const char *resource)
{
	return allocation_ids(&got, resource);
}

static int parse(const char *text, const char *uid)
{
	allocation_done(&got);
	err = (struct err){ 0 };
	return checkpoint_parse(text, strlen(text), uid, &got, &err);
}

/* A whole checkpoint with these entries. */
static int parse_entries(const char *entries, const char *uid)
{
	auto_free char *text = NULL;

	if (asprintf(&text, "{\"Data\":{\"PodDeviceEntries\":%s,\"RegisteredDevices\":"
		     "{\"" VF "\":[\"v1\"]}},\"Checksum\":4054769341}", entries) < 0)
		abort();
	return parse(text, uid);
}

#define ENTRY(uid, container, resource, ids)                                        \
	"{\"PodUID\":\"" uid "\",\"ContainerName\":\"" container "\",\"ResourceName\":\"" \
	resource "\",\"DeviceIDs\":" ids ",\"AllocResp\":\"EgIKAA==\"}"

static void expect_error(int rc, const char *msg)
{
	ok(rc == -1);
	ok(err.code == ERR_PODRES);
	ok(strstr(err.msg, "kubelet's checkpoint") && strstr(err.msg, msg));
	if (!strstr(err.msg, msg))
		(void)printf("#  code %d msg '%s' details '%s'\n", err.code, err.msg, err.details);
	ok(got.n_devices == 0 && !got.devices);
}

static void test_forms(void)
{
	test("C-FND-04: the devices of a pod by NUMA node, as since Kubernetes 1.20");
	ok(parse_entries("[" ENTRY(OTHER, "c", VF, "{\"-1\":[\"v9\"]}") ","
			 ENTRY(UID, "c", VF, "{\"-1\":[\"v2\",\"v1\"]}") "]", UID) == 1);
	eq(ids(NULL), "v1 v2");
	eq(got.source, "kubelet's checkpoint");
	ok(got.n_claimed == 0 && !*got.tried);

	test("C-FND-04: and as a list, as before");
	ok(parse_entries("[" ENTRY(OTHER, "c", VF, "[\"v9\"]") ","
			 ENTRY(UID, "c", VF, "[\"v2\",\"v1\"]") "]", UID) == 1);
	eq(ids(NULL), "v1 v2");

	test("a device of several NUMA nodes is there once");
	ok(parse_entries("[" ENTRY(UID, "c", VF, "{\"0\":[\"B\",\"A\"],\"1\":[\"A\",\"B\"]}") "]",
			 UID) == 1);
	eq(ids(NULL), "A B");

	test("entries of one container may be scattered; containers stay in the order of the file");
	ok(parse_entries("[" ENTRY(UID, "second", VF, "{\"0\":[\"v7\"]}") ","
			 ENTRY(UID, "first", VF, "{\"0\":[\"v3\"]}") ","
			 ENTRY(OTHER, "second", VF, "{\"0\":[\"v1\"]}") ","
			 ENTRY(UID, "second", VF, "{\"1\":[\"v10\"],\"0\":[\"v2\"]}") ","
			 ENTRY(UID, "first", "example.com/o", "{\"0\":[\"o1\"]}") "]", UID) == 1);
	eq(ids(VF), "v2 v7 v10 v3");
	eq(ids("example.com/o"), "o1");

	test("C-FND-09: a static pod has a UID of another form");
	ok(parse_entries("[" ENTRY(STATIC, "c", VF, "{\"0\":[\"v1\"]}") "]", STATIC) == 1);
	eq(ids(VF), "v1");

	test("members we do not know, and a checksum of any kind, are no matter");
	ok(parse("{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"" UID "\",\"ContainerName\":\"c\","
		 "\"ResourceName\":\"" VF "\",\"DeviceIDs\":{\"0\":[\"v1\"]},\"New\":{}}]},"
		 "\"Checksum\":18446744073709551615,\"Newer\":1}", UID) == 1);
	eq(ids(VF), "v1");
}

static void test_nothing(void)
{
	test("a pod without an entry is absent, and so is everyone when there are none");
	ok(parse_entries("[" ENTRY(OTHER, "c", VF, "{\"-1\":[\"v9\"]}") "]", UID) == 0);
	contains(err.msg, "knows no pod of UID " UID);
	ok(parse_entries("null", UID) == 0);
	ok(parse_entries("[]", UID) == 0);
	ok(parse("{\"Data\":{\"RegisteredDevices\":{}},\"Checksum\":1}", UID) == 0);
	ok(got.n_devices == 0);

	test("a UID is compared whole");
	ok(parse_entries("[" ENTRY(UID, "c", VF, "[\"v1\"]") "]", "2d9d1c3e") == 0);
	ok(parse_entries("[" ENTRY("", "c", VF, "[\"v1\"]") "]", UID) == 0);

	test("an entry without devices is one of a pod that is known");
	ok(parse_entries("[" ENTRY(UID, "c", VF, "null") "]", UID) == 1);
	ok(parse_entries("[" ENTRY(UID, "c", VF, "{\"0\":null,\"1\":[]}") "]", UID) == 1);
	ok(got.n_devices == 0);
}

static void test_hostile(void)
{
	test("what is no checkpoint is an error that says where");
	expect_error(parse("", UID), "not valid JSON");
	expect_error(parse("[]", UID), "no Data");
	expect_error(parse("{}", UID), "no Data");
	expect_error(parse("{\"Data\":7}", UID), "Data: expected an object, got a number");
	expect_error(parse_entries("{}", UID),
		     "Data.PodDeviceEntries: expected a list, got an object");
	expect_error(parse_entries("[7]", UID), "PodDeviceEntries[0]: expected an object");
	expect_error(parse_entries("[{}]", UID), "PodDeviceEntries[0] has no PodUID");
	expect_error(parse_entries("[{\"PodUID\":1}]", UID), "PodDeviceEntries[0].PodUID");
	expect_error(parse_entries("[{\"PodUID\":\"" UID "\"}]", UID), "has no ContainerName");
	expect_error(parse_entries("[{\"PodUID\":\"" UID "\",\"ContainerName\":\"c\","
				   "\"ResourceName\":[]}]", UID),
		     "PodDeviceEntries[0].ResourceName: expected a string, got a list");
	expect_error(parse_entries("[" ENTRY(UID, "c", VF, "\"v1\"") "]", UID),
		     "PodDeviceEntries[0].DeviceIDs: expected a list or an object, got a string");
	expect_error(parse_entries("[" ENTRY(UID, "c", VF, "{\"0\":\"v1\"}") "]", UID),
		     "DeviceIDs of " VF ": expected a list, got a string");
	expect_error(parse_entries("[" ENTRY(UID, "c", VF, "[\"v1\",2]") "]", UID),
		     "DeviceIDs of " VF ": expected a string, got an integer");

	test("entries of other pods are not looked at further");
	ok(parse_entries("[{\"PodUID\":\"" OTHER "\",\"DeviceIDs\":7},"
			 ENTRY(UID, "c", VF, "[\"v1\"]") "]", UID) == 1);
	eq(ids(VF), "v1");

	test("a torn file, duplicate keys and a NUL are errors");
	expect_error(parse("{\"Data\":{}}x", UID), "not valid JSON");
	expect_error(parse("{\"Data\":{}", UID), "not valid JSON");
	expect_error(parse("{\"Data\":{\"PodDeviceEntries\":[{} {}]}}", UID), "no PodUID");
	expect_error(parse_entries("[" ENTRY(OTHER, "c", VF, "[]") " " ENTRY(UID, "c", VF, "[]")
				   "]", UID), "not valid JSON");
	expect_error(parse_entries("[" ENTRY(UID, "c", VF, "[\"v1\",]") "]", UID),
		     "not valid JSON");
	expect_error(parse_entries("[{\"PodUID\":\"" UID "\",\"PodUID\":\"" OTHER "\"}]", UID),
		     "duplicate key \"PodUID\"");
	expect_error(parse("{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"" UID, UID),
		     "not valid JSON");
	expect_error(parse("{\"Data\":{},\"Data\":{}}", UID), "duplicate key \"Data\"");
	expect_error(parse_entries("[" ENTRY(UID, "c", VF, "[\"v1\\u0000/../x\"]") "]", UID),
		     "not valid JSON");

	test("names that are not usable are left out");
	ok(parse_entries("[" ENTRY(UID, "c", VF, "[\"../x\",\"v1\",\"\",\"/dev/x\"]") ","
			 ENTRY(UID, "c", "../vf", "[\"v2\"]") "]", UID) == 1);
	eq(ids(NULL), "v1");
}

/* So many entries of one pod, each of its own container or all of one. */
static int parse_many(int count, bool containers)
{
	auto_free char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		abort();
	for (int i = 0; i < count; i++)
		(void)fprintf(f, "%s" ENTRY(UID, "c%d", "example.com/r%d", "[\"v1\"]"),
			      i ? "," : "[", containers ? i : 0, containers ? 0 : i);
	(void)fputs("]", f);
	(void)fclose(f);
	return parse_entries(text, UID);
}

static void test_limits(void)
{
	auto_free char *text = NULL;
	size_t size = 0;
	FILE *f;

	test("a pod may have 4096 entries, and no more");
	ok(parse_many(4096, true) == 1 && got.n_devices == 1);
	ok(parse_many(4096, false) == 1 && got.n_devices == 4096);
	expect_error(parse_many(4097, true), "more than 4096 entries");

	test("a pod may have 4096 devices, and no more");
	f = open_memstream(&text, &size);
	if (!f)
		abort();
	(void)fprintf(f, "[{\"PodUID\":\"" UID "\",\"ContainerName\":\"c\",\"ResourceName\":\"" VF
		      "\",\"DeviceIDs\":[\"v0\"");
	for (int i = 1; i <= ALLOCATION_MAX_DEVICES; i++)
		(void)fprintf(f, ",\"v%d\"", i);
	(void)fputs("]}]", f);
	(void)fclose(f);
	ok(parse_entries(text, UID) == -1);
	ok(err.code == ERR_PODRES && err.sys == E2BIG && got.n_devices == 0);
}

/* -- the file -- */

static int read_uid(const char *uid)
{
	allocation_done(&got);
	err = (struct err){ 0 };
	return checkpoint_read(&n.host, uid, &got, &err);
}

static void sh(const char *command)
{
	node_sh(&n, command);
}

#define WRITE(ids)                                                                            \
	"printf '%s' '{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"" UID "\",\"ContainerName\":" \
	"\"c\",\"ResourceName\":\"" VF "\",\"DeviceIDs\":" ids "}]},\"Checksum\":1}' "

static void test_file(void)
{
	test("a node without kubelet, and a kubelet without checkpoint, are told as absent");
	ok(read_uid(UID) == 0);
	contains(err.msg, DIR "/kubelet_internal_checkpoint is not there");
	sh("mkdir -p ." DIR);
	ok(read_uid(UID) == 0);
	contains(err.msg, DIR "/kubelet_internal_checkpoint is not there");

	test("the file is found below the root, and read anew when it is replaced");
	sh("cd ." DIR " && " WRITE("[\"v1\"]") ">kubelet_internal_checkpoint");
	ok(read_uid(UID) == 1);
	eq(ids(VF), "v1");
	sh("cd ." DIR " && " WRITE("{\"0\":[\"v2\"]}") ">x && mv x kubelet_internal_checkpoint");
	ok(read_uid(UID) == 1);
	eq(ids(VF), "v2");
	ok(read_uid(OTHER) == 0);

	test("without a UID the devices of all pods are read");
	ok(parse_entries("[" ENTRY(OTHER, "c", VF, "[\"v1\"]") "," ENTRY(UID, "c", VF, "[\"v2\"]")
			 "]", NULL) == 1);
	eq(ids(VF), "v1 v2");
	ok(parse_entries("[]", NULL) == 0);
	contains(err.msg, "knows no pod");

	test("a link, a directory, a FIFO and what is too large are errors, at once");
	sh("cd ." DIR " && mv kubelet_internal_checkpoint x && "
	   "ln -s x kubelet_internal_checkpoint");
	expect_error(read_uid(UID), "open 'kubelet_internal_checkpoint'");
	sh("cd ." DIR " && rm kubelet_internal_checkpoint && mkdir kubelet_internal_checkpoint");
	expect_error(read_uid(UID), "not a regular file");
	sh("cd ." DIR " && rmdir kubelet_internal_checkpoint && "
	   "mkfifo kubelet_internal_checkpoint");
	expect_error(read_uid(UID), "kubelet_internal_checkpoint'");
	sh("cd ." DIR " && rm kubelet_internal_checkpoint && "
	   "truncate -s 16777217 kubelet_internal_checkpoint");
	expect_error(read_uid(UID), "16777217 bytes, at most 16777216 are read");

	test("a kubelet directory that is a link stays inside the root");
	sh("rm ." DIR "/kubelet_internal_checkpoint && mv ." DIR "/x ." DIR
	   "/kubelet_internal_checkpoint && mv var/lib/kubelet srv && ln -s /srv var/lib/kubelet");
	ok(read_uid(UID) == 1);
	eq(ids(VF), "v2");
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { LARGE_MAX_KB = 1024 * 1024 };	/* it keeps what is freed for a while */
#else
enum { LARGE_MAX_KB = 40 * 1024 };
#endif

/* 15 MB of 4,000 pods and of 500,000 devices, the file of a large node; ours is the last one. */
static void write_large(void)
{
	char path[512], response[1500];
	FILE *f;

	memset(response, 'A', sizeof(response) - 1);
	response[sizeof(response) - 1] = '\0';
	(void)snprintf(path, sizeof(path), "%s" DIR "/kubelet_internal_checkpoint", n.dir);
	f = fopen(path, "w");
	if (!f)
		bail_out(path);
	(void)fputs("{\"Data\":{\"PodDeviceEntries\":[", f);
	for (int i = 0; i < 4000; i++)
		(void)fprintf(f, "{\"PodUID\":\"%s%d\",\"ContainerName\":\"c\",\"ResourceName\":"
			      "\"" VF "\",\"DeviceIDs\":{\"0\":[\"v%d\",\"v%d\"]},"
			      "\"AllocResp\":\"%s\"},", OTHER, i, 2 * i, 2 * i + 1, response);
	(void)fputs(ENTRY(UID, "c", VF, "{\"1\":[\"v2\",\"v1\"]}")
		    "],\"RegisteredDevices\":{\"" VF "\":[\"v0\"", f);
	for (int i = 1; i < 510000; i++)
		(void)fprintf(f, ",\"dev-%010d\"", i);
	(void)fputs("]}},\"Checksum\":1}", f);
	if (ftell(f) < 15000000 || ftell(f) > CHECKPOINT_MAX || fclose(f) != 0)
		bail_out(path);
}

static void test_large(void)
{
	struct rusage usage;
	int status = -1;
	pid_t pid;

	test("a checkpoint of 15 MB is read in less than 40 MiB");
	sh("rm var/lib/kubelet && mv srv var/lib/kubelet");
	write_large();
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(read_uid(UID) == 1 && strcmp(ids(VF), "v1 v2") == 0 ? 0 : 1);
	ok(wait4(pid, &status, 0, &usage) == pid && status == 0);
	ok(usage.ru_maxrss < LARGE_MAX_KB);
	(void)printf("# | checkpoint of 15 MB | %ld kB RSS |\n", usage.ru_maxrss);
}

int main(void)
{
	test_forms();
	test_nothing();
	test_hostile();
	test_limits();
	node_open(NULL, &n);
	test_file();
	test_large();
	node_close(&n);
	allocation_done(&got);
	return tap_end();
}
