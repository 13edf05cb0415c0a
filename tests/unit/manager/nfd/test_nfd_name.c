/* SPDX-License-Identifier: Apache-2.0 */
/* test_nfd_name.c - which labels, annotations, resources and taints NFD would let a node have */
#include "manager/nfd/name.h"
#include "tests/unit/tap.h"

#define A63	"a23456789012345678901234567890123456789012345678901234567890123"
#define FEATURE	NFD_LABEL_NS "/"

struct nfd_case {
	const char *name, *value;
	const char *wrong;		/* a part of the message; NULL: it is allowed */
};

/* of a table of struct nfd_case */
#define check_cases(call, cases)                                                       \
	do {                                                                           \
		for (size_t i_ = 0; i_ < ARRAY_SIZE(cases); i_++) {                    \
			const struct nfd_case *c = &(cases)[i_];                       \
			struct err e = { 0 };                                          \
			int rc = (call);                                               \
			ok(rc == (c->wrong ? -1 : 0));                                 \
			ok(!c->wrong == (e.code == ERR_OK) && e.sys == 0);             \
			ok(!c->wrong || strstr(e.msg, c->wrong));                      \
			if (rc != (c->wrong ? -1 : 0) || (c->wrong && !strstr(e.msg, c->wrong))) \
				(void)printf("#  %s=%s: %s\n", c->name, c->value, e.msg); \
		}                                                                      \
	} while (0)

static void full_names(void)
{
	char name[NFD_NAME_MAX + 1], longer[600];
	struct err e = { 0 };

	test("N04, N17, N33: a name without a prefix gets NFD's, others keep theirs");
	nfd_name_full("my-feature.1", name);
	eq(name, "feature.node.kubernetes.io/my-feature.1");
	nfd_name_full("my.namespace/my-feature.3", name);
	eq(name, "my.namespace/my-feature.3");
	nfd_name_full("/odd", name);
	eq(name, "/odd");

	test("a name that is too long is not cut to one that is right");
	memset(longer, 'a', sizeof(longer));
	for (size_t i = 63; i < 253; i += 64)
		longer[i] = '.';
	longer[253] = '/';
	longer[253 + 1 + 63] = '\0';
	nfd_name_full(longer, name);
	ok(nfd_check_label(name, "x", &e) == 0);
	longer[253 + 1 + 63] = 'a';
	longer[253 + 1 + 63 + 1] = '\0';
	nfd_name_full(longer, name);
	ok(nfd_check_label(name, "x", &e) == -1);
	longer[253 + 1 + 63 + 1] = 'a';
	longer[sizeof(longer) - 1] = '\0';
	nfd_name_full(longer, name);
	ok(nfd_check_label(name, "x", &e) == -1);
}

static void labels(void)
{
	static const struct nfd_case cases[] = {
		{ FEATURE "label", "true", NULL },
		{ FEATURE "label", "", NULL },
		{ FEATURE A63, A63, NULL },
		{ "sub." FEATURE "a", "x", NULL },
		{ "profile.node.kubernetes.io/my-datacenter", "datacenter-1", NULL },
		{ "a.profile.node.kubernetes.io/b", "c", NULL },
		{ "vendor.io/label", "true", NULL },
		{ "mykubernetes.io/label", "true", NULL },
		{ "x/y", "A.b_c-D", NULL },
		{ "kubernetes.io/label", "true", "of the namespace kubernetes.io only" },
		{ "node.kubernetes.io/label", "true", "profile.node.kubernetes.io" },
		{ "xfeature.node.kubernetes.io/a", "true", "of the namespace kubernetes.io" },
		{ "nfd.node.kubernetes.io/a", "true", "of the namespace kubernetes.io" },
		{ "label", "true", "without a prefix" },
		{ "", "true", "expected a name of 1 to 63" },
		{ "/a", "true", "the prefix is no DNS subdomain" },
		{ "A.b/c", "true", "the prefix is no DNS subdomain" },
		{ "a..b/c", "true", "the prefix is no DNS subdomain" },
		{ "a/b/c", "true", "expected a name of 1 to 63" },
		{ "a/", "true", "expected a name of 1 to 63" },
		{ FEATURE A63 "4", "true", "expected a name of 1 to 63" },
		{ FEATURE "-a", "true", "expected a name of 1 to 63" },
		{ FEATURE "a.", "true", "expected a name of 1 to 63" },
		{ FEATURE "a:b", "true", "expected a name of 1 to 63" },
		{ FEATURE "eth0@if2", "true", "expected a name of 1 to 63" },
		{ FEATURE "a", "invalid value", "value 'invalid value'" },
		{ FEATURE "a", A63 "4", "expected up to 63" },
		{ FEATURE "a", "-", "a letter or digit first and last" },
		{ FEATURE "a", "a_", "a letter or digit first and last" },
		{ FEATURE "a", "\xc3\xa4", "value" },
		{ FEATURE "a", "a\n", "value" },
	};

	test("N34, N74, N76: a label has a name outside kubernetes.io, and a short value");
	check_cases(nfd_check_label(c->name, c->value, &e), cases);
}

static void annotations(void)
{
	static char value[NFD_ANNOTATION_MAX + 2];
	static const struct nfd_case cases[] = {
		{ FEATURE "feature", "any text: at all", NULL },
		{ "a." FEATURE "feature", "", NULL },
		{ "vendor.io/a", "x", NULL },
		{ "invalid-key", "true", "without a prefix" },
		{ "kubernetes.io/denied", "true", "of the namespace kubernetes.io only" },
		{ "profile.node.kubernetes.io/a", "x", "of the namespace kubernetes.io only" },
		{ "vendor.io/ a", "true", "expected a name" },
	};
	struct err too_long = { 0 };

	test("N42: annotations have NFD's namespaces without profiles, and long values");
	check_cases(nfd_check_annotation(c->name, c->value, &e), cases);
	memset(value, 'x', NFD_ANNOTATION_MAX);
	ok(nfd_check_annotation(FEATURE "a", value, &too_long) == 0);
	value[NFD_ANNOTATION_MAX] = 'x';
	ok(nfd_check_annotation(FEATURE "a", value, &too_long) == -1);
	ok(strstr(too_long.msg, "1025 bytes, allowed are 1024") && too_long.sys == 0);
}

static void extended_resources(void)
{
	static const struct nfd_case cases[] = {
		{ FEATURE "er", "123", NULL },
		{ "vendor.io/er", "1.5Gi", NULL },
		{ "vendor.io/er", "+.5k", NULL },
		{ "vendor.io/er", "0", NULL },
		{ "vendor.io/er", "1000m", NULL },
		{ "vendor.io/er", "-1.", NULL },
		{ "vendor.io/er", "100m", NULL },
		{ FEATURE "er", "-100m", NULL },
		{ "vendor.io/er", "1e3", NULL },
		{ "vendor.io/er", "1E", NULL },
		{ "vendor.io/er", ".", NULL },
		{ "invalid-key", "123", "without a prefix" },
		{ "kubernetes.io/er", "123", "of the namespace kubernetes.io only" },
		{ "profile.node.kubernetes.io/er", "1", "of the namespace kubernetes.io only" },
		{ FEATURE "er!", "1", "expected a name" },
		{ FEATURE "er", "invalid value", "expected a quantity" },
		{ FEATURE "er", "", "expected a quantity" },
		{ FEATURE "er", "1K", "expected a quantity" },
		{ FEATURE "er", "1e", "expected a quantity" },
		{ FEATURE "er", "1 Gi", "expected a quantity" },
		{ FEATURE "er", "0x10", "expected a quantity" },
		{ FEATURE "er", "--1", "expected a quantity" },
	};

	static const struct nfd_case refused[] = {
		{ FEATURE "er", "123", NULL },
		{ FEATURE "er", "100m", NULL },
		{ "vendor.io/er", "1000m", NULL },
		{ "vendor.io/er", "1e3", NULL },
		{ "vendor.io/er", "-1.", "no negative numbers and no fractions" },
		{ "vendor.io/er", "100m", "no negative numbers and no fractions" },
		{ FEATURE "er", "-100m", "no negative numbers" },
		{ "vendor.io/er", "1E-3", "no fractions" },
	};

	test("N40, N41: an extended resource has a label's name and a quantity");
	check_cases(nfd_check_extended_resource(c->name, c->value, &e), cases);
	test("the API server refuses negative ones, and fractions of what is not its own");
	check_cases(nfd_admit_extended_resource(c->name, c->value, &e), refused);
}

static void taints(void)
{
	static const struct nfd_case keys[] = {
		{ FEATURE "taint", "true", NULL },
		{ "x." FEATURE "taint", "", NULL },
		{ "vendor.io/special", "", NULL },
		{ "vendor.io/a b", "x", NULL },
		{ A63 A63 A63 A63 A63 "/a", "x", NULL },
		{ "special-node", "true", "without a prefix" },
		{ "/special-node", "true", "without a prefix" },
		{ "invalid.kubernetes.io/a", "true", "of the namespace kubernetes.io only" },
		{ "profile.node.kubernetes.io/a", "x", "of the namespace kubernetes.io only" },
	};
	static const struct nfd_case refused[] = {
		{ FEATURE "taint", "true", NULL },
		{ "vendor.io/a", "", NULL },
		{ "vendor.io/a b", "x", "expected a name" },
		{ "vendor.io/a", "a b", "value 'a b'" },
	};
	static const struct nfd_case effects[] = {
		{ "NoSchedule", "", NULL },
		{ "PreferNoSchedule", "", NULL },
		{ "NoExecute", "", NULL },
		{ "", "", "effect ''" },
		{ "invalid-effect", "", "expected NoSchedule, PreferNoSchedule or NoExecute" },
		{ "noschedule", "", "effect 'noschedule'" },
	};

	test("N11, N12: a taint has a prefix outside kubernetes.io, and perhaps a value");
	check_cases(nfd_check_taint(c->name, "NoSchedule", &e), keys);
	test("the API server refuses taints whose key or value is no label's");
	check_cases(nfd_admit_taint(c->name, c->value, &e), refused);
	test("N13: the effect is one of three");
	check_cases(nfd_check_taint(FEATURE "taint", c->name, &e), effects);
}

int main(void)
{
	full_names();
	labels();
	annotations();
	extended_resources();
	taints();
	return tap_end();
}
