/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_event.c - how devinfod is heard: messages that have come in one piece, and its end
 *
 * devinfod is played: it has a number of messages, all of which the client holds already, so its
 * descriptor is never ready.
 */
#include "daemon/publish/publish.h"

#include "manager/report/report.h"
#include "tests/unit/tap.h"

#include <sys/eventfd.h>
#include <unistd.h>

static struct {
	int fd, n_connects, n_messages, n_taken;
	bool ends;			/* behind the last message */
} played = { .fd = -1 };

struct report_client *__wrap_report_connect(const struct host *host, bool past,
					    const struct deadline *d, struct err *e);
struct report_client *__wrap_report_connect(const struct host *host, bool past,
					    const struct deadline *d, struct err *e)
{
	(void)host, (void)past, (void)d, (void)e;
	played.n_connects++;
	return (struct report_client *)(void *)&played;
}

int __wrap_report_fd(const struct report_client *c);
int __wrap_report_fd(const struct report_client *c)
{
	(void)c;
	return played.fd;
}

short __wrap_report_events(const struct report_client *c);
short __wrap_report_events(const struct report_client *c)
{
	(void)c;
	return POLLIN;
}

int __wrap_report_next(struct report_client *c, const struct deadline *d, struct report *ret,
		       struct err *e);
int __wrap_report_next(struct report_client *c, const struct deadline *d, struct report *ret,
		       struct err *e)
{
	(void)c, (void)d, (void)ret;
	if (played.n_taken < played.n_messages) {
		played.n_taken++;
		return 1;
	}
	return played.ends ? err_set(e, ERR_UNAVAILABLE, 0, "it has ended") : 0;
}

void __wrap_report_free(struct report_client *c);
void __wrap_report_free(struct report_client *c)
{
	(void)c;
}

/* Until *counter has this value, however busy the machine is, and then while more might come. */
static void turn_until(struct loop *l, const int *counter, int value)
{
	struct err e;
	int r = 0;

	for (int64_t end = loop_now() + 10000; r == 0 && *counter < value && loop_now() < end;)
		r = loop_turn(l, 10, &e);
	for (int i = 0; r == 0 && i < 5; i++)
		r = loop_turn(l, 10, &e);
	eqi(r, 0);
}

static void check(struct loop *l)
{
	const struct publishing p = { .loop = l, .node = "n1" };
	struct err e = { 0 };
	void *events = events_subject.begin(&p, &e);
	eventfd_t value;

	ok(events);
	test("messages that have come at once are all taken, however many they are");
	played.n_messages = 1000;
	turn_until(l, &played.n_taken, 1000);
	eqi(played.n_taken, 1000);
	eqi(played.n_connects, 1);

	test("when devinfod has ended it is asked again, behind the last of its messages");
	played.n_messages = 2000;
	played.ends = true;
	ok(eventfd_write(played.fd, 1) == 0);
	turn_until(l, &played.n_taken, 2000);
	eqi(played.n_taken, 2000);
	played.ends = false;
	ok(eventfd_read(played.fd, &value) == 0);
	turn_until(l, &played.n_connects, 2);
	ok(played.n_connects >= 2);
	events_subject.end(events);
}

int main(void)
{
	struct err e = { 0 };
	struct loop *l = loop_new(&e);

	played.fd = eventfd(0, EFD_CLOEXEC);
	test("there is a loop, and a descriptor that is never ready");
	ok(l && played.fd >= 0);
	if (l)
		check(l);
	loop_free(l);
	(void)close(played.fd);
	return tap_end();
}
