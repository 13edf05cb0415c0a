/* SPDX-License-Identifier: Apache-2.0 */
/* pod_attach.c - the process of one attachment: the calls of its plugins, one after another */
#include "cni/pod/pod_attach.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/call/convert.h"
#include "cni/call/result.h"
#include "cni/plugins/delegate.h"
#include "cni/pod/pod_policy.h"
#include "devinfo/network/network_call.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const struct pod_job *job)
{
	return json_array_size(job->calls);
}

/* -- the environment of a call -- */

/* One that is not set would make this the call of another attachment. */
static int set_variable(const char *name, const char *value, struct err *e)
{
	return setenv(name, value, 1) == 0 ? 0 : err_set(e, ERR_IO, errno, "set %s", name);
}

/*
 * What the runtime says of the pod is for each attachment; a MAC or device is for its own one, and
 * the annotation says those of the others.
 */
static int set_args(const struct pod_job *job, struct err *e)
{
	const struct cni_call *call = job->call->call;
	auto_free char *args = NULL;

	if (asprintf(&args, "IgnoreUnknown=1;K8S_POD_NAMESPACE=%s;K8S_POD_NAME=%s;"
		     "K8S_POD_INFRA_CONTAINER_ID=%s%s%s",
		     call->pod_namespace ? call->pod_namespace : "",
		     call->pod_name ? call->pod_name : "", job->container->container_id,
		     call->pod_uid ? ";K8S_POD_UID=" : "",
		     call->pod_uid ? call->pod_uid : "") < 0) {
		args = NULL;	/* undefined after a failure */
		return err_set(e, ERR_IO, ENOMEM, "set CNI_ARGS");
	}
	return set_variable("CNI_ARGS", args, e);
}

static int set_environment(const struct pod_job *job, struct err *e)
{
	if (set_variable("CNI_COMMAND", verb_name(job->verb), e) < 0 ||
	    set_variable("CNI_CONTAINERID", job->container->container_id, e) < 0 ||
	    set_variable("CNI_NETNS", job->lives ? job->container->netns : "", e) < 0 ||
	    set_variable("CNI_IFNAME", job->of->ifname, e) < 0)
		return -1;
	return *job->of->definition ? set_args(job, e) : 0;
}

/* -- one plugin -- */

/* It was checked when the attachment was planned. */
static enum cni_version version_of(const json_t *conf)
{
	const char *name = json_string_value(json_object_get(conf, "cniVersion"));
	enum cni_version v = CNI_0_1_0;
	struct err ignored;

	return name && cni_version_parse(name, &v, &ignored) == 0 ? v : CNI_0_1_0;
}

/* The configuration of a call with the result before it, as text that the caller frees. */
static char *compose(const struct pod_job *job, size_t i, const json_t *prev, size_t *len,
		     struct err *e)
{
	json_auto_t *conf = json_deep_copy(json_array_get(job->calls, i)), *written = NULL;

	if (prev && job->verb == VERB_DEL && version_of(conf) < CNI_0_4_0)
		prev = NULL;
	if (prev && result_write(prev, version_of(conf), &written, e) < 0)
		return NULL;
	if (written)
		(void)json_object_set(conf, "prevResult", written);
	return jx_dump(conf, len);
}

struct ours {
	const struct pod_job *job;
	const char *text;
};

static int serve(const struct pod_job *job, const char *text)
{
	const struct pod_call *c = job->call;

	return c->serve(job->verb, text, &job->as, c->arg);
}

static int serve_ours(void *arg)
{
	const struct ours *o = arg;

	return serve(o->job, o->text);
}

/* In a process of its own: what it gives up, the next plugin may need. */
static int call_ours(const struct pod_job *job, const char *text, json_t **ret, struct err *e)
{
	struct ours o = { job, text };
	const struct deadline of_the_call = { .at_ms = INT64_MAX };
	struct pod_child child = POD_CHILD_NONE;

	return pod_child_start(&child, serve_ours, &o, e) < 0 ?
		       -1 : pod_child_await(&child, &of_the_call, ret, e);
}

static int call_other(const struct pod_job *job, const json_t *conf, const char *text, size_t len,
		      struct delegate_reply *ret, struct err *e)
{
	const struct exec_call call = {
		.cni_path = job->call->host->set.cni_path,
		.type = json_string_value(json_object_get(conf, "type")),
		.command = verb_name(job->verb), .request = text, .len = len,
	};
	const struct deadline d = deadline_in(job->call->host->set.ipam_timeout_ms);
	auto_pod_claim struct pod_claim claim = POD_CLAIM_NONE;

	if (job->verb == VERB_ADD && pod_policy_claim(job, conf, &claim, e) < 0)
		return -1;
	return delegate_call(&call, &d, ret, e);
}

/* *result: the one before it, and then its own, in the form of 1.1.0; an owned reference. */
static int call(const struct pod_job *job, size_t i, json_t **result, struct err *e)
{
	const json_t *conf = json_array_get(job->calls, i);
	const char *type = json_string_value(json_object_get(conf, "type"));
	auto_delegate_reply struct delegate_reply reply = { .version = version_of(conf) };
	auto_free char *text = NULL;
	json_t *next = NULL;
	size_t len = 0;
	int r;

	text = compose(job, i, *result, &len, e);
	if (!text)
		return -1;
	r = network_call_is_ours(conf) ? call_ours(job, text, &reply.doc, e) :
					 call_other(job, conf, text, len, &reply, e);
	if (r < 0 || job->verb != VERB_ADD)
		return r;
	if (!json_is_object(reply.doc))
		return err_set(e, ERR_DELEGATE, 0, "plugin %s succeeded without a result", type);
	if (result_read(reply.doc, reply.version, type, ERR_DELEGATE, &next, e) < 0)
		return -1;
	json_decref(*result);
	*result = next;
	return 0;
}

/* -- all of them -- */

static int add_all(const struct pod_job *job, struct err *e)
{
	json_auto_t *result = NULL, *answer = NULL;

	for (size_t i = 0; i < count(job); i++)
		if (call(job, i, &result, e) < 0)
			return -1;
	if (result_write(result, version_of(json_array_get(job->calls, 0)), &answer, e) < 0)
		return -1;
	return result_print(answer, e);
}

static int read_result(const struct pod_job *job, json_t **ret, struct err *e)
{
	return !job->of->result ? 0 :
	       result_read(job->of->result, version_of(json_array_get(job->calls, 0)), "result",
			   ERR_DECODE, ret, e);
}

/* What was not asked, for want of memory or time, may have something. */
static bool stays(const struct pod_job *job, const struct err *e)
{
	return e->code == ERR_INTERRUPTED || e->sys == ETIMEDOUT ||
	       (e->code == ERR_IO && e->sys) || (job->lives && job->of->result);
}

/* Backward, and on after an error: of a failed ADD, or a dead container, some always fail. */
static int del_all(const struct pod_job *job, struct err *e)
{
	struct err errors = { .code = ERR_OK }, one = { .code = ERR_OK };
	json_auto_t *result = NULL;

	if (read_result(job, &result, &one) < 0)
		log_warning("msg=\"the result of an attachment cannot be read\" error=\"%s\"",
			    one.msg);
	for (size_t i = count(job); i-- > 0;) {
		bool ours = network_call_is_ours(json_array_get(job->calls, i));

		if (call(job, i, &result, &one) == 0)
			continue;
		if (ours || stays(job, &one))
			err_join(&errors, &one);
		else
			log_info("msg=\"DEL of a plugin that has, or may have, nothing left\" "
				 "error=\"%s\"", one.msg);
	}
	return err_joined(&errors, e);
}

static int check_all(const struct pod_job *job, struct err *e)
{
	struct err errors = { .code = ERR_OK }, one;
	json_auto_t *result = NULL;

	if (read_result(job, &result, e) < 0)
		return -1;
	for (size_t i = 0; i < count(job); i++)
		if (call(job, i, &result, &one) < 0)
			err_join(&errors, &one);
	return err_joined(&errors, e);
}

static int run_all(const struct pod_job *job, struct err *e)
{
	return job->verb == VERB_ADD   ? add_all(job, e) :
	       job->verb == VERB_CHECK ? check_all(job, e) :
					 del_all(job, e);
}

/* With this program alone the call is its own, prints its answer, and needs no other process. */
static int serve_only(const struct pod_job *job, struct err *e)
{
	json_auto_t *result = NULL;
	auto_free char *text = NULL;
	size_t len;

	if (job->verb == VERB_CHECK && read_result(job, &result, e) < 0)
		return -1;
	text = compose(job, 0, result, &len, e);
	return text ? serve(job, text) : -1;
}

static int run(const struct pod_job *job, struct err *e)
{
	const json_t *first = json_array_get(job->calls, 0);

	log_context(job->container->container_id, job->of->ifname);
	result_use_version(version_of(first));
	if (set_environment(job, e) < 0)
		return -1;
	if (job->verb == VERB_CHECK && version_of(first) < CNI_0_4_0)	/* it knows no CHECK */
		return 0;
	return count(job) == 1 && network_call_is_ours(first) ? serve_only(job, e) :
								 run_all(job, e);
}

static int body(void *arg)
{
	struct err e = { .code = ERR_OK };
	int r = run(arg, &e);

	if (r < 0)
		result_print_error(&e);
	return r != 0;
}

int pod_attach_start(const struct pod_job *job, struct pod_child *ret, struct err *e)
{
	return pod_child_start(ret, body, (void *)(uintptr_t)job, e);
}
