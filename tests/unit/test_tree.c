/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree.c - directories below one that is open: made, found, removed, and never left */
#include "base/mem.h"
#include "base/tree.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>

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
	node_close(&n);
	return tap_end();
}
