/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tally.c - calls are counted, by many at once, and no file can harm who counts: one that is
 * absent, short, another's, or something else
 */
#include "devinfo/tally/tally.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char root[] = "/dev/shm/tally.XXXXXX", file[64];

static struct host host_here(void)
{
	struct host h = { .set = settings_default };
	struct err e;

	if (host_open(root, &h, &e) < 0)
		exit(1);
	return h;
}

static uint64_t calls(const struct tally_verb *v)
{
	uint64_t n = 0;

	for (size_t i = 0; i <= TALLY_BOUNDS; i++)
		n += v->lasted[i];
	return n;
}

static void counting(const struct host *h)
{
	struct tally t = { .version = 0 };
	struct err e;

	test("without a file nothing is counted, and none is made");
	tally_note(h, "ADD", ERR_OK, 1);
	ok(tally_read(h, &t, &e) == 0 && access(file, F_OK) < 0);
	test("the daemon makes it, for root alone, and keeps one that is there");
	ok(tally_make(h, &e) == 1 && access(file, F_OK) == 0);
	tally_note(h, "ADD", ERR_OK, 4999);
	ok(tally_make(h, &e) == 1 && tally_read(h, &t, &e) == 1);
	eqi(calls(&t.verb[0]), 1);
	test("a call is counted by its verb, its time and its code");
	tally_note(h, "ADD", ERR_OK, 5000);
	tally_note(h, "ADD", ERR_DEVICE, 5001);
	tally_note(h, "DEL", ERR_IO, 30000000);
	tally_note(h, "STATUS", (enum err_code)77, 1);
	tally_note(h, "VERSION", ERR_OK, 1);
	ok(tally_read(h, &t, &e) == 1);
	eqi(t.verb[0].lasted[0], 2);
	eqi(t.verb[0].lasted[1], 1);
	eqi(t.verb[0].us, 4999 + 5000 + 5001);
	eqi(t.verb[0].failed[12], 1);
	eqi(tally_codes[12], ERR_DEVICE);
	eqi(t.verb[1].lasted[TALLY_BOUNDS], 1);
	eqi(t.verb[1].failed[3], 1);
	eqi(t.verb[4].failed[TALLY_CODES - 1], 1);
	eqi(calls(&t.verb[2]) + calls(&t.verb[3]), 0);
	test("each code of an error has its place");
	for (size_t i = 1; i < TALLY_CODES - 1; i++)
		ok(tally_codes[i - 1] < tally_codes[i]);
	eqi(tally_codes[TALLY_CODES - 2], ERR_INTERRUPTED);
}

/* Eight processes, each of which counts as many calls. */
static void together(const struct host *h)
{
	enum { CHILDREN = 8, EACH = 500 };
	struct tally before = { .version = 0 }, after = { .version = 0 };
	struct err e;

	test("of calls at once none is lost");
	ok(tally_read(h, &before, &e) == 1);
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0) {
			for (int n = 0; n < EACH; n++)
				tally_note(h, "CHECK", ERR_DRIFT, 3);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	ok(tally_read(h, &after, &e) == 1);
	eqi(calls(&after.verb[2]) - calls(&before.verb[2]), CHILDREN * EACH);
	eqi(after.verb[2].us - before.verb[2].us, CHILDREN * EACH * 3);
	eqi(after.verb[2].failed[11] - before.verb[2].failed[11], CHILDREN * EACH);
}

static void write_file(const void *data, size_t len, mode_t mode)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, mode);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len || fchmod(fd, mode) < 0 || close(fd) < 0)
		exit(1);
}

/* Nobody is harmed, nothing is counted, and the daemon puts a good one in its place. */
static void is_replaced(const struct host *h)
{
	struct tally t = { .version = 0 };
	struct err e;

	tally_note(h, "ADD", ERR_OK, 1);
	ok(tally_read(h, &t, &e) <= 0);
	ok(tally_make(h, &e) == 1 && tally_read(h, &t, &e) == 1);
	eqi(calls(&t.verb[0]), 0);
	(void)unlink(file);
}

static void hostile(const struct host *h)
{
	static const char target[] = "/dev/shm/tally.target";
	static char big[2 * sizeof(struct tally)];
	struct tally t = { .version = 0 };
	struct err e;

	(void)unlink(file);
	test("a file of another version is none");
	write_file(&t, sizeof(t), 0600);
	is_replaced(h);
	test("nor is an empty one, or one that was cut: no page of it is touched");
	write_file("", 0, 0600);
	is_replaced(h);
	write_file(big, 100, 0600);
	is_replaced(h);
	test("nor one that is longer, or that others may write");
	write_file(big, sizeof(big), 0600);
	is_replaced(h);
	ok(tally_make(h, &e) == 1 && chmod(file, 0666) == 0);
	is_replaced(h);
	test("a link is not followed");
	write_file(big, sizeof(t), 0600);
	ok(rename(file, target) == 0 && symlink(target, file) == 0);
	is_replaced(h);
	(void)unlink(target);
	test("a FIFO without a reader keeps nobody waiting");
	ok(mkfifo(file, 0600) == 0);
	is_replaced(h);
	test("a directory stands in the way, of the daemon alone");
	ok(mkdir(file, 0700) == 0);
	tally_note(h, "ADD", ERR_OK, 1);
	ok(tally_make(h, &e) == -1 && tally_read(h, &t, &e) == -1);
	(void)rmdir(file);
	test("numbers at their end turn over, and nothing else happens");
	ok(tally_make(h, &e) == 1 && tally_read(h, &t, &e) == 1);
	memset(t.verb, 0xff, sizeof(t.verb));
	write_file(&t, sizeof(t), 0600);
	tally_note(h, "ADD", ERR_IO, 1);
	ok(tally_read(h, &t, &e) == 1);
	eqi(t.verb[0].lasted[0], 0);
	eqi(t.verb[0].us, 0);
}

/* A page of a file of another file system may be refused when it is written to. */
static void elsewhere(struct host *h)
{
	char other[] = "/var/tmp/tally.XXXXXX";
	struct err e;

	test("where runDir is on no tmpfs nothing is made");
	host_done(h);
	ok(mkdtemp(other) && host_open(other, h, &e) == 0);
	eqi(tally_make(h, &e), 0);
	(void)unlinkat(h->root, "run/devinfo/calls", 0);
	(void)unlinkat(h->root, "run/devinfo", AT_REMOVEDIR);
	(void)unlinkat(h->root, "run", AT_REMOVEDIR);
	(void)rmdir(other);
}

int main(void)
{
	auto_host struct host h = { .root = -1 };

	if (!mkdtemp(root))
		return 1;
	(void)snprintf(file, sizeof(file), "%s/run/devinfo/calls", root);
	h = host_here();
	counting(&h);
	together(&h);
	hostile(&h);
	(void)unlinkat(h.root, "run/devinfo/calls", 0);
	(void)unlinkat(h.root, "run/devinfo", AT_REMOVEDIR);
	(void)unlinkat(h.root, "run", AT_REMOVEDIR);
	(void)rmdir(root);
	elsewhere(&h);
	return tap_end();
}
