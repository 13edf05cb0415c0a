/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig.h - a kubeconfig file: the API server and the user of its current context */
#ifndef DAEMON_API_KUBECONFIG_H
#define DAEMON_API_KUBECONFIG_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

enum { KUBECONFIG_MAX = 1 << 20 };

/* Texts are borrowed from doc; NULL: the file does not say it. */
struct kubeconfig {
	json_t *doc;			/* owned */
	const char *server, *server_name, *proxy;
	const char *ca_file, *ca_data;	/* of each pair the data count where both are there */
	const char *cert_file, *cert_data, *key_file, *key_data;
	const char *token_file, *token;	/* of these the file */
};

/*
 * Parse YAML or JSON.  -1, ERR_NETCONF, tells what is wrong, and what is refused: a server without
 * TLS or whose certificate is not to be checked, credentials that a program makes, passwords, and
 * acting as somebody else.
 */
int kubeconfig_parse(const char *text, size_t len, struct kubeconfig *ret,
		     struct err *e) must_check;
void kubeconfig_done(struct kubeconfig *k);

/* 0, or -1 with what is wrong with the address of an API server. */
int kubeconfig_check_server(const char *server, struct err *e) must_check;

#define auto_kubeconfig auto_with(kubeconfig_done)

#endif
