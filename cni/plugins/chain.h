/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - plugins that we run ourselves, as libcni runs a conflist
 *
 * Theory of operation.  Each plugin of `delegate` or `delegates` gets its own object of
 * our configuration with name, cniVersion and prevResult, as libcni puts them; deviceID and
 * pciBusID, as Multus does; and a runtimeConfig with those capabilities only that it
 * declares.  What the administrator wrote there himself stays as it is.  ADD goes
 * forward; DEL goes backward, goes on after an error, and takes its configurations from
 * the request of the ADD, for engines send a DEL stripped.
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

/* Which plugins were asked: bit i is delegate i. */
struct chain_progress {
	uint32_t left;			/* to be asked for a DEL */
	uint32_t added;			/* whose ADD is known to have succeeded */
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
	bool late_stays;		/* of a dead one as well: somebody else will ask again */
	/* when p->left has changed; NULL: nobody wants to know */
	void (*cleared)(const struct chain_progress *p, void *arg);
	void *arg;
};

/* All of them. */
uint32_t chain_all(const struct netconf *conf);

/*
 * ADD, one after the other; prev is the result before the first, or NULL.  *ret is the last one's
 * result.  Results have the form of 1.1.0 (convert.h).  On failure *p tells whom to ask for a DEL.
 */
int chain_add(const struct chain *c, const json_t *prev, struct chain_progress *p, json_t **ret,
	      struct err *e) must_check;

/*
 * DEL of those in p->left, the last first, all of them within `all`, of which each has its part;
 * prev is the result of the chain, or NULL.  Those that succeeded leave p->left.  So do those that
 * fail without having added anything for sure, and all of a dead container, for many would fail for
 * ever; but not one that an interrupted call has not waited for, and with late_stays no other that
 * had too little time.  Of a dead container the IPAM plugin of each is asked as well, for some
 * plugins do not.
 */
int chain_del(const struct chain *c, const json_t *prev, struct chain_progress *p,
	      const struct deadline *all, struct err *e) must_check;

/* DEL of plugin i's IPAM plugin, if it has one, with that plugin's configuration. */
int chain_del_lease(const struct chain *c, size_t i, const json_t *prev, const struct deadline *d,
		    struct err *e) must_check;

/* CHECK of each; all errors in one. */
int chain_check(const struct chain *c, const json_t *prev, struct err *e) must_check;

/*
 * GC or STATUS, within `all`, for those that know the verb: the delegates, or of an interface of
 * our own the IPAM plugin, which gets our own request.  All errors in one.
 */
int chain_forward(const struct chain *c, const char *request, const char *command,
		  const struct deadline *all, struct err *e) must_check;

#endif
