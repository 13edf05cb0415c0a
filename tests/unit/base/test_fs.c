/* SPDX-License-Identifier: Apache-2.0 */
/* test_fs.c - files below a root, proper and hostile ones, and the locks */
#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/mem.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct fake_node n;
static int dir = -1;		/* n.dir/d, for the (dir, name) functions */

static void sh(const char *command)
{
	node_sh(&n, command);
}

static bool holds(const char *condition)
{
	return node_holds(&n, condition);
}

static void reading_lines(void)
{
	char buf[64] = "before", small[4];
	struct err e;

	sh("mkdir -p sys/class/net && printf 'one\\ntwo\\n' >sys/class/net/line && : >sys/empty &&"
	   " printf bare >sys/bare && mkdir out && echo secret >out/x && ln -s /out/x sys/abs &&"
	   " ln -s ../../../../../../etc/hostname sys/up && ln -s loop sys/loop");

	test("a line is read without its newline");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/class/%s/line", "net") == 1);
	eq(buf, "one");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/bare") == 1);
	eq(buf, "bare");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/empty") == 1);
	eq(buf, "");
	test("a line longer than the buffer is cut");
	ok(fs_read_line(n.host.root, small, sizeof(small), &e, "/sys/bare") == 1);
	eq(small, "bar");

	test("what is absent gives 0");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/none") == 0);
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/bare/below") == 0);

	test("an absolute link stays inside the root, and dot-dot cannot leave it");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/abs") == 1);
	eq(buf, "secret");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/up") == 0);
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/../../../../../etc/hostname") == 0);

	test("a loop of links and a path that is too long are errors that name the path");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys/loop") == -1 && e.sys == ELOOP);
	eq(e.msg, "open '/sys/loop'");
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/%05000d", 1) == -1 &&
	   e.sys == ENAMETOOLONG);
	ok(fs_readlink_base(n.host.root, buf, sizeof(buf), &e, "/%05000d", 1) == -1);
	ok(fs_exists(n.host.root, &e, "/%05000d", 1) == -1);
	ok(fs_read_line(n.host.root, buf, sizeof(buf), &e, "/sys") == -1 && e.sys == EISDIR);
}

static void reading_links(void)
{
	auto_close int sys = fs_open(n.host.root, "/sys", O_PATH | O_DIRECTORY, 0);
	char buf[64] = "before", small[4];
	struct err e;

	sh("ln -s ../../bus/drivers/igbvf sys/driver && ln -s igb sys/short && ln -s x link");
	test("the last component of a link's target is read");
	ok(fs_readlink_base(n.host.root, buf, sizeof(buf), &e, "/sys/%s", "driver") == 1);
	eq(buf, "igbvf");
	ok(fs_readlink_base(n.host.root, buf, sizeof(buf), &e, "/sys/short") == 1);
	eq(buf, "igb");
	test("what is no link, or absent, gives 0; a small buffer is an error");
	ok(fs_readlink_base(n.host.root, buf, sizeof(buf), &e, "/sys/bare") == 0);
	ok(fs_readlink_base(n.host.root, buf, sizeof(buf), &e, "/sys/none") == 0);
	ok(fs_readlink_base(n.host.root, small, sizeof(small), &e, "/sys/driver") == -1);

	test("the same of a name in an open directory, which is no way out of it");
	ok(fs_readlink(sys, buf, sizeof(buf), &e, "driver") == 1);
	eq(buf, "../../bus/drivers/igbvf");
	ok(fs_readlink(sys, buf, sizeof(buf), &e, "bare") == 0);
	ok(fs_readlink(sys, buf, sizeof(buf), &e, "none") == 0);
	ok(fs_readlink(sys, buf, sizeof(buf), &e, "..") == 0);
	ok(fs_readlink(sys, buf, sizeof(buf), &e, "../link") == 0);
	ok(fs_readlink(sys, small, sizeof(small), &e, "driver") == -1 && e.sys == ENAMETOOLONG);
	eq(e.msg, "read link 'driver'");

	test("existence is that of what the path leads to");
	ok(fs_exists(n.host.root, &e, "/sys/%s", "bare") == 1);
	ok(fs_exists(n.host.root, &e, "/sys") == 1);
	ok(fs_exists(n.host.root, &e, "/sys/driver") == 0);
	ok(fs_exists(n.host.root, &e, "/sys/loop") == -1);
}

static int count(const char *name, void *arg, struct err *e)
{
	(void)e;
	++*(int *)arg;
	return strcmp(name, "stop") == 0 ? 7 : 0;
}

static int fail(const char *name, void *arg, struct err *e)
{
	(void)arg;
	return err_set(e, ERR_DEVICE, 0, "visited %s", name);
}

static void listing(void)
{
	struct err e;
	int seen = 0;

	sh("mkdir list stop && touch list/a list/b list/.c stop/stop");
	test("each name of a directory is visited once, without the dots");
	ok(fs_each(n.host.root, "/list", count, &seen, &e) == 0 && seen == 3);
	test("a visit that is not 0 ends the walk and is its result");
	ok(fs_each(n.host.root, "/stop", count, &seen, &e) == 7);
	ok(fs_each(n.host.root, "/stop", fail, NULL, &e) == -1);
	eq(e.msg, "visited stop");
	test("an absent directory has no names, a loop is an error");
	seen = 0;
	ok(fs_each(n.host.root, "/nolist", count, &seen, &e) == 0 && seen == 0);
	ok(fs_each(n.host.root, "/sys/loop", count, &seen, &e) == -1);
}

static void directories(void)
{
	struct err e;
	int fd;

	test("C-PRC-06: a directory is made with its mode, its parents 755, whatever the umask");
	(void)umask(0777);
	fd = fs_open_dir(n.host.root, "/var/lib/cni/x", 0700, &e);
	ok(fd >= 0);
	(void)close(fd);
	(void)umask(022);
	ok(holds("\"$(stat -c %a var/lib/cni/x)\" = 700"));
	ok(holds("\"$(stat -c %a var/lib)\" = 755"));
	test("one that is there keeps its mode");
	sh("mkdir -m 755 kept");
	fd = fs_open_dir(n.host.root, "/kept", 0700, &e);
	ok(fd >= 0 && holds("\"$(stat -c %a kept)\" = 755"));
	(void)close(fd);
	test("one below a file cannot be made");
	ok(fs_open_dir(n.host.root, "/sys/bare/x", 0700, &e) == -1 && e.code == ERR_IO);
	ok(fs_open_dir(n.host.root, "/none/..", 0700, &e) == -1);
	test("slashes at the end do not matter");
	fd = fs_open_dir(n.host.root, "/none//", 0700, &e);
	ok(fd >= 0 && holds("-d none"));
	(void)close(fd);
	test("one that need not be there is found, or is absent, as is a file of its name");
	ok(fs_find_dir(n.host.root, "/none", &fd, &e) == 1 && fd >= 0);
	(void)close(fd);
	fd = -1;
	ok(fs_find_dir(n.host.root, "/nowhere", &fd, &e) == 0);
	ok(fs_find_dir(n.host.root, "/sys/bare", &fd, &e) == 0);
	ok(fs_find_dir(n.host.root, "/sys/bare/x", &fd, &e) == 0 && fd == -1);
	test("what cannot be looked at is an error");
	ok(fs_find_dir(n.host.root, "/sys/loop", &fd, &e) == -1 && e.sys == ELOOP);
	eq(e.msg, "open directory '/sys/loop'");
	test("a dangling link is not followed to make a directory elsewhere");
	sh("ln -s /elsewhere dangling");
	ok(fs_open_dir(n.host.root, "/dangling", 0700, &e) == -1 && holds("! -e elsewhere"));
	fd = fs_open_dir(n.host.root, "/d", 0700, &e);
	ok(fd >= 0);
	dir = fd;
}

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", n.dir, name);
	return path;
}

static void reading_files(void)
{
	auto_free char *text = NULL;
	size_t len = 0;
	struct err e;

	sh("printf 'four' >d/file && : >d/empty && ln -s file d/link && mkfifo d/fifo && mkdir "
	   "d/sub &&"
	   " printf 'a\\0b' >d/nul");
	test("the whole of a regular file is read");
	ok(fs_read_file(dir, "file", 4, &text, &len, &e) == 1 && len == 4);
	eq(text, "four");
	free(steal_ptr(&text));
	ok(fs_read_file(dir, "empty", 10, &text, &len, &e) == 1 && len == 0);
	free(steal_ptr(&text));
	ok(fs_read_file(dir, "nul", 10, &text, &len, &e) == 1 && len == 3 && text[2] == 'b');
	free(steal_ptr(&text));
	test("an absent file gives 0");
	ok(fs_read_file(dir, "none", 10, &text, &len, &e) == 0 && !text);

	test("C-SEC-04, C-SEC-05: a link, a FIFO, a directory and a larger file are errors, at "
	     "once");
	ok(fs_read_file(dir, "link", 10, &text, &len, &e) == -1 && e.sys == ELOOP);
	ok(fs_read_file(dir, "fifo", 10, &text, &len, &e) == -1);
	eq(e.msg, "'fifo' is not a regular file");
	ok(fs_read_file(dir, "sub", 10, &text, &len, &e) == -1 && e.sys == EISDIR);
	ok(fs_read_file(dir, "file", 3, &text, &len, &e) == -1 && e.sys == EFBIG);
	eq(e.msg, "'file' has 4 bytes, at most 3 are read");
	test("a whole path: links above the file are followed, it is none itself");
	ok(symlink("d", path_of("above")) == 0);
	ok(fs_read_path(path_of("above/file"), 4, &text, &len, &e) == 1 && len == 4);
	eq(text, "four");
	free(steal_ptr(&text));
	ok(fs_read_path(path_of("d/none"), 4, &text, &len, &e) == 0);
	ok(fs_read_path(path_of("none/file"), 4, &text, &len, &e) == 0);
	ok(fs_read_path(path_of("d/link"), 4, &text, &len, &e) == -1 && e.sys == ELOOP);
	ok(fs_read_path(path_of("d/fifo"), 4, &text, &len, &e) == -1);
	test("a whole path that may be a link itself: to a file, not to a FIFO or nowhere");
	ok(symlink("file", path_of("d/to-file")) == 0);
	ok(symlink("fifo", path_of("d/to-fifo")) == 0);
	ok(symlink("none", path_of("d/to-none")) == 0);
	ok(fs_read_linked_path(path_of("d/to-file"), 4, &text, &len, &e) == 1 && len == 4);
	eq(text, "four");
	free(steal_ptr(&text));
	ok(fs_read_linked_path(path_of("d/file"), 3, &text, &len, &e) == -1 && e.sys == EFBIG);
	ok(fs_read_linked_path(path_of("d/to-fifo"), 4, &text, &len, &e) == -1);
	ok(fs_read_linked_path(path_of("d/to-none"), 4, &text, &len, &e) == 0);
	test("names that are paths are refused");
	ok(fs_read_file(dir, "../sys/bare", 10, &text, &len, &e) == -1 && e.sys == EINVAL);
	ok(fs_read_file(dir, "sub/x", 10, &text, &len, &e) == -1 && e.sys == EINVAL);
	ok(fs_read_file(dir, "..", 10, &text, &len, &e) == -1);
	ok(!text);
}

static void writing_files(void)
{
	struct err e;

	test("C-PRC-06: a file is written with its mode, whatever the umask");
	(void)umask(0777);
	ok(fs_write_file(dir, "new", "one", 3, 0600, FS_SYNC_DIR, &e) == 0);
	(void)umask(022);
	ok(holds("\"$(cat d/new)\" = one") && holds("\"$(stat -c %a d/new)\" = 600"));
	test("C-SEC-06: it is replaced in one step, and nothing else is left");
	ok(fs_write_file(dir, "new", "two", 3, 0644, 0, &e) == 0);
	ok(holds("\"$(cat d/new)\" = two") && holds("\"$(stat -c %a d/new)\" = 644"));
	ok(holds("-z \"$(find d -name '.*.tmp')\""));
	test("a link of that name is replaced, not followed");
	ok(fs_write_file(dir, "link", "own", 3, 0600, 0, &e) == 0);
	ok(holds("! -L d/link") && holds("\"$(cat d/file)\" = four"));
	test("a directory of that name, or a path, is an error and leaves nothing");
	ok(fs_write_file(dir, "sub", "x", 1, 0600, 0, &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "write 'sub'");
	ok(fs_write_file(dir, "../up", "x", 1, 0600, 0, &e) == -1 && e.sys == EINVAL);
	ok(holds("! -e up") && holds("-z \"$(find d -name '.*.tmp')\""));

	test("removing tells whether there was one");
	ok(fs_remove(dir, "new", &e) == 1 && holds("! -e d/new"));
	ok(fs_remove(dir, "new", &e) == 0);
	ok(fs_remove(dir, "sub", &e) == -1 && holds("-d d/sub"));
	ok(fs_remove(dir, "../sys/bare", &e) == -1 && holds("-e sys/bare"));
	ok(fs_remove(dir, "link", &e) == 1);
}

/* What a writer without O_TMPFILE that was killed has left is taken away with the name. */
static void leftovers(void)
{
	char command[128];
	struct err e;

	test("a temporary file that a killed writer left goes with the next write or removal");
	(void)snprintf(command, sizeof(command), "touch d/.%016llx.tmp",
		       0x8c4af1b1a0e1bf4fULL);	/* some other name's: must stay */
	sh(command);
	ok(fs_write_file(dir, "a", "1", 1, 0600, 0, &e) == 0);
	ok(fs_write_file(dir, "a", "2", 1, 0600, 0, &e) == 0);
	ok(holds("\"$(cat d/a)\" = 2") && holds("\"$(ls -A d | grep -c tmp)\" = 1"));
	sh("rm d/.*.tmp && touch d/.25c974a3f151a734.tmp");	/* of "a" */
	ok(fs_write_file(dir, "a", "3", 1, 0600, 0, &e) == 0 &&
	   holds("! -e d/.25c974a3f151a734.tmp"));
	sh("touch d/.25c974a3f151a734.tmp");
	ok(fs_remove(dir, "a", &e) == 1 && holds("! -e d/.25c974a3f151a734.tmp"));
}

/* Both with O_TMPFILE and without. */
static void published_new(void)
{
	auto_with(fs_draft_done) struct fs_draft d = { .fd = 0 }, named = { .fd = 0 };
	struct err e;

	test("a draft that must be new replaces nothing, and can still be published");
	sh("printf old >d/taken");
	ok(fs_draft_fill(dir, "taken", "one", 3, 0600, 0, &d, &e) == 0);
	ok(fs_draft_publish_new(dir, "taken", &d, &e) == 0 && holds("\"$(cat d/taken)\" = old"));
	ok(fs_draft_publish_new(dir, "free", &d, &e) == 1 && holds("\"$(cat d/free)\" = one"));
	named = (struct fs_draft){ .temp = ".named.tmp" };
	named.fd = fs_open_name(dir, named.temp, O_WRONLY | O_CREAT | O_EXCL, 0600);
	ok(named.fd >= 0 && write(named.fd, "two", 3) == 3);
	ok(fs_draft_publish_new(dir, "taken", &named, &e) == 0);
	ok(holds("\"$(cat d/taken)\" = old -a -e d/.named.tmp"));
	ok(fs_draft_publish_new(dir, "also", &named, &e) == 1);
	ok(holds("\"$(cat d/also)\" = two -a ! -e d/.named.tmp"));
	test("an error is one");
	ok(fs_draft_publish_new(dir, "no/such", &named, &e) == -1 && e.code == ERR_IO);
	sh("rm d/taken d/free d/also");
}

static void full_disk(void)
{
	const struct rlimit small = { 4096, 4096 };
	static char text[8192];
	struct err e;
	int status;
	pid_t pid;

	test("C-PRC-04: a file that cannot be written whole is an error and leaves the old one");
	ok(fs_write_file(dir, "keep", "old", 3, 0600, 0, &e) == 0);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)signal(SIGXFSZ, SIG_IGN);
		(void)setrlimit(RLIMIT_FSIZE, &small);
		_exit(fs_write_file(dir, "keep", text, sizeof(text), 0600, 0, &e) == -1 &&
		      e.sys == EFBIG ? 0 : 1);
	}
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ok(holds("\"$(cat d/keep)\" = old") && holds("-z \"$(find d -name '.*.tmp')\""));
}

/* The last, for it cannot be undone. */
static void devices(void)
{
	auto_close int dev = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int fd = fs_open(dev, "/null", O_RDONLY, 0);
	char *text = NULL;
	size_t len = 0;
	char line[8];
	struct err e;

	sh("echo text >file; mkfifo pipe");
	test("a tree of somebody else's: no device in it is opened");
	ok(fd >= 0);
	fs_refuse_devices();
	ok(fs_open(dev, "/null", O_RDONLY, 0) == -1 && errno == ENXIO);
	ok(fs_open_name(dev, "null", O_RDONLY, 0) == -1 && errno == ENXIO);
	ok(fs_read_line(dev, line, sizeof(line), &e, "/zero") == -1);
	ok(fs_read_path("/dev/null", 10, &text, &len, &e) == -1 && e.sys == ENXIO);
	ok(fs_read_linked_path("/dev/null", 10, &text, &len, &e) == -1 && e.sys == ENXIO);
	test("whether there is one is seen, and what is none is read");
	ok(fs_exists(dev, &e, "/null") == 1);
	ok(fs_read_line(n.host.root, line, sizeof(line), &e, "/file") == 1);
	eq(line, "text");
	ok(fs_read_line(n.host.root, line, sizeof(line), &e, "/pipe") == 1);
}

static void locking(void)
{
	struct deadline soon = deadline_in(30), later = deadline_in(10000);
	uint8_t key[SIPHASH_KEY], same[SIPHASH_KEY];
	int a, b, c;
	struct err e;

	sh("touch lock");
	a = fs_open(n.host.root, "/lock", O_RDWR, 0);
	b = fs_open(n.host.root, "/lock", O_RDWR, 0);
	c = fs_open(n.host.root, "/lock", O_RDONLY, 0);
	ok(a >= 0 && b >= 0 && c >= 0);
	test("the key is made once");
	ok(fs_lock_key(a, key, &e) == 0 && fs_lock_key(b, same, &e) == 0);
	ok(memcmp(key, same, sizeof(key)) == 0 && holds("\"$(stat -c %s lock)\" = 16"));
	test("a name that is locked stays locked for another opener, until the deadline");
	ok(fs_lock(a, key, "dev1", &later, &e) == 0);
	ok(fs_lock(b, key, "dev1", &soon, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "lock dev1: held by another call of this plugin");
	test("another name of the same file is free");
	ok(fs_lock(b, key, "dev2", &later, &e) == 0);
	test("unlocking, or closing, frees it");
	fs_unlock(a, key, "dev1");
	ok(fs_lock(b, key, "dev1", &later, &e) == 0);
	(void)close(b);
	ok(fs_lock(a, key, "dev1", &later, &e) == 0 && fs_lock(a, key, "dev2", &later, &e) == 0);
	test("a descriptor that cannot be locked is an error");
	ok(fs_lock(c, key, "dev1", &later, &e) == -1 && e.code == ERR_IO && e.sys == EBADF);
	(void)close(a);
	(void)close(c);
}

/* A signal to end that has come before is noticed by a wait that no poll(2) is in. */
static void locking_a_key(void)
{
	struct flock made = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = INT64_MAX - 1,
			     .l_len = 1 };
	uint8_t key[SIPHASH_KEY];
	int a, b;
	struct err e;

	sh("touch fresh");
	a = fs_open(n.host.root, "/fresh", O_RDWR, 0);
	b = fs_open(n.host.root, "/fresh", O_RDWR, 0);
	test("the key of a new file of locks is waited for while another makes it, until SIGTERM");
	ok(fcntl(a, F_OFD_SETLK, &made) == 0);
	deadline_catch_signals();
	(void)raise(SIGTERM);
	ok(fs_lock_key(b, key, &e) == -1 && e.code == ERR_INTERRUPTED);
	test("or for a while");
	deadline_catch_signals();
	ok(fs_lock_key(b, key, &e) == -1 && e.code == ERR_TRY_AGAIN);
	(void)close(a);
	ok(fs_lock_key(b, key, &e) == 0);
	(void)close(b);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
}

/* What cannot be read is no reason for another one: locks by two keys do not exclude each other. */
static void keeping_a_key(void)
{
	uint8_t key[SIPHASH_KEY], was[SIPHASH_KEY];
	int fd, blind;
	struct err e;

	sh("touch locks");
	fd = fs_open(n.host.root, "/locks", O_RDWR, 0);
	blind = fs_open(n.host.root, "/locks", O_WRONLY, 0);
	test("a key that cannot be read is an error, and stays as it was");
	ok(fs_lock_key(fd, was, &e) == 0);
	ok(fs_lock_key(blind, key, &e) == -1 && e.code == ERR_IO && e.sys == EBADF);
	ok(fs_lock_key(fd, key, &e) == 0 && memcmp(key, was, sizeof(key)) == 0);
	(void)close(fd);
	(void)close(blind);
}

int main(void)
{
	node_open(NULL, &n);
	reading_lines();
	reading_links();
	listing();
	directories();
	reading_files();
	writing_files();
	leftovers();
	published_new();
	full_disk();
	locking();
	locking_a_key();
	keeping_a_key();
	devices();
	(void)close(dir);
	node_close(&n);
	return tap_end();
}
