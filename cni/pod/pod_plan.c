/* SPDX-License-Identifier: Apache-2.0 */
/* pod_plan.c - which attachments an ADD is to make, checked before the first one begins */
#include "cni/pod/pod_plan.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/delegate_policy.h"
#include "cni/pod/pod_policy.h"
#include "conf/selection.h"
#include "devinfo/format/store.h"
#include "devinfo/network/network_call.h"
#include "devinfo/network/network_definition.h"
#include "netlink/ip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define KEY	"podNetworks"

void pod_plan_done(struct pod_plan *p)
{
	pod_record_done(&p->rec);
	json_decref(p->texts);
	json_decref(p->asked);
	free(p->as);
	network_selections_done(&p->selections);
	*p = (struct pod_plan){ .texts = NULL };
}

/* In any case of letters, as all keys are read. */
bool pod_plan_is_asked(const struct netconf *conf)
{
	const char *key;
	json_t *v;

	json_object_foreach(conf->doc, key, v)
		if (strcasecmp(key, KEY) == 0 && json_is_true(v))
			return true;
	return false;
}

/* -- what the pod says -- */

static void hear_warning(const char *text, void *arg)
{
	(void)arg;
	log_warning("msg=\"%s\"", text);
}

/* A pod that silently has one network is worse than none: who gives no annotations is refused. */
static int read_annotations(const struct pod_call *c, const json_t **ret, struct err *e)
{
	const json_t *v = json_object_get(c->conf->runtime, POD_ANNOTATIONS);

	if (!c->call->pod_namespace || !c->call->pod_name)
		return err_set(e, ERR_ENV, 0, KEY ": CNI_ARGS name no pod (K8S_POD_NAMESPACE, "
			       "K8S_POD_NAME)");
	if (!v)
		return err_set(e, ERR_NETCONF, 0, KEY ": the runtime gives no annotations of the "
			       "pod: expected \"capabilities\": {\"" POD_ANNOTATIONS "\": true} in "
			       "the configuration, and a runtime that knows it");
	if (!json_is_object(v) && !json_is_null(v))
		return err_set(e, ERR_NETCONF, 0, "runtimeConfig." POD_ANNOTATIONS ": expected an "
			       "object, got %s", jx_type_name(v));
	*ret = json_is_object(v) ? v : NULL;
	return 0;
}

static int read_selections(const struct pod_call *c, struct network_selections *ret,
			   struct err *e)
{
	struct network_pod pod = {
		.namespace = c->call->pod_namespace, .ifname = c->call->ifname,
	};

	if (read_annotations(c, &pod.annotations, e) < 0 ||
	    network_selections_read(&pod, hear_warning, NULL, ret, e) < 0)
		return -1;
	if (ret->n > 0 && ret->list[0].is_default && c->conf->prev_result)
		return err_set(e, ERR_NETCONF, 0, DEFAULT_NETWORK_ANNOTATION ": the default "
			       "network has been attached by the plugins before devinfo");
	return 0;
}

/* -- definitions -- */

static void hear_of_file(const struct err *why, void *arg)
{
	(void)arg;
	log_info("msg=\"a definition is passed over: %s\" details=\"%s\"", why->msg, why->details);
}

static int read_definitions(const struct host *host, struct network_definitions *d, struct err *e)
{
	d->dir = host->set.networks_dir;
	d->isolated = host->set.namespace_isolation;
	if (!d->dir)
		return err_set(e, ERR_NETCONF, 0, KEY ": networksDir is not set in the "
			       "node's file, so there are no definitions of networks");
	return network_definitions_read(host->root, d->dir, hear_of_file, NULL, d, e);
}

int pod_plan_check_definitions(const struct host *host, struct err *e)
{
	auto_network_definitions struct network_definitions d = { .dir = NULL };

	if (read_definitions(host, &d, e) < 0)
		return -1;
	return d.n > 0 ? 0 : err_set(e, ERR_UNAVAILABLE, 0, "networksDir '%.200s' has no "
				     "definition of a network", d.dir);
}

/* -- the attachments -- */

int pod_plan_parse(const json_t *calls, size_t i, struct netconf *ret, struct err *e)
{
	json_auto_t *conf = json_copy(json_array_get(calls, i));
	auto_free char *text = NULL;
	size_t len;

	if (i > 0)
		(void)json_object_set_new(conf, "prevResult",
					  json_pack("{s:O*}", "cniVersion",
						    json_object_get(conf, "cniVersion")));
	text = jx_dump(conf, &len);
	return netconf_parse(text, len, ret, e) < 0 ? -1 : netconf_check(ret, e);
}

static json_t *hide(const struct netconf *nc, const json_t *call, const char *text, struct err *e)
{
	auto_free char *hidden = NULL;
	int r = netconf_hide_secrets(nc, text, &hidden, e);

	if (r < 0)
		return NULL;
	return r > 0 ? jx_parse(hidden, strlen(hidden), ERR_NETCONF, "configuration", e) :
		       json_deep_copy(call);
}

/* As the record keeps it: without secrets and annotations.  A new reference. */
static json_t *recorded(const struct host *host, const json_t *calls, size_t i, struct err *e)
{
	const json_t *call = json_array_get(calls, i);
	auto_netconf struct netconf nc = { 0 };
	auto_free char *text = NULL;
	size_t len;

	if (!network_call_is_ours(call))
		return json_deep_copy(call);
	text = jx_dump(call, &len);
	if (pod_plan_parse(calls, i, &nc, e) < 0 ||
	    delegate_policy_check_plugins(host, &nc, e) < 0)
		return NULL;
	return hide(&nc, call, text, e);
}

static int take(const struct host *host, struct pod_plan *p, const char *definition,
		const char *ifname, json_t *calls, struct err *e)
{
	struct pod_attachment *a = &p->rec.list[p->rec.n];
	json_t *text = json_pack("{s:s, s:s, s:[]}", "definition", definition, "ifname", ifname,
				 "calls");

	(void)json_array_append(p->asked, calls);
	(void)json_array_append_new(p->texts, text);
	*a = (struct pod_attachment){
		.definition = json_string_value(json_object_get(text, "definition")),
		.ifname = json_string_value(json_object_get(text, "ifname")),
		.calls = json_object_get(text, "calls"),
	};
	p->as[p->rec.n++].definition = a->definition;
	for (size_t i = 0; i < json_array_size(calls); i++)
		if (json_array_append_new(json_object_get(text, "calls"),
					  recorded(host, calls, i, e)) < 0)
			return -1;
	return 0;
}

/* Each attachment has a file of its own; Multus gives it the same name. */
static int info_path(const struct pod_call *c, const char *definition, const char *ifname,
		     char ret[PATH_MAX], struct err *e)
{
	char name[256];

	if (store_cni_name(definition, c->call->container_id, ifname, name, e) < 0)
		return -1;
	store_cni_path(c->host->set.devinfo_dir, name, ret);
	return 0;
}

static int take_selection(const struct pod_call *c, const struct network_definitions *d,
			  const struct network_selection *s, struct pod_plan *p, struct err *e)
{
	auto_network struct network n = { 0 };
	char definition[320], path[PATH_MAX];
	json_auto_t *calls = NULL;

	(void)snprintf(definition, sizeof(definition), "%.63s/%.253s", s->namespace, s->name);
	if (network_check_namespace(&c->host->set, c->call->pod_namespace, s, e) < 0 ||
	    network_find(d, s->namespace, s->name, &n, e) < 0 ||
	    network_check_request(&n, s, e) < 0 ||
	    info_path(c, definition, s->ifname, path, e) < 0)
		return -1;
	calls = network_calls(&n, s, path);
	if (pod_policy_check(c->host, calls, e) < 0 ||
	    take(c->host, p, definition, s->ifname, calls, e) < 0)
		return err_wrap(e, "network %s", definition);
	p->as[p->rec.n - 1].gateways = s->default_route;
	return 0;
}

static int take_default(const struct pod_call *c, struct pod_plan *p, struct err *e)
{
	json_auto_t *calls = json_pack("[o]", network_call_own(c->conf->doc));

	return take(c->host, p, "", c->call->ifname, calls, e);
}

/* Does one of the pod's attachments have a gateway of this family? */
static bool has_gateway(const struct network_selections *s, int family)
{
	struct ip gw;
	const json_t *v;
	size_t k;

	for (size_t i = 0; i < s->n; i++)
		json_array_foreach(s->list[i].default_route, k, v)
			if (ip_parse(json_string_value(v), &gw) && gw.family == family)
				return true;
	return false;
}

/* As Multus has it: an attachment that says nothing, not even an empty list, gives way. */
static void give_way(struct pod_plan *p)
{
	bool v4 = has_gateway(&p->selections, AF_INET), v6 = has_gateway(&p->selections, AF_INET6);

	for (size_t i = 0; i < p->rec.n; i++) {
		p->as[i].no_default_v4 = v4 && !p->as[i].gateways;
		p->as[i].no_default_v6 = v6 && !p->as[i].gateways;
	}
}

static int take_all(const struct pod_call *c, struct pod_plan *p, struct err *e)
{
	const struct network_selections *s = &p->selections;
	auto_network_definitions struct network_definitions d = { .only = s };

	if (read_definitions(c->host, &d, e) < 0)
		return -1;
	if (!s->list[0].is_default && take_default(c, p, e) < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		if (take_selection(c, &d, &s->list[i], p, e) < 0)
			return -1;
	give_way(p);
	return 0;
}

int pod_plan_read(const struct pod_call *c, struct pod_plan *ret, struct err *e)
{
	auto_pod_plan struct pod_plan p = { .texts = json_array(), .asked = json_array() };
	size_t n;

	if (read_selections(c, &p.selections, e) < 0)
		return -1;
	n = p.selections.n;
	if (n == 0)
		return 0;
	p.rec.owner = (struct owner){
		.network = c->conf->name, .container_id = c->call->container_id,
		.ifname = c->call->ifname, .netns = c->call->netns,
	};
	p.rec.list = calloc(n + 1, sizeof(*p.rec.list));
	p.as = calloc(n + 1, sizeof(*p.as));
	if (!p.rec.list || !p.as)
		return err_set(e, ERR_IO, ENOMEM, "%zu networks", n);
	if (take_all(c, &p, e) < 0)
		return -1;
	*ret = p;
	p = (struct pod_plan){ .texts = NULL };
	return 1;
}
