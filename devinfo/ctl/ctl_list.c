/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_list.c - devinfoctl list: who has which device?
 *
 * Straight from the journal, one line an attachment, in the order of the devices.
 * It only reads, so it tells what was written, not whether the owner still lives.  A record that is
 * damaged, or another version's, has a line as well, with as much of its owner as is known.
 */
#include "devinfo/ctl/ctl.h"

#include "base/mem.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/socket_mount.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct lines {
	char **line;		/* owned, and so is each */
	size_t n;
	unsigned int damaged, unread;
	bool sockets;		/* one of them has a socket in socketDir */
};

static void lines_done(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->line[i]);
	free(l->line);
}

static int add_line(struct lines *l, struct err *e, const char *fmt, ...) printflike(3, 4);
static int add_line(struct lines *l, struct err *e, const char *fmt, ...)
{
	char **more = reallocarray(l->line, l->n + 1, sizeof(*more));
	va_list ap;
	int len;

	if (!more)
		return err_set(e, ERR_IO, ENOMEM, "list the journal");
	l->line = more;
	va_start(ap, fmt);
	len = vasprintf(&l->line[l->n], fmt, ap);
	va_end(ap);
	if (len < 0)
		return err_set(e, ERR_IO, ENOMEM, "list the journal");
	l->n++;
	return 0;
}

static int add_record(const struct record *r, void *arg, struct err *e)
{
	struct lines *l = arg;

	l->sockets |= *r->socket.path && !r->socket.from_plugin;
	return add_line(l, e, "%-13s %-15s %-16s %-15s %s %s", record_device_name(r),
			r->netdev.present ? r->netdev.name : "-", r->owner.network,
			r->owner.ifname, r->owner.container_id,
			r->released ? "released" : r->owner.netns);
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static int add_bad(const struct journal_bad *b, void *arg, struct err *e)
{
	struct lines *l = arg;
	char what[48] = "damaged";

	if (b->unread)
		(void)snprintf(what, sizeof(what), "cannot be read");
	if (b->version)
		(void)snprintf(what, sizeof(what), "version %d", b->version);
	l->damaged += !b->version && !b->unread;
	l->unread += b->unread;
	return add_line(l, e, "%-13s %-15s %-16s %-15s %s %s", or_dash(b->device), "-",
			or_dash(b->network), or_dash(b->ifname), or_dash(b->container_id), what);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum ctl_status ctl_list(const struct host *host, const struct ctl_options *opt,
			 char *const *operands)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_with(lines_done) struct lines l = { 0 };
	struct err e = { 0 };
	char weak[512];
	int r = journal_open(host, JOURNAL_READ, &j, &e);

	(void)opt;
	(void)operands;
	if (r < 0 || (r > 0 && (journal_each(&j, add_record, &l, &e) < 0 ||
				journal_each_bad(&j, add_bad, &l, &e) < 0)))
		return ctl_error(&e);
	if (l.n > 0)
		qsort(l.line, l.n, sizeof(*l.line), compare_lines);
	(void)printf("%-13s %-15s %-16s %-15s %s\n", "DEVICE", "HOST NAME", "NETWORK", "INTERFACE",
		     "CONTAINER AND NAMESPACE");
	for (size_t i = 0; i < l.n; i++) {
		ctl_put_text(stdout, l.line[i]);
		(void)putchar('\n');
	}
	if (l.sockets && socket_mount_is_weak(host, weak))
		(void)fprintf(stderr, "devinfoctl: warning: %s\n", weak);
	if (l.damaged)
		(void)fprintf(stderr, "devinfoctl: %u damaged records, whose devices are given to "
				      "nobody: see devinfo(8)\n", l.damaged);
	return l.damaged || l.unread ? CTL_FAILED : CTL_OK;
}
