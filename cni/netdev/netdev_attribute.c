/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_attribute.c - the attributes of an interface that an ADD may set: table and walks */
#include "cni/netdev/netdev_attribute.h"

#include "base/mem.h"
#include "cni/netdev/netdev_ipoib.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* -- the table -- */

static uint32_t number_of(struct netdev_value v)
{
	uint32_t ret;

	memcpy(&ret, v.at, sizeof(ret));
	return ret;
}

static bool put_mac(struct link_change *c, struct netdev_value v)
{
	c->mac = v.at;
	c->mac_len = v.len;
	return true;
}

static bool put_mtu(struct link_change *c, struct netdev_value v)
{
	c->mtu = number_of(v);
	return c->mtu > 0;
}

static bool put_txqlen(struct link_change *c, struct netdev_value v)
{
	c->txqlen = v.at;
	return true;
}

/* A row that leaves a place out, or has a member of another type there, does not compile. */
#define MEMBER(type, s, member) \
	(offsetof(s, member) + 0 * sizeof(_Generic(((s *)NULL)->member, type: 0)))

#define ROW(name, in_link, in_state, marked, put_into)                  \
	.key = (name), .now = in_link, .before = in_state,              \
	.mark = MEMBER(bool, struct record, marked), .put = (put_into)

#define NUMBER(name, of_netconf, of_link, of_state, marked, put_into)   \
	ROW(name, { .at = MEMBER(uint32_t, struct link, of_link) },     \
	    { .at = MEMBER(uint32_t, struct netdev_state, of_state) },  \
	    marked, put_into),                                          \
	.wish = MEMBER(int64_t, struct netconf, of_netconf)

#define OCTETS(s, member, count) { offsetof(s, member), MEMBER(uint8_t, s, count) }

const struct netdev_attribute netdev_attributes[] = {
	[NETDEV_MAC] = { ROW("mac", OCTETS(struct link, addr, addr_len),
			     OCTETS(struct netdev_state, addr, addr_len), mac_set, put_mac),
			 .in_result = NETDEV_SINCE(CNI_0_1_0), .alone = true, .of_vf = true },
	{ NUMBER("mtu", mtu, mtu, mtu, mtu_set, put_mtu),
	  .in_result = NETDEV_SINCE(CNI_1_1_0), .with_mode = true },
	{ NUMBER("txQueueLen", txqlen, txqlen, txqlen, txqlen_set, put_txqlen),
	  .said = MEMBER(bool, struct netconf, txqlen_said) },
};
const size_t netdev_attributes_n = ARRAY_SIZE(netdev_attributes);

static_assert(ARRAY_SIZE(netdev_attributes) <= NETDEV_ATTRIBUTES_MAX, "no room in a wish");

#define each_attribute(a) \
	const struct netdev_attribute *a = netdev_attributes; \
	a < netdev_attributes + ARRAY_SIZE(netdev_attributes); a++

/* -- values -- */

static struct netdev_value value_at(const void *s, struct netdev_member p)
{
	const uint8_t *octets = s;

	return (struct netdev_value){ octets + p.at, p.len ? octets[p.len] : sizeof(uint32_t) };
}

static struct netdev_value wished(const struct netdev_wish *w, const struct netdev_attribute *a)
{
	size_t i = (size_t)(a - netdev_attributes);

	return (struct netdev_value){ w->value[i].octets, w->value[i].len };
}

static bool same(struct netdev_value a, struct netdev_value b)
{
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static const char *format(struct netdev_value v, char ret[MAC_TEXT])
{
	if (v.len == MAC_LEN)
		return mac_format(v.at, ret);
	(void)snprintf(ret, MAC_TEXT, "%u", number_of(v));
	return ret;
}

static bool flag_at(const void *s, size_t at)
{
	return *((const bool *)s + at);
}

/* -- what is asked for -- */

static void wish_number(struct netdev_wish *w, const struct netdev_attribute *a, int64_t number,
			bool said)
{
	size_t i = (size_t)(a - netdev_attributes);

	w->value[i].len = said ? sizeof(w->value[i].number) : 0;
	w->value[i].number = (uint32_t)number;
}

static void wish_mac(struct netdev_wish *w, const uint8_t *mac)
{
	w->value[NETDEV_MAC].len = mac ? MAC_LEN : 0;
	if (mac)
		memcpy(w->value[NETDEV_MAC].octets, mac, MAC_LEN);
}

/* mac: the one that somebody wants; NULL: nobody does. */
static void wish_of(const struct netconf *nc, const uint8_t *mac, struct netdev_wish *ret)
{
	*ret = (struct netdev_wish){ 0 };
	for (each_attribute(a)) {
		int64_t number;

		if (!a->wish)
			continue;
		memcpy(&number, (const char *)nc + a->wish, sizeof(number));
		wish_number(ret, a, number, a->said ? flag_at(nc, a->said) : number > 0);
	}
	wish_mac(ret, mac);
}

void netdev_wish_of(const struct attachment *a, struct netdev_wish *ret)
{
	wish_of(a->conf, a->has_mac ? a->mac : NULL, ret);
}

int netdev_refuse_wish(const struct netconf *nc, const char *device, const char *driver,
		       struct err *e)
{
	struct netdev_wish w;

	wish_of(nc, NULL, &w);
	for (each_attribute(a))
		if (!a->of_vf && wished(&w, a).len)
			return err_set(e, ERR_NETCONF, 0,
				       "%s: %s is bound to %s and has no network device", a->key,
				       device, driver);
	return 0;
}

/* -- what was before, and what is set -- */

void netdev_note(const struct link *link, struct netdev_state *ret)
{
	for (each_attribute(a)) {
		struct netdev_value v = value_at(link, a->now);

		memcpy((uint8_t *)ret + a->before.at, v.at, v.len);
		if (a->before.len)
			*((uint8_t *)ret + a->before.len) = (uint8_t)v.len;
	}
}

void netdev_mark(const struct netdev_wish *w, const struct link *now, struct record *rec)
{
	for (each_attribute(a))
		*((bool *)rec + a->mark) = wished(w, a).len &&
					   !same(wished(w, a), value_at(now, a->now));
}

bool netdev_is_marked(const struct record *rec)
{
	for (each_attribute(a))
		if (flag_at(rec, a->mark))
			return true;
	return false;
}

static bool is_to_set(const struct netdev_attribute *a, const struct netdev_wish *w,
		      const struct record *rec)
{
	if (rec->chained ? !flag_at(rec, a->mark) : a->alone)
		return false;
	return wished(w, a).len && !same(wished(w, a), value_at(&rec->netdev, a->before));
}

bool netdev_ask(const struct netdev_wish *w, const struct record *rec, struct link_change *ret)
{
	bool any = false;

	for (each_attribute(a))
		if (is_to_set(a, w, rec))
			any |= a->put(ret, wished(w, a));
	return any;
}

const char *netdev_ask_text(const struct netdev_wish *w, const struct record *rec,
			    char ret[NETDEV_WISH_TEXT])
{
	char text[MAC_TEXT];
	size_t len = 0;

	*ret = '\0';
	for (each_attribute(a))
		if (is_to_set(a, w, rec) && len < NETDEV_WISH_TEXT)
			len += (size_t)snprintf(ret + len, NETDEV_WISH_TEXT - len, "%s%s %s",
						len ? ", " : "", a->key,
						format(wished(w, a), text));
	return ret;
}

static bool is_to_undo(const struct netdev_attribute *a, const struct record *rec,
		       const struct link *now)
{
	struct netdev_value was = value_at(&rec->netdev, a->before);

	if (rec->chained ? !flag_at(rec, a->mark) :
			   a->alone || (a->with_mode && now->addr_len == IPOIB_ADDR_LEN))
		return false;
	return was.len && !same(was, value_at(now, a->now));
}

bool netdev_undo(const struct record *rec, const struct link *now, struct link_change *ret)
{
	bool any = false;

	for (each_attribute(a))
		if (is_to_undo(a, rec, now))
			any |= a->put(ret, value_at(&rec->netdev, a->before));
	return any;
}

/* -- what others are told, and have said -- */

static void take_said(struct netdev_wish *w, const struct netdev_attribute *a, const json_t *said)
{
	uint8_t mac[MAC_LEN];

	if (a->wish && json_is_integer(said))
		wish_number(w, a, json_integer_value(said),
			    json_integer_value(said) > 0 || a->said);
	else if (!a->wish && json_is_string(said))
		wish_mac(w, mac_parse(json_string_value(said), mac) ? mac : NULL);
}

void netdev_compare(struct check *c)
{
	char expected[MAC_TEXT], got[MAC_TEXT];
	struct netdev_wish w;

	wish_of(c->conf, c->mac, &w);
	for (each_attribute(a)) {
		struct netdev_value now = value_at(&c->netdev, a->now);

		if (a->in_result)
			take_said(&w, a, json_object_get(c->interface, a->key));
		if (wished(&w, a).len == now.len && !same(wished(&w, a), now))
			check_differs(c, "%s: expected %s, got %s", a->key,
				      format(wished(&w, a), expected), format(now, got));
	}
}

void netdev_tell(const struct netdev_wish *w, const struct record *rec, enum cni_version version,
		 json_t *intf)
{
	char text[MAC_TEXT];

	for (each_attribute(a)) {
		struct netdev_value v = wished(w, a);

		if (a->in_result && NETDEV_SINCE(version) >= a->in_result && flag_at(rec, a->mark))
			(void)json_object_set_new(intf, a->key,
						  a->wish ? json_integer(number_of(v)) :
							    json_string(format(v, text)));
	}
}
