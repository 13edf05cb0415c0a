/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree_measure.c - how much is in a directory, and when that is more than may be */
#include "base/mem.h"
#include "base/tree.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <sys/stat.h>

static struct fake_node n;
static const struct tree_size no_bound = { .bytes = UINT64_MAX, .inodes = UINT64_MAX };

static struct tree_size measure(int dir, const char *path, const struct tree_size *max)
{
	struct tree_size size = { .bytes = 1, .inodes = 1, .more = true };
	struct err e;

	ok(tree_measure(dir, path, max, &size, &e) == 1);
	return size;
}

/* What stat(2) says that it takes. */
static uint64_t takes(int dir, const char *path)
{
	struct stat st;

	ok(fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0);
	return (uint64_t)st.st_blocks * 512;
}

static void whole(int dir)
{
	struct tree_size size;
	struct err e;

	test("a directory that is not there has nothing, and an empty one neither");
	ok(tree_measure(dir, "none", &no_bound, &size, &e) == 0 && size.inodes == 0);
	size = measure(dir, "empty", &no_bound);
	ok(size.inodes == 0 && size.bytes == 0 && !size.more);
	test("all that is below it counts, itself and what links lead to do not");
	size = measure(dir, "full", &no_bound);
	ok(size.inodes == 5 && !size.more);
	ok(size.bytes == takes(dir, "full/big") + takes(dir, "full/a") + takes(dir, "full/a/b") +
				 takes(dir, "full/a/b/small") + takes(dir, "full/link"));
	ok(size.bytes >= 100000 && size.bytes < 1000000);
	test("what others link to the outside, or is no directory, is refused or empty");
	ok(tree_measure(dir, "full/link", &no_bound, &size, &e) == -1);
}

static void bounds(int dir)
{
	struct tree_size max = { .bytes = UINT64_MAX, .inodes = 5 };

	test("as many as may be are not more, one more is");
	ok(!measure(dir, "full", &max).more);
	max.inodes = 4;
	ok(measure(dir, "full", &max).more);
	max.inodes = UINT64_MAX;
	max.bytes = measure(dir, "full", &no_bound).bytes;
	ok(!measure(dir, "full", &max).more);
	max.bytes--;
	ok(measure(dir, "full", &max).more);
	test("it ends there: the rest is not looked at");
	max = (struct tree_size){ .bytes = UINT64_MAX, .inodes = 10 };
	ok(measure(dir, "many", &max).inodes == 11);
	test("what is too deep to be counted is more, whatever may be");
	ok(!measure(dir, "deep", &no_bound).more);
	ok(measure(dir, "deeper", &no_bound).more);
}

static struct tree_size measure_left(int dir, const char *first, const struct tree_size *max)
{
	struct tree_size size = { 0 };
	struct err e;

	ok(tree_measure_left(dir, first, max, &size, &e) == 0);
	return size;
}

static void left(int dir)
{
	struct tree_size max = { .bytes = UINT64_MAX, .inodes = 4 };
	struct err e;

	test("nothing was set aside");
	ok(measure_left(dir, "up", &no_bound).inodes == 0);
	test("what was set aside counts where it was, by the first name of its path");
	node_sh(&n, "mkdir -p t/up/x t/up/y t/upper/z t/0-up &&"
		    " touch t/up/x/f t/up/y/g t/upper/z/h");
	ok(tree_set_aside(dir, "up/x", &e) == 1 && tree_set_aside(dir, "up/y", &e) == 1);
	ok(tree_set_aside(dir, "upper/z", &e) == 1 && tree_set_aside(dir, "0-up", &e) == 1);
	ok(measure_left(dir, "up", &no_bound).inodes == 4);
	ok(measure_left(dir, "upper", &no_bound).inodes == 2);
	ok(measure_left(dir, "0-up", &no_bound).inodes == 1);
	ok(measure_left(dir, "u", &no_bound).inodes == 0);
	test("and is bounded with what is there");
	ok(!measure_left(dir, "up", &max).more);
	max.inodes = 3;
	ok(measure_left(dir, "up", &max).more);
}

int main(void)
{
	auto_close int dir = -1;

	node_open(NULL, &n);
	node_sh(&n, "mkdir -p t/empty t/full/a/b t/many t/deep t/deeper out && touch out/secret &&"
		    " head -c 100000 /dev/zero >t/full/big && echo x >t/full/a/b/small &&"
		    " ln -s ../../out t/full/link && (cd t/many && seq 100 | xargs touch) &&"
		    " mkdir -p t/deep/$(printf 'd/%.0s' $(seq 31)) &&"
		    " mkdir -p t/deeper/$(printf 'd/%.0s' $(seq 32))");
	dir = openat(n.host.root, "t", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		bail_out("open t");
	whole(dir);
	bounds(dir);
	left(dir);
	node_close(&n);
	return tap_end();
}
