/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.h - system calls that this process makes no more
 *
 * Theory of operation.  A filter of seccomp(2) answers EPERM to system calls that nothing of ours
 * makes from now on, so that who has got hold of the process cannot make them either.  It lists
 * what is refused and not what is allowed: a C library may make any other call tomorrow.  It is
 * about what the capabilities that stay would still allow (to mount, to look into other processes)
 * and what needs none (to execute a program).  A call by another ABI of the processor's, i386's or
 * x32's, is refused whichever it is.  Nobody can take a filter off again, and children have it,
 * too.
 *
 * A filter costs 150 to 200 us, to install it and to take it down at the end; later calls that are
 * always allowed are known to the kernel without it (Linux 5.11).
 *
 * A program that runs for months (SECCOMP_DAEMON) needs less than a call does.  It makes no
 * namespaces, neither by unshare(2) nor for a child: clone(2) is refused with any of its flags for
 * that, and clone3(2), whose flags no filter can read, is as in a kernel that has none, where the C
 * library takes clone(2).
 */
#ifndef BASE_SECCOMP_H
#define BASE_SECCOMP_H

#include "base/err.h"

enum seccomp_who {
	SECCOMP_MOUNTING,		/* a call that still has to mount: all but mount, unshare */
	SECCOMP_CALL,			/* any other call: these, too */
	SECCOMP_DAEMON,			/* and those, and bpf(2), modules, other kernels... */
};

/* Refuse them: 1, 0 when the kernel has no filters, -1 when this process may not have one. */
int seccomp_refuse(enum seccomp_who who, struct err *e) must_check;

#endif
