/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch.h - the other end of an attachment's socket: a port of Open vSwitch, or a program's work
 *
 * The room cni/switch/ makes the other end of a socket: it changes rows in the database of Open
 * vSwitch, or has a program of the administrator's do its work.  It makes and removes no file:
 * socket and directory are cni/socket/'s.  It reads the record and does not write it.  cni/ovsport/
 * uses it for a representor's port, by ovs_port.h.
 *
 * detach undoes attach from any step, any number of times; all of them are limited by the time-out
 * of the configuration, or its default if only the record is left.
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
 * Fill in *state's switch side (kind, port, db, exec) for the record; changes nothing.
 * state->memif is set already: Open vSwitch does not support memif.
 */
int switch_plan(const struct host *host, const struct switch_conf *conf, const struct owner *owner,
		struct socket_state *state, struct err *e) must_check;

/*
 * Get the path, on this host, of the socket that OVS makes, under a name of its own, for an
 * application that connects; "" when it is the record's path.  It may be read from OVS's database.
 */
int switch_socket(const struct switch_port *p, char ret[108], struct err *e) must_check;

/*
 * Make the port.  ERR_DEVICE: the bridge is missing or of another kind, or the switch reports an
 * error; ERR_BUSY: the port's name is taken; ERR_TRY_AGAIN: the switch does not answer.
 */
int switch_attach(const struct switch_port *p, struct err *e) must_check;

/*
 * Remove the port.  ERR_TRY_AGAIN while it may still exist; a switch that is gone is no error, a
 * program that may not be run is one.  For OVS, owner and state are enough.
 */
int switch_detach(const struct switch_port *p, struct err *e) must_check;

/* The same without a record, by the configuration's switch (OVS) and the owner alone. */
int switch_forget(const struct host *host, const struct switch_conf *conf,
		  const struct owner *owner, struct err *e) must_check;

/* Call fn for each difference. */
int switch_check(const struct switch_port *p, switch_differs_fn *fn, void *arg, struct err *e)
	must_check;

/* Check that it can serve an ADD: 0, -1. */
int switch_probe(const struct host *host, const struct switch_conf *conf, const struct deadline *d,
		 struct err *e) must_check;

/* Remove the ports (OVS) of a network's attachments for which keep() is false. */
int switch_gc(const struct host *host, const struct switch_conf *conf, const char *network,
	      switch_keep_fn *keep, const void *arg, struct err *e) must_check;

#endif
