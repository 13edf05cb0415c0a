/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_list.c - which Events are told of devices: one for many, none for what comes back */
#include "daemon/publish/event_list.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>

static struct report_device device(const char *id, bool healthy, const char *reason)
{
	return (struct report_device){ .resource = "e.com/vf", .id = id, .healthy = healthy,
				       .reason = reason, .since_ms = 7 };
}

static void take(json_t *devices, bool complete, struct report_device *list, size_t n)
{
	const struct report r = { .complete = complete, .devices = list, .n_devices = n };

	struct err e = { 0 };

	eqi(event_list_take(devices, &r, &e), 0);
}

/* The notes that are due, each with a '|' behind it; they are told then. */
static const char *due(json_t *devices)
{
	static char ret[4096];
	json_auto_t *list = event_list_due(devices);
	const json_t *entry;
	size_t i;

	*ret = '\0';
	json_array_foreach(list, i, entry) {
		(void)strcat(strcat(ret, json_string_value(json_object_get(entry, "note"))), "|");
		eqi(json_integer_value(json_object_get(entry, "since")), 7);
		event_list_told(devices, entry);
	}
	return ret;
}

static void test_changes(void)
{
	json_auto_t *devices = json_object();
	struct report_device list[] = { device("a", true, ""), device("b", true, "") };
	const char *gone[] = { "e.com/vf/a" };
	const struct report r = { .gone = gone, .n_gone = 1 };
	struct err e = { 0 };

	test("of devices that can be used nothing is told at first");
	take(devices, true, list, 2);
	eq(due(devices), "");
	test("those that fail for one reason are one Event, told once");
	list[0] = device("a", false, "its PF eth0 is down");
	list[1] = device("b", false, "its PF eth0 is down");
	take(devices, false, list, 2);
	eq(due(devices), "e.com/vf: 2 devices cannot be used, its PF eth0 is down: a, b|");
	eq(due(devices), "");
	test("another reason is told, and that it can be used again");
	list[0] = device("a", false, "it is tainted");
	list[1] = device("b", true, "");
	take(devices, false, list, 2);
	eq(due(devices), "e.com/vf: 1 device cannot be used, it is tainted: a|"
			 "e.com/vf: 1 device can be used again: b|");
	test("one that fails and comes back meanwhile is not told");
	list[0] = device("b", false, "x");
	take(devices, false, list, 1);
	list[0] = device("b", true, "");
	take(devices, false, list, 1);
	eq(due(devices), "");
	test("one that goes is known no more, nor is one that a complete list has not");
	eqi(event_list_take(devices, &r, &e), 0);
	eqi((long long)json_object_size(devices), 1);
	take(devices, true, list, 0);
	eqi((long long)json_object_size(devices), 0);
}

static void test_names(void)
{
	json_auto_t *devices = json_object();
	struct report_device one = device("a", false, "pod shop/web-0 was given it as e.com/other");

	test("a reason that names a pod is told on the node alone");
	one.reason_names = true;
	take(devices, true, &one, 1);
	eq(due(devices), "e.com/vf: 1 device cannot be used, who has it is told on the node, by "
			 "devinfoctl watch: a|");
}

static void test_bound(void)
{
	json_auto_t *devices = json_object();
	struct report_device one[1] = { device("", true, "") };
	const struct report r = { .devices = one, .n_devices = 1 };
	struct err e = { 0 };
	char id[16];

	test("of more devices than a node can have nothing is known");
	for (int i = 0; i < EVENT_DEVICES_MAX; i++) {
		(void)snprintf(id, sizeof(id), "%d", i);
		one[0].id = id;
		take(devices, false, one, 1);
	}
	one[0].id = "last";
	eqi(event_list_take(devices, &r, &e), -1);
	contains(e.msg, "more than 4096 devices");
}

static void test_many(void)
{
	json_auto_t *devices = json_object();
	char id[64];
	const char *note;

	for (int i = 0; i < 500; i++) {
		struct report_device d = device(id, false, "r");

		(void)snprintf(id, sizeof(id), "0000:01:%02x.%d", i / 8, i % 8);
		take(devices, false, &d, 1);
	}
	test("a note has its bounds, and says how many it does not name");
	note = due(devices);
	begins(note, "e.com/vf: 500 devices cannot be used, r: 0000:01:00.0, ");
	contains(note, " more|");
	ok(strlen(note) <= EVENT_NOTE_MAX);
}

int main(void)
{
	test_changes();
	test_names();
	test_bound();
	test_many();
	return tap_end();
}
