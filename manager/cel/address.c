/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - IP addresses and networks */
#include "manager/cel/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8, IPV6_SIZE = 16, IPV4_SIZE = 4 };

static bool is_ipv4_in_ipv6(const struct cel_address *a)
{
	static const uint8_t prefix[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

	return a->size == IPV6_SIZE && memcmp(a->bytes, prefix, sizeof(prefix)) == 0;
}

bool cel_address_read(const char *text, struct cel_address *ret)
{
	struct cel_address a = { .size = strchr(text, ':') ? IPV6_SIZE : IPV4_SIZE };

	if (inet_pton(a.size == IPV4_SIZE ? AF_INET : AF_INET6, text, a.bytes) != 1 ||
	    is_ipv4_in_ipv6(&a))
		return false;
	a.bits = (uint8_t)(a.size * 8);
	*ret = a;
	return true;
}

/* "24", without leading zeros. */
static bool read_bits(const char *text, unsigned most, uint8_t *ret)
{
	size_t n = strspn(text, "0123456789");
	unsigned long bits = strtoul(text, NULL, 10);

	if (n == 0 || n > 3 || text[n] || (n > 1 && *text == '0') || bits > most)
		return false;
	*ret = (uint8_t)bits;
	return true;
}

bool cel_network_read(const char *text, struct cel_address *ret)
{
	const char *slash = strrchr(text, '/');
	char address[CEL_ADDRESS_TEXT];
	struct cel_address a;
	size_t n = slash ? (size_t)(slash - text) : sizeof(address);

	if (n >= sizeof(address))
		return false;
	memcpy(address, text, n);
	address[n] = '\0';
	if (!cel_address_read(address, &a) || !read_bits(slash + 1, a.size * 8U, &a.bits))
		return false;
	*ret = a;
	return true;
}

/* The longest run of zeros, of two groups at least: where it begins; GROUPS: there is none. */
static size_t find_zeros(const uint16_t group[GROUPS], size_t *length)
{
	size_t ret = GROUPS;

	*length = 1;
	for (size_t i = 0, n = 0; i < GROUPS; i++) {
		n = group[i] == 0 ? n + 1 : 0;
		if (n > *length) {
			*length = n;
			ret = i + 1 - n;
		}
	}
	return ret;
}

static void write_ipv6(const uint8_t bytes[IPV6_SIZE], char ret[CEL_ADDRESS_TEXT])
{
	uint16_t group[GROUPS];
	size_t zeros, length, at = 0;

	for (size_t i = 0; i < GROUPS; i++)
		group[i] = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
	zeros = find_zeros(group, &length);
	for (size_t i = 0; i < GROUPS; i++) {
		if (i == zeros) {
			at += (size_t)snprintf(ret + at, CEL_ADDRESS_TEXT - at, "::");
			i += length - 1;
		} else {
			at += (size_t)snprintf(ret + at, CEL_ADDRESS_TEXT - at, "%s%x",
					       at > 0 && ret[at - 1] != ':' ? ":" : "", group[i]);
		}
	}
}

void cel_address_write(const struct cel_address *a, char ret[CEL_ADDRESS_TEXT])
{
	if (a->size == IPV6_SIZE)
		write_ipv6(a->bytes, ret);
	else
		(void)snprintf(ret, CEL_ADDRESS_TEXT, "%u.%u.%u.%u", a->bytes[0], a->bytes[1],
			       a->bytes[2], a->bytes[3]);
}

bool cel_address_same(const struct cel_address *a, const struct cel_address *b)
{
	return a->size == b->size && a->bits == b->bits && memcmp(a->bytes, b->bytes, a->size) == 0;
}

struct cel_address cel_network_masked(const struct cel_address *network)
{
	struct cel_address ret = *network;

	for (unsigned i = ret.bits; i < ret.size * 8U; i++)
		ret.bytes[i / 8] &= (uint8_t)~(0x80U >> i % 8);
	return ret;
}

bool cel_network_has(const struct cel_address *network, const struct cel_address *a)
{
	struct cel_address of = *a, from = cel_network_masked(network);

	if (of.size != from.size)
		return false;
	of.bits = from.bits;
	of = cel_network_masked(&of);
	return cel_address_same(&of, &from);
}
