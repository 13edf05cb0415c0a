/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_list.h - a sandbox's list of entries of network-status
 *
 * Which entries are of an attachment: that of its own interface, and those that are marked as
 * other interfaces of it (STATUS_OF).
 */
#ifndef CNI_CALL_STATUS_LIST_H
#define CNI_CALL_STATUS_LIST_H

#include "devinfo/journal/record.h"

#include <jansson.h>
#include <stdbool.h>

/* The entry's network, without the namespace before it; NULL: none is told.  Borrowed. */
const char *status_list_network(const json_t *entry);
bool status_list_is_of_network(const json_t *entry, const char *network);

/* The interface of the attachment that an entry is of; NULL: none is told.  Borrowed. */
const char *status_list_attachment(const json_t *entry);

/* Is it of another interface than its attachment's own? */
bool status_list_is_other(const json_t *entry);

/* Where the entry of the owner's own interface is in the list, or its size. */
size_t status_list_place(const json_t *list, const struct owner *o);

/* Remove all of the owner's; return how many. */
int status_list_take_out(json_t *list, const struct owner *o);

/*
 * Add an attachment's entries.  Readers take the last entry of an interface: whose own it is has
 * it, else who was first.
 */
void status_list_put_in(json_t *list, const json_t *entries);

/* Put them into the order of their attachments' interfaces, an array; the rest comes last. */
void status_list_order(json_t *list, const json_t *ifnames);

#endif
