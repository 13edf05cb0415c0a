/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - which strings of others may become identifiers or file names */
#include "base/name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char alnum[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* All of s is made of letters, digits and extra. */
static bool made_of(const char *s, const char *extra)
{
	for (; *s; s++)
		if (!strchr(alnum, *s) && !strchr(extra, *s))
			return false;
	return true;
}

static bool is_dots(const char *s)
{
	return strcmp(s, ".") == 0 || strcmp(s, "..") == 0;
}

bool name_is_cni_id(const char *s)
{
	return *s && strchr(alnum, *s) && made_of(s, "_.-");
}

bool name_is_ifname(const char *s)
{
	size_t len = strlen(s);

	if (len < 1 || len > 15 || is_dots(s))
		return false;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		/* U+0085 and U+00A0 are white space for Go: refuse what they begin with in UTF-8 */
		if (c <= ' ' || c == 0x7f || strchr("/:%", c) ||
		    (c == 0xc2 && ((unsigned char)s[1] == 0x85 || (unsigned char)s[1] == 0xa0)))
			return false;
	}
	return true;
}

bool name_is_file(const char *s)
{
	size_t len = strlen(s);

	if (len < 1 || len > 255 || is_dots(s))
		return false;
	for (; *s; s++)
		if (*s == '/' || iscntrl((unsigned char)*s))
			return false;
	return true;
}

bool name_is_device_id(const char *s)
{
	size_t len = strlen(s);

	if (len < 1 || len > 253 || *s == '.' || *s == '/' || !made_of(s, "_.:/-"))
		return false;
	return !strstr(s, "..") && !strstr(s, "/.") && !strstr(s, "//") && s[len - 1] != '/';
}

bool name_is_resource(const char *s)
{
	size_t len = strlen(s);
	const char *slash = strchr(s, '/');

	if (len < 1 || len > 253 || !made_of(s, "_./-") || strstr(s, "..") || *s == '.' ||
	    *s == '/')
		return false;
	return !slash || (!strchr(slash + 1, '/') && slash[1] && slash[1] != '.');
}

static bool is_label(const char *s, size_t len)
{
	return len > 0 && s[0] != '-' && s[len - 1] != '-' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") >= len;
}

bool name_is_dns_label(const char *s)
{
	size_t len = strlen(s);

	return len <= 63 && is_label(s, len);
}

bool name_is_dns_subdomain(const char *s)
{
	if (strlen(s) > 253)
		return false;
	for (const char *dot; (dot = strchr(s, '.')); s = dot + 1)
		if (!is_label(s, (size_t)(dot - s)))
			return false;
	return is_label(s, strlen(s));
}

bool name_is_bdf(const char *s)
{
	size_t domain = strspn(s, "0123456789abcdefABCDEF");
	const char *p = s + domain;

	return domain >= 4 && domain <= 8 && strlen(p) == 8 && p[0] == ':' &&
	       isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2]) && p[3] == ':' &&
	       isxdigit((unsigned char)p[4]) && isxdigit((unsigned char)p[5]) && p[6] == '.' &&
	       p[7] >= '0' && p[7] <= '7';
}

bool name_to_bdf(const char *id, char ret[NAME_BDF_SIZE])
{
	bool devlink = strncmp(id, "pci/", 4) == 0;
	char bdf[NAME_BDF_SIZE];
	size_t n = 0;

	if (devlink || strncmp(id, "pci:", 4) == 0)
		id += 4;
	for (; n < sizeof(bdf) - 1 && id[n] && id[n] != '/'; n++)
		bdf[n] = (char)tolower((unsigned char)id[n]);
	bdf[n] = '\0';
	if (!name_is_bdf(bdf))
		return false;
	if (id[n] && (!devlink || !id[n + 1] ||
		      strspn(id + n + 1, "0123456789") != strlen(id + n + 1)))
		return false;
	memcpy(ret, bdf, sizeof(bdf));
	return true;
}

bool name_ids_equal(const char *a, const char *b)
{
	char a_bdf[NAME_BDF_SIZE], b_bdf[NAME_BDF_SIZE];

	return strcmp(a, b) == 0 ||
	       (name_to_bdf(a, a_bdf) && name_to_bdf(b, b_bdf) && strcmp(a_bdf, b_bdf) == 0);
}

bool name_is_request(const char *s)
{
	const char *slash = strchr(s, '/');
	char head[256];

	if (!slash)
		return name_is_file(s);
	if (strlen(s) >= sizeof(head))
		return false;
	(void)snprintf(head, sizeof(head), "%.*s", (int)(slash - s), s);
	return name_is_file(head) && name_is_file(slash + 1);
}

const char *name_bdf_hint(const char *s, char buf[NAME_BDF_HINT])
{
	static const char what[] = ": the domain is missing, ";
	int n = snprintf(buf, NAME_BDF_HINT, "%s0000:%s?", what, s);

	if (n < 0 || n >= NAME_BDF_HINT)
		return "";
	buf[n - 1] = '\0';
	if (!name_is_bdf(buf + strlen(what)))
		return "";
	buf[n - 1] = '?';
	return buf;
}

bool name_is_numbered(const char *s, const char *prefix)
{
	size_t len = strlen(prefix), digits;

	if (strncmp(s, prefix, len) != 0)
		return false;
	digits = strspn(s + len, "0123456789");
	return digits >= 1 && digits <= 9 && !s[len + digits] && (s[len] != '0' || digits == 1);
}

uint64_t name_hash(uint64_t h, const char *s)
{
	if (h == 0)
		h = UINT64_C(0xcbf29ce484222325);
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h;
}

void name_to_file(const char *text, char ret[256])
{
	size_t len = strlen(text), head = len < 238 ? len : 238;

	while (head > 0 && ((unsigned char)text[head] & 0xc0) == 0x80)
		head--;		/* half a character of UTF-8 cannot be said in JSON */
	if (len > 255 || len == 0 || is_dots(text))
		(void)snprintf(ret, 256, "%.*s-%016" PRIx64, (int)head, text, name_hash(0, text));
	else
		memcpy(ret, text, len + 1);
	for (char *p = ret; *p; p++)
		if (*p == '/')
			*p = '-';
}
