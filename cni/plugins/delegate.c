/* SPDX-License-Identifier: Apache-2.0 */
/* delegate.c - ask another plugin, which may be older than the request */
#include "cni/plugins/delegate.h"

#include "base/jx.h"
#include "cni/call/convert.h"

#include <string.h>

/* GC and STATUS came with 1.1.0: there is no older form of them. */
static bool is_older_verb(const char *command)
{
	static const char *const verbs[] = { "ADD", "DEL", "CHECK" };

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(command, verbs[i]) == 0)
			return true;
	return false;
}

static int version_of(const json_t *request, enum cni_version *ret, struct err *e)
{
	const char *text = json_string_value(json_object_get(request, "cniVersion"));

	return cni_version_parse(text && *text ? text : "0.1.0", ret, e);
}

/* Make a request of 1.1.0 one of 1.0.0, with what it has of an earlier plugin's result. */
static int make_older(json_t *request, struct err *e)
{
	const json_t *prev = json_object_get(request, "prevResult");
	json_auto_t *result = NULL;
	json_t *older;

	(void)json_object_set_new(request, "cniVersion", json_string(cni_version_name(CNI_1_0_0)));
	if (!json_is_object(prev))
		return 0;
	if (result_read(prev, CNI_1_1_0, "prevResult", ERR_NETCONF, &result, e) < 0 ||
	    result_write(result, CNI_1_0_0, &older, e) < 0)
		return -1;
	(void)json_object_set_new(request, "prevResult", older);
	return 0;
}

int delegate_start(struct delegate_run *run, const struct exec_call *c, const struct deadline *d,
		   struct err *e)
{
	run->request = jx_parse(c->request, c->len, ERR_DECODE, "request", e);
	if (!run->request || version_of(run->request, &run->version, e) < 0)
		return -1;
	return exec_start(&run->run, c, d, e);
}

/* In 1.0.0, with what is left of the time. */
static int ask_older(struct delegate_run *run, struct delegate_reply *ret, struct err *e)
{
	struct exec_call again = run->run.call;
	auto_free char *older = NULL;

	if (make_older(run->request, e) < 0)
		return -1;
	older = jx_dump(run->request, &again.len);
	again.request = older;
	ret->version = CNI_1_0_0;
	return exec_plugin(&again, &run->run.until, &ret->doc, &ret->refused, e);
}

int delegate_collect(struct delegate_run *run, struct delegate_reply *ret, struct err *e)
{
	*ret = (struct delegate_reply){ .version = run->version };
	if (exec_collect(&run->run, &ret->doc, &ret->refused, e) == 0)
		return 0;
	if (e->code != ERR_VERSION || run->version != CNI_1_1_0 ||
	    !is_older_verb(run->run.call.command))
		return -1;
	return ask_older(run, ret, e);
}

int delegate_call(const struct exec_call *c, const struct deadline *d, struct delegate_reply *ret,
		  struct err *e)
{
	auto_delegate_run struct delegate_run run = DELEGATE_RUN_NONE;

	*ret = (struct delegate_reply){ .refused = true };
	return delegate_start(&run, c, d, e) < 0 ? -1 : delegate_collect(&run, ret, e);
}

int delegate_speaks(const struct exec_call *c, const char *version, const struct deadline *d,
		    struct err *e)
{
	static const char request[] = "{\"cniVersion\":\"1.1.0\"}";
	json_auto_t *doc = NULL;
	struct exec_call ask = *c;
	const json_t *list, *v;
	bool refused;
	size_t i;

	ask.command = "VERSION";
	ask.request = request;
	ask.len = sizeof(request) - 1;
	if (exec_plugin(&ask, d, &doc, &refused, e) < 0)
		return -1;
	list = json_object_get(doc, "supportedVersions");
	if (!json_is_array(list))
		return err_set(e, ERR_DELEGATE, 0,
			       "plugin %s: its answer to VERSION has no supportedVersions",
			       c->type);
	json_array_foreach(list, i, v)
		if (json_is_string(v) && strcmp(json_string_value(v), version) == 0)
			return 1;
	return 0;
}

int delegate_forward(const struct exec_call *c, const struct deadline *d, struct err *e)
{
	auto_delegate_reply struct delegate_reply reply = { .doc = NULL };
	int r = delegate_speaks(c, cni_version_name(CNI_1_1_0), d, e);

	return r <= 0 ? r : delegate_call(c, d, &reply, e);
}

void delegate_reply_done(struct delegate_reply *r)
{
	json_decref(r->doc);
	*r = (struct delegate_reply){ .doc = NULL };
}

void delegate_run_done(struct delegate_run *run)
{
	exec_run_done(&run->run);
	json_decref(run->request);
	*run = (struct delegate_run)DELEGATE_RUN_NONE;
}
