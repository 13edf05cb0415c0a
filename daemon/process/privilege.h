/* SPDX-License-Identifier: Apache-2.0 */
/* privilege.h - what a program of the node gives up for good at its start */
#ifndef DAEMON_PROCESS_PRIVILEGE_H
#define DAEMON_PROCESS_PRIVILEGE_H

#include "base/err.h"

#include <stdint.h>

/*
 * Keep these capabilities (base/capability.h) and no others, write no core file, get nothing by a
 * program that is executed, and make none of the system calls of SECCOMP_DAEMON.  Each of these is
 * done whatever becomes of the others, and logged where it cannot be: who may not do so has not
 * much to lose.  -1 when the capabilities stay: then nothing that others wrote may be read.
 */
int privilege_give_up(uint64_t kept, struct err *e) must_check;

#endif
