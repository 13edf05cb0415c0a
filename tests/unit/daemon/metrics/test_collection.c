/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_collection.c - which samples there are of a node: VFs by their holders, counters that nobody
 * counts, RDMA devices with files of any content, states and leaks
 *
 * The kernel's answers are the test's own (__wrap_...).
 */
#include "daemon/metrics/collection.h"

#include "netlink/vf_stats.h"
#include "tests/unit/daemon/offer/scene.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <sys/stat.h>

/* -- the kernel -- */

static struct {
	int asked;			/* how often, and of which PF last */
	int pf;
	bool fails, counts;
	unsigned int vfs;
} kernel;

int __wrap_nl_open(int nsfd, int bus, struct nl *ret, struct err *e);
int __wrap_nl_open(int nsfd, int bus, struct nl *ret, struct err *e)
{
	(void)nsfd, (void)bus, (void)e;
	*ret = (struct nl){ .fd = -1 };
	return 0;
}

int __wrap_vf_stats_each(struct nl *nl, int pf, vf_stats_fn *fn, void *arg, struct err *e);
int __wrap_vf_stats_each(struct nl *nl, int pf, vf_stats_fn *fn, void *arg, struct err *e)
{
	(void)nl;
	kernel.asked++;
	kernel.pf = pf;
	if (kernel.fails)
		return err_set(e, ERR_NETLINK, ENODEV, "read counters");
	for (unsigned int vf = 0; vf < kernel.vfs; vf++) {
		struct vf_stats s = { .have = (1 << VF_RX_DROPPED) - 1 };

		for (unsigned int k = 0; kernel.counts && k < VF_RX_DROPPED; k++)
			s.count[k] = (vf == 1) * (k + 1) * 100;
		fn(vf, &s, arg);
	}
	return 0;
}

/* -- what comes of it -- */

static struct scene s;
static struct fake_node node;

/* All samples as a text, until the next call. */
static const char *collect(unsigned int *steps)
{
	static char text[1 << 20];
	struct collection *c = collection_new(&s.host, &s.inv, &s.now);
	struct exposition_reader *r = calloc(1, sizeof(*r));
	struct exposition *x;

	for (*steps = 0; collection_step(c); (*steps)++)
		;
	x = collection_take(c);
	collection_free(c);
	memset(text, 0, sizeof(text));
	(void)!exposition_read(x, r, text, sizeof(text) - 1);
	exposition_release(x);
	free(r);
	return text;
}

static bool has(const char *text, const char *line)
{
	char whole[1024];

	(void)snprintf(whole, sizeof(whole), "\n%s\n", line);
	return strstr(text, whole);
}

static void begin(void)
{
	scene_open("{'resourceList': [{'resourceName': 'eth', "
		   "'selectors': {'pfNames': ['eth0']}}]}", &s);
	s.host = node.host;
	kernel.asked = 0;
	kernel.fails = kernel.counts = false;
	kernel.vfs = 4;
}

static void end(void)
{
	pools_done(&s.pools);
	scene_forget(&s);
}

static void counters(void)
{
	unsigned int steps;
	const char *text;

	test("one request for the VFs of a PF, whose counters have all labels that are known");
	begin();
	kernel.counts = true;
	scene_attach(&s, 0, "0000:03:02.1", 2);
	text = collect(&steps);
	ok(kernel.asked == 1 && kernel.pf == 2);
	eqi(steps, 2);			/* a PF, and an RDMA device */
	ok(has(text, "devinfo_vf_transmit_bytes_total{pf=\"eth0\",vf=\"1\",pci_address=\""
	       "0000:03:02.1\",namespace=\"ns\",pod=\"p0\",network=\"lab\",interface=\"net1\"} "
	       "400"));
	ok(has(text, "devinfo_vf_receive_bytes_total{pf=\"eth0\",vf=\"0\",pci_address=\""
	       "0000:03:02.0\"} 0"));
	test("what the kernel does not tell is absent");
	ok(!strstr(text, "dropped"));
	test("a driver that counts nothing has no counters, and its VFs are told all the same");
	kernel.counts = false;
	text = collect(&steps);
	ok(!strstr(text, "devinfo_vf_receive") && !strstr(text, "devinfo_vf_transmit"));
	contains(text, "devinfo_vf_info{pf=\"eth0\",vf=\"3\",pci_address=\"0000:03:02.3\"} 1\n");
	test("nor has a PF that has gone meanwhile");
	kernel.fails = true;
	text = collect(&steps);
	ok(!strstr(text, "devinfo_vf_receive") && strstr(text, "devinfo_vf_info"));
	test("a PF whose network device is in another namespace is not asked for");
	kernel.asked = 0;
	s.functions[0].link = INV_NONE;
	text = collect(&steps);
	eqi(kernel.asked, 0);
	contains(text, "devinfo_vf_info{vf=\"3\",pci_address=\"0000:03:02.3\"} 1\n");
	end();
	test("a VF beyond those that are known is none");
	begin();
	kernel.counts = true;
	kernel.vfs = 99;
	text = collect(&steps);
	ok(!strstr(text, "vf=\"4\""));
	end();
}

static void recorded(void)
{
	static const char facts[] =
		"{\"vf_stats\": [{\"pf_ifindex\": 2, \"index\": 3, \"rx_bytes\": 77,"
		" \"tx_bytes\": \"x\"}, {\"pf_ifindex\": 9, \"index\": 3, \"rx_bytes\": 1}, 5]}";
	unsigned int steps;
	const char *text;

	test("a recorded node is not asked, and answers by its facts");
	begin();
	s.host.facts = json_loads(facts, 0, NULL);
	text = collect(&steps);
	eqi(kernel.asked, 0);
	ok(has(text, "devinfo_vf_receive_bytes_total{pf=\"eth0\",vf=\"3\",pci_address=\""
	       "0000:03:02.3\"} 77"));
	ok(!strstr(text, "devinfo_vf_transmit_bytes"));
	json_decref(s.host.facts);
	end();
}

static void holders(void)
{
	unsigned int steps;
	const char *text;

	test("who is dead has no device any more, and what kubelet gave is told without us");
	begin();
	scene_attach(&s, 0, "0000:03:02.0", 1);
	scene_state(&s, 0, "dead");
	scene_give(&s, 1, "intel.com/eth", "0000:03:02.1", 2);
	text = collect(&steps);
	contains(text, "vf=\"0\",pci_address=\"0000:03:02.0\"} 1\n");
	contains(text, "vf=\"1\",pci_address=\"0000:03:02.1\",namespace=\"ns\",pod=\"g1\","
		 "container=\"c\"} 1\n");
	test("the container is kubelet's word, of the same pod alone");
	scene_state(&s, 0, "live");
	scene_give(&s, 0, "intel.com/eth", "0000:03:02.0", 1);
	text = collect(&steps);
	ok(!strstr(text, "pod=\"p0\",container"));
	(void)snprintf(s.attachments[0].pod_name, sizeof(s.attachments[0].pod_name), "g0");
	text = collect(&steps);
	contains(text, "pod=\"g0\",container=\"c\",network=\"lab\",interface=\"net1\"} 1\n");
	test("a name of any content does not break a line");
	(void)snprintf(s.attachments[0].pod_name, sizeof(s.attachments[0].pod_name), "%s",
		       "x\"} 1\n# EOF\n\\");
	text = collect(&steps);
	contains(text, "pod=\"x\\\"} 1\\n# EOF\\n\\\\\",network");
	ok(strstr(text, "# EOF\n") == text + strlen(text) - 6);
	end();
}

static void states(void)
{
	unsigned int steps;
	const char *text;

	test("attachments by state, and leaks by doctor's checks");
	begin();
	scene_attach(&s, 0, "a", INV_NONE);
	scene_attach(&s, 1, "b", INV_NONE);
	scene_attach(&s, 2, "c", INV_NONE);
	scene_state(&s, 1, "dead");
	scene_state(&s, 2, "version 9");
	(void)snprintf(s.functions[1].changes, sizeof(s.functions[1].changes), "vlan 7");
	text = collect(&steps);
	ok(has(text, "devinfo_attachments{state=\"live\"} 1"));
	ok(has(text, "devinfo_attachments{state=\"other version\"} 1"));
	ok(has(text, "devinfo_leaks{check=\"record-dead\"} 1"));
	ok(has(text, "devinfo_leaks{check=\"record-damaged\"} 0"));
	ok(has(text, "devinfo_leaks{check=\"vf-changed\"} 1"));
	end();
}

/* -- RDMA -- */

static void rdma(void)
{
	unsigned int steps;
	const char *text;

	test("RDMA counters by port and name; words are bytes; what is no number is left out");
	begin();
	node_sh(&node, "d=sys/class/infiniband/irdma0/ports/1 && mkdir -p $d/counters "
		"$d/hw_counters sys/class/infiniband/irdma0/ports/gid_attrs && cd $d && "
		"echo 25 >counters/port_rcv_data && echo 3 >counters/port_xmit_packets && "
		"echo 'N/A (no PMA)' >counters/port_xmit_data && echo 9 >counters/link_downed && "
		"echo 4 >hw_counters/rx_write_requests && echo 10 >hw_counters/lifespan && "
		"echo -1 >hw_counters/negative && : >hw_counters/empty && "
		"echo 1 >'hw_counters/a\"b' && echo 99999999999999999999 >hw_counters/big && "
		"ln -s rx_write_requests hw_counters/link && mkdir hw_counters/dir && "
		"mkfifo hw_counters/fifo");
	scene_attach(&s, 0, "0000:03:02.1", 2);
	text = collect(&steps);
#define DEVICE "{device=\"irdma0\",pf=\"eth0\",vf=\"1\",pci_address=\"0000:03:02.1\"," \
	"namespace=\"ns\",pod=\"p0\",network=\"lab\",interface=\"net1\",port=\"1\""
	ok(has(text, "devinfo_rdma_receive_bytes_total" DEVICE "} 100"));
	ok(has(text, "devinfo_rdma_transmit_packets_total" DEVICE "} 3"));
	ok(has(text, "devinfo_rdma_port_counter_total" DEVICE ",counter=\"link_downed\"} 9"));
	ok(has(text, "devinfo_rdma_hw_counter_total" DEVICE ",counter=\"rx_write_requests\"} 4"));
	ok(has(text, "devinfo_rdma_hw_counter_total" DEVICE ",counter=\"a\\\"b\"} 1"));
	ok(!strstr(text, "lifespan") && !strstr(text, "negative") && !strstr(text, "empty") &&
	   !strstr(text, "big") && !strstr(text, "\"link\"") && !strstr(text, "fifo") &&
	   !strstr(text, "rdma_transmit_bytes"));
	test("a file of a thousand counters is read up to a bound");
	node_sh(&node, "cd sys/class/infiniband/irdma0/ports/1/hw_counters && rm -rf * && "
		"for i in $(seq 1000); do echo 1 >c$i; done");
	text = collect(&steps);
	steps = 0;
	for (const char *p = text; (p = strstr(p, "\ndevinfo_rdma_hw_counter_total")); p++)
		steps++;
	eqi(steps, 256);
	test("a sub-function's device has the sub-function's holder");
	s.rdmas[0] = (struct inv_rdma){ .name = "irdma0", .parent = "mlx5_core.sf.4",
					.function = 5 };
	s.auxiliaries[0].holder = 0;
	text = collect(&steps);
	contains(text, "{device=\"irdma0\",auxiliary=\"mlx5_core.sf.4\",namespace=\"ns\",");
	test("a device that is elsewhere, or has a name that is a path, has none");
	node_sh(&node, "rm -rf sys/class/infiniband/irdma0");
	ok(!strstr(collect(&steps), "devinfo_rdma"));
	(void)snprintf(s.rdmas[0].name, sizeof(s.rdmas[0].name), "../x");
	ok(!strstr(collect(&steps), "devinfo_rdma"));
	end();
}

int main(void)
{
	node_open(NULL, &node);
	counters();
	recorded();
	holders();
	states();
	rdma();
	node_close(&node);
	return tap_end();
}
