/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch.h - the other end of an attachment's socket: a port of Open vSwitch, or a program's work
 *
 * The room cni/switch/ makes the other end of a socket: it changes rows in the database of Open
 * vSwitch, or has a program of the administrator's do its work.  It makes and removes no file:
 * socket and directory are cni/socket/'s.  It is told the record and does not write it.  For the
 * port of a representor, cni/ovsport/ asks it by ovs_port.h.
 *
 * attach is undone by detach from any step, any number of times; all of them are bounded by the
 * time-out of the configuration, or its default where only the record is left.
 */
#ifndef CNI_SWITCH_H
#define CNI_SWITCH_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "cni/switch/switch_port.h"
#include "conf/socket_conf.h"
#include "devinfo/journal/record.h"
#include "devinfo/journal/socket_state.h"

/*
 * Looks only: the names of *state's switch side (kind, port, db, exec), for the record.
 * state->memif is set already: Open vSwitch has none.
 */
int switch_plan(const struct host *host, const struct switch_conf *conf, const struct owner *owner,
		struct socket_state *state, struct err *e) must_check;

/*
 * OVS makes the socket of an application that connects under a name of its own: its path, as this
 * host sees it; "" where the path is that of the record.  From its database: asks it.
 */
int switch_socket(const struct switch_port *p, char ret[108], struct err *e) must_check;

/*
 * ERR_DEVICE: the bridge is missing or of another kind, or the switch reports an error;
 * ERR_BUSY: the port's name is taken; ERR_TRY_AGAIN: the switch does not answer.
 */
int switch_attach(const struct switch_port *p, struct err *e) must_check;

/*
 * ERR_TRY_AGAIN while it cannot be said to be gone; a switch that is not there any more is fine, a
 * program that may not be run is an error.
 * Of OVS, owner and state are enough.
 */
int switch_detach(const struct switch_port *p, struct err *e) must_check;

/*
 * The same when there is no record, for what a configuration says of the switch (OVS); owner is all
 * that is known.
 */
int switch_forget(const struct host *host, const struct switch_conf *conf,
		  const struct owner *owner, struct err *e) must_check;

/* Tell each difference. */
int switch_check(const struct switch_port *p, switch_differs_fn *fn, void *arg, struct err *e)
	must_check;

/* Could it serve an ADD? */
int switch_probe(const struct host *host, const struct switch_conf *conf, const struct deadline *d,
		 struct err *e) must_check;

/* Remove what attachments of a network that nobody keeps have left in it (OVS). */
int switch_gc(const struct host *host, const struct switch_conf *conf, const char *network,
	      switch_keep_fn *keep, const void *arg, struct err *e) must_check;

#endif
