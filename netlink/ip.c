/* SPDX-License-Identifier: Apache-2.0 */
/* ip.c - IP addresses and prefixes, and their texts */
#include "netlink/ip.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ip_parse(const char *text, struct ip *ret)
{
	struct ip ip = { .family = strchr(text, ':') ? AF_INET6 : AF_INET };

	if (inet_pton(ip.family, text, ip.bytes) != 1)
		return false;
	*ret = ip;
	return true;
}

const char *ip_format(const struct ip *ip, char ret[IP_TEXT])
{
	if (ip->family == 0 || !inet_ntop(ip->family, ip->bytes, ret, IP_TEXT))
		(void)snprintf(ret, IP_TEXT, "none");
	return ret;
}

size_t ip_len(const struct ip *ip)
{
	return ip->family == AF_INET ? 4 : 16;
}

bool prefix_parse(const char *text, struct ip_prefix *ret)
{
	const char *slash = strchr(text, '/'), *digits = slash ? slash + 1 : "";
	size_t n = strlen(digits);
	char ip[IP_TEXT];
	struct ip_prefix p;
	unsigned long len;

	if (!slash || slash - text >= (ptrdiff_t)sizeof(ip) || n < 1 || n > 3 ||
	    strspn(digits, "0123456789") != n || (n > 1 && *digits == '0'))
		return false;
	memcpy(ip, text, (size_t)(slash - text));
	ip[slash - text] = '\0';
	len = strtoul(digits, NULL, 10);
	if (!ip_parse(ip, &p.ip) || len > ip_len(&p.ip) * 8)
		return false;
	p.len = (uint8_t)len;
	*ret = p;
	return true;
}

const char *prefix_format(const struct ip_prefix *p, char ret[PREFIX_TEXT])
{
	char ip[IP_TEXT];

	(void)snprintf(ret, PREFIX_TEXT, "%s/%u", ip_format(&p->ip, ip), p->len);
	return ret;
}

/* Clear (or, for a broadcast address, set) the host bits. */
static struct ip fill_host_bits(const struct ip_prefix *p, bool ones)
{
	struct ip ip = p->ip;

	for (size_t i = 0; i < ip_len(&ip); i++) {
		unsigned int keep = p->len <= i * 8 ? 0 : p->len - (unsigned int)i * 8;
		uint8_t host = keep >= 8 ? 0 : (uint8_t)(0xff >> keep);

		ip.bytes[i] = (uint8_t)(ones ? ip.bytes[i] | host : ip.bytes[i] & ~host);
	}
	return ip;
}

struct ip prefix_network(const struct ip_prefix *p)
{
	return fill_host_bits(p, false);
}

struct ip prefix_broadcast(const struct ip_prefix *p)
{
	return fill_host_bits(p, true);
}

bool prefix_has(const struct ip_prefix *p, const struct ip *ip)
{
	struct ip_prefix other = { .ip = *ip, .len = p->len };
	struct ip a = prefix_network(p), b = prefix_network(&other);

	return a.family == b.family && memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}
