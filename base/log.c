/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - levelled key=value lines to stderr or a file */
#include "base/log.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STDERR_MS = 100 };	/* how long a reader of our stderr may pause */

static const char *const level_name[] = {
	[LOG_LEVEL_ERROR] = "error", [LOG_LEVEL_WARNING] = "warning", [LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

/* The administrator's log, and that of the network whose call it is. */
static struct sink {
	int fd;				/* -1: none */
	enum log_level level;
} node = { STDERR_FILENO, LOG_LEVEL_WARNING }, network = { -1, LOG_LEVEL_ERROR };

static const char *ctx_id, *ctx_ifname;

int log_level_from_name(const char *name, enum log_level *ret)
{
	static const struct {
		const char *name;
		enum log_level level;
	} others[] = { { "panic", LOG_LEVEL_ERROR }, { "verbose", LOG_LEVEL_DEBUG } };

	for (size_t i = 0; i < ARRAY_SIZE(level_name); i++)
		if (strcasecmp(name, level_name[i]) == 0) {
			*ret = (enum log_level)i;
			return 1;
		}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcasecmp(name, others[i].name) == 0) {
			*ret = others[i].level;
			return 1;
		}
	return 0;
}

void log_context(const char *container_id, const char *ifname)
{
	ctx_id = container_id;
	ctx_ifname = ifname;
}

void log_set_level(enum log_level level)
{
	node.level = level;
}

static void use(struct sink *sink, int fd)
{
	if (sink->fd > STDERR_FILENO)
		(void)close(sink->fd);
	sink->fd = fd;
}

int log_open(int root, const char *path, struct err *e)
{
	int fd = fs_open(root, path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open log file '%s'", path);
	use(&node, fd);
	return 0;
}

/* The name, of plain characters, of a file that is in dir itself; NULL when path is none. */
static const char *name_below(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	return strncmp(path, dir, len) == 0 && path[len] == '/' && name_is_cni_id(path + len + 1) ?
		       path + len + 1 : NULL;
}

int log_check_below(const char *dir, const char *path, struct err *e)
{
	return name_below(dir, path) ? 0 :
		err_set(e, ERR_NETCONF, 0, "logFile: '%.64s': expected a file in the node's "
			"logDir '%.64s'", path, dir);
}

int log_open_below(int root, const char *dir, const char *path, enum log_level level,
		   struct err *e)
{
	const char *name = name_below(dir, path);
	auto_close int at = -1, fd = -1;
	struct stat st;

	if (!name)
		return log_check_below(dir, path, e);
	at = fs_open_dir(root, dir, 0700, e);
	if (at < 0 || fs_check_own(at, dir, e) < 0)
		return -1;
	fd = fs_open_name(at, name, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "open log file '%.200s'", path);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return err_set(e, ERR_PERMISSION, 0, "log file '%.200s': expected a regular file "
			       "with one name", path);
	if (fs_check_own(fd, path, e) < 0)
		return -1;
	use(&network, steal_fd(&fd));
	network.level = level;
	return 0;
}

/*
 * One line in the making.  Where it is full it is cut: a value anywhere, which ends it, a key with
 * its pair.  The last two bytes are for what every line gets: a closing quote and its end.
 */
struct line {
	char text[2048];
	size_t len;
};

/* All of it, or nothing. */
static bool put_bytes(struct line *l, const char *s, size_t n)
{
	if (l->len + n > sizeof(l->text) - 2)
		return false;
	memcpy(l->text + l->len, s, n);
	l->len += n;
	return true;
}

/* There is room for one, and after it for the line's end alone. */
static void put_closing_quote(struct line *l)
{
	l->text[l->len++] = '"';
}

/* One byte of a value, within quotes: it can end neither them nor the line, whoever chose it. */
static bool put_char(struct line *l, unsigned char c)
{
	char text[5];

	if (c == '"' || c == '\\')
		(void)snprintf(text, sizeof(text), "\\%c", c);
	else if (c < ' ' || c > '~')
		(void)snprintf(text, sizeof(text), "\\x%02x", c);
	else
		(void)snprintf(text, sizeof(text), "%c", c);
	return put_bytes(l, text, strlen(text));
}

/* False when it was cut. */
static bool put_quoted(struct line *l, const char *s)
{
	for (; *s; s++)
		if (!put_char(l, (unsigned char)*s))
			return false;
	return true;
}

/* In quotes of its own where it needs some. */
static bool put_word(struct line *l, const char *s)
{
	bool plain = *s != '\0', whole;

	for (const char *p = s; *p; p++)
		plain &= *p > ' ' && *p <= '~' && !strchr("\"\\=", *p);
	if (plain)
		return put_quoted(l, s);
	if (!put_bytes(l, "\"", 1))
		return false;
	whole = put_quoted(l, s);
	put_closing_quote(l);
	return whole;
}

static bool put_value(struct line *l, bool quoted, const char *s)
{
	bool whole = quoted ? put_quoted(l, s) : put_word(l, s);

	if (!whole && quoted)
		put_closing_quote(l);
	return whole;
}

static void put_text(struct line *l, const char *fmt, va_list ap)
{
	size_t pair = l->len;		/* where the one at hand begins, with the blank before */
	bool quoted = false;
	char number[16];

	for (; *fmt; fmt++) {
		const char *s = number;

		if (*fmt == ' ' && !quoted)
			pair = l->len;
		if (*fmt == '"')
			quoted = !quoted;
		if (*fmt == '"' && !quoted) {
			put_closing_quote(l);
			continue;
		}
		if (*fmt != '%') {
			if (put_bytes(l, fmt, 1))
				continue;
			l->len = pair;
			return;
		}
		if (*++fmt == 's')
			s = va_arg(ap, const char *);
		else if (*fmt == 'd')
			(void)snprintf(number, sizeof(number), "%d", va_arg(ap, int));
		else if (*fmt == 'u')
			(void)snprintf(number, sizeof(number), "%u", va_arg(ap, unsigned int));
		else
			return;	/* log.h promises no other */
		if (!put_value(l, quoted, s ? s : ""))
			return;
	}
}

/*
 * The day after 1970-01-01 as year, month and day, by years that begin in March: the day that a
 * leap year has more is then the last one of it.  153 days are five months from March or August on.
 */
static void date_of(int64_t days, char ret[32])
{
	int64_t day = days + 719468;		/* since 0000-03-01 */
	int64_t era = day / 146097, of_era = day % 146097;	/* an era: 400 years */
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int month = (int)(5 * of_year + 2) / 153;
	int of_month = (int)of_year - (153 * month + 2) / 5;

	(void)snprintf(ret, 32, "%04d-%02d-%02d", (int)(era * 400 + year + (month >= 10)),
		       month < 10 ? month + 3 : month - 9, of_month + 1);
}

/* Not by gmtime_r(3): that reads the rules of the machine's own time, seven system calls. */
static void put_head(struct line *l, enum log_level level)
{
	char date[32], head[96], id[65];
	struct timespec ts;
	int second;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	second = (int)(ts.tv_sec % 86400);
	date_of(ts.tv_sec / 86400, date);
	(void)snprintf(head, sizeof(head), "%sT%02d:%02d:%02d.%03ldZ level=%s id=", date,
		       second / 3600, second / 60 % 60, second % 60, ts.tv_nsec / 1000000,
		       level_name[level]);
	(void)snprintf(id, sizeof(id), "%s", ctx_id && *ctx_id ? ctx_id : "-");
	(void)put_bytes(l, head, strlen(head));	/* all of this always fits */
	(void)put_word(l, id);
	(void)snprintf(id, sizeof(id), "%.15s", ctx_ifname && *ctx_ifname ? ctx_ifname : "-");
	(void)put_bytes(l, " if=", 4);
	(void)put_word(l, id);
	(void)put_bytes(l, " ", 1);
}

/*
 * O_NONBLOCK would be the engine's as well.  A pipe that poll(2) calls writable takes PIPE_BUF
 * bytes without blocking.  One that has not been read once is not waited for again.
 */
static bool only_text;

void log_pass_on_text_alone(void)
{
	only_text = true;
}

/* What a terminal may take for a command becomes '?'. */
static void make_text(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((text[i] < ' ' || text[i] > '~') && text[i] != '\n' && text[i] != '\t')
			text[i] = '?';
}

void log_pass_on(const char *text, size_t len)
{
	static bool stuck;
	char plain[PIPE_BUF];
	struct pollfd fds = { .fd = STDERR_FILENO, .events = POLLOUT };
	struct deadline d = deadline_firm_in(stuck ? 0 : STDERR_MS);

	stuck = !deadline_poll(&d, &fds, 1);
	if (only_text && len <= sizeof(plain)) {
		memcpy(plain, text, len);
		make_text(plain, len);
		text = plain;
	}
	if (!stuck)
		(void)!write(STDERR_FILENO, text, len);
}

/* One write a line; nowhere to complain if not. */
static void put_line(const struct sink *sink, enum log_level level, const struct line *l)
{
	if (sink->fd < 0 || level > sink->level)
		return;
	if (sink->fd == STDERR_FILENO)
		log_pass_on(l->text, l->len);
	else
		(void)!write(sink->fd, l->text, l->len);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	struct line l = { .len = 0 };
	va_list ap;

	if (level > node.level && (network.fd < 0 || level > network.level))
		return;
	put_head(&l, level);
	va_start(ap, fmt);
	put_text(&l, fmt, ap);
	va_end(ap);
	l.text[l.len++] = '\n';
	put_line(&node, level, &l);
	put_line(&network, level, &l);
}
