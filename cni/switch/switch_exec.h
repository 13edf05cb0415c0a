/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch_exec.h - a program of the administrator's that makes the switch's side of a socket
 *
 * Only one that the node's own file lists is run: who may write a configuration need not be who may
 * choose what root runs.  What is executed is the descriptor that was checked, so that a script's
 * $0 is not its path.
 *
 * It is run with one JSON object on its stdin and our environment (CNI_COMMAND being the verb that
 * it serves, CNI_CONTAINERID, CNI_NETNS and CNI_IFNAME the attachment's).  It succeeds by its exit
 * status, and may explain a failure by an error object like a plugin's, {"code", "msg", "details"},
 * or on its stderr.  del has to succeed for what is not there, or only half, for it comes after any
 * failure, and again.
 */
#ifndef CNI_SWITCH_EXEC_H
#define CNI_SWITCH_EXEC_H

#include "cni/switch/switch_port.h"

/*
 * Run it for a command, "add", "del" or "check".  ERR_TRY_AGAIN when it takes too long, it is then
 * dead, and when it cannot be executed just now.  Only a del of a file that is not there succeeds
 * without it, with a warning: whatever else keeps it from being run may pass, or be mended.
 */
int switch_exec(const struct switch_port *p, const char *command, struct err *e) must_check;

/*
 * May it be run?  It has to be listed, and a regular file that root owns and nobody else may write,
 * as are all directories above it, without links: ERR_NETCONF when not, with ENOENT in e->sys when
 * there is none.
 */
int switch_exec_check(const struct host *host, const char *path, struct err *e) must_check;

#endif
