/* SPDX-License-Identifier: Apache-2.0 */
/* listen_address.c - where a service listens: a unix socket, or an IP address and a port */
#include "conf/listen_address.h"

#include "conf/key.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_port(const char *text, in_port_t *ret)
{
	size_t len = strlen(text);
	unsigned long n = strtoul(text, NULL, 10);

	if (len == 0 || len > 5 || strspn(text, "0123456789") != len || n == 0 || n > 65535)
		return false;
	*ret = htons((uint16_t)n);
	return true;
}

/* The text up to so many bytes is an address of this family. */
static bool read_ip(const char *text, size_t len, struct listen_address *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ret->ip;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ret->ip;
	bool is_v6 = *text == '[' && len > 2 && text[len - 1] == ']';
	char ip[INET6_ADDRSTRLEN + 2];

	if (len >= sizeof(ip))
		return false;
	(void)snprintf(ip, sizeof(ip), "%.*s", (int)(is_v6 ? len - 2 : len), text + is_v6);
	ret->ip.ss_family = is_v6 ? AF_INET6 : AF_INET;
	ret->ip_len = is_v6 ? sizeof(*v6) : sizeof(*v4);
	return is_v6 ? inet_pton(AF_INET6, ip, &v6->sin6_addr) == 1 :
		       inet_pton(AF_INET, ip, &v4->sin_addr) == 1;
}

int listen_address_parse(const char *text, const char *name, struct listen_address *ret,
			 struct err *e)
{
	static const char unix_prefix[] = "unix:";
	const char *path = text + sizeof(unix_prefix) - 1, *colon = strrchr(text, ':');
	struct listen_address a = { .path = NULL };
	in_port_t port = 0;
	bool is_unix = strncmp(text, unix_prefix, sizeof(unix_prefix) - 1) == 0;

	if (is_unix)
		a.path = path;
	if (is_unix ? !key_is_path(path) || path[strlen(path) - 1] == '/' :
		      !colon || !read_port(colon + 1, &port) ||
		      !read_ip(text, (size_t)(colon - text), &a))
		return err_set(e, ERR_NETCONF, 0, "%s cannot be '%.64s': must be unix:/PATH, "
			       "IPv4:PORT or [IPv6]:PORT, with a port from 1 to 65535", name, text);
	if (a.ip.ss_family == AF_INET)
		((struct sockaddr_in *)&a.ip)->sin_port = port;
	if (a.ip.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&a.ip)->sin6_port = port;
	*ret = a;
	return 0;
}

int listen_address_check(const char *text, const char *name, struct err *e)
{
	struct listen_address ignored;

	return listen_address_parse(text, name, &ignored, e);
}
