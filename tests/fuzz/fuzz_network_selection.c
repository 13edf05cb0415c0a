/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_network_selection.c - what a pod's annotation asks for is fit for a call of a plugin */
#include "devinfo/network/network_selection.h"
#include "base/name.h"
#include "tests/fuzz/fuzz.h"

static void ignore(const char *text, void *arg)
{
	(void)arg;
	must(text && *text);
}

static void check(const struct network_selections *s, size_t at)
{
	const struct network_selection *n = &s->list[at];

	must(name_is_dns_subdomain(n->name) && name_is_dns_label(n->namespace));
	must(name_is_ifname(n->ifname) && strcmp(n->ifname, "eth0") != 0);
	must(!n->device_id || name_is_device_id(n->device_id));
	must(!*n->mac || strlen(n->mac) == 17 || strlen(n->mac) == 59);
	must(!*n->guid || strlen(n->guid) == 23);
	must(!n->ips || json_array_size(n->ips) > 0);
	must(!n->cni_args || json_is_object(n->cni_args));
	for (size_t i = 0; i < at; i++)
		must(strcmp(n->ifname, s->list[i].ifname) != 0);
}

static void fuzz_one(const char *text, size_t len)
{
	auto_network_selections struct network_selections s = { .n = 0 };
	json_auto_t *annotations = json_object(), *value = json_stringn(text, len);
	struct network_pod pod = { annotations, "apps", "eth0" };
	struct err e = { 0 };
	int rc;

	if (!value || memchr(text, '\0', len))	/* no text that a parser gives */
		return;
	(void)json_object_set(annotations, NETWORKS_ANNOTATION, value);
	rc = network_selections_read(&pod, ignore, NULL, &s, &e);
	must_agree(rc, &e);
	must(s.n <= NETWORKS_MAX && (rc == 0 || s.n == 0));
	for (size_t i = 0; i < s.n; i++)
		check(&s, i);
	if (s.n > 0)
		accepted();
}
