/* SPDX-License-Identifier: Apache-2.0 */
/* test_log.c - the log: levels, forms, files */
#include "base/err.h"
#include "base/log.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <sys/stat.h>
#include <time.h>

static void read_text(const char *dir, const char *name, char *ret, size_t size)
{
	char path[128];
	FILE *f;
	size_t n = 0;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (f) {
		n = fread(ret, 1, size - 1, f);
		(void)fclose(f);
	}
	ret[n] = '\0';
}

static void levels(void)
{
	enum log_level level = LOG_LEVEL_DEBUG;

	test("log levels have sriov-cni's names");
	ok(log_level_from_name("error", &level) == 1 && level == LOG_LEVEL_ERROR);
	ok(log_level_from_name("info", &level) == 1 && level == LOG_LEVEL_INFO);
	ok(log_level_from_name("panic", &level) == 1 && level == LOG_LEVEL_ERROR);
	test("... in any case, and its verbose is debug");
	ok(log_level_from_name("INFO", &level) == 1 && level == LOG_LEVEL_INFO);
	ok(log_level_from_name("Panic", &level) == 1 && level == LOG_LEVEL_ERROR);
	ok(log_level_from_name("verbose", &level) == 1 && level == LOG_LEVEL_DEBUG);
	ok(log_level_from_name("loud", &level) == 0 && level == LOG_LEVEL_DEBUG);
	ok(log_level_from_name("", &level) == 0);
}

/* What was logged since it was last asked for. */
static void logged(const struct fake_node *n, char text[8192])
{
	char path[80];

	read_text(n->dir, "log", text, 8192);
	(void)snprintf(path, sizeof(path), "%s/log", n->dir);
	(void)!truncate(path, 0);
}

/* key=word or key="text" and a blank, to the line's end. */
static bool is_pairs(const char *s)
{
	for (;;) {
		size_t key = strspn(s, "abcdefghijklmnopqrstuvwxyz");

		if (key == 0 || s[key] != '=')
			return false;
		s += key + 1;
		if (*s == '"')
			for (s++; *s != '"'; s++)
				if (!*s || *s == '\n' || (*s == '\\' && !*++s))
					return false;
		s += strcspn(s, " \n");
		if (*s++ != ' ')
			return s[-1] == '\n';
	}
}

static time_t pretended;		/* 0: the true time */

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	int r = __real_clock_gettime(clock, ret);

	if (clock == CLOCK_REALTIME && pretended)
		*ret = (struct timespec) { .tv_sec = pretended, .tv_nsec = 45678901 };
	return r;
}

static void log_at(const struct fake_node *n, time_t t, unsigned int *wrong)
{
	char text[8192], want[64];
	struct tm tm;

	pretended = t;
	log_info("msg=x");
	logged(n, text);
	(void)strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S.045Z ", gmtime_r(&t, &tm));
	*wrong += strncmp(text, want, strlen(want)) != 0;
}

/* The ends of the months of four hundred years, after which they repeat, as in the C library. */
static void dates(void)
{
	unsigned int wrong = 0;
	struct fake_node n;
	struct err e;

	test("the time is UTC, of any day");
	node_open(NULL, &n);
	log_set_level(LOG_LEVEL_INFO);
	ok(log_open(n.host.root, "/log", &e) == 0);
	for (int month = 1; month <= 400 * 12; month++) {
		struct tm first = { .tm_year = 70, .tm_mon = month, .tm_mday = 1 };
		time_t t = timegm(&first);

		log_at(&n, t, &wrong);
		log_at(&n, t - 1, &wrong);
	}
	ok(wrong == 0);
	pretended = 0;
	node_close(&n);
}

static void logging(void)
{
	char text[8192], path[80], longer[3000];
	struct fake_node n;
	struct stat st;
	struct err e;

	node_open(NULL, &n);
	test("C-PRC-06: the log file is private");
	(void)umask(0);
	ok(log_open(n.host.root, "/log", &e) == 0);
	(void)snprintf(path, sizeof(path), "%s/log", n.dir);
	ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);

	test("a line has time, level, container, interface and the text, which stays on one line");
	log_set_level(LOG_LEVEL_INFO);
	log_context("c0ffee", "net1");
	log_info("msg=\"%s\"", "one\ntwo\rthree");
	read_text(n.dir, "log", text, sizeof(text));
	ok(strlen(text) > 25 && text[10] == 'T' && text[23] == 'Z');
	eq(text + 24, " level=info id=c0ffee if=net1 msg=\"one\\x0atwo\\x0dthree\"\n");

	test("lines below the level are not written");
	log_debug("msg=hidden");
	read_text(n.dir, "log", text, sizeof(text));
	ok(!strstr(text, "hidden"));

	test("a value can end neither its quotes nor its line, and gets quotes if it needs some");
	logged(&n, text);
	log_info("msg=\"%s\" a=%s b=%s c=%s d=%d u=%u", "x\" id=\"y\\", "plain", "two words", "",
		 -1, 2U);
	logged(&n, text);
	eq(text + 24, " level=info id=c0ffee if=net1 msg=\"x\\\" id=\\\"y\\\\\" a=plain "
		      "b=\"two words\" c=\"\" d=-1 u=2\n");
	log_info("a=%s b=%s", "x\nlevel=error", "k=v");
	logged(&n, text);
	eq(text + 24,
	   " level=info id=c0ffee if=net1 a=\"x\\x0alevel=error\" b=\"k=v\"\n");

	test("nothing but printable ASCII reaches the log, from no byte");
	log_info("a=%s b=\"%s\"", "\x1b[2J\x7f",
		 "\xc2\x9b\xe2\x80\xa8\xe2\x80\xae\xff\xc3\xa9");
	logged(&n, text);
	eq(text + 24, " level=info id=c0ffee if=net1 a=\"\\x1b[2J\\x7f\" b=\"\\xc2\\x9b"
		      "\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xff\\xc3\\xa9\"\n");

	test("so do the container's id and the interface, which nobody has checked yet");
	log_context("c\nlevel=error", "a\"b");
	log_info("msg=x");
	logged(&n, text);
	eq(text + 24, " level=info id=\"c\\x0alevel=error\" if=\"a\\\"b\" msg=x\n");

	test("an unknown call is a dash, and a long line is cut, its quote and its end kept");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	log_context(NULL, "");
	log_error("msg=\"%s\" k=v", longer);
	logged(&n, text);
	ok(strncmp(text + 24, " level=error id=- if=- msg=\"xxx", 31) == 0);
	ok(strcspn(text, "\n") == 2047 && strstr(text, "xxx\"\n") != NULL);
	for (size_t len = 1960; len < 2048; len++) {	/* whichever of the next fits no more */
		longer[len] = '\0';
		log_error("msg=\"%s\" code=%d details=\"%s\"", longer, 7, "\xff");
		logged(&n, text);
		ok(strlen(text) <= 2048 && text[strlen(text) - 1] == '\n' && is_pairs(text + 25));
		longer[len] = 'x';
	}
	log_context(longer, longer);
	log_error("msg=x");
	logged(&n, text);
	ok(strlen(text) < 150 && strstr(text, "x if=xxxxxxxxxxxxxxx msg=x\n") != NULL);
	log_context(NULL, NULL);

	test("a log file that is a link, a directory or in no directory is an error");
	(void)snprintf(path, sizeof(path), "%s/link", n.dir);
	ok(symlink("log", path) == 0);
	ok(log_open(n.host.root, "/link", &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "open log file '/link'");
	ok(log_open(n.host.root, "/", &e) == -1);
	ok(log_open(n.host.root, "/none/log", &e) == -1);

	test("another log file takes over");
	ok(log_open(n.host.root, "/log2", &e) == 0);
	log_error("msg=moved");
	read_text(n.dir, "log2", text, sizeof(text));
	contains(text, "msg=moved");
	node_close(&n);
}

int main(void)
{
	levels();
	logging();
	dates();
	return tap_end();
}
