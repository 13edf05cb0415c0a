/* SPDX-License-Identifier: Apache-2.0 */
/* event_list.h - which Events are to be told of devices */
#ifndef DAEMON_PUBLISH_EVENT_LIST_H
#define DAEMON_PUBLISH_EVENT_LIST_H

#include "manager/report/report.h"

#include <jansson.h>

enum {
	EVENT_NOTE_MAX = 1000,		/* bytes of a note: the API allows 1024 */
	EVENT_DEVICES_MAX = 4096,
};

/*
 * Take a message of devinfod into what is known of devices, by "RESOURCE/ID":
 *
 *	{"resource", "id", "healthy", "reason", "since", "told"}
 *
 * "told" is what an Event has said last, "" at first and for a device that can be used.  0, or -1
 * with ERR_LIMITED: of those beyond EVENT_DEVICES_MAX nothing is known.
 */
int event_list_take(json_t *devices, const struct report *r, struct err *e) must_check;

/*
 * Those that are not as was told, as a new list: an entry for all of one resource and one reason,
 *
 *	{"healthy", "note", "say", "since", "devices": ["RESOURCE/ID"]}
 *
 * "say" being what is told then.
 */
json_t *event_list_due(json_t *devices);

/* Note that an entry of that list is told. */
void event_list_told(json_t *devices, const json_t *entry);

#endif
