/* SPDX-License-Identifier: Apache-2.0 */
/* tally.c - the file that counts calls of the plugin */
#include "devinfo/tally/tally.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <time.h>

#define NAME "calls"

static const uint64_t version = 0x31594c4c4154;	/* "TALLY1" */

const char *const tally_verbs[TALLY_VERBS] = { "ADD", "DEL", "CHECK", "GC", "STATUS" };
const unsigned int tally_bounds_ms[TALLY_BOUNDS] = {
	5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000,
};
const int tally_codes[TALLY_CODES - 1] = {
	ERR_VERSION, ERR_UNKNOWN_CONTAINER, ERR_ENV, ERR_IO, ERR_DECODE,
	ERR_NETCONF, ERR_NETNS, ERR_TRY_AGAIN, ERR_UNAVAILABLE, ERR_LIMITED, ERR_PERMISSION,
	ERR_DRIFT, ERR_DEVICE, ERR_BUSY, ERR_NETLINK, ERR_PODRES, ERR_DEVINFO, ERR_DELEGATE,
	ERR_INTERRUPTED,
};

uint64_t tally_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* -- adding -- */

static void add(uint64_t *to, uint64_t n)
{
	(void)__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static void count(struct tally_verb *v, enum err_code code, uint64_t us)
{
	size_t bound = 0, of = 0;

	while (bound < TALLY_BOUNDS && us > (uint64_t)tally_bounds_ms[bound] * 1000)
		bound++;
	while (of < TALLY_CODES - 1 && tally_codes[of] != (int)code)
		of++;
	add(&v->lasted[bound], 1);
	add(&v->us, us);
	if (code != ERR_OK)
		add(&v->failed[of], 1);
}

/* Could this be one, as far as can be told without its content? */
static bool is_whole(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && fs_is_own(&st) &&
	       st.st_size == sizeof(struct tally);
}

/* The mapping ends with the process, which ends. */
static struct tally *map(const struct host *host)
{
	char path[PATH_MAX];
	auto_close int fd = -1;
	void *at;

	if (snprintf(path, sizeof(path), "%s/" NAME, host->set.run_dir) >= (int)sizeof(path))
		return NULL;
	fd = fs_open(host->root, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0 || !is_whole(fd))
		return NULL;
	at = mmap(NULL, sizeof(struct tally), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

void tally_note(const struct host *host, const char *verb, enum err_code code, uint64_t us)
{
	struct tally *t = map(host);

	for (size_t i = 0; t && t->version == version && i < TALLY_VERBS; i++)
		if (strcmp(tally_verbs[i], verb) == 0)
			count(&t->verb[i], code, us);
}

/* -- the daemon's side -- */

static int read_in(int dir, struct tally *ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = fs_read_own_file(dir, NAME, sizeof(*ret), &text, &len, e);

	if (r <= 0)
		return r;
	if (len == sizeof(*ret))
		memcpy(ret, text, sizeof(*ret));
	return len == sizeof(*ret) && ret->version == version ?
		       1 : err_set(e, ERR_DECODE, 0, "'" NAME "' does not count calls");
}

int tally_read(const struct host *host, struct tally *ret, struct err *e)
{
	auto_close int dir = -1;
	int r = fs_find_dir(host->root, host->set.run_dir, &dir, e);

	return r <= 0 ? r : read_in(dir, ret, e);
}

int tally_make(const struct host *host, struct err *e)
{
	auto_close int dir = fs_open_dir(host->root, host->set.run_dir, 0755, e);
	const struct tally zero = { .version = version };
	struct tally found;
	struct statfs fs;

	if (dir < 0)
		return -1;
	if (fstatfs(dir, &fs) < 0)
		return err_set(e, ERR_IO, errno, "look at '%s'", host->set.run_dir);
	if (fs.f_type != TMPFS_MAGIC)
		return 0;
	if (read_in(dir, &found, e) > 0)
		return 1;
	return fs_write_file(dir, NAME, &zero, sizeof(zero), 0600, FS_THIS_BOOT, e) < 0 ? -1 : 1;
}
