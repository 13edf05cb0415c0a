/* SPDX-License-Identifier: Apache-2.0 */
/* test_call.c - the CNI_* environment, and what a configuration wants of a VF */
#include "base/mem.h"
#include "cni/call/call.h"
#include "cni/vf/vf.h"
#include "tests/unit/tap.h"

/* A complete and valid environment; single variables are then changed. */
static void good_env(void)
{
	(void)setenv("CNI_COMMAND", "ADD", 1);
	(void)setenv("CNI_CONTAINERID", "c0ffee", 1);
	(void)setenv("CNI_NETNS", "/run/netns/p", 1);
	(void)setenv("CNI_IFNAME", "net1", 1);
	(void)setenv("CNI_PATH", "/opt/cni/bin", 1);
	(void)unsetenv("CNI_ARGS");
	(void)unsetenv("CNI_NETNS_OVERRIDE");
}

static void verbs(void)
{
	enum verb verb = VERBS;
	struct err e;

	test("each verb is known by its exact name");
	for (int i = 0; i < VERBS; i++) {
		(void)setenv("CNI_COMMAND", verb_name((enum verb)i), 1);
		ok(call_verb(&verb, &e) == 0 && verb == (enum verb)i);
	}
	test("C-ENV-03, C-ENV-04: a missing or unknown verb is an error that says so");
	verb = VERBS;
	(void)setenv("CNI_COMMAND", "add", 1);
	ok(call_verb(&verb, &e) == -1 && e.code == ERR_ENV && verb == VERBS);
	eq(e.msg, "unknown CNI_COMMAND: add");
	(void)setenv("CNI_COMMAND", "", 1);
	ok(call_verb(&verb, &e) == -1 && e.code == ERR_ENV);
	(void)unsetenv("CNI_COMMAND");
	ok(call_verb(&verb, &e) == -1);
	eq(e.msg, "required env variables [CNI_COMMAND] missing");
}

static void missing(void)
{
	auto_call struct cni_call c = { 0 };
	struct err e;

	test("C-ENV-02: all missing variables are named in one error");
	good_env();
	(void)setenv("CNI_CONTAINERID", "", 1);
	(void)unsetenv("CNI_NETNS");
	(void)unsetenv("CNI_IFNAME");
	ok(call_from_env(VERB_ADD, &c, &e) == -1 && e.code == ERR_ENV);
	eq(e.msg, "required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME] missing");
	test("C-ENV-12: DEL needs no namespace");
	ok(call_from_env(VERB_DEL, &c, &e) == -1);
	eq(e.msg, "required env variables [CNI_CONTAINERID,CNI_IFNAME] missing");
	test("C-ENV-10: GC, STATUS and VERSION need none");
	ok(call_from_env(VERB_GC, &c, &e) == 0 && call_from_env(VERB_STATUS, &c, &e) == 0 &&
	   call_from_env(VERB_VERSION, &c, &e) == 0);
	eq(c.container_id, "");
	test("C-ENV-09: CNI_PATH may be missing");
	good_env();
	(void)unsetenv("CNI_PATH");
	ok(call_from_env(VERB_ADD, &c, &e) == 0);
	eq(c.path, "");
}

static void forms(void)
{
	static const struct {
		const char *name, *value, *msg;
	} bad[] = {
		{ "CNI_CONTAINERID", "../x",
		  "CNI_CONTAINERID: '../x' has characters outside [a-zA-Z0-9_.-]" },
		{ "CNI_CONTAINERID", "c\n", NULL },
		{ "CNI_CONTAINERID", "-c", NULL },
		{ "CNI_IFNAME", "1234567890123456",
		  "CNI_IFNAME: '1234567890123456' cannot be an interface's name (over 15 bytes)" },
		{ "CNI_IFNAME", "a/b", "CNI_IFNAME: 'a/b' cannot be an interface's name" },
		{ "CNI_IFNAME", "..", NULL },
		{ "CNI_IFNAME", "eth%d", NULL },
	};
	auto_call struct cni_call c = { 0 };
	char longer[5000];
	struct err e;

	test("C-ENV-05, C-ENV-07, C-ENV-08: a malformed value is an error for ADD, CHECK and DEL "
	     "alike");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		good_env();
		(void)setenv(bad[i].name, bad[i].value, 1);
		ok(call_from_env(VERB_DEL, &c, &e) == -1 &&
		   call_from_env(VERB_CHECK, &c, &e) == -1 &&
		   call_from_env(VERB_ADD, &c, &e) == -1 && e.code == ERR_ENV);
		if (bad[i].msg)
			eq(e.msg, bad[i].msg);
	}
	test("a namespace's path has the kernel's limit");
	good_env();
	memset(longer, 'a', sizeof(longer) - 1);
	*longer = '/';
	longer[sizeof(longer) - 1] = '\0';
	(void)setenv("CNI_NETNS", longer, 1);
	ok(call_from_env(VERB_ADD, &c, &e) == -1 && e.code == ERR_ENV);
	longer[4095] = '\0';
	(void)setenv("CNI_NETNS", longer, 1);
	ok(call_from_env(VERB_ADD, &c, &e) == 0);
	test("a relative path is refused, for DEL may come from elsewhere; DEL itself does not "
	     "look");
	(void)setenv("CNI_NETNS", "netns/p", 1);
	ok(call_from_env(VERB_ADD, &c, &e) == -1 && e.code == ERR_ENV);
	ok(call_from_env(VERB_DEL, &c, &e) == 0);
}

static void override(void)
{
	static const struct {
		const char *value;
		bool on;
	} cases[] = { { "1", true },  { "true", true }, { "TRUE", true },
		      { "0", false }, { "", false },    { "yes", false } };
	auto_call struct cni_call c = { 0 };
	struct err e;

	test("CNI_NETNS_OVERRIDE is 1 or true in any case");
	good_env();
	ok(call_from_env(VERB_ADD, &c, &e) == 0 && !c.netns_override);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		(void)setenv("CNI_NETNS_OVERRIDE", cases[i].value, 1);
		ok(call_from_env(VERB_ADD, &c, &e) == 0 && c.netns_override == cases[i].on);
	}
}

static void args(void)
{
	auto_call struct cni_call c = { 0 };
	auto_free char *longer = malloc(70001);
	struct err e;

	good_env();
	test("C-ARG-04, C-ARG-05: pairs are split at the first '=', whatever their order");
	(void)setenv("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAME=p=1;X;=;;K8S_POD_NAMESPACE=ns;"
		     "K8S_POD_UID=u-1;MAC=02:00:00:00:00:01;Y=", 1);
	ok(call_from_env(VERB_ADD, &c, &e) == 0 && c.pod_name && c.pod_namespace && c.pod_uid &&
	   c.mac);
	eq(c.pod_name, "p=1");
	eq(c.pod_namespace, "ns");
	eq(c.pod_uid, "u-1");
	eq(c.mac, "02:00:00:00:00:01");
	call_done(&c);
	test("the last of a repeated key wins, and an empty value is none");
	(void)setenv("CNI_ARGS", "K8S_POD_NAME=a;K8S_POD_NAME=b;K8S_POD_NAMESPACE=", 1);
	ok(call_from_env(VERB_ADD, &c, &e) == 0 && !c.pod_namespace);
	eq(c.pod_name, "b");
	call_done(&c);
	test("C-ARG-06, C-ARG-07: unknown and malformed pairs are ignored");
	(void)setenv("CNI_ARGS", "A;B=;=C;IgnoreUnknown=maybe;k8s_pod_name=x", 1);
	ok(call_from_env(VERB_ADD, &c, &e) == 0 && !c.pod_name);
	call_done(&c);
	test("C-ARG-07, C-DEL-18: very long ones are an error for ADD, and none for DEL");
	if (!longer)
		exit(1);
	memset(longer, 'a', 70000);
	longer[70000] = '\0';
	(void)setenv("CNI_ARGS", longer, 1);
	ok(call_from_env(VERB_ADD, &c, &e) == -1 && e.code == ERR_ENV);
	ok(call_from_env(VERB_DEL, &c, &e) == 0);
}

static struct netconf plain(void)
{
	return (struct netconf) { .vlan = -1,
				  .vlan_qos = -1,
				  .vlan_proto = 0x8100,
				  .min_tx_rate = -1,
				  .max_tx_rate = -1,
				  .mtu = -1 };
}

static void wanting(void)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };
	struct netconf nc = plain();
	struct vf_state w = { .have = VF_ALL };

	test("a configuration that says nothing wants nothing of a VF");
	vf_want(&nc, NULL, &w);
	ok(w.have == 0);
	test("what it says is wanted, and no more");
	vf_want(&nc, mac, &w);
	ok(w.have == VF_MAC && memcmp(w.mac, mac, 6) == 0);
	nc.vlan = 0;
	nc.vlan_qos = 0;
	vf_want(&nc, NULL, &w);
	ok(w.have == VF_VLAN && w.vlan == 0 && w.proto == 0x8100);
	nc = plain();
	nc.max_tx_rate = 100;
	vf_want(&nc, NULL, &w);
	ok(w.have == VF_RATE && w.max_tx_rate == 100 && w.min_tx_rate == 0);
	nc = plain();
	nc.min_tx_rate = 0;
	vf_want(&nc, NULL, &w);
	ok(w.have == VF_RATE && w.max_tx_rate == 0 && w.min_tx_rate == 0);
	nc = plain();
	nc.spoofchk = ONOFF_OFF;
	nc.trust = ONOFF_ON;
	vf_want(&nc, NULL, &w);
	ok(w.have == (VF_SPOOFCHK | VF_TRUST) && !w.spoofchk && w.trust);
	test("a link state of auto is a wish, too");
	nc = plain();
	nc.link_state = LINK_POLICY_AUTO;
	vf_want(&nc, NULL, &w);
	ok(w.have == VF_LINK_STATE && w.link_state == VF_LINK_AUTO);
	nc.link_state = LINK_POLICY_ENABLE;
	vf_want(&nc, NULL, &w);
	ok(w.link_state == VF_LINK_ENABLE);
	nc.link_state = LINK_POLICY_DISABLE;
	vf_want(&nc, NULL, &w);
	ok(w.link_state == VF_LINK_DISABLE);
}

int main(void)
{
	verbs();
	missing();
	forms();
	override();
	args();
	wanting();
	return tap_end();
}
