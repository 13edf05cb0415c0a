/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - levelled key=value lines to stderr or a file */
#include "base/log.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const level_name[] = { "error", "warning", "info", "debug" };
static enum log_level max_level = LOG_LEVEL_WARNING;
static int log_fd = STDERR_FILENO;
static const char *ctx_id, *ctx_ifname;

int log_level_from_name(const char *name, enum log_level *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(level_name); i++)
		if (strcmp(name, level_name[i]) == 0) {
			*ret = (enum log_level)i;
			return 1;
		}
	if (strcmp(name, "panic") != 0)
		return 0;
	*ret = LOG_LEVEL_ERROR;
	return 1;
}

void log_context(const char *container_id, const char *ifname)
{
	ctx_id = container_id;
	ctx_ifname = ifname;
}

void log_set_level(enum log_level level)
{
	max_level = level;
}

int log_open(int root, const char *path, struct err *e)
{
	int fd = fs_open(root, path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open log file '%s'", path);
	if (log_fd != STDERR_FILENO)
		(void)close(log_fd);
	log_fd = fd;
	return 0;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[1280], now[32], text[1024];
	struct timespec ts;
	struct tm tm;
	va_list ap;
	int n;

	if (level > max_level)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	(void)clock_gettime(CLOCK_REALTIME, &ts);
	(void)strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%S", gmtime_r(&ts.tv_sec, &tm));
	n = snprintf(line, sizeof(line), "%s.%03ldZ level=%s id=%.64s if=%.15s %s\n", now,
		     ts.tv_nsec / 1000000, level_name[level], ctx_id ? ctx_id : "-",
		     ctx_ifname ? ctx_ifname : "-", text);
	if (n > 0)	/* one write a line; nowhere to complain when it fails */
		(void)!write(log_fd, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}
