/* SPDX-License-Identifier: Apache-2.0 */
/* url_function.c - functions of URLs */
#include "manager/cel/device.h"
#include "manager/cel/function.h"
#include "manager/cel/url.h"

#include <string.h>

/* What reading a text allocates is counted before: some copies of it. */
enum { COPIES = 8, BYTES_A_UNIT = 16 };

static int charge_copies(struct cel_run *r, size_t size)
{
	return cel_charge(r, 1 + COPIES * size / BYTES_A_UNIT);
}

static struct cel_value url_of_string(struct cel_run *r, const struct cel_value *v)
{
	struct cel_url u, *copy;

	if (charge_copies(r, v->size) < 0)
		return cel_failed(r);
	if (!cel_url_read(&r->arena, v->text, &u))
		return cel_fault(r, "no URL", v->text);
	copy = cel_new(r, sizeof(*copy));
	if (!copy)
		return cel_failed(r);
	*copy = u;
	return (struct cel_value){ .type = CEL_URL, .url = copy };
}

static struct cel_value is_url(struct cel_run *r, const struct cel_value *v)
{
	struct cel_url u;

	if (charge_copies(r, v->size) < 0)
		return cel_failed(r);
	return cel_bool(cel_url_read(&r->arena, v->text, &u));
}

static struct cel_value get_scheme(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_string(v->url->scheme);
}

static struct cel_value get_host(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_string(v->url->host);
}

static struct cel_value get_path(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_string(v->url->path);
}

static struct cel_value get_hostname(struct cel_run *r, const struct cel_value *v)
{
	const char *port, *host = NULL;

	if (charge_copies(r, strlen(v->url->host)) == 0)
		host = cel_url_hostname(&r->arena, v->url, &port);
	return host ? cel_string(host) : cel_failed(r);
}

static struct cel_value get_port(struct cel_run *r, const struct cel_value *v)
{
	const char *port = "";

	if (charge_copies(r, strlen(v->url->host)) < 0)
		return cel_failed(r);
	(void)cel_url_hostname(&r->arena, v->url, &port);
	return cel_string(port);
}

/* -- the query -- */

/* One more value of a key, which a map has but once. */
static void add_value(struct cel_run *r, struct cel_map *m, struct cel_entry *entries,
		      const char *key, const char *value)
{
	size_t at = cel_map_place(r, m, cel_string(key));
	struct cel_value *list = &entries[at].value, *elements;

	if (r->fatal)
		return;
	elements = cel_new(r, (list->size + (size_t)1) * sizeof(*elements));
	if (!elements)
		return;
	if (list->size > 0)
		memcpy(elements, list->elements, list->size * sizeof(*elements));
	elements[list->size] = cel_string(value);
	*list = (struct cel_value){ .type = CEL_LIST, .size = list->size + 1,
				    .elements = elements };
	entries[at].key = cel_string(key);
	m->count += at == m->count;
}

/* "k=v"; what has a ';' or a wrong escape is left out. */
static void add_part(struct cel_run *r, struct cel_map *m, struct cel_entry *entries,
		     const char *part, size_t n)
{
	const char *equals = memchr(part, '=', n), *key, *value;
	size_t key_size = equals ? (size_t)(equals - part) : n;

	if (n == 0 || memchr(part, ';', n))
		return;
	key = cel_url_unescape_query(&r->arena, part, key_size);
	value = cel_url_unescape_query(&r->arena, equals ? equals + 1 : "",
				       equals ? n - key_size - 1 : 0);
	if (key && value)
		add_value(r, m, entries, key, value);
}

static struct cel_value get_query(struct cel_run *r, const struct cel_value *v)
{
	const char *s = v->url->query;
	struct cel_map *m = cel_new(r, sizeof(*m));
	struct cel_entry *entries;
	size_t parts = 1;

	for (const char *c = s; *c; c++)
		parts += *c == '&';
	entries = cel_new(r, parts * sizeof(*entries));
	if (!m || !entries || charge_copies(r, strlen(s)) < 0)
		return cel_failed(r);
	m->entries = entries;
	while (!r->fatal) {
		size_t n = strcspn(s, "&");

		add_part(r, m, entries, s, n);
		if (!s[n])
			break;
		s += n + 1;
	}
	return r->fatal ? cel_failed(r) : (struct cel_value){ .type = CEL_MAP, .map = m };
}

const struct cel_function cel_url_functions[] = {
	{ "url", CEL_FUNCTION, "s", "U", url_of_string, false },
	{ "isURL", CEL_FUNCTION, "s", "b", is_url, false },
	{ "getScheme", CEL_METHOD, "U", "s", get_scheme, false },
	{ "getHost", CEL_METHOD, "U", "s", get_host, false },
	{ "getHostname", CEL_METHOD, "U", "s", get_hostname, false },
	{ "getPort", CEL_METHOD, "U", "s", get_port, false },
	{ "getEscapedPath", CEL_METHOD, "U", "s", get_path, false },
	{ "getQuery", CEL_METHOD, "U", "msls", get_query, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
