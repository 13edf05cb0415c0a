/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - URLs as Go's net/url reads them
 *
 * Kubernetes reads one twice, by ParseRequestURI() and Parse(): what both take is a URL.
 */
#include "manager/cel/url.h"

#include "manager/cel/address.h"

#include <ctype.h>
#include <string.h>

/* -- escapes -- */

static const char user_signs[] = "-._:~!$&'()*+,;=%@";
static const char host_signs[] = "-_.~!$&'()*+,;=:[]<>\"";
static const char path_signs[] = "-_.~$&+,/:;=@";
static const char path_signs_as_written[] = "-_.~$&+,/:;=@!'()*[]%";

static bool is_one_of(unsigned char c, const char *signs)
{
	return isalnum(c) || (c && strchr(signs, c));
}

static int hex_value(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* The byte of "%41"; -1: it is none. */
static int escaped(const char *s, const char *end)
{
	if (end - s < 3 || !isxdigit((unsigned char)s[1]) || !isxdigit((unsigned char)s[2]))
		return -1;
	return hex_value(s[1]) * 16 + hex_value(s[2]);
}

/* In a host only what is no ASCII is written so, and the % before a zone. */
static bool is_escape_of_host(int byte)
{
	return byte >= 0x80 || byte == '%';
}

/* plus: what '+' stands for.  NULL: an escape that is none. */
static const char *unescape(struct cel_arena *a, const char *s, size_t n, bool is_host, char plus)
{
	const char *end = s + n;
	char *ret = cel_arena_new(a, n + 1), *to = ret;

	while (ret && s < end) {
		int byte = *s == '%' ? escaped(s, end) : 0;

		if (byte < 0 || (*s == '%' && is_host && !is_escape_of_host(byte)))
			return NULL;
		*to++ = *s == '%' ? (char)byte : *s == '+' ? plus : *s;
		s += *s == '%' ? 3 : 1;
	}
	return ret;
}

const char *cel_url_unescape_query(struct cel_arena *a, const char *text, size_t n)
{
	return unescape(a, text, n, false, ' ');
}

static const char *copy(struct cel_arena *a, const char *s, size_t n)
{
	char *ret = cel_arena_new(a, n + 1);

	return ret ? memcpy(ret, s, n) : NULL;
}

/* As it is written where each byte of it may be; else each byte that may not is escaped. */
static const char *escape_path(struct cel_arena *a, const char *s, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *plain = unescape(a, s, n, false, '+');
	bool is_good = true;
	char *ret, *to;

	for (size_t i = 0; i < n; i++)
		is_good = is_good && is_one_of((unsigned char)s[i], path_signs_as_written);
	if (!plain || is_good)
		return plain ? copy(a, s, n) : NULL;
	ret = to = cel_arena_new(a, 3 * n + 1);
	for (; ret && *plain; plain++) {
		unsigned char c = (unsigned char)*plain;

		if (!is_one_of(c, path_signs)) {
			*to++ = '%';
			*to++ = digits[c >> 4];
			*to++ = digits[c & 15];
		} else {
			*to++ = *plain;
		}
	}
	return ret;
}

/* -- host -- */

/* "", ":80" */
static bool is_port(const char *s, const char *end)
{
	if (s == end)
		return true;
	return *s == ':' && strspn(s + 1, "0123456789") >= (size_t)(end - s - 1);
}

/* "[::1]:80": what is in the brackets is an IPv6 address, perhaps with a zone. */
static bool is_bracketed(struct cel_arena *a, const char *s, const char *end)
{
	const char *close = memrchr(s, ']', (size_t)(end - s)), *zone;
	struct cel_address address;
	const char *text;

	if (!close || !is_port(close + 1, end))
		return false;
	zone = memmem(s, (size_t)(close - s), "%25", 3);
	text = copy(a, s + 1, (size_t)((zone ? zone : close) - s - 1));
	return text && strchr(text, ':') && cel_address_read(text, &address);
}

static bool is_host(struct cel_arena *a, const char *s, const char *end)
{
	const char *colon = memchr(s, ':', (size_t)(end - s));

	for (const char *c = s; c < end; c++)
		if (!(*c & 0x80) && *c != '%' && !is_one_of((unsigned char)*c, host_signs))
			return false;
	if (s < end && *s == '[')
		return is_bracketed(a, s, end);
	return !colon || is_port(colon, end);
}

static bool read_user(struct cel_arena *a, const char *s, const char *end, struct cel_url *u)
{
	for (const char *c = s; c < end; c++)
		if (!is_one_of((unsigned char)*c, user_signs))
			return false;
	u->user = unescape(a, s, (size_t)(end - s), false, '+');
	return u->user;
}

/* "user:password@host:80" */
static bool read_authority(struct cel_arena *a, const char *s, const char *end, struct cel_url *u)
{
	const char *at = memrchr(s, '@', (size_t)(end - s));

	if (at && !read_user(a, s, at, u))
		return false;
	s = at ? at + 1 : s;
	if (!is_host(a, s, end))
		return false;
	u->host = unescape(a, s, (size_t)(end - s), true, '+');
	return u->host;
}

/* -- all of it -- */

/* "http:" in front; *s goes behind it.  false: a ':' with nothing before it. */
static bool read_scheme(struct cel_arena *a, const char **s, struct cel_url *u)
{
	const char *end = *s;
	char *scheme;

	while (isalpha((unsigned char)*end) ||
	       (end > *s && *end && (isdigit((unsigned char)*end) || strchr("+-.", *end))))
		end++;
	if (*end != ':')
		return true;
	if (end == *s)
		return false;
	scheme = cel_arena_new(a, (size_t)(end - *s) + 1);
	if (!scheme)
		return false;
	for (size_t i = 0; *s + i < end; i++)
		scheme[i] = (char)tolower((unsigned char)(*s)[i]);
	u->scheme = scheme;
	*s = end + 1;
	return true;
}

/* What is behind the scheme, up to the '?' or '#'. */
static bool read_hierarchy(struct cel_arena *a, const char *s, const char *end, struct cel_url *u)
{
	bool has_authority = end - s >= 2 && s[0] == '/' && s[1] == '/' &&
			     (*u->scheme || end - s < 3 || s[2] != '/');

	if (s == end || *s != '/') {
		u->opaque = copy(a, s, (size_t)(end - s));
		return *u->scheme && u->opaque;
	}
	if (has_authority) {
		const char *slash = memchr(s + 2, '/', (size_t)(end - s - 2));

		/* ParseRequestURI() takes a '#' here for a part of the host */
		if (!slash && *end == '#' && *u->scheme)
			return false;
		if (!read_authority(a, s + 2, slash ? slash : end, u))
			return false;
		s = slash ? slash : end;
	}
	u->path = escape_path(a, s, (size_t)(end - s));
	return u->path;
}

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return true;
	return false;
}

/* ParseRequestURI() takes the fragment for a part of the path: its escapes count. */
static bool read_fragment(struct cel_arena *a, const char *s, struct cel_url *u)
{
	if (*s == '#')
		u->fragment = unescape(a, s + 1, strlen(s + 1), false, '+');
	return u->fragment;
}

bool cel_url_read(struct cel_arena *a, const char *text, struct cel_url *ret)
{
	struct cel_url u = { "", "", "", "", "", "", "" };
	const char *end, *query;

	if (!*text || has_control(text))
		return false;
	if (strcmp(text, "*") == 0) {
		u.path = "*";
		*ret = u;
		return true;
	}
	if (!read_scheme(a, &text, &u))
		return false;
	end = text + strcspn(text, "#");
	query = memchr(text, '?', (size_t)(end - text));
	if (query)
		u.query = copy(a, query + 1, (size_t)(end - query - 1));
	if (!u.query || !read_fragment(a, end, &u) ||
	    !read_hierarchy(a, text, query ? query : end, &u))
		return false;
	*ret = u;
	return true;
}

bool cel_url_same(const struct cel_url *a, const struct cel_url *b)
{
	return strcmp(a->scheme, b->scheme) == 0 && strcmp(a->opaque, b->opaque) == 0 &&
	       strcmp(a->user, b->user) == 0 && strcmp(a->host, b->host) == 0 &&
	       strcmp(a->path, b->path) == 0 && strcmp(a->query, b->query) == 0 &&
	       strcmp(a->fragment, b->fragment) == 0;
}

const char *cel_url_hostname(struct cel_arena *a, const struct cel_url *u, const char **port)
{
	const char *end = u->host + strlen(u->host), *colon = strrchr(u->host, ':');
	const char *s = u->host;

	*port = "";
	if (colon && is_port(colon, end)) {
		*port = colon + 1;
		end = colon;
	}
	if (end - s >= 2 && *s == '[' && end[-1] == ']') {
		s++;
		end--;
	}
	return copy(a, s, (size_t)(end - s));
}
