/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocfail.c - have the N-th allocation of a program fail (LD_PRELOAD)
 *
 *	ALLOCFAIL_AT=N		that call of malloc, calloc or realloc since main() returns NULL
 *	ALLOCFAIL_COUNT=FILE	when the program ends by exit(), their number is written there
 *
 * Children run without it.  The allocator below is whatever the program has, AddressSanitizer's
 * too, when ASAN_OPTIONS has verify_asan_link_order=0 (and the runtime is a shared one).
 */
#include "count.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef int main_fn(int argc, char **argv, char **env);
typedef int start_fn(main_fn *fn, int argc, char **argv, void (*init)(void), void (*fini)(void),
		     void (*rtld_fini)(void), void *stack_end);

static long at, calls;
static int armed;
static main_fn *real_main;

/* The function of this name behind ours, in *real. */
static void find(const char *name, void *real)
{
	void *p = dlsym(RTLD_NEXT, name);

	memcpy(real, &p, sizeof(p));
}

/* Is this the one? */
static int fails(void)
{
	if (!armed || ++calls != at)
		return 0;
	errno = ENOMEM;
	return 1;
}

EXPORT void *malloc(size_t size)
{
	static void *(*real)(size_t);

	if (!real)
		find("malloc", &real);
	return fails() ? NULL : real(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
	static void *(*real)(size_t, size_t);

	if (!real)
		find("calloc", &real);
	return fails() ? NULL : real(n, size);
}

EXPORT void *realloc(void *p, size_t size)
{
	static void *(*real)(void *, size_t);

	if (!real)
		find("realloc", &real);
	return fails() ? NULL : real(p, size);
}

static void report(void)
{
	armed = 0;
	count_tell(calls);
}

static int counted_main(int argc, char **argv, char **env)
{
	const char *number = getenv("ALLOCFAIL_AT"), *count_file = getenv("ALLOCFAIL_COUNT");

	at = number ? atol(number) : 0;
	if (count_file)
		count_open(count_file);
	if (atexit(report) != 0)
		abort();
	(void)unsetenv("LD_PRELOAD");
	armed = 1;
	return real_main(argc, argv, env);
}

int __libc_start_main(main_fn *fn, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);
EXPORT int __libc_start_main(main_fn *fn, int argc, char **argv, void (*init)(void),
			     void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	start_fn *real;

	find("__libc_start_main", &real);
	real_main = fn;
	return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
