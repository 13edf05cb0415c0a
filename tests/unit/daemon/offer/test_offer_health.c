/* SPDX-License-Identifier: Apache-2.0 */
/* test_offer_health.c - why a device cannot be used: each reason, and what is none */
#include "daemon/offer/offer.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/in_use.h"
#include "tests/unit/daemon/offer/scene.h"
#include "tests/unit/tap.h"

static const char all[] =
	"{'resourceList': [{'resourceName': 'all', 'selectors': {}},"
	"{'resourceName': 'sf', 'deviceType': 'auxNetDevice', 'selectors': {'auxTypes': ['sf']}}]}";

/* -- what happens to 0000:03:02.0 or its PF, or to the sub-function mlx5_core.sf.4 -- */

static void nothing(struct scene *s)
{
	(void)s;
}

static void set(char *to, size_t size, const char *text)
{
	(void)snprintf(to, size, "%s", text);
}
#define SET(member, text) set(member, sizeof(member), text)

static void lose_driver(struct scene *s)
{
	SET(s->functions[1].driver, "");
	SET(s->functions[1].health, "failed");
	SET(s->functions[1].health_reason, "no driver is bound");
}

static void wait_for_driver(struct scene *s)
{
	SET(s->functions[1].driver, "");
}

static void have_errors(struct scene *s)
{
	s->functions[1].aer_fatal = 2;
	SET(s->functions[1].health, "failed");
}

static void correct_errors(struct scene *s)
{
	s->functions[1].aer_correctable = s->functions[1].aer_nonfatal = 7;
	SET(s->functions[1].health, "degraded");
}

static void fail_otherwise(struct scene *s)
{
	SET(s->functions[1].health, "failed");
	SET(s->functions[1].health_reason, "so");
}

static void fail_pf(struct scene *s)
{
	SET(s->functions[0].health, "failed");
	SET(s->functions[0].health_reason, "2 fatal errors (AER)");
}

static void fail_sf(struct scene *s)
{
	SET(s->auxiliaries[0].health, "failed");
	SET(s->auxiliaries[0].health_reason, "no driver is bound");
}

static void attach(struct scene *s)
{
	scene_attach(s, 0, "0000:03:02.0", 1);
	s->attachments[0].host_ifindex = 3;
}

/* As in an ADD before the move, and in a DEL after it. */
static void attach_here(struct scene *s)
{
	attach(s);
}

static void attach_away(struct scene *s)
{
	attach(s);
	s->functions[1].link = INV_NONE;
}

static void make_anew(struct scene *s)
{
	attach(s);
	s->links[1].ifindex = 33;
}

static void make_anew_unnumbered(struct scene *s)
{
	make_anew(s);
	s->attachments[0].host_ifindex = 0;
}

static void make_anew_for_dpdk(struct scene *s)
{
	make_anew(s);
	SET(s->attachments[0].kind, "userspace");
}

static void be_away(struct scene *s)
{
	attach_away(s);
	s->attachments[0].device_away = true;
}

static void make_sf_anew(struct scene *s)
{
	scene_attach(s, 0, "mlx5_core.sf.4", INV_NONE);
	s->attachments[0].host_ifindex = 99;
	s->auxiliaries[0].holder = 0;
}

static void die_anew(struct scene *s)
{
	make_anew(s);
	scene_state(s, 0, "released");
	s->functions[1].holder = INV_NONE;
}

static void claim(struct scene *s)
{
	scene_give(s, 0, "claim ns/c", "0000:03:02.0", 1);
}

/* A vDPA device on it. */
static void claim_part(struct scene *s)
{
	scene_give(s, 0, "claim ns/c", "vdpa7", 1);
}

static void claim_sf(struct scene *s)
{
	scene_give(s, 0, "example.com/sf", "auxiliary/mlx5_core.sf.4", 5);
}

static void be_given(struct scene *s)
{
	scene_give(s, 0, "intel.com/all", "0000:03:02.0", 1);
}

static void attach_no_pod(struct scene *s)
{
	attach_away(s);
	SET(s->attachments[0].pod_name, "");
}

static void attach_no_pod_given(struct scene *s)
{
	attach_no_pod(s);
	be_given(s);
}

static void die(struct scene *s)
{
	attach(s);
	scene_state(s, 0, "dead");
}

static void die_before(struct scene *s)
{
	attach(s);
	scene_state(s, 0, "earlier boot");
}

static void die_and_give(struct scene *s)
{
	die(s);
	be_given(s);
}

static void change(struct scene *s)
{
	SET(s->functions[1].changes, "vlan 100 qos 0");
	SET(s->functions[1].health, "changed");
}

static void keep(struct scene *s)
{
	SET(s->functions[1].driver_override, "vfio-pci");
	SET(s->functions[1].health, "changed");
}

static void keep_attached(struct scene *s)
{
	attach_away(s);
	SET(s->functions[1].driver_override, "vfio-pci");
}

static void leave_reach(struct scene *s)
{
	s->functions[1].reach = REACH_USED;
	SET(s->functions[1].reach_why, "its network device is in another network namespace");
}

static void leave_reach_given(struct scene *s)
{
	leave_reach(s);
	be_given(s);
}

static void move_pf(struct scene *s)
{
	s->functions[0].link = INV_NONE;
	s->functions[0].away = true;
}

static void set_pf_down(struct scene *s)
{
	s->links[0].up = s->links[0].carrier = false;
}

static void set_pf_down_switchdev(struct scene *s)
{
	set_pf_down(s);
	SET(s->functions[0].eswitch, "switchdev");
}

static void set_pf_down_enabled(struct scene *s)
{
	set_pf_down(s);
	SET(s->vfs[0].link_state, "enable");
}

static void cut_pf(struct scene *s)
{
	s->links[0].carrier = false;
}

static void fail_reset(struct scene *s)
{
	static struct offer_failure one = { "0000:03:02.0", "reset of it: no answer" };
	static const struct offer_failures failures = { &one, 1 };

	s->policy.failures = &failures;
}

static void require_carrier(struct scene *s)
{
	s->policy.requires_carrier = true;
}

static void require_and_cut_pf(struct scene *s)
{
	require_carrier(s);
	cut_pf(s);
}

/* Its own carrier is the pod's to have, once it is up. */
static void require_and_cut_vf(struct scene *s)
{
	require_carrier(s);
	s->links[1].carrier = false;
}

static const struct row {
	const char *what;
	void (*happen)(struct scene *s);
	const char *id, *reason;	/* "": none */
} rows[] = {
	{ "a free VF", nothing, NULL, "" },
	{ "a free sub-function", nothing, "mlx5_core.sf.4", "" },
	{ "no driver", lose_driver, NULL, "no driver is bound, as after a reset that failed" },
	{ "a free VF that waits for a driver", wait_for_driver, NULL, "" },
	{ "fatal errors", have_errors, NULL, "it had 2 fatal errors (AER)" },
	{ "corrected errors", correct_errors, NULL, "" },
	{ "another failure", fail_otherwise, NULL, "it has failed: so" },
	{ "the PF has failed", fail_pf, NULL,
	  "its PF 0000:03:00.0 has failed: 2 fatal errors (AER)" },
	{ "a sub-function has failed", fail_sf, "mlx5_core.sf.4",
	  "it has failed: no driver is bound" },
	{ "its reset has failed", fail_reset, NULL, "reset of it: no answer" },
	{ "another's reset has failed", fail_reset, "0000:03:02.1", "" },
	{ "attached, in the pod", attach_away, NULL, "" },
	{ "attached, and its own network device is here", attach_here, NULL, "" },
	{ "attached, and another network device is here", make_anew, NULL,
	  "it was made anew, and pod ns/p0 does not have it any more" },
	{ "attached for user space", make_anew_for_dpdk, NULL, "" },
	{ "attached, by a record without the number", make_anew_unnumbered, NULL, "" },
	{ "attached, and the pod does not have it", be_away, NULL,
	  "it was made anew, and pod ns/p0 does not have it any more" },
	{ "a sub-function was made anew", make_sf_anew, "mlx5_core.sf.4",
	  "it was made anew, and pod ns/p0 does not have it any more" },
	{ "given back", die_anew, NULL, "" },
	{ "given by a claim", claim, NULL, "pod ns/g0 was given it as claim ns/c" },
	{ "a part of it was given by a claim", claim_part, NULL,
	  "pod ns/g0 was given it as claim ns/c" },
	{ "a sub-function was given as another resource", claim_sf, "mlx5_core.sf.4",
	  "pod ns/g0 was given it as example.com/sf" },
	{ "nor is a part of the PF the other sub-function", claim_sf, "mlx5_core.sf.10", "" },
	{ "given as this resource", be_given, NULL, "" },
	{ "attached to what is no pod", attach_no_pod, NULL,
	  "network lab has attached it to container c0, which is no pod's" },
	{ "attached to who does not say its pod, which kubelet knows", attach_no_pod_given, NULL,
	  "" },
	{ "a dead attachment", die, NULL,
	  "an attachment has not given it back: its record is there (dead)" },
	{ "an attachment of an earlier boot", die_before, NULL,
	  "an attachment has not given it back: its record is there (earlier boot)" },
	{ "the next pod's ADD gives it back", die_and_give, NULL, "" },
	{ "changed", change, NULL, "nobody has it, and it has vlan 100 qos 0" },
	{ "kept", keep, NULL, "nobody has it, and its driver_override is vfio-pci" },
	{ "what is attached has the driver that its pod wants", keep_attached, NULL, "" },
	{ "out of reach", leave_reach, NULL, "no ADD could attach it: its network device is in "
					     "another network namespace" },
	{ "where the pod has it, it is in reach", leave_reach_given, NULL, "" },
	{ "the PF is away", move_pf, NULL, "the network device of its PF 0000:03:00.0 is in "
					   "another network namespace" },
	{ "the PF is down", set_pf_down, NULL, "its PF eth0 is down" },
	{ "in switchdev mode a VF does not follow", set_pf_down_switchdev, NULL, "" },
	{ "nor with link state enable", set_pf_down_enabled, NULL, "" },
	{ "without carrier", cut_pf, NULL, "" },
	{ "a carrier is required", require_carrier, NULL, "" },
	{ "a carrier is required of the PF", require_and_cut_pf, NULL,
	  "its PF eth0 has no carrier" },
	{ "no carrier is required of a VF", require_and_cut_vf, NULL, "" },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *id = rows[i].id ? rows[i].id : "0000:03:02.0";
		const struct offered *d;
		struct scene s;

		scene_open(all, &s);
		(void)scene_make(&s);
		rows[i].happen(&s);
		(void)scene_make(&s);
		test(rows[i].what);
		d = scene_of(&s, id);
		if (ok(d)) {
			eq(d->reason, rows[i].reason);
			eqi(d->healthy, !*rows[i].reason);
		}
		scene_close(&s);
	}
}

static void test_claim(void)
{
	struct scene s;

	scene_open(all, &s);
	test("what a pod has by a claim is held");
	claim(&s);
	(void)scene_make(&s);
	ok(scene_of(&s, "0000:03:02.0")->held && !scene_of(&s, "0000:03:02.1")->held);
	scene_close(&s);
}

/* The functions alone, and what is not the device's own. */
static void test_alone(void)
{
	struct scene s;

	scene_open(all, &s);
	s.policy.requires_carrier = true;
	s.links[6].carrier = false;
	test("a function without PF has its own carrier");
	(void)scene_make(&s);
	eq(scene_of(&s, "0000:05:00.0")->reason, "eth5 has no carrier");
	test("it has none while it is down");
	s.links[6].up = false;
	(void)scene_make(&s);
	eq(scene_of(&s, "0000:05:00.0")->reason, "");
	test("a VF whose PF is not here is not judged by it");
	s.functions[1].pf = INV_NONE;
	set_pf_down(&s);
	(void)scene_make(&s);
	eq(scene_of(&s, "0000:03:02.0")->reason, "");
	scene_close(&s);
}

/* -- taints -- */

static struct taint_rule taint(const char *device, enum taint_effect effect)
{
	return (struct taint_rule){
		.source = "a.yaml", .name = "burn", .key = "maintenance", .value = "yes",
		.effect = effect,
		.filter = { .is_given = true, .driver = "devinfo.cni.dev", .device = device },
	};
}

static void test_taints(void)
{
	struct taint_rule list[] = {
		taint("0000-03-02-0", TAINT_NO_SCHEDULE), taint("0000-04-00-0-sf-88",
								TAINT_NO_EXECUTE),
		taint("vdpa-vdpa0", TAINT_NO_SCHEDULE), taint("0000-03-02-0", TAINT_NO_EXECUTE),
	};
	json_auto_t *tolerate = json_pack("[s]", "maintenance");
	struct taint_rules rules = { .list = list, .n = 3 };
	struct scene s;

	scene_open(all, &s);
	s.policy.taints = &rules;
	(void)scene_make(&s);
	test("a taint of the administrator's: of a function, a sub-function, a part");
	eq(scene_of(&s, "0000:03:02.0")->reason,
	   "it is tainted maintenance=yes:NoSchedule, by DeviceTaintRule burn");
	eq(scene_of(&s, "mlx5_core.sf.4")->reason,
	   "it is tainted maintenance=yes:NoExecute, by DeviceTaintRule burn");
	eq(scene_of(&s, "0000:03:02.2")->reason,
	   "it is tainted maintenance=yes:NoSchedule, by DeviceTaintRule burn");
	test("what is on an auxiliary device is not the function's");
	SET(s.vdpas[0].auxiliary, "mlx5_core.sf.99");
	(void)scene_make(&s);
	ok(scene_of(&s, "0000:03:02.2")->healthy);
	test("others have none");
	ok(scene_of(&s, "0000:03:02.1")->healthy && scene_of(&s, "mlx5_core.sf.10")->healthy);
	test("a pod may keep what is tainted NoSchedule, and not what is tainted NoExecute");
	be_given(&s);
	(void)scene_make(&s);
	eq(scene_of(&s, "0000:03:02.0")->reason, "");
	rules.n = 4;
	(void)scene_make(&s);
	eq(scene_of(&s, "0000:03:02.0")->reason,
	   "it is tainted maintenance=yes:NoExecute, by DeviceTaintRule burn");
	test("what the node's file tolerates is none");
	s.host.set.tolerate = tolerate;
	(void)scene_make(&s);
	ok(scene_of(&s, "0000:03:02.0")->healthy && scene_of(&s, "mlx5_core.sf.4")->healthy);
	s.host.set.tolerate = NULL;
	test("a rule that cannot be decided");
	SET(list[1].doubt, "its pool is not known");
	(void)scene_make(&s);
	eq(scene_of(&s, "mlx5_core.sf.4")->reason,
	   "whether it is tainted cannot be told: its pool is not known");
	scene_close(&s);
}

int main(void)
{
	jx_init(NULL);
	test_rows();
	test_claim();
	test_alone();
	test_taints();
	return tap_end();
}
