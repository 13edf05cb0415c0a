/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.h - the life of one attachment, from ADD's side
 *
 * The room cni/attach/ decides what is done in which order: it chooses the device, asks the aspects
 * one after the other, writes the record before the first change, and has the one undo (release.h).
 * It may touch all that an attachment is made of.  It prints nothing.
 *
 * Theory of operation.  attach_add() is a table of steps in two parts, one table for
 * each place in a chain (conf/netconf.h).  The first part (probe.c, chained.c) finds
 * out device, owner, device-info, original state and names; it refuses whatever is
 * wrong there, with nothing changed.  Then the record is written, and the second part
 * changes things.  A failure in the second part is undone by the very code that serves
 * DEL (release.h), from the record; there is no undo list that could disagree with it.
 */
#ifndef CNI_ATTACH_H
#define CNI_ATTACH_H

#include "cni/aspect/attachment.h"

/* Do all of an ADD but the printing; a->answer is what to print.  A failure is undone already. */
int attach_add(struct attachment *a, struct err *e) must_check;

/* Take a successful ADD back, whose result could not be delivered. */
void attach_undo(struct attachment *a, struct err *e);

void attach_done(struct attachment *a);

#define auto_attachment auto_with(attach_done)

#endif
