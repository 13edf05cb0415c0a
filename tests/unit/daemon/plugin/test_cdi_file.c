/* SPDX-License-Identifier: Apache-2.0 */
/* test_cdi_file.c - specifications of the Container Device Interface, on a recorded node */
#include "daemon/plugin/cdi_file.h"

#include "base/fs.h"
#include "tests/unit/logged.h"
#include "tests/unit/offered.h"

#define ALL "{'resourceList': [{'resourceName': 'vf', 'selectors': {'pfNames': ['eth0']}}]}"
#define FILE_NAME "devinfod-intel.com_net-vf.json"

/* The file's text with ' for ", NULL when there is none. */
static const char *text_of(const struct offered_node *n, const char *name)
{
	static char text[4096];
	char path[256];
	auto_close int fd = -1;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "%s%s/%s", n->node.dir, CDI_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len < 0)
		return NULL;
	text[len] = '\0';
	for (char *p = text; *p; p++)
		*p = *p == '"' ? '\'' : *p;
	return text;
}

#define DEVICE(id, group) "{'name':'" id "','containerEdits':{'deviceNodes':[{'path':" \
	"'/dev/vfio/vfio','permissions':'rw'},{'path':'/dev/vfio/" group "','permissions':'rw'}]}}"
#define SPEC(devices) "{'cdiVersion':'0.5.0','kind':'intel.com/net-vf','devices':[" devices "]}\n"

static struct cdi_told told;

static void test_write(void)
{
	struct offered_node n;
	struct access_world w;
	struct err e = { 0 };

	offered_open("igb", NULL, ALL, &n);
	w = offered_world(&n, 0);
	test("a specification has the devices that have nodes");
	ok(cdi_file_write(&w, &told, &e) == 0);
	eq(text_of(&n, FILE_NAME), SPEC(DEVICE("0000:01:10.2", "14")));
	ok(node_holds(&n.node, "$(stat -c %a var/run/cdi/" FILE_NAME ") = 644"));

	test("one that says the same is not written again");
	node_sh(&n.node, "touch -d @1 var/run/cdi/" FILE_NAME);
	ok(cdi_file_write(&w, &told, &e) == 0);
	ok(node_holds(&n.node, "$(stat -c %Y var/run/cdi/" FILE_NAME ") = 1"));

	test("what it says of a device that is held stays");
	node_sh(&n.node, "cd sys/bus/pci/devices/0000:01:10.2 && "
			 "ln -sfn ../../../a/99 iommu_group");
	n.offer[0].list[1].held = true;
	ok(cdi_file_write(&w, &told, &e) == 0);
	eq(text_of(&n, FILE_NAME), SPEC(DEVICE("0000:01:10.2", "14")));
	test("at the end, too");
	ok(cdi_file_withdraw(&n.node.host, &n.offer[0], &e) == 0);
	eq(text_of(&n, FILE_NAME), SPEC(DEVICE("0000:01:10.2", "14")));
	test("of one that nobody has it is made anew");
	n.offer[0].list[1].held = false;
	ok(cdi_file_write(&w, &told, &e) == 0);
	eq(text_of(&n, FILE_NAME), SPEC(DEVICE("0000:01:10.2", "99")));

	test("a file that is no JSON is replaced");
	node_sh(&n.node, "echo x >var/run/cdi/" FILE_NAME);
	ok(cdi_file_write(&w, &told, &e) == 0);
	eq(text_of(&n, FILE_NAME), SPEC(DEVICE("0000:01:10.2", "99")));
	test("without a device that has nodes there is no file");
	n.offer[0].n = 1;
	ok(cdi_file_write(&w, &told, &e) == 0);
	ok(!text_of(&n, FILE_NAME));
	ok(cdi_file_withdraw(&n.node.host, &n.offer[0], &e) == 0);
	offered_close(&n);
}

static void test_gone(void)
{
	struct offered_node n;
	struct access_world w;
	struct err e = { 0 };

	offered_open("igb", NULL, ALL, &n);
	w = offered_world(&n, 0);
	test("a device that cannot be looked at is left out, and told");
	node_sh(&n.node, "cd sys/bus/pci/devices && rm 0000:01:10.2");
	keep_log();
	ok(cdi_file_write(&w, &told, &e) == 0);
	ok(!text_of(&n, FILE_NAME));
	ok(logged("resource=intel.com/vf device=0000:01:10.2"));
	test("once, until it could be looked at again");
	keep_log();
	cdi_told_turn(&told);
	ok(cdi_file_write(&w, &told, &e) == 0);
	ok(!logged("0000:01:10.2"));
	cdi_told_turn(&told);
	cdi_told_turn(&told);
	ok(cdi_file_write(&w, &told, &e) == 0);
	ok(logged("resource=intel.com/vf device=0000:01:10.2"));
	cdi_told_done(&told);
	test("nothing is withdrawn where there is nothing");
	node_sh(&n.node, "rm -r var/run/cdi");
	ok(cdi_file_withdraw(&n.node.host, &n.offer[0], &e) == 0);
	ok(cdi_file_remove_others(&n.node.host, &n.offers, &e) == 0);
	offered_close(&n);
}

static void test_others(void)
{
	struct offered_node n;
	struct err e = { 0 };

	offered_open("igb", "mkdir -p var/run/cdi && cd var/run/cdi && touch " FILE_NAME
			    " devinfod-a_net-b.json devinfod-c sriov-dp-intel.com.json", ALL, &n);
	test("files of resources that are no more are removed, and nobody else's");
	ok(cdi_file_remove_others(&n.node.host, &n.offers, &e) == 0);
	ok(node_holds(&n.node, "\"$(ls var/run/cdi | tr '\\n' ' ')\" = '" FILE_NAME
			       " sriov-dp-intel.com.json '"));

	test("but for one by which a pod has a device that another resource offers now");
	node_sh(&n.node, "echo '{\"devices\": [{\"name\": \"x\"}, {\"name\": \"0000:01:10.0\"}]}' "
			 ">var/run/cdi/devinfod-a_net-b.json");
	n.offer[0].list[0].held = true;
	ok(cdi_file_remove_others(&n.node.host, &n.offers, &e) == 0);
	ok(node_holds(&n.node, "-e var/run/cdi/devinfod-a_net-b.json"));
	n.offer[0].list[0].held = false;
	ok(cdi_file_remove_others(&n.node.host, &n.offers, &e) == 0);
	ok(!node_holds(&n.node, "-e var/run/cdi/devinfod-a_net-b.json"));
	offered_close(&n);
}

int main(void)
{
	test_write();
	test_others();
	test_gone();
	return tap_end();
}
