/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_log.c - values in the log: container, interface, and two more, with a zero byte between them
 *
 * What comes out is one line of printable ASCII, and its pairs say what was put in.
 */
#include "base/log.h"
#include "tests/fuzz/scratch.h"

enum { LINE_MAX_BYTES = 2048 };

static char text_of[LINE_MAX_BYTES + 2];

static void read_line(void)
{
	static int fd = -1;
	ssize_t n;

	if (fd < 0)
		fd = openat(scratch_dir(), "log", O_RDWR | O_CLOEXEC);
	n = pread(fd, text_of, sizeof(text_of) - 1, 0);
	must(fd >= 0 && n > 0 && n <= LINE_MAX_BYTES && ftruncate(fd, 0) == 0);
	text_of[n] = '\0';
	must(text_of[n - 1] == '\n');
	text_of[n - 1] = '\0';
	for (const char *p = text_of; p < text_of + n - 1; p++)
		must(*p >= ' ' && *p <= '~');
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	must(at);
	return (int)(at - digits);
}

/* One byte of a value, which *p moves behind. */
static char unescape(const char **p)
{
	if (**p != '\\')
		return *(*p)++;
	if ((*p)[1] != 'x') {
		must((*p)[1] == '"' || (*p)[1] == '\\');
		*p += 2;
		return (*p)[-1];
	}
	*p += 4;
	return (char)(hex((*p)[-2]) << 4 | hex((*p)[-1]));
}

/* " key=value": false at the end of the line; what is left of the line was cut. */
static bool take_pair(const char **p, const char *key, const char *want, bool last)
{
	bool quoted;
	size_t n = 0;

	if (!**p)
		return false;
	must(*(*p)++ == ' ' && strncmp(*p, key, strlen(key)) == 0 && (*p)[strlen(key)] == '=');
	*p += strlen(key) + 1;
	quoted = **p == '"';
	for (*p += quoted; **p && **p != (quoted ? '"' : ' '); n++)
		must(unescape(p) == want[n]);
	must(!quoted || *(*p)++ == '"');
	must(!want[n] || (!**p && last));
	return true;
}

static void log_remove(void)
{
	(void)scratch_unlink("log");
}

static void fuzz_one(const char *text, size_t len)
{
	static const char none[] = "";
	auto_free char *copy = calloc(1, len + 4);
	const char *value[4], *p = copy;
	char id[65], ifname[16];
	static int root = -1;
	struct err e;

	must(copy);
	memcpy(copy, text, len);
	for (size_t i = 0; i < ARRAY_SIZE(value); i++) {
		value[i] = p <= copy + len ? p : none;
		p += strlen(value[i]) + 1;
	}
	if (root < 0) {
		scratch_write("log", "", 0);
		root = scratch_dir();
		must(log_open(root, "/log", &e) == 0);
		must(atexit(log_remove) == 0);
	}
	log_context(value[0], value[1]);
	log_error("msg=\"%s\" plain=%s code=%d end=\"%s\"", value[2], value[3], -7, value[2]);
	read_line();
	(void)snprintf(id, sizeof(id), "%s", *value[0] ? value[0] : "-");
	(void)snprintf(ifname, sizeof(ifname), "%s", *value[1] ? value[1] : "-");
	p = strchr(text_of, ' ');
	must(p && take_pair(&p, "level", "error", false) && take_pair(&p, "id", id, false));
	must(take_pair(&p, "if", ifname, false) && take_pair(&p, "msg", value[2], true));
	if (take_pair(&p, "plain", value[3], true) && take_pair(&p, "code", "-7", true) &&
	    take_pair(&p, "end", value[2], true))
		accepted();
	must(!*p);
	log_context(NULL, NULL);
}
