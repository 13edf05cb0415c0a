/* SPDX-License-Identifier: Apache-2.0 */
/* test_loop.c - descriptors, timers and signals of the daemon's loop */
#include "daemon/loop/loop.h"

#include "base/deadline.h"
#include "tests/unit/tap.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* What one function of a test is called with, and does. */
struct seen {
	struct loop *loop;
	struct loop_source *source, *other;
	struct loop_timer *timer, *next;
	int fd, calls;
	short revents;
	char *order;
	char letter;
};

static void loop_done(struct loop **l)
{
	loop_free(*l);
}
#define auto_loop auto_with(loop_done)

static void on_byte(short revents, void *arg)
{
	struct seen *s = arg;
	char c;

	s->revents = revents;
	s->calls += read(s->fd, &c, 1) == 1;
}

static void on_remove(short revents, void *arg)
{
	struct seen *s = arg;

	(void)revents;
	s->calls++;
	loop_remove(s->source);
	loop_remove(s->other);
}

static void on_time(void *arg)
{
	struct seen *s = arg;
	size_t n = s->order ? strlen(s->order) : 0;

	s->calls++;
	if (s->order)
		s->order[n] = s->letter;
	if (s->next)
		loop_timer_set(s->next, 1);
}

static void on_stop(void *arg)
{
	loop_stop(arg);
}

static void descriptors(void)
{
	struct err e = { 0 };
	auto_loop struct loop *l = loop_new(&e);
	int ends[2];

	ok(l && pipe(ends) == 0);

	test("a function is called for a descriptor that is ready, and not for one that is not");
	struct seen in = { .loop = l, .fd = ends[0] };
	in.source = loop_add(l, ends[0], POLLIN, on_byte, &in, &e);
	ok(in.source && loop_turn(l, 0, &e) == 0 && in.calls == 0);
	ok(write(ends[1], "ab", 2) == 2 && loop_turn(l, 1000, &e) == 0);
	ok(in.calls == 1 && in.revents == POLLIN);

	test("events can be changed");
	loop_change(in.source, 0);
	ok(loop_turn(l, 0, &e) == 0 && in.calls == 1);
	loop_change(in.source, POLLIN);
	ok(loop_turn(l, 0, &e) == 0 && in.calls == 2);

	test("the end of the other side is told without being asked for");
	loop_change(in.source, 0);
	(void)close(ends[1]);
	ok(loop_turn(l, 1000, &e) == 0 && (in.revents & POLLHUP));

	test("one that is removed is not called, and its descriptor stays open");
	loop_remove(in.source);
	ok(loop_turn(l, 0, &e) == 0 && in.calls == 2);
	ok(close(ends[0]) == 0);

	test("a descriptor that is none is an error");
	ok(!loop_add(l, -1, POLLIN, on_byte, &in, &e) && e.code == ERR_IO);
	loop_remove(NULL);
}

/* Both are ready in one turn; the one that is called first removes both. */
static void removal(void)
{
	struct err e = { 0 };
	auto_loop struct loop *l = loop_new(&e);
	int one[2], two[2];

	test("a function may remove its own source and one whose event has come already");
	ok(l && pipe(one) == 0 && pipe(two) == 0);
	struct seen a = { .fd = one[0] }, b = { .fd = two[0] };
	a.source = b.other = loop_add(l, one[0], POLLIN, on_remove, &a, &e);
	b.source = a.other = loop_add(l, two[0], POLLIN, on_remove, &b, &e);
	ok(write(one[1], "x", 1) == 1 && write(two[1], "x", 1) == 1);
	ok(loop_turn(l, 1000, &e) == 0 && a.calls + b.calls == 1);
	ok(loop_turn(l, 0, &e) == 0 && a.calls + b.calls == 1);
	for (int i = 0; i < 2; i++)
		ok(close(one[i]) == 0 && close(two[i]) == 0);
}

static void timers(void)
{
	struct err e = { 0 };
	auto_loop struct loop *l = loop_new(&e);
	char order[8] = "";
	struct seen a = { .order = order, .letter = 'a' }, b = { .order = order, .letter = 'b' };

	ok(l != NULL);
	a.timer = loop_timer_new(l, on_time, &a, &e);
	b.timer = loop_timer_new(l, on_time, &b, &e);
	ok(a.timer && b.timer);

	test("timers run out in the order of their times, each once");
	loop_timer_set(a.timer, 20);
	loop_timer_set(b.timer, 5);
	ok(loop_timer_is_set(a.timer));
	while (loop_timer_is_set(a.timer))
		ok(loop_turn(l, 1000, &e) == 0);
	eq(order, "ba");
	ok(loop_turn(l, 10, &e) == 0);
	eq(order, "ba");

	test("one that is set anew or stopped does not run out at its former time");
	int64_t start = loop_now();
	loop_timer_set(a.timer, 5);
	loop_timer_set(a.timer, 40);
	loop_timer_set(b.timer, 5);
	loop_timer_set(b.timer, 0);
	while (loop_timer_is_set(a.timer))
		ok(loop_turn(l, 1000, &e) == 0);
	ok(loop_now() - start >= 40);
	eq(order, "baa");

	test("one that sets itself again lets the loop go on");
	a.next = a.timer;
	loop_timer_set(a.timer, 1);
	ok(loop_turn(l, 1000, &e) == 0 && loop_turn(l, 1000, &e) == 0);
	ok(a.calls >= 3 && a.calls <= 4);

	test("one that is freed is not called");
	loop_timer_free(a.timer);
	int calls = a.calls;
	ok(loop_turn(l, 10, &e) == 0 && a.calls == calls);
	loop_timer_free(NULL);
}

static void signals(void)
{
	struct err e = { 0 };
	auto_loop struct loop *l = loop_new(&e);
	struct seen usr = { .calls = 0 }, hup = { .calls = 0 };

	test("a signal calls its own function, and interrupts nothing");
	ok(l && loop_catch(l, SIGUSR1, on_time, &usr, &e) == 0 &&
	   loop_catch(l, SIGHUP, on_time, &hup, &e) == 0);
	ok(raise(SIGUSR1) == 0 && usr.calls == 0);
	ok(loop_turn(l, 1000, &e) == 0 && usr.calls == 1 && hup.calls == 0);
	ok(raise(SIGHUP) == 0 && loop_turn(l, 1000, &e) == 0 && hup.calls == 1);

	test("the loop runs until it is stopped");
	ok(loop_catch(l, SIGTERM, on_stop, l, &e) == 0 && raise(SIGTERM) == 0);
	ok(loop_run(l, &e) == 0);
}

/* The signal comes before the wait, which the loop's blocking does not keep from it. */
static void on_wait(void *arg)
{
	struct deadline d = deadline_in(10000);
	int *signals = arg;

	*signals += 1;
	(void)raise(SIGTERM);
	deadline_sleep(&d, 10000);
}

static void interrupted(void)
{
	struct err e = { 0 };
	auto_loop struct loop *l = loop_new(&e);
	int waits = 0;
	int64_t start = loop_now();

	test("a signal that comes in a wait of one of its functions ends that, and the loop");
	deadline_catch_signals();
	ok(l && loop_catch(l, SIGTERM, on_stop, l, &e) == 0);
	struct loop_timer *wait = loop_timer_new(l, on_wait, &waits, &e);
	struct loop_timer *end = loop_timer_new(l, on_stop, l, &e);
	ok(wait && end);
	loop_timer_set(wait, 1);
	loop_timer_set(end, 3000);
	ok(loop_run(l, &e) == 0 && waits == 1 && loop_now() - start < 2000);
	test("and one that came before the loop began does not let it begin");
	start = loop_now();
	loop_timer_set(end, 3000);
	ok(loop_run(l, &e) == 0 && loop_now() - start < 2000);
	deadline_catch_signals();
}

int main(void)
{
	descriptors();
	removal();
	timers();
	signals();
	interrupted();
	return tap_end();
}
