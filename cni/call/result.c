/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - what we answer; the only writer of the plugin's stdout */
#include "cni/call/result.h"

#include "base/deadline.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/version.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MS	10000	/* how long the engine may take to read */

#define LAST_WORDS(version)                                                             \
	"{\"cniVersion\":\"" version "\",\"code\":5,\"msg\":\"the plugin crashed or ran " \
	"out of memory\",\"details\":\"DEL undoes what this call did\"}\n"

static bool answered;	/* one document a call */
static enum cni_version of_errors = CNI_1_1_0;
static char last_words[] = LAST_WORDS("1.1.0");	/* ready before there is trouble */

/*
 * A pipe that poll(2) calls writable takes PIPE_BUF bytes without blocking: so a reader that does
 * not read cannot hold us, nor a signal be lost in write(2).  After one, too, what fits is written.
 */
at_start static int put(const char *text, size_t len, struct err *e)
{
	struct deadline d = { .at_ms = 0 };

	while (len > 0) {
		struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
		ssize_t n;

		if (!deadline_poll_in(&d, ANSWER_MS, &p, 1))
			return deadline_error(ERR_IO, e, "write the result to stdout");
		n = write(STDOUT_FILENO, text, len < PIPE_BUF ? len : PIPE_BUF);
		if (n < 0 && errno != EINTR)
			return err_set(e, ERR_IO, errno, "write the result to stdout");
		if (n > 0) {
			answered = true;	/* and a second document would spoil it */
			text += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int put_json(const json_t *v, struct err *e)
{
	size_t len;
	auto_free char *text = jx_dump(v, &len);

	return put(text, len, e);
}

static json_t *interface_new(const struct result_parts *p)
{
	json_t *o = json_pack("{s:s, s:s}", "name", p->ifname, "sandbox", p->sandbox);

	if (p->mac)
		(void)json_object_set_new(o, "mac", json_string(p->mac));
	if (p->mtu > 0)
		(void)json_object_set_new(o, "mtu", json_integer(p->mtu));
	if (p->path)
		(void)json_object_set_new(o, "socketPath", json_string(p->path));
	if (p->pci_id)
		(void)json_object_set_new(o, "pciID", json_string(p->pci_id));
	return o;
}

/* The addresses are those of our interface. */
static json_t *ips_new(const json_t *from)
{
	json_t *list = json_deep_copy(from), *ip;
	size_t i;

	json_array_foreach(list, i, ip)
		(void)json_object_set_new(ip, "interface", json_integer(0));
	return list;
}

json_t *result_new(const struct result_parts *p)
{
	json_t *o = json_pack("{s:s, s:[o]}", "cniVersion", cni_version_name(CNI_1_1_0),
			      "interfaces", interface_new(p));

	if (json_array_size(p->ips) > 0)
		(void)json_object_set_new(o, "ips", ips_new(p->ips));
	if (json_array_size(p->routes) > 0)
		(void)json_object_set_new(o, "routes", json_deep_copy(p->routes));
	(void)json_object_set_new(o, "dns", p->dns ? json_deep_copy(p->dns) : json_object());
	return o;
}

int result_print(const json_t *result, struct err *e)
{
	return put_json(result, e);
}

/* One line of printable text: control characters become blanks. */
static json_t *one_line(const char *s)
{
	char text[sizeof(((struct err *)0)->details)];
	json_t *v;
	size_t i;

	for (i = 0; i < sizeof(text) - 1 && s[i]; i++)
		text[i] = (unsigned char)s[i] < ' ' || s[i] == 0x7f ? ' ' : s[i];
	text[i] = '\0';
	v = json_string(text);
	if (v)
		return v;
	for (i = 0; text[i]; i++)	/* not UTF-8, or cut within a character */
		if ((unsigned char)text[i] >= 0x80)
			text[i] = '?';
	return json_string(text);
}

void result_use_version(enum cni_version version)
{
	of_errors = version;
	(void)snprintf(last_words, sizeof(last_words), LAST_WORDS("%s"), cni_version_name(version));
}

void result_print_error(const struct err *e)
{
	json_auto_t *o = json_pack("{s:s, s:i, s:o}", "cniVersion", cni_version_name(of_errors),
				   "code", (int)e->code, "msg", one_line(e->msg));
	struct err ignored;

	if (*e->details)
		(void)json_object_set_new(o, "details", one_line(e->details));
	if (!answered)
		(void)put_json(o, &ignored);	/* the exit status still tells */
}

/* The name of a version needs no escape.  Returns the end. */
at_start static char *quote(char *to, const char *name)
{
	return stpcpy(stpcpy(stpcpy(to, "\""), name), "\"");
}

/* Without a JSON library: it is asked on each start of a runtime, and needs no memory so. */
at_start int result_print_version(enum cni_version v, struct err *e)
{
	char text[128 + 16 * CNI_VERSIONS];	/* of which a name takes 8 */
	char *to;

	to = stpcpy(text, "{\"cniVersion\":");
	to = quote(to, cni_version_name(v));
	to = stpcpy(to, ",\"supportedVersions\":[");
	for (int i = 0; i < CNI_VERSIONS; i++) {
		to = stpcpy(to, i ? "," : "");
		to = quote(to, cni_version_name((enum cni_version)i));
	}
	to = stpcpy(to, "]}\n");
	return put(text, (size_t)(to - text), e);
}

int result_print_program(struct err *e)
{
	static const char text[] = "devinfo " DEVINFO_VERSION "\n";

	return put(text, sizeof(text) - 1, e);
}

void result_last_words(void)
{
	if (!answered)
		(void)!write(STDOUT_FILENO, last_words, sizeof(last_words) - 1);
	answered = true;
}
