/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - what texts of Kubernetes' named formats are; the messages are Kubernetes' own */
#include "manager/cel/format.h"

#include "manager/cel/moment.h"
#include "manager/cel/url.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
	LABEL_MAX = 63,
	SUBDOMAIN_MAX = 253,
	UUID_SIZE = 36,
};

static const char small[] = "abcdefghijklmnopqrstuvwxyz";
static const char name_signs[] = "-_.";
static const char label_too_long[] = "must be no more than 63 characters";

static unsigned add(const char *wrong[2], unsigned n, bool is_wrong, const char *what)
{
	if (is_wrong)
		wrong[n++] = what;
	return n;
}

/* -- names -- */

/* A label of DNS; is_1035: it begins with a letter. */
static bool is_label(const char *s, size_t n, bool is_1035)
{
	size_t good = 0;

	while (good < n && (strchr(small, s[good]) || isdigit((unsigned char)s[good]) ||
			    s[good] == '-'))
		good++;
	return n > 0 && good == n && *s != '-' && s[n - 1] != '-' &&
	       (!is_1035 || !isdigit((unsigned char)*s));
}

static bool is_subdomain(const char *s, size_t n)
{
	const char *end = s + n;

	for (;;) {
		const char *point = memchr(s, '.', (size_t)(end - s));

		if (!is_label(s, (size_t)((point ? point : end) - s), false))
			return false;
		if (!point)
			return true;
		s = point + 1;
	}
}

/* A prefix of a name may end with '-': that and the byte before become an 'a'. */
static size_t mask(const char *text, bool is_prefix, char *to, size_t size)
{
	size_t n = strlen(text);

	if (n >= size)
		n = size - 1;
	memcpy(to, text, n);
	to[n] = '\0';
	if (is_prefix && n > 1 && to[n - 1] == '-') {
		to[n - 2] = 'a';
		to[--n] = '\0';
	}
	return n;
}

static unsigned check_label(const char *text, bool is_prefix, bool is_1035, const char *wrong[2])
{
	char masked[SUBDOMAIN_MAX];
	size_t n = mask(text, is_prefix, masked, sizeof(masked));
	unsigned ret = add(wrong, 0, n > LABEL_MAX, label_too_long);

	return add(wrong, ret, !is_label(masked, n, is_1035),
		   is_1035 ?
			   "a DNS-1035 label must consist of lower case alphanumeric characters or "
			   "'-', start with an alphabetic character, and end with an alphanumeric "
			   "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
			   "'[a-z]([-a-z0-9]*[a-z0-9])?')" :
			   "a lowercase RFC 1123 label must consist of lower case alphanumeric "
			   "characters or '-', and must start and end with an alphanumeric "
			   "character (e.g. 'my-name',  or '123-abc', regex used for validation is "
			   "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
}

static unsigned check_subdomain(const char *text, bool is_prefix, const char *wrong[2])
{
	char masked[2 * SUBDOMAIN_MAX];
	size_t n = mask(text, is_prefix, masked, sizeof(masked));
	unsigned ret = add(wrong, 0, n > SUBDOMAIN_MAX, "must be no more than 253 characters");

	return add(wrong, ret, !is_subdomain(masked, n),
		   "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
		   "characters, '-' or '.', and must start and end with an alphanumeric character "
		   "(e.g. 'example.com', regex used for validation is "
		   "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

#define LABEL(name, is_prefix, is_1035) \
	static unsigned name(struct cel_run *r, const char *text, const char *wrong[2]) \
	{ \
		(void)r; \
		return check_label(text, is_prefix, is_1035, wrong); \
	}
#define SUBDOMAIN(name, is_prefix) \
	static unsigned name(struct cel_run *r, const char *text, const char *wrong[2]) \
	{ \
		(void)r; \
		return check_subdomain(text, is_prefix, wrong); \
	}

LABEL(dns1123_label, false, false)
LABEL(dns1123_label_prefix, true, false)
LABEL(dns1035_label, false, true)
LABEL(dns1035_label_prefix, true, true)
SUBDOMAIN(dns1123_subdomain, false)
SUBDOMAIN(dns1123_subdomain_prefix, true)

/* Letters, digits and "-_.", one of the first two at both ends. */
static bool is_name(const char *s)
{
	size_t n = strlen(s), good = 0;

	while (good < n && (isalnum((unsigned char)s[good]) || strchr(name_signs, s[good])))
		good++;
	return n > 0 && good == n && isalnum((unsigned char)*s) &&
	       isalnum((unsigned char)s[n - 1]);
}

static unsigned label_value(struct cel_run *r, const char *text, const char *wrong[2])
{
	unsigned n = add(wrong, 0, strlen(text) > LABEL_MAX, label_too_long);

	(void)r;
	return add(wrong, n, *text && !is_name(text),
		   "a valid label must be an empty string or consist of alphanumeric characters, "
		   "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
		   "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
		   "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

static const char no_qualified_name[] =
	"a qualified name must consist of alphanumeric characters, '-', '_' or '.', with an "
	"optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

static unsigned qualified_name(struct cel_run *r, const char *text, const char *wrong[2])
{
	const char *slash = strchr(text, '/'), *name = slash ? slash + 1 : text;
	size_t prefix = slash ? (size_t)(slash - text) : 1;
	unsigned n;

	(void)r;
	if (strchr(name, '/'))
		return add(wrong, 0, true, no_qualified_name);
	if (slash && (prefix == 0 || prefix > SUBDOMAIN_MAX || !is_subdomain(text, prefix)))
		return add(wrong, 0, true,
			   prefix == 0 ? "prefix part must be non-empty" :
					 "prefix part must be a lowercase RFC 1123 subdomain");
	n = add(wrong, 0, strlen(name) > LABEL_MAX, "name part must be no more than 63 characters");
	return add(wrong, n, !is_name(name), no_qualified_name);
}

/* -- the others -- */

static unsigned uri(struct cel_run *r, const char *text, const char *wrong[2])
{
	struct cel_url u;

	if (cel_charge(r, 1 + strlen(text)) < 0)
		return 0;
	return add(wrong, 0, !cel_url_read(&r->arena, text, &u), "invalid URI for request");
}

/* Eight, four, four, four and twelve digits; a '-' may be between them. */
static bool is_uuid(const char *s)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };

	if (strlen(s) > UUID_SIZE)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (i > 0 && *s == '-')
			s++;
		for (size_t k = 0; k < groups[i]; k++)
			if (!isxdigit((unsigned char)*s++))
				return false;
	}
	return !*s;
}

static unsigned uuid(struct cel_run *r, const char *text, const char *wrong[2])
{
	(void)r;
	return add(wrong, 0, !is_uuid(text), "does not match the UUID format");
}

static bool is_base64(const char *s)
{
	size_t n = strlen(s), good = 0, padding;

	while (isalnum((unsigned char)s[good]) || (s[good] && strchr("+/", s[good])))
		good++;
	padding = strspn(s + good, "=");
	return n > 0 && n % 4 == 0 && padding <= 2 && good + padding == n;
}

static unsigned byte(struct cel_run *r, const char *text, const char *wrong[2])
{
	(void)r;
	return add(wrong, 0, !is_base64(text), "invalid base64");
}

static unsigned date(struct cel_run *r, const char *text, const char *wrong[2])
{
	char full[sizeof("2006-01-02T00:00:00Z")];
	struct cel_moment m;
	bool is_good = strlen(text) == strlen("2006-01-02");

	(void)r;
	(void)snprintf(full, sizeof(full), "%.10sT00:00:00Z", text);
	return add(wrong, 0, !is_good || !cel_moment_read(full, &m), "invalid date");
}

static unsigned datetime(struct cel_run *r, const char *text, const char *wrong[2])
{
	struct cel_moment m;

	(void)r;
	return add(wrong, 0, !cel_moment_read(text, &m), "invalid datetime");
}

static const struct cel_format formats[] = {
	{ "dns1123Label", dns1123_label },
	{ "dns1123Subdomain", dns1123_subdomain },
	{ "dns1035Label", dns1035_label },
	{ "qualifiedName", qualified_name },
	{ "dns1123LabelPrefix", dns1123_label_prefix },
	{ "dns1123SubdomainPrefix", dns1123_subdomain_prefix },
	{ "dns1035LabelPrefix", dns1035_label_prefix },
	{ "labelValue", label_value },
	{ "uri", uri },
	{ "uuid", uuid },
	{ "byte", byte },
	{ "date", date },
	{ "datetime", datetime },
};

const struct cel_format *cel_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}
