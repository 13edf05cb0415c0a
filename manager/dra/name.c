/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - the forms of names and values that resource.k8s.io knows */
#include "manager/dra/name.h"

#include "base/mem.h"
#include "base/name.h"

#include <ctype.h>
#include <string.h>

#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LETTERS "abcdefghijklmnopqrstuvwxyz" UPPER

/* The first n bytes, in lower case. */
static bool is_subdomain(const char *s, size_t n, size_t max)
{
	char text[DRA_POOL_MAX + 1];

	if (n == 0 || n > max || n >= sizeof(text))
		return false;
	for (size_t i = 0; i < n; i++)
		text[i] = (char)tolower((unsigned char)s[i]);
	text[n] = '\0';
	return name_is_dns_subdomain(text);
}

bool dra_name_is_driver(const char *s)
{
	return is_subdomain(s, strlen(s), DRA_DRIVER_MAX);
}

/* Here and for keys the API server takes no upper case. */
bool dra_name_is_pool(const char *s)
{
	if (strlen(s) > DRA_POOL_MAX || s[strcspn(s, UPPER)])
		return false;
	for (;; s++) {
		size_t n = strcspn(s, "/");

		if (!is_subdomain(s, n, DRA_POOL_MAX))
			return false;
		s += n;
		if (!*s)
			return true;
	}
}

bool dra_name_is_attribute(const char *s)
{
	const char *slash = strchr(s, '/'), *id = slash ? slash + 1 : s;
	size_t n = strlen(id);

	return (!slash || is_subdomain(s, (size_t)(slash - s), DRA_DOMAIN_MAX)) && n > 0 &&
	       n <= DRA_ID_MAX && !isdigit((unsigned char)*id) &&
	       strspn(id, LETTERS DIGITS "_") == n;
}

bool dra_name_is_value(const char *s)
{
	size_t n = strlen(s);

	return n == 0 || (n <= 63 && strspn(s, LETTERS DIGITS "-_.") == n &&
			  isalnum((unsigned char)*s) && isalnum((unsigned char)s[n - 1]));
}

bool dra_name_is_key(const char *s)
{
	const char *slash = strchr(s, '/'), *name = slash ? slash + 1 : s;

	if (slash && (strcspn(s, UPPER) < (size_t)(slash - s) ||
		      !is_subdomain(s, (size_t)(slash - s), DRA_POOL_MAX)))
		return false;
	return *name && dra_name_is_value(name);
}

/* Kubernetes writes "requests." before it, and has that fit, too. */
bool dra_name_is_resource(const char *s)
{
	static const char ours[] = "kubernetes.io";
	const char *slash = strchr(s, '/');
	size_t n = slash ? (size_t)(slash - s) : 0;
	size_t tail = n >= sizeof(ours) - 1 ? n - (sizeof(ours) - 1) : 0;

	if (n == 0 || n > DRA_POOL_MAX - strlen("requests.") || strncmp(s, "requests.", 9) == 0)
		return false;
	if (n >= sizeof(ours) - 1 && strncmp(s + tail, ours, sizeof(ours) - 1) == 0)
		return false;
	return dra_name_is_key(s);
}

/* -- versions -- */

/* Behind a number without a leading zero; NULL: there is none. */
static const char *skip_number(const char *s)
{
	size_t n = strspn(s, DIGITS);

	return n == 0 || (n > 1 && *s == '0') ? NULL : s + n;
}

/* Behind identifiers with '.' between; of a pre-release those of digits alone are numbers. */
static const char *skip_identifiers(const char *s, bool are_numbers)
{
	for (;; s++) {
		size_t n = strspn(s, LETTERS DIGITS "-");

		if (n == 0 || (are_numbers && n > 1 && *s == '0' && strspn(s, DIGITS) == n))
			return NULL;
		s += n;
		if (*s != '.')
			return s;
	}
}

bool dra_name_is_version(const char *s)
{
	for (int i = 0; i < 3; i++) {
		s = skip_number(s);
		if (!s || (i < 2 && *s++ != '.'))
			return false;
	}
	if (*s == '-')
		s = skip_identifiers(s + 1, true);
	if (s && *s == '+')
		s = skip_identifiers(s + 1, false);
	return s && !*s;
}

/* -- quantities -- */

static bool is_suffix(const char *s)
{
	static const char *const suffixes[] = {
		"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
	};
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (strcmp(s, suffixes[i]) == 0)
			return true;
	if (*s != 'e' && *s != 'E')
		return false;
	s += 1 + (s[1] == '+' || s[1] == '-');
	n = strspn(s, DIGITS);
	return n > 0 && !s[n];
}

bool dra_name_is_quantity(const char *s)
{
	size_t whole, fraction = 0;

	s += *s == '+' || *s == '-';
	whole = strspn(s, DIGITS);
	s += whole;
	if (*s == '.') {
		fraction = strspn(s + 1, DIGITS);
		s += 1 + fraction;
	}
	return whole + fraction > 0 && is_suffix(s);
}
