/* SPDX-License-Identifier: Apache-2.0 */
/* test_arena.c - memory with a ceiling */
#include "devinfo/grpc/arena.h"

#include "tests/unit/tap.h"

int main(void)
{
	struct arena a;
	void *p;

	arena_init(&a, 100);
	test("an arena gives as much as it has, in all");
	p = a.allocator.alloc(a.allocator.allocator_data, 60);
	ok(p);
	ok(!a.exhausted);
	eqi(a.left, 40);
	a.allocator.free(a.allocator.allocator_data, p);
	eqi(a.left, 40);

	test("what is more is refused, and said");
	ok(!a.allocator.alloc(a.allocator.allocator_data, 41));
	ok(a.exhausted);
	p = a.allocator.alloc(a.allocator.allocator_data, 40);
	ok(p);
	a.allocator.free(a.allocator.allocator_data, p);

	test("nothing is something that can be freed");
	p = a.allocator.alloc(a.allocator.allocator_data, 0);
	ok(p);
	a.allocator.free(a.allocator.allocator_data, p);
	return tap_end();
}
