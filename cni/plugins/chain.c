/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - plugins that we run ourselves, as libcni runs a conflist */
#include "cni/plugins/chain.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/call/convert.h"
#include "cni/plugins/delegate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const struct chain *c)
{
	return json_array_size(c->conf->delegates);
}

static const json_t *plugin(const struct chain *c, size_t i)
{
	return json_array_get(c->conf->delegates, i);
}

static const char *type_of(const struct chain *c, size_t i)
{
	return json_string_value(json_object_get(plugin(c, i), "type"));
}

uint32_t chain_all(const struct netconf *conf)
{
	return (1u << json_array_size(conf->delegates)) - 1;
}

/* What the administrator wrote goes before what we know. */
static void set_unless_there(json_t *o, const char *key, json_t *value)
{
	if (json_object_get(o, key))
		json_decref(value);
	else
		(void)json_object_set_new(o, key, value);
}

static json_t *text_or_null(const char *s)
{
	return s && *s ? json_string(s) : NULL;
}

/* It takes no other ids than those of PCI functions and auxiliary devices. */
static bool takes_name(const struct chain *c, size_t i)
{
	return c->id_is_netdev && strcmp(type_of(c, i), "host-device") == 0;
}

/* The capabilities that a plugin declares, of those we were given. */
static json_t *runtime_config(const struct chain *c, size_t i)
{
	const json_t *own = json_object_get(plugin(c, i), "runtimeConfig");
	json_t *rc = json_is_object(own) ? json_deep_copy(own) : json_object(), *declared;
	const char *name;

	json_object_foreach(json_object_get(plugin(c, i), "capabilities"), name, declared) {
		json_t *value = NULL;

		if (!json_is_true(declared) || (strcmp(name, "deviceID") == 0 && takes_name(c, i)))
			continue;
		if (strcmp(name, "CNIDeviceInfoFile") == 0)
			value = text_or_null(c->info_path);
		else if (strcmp(name, "deviceID") == 0)
			value = text_or_null(c->device_id);
		if (!value && strcmp(name, "CNIDeviceInfoFile") != 0)	/* it was looked at */
			value = json_deep_copy(json_object_get(c->conf->runtime, name));
		if (value)
			set_unless_there(rc, name, value);
	}
	return rc;
}

/* Which device, unless the administrator wrote that. */
static void set_device(const struct chain *c, size_t i, json_t *o)
{
	static const char *const keys[] = { "deviceID", "pciBusID", "device", "hwaddr",
					    "kernelpath" };
	bool by_name = takes_name(c, i);
	size_t n = by_name ? ARRAY_SIZE(keys) : 2;
	char bdf[NAME_BDF_SIZE];

	if (!c->device_id)
		return;
	for (size_t k = 0; k < n; k++)
		if (json_object_get(o, keys[k]))
			return;
	(void)json_object_set_new(o, by_name ? "device" : "deviceID", json_string(c->device_id));
	if (name_to_bdf(c->device_id, bdf))
		(void)json_object_set_new(o, "pciBusID", json_string(bdf));
}

static void pass_on(const struct chain *c, json_t *o, const char *key)
{
	json_t *v = json_object_get(c->conf->doc, key);

	if (v)
		(void)json_object_set(o, key, v);
}

/* The configuration of plugin i as text, owned by the caller. */
static char *compose(const struct chain *c, size_t i, json_t *prev, size_t *len)
{
	json_auto_t *o = json_deep_copy(plugin(c, i)), *rc = runtime_config(c, i);

	(void)json_object_set_new(o, "cniVersion",
				  json_string(cni_version_name(c->conf->version)));
	pass_on(c, o, "name");		/* not that of conf->name, which may be a definition's */
	set_device(c, i, o);
	(void)json_object_del(o, "capabilities");	/* CNI spec, section 3 */
	(void)json_object_del(o, "runtimeConfig");
	if (json_object_size(rc) > 0)
		(void)json_object_set(o, "runtimeConfig", rc);
	if (prev)
		(void)json_object_set(o, "prevResult", prev);
	pass_on(c, o, "cni.dev/valid-attachments");
	pass_on(c, o, "cni.dev/attachments");
	return jx_dump(o, len);
}

/* `type` is the plugin's own or that of its IPAM plugin, which gets the same configuration. */
static int ask_type(const struct chain *c, size_t i, const char *type, const char *command,
		    const json_t *prev, const struct deadline *d, struct delegate_reply *ret,
		    struct err *e)
{
	json_auto_t *written = NULL;
	auto_free char *request = NULL;
	struct exec_call call = {
		.cni_path = c->cni_path, .type = type, .command = command, .as = c->as,
	};

	if (prev && result_write(prev, c->conf->version, &written, e) < 0)
		return err_wrap(e, "prevResult for plugin %s", call.type);
	request = compose(c, i, written, &call.len);
	call.request = request;
	return delegate_call(&call, d, ret, e);
}

static int ask(const struct chain *c, size_t i, const char *command, const json_t *prev,
	       const struct deadline *d, struct delegate_reply *ret, struct err *e)
{
	return ask_type(c, i, type_of(c, i), command, prev, d, ret, e);
}

/* Are they about the same, by one key and, where the new one has it, another? */
static bool is_same(const json_t *was, const json_t *now, const char *a, const char *b)
{
	const json_t *second = json_object_get(now, b);

	return json_equal(json_object_get(was, a), json_object_get(now, a)) &&
	       (!second || json_equal(json_object_get(was, b), second));
}

/* What 1.1.0 has added, of the objects that both lists have; of several alike the n-th is the n-th.
 */
static void keep_newer(const json_t *before, json_t *after, const char *a, const char *b,
		       const char *const keys[])
{
	size_t n = json_array_size(before), i, k;
	auto_free bool *used = calloc(n + 1, sizeof(*used));
	json_t *v;

	json_array_foreach(after, i, v) {
		for (k = 0; used && k < n; k++)
			if (!used[k] && is_same(json_array_get(before, k), v, a, b))
				break;
		if (!used || k == n)
			continue;
		used[k] = true;
		for (const char *const *key = keys; *key; key++) {
			json_t *old = json_object_get(json_array_get(before, k), *key);

			if (old)
				set_unless_there(v, *key, json_deep_copy(old));
		}
	}
}

/* A plugin that speaks an older version has not seen it, and cannot have meant to drop it. */
static void keep_what_is_newer(const json_t *before, json_t *after)
{
	static const char *const intf[] = { "mtu", "socketPath", "pciID", NULL };
	static const char *const route[] = { "mtu",   "advmss", "priority",
					     "table", "scope",	NULL };

	keep_newer(json_object_get(before, "interfaces"), json_object_get(after, "interfaces"),
		   "name", "sandbox", intf);
	keep_newer(json_object_get(before, "routes"), json_object_get(after, "routes"), "dst", "gw",
		   route);
}

static int add_one(const struct chain *c, size_t i, const json_t *prev, json_t **ret,
		   struct err *e)
{
	struct deadline d = deadline_in(c->timeout_ms);
	auto_delegate_reply struct delegate_reply reply = { 0 };
	char what[300];

	if (ask(c, i, "ADD", prev, &d, &reply, e) < 0)
		return -1;
	(void)snprintf(what, sizeof(what), "plugin %s: result", type_of(c, i));
	if (!json_is_object(reply.doc))
		return err_set(e, ERR_DELEGATE, 0, "plugin %s succeeded without a result",
			       type_of(c, i));
	if (result_read(reply.doc, reply.version, what, ERR_DELEGATE, ret, e) < 0)
		return -1;
	if (prev && reply.version < c->conf->version)
		keep_what_is_newer(prev, *ret);
	return 0;
}

int chain_add(const struct chain *c, const json_t *prev, struct chain_progress *p, json_t **ret,
	      struct err *e)
{
	json_auto_t *result = prev ? json_deep_copy(prev) : NULL;

	*p = (struct chain_progress){ 0 };
	for (size_t i = 0; i < count(c); i++) {
		json_t *next = NULL;

		p->left |= 1u << i;	/* one that fails may have done a part of it */
		if (add_one(c, i, result, &next, e) < 0)
			return -1;
		p->added |= 1u << i;
		json_decref(result);
		result = next;
	}
	*ret = steal_ptr(&result);
	return 0;
}

int chain_del_lease(const struct chain *c, size_t i, const json_t *prev, const struct deadline *d,
		    struct err *e)
{
	const json_t *ipam = json_object_get(plugin(c, i), "ipam");
	const char *type = json_string_value(json_object_get(ipam, "type"));
	auto_delegate_reply struct delegate_reply reply = { 0 };

	return type && *type ? ask_type(c, i, type, "DEL", prev, d, &reply, e) : 0;
}

/* One that had no time has not been asked. */
static bool is_late(const struct err *e)
{
	return e->sys == ETIMEDOUT || e->code == ERR_INTERRUPTED;
}

/* For want of descriptors, processes or memory of ours: the plugin itself has said nothing. */
static bool was_not_asked(const struct err *e)
{
	return e->code == ERR_IO && e->sys;
}

/* Does one that fails with this error stay, to be asked again? */
static bool stays(const struct chain *c, bool added, const struct err *e)
{
	if (was_not_asked(e))
		return true;
	if (c->dead)
		return e->code == ERR_INTERRUPTED || (c->late_stays && is_late(e));
	return added || is_late(e);
}

/* After a failed or killed ADD the result is not known, and may not be sayable in this version. */
static int del_one(const struct chain *c, size_t i, const json_t *prev,
		   const struct chain_progress *p, const struct deadline *all, struct err *e)
{
	unsigned int n = (unsigned int)__builtin_popcount(p->left & ((2u << i) - 1));
	struct deadline d = deadline_share(all, c->timeout_ms, n);
	auto_delegate_reply struct delegate_reply reply = { 0 };
	bool added = p->added & 1u << i;
	struct err lease;
	int r;

	if (c->conf->version < CNI_0_4_0)
		prev = NULL;
	r = ask(c, i, "DEL", prev, &d, &reply, e);
	/* the plugin itself may have asked already */
	if (c->dead && chain_del_lease(c, i, prev, &d, &lease) < 0) {
		log_info("msg=\"DEL of a dead container's lease\" error=\"%s\"", lease.msg);
		if (stays(c, added, &lease)) {
			*e = lease;
			return -1;
		}
	}
	if (r == 0 || stays(c, added, e))
		return r;
	log_info("msg=\"DEL of a plugin that has, or may have, nothing left\" error=\"%s\"",
		 e->msg);
	return 0;
}

int chain_del(const struct chain *c, const json_t *prev, struct chain_progress *p,
	      const struct deadline *all, struct err *e)
{
	struct err errors = { .code = ERR_OK }, one;

	for (size_t i = count(c); i-- > 0;) {
		if (!(p->left & 1u << i))
			continue;
		if (del_one(c, i, prev, p, all, &one) < 0) {
			err_join(&errors, &one);
			continue;
		}
		p->left &= ~(1u << i);
		if (c->cleared)
			c->cleared(p, c->arg);
	}
	return err_joined(&errors, e);
}

int chain_check(const struct chain *c, const json_t *prev, struct err *e)
{
	struct err errors = { .code = ERR_OK }, one;

	for (size_t i = 0; i < count(c); i++) {
		struct deadline d = deadline_share(NULL, c->timeout_ms,
						   (unsigned int)(count(c) - i));
		auto_delegate_reply struct delegate_reply reply = { 0 };

		if (ask(c, i, "CHECK", prev, &d, &reply, &one) < 0)
			err_join(&errors, &one);
	}
	return err_joined(&errors, e);
}

/* What could not be found out in time goes behind what was. */
static void join_known_first(struct err *all, struct err *one)
{
	struct err first = *all;

	if (first.code != ERR_OK && first.sys == ETIMEDOUT && one->sys != ETIMEDOUT) {
		*all = *one;
		*one = first;
	}
	err_join(all, one);
}

static int forward_one(const struct chain *c, size_t i, const char *command,
		       const struct deadline *all, struct err *e)
{
	struct exec_call call = {
		.cni_path = c->cni_path, .type = type_of(c, i), .command = command,
	};
	auto_free char *request = compose(c, i, NULL, &call.len);

	call.request = request;
	return delegate_forward(&call, all, e);
}

int chain_forward(const struct chain *c, const char *request, const char *command,
		  const struct deadline *all, struct err *e)
{
	const struct exec_call ipam = {
		.cni_path = c->cni_path, .type = c->conf->ipam_type, .command = command,
		.request = request, .len = strlen(request),
	};
	struct err errors = { .code = ERR_OK }, one;

	if (ipam.type && delegate_forward(&ipam, all, &one) < 0)
		join_known_first(&errors, &one);
	for (size_t i = 0; i < count(c); i++)
		if (forward_one(c, i, command, all, &one) < 0)
			join_known_first(&errors, &one);
	return err_joined(&errors, e);
}
