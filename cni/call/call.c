/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - what the runtime asked: the CNI_* environment, checked */
#include "cni/call/call.h"

#include "base/name.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ARGS_MAX	65536	/* bytes of CNI_ARGS we read */

static const char verbs[][8] = {	/* no pointers: base/tables.h */
	[VERB_ADD] = "ADD", [VERB_DEL] = "DEL", [VERB_CHECK] = "CHECK", [VERB_GC] = "GC",
	[VERB_STATUS] = "STATUS", [VERB_VERSION] = "VERSION",
};
static_assert(ARRAY_SIZE(verbs) == VERBS, "a name for each verb");

const char *verb_name(enum verb verb)
{
	return verbs[verb];
}

at_start int call_verb(enum verb *ret, struct err *e)
{
	const char *name = getenv("CNI_COMMAND");

	if (!name || !*name)
		return err_set(e, ERR_ENV, 0, "required env variables [CNI_COMMAND] missing");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (strcmp(name, verbs[i]) == 0) {
			*ret = (enum verb)i;
			return 0;
		}
	return err_set(e, ERR_ENV, 0, "unknown CNI_COMMAND: %.64s", name);
}

/* The value, "" when unset; a needed one that is empty is added to the list of the missing. */
static const char *take_variable(const char *name, bool needed, char *missing, size_t size)
{
	const char *v = getenv(name);
	size_t used = strlen(missing);

	if (needed && (!v || !*v))
		(void)snprintf(missing + used, size - used, "%s%s", used ? "," : "", name);
	return v ? v : "";
}

static int check_forms(const struct cni_call *c, struct err *e)
{
	if (!name_is_cni_id(c->container_id))
		return err_set(e, ERR_ENV, 0,
			       "CNI_CONTAINERID: '%.64s' has characters outside [a-zA-Z0-9_.-]",
			       c->container_id);
	if (!name_is_ifname(c->ifname))
		return err_set(e, ERR_ENV, 0, "CNI_IFNAME: '%.64s' cannot be an interface's name%s",
			       c->ifname, strlen(c->ifname) > 15 ? " (over 15 bytes)" : "");
	if (c->verb == VERB_DEL)	/* it goes by the record */
		return 0;
	if (strlen(c->netns) > 4095)
		return err_set(e, ERR_ENV, 0, "CNI_NETNS: the path is over 4095 bytes");
	if (*c->netns != '/')		/* a DEL from another directory would not find it */
		return err_set(e, ERR_ENV, 0, "CNI_NETNS: '%.200s' is not an absolute path",
			       c->netns);
	return 0;
}

/* One KEY=VALUE of CNI_ARGS, cut in place. */
static void take_arg(struct cni_call *c, char *pair)
{
	char *eq = strchr(pair, '=');
	const char *v;

	if (!eq)
		return;
	*eq = '\0';
	v = eq[1] ? eq + 1 : NULL;
	if (strcmp(pair, "K8S_POD_NAMESPACE") == 0)
		c->pod_namespace = v;
	else if (strcmp(pair, "K8S_POD_NAME") == 0)
		c->pod_name = v;
	else if (strcmp(pair, "K8S_POD_UID") == 0)
		c->pod_uid = v;
	else if (strcmp(pair, "MAC") == 0)
		c->mac = v;
	else if (strcmp(pair, "deviceID") == 0)
		c->device_id = v;
}

static int parse_args(struct cni_call *c, struct err *e)
{
	const char *args = getenv("CNI_ARGS");
	char *save = NULL;

	if (!args || !*args)
		return 0;
	if (strlen(args) > ARGS_MAX)
		return err_set(e, ERR_ENV, E2BIG, "CNI_ARGS: over %d bytes", ARGS_MAX);
	c->args = strdup(args);
	if (!c->args)
		return err_set(e, ERR_IO, ENOMEM, "CNI_ARGS");
	for (char *p = strtok_r(c->args, ";", &save); p; p = strtok_r(NULL, ";", &save))
		take_arg(c, p);
	return 0;
}

int call_from_env(enum verb verb, struct cni_call *ret, struct err *e)
{
	bool attachment = verb == VERB_ADD || verb == VERB_DEL || verb == VERB_CHECK;
	const char *override = getenv("CNI_NETNS_OVERRIDE");
	struct cni_call c = { .verb = verb };
	char missing[128] = "";

	c.container_id = take_variable("CNI_CONTAINERID", attachment, missing, sizeof(missing));
	c.netns = take_variable("CNI_NETNS", attachment && verb != VERB_DEL, missing,
				sizeof(missing));
	c.ifname = take_variable("CNI_IFNAME", attachment, missing, sizeof(missing));
	c.path = take_variable("CNI_PATH", false, missing, sizeof(missing));
	if (*missing)
		return err_set(e, ERR_ENV, 0, "required env variables [%s] missing", missing);
	if (attachment && check_forms(&c, e) < 0)
		return -1;
	c.netns_override =
		override && (strcmp(override, "1") == 0 || strcasecmp(override, "true") == 0);
	if (parse_args(&c, e) < 0 && verb != VERB_DEL)	/* DEL asks nothing of them */
		return -1;
	*ret = c;
	return 0;
}

void call_done(struct cni_call *call)
{
	free(call->args);
	call->args = NULL;
}
