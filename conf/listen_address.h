/* SPDX-License-Identifier: Apache-2.0 */
/* listen_address.h - where a service listens: a unix socket, or an IP address and a port */
#ifndef CONF_LISTEN_ADDRESS_H
#define CONF_LISTEN_ADDRESS_H

#include "base/err.h"

#include <sys/socket.h>

struct listen_address {
	const char *path;		/* borrowed from the text; NULL: see ip */
	struct sockaddr_storage ip;
	socklen_t ip_len;
};

/*
 * Read "unix:/PATH", "IPv4:PORT" or "[IPv6]:PORT", without a name or a zone: 0, or -1 with
 * ERR_NETCONF.  name is that of the key in messages.
 */
int listen_address_parse(const char *text, const char *name, struct listen_address *ret,
			 struct err *e) must_check;
/* The same for a row of a table. */
int listen_address_check(const char *text, const char *name, struct err *e) must_check;

#endif
