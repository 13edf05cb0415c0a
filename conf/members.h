/* SPDX-License-Identifier: Apache-2.0 */
/* members.h - objects of the configuration whose members are all ours */
#ifndef CONF_MEMBERS_H
#define CONF_MEMBERS_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

/*
 * Every member of o is one of n names, in any case (see jx_fold_keys): a word that is not known
 * would have no effect, which is not what its author thought.  path is how o is called.
 * ERR_NETCONF.
 */
int members_check(const json_t *o, const char *path, const char *const *names, size_t n,
		  struct err *e) must_check;

#endif
