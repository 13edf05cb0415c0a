/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.h - a call that will run no other program gives up what only such a program could need
 *
 * Theory of operation.  Plugins that we run may need anything that root has, and they inherit what
 * we are.  So a call is confined from the moment on at which it is known that it runs none, which
 * only its own configuration, or its record, tells: an ADD cleans up after dead owners whose
 * records may name plugins, and is confined behind that, before its own first change; a DEL when
 * its record has been found; a CHECK likewise; a STATUS at its start.  GC and devinfoctl release
 * what others have left, whatever plugins that names, and are not confined.
 *
 * What is given up: permitted capabilities (base/capability.h); by ADD and DEL of a device changes
 * of files outside our directories and sysfs, programs, mounts and other processes, by Landlock
 * (base/landlock.h); by all others, and where there is no Landlock, the system calls for that
 * (base/seccomp.h).  Not both: a filter costs three times as much, and adds little.  What an aspect
 * still needs for a moment it says itself (struct aspect_needs).  Landlock stays away where its
 * side effects would be in the way: of an aspect that mounts, of a network namespace that is named
 * below /proc, of a path, whose directories are those of other attachments as well, and of a record
 * in an earlier stateDir.
 *
 * What a kernel cannot do is left out; what it refuses is told in the log.  Nothing here fails a
 * call.
 */
#ifndef CNI_ATTACH_CONFINE_H
#define CNI_ATTACH_CONFINE_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/attachment.h"
#include "conf/netconf.h"
#include "devinfo/journal/record.h"

#include <stdbool.h>

/* A step of ADD: from here on to its end, its roll-back included.  Always 0. */
int confine_add(struct attachment *a, struct err *e) must_check;

/* DEL, from here on, when it releases no other record than this one. */
void confine_release(const struct host *host, const struct record *rec);

/* CHECK of this record, or STATUS (NULL). */
void confine_look(const struct netconf *conf, const struct record *rec);

#endif
