/* SPDX-License-Identifier: Apache-2.0 */
/* test_name.c - which names fit, and which files they are in */
#include "base/mem.h"
#include "base/name.h"
#include "tests/unit/tap.h"

struct name_case {
	const char *text;
	bool valid;
};

/* The result of a name function for each text of a table, the text being the test's sentence. */
#define check_names(fn, cases)                                                        \
	do {                                                                          \
		for (size_t i_ = 0; i_ < ARRAY_SIZE(cases); i_++) {                   \
			ok(fn((cases)[i_].text) == (cases)[i_].valid);                \
			if (fn((cases)[i_].text) != (cases)[i_].valid)                \
				(void)printf("#  %s '%s'\n", #fn, (cases)[i_].text);  \
		}                                                                     \
	} while (0)

static void names_of_cni(void)
{
	static const struct name_case id[] = {
		{ "c0ffee", true }, { "A.b-c_d", true }, { "0", true },
		{ "", false }, { ".a", false }, { "-a", false }, { "_a", false }, { "a/b", false },
		{ "..", false }, { "a\n", false }, { "a b", false }, { "\xc3\xa9", false },
		{ "a\xc3\xa9", false }, { "a:b", false },
	};
	static const struct name_case ifname[] = {
		{ "eth0", true },
		{ "123456789012345", true },
		{ "a.b-c", true },
		{ "...", true },
		{ "\xc3\xa9", true },
		{ "", false },
		{ "1234567890123456", false },
		{ ".", false },
		{ "..", false },
		{ "a/b", false },
		{ "a:b", false },
		{ "eth%d", false },
		{ "a b", false },
		{ "a\t", false },
		{ "a\n", false },
		{ "a\x7f", false },
		{ "a\xc2\x85", false },
		{ "a\xc2\xa0", false },
	};
	char longer[5001];

	test("C-ENV-05: container ids are letters, digits and _.- with an alphanumeric head");
	check_names(name_is_cni_id, id);
	test("C-ENV-06: a long container id is valid");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ok(name_is_cni_id(longer));
	test("C-ENV-07, C-ENV-08: interface names are those the kernel takes as they are");
	check_names(name_is_ifname, ifname);
}

static void names_of_devices(void)
{
	static const struct name_case file[] = {
		{ "a", true }, { "a b", true }, { ".hidden", true }, { "...", true },
		{ "", false }, { ".", false }, { "..", false }, { "a/b", false }, { "a\n", false },
		{ "\x1b", false },
	};
	static const struct name_case device[] = {
		{ "0000:03:02.0", true }, { "vdpa0", true }, { "a/b", true }, { "uuid_req0", true },
		{ "", false }, { ".a", false }, { "/a", false }, { "a/", false }, { "a//b", false },
		{ "a/../b", false }, { "../../x", false }, { "a/.b", false }, { "a b", false },
		{ "a\n", false }, { "a;b", false },
	};
	static const struct name_case resource[] = {
		{ "intel.com/sriov", true },
		{ "sriov", true },
		{ "a-b.c_d/e", true },
		{ "", false },
		{ "/a", false },
		{ "a/", false },
		{ "a/b/c", false },
		{ ".a/b", false },
		{ "a/.b", false },
		{ "../b", false },
		{ "a/b c", false },
		{ "a:b", false },
	};
	static const struct name_case bdf[] = {
		{ "0000:03:02.0", true },       { "00010000:ff:1f.7", true },
		{ "ABCD:aB:0c.1", true },       { "", false },
		{ "03:02.0", false },           { "0000:03:02", false },
		{ "0000:03:02.8", false },      { "0000:03:02.0x", false },
		{ "0000-03:02.0", false },      { "0000:03:0g.0", false },
		{ "000000000:03:02.0", false }, { "0000:03-02.0", false },
		{ "0000:03:02:0", false },
	};
	static const struct name_case request[] = {
		{ "vf", true }, { "vf/fast", true },
		{ "", false }, { "/", false }, { "vf/", false },
		{ "/fast", false }, { "vf/fast/er", false }, { "../vf", false }, { "vf/..", false },
		{ "vf/fa\nst", false },
	};
	char longer[257];

	test("a request of a claim has one subrequest at most");
	check_names(name_is_request, request);
	test("file names are single components without control characters");
	check_names(name_is_file, file);
	test("C-SEC-02: device ids cannot lead out of a directory");
	check_names(name_is_device_id, device);
	test("C-SEC-02: resource names have at most one slash and no dot-dot");
	check_names(name_is_resource, resource);
	test("PCI addresses are complete and nothing but hexadecimal");
	check_names(name_is_bdf, bdf);
	test("names over their limits are refused");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[256] = '\0';
	ok(!name_is_file(longer));
	ok(name_is_file(longer + 1));
	ok(!name_is_device_id(longer + 2) && name_is_device_id(longer + 3));
	ok(!name_is_resource(longer + 2) && name_is_resource(longer + 3));
	longer[9] = '/';
	ok(!name_is_request(longer) && name_is_request(longer + 1));
}

static void names_of_kubernetes(void)
{
	static const struct name_case label[] = {
		{ "default", true }, { "kube-system", true }, { "0", true }, { "a--b", true },
		{ "", false }, { "-a", false }, { "a-", false }, { "-", false }, { "A", false },
		{ "a.b", false }, { "a_b", false }, { "a/b", false }, { "..", false },
		{ "a\n", false }, { "\xc3\xa9", false },
	};
	static const struct name_case subdomain[] = {
		{ "p1", true }, { "etcd-node1.example.com", true }, { "1.2", true },
		{ "", false }, { ".", false }, { "..", false }, { ".a", false }, { "a.", false },
		{ "a..b", false }, { "a.-b", false }, { "a-.b", false }, { "a/b", false },
		{ "P1", false }, { "a_b", false }, { "a b", false }, { "a\n", false },
	};
	char longer[255];

	test("namespaces are labels of RFC 1123");
	check_names(name_is_dns_label, label);
	test("names of pods are subdomains of RFC 1123");
	check_names(name_is_dns_subdomain, subdomain);
	test("a label has 63 bytes at most, a subdomain 253, in one label or many");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[254] = '\0';
	ok(!name_is_dns_subdomain(longer) && name_is_dns_subdomain(longer + 1));
	ok(!name_is_dns_label(longer + 190) && name_is_dns_label(longer + 191));
}

static void names_to_files(void)
{
	char text[400], other[400], a[256], b[256];

	test("a text becomes a file name, slashes becoming dashes");
	name_to_file("a/b/c", a);
	eq(a, "a-b-c");
	test("texts that cannot be names get a hash");
	name_to_file("..", a);
	ok(name_is_file(a) && strlen(a) > 16);
	name_to_file(".", b);
	ok(name_is_file(b) && strcmp(a, b) != 0);
	name_to_file("", a);
	ok(name_is_file(a));
	test("long texts that differ at their end only get different names of at most 255 bytes");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(other, text, sizeof(text));
	other[398] = 'y';
	name_to_file(text, a);
	name_to_file(other, b);
	ok(strlen(a) == 255 && strlen(b) == 255 && strcmp(a, b) != 0);
	test("and no character of UTF-8 is cut in two");
	memcpy(text + 237, "\xc3\xa9", 2);
	name_to_file(text, a);
	ok(strlen(a) == 254 && a[236] == 'x' && a[237] == '-');
	text[237] = text[238] = 'x';
	test("255 bytes are kept as they are");
	text[255] = '\0';
	name_to_file(text, a);
	eq(a, text);

	test("the hash is 64-bit FNV-1a and can be continued");
	ok(name_hash(0, "") == UINT64_C(0xcbf29ce484222325));
	ok(name_hash(0, "a") == UINT64_C(0xaf63dc4c8601ec8c));
	ok(name_hash(0, "foobar") == UINT64_C(0x85944171f73967e8));
	ok(name_hash(name_hash(0, "foo"), "bar") == name_hash(0, "foobar"));
}

int main(void)
{
	names_of_cni();
	names_of_devices();
	names_of_kubernetes();
	names_to_files();
	return tap_end();
}
