/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - IP addresses and networks as Go's net/netip reads and writes them */
#ifndef MANAGER_CEL_ADDRESS_H
#define MANAGER_CEL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CEL_ADDRESS_TEXT = 48 };		/* bytes of one that is written, with the NUL */

struct cel_address {
	uint8_t bytes[16];		/* of IPv4 the first four */
	uint8_t size;			/* 4, 16 */
	uint8_t bits;			/* of a network */
};

/*
 * Read the whole text; false: it is none.  An IPv4 address within IPv6 is refused, and one with a
 * zone.
 */
bool cel_address_read(const char *text, struct cel_address *ret);
bool cel_network_read(const char *text, struct cel_address *ret);

/* Writes the address, without the bits. */
void cel_address_write(const struct cel_address *a, char ret[CEL_ADDRESS_TEXT]);

bool cel_address_same(const struct cel_address *a, const struct cel_address *b);

/* Is the address in the network? */
bool cel_network_has(const struct cel_address *network, const struct cel_address *a);

/* Puts zeros where the bits of the network end. */
struct cel_address cel_network_masked(const struct cel_address *network);

#endif
