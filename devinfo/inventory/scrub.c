/* SPDX-License-Identifier: Apache-2.0 */
/* scrub.c - take out of a text what is nobody else's business */
#include "devinfo/inventory/scrub.h"

#include "base/err.h"
#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/inventory/base64.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* One that a configuration may have: our own plugin takes it for memif's secret. */
#define LEFT_OUT	"left-out"

enum { OCTETS_MAX = 32, DEPTH_MAX = 8 /* documents in strings of documents */ };

void scrub_init(struct scrub *s)
{
	s->names = json_object();
}

void scrub_done(struct scrub *s)
{
	json_decref(s->names);
}

/* -- addresses -- */

/* Its digits, lower case; how many. */
static size_t digits_of(const char *text, size_t len, char ret[2 * OCTETS_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < 2 * OCTETS_MAX; i++)
		if (isxdigit((unsigned char)text[i]))
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

/* Put the new digits where the old ones are; what is between stays. */
static void rename_digits(struct scrub *s, char *text, size_t len)
{
	char old[2 * OCTETS_MAX + 1], new[2 * OCTETS_MAX + 1];
	size_t n = digits_of(text, len, old), at = 0;
	json_int_t number;

	if (n < 4 || is_nobodys(old))
		return;
	if (!json_object_get(s->names, old))
		(void)json_object_set_new(s->names, old, json_integer((json_int_t)
					  json_object_size(s->names) + 1));
	number = json_integer_value(json_object_get(s->names, old));
	/* a unicast address that is administered locally */
	(void)snprintf(new, sizeof(new), "02%0*llx", (int)n - 2, (unsigned long long)number);
	for (size_t i = 0; i < len && at < n; i++)
		if (isxdigit((unsigned char)text[i]))
			text[i] = new[at++];
}

/* How long is the run of "xx:xx:..." here, when it is as long as an address; 0. */
static size_t address_at(const char *text, size_t at)
{
	size_t n = 0;
	const char *p = text + at;

	if (at > 0 && (isxdigit((unsigned char)p[-1]) || p[-1] == ':'))
		return 0;
	while (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1])) {
		n++;
		p += 2;
		if (*p != ':')
			break;
		p++;
	}
	if (isxdigit((unsigned char)*p) || *p == ':' || (n > 0 && p[-1] == ':'))
		return 0;
	return n == 6 || n == 8 || n == 20 ? (size_t)(p - text) - at : 0;
}

/* systemd calls what has no better name by its address. */
static size_t name_at(const char *text, size_t at)
{
	return strncmp(text + at, "enx", 3) == 0 &&
	       strspn(text + at + 3, "0123456789abcdef") == 12 ? 12 : 0;
}

static void rename_addresses(struct scrub *s, char *text)
{
	for (size_t i = 0, len; text[i]; i += len ? len : 1) {
		len = name_at(text, i);
		if (len) {
			rename_digits(s, text + i + 3, len);
			len += 3;
			continue;
		}
		len = address_at(text, i);
		if (len)
			rename_digits(s, text + i, len);
	}
}

/* An IPv6 address of the link's scope is made of the hardware's. */
static void hide_link_local(char *text)
{
	const char *length = strchr(text, '/');
	size_t kept = strlen("fe80::");

	if (strncasecmp(text, "fe80:", 5) != 0 || strchr(text, ' ') || strlen(text) <= kept)
		return;
	memcpy(text, "fe80::", kept);
	memmove(text + kept, length ? length : "", length ? strlen(length) + 1 : 1);
}

char *scrub_text(struct scrub *s, const char *text)
{
	char *ret = strdup(text);

	if (ret)
		rename_addresses(s, ret);
	return ret;
}

char *scrub_hex(struct scrub *s, const char *text)
{
	char *ret = strdup(text);

	if (ret)
		rename_digits(s, ret, strlen(ret));
	return ret;
}

/* -- secrets -- */

static bool has_word(const char *key, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasestr(key, words[i]))
			return true;
	return false;
}

static bool ends_in(const char *key, const char *word)
{
	size_t len = strlen(key), n = strlen(word);

	return len >= n && strcasecmp(key + len - n, word) == 0;
}

/* A file that has one is none. */
static bool is_secret(const char *key)
{
	static const char *const words[] = {
		"password", "passwd", "passphrase", "secret", "token", "credential", "apikey",
		"api_key", "api-key", "privatekey", "private_key", "private-key", "authorization",
		"accesskey", "access_key", "access-key", "psk", "serial",
	};

	return has_word(key, words, ARRAY_SIZE(words)) && !ends_in(key, "file") &&
	       !ends_in(key, "path") && !ends_in(key, "dir");
}

/* "https://user:word@host": what is before the '@'. */
static void hide_user(char *text)
{
	char *begin = strstr(text, "://"), *end;

	for (; begin; begin = strstr(begin + 3, "://")) {
		end = begin + 3 + strcspn(begin + 3, "/@ ");
		if (*end == '@')
			memset(begin + 3, 'x', (size_t)(end - begin - 3));
	}
}

static void scrub_value(struct scrub *s, json_t *v, const char *key, bool hidden, int depth);

/* A document in a string: the text without its secrets; NULL: it is none.  Owned. */
static char *scrub_inner(struct scrub *s, const char *text, int depth)
{
	const char *first = text + strspn(text, " \t\r\n");
	json_auto_t *doc = NULL;
	struct err ignored;
	size_t len;

	if ((*first != '{' && *first != '[') || depth >= DEPTH_MAX)
		return NULL;
	doc = jx_parse(text, strlen(text), ERR_DECODE, "", &ignored);
	if (!doc)
		return *first == '{' ? strdup(LEFT_OUT) : NULL;
	scrub_value(s, doc, "", false, depth + 1);
	return jx_dump(doc, &len);
}

/* The same in base64. */
static char *scrub_coded(struct scrub *s, const char *text, int depth)
{
	auto_free char *plain = NULL, *clean = NULL;
	size_t len = 0;

	if (strncmp(text, "ey", 2) != 0 && strncmp(text, "ew", 2) != 0)	/* as '{' begins */
		return NULL;
	plain = base64_decode(text, &len);
	clean = plain && *plain == '{' ? scrub_inner(s, plain, depth) : NULL;
	return clean ? base64_encode(clean, strlen(clean)) : NULL;
}

/* In records an address is bare digits, padded with zeros where it may be longer. */
static bool is_bare_address(const char *key, const char *text)
{
	size_t len = strlen(text);

	return (strcmp(key, "mac") == 0 || strcmp(key, "addr") == 0 || strcmp(key, "perm") == 0 ||
		ends_in(key, "guid")) && len >= 12 && len <= 2 * OCTETS_MAX &&
	       strspn(text, "0123456789abcdefABCDEF") == len;
}

static void rename_bare(struct scrub *s, char *text)
{
	size_t len = strlen(text);

	rename_digits(s, text, len > 12 && strspn(text + 12, "0") == len - 12 ? 12 : len);
}

/* Neither a secret nor a document. */
static char *scrub_plain(struct scrub *s, const char *text, const char *key)
{
	char *ret = strdup(text);

	if (!ret)
		return NULL;
	if (is_bare_address(key, ret)) {
		rename_bare(s, ret);
	} else if (strcmp(key, "switch_id") == 0) {
		rename_digits(s, ret, strlen(ret));
	} else {
		rename_addresses(s, ret);
		hide_link_local(ret);
		hide_user(ret);
	}
	return ret;
}

static void scrub_string(struct scrub *s, json_t *v, const char *key, bool hidden, int depth)
{
	const char *text = json_string_value(v);
	auto_free char *clean = NULL;

	if (hidden) {
		(void)json_string_set(v, *text ? LEFT_OUT : "");
		return;
	}
	clean = scrub_inner(s, text, depth);
	if (!clean)
		clean = scrub_coded(s, text, depth);
	if (!clean)
		clean = scrub_plain(s, text, key);
	(void)json_string_set(v, clean ? clean : LEFT_OUT);
}

/* {"name": "DB_PASSWORD", "value": "..."} has its secret's name beside it. */
static bool is_named_secret(const json_t *o, const char *key)
{
	const char *name = json_string_value(json_object_get(o, "name"));

	return name && strcmp(key, "value") == 0 && is_secret(name);
}

static void scrub_value(struct scrub *s, json_t *v, const char *key, bool hidden, int depth)
{
	const char *name;
	json_t *one;
	size_t i;

	if (json_is_string(v))
		scrub_string(s, v, key, hidden, depth);
	json_array_foreach(v, i, one) {
		scrub_value(s, one, key, hidden, depth);
	}
	json_object_foreach(v, name, one) {
		scrub_value(s, one, name, hidden || is_secret(name) || is_named_secret(v, name),
			    depth);
	}
}

void scrub_json(struct scrub *s, json_t *doc)
{
	scrub_value(s, doc, "", false, 0);
}
