/* SPDX-License-Identifier: Apache-2.0 */
/* api_access.h - which API server is asked, and who asks: by a kubeconfig, or as a pod has it */
#ifndef DAEMON_API_API_ACCESS_H
#define DAEMON_API_API_ACCESS_H

#include "base/attr.h"
#include "base/err.h"

#include <stdbool.h>

/* All owned; NULL: none.  Certificates and keys are PEM. */
struct api_access {
	char *server;			/* "https://HOST[:PORT]", without a '/' at its end */
	char *server_name;		/* that the certificate is for, where it is not HOST */
	char *proxy;
	char *ca;			/* whom to trust; NULL: whom this machine trusts */
	char *cert, *key;
	char *token;
};

/*
 * Read it from a kubeconfig file, and all files that this names, of which relative names are in its
 * directory; NULL: from what a pod has, the token and certificate of its service account.  Links
 * are followed, for this is how files that are rotated are kept.  -1: ERR_NETCONF or ERR_IO.
 */
int api_access_read(const char *kubeconfig, struct api_access *ret, struct err *e) must_check;
void api_access_done(struct api_access *a);

bool api_access_equal(const struct api_access *a, const struct api_access *b);

#define auto_api_access auto_with(api_access_done)

#endif
