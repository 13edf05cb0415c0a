/* SPDX-License-Identifier: Apache-2.0 */
/* altname.c - alternative names of an interface: read them, add some, take some away */
#include "netlink/altname.h"

#include "netlink/link_name.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

static void take_property(const struct nlattr *attr, struct altnames *a)
{
	if (nl_attr_type(attr) != IFLA_ALT_IFNAME)
		return;
	if (a->n == ALTNAMES_MAX)
		a->more = true;
	else if (nl_get_text(attr, a->name[a->n], ALTNAME_SIZE) && *a->name[a->n])
		a->n++;
}

void altnames_parse(const struct nlattr *list, struct altnames *ret)
{
	struct nl_rest rest = list ? nl_nested(list) : (struct nl_rest){ 0 };
	struct altnames a = { 0 };
	const struct nlattr *attr;

	while ((attr = nl_next_attr(&rest)))
		take_property(attr, &a);
	*ret = a;
}

bool altnames_have(const struct altnames *a, const char *name)
{
	for (unsigned int i = 0; i < a->n; i++)
		if (strcmp(a->name[i], name) == 0)
			return true;
	return false;
}

void altnames_without(const struct altnames *a, const struct altnames *b, struct altnames *ret)
{
	struct altnames left = { .more = a->more };

	for (unsigned int i = 0; i < a->n; i++)
		if (!altnames_have(b, a->name[i]))
			memcpy(left.name[left.n++], a->name[i], ALTNAME_SIZE);
	*ret = left;
}

void altname_compose(struct nl_req *r, uint16_t type, int ifindex, const char *name)
{
	uint16_t flags = type == RTM_NEWLINKPROP ? NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND : 0;
	struct ifinfomsg *ifi = nl_req_init(r, type, flags, sizeof(*ifi));
	struct nlattr *list = nl_nest(r, IFLA_PROP_LIST);

	ifi->ifi_index = ifindex;
	nl_put(r, IFLA_ALT_IFNAME, name, strlen(name) + 1);
	nl_nest_end(r, list);
}

struct change {
	const struct altnames *names;
	int ifindex;
	uint16_t type;
	unsigned int refused;		/* which name */
};

static int on_refused(unsigned int index, void *arg, struct err *e)
{
	struct change *c = arg;

	if (c->type == RTM_DELLINKPROP && e->sys == ENOENT)
		return 0;
	c->refused = index;
	return -1;
}

static int wrap_change(struct nl *nl, const struct change *c, struct err *e)
{
	bool removing = c->type == RTM_DELLINKPROP;
	char called[LINK_CALLED];

	return err_wrap(e, "%s alternative name '%.64s' %s %s", removing ? "take" : "give",
			c->names->name[c->refused], removing ? "from" : "to",
			link_called(nl, c->ifindex, called));
}

static int change(struct nl *nl, struct change *c, struct err *e)
{
	struct nl_batch batch = { 0 };
	struct nl_req r;

	if (c->names->n == 0)
		return 0;
	for (unsigned int i = 0; i < c->names->n; i++) {
		altname_compose(&r, c->type, c->ifindex, c->names->name[i]);
		if (!nl_batch_add(&batch, &r))
			return err_set(e, ERR_NETLINK, EMSGSIZE, "alternative name '%.64s'",
				       c->names->name[i]);
	}
	return nl_batch_send(nl, &batch, on_refused, c, e) < 0 ? wrap_change(nl, c, e) : 0;
}

int altnames_add(struct nl *nl, int ifindex, const struct altnames *names, struct err *e)
{
	struct change c = { .names = names, .ifindex = ifindex, .type = RTM_NEWLINKPROP };

	return change(nl, &c, e);
}

int altnames_remove(struct nl *nl, int ifindex, const struct altnames *names, struct err *e)
{
	struct change c = { .names = names, .ifindex = ifindex, .type = RTM_DELLINKPROP };

	return change(nl, &c, e);
}
