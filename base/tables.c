/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - what is set at the start of a static program, and what only when it is needed
 *
 * The program is linked for no address, so that nobody can tell where it will be.  So its start
 * sets all pointers in constants, and the kernel copies each page that has one when it is written:
 * a fifth of what a call of VERSION took, which needs none of our tables.  So these stand on pages
 * of their own (tables.ld), which tables_set() sets.
 *
 * Only the plugin on x86 has this file: the linker lists the pointers in a form (DT_RELR) that
 * musl's start, which would set all of them, leaves alone; glibc's would not, and for arm64 the
 * linker does not have it.
 */
#include "base/tables.h"

#include "base/attr.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { RELR_SIZE = 35, RELR = 36 };	/* DT_: musl 1.2.3 does not know them */
enum { PAGE = 4096, BITS = 63 };	/* of a word of the list: see set_all() */

/* The linker's. */
#define linked	__attribute__((visibility("hidden")))
extern const ElfW(Ehdr) __ehdr_start linked;
extern const ElfW(Dyn) _DYNAMIC[] linked;
extern char tables_begin[] linked, tables_end[] linked;

static bool in_tables(const uintptr_t *p)
{
	return (uintptr_t)p - (uintptr_t)tables_begin < (uintptr_t)(tables_end - tables_begin);
}

/* Before the C library has started there is no canary. */
#define early	at_start __attribute__((no_stack_protector))

early static void set(uintptr_t *p, bool of_tables)
{
	if (in_tables(p) == of_tables)
		*p += (uintptr_t)&__ehdr_start;
}

/*
 * Pointers in tables, or all others.  The list has an address, or bits of a word: one for each word
 * behind the last that was told.
 */
early static void set_all(bool of_tables)
{
	const uintptr_t *list = NULL;
	uintptr_t *p = NULL;
	size_t n = 0;

	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == RELR)
			list = (const void *)((const char *)&__ehdr_start + d->d_un.d_ptr);
		if (d->d_tag == RELR_SIZE)
			n = d->d_un.d_val / sizeof(*list);
	}
	for (size_t i = 0; i < n; i++) {
		if (!(list[i] & 1)) {
			p = (void *)((uintptr_t)&__ehdr_start + list[i]);
			set(p++, of_tables);
			continue;
		}
		if (of_tables || !in_tables(p) || !in_tables(p + BITS - 1))
			for (size_t bit = 0; list[i] >> 1 >> bit; bit++)
				if (list[i] >> 1 >> bit & 1)
					set(p + bit, of_tables);
		p += BITS;
	}
}

early linked void tables_set_others(void);
early void tables_set_others(void)
{
	set_all(false);
}

/* The program begins here; all registers are as _start wants them. */
__asm__(".pushsection .text.startup, \"ax\", %progbits\n"
	".globl tables_start\n"
	".hidden tables_start\n"
	".type tables_start, %function\n"
	"tables_start:\n"
	"	mov %rdx, %r12\n"
	"	call tables_set_others\n"
	"	mov %r12, %rdx\n"
	"	jmp _start\n"
	".size tables_start, . - tables_start\n"
	".popsection\n");

static void protect(int how)
{
	char *page = (char *)((uintptr_t)tables_begin & -(uintptr_t)PAGE);

	if (mprotect(page, (size_t)(tables_end - page), how) < 0)
		abort();
}

void tables_set(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	protect(PROT_READ | PROT_WRITE);	/* relro.c has protected them as they were */
	set_all(true);
	protect(PROT_READ);
}
