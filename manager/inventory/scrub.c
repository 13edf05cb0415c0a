/* SPDX-License-Identifier: Apache-2.0 */
/* scrub.c - take out of a text what is nobody else's business */
#include "manager/inventory/scrub_address.h"

#include "base/err.h"
#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/base64.h"
#include "manager/inventory/known.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 8 /* documents in strings of documents */ };

void scrub_init(struct scrub *s)
{
	s->names = json_object();
}

void scrub_done(struct scrub *s)
{
	json_decref(s->names);
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

/* A partition of InfiniBand is none, and what is only a file that has one. */
static bool is_secret(const char *key)
{
	static const char *const words[] = {
		"password", "passwd", "passphrase", "passcode", "secret", "token", "credential",
		"apikey", "api_key", "api-key", "privatekey", "private_key", "private-key",
		"authorization", "bearer", "accesskey", "access_key", "access-key", "psk",
		"key-data", "keydata", "serial",
	};
	static const char *const ends[] = { "key", "keys", "auth", "pwd", "cak" };
	bool ends_so = false;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		ends_so |= ends_in(key, ends[i]);
	if (strcasecmp(key, "pkey") == 0 || strcasecmp(key, "pkeys") == 0)
		return false;
	return (ends_so || has_word(key, words, ARRAY_SIZE(words))) && !ends_in(key, "file") &&
	       !ends_in(key, "path") && !ends_in(key, "dir");
}

/* -- in a text, by what is before it or by its form -- */

/* "https://user:word@host": what is before the last '@'. */
static void hide_user(char *text)
{
	char *begin = strstr(text, "://"), *end;

	for (; begin; begin = strstr(begin + 3, "://")) {
		end = begin + 3 + strcspn(begin + 3, "/ ");
		while (end > begin + 3 && *end != '@')
			end--;
		if (*end == '@')
			memset(begin + 3, 'x', (size_t)(end - begin - 3));
	}
}

/*
 * The value behind a name: of "NAME=value" a word, or what is quoted; of "name: value" the line.
 * How long it is; 0: there is none.
 */
static size_t find_value(char *text, char **ret)
{
	char *p = text + strspn(text, " \t"), *value;

	if (*p != '=' && !(*p == ':' && p[1] && strchr(" \t", p[1])))
		return 0;
	value = p + 1 + strspn(p + 1, " \t");
	*ret = value;
	if (*value == '"' || *value == '\'') {
		++*ret;
		return strcspn(value + 1, "\"'");
	}
	return strcspn(value, *p == '=' ? " \t\r\n;,&" : "\r\n;,");
}

/* "DB_PASSWORD=word", of an environment, of arguments, of a URL: 'x' for what is behind it. */
static void hide_assigned(char *text)
{
	static const char of_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789_-.";

	for (char *p = text, *end; *p; p = end + (*end != '\0')) {
		size_t len = strspn(p, of_names);
		auto_free char *name = strndup(p, len);
		char *value = NULL;

		end = p + len;
		len = name && is_secret(name) ? find_value(end, &value) : 0;
		if (len == 0)
			continue;
		memset(value, 'x', len);
		end = value + len;
	}
}

/* Of a JSON web token: three parts in base64 for URLs, of which the first is an object. */
static bool has_web_token(const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789_-";

	for (const char *p = strstr(text, "eyJ"); p; p = strstr(p + 3, "eyJ")) {
		size_t head = strspn(p, digits), body;

		body = p[head] == '.' ? strspn(p + head + 1, digits) : 0;
		if (body > 0 && p[head + 1 + body] == '.')
			return true;
	}
	return false;
}

/* A private key as PEM, or that in base64, as kubeconfig has it. */
static bool is_secret_text(const char *text)
{
	return (strstr(text, "-----BEGIN ") && strstr(text, "PRIVATE KEY-----")) ||
	       strstr(text, "LS0tLS1CRUdJTi") || has_web_token(text);
}

static void scrub_value(struct scrub *s, json_t *v, const char *key, bool hidden, int depth);

/* A document in a string: the text without its secrets; NULL: it is none.  Owned. */
static char *scrub_inner(struct scrub *s, const char *text, int depth)
{
	const char *first = text + strspn(text, " \t\r\n");
	json_auto_t *doc = NULL;
	struct err ignored;
	size_t len;

	if (*first != '{' && *first != '[')
		return NULL;
	if (depth >= DEPTH_MAX)
		return strdup(LEFT_OUT);
	doc = jx_parse(text, strlen(text), ERR_DECODE, "", &ignored);
	if (!doc)
		return *first == '{' ? strdup(LEFT_OUT) : NULL;
	scrub_value(s, doc, "", false, depth + 1);
	return jx_dump(doc, &len);
}

/* The same in base64.  '{' begins as "ey" or "ew", as no id in hexadecimal does, and '[' as "W". */
static char *scrub_coded(struct scrub *s, const char *text, int depth)
{
	auto_free char *plain = NULL, *clean = NULL;
	size_t len = 0;

	if (strncmp(text, "ey", 2) != 0 && strncmp(text, "ew", 2) != 0 && *text != 'W')
		return NULL;
	plain = base64_decode(text, &len);
	clean = plain ? scrub_inner(s, plain, depth) : NULL;
	return clean ? base64_encode(clean, strlen(clean)) : NULL;
}

/* In records an address is bare digits, padded with zeros where it may be longer. */
static bool is_bare_address(const char *key, const char *text)
{
	size_t len = strlen(text);

	return (strcasestr(key, "mac") || ends_in(key, "addr") || strcmp(key, "perm") == 0 ||
		ends_in(key, "guid")) && len >= 12 && len <= 64 &&
	       strspn(text, "0123456789abcdefABCDEF") == len;
}

static void rename_bare(struct scrub *s, char *text)
{
	size_t len = strlen(text);

	scrub_digits(s, text, len > 12 && strspn(text + 12, "0") == len - 12 ? 12 : len);
}

/* Neither a secret nor a document. */
static char *scrub_plain(struct scrub *s, const char *text, const char *key)
{
	bool is_address = is_bare_address(key, text);
	char *ret;

	if (is_secret_text(text))
		return strdup(LEFT_OUT);
	if (strcmp(key, "switch_id") == 0)
		return scrub_hex(s, text);
	ret = is_address ? strdup(text) : scrub_text(s, text);
	if (ret && is_address)
		rename_bare(s, ret);
	if (ret) {
		hide_user(ret);
		hide_assigned(ret);
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

/* -- documents -- */

/* {"name": "DB_PASSWORD", "value": "..."} has its secret's name beside it. */
static bool names_secret(const json_t *o)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	const char *key = json_string_value(json_object_get(o, "key"));

	return (name && is_secret(name)) || (key && is_secret(key));
}

/* ["DB_PASSWORD", "..."] and ["--token", "..."] have it before it. */
static bool is_behind_name(const json_t *list, size_t i)
{
	const char *name = i > 0 ? json_string_value(json_array_get(list, i - 1)) : NULL;

	return name && !strpbrk(name, "= ") && is_secret(name);
}

static void scrub_list(struct scrub *s, json_t *v, const char *key, bool hidden, int depth)
{
	bool is_next, is_this = false;
	json_t *one;
	size_t i;

	json_array_foreach(v, i, one) {
		is_next = is_behind_name(v, i + 1);	/* before its name is changed */
		scrub_value(s, one, key, hidden || is_this, depth);
		is_this = is_next;
	}
}

/* What has an address for its name. */
static void rename_members(struct scrub *s, json_t *o)
{
	json_auto_t *renamed = json_object();
	bool any = false;
	const char *name;
	json_t *one;

	json_object_foreach(o, name, one) {
		auto_free char *clean = scrub_text(s, name);

		any |= !clean || strcmp(clean, name) != 0;
		(void)json_object_set(renamed, clean ? clean : LEFT_OUT, one);
	}
	if (!any)
		return;
	(void)json_object_clear(o);
	(void)json_object_update(o, renamed);
}

static void scrub_object(struct scrub *s, json_t *v, bool hidden, int depth)
{
	bool is_named = names_secret(v);	/* before that is changed */
	const char *name;
	json_t *one;

	json_object_foreach(v, name, one) {
		scrub_value(s, one, name, hidden || is_secret(name) ||
			    (is_named && strcmp(name, "value") == 0), depth);
	}
	rename_members(s, v);
}

static void scrub_value(struct scrub *s, json_t *v, const char *key, bool hidden, int depth)
{
	if (json_is_string(v))
		scrub_string(s, v, key, hidden, depth);
	else if (json_is_array(v))
		scrub_list(s, v, key, hidden, depth);
	else if (json_is_object(v))
		scrub_object(s, v, hidden, depth);
	else if (hidden && json_is_integer(v))
		(void)json_integer_set(v, 0);
	else if (hidden && json_is_real(v))
		(void)json_real_set(v, 0);
}

void scrub_json(struct scrub *s, json_t *doc)
{
	scrub_value(s, doc, "", false, 0);
}
