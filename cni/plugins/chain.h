/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - plugins that we run ourselves, as libcni runs a conflist
 *
 * Theory of operation.  Each plugin of `delegate` or `delegates` gets its own object of our
 * configuration with name, cniVersion and prevResult, as libcni puts them; deviceID and pciBusID,
 * as Multus does; and a runtimeConfig with those capabilities only that it declares.  Values that
 * the network's author set there are kept.  ADD goes forward; DEL goes backward, goes on after an
 * error, and takes its configurations from the request of the ADD, for engines send a DEL stripped.
 */
#ifndef CNI_PLUGINS_CHAIN_H
#define CNI_PLUGINS_CHAIN_H

#include "base/deadline.h"
#include "base/err.h"
#include "cni/plugins/exec.h"
#include "conf/netconf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The state of the plugins: bit i is delegate i. */
struct chain_progress {
	uint32_t left;			/* their DEL is still to be run */
	uint32_t added;			/* their ADD has certainly succeeded */
};

struct chain {
	const struct netconf *conf;
	const char *cni_path;
	const char *device_id;		/* NULL: not known */
	bool id_is_netdev;		/* it is the name of a network device of the host */
	const char *info_path; /* the device-info file, for those that declare it; "": none */
	unsigned int timeout_ms;	/* for each plugin */
	const struct exec_as *as;	/* NULL: the attachment of this call */

	/* for chain_del() */
	bool dead;			/* the container's namespace is gone */
	bool late_stays;		/* also for a dead one: a later call tries again */
	/* called when p->left has changed; NULL: not called */
	void (*cleared)(const struct chain_progress *p, void *arg);
	void *arg;
};

/* Return the bits of all delegates. */
uint32_t chain_all(const struct netconf *conf);

/*
 * Run ADD of each in order; prev is the result before the first, or NULL.  *ret is the last one's
 * result.  Results have the form of 1.1.0 (convert.h).  On failure *p has those whose DEL is to be
 * run.
 */
int chain_add(const struct chain *c, const json_t *prev, struct chain_progress *p, json_t **ret,
	      struct err *e) must_check;

/*
 * Run DEL of those in p->left, the last first, all within `all`, which they share; prev is the
 * result of the chain, or NULL.  Those that succeed are removed from p->left.  So are those that
 * fail and are not in p->added, and all of a dead container, because many would fail for ever; but
 * not one that a signal interrupted, nor, with late_stays, one that had too little time.  For a
 * dead container the IPAM plugin of each is run as well, because some plugins do not run it.
 */
int chain_del(const struct chain *c, const json_t *prev, struct chain_progress *p,
	      const struct deadline *all, struct err *e) must_check;

/* Run DEL of plugin i's IPAM plugin, if it has one, with plugin i's configuration. */
int chain_del_lease(const struct chain *c, size_t i, const json_t *prev, const struct deadline *d,
		    struct err *e) must_check;

/* Run CHECK of each; *e has all errors. */
int chain_check(const struct chain *c, const json_t *prev, struct err *e) must_check;

/*
 * Run GC or STATUS, within `all`, of plugins that support the verb: the delegates, or, for an
 * interface of ours, the IPAM plugin, which gets our own request.  *e has all errors.
 */
int chain_forward(const struct chain *c, const char *request, const char *command,
		  const struct deadline *all, struct err *e) must_check;

#endif
