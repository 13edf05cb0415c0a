/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - what client and server share of gRPC: the message in DATA, and grpc-message */
#include "devinfo/grpc/message.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* -- the message -- */

void message_prefix(size_t len, unsigned char ret[GRPC_PREFIX])
{
	ret[0] = 0;
	for (int i = 1; i < GRPC_PREFIX; i++)
		ret[i] = (unsigned char)(len >> (8 * (GRPC_PREFIX - 1 - i)));
}

/* The prefix is complete: believe it or not, and take memory for the message. */
static enum incoming_fault incoming_begin(struct incoming *in)
{
	const unsigned char *p = in->prefix;

	in->expected = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
	if (p[0] != 0)
		return INCOMING_COMPRESSED;
	if (in->expected > in->max)
		return INCOMING_TOO_LARGE;
	in->body = malloc(in->expected + 1);	/* never of 0 bytes */
	return in->body ? INCOMING_OK : INCOMING_NO_MEMORY;
}

enum incoming_fault incoming_take(struct incoming *in, const unsigned char *data, size_t len)
{
	for (; len > 0 && in->received < GRPC_PREFIX; len--) {
		in->prefix[in->received++] = *data++;
		if (in->received < GRPC_PREFIX)
			continue;

		enum incoming_fault fault = incoming_begin(in);
		if (fault != INCOMING_OK)
			return fault;
	}
	if (len == 0)
		return INCOMING_OK;
	if (len > in->expected - (in->received - GRPC_PREFIX))
		return INCOMING_BEYOND;
	memcpy(in->body + in->received - GRPC_PREFIX, data, len);
	in->received += len;
	return INCOMING_OK;
}

bool incoming_is_whole(const struct incoming *in)
{
	return in->body && in->received == GRPC_PREFIX + in->expected;
}

void incoming_done(struct incoming *in)
{
	free(in->body);
	in->body = NULL;
}

/* -- grpc-message -- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void message_decode(const char *in, size_t len, char *ret, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		int c = (unsigned char)in[i];

		if (c == '%' && i + 2 < len && hex_digit(in[i + 1]) >= 0 &&
		    hex_digit(in[i + 2]) >= 0) {
			c = hex_digit(in[i + 1]) * 16 + hex_digit(in[i + 2]);
			i += 2;
		}
		if (c >= 0x80)
			c = '?';
		ret[n++] = iscntrl(c) ? ' ' : (char)c;
	}
	ret[n] = '\0';
}

/* HTTP/2 forbids a space at either end of a value. */
static bool is_plain(const char *in, const char *p)
{
	if (*p == ' ')
		return p != in && p[1] != '\0';
	return *p > ' ' && *p <= '~' && *p != '%';
}

void message_encode(const char *in, char *ret, size_t size)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = 0;

	for (const char *p = in; *p; p++) {
		unsigned char c = (unsigned char)*p;
		bool plain = is_plain(in, p);

		if (n + (plain ? 1 : 3) >= size)
			break;
		if (plain) {
			ret[n++] = *p;
			continue;
		}
		ret[n++] = '%';
		ret[n++] = digits[c >> 4];
		ret[n++] = digits[c & 15];
	}
	ret[n] = '\0';
	if (n > 0 && ret[n - 1] == ' ')		/* it was cut there */
		ret[n - 1] = '\0';
}

/* -- headers -- */

/* nghttp2's struct wants writable what it only copies. */
nghttp2_nv message_header(const char *name, const char *value)
{
	union {
		const char *in;
		uint8_t *out;
	} n = { .in = name }, v = { .in = value };

	return (nghttp2_nv){ .name = n.out, .namelen = strlen(name),
			     .value = v.out, .valuelen = strlen(value) };
}
