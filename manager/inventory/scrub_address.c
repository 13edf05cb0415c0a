/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scrub_address.c - hardware addresses in a text become others, in all forms that they have
 *
 * Octets with ':' or '-' between them: of Ethernet, InfiniBand, and in a DHCP client's identifier.
 * Four groups of four digits: a GUID.  What systemd and rdma-core call a device that has no better
 * name.  And IPv6 addresses that are made of a hardware address.
 */
#include "manager/inventory/scrub_address.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { OCTETS_MAX = 32, OCTETS_MIN = 6 };

static bool is_digit(char c)
{
	return isxdigit((unsigned char)c);
}

/* -- one becomes another -- */

/* Its digits, lower case; how many. */
static size_t digits_of(const char *text, size_t len, char ret[2 * OCTETS_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < 2 * OCTETS_MAX; i++)
		if (is_digit(text[i]))
			ret[n++] = (char)tolower((unsigned char)text[i]);
	ret[n] = '\0';
	return n;
}

/* None, or everybody's. */
static bool is_nobodys(const char *digits)
{
	size_t n = strlen(digits);

	return strspn(digits, "0") == n || strspn(digits, "f") == n;
}

static json_int_t number_of(struct scrub *s, const char *digits)
{
	if (!json_object_get(s->names, digits))
		(void)json_object_set_new(s->names, digits, json_integer((json_int_t)
					  json_object_size(s->names) + 1));
	return json_integer_value(json_object_get(s->names, digits));
}

/* What is between the digits stays; of what is longer than any address, no digit does. */
void scrub_digits(struct scrub *s, char *text, size_t len)
{
	char old[2 * OCTETS_MAX + 1], new[2 * OCTETS_MAX + 1];
	size_t n = digits_of(text, len, old), at = 0;

	if (n < 4 || is_nobodys(old))
		return;
	/* a unicast address that is administered locally */
	(void)snprintf(new, sizeof(new), "02%0*llx", (int)n - 2,
		       (unsigned long long)number_of(s, old));
	for (size_t i = 0; i < len; i++)
		if (is_digit(text[i]))
			text[i] = at < n ? new[at++] : '0';
}

/* -- where one is: how long, 0 when none begins here -- */

/* "xx:xx:..." and "xx-xx-...". */
static size_t octets_at(const char *text, size_t at, char between)
{
	const char *p = text + at;
	size_t n = 0;

	if (at > 0 && (is_digit(p[-1]) || p[-1] == between ||
		       (between == '-' && isalnum((unsigned char)p[-1]))))
		return 0;
	while (is_digit(p[0]) && is_digit(p[1])) {
		n++;
		p += 2;
		if (*p != between)
			break;
		p++;
	}
	if (is_digit(*p) || *p == between || (n > 0 && p[-1] == between) ||
	    (between == '-' && isalnum((unsigned char)*p)))
		return 0;
	return n >= OCTETS_MIN ? (size_t)(p - text) - at : 0;
}

/* "xxxx:xxxx:xxxx:xxxx" */
static size_t guid_at(const char *text, size_t at)
{
	static const char form[] = "xxxx:xxxx:xxxx:xxxx";
	size_t len = strlen(form);
	const char *p = text + at;

	if (at > 0 && (is_digit(p[-1]) || p[-1] == ':'))
		return 0;
	for (size_t i = 0; i < len; i++)
		if (form[i] == 'x' ? !is_digit(p[i]) : p[i] != form[i])
			return 0;
	return is_digit(p[len]) || p[len] == ':' ? 0 : len;
}

/* The digits of "enxdeaca6f06805" and "rocexdeaca6fffef06805", which are behind what is kept. */
static size_t name_at(const char *text, size_t at, size_t *kept)
{
	static const char *const prefixes[] = {
		"enx", "ibx", "slx", "wlx", "wwx", "rocex", "iwx", "opax",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t n, len = strlen(prefixes[i]);

		if (strncmp(text + at, prefixes[i], len) != 0)
			continue;
		n = strspn(text + at + len, "0123456789abcdef");
		*kept = len;
		if (n == 12 || n == 16)
			return n;
	}
	return 0;
}

/* -- IPv6 -- */

static bool parse_ip(const char *text, size_t len, struct in6_addr *ret)
{
	char one[INET6_ADDRSTRLEN];

	return len < sizeof(one) && snprintf(one, sizeof(one), "%.*s", (int)len, text) > 0 &&
	       inet_pton(AF_INET6, one, ret) == 1;
}

/* A sentence may end behind it. */
static size_t ip_at(const char *text, size_t at, struct in6_addr *ret)
{
	size_t len;

	if (at > 0 && (isalnum((unsigned char)text[at - 1]) || strchr(".:", text[at - 1])))
		return 0;
	len = strspn(text + at, "0123456789abcdefABCDEF:.");
	while (len > 0 && !parse_ip(text + at, len, ret))
		len = strchr(".:", text[at + len - 1]) ? len - 1 : 0;
	return len;
}

/* RFC 4291, appendix A: the hardware's six octets, one bit turned, with two between them. */
static bool is_made_of_hardware(const struct in6_addr *ip)
{
	return ip->s6_addr[11] == 0xff && ip->s6_addr[12] == 0xfe;
}

static void rename_ip(struct scrub *s, struct in6_addr *ip)
{
	uint8_t *b = ip->s6_addr;
	unsigned int m[OCTETS_MIN];
	char mac[32];

	(void)snprintf(mac, sizeof(mac), "%02x%02x%02x%02x%02x%02x", b[8] ^ 2U, b[9], b[10], b[13],
		       b[14], b[15]);
	scrub_digits(s, mac, strlen(mac));
	if (sscanf(mac, "%2x%2x%2x%2x%2x%2x", &m[0], &m[1], &m[2], &m[3], &m[4], &m[5]) !=
	    OCTETS_MIN)
		return;
	b[8] = (uint8_t)(m[0] ^ 2U);
	b[9] = (uint8_t)m[1];
	b[10] = (uint8_t)m[2];
	for (int i = 0; i < 3; i++)
		b[13 + i] = (uint8_t)m[3 + i];
}

/* One of the link's scope tells nothing but the hardware's. */
static bool put_ip(struct scrub *s, struct in6_addr *ip, FILE *to)
{
	char text[INET6_ADDRSTRLEN];

	if (IN6_IS_ADDR_LINKLOCAL(ip))
		memset(ip->s6_addr + 8, 0, 8);
	else if (is_made_of_hardware(ip))
		rename_ip(s, ip);
	else
		return false;
	return inet_ntop(AF_INET6, ip, text, sizeof(text)) && fputs(text, to) >= 0;
}

/* -- a text -- */

/* So many bytes, of which the first are kept. */
static size_t put_renamed(struct scrub *s, const char *text, size_t kept, size_t len, FILE *to)
{
	auto_free char *new = strndup(text, kept + len);

	if (!new)
		return 0;
	scrub_digits(s, new + kept, len);
	(void)fputs(new, to);
	return kept + len;
}

/* How many bytes were written anew; 0: here is none. */
static size_t put_address(struct scrub *s, const char *text, size_t at, FILE *to)
{
	size_t kept = 0, len = octets_at(text, at, ':');
	struct in6_addr ip;

	if (!len)
		len = octets_at(text, at, '-');
	if (!len)
		len = guid_at(text, at);
	if (!len)
		len = name_at(text, at, &kept);
	if (len)
		return put_renamed(s, text + at, kept, len, to);
	len = ip_at(text, at, &ip);
	return len && put_ip(s, &ip, to) ? len : 0;
}

char *scrub_text(struct scrub *s, const char *text)
{
	char *ret = NULL;
	size_t len;
	FILE *to = open_memstream(&ret, &len);

	if (!to)
		return NULL;
	for (size_t i = 0, n; text[i]; i += n) {
		n = put_address(s, text, i, to);
		if (!n) {
			n = 1;
			(void)fputc(text[i], to);
		}
	}
	if (fclose(to) == 0)
		return ret;
	free(ret);
	return NULL;
}

char *scrub_hex(struct scrub *s, const char *text)
{
	char *ret = strdup(text);

	if (ret)
		scrub_digits(s, ret, strlen(ret));
	return ret;
}
