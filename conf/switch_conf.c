/* SPDX-License-Identifier: Apache-2.0 */
/* switch_conf.c - the key switch: whose port the other end of a socket, or a representor, is */
#include "conf/switch_conf.h"

#include "base/jx.h"
#include "base/name.h"
#include "conf/keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_MAX_MS = 60000 };

static int parse_timeout(const json_t *o, unsigned int by_default, struct switch_conf *c,
			 struct err *e)
{
	json_int_t ms = by_default;

	if (jx_int(o, "switch", "timeoutMs", 1, TIMEOUT_MAX_MS, &ms, e) < 0)
		return -1;
	c->timeout_ms = (unsigned int)ms;
	return 0;
}

/* -- Open vSwitch -- */

int switch_conf_bridge(const char *bridge, const char *key, struct switch_conf *ret, struct err *e)
{
	if (bridge && !*bridge)
		bridge = NULL;
	if (bridge && !name_is_ifname(bridge))
		return err_set(e, ERR_NETCONF, 0, "%s: '%.64s' cannot be a bridge's name", key,
			       bridge);
	*ret = (struct switch_conf){
		.kind = SWITCH_OVS, .timeout_ms = SWITCH_OVS_MS, .bridge = bridge,
	};
	return 0;
}

/* A member that another type of switch has. */
static int refuse_member(const json_t *o, const char *key, const char *type, struct err *e)
{
	const json_t *v = json_object_get(o, key);

	return v && !json_is_null(v) ? err_set(e, ERR_NETCONF, 0, "switch.%s: not with type %s",
					       key, type) : 0;
}

static int parse_ovs(const json_t *o, struct switch_conf *c, struct err *e)
{
	const char *bridge = NULL;

	if (refuse_member(o, "path", "ovs", e) < 0 || refuse_member(o, "config", "ovs", e) < 0 ||
	    jx_string(o, "switch", "bridge", &bridge, e) < 0 ||
	    switch_conf_bridge(bridge, "switch.bridge", c, e) < 0)
		return -1;
	return parse_timeout(o, SWITCH_OVS_MS, c, e);
}

/* -- exec -- */

static bool is_program(const char *s)
{
	size_t len = strlen(s);

	if (*s != '/' || len > SWITCH_EXEC_MAX || s[len - 1] == '/' || strstr(s, "/../"))
		return false;
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return false;
	return true;
}

static int parse_exec(const json_t *o, struct switch_conf *c, struct err *e)
{
	const json_t *config = json_object_get(o, "config");

	if (refuse_member(o, "bridge", "exec", e) < 0 ||
	    jx_string(o, "switch", "path", &c->path, e) < 0)
		return -1;
	if (!c->path || !*c->path)
		return err_set(e, ERR_NETCONF, 0, "switch.path: missing");
	if (!is_program(c->path))
		return err_set(e, ERR_NETCONF, 0,
			       "switch.path: '%.64s' is no absolute path of a program", c->path);
	c->kind = SWITCH_EXEC;
	c->config = json_is_null(config) ? NULL : config;
	return parse_timeout(o, SWITCH_EXEC_MS, c, e);
}

int switch_conf_parse(const json_t *doc, struct switch_conf *ret, struct err *e)
{
	struct switch_conf c = { .kind = SWITCH_NONE };
	const char *type = NULL;
	json_t *o = NULL;
	int r = jx_object(doc, "", "switch", &o, e);

	if (r <= 0)
		return r;
	keys_fold(o, "switch");
	if (keys_check_members(o, "switch", e) < 0 || jx_string(o, "switch", "type", &type, e) < 0)
		return -1;
	if (type && strcmp(type, "ovs") == 0)
		r = parse_ovs(o, &c, e);
	else if (type && strcmp(type, "exec") == 0)
		r = parse_exec(o, &c, e);
	else
		return err_set(e, ERR_NETCONF, 0, "switch.type: '%.32s' is neither ovs nor exec",
			       type ? type : "");
	if (r < 0)
		return -1;
	*ret = c;
	return 1;
}
