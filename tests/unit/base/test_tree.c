/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree.c - directories below one that is open: made, found, removed, and never left */
#include "base/mem.h"
#include "base/tree.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct fake_node n;

static bool opens(int dir, const char *path)
{
	auto_close int fd = -1;
	struct err e;

	return tree_open(dir, path, &fd, &e) == 1 && fd >= 0;
}

static bool is_refused(int dir, const char *path, enum err_code code)
{
	struct err e = { .code = ERR_OK };
	int fd = -1;

	return tree_open(dir, path, &fd, &e) == -1 && fd == -1 && e.code == code && *e.msg;
}

static void paths(void)
{
	static const char *const bad[] = { "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a",
					   "a/./b", "a\nb" };
	char cut[TREE_PATH_MAX], is_long[TREE_PATH_MAX + 1] = "";

	test("a path is relative, of proper names");
	ok(tree_is_path("a") && tree_is_path("a/b/c") && tree_is_path("..a/b.."));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(!tree_is_path(bad[i]));
	memset(is_long, 'x', TREE_PATH_MAX - 1);
	ok(tree_is_path(is_long));
	is_long[TREE_PATH_MAX - 1] = 'x';
	ok(!tree_is_path(is_long));
	test("components are counted, and cut off from the end");
	ok(tree_depth("") == 0 && tree_depth("a") == 1 && tree_depth("a/b/c") == 3);
	tree_cut("a/b/c", 0, cut);
	eq(cut, "a/b/c");
	tree_cut("a/b/c", 2, cut);
	eq(cut, "a");
	tree_cut("a/b/c", 7, cut);
	eq(cut, "");
	test("what is below a directory does not only begin like it");
	ok(tree_is_below("a/b", "a") && tree_is_below("a", "a") && tree_is_below("a", ""));
	ok(!tree_is_below("ab", "a") && !tree_is_below("a", "a/b"));
}

static void walking(int dir)
{
	struct err e;
	int fd = -1;

	node_sh(&n, "mkdir -p t/a/b out && : >t/file && ln -s a t/link && ln -s ../out t/up &&"
		" ln -s ../../out t/a/up && mkfifo t/fifo");
	test("a directory is opened, or said to be absent");
	ok(opens(dir, "") && opens(dir, "a") && opens(dir, "a/b"));
	ok(tree_open(dir, "none", &fd, &e) == 0 && tree_open(dir, "a/none/c", &fd, &e) == 0);
	test("no link is followed, wherever it leads, and nothing else is opened");
	ok(is_refused(dir, "link", ERR_BUSY) && is_refused(dir, "link/b", ERR_BUSY));
	ok(is_refused(dir, "up", ERR_BUSY) && is_refused(dir, "a/up", ERR_BUSY));
	ok(is_refused(dir, "file", ERR_BUSY) && is_refused(dir, "file/a", ERR_BUSY));
	ok(is_refused(dir, "fifo", ERR_BUSY));
	test("no component leads up");
	ok(is_refused(dir, "..", ERR_IO) && is_refused(dir, "a/../a", ERR_IO));
}

static void changing(int dir)
{
	struct err e;

	test("a directory is made once, in one that is there");
	ok(tree_mkdir(dir, "a/new", &e) == 1 && tree_mkdir(dir, "a/new", &e) == 0);
	ok(node_holds(&n, "-d t/a/new") && node_holds(&n, "$(stat -c %a t/a/new) = 700"));
	ok(tree_mkdir(dir, "none/new", &e) == -1 && e.sys == ENOENT);
	ok(tree_mkdir(dir, "up/new", &e) == -1 && tree_mkdir(dir, "..", &e) == -1);
	ok(node_holds(&n, "-z \"$(ls out)\""));
	test("what is there already is left, be it a link");
	ok(tree_mkdir(dir, "link", &e) == 0 && node_holds(&n, "-L t/link"));
	test("a directory is removed when it is empty, and nothing else is");
	ok(tree_rmdir(dir, "a", &e) == 0 && node_holds(&n, "-d t/a/b"));
	ok(tree_rmdir(dir, "a/new", &e) == 1 && node_holds(&n, "! -e t/a/new"));
	ok(tree_rmdir(dir, "a/new", &e) == 0 && tree_rmdir(dir, "none/x", &e) == 0);
	ok(tree_rmdir(dir, "file", &e) == 0 && node_holds(&n, "-f t/file"));
	ok(tree_rmdir(dir, "up", &e) == 0 && node_holds(&n, "-L t/up"));
	node_sh(&n, "mkdir out/x");
	ok(tree_rmdir(dir, "up/x", &e) == -1 && node_holds(&n, "-d out/x"));
}

/* 1 and gone, 0 and there with *why, or -1. */
static int removal(int dir, const char *path, const struct tree_keep *keep, unsigned int ms,
		   struct err *why)
{
	struct deadline d = deadline_in(ms);
	struct err e = { .code = ERR_OK };
	int r = tree_remove(dir, path, keep, &d, why, &e);

	if (r < 0)
		*why = e;
	return r;
}

/* Deeper than any path can say. */
static void make_deep(int dir, unsigned int levels)
{
	auto_close int at = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (; levels > 0; levels--) {
		int below;

		if (mkdirat(at, "d", 0) < 0 || mknodat(at, "f", S_IFREG, 0) < 0)
			bail_out("make a deep tree");
		below = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		(void)close(at);
		at = below;
	}
}

static bool is_keepsake(int dir, const char *name, const void *arg)
{
	(void)dir;
	return strcmp(name, arg) == 0;
}

/* It puts files, directories, links out and fifos there, renames and removes them, until killed. */
static void swap(int dir)
{
	static const char *const names[] = { "a", "b", "a/c", "b/c", "a/c/d" };

	for (unsigned int i = 0;; i = i * 1103515245 + 12345) {
		const char *one = names[i >> 16 & 3], *other = names[i >> 20 & 3];

		switch (i >> 24 & 7) {
		case 0:
			(void)mkdirat(dir, one, 0700);
			break;
		case 1:
			if (symlinkat("../../out", dir, one) < 0)
				(void)unlinkat(dir, one, 0);
			break;
		case 2:
			(void)mkfifoat(dir, one, 0600);
			break;
		case 3:
			(void)renameat2(dir, one, dir, other, RENAME_EXCHANGE);
			break;
		case 4:
			(void)unlinkat(dir, one, AT_REMOVEDIR);
			break;
		default:
			(void)mkdirat(dir, names[i >> 16 & 1], 0700);
			(void)mkdirat(dir, "a/c", 0700);
			break;
		}
	}
}

static void against_a_swapper(int dir)
{
	unsigned int failed = 0, stayed = 0;
	struct err why;

	test("whoever swaps things meanwhile gets us neither out of it nor into an error");
	for (int i = 0; i < 100; i++) {
		auto_close int at = -1;
		pid_t child;
		int r;

		node_sh(&n, "mkdir -p t/x out/d && : >out/d/f");
		at = openat(dir, "x", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		child = fork();
		if (child == 0)
			swap(at);
		(void)usleep(2000);
		r = removal(dir, "x", NULL, 10000, &why);
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
		failed += r < 0;
		stayed += r == 0;
		ok(r == 1 || why.code != ERR_OK);
		if (removal(dir, "x", NULL, 10000, &why) < 0)
			bail_out(why.msg);
	}
	ok(failed == 0 && stayed < 50);
	ok(node_holds(&n, "-f out/d/f"));
}

static void removing(int dir)
{
	static const struct tree_keep keep = { .fn = is_keepsake, .arg = "mine" };
	struct err why;

	test("a directory goes with all that is in it, which is not followed");
	node_sh(&n, "rm -rf out && mkdir -p out/d t/x/a/b/c t/x/e && : >out/d/f");
	node_sh(&n, "cd t/x && : >a/b/c/f && : >\"$(printf 'odd\\nname')\" && ln -s ../../out l &&"
		" mkdir \"$(printf 'odd\\ndir')\" && : >\"$(printf 'odd\\ndir')/f\" &&"
		" mkfifo fifo && ln -s ../../../out a/l && ln -s /dev/null a/b/n");
	ok(removal(dir, "x", NULL, 10000, &why) == 1 && node_holds(&n, "! -e t/x -a -f out/d/f"));
	test("what is not there, is no directory, or is behind a link is none of ours");
	ok(removal(dir, "x", NULL, 10000, &why) == 0);
	ok(removal(dir, "x/y", NULL, 10000, &why) == 0);
	ok(removal(dir, "file", NULL, 10000, &why) == -1 && why.sys == ENOTDIR);
	ok(removal(dir, "up", NULL, 10000, &why) == -1 && node_holds(&n, "-L t/up -a -d out/d"));
	ok(removal(dir, "up/d", NULL, 10000, &why) == -1 && node_holds(&n, "-f out/d/f"));
	test("it may be as deep as it likes, and no permission is in the way");
	node_sh(&n, "mkdir t/x");
	auto_close int x = openat(dir, "x", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make_deep(x, 5000);
	node_sh(&n, "chmod 0 t/x");
	ok(removal(dir, "x", NULL, 60000, &why) == 1 && node_holds(&n, "! -e t/x"));
	test("what is to be kept stays, and what is beside it goes");
	node_sh(&n, "mkdir -p t/x/a && : >t/x/mine && : >t/x/yours && : >t/x/a/mine");
	ok(removal(dir, "x", &keep, 10000, &why) == 0 && why.code == ERR_OK);
	ok(node_holds(&n, "\"$(ls t/x)\" = mine"));
	ok(removal(dir, "x", NULL, 10000, &why) == 1);
	test("the time is bounded, and another call goes on");
	node_sh(&n, "mkdir t/x && (cd t/x && seq 2000 | xargs touch)");
	ok(removal(dir, "x", NULL, 0, &why) == -1 && why.code == ERR_TRY_AGAIN);
	ok(node_holds(&n, "$(ls t/x | wc -l) -lt 2000"));
	ok(removal(dir, "x", NULL, 10000, &why) == 1 && node_holds(&n, "! -e t/x"));
}

static unsigned int remove_left(int dir, unsigned int ms)
{
	struct deadline d = deadline_in(ms);
	unsigned int left = 1000;
	struct err e;

	ok(tree_remove_left(dir, &d, &left, &e) == 0);
	return left;
}

static void setting_aside(int dir)
{
	unsigned int left = 4;
	struct err why, e;

	test("what was not removed in time can be set aside, with a name that nothing has");
	node_sh(&n, "mkdir -p t/up1/x t/x out && (cd t/up1/x && seq 2000 | xargs touch)");
	ok(removal(dir, "up1/x", NULL, 0, &why) == -1 && why.code == ERR_TRY_AGAIN);
	ok(tree_set_aside(dir, "up1/x", &e) == 1 && node_holds(&n, "-z \"$(ls -A t/up1)\""));
	node_sh(&n, ": >t/x/file");
	ok(tree_set_aside(dir, "x", &e) == 1);
	ok(node_holds(&n, "$(ls -A t | grep -c devinfo-left) = 2"));
	ok(tree_set_aside(dir, "x", &e) == 0 && tree_set_aside(dir, "none/x", &e) == 0);
	ok(tree_set_aside(dir, "up/x", &e) == -1);
	test("it is removed by later calls, and nothing else of that name is");
	node_sh(&n, ": >t/.devinfo-left-file; ln -s ../out t/.devinfo-left-link; : >out/keep");
	ok(remove_left(dir, 0) == 4);
	for (int calls = 0; calls < 200 && left > 2; calls++)	/* 50 ms each, of a busy machine */
		left = remove_left(dir, 10000);
	ok(left == 2);
	ok(node_holds(&n, "-z \"$(ls -A t | grep 'devinfo-left-[0-9]')\""));
	ok(node_holds(&n, "-f out/keep -a -d t/a"));
}

int main(void)
{
	auto_close int dir = -1;

	node_open(NULL, &n);
	paths();
	node_sh(&n, "mkdir t");
	dir = openat(n.host.root, "t", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		bail_out("open t");
	walking(dir);
	changing(dir);
	removing(dir);
	against_a_swapper(dir);
	setting_aside(dir);
	node_close(&n);
	return tap_end();
}
