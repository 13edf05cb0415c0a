/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_netdev_attribute.c - each row of the attributes of an interface is whole, and walked
 *
 * The rows are taken one by one, whichever there are: what a row has to have is tested of it the
 * day that it is written.
 */
#include "base/mem.h"
#include "cni/netdev/netdev.h"
#include "conf/keys.h"
#include "tests/unit/tap.h"

#include <jansson.h>

#define each_row(a) \
	const struct netdev_attribute *a = netdev_attributes; \
	a < netdev_attributes + netdev_attributes_n; a++

/* Another value for each row, and for each of these. */
enum { BEFORE = 1, ASKED = 2, POD = 3 };

static uint8_t octet_of(const struct netdev_attribute *a, int which)
{
	return (uint8_t)(2 + 16 * which + 64 * (a - netdev_attributes));
}

static void fill(const struct netdev_attribute *a, void *s, struct netdev_member m, int which)
{
	uint8_t *octets = s;

	if (m.len)
		octets[m.len] = MAC_LEN;
	memset(octets + m.at, 0, m.len ? MAC_LEN : sizeof(uint32_t));
	octets[m.at] = octet_of(a, which);
}

static struct link link_with(int which)
{
	struct link l = { .ifindex = 7, .name = "net1" };

	for (each_row(a))
		fill(a, &l, a->now, which);
	return l;
}

/* A configuration that asks for this row, or, NULL, for all. */
struct asking {
	struct netconf nc;
	struct attachment a;
	struct netdev_wish w;
};

static void ask(const struct netdev_attribute *only, struct asking *ret)
{
	*ret = (struct asking){ .nc = { .mtu = -1 }, .a = { .mac = { 0 } } };
	ret->a.conf = &ret->nc;
	for (each_row(a)) {
		int64_t number = octet_of(a, ASKED);

		if (only && a != only)
			continue;
		if (a->wish)
			memcpy((char *)&ret->nc + a->wish, &number, sizeof(number));
		if (a->said)
			*((bool *)&ret->nc + a->said) = true;
		if (!a->wish) {
			ret->a.has_mac = true;
			ret->a.mac[0] = octet_of(a, ASKED);
		}
	}
	netdev_wish_of(&ret->a, &ret->w);
}

/* The record of an interface as it is before. */
static struct record record_of(bool chained)
{
	struct record rec = {
		.chained = chained, .device = "v0", .boot_id = "b", .devinfo_dir = "/d",
		.run_dir = "/r",
		.owner = { .network = "net", .container_id = "c", .ifname = "net1",
			   .netns = "/n" },
	};
	const struct link l = link_with(BEFORE);

	netdev_state_of(&l, &rec.netdev);
	return rec;
}

static bool is_marked(const struct record *rec, const struct netdev_attribute *a)
{
	return *((const bool *)rec + a->mark);
}

static bool holds(const struct netdev_state *s, const struct netdev_attribute *a, int which)
{
	return ((const uint8_t *)s)[a->before.at] == octet_of(a, which) &&
	       (!a->before.len || ((const uint8_t *)s)[a->before.len] == MAC_LEN);
}

static bool is_empty(const struct link_change *c)
{
	static const struct link_change none;

	return memcmp(c, &none, sizeof(none)) == 0;
}

static void rows(void)
{
	test("a row has all that a row has, and the key that asks for it is one of both places");
	for (each_row(a)) {
		const struct conf_key *k = key_find(IN_NETWORK, a->key);

		ok(a->key && a->now.at && a->before.at && a->mark && a->put);
		ok(k && k->places & AT_OWNER && k->places & AT_CHAINED);
		ok(a->wish ? k && k->offset == a->wish && k->size == sizeof(int64_t) &&
			     k->said == a->said :
			     a == netdev_attributes + NETDEV_MAC && a->alone);
	}
	test("no two of them have a member in common");
	for (each_row(a))
		for (const struct netdev_attribute *b = netdev_attributes; b < a; b++)
			ok(a->mark != b->mark && a->before.at != b->before.at &&
			   a->now.at != b->now.at && a->put != b->put && a->wish != b->wish);
}

/* A member without a row in the tables of devinfo/journal/record.c would be lost here. */
static void recorded(void)
{
	for (each_row(a)) {
		struct record rec = record_of(true), back = { 0 };
		struct err e = { 0 };

		*((bool *)&rec + a->mark) = true;
		back.doc = record_to_json(&rec);
		test("the state before and the mark of an attribute are in the file of the record");
		ok(record_from_json(&back, &e) == 0);
		ok(holds(&back.netdev, a, BEFORE));
		for (const struct netdev_attribute *b = netdev_attributes;
		     b < netdev_attributes + netdev_attributes_n; b++)
			ok(is_marked(&back, b) == (a == b));
		record_done(&back);
	}
}

static void chained(void)
{
	const struct link before = link_with(BEFORE), pod = link_with(POD);

	for (each_row(a)) {
		struct record rec = record_of(true);
		struct link_change c = { 0 }, same = { 0 };
		struct asking asked;

		ask(a, &asked);
		test("what is asked for of another's interface is marked, set and undone");
		netdev_mark(&asked.w, &before, &rec);
		for (const struct netdev_attribute *b = netdev_attributes;
		     b < netdev_attributes + netdev_attributes_n; b++)
			ok(is_marked(&rec, b) == (a == b));
		ok(netdev_is_marked(&rec) && netdev_ask(&asked.w, &rec, &c) && !is_empty(&c));
		c = (struct link_change){ 0 };
		ok(netdev_undo(&rec, &pod, &c) && !is_empty(&c));
		test("and not where it is so already");
		ok(!netdev_undo(&rec, &before, &same) && is_empty(&same));
		*((bool *)&rec + a->mark) = false;
		ok(!netdev_is_marked(&rec) && !netdev_ask(&asked.w, &rec, &same) &&
		   !netdev_undo(&rec, &pod, &same) && is_empty(&same));
	}
}

static void owner(void)
{
	const struct link before = link_with(BEFORE), pod = link_with(POD);

	for (each_row(a)) {
		const struct record rec = record_of(false);
		struct link_change c = { 0 }, back = { 0 };
		char text[NETDEV_WISH_TEXT], want[64];
		struct asking asked;

		ask(a, &asked);
		test("of an interface of ours what is asked for is set, but for what goes alone");
		ok(netdev_ask(&asked.w, &rec, &c) == !a->alone && is_empty(&c) == a->alone);
		(void)snprintf(want, sizeof(want), "%s %u", a->key, octet_of(a, ASKED));
		eq(netdev_ask_text(&asked.w, &rec, text), a->alone ? "" : want);
		test("and undone, whoever has set it");
		ok(netdev_undo(&rec, &pod, &back) && !is_empty(&back));
		back = (struct link_change){ 0 };
		ok(!netdev_undo(&rec, &before, &back) && is_empty(&back));
	}
}

static void refused(void)
{
	for (each_row(a)) {
		struct err e = { 0 };
		struct asking asked;
		char want[96];

		ask(a, &asked);
		test("what only a network device has is refused of a function without one");
		ok(netdev_refuse_wish(&asked.nc, "0000:01:10.0", "vfio-pci", &e) ==
		   (a->of_vf ? 0 : -1));
		(void)snprintf(want, sizeof(want), "%s: 0000:01:10.0 is bound to vfio-pci and has "
			       "no network device", a->key);
		eq(e.msg, a->of_vf ? "" : want);
	}
}

/* What differs of an interface as it is, with this result of the chain; of all rows. */
static const char *compared(struct asking *asked, int which, json_t *intf)
{
	static const struct cni_call call = { .container_id = "c", .ifname = "net1" };
	static struct err e;
	struct check c = {
		.call = &call, .conf = &asked->nc, .mac = asked->a.has_mac ? asked->a.mac : NULL,
		.netdev = link_with(which), .interface = intf, .made_by = "ADD",
	};

	e = (struct err){ 0 };
	netdev_compare(&c);
	return err_joined(&c.all, &e) < 0 ? e.details : "";
}

static void checked(void)
{
	struct asking none = { .nc = { .mtu = -1 } };

	test("CHECK has nothing to say of what nobody asks for");
	eq(compared(&none, POD, NULL), "");
	for (each_row(a)) {
		json_auto_t *intf = json_object();
		struct record rec = record_of(true);
		struct asking asked;

		ask(a, &asked);
		test("CHECK tells what is not as it is asked for, by its key");
		eq(compared(&asked, ASKED, NULL), "");
		ok(strstr(compared(&asked, POD, NULL), a->key) != NULL);
		ok(strstr(compared(&asked, POD, NULL), ": expected ") != NULL);
		test("the result tells what was set, as far as its version has it");
		*((bool *)&rec + a->mark) = true;
		netdev_tell(&asked.w, &rec, CNI_1_1_0, intf);
		ok(json_object_size(intf) == (a->in_result ? 1 : 0));
		test("and CHECK goes by that, whatever is asked for");
		ok((*compared(&none, POD, intf) != '\0') == (a->in_result != 0));
		eq(compared(&none, ASKED, intf), "");
		*((bool *)&rec + a->mark) = false;
		(void)json_object_clear(intf);
		netdev_tell(&asked.w, &rec, CNI_1_1_0, intf);
		ok(json_object_size(intf) == 0);
		*((bool *)&rec + a->mark) = true;
		netdev_tell(&asked.w, &rec, CNI_1_0_0, intf);
		ok(json_object_size(intf) ==
		   (a->in_result && a->in_result <= NETDEV_SINCE(CNI_1_0_0) ? 1 : 0));
	}
}

static void together(void)
{
	const struct link before = link_with(BEFORE);
	struct record rec = record_of(true);
	json_auto_t *intf = json_object();
	struct link_change c = { 0 };
	struct asking asked;

	ask(NULL, &asked);
	test("all of them are one request");
	netdev_mark(&asked.w, &before, &rec);
	ok(netdev_ask(&asked.w, &rec, &c));
	ok(c.mac && c.mac_len == MAC_LEN && c.mtu == octet_of(netdev_attributes + 1, ASKED));
	test("an MTU of zero is none, to ask for or to restore");
	asked.nc.mtu = 0;
	netdev_wish_of(&asked.a, &asked.w);
	ok(asked.w.value[1].len == 0);
	rec.netdev.mtu = 0;
	rec.mac_set = false;
	c = (struct link_change){ 0 };
	ok(rec.mtu_set && !c.mtu);
	(void)netdev_undo(&rec, &before, &c);
	ok(!c.mtu);
	test("a queue of zero packets is a length, to ask for and to restore");
	asked.nc.txqlen = rec.netdev.txqlen = 0;
	netdev_wish_of(&asked.a, &asked.w);
	ok(netdev_ask(&asked.w, &rec, &c) == false);
	rec.netdev.txqlen = 1;
	ok(netdev_ask(&asked.w, &rec, &c) && c.txqlen && *c.txqlen == 0);
	rec.netdev.txqlen = 0;
	ok(netdev_undo(&rec, &before, &c) && c.txqlen == &rec.netdev.txqlen);
	test("a MAC that the result has and nobody can read is compared with nothing");
	ok(strstr(compared(&asked, POD, NULL), "mac") != NULL);
	(void)json_object_set_new(intf, "mac", json_string("worse"));
	ok(strstr(compared(&asked, POD, intf), "mac") == NULL);
}

int main(void)
{
	rows();
	recorded();
	chained();
	owner();
	refused();
	checked();
	together();
	return tap_end();
}
