/* SPDX-License-Identifier: Apache-2.0 */
/* test_listen_address.c - where a service listens: what is taken, and as what */
#include "conf/listen_address.h"

#include "tests/unit/tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static void taken(void)
{
	struct listen_address a;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&a.ip;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&a.ip;
	struct err e;

	test("a unix socket is a path");
	ok(listen_address_parse("unix:/run/m.sock", "k", &a, &e) == 0);
	eq(a.path, "/run/m.sock");
	test("an address of IPv4 has its port behind a colon");
	ok(listen_address_parse("127.0.0.1:9808", "k", &a, &e) == 0 && !a.path);
	ok(a.ip_len == sizeof(*v4) && v4->sin_family == AF_INET && ntohs(v4->sin_port) == 9808 &&
	   ntohl(v4->sin_addr.s_addr) == INADDR_LOOPBACK);
	test("one of IPv6 stands in brackets");
	ok(listen_address_parse("[::1]:65535", "k", &a, &e) == 0 && !a.path);
	ok(a.ip_len == sizeof(*v6) && v6->sin6_family == AF_INET6 &&
	   ntohs(v6->sin6_port) == 65535 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr));
}

static void refused(void)
{
	static const char *const bad[] = {
		"unix:", "unix:run/m.sock", "unix:/run/", "unix:/run/../m", "/run/m.sock", ":9808",
		"9808", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
		"127.0.0.1:080808", "127.0.0.1:+1", "127.0.0.1: 1", "localhost:9808", "::1:9808",
		"[127.0.0.1]:9808", "[::1]9808", "[::1]:", "[]:1", "[::1%lo]:1", "[::1:9808",
		"[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd]:1", "1.2.3:1",
		"",
	};
	struct listen_address a;
	struct err e;

	test("anything else is refused, with what is allowed");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!ok(listen_address_parse(bad[i], "k", &a, &e) == -1 && e.code == ERR_NETCONF) ||
		    !contains(e.msg, "must be unix:/PATH, IPv4:PORT or [IPv6]:PORT"))
			(void)printf("#  of '%s'\n", bad[i]);
}

int main(void)
{
	taken();
	refused();
	return tap_end();
}
