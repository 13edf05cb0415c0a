/* SPDX-License-Identifier: Apache-2.0 */
/* test_store.c - the device-info files of section 4, proper and hostile ones */
#include "base/mem.h"
#include "devinfo/format/store.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIR "/var/run/k8s.cni.cncf.io/devinfo"
#define NAME "default-sriov-c0ffee_net1"
#define PCI(address)                                                                               \
	"{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":\"" address "\"}}"

static struct fake_node n;

static const char *path_of(const char *path)
{
	static char full[4500];

	(void)snprintf(full, sizeof(full), "%s%s", n.dir, path);
	return full;
}

static void sh(const char *command)
{
	node_sh(&n, command);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path_of(path), "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		exit(1);
}

/* A node as a Debian has it: /var/run leads to /run. */
static void open_node(void)
{
	node_open(NULL, &n);
	sh("mkdir -p var run && ln -s ../run var/run");
}

static unsigned int mode_of(const char *path)
{
	struct stat st;

	return lstat(path_of(path), &st) == 0 ? st.st_mode & 07777 : 0;
}

static int read_dp(const char *resource, const char *id, char address[16], struct err *e)
{
	auto_device_info struct device_info di = { 0 };
	int r = store_read_dp(&n.host, resource, id, &di, e);

	if (r > 0)
		(void)snprintf(address, 16, "%s", di.pci.pci_address);
	return r;
}

static void test_dp(void)
{
	static const char *const id[] = {
		"0000:03:02.0", "0000:03:02.1", "0000:03:02.2", "0000:03:02.3",
	};
	char address[16] = "", command[PATH_MAX + 128], top[PATH_MAX], resource[260];
	struct err e = { 0 };

	open_node();
	test("without a dp directory there is no file");
	ok(read_dp("example.com/vf", id[0], address, &e) == 0);

	test("files of real device plugins are read");
	(void)snprintf(command, sizeof(command),
		       "mkdir -p ." DIR "/dp && cp %s/tests/node/dp/* ." DIR "/dp",
		       getcwd(top, sizeof(top)));
	sh(command);
	for (size_t i = 0; i < ARRAY_SIZE(id); i++) {
		ok(read_dp("example.com/vf", id[i], address, &e) == 1);
		eq(address, id[i]);
	}
	ok(read_dp("intel.com/netdev", id[0], address, &e) == 1);
	ok(read_dp("intel.com/vfio", id[1], address, &e) == 1);

	test("another resource's device has none");
	ok(read_dp("intel.com/vfio", id[0], address, &e) == 0);

	test("'/' becomes '-' in both parts, so different devices can have the same name");
	write_text(DIR "/dp/a-b-c-d-device.json", PCI("0000:01:00.0"));
	ok(read_dp("a/b-c", "d", address, &e) == 1);
	ok(read_dp("a/b", "c/d", address, &e) == 1);

	test("a name that no file can have is absent");
	memset(resource, 'r', sizeof(resource) - 1);
	resource[sizeof(resource) - 1] = '\0';
	ok(read_dp(resource, id[0], address, &e) == 0);
	ok(read_dp("a\nb", id[0], address, &e) == 0);

	test("in a dp that is no directory there is none");
	sh("cd ." DIR " && rm -r dp && touch dp");
	ok(read_dp("intel.com/vfio", id[0], address, &e) == 0);
	node_close(&n);
}

/* Refused, the message names directory and file and has these words. */
static bool refuses(const char *words, enum err_code code)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };
	int r = store_read_dp(&n.host, "r", "d", &di, &e);

	if (r < 0 && e.code == code && strstr(e.msg, DIR "/dp") &&
	    strstr(e.msg, "r-d-device.json") && (strstr(e.msg, words) || strstr(e.details, words)))
		return true;
	(void)printf("# %d, code %d, %s (%s)\n", r, (int)e.code, e.msg, e.details);
	return false;
}

static void test_hostile(void)
{
	open_node();
	sh("mkdir -p ." DIR "/dp");
	test("torn and empty files are refused");
	write_text(DIR "/dp/r-d-device.json", "{\"type\":\"pci\",\"vers");
	ok(refuses("not valid JSON", ERR_DEVINFO));
	write_text(DIR "/dp/r-d-device.json", "");
	ok(refuses("not valid JSON", ERR_DEVINFO));
	write_text(DIR "/dp/r-d-device.json", PCI("../../etc"));
	ok(refuses("expected a PCI address", ERR_DEVINFO));

	test("a file of 1 MiB is read, a larger one is not");
	sh("truncate -s 1048577 ." DIR "/dp/r-d-device.json");
	ok(refuses("has 1048577 bytes", ERR_DEVINFO));
	sh("truncate -s 1048576 ." DIR "/dp/r-d-device.json");
	ok(refuses("not valid JSON", ERR_DEVINFO));

	test("a link is not followed, wherever it leads");
	write_text(DIR "/dp/real", PCI("0000:01:00.0"));
	sh("cd ." DIR "/dp && ln -sf real r-d-device.json");
	ok(refuses("symbolic links", ERR_DEVINFO));
	sh("cd ." DIR "/dp && ln -sf nowhere r-d-device.json");
	ok(refuses("symbolic links", ERR_DEVINFO));

	test("a directory and a FIFO are refused at once");
	sh("cd ." DIR "/dp && rm r-d-device.json && mkdir r-d-device.json");
	ok(refuses("not a regular file", ERR_DEVINFO));
	sh("cd ." DIR "/dp && rmdir r-d-device.json && mkfifo r-d-device.json");
	ok(refuses("not a regular file", ERR_DEVINFO));

	node_close(&n);
}

static void test_names(void)
{
	char name[256] = "", other[256] = "", network[301];
	struct err e = { 0 };

	test("our own name is Multus' recipe");
	ok(store_cni_name("default/sriov", "c0ffee", "net1", name, &e) == 0);
	eq(name, "default-sriov-c0ffee_net1");

	test("a name that is too long gets a hash and stays unique");
	memset(network, 'n', sizeof(network) - 1);
	network[sizeof(network) - 1] = '\0';
	ok(store_cni_name(network, "c0ffee", "net1", name, &e) == 0);
	ok(store_cni_name(network, "c0ffee", "net2", other, &e) == 0);
	ok(strlen(name) == 255 && strcmp(name, other) != 0);
}

/* What store_check_path() makes of a path: the name, or the code of the error. */
static const char *checked(const char *path)
{
	static char name[256];
	struct err e = { 0 };

	if (store_check_path(&n.host, path, name, &e) == 0)
		return name;
	(void)snprintf(name, sizeof(name), "%d", (int)e.code);
	return name;
}

static void check_paths(void)
{
	eq(checked(DIR "/cni/" NAME), NAME);
	eq(checked("/run/k8s.cni.cncf.io/devinfo/cni/" NAME), NAME);
	eq(checked("/var//run/k8s.cni.cncf.io/devinfo/cni//" NAME), NAME);
	eq(checked(DIR "/dp/" NAME), "7");
	eq(checked(DIR "/" NAME), "7");
	eq(checked(DIR "/cni/sub/" NAME), "7");
	eq(checked("/etc/cni/" NAME), "7");
	eq(checked("/cni"), "7");
	eq(checked("/"), "7");
}

static void test_check_path(void)
{
	static char path[5000], first[256];

	open_node();
	test("a given path is right below the cni directory, however that is spelled");
	check_paths();
	ok(access(path_of("/run/k8s.cni.cncf.io"), F_OK) < 0);

	test("and the same holds once the directory is there");
	sh("mkdir -p ." DIR "/cni ." DIR "/dp");
	check_paths();

	test("relative paths, '..' and what is no file name are refused");
	eq(checked(""), "7");
	eq(checked("var/run/k8s.cni.cncf.io/devinfo/cni/x"), "7");
	eq(checked(DIR "/cni/.."), "7");
	eq(checked(DIR "/cni/."), "7");
	eq(checked(DIR "/cni/"), "7");
	eq(checked(DIR "/dp/../cni/x"), "7");
	eq(checked(DIR "/cni/a\nb"), "7");

	test("a name that is longer than a file's can be gets a hash");
	(void)snprintf(path, sizeof(path), DIR "/cni/%0256d", 7);
	ok(strlen(checked(path)) == 255 && strncmp(checked(path), "00000000", 8) == 0);
	(void)snprintf(first, sizeof(first), "%s", checked(path));
	path[strlen(path) - 1] = '8';
	ok(strlen(checked(path)) == 255 && strcmp(checked(path), first) != 0);
	(void)snprintf(path, sizeof(path), DIR "/cni/%0255d", 7);
	eq(checked(path), path + strlen(DIR "/cni/"));
	(void)snprintf(path, sizeof(path), DIR "/cni/%0256d/", 7);
	eq(checked(path), "7");
	(void)snprintf(path, sizeof(path), DIR "/cni/\n%0256d", 7);
	eq(checked(path), "7");

	test("paths that are too long are refused");
	memset(path, '/', sizeof(path) - 2);
	path[sizeof(path) - 2] = 'x';
	eq(checked(path), "7");
	n.host.set.devinfo_dir = path;
	eq(checked(DIR "/cni/x"), "5");
	node_close(&n);
}

static void fill(struct device_info *ret)
{
	*ret = (struct device_info){
		.kind = DEVICE_PCI,
		.version = "1.1.0",
		.pci = { .pci_address = "0000:03:02.0" },
	};
}

static void test_write(void)
{
	auto_device_info struct device_info di = { 0 }, back = { 0 };
	auto_free char *text = NULL;
	struct err e = { 0 };
	size_t len = 0;

	open_node();
	fill(&di);
	test("the directory is made 0755 and the file 0644 whatever the umask");
	(void)umask(077);
	ok(store_write_cni(&n.host, NAME, &di, &e) == 0);
	(void)umask(022);
	ok(mode_of("/run/k8s.cni.cncf.io") == 0755);
	ok(mode_of("/run/k8s.cni.cncf.io/devinfo") == 0755);
	ok(mode_of(DIR "/cni") == 0755);
	ok(mode_of(DIR "/cni/" NAME) == 0644);

	test("what was written is read back");
	ok(store_read_cni(&n.host, NAME, &back, &text, &len, &e) == 1);
	eq(back.pci.pci_address, "0000:03:02.0");
	eq(text ? text : "", PCI("0000:03:02.0") "\n");
	ok(text && len == strlen(text));

	test("an existing file is replaced, read-only or not, and nothing else is left behind");
	sh("chmod 0444 ." DIR "/cni/" NAME);
	(void)snprintf(di.pci.pf_pci_address, sizeof(di.pci.pf_pci_address), "0000:03:00.0");
	ok(store_write_cni(&n.host, NAME, &di, &e) == 0);
	device_info_done(&back);
	ok(store_read_cni(&n.host, NAME, &back, NULL, NULL, &e) == 1);
	eq(back.pci.pf_pci_address, "0000:03:00.0");
	sh("[ \"$(ls -A ." DIR "/cni)\" = " NAME " ]");

	test("removing is fine twice");
	ok(store_remove_cni(&n.host, NAME, &e) == 0);
	ok(store_read_cni(&n.host, NAME, NULL, NULL, NULL, &e) == 0);
	ok(store_remove_cni(&n.host, NAME, &e) == 0);
	node_close(&n);
}

static void test_write_dp(void)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };
	char name[256], address[16] = "";

	open_node();
	fill(&di);
	test("a device plugin's file is written by its name, and read by what the name is made of");
	ok(store_dp_name("example.com/vf", "0000:03:02.0", name));
	eq(name, "example.com-vf-0000:03:02.0-device.json");
	ok(store_write_dp(&n.host, name, &di, &e) == 0);
	ok(mode_of(DIR "/dp") == 0755);
	ok(mode_of(DIR "/dp/example.com-vf-0000:03:02.0-device.json") == 0644);
	ok(read_dp("example.com/vf", "0000:03:02.0", address, &e) == 1);
	eq(address, "0000:03:02.0");

	test("removing it is fine twice");
	ok(store_remove_dp(&n.host, name, &e) == 0);
	ok(read_dp("example.com/vf", "0000:03:02.0", address, &e) == 0);
	ok(store_remove_dp(&n.host, name, &e) == 0);

	test("what is not valid is not written");
	*di.pci.pci_address = '\0';
	ok(store_write_dp(&n.host, name, &di, &e) < 0 && e.code == ERR_DEVINFO);
	ok(read_dp("example.com/vf", "0000:03:02.0", address, &e) == 0);
	node_close(&n);
}

static void test_write_back(void)
{
	static const char odd[] = "{ \"type\" : \"pci\",\n \"version\":\"v1.0.0\", \"pci\": "
				  "{\"pci-address\":\"0000:03:02.0\"}, \"x\": 1 }";
	auto_device_info struct device_info di = { 0 };
	auto_free char *text = NULL, *again = NULL;
	struct err e = { 0 };
	size_t len = 0;

	open_node();
	sh("mkdir -p ." DIR "/cni");
	write_text(DIR "/cni/" NAME, odd);
	test("an old file is put back byte for byte");
	ok(store_read_cni(&n.host, NAME, &di, &text, &len, &e) == 1);
	ok(store_write_cni(&n.host, NAME, &di, &e) == 0);
	ok(store_write_cni_text(&n.host, NAME, text, len, &e) == 0);
	ok(store_read_cni(&n.host, NAME, NULL, &again, &len, &e) == 1);
	eq(again ? again : "", odd);

	test("only who wants the content is bothered by a torn file");
	write_text(DIR "/cni/" NAME, "{");
	device_info_done(&di);
	ok(store_read_cni(&n.host, NAME, NULL, NULL, NULL, &e) == 1);
	ok(store_read_cni(&n.host, NAME, &di, NULL, NULL, &e) < 0 && e.code == ERR_DEVINFO);
	eq(e.msg, DIR "/cni/" NAME ": not valid JSON");
	node_close(&n);
}

static void test_write_refused(void)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };

	open_node();
	fill(&di);
	test("a name that is no file name is neither read, written nor removed");
	sh("mkdir -p ." DIR "/cni");
	ok(store_read_cni(&n.host, "../x", NULL, NULL, NULL, &e) < 0);
	ok(store_write_cni(&n.host, "../x", &di, &e) < 0);
	ok(store_remove_cni(&n.host, "../x", &e) < 0);
	sh("[ ! -e ." DIR "/x ]");

	test("a link at the place of the file is replaced, not written through");
	write_text("/run/victim", "untouched");
	sh("ln -s ../../victim ." DIR "/cni/" NAME);
	ok(store_read_cni(&n.host, NAME, NULL, NULL, NULL, &e) < 0 && e.code == ERR_DEVINFO);
	ok(store_write_cni(&n.host, NAME, &di, &e) == 0);
	sh("[ \"$(cat run/victim)\" = untouched ] && [ ! -L ." DIR "/cni/" NAME " ]");

	test("a directory at the place of the file is an error that names both");
	sh("rm ." DIR "/cni/" NAME " && mkdir ." DIR "/cni/" NAME);
	ok(store_write_cni(&n.host, NAME, &di, &e) < 0 && e.code == ERR_IO);
	eq(e.msg, DIR "/cni: write '" NAME "'");
	ok(store_remove_cni(&n.host, NAME, &e) < 0);
	sh("[ \"$(ls -A ." DIR "/cni)\" = " NAME " ]");

	test("what the specification forbids is not written");
	(void)snprintf(di.pci.vhost_net, sizeof(di.pci.vhost_net), "dev/vhost-net");
	ok(store_write_cni(&n.host, "other", &di, &e) < 0 && e.code == ERR_DEVINFO);
	sh("[ ! -e ." DIR "/cni/other ]");
	node_close(&n);
}

static void test_no_directory(void)
{
	auto_device_info struct device_info di = { 0 };
	static char path[5000];
	struct err e = { 0 };

	open_node();
	fill(&di);
	test("below what is no directory nothing can be written, and there is nothing");
	write_text("/run/k8s.cni.cncf.io", "a file");
	ok(store_write_cni(&n.host, NAME, &di, &e) < 0 && e.code == ERR_IO);
	ok(store_read_cni(&n.host, NAME, NULL, NULL, NULL, &e) == 0);
	ok(store_remove_cni(&n.host, NAME, &e) == 0);
	test("a directory that cannot be named is an error");
	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	n.host.set.devinfo_dir = path;
	ok(store_write_cni(&n.host, NAME, &di, &e) < 0 && e.sys != 0);
	ok(store_read_cni(&n.host, NAME, NULL, NULL, NULL, &e) < 0 && e.sys != 0);
	node_close(&n);
}

int main(void)
{
	test_dp();
	test_hostile();
	test_names();
	test_check_path();
	test_write();
	test_write_dp();
	test_write_back();
	test_write_refused();
	test_no_directory();
	return tap_end();
}
