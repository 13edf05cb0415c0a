/* SPDX-License-Identifier: Apache-2.0 */
/*
 * option.c - the command line's options are read
 *
 * One table, of which each command takes some (main.c).  What they are for is in help.c.
 */
#include "manager/ctl/option.h"

#include "base/mac.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/nearest.h"
#include "manager/ctl/help.h"

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_absolute(const char *s)
{
	return *s == '/';
}

static bool is_side(const char *s)
{
	return strcmp(s, "app") == 0 || strcmp(s, "peer") == 0;
}

static bool is_mac(const char *s)
{
	uint8_t mac[MAC_LEN];

	return mac_parse(s, mac) && mac_is_unicast(mac);
}

/* Without sign, blank or a leading zero, for it is passed on as it is. */
static bool is_number(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= 10 && !s[digits] && (*s != '0' || digits == 1) &&
	       strtoull(s, NULL, 10) <= UINT32_MAX;
}

static bool is_seconds(const char *s)
{
	return is_number(s) && strcmp(s, "0") != 0;
}

/* Pairs of them. */
static bool is_queues(const char *s)
{
	return is_number(s) && strcmp(s, "0") != 0 && strtoull(s, NULL, 10) <= UINT16_MAX;
}

static bool is_memory(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= 10 && *s != '0' &&
	       (!s[digits] || (strchr("KMGT", s[digits]) && !s[digits + 1]));
}

/* Seconds, or milliseconds as "500ms". */
static bool is_reconnect(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= 6 && *s != '0' &&
	       (!s[digits] || strcmp(s + digits, "ms") == 0);
}

static bool is_output(const char *s)
{
	return strcmp(s, "table") == 0 || strcmp(s, "wide") == 0 || strcmp(s, "json") == 0 ||
	       strcmp(s, "name") == 0;
}

static bool is_color(const char *s)
{
	return strcmp(s, "auto") == 0 || strcmp(s, "always") == 0 || strcmp(s, "never") == 0;
}

/* Milliseconds, at most 10 minutes. */
static bool is_timeout(const char *s)
{
	return is_number(s) && strcmp(s, "0") != 0 && strtoull(s, NULL, 10) <= 600000;
}

/* As Kubernetes gives them to objects: a UUID in lower case. */
static bool is_uid(const char *s)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t i = 0;

	while (form[i] && (form[i] == '-' ? s[i] == '-' :
					    s[i] && strchr("0123456789abcdef", s[i])))
		i++;
	return !form[i] && !s[i];
}

/* It takes no value. */
static bool is_bare(const char *s)
{
	return !*s;
}

/* What is told of a value that has not its form. */
static const struct {
	bool (*is)(const char *s);
	const char *must;
} forms[] = {
	{ name_is_resource, "a resource, as intel.com/netdev" },
	{ name_is_file, "a name without blanks and '/'" },
	{ name_is_request, "REQUEST or REQUEST/SUBREQUEST" },
	{ name_is_device_id, "the id of a device" },
	{ name_is_cni_id, "the name of a network" },
	{ name_is_ifname, "the name of an interface" },
	{ is_side, "app or peer" },
	{ is_absolute, "an absolute path" },
	{ is_mac, "a unicast Ethernet address" },
	{ is_number, "0 to 4294967295" },
	{ is_seconds, "1 to 4294967295 seconds" },
	{ is_queues, "1 to 65535" },
	{ is_memory, "a number, and K, M, G or T" },
	{ is_reconnect, "seconds, or milliseconds as 500ms" },
	{ is_output, "table, wide, json or name" },
	{ is_color, "auto, always or never" },
	{ is_uid, "a UID as kubectl get node NAME -o jsonpath={.metadata.uid} prints it" },
	{ is_timeout, "1 to 600000 milliseconds" },
};

static const struct text_option {
	int c;				/* in a command's list of what it takes */
	const char *name;
	size_t offset;			/* in struct arguments */
	bool (*is)(const char *s);	/* its form; NULL: any */
} text_options[] = {
	{ 'R', "resource", offsetof(struct arguments, opt.resource), name_is_resource },
	{ 'p', "pod", offsetof(struct arguments, opt.pod), NULL },
	{ 'u', "uid", offsetof(struct arguments, opt.uid), name_is_file },
	{ 'c', "claim", offsetof(struct arguments, opt.claim), name_is_file },
	{ 'q', "request", offsetof(struct arguments, opt.request), name_is_request },
	{ 'g', "device", offsetof(struct arguments, opt.device), name_is_device_id },
	{ 'n', "network", offsetof(struct arguments, opt.network), name_is_cni_id },
	{ 'i', "interface", offsetof(struct arguments, opt.interface), name_is_ifname },
	{ 'S', "side", offsetof(struct arguments, opt.side), is_side },
	{ 'P', "path", offsetof(struct arguments, opt.path), is_absolute },
	{ 'm', "mac", offsetof(struct arguments, opt.mac), is_mac },
	{ 'I', "id", offsetof(struct arguments, opt.id), is_number },
	{ 'f', "secret-file", offsetof(struct arguments, opt.secret_file), NULL },
	{ 'x', "index", offsetof(struct arguments, opt.index), is_number },
	{ 'Q', "queues", offsetof(struct arguments, opt.queues), is_queues },
	{ 'M', "memory", offsetof(struct arguments, opt.memory), is_memory },
	{ 't', "reconnect", offsetof(struct arguments, opt.reconnect), is_reconnect },
	{ 'y', "dry-run", offsetof(struct arguments, opt.dry_run), is_bare },
	{ 'j', "json", offsetof(struct arguments, opt.json), is_bare },
	{ 'o', "output", offsetof(struct arguments, opt.output), is_output },
	{ 'C', "color", offsetof(struct arguments, opt.color), is_color },
	{ 'e', "match", offsetof(struct arguments, opt.match), NULL },
	{ 'l', "pool", offsetof(struct arguments, opt.pool), NULL },
	{ 'T', "timeout", offsetof(struct arguments, opt.timeout), is_timeout },
	{ 'L', "list", offsetof(struct arguments, opt.list), is_bare },
	{ 'W', "why", offsetof(struct arguments, opt.why), is_bare },
	{ 'w', "raw", offsetof(struct arguments, opt.raw), is_bare },
	{ 'X', "remove", offsetof(struct arguments, opt.remove), is_bare },
	{ 'E', "expires", offsetof(struct arguments, opt.expires), is_seconds },
	{ 'a', "api", offsetof(struct arguments, opt.api), NULL },
	{ 'k', "kubernetes", offsetof(struct arguments, opt.kubernetes), NULL },
	{ 'D', "driver", offsetof(struct arguments, opt.driver), NULL },
	{ 'N', "node-name", offsetof(struct arguments, opt.node_name), NULL },
	{ 'U', "node-uid", offsetof(struct arguments, opt.node_uid), is_uid },
	{ 'z', "slices", offsetof(struct arguments, opt.slices), NULL },
	{ 'F', "features", offsetof(struct arguments, opt.features), NULL },
	{ 'O', "overrides", offsetof(struct arguments, opt.overrides), NULL },
	{ 'v', "annotation", offsetof(struct arguments, opt.annotation), is_bare },
	{ 'A', "pod-file", offsetof(struct arguments, opt.pod_file), NULL },
	{ 'r', "root", offsetof(struct arguments, root), NULL },
	{ 'd', "devinfo-dir", offsetof(struct arguments, devinfo_dir), is_absolute },
	{ 's', "state-dir", offsetof(struct arguments, state_dir), is_absolute },
};

static const char **value_of(const struct text_option *o, struct arguments *args)
{
	return (const char **)(void *)((char *)args + o->offset);
}

static bool is_given(const struct text_option *o, const struct arguments *args)
{
	return *(const char *const *)(const void *)((const char *)args + o->offset) != NULL;
}

static const char *must_of(bool (*is)(const char *s))
{
	size_t i = 0;

	while (i < ARRAY_SIZE(forms) && forms[i].is != is)
		i++;
	return i < ARRAY_SIZE(forms) ? forms[i].must : "no value";
}

static enum ctl_status take_text(int c, const char *value, struct arguments *ret)
{
	const struct text_option *o = text_options;

	while (o->c != c)	/* getopt_long returns none that is not there */
		o++;
	if (o->is && !o->is(value))
		return ctl_usage("--%s cannot be '%s': expected %s", o->name, value,
				 must_of(o->is));
	*value_of(o, ret) = value;
	return CTL_OK;
}

/* getopt_long has said what is wrong; a name that nobody knows may be near to one. */
static enum ctl_status tell_nearest(const char *given)
{
	const char *names[ARRAY_SIZE(text_options) + 2] = { "help", "version" }, *near;
	auto_free char *word = NULL;

	if (strncmp(given, "--", 2) != 0)
		return CTL_USAGE;
	for (size_t i = 0; i < ARRAY_SIZE(text_options); i++)
		names[i + 2] = text_options[i].name;
	word = strndup(given + 2, strcspn(given + 2, "="));
	near = word ? nearest_word(word, names, ARRAY_SIZE(names)) : NULL;
	if (near && strcmp(near, word) != 0)
		ctl_put_line(stderr, "devinfoctl: did you mean --%s?", near);
	return CTL_USAGE;
}

static enum ctl_status take_option(int c, const char *value, const char *given,
				   struct arguments *ret)
{
	switch (c) {
	case 'h':
		ret->help = true;
		return CTL_OK;
	case 'V':
		ret->version = true;
		return CTL_OK;
	case '?':
		return tell_nearest(given);
	default:
		return take_text(c, value, ret);
	}
}

enum ctl_status ctl_option_parse(int argc, char **argv, struct arguments *ret)
{
	enum { TEXTS = ARRAY_SIZE(text_options) };
	struct option options[TEXTS + 3] = {
		[TEXTS] = { "help", no_argument, NULL, 'h' },
		[TEXTS + 1] = { "version", no_argument, NULL, 'V' },
	};
	enum ctl_status status = CTL_OK;
	int c;

	for (size_t i = 0; i < TEXTS; i++)
		options[i] = (struct option){
			text_options[i].name,
			text_options[i].is == is_bare ? no_argument : required_argument, NULL,
			text_options[i].c,
		};
	while (status == CTL_OK && (c = getopt_long(argc, argv, "ho:", options, NULL)) != -1)
		status = take_option(c, optarg ? optarg : "", argv[optind - 1], ret);
	return status;
}

enum ctl_status ctl_option_check(const char *takes, const char *command,
				 const struct arguments *args)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_options); i++)
		if (is_given(&text_options[i], args) && !strchr(takes, text_options[i].c))
			return ctl_usage("--%s is not for %s", text_options[i].name, command);
	return CTL_OK;
}

void ctl_option_put_help(FILE *to, const char *takes, const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_options); i++)
		if (strchr(takes, text_options[i].c))
			ctl_help_put_option(to, text_options[i].name, command);
}
