/* SPDX-License-Identifier: Apache-2.0 */
/* network_selection.c - which networks a pod asks for, by its annotations */
#include "devinfo/network/network_selection.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/nearest.h"
#include "conf/key.h"
#include "netlink/ip.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { PATH_SIZE = 64, INNER_PATH_SIZE = 128 };	/* of an element, and of what is in it */

/* -- forms -- */

/*
 * So many bytes, or as many as `or`, as Go's ParseMAC takes them: pairs of digits with ':' or '-'
 * between them, or fours with '.'.
 */
static bool take_address(const char *text, size_t bytes, size_t or, char ret[NETWORK_MAC_TEXT])
{
	size_t group = strcspn(text, ":-."), digits = 0, len = 0, i;
	char sep = text[group], made[NETWORK_MAC_TEXT];

	if (!sep || group != (sep == '.' ? 4 : 2))
		return false;
	for (i = 0; text[i]; i++) {
		if (i % (group + 1) == group) {
			if (text[i] != sep)
				return false;
			continue;
		}
		if (!isxdigit((unsigned char)text[i]) || digits == 2 * (bytes > or ? bytes : or))
			return false;
		if (digits > 0 && digits % 2 == 0)
			made[len++] = ':';
		made[len++] = (char)tolower((unsigned char)text[i]);
		digits++;
	}
	if (i % (group + 1) != group || (digits != 2 * bytes && digits != 2 * or))
		return false;
	made[len] = '\0';
	memcpy(ret, made, len + 1);
	return true;
}

/* Of Ethernet, or of IP over InfiniBand. */
static bool take_mac(const char *text, void *ret)
{
	return take_address(text, 6, 20, ret);
}

static bool take_guid(const char *text, void *ret)
{
	return take_address(text, 8, 8, ret);
}

static bool is_ip(const char *text)
{
	struct ip ip;

	return ip_parse(text, &ip);
}

static bool is_ip_or_prefix(const char *text)
{
	struct ip_prefix p;

	return is_ip(text) || prefix_parse(text, &p);
}

static bool is_protocol(const char *text)
{
	static const char *const protocols[] = { "tcp", "udp", "sctp" };

	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++)
		if (strcasecmp(text, protocols[i]) == 0)
			return true;
	return false;
}

/* -- keys -- */

#define TO(member)	KEY_AT(struct network_selection, member)

static const struct conf_key keys[] = {
	{ "name", KEY_TEXT, 0, TO(name), .fits = name_is_dns_subdomain,
	  .must = "the name of a NetworkAttachmentDefinition, without its namespace" },
	{ "namespace", KEY_TEXT, 0, TO(namespace), .fits = name_is_dns_label,
	  .must = "a namespace" },
	{ "interface", KEY_TEXT, 0, TO(interface), .fits = name_is_ifname,
	  .must = "the name of an interface, of 15 bytes at most" },
	{ "mac", KEY_FORM, 0, TO(mac), .take = take_mac,
	  .must = "an address of 6 or 20 bytes, as 02:00:00:00:00:01" },
	{ "infiniband-guid", KEY_FORM, 0, TO(guid), .take = take_guid,
	  .must = "8 bytes, as 02:00:00:00:00:00:00:01" },
	{ "ips", KEY_TEXTS, 0, TO(ips), .fits = is_ip_or_prefix,
	  .must = "an IP address, with or without a prefix length" },
	{ "default-route", KEY_TEXTS, 0, TO(default_route), .fits = is_ip,
	  .must = "the IP address of a gateway" },
	KEY_ROW("portMappings", KEY_OTHER, 0),
	{ "bandwidth", KEY_OBJECT, 0, TO(bandwidth) },
	{ "cni-args", KEY_OBJECT, 0, TO(cni_args) },
	{ "deviceID", KEY_TEXT, 0, TO(device_id), .fits = name_is_device_id,
	  .must = "the id of a device" },
	KEY_END
};

struct port_mapping {
	int host, container;		/* 0: not said */
	const char *protocol, *ip;
};

static const struct conf_key port_keys[] = {
	{ "hostPort", KEY_INT, 0, KEY_AT(struct port_mapping, host), .min = 1, .max = 65535 },
	{ "containerPort", KEY_INT, 0, KEY_AT(struct port_mapping, container), .min = 1,
	  .max = 65535 },
	{ "protocol", KEY_TEXT, 0, KEY_AT(struct port_mapping, protocol), .fits = is_protocol,
	  .must = "tcp, udp or sctp" },
	{ "hostIP", KEY_TEXT, 0, KEY_AT(struct port_mapping, ip), .fits = is_ip,
	  .must = "an IP address" },
	KEY_END
};

/* Their values are the plugin's to judge. */
static const struct conf_key bandwidth_keys[] = {
	{ "ingressRate", KEY_INT, 0, .max = INT64_MAX },
	{ "ingressBurst", KEY_INT, 0, .max = INT64_MAX },
	{ "egressRate", KEY_INT, 0, .max = INT64_MAX },
	{ "egressBurst", KEY_INT, 0, .max = INT64_MAX },
	KEY_END
};

/* -- an element -- */

struct reader {
	const struct network_pod *pod;
	void (*warn)(const char *text, void *arg);
	void *arg;
	struct network_selections *to;
	bool has_gateway4, has_gateway6;
};

static size_t names_of(const struct conf_key *k, const char *names[ARRAY_SIZE(keys)])
{
	size_t n = 0;

	for (; k->name; k++)
		names[n++] = k->name;
	return n;
}

static void warn_unknown(const struct reader *r, const json_t *o, const char *path,
			 const char *const *names, size_t n)
{
	char hint[NEAREST_HINT], text[256];
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, key, v) {
		size_t i = 0;

		while (i < n && strcasecmp(key, names[i]) != 0)
			i++;
		if (i < n || strchr(key, '.'))
			continue;
		nearest_hint(key, names, n, hint);
		(void)snprintf(text, sizeof(text), "%s.%.64s: unknown key%s", path, key, hint);
		r->warn(text, r->arg);
	}
}

/* Whoever writes annotations has tried them with Go, which reads keys in any case. */
static int read_keys(const struct reader *r, json_t *o, const char *path,
		     const struct conf_key *of, void *ret, struct err *e)
{
	const char *names[ARRAY_SIZE(keys)];
	size_t n = names_of(of, names);

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			       jx_type_name(o));
	warn_unknown(r, o, path, names, n);
	jx_fold_keys(o, names, n);
	return key_read(o, path, of, ret, e);
}

static int read_ports(const struct reader *r, const json_t *o, const char *path,
		      const json_t **ret, struct err *e)
{
	json_t *list = NULL, *v;
	char at[INNER_PATH_SIZE];
	size_t i;
	int found = jx_array(o, path, "portMappings", &list, e);

	json_array_foreach(list, i, v) {
		struct port_mapping m = { 0 };

		(void)snprintf(at, sizeof(at), "%s.portMappings[%zu]", path, i);
		if (read_keys(r, v, at, port_keys, &m, e) < 0)
			return -1;
		if (!m.host || !m.container)
			return err_set(e, ERR_NETCONF, 0, "%s.%s: missing", at,
				       m.host ? "containerPort" : "hostPort");
	}
	*ret = list;
	return found < 0 ? -1 : 0;
}

static int read_bandwidth(const struct reader *r, const json_t *o, const char *path, struct err *e)
{
	json_t *v = json_object_get(o, "bandwidth");
	char at[INNER_PATH_SIZE], unused;

	(void)snprintf(at, sizeof(at), "%s.bandwidth", path);
	return json_is_object(v) ? read_keys(r, v, at, bandwidth_keys, &unused, e) : 0;
}

/* A pod has one default route of each family, whichever network it is by. */
static int count_gateways(struct reader *r, const json_t *list, const char *path, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		bool is_4 = !strchr(json_string_value(v), ':');
		bool *has = is_4 ? &r->has_gateway4 : &r->has_gateway6;

		if (*has)
			return err_set(e, ERR_NETCONF, 0, "%s.default-route: a second gateway of "
				       "IPv%d, of all networks", path, is_4 ? 4 : 6);
		*has = true;
	}
	return 0;
}

static int check_element(struct reader *r, const struct network_selection *s, const char *path,
			 struct err *e)
{
	if (!s->name)
		return err_set(e, ERR_NETCONF, 0, "%s.name: missing", path);
	if (s->ips && json_array_size(s->ips) == 0)
		return err_set(e, ERR_NETCONF, 0, "%s.ips: expected at least one address", path);
	if (s->is_default && s->interface && strcmp(s->interface, r->pod->ifname) != 0)
		return err_set(e, ERR_NETCONF, 0, "%s.interface: that of the default network is "
			       "%s, as the runtime says", path, r->pod->ifname);
	return count_gateways(r, s->default_route, path, e);
}

static int read_element(struct reader *r, json_t *v, const char *path, bool is_default,
			struct err *e)
{
	struct network_selection *s = &r->to->list[r->to->n];

	*s = (struct network_selection){
		.namespace = is_default ? DEFAULT_NETWORK_NAMESPACE : r->pod->namespace,
		.is_default = is_default,
	};
	if (read_keys(r, v, path, keys, s, e) < 0 ||
	    read_ports(r, v, path, &s->port_mappings, e) < 0 ||
	    read_bandwidth(r, v, path, e) < 0 || check_element(r, s, path, e) < 0)
		return -1;
	r->to->n++;
	return 0;
}

/* -- a list of them -- */

static const char *trim(const char *s, size_t *len)
{
	static const char blanks[] = " \t\r\n\v\f";

	while (*len > 0 && strchr(blanks, *s)) {
		s++;
		(*len)--;
	}
	while (*len > 0 && strchr(blanks, s[*len - 1]))
		(*len)--;
	return s;
}

static void put_part(json_t *o, const char *key, const char *s, size_t len)
{
	s = trim(s, &len);
	(void)json_object_set_new(o, key, json_stringn(s, len));
}

/* "[NAMESPACE/]NAME[@INTERFACE]"; an empty part is absent, as Multus has it. */
static json_t *split_name(const char *s, size_t len)
{
	const char *slash = memchr(s, '/', len), *name = slash ? slash + 1 : s, *end = s + len;
	const char *at = memchr(name, '@', (size_t)(end - name));
	json_t *o;

	if (memchr(name, '/', (size_t)(end - name)) ||
	    (at && memchr(at + 1, '@', (size_t)(end - at - 1))))
		return NULL;
	o = json_object();
	if (slash)
		put_part(o, "namespace", s, (size_t)(slash - s));
	put_part(o, "name", name, (size_t)((at ? at : end) - name));
	if (at)
		put_part(o, "interface", at + 1, (size_t)(end - at - 1));
	return o;
}

/* "a, ns/b@net5": the same elements as a list in JSON has; at most one more than is allowed. */
static json_t *split_names(const char *text, const char *annotation, struct err *e)
{
	json_auto_t *list = json_array();

	for (const char *s = text, *end;; s = end + 1) {
		json_t *element;

		end = strchrnul(s, ',');
		element = split_name(s, (size_t)(end - s));
		if (!element) {
			(void)err_set(e, ERR_NETCONF, 0, "invalid %s[%zu] '%.*s': must be "
				      "[NAMESPACE/]NAME[@INTERFACE]", annotation,
				      json_array_size(list), end - s < 64 ? (int)(end - s) : 64, s);
			return NULL;
		}
		(void)json_array_append_new(list, element);
		if (!*end || json_array_size(list) > NETWORKS_MAX)
			return steal_ptr(&list);
	}
}

/* By the characters that Multus goes by. */
static json_t *parse(const char *text, size_t len, const char *annotation, struct err *e)
{
	json_auto_t *list = strpbrk(text, "[{\"") ?
				    jx_parse(text, len, ERR_NETCONF, annotation, e) :
				    split_names(text, annotation, e);

	if (!list || json_is_array(list))
		return steal_ptr(&list);
	(void)err_set(e, ERR_NETCONF, 0, "%s: expected a list, got %s", annotation,
		      jx_type_name(list));
	return NULL;
}

static int read_list(struct reader *r, json_t *list, const char *annotation, bool is_default,
		     struct err *e)
{
	size_t n = json_array_size(list), max = is_default ? 1 : NETWORKS_MAX, i;
	struct network_selection *more;
	char path[PATH_SIZE];
	json_t *v;

	if (n > max)
		return err_set(e, ERR_NETCONF, 0, "%s: expected at most %zu network%s, got more",
			       annotation, max, max == 1 ? "" : "s");
	more = reallocarray(r->to->list, r->to->n + n + 1, sizeof(*more));
	if (!more)
		return err_set(e, ERR_IO, ENOMEM, "%s", annotation);
	r->to->list = more;
	(void)json_array_extend(r->to->elements, list);
	json_array_foreach(list, i, v) {
		(void)snprintf(path, sizeof(path), "%s[%zu]", annotation, i);
		if (read_element(r, v, path, is_default, e) < 0)
			return -1;
	}
	return 0;
}

static int read_annotation(struct reader *r, const char *annotation, bool is_default,
			   struct err *e)
{
	json_auto_t *list = NULL;
	const char *text = NULL;
	size_t len;
	int found = jx_string(r->pod->annotations, "", annotation, &text, e);

	if (found <= 0 || !text[strspn(text, " \t\r\n")])
		return found < 0 ? -1 : 0;
	len = strlen(text);
	if (len > NETWORKS_BYTES_MAX)
		return err_set(e, ERR_NETCONF, 0, "%s: has %zu bytes, at most %d are allowed",
			       annotation, len, NETWORKS_BYTES_MAX);
	list = parse(text, len, annotation, e);
	return list ? read_list(r, list, annotation, is_default, e) : -1;
}

/* -- interfaces -- */

static int check_ifname(const struct network_selections *to, size_t at, const char *own,
			struct err *e)
{
	const char *ifname = to->list[at].ifname;
	size_t i = 0;

	while (i < at && strcmp(to->list[i].ifname, ifname) != 0)
		i++;
	if (i == at && (to->list[at].is_default || strcmp(ifname, own) != 0))
		return 0;
	return err_set(e, ERR_NETCONF, 0, "%s: network %s/%s gets the interface %s, which is that "
		       "of %s%s%s already", NETWORKS_ANNOTATION, to->list[at].namespace,
		       to->list[at].name, ifname,
		       i < at ? to->list[i].namespace : "the default network", i < at ? "/" : "",
		       i < at ? to->list[i].name : "");
}

/* net3 is the third of the list, also where the second has another name. */
static int name_interfaces(const struct reader *r, struct err *e)
{
	struct network_selections *to = r->to;
	size_t number = 0;

	for (size_t i = 0; i < to->n; i++) {
		struct network_selection *s = &to->list[i];

		number += !s->is_default;
		if (s->is_default)
			(void)snprintf(s->ifname, sizeof(s->ifname), "%s", r->pod->ifname);
		else if (s->interface)
			(void)snprintf(s->ifname, sizeof(s->ifname), "%s", s->interface);
		else
			(void)snprintf(s->ifname, sizeof(s->ifname), "net%zu", number);
		if (check_ifname(to, i, r->pod->ifname, e) < 0)
			return -1;
	}
	return 0;
}

int network_selections_read(const struct network_pod *pod,
			    void (*warn)(const char *text, void *arg), void *arg,
			    struct network_selections *ret, struct err *e)
{
	struct network_selections to = { .elements = json_array() };
	struct reader r = { .pod = pod, .warn = warn, .arg = arg, .to = &to };

	if (read_annotation(&r, DEFAULT_NETWORK_ANNOTATION, true, e) == 0 &&
	    read_annotation(&r, NETWORKS_ANNOTATION, false, e) == 0 &&
	    name_interfaces(&r, e) == 0) {
		*ret = to;
		return 0;
	}
	network_selections_done(&to);
	return -1;
}

void network_selections_done(struct network_selections *s)
{
	free(s->list);
	json_decref(s->elements);
	*s = (struct network_selections){ 0 };
}
