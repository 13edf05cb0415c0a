/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - which names and values NFD lets a node have */
#include "manager/nfd/name.h"

#include "base/name.h"
#include "manager/number/quantity.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FEATURE_NS	NFD_LABEL_NS
#define PROFILE_NS	"profile.node.kubernetes.io"
#define DENIED_NS	"kubernetes.io"
#define DIGITS		"0123456789"
#define ALNUM		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS

enum { PART_MAX = 63, PREFIX_MAX = 253, NANO = 1000000000 };

void nfd_name_full(const char *name, char ret[NFD_NAME_MAX + 1])
{
	(void)snprintf(ret, NFD_NAME_MAX + 1, "%s%s", strchr(name, '/') ? "" : FEATURE_NS "/",
		       name);
}

/* A name without prefix, or the value of a label that is not empty. */
static bool is_part(const char *s)
{
	size_t len = strlen(s);

	return len >= 1 && len <= PART_MAX && strspn(s, ALNUM "-_.") == len &&
	       strchr(ALNUM, s[0]) && strchr(ALNUM, s[len - 1]);
}

/* The namespace, which has so many bytes, or one below it. */
static bool is_within(const char *ns, size_t len, const char *of)
{
	size_t of_len = strlen(of);

	return len >= of_len && memcmp(ns + len - of_len, of, of_len) == 0 &&
	       (len == of_len || ns[len - of_len - 1] == '.');
}

/* `what` is "label", `own` and `other` are the namespaces of kubernetes.io that it may be in. */
static int check_ns(const char *what, const char *name, const char *own, const char *other,
		    struct err *e)
{
	const char *slash = strchr(name, '/');
	size_t len;

	if (!slash || slash == name)
		return err_set(e, ERR_NETCONF, 0, "%s '%.96s': a name without a prefix is not "
			       "allowed, write %s/%.63s", what, name, own, name);
	len = (size_t)(slash - name);
	if (!is_within(name, len, DENIED_NS) || is_within(name, len, own) ||
	    (other && is_within(name, len, other)))
		return 0;
	return err_set(e, ERR_NETCONF, 0, "%s '%.96s': of the namespace " DENIED_NS " only %s%s%s "
		       "and what is below %s may be used", what, name, own, other ? ", " : "",
		       other ? other : "", other ? "them" : "it");
}

/* IsQualifiedName(): a DNS subdomain, '/', and a name. */
static int check_name(const char *what, const char *name, struct err *e)
{
	const char *slash = strchr(name, '/'), *part = slash ? slash + 1 : name;
	char ns[PREFIX_MAX + 2];

	(void)snprintf(ns, sizeof(ns), "%.*s", (int)(slash ? slash - name : 0), name);
	if (slash && !name_is_dns_subdomain(ns))
		return err_set(e, ERR_NETCONF, 0, "%s '%.96s': the prefix is no DNS subdomain of "
			       "at most %d lower case letters, digits, '-' and '.'", what, name,
			       PREFIX_MAX);
	if (!is_part(part))
		return err_set(e, ERR_NETCONF, 0, "%s '%.96s': expected a name of 1 to %d letters, "
			       "digits, '-', '_' and '.', a letter or digit first and last", what,
			       name, PART_MAX);
	return 0;
}

static int check_value(const char *what, const char *name, const char *value, struct err *e)
{
	if (!*value || is_part(value))
		return 0;
	return err_set(e, ERR_NETCONF, 0, "%s '%.64s': value '%.70s': expected up to %d letters, "
		       "digits, '-', '_' and '.', a letter or digit first and last", what, name,
		       value, PART_MAX);
}

/* As nfd-master compares: "*" is the beginning of a name, be it in the middle of a word. */
static bool fits(const char *ns, const char *pattern)
{
	const char *end = pattern + strspn(pattern, "*");
	size_t len = strlen(ns), end_len = strlen(end);

	if (end == pattern)
		return strcmp(ns, pattern) == 0;
	return len >= end_len && strcmp(ns + len - end_len, end) == 0;
}

static bool is_denied(const json_t *denied, const char *ns)
{
	size_t len = strlen(ns), i;
	const json_t *v;

	if (is_within(ns, len, FEATURE_NS) || is_within(ns, len, PROFILE_NS))
		return false;
	json_array_foreach(denied, i, v)
		if (fits(ns, json_string_value(v)))
			return true;
	return false;
}

static bool is_extra(const json_t *extra, const char *ns)
{
	const json_t *v;
	size_t i;

	json_array_foreach(extra, i, v)
		if (strcmp(json_string_value(v), ns) == 0)
			return true;
	return false;
}

int nfd_check_label_of(const struct nfd_namespaces *namespaces, const char *name,
		       const char *value, struct err *e)
{
	const char *slash = strchr(name, '/');
	char ns[PREFIX_MAX + 2];

	(void)snprintf(ns, sizeof(ns), "%.*s", (int)(slash ? slash - name : 0), name);
	if (check_name("label", name, e) < 0)
		return -1;
	if (slash && is_extra(namespaces->extra, ns))
		return check_value("label", name, value, e);
	if (check_ns("label", name, FEATURE_NS, PROFILE_NS, e) < 0)
		return -1;
	if (is_denied(namespaces->denied, ns))
		return err_set(e, ERR_NETCONF, 0, "label '%.96s': nfd-master's denyLabelNs has "
			       "its namespace", name);
	return check_value("label", name, value, e);
}

int nfd_check_label(const char *name, const char *value, struct err *e)
{
	return nfd_check_label_of(&(struct nfd_namespaces){ NULL, NULL }, name, value, e);
}

int nfd_check_label_form(const char *name, const char *value, struct err *e)
{
	return check_name("label", name, e) < 0 ? -1 : check_value("label", name, value, e);
}

int nfd_check_annotation(const char *name, const char *value, struct err *e)
{
	if (check_name("annotation", name, e) < 0 ||
	    check_ns("annotation", name, FEATURE_NS, NULL, e) < 0)
		return -1;
	if (strlen(value) > NFD_ANNOTATION_MAX)
		return err_set(e, ERR_NETCONF, 0, "annotation '%.96s': a value of %zu bytes, "
			       "allowed are %d", name, strlen(value), NFD_ANNOTATION_MAX);
	return 0;
}

int nfd_check_extended_resource(const char *name, const char *value, struct err *e)
{
	struct quantity q;
	struct err ignored;

	if (check_name("extended resource", name, e) < 0 ||
	    check_ns("extended resource", name, FEATURE_NS, NULL, e) < 0)
		return -1;
	if (quantity_parse(value, &q, &ignored) < 0)
		return err_set(e, ERR_NETCONF, 0, "extended resource '%.96s': value '%.64s': "
			       "expected a quantity, such as 3 or 2Gi", name, value);
	return 0;
}

/* It knows fractions of its own resources alone. */
int nfd_admit_extended_resource(const char *name, const char *value, struct err *e)
{
	struct quantity q;

	if (quantity_parse(value, &q, e) < 0)
		return -1;
	if (q.nano >= 0 && (q.nano % NANO == 0 || strstr(name, DENIED_NS "/")))
		return 0;
	return err_set(e, ERR_NETCONF, 0, "extended resource '%.96s': value '%.64s': a node has no "
		       "negative numbers and no fractions of one", name, value);
}

static bool is_effect(const char *s)
{
	return strcmp(s, "NoSchedule") == 0 || strcmp(s, "PreferNoSchedule") == 0 ||
	       strcmp(s, "NoExecute") == 0;
}

int nfd_admit_taint(const char *key, const char *value, struct err *e)
{
	return check_name("taint", key, e) < 0 ? -1 : check_value("taint", key, value, e);
}

int nfd_check_taint(const char *key, const char *effect, struct err *e)
{
	if (check_ns("taint", key, FEATURE_NS, NULL, e) < 0)
		return -1;
	if (is_effect(effect))
		return 0;
	return err_set(e, ERR_NETCONF, 0, "taint '%.96s': effect '%.32s': expected NoSchedule, "
		       "PreferNoSchedule or NoExecute", key, effect);
}
