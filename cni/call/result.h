/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.h - print the answer; the only writer of the plugin's stdout
 *
 * One JSON document a call, whatever happens: a result, an error, or nothing at
 * all for a DEL that succeeded.
 */
#ifndef CNI_CALL_RESULT_H
#define CNI_CALL_RESULT_H

#include "base/err.h"
#include "conf/version.h"

#include <jansson.h>

/* The parts of an attachment's result; borrowed. */
struct result_parts {
	const char *ifname, *sandbox;
	const char *mac, *pci_id, *path;		/* NULL when there is none */
	json_int_t mtu;					/* 0: not said */
	const json_t *ips, *routes, *dns;		/* as in 1.1.0, NULL when there are none */
};

/* The result of an ADD, in the form of cniVersion 1.1.0 (convert.h).  New reference. */
json_t *result_new(const struct result_parts *p);

/* Print it; -1 when it could not be delivered, so that the ADD must be undone. */
int result_print(const json_t *result, struct err *e) must_check;

/* Print errors and last words in this version from now on; before that in our newest. */
void result_use_version(enum cni_version version);

void result_print_error(const struct err *e);

/* The answer to VERSION, in that version. */
int result_print_version(enum cni_version v, struct err *e) must_check;

/* Which release of the plugin this is: for a person, no document of the protocol. */
int result_print_program(struct err *e) must_check;

/* A fixed error object by write(2) alone, for crashes and lost memory. */
void result_last_words(void);

#endif
