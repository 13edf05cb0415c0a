/* SPDX-License-Identifier: Apache-2.0 */
/* test_health.c - what is wrong with a function, by one symptom at a time */
#include "base/mem.h"
#include "manager/inventory/health.h"
#include "tests/unit/tap.h"

/* A PF and a VF with their network devices, and the VF as the PF shows it. */
static struct inv_function functions[2];
static struct inv_link links[2];
static char ips[1][64];
static struct inv_vf vfs[2];	/* the second one is nobody's function */
static struct inv_vdpa vdpas[1];
static struct inventory inv;
static struct host host;	/* an empty tree */

static void make_well(void)
{
	functions[0] = (struct inv_function){
		.bdf = "0000:01:00.0", .vendor = "8086", .class = "020000", .driver = "igb",
		.link = 0, .vf = INV_NONE, .vdpa = INV_NONE, .holder = INV_NONE,
	};
	functions[1] = (struct inv_function){
		.bdf = "0000:01:10.0", .vendor = "8086", .class = "020000", .driver = "igbvf",
		.is_vf = true, .link = 1, .vf = 0, .vdpa = INV_NONE, .holder = INV_NONE,
		.offered = true,
	};
	links[0] = (struct inv_link){ .name = "eth0", .up = true, .carrier = true };
	memcpy(ips[0], "fe80::1/64", sizeof("fe80::1/64"));
	links[1] = (struct inv_link){ .name = "eth0v0", .ips = ips, .n_ips = 1 };
	/* what differs between drivers says nothing */
	vfs[0] = (struct inv_vf){ .pf = "eth0", .link_state = "auto", .spoofchk = true,
				  .mac = "02:00:00:00:00:01" };
	inv = (struct inventory){
		.functions = functions, .n_functions = 2, .links = links, .n_links = 2,
		.vfs = vfs, .n_vfs = 1,
		.vdpas = vdpas, .n_vdpas = 1,
	};
}

/* "health: reason" */
static const char *judged(int i)
{
	static char text[400];

	health_judge(&host, &inv);
	(void)snprintf(text, sizeof(text), "%s: %s", functions[i].health,
		       functions[i].health_reason);
	make_well();
	return text;
}

static void well(void)
{
	test("a PF and a free VF that are well");
	eq(judged(0), "ok: ");
	eq(judged(1), "ok: ");
	test("a device that is down on purpose is well");
	links[0].up = links[0].carrier = false;
	eq(judged(0), "ok: ");
	test("a free VF waits for the driver that its pod wants");
	*functions[1].driver = '\0';
	eq(judged(1), "ok: ");
}

static void failed(void)
{
	test("without a driver a PF cannot be used, nor a VF that somebody has");
	*functions[0].driver = '\0';
	eq(judged(0), "failed: no driver is bound");
	*functions[1].driver = '\0';
	functions[1].holder = 0;
	eq(judged(1), "failed: no driver is bound");
	test("a fatal error");
	functions[0].aer_fatal = 2;
	eq(judged(0), "failed: 2 fatal errors (AER)");
}

static void degraded(void)
{
	test("no carrier");
	links[0].carrier = false;
	eq(judged(0), "degraded: eth0 has no carrier");
	test("errors that were corrected, or not");
	functions[1].aer_correctable = 7;
	eq(judged(1), "degraded: 7 corrected errors (AER)");
	functions[1].aer_nonfatal = 1;
	eq(judged(1), "degraded: 1 uncorrected errors (AER)");
	test("the worst decides, and all reasons are told");
	links[0].carrier = false;
	functions[0].aer_fatal = functions[0].aer_correctable = 1;
	eq(judged(0), "failed: 1 fatal errors (AER); eth0 has no carrier; "
		      "1 corrected errors (AER)");
}

/* Make one attribute of the VF other than a free one's. */
static void change(int i)
{
	switch (i) {
	case 0:
		vfs[0].vlan = 100;
		break;
	case 1:
		vfs[0].trust = true;
		break;
	case 2:
		(void)snprintf(vfs[0].link_state, sizeof(vfs[0].link_state), "enable");
		break;
	default:
		vfs[0].max_tx_rate = 700;
		break;
	}
}

static void changed(void)
{
	static const char *const reasons[] = {
		"vlan 100 qos 0", "trust on", "link state enable",
		"min_tx_rate 0 max_tx_rate 700",
	};
	char want[128];

	for (int i = 0; i < 4; i++) {
		test("a VF that nobody has, and that is not as a free one");
		change(i);
		(void)snprintf(want, sizeof(want), "changed: nobody has it, and it has %s",
			       reasons[i]);
		eq(judged(1), want);
		test("who has it may change it: an attachment, sriov-cni, a pod of kubelet's");
		change(i);
		functions[1].has_record = true;
		eq(judged(1), "ok: ");
		change(i);
		functions[1].sriov_cni = true;
		eq(judged(1), "ok: ");
		change(i);
		functions[1].given = true;
		eq(judged(1), "ok: ");
	}
}

/* Make the VF somebody's, in one way. */
static void use(int i)
{
	struct inv_function *vf = &functions[1];

	switch (i) {
	case 0:		/* the host's */
		(void)snprintf(ips[0], sizeof(ips[0]), "192.0.2.1/24");
		break;
	case 1:
		(void)snprintf(links[1].master, sizeof(links[1].master), "br0");
		break;
	case 2:		/* its network device is in a pod of somebody else's */
		vf->link = INV_NONE;
		break;
	case 3:		/* a program may have it, for kubelet does not tell */
		vf->link = INV_NONE;
		(void)snprintf(vf->driver, sizeof(vf->driver), "vfio-pci");
		break;
	default:
		vf->vdpa = 0;
		break;
	}
}

static void used(void)
{
	test("a VF that somebody may use is not judged");
	for (int i = 0; i < 5; i++) {
		change(0);
		use(i);
		eq(judged(1), "ok: ");
	}
	test("one with a program is somebody's as well, be it of another plugin");
	links[1].xdp = 7;
	eq(judged(1), "ok: nobody is known to have it, and an XDP program (id 7) is on its "
		      "network device");
	links[1].xdp = 7;
	functions[1].has_record = true;
	eq(judged(1), "ok: ");
	test("what else is wrong with it decides");
	links[1].xdp = 7;
	functions[1].aer_correctable = 7;
	eq(judged(1), "degraded: 7 corrected errors (AER); nobody is known to have it, and an XDP "
		      "program (id 7) is on its network device");
	test("one that kubelet says is free, is");
	change(0);
	use(3);
	inv.node.kubelet_asked = true;
	begins(judged(1), "changed: ");
}

/* sriov-network-operator makes all VFs of a PF alike. */
static void alike(void)
{
	test("what all VFs of a PF have is the administrator's");
	for (int i = 0; i < 4; i++) {
		change(i);
		vfs[1] = vfs[0];
		inv.n_vfs = 2;
		eq(judged(1), "ok: ");
		change(i);
		vfs[1] = (struct inv_vf){ .pf = "eth0", .link_state = "auto" };
		inv.n_vfs = 2;
		begins(judged(1), "changed: ");
		change(i);
		vfs[1] = vfs[0];
		(void)snprintf(vfs[1].pf, sizeof(vfs[1].pf), "eth1");
		inv.n_vfs = 2;
		begins(judged(1), "changed: ");
	}
}

static void override(const char *driver)
{
	(void)snprintf(functions[1].driver_override, sizeof(functions[1].driver_override), "%s",
		       driver);
}

static void kept(void)
{
	test("a VF that nobody has, kept for a driver that it does not have");
	override("vfio-pci");
	eq(judged(1), "changed: nobody has it, and its driver_override is vfio-pci");
	test("its own driver, no driver on purpose, and who has it may do so");
	override("igbvf");
	eq(judged(1), "ok: ");
	override("none");
	eq(judged(1), "ok: ");
	override("vfio-pci");
	functions[1].has_record = true;
	eq(judged(1), "ok: ");
	override("vfio-pci");
	functions[1].given = true;
	eq(judged(1), "ok: ");
}

/* "health: reason" of a sub-function, perhaps with a network device, of functions[0] */
static const char *judged_part(const char *driver, int link)
{
	static struct inv_auxiliary part;
	static char text[400];

	part = (struct inv_auxiliary){ .name = "mlx5_core.sf.2", .has_sf = true, .link = link };
	(void)snprintf(part.driver, sizeof(part.driver), "%s", driver);
	inv.auxiliaries = &part;
	inv.n_auxiliaries = 1;
	health_judge(&host, &inv);
	health_judge(&host, &inv);	/* as it is when kubelet was asked, too */
	(void)snprintf(text, sizeof(text), "%s: %s", part.health, part.health_reason);
	make_well();
	return text;
}

static void parts(void)
{
	test("a sub-function is well, has no driver or carrier, or its function fails");
	eq(judged_part("mlx5_core.sf", 0), "ok: ");
	eq(judged_part("", 0), "failed: no driver is bound");
	links[0].carrier = false;
	eq(judged_part("mlx5_core.sf", 0), "degraded: eth0 has no carrier");
	functions[0].aer_fatal = 1;
	eq(judged_part("mlx5_core.sf", 1), "failed: 0000:01:00.0: 1 fatal errors (AER)");
}

static void vanished(void)
{
	test("of one that is only known to others nothing else is told");
	functions[1] = (struct inv_function){
		.bdf = "0000:01:10.0", .link = INV_NONE, .vf = INV_NONE, .holder = 0,
		.vanished = true,
	};
	eq(judged(1), "vanished: the node does not have it");
}

int main(void)
{
	char root[] = "/tmp/test_health.XXXXXX";
	struct err e;

	if (!mkdtemp(root) || host_open(root, &host, &e) < 0)
		return 1;
	make_well();
	well();
	failed();
	degraded();
	changed();
	alike();
	used();
	kept();
	parts();
	vanished();
	host_done(&host);
	(void)rmdir(root);
	return tap_end();
}
