/* SPDX-License-Identifier: Apache-2.0 */
/* switch_conf.c - the key switch: whose port the other end of a socket, or a representor, is */
#include "conf/switch_conf.h"

#include "base/jx.h"
#include "base/name.h"

#include <ctype.h>
#include <string.h>

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

#define TO(member)	KEY_AT(struct switch_conf, member)

static const char *const kind_choices[] = {
	[SWITCH_NONE] = "", [SWITCH_OVS] = "ovs", [SWITCH_EXEC] = "exec", NULL,
};

const struct conf_key switch_key[] = { KEY_ROW("switch", KEY_OBJECT, ANYWHERE), KEY_END };

const struct conf_key switch_keys[] = {
	{ "type", KEY_CHOICE, ANYWHERE, TO(kind), .choices = kind_choices },
	{ "bridge", KEY_TEXT, ANYWHERE, TO(bridge), .fits = name_is_ifname,
	  .must = "the name of a bridge" },
	{ "path", KEY_TEXT, AT_SOCKET, TO(path), .fits = is_program,
	  .must = "an absolute path of a program" },
	KEY_ROW("config", KEY_OTHER, AT_SOCKET),	/* the program's */
	{ "timeoutMs", KEY_INT, ANYWHERE, TO(timeout_ms), .min = 1, .max = 60000 },
	KEY_END
};

int switch_conf_bridge(const char *bridge, const char *key, struct switch_conf *ret, struct err *e)
{
	if (bridge && !*bridge)
		bridge = NULL;
	if (bridge && !name_is_ifname(bridge))
		return err_set(e, ERR_NETCONF, 0, "invalid %s '%.64s': must be the name of a "
			       "bridge", key, bridge);
	*ret = (struct switch_conf){
		.kind = SWITCH_OVS, .timeout_ms = SWITCH_OVS_MS, .bridge = bridge,
	};
	return 0;
}

/* What the type has to be told, and what is another's. */
static int check_members(const json_t *o, const struct switch_conf *c, struct err *e)
{
	static const struct {
		const char *type, *others[3];
	} types[] = {
		[SWITCH_NONE] = { NULL, { NULL } },
		[SWITCH_OVS] = { "ovs", { "path", "config" } },
		[SWITCH_EXEC] = { "exec", { "bridge" } },
	};
	const char *const *other = types[c->kind].others;

	for (; *other; other++)
		if (json_object_get(o, *other) && !json_is_null(json_object_get(o, *other)))
			return err_set(e, ERR_NETCONF, 0, "switch.%s: not with type %s", *other,
				       types[c->kind].type);
	if (c->kind == SWITCH_EXEC && !c->path)
		return err_set(e, ERR_NETCONF, 0, "switch.path: missing");
	return 0;
}

int switch_conf_parse(const json_t *doc, struct switch_conf *ret, struct err *e)
{
	struct switch_conf c = { .kind = SWITCH_NONE };
	json_t *o = NULL;
	int r = jx_object(doc, "", "switch", &o, e);

	if (r <= 0)
		return r;
	if (key_read(o, "switch", switch_keys, &c, e) < 0)
		return -1;
	if (!c.kind)
		return err_set(e, ERR_NETCONF, 0, "switch.type: missing: must be ovs or exec");
	if (check_members(o, &c, e) < 0)
		return -1;
	if (!c.timeout_ms)
		c.timeout_ms = c.kind == SWITCH_OVS ? SWITCH_OVS_MS : SWITCH_EXEC_MS;
	if (c.kind == SWITCH_EXEC && !json_is_null(json_object_get(o, "config")))
		c.config = json_object_get(o, "config");
	*ret = c;
	return 1;
}
