/* SPDX-License-Identifier: Apache-2.0 */
/*
 * say.c - texts for people: lines, errors, and what is waited for
 *
 * Most of what is told was written by others: names, files, what kubelet and plugins answer.  It
 * must not speak to the terminal.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void ctl_put_text(FILE *to, const char *text)
{
	for (const char *s = text; *s; s++)
		if (*s >= ' ' && *s <= '~')
			(void)fputc(*s, to);
		else
			(void)fprintf(to, "\\x%02x", (unsigned char)*s);
}

printflike(2, 0)
static void put_formatted(FILE *to, const char *fmt, va_list ap)
{
	auto_free char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	ctl_put_text(to, text ? text : "out of memory");
}

void ctl_put_line(FILE *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_formatted(to, fmt, ap);
	va_end(ap);
	(void)fputc('\n', to);
}

/* To the administrator all is told. */
void ctl_put_err(FILE *to, const struct err *e)
{
	bool has_more = *e->details || *e->private;

	ctl_put_line(to, "%s%s%s%s%s%s", e->msg, has_more ? " (" : "", e->details,
		     *e->details && *e->private ? "; " : "", e->private, has_more ? ")" : "");
}

enum ctl_status ctl_error(const struct err *e)
{
	(void)fputs("devinfoctl: ", stderr);
	ctl_put_err(stderr, e);
	if ((e->sys == EACCES || e->sys == EPERM) && geteuid() != 0)
		(void)fputs("devinfoctl: it has to be run as root for that\n", stderr);
	return CTL_FAILED;
}

enum ctl_status ctl_wrong(const struct err *e)
{
	(void)ctl_error(e);
	return CTL_USAGE;
}

enum ctl_status ctl_usage(const char *fmt, ...)
{
	va_list ap;

	(void)fputs("devinfoctl: ", stderr);
	va_start(ap, fmt);
	put_formatted(stderr, fmt, ap);
	va_end(ap);
	(void)fputs("; see 'devinfoctl help'\n", stderr);
	return CTL_USAGE;
}

/* -- waiting -- */

static char awaited[64];

static void on_second(int sig)
{
	(void)sig;
	(void)!write(STDERR_FILENO, awaited, strlen(awaited));
}

void ctl_await(const char *whom)
{
	const struct sigaction sa = { .sa_handler = on_second, .sa_flags = SA_RESTART };

	(void)snprintf(awaited, sizeof(awaited), "devinfoctl: waiting for %.30s...\n", whom);
	(void)sigaction(SIGALRM, &sa, NULL);
	(void)alarm(1);
}

void ctl_await_end(void)
{
	(void)alarm(0);
}
