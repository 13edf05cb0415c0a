/* SPDX-License-Identifier: Apache-2.0 */
/* test_told.c - what has changed between two looks, since when, and what is remembered of it */
#include "daemon/report/told.h"

#include "tests/unit/daemon/report/offered.h"
#include "tests/unit/tap.h"

static struct scene s;
static struct told told;
static struct told_news news;

static const struct report *look(int64_t now)
{
	struct err e = { 0 };

	told_news_done(&news);
	ok(told_update(&told, &s.inv, &s.offers, now, &news, &e) == 0);
	return &news.report;
}

static const struct report *all(bool past)
{
	struct err e = { 0 };

	told_news_done(&news);
	ok(told_all(&told, past, 99, &news, &e) == 0);
	return &news.report;
}

static void open_scene(void)
{
	told_news_done(&news);
	told_done(&told);
	offered_open(&s);
}

/* "id@since=reason,pod/container/interface/network; ..." */
static const char *text_of(const struct report *r)
{
	static char text[1024];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < r->n_devices && n < 900; i++) {
		const struct report_device *d = &r->devices[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s/%s@%d%s", n ? "; " : "",
				      d->resource, d->id, (int)d->since_ms,
				      d->healthy ? "" : "!");
		if (*d->reason)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "=%s", d->reason);
		if (*d->pod_name)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s/%s(%s),%s,%s,%s",
					      d->pod_namespace, d->pod_name, d->pod_uid,
					      d->container, d->interface, d->network);
	}
	for (size_t i = 0; i < r->n_gone && n < 900; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s-%s", n ? "; " : "",
				      r->gone[i]);
	return text;
}

static void test_first(void)
{
	const struct report *r;

	open_scene();
	test("nothing is known before the first look, and of that nothing is a change");
	ok(!told.begun);
	(void)offered_add(&s, "0000:01:10.1");
	(void)offered_add(&s, "0000:01:10.0");
	eq(text_of(look(5)), "");
	ok(told.begun);
	r = all(true);
	ok(r->complete && r->n_past == 0 && r->at_ms == 99);
	eq(text_of(r), "a.b/vf/0000:01:10.0@5; a.b/vf/0000:01:10.1@5");

	test("the same look again changes nothing, and since is kept");
	eq(text_of(look(6)), "");
	eq(text_of(all(false)), "a.b/vf/0000:01:10.0@5; a.b/vf/0000:01:10.1@5");

	test("a node without devices is a list, too");
	open_scene();
	eq(text_of(look(1)), "");
	ok(told.begun && all(false)->complete);
}

static void test_changes(void)
{
	struct offered *o;

	open_scene();
	o = offered_add(&s, "d0");
	(void)offered_add(&s, "d1");
	(void)look(1);

	test("one that gets ill is told, with its reason, and the other one is not");
	offered_break(o, "it has no driver");
	ok(!look(2)->complete && news.report.at_ms == 2);
	eq(text_of(&news.report), "a.b/vf/d0@2!=it has no driver");
	test("another reason is another time");
	offered_break(o, "its PF has no carrier");
	eq(text_of(look(3)), "a.b/vf/d0@3!=its PF has no carrier");
	eq(text_of(look(4)), "");
	test("and it gets well");
	offered_break(o, "");
	eq(text_of(look(5)), "a.b/vf/d0@5");

	test("one that comes and one that goes are told, in one report");
	memmove(&s.devices[0], &s.devices[1], sizeof(s.devices[0]));
	s.offer.n--;
	(void)offered_add(&s, "d2");
	eq(text_of(look(6)), "a.b/vf/d2@6; -a.b/vf/d0");

	test("a device of another resource is another one");
	(void)snprintf(s.offer.resource, sizeof(s.offer.resource), "a.b/x");
	eq(text_of(look(7)), "a.b/x/d1@7; a.b/x/d2@7; -a.b/vf/d1; -a.b/vf/d2");

	test("the list that ends is gone as a whole");
	s.offers.n = 0;
	eq(text_of(look(8)), "-a.b/x/d1; -a.b/x/d2");
	eq(text_of(all(false)), "");
}

static void test_holders(void)
{
	struct offered *o;

	open_scene();
	o = offered_add(&s, "d0");
	(void)look(1);

	test("what kubelet gave has its pod and container");
	o->allocation = 0;
	o->given = true;
	eq(text_of(look(2)), "a.b/vf/d0@2 ns/p(),c,,");
	test("with the attachment come interface, network and the pod's uid");
	o->attachment = 0;
	eq(text_of(look(3)), "a.b/vf/d0@3 ns/p(u-1),c,net1,lab");
	test("who is held for longer keeps its time");
	eq(text_of(look(4)), "");
	test("the attachment's pod counts where kubelet's is another one");
	(void)snprintf(s.allocation.pod_name, sizeof(s.allocation.pod_name), "old");
	eq(text_of(look(5)), "a.b/vf/d0@5 ns/p(u-1),,net1,lab");

	test("a kubelet that does not answer takes no pod's name away");
	(void)snprintf(s.allocation.pod_name, sizeof(s.allocation.pod_name), "p");
	o->attachment = INV_NONE;
	(void)look(6);
	o->allocation = INV_NONE;
	eq(text_of(look(7)), "");
	eq(text_of(all(false)), "a.b/vf/d0@6 ns/p(),c,,");
	test("but when it says that nobody has it, nobody has");
	o->given = false;
	eq(text_of(look(8)), "a.b/vf/d0@8");
}

static void test_past(void)
{
	const struct report *r;
	struct offered *o;

	open_scene();
	o = offered_add(&s, "d0");
	(void)look(1);
	offered_break(o, "why");
	(void)look(2);
	s.offer.n = 0;
	(void)look(3);
	test("changes are remembered, the gone with what it was");
	r = all(true);
	eqi((long long)r->n_past, 2);
	ok(r->past[0].at_ms == 2 && !r->past[0].gone);
	eq(r->past[0].device.reason, "why");
	ok(r->past[1].at_ms == 3 && r->past[1].gone);
	eq(r->past[1].device.id, "d0");
	eq(r->past[1].device.reason, "why");
	ok(r->n_devices == 0);
	test("who does not ask for them gets none");
	eqi((long long)all(false)->n_past, 0);

	test("of more than can be kept the last ones are");
	s.offer.n = 1;
	for (int i = 0; i < TOLD_PAST + 10; i++) {
		offered_break(&s.devices[0], i % 2 ? "odd" : "even");
		(void)look(10 + i);
	}
	r = all(true);
	eqi((long long)r->n_past, TOLD_PAST);
	ok(r->past[0].at_ms == 20 && r->past[TOLD_PAST - 1].at_ms == 10 + TOLD_PAST + 9);
}

static void test_many(void)
{
	open_scene();
	for (int i = 0; i < OFFERED_MAX; i++) {
		char id[16];

		(void)snprintf(id, sizeof(id), "d%d", i);
		(void)offered_add(&s, id);
	}
	(void)look(1);
	test("more than are remembered may change at once");
	for (int i = 0; i < OFFERED_MAX; i++)
		offered_break(&s.devices[i], "all");
	eqi((long long)look(2)->n_devices, OFFERED_MAX);
	s.offer.n = 0;
	eqi((long long)look(3)->n_gone, OFFERED_MAX);
	eqi((long long)all(true)->n_past, TOLD_PAST);
}

int main(void)
{
	test_first();
	test_changes();
	test_holders();
	test_past();
	test_many();
	told_news_done(&news);
	told_done(&told);
	return tap_end();
}
