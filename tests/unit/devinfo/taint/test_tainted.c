/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tainted.c - DeviceTaintRules of the node's directory, what is tolerated, and what a pod is
 * left with
 */
#include "devinfo/taint/tainted.h"

#include "base/jx.h"
#include "base/name.h"
#include "devinfo/journal/resolve_taint.h"
#include "devinfo/taint/device_name.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

static struct fake_node n;
static struct taint_rules rules;
static char told[4096];

static void tell(const struct err *why, void *arg)
{
	(void)arg;
	(void)snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s\n", why->msg);
}

#define RULE "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: %s}\n" \
	"spec:\n  deviceSelector: %s\n  taint: {key: %s, value: %s, effect: %s}\n"

static void write_file(const char *file, const char *text)
{
	char path[200];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/etc/cni/net.d/devinfo.d/overrides/%s", n.dir, file);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		bail_out(path);
}

static void write_rule(const char *name, const char *selector, const char *key, const char *effect)
{
	char text[600];

	(void)snprintf(text, sizeof(text), RULE, name, selector, key, "planned", effect);
	write_file(name, text);
}

static void read_rules(void)
{
	struct err e;

	taint_rules_done(&rules);
	told[0] = '\0';
	if (taint_rules_read(&n.host, tell, NULL, &rules, &e) < 0)
		bail_out(e.msg);
}

/* The rule that is about a device of this node, by name; "" none. */
static const char *found(const char *device)
{
	const struct taint_rule *r;
	char name[DEVICE_NAME_SIZE];

	device_name_function(device, name);
	r = taint_rules_find_here(&rules, &n.host, name);
	return r ? r->name : "";
}

static void names(void)
{
	char name[DEVICE_NAME_SIZE];

	test("a device is called by a DNS label that stays");
	device_name_function("0000:AF:1f.0", name);
	eq(name, "0000-af-1f-0");
	device_name_sub_function("0000:65:00.0", 88, name);
	eq(name, "0000-65-00-0-sf-88");
	device_name_vdpa("vdpa0", name);
	eq(name, "vdpa-vdpa0");
	test("one that had to be changed keeps its hash, and is no other's");
	device_name_vdpa("a!b", name);
	ok(strncmp(name, "vdpa-a-b-", 9) == 0 && strlen(name) == 17 && name_is_dns_label(name));
	device_name_auxiliary("mlx5_core.eth.4", name);
	ok(strncmp(name, "aux-mlx5-core-eth-4-", 20) == 0 && name_is_dns_label(name));
	device_name_vdpa("a234567890123456789012345678901234567890123456789012345678901234567890",
			 name);
	ok(strlen(name) < DEVICE_NAME_SIZE && name_is_dns_label(name));
}

static void directory(void)
{
	test("no directory is no rule");
	read_rules();
	ok(rules.n == 0);
	eq(told, "");
	node_sh(&n, "mkdir -p etc/cni/net.d/devinfo.d/overrides proc/sys/kernel");
	node_sh(&n, "echo Node-1 >proc/sys/kernel/hostname");
	write_rule("one.yaml", "{device: 0000-65-00-3}", "k", "NoExecute");
	write_rule("other.yaml", "{driver: other.example.com}", "k", "NoExecute");
	write_rule("none.yaml", "{device: 0000-65-00-4}", "k", "None");
	write_rule("pool.yaml", "{pool: node-1, device: 0000-65-00-5}", "k", "NoSchedule");
	write_rule("far.yaml", "{pool: node-2, device: 0000-65-00-6}", "k", "NoSchedule");
	read_rules();
	test("D44: a rule is about our driver's devices of this node, by driver, pool and name");
	eq(found("0000:65:00.3"), "one.yaml");
	eq(found("0000:65:00.5"), "pool.yaml");
	eq(found("0000:65:00.6"), "");
	eq(found("0000:65:00.7"), "");
	test("D38: an effect of None keeps nobody away");
	eq(found("0000:65:00.4"), "");
	eq(told, "");
	test("a claim's device is known by what the claim calls it");
	ok(taint_rules_find(&rules, &n.host, &(struct taint_subject){ "other.example.com", "p",
								      "x" }) != NULL);
	test("the node's name is its setting's, where there is one");
	n.host.set.node_name = "node-2";
	read_rules();
	eq(found("0000:65:00.6"), "far.yaml");
	n.host.set.node_name = NULL;
}

static void faults(void)
{
	test("D42: a rule with a class or an expression is told, and not looked at here");
	write_rule("class.yaml", "{deviceClassName: c}", "k", "NoExecute");
	read_rules();
	eq(found("0000:65:00.7"), "");
	eq(told, "DeviceTaintRule class.yaml of class.yaml selects by a class or an expression: "
	   "not looked at for an attachment\n");
	node_sh(&n, "rm etc/cni/net.d/devinfo.d/overrides/class.yaml");
	test("a file or a rule that is wrong keeps no other from its effect, and is told");
	write_file("bad.yaml", "a: [\n");
	write_rule("typo.yaml", "{divice: x}", "k", "NoExecute");
	read_rules();
	eq(found("0000:65:00.3"), "one.yaml");
	begins(told, "bad.yaml: ");
	ok(strstr(told, "DeviceTaintRule typo.yaml of typo.yaml: spec.deviceSelector: unknown key "
		  "'divice', did you mean device?\n") != NULL);
	node_sh(&n, "rm etc/cni/net.d/devinfo.d/overrides/bad.yaml "
		    "etc/cni/net.d/devinfo.d/overrides/typo.yaml");
	test("K47, K49: the gate turns all off, and on again");
	n.host.set.overrides = false;
	read_rules();
	eq(found("0000:65:00.3"), "");
	n.host.set.overrides = true;
	read_rules();
	eq(found("0000:65:00.3"), "one.yaml");
}

static bool tolerates(const char *word)
{
	json_auto_t *list = json_pack("[s]", word);
	bool ret;

	n.host.set.tolerate = list;
	ret = !*found("0000:65:00.3");
	n.host.set.tolerate = NULL;
	return ret;
}

static void tolerations(void)
{
	char text[TAINT_TEXT_SIZE];

	test("what the node tolerates is by key, and by value and effect where they are said");
	ok(tolerates("k") && tolerates("k=planned") && tolerates("k:NoExecute"));
	ok(tolerates("k=planned:NoExecute"));
	ok(!tolerates("K") && !tolerates("kk") && !tolerates("k=plan") && !tolerates("k="));
	ok(!tolerates("k:NoSchedule") && !tolerates("k=other:NoExecute"));
	test("a taint is written as kubectl has it");
	taint_text(taint_rules_find_here(&rules, &n.host, "0000-65-00-3"), text);
	eq(text, "k=planned:NoExecute");
}

static void candidates(void)
{
	struct claimed_device claimed = { .driver = (char[]){ "other.example.com" },
					  .pool = (char[]){ "p" }, .device = (char[]){ "d" } };
	struct candidate list[] = {
		{ .id = "0000:65:00.3" }, { .id = "0000:65:00.7" },
		{ .id = "0000:65:00.8", .of_claim = true, .claimed = &claimed },
		{ .id = "pci:0000:65:00.5" },
	};
	struct candidates c = { .list = list, .n = ARRAY_SIZE(list) };
	struct err e;

	test("of a pod's devices those without a taint are left");
	ok(candidates_drop_tainted(&rules, &n.host, &c, &e) == 0 && c.n == 1);
	eq(c.list[0].id, "0000:65:00.7");
	test("when none is left that is an error, which names a device and its taint");
	list[0] = (struct candidate){ .id = "0000:65:00.3" };
	c.n = 1;
	ok(candidates_drop_tainted(&rules, &n.host, &c, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "device 0000:65:00.3 is not allowed: it is tainted k=planned:NoExecute");
	eq(e.private, "by DeviceTaintRule one.yaml of one.yaml");
	ok(c.n == 1);
	test("a pod without devices has none less");
	c.n = 0;
	ok(candidates_drop_tainted(&rules, &n.host, &c, &e) == 0 && c.n == 0);
}

static const char *taint_of(const char *id)
{
	struct candidate one = { .claimed = NULL };
	const struct taint_rule *rule = NULL;
	struct err e;

	(void)snprintf(one.id, sizeof(one.id), "%s", id);
	if (candidate_taint(&rules, &n.host, &one, &rule, &e) < 0)
		bail_out(e.msg);
	return rule ? rule->name : "";
}

/* A sub-function, its network device, and the vDPA device on one, as kubelet may call them. */
static void parts(void)
{
	static const char *const nodes[] = { "subfunction", "vdpa-mlx5" };

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		node_close(&n);
		node_open(nodes[i], &n);
		node_sh(&n, "mkdir -p etc/cni/net.d/devinfo.d/overrides");
		write_rule("sf.yaml", "{device: 0000-65-00-0-sf-88}", "k", "NoExecute");
		write_rule("vdpa.yaml", "{device: vdpa-sf4}", "l", "NoExecute");
		read_rules();
		test("K50: a sub-function's taint is that of what is on it, by any name");
		eq(taint_of("mlx5_core.sf.4"), "sf.yaml");
		eq(taint_of("auxiliary/mlx5_core.sf.4"), "sf.yaml");
		eq(taint_of(i == 0 ? "ens1f0s88" : "sf4"), "sf.yaml");
		eq(taint_of("0000:65:00.0"), "");
		eq(taint_of("lo"), "");
	}
	write_rule("two.yaml", "{device: vdpa-two-a}", "k", "NoSchedule");
	test("a vDPA device's taint is that of what it is on as a whole, not of others on it");
	node_sh(&n, "rm etc/cni/net.d/devinfo.d/overrides/sf.yaml");
	read_rules();
	eq(taint_of("sf4"), "vdpa.yaml");
	eq(taint_of("mlx5_core.sf.4"), "vdpa.yaml");
	eq(taint_of("two-a"), "two.yaml");
	eq(taint_of("0000:68:00.0"), "two.yaml");
	eq(taint_of("two-b"), "");
}

int main(void)
{
	jx_init(NULL);
	node_open(NULL, &n);
	names();
	directory();
	faults();
	tolerations();
	candidates();
	parts();
	taint_rules_done(&rules);
	node_close(&n);
	return tap_end();
}
