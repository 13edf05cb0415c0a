/* SPDX-License-Identifier: Apache-2.0 */
/* test_device_info.c - parse, check and emit the four types of section 3 */
#include "base/attr.h"
#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/format/device_info.h"
#include "tests/unit/tap.h"

#include <stdbool.h>
#include <stdlib.h>


/* The least there can be of a PCI device, and more members of its map; "}}" is still to come. */
#define SHORT(more) "{\"type\":\"pci\",\"version\":\"1.0.0\",\"pci\":{" \
		    "\"pci-address\":\"0000:18:02.5\"" more

/* One proper file of each type, with all members. */
static const char *const full[DEVICE_KINDS] = {
	[DEVICE_PCI] = "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{"
		       "\"pci-address\":\"0000:18:02.5\",\"vhost-net\":\"/dev/vhost-net\","
		       "\"rdma-device\":\"mlx5_2,mlx5_3\",\"pf-pci-address\":\"0000:18:00.0\","
		       "\"representor-device\":\"eth3\"}}\n",
	[DEVICE_VDPA] = "{\"type\":\"vdpa\",\"version\":\"1.1.0\",\"vdpa\":{"
			"\"parent-device\":\"vdpa:0000:3b:00.3\",\"driver\":\"vhost\","
			"\"path\":\"/dev/vhost-vdpa-0\",\"pci-address\":\"0000:3b:00.3\","
			"\"pf-pci-address\":\"0000:3b:00.0\",\"representor-device\":\"eth3\"}}\n",
	[DEVICE_VHOST_USER] = "{\"type\":\"vhost-user\",\"version\":\"1.1.0\",\"vhost-user\":{"
			      "\"mode\":\"client\",\"path\":\"/var/run/net3/vhost.sock\"}}\n",
	[DEVICE_MEMIF] =
		"{\"type\":\"memif\",\"version\":\"1.1.0\",\"memif\":{"
		"\"role\":\"slave\",\"path\":\"/var/run/memif.sock\",\"mode\":\"ethernet\"}}\n",
};

static int parse(const char *text, struct device_info *ret, struct err *e)
{
	return device_info_from_text(text, strlen(text), "file", ret, e);
}

/* Refused with a one-line ERR_DEVINFO that has these words. */
static bool refused(const char *text, const char *words)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };

	if (parse(text, &di, &e) == 0) {
		(void)printf("# accepted: %s\n", text);
		return false;
	}
	if (e.code == ERR_DEVINFO && strncmp(e.msg, "file: ", 6) == 0 && strstr(e.msg, words) &&
	    !strpbrk(e.msg, "\n\t\033"))
		return true;
	(void)printf("# code %d, %s (%s)\n", (int)e.code, e.msg, e.details);
	return false;
}

/* What is emitted after reading text; the empty text when it was refused. */
static char *emitted(const char *text)
{
	auto_device_info struct device_info di = { 0 };
	json_auto_t *o = NULL;
	struct err e = { 0 };
	size_t len;

	if (parse(text, &di, &e) < 0) {
		(void)printf("# %s (%s)\n", e.msg, e.details);
		return strdup("");
	}
	o = device_info_to_json(&di);
	return jx_dump(o, &len);
}

static bool emits(const char *text, const char *want)
{
	auto_free char *have = emitted(text);

	if (strcmp(have, want) == 0)
		return true;
	(void)printf("#  have %s#  want %s", have, want);
	return false;
}

/* text with the first `old` replaced */
static char *with(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *ret = NULL;

	if (!at || asprintf(&ret, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old)) < 0)
		exit(1);
	return ret;
}

static bool refused_with(enum device_kind kind, const char *old, const char *new, const char *words)
{
	auto_free char *text = with(full[kind], old, new);

	return refused(text, words);
}

static bool emits_with(enum device_kind kind, const char *old, const char *new,
		       const char *want_new)
{
	auto_free char *text = with(full[kind], old, new);
	auto_free char *want = with(full[kind], old, want_new);

	return emits(text, want);
}

static void test_types(void)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };

	test("each type is emitted as it was read");
	for (enum device_kind kind = 0; kind < DEVICE_KINDS; kind++)
		ok(emits(full[kind], full[kind]));

	test("the names of the types are the specification's");
	eq(device_kind_name(DEVICE_PCI), "pci");
	eq(device_kind_name(DEVICE_VDPA), "vdpa");
	eq(device_kind_name(DEVICE_VHOST_USER), "vhost-user");
	eq(device_kind_name(DEVICE_MEMIF), "memif");

	test("which types there are is told whole, when none or another one is given");
	ok(refused("{\"version\":\"1.1.0\"}",
		   "type is required: expected pci, vdpa, vhost-user or memif"));
	ok(refused("{\"type\":\"x\",\"version\":\"1.1.0\"}",
		   "type: 'x': expected pci, vdpa, vhost-user or memif"));
	for (enum device_kind kind = 0; kind < DEVICE_KINDS; kind++)
		ok(refused("{\"type\":\"x\",\"version\":\"1.1.0\"}", device_kind_name(kind)));

	test("members land in the fields of their names");
	ok(parse(full[DEVICE_VDPA], &di, &e) == 0);
	ok(di.kind == DEVICE_VDPA);
	eq(di.vdpa.parent_device, "vdpa:0000:3b:00.3");
	eq(di.vdpa.representor_device, "eth3");

	eq(device_info_path(&di), di.vdpa.path);
	eq(device_info_pci_address(&di), di.vdpa.pci_address);
	ok(*device_info_path(&di) && *device_info_pci_address(&di));
	device_info_done(&di);

	test("a type whose map has no path or no PCI address tells none");
	ok(parse(full[DEVICE_PCI], &di, &e) == 0);
	eq(device_info_path(&di), "");
	device_info_done(&di);
	ok(parse(full[DEVICE_MEMIF], &di, &e) == 0);
	ok(device_info_pci_address(&di) == NULL);

	test("optional members may be absent, null or empty, and are then not emitted");
	ok(emits(SHORT("") "}}", SHORT("") "}}\n"));
	ok(emits(SHORT(",\"rdma-device\":null,\"vhost-net\":\"\"") "}}", SHORT("") "}}\n"));
}

static void test_required(void)
{
	static const struct {
		enum device_kind kind;
		const char *member, *key;
	} required[] = {
		{ DEVICE_PCI, "\"pci-address\":\"0000:18:02.5\",", "pci.pci-address" },
		{ DEVICE_VDPA, "\"parent-device\":\"vdpa:0000:3b:00.3\",", "vdpa.parent-device" },
		{ DEVICE_VDPA, "\"driver\":\"vhost\",", "vdpa.driver" },
		{ DEVICE_VDPA, "\"path\":\"/dev/vhost-vdpa-0\",", "vdpa.path" },
		{ DEVICE_VHOST_USER, "\"mode\":\"client\",", "vhost-user.mode" },
		{ DEVICE_VHOST_USER, ",\"path\":\"/var/run/net3/vhost.sock\"", "vhost-user.path" },
		{ DEVICE_MEMIF, "\"role\":\"slave\",", "memif.role" },
		{ DEVICE_MEMIF, "\"path\":\"/var/run/memif.sock\",", "memif.path" },
		{ DEVICE_MEMIF, ",\"mode\":\"ethernet\"", "memif.mode" },
		{ DEVICE_PCI, "\"type\":\"pci\",", "type is required" },
		{ DEVICE_PCI, "\"version\":\"1.1.0\",", "version is required" },
	};

	test("a required member that is missing is named");
	for (size_t i = 0; i < ARRAY_SIZE(required); i++)
		ok(refused_with(required[i].kind, required[i].member, "", required[i].key));

	test("the map of the type is required, another type's map is none");
	ok(refused("{\"type\":\"vdpa\",\"version\":\"1.1.0\"}", "the map 'vdpa' is required"));
	ok(refused("{\"type\":\"vdpa\",\"version\":\"1.1.0\",\"pci\":{}}",
		   "the map 'vdpa' is required"));
	ok(refused("{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":[]}",
		   "pci: expected an object"));
}

static void test_values(void)
{
	test("values outside the specification's lists are refused");
	ok(refused_with(DEVICE_PCI, "\"pci\",", "\"bogus\",", "type: 'bogus': expected pci, vdpa"));
	ok(refused_with(DEVICE_VDPA, "\"vhost\"", "\"vhost_vdpa\"", "expected 'vhost' or "
								    "'virtio'"));
	ok(refused_with(DEVICE_VHOST_USER, "client", "both", "expected 'client' or 'server'"));
	ok(refused_with(DEVICE_MEMIF, "slave", "client", "expected 'master' or 'slave'"));
	ok(refused_with(DEVICE_MEMIF, "ethernet", "Ethernet",
			"expected 'ethernet', 'ip' or 'inject-punt'"));

	test("every value of the specification's lists is accepted");
	ok(emits_with(DEVICE_VDPA, "\"vhost\"", "\"virtio\"", "\"virtio\""));
	ok(emits_with(DEVICE_VHOST_USER, "client", "server", "server"));
	ok(emits_with(DEVICE_MEMIF, "slave", "master", "master"));
	ok(emits_with(DEVICE_MEMIF, "ethernet", "ip", "ip"));
	ok(emits_with(DEVICE_MEMIF, "ethernet", "inject-punt", "inject-punt"));

	test("the Go client's 'punt' is emitted as the specification's 'inject-punt'");
	ok(emits_with(DEVICE_MEMIF, "ethernet", "punt", "inject-punt"));

	test("values of a wrong JSON type are refused by name");
	ok(refused_with(DEVICE_PCI, "\"eth3\"", "3", "pci.representor-device: expected a string"));
	ok(refused_with(DEVICE_PCI, "\"1.1.0\"", "1.1",
		   "version: expected a string, got a number"));
	ok(refused_with(DEVICE_PCI, "\"pci\",", "{},", "type: expected a string, got an object"));
}

static void test_addresses(void)
{
	static const char *const wrong[] = {
		"0000:02:01:6", "02:01.6", "0000:02:01.8", "0000:02:01.6x", "../../etc", "virtio0",
	};

	test("what is no PCI address is refused");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		ok(refused_with(DEVICE_PCI, "0000:18:02.5", wrong[i], "expected a PCI address"));
		ok(refused_with(DEVICE_VDPA, "0000:3b:00.0", wrong[i], "expected a PCI address"));
	}
	ok(refused_with(DEVICE_PCI, "0000:18:02.5", "00000000:18:02.5", "at most 15 are possible"));

	test("PCI addresses are emitted in lower case");
	ok(emits_with(DEVICE_PCI, "0000:18:02.5", "0000:1F:0A.5", "0000:1f:0a.5"));
	ok(emits_with(DEVICE_PCI, "0000:18:00.0", "10000:AF:00.0", "10000:af:00.0"));
	ok(emits_with(DEVICE_VDPA, "\"0000:3b:00.3", "\"0000:3B:00.3", "\"0000:3b:00.3"));

	test("interface and RDMA device names are checked");
	ok(refused_with(DEVICE_PCI, "eth3", "an-interface-too", "at most 15"));
	ok(refused_with(DEVICE_PCI, "eth3", "a/b", "expected a network interface name"));
	ok(refused_with(DEVICE_PCI, "mlx5_2,", ",", "expected RDMA device names"));
	ok(refused_with(DEVICE_PCI, "mlx5_2,", "../", "expected RDMA device names"));
	ok(refused_with(DEVICE_VDPA, "vdpa:0000:3b:00.3", "a/b",
			"expected a name of /sys/bus/vdpa/devices"));
}

static void test_paths(void)
{
	static const char *const wrong[] = {
		"run/vhost.sock", "@vhost", "/var/run/../vhost.sock", "/var/run/..", "/..",
	};

	test("paths are absolute and have no '..'");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		ok(refused_with(DEVICE_VHOST_USER, "/var/run/net3/vhost.sock", wrong[i],
				"expected an absolute"));
		ok(refused_with(DEVICE_MEMIF, "/var/run/memif.sock", wrong[i], "memif.path: '"));
		ok(refused_with(DEVICE_VDPA, "/dev/vhost-vdpa-0", wrong[i], "vdpa.path: '"));
		ok(refused_with(DEVICE_PCI, "/dev/vhost-net", wrong[i], "pci.vhost-net: '"));
	}

	test("dots that are no '..' component are fine");
	ok(emits_with(DEVICE_MEMIF, "/var/run/memif.sock", "/run/..a/b../.../x",
		      "/run/..a/b../.../x"));
}

static void test_vdpa_handle(void)
{
	auto_free char *text = with(full[DEVICE_VDPA], "/dev/vhost-vdpa-0", "pci/0000:65:00.3");
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };

	test("a management device's handle for a vdpa path is refused with the reason");
	ok(parse(text, &di, &e) < 0);
	eq(e.msg, "file: vdpa.path: 'pci/0000:65:00.3': expected an absolute path without '..'");
	contains(e.details, "management device");
}

static void test_unclean(void)
{
	static const char *const wrong[] = {
		"/run/a=b",         "/run/a b",       "/run/a\\\"b",
		"/run/a\\\\b",      "/run/a\\nb",     "/run/a\\u007fb",
		"/run/a\\u001b[0m", "/run/a\\u00a0b", "/run/a\\u0085b",
	};

	test("no value has a blank, a quote, an equals sign or a control character");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ok(refused_with(DEVICE_VHOST_USER, "/var/run/net3/vhost.sock", wrong[i],
				"vhost-user.path: byte 7 is a blank"));
	ok(refused_with(DEVICE_PCI, "\"pci\",", "\"pci\\n\",", "type: byte 4"));
	ok(refused_with(DEVICE_PCI, "1.1.0", "1.1.0\\n", "version: byte 6"));

	test("letters beyond ASCII are fine");
	ok(emits_with(DEVICE_VHOST_USER, "/var/run/net3/vhost.sock", "/run/\u00fc", "/run/\u00fc"));
}

static void test_versions(void)
{
	static const char *const wrong[] = {
		"1.1", "1.1.0.0", "1.1.x", "1..0", "vv1.1.0", "1.1.0-rc1", "1.1.00000", "V1.1.0",
		"1.1.0.......1.1.",
	};

	test("a leading 'v' is read and never emitted");
	ok(emits_with(DEVICE_PCI, "1.1.0", "v1.1.0", "1.1.0"));
	ok(emits_with(DEVICE_PCI, "1.1.0", "v1.0.0", "1.0.0"));

	test("versions of other than three numbers are refused");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ok(refused_with(DEVICE_PCI, "1.1.0", wrong[i], "version: '"));

	test("a version to come is kept");
	ok(emits_with(DEVICE_PCI, "1.1.0", "1.12.3", "1.12.3"));
}

static const char *raised(enum device_kind kind, const char *version, const char *representor)
{
	static struct device_info di;

	di = (struct device_info){ .kind = kind };
	(void)snprintf(di.version, sizeof(di.version), "%s", version);
	if (kind == DEVICE_VDPA)
		(void)snprintf(di.vdpa.representor_device, 16, "%s", representor);
	else
		(void)snprintf(di.pci.representor_device, 16, "%s", representor);
	device_info_raise_version(&di);
	return di.version;
}

static void test_raise(void)
{
	test("a 1.1.0 key raises the version");
	eq(raised(DEVICE_PCI, "1.0.0", "eth3"), "1.1.0");
	eq(raised(DEVICE_VDPA, "1.0.9", "eth3"), "1.1.0");
	eq(raised(DEVICE_PCI, "0.9.0", "eth3"), "1.1.0");

	test("without one the version stays, and a higher one is never lowered");
	eq(raised(DEVICE_PCI, "1.0.0", ""), "1.0.0");
	eq(raised(DEVICE_PCI, "1.1.4", "eth3"), "1.1.4");
	eq(raised(DEVICE_VDPA, "1.2.0", "eth3"), "1.2.0");
	eq(raised(DEVICE_PCI, "2.0.0", "eth3"), "2.0.0");
}

static void test_unknown(void)
{
	static const char known[] = "{\"type\":\"pci\",\"version\":\"1.2.0\",\"pci\":{"
				    "\"pci-address\":\"0000:18:02.5\",\"new\":[1,2.5,null],"
				    "\"sub\":{\"a\":{}}},\"example.com/x\":{\"y\":true},"
				    "\"vdpa\":{\"path\":\"pci/x\"}}\n";

	test("unknown members of the top and of the map are kept, other types' maps among them");
	ok(emits(known, known));

	test("unknown members come after the known ones");
	ok(emits("{\"x\":1,\"pci\":{\"y\":2,\"pci-address\":\"0000:18:02.5\"},"
		 "\"version\":\"1.0.0\",\"type\":\"pci\"}",
		 SHORT(",\"y\":2") "},\"x\":1}\n"));
}

static void test_documents(void)
{
	static const char *const torn[] = { "", "{", "{\"type\":\"pci\",\"ver", "{}x", "{}{}" };

	test("what is no JSON document is refused");
	for (size_t i = 0; i < ARRAY_SIZE(torn); i++)
		ok(refused(torn[i], "not valid JSON"));
	ok(refused_with(DEVICE_PCI, "\"1.1.0\",", "\"1.1.0\",\"type\":\"pci\",",
			"duplicate key \"type\""));

	test("a document that is no object is refused");
	ok(refused("[]", "expected an object, got a list"));
	ok(refused("{}", "type is required"));
}

static void test_validate(void)
{
	struct device_info di = { .kind = DEVICE_PCI, .version = "1.1.0" };
	struct err e = { 0 };

	test("what we made ourselves is held to the same rules");
	ok(device_info_validate(&di, "0000:18:02.5", &e) < 0);
	eq(e.msg, "0000:18:02.5: pci.pci-address is required: expected a PCI address dddd:bb:dd.f");
	(void)snprintf(di.pci.pci_address, sizeof(di.pci.pci_address), "0000:18:02.5");
	ok(device_info_validate(&di, "x", &e) == 0);
	(void)snprintf(di.pci.rdma_device, sizeof(di.pci.rdma_device), "mlx5 2");
	ok(device_info_validate(&di, "x", &e) < 0 && strstr(e.msg, "pci.rdma-device: byte 5"));
	(void)snprintf(di.version, sizeof(di.version), "v1.1.0");
	ok(device_info_validate(&di, "x", &e) < 0 && strstr(e.msg, "version: 'v1.1.0'"));

	test("releasing a zeroed struct is fine, twice too");
	device_info_done(&di);
	device_info_done(&di);
	ok(!di.extra && !di.extra_map);
}

/* All that follows needs one: without it nothing else is looked at. */
static bool has_rows(void)
{
	size_t missing = 0;

	test("each type has a file in the table of this test");
	for (enum device_kind kind = 0; kind < DEVICE_KINDS; kind++)
		if (!full[kind]) {
			(void)printf("#  no row for type %s\n", device_kind_name(kind));
			missing++;
		}
	ok(missing == 0);
	return missing == 0;
}

int main(void)
{
	if (!has_rows())
		return tap_end();
	test_types();
	test_required();
	test_values();
	test_addresses();
	test_paths();
	test_vdpa_handle();
	test_unclean();
	test_versions();
	test_raise();
	test_unknown();
	test_documents();
	test_validate();
	return tap_end();
}
